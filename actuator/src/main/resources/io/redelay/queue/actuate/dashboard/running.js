// What handlers have in hand now, by instance, with its progress and a button that stops it.

import { h } from './dom.js';
import { path } from './api.js';
import { messageName, progress, rowAction } from './steer.js';
import { badge, count, fromNow, number, outside, pager, queueHeader, say, table } from './parts.js';

const PAGE_SIZE = 50;

export default {
  title: page => `Running now in ${page.params.queue}`,

  load(page) {
    return page.get(path`queues/${page.params.queue}/running`, { page: page.query.get('page'), size: PAGE_SIZE });
  },

  render(data, page) {
    const instances = new Map();
    for (const message of data.messages) {
      const name = message.instanceName || message.instance || 'Instance not known';
      instances.set(name, [...(instances.get(name) || []), message]);
    }
    return [
      queueHeader(page, { current: 'running' }),
      data.messages.length ? [...instances].map(([name, messages], i) => h('section', { class: 'card', 'aria-labelledby': `instance-${i}`, key: `on ${name}` },
        h('div', { class: 'head-line' }, h('h2', { id: `instance-${i}` }, outside(name)), h('span', { class: 'soft' }, `${count(messages.length, 'message')} in hand`)),
        table({ caption: say`What ${name} has in hand`, rows: messages, key: message => message.uid, columns: columns(page) })))
        : h('section', { class: 'empty', key: 'none' }, h('h2', null, 'Nothing runs now'), h('p', { class: 'soft' }, 'A message appears here while a handler has it in hand.')),
      pager(page, data, 'message'),
    ];
  },
};

function columns(page) {
  return [
    { label: 'Message', class: 'name', render: messageName },
    { label: 'Progress', class: 'wide', render: message => (message.cancelled ? [badge('warn', 'Asked to stop'), progress(message)] : progress(message) || h('span', { class: 'soft' }, 'reports none')) },
    { label: 'Was due', render: message => fromNow(message.dueAt) },
    { label: 'Attempt', class: 'number', render: message => number(message.failures + message.crashes + 1) },
    page.config.write ? { label: 'Action', hidden: true, class: 'act', render: message => (message.cancelled ? null : rowAction(page, message)) } : null,
  ];
}
