// The history of a queue: its last hour, day or month, a part of it, and what happened around the queue meanwhile.

import { h } from './dom.js';
import { path } from './api.js';
import { chart } from './chart.js';
import { locale } from './language.js';
import { link } from './shell.js';
import { clock, count, duration, number, outside, plain, say, time, words } from './parts.js';

const SPANS = [['HOUR', 'Last hour', 'hour'], ['DAY', 'Last day', 'day'], ['MONTH', 'Last month', 'month']];
/** How many steps make a row of the table. */
const STEPS_A_ROW = { DAY: 4, MONTH: 6 };
const EACH = { HOUR: 'a minute', DAY: 'each 15 minutes', MONTH: 'each 4 hours' };
const MOST_MARKS = 60;
/** What an address may ask for, so that an earlier or later part is a date as well. */
const LONGEST_PART = 40 * 86400000;
const LAST_INSTANT = 32503680000000;

const dayAndMonth = new Intl.DateTimeFormat(locale, { day: 'numeric', month: 'short' });
const weekday = new Intl.DateTimeFormat(locale, { weekday: 'short', day: 'numeric', month: 'short' });

/** The history that the address asks for, or null for the last hour, which comes with the queue. */
export async function loadHistory(page, queue) {
  const part = partOf(page);
  const from = SPANS.findIndex(([name]) => name === spanOf(page));
  for (const [name] of SPANS.slice(from)) {
    if (name === 'HOUR' && !part) {
      return null;
    }
    const history = await page.get(path`queues/${queue}/history`, { span: name });
    // A part that is over in this span is still there in the next one, in longer steps.
    if (name === 'MONTH' || !part || part.from >= new Date(history.from).getTime()) {
      return { ...history, span: name };
    }
  }
  return null;
}

function spanOf(page) {
  const span = page.query.get('span');
  return SPANS.some(([name]) => name === span) ? span : 'HOUR';
}

function partOf(page) {
  const [from, to] = ['from', 'to'].map(name => new Date(page.query.get(name) || NaN).getTime());
  return from > 0 && to > from && to - from <= LONGEST_PART && to < LAST_INSTANT ? { from, to } : null;
}

export function historySection(page, given) {
  const span = given.span || 'HOUR';
  const part = partOf(page);
  const history = part ? cut(given, part) : { ...given, first: 0 };
  const zoom = (from, to) => zoomed(page, given, from, to);
  const marks = marksOf(history);
  const id = 's-history';
  return h('section', { class: 'history', 'aria-labelledby': id, key: 'history' }, h('div', { class: 'history-head' }, h('h2', { id }, 'History'),
    h('nav', { class: 'choices', 'aria-label': 'How far back' }, SPANS.map(([name, label]) => h('a', {
      href: here(page, { span: name === 'HOUR' ? null : name }), 'aria-current': name === span && !part ? 'true' : null }, label))),
    part ? partLinks(page, part, history, span, zoom) : null),
  history.handled.length ? h('div', { class: 'grid' }, charts(page, history, span, part, marks, zoom))
    : h('p', { class: 'none' }, 'The part that was chosen is not in the history: it begins a month ago.'),
  marks.length ? marksList(marks) : null);
}

function here(page, query) {
  return link(['queues', page.params.queue], query);
}

/** The steps that begin in a part of the history, or the one that it is in; and when the first of them begins and the last one ends. */
function cut(history, { from, to }) {
  const start = new Date(history.from).getTime();
  const all = history.handled.length;
  const step = time => (time - start) / history.stepMillis;
  const within = place => Math.max(0, Math.min(all, place));
  const end = within(Math.ceil(step(to)));
  const first = within(Math.max(Math.floor(step(from)), Math.min(Math.ceil(step(from)), end - 1)));
  const some = Object.fromEntries(Object.entries(history).map(([name, value]) => [name, Array.isArray(value) && name !== 'marks' ? value.slice(first, end) : value]));
  const begins = start + first * history.stepMillis;
  const ends = start + end * history.stepMillis;
  return { ...some, from: new Date(begins).toISOString(), ends, first, isCutAtEnd: end < all,
    marks: (history.marks || []).filter(mark => new Date(mark.time) >= begins && new Date(mark.time) < ends) };
}

/** An address of a part, in the finest steps that reach back so far: a minute for an hour, a quarter of an hour for a day. */
function zoomed(page, history, from, to) {
  const now = new Date(history.from).getTime() + history.stepMillis * history.handled.length;
  const age = now - from;
  const span = age <= 3600000 ? 'HOUR' : age <= 23.75 * 3600000 ? 'DAY' : 'MONTH';
  return here(page, { span: span === 'HOUR' ? null : span, from: new Date(from).toISOString(), to: new Date(to).toISOString() });
}

function partLinks(page, { from, to }, history, span, zoom) {
  const width = to - from;
  const [, , word] = SPANS.find(([name]) => name === span);
  const [begins, ends] = history.handled.length ? [history.from, history.ends] : [from, to];
  return h('nav', { class: 'history-part', 'aria-label': 'Part of the history' }, h('strong', null, `${moment(new Date(begins))} to ${moment(new Date(ends))}`),
    h('a', { class: 'button', href: zoom(from - width, from) }, 'Earlier'),
    history.isCutAtEnd ? h('a', { class: 'button', href: zoom(to, to + width) }, 'Later') : null,
    h('a', { class: 'button', href: here(page, { span: span === 'HOUR' ? null : span }) }, `Whole ${word}`));
}

function moment(date) {
  return `${weekday.format(date)}, ${clock(date)}`;
}

function charts(page, history, span, part, marks, zoom) {
  const { from, stepMillis, lastMinute = {} } = history;
  const isHour = span === 'HOUR';
  const isNow = isHour && !history.isCutAtEnd;
  const sum = values => values.reduce((all, value) => all + value, 0);
  const series = (label, values, tone, join, figure) => ({ label, tone, values: isNow ? upToNow(values, join) : values, figure: isHour ? undefined : figure });
  const counts = (label, kind, tone) => {
    const values = history[kind] || [];
    return series(label, values, tone, last => lastMinute[kind] ?? last, number(sum(values)));
  };
  const means = (label, values = [], numbers = [], tone) => {
    const mean = sum(values.map((value, i) => value * (numbers[i] || 0))) / sum(numbers);
    return series(label, values, tone, (last, before) => last || before, duration(Number.isFinite(mean) ? mean : undefined));
  };
  const depth = history.depth || [];
  const [, , word] = SPANS.find(([name]) => name === span);
  const common = (lines, join) => ({
    from, stepMillis, series: lines, marks: marks.map(({ at, label, tone, text }) => ({ at, label, tone, text })),
    when: part ? 'in the chosen part' : `in the last ${word}`,
    moment: isHour ? clock : moment, tick: axis(span, history),
    pick: isHour ? undefined : at => {
      location.hash = picked(span, at * 1000, zoom);
    },
    choose: (low, high) => {
      location.hash = zoom(Math.floor(low * 1000 / stepMillis) * stepMillis, Math.ceil(high * 1000 / stepMillis) * stepMillis);
    },
    rows: isHour ? undefined : tableRows(history, span, lines, join, zoom),
  });
  const chartOf = (title, lines, join, format) => chart({ title, format, ...common(lines, join) });
  const highest = values => Math.max(0, ...values);
  return [
    chartOf(`Messages ${EACH[span]}`, [counts('Handled', 'handled', 'chart-2'), counts('Sent', 'sent', 'chart-1')], sum),
    chartOf(isHour ? 'Waiting' : 'Waiting at most', [series('Ready', depth, 'chart-1', last => last, number(highest(depth)))], highest),
    chartOf(`Failures ${EACH[span]}`, [counts('Failed attempts', 'failed', 'chart-3'), counts('Died', 'dead', 'chart-4')], sum),
    chartOf('Time', [means('Wait for a handler', history.waitMillis, history.waits, 'chart-4'), means('Handling', history.handlingMillis, history.runs, 'chart-2')], highest, duration),
  ];
}

/** The running minute has had little time: the last sixty seconds stand in its place, so that no line ends with a fall. */
function upToNow(values, join) {
  return values.length < 2 ? values : [...values.slice(0, -1), join(values.at(-1), values.at(-2))];
}

/** Dates where a part is longer than two days, else times. */
function axis(span, { handled, stepMillis }) {
  return span === 'MONTH' && handled.length * stepMillis > 2 * 86400000 ? date => dayAndMonth.format(date) : clock;
}

/** What a step of a day or a month opens: that day, that hour, or that quarter of an hour if its minutes are known. */
function picked(span, at, zoom) {
  const [from, to] = around(span, at);
  return zoom(from, to);
}

function around(span, at) {
  const from = new Date(at);
  from.setMinutes(0, 0, 0);
  if (span === 'DAY') {
    return [from.getTime(), from.getTime() + 3600000];
  }
  from.setHours(0);
  const to = new Date(from);
  to.setDate(to.getDate() + 1);
  return [from.getTime(), to.getTime()];
}

/** A row an hour of a day, or a day of a month, as a way into it. */
function tableRows(history, span, series, join, zoom) {
  const start = new Date(history.from).getTime();
  const rows = [];
  series[0].values.forEach((value, i) => {
    const [from, to] = around(span, start + i * history.stepMillis);
    if (rows.at(-1)?.at !== from) {
      rows.push({ at: from, to, parts: series.map(() => []) });
    }
    series.forEach(({ values }, place) => rows.at(-1).parts[place].push(values[i]));
  });
  return {
    head: span === 'DAY' ? 'Hour' : 'Day',
    rows: rows.map(({ at, to, parts }) => ({
      at, name: h('a', { href: zoom(at, to) }, span === 'DAY' ? moment(new Date(at)) : weekday.format(new Date(at))), values: parts.map(join),
    })),
  };
}

// What happened meanwhile

const TONES = { DEPLOYED: 'accent', REDIS_WENT_BACK: 'bad', INSTANCE_SILENT: 'bad', PAUSED: 'warn', CLOSED: 'warn' };

function marksOf(history) {
  return (history.marks || []).map((mark, i) => ({
    ...mark, at: new Date(mark.time).getTime() / 1000, label: String(i + 1), tone: TONES[mark.kind] || 'soft', said: sayMark(mark), text: plain(sayMark(mark)),
  }));
}

function sayMark({ kind, instance, application, version, detail }) {
  const who = instance ? outside(instance) : 'An instance';
  const of = application || version ? [' (', outside([application, version].filter(Boolean).join(' ')), ')'] : [];
  const by = instance ? say`, by ${instance}` : [];
  switch (kind) {
    case 'DEPLOYED': return say`${[application || 'The application', version].filter(Boolean).join(' ')} came after ${detail || 'another version'}, first on ${[who]}`;
    case 'INSTANCE_STARTED': return [who, ' started', of];
    case 'INSTANCE_STOPPED': return [who, ' stopped', of];
    case 'INSTANCE_SILENT': return [who, ' was not heard of any more', of];
    case 'INSTANCE_RETURNED': return [who, ' was heard of again', of];
    case 'REDIS_WENT_BACK': return ['Redis went back in time'];
    case 'JOB_STARTED': return ['A job began: ', words(detail || ''), by];
    case 'REDRIVEN': return [`${count(Number(detail), 'dead message')} redriven`, by];
    default: return [`The queue was ${words(kind)}`, by];
  }
}

function marksList(marks) {
  const some = marks.slice(-MOST_MARKS);
  const id = 's-history-marks';
  const items = some.reverse().map(({ label, tone, said, time: at, kind }) => h('li', { key: `${label} ${at} ${kind}`, class: tone }, h('span', { class: 'mark-number' }, label),
    h('span', null, time(at), ' ', said)));
  return h('details', { class: 'card history-marks', open: marks.length <= 12, key: 'marks' }, h('summary', { id }, `What happened meanwhile: ${count(marks.length, 'mark')}`),
    h('ol', { 'aria-labelledby': id }, items),
    marks.length > some.length ? h('p', { class: 'soft small' }, `${count(marks.length - some.length, 'earlier mark')}: choose a shorter time to see them.`) : null);
}
