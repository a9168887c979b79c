// What views have in common: figures in words, tables, pages, states, the head of a queue.

import { h } from './dom.js';
import { locale, translated } from './language.js';
import { now as serverTime, path } from './api.js';
import { confirm } from './dialog.js';
import { link } from './shell.js';
import { undoOfPause } from './undo.js';

// Text from outside

/**
 * What comes from outside, such as ids, names, keys and what exceptions say: in an element of its own, so that it cannot turn the
 * direction of what stands beside it.
 */
export function outside(text) {
  return text === null || text === undefined || text === '' ? null : h('bdi', null, String(text));
}

/** A sentence of the server or of this page, which may name what comes from outside: in the language of the reader. */
export function ours(text) {
  return outside(text && translated(String(text)));
}

/** A sentence with text from outside: say`${queue} is paused.` gives nodes and texts; nodes and lists stay as they are. */
export function say(texts, ...values) {
  return texts.flatMap((text, i) => (i < values.length ? [text, Array.isArray(values[i]) || values[i] instanceof Node ? values[i] : outside(values[i])] : [text]));
}

/** Texts from outside, one after the other: a, b. */
export function list(texts, between = ', ') {
  return (texts || []).map((text, i) => [i ? between : null, outside(text)]);
}

/** Nodes and texts as one text. */
export function plain(what) {
  return [what].flat(Infinity).filter(part => part !== null && part !== undefined && part !== false).map(part => (part instanceof Node ? part.textContent : String(part))).join('');
}

// Figures: by the same rules as FigureFormat of the server, in whose sentences they stand beside these

const whole = new Intl.NumberFormat('en', { maximumFractionDigits: 0 });
const fine = new Intl.NumberFormat('en', { maximumFractionDigits: 1 });
const compact = new Intl.NumberFormat(locale ?? 'en', { notation: 'compact', maximumFractionDigits: 1 });
const dateAndTime = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'medium' });
const minute = new Intl.DateTimeFormat(locale, { timeStyle: 'short' });

/** 12,345; with a digit behind the point below ten. What is not there is a dash. */
export function number(value) {
  if (value === null || value === undefined || Number.isNaN(value)) {
    return '–';
  }
  return Math.abs(value) < 10 && !Number.isInteger(value) ? fine.format(value) : whole.format(value);
}

/** 12K, for where there is little room. */
export function short(value) {
  return value === null || value === undefined ? '–' : Math.abs(value) < 10000 ? number(value) : compact.format(value);
}

const UNITS = [['d', 86400000], ['h', 3600000], ['min', 60000], ['s', 1000]];

/** 3 min 20 s: the two largest units; milliseconds below a second. */
export function duration(millis) {
  if (millis === null || millis === undefined) {
    return '–';
  }
  if (millis < 0) {
    return `-${duration(-millis)}`;
  }
  if (millis < 999.5) {
    return `${number(millis)} ms`;
  }
  if (millis < 9950) {
    return `${fine.format(millis / 1000)} s`;
  }
  let left = Math.round(millis / 1000) * 1000;
  const words = [];
  for (const [unit, size] of UNITS) {
    const count = Math.floor(left / size);
    if (count > 0) {
      words.push(`${whole.format(count)} ${unit}`);
      left -= count * size;
      if (words.length === 2 || unit === 'd' && count > 99) {
        break;
      }
    } else if (words.length) {
      break;
    }
  }
  return words.join(' ');
}

/** 4.2 kB */
export function bytes(count) {
  if (count === null || count === undefined) {
    return '–';
  }
  const units = ['B', 'kB', 'MB', 'GB', 'TB'];
  let value = count;
  let unit = 0;
  while (value >= 1000 && unit < units.length - 1) {
    value /= 1000;
    unit++;
  }
  return `${unit === 0 ? whole.format(value) : fine.format(value)} ${units[unit]}`;
}

/** An instant as <time>, in the zone of the reader; the whole of it on hover. */
export function time(instant) {
  const date = toDate(instant);
  return date ? h('time', { datetime: date.toISOString(), title: `${date.toISOString()} (UTC)` }, dateAndTime.format(date)) : '–';
}

/** An instant as text, in the zone of the reader; what is none stays as it is. */
export function moment(instant) {
  const date = toDate(instant);
  return date ? dateAndTime.format(date) : String(instant);
}

/** An instant as <time>, relative to now: 3 min ago, in 2 h. */
export function fromNow(instant, now) {
  const date = toDate(instant);
  if (!date) {
    return '–';
  }
  const millis = date - (toDate(now) || serverTime());
  const text = Math.abs(millis) < 1000 ? 'now' : millis > 0 ? `in ${duration(millis)}` : `${duration(-millis)} ago`;
  return h('time', { datetime: date.toISOString(), title: dateAndTime.format(date) }, text);
}

/** How long ago something was, of which only that is known. */
export function ago(millis) {
  return millis === null || millis === undefined ? '–' : millis < 1000 ? 'now' : `${duration(millis)} ago`;
}

export function clock(date) {
  return minute.format(date);
}

function toDate(instant) {
  if (instant === null || instant === undefined || instant === '') {
    return null;
  }
  const date = new Date(instant);
  return Number.isNaN(date.getTime()) ? null : date;
}

/** So many a second, or a minute where that would be a fraction. */
export function rate(perSecond) {
  if (perSecond === null || perSecond === undefined) {
    return '–';
  }
  return perSecond >= 1 || perSecond === 0 ? `${number(perSecond)} a second` : `${number(Math.round(perSecond * 600) / 10)} a minute`;
}

/** 34 % of a share of 0.34 */
export function percent(share) {
  return `${number(Math.round(share * 100))} %`;
}

/** 1 message, 2 messages */
export function count(n, one, many) {
  return `${number(n)} ${n === 1 ? one : many || `${one}s`}`;
}

/** A name that may be broken into lines behind its dots and dashes. */
export function name(text) {
  return h('bdi', null, String(text).split(/(?<=[.@/:_-])(?=.)/).flatMap((part, i) => (i ? [h('wbr', null), part] : [part])));
}

/** A constant as words: NOT_YET is “not yet”. */
export function words(constant) {
  return String(constant).toLowerCase().replaceAll('_', ' ');
}

// States: a shape and a word beside the colour

const TONES = {
  OK: ['ok', 'Keeping up'], BUSY: ['busy', 'Busy'], BEHIND: ['bad', 'Behind'], STOPPED: ['bad', 'Stopped'], PAUSED: ['warn', 'Paused'],
  CRITICAL: ['bad', 'Critical'], WARNING: ['warn', 'Warning'], INFO: ['info', 'Note'],
  SCHEDULED: ['info', 'Scheduled'], READY: ['busy', 'Ready'], IN_FLIGHT: ['busy', 'In flight'], DEAD: ['bad', 'Dead'], COMPLETED: ['ok', 'Completed'],
  RUNNING: ['busy', 'Running'], DONE: ['ok', 'Done'], FAILED: ['bad', 'Failed'],
};
const SHAPES = {
  ok: 'M3 8.5l3.2 3.2L13 5', busy: 'M3 8h10M9.5 4.5L13 8l-3.5 3.5', warn: 'M8 2.5L14 13H2zM8 6.5v3M8 11.2v.3',
  bad: 'M4 4l8 8M12 4l-8 8', info: 'M8 7v5M8 4v.3',
};

/** A state as a shape, a colour and a word: badge('DEAD'), or badge('warn', 'Two of three stopped'). */
export function badge(state, word) {
  const [tone, text] = TONES[state] || [SHAPES[state] ? state : 'info', state];
  return h('span', { class: `badge ${tone}` },
    h('svg', { viewBox: '0 0 16 16', width: 12, height: 12, 'aria-hidden': 'true' },
      h('path', { d: SHAPES[tone], fill: 'none', stroke: 'currentColor', 'stroke-width': 2, 'stroke-linecap': 'round', 'stroke-linejoin': 'round' })),
    h('span', null, word || text));
}

/**
 * The state of a listener in an instance: RUNNING, PAUSED, STOPPED. One that runs takes no messages of a queue that is `paused`, or whose
 * gate is closed, in this instance (`gated`) or in all (`gatedUntil`).
 */
export function listenerState(state, { paused, gated, gatedUntil } = {}) {
  if (state === 'RUNNING') {
    return paused ? badge('warn', 'Queue is paused') : gated || gatedUntil ? badge('warn', 'Gate closed') : badge('ok', 'Takes messages');
  }
  return badge(state);
}

/** What stands in the way of a queue, in a word or two. */
const WORDS = {
  FAILING: 'Failing', RETRY_BACKLOG: 'Retrying', REDIS_SLOW: 'Redis is slow', CONSUMER_STOPPED: 'Listener stopped', LOCKED: 'Waits for locks',
  NO_CONSUMER: 'No listener', CONSUMER_SILENT: 'Instance is silent', UNEXPLAINED: 'Look at it', CLOSED: 'Closed', GATED: 'Gate closed',
  TICK_GONE: 'Has no next tick',
  PACKED_LATE: 'Packed messages are late',
};

export function kindWords(kind) {
  return WORDS[kind] || words(kind);
}

/** How a queue does: it may be in time although something is wrong, and then does not look as if all were well. */
export function queueState(status, kind) {
  if (status === 'STOPPED' && kind === 'PAUSED') {
    return badge('PAUSED');
  }
  return status === 'OK' && WORDS[kind] ? badge('warn', WORDS[kind]) : badge(status);
}

// Tables, lists and pages

/**
 * table({caption: 'Queues', columns: [{label, render: row => node, class, hidden}], rows, key: row => row.queue, empty: 'No queues yet.'})
 *
 * A column that is `null` is left out. `class` of a column: `number` for figures. On a phone each row becomes a card, with the labels of
 * the columns in front of the values; the first column is the head of the row.
 */
export function table({ caption, columns: all, rows, key, empty: nothing, class: style }) {
  const columns = all.filter(Boolean);
  if (!rows.length) {
    return h('p', { class: 'none', key: `none ${plain(caption)}` }, nothing || 'There is nothing here.');
  }
  return h('div', { class: `table-box ${style || ''}`, key: `table ${plain(caption)}` }, h('table', { role: 'table' },
    h('caption', { class: 'unseen' }, caption),
    h('thead', { role: 'rowgroup' }, h('tr', { role: 'row' }, columns.map(column => h('th', { scope: 'col', role: 'columnheader', class: column.class },
      column.hidden ? h('span', { class: 'unseen' }, column.label) : column.label)))),
    h('tbody', { role: 'rowgroup' }, rows.map((row, i) => h('tr', { key: key ? key(row) : i, role: 'row' }, columns.map((column, j) => j === 0
      ? h('th', { scope: 'row', role: 'rowheader', class: column.class }, column.render(row))
      : h('td', { role: 'cell', class: column.class, 'data-label': column.hidden ? null : column.label }, column.render(row))))))));
}

/** Figures with their names: facts([['Ready', '12'], ['Oldest', duration(…)]]). */
export function facts(pairs, style) {
  return h('dl', { class: `facts ${style || ''}` }, pairs.filter(Boolean).map(([name, value]) => h('div', null, h('dt', null, name), h('dd', null, value))));
}

/** Links to the pages before and behind; `data` has page, size, hasNext and perhaps total. */
export function pager(page, data, noun) {
  const current = data.page || 0;
  if (current === 0 && !data.hasNext) {
    return null;
  }
  const first = current * data.size + 1;
  const query = target => link(page.route.split('/').map(decodeURIComponent).filter(Boolean),
    { ...Object.fromEntries(page.query), page: target === 0 ? null : target });
  const last = data.total === undefined ? null : Math.min(data.total, first + data.size - 1);
  return h('nav', { class: 'pager', 'aria-label': 'Pages' },
    current > 0 ? h('a', { class: 'button', href: query(current - 1) }, 'Previous') : h('span', { class: 'button off', 'aria-hidden': 'true' }, 'Previous'),
    h('span', null, last === null ? `Page ${number(current + 1)}` : `${number(first)}–${number(last)} of ${count(data.total, noun)}`),
    data.hasNext ? h('a', { class: 'button', href: query(current + 1) }, 'Next') : h('span', { class: 'button off', 'aria-hidden': 'true' }, 'Next'));
}

export function section(title, ...children) {
  const id = `s-${title.toLowerCase().replace(/\W+/g, '-')}`;
  return h('section', { class: 'card', 'aria-labelledby': id, key: id }, h('h2', { id }, title), children);
}

/** A button for those who may write; nothing for others. It stays the same, and keeps the focus, when a number in its label changes. */
export function action(page, label, onclick, style) {
  return page.config.write ? h('button', { type: 'button', class: style || null, onclick, key: `action ${label.replace(/\d.*/, '')}` }, label) : null;
}

/** The head of a view that is not of one queue: its title, and a sentence on what there is. */
export function head(title, ...lead) {
  return h('header', { class: 'head', key: 'head' }, h('h1', null, title), h('p', { class: 'lead' }, lead));
}

// The head of a queue

const TABS = [['Overview', []], ['Messages', ['messages']], ['Calendar', ['calendar']], ['Dead letters', ['dead']], ['Running now', ['running']], ['Keys and limits', ['keys']],
  ['Recurring', ['recurring']], ['Jobs', ['jobs']]];

/** Name, state, pause and resume, and the tabs of a queue. `current` is the last segment of the tab's address; `beside` are more buttons. */
export function queueHeader(page, { state, current, beside } = {}) {
  const queue = page.params.queue;
  return h('header', { class: 'head', key: `queue ${queue}` },
    h('nav', { class: 'crumbs', 'aria-label': 'Path' }, h('span', { 'aria-hidden': 'true' }, '‹'), h('a', { href: '#/' }, 'All queues')),
    h('div', { class: 'head-line' }, h('h1', null, outside(queue)), state || null, h('div', { class: 'head-actions' }, beside || null)),
    h('nav', { class: 'tabs', 'aria-label': `Queue ${queue}` }, TABS.map(([label, segments]) => h('a', {
      href: link(['queues', queue, ...segments]), 'aria-current': (current || '') === (segments[0] || '') ? 'page' : null,
    }, label))));
}

/** Pauses or resumes a queue on all instances, after a question. */
export async function pauseOrResume(page, queue, paused) {
  const values = await confirm(paused
    ? { title: say`Resume ${queue}?`, text: 'All instances take messages of this queue again.', action: 'Resume' }
    : { title: say`Pause ${queue}?`, text: 'No instance takes another message of this queue until it is resumed. What runs goes on, and messages can still be sent.', action: 'Pause' });
  if (values) {
    await page.act(() => page.post(path`queues/${queue}/${paused ? 'resume' : 'pause'}`), paused ? say`${queue} is resumed.` : say`${queue} is paused.`, undoOfPause(queue, paused));
  }
}

/** Queues that the server could not read, and what that means for what is shown. */
export function unread(failed, meaning) {
  return failed?.length ? h('p', { key: 'unread', class: 'unread' }, badge('warn', 'Could not be read'), ' ', outside(failed.join(', ')), `. ${meaning}`) : null;
}
