// One topic with its groups.

import { h } from './dom.js';
import { path } from './api.js';
import { confirm } from './dialog.js';
import { action, badge, count, duration, facts, fromNow, number, outside, say, table } from './parts.js';
import { retention } from './topics.js';
import { link } from './shell.js';

export default {
  title: page => `Topic ${page.params.topic}`,

  load(page) {
    return page.get(path`queues/-/topics/${page.params.topic}`);
  },

  render(data, page) {
    const { topic } = page.params;
    return [
      h('header', { class: 'head', key: 'head' },
        h('nav', { class: 'crumbs', 'aria-label': 'Path' }, h('span', { 'aria-hidden': 'true' }, '‹'), h('a', { href: '#/topics' }, 'All topics')),
        h('div', { class: 'head-line' }, h('h1', null, outside(topic)), h('div', { class: 'head-actions' }, action(page, 'Delete topic…', () => deleteTopic(page, topic))))),
      h('section', { class: 'card', 'aria-label': 'Topic', key: 'facts' }, facts([['Groups', number(data.groups.length)], ['Consumers', number(data.groups.reduce((sum, group) => sum + (group.consumers || 0), 0))], ['Keeps', retention(data)]])),
      table({
        caption: say`Groups of ${topic}`, rows: data.groups, key: group => group.name, empty: 'It has no groups: what is published is not collected. A listener with the name of a group subscribes one.',
        columns: [
          { label: 'Group', class: 'name', render: group => [h('a', { href: link(['queues', group.queue]) }, outside(group.name)), group.name.startsWith('_') ? h('div', { class: 'small soft' }, 'of one instance') : null, group.filter ? h('div', { class: 'small soft' }, say`only ${group.filter}`) : null] },
          { label: 'State', render: group => (group.state !== 'ACTIVE' ? badge('warn', 'No consumer') : group.paused ? badge('warn', 'Queue is paused') : group.gatedUntil ? badge('warn', 'Gate closed') : badge('ok', 'Consumed')) },
          { label: 'Consumers', class: 'number', render: group => number(group.consumers) },
          { label: 'Ready', class: 'number', render: group => number(group.ready) },
          { label: 'Oldest ready', class: 'number', render: group => (group.ready > 0 ? duration(group.oldestReadyAgeMillis) : '–') },
          { label: 'Scheduled', class: 'number', render: group => number(group.scheduled) },
          { label: 'In flight', class: 'number', render: group => number(group.inFlight) },
          { label: 'Dead', class: 'number', render: group => (group.dead > 0 ? h('a', { href: link(['queues', group.queue, 'dead']) }, number(group.dead)) : '0') },
          { label: 'Since', render: group => [fromNow(group.since, data.time), group.expiryMillis > 0 ? h('div', { class: 'small soft' }, `ends ${duration(group.expiryMillis)} after its last consumer`) : null] },
          page.config.write ? { label: 'Actions', hidden: true, class: 'act', render: group => actions(page, topic, group, data) } : null,
        ],
      }),
    ];
  },
};

function actions(page, topic, group, data) {
  return h('div', { class: 'buttons' },
    data.retains ? h('button', { type: 'button', class: 'quiet', 'aria-label': `Replay to ${group.name}`, key: 'replay', onclick: () => replay(page, topic, group.name) }, 'Replay…') : null,
    h('button', { type: 'button', class: 'quiet', 'aria-label': `Remove group ${group.name}`, key: 'remove', onclick: () => removeGroup(page, topic, group) }, 'Remove…'));
}

async function replay(page, topic, group) {
  const values = await confirm({
    title: say`Replay to ${group}`, text: 'What was published since then, and is kept, goes to this group once more.', action: 'Replay',
    fields: [{ name: 'since', label: 'Since', type: 'datetime-local', required: true, hint: 'In your time zone.' }],
  });
  if (values) {
    await page.act(() => page.post(path`queues/-/topics/${topic}/replay`, { group, since: new Date(values.since).toISOString() }),
      answer => (answer?.replayed === undefined ? say`It is replayed to ${group}.` : say`${[count(answer.replayed, 'message')]} ${[answer.replayed === 1 ? 'is' : 'are']} replayed to ${group}.`));
  }
}

async function removeGroup(page, topic, group) {
  const yes = await confirm({
    title: say`Remove group ${group.name}?`, text: `What it has is removed for good: ${count(group.ready + group.scheduled + group.dead, 'message')}. Nothing more is collected for it.`, action: 'Remove group', danger: true, typed: group.name,
  });
  if (yes) {
    await page.act(() => page.del(path`queues/-/topics/${topic}`, { group: group.name, confirm: group.name }), say`Group ${group.name} is removed.`);
  }
}

async function deleteTopic(page, topic) {
  const yes = await confirm({ title: say`Delete topic ${topic}?`, text: 'All its groups go with their messages, and what it keeps.', action: 'Delete topic', danger: true, typed: topic });
  if (yes && await page.act(() => page.del(path`queues/-/topics/${topic}`, { confirm: topic }), say`Topic ${topic} is deleted.`) !== undefined) {
    location.hash = '#/topics';
  }
}
