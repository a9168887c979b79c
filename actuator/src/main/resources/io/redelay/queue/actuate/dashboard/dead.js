// The dead letters of a queue by cause, each cause with a button that redrives its messages.

import { h } from './dom.js';
import { translated } from './language.js';
import { path } from './api.js';
import { askForBulk, isOpen, jobCard, ownJob, reasonWords, simpleName } from './steer.js';
import { action, count, duration, number, outside, queueHeader } from './parts.js';
import { ruleNote } from './redrive.js';
import { link } from './shell.js';

const SHOWN = 50;

export default {
  title: page => `Dead letters of ${page.params.queue}`,

  async load(page) {
    const { queue } = page.params;
    const [causes, job] = await Promise.all([page.get(path`queues/${queue}/causes`), ownJob(page, queue)]);
    return { ...causes, job };
  },

  render(data, page) {
    const { queue } = page.params;
    const total = data.causes.reduce((sum, { count: n }) => sum + n, 0);
    return [
      queueHeader(page, { current: 'dead', beside: total > 0 && (data.causes.length > 1 || isOpen(filterOf(data.causes[0]))) ? action(page, 'Redrive all…', () => ask(page, queue, total, { state: 'DEAD' })) : null }),
      data.job ? jobCard(page, queue, data.job) : null,
      ruleNote(data.redrive, data.time),
      total === 0 ? h('section', { class: 'empty', key: 'none' }, h('h2', null, 'No dead letters'), h('p', { class: 'soft' }, 'A message that fails as often as it may, or is rejected, is kept here with its cause.'))
        : [h('p', { class: 'lead', key: 'sum' }, `${count(total, 'dead letter')}${data.complete === false ? ' counted so far' : ''}, of ${count(data.causes.length, 'cause')}${old(data)}.`),
          h('ol', { class: 'causes', key: 'causes' }, data.causes.slice(0, SHOWN).map((cause, i) => card(page, queue, cause, total, i))),
          data.causes.length > SHOWN ? h('p', { class: 'soft', key: 'more' }, `${count(data.causes.length - SHOWN, 'rarer cause')} not shown. `, h('a', { href: link(['queues', queue, 'messages'], { state: 'DEAD' }) }, 'Look at all dead letters')) : null],
    ];
  },
};

/** Many dead letters are not counted for each refresh. */
function old({ time, countedAt }) {
  const millis = new Date(time) - new Date(countedAt);
  return millis >= 10000 ? `, counted ${duration(millis)} ago` : '';
}

function card(page, queue, cause, total, i) {
  const filters = filterOf(cause);
  const name = simpleName(cause.exception) || translated(reasonWords(cause.reason));
  const heading = `cause-${i}`;
  return h('li', { class: 'card cause', key: `${cause.reason} ${cause.exception} ${filters.text}`, 'aria-labelledby': heading },
    h('div', { class: 'cause-count' }, h('strong', null, number(cause.count)), h('progress', { class: 'share', max: total, value: cause.count, 'aria-hidden': 'true' })),
    h('div', { class: 'cause-text' },
      h('h2', { id: heading, title: cause.exception, translate: 'no' }, outside(name)),
      cause.message ? h('p', { class: 'cause-message' }, outside(cause.message)) : null,
      cause.exception && cause.reason ? h('p', { class: 'soft small' }, reasonWords(cause.reason)) : null),
    h('div', { class: 'buttons' },
      // Those of which nothing is known cannot be distinguished from the others: a job would redrive all.
      isOpen(filters) ? null : action(page, `Redrive ${number(cause.count)}…`, () => ask(page, queue, cause.count, filters), 'primary'),
      h('a', { class: 'button', href: link(['queues', queue, 'messages'], filters), 'aria-label': `Show messages of ${name}` }, 'Show messages')));
}

/** Causes with these reasons are distinguished by their text as well. */
const BY_TEXT = ['REJECTED', 'CONVERSION_FAILED', 'BURIED', 'REFUSED'];

/**
 * Chooses the messages of a cause; `-` is no exception. Texts that are distinguished have numbers in them; the longest part between those, in
 * one line, is what is looked for.
 */
function filterOf({ reason, exception, message }) {
  const part = BY_TEXT.includes(reason) && message ? message.split(/[\d\p{Cc}]+/u).reduce((longest, text) => (text.trim().length > longest.length ? text.trim() : longest), '') : '';
  return { state: 'DEAD', reason: reason || undefined, exception: exception || (reason ? '-' : undefined), text: part || undefined };
}

function ask(page, queue, n, filters) {
  return askForBulk(page, queue, 'REDRIVE', { filters, state: 'DEAD', n }, job => {
    page.state.job = job.id;
  });
}
