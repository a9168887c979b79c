// Charts of the history of a queue, drawn by uPlot (uplot.js), which is loaded when the first of them is shown.

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
 * chart({title, from, stepMillis, series: [{label, values, tone, figure}], format, when, moment, marks, pick, choose, rows})
 *
 * `figure` is the text of a legend in place of the last value, `when` names the time, `moment` and `tick` write an instant in full and at the
 * axis. `marks` are vertical lines: [{at, label, tone, text}]. A click calls `pick(at)`, dragging `choose(from, to)`, in seconds. `rows` are
 * those of the table: {head, rows: [{at, name, values}]}.
 */
export function chart({ title, from, stepMillis, series, format = number, when = 'in the last hour', moment = clock, tick = clock, marks = [], pick, choose, rows }) {
  const id = `chart-${title.toLowerCase().replace(/\W+/g, '-')}`;
  const start = new Date(from).getTime();
  const times = series[0].values.map((value, i) => (start + i * stepMillis) / 1000);
  const few = times.length <= FEW;
  const shown = { times, series, format, step: stepMillis / 1000, moment, tick, marks, pick, choose, few };
  return h('figure', { class: 'card chart', key: id, 'aria-labelledby': id },
    h('figcaption', null, h('h2', { id }, title),
      h('ul', { class: 'legend' }, series.map(line => h('li', null, h('span', { class: `key ${line.tone}`, 'aria-hidden': 'true' }),
        `${line.label} `, h('strong', null, line.figure ?? format(line.values.at(-1))))))),
    live(`${id}-canvas-${few}`, { class: pick ? 'plot picks' : 'plot', role: 'img', 'aria-label': spoken(title, when, shown) }, shown, PLOT),
    h('details', { class: 'as-table' }, h('summary', null, 'As a table'), rows ? asGivenTable(title, rows, series, format) : asTable(title, times, series, format)));
}

/** Up to so many points are drawn each for itself: a line through two of them is hard to see. */
const FEW = 12;

function spoken(title, when, { times, series, format, moment, marks }) {
  return `${title} ${when}. ` + series.map(({ label, values, figure }) => {
    const highest = Math.max(...values);
    const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
    return highest > 0 ? `${label}: ${figure ?? `${format(values.at(-1))} now, ${format(mean)} on average`}, highest ${format(highest)} at ${
      moment(new Date(times[values.indexOf(highest)] * 1000))}.` : `${label}: nothing.`;
  }).concat(marks.length ? [`${marks.length === 1 ? 'One mark, listed' : `${marks.length} marks, listed`} below the charts.`] : []).join(' ');
}

function asGivenTable(title, { head, rows }, series, format) {
  return h('table', { role: 'table' }, h('caption', { class: 'unseen' }, title),
    h('thead', { role: 'rowgroup' }, h('tr', { role: 'row' }, h('th', { scope: 'col', role: 'columnheader' }, head), series.map(({ label }) => h('th', { scope: 'col', role: 'columnheader', class: 'number' }, label)))),
    h('tbody', { role: 'rowgroup' }, rows.map(({ at, name, values }) => h('tr', { role: 'row', key: at }, h('th', { scope: 'row', role: 'rowheader' }, name),
      series.map(({ label }, i) => h('td', { role: 'cell', class: 'number', 'data-label': label }, format(values[i])))))));
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
  const { series, format, few } = element.shown;
  const colours = new Map();
  const colour = name => colours.get(name) || colours.set(name, colourOf(element, name)).get(name);
  const axis = { stroke: colour('--soft'), font: '12px system-ui, sans-serif', ticks: { show: false } };
  const widest = values => Math.max(...(values || ['']).map(value => value.length));
  element.plot = new uPlot({
    ...size(element),
    legend: { show: false },
    padding: [8, 20, 0, 0],
    cursor: { y: false, drag: { x: Boolean(element.shown.choose), y: false, setScale: false, dist: 8 }, sync: { key: 'redelay' }, points: { size: 7 } },
    scales: { x: { time: true, range: (plot, low, high) => [high > low ? low : low - element.shown.step, high + element.shown.step] }, y: { range: (plot, low, high) => [0, high > 0 ? high * 1.1 : 1] } },
    axes: [
      { ...axis, grid: { show: false }, size: 28, space: 70, values: (plot, splits) => splits.map(at => element.shown.tick(new Date(at * 1000))) },
      { ...axis, grid: { stroke: colour('--line'), width: 1 }, space: 40, incrs: STEPS, values: (plot, splits) => splits.map(value => translated(format(value))),
        size: (plot, values) => 18 + 6.6 * widest(values), gap: 6 },
    ],
    series: [{}, ...series.map(({ label, tone }, i) => ({
      label, stroke: colour(`--${tone}`), width: 2, dash: i === 1 ? [6, 3] : undefined, points: { show: few },
      fill: i === 0 ? colour(`--${tone}`).replace('rgb(', 'rgba(').replace(')', ', 0.10)') : undefined,
    }))],
    hooks: { setCursor: [plot => tip(element, plot)], draw: [plot => drawMarks(element, plot, colour)], setSelect: [plot => chosen(element, plot)] },
  }, rows(element.shown), element);
  const { over } = element.plot;
  over.addEventListener('mousedown', () => {
    element.pressed = true;
  });
  over.addEventListener('click', () => {
    const { idx } = element.plot.cursor;
    if (idx !== null && idx !== undefined) {
      element.shown.pick?.(element.shown.times[idx]);
    }
  });
}

/** The part that was dragged over; the cursors of the other charts follow, and their parts mean nothing. */
function chosen(element, plot) {
  const { left, width } = plot.select;
  if (element.pressed && width > 0) {
    element.pressed = false;
    plot.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
    element.shown.choose?.(plot.posToVal(left, 'x'), plot.posToVal(left + width, 'x'));
  }
}

/** Vertical lines with their numbers above; where they are close together, the numbers of the first and the last one. */
function drawMarks(element, plot, colour) {
  const { ctx, bbox } = plot;
  const ratio = window.devicePixelRatio || 1;
  const places = element.shown.marks.map(mark => ({ ...mark, x: Math.round(plot.valToPos(mark.at, 'x', true)) })).filter(({ x }) => x >= bbox.left - 1 && x <= bbox.left + bbox.width + 1);
  ctx.save();
  ctx.lineWidth = ratio;
  ctx.setLineDash([3 * ratio, 3 * ratio]);
  ctx.font = `${11 * ratio}px system-ui, sans-serif`;
  ctx.textBaseline = 'top';
  const groups = [];
  for (const mark of places) {
    ctx.strokeStyle = colour(`--${mark.tone}`);
    ctx.beginPath();
    ctx.moveTo(mark.x + ratio / 2, bbox.top);
    ctx.lineTo(mark.x + ratio / 2, bbox.top + bbox.height);
    ctx.stroke();
    const group = groups.at(-1);
    if (group && mark.x - group.last.x < 22 * ratio) {
      group.last = mark;
    } else {
      groups.push({ first: mark, last: mark });
    }
  }
  ctx.fillStyle = colour('--text');
  for (const { first, last } of groups) {
    const label = first === last ? first.label : `${first.label}–${last.label}`;
    const atEnd = first.x + ctx.measureText(label).width + 4 * ratio > bbox.left + bbox.width;
    ctx.textAlign = atEnd ? 'right' : 'left';
    ctx.fillText(label, first.x + (atEnd ? -3 : 3) * ratio, bbox.top);
  }
  ctx.restore();
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
  const { times, series, format, step, moment, marks } = element.shown;
  const near = marks.filter(({ at }) => at >= times[idx] && at < times[idx] + step);
  box.replaceChildren(h('strong', null, moment(new Date(times[idx] * 1000))), ...series.map(({ label, values }) => h('span', null, `${label} ${format(values[idx])}`)),
    ...near.slice(0, 3).map(({ label, text }) => h('bdi', null, `${label} ${text.length > 60 ? `${text.slice(0, 60)}…` : text}`)), ...near.length > 3 ? [h('span', null, `and ${near.length - 3} more`)] : []);
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
