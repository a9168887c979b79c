// What holds messages of a queue back one by one: keys whose messages wait for each other, keys that share the queue, and limits.

import { h } from './dom.js';
import { path } from './api.js';
import { badge, count, duration, number, ours, outside, queueHeader, say, section, table } from './parts.js';
import { link } from './shell.js';

const NAMES = { rateLimit: 'Rate limit', maxInFlight: 'In flight at most', keyRateLimit: 'Rate limit of each fairness key',
  keyMaxInFlight: 'In flight at most, of each fairness key' };
const KINDS = ['KEYS_IN_TURN', 'RATE_LIMITED', 'CONCURRENCY_LIMITED', 'GATED', 'LOCKED'];

export default {
  title: page => `Keys and limits of ${page.params.queue}`,

  async load(page) {
    const { queue } = page.params;
    const [diagnosis, keys] = await Promise.all([page.get(path`queues/${queue}/diagnosis`), page.get(path`queues/${queue}/keys`)]);
    return { diagnosis, keys };
  },

  render({ diagnosis, keys: { time, complete, ordering, fairness, limits } }, page) {
    const { queue } = page.params;
    const findings = diagnosis.findings.filter(finding => KINDS.includes(finding.kind));
    const part = complete ? null : ' There are more keys than were looked at.';
    return [
      queueHeader(page, { current: 'keys' }),
      section('What holds messages back', findings.length ? h('ul', { class: 'plain-list' }, findings.map((finding, i) => h('li', { key: `${finding.kind} ${i}` },
        h('div', { class: 'timeline-head' }, badge(finding.severity), h('strong', null, ours(finding.headline))), h('p', null, ours(finding.text)), h('p', { class: 'soft' }, ours(finding.mend)))))
        : h('p', { class: 'none' }, 'No key, limit, gate or lock holds messages of this queue back now.')),
      section('Limits', limits.length ? h('ul', { class: 'limits' }, limits.map((limit, i) => h('li', { key: `${limit.name} ${limit.kind} ${i}` }, limitParts(limit))))
        : h('p', { class: 'none' }, 'Nothing limits it.')),
      section('Ordering keys', h('p', { class: 'soft' }, 'Messages of one ordering key are handled one after the other. These are the keys whose messages wait for an earlier one.', part), table({
        caption: say`Ordering keys of ${queue}`, rows: ordering, key: row => row.key, empty: 'No message waits for an earlier one of its key.',
        columns: [
          { label: 'Key', class: 'name', render: row => outside(row.key) },
          { label: 'Wait', class: 'number', render: row => number(row.waiting) },
          { label: 'Whose turn it is', render: row => (row.uid ? h('a', { href: link(['queues', queue, 'messages', row.uid]) }, row.instance ? say`in hand on ${row.instanceName || ['an instance']}` : 'not in hand') : '–') },
        ],
      })),
      section('Fairness keys', h('p', { class: 'soft' }, 'Fairness keys take turns, so that one with many messages does not hold up the others.', part), table({
        caption: say`Fairness keys of ${queue}`, rows: fairness, key: row => row.key, empty: 'No message that is ready has one.',
        columns: [
          { label: 'Key', class: 'name', render: row => outside(row.key) },
          { label: 'Ready', class: 'number', render: row => number(row.waiting) },
          { label: 'In flight', class: 'number', render: row => number(row.inFlight) },
          { label: 'State', render: row => (row.gatedUntil ? badge('warn', `Gate closed for ${duration(Math.max(0, new Date(row.gatedUntil) - new Date(time)))}`) : row.heldBack ? badge('warn', 'Limited now') : '–') },
        ],
      })),
    ];
  },
};

function limitParts(limit) {
  const name = NAMES[limit.name] || limit.name.replace('sharedLimit ', 'Shared limit ');
  const known = limit.used !== undefined && limit.used !== null;
  return [
    h('div', { class: 'timeline-head' }, h('strong', null, ours(name)), h('span', { class: 'soft' },
      limit.kind === 'RATE' ? `${count(limit.permits, 'message')} in ${duration(limit.periodMillis)}` : `${count(limit.permits, 'message')} at once`)),
    known ? h('progress', { class: limit.exhausted ? 'progress full' : 'progress', max: limit.permits, value: Math.min(limit.used, limit.permits), 'aria-label': `Used of ${name}` }) : null,
    known || limit.exhausted ? h('p', { class: 'small' }, known ? `${number(limit.used)} used` : null, limit.exhausted ? `${known ? ': n' : 'N'}o more may be claimed now` : null, '.') : null,
  ];
}
