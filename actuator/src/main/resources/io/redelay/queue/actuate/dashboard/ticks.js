// Messages of a list that are ticked, and what is done with them: one after the other, at a rate, after a question.

import { h } from './dom.js';
import { path } from './api.js';
import { confirm } from './dialog.js';
import { count, number, outside } from './parts.js';
import { BULK, brief, rate } from './steer.js';

const NAMED = 5;

/** A message among those of all queues: the copies of a topic have one uid. */
export function keyOf({ queue, uid }) {
  return `${queue} ${uid}`;
}

function ticked(page) {
  page.state.ticked ??= new Map();
  return page.state.ticked;
}

/** The name of a message with a box before it, for those who may write. */
export function tickBox(page, message, shown) {
  if (!page.config.write) {
    return shown;
  }
  return h('div', { class: 'ticks' }, h('input', {
    type: 'checkbox', class: 'tick', value: keyOf(message), 'aria-label': `Tick ${brief(message.id)}`, checked: ticked(page).has(keyOf(message)),
    onchange: event => {
      if (event.target.checked) {
        ticked(page).set(keyOf(message), message);
      } else {
        ticked(page).delete(keyOf(message));
      }
      page.redraw();
    },
  }), h('div', null, shown));
}

/** What can be done with the ticked ones. `changed` is called with the keys of those that are done. */
export function tickBar(page, messages, changed) {
  const chosen = ticked(page);
  const { acting } = page.state;
  for (const [key] of chosen) {
    const now = messages.find(message => keyOf(message) === key);
    // What is not in the list any more is not what was ticked.
    if (now) {
      chosen.set(key, now);
    } else if (!acting) {
      chosen.delete(key);
    }
  }
  if (!page.config.write || !messages.length) {
    return null;
  }
  if (acting) {
    return h('div', { class: 'tick-bar', role: 'group', 'aria-label': 'Ticked messages', key: 'ticked' },
      h('strong', null, `${acting.label}: ${number(acting.done + acting.refused.length)} of ${number(acting.total)}`),
      h('button', { type: 'button', key: 'stop', onclick: () => {
        acting.stopped = true;
      } }, 'Stop'));
  }
  // What only a job does has no command for one message.
  const all = Object.entries(BULK).filter(([, { states, action }]) => !action && chosen.size && [...chosen.values()].every(message => states.includes(message.state)));
  return h('div', { class: 'tick-bar', role: 'group', 'aria-label': 'Ticked messages', key: 'ticked' },
    h('strong', null, chosen.size ? `${number(chosen.size)} ticked` : h('span', { class: 'soft' }, 'None ticked')),
    h('button', { type: 'button', class: 'quiet', key: 'all', onclick: () => tickAll(page, messages, chosen.size < messages.length) },
      chosen.size < messages.length ? `Tick all ${number(messages.length)} shown` : 'Untick all'),
    chosen.size && !all.length ? h('span', { class: 'soft' }, 'Nothing can be done with all of them at once: they are in different states.') : null,
    all.map(([name, { label }]) => h('button', { type: 'button', key: `ticked ${name}`, onclick: () => ask(page, name, [...chosen.values()], changed) }, `${label}…`)));
}

function tickAll(page, messages, isTicked) {
  const chosen = ticked(page);
  chosen.clear();
  if (isTicked) {
    messages.forEach(message => chosen.set(keyOf(message), message));
  }
  showTicks(page);
  page.announce(isTicked ? `${count(chosen.size, 'message')} ticked.` : 'None ticked.');
  page.redraw();
}

/** A box that was clicked keeps its own mind when the list is drawn again. */
function showTicks(page) {
  document.querySelectorAll('main input.tick').forEach(box => {
    box.checked = ticked(page).has(box.value);
  });
}

async function ask(page, name, messages, changed) {
  const { label, text, fields = [], danger, typed } = BULK[name];
  const queues = [...new Set(messages.map(message => message.queue))];
  const howMany = count(messages.length, 'message');
  const values = await confirm({
    title: `${label} ${howMany}?`,
    text: [h('p', null, h('strong', null, howMany), ' of ', queues.length === 1 ? outside(queues[0]) : count(queues.length, 'queue'), ': ',
      outside(messages.slice(0, NAMED).map(({ id }) => brief(id)).join(', ')), messages.length > NAMED ? ` and ${number(messages.length - NAMED)} more` : null, '.'),
    h('p', null, text), h('p', null, 'This page does it, one after the other. It ends when this list is left; what is done by then stays done.')],
    action: `${label} them`, danger, typed: typed ? (queues.length === 1 ? queues[0] : howMany) : undefined, fields: [...fields, rate(name, messages.length)],
  });
  if (values) {
    await carryOut(page, name, label, messages, values, changed);
  }
}

async function carryOut(page, name, label, messages, { perSecond, ...values }, changed) {
  const acting = { label, total: messages.length, done: 0, refused: [], stopped: false };
  const body = Object.fromEntries(Object.entries(values).filter(([, value]) => value !== ''));
  const done = [];
  const pause = perSecond > 0 ? 1000 / Number(perSecond) : 0;
  page.state.acting = acting;
  page.redraw();
  for (const message of messages) {
    if (acting.stopped || page.abort.signal.aborted) {
      break;
    }
    const begun = Date.now();
    const at = path`queues/${message.queue}/messages/${message.uid}`;
    try {
      await (name === 'DELETE' ? page.del(at) : page.post(`${at}/${name.toLowerCase()}`, body));
      acting.done++;
      done.push(message);
      ticked(page).delete(keyOf(message));
    } catch (failure) {
      acting.refused.push(failure.message);
      if (!failure.status) {
        break;
      }
    }
    if (pause && message !== messages.at(-1)) {
      page.redraw();
      await new Promise(resolve => setTimeout(resolve, Math.max(0, pause - (Date.now() - begun))));
    }
  }
  page.state.acting = null;
  showTicks(page);
  changed(new Set(done.map(keyOf)));
  const { refused } = acting;
  const words = `${label}: ${count(acting.done, 'message')} done${refused.length ? `, ${number(refused.length)} refused: ${refused[0]}` : '.'}`;
  page.notify(words, refused.length > 0, done.length ? page.undoOf(name, done) : undefined);
  page.reload();
}
