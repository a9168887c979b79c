// Where a handler is in its code: asked of its instance, with the frames of the application marked.

import { h } from './dom.js';
import { path } from './api.js';
import { words } from './shell.js';
import { brief, simpleName } from './steer.js';
import { list, number, ours, outside, say } from './parts.js';

function placeOf({ file, line }) {
  return file ? outside(` (${line > 0 ? `${file}:${line}` : file})`) : null;
}

/** ShipOrder.handle (ShipOrder.java:42) */
export function codeLine(frame) {
  const { type, method } = frame;
  return h('code', { class: 'code-line', title: `${type}.${method}` }, outside(`${simpleName(type)}.${method}`), placeOf(frame));
}

export function stackButton(page, message) {
  return h('button', { type: 'button', class: 'quiet', 'aria-label': `Stack of ${message.id}`, onclick: () => showStack(page, message) }, 'Stack');
}

function showStack(page, message) {
  const before = document.activeElement;
  const body = h('div', { class: 'stack-body', tabindex: '0', 'aria-label': 'Stack', role: 'group' });
  const again = h('button', { type: 'button', onclick: ask }, 'Again');
  const dialog = h('dialog', { class: 'stack-dialog', 'aria-labelledby': 'stack-title' },
    h('h2', { id: 'stack-title' }, say`Where ${brief(message.id)} is`), body,
    h('div', { class: 'dialog-buttons' }, again, h('button', { type: 'button', class: 'primary', onclick: () => dialog.close() }, 'Close')));

  let asks = false;

  async function ask() {
    if (asks) {
      return;
    }
    asks = true;
    if (!body.hasChildNodes()) {
      body.replaceChildren(h('p', { class: 'soft' }, 'The instance is asked…'));
    }
    try {
      body.replaceChildren(...[content(await page.get(path`queues/${message.queue}/running/${message.uid}`, { claim: message.claim }))].flat().filter(Boolean));
    } catch (failure) {
      if (failure.name !== 'AbortError') {
        body.replaceChildren(h('p', { role: 'alert' }, ours(words(failure))));
      }
    }
    asks = false;
  }

  dialog.addEventListener('close', () => {
    dialog.remove();
    if (before?.isConnected) {
      before.focus({ preventScroll: true });
    }
  });
  dialog.addEventListener('click', event => event.target === dialog && dialog.close());
  document.body.appendChild(dialog);
  dialog.showModal();
  ask();
}

function content(stack) {
  const own = stack.frames.find(frame => frame.application);
  return [
    h('p', { class: 'stack-head' }, own ? codeLine(own) : stack.frames.length ? 'No frame is of the application.' : waits(stack)),
    h('p', { class: 'small soft' }, list([stack.thread && `${stack.thread}${stack.threadState ? `, ${stack.threadState.toLowerCase().replaceAll('_', ' ')}` : ''}`, stack.instanceName || stack.instance].filter(Boolean), ' · ')),
    stack.frames.length ? h('ol', { class: 'frames' }, stack.frames.map(frame => h('li', { class: frame.application ? 'own' : 'soft' },
      frame.application ? h('span', { class: 'unseen' }, 'Application: ') : null,
      outside(`${frame.type}.${frame.method}`), placeOf(frame)))) : null,
    stack.omitted > 0 ? h('p', { class: 'small soft' }, `${number(stack.omitted)} more below.`) : null,
  ];
}

/** What a handler waits for that no thread works on. */
function waits(stack) {
  switch (stack.state) {
    case 'AWAITING_RESULT':
      return say`Its handler returned ${/^reactor\./.test(stack.awaited) ? 'a publisher, as a Mono or a suspend function is' : 'a future'}, and its message waits until that completes. Where the work goes on is not known.`;
    case 'AWAITING_ACKNOWLEDGMENT':
      return 'No thread works on it. Its handler returned, and is to acknowledge it later.';
    default:
      return 'Its thread was just beginning or ending. Ask again.';
  }
}
