// What handlers work on now, in one queue or in all of them: those first that have worked for longest.

import { h } from './dom.js';
import { path } from './api.js';
import { locale, translated } from './language.js';
import { link } from './shell.js';
import { messageName, progress, rowAction } from './steer.js';
import { codeLine, stackButton } from './stack.js';
import { badge, count, duration, fromNow, head, list, name, number, outside, pager, queueHeader, table } from './parts.js';

const PAGE_SIZE = 50;

export default {
  title: page => (page.params.queue ? `Running now in ${page.params.queue}` : 'Running now'),

  load(page) {
    return page.get(page.params.queue ? path`queues/${page.params.queue}/running` : 'queues/-/running', { page: page.query.get('page'), size: PAGE_SIZE });
  },

  render(data, page) {
    const { queue } = page.params;
    return [
      queue ? queueHeader(page, { current: 'running' }) : head('Running now', 'What handlers of all queues work on, as their instances say. Those that have worked for longest come first.'),
      data.silent?.length ? (page.config.source ? notAsked(data.silent) : silent(data.silent)) : null,
      data.messages.length ? table({ caption: queue ? 'What handlers work on' : 'What handlers of all queues work on', rows: data.messages, key: message => `${message.uid} ${message.claim} ${message.instance}`, columns: columns(page, data) })
        : page.config.source && data.silent?.length && !queue ? null : h('section', { class: 'empty', key: 'none' }, h('h2', null, 'Nothing runs now'), h('p', { class: 'soft' }, 'A message appears here while a handler works on it.')),
      data.omitted > 0 ? h('p', { class: 'soft', key: 'omitted' }, `${count(data.omitted, 'other handler')} of these instances began later, and ${data.omitted === 1 ? 'is' : 'are'} not shown.`) : null,
      data.waiting > 0 ? h('p', { class: 'soft', key: 'waiting' }, h('a', { href: link(['queues', queue, 'messages'], { state: 'IN_FLIGHT' }) }, count(data.waiting, 'other message')),
        data.waiting === 1 ? ' is' : ' are', ...(page.config.source ? [' in hand.'] : [' in hand, and no handler works on ', data.waiting === 1 ? 'it' : 'them', ' yet. Or a program has received ', data.waiting === 1 ? 'it.' : 'them.'])) : null,
      data.notKnown > 0 ? h('p', { class: 'soft', key: 'unknown' }, h('a', { href: link(['queues', queue, 'messages'], { state: 'IN_FLIGHT' }) }, count(data.notKnown, 'other message')),
        data.notKnown === 1 ? ' is' : ' are', ' in hand. Whether a handler works on ', data.notKnown === 1 ? 'it' : 'them', ' is not known.') : null,
      pager(page, data, 'handler'),
    ];
  },
};

/** Instances that do not answer: what they do is not known. */
function silent(instances) {
  return h('section', { class: 'card', key: 'silent', 'aria-label': 'Instances that do not answer' }, h('p', null, badge('warn', 'No answer'), ' ', list(instances.map(each => each.name || each.id)),
    instances.length === 1 ? ' does' : ' do', ' not say what runs there. It has ended, does not reach Redis, is busy with other questions, or has a version of Redelay that knows no such question.'));
}

/** The console asks no instances: a question would be more than a read. */
function notAsked(instances) {
  return h('section', { class: 'card', key: 'silent', 'aria-label': 'Instances that are not asked' }, h('p', null, badge('info', 'Not asked'), ' ', list(instances.map(each => each.name || each.id)),
    instances.length === 1 ? ' listens' : ' listen', ' here. The console asks no instances what their handlers do. The page of the application does.'));
}

function columns(page, data) {
  const { write, stacks } = page.config;
  return [
    { label: 'Message', class: 'name', render: messageName },
    page.params.queue ? null : { label: 'Queue', class: 'running-queue', render: message => h('a', { href: link(['queues', message.queue, 'running']) }, name(message.queue)) },
    { label: 'For', class: 'running-time', render: message => time(message, data.time) },
    { label: 'Where', class: 'wide running-where', render: where },
    { label: 'Attempt', class: 'number', render: message => number(message.attempt ?? message.failures + message.crashes + 1) },
    write || stacks ? { label: 'Action', hidden: true, class: 'act', render: message => h('div', { class: 'buttons' },
      stacks && message.handling ? stackButton(page, message) : null, message.cancelled ? null : rowAction(page, message), message.handling ? rowAction(page, message, 'quiet', 'interrupt') : null) } : null,
  ];
}

/** For how long, against what is usual for its type. */
function time(message, now) {
  const { runningMillis, medianMillis, p99Millis } = message;
  if (runningMillis === undefined) {
    return h('span', { class: 'soft' }, 'Not known, due ', fromNow(message.dueAt, now));
  }
  return [
    h('div', null, h('strong', { title: `Since ${new Date(message.since).toLocaleString(locale)}` }, duration(runningMillis))),
    runningMillis > p99Millis ? h('div', null, badge('warn', `${number(runningMillis / p99Millis)} times its p99`)) : null,
    medianMillis === undefined ? null : h('div', { class: 'small soft' }, `Usually ${duration(medianMillis)}`, p99Millis === undefined ? null : `, p99 ${duration(p99Millis)}`),
  ];
}

const WAITS = { AWAITING_RESULT: 'Waits for the result that its handler returned', AWAITING_ACKNOWLEDGMENT: 'Its handler returned, and is to acknowledge it' };

/** The line of code, its thread and instance, and what it reports. */
function where(message) {
  return [
    message.line ? h('div', null, codeLine(message.line)) : WAITS[message.handling] ? h('div', null, WAITS[message.handling]) : null,
    h('div', { class: 'small soft' }, list([message.thread, message.instanceName || message.instance || translated('Instance not known')].filter(Boolean))),
    message.messages > 1 ? h('div', { class: 'small soft' }, `One of ${number(message.messages)} of a batch`) : null,
    message.cancelled ? badge('warn', 'Asked to stop') : null,
    progress(message),
  ];
}
