// What a queue is limited to, where that comes from, and how it is changed for all instances.

import { h } from './dom.js';
import { path } from './api.js';
import { confirm } from './dialog.js';
import { action, badge, list, ours, outside, say, section, table, time } from './parts.js';

const NAMES = {
  rateLimit: 'Rate limit', maxInFlight: 'In flight at most', keyRateLimit: 'Rate limit of each fairness key',
  keyMaxInFlight: 'In flight at most, of each fairness key', orderingKeyMaxLength: 'Longest line of an ordering key',
};

const ORIGINS = { SET: ['info', 'Set at run time'], DECLARED: ['ok', 'Declared'] };

/** The limits of a queue, and a button for those who may change them. */
export function limits(page, queue, { limits: all, changedAt, changedBy }) {
  const rows = all.filter(limit => limit.origin !== 'NONE');
  return section('Limits', table({
    caption: say`Limits of ${queue}`, rows, key: row => row.limit, empty: 'Nothing limits it.',
    columns: [
      { label: 'Limit', render: row => ours(NAMES[row.limit] || row.limit) },
      { label: 'Holds', render: row => list(row.inForce, ' or ') },
      { label: 'Where it comes from', render: row => badge(...(ORIGINS[row.origin] || ['info', row.origin])) },
      { label: 'Declared', render: row => (row.declared.length ? declared(row) : '–') },
    ],
  }), changedAt ? h('p', { class: 'small soft' }, 'Changed last ', time(changedAt), changedBy ? say` by ${changedBy}.` : '.') : null,
  action(page, 'Change limits…', () => change(page, queue, all)));
}

function declared(limit) {
  return limit.declared.map(({ value, by }, i) => [i ? '; ' : null, outside(value), ' (', list(by), ')']);
}

async function change(page, queue, all) {
  const values = await confirm({
    title: say`Change the limits of ${queue}`,
    text: 'They hold for all instances from their next claim on, and go before what is declared. Empty leaves a limit to what is declared. What is in hand is not interrupted.',
    action: 'Change limits',
    fields: all.map(limit => ({ name: limit.limit, label: NAMES[limit.limit] || limit.limit, value: limit.set ?? '', ...form(limit) })),
  });
  if (!values) {
    return;
  }
  const changed = Object.fromEntries(all.map(({ limit, set }) => [limit, values[limit].trim(), set ?? ''])
    .filter(([, value, before]) => value !== before).map(([limit, value]) => [limit, value]));
  if (!Object.keys(changed).length) {
    page.notify('Nothing was changed.');
    return;
  }
  await page.act(() => page.post(path`queues/${queue}/limits`, changed), say`The limits of ${queue} are changed.`);
}

function form(limit) {
  const known = declared(limit);
  const example = limit.limit.endsWith('RateLimit') || limit.limit === 'rateLimit' ? { hint: 'Such as 100/1s, or 100/1s bursting.' } : { type: 'number', min: 1, max: 1000000, hint: '' };
  return { ...example, hint: example.hint || known.length ? [example.hint, known.length ? [' Declared: ', known, '.'] : null] : undefined };
}
