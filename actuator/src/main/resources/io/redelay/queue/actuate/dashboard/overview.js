// All queues at a glance, those in trouble first.

import { h } from './dom.js';
import { link } from './shell.js';
import { spark } from './spark.js';
import { badge, count, duration, fromNow, head, name, number, ours, pager, plain, queueState, say, short, table, unread } from './parts.js';

const PAGE_SIZE = 50;
const SORTS = [['trouble', 'Trouble first'], ['name', 'Name'], ['ready', 'Most waiting'], ['dead', 'Most dead'], ['age', 'Oldest waiting']];

export default {
  title: () => 'Queues',

  load(page) {
    return page.get('queues', {
      page: page.query.get('page'), size: PAGE_SIZE, name: page.query.get('name'), sort: page.query.get('sort') || 'trouble', show: page.query.get('show'),
    });
  },

  render(data, page) {
    speak(data, page);
    const columns = [
      { label: 'Queue', render: nameAndDiagnosis, class: 'queue' },
      { label: 'Waiting', render: waiting, class: 'figure waiting' },
      { label: 'Scheduled', render: scheduled, class: 'figure scheduled' },
      { label: 'Handled a minute', render: handled, class: 'figure handled' },
      { label: 'Failed a minute', render: row => figure(row.failedPerMinute, upToNow(row.spark?.failed, row.failedPerMinute), 'chart-3', true), class: 'figure failed' },
      { label: 'Wait for a handler', render: wait, class: 'figure wait' },
      { label: 'Dead', render: dead, class: 'number dead' },
    ];
    return [
      h('div', { class: 'dense-head', key: 'dense head' }, head('Queues', sentence(data, page)), filters(page)),
      chosen(page),
      unread(data.failed, 'Figures are old or missing; the log of the server says why.'),
      table({
        caption: 'Queues, with figures of the last hour', class: 'queues', columns, rows: data.queues, key: row => row.queue,
        empty: nothing(page),
      }),
      pager(page, data, 'queue'),
    ];
  },
};

const SHOWN = { trouble: 'in trouble', busy: 'in which messages move', scheduled: 'with scheduled messages', dead: 'with dead letters' };

/** The part of the status bar that chose the queues, and the way back to all of them. */
function chosen(page) {
  const words = SHOWN[page.query.get('show')];
  return words ? h('ul', { class: 'chips', 'aria-label': 'Shown', key: 'chosen' }, h('li', null, h('span', { class: 'chip' }, `Only queues ${words}`),
    h('a', { class: 'remove', href: link([], { ...Object.fromEntries(page.query), show: null, page: null }), 'aria-label': `Not only queues ${words}` }, '×'))) : null;
}

function nothing(page) {
  const name = page.query.get('name');
  const words = SHOWN[page.query.get('show')];
  const all = h('a', { href: '#/' }, 'Show all queues');
  return name ? [`No queue${words ? ` ${words}` : ''} has “${name}” in its name. Names are told apart by capital letters. `, all, '.']
    : words ? [`No queue is here ${words}. `, all, '.']
      : ['There are no queues yet. Send a message with ', h('code', null, 'QueueOperations'), ', or start a listener with ', h('code', null, '@QueueListener'), ': its queue appears here at once.'];
}

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
  return h('form', { class: 'filters', role: 'search', 'aria-label': 'Queues by name', onsubmit: event => event.preventDefault() },
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

/** In one line; the headline is left out by the server where the badge or a figure says the same. */
function nameAndDiagnosis(row) {
  return h('div', { class: 'queue-name' }, h('a', { href: link(['queues', row.queue]) }, name(row.queue)), row.status ? queueState(row.status, row.kind) : null,
    row.paused && row.kind !== 'PAUSED' ? badge('PAUSED') : null, row.closed && row.kind !== 'CLOSED' ? badge('warn', 'Closed') : null,
    row.headline ? h('span', { class: 'summary', title: row.summary }, ours(row.headline)) : null);
}

function waiting(row) {
  return figure(row.ready, row.spark?.depth, 'chart-1', false, row.oldestReadyAgeMillis > 0 ? `oldest ${duration(row.oldestReadyAgeMillis)}` : null);
}

function scheduled(row) {
  return figure(row.scheduled, null, null, false, row.scheduled > 0 && row.nextDue ? ['next ', fromNow(row.nextDue)] : null);
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
