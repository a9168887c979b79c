// Charts of the last hour, drawn by uPlot (uplot.js), which is loaded when the first of them is shown.

import { h, live } from './dom.js';
import { translated } from './language.js';
import { clock, number } from './parts.js';

let library = null;
let uPlot = null;
let tries = 0;

function load() {
  if (!library) {
    document.head.appendChild(h('link', { rel: 'stylesheet' })).href = new URL('./uplot.css', import.meta.url);
    // A browser may keep in mind that a module could not be loaded.
    library = import(tries === 0 ? './uplot.js' : `./uplot.js?${tries}`).then(module => {
      uPlot = module.default;
    }, failure => {
      library = null;
      tries++;
      throw failure;
    });
  }
  return library;
}

/**
 * A figure with a heading, a legend with the last values, the chart, and the same figures as a table.
 *
 * chart({title, from, stepMillis, series: [{label, values, tone, format}], format})
 */
export function chart({ title, from, stepMillis, series, format = number }) {
  const id = `chart-${title.toLowerCase().replace(/\W+/g, '-')}`;
  const start = new Date(from).getTime();
  const times = series[0].values.map((value, i) => (start + i * stepMillis) / 1000);
  return h('figure', { class: 'card chart', key: id, 'aria-labelledby': id },
    h('figcaption', null, h('h2', { id }, title),
      h('ul', { class: 'legend' }, series.map(line => h('li', null, h('span', { class: `key ${line.tone}`, 'aria-hidden': 'true' }),
        `${line.label} `, h('strong', null, format(line.values.at(-1))))))),
    live(`${id}-canvas`, { class: 'plot', role: 'img', 'aria-label': spoken(title, times, series, format) }, { times, series, format }, PLOT),
    h('details', { class: 'as-table' }, h('summary', null, 'As a table'), asTable(title, times, series, format)));
}

function spoken(title, times, series, format) {
  return `${title} in the last hour. ` + series.map(({ label, values }) => {
    const highest = Math.max(...values);
    const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
    return highest > 0 ? `${label}: ${format(values.at(-1))} now, ${format(mean)} on average, highest ${format(highest)} at ${
      clock(new Date(times[values.indexOf(highest)] * 1000))}.` : `${label}: nothing.`;
  }).join(' ');
}

/** One row for every five minutes, so that it can be read in one go. */
function asTable(title, times, series, format) {
  const rows = times.map((at, i) => i).filter(i => (times.length - 1 - i) % 5 === 0);
  return h('table', { role: 'table' }, h('caption', { class: 'unseen' }, `${title}, every five minutes`),
    h('thead', { role: 'rowgroup' }, h('tr', { role: 'row' }, h('th', { scope: 'col', role: 'columnheader' }, 'Minute'), series.map(({ label }) => h('th', { scope: 'col', role: 'columnheader', class: 'number' }, label)))),
    h('tbody', { role: 'rowgroup' }, rows.map(i => h('tr', { role: 'row' }, h('th', { scope: 'row', role: 'rowheader' }, clock(new Date(times[i] * 1000))),
      series.map(({ label, values }) => h('td', { role: 'cell', class: 'number', 'data-label': label }, format(values[i])))))));
}

/** 1, 2, 5, 10, …: no half messages and no half milliseconds at the axis. */
const STEPS = Array.from({ length: 13 }, (none, exponent) => [1, 2, 5].map(digit => digit * 10 ** exponent)).flat();

const PLOT = {
  create(element, data) {
    element.resize = new ResizeObserver(() => element.plot?.setSize(size(element)));
    element.recolour = () => draw(element);
    window.addEventListener('themechange', element.recolour);
    element.shown = data;
    load().then(() => {
      if (element.mounted) {
        draw(element);
        element.resize.observe(element);
      }
    }, () => {
      element.replaceChildren(h('p', { class: 'soft' }, 'The chart cannot be drawn: uplot.js could not be loaded. The table below has the same figures.'));
    });
  },
  update(element, data) {
    element.shown = data;
    element.plot?.setData(rows(data));
  },
  destroy(element) {
    window.removeEventListener('themechange', element.recolour);
    element.resize.disconnect();
    element.plot?.destroy();
  },
};

function rows({ times, series }) {
  return [times, ...series.map(({ values }) => values)];
}

function size(element) {
  return { width: Math.max(200, element.clientWidth), height: 190 };
}

function draw(element) {
  if (!uPlot) {
    return;
  }
  element.plot?.destroy();
  const { series, format } = element.shown;
  const colour = name => colourOf(element, name);
  const axis = { stroke: colour('--soft'), font: '12px system-ui, sans-serif', ticks: { show: false } };
  const widest = values => Math.max(...(values || ['']).map(value => value.length));
  element.plot = new uPlot({
    ...size(element),
    legend: { show: false },
    padding: [8, 8, 0, 0],
    cursor: { y: false, drag: { x: false, y: false }, sync: { key: 'redelay' }, points: { size: 7 } },
    scales: { x: { time: true }, y: { range: (plot, low, high) => [0, high > 0 ? high * 1.1 : 1] } },
    axes: [
      { ...axis, grid: { show: false }, size: 28, space: 70, values: (plot, splits) => splits.map(at => clock(new Date(at * 1000))) },
      { ...axis, grid: { stroke: colour('--line'), width: 1 }, space: 40, incrs: STEPS, values: (plot, splits) => splits.map(value => translated(format(value))),
        size: (plot, values) => 18 + 6.6 * widest(values), gap: 6 },
    ],
    series: [{}, ...series.map(({ label, tone }, i) => ({
      label, stroke: colour(`--${tone}`), width: 2, dash: i === 1 ? [6, 3] : undefined, points: { show: false },
      fill: i === 0 ? colour(`--${tone}`).replace('rgb(', 'rgba(').replace(')', ', 0.10)') : undefined,
    }))],
    hooks: { setCursor: [plot => tip(element, plot)] },
  }, rows(element.shown), element);
}

/** The values under the cursor, as text of the page, which wraps and scales with it. */
function tip(element, plot) {
  const { idx } = plot.cursor;
  let box = element.querySelector('.tip');
  if (idx === null || idx === undefined || plot.cursor.left < 0) {
    box?.remove();
    return;
  }
  if (!box) {
    box = element.appendChild(h('div', { class: 'tip' }));
  }
  const { times, series, format } = element.shown;
  box.replaceChildren(h('strong', null, clock(new Date(times[idx] * 1000))), ...series.map(({ label, values }) => h('span', null, `${label} ${format(values[idx])}`)));
  const left = plot.cursor.left + (plot.over.offsetLeft || 0);
  box.style.left = `${Math.min(left + 12, element.clientWidth - box.offsetWidth)}px`;
}

/** A colour of the style sheet as rgb(…), which a canvas understands. */
function colourOf(element, name) {
  const probe = element.appendChild(h('span', null));
  probe.style.color = `var(${name})`;
  const { color } = getComputedStyle(probe);
  probe.remove();
  return color;
}
