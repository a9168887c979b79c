// All queues at a glance, those in trouble first.

import { h } from './dom.js';
import { link } from './shell.js';
import { spark } from './spark.js';
import { badge, count, duration, fromNow, head, name, number, outside, pager, plain, queueState, say, short, table } from './parts.js';

const PAGE_SIZE = 50;
const SORTS = [['trouble', 'Trouble first'], ['name', 'Name'], ['ready', 'Most waiting'], ['dead', 'Most dead'], ['age', 'Oldest waiting']];

export default {
  title: () => 'Queues',

  load(page) {
    return page.get('queues', {
      page: page.query.get('page'), size: PAGE_SIZE, name: page.query.get('name'), sort: page.query.get('sort') || 'trouble',
    });
  },

  render(data, page) {
    speak(data, page);
    const columns = [
      { label: 'Queue', render: nameAndDiagnosis, class: 'queue' },
      { label: 'Waiting', render: waiting, class: 'figure' },
      { label: 'Handled a minute', render: handled, class: 'figure' },
      { label: 'Failed a minute', render: row => figure(row.failedPerMinute, upToNow(row.spark?.failed, row.failedPerMinute), 'chart-3', true), class: 'figure' },
      { label: 'Wait for a handler', render: wait, class: 'figure' },
      { label: 'Dead', render: dead, class: 'number' },
    ];
    return [
      head('Queues', sentence(data, page)),
      filters(page),
      table({
        caption: 'Queues, with figures of the last hour', class: 'queues', columns, rows: data.queues, key: row => row.queue,
        empty: page.query.get('name') ? say`No queue has “${page.query.get('name')}” in its name.`
          : 'There are no queues yet. A queue appears here when a message is sent to it or a listener starts.',
      }),
      pager(page, data, 'queue'),
    ];
  },
};

function sentence(data, page) {
  const states = data.states;
  const all = count(data.total, 'queue');
  if (!states || data.total === 0) {
    return data.total === 0 ? 'None here.' : `${all}.`;
  }
  const troubles = [[states.STOPPED, 'stopped'], [states.BEHIND, 'behind'], [data.warnings, 'with a warning']].filter(([n]) => n > 0).map(([n, word]) => `${number(n)} ${word}`);
  const which = page.query.get('name') ? say` with “${page.query.get('name')}” in the name` : null;
  return troubles.length ? [all, which, `: ${troubles.join(', ')}.`] : [all, which, ', all keep up.'];
}

/** A screen reader hears of a queue that came into trouble, or out of it, and not of each figure. */
function speak(data, page) {
  const now = plain(sentence(data, page));
  if (page.state.sentence !== undefined && page.state.sentence !== now) {
    page.announce(now);
  }
  page.state.sentence = now;
}

function filters(page) {
  const name = page.query.get('name') || '';
  const sort = page.query.get('sort') || 'trouble';
  const { state } = page;
  if (!state.typing && (state.name !== name || state.sort !== sort)) {
    // The address was changed by a link or by the button Back: fields with another key take its values.
    state.fields = (state.fields || 0) + 1;
    Object.assign(state, { name, sort });
  }
  return h('form', { class: 'filters', role: 'search', onsubmit: event => event.preventDefault() },
    h('div', { class: 'field' }, h('label', { for: 'filter-name' }, 'Name contains'), h('input', {
      id: 'filter-name', key: `name ${state.fields}`, type: 'search', value: name, autocomplete: 'off', spellcheck: 'false',
      oninput: event => {
        state.name = event.target.value.trim();
        clearTimeout(state.typing);
        state.typing = setTimeout(() => {
          state.typing = null;
          page.go({ name: state.name, page: null });
        }, 300);
      },
    })),
    h('div', { class: 'field' }, h('label', { for: 'filter-sort' }, 'Sort by'), h('select', {
      id: 'filter-sort', key: `sort ${state.fields}`, onchange: event => {
        state.sort = event.target.value;
        page.go({ sort: state.sort === 'trouble' ? null : state.sort, page: null });
      },
    }, SORTS.map(([value, label]) => h('option', { value, selected: sort === value }, label)))));
}

function nameAndDiagnosis(row) {
  return [
    h('div', { class: 'queue-name' }, h('a', { href: link(['queues', row.queue]) }, name(row.queue)), row.status ? queueState(row.status, row.kind) : null,
      row.paused && row.kind !== 'PAUSED' ? badge('PAUSED') : null, row.closed && row.kind !== 'CLOSED' ? badge('warn', 'Closed') : null),
    row.summary ? h('p', { class: 'summary' }, outside(row.summary)) : null,
  ];
}

function waiting(row) {
  return figure(row.ready, row.spark?.depth, 'chart-1', false, [row.oldestReadyAgeMillis > 0 ? `oldest ${duration(row.oldestReadyAgeMillis)}` : null, row.oldestReadyAgeMillis > 0 && row.scheduled > 0 ? ', ' : null,
    row.scheduled > 0 ? [`${short(row.scheduled)} scheduled`, row.nextDue ? [', next ', fromNow(row.nextDue)] : null] : null].flat(2).filter(Boolean));
}

function handled(row) {
  return figure(row.handledPerMinute, upToNow(row.spark?.handled, row.handledPerMinute), 'chart-2', false, row.sentPerMinute > 0 ? `${short(row.sentPerMinute)} sent` : null);
}

/** The running minute has had little time: the last sixty seconds stand in its place, so that no line ends with a fall. */
function upToNow(values, lastMinute) {
  return values && lastMinute !== undefined ? [...values.slice(0, -1), lastMinute] : values;
}

function wait(row) {
  const values = row.spark?.waitMillis || [];
  const last = values.findLast(value => value > 0);
  return h('div', { class: 'figure-box' }, h('span', { class: 'figure-value' }, last === undefined ? '–' : duration(last)), spark(values, { tone: 'chart-4', format: duration }));
}

function figure(value, values, tone, alarming, note) {
  return h('div', { class: 'figure-box' }, h('span', { class: alarming && value > 0 ? 'figure-value alarm' : 'figure-value' }, short(value)),
    note?.length ? h('span', { class: 'figure-note' }, note) : null, spark(values, { tone, format: short }));
}

function dead(row) {
  return row.dead > 0 ? h('a', { href: link(['queues', row.queue, 'dead']) }, short(row.dead)) : '0';
}
