// All topics.

import { h } from './dom.js';
import { badge, bytes, count, duration, head, number, outside, pager, table } from './parts.js';
import { link } from './shell.js';

export default {
  title: () => 'Topics',

  load(page) {
    return page.get('queues/-/topics', { page: page.query.get('page') });
  },

  render(data, page) {
    return [
      head('Topics', `${count(data.total ?? data.topics.length, 'topic')}. Each message of a topic goes to all its groups.`),
      table({
        caption: 'Topics', rows: data.topics, key: topic => topic.name,
        empty: 'There are no topics yet. A topic appears here when a listener subscribes to it, or something is published.',
        columns: [
          { label: 'Topic', class: 'name', render: topic => h('a', { href: link(['topics', topic.name]) }, outside(topic.name)) },
          { label: 'Groups', class: 'number', render: topic => number(topic.groups) },
          { label: 'State', render: topic => (topic.waiting > 0 ? badge('warn', `${number(topic.waiting)} without a consumer`) : topic.groups > 0 ? badge('ok', 'All consumed') : badge('info', 'No group')) },
          { label: 'Kept', render: topic => retention(topic) },
        ],
      }),
      pager(page, data, 'topic'),
    ];
  },
};

/** For how long what was published is kept. */
export function retention({ retains, maxAgeMillis, maxCount, maxBytes }) {
  if (!retains) {
    return 'nothing';
  }
  const limits = [maxAgeMillis > 0 ? `for ${duration(maxAgeMillis)}` : null, maxCount > 0 ? count(maxCount, 'message') : null, maxBytes > 0 ? bytes(maxBytes) : null].filter(Boolean);
  return limits.length ? limits.join(', ') : 'everything';
}
