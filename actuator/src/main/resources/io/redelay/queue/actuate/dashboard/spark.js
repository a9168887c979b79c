// A line of the last hour, small enough for a table.

import { h } from './dom.js';

const WIDTH = 100;
const HEIGHT = 24;

/** spark([…60], {tone: 'chart-1', format}); its text alternative is the highest value. Nothing if there are no values. */
export function spark(values, { tone, format }) {
  if (!values || values.length < 2) {
    return null;
  }
  const highest = Math.max(...values);
  const step = WIDTH / (values.length - 1);
  const y = value => HEIGHT - 2 - (highest > 0 ? value / highest : 0) * (HEIGHT - 4);
  const line = values.map((value, i) => `${i ? 'L' : 'M'}${round(i * step)} ${round(y(value))}`).join('');
  return h('span', { class: highest > 0 ? `spark ${tone}` : 'spark flat' },
    h('svg', { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, preserveAspectRatio: 'none', 'aria-hidden': 'true' },
      h('path', { class: 'spark-area', d: `${line}L${WIDTH} ${HEIGHT}L0 ${HEIGHT}Z` }),
      h('path', { class: 'spark-line', d: line })),
    h('span', { class: 'unseen' }, `, highest in the last hour ${format(highest)}`));
}

function round(value) {
  return Math.round(value * 10) / 10;
}
