// Keys for those who work without a mouse. They do nothing while something is typed, while a question is open, or when the reader has
// turned them off, as readers of screens and users of speech may have to (WCAG 2.1.4).

import { h } from './dom.js';
import { dialogIsOpen } from './dialog.js';

const STORED = 'redelay.keys';

const PLACES = { q: ['#/', 'queues'], d: ['#/dead', 'dead letters'], n: ['#/running', 'handlers that run now'], i: ['#/instances', 'instances'], r: ['#/recurring', 'recurring messages'],
  t: ['#/topics', 'topics'], l: ['#/locks', 'locks'], j: ['#/jobs', 'jobs'] };

const LIST = [['/', 'go to the search box'], ['j', 'next row'], ['k', 'row before'], ['Enter', 'open the row'], ['x', 'tick the row'], ['u', 'undo what was just done'],
  ...Object.entries(PLACES).map(([key, [, what]]) => [`g ${key}`, `go to the ${what}`]), ['?', 'show this list']];

let isOn = read();
let gone = 0;

export function startShortcuts() {
  // A touch may leave the focus where it is.
  document.getElementById('keys').onclick = event => showList(event.currentTarget);
  document.addEventListener('keydown', pressed);
}

/** Whether the reader wants them. */
export function keysAreOn() {
  return isOn;
}

function read() {
  try {
    return localStorage.getItem(STORED) !== 'off';
  } catch (storageIsOff) {
    return true;
  }
}

function turn(on) {
  isOn = on;
  try {
    localStorage.setItem(STORED, on ? 'on' : 'off');
  } catch (storageIsOff) {
    // It lasts as long as the page then.
  }
}

function pressed(event) {
  const { key, target } = event;
  if (!isOn || event.defaultPrevented || event.ctrlKey || event.altKey || event.metaKey || event.isComposing || dialogIsOpen() || isTyped(target)) {
    return;
  }
  const follows = Date.now() - gone < 1500;
  gone = 0;
  if (follows && PLACES[key]) {
    location.hash = PLACES[key][0];
  } else if (key === 'g') {
    gone = Date.now();
    return;
  } else if (!ACTIONS[key]?.()) {
    return;
  }
  event.preventDefault();
}

function isTyped(target) {
  return target instanceof Element && (target.closest('input:not([type="checkbox"]), textarea, select, [contenteditable]') !== null);
}

const ACTIONS = {
  '/': () => {
    document.getElementById('search-all').select();
    document.getElementById('search-all').focus();
    return true;
  },
  '?': () => {
    showList();
    return true;
  },
  j: () => step(1),
  k: () => step(-1),
  x: () => {
    const box = document.activeElement?.closest('main tr')?.querySelector('input.tick');
    box?.click();
    return Boolean(box);
  },
  u: () => {
    const undo = document.querySelector('.toast button');
    undo?.click();
    return Boolean(undo);
  },
};

/** Moves the focus to the first link of the next row, or of the row before. */
function step(by) {
  const rows = Array.from(document.querySelectorAll('main tbody tr, main .causes > li')).filter(row => row.querySelector('a'));
  const at = rows.findIndex(row => row.contains(document.activeElement));
  const row = rows[at < 0 ? (by > 0 ? 0 : rows.length - 1) : at + by];
  row?.querySelector('th a, a').focus();
  row?.scrollIntoView({ block: 'nearest' });
  return Boolean(row);
}

function showList(before = document.activeElement) {
  if (dialogIsOpen()) {
    return;
  }
  const box = h('input', { type: 'checkbox', id: 'keys-on', checked: isOn, onchange: event => turn(event.target.checked) });
  const dialog = h('dialog', { class: 'keys-dialog', 'aria-labelledby': 'keys-title' },
    h('h2', { id: 'keys-title' }, 'Keys'),
    h('dl', { class: 'keys-list' }, LIST.map(([key, what]) => h('div', null, h('dt', null, key.split(' ').map((part, i) => [i ? ' ' : null, h('kbd', null, part)])), h('dd', null, what)))),
    h('div', { class: 'field check' }, h('label', { for: 'keys-on' }, 'Use these keys'), box),
    h('p', { class: 'hint' }, 'Turn them off if your screen reader or your voice types single letters. This browser remembers it.'),
    h('div', { class: 'dialog-buttons' }, h('button', { type: 'button', class: 'primary', onclick: () => dialog.close() }, 'Close')));
  dialog.addEventListener('close', () => {
    dialog.remove();
    if (before?.isConnected) {
      before.focus({ preventScroll: true });
    }
  });
  dialog.addEventListener('click', event => event.target === dialog && dialog.close());
  document.body.appendChild(dialog);
  dialog.showModal();
}
