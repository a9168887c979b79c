// Why a queue is behind: in words, with the figures they follow from, and what to do.

import { h } from './dom.js';
import { link } from './shell.js';
import { badge, count, duration, facts, kindWords, list, number, ours, outside, percent, rate } from './parts.js';

export function diagnosis(found) {
  const { figures = {} } = found;
  const findings = (found.findings || []).filter(({ kind }) => kind !== 'KEEPING_UP');
  const wrong = findings.some(({ severity }) => severity !== 'INFO');
  return h('section', { class: `card diagnosis ${found.behind ? 'behind' : wrong ? 'wrong' : 'well'}`, 'aria-labelledby': 'diagnosis', key: 'diagnosis' },
    h('h2', { id: 'diagnosis', class: 'eyebrow' }, found.behind ? 'Why this queue is behind' : wrong ? 'Nothing is late, but something is wrong' : 'This queue keeps up'),
    h('p', { class: 'verdict' }, ours(found.summary)),
    findings.length ? h('ol', { class: 'findings' }, findings.map((finding, i) => h('li', { key: `${finding.kind} ${i}` },
      h('div', { class: 'finding-head' }, badge(finding.severity), h('h3', { class: 'kind' }, ours(heading(finding, found)))),
      h('p', null, ours(finding.text)),
      finding.mend ? h('p', { class: 'mend' }, h('span', { class: 'mend-word' }, 'What to do: '), ours(finding.mend), further(finding, found.queue)) : null,
      shown(finding.figures)))) : null,
    facts([
      ['Arrive', rate(figures.arrivalPerSecond)],
      ['Handled', rate(figures.servicePerSecond)],
      ['Oldest ready', figures.ready === 0 ? '–' : duration(figures.oldestReadyAgeMillis)],
      ['Late, on average', duration(figures.meanLatenessMillis)],
      ['Late, at most', duration(figures.maxLatenessMillis)],
      ['Handlers busy', figures.concurrency === undefined ? '–' : `${number(figures.busy)} of ${number(figures.concurrency)}`],
      ['Handling takes', duration(figures.meanHandlingMillis)],
      ['Time to drain', drain(figures)],
    ]));
}

/** A time that is not known yet, or means nothing as nothing is delivered, is a dash; the verdict says when it is never done. */
function drain({ ready, timeToDrainMillis: millis }) {
  return ready === 0 || millis === 0 ? 'nothing waits' : duration(millis);
}

/** The verdict has said what the first finding is already; its kind is enough then. */
function heading({ headline, kind }, { summary }) {
  return sentence(!headline || String(summary).toLowerCase().startsWith(headline.toLowerCase()) ? kindWords(kind) : headline);
}

/** Where to look next. */
function further({ kind, figures = {} }, queue) {
  const other = figures.queues?.[0] || figures.waitsFor?.[0] || queue;
  const [label, address] = {
    FAILING: ['Dead letters by cause', ['queues', queue, 'dead']],
    DEAD_LETTERS: ['Dead letters by cause', ['queues', queue, 'dead']],
    RETRY_BACKLOG: ['What waits', ['queues', queue, 'messages']],
    KEYS_IN_TURN: ['Keys that wait', ['queues', queue, 'keys']],
    RATE_LIMITED: ['Limits', ['queues', queue, 'keys']],
    CONCURRENCY_LIMITED: ['Limits', ['queues', queue, 'keys']],
    GATED: ['Gates and limits', ['queues', queue, 'keys']],
    OTHER_QUEUE_FIRST: [`What runs of ${other}`, ['queues', other, 'running']],
    OTHER_QUEUE_BUSY: [`What runs of ${other}`, ['queues', other, 'running']],
    LOCKED: ['Who holds which lock', ['locks']],
    ALL_HANDLERS_BUSY: ['What runs now', ['queues', queue, 'running']],
    SLOW_HANDLER: ['What runs now', ['queues', queue, 'running']],
    NO_CONSUMER: ['Instances', ['instances']],
    CONSUMER_SILENT: ['Instances', ['instances']],
    CONSUMER_STOPPED: ['Instances', ['instances']],
    REDIS_SLOW: ['Instances', ['instances']],
  }[kind] || [];
  return label ? [' ', h('a', { href: link(address) }, ours(label))] : null;
}

/** A screen reader hears the diagnosis when it changes, figures aside. */
export function spokenDiagnosis(found, page) {
  const kinds = (found.findings || []).map(finding => finding.kind).join(' ');
  if (page.state.kinds !== undefined && page.state.kinds !== kinds) {
    page.announce(found.summary);
  }
  page.state.kinds = kinds;
}

function sentence(text) {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

function shown(figures) {
  const entries = Object.entries(figures || {}).filter(([, value]) => value !== null && value !== undefined);
  return entries.length ? h('details', { class: 'follows' }, h('summary', null, 'Follows from'),
    facts(entries.map(([name, value]) => [label(name), figure(name, value)]), 'plain')) : null;
}

function label(name) {
  return sentence(name.replace(/Millis$|PerSecond$/, '').replace(/([A-Z])/g, letter => ` ${letter.toLowerCase()}`));
}

function figure(name, value) {
  if (typeof value !== 'number') {
    return Array.isArray(value) ? list(value) : outside(typeof value === 'object' ? JSON.stringify(value) : value);
  }
  if (/Millis$/.test(name)) {
    return duration(value);
  }
  if (/PerSecond$/.test(name)) {
    return rate(value);
  }
  if (name === 'tooSlowBy') {
    return count(value, 'time');
  }
  return /share$/i.test(name) ? percent(value) : number(value);
}
