// The messages of a queue: a state page by page, or what a search finds, step by step.

import { h } from './dom.js';
import { path } from './api.js';
import { choiceWords, FILTERS, filtersOf, filterWords } from './filters.js';
import { bulkActions, cause, jobCard, messageName, ownJob, progress, rowAction } from './steer.js';
import { badge, bytes, count, fromNow, list, number, ours, outside, pager, queueHeader, say, short, table } from './parts.js';
import { roundsOf } from './redrive.js';
import { keyOf, tickBar, tickBox } from './ticks.js';
import { link } from './shell.js';

const PAGE_SIZE = 50;
const MOST_FOUND = 300;
const STEPS_AT_ONCE = 20;
const STATES = [['READY', 'Ready', 'ready'], ['SCHEDULED', 'Scheduled', 'scheduled'], ['IN_FLIGHT', 'In flight', 'inFlight'], ['DEAD', 'Dead', 'dead'],
  ['COMPLETED', 'Completed', 'completed']];

export default {
  title: page => `Messages of ${page.params.queue}`,

  async load(page) {
    const { queue } = page.params;
    const filters = filtersOf(page.query);
    const searching = Object.keys(filters).length > 0;
    page.refreshes = !searching || Boolean(page.state.job);
    const detail = page.state.searching ? page.state.detail : await page.get(path`queues/${queue}`);
    page.state.detail = detail;
    const [job, list] = await Promise.all([ownJob(page, queue), searching ? search(page, filters) : browse(page, detail)]);
    return { ...list, job, filters, searching, counts: detail.counts };
  },

  render(data, page) {
    const { queue } = page.params;
    const { filters, state, searching } = data;
    return [
      queueHeader(page, { current: 'messages' }),
      data.job ? jobCard(page, queue, data.job) : null,
      states(page, data),
      searchForm(page, filters),
      listHead(page, data),
      tickBar(page, data.messages, changed => forget(page, changed)),
      table({
        caption: say`Messages of ${queue}`, class: 'messages', columns: columns(page, state, data.messages), rows: data.messages, key: message => message.uid,
        empty: nothing(page, data),
      }),
      searching ? goOn(page, data) : pager(page, data, 'message'),
    ];
  },
};

/** Where there are messages, if there are none here. */
function nothing(page, { searching, complete, state, filters, counts }) {
  const to = query => link(['queues', page.params.queue, 'messages'], query);
  if (searching) {
    return !complete ? 'Nothing found yet.' : ['Nothing matches. ', state ? h('a', { href: to({ ...filters, state: null }) }, 'Search in any state') : h('a', { href: to({}) }, 'Look at all messages'), '.'];
  }
  const others = STATES.filter(([, , property]) => counts[property] > 0).map(([name, label, property], i) => [i ? ', ' : ' There are ', h('a', { href: to({ state: name }) }, `${short(counts[property])} ${label.toLowerCase()}`)]);
  return [`No message is ${STATES.find(([name]) => name === state)[1].toLowerCase()}.`, others.length ? [others, '.'] : null];
}

async function browse(page, { counts }) {
  page.state.found = null;
  // Without a state in the address it is the first that has messages, and stays that while the view is shown.
  page.state.first ??= STATES.find(([, , name]) => counts[name] > 0)?.[0] || 'READY';
  const state = STATES.some(([name]) => name === page.query.get('state')) ? page.query.get('state') : page.state.first;
  const list = await page.get(path`queues/${page.params.queue}/messages`, { state, page: page.query.get('page'), size: PAGE_SIZE });
  return { ...list, state };
}

/** The search of this address as far as it has come; a new one begins at once. */
async function search(page, filters) {
  const state = page.query.get('state');
  const key = JSON.stringify([filters, state]);
  if (page.state.found?.key !== key) {
    page.state.found = { key, messages: [], examined: 0, cursor: null, complete: false, wanted: PAGE_SIZE };
    try {
      await step(page, filters, state);
    } catch (failure) {
      page.state.found = null;
      throw failure;
    }
    steps(page, filters, state);
  }
  return { ...page.state.found, state };
}

async function step(page, filters, state) {
  const { found } = page.state;
  const list = await page.get(path`queues/${page.params.queue}/messages`, { ...filters, state, cursor: found.cursor, limit: PAGE_SIZE });
  const known = new Set(found.messages.map(message => message.uid));
  found.messages.push(...list.messages.filter(message => !known.has(message.uid)));
  found.examined += list.examined || 0;
  found.cursor = list.cursor;
  found.complete = !list.cursor;
}

/** Goes on until there is a page of messages, all were seen, or so many steps were made; the reader may ask for more. */
async function steps(page, filters, state) {
  const { found } = page.state;
  page.state.searching = true;
  found.failure = null;
  try {
    for (let i = 0; i < STEPS_AT_ONCE && !found.complete && found.messages.length < found.wanted && page.state.found === found; i++) {
      await step(page, filters, state);
      await page.reload();
    }
  } catch (failure) {
    if (failure.name === 'AbortError') {
      return;
    }
    found.failure = failure.message;
  } finally {
    if (page.state.found === found) {
      page.state.searching = false;
    }
  }
  if (page.state.found === found) {
    await page.reload();
    page.announce(foundWords(found));
  }
}

/** What was acted on is not as it was found. */
function forget(page, changed) {
  const { found } = page.state;
  if (found) {
    found.messages = found.messages.filter(message => !changed.has(keyOf(message)));
  }
}

function states(page, { counts, state, filters, searching }) {
  const to = name => link(['queues', page.params.queue, 'messages'], { ...filters, state: name });
  return h('nav', { class: 'choices', 'aria-label': 'State' },
    searching ? h('a', { href: to(null), 'aria-current': state ? null : 'true' }, 'Any state') : null,
    STATES.filter(([name, , property]) => name !== 'COMPLETED' || counts[property] > 0 || name === state)
      .map(([name, label, property]) => h('a', { href: to(name), 'aria-current': name === state ? 'true' : null }, label, ' ', h('span', { class: 'soft' }, short(counts[property])))));
}

function searchForm(page, filters) {
  const by = page.state.by || 'id';
  const [, , example, hint] = FILTERS.find(([name]) => name === by);
  const { queue } = page.params;
  return h('search', { class: 'search' }, h('form', {
    class: 'filters',
    onsubmit: event => {
      event.preventDefault();
      const value = event.target.elements.value.value.trim();
      if (value) {
        event.target.elements.value.value = '';
        page.go({ [page.state.by || 'id']: value, page: null });
      }
    },
  },
  h('div', { class: 'field' }, h('label', { for: 'search-by' }, 'Search by'), h('select', {
    id: 'search-by',
    onchange: event => {
      page.state.by = event.target.value;
      page.reload();
    },
  }, FILTERS.map(([name, label]) => h('option', { value: name, selected: name === by }, label)))),
  h('div', { class: 'field wide' }, h('label', { for: 'search-value' }, 'Value'), h('input', {
    id: 'search-value', name: 'value', type: 'search', placeholder: example, translate: 'no', autocomplete: 'off', spellcheck: 'false', 'aria-describedby': 'search-hint', maxlength: 500,
  })),
  h('button', { type: 'submit' }, 'Search'),
  h('p', { class: 'hint whole', id: 'search-hint' }, hint)),
  Object.keys(filters).length ? h('ul', { class: 'chips', 'aria-label': 'Searched for' }, Object.entries(filters).map(([name, value]) => h('li', { key: name },
    h('span', { class: 'chip' }, outside(filterWords(name, value))),
    h('a', { href: link(['queues', queue, 'messages'], { ...filters, [name]: null, state: page.query.get('state') }), class: 'remove', 'aria-label': `Do not search by ${filterWords(name, value)}` }, '×'))),
  h('li', { key: ' all' }, h('a', { href: link(['queues', queue, 'messages'], { state: page.query.get('state') }) }, 'Clear'))) : null);
}

function foundWords({ messages, examined, complete }) {
  const looked = examined > 0 ? ` among ${number(examined)}` : '';
  return complete ? `${count(messages.length, 'message')} found${looked}; all were looked at.` : `${count(messages.length, 'message')} found${looked} so far.`;
}

function listHead(page, data) {
  const found = data.searching ? h('p', { class: 'found', key: 'found' }, foundWords(data), page.state.searching ? ' Searching…' : null, data.failure ? h('span', { class: 'failed-text' }, ' ', ours(data.failure)) : null) : null;
  const all = bulk(page, data);
  return found || all ? h('div', { class: 'list-head', key: 'list head' }, found, all) : null;
}

function goOn(page, data) {
  if (data.complete || page.state.searching) {
    return null;
  }
  if (data.messages.length >= MOST_FOUND) {
    return h('p', { class: 'soft', key: 'enough' }, `These are ${number(data.messages.length)}. Search for less to see others, or act on all that match.`);
  }
  return h('div', { class: 'pager', key: 'go on' }, h('button', {
    type: 'button',
    onclick: () => {
      page.state.found.wanted = page.state.found.messages.length + PAGE_SIZE;
      steps(page, data.filters, data.state);
      page.reload();
    },
  }, 'Go on'));
}

function bulk(page, { filters, state, messages, counts, searching, complete }) {
  const property = STATES.find(([name]) => name === state)?.[2];
  if (!page.config.write || (searching ? !messages.length : !counts[property])) {
    return null;
  }
  const n = searching ? messages.length : counts[property];
  return h('details', { class: 'bulk', key: `bulk ${state}` }, h('summary', null, searching ? 'Act on all that match' : 'Act on all of these'),
    h('p', { class: 'soft small' }, say`On ${[searching ? '' : 'all ']}${choiceWords(filters, state).replace(/^all /, '')}, whether shown here or not.`),
    h('div', { class: 'buttons' }, bulkActions(page, page.params.queue, filters, state, n, job => {
      page.state.job = job.id;
    }, searching && !complete ? 'at least ' : '')));
}

function columns(page, state, messages) {
  const ruled = messages.some(message => message.mostRounds || message.rounds);
  const at = {
    SCHEDULED: { label: 'Due', render: message => fromNow(message.dueAt) },
    READY: { label: 'Due', render: message => fromNow(message.dueAt) },
    IN_FLIGHT: { label: 'On', render: message => outside(message.instanceName || message.instance || '–') },
    DEAD: { label: 'Died', render: message => fromNow(message.diedAt) },
    COMPLETED: { label: 'Completed', render: message => fromNow(message.completedAt) },
  };
  return [
    { label: 'Message', class: 'name', render: message => tickBox(page, message, messageName(message)) },
    state ? null : { label: 'State', render: message => badge(message.state) },
    state ? at[state] : { label: 'When', render: message => (at[message.state] || at.READY).render(message) },
    state === 'IN_FLIGHT' ? { label: 'Progress', render: progress } : null,
    state === 'DEAD' ? { label: 'Cause', class: 'wide cause-cell', render: message => cause(message.death) } : null,
    state === 'DEAD' && ruled ? { label: 'Rounds', render: roundsOf } : null,
    { label: 'Sent', render: message => fromNow(message.sentAt) },
    { label: 'Failures', class: 'number', render: message => number(message.failures) },
    state === 'DEAD' ? null : { label: 'Key', class: 'keys', render: message => keys(message) },
    state === 'DEAD' ? null : { label: 'Size', class: 'number', render: message => bytes(message.bytes) },
    page.config.write ? { label: 'Action', hidden: true, class: 'act', render: message => rowAction(page, message, 'quiet') } : null,
  ];
}

function keys(message) {
  const named = list([message.orderingKey, message.fairnessKey].filter(Boolean));
  const priority = message.priority !== undefined && message.priority !== null ? `priority ${message.priority}` : null;
  return named.length || priority ? [named, named.length && priority ? ', ' : null, priority] : '–';
}
