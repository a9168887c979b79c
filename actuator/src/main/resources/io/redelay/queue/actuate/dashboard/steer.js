// What can be done with one message, and with all that a filter chooses.

import { h } from './dom.js';
import { locale, translated, worded } from './language.js';
import { now, path } from './api.js';
import { confirm } from './dialog.js';
import { choiceWords, paceWords } from './filters.js';
import { action, badge, count, duration, list, moment, number, ours, outside, percent, rate as pace, say } from './parts.js';
import { link } from './shell.js';

// One message

const DELAY = { name: 'delay', label: 'Due in', value: '10m', required: true, hint: 'From now on: 0s, 30s, 10m, 2h or 1d.' };

const ACTIONS = {
  redrive: { label: 'Redrive', ask: name => ({ title: say`Redrive ${name}?`, text: 'It lives again with all its attempts, and is due at once.' }), done: 'lives again' },
  run: { label: 'Run now', ask: name => ({ title: say`Run ${name} now?`, text: 'It is due at once, instead of at its own time.' }), done: 'is due now' },
  reschedule: { label: 'Reschedule', ask: name => ({ title: say`Reschedule ${name}`, text: 'It waits for as long from now.', fields: [DELAY] }), done: 'is rescheduled' },
  cancel: { label: 'Cancel', ask: name => ({ title: say`Cancel ${name}?`, text: 'It is never delivered, and is not kept.', danger: true, action: 'Cancel message' }), done: 'is cancelled' },
  stop: {
    label: 'Stop', path: 'cancel', done: 'is asked to stop',
    ask: name => ({ title: say`Stop ${name}?`, text: 'Its handler is asked to stop. It ends when the handler heeds that, and is not tried again.', danger: true }),
  },
  interrupt: {
    label: 'Interrupt', done: 'is interrupted', more: message => ({ claim: message.claim }),
    ask: (name, message) => ({ title: say`Interrupt ${name}?`, text: interruptWords(message), danger: true }),
  },
  bury: {
    label: 'Put to the dead', done: 'is dead',
    ask: name => ({ title: say`Put ${name} to the dead?`, text: 'It is not run, and stays with the dead messages, from where it can be redriven.', fields: [{ name: 'reason', label: 'Reason', hint: 'Shown as its cause. May be empty.' }] }),
  },
  change: { label: 'Change', done: 'is changed' },
  delete: { label: 'Delete', danger: true, ask: name => ({ title: say`Delete ${name}?`, text: 'It is removed for good.', danger: true }), done: 'is deleted' },
};

const BY_STATE = {
  SCHEDULED: ['run', 'reschedule', 'change', 'bury', 'cancel'],
  READY: ['reschedule', 'change', 'bury', 'cancel'],
  IN_FLIGHT: ['stop'],
  DEAD: ['redrive', 'delete'],
  COMPLETED: ['delete'],
};

/** The buttons of a message, the one that is wanted most first. `after` is called when one has done its work. */
export function messageActions(page, message, after) {
  return (BY_STATE[message.state] || []).map((name, i) => action(page, ACTIONS[name].label,
    () => actOn(page, message, name, after), name === 'stop' || name === 'delete' ? null : i === 0 ? 'primary' : null));
}

/** What becomes of a message whose handler is interrupted. */
function interruptWords({ handling, messages, cancelled, acknowledged, attempt, maxAttempts }) {
  return [
    h('p', null, handling === 'AWAITING_RESULT' ? 'What its handler returned is cancelled. Work that goes on elsewhere, and does not heed that, goes on beside the next attempt.' : 'The thread that works on it is interrupted. A handler that takes no notice goes on.'),
    messages > 1 ? h('p', null, `This handler works on ${count(messages, 'message')} in one call, and is interrupted for all of them.`) : null,
    h('p', null, cancelled ? 'If it fails then, the message ends as cancelled, and is not tried again.'
      : acknowledged ? 'If it fails then, the message is lost: it was acknowledged before its handling.'
        : attempt >= maxAttempts ? `If it fails then, the message is dead: this is the last of ${count(maxAttempts, 'attempt')}.`
          : `If it fails then, the message is tried again: this is attempt ${number(attempt)} of ${number(maxAttempts)}.`),
    acknowledged ? null : h('p', null, 'If it succeeds all the same, the message is done.'),
  ].filter(Boolean);
}

/** The one button that a row of a list has for its message. */
export function rowAction(page, message, style, wanted) {
  const name = wanted || BY_STATE[message.state]?.[message.state === 'READY' ? 3 : 0];
  if (!name || !page.config.write) {
    return null;
  }
  return h('button', { type: 'button', class: style, 'aria-label': `${ACTIONS[name].label} ${message.id}`, onclick: () => actOn(page, message, name) }, ACTIONS[name].label);
}

async function actOn(page, message, name, after) {
  const { label, ask, done, more } = ACTIONS[name];
  const shown = brief(message.id);
  const values = name === 'change' ? await askForChange(message, shown) : await confirm({ action: label, ...ask(shown, message) });
  if (!values) {
    return;
  }
  const at = path`queues/${message.queue}/messages/${message.uid}`;
  const answer = await page.act(() => (name === 'delete' ? page.del(at) : page.post(`${at}/${ACTIONS[name].path || name}`, more ? { ...values, ...more(message) } : values)),
    changed => say`${shown} ${[done]}${[changed?.due && name === 'reschedule' ? `, and due at ${new Date(changed.due).toLocaleString(locale)}` : '']}.`, page.undoOf(name, [message]));
  if (answer !== undefined) {
    after?.(name);
  }
}

async function askForChange(message, shown) {
  // A payload that is cut off or masked is not what is stored, and must not replace it.
  const whole = message.payload !== undefined && !message.truncated && !message.masked;
  const values = await confirm({
    title: say`Change ${shown}`,
    text: 'What is left as it is does not change.',
    action: 'Change',
    fields: [
      ...(whole ? [{ name: 'payload', label: 'Payload', type: 'textarea', value: message.payload, hint: 'Parts that are masked here would be stored as they are shown.' }] : []),
      { name: 'failures', label: 'Failures that count', type: 'number', min: 0, value: message.failures, hint: '0 gives it all its attempts again.' },
      { name: 'priority', label: 'Priority', type: 'number', min: 0, max: 9, value: message.priority ?? '', hint: '9 comes first. Empty leaves it as it is.' },
    ],
  });
  if (!values) {
    return null;
  }
  const change = {};
  // A field of a form has other ends of lines than the payload may have.
  if (whole && values.payload !== message.payload.replace(/\r\n?/g, '\n')) {
    change.payload = values.payload;
  }
  if (values.failures !== '' && Number(values.failures) !== message.failures) {
    change.failures = Number(values.failures);
  }
  if (values.priority !== '' && Number(values.priority) !== message.priority) {
    change.priority = Number(values.priority);
  }
  if (!Object.keys(change).length) {
    page.notify('Nothing was changed.');
    return null;
  }
  return change;
}

/** A name that fits into a sentence, and does not turn the direction of the rest of it. */
export function brief(text) {
  const safe = String(text).replace(/[\p{Cc}\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu, '\ufffd');
  return safe.length > 60 ? `${safe.slice(0, 57)}…` : safe;
}

// All that a filter chooses

export const BULK = {
  REDRIVE: { label: 'Redrive', states: ['DEAD'], text: 'They live again with all their attempts.' },
  RUN: { label: 'Run now', states: ['SCHEDULED'], text: 'They are due at once.' },
  RESCHEDULE: { label: 'Reschedule', states: ['SCHEDULED', 'READY'], text: 'They wait for as long from now.', fields: [DELAY] },
  SPREAD: {
    label: 'Spread', action: 'RESCHEDULE', states: ['SCHEDULED'], fields: spreadFields,
    text: 'They are due one by one over the time that you give, none earlier than before. Those of one ordering key stay together.',
    request: ({ from, ...others }) => ({ ...others, due: new Date(from).toISOString() }),
  },
  CANCEL: { label: 'Cancel', states: ['SCHEDULED', 'READY', 'IN_FLIGHT'], text: 'They are never delivered, and are not kept; handlers that have them in hand are asked to stop.', danger: true },
  BURY: { label: 'Put to the dead', states: ['SCHEDULED', 'READY'], text: 'They are not run, and stay with the dead messages, from where they can be redriven.', fields: [{ name: 'reason', label: 'Reason' }] },
  CHANGE: {
    label: 'Change', states: ['SCHEDULED', 'READY'], text: 'What is left empty does not change.',
    fields: [{ name: 'failures', label: 'Failures that count', type: 'number', min: 0, hint: '0 gives them all their attempts again.' }, { name: 'priority', label: 'Priority', type: 'number', min: 0, max: 9 }],
  },
  DELETE: { label: 'Delete', states: ['SCHEDULED', 'READY', 'DEAD', 'COMPLETED'], text: 'They are removed for good.', danger: true, typed: true },
};

/** Proposes a time that handlers need and a quarter more, from the first of the messages on. */
function spreadFields({ filters, n, handled, first }) {
  const from = new Date(Math.max(new Date(first || 0), new Date(filters.dueAfter || 0), now()));
  const local = new Date(from - from.getTimezoneOffset() * 60000).toISOString().slice(0, 19);
  const minutes = handled > 0 ? Math.max(1, Math.ceil(n / handled * 1.25 / 60)) : 10;
  return [
    { name: 'from', label: 'From', type: 'datetime-local', step: 1, value: local, required: true, hint: 'In your time zone.' },
    { name: 'spread', label: 'Over', value: `${minutes}m`, required: true,
      hint: handled > 0 ? `Your handlers do ${number(handled)} a second. ${paceWords(n, handled)}` : 'Such as 10m, 2h or 1d. How fast handlers are is not known.' },
  ];
}

/** When the first of the messages is due that a filter chooses; a spread makes none earlier. */
async function firstDue(page, queue, filters) {
  const found = await page.get(path`queues/${queue}/messages`, { ...filters, state: 'SCHEDULED', limit: 1 });
  return found.messages?.[0]?.dueAt;
}

/** What a filter may say and still mean all messages; a job that names no more has to be confirmed. */
const BOUNDS = ['state', 'sentAfter', 'sentBefore', 'dueAfter', 'dueBefore', 'diedAfter', 'diedBefore', 'olderThan'];

export function isOpen(filters) {
  return Object.keys(filters).every(name => BOUNDS.includes(name) || filters[name] === undefined);
}

/** What messages meet at full speed may not stand it, so a rate is proposed. */
const PROPOSED_RATE = { REDRIVE: 10, RUN: 10 };

/** To move messages to other times loads Redis only, and is to be done before they are due. */
const MOVE_SECONDS = 60;
const MOST_A_SECOND = 100000;

/** `soon` is whether they are chosen by when they are due. */
export function rate(action, n, soon) {
  const moves = action === 'SPREAD' || action === 'RESCHEDULE' && soon;
  const value = moves ? Math.min(MOST_A_SECOND, Math.max(100, Math.ceil(n / MOVE_SECONDS))) : PROPOSED_RATE[action] || 100;
  return { name: 'perSecond', label: 'Messages a second', type: 'number', min: 0, step: 'any', value, hint: `${paceWords(n, value)} Empty for as fast as it goes.` };
}

/** The buttons that act on all messages that a filter chooses, for those who may. */
export function bulkActions(page, queue, filters, state, n, started, more = '') {
  return Object.entries(BULK).filter(([, { states }]) => !state || states.includes(state))
    .map(([name, { label }]) => action(page, `${label}…`, () => askForBulk(page, queue, name, { filters, state, n, more }, started)));
}

/** Asks how to act, and says on how many and which messages. */
export async function askForBulk(page, queue, name, { filters, state, n, more = '', handled }, started) {
  const { label, text, fields = [], danger, typed, states, action: job = name, request = given => given } = BULK[name];
  const open = isOpen(filters);
  const howMany = `${more}${count(n, state === 'DEAD' ? 'dead letter' : 'message')}`;
  const first = name === 'SPREAD' ? await firstDue(page, queue, filters).catch(() => undefined) : undefined;
  const values = await confirm({
    title: `${label} ${howMany}?`,
    text: [h('p', null, h('strong', null, howMany), ': ', outside(choiceWords(filters, state)), '.'), h('p', null, text), h('p', null, 'This is done on the server in small steps, also when this page is closed. It can be stopped; what is done by then stays done.')],
    action: `${label} them`, danger, typed: typed || open ? queue : undefined, fields: [...(typeof fields === 'function' ? fields({ filters, n, handled, first }) : fields), rate(name, n, filters.dueBefore)],
  });
  if (values) {
    await startJob(page, queue, { action: job, ...filters, state: state || (states.length === 1 ? states[0] : undefined), ...request(values), confirm: typed || open ? queue : undefined }, started);
  }
}

/** Has the server begin a job; its progress is shown by `jobCard`. */
export async function startJob(page, queue, request, started) {
  const body = Object.fromEntries(Object.entries(request).filter(([, value]) => value !== undefined && value !== null && value !== ''));
  const job = await page.act(() => page.post(path`queues/${queue}/jobs`, body), 'It has begun.');
  if (job) {
    started?.(job);
    page.reload();
  }
  return job;
}

const JOB_STATES = { RUNNING: ['busy', 'Running'], DONE: ['ok', 'Done'], STOPPED: ['warn', 'Stopped'], FAILED: ['bad', 'Failed'] };

export function jobState(job) {
  return badge(...(JOB_STATES[job.state] || ['info', job.state]));
}

/** What a job does: Redrive dead messages with failure type … */
export function jobWords(job) {
  const { states = [], headers, fields, payloadType, exception, ...others } = job.filter || {};
  const filters = { ...others, exception: exception === '' ? '-' : exception, type: payloadType, ...pairs('header', headers), ...pairs('field', fields) };
  return worded('{} {}', translated(BULK[job.spreadMillis > 0 ? 'SPREAD' : job.action]?.label || job.action), choiceWords(filters, states)) + target(job);
}

/** When the messages are due that a job reschedules: to 4 May 2027, 09:00, over 20 min */
function target({ due, delayMillis, spreadMillis }) {
  const to = due ? worded(', to {}', moment(due)) : delayMillis !== undefined ? worded(', to {} after its start', translated(duration(delayMillis))) : '';
  return spreadMillis > 0 ? to + worded(', over {}', translated(duration(spreadMillis))) : to;
}

function pairs(name, values) {
  return Object.fromEntries(Object.entries(values || {}).map(([key, value]) => [`${name} ${key}:`, value]));
}

/** What a job comes to at most: as many messages as it may act on, or as there were to look at when it began. */
function most(job) {
  return job.limit || job.total || null;
}

/** How far a job is. */
export function jobProgress(page, job) {
  const running = job.state === 'RUNNING';
  return [
    running ? h('progress', { class: 'progress', 'aria-label': 'Progress of the job', max: most(job), value: most(job) ? Math.min(job.limit ? job.done : job.seen, most(job)) : null }) : null,
    h('p', { class: 'small' }, h('strong', null, count(job.done || 0, 'message')), ' done', job.refused > 0 ? `, ${number(job.refused)} refused` : null,
      job.seen > 0 ? `, of ${number(job.matched)} that matched and ${number(job.seen)} looked at` : null, job.perSecond > 0 ? `, ${pace(job.perSecond)}` : null, '.'),
    job.failure ? h('p', { class: 'failed-text' }, ours(job.failure)) : null,
  ];
}

/** A job that was begun on a view, at the head of that view. */
export function jobCard(page, queue, job) {
  return h('section', { class: 'card job', 'aria-label': 'Job', key: `job ${job.id}` },
    h('div', { class: 'head-line' }, jobState(job), h('strong', null, outside(jobWords(job))),
      h('div', { class: 'head-actions' }, stopJob(page, queue, job), h('a', { class: 'button', href: link(['queues', queue, 'jobs']) }, 'All jobs'))),
    jobProgress(page, job));
}

export function stopJob(page, queue, job) {
  return job.state === 'RUNNING' && page.config.write ? h('button', { type: 'button', 'aria-label': `Stop job ${job.id}`, onclick: async () => {
    const yes = await confirm({ title: 'Stop this job?', text: 'What it has done so far stays done.', action: 'Stop job' });
    if (yes) {
      await page.act(() => page.del(path`queues/${queue}/jobs/${job.id}`), 'The job is asked to stop.');
    }
  } }, 'Stop') : null;
}

/** Loads the job that this view has begun, if it has; it refreshes the view more often while that runs. */
export async function ownJob(page, queue) {
  const id = page.state.job;
  if (!id) {
    return null;
  }
  try {
    return await page.get(path`queues/${queue}/jobs/${id}`);
  } catch (failure) {
    if (failure.status !== 404) {
      throw failure;
    }
    page.state.job = null;
    return null;
  }
}

// A message in a list

/** Its id as a link, with its type and tags. */
export function messageName(message) {
  return [
    h('div', null, h('a', { href: link(['queues', message.queue, 'messages', message.uid]) }, outside(message.id))),
    message.payloadType || message.tags?.length ? h('div', { class: 'small soft' }, outside(message.payloadType),
      (message.tags || []).map(tag => [' ', h('span', { class: 'chip' }, outside(tag))])) : null,
    message.lastFailure ? h('div', { class: 'small soft clip' }, 'Last failed: ', list([simpleName(message.lastFailure.exception), message.lastFailure.message].filter(Boolean), ': ')) : null,
  ];
}

/** What it died of, or how its last attempt ended. */
export function cause(attempt) {
  if (!attempt) {
    return '–';
  }
  return [h('div', { title: attempt.exception, translate: 'no' }, outside(simpleName(attempt.exception)) || ours(reasonWords(attempt.reason))), attempt.message ? h('div', { class: 'small soft clip' }, outside(attempt.message)) : null];
}

/** The name of a Java type without its package. */
export function simpleName(type) {
  return type ? String(type).replace(/^.*\.(?=[^.])/, '') : '';
}

const REASONS = {
  FAILED: 'Failed too often', REJECTED: 'Rejected by its handler', CONVERSION_FAILED: 'Cannot be read', EXPIRED: 'Too old when its turn came',
  DEADLINE: 'Past its deadline', CRASHED: 'Instances died of it', BURIED: 'Put to the dead', REFUSED: 'Refused from the inlet',
};

export function reasonWords(reason) {
  return reason ? REASONS[reason] || String(reason) : 'Not known';
}

/** How far a handler has come, as a bar with its words. */
export function progress(message) {
  const done = message.progress || message.work?.progress;
  if (!done) {
    return null;
  }
  return h('div', { class: 'progress-box' }, h('progress', { class: 'progress', max: 100, value: done.percent, 'aria-label': `Progress of ${message.id}` }),
    h('span', { class: 'small' }, h('strong', null, percent(done.percent / 100)), done.text ? say` ${done.text}` : null));
}
