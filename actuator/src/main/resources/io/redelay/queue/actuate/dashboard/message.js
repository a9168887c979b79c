// One message: what is known of it, its life as a timeline, its payload as text, and what can be done with it.

import { h } from './dom.js';
import { locale } from './language.js';
import { now, path } from './api.js';
import { cause, messageActions, progress, reasonWords, simpleName } from './steer.js';
import { stackButton } from './stack.js';
import { badge, bytes, clock, count, duration, facts, fromNow, list, number, ours, outside, say, section, time } from './parts.js';
import { roundFacts } from './redrive.js';
import { link } from './shell.js';

export default {
  title: page => `Message of ${page.params.queue}`,

  async load(page) {
    const { queue, id } = page.params;
    try {
      page.state.message = await page.get(path`queues/${queue}/messages/${id}`);
      page.state.gone = false;
    } catch (failure) {
      // One that is done while it is looked at stays on the page.
      if (failure.status !== 404 || !page.state.message) {
        throw failure;
      }
      page.refreshes = false;
      page.state.gone = true;
    }
    return page.state.message;
  },

  render(message, page) {
    const { queue } = page.params;
    const { gone } = page.state;
    return [
      h('header', { class: 'head', key: 'head' },
        h('nav', { class: 'crumbs', 'aria-label': 'Path' }, h('span', { 'aria-hidden': 'true' }, '‹'), h('a', { href: '#/' }, 'All queues'), h('span', { 'aria-hidden': 'true' }, '/'),
          h('a', { href: link(['queues', queue]) }, outside(queue)), h('span', { 'aria-hidden': 'true' }, '/'), h('a', { href: link(['queues', queue, 'messages'], { state: message.state }) }, 'Messages')),
        h('div', { class: 'head-line' }, h('h1', { class: 'message-id' }, outside(message.id)), gone ? badge('info', 'Gone') : badge(message.state),
          message.cancelled ? badge('warn', 'Asked to stop') : null,
          h('div', { class: 'head-actions' }, message.state === 'IN_FLIGHT' && page.config.stacks ? stackButton(page, message) : null, gone ? null : messageActions(page, message, name => after(page, name)))),
        gone ? h('p', { class: 'lead' }, 'It is done, or was removed, since this page was opened. This is what was known of it last.') : sentence(message)),
      message.state === 'IN_FLIGHT' && progress(message) ? section('Progress', progress(message)) : null,
      h('div', { class: 'grid message', key: 'grid' },
        h('div', { class: 'stack' }, life(message, page), attempts(message)),
        h('div', { class: 'stack' }, payload(message, page), headers(message), text('Result', message.result), text('Checkpoint', message.work?.checkpoint), known(message))),
    ];
  },
};

function after(page, name) {
  if (name === 'delete' || name === 'cancel') {
    location.hash = link(['queues', page.params.queue, 'messages']);
  }
}

function sentence(message) {
  const words = {
    SCHEDULED: () => ['Waits until it is due, ', fromNow(message.dueAt), '.'],
    READY: () => ['Is due, and waits for a handler. It was due ', fromNow(message.dueAt), '.'],
    IN_FLIGHT: () => ['A handler has it in hand', message.instanceName || message.instance ? say` on ${message.instanceName || message.instance}` : null, '.'],
    DEAD: () => [ours(reasonWords(message.death?.reason)), ', and is kept: ', h('strong', null, outside(simpleName(message.death?.exception))),
      message.death?.message ? [message.death.exception ? ': ' : null, outside(message.death.message)] : null],
    COMPLETED: () => ['Was done ', fromNow(message.completedAt), '.'],
  }[message.state];
  return words ? h('p', { class: 'lead' }, words()) : null;
}

// Its life

const HAPPENED = {
  sent: ['info', 'Sent'], due: ['info', 'Due'], failed: ['warn', 'Failed'], log: ['info', 'Wrote'], progress: ['busy', 'Progress'], died: ['bad', 'Died'], completed: ['ok', 'Completed'],
  omitted: ['info', 'Not shown'], now: ['busy', 'Now'],
};

function life(message, page) {
  const entries = together(message.timeline || []);
  const began = entries.length ? new Date(entries[0].time) : null;
  let before = null;
  return section('Timeline', h('ol', { class: 'timeline' }, entries.map((entry, i) => {
    const [tone, word] = HAPPENED[entry.what] || ['info', entry.what];
    const since = before === null ? null : new Date(entry.time) - before;
    before = new Date(entry.lines ? entry.lines[entry.lines.length - 1].time : entry.time);
    return h('li', { class: tone, key: `${entry.what} ${entry.time} ${i}` },
      h('div', { class: 'timeline-head' }, h('strong', null, entry.lines ? `${word} ${count(entry.lines.length, 'line')}` : word),
        entry.attempt ? h('span', { class: 'soft' }, `attempt ${number(entry.attempt)}`) : null,
        h('span', { class: 'soft small' }, time(entry.time), since === null || since < 1 ? null : ` · ${duration(since)} later`)),
      entry.lines ? lines(entry.lines) : entry.detail ? h('p', { class: 'small detail', title: entry.detail, translate: 'no' }, (OF_SERVER.includes(entry.what) ? ours : outside)(entry.detail.replace(/^(?:[\w$]+\.)+(?=[A-Z])/, ''))) : null);
  }), page.state.gone || !WAITING[message.state] ? null : h('li', { class: `now ${WAITING[message.state][0]}`, key: 'now' },
    h('div', { class: 'timeline-head' }, h('strong', null, WAITING[message.state][1]), began ? h('span', { class: 'soft small' }, `${duration(Math.max(0, now() - began))} since it was sent`) : null))));
}

const WAITING = { SCHEDULED: ['info', 'Waits until it is due'], READY: ['busy', 'Waits for a handler'], IN_FLIGHT: ['busy', 'In a handler’s hands'], DEAD: ['bad', 'Kept with the dead'] };

/** What happened without words from outside. */
const OF_SERVER = ['due', 'omitted', 'completed'];

/** Lines that follow each other are one entry. */
function together(timeline) {
  const entries = [];
  for (const entry of timeline) {
    const last = entries[entries.length - 1];
    if (entry.what === 'log' && last?.lines) {
      last.lines.push(entry);
    } else {
      entries.push(entry.what === 'log' ? { ...entry, lines: [entry] } : entry);
    }
  }
  return entries;
}

function lines(written) {
  const list = part => h('ol', { class: 'log' }, part.map(line => h('li', null, h('time', { datetime: line.time, title: line.time }, clockWithSeconds(line.time)), ' ', outside(line.detail))));
  return written.length <= 5 ? list(written)
    : [h('details', null, h('summary', null, `The first ${number(written.length - 3)}`), list(written.slice(0, -3))), list(written.slice(-3))];
}

const seconds = new Intl.DateTimeFormat(locale, { hour: '2-digit', minute: '2-digit', second: '2-digit' });

function clockWithSeconds(instant) {
  const date = new Date(instant);
  return Number.isNaN(date.getTime()) ? clock(new Date(0)) : seconds.format(date);
}

function attempts(message) {
  const all = [...(message.attempts || [])];
  if (!all.length && !message.death) {
    return null;
  }
  const last = message.death && !all.some(attempt => attempt.at === message.death.at) ? [...all, message.death] : all;
  return section('Failed attempts', last.slice().reverse().map((attempt, i) => h('div', { class: 'attempt', key: `${attempt.at} ${last.length - i}` },
    h('div', { class: 'timeline-head' }, h('strong', null, cause({ exception: attempt.exception, reason: attempt.reason })[0]),
      h('span', { class: 'soft small' }, time(attempt.at), ', ', attempt.listener ? say`listener ${attempt.listener} ` : null, say`on ${attempt.instance}`)),
    attempt.message ? h('p', { class: 'small' }, outside(attempt.message)) : null,
    attempt.stackTrace ? h('details', null, h('summary', null, 'Where it failed'), h('pre', { tabindex: '0' }, attempt.stackTrace)) : null)));
}

// What it carries

function payload(message, page) {
  if (message.masked || message.payload === undefined) {
    return section('Payload', h('p', { class: 'soft' }, say`${[bytes(message.bytes)]} of ${message.contentType || ['data']}. It is not shown: `, page.config.payloads ? 'you may not see it.' : 'the application does not allow it, or you may not see it.'));
  }
  const shown = pretty(message.payload, message.contentType);
  return section('Payload', h('p', { class: 'soft small' }, list([message.payloadType, message.contentType, bytes(message.bytes)].filter(Boolean), ' · '),
    message.truncated ? '. Only its beginning is shown.' : null), h('pre', { class: 'payload', tabindex: '0', 'aria-label': 'Payload' }, shown), copy(page, message.payload));
}

function copy(page, what) {
  if (!navigator.clipboard) {
    return null;
  }
  return h('div', { class: 'buttons' }, h('button', {
    type: 'button', class: 'quiet',
    onclick: () => navigator.clipboard.writeText(what).then(() => page.notify('The payload is copied.'), () => page.notify('The browser does not allow copying.', true)),
  }, 'Copy'));
}

/** JSON with a line for each value. The values stay as they were sent, such as numbers with more digits than JavaScript has. */
export function pretty(json, contentType) {
  if (!/json/.test(contentType || 'json')) {
    return json;
  }
  try {
    JSON.parse(json);
  } catch (notJson) {
    return json;
  }
  let out = '';
  let depth = 0;
  let last = '';
  for (const [token] of json.matchAll(/"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+/gs)) {
    if (token === '}' || token === ']') {
      depth--;
      out += last === '{' || last === '[' ? token : `\n${indent(depth)}${token}`;
    } else {
      out += last === '{' || last === '[' || last === ',' ? `\n${indent(depth)}` : '';
      out += token === ':' ? ': ' : token;
      depth += token === '{' || token === '[' ? 1 : 0;
    }
    last = token;
  }
  return out;
}

/** Deep nesting is hostile or nothing to read; it is not moved further to the right. */
function indent(depth) {
  return '  '.repeat(Math.min(depth, 20));
}

function headers(message) {
  const entries = Object.entries(message.headers || {});
  return entries.length ? section('Headers', facts(entries.map(([name, value]) => [outside(name), outside(typeof value === 'object' && value !== null ? JSON.stringify(value) : value)]), 'plain')) : null;
}

function text(title, value) {
  return value === undefined || value === null ? null : section(title, h('pre', { tabindex: '0', 'aria-label': title }, pretty(value)));
}

function known(message) {
  const { queue } = message;
  const search = (name, value) => h('a', { href: link(['queues', queue, 'messages'], { [name]: value }) }, outside(value));
  return section('Known of it', facts([
    ['Uid', h('span', { class: 'mono' }, outside(message.uid))],
    ['Sent', time(message.sentAt)],
    ['Due', time(message.dueAt)],
    message.diedAt ? ['Died', time(message.diedAt)] : null,
    message.completedAt ? ['Completed', time(message.completedAt)] : null,
    ['Failures', number(message.failures)],
    message.crashes > 0 ? ['Instances that died of it', number(message.crashes)] : null,
    ...roundFacts(message),
    message.tags?.length ? ['Tags', message.tags.map((tag, i) => [i ? ', ' : null, search('tag', tag)])] : null,
    message.payloadType ? ['Payload type', search('type', message.payloadType)] : null,
    message.priority !== undefined && message.priority !== null ? ['Priority', number(message.priority)] : null,
    message.orderingKey ? ['Ordering key', outside(message.orderingKey)] : null,
    message.fairnessKey ? ['Fairness key', outside(message.fairnessKey)] : null,
    message.instanceName || message.instance ? ['In hand on', h('a', { href: link(['instances']) }, outside(message.instanceName || message.instance))] : null,
    message.forwardedTo ? ['Goes on to', h('a', { href: link(['queues', message.forwardedTo]) }, outside(message.forwardedTo))] : null,
    message.work?.droppedLines > 0 ? ['Lines not kept', number(message.work.droppedLines)] : null,
  ], 'plain'));
}
