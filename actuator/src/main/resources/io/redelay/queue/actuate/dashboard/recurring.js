// Recurring messages, of one queue or of all, with their next runs.

import { h } from './dom.js';
import { path } from './api.js';
import { confirm } from './dialog.js';
import { brief } from './steer.js';
import { badge, count, duration, fromNow, head, number, ours, outside, pager, queueHeader, say, table, time, words } from './parts.js';
import { link } from './shell.js';

export default {
  title: page => (page.params.queue ? `Recurring messages of ${page.params.queue}` : 'Recurring messages'),

  load(page) {
    const { queue } = page.params;
    return page.get(queue ? path`queues/${queue}/recurring` : 'queues/-/recurring', { page: page.query.get('page') });
  },

  render(data, page) {
    const { queue } = page.params;
    const paused = data.recurring.filter(message => message.paused).length;
    return [
      queue ? queueHeader(page, { current: 'recurring' })
        : head('Recurring messages', `${count(data.total ?? data.recurring.length, 'message')} on a schedule${paused ? `, ${number(paused)} of them paused` : ''}.`),
      table({
        caption: 'Recurring messages', rows: data.recurring, key: row => `${row.queue} ${row.name}`,
        empty: queue ? ['Nothing recurs in this queue. ', h('a', { href: '#/recurring' }, 'Look at what recurs in all queues'), '.'] : 'Nothing recurs. Messages that the application declares with @RecurringMessage, or through RecurringMessages, appear here.',
        columns: [
          { label: 'Message', class: 'name', render: row => [h('strong', null, outside(row.name)), queue ? null : h('div', { class: 'small' }, h('a', { href: link(['queues', row.queue]) }, outside(row.queue)))] },
          { label: 'State', render: state },
          { label: 'Schedule', render: row => [h('span', { class: 'mono' }, schedule(row.schedule)), h('div', { class: 'small soft' }, policies(row)), h('div', { class: 'small soft' }, limits(row))] },
          { label: 'Next runs', class: 'runs', render: row => nextRuns(row, data.time) },
          { label: 'Last run', render: row => [row.lastTick ? fromNow(row.lastTick, data.time) : 'not yet', keptState(row)] },
          { label: 'Declared', render: row => h('span', { class: 'small' }, row.declaredByApi ? 'while running' : 'in the code', row.declaredByName || row.declaredBy ? say`, by ${row.declaredByName || row.declaredBy}` : null) },
          page.config.write ? { label: 'Actions', hidden: true, class: 'act', render: row => actions(page, row) } : null,
        ],
      }),
      pager(page, data, 'message'),
    ];
  },
};

/** every PT1H30M is every 1 h 30 min */
function schedule(text) {
  const [, days, hours, minutes, seconds] = /^every P(?:(\d+)D)?T?(?:(\d+)H)?(?:(\d+)M)?(?:([\d.]+)S)?$/.exec(text) || [];
  const millis = ((Number(days || 0) * 24 + Number(hours || 0)) * 60 + Number(minutes || 0)) * 60000 + Number(seconds || 0) * 1000;
  return millis > 0 ? ours(`every ${duration(millis)}`) : outside(text);
}

function state(row) {
  return row.ended ? badge('COMPLETED', 'Ended') : row.paused ? badge('PAUSED') : row.running?.length ? badge('busy', row.running.length === 1 ? 'Running' : `${row.running.length} runs`) : badge('ok', 'Waits');
}

const MISSED = { SKIP: 'missed runs are skipped', ONCE: 'missed runs are made up for once', ALL: 'each missed run is made up for' };
const OVERLAP = { SKIP: 'none while one is under way', QUEUE: 'runs wait for each other', SIDE_BY_SIDE: 'runs may overlap' };

function policies(row) {
  return [MISSED[row.missed] || (row.missed ? `missed: ${words(row.missed)}` : null), OVERLAP[row.overlap] || (row.overlap ? `overlap: ${words(row.overlap)}` : null)].filter(Boolean).join('; ');
}

/** From when until when it runs, how often, and how its runs are spread. */
function limits(row) {
  const { from, until, jitterMillis } = row.limits || {};
  return [
    from ? ['from ', time(from)] : null, until ? ['until ', time(until)] : null,
    row.runsLeft === undefined ? null : `${count(row.runsLeft, 'run')} left of ${number(row.runs + row.runsLeft)}`,
    jitterMillis > 0 ? `up to ${duration(jitterMillis)} later` : null,
  ].filter(Boolean).map((limit, i) => [i ? '; ' : null, limit]);
}

/** The state that its runs keep: without secrets, and only for those who may see payloads. */
function keptState(row) {
  if (row.stateMasked) {
    return h('div', { class: 'small soft' }, 'State hidden');
  }
  return row.state ? h('details', null, h('summary', null, 'State'), h('pre', { class: 'small', tabindex: '0', 'aria-label': `State of ${row.name}` }, row.state)) : null;
}

function nextRuns(row, now) {
  const [next, ...others] = row.nextRuns || [];
  if (!next) {
    return row.paused ? '–' : 'none';
  }
  return [h('div', null, fromNow(next, now)), h('div', { class: 'small soft' }, time(next)), others.length ? h('details', null, h('summary', null, 'Then'), h('ol', { class: 'plain-list small' }, others.map(run => h('li', null, time(run))))) : null];
}

function actions(page, row) {
  const at = path`queues/${row.queue}/recurring/${row.name}`;
  const name = brief(row.name);
  const button = (label, style, onclick) => h('button', { type: 'button', class: style, 'aria-label': `${label} ${row.name}`, onclick, key: label }, label);
  return h('div', { class: 'buttons' },
    button('Run now', null, () => page.act(() => page.post(`${at}/run`), say`${name} runs.`)),
    row.paused ? button('Resume', 'quiet', () => page.act(() => page.post(`${at}/resume`), say`${name} goes on.`))
      : button('Pause', 'quiet', () => page.act(() => page.post(`${at}/pause`), say`${name} is paused.`)),
    button('Remove', 'quiet', async () => {
      const yes = await confirm({
        title: say`Remove ${name}?`, action: 'Remove', danger: true,
        text: row.declaredByApi ? 'It does not run again. A run that has begun goes on.' : 'It does not run again until an instance that declares it starts. A run that has begun goes on.',
      });
      if (yes) {
        await page.act(() => page.del(at), say`${name} is removed.`);
      }
    }));
}
