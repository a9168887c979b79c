// When how much of a queue is due, against what its handlers can do; each bar leads to its messages, and to what can be done with them.

import { h } from './dom.js';
import { locale } from './language.js';
import { path } from './api.js';
import { askForBulk, jobCard, ownJob } from './steer.js';
import { action, badge, clock, count, duration, facts, fromNow, number, queueHeader, section, short, table, time } from './parts.js';
import { link } from './shell.js';

const SPANS = [['HOUR', 'Next hour'], ['DAY', 'Next day'], ['WEEK', 'Next week'], ['MONTH', 'Next month']];
const IN_WORDS = { HOUR: 'hour', DAY: 'day', WEEK: 'week', MONTH: 'month' };
const LABEL_EACH = { HOUR: 3, DAY: 3, WEEK: 1, MONTH: 4 };
const CLOCKS_DIFFER_MILLIS = 30000;

const day = new Intl.DateTimeFormat(locale, { weekday: 'short', day: 'numeric', month: 'short' });
const date = new Intl.DateTimeFormat(locale, { day: 'numeric', month: 'short' });
const weekday = new Intl.DateTimeFormat(locale, { weekday: 'short' });

export default {
  title: page => `Calendar of ${page.params.queue}`,

  async load(page) {
    const { queue } = page.params;
    const [calendar, job] = await Promise.all([read(page, queue), ownJob(page, queue)]);
    // Only how many there are: their next runs are in the bars.
    page.state.recurring ??= (await page.get(path`queues/${queue}/recurring`, { size: 1 })).total;
    return { ...calendar, job, recurring: page.state.recurring };
  },

  render(data, page) {
    const { queue } = page.params;
    const span = spanOf(page);
    const chosen = data.bars.find(bar => bar.to === page.query.get('until'));
    const to = change => link(['queues', queue, 'calendar'], { span, ...change });
    if (chosen && page.state.chosen !== chosen.to) {
      page.announce(spoken(chosen, span));
    }
    page.state.chosen = chosen?.to;
    return [
      queueHeader(page, { current: 'calendar', state: data.paused ? badge('PAUSED') : null }),
      data.job ? jobCard(page, queue, data.job) : null,
      h('nav', { class: 'choices', 'aria-label': 'How far ahead', key: 'spans' }, SPANS.map(([name, label]) => h('a', {
        href: link(['queues', queue, 'calendar'], { span: name }), 'aria-current': name === span ? 'true' : null }, label))),
      chart(page, data, span, to),
      chosen ? barCard(page, queue, chosen, data, span)
        : page.query.get('until') ? h('p', { class: 'soft', key: 'over' }, 'The time of the bar that was chosen is over, or not in this span.') : null,
      section('How to read this', notes(data)),
    ];
  },
};

function spanOf(page) {
  const span = page.query.get('span');
  return SPANS.some(([name]) => name === span) ? span : 'DAY';
}

/** Hours and days are those of the reader; a server that does not know the name of the zone is asked by its offset. */
async function read(page, queue) {
  const ask = zone => page.get(path`queues/${queue}/calendar`, { span: spanOf(page), zone });
  page.state.zone ??= Intl.DateTimeFormat().resolvedOptions().timeZone || offset();
  try {
    return await ask(page.state.zone);
  } catch (failure) {
    if (failure.parameter !== 'zone') {
      throw failure;
    }
    page.state.zone = offset();
    return ask(page.state.zone);
  }
}

function offset() {
  const minutes = -new Date().getTimezoneOffset();
  const two = value => String(Math.floor(value)).padStart(2, '0');
  return `${minutes < 0 ? '-' : '+'}${two(Math.abs(minutes) / 60)}:${two(Math.abs(minutes) % 60)}`;
}

/** Mon, 4 May, 09:00 to 10:00; a whole day is named once. */
function when({ from, to }, span) {
  const begin = new Date(from);
  const end = new Date(to);
  if (span === 'MONTH') {
    const partly = begin.getHours() || begin.getMinutes() || begin.getSeconds();
    return partly ? `${day.format(begin)}, from ${clock(begin)}` : day.format(begin);
  }
  return `${day.format(begin)}, ${clock(begin)} to ${clock(end)}`;
}

/** 80,000 due, your handlers need 14 min */
function load(bar) {
  const due = `${number(bar.due)} due`;
  if (!bar.due || bar.handlingMillis === undefined) {
    return due;
  }
  return `${due}, your handlers need ${duration(bar.handlingMillis)}${bar.overrunMillis > 0 ? `, and are ${duration(bar.overrunMillis)} behind at its end` : ''}`;
}

function spoken(bar, span) {
  return `${when(bar, span)}: ${load(bar)}.`;
}

function chart(page, data, span, to) {
  const { bars } = data;
  const most = Math.max(...bars.map(bar => bar.due));
  const shown = bars.reduce((sum, bar) => sum + bar.due, 0);
  const highest = bars.find(bar => bar.due === most);
  const until = page.query.get('until');
  const over = bars.some(bar => bar.overrunMillis > 0);
  return h('figure', { class: 'card calendar', key: 'calendar', 'aria-labelledby': 'calendar-title' },
    h('figcaption', null, h('h2', { id: 'calendar-title' }, `Due in the next ${IN_WORDS[span]}`), h('p', { class: 'lead' },
      shown === 0 ? `Nothing is due in the next ${IN_WORDS[span]}.` : [h('strong', null, number(shown)), ` of ${count(data.scheduled, 'scheduled message')}. Most in one bar: ${spoken(highest, span)}`])),
    h('ol', { class: 'bars', 'aria-label': `${count(bars.length, 'bar')}; arrow keys go from one to the next`, onkeydown: walk }, bars.map((bar, i) => h('li', { key: bar.to },
      h('a', {
        href: to({ until: bar.to === until ? null : bar.to }), class: bar.overrunMillis > 0 ? 'bar over' : 'bar', 'aria-current': bar.to === until ? 'true' : null,
        'aria-label': spoken(bar, span), title: spoken(bar, span),
      },
      h('span', { class: 'bar-count', 'aria-hidden': 'true' }, [bar.overrunMillis > 0 ? '▲' : null, bar.due > 0 && bar.due === most ? short(bar.due) : null].filter(Boolean).join(' ')),
      h('svg', { viewBox: '0 0 10 100', preserveAspectRatio: 'none', 'aria-hidden': 'true' },
        h('rect', { class: 'bar-ground', x: 0, y: 99, width: 10, height: 1 }), bar.due > 0 ? h('rect', { x: 1, width: 8, ...heightOf(bar.due / most) }) : null),
      h('span', { class: 'bar-label', 'aria-hidden': 'true' }, i < bars.length - 2 ? label(bar, i, span) : ''))))),
    over ? h('p', { class: 'small soft' }, '▲ Handlers are not done by the end of the bar.') : null,
    h('details', { class: 'as-table' }, h('summary', null, 'As a table'), asTable(page, data, span)));
}

/** What is there is seen, however little it is. */
function heightOf(share) {
  const height = Math.max(2, Math.round(share * 1000) / 10);
  return { y: Math.round((100 - height) * 10) / 10, height };
}

function label({ from }, i, span) {
  const begin = new Date(from);
  if (span === 'WEEK') {
    return begin.getHours() === 0 && begin.getMinutes() === 0 ? weekday.format(begin) : '';
  }
  return i % LABEL_EACH[span] ? '' : span === 'MONTH' ? date.format(begin) : clock(begin);
}

function walk(event) {
  const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
  const links = [...event.currentTarget.querySelectorAll('a')];
  const next = step && links[links.indexOf(document.activeElement) + step];
  if (next) {
    event.preventDefault();
    next.focus();
  }
}

function messagesLink(queue, bar) {
  return link(['queues', queue, 'messages'], { state: 'SCHEDULED', ...within(bar) });
}

function within({ from, to }) {
  return { dueAfter: from, dueBefore: to };
}

function asTable(page, data, span) {
  const { queue } = page.params;
  return table({
    caption: `When messages of ${queue} are due`, rows: data.bars, key: bar => bar.to,
    columns: [
      { label: 'Time', render: bar => when(bar, span) },
      { label: 'Begins', render: bar => fromNow(bar.from, data.time) },
      { label: 'Due', class: 'number', render: bar => (bar.due > 0 ? h('a', { href: messagesLink(queue, bar), 'aria-label': `Messages of ${when(bar, span)}: ${number(bar.due)}` }, number(bar.due)) : '0') },
      { label: 'Handlers need', class: 'number', render: bar => duration(bar.handlingMillis) },
      { label: 'Behind at its end', class: 'number', render: bar => (bar.overrunMillis > 0 ? duration(bar.overrunMillis) : bar.overrunMillis === 0 ? 'no' : '–') },
    ],
  });
}

function barCard(page, queue, bar, data, span) {
  const started = job => {
    page.state.job = job.id;
  };
  const ask = name => askForBulk(page, queue, name, { filters: within(bar), state: 'SCHEDULED', n: bar.due, handled: data.perSecond }, started);
  return h('section', { class: 'card', 'aria-labelledby': 'bar-title', key: 'bar' }, h('h2', { id: 'bar-title' }, when(bar, span)),
    facts([
      ['Due', number(bar.due)],
      ['Begins', [fromNow(bar.from, data.time), ', ', time(bar.from)]],
      ['Ends', [fromNow(bar.to, data.time), ', ', time(bar.to)]],
      bar.handlingMillis === undefined ? null : ['Your handlers need', duration(bar.handlingMillis)],
      bar.overrunMillis > 0 ? ['Behind at its end', duration(bar.overrunMillis)] : null,
    ]),
    bar.due > 0 ? h('div', { class: 'buttons' }, h('a', { class: 'button', href: messagesLink(queue, bar) }, 'Show the messages'),
      action(page, 'Spread…', () => ask('SPREAD')), action(page, 'Reschedule…', () => ask('RESCHEDULE'))) : null);
}

function notes(data) {
  const ahead = Date.now() - new Date(data.time);
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  return h('ul', { class: 'plain-list' }, [
    data.paused ? 'The queue is paused: how long handlers need is not known.'
      : data.perSecond === undefined ? 'How long handlers need is not known: no instance consumes the queue, or nothing was handled in the last hour.'
        : `Your handlers do ${number(data.perSecond)} a second, by their number, the time that they took lately and the limits of the queue, if they do nothing else.`,
    data.ready > 0 ? `${count(data.ready, 'message is', 'messages are')} ready now; handlers do ${data.ready === 1 ? 'it' : 'them'} first.` : null,
    data.later > 0 ? `${count(data.later, 'scheduled message is', 'scheduled messages are')} due later than shown.` : null,
    data.retrying > 0 ? `Messages that wait for another attempt are in the bars: ${number(data.retrying)} of all that live ${data.retrying === 1 ? 'has' : 'have'} failed before. The list of a bar shows their failures.` : null,
    data.recurring > 0 ? `Of ${count(data.recurring, 'recurring message')} only the next run is in the bars; the runs after it are scheduled one by one.` : null,
    `Times are in your time zone${zone ? `, ${zone}` : ''}, by the clock of Redis.`,
    Math.abs(ahead) > CLOCKS_DIFFER_MILLIS ? `The clock of this device is ${duration(Math.abs(ahead))} ${ahead > 0 ? 'ahead of' : 'behind'} it.` : null,
  ].filter(Boolean).map((text, i) => h('li', { key: i }, text)));
}
