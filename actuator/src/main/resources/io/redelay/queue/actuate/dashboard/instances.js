// The application's instances: which listeners they run, and what these are at.

import { h } from './dom.js';
import { link } from './shell.js';
import { ago, badge, count, duration, head, listenerState, name, number, outside, pager, say, table, time } from './parts.js';

export default {
  title: () => 'Instances',

  load(page) {
    return page.get('queues/-/instances', { page: page.query.get('page') });
  },

  render(data, page) {
    const n = data.total ?? data.instances.length;
    return [
      head('Instances', n === 1 ? '1 instance runs listeners or uses locks.' : `${number(n)} instances run listeners or use locks.`,
        ' What they handled is of the last minute.'),
      data.instances.map(instance => card(instance, data)),
      pager(page, data, 'instance'),
    ];
  },
};

function card(instance, data) {
  const heading = `instance-${instance.id}`;
  const rows = (instance.listeners || []).flatMap(listener => (listener.queues?.length ? listener.queues : [{}]).map(queue => ({ listener, ...queue })));
  return h('section', { class: 'card', 'aria-labelledby': heading, key: instance.id },
    h('div', { class: 'head-line' }, h('h2', { id: heading }, outside(instance.name || instance.id)), silent(instance, data)),
    h('p', { class: 'soft small' }, 'Started ', time(instance.startedAt), `, up for ${duration(Math.max(0, new Date(data.time) - new Date(instance.startedAt)))}. `,
      instance.locksHeld || instance.locksAwaited ? h('a', { href: link(['locks']) },
        `Holds ${count(instance.locksHeld || 0, 'lock')}, waits for ${number(instance.locksAwaited || 0)}`) : null),
    table({
      caption: say`Listeners of ${instance.name || instance.id}`, rows, key: row => `${row.listener.id} ${row.queue}`, empty: 'It runs no listener.',
      columns: [
        { label: 'Listener', render: row => name(row.listener.id) },
        { label: 'Queue', render: row => (row.queue ? h('a', { href: link(['queues', row.queue]) }, name(row.queue)) : '–') },
        { label: 'State', render: row => state(row, instance, data) },
        { label: 'Handlers busy', class: 'number', render: row => `${number(row.listener.busy)} of ${number(row.listener.concurrency)}` },
        { label: 'Handled', class: 'number', render: row => number(row.handled) },
        { label: 'Failed', class: 'number', render: row => (row.failed > 0 ? h('span', { class: 'alarm' }, number(row.failed)) : number(row.failed)) },
        { label: 'Handling takes', class: 'number', render: row => duration(row.meanHandlingMillis) },
        { label: 'Last claim', class: 'number', render: row => ago(row.sinceClaimMillis) },
        { label: 'Redis takes', class: 'number', render: row => duration(row.claimMillis) },
      ],
    }));
}

/** An instance reports every five seconds what it does, and less often with more than 200 listeners. */
function silentMillis(instance, data) {
  const millis = new Date(data.time) - new Date(instance.announcedAt);
  return millis >= 9000 * (1 + Math.floor((instance.listeners || []).length / 200)) ? millis : null;
}

function silent(instance, data) {
  const millis = silentMillis(instance, data);
  return millis === null ? badge('ok', 'Alive') : badge('bad', `Silent for ${duration(millis)}`);
}

function state(row, instance, data) {
  if (silentMillis(instance, data) !== null) {
    return badge('bad', 'Not heard of');
  }
  if (row.unanswered) {
    return badge('bad', 'Redis does not answer');
  }
  return listenerState(row.listener.state, row);
}
