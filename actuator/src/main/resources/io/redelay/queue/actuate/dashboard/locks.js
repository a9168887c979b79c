// Locks that are held now: their holders, since when, and their waiters.

import { h } from './dom.js';
import { badge, count, duration, head, number, ours, outside, pager, say, table } from './parts.js';
import { link } from './shell.js';

const PAGE_SIZE = 50;
const SHOWN = 5;

/** Other types are names of providers. */
const TYPES = { RE_ENTRANT_LOCK: 're-entrant lock', FAIR_LOCK: 'fair lock', READ_LOCK: 'read lock', WRITE_LOCK: 'write lock' };

export default {
  title: () => 'Locks',

  load(page) {
    return page.get('locks', { page: page.query.get('page'), size: PAGE_SIZE, name: page.query.get('name') });
  },

  render(data, page) {
    const waited = data.locks.filter(lock => lock.waiters?.length).length;
    return [
      head('Locks', data.total === 0 ? 'No lock is held now.' : `${count(data.total ?? data.locks.length, 'lock')} held or waited for${waited ? `, ${number(waited)} of those shown ${waited === 1 ? 'is' : 'are'} waited for` : ''}.`),
      h('form', { class: 'filters', role: 'search', onsubmit: event => event.preventDefault(), key: 'filters' },
        h('div', { class: 'field' }, h('label', { for: 'filter-name' }, 'Name contains'), h('input', {
          id: 'filter-name', type: 'search', value: page.query.get('name') || '', autocomplete: 'off', spellcheck: 'false',
          oninput: event => {
            const { value } = event.target;
            clearTimeout(page.state.typing);
            page.state.typing = setTimeout(() => page.go({ name: value.trim(), page: null }), 300);
          },
        }))),
      table({
        caption: 'Locks', rows: data.locks, key: lock => `${lock.type} ${lock.name}`,
        empty: page.query.get('name') ? say`No lock with “${page.query.get('name')}” in its name is held now.` : ['A lock appears here while a method with ', h('code', null, '@MyLock'), ', or ', h('code', null, 'LockTemplate'), ', holds it or waits for it.'],
        columns: [
          { label: 'Lock', class: 'name', render: lock => [h('strong', null, outside(lock.name)), lock.type ? h('div', { class: 'small soft' }, ours(TYPES[lock.type] || lock.type)) : null] },
          { label: 'State', render: lock => (lock.awaited ? badge('warn', count(lock.awaited, 'waits', 'wait')) : lock.holders?.length ? badge('ok', 'Held') : badge('info', 'Free')) },
          { label: 'Held by', render: lock => people(lock.holders, lock.held, data.time, holder => [holder.leaseMillis > 0 ? `, lease ${duration(holder.leaseMillis)}` : null]) },
          { label: 'Waited for by', render: lock => people(lock.waiters, lock.awaited, data.time) },
        ],
      }),
      pager(page, data, 'lock'),
    ];
  },
};

/** Instances report every five seconds. After that nothing is known: the time of the report is shown, and does not go on. */
const REPORT_MILLIS = 8000;

function heldFor({ since, reportedAt }, now) {
  if (!since) {
    return null;
  }
  const reported = new Date(reportedAt ?? now);
  const age = new Date(now) - reported;
  return [h('time', { datetime: since, title: since }, `for ${duration(Math.max(0, reported - new Date(since)))}`), age > REPORT_MILLIS ? `, reported ${duration(age)} ago` : null];
}

/** The first of those who hold or wait; the server returns no more than a hundred, and how many there are. */
function people(list, total, now, more) {
  if (!list?.length) {
    return '–';
  }
  const row = owner => h('li', null, h('div', null, h('a', { href: link(['instances']) }, outside(owner.name || owner.instance) || 'another application'), owner.thread ? h('span', { class: 'soft' }, say` ${owner.thread}`) : null),
    h('div', { class: 'small soft' }, heldFor(owner, now), more?.(owner)));
  const rest = list.slice(SHOWN);
  return [h('ul', { class: 'plain-list' }, list.slice(0, SHOWN).map(row)), rest.length ? h('details', null, h('summary', null, `${number(total - SHOWN)} more`), h('ul', { class: 'plain-list' }, rest.map(row),
    total > list.length ? h('li', { class: 'soft' }, `${number(total - list.length)} of them are not shown`) : null)) : null];
}
