// One queue: why it is behind, its history, its counts, the listeners that consume it, and how it is set.

import { h } from './dom.js';
import { path } from './api.js';
import { link } from './shell.js';
import { historySection, loadHistory } from './history.js';
import { ruleWords } from './redrive.js';
import { diagnosis, spokenDiagnosis } from './diagnosis.js';
import { limits } from './limits.js';
import { action, ago, badge, bytes, duration, facts, fromNow, list, listenerState, name, number, outside, pauseOrResume, queueHeader, queueState, say, section, table, time } from './parts.js';

export default {
  title: page => outside(page.params.queue),

  async load(page) {
    const { queue } = page.params;
    const [data, history] = await Promise.all([page.get(path`queues/${queue}`), loadHistory(page, queue)]);
    return history ? { ...data, history } : data;
  },

  render(data, page) {
    const { counts, history } = data;
    if (data.diagnosis) {
      spokenDiagnosis(data.diagnosis, page);
    }
    return [
      queueHeader(page, {
        state: states(data),
        beside: action(page, counts.paused ? 'Resume' : 'Pause', () => pauseOrResume(page, data.queue, counts.paused), counts.paused ? 'primary' : null),
      }),
      data.diagnosis ? diagnosis(data.diagnosis) : null,
      section('Messages now', facts([
        ['Ready', messages(data.queue, 'READY', counts.ready)],
        ['Scheduled', messages(data.queue, 'SCHEDULED', counts.scheduled)],
        counts.packed > 0 ? ['Scheduled, packed', number(counts.packed)] : null,
        ['In flight', messages(data.queue, 'IN_FLIGHT', counts.inFlight)],
        ['Dead', counts.dead > 0 ? h('a', { href: link(['queues', data.queue, 'dead']) }, number(counts.dead)) : '0'],
        counts.inlet > 0 ? ['In the inlet', number(counts.inlet)] : null,
        counts.completed > 0 ? ['Completed, kept', messages(data.queue, 'COMPLETED', counts.completed)] : null,
        ['Oldest ready', counts.ready > 0 ? duration(counts.oldestReadyAgeMillis) : '–'],
        counts.nextDue ? ['Next is due', fromNow(counts.nextDue, data.time)] : null,
        counts.deadBytes > 0 ? ['Size of the dead', bytes(counts.deadBytes)] : null,
        data.redrive ? ['Dead letters are redriven', ruleWords(data.redrive)] : null,
        data.redrive?.next && counts.dead > 0 ? ['Next redrive', fromNow(data.redrive.next, data.time)] : null,
      ])),
      history ? historySection(page, history) : null,
      consumers(data),
      data.limits ? limits(page, data.queue, data.limits) : null,
      bundles(data),
      settings(data),
    ];
  },
};

function states({ counts, diagnosis: found }) {
  return h('span', { class: 'badges' }, counts.paused && found?.findings[0]?.kind !== 'PAUSED' ? badge('PAUSED') : null, counts.closed ? badge('warn', 'Closed for senders') : null,
    counts.gatedUntil ? h('span', { class: 'badge warn' }, 'Gate closed until ', time(counts.gatedUntil)) : null,
    found ? queueState(found.status, found.findings[0]?.kind) : null);
}

function messages(queue, state, n) {
  return n > 0 ? h('a', { href: link(['queues', queue, 'messages'], { state }) }, number(n)) : '0';
}

function consumers(data) {
  return section('Consumers', table({
    caption: say`Instances that consume ${data.queue}`, rows: data.consumers || [], key: row => row.instance,
    empty: ['No instance consumes this queue. Start one that has a ', h('code', null, say`@QueueListener("${data.queue}")`), '; ', h('a', { href: '#/instances' }, 'these run now'), '.'],
    columns: [
      { label: 'Instance', render: row => h('a', { href: link(['instances']) }, name(row.name || row.instance)) },
      { label: 'State', render: row => (row.alive === false ? badge('bad', 'Not heard of') : row.state ? listenerState(row.state, { gated: row.gated, paused: data.counts.paused, gatedUntil: data.counts.gatedUntil }) : badge('warn', 'Not heard of')) },
      { label: 'Handlers busy', class: 'number', render: row => (row.concurrency === undefined ? '–' : `${number(row.busy)} of ${number(row.concurrency)}`) },
      { label: 'In flight', class: 'number', render: row => number(row.inFlight) },
      { label: 'Last claim', class: 'number', render: row => ago(row.sinceClaimMillis) },
      { label: 'Trip to Redis', class: 'number', render: row => duration(row.claimMillis) },
      { label: 'Handling takes', class: 'number', render: row => duration(row.meanHandlingMillis) },
      { label: 'Listeners', render: row => list(row.listeners) },
      { label: 'Up for', class: 'number', render: row => (row.startedAt ? duration(Math.max(0, new Date(data.time) - new Date(row.startedAt))) : '–') },
    ],
  }));
}

function bundles(data) {
  if (!data.bundles?.length) {
    return null;
  }
  return section('Bundles', table({
    caption: say`Bundles with a callback to ${data.queue}`, rows: data.bundles, key: row => row.id,
    columns: [
      { label: 'Bundle', class: 'name', render: row => name(row.id) },
      { label: 'State', render: row => (row.restCancelled ? badge('warn', 'Rest cancelled') : row.open ? badge('ok', 'Open') : badge('ok', 'Closed')) },
      { label: 'Messages', class: 'number', render: row => number(row.total) },
      { label: 'Pending', class: 'number', render: row => number(row.pending) },
      { label: 'Handled', class: 'number', render: row => number(row.acknowledged) },
      { label: 'Dead', class: 'number', render: row => number(row.dead) },
      { label: 'Ended otherwise', class: 'number', render: row => number(row.others) },
      { label: 'Results kept', class: 'number', render: row => (row.resultsLeftOut > 0 ? `${number(row.results)}, ${number(row.resultsLeftOut)} left out` : number(row.results)) },
      { label: 'Last moved', render: row => fromNow(row.movedAt, data.time) },
    ],
  }));
}

const NAMES = {
  concurrency: 'Handlers in each instance', maxAttempts: 'Attempts at most', backoff: 'Backoff', leaseTime: 'Lease', deadLetterQueue: 'Dead letters go to',
  rateLimit: 'Rate limit', maxInFlight: 'In flight at most', keyRateLimit: 'Rate limit of a key', keyMaxInFlight: 'In flight of a key at most',
  leaseMillis: 'Lease', sharedLimit: 'Limit shared with others', sharedRateLimit: 'Its rate limit', sharedMaxInFlight: 'Its messages in flight at most',
};

function settings(data) {
  if (!data.settings?.length) {
    return null;
  }
  return section('Settings', data.settings.map((listener, i) => h('div', { key: `${listener.listener} ${i}` },
    h('h3', null, say`Listener ${listener.listener}`),
    facts(Object.entries(listener).filter(([setting, value]) => setting !== 'listener' && value !== null && value !== undefined && value !== '')
      .map(([setting, value]) => [NAMES[setting] || spaced(setting), typeof value === 'number' && /Millis$/.test(setting) ? duration(value) : outside(typeof value === 'object' ? JSON.stringify(value) : value)]), 'plain'))));
}

function spaced(name) {
  const text = name.replace(/Millis$/, '').replace(/([A-Z])/g, letter => ` ${letter.toLowerCase()}`);
  return text.charAt(0).toUpperCase() + text.slice(1);
}
