// Messages of all queues: what the search box finds, and all dead letters. Both go on step by step; each step of the server is bounded.

import { h } from './dom.js';
import { cause, messageName } from './steer.js';
import { badge, count, fromNow, head, list as listed, moment, name, number, short, table, unread } from './parts.js';
import { keyOf, tickBar, tickBox } from './ticks.js';
import { link } from './shell.js';

const PAGE_SIZE = 50;
const STEPS_AT_ONCE = 20;
const MOST_FOUND = 300;

const BY = [['any', 'Id, tag, key or cause'], ['id', 'Id'], ['tag', 'Tag'], ['key', 'Key'], ['cause', 'Cause of failure']];

/** What the search box finds in all queues. */
export const search = {
  title: page => (page.query.get('q') ? `${page.query.get('q')} in all queues` : 'Search in all queues'),

  async load(page) {
    const q = page.query.get('q');
    page.refreshes = false;
    if (!q) {
      return { messages: [], queues: [] };
    }
    const by = page.query.get('by');
    const key = JSON.stringify([q, by]);
    if (page.state.found?.key !== key) {
      const found = { key, messages: [], examined: 0, cursor: null, wanted: PAGE_SIZE };
      page.state.found = found;
      try {
        const [, named] = await Promise.all([step(page, found, { q, by }),
          by ? null : page.get('queues', { name: q, size: 5 })]);
        found.queues = named?.queues.map(row => row.queue) || [];
      } catch (failure) {
        page.state.found = null;
        throw failure;
      }
      steps(page, found, { q, by });
    }
    return page.state.found;
  },

  render(found, page) {
    const q = page.query.get('q');
    const by = page.query.get('by') || 'any';
    if (!q) {
      return [head('Search in all queues', 'Type an id, a tag, a key or a part of what a message failed by into the box at the top.')];
    }
    return [
      head(h('bdi', null, q), found.running ? 'Searching all queues…' : foundWords(found)),
      h('nav', { class: 'choices', 'aria-label': 'Search by', key: 'by' }, BY.map(([value, label]) => h('a', {
        href: link(['search'], { q, by: value === 'any' ? null : value }), 'aria-current': value === by ? 'true' : null,
      }, label))),
      found.queues?.length ? h('p', { key: 'queues' }, 'Queues with this in their names: ', found.queues.map((queue, i) => [i ? ', ' : null, h('a', { href: link(['queues', queue]) }, name(queue))])) : null,
      found.failure ? h('p', { class: 'failed-text', key: 'failure' }, found.failure) : null,
      unread(found.failed, 'They were not searched.'),
      tickBar(page, found.messages, changed => forget(page, changed)),
      table({
        caption: 'Messages found', class: 'messages', rows: found.messages, key: keyOf, columns: columns(page),
        empty: found.running || found.cursor ? 'Nothing found yet.' : ['Nothing has this as its id, tag or key, or failed by it. ', h('a', { href: '#/' }, 'Look at the queues'), ', or search the fields of payloads in one of them.'],
      }),
      goOn(page, found),
    ];
  },
};

async function step(page, found, filters) {
  const list = await page.get('queues/-/messages', { ...filters, cursor: found.cursor, limit: PAGE_SIZE });
  const known = new Set(found.messages.map(keyOf));
  found.messages.push(...list.messages.filter(message => !known.has(keyOf(message)) && known.add(keyOf(message))));
  found.examined += list.examined || 0;
  found.lookedAt ??= list.lookedAt;
  found.failed = [...new Set([...found.failed || [], ...list.failed || []])];
  found.cursor = list.cursor || null;
}

async function steps(page, found, filters) {
  found.running = true;
  found.failure = null;
  const isShown = () => page.state.found === found;
  try {
    for (let i = 0; i < STEPS_AT_ONCE && found.cursor && found.messages.length < found.wanted && isShown(); i++) {
      await step(page, found, filters);
      await page.reload();
    }
  } catch (failure) {
    if (failure.name === 'AbortError') {
      return;
    }
    found.failure = failure.message;
  } finally {
    found.running = false;
  }
  if (isShown()) {
    await page.reload();
    page.announce(foundWords(found));
  }
}

/** What came into an empty queue since then is found by its id and tags only. */
function foundWords({ messages, examined, cursor, lookedAt }) {
  return `${count(messages.length, 'message')} found${examined > 0 ? ` among ${number(examined)}` : ''}${
    cursor ? ' so far' : lookedAt ? ` in all queues that had messages at ${moment(lookedAt)}` : ' in all queues'}.`;
}

function goOn(page, found) {
  if (!found.cursor || found.running) {
    return null;
  }
  if (found.messages.length >= MOST_FOUND) {
    return h('p', { class: 'soft', key: 'enough' }, `These are ${number(found.messages.length)}. Search for less to see others.`);
  }
  return h('div', { class: 'pager', key: 'go on' }, h('button', {
    type: 'button',
    onclick: () => {
      found.wanted = found.messages.length + PAGE_SIZE;
      steps(page, found, { q: page.query.get('q'), by: page.query.get('by') });
      page.reload();
    },
  }, 'Go on'));
}

/** What was acted on is not as it was found. */
function forget(page, changed) {
  const { found } = page.state;
  if (found) {
    found.messages = found.messages.filter(message => !changed.has(keyOf(message)));
  }
}

/** All dead letters, queue after queue, the last ones of each first. */
export const dead = {
  title: () => 'Dead letters',

  async load(page) {
    const [list, queues] = await Promise.all([
      page.get('queues/-/messages', { state: 'DEAD', cursor: page.query.get('cursor'), limit: PAGE_SIZE }),
      page.get('queues', { show: 'dead', sort: 'dead', size: 20 })]);
    return { ...list, queues };
  },

  render({ messages, cursor, queues, failed }, page) {
    const rest = queues.total - queues.queues.length;
    return [
      head('Dead letters', queues.total === 0 ? 'There are none.' : `In ${count(queues.total, 'queue')}, those that died last first in each.`),
      queues.total > 0 ? h('nav', { class: 'choices', 'aria-label': 'By cause, of a queue', key: 'queues' }, queues.queues.map(row => h('a', { href: link(['queues', row.queue, 'dead']) },
        name(row.queue), ' ', h('span', { class: 'soft' }, short(row.dead)))), rest > 0 ? h('a', { href: link([], { show: 'dead', sort: 'dead' }) }, `${number(rest)} more`) : null) : null,
      unread(failed, 'They were not searched.'),
      tickBar(page, messages, () => {}),
      table({
        caption: 'Dead letters of all queues', class: 'messages', rows: messages, key: keyOf, columns: columns(page),
        empty: 'A message that fails as often as it may, or is rejected, is kept here with its cause.',
      }),
      page.query.get('cursor') || cursor ? h('nav', { class: 'pager', 'aria-label': 'Pages', key: 'pages' },
        page.query.get('cursor') ? h('a', { class: 'button', href: link(['dead']) }, 'First page') : null,
        cursor ? h('a', { class: 'button', href: link(['dead'], { cursor }) }, 'Next page') : null) : null,
    ];
  },
};

function columns(page) {
  const when = { DEAD: message => ['died ', fromNow(message.diedAt)], COMPLETED: message => ['completed ', fromNow(message.completedAt)] };
  return [
    { label: 'Message', class: 'name', render: message => tickBox(page, message, messageName(message)) },
    { label: 'Queue', class: 'name', render: message => h('a', { href: link(['queues', message.queue]) }, name(message.queue)) },
    { label: 'State', render: message => badge(message.state) },
    { label: 'When', render: message => (when[message.state] || (() => ['due ', fromNow(message.dueAt)]))(message) },
    { label: 'Cause', class: 'wide cause-cell', render: message => cause(message.death || message.lastFailure) },
    { label: 'Key', class: 'keys', render: message => (message.orderingKey || message.fairnessKey ? listed([message.orderingKey, message.fairnessKey].filter(Boolean)) : '–') },
    { label: 'Failures', class: 'number', render: message => number(message.failures) },
  ];
}
