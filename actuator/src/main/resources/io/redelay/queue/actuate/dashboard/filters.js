// What messages can be searched by: its names in addresses and requests, and in words.

import { translated, worded } from './language.js';
import { count, duration, moment, rate } from './parts.js';

/** [parameter, label, example, hint] */
export const FILTERS = [
  ['id', 'Id', 'order-4711', 'The whole id, or the uid.'],
  ['tag', 'Tag', 'order:4711', 'The whole tag.'],
  ['field', 'Field of the payload', '/customer/id:c17', 'A JSON pointer, a colon and the value.'],
  ['header', 'Header', 'channel:web', 'The name, a colon and the value.'],
  ['type', 'Payload type', 'order-placed', 'The name of the type, as messages show it.'],
  ['text', 'Failure says', 'timeout', 'A part of what is said of its failure.'],
  ['exception', 'Failure type', 'java.io.IOException', 'The full name of the exception.'],
  ['reason', 'Reason of death', 'FAILED', 'FAILED, REJECTED, CONVERSION_FAILED, EXPIRED, DEADLINE, CRASHED, BURIED or REFUSED.'],
  ['olderThan', 'Sent longer ago than', '2h', 'Such as 30s, 10m, 2h or 1d.'],
  ['sentAfter', 'Sent at or after', '2027-01-31T10:00:00Z', 'An instant, as in 2027-01-31T10:00:00Z.'],
  ['sentBefore', 'Sent before', '2027-01-31T10:00:00Z', 'An instant, as in 2027-01-31T10:00:00Z.'],
  ['dueAfter', 'Due at or after', '2027-01-31T10:00:00Z', 'An instant, as in 2027-01-31T10:00:00Z.'],
  ['dueBefore', 'Due before', '2027-01-31T10:00:00Z', 'An instant, as in 2027-01-31T10:00:00Z.'],
];

/** The filters of an address, without the state: {tag: 'order:7'}. */
export function filtersOf(query) {
  return Object.fromEntries(FILTERS.map(([name]) => [name, query.get(name)]).filter(([, value]) => value !== null && value !== ''));
}

const OTHERS = { diedAfter: 'Died at or after', diedBefore: 'Died before', minFailures: 'Failures, at least' };

/** A filter in words of the reader: tag order:7 */
export function filterWords(name, value) {
  if (name === 'exception' && value === '-') {
    return translated('no failure type');
  }
  const known = FILTERS.find(([parameter]) => parameter === name);
  const label = known ? known[1] : OTHERS[name] || name;
  return `${known || OTHERS[name] ? translated(label.charAt(0).toLowerCase() + label.slice(1)) : label} ${/(After|Before)$/.test(name) ? moment(value) : value}`;
}

/** What a filter chooses, in words of the reader: dead messages with tag order:7 and header channel:web */
export function choiceWords(filters, states) {
  const words = Object.entries(filters || {}).filter(([name, value]) => name !== 'state' && value !== null && value !== undefined && value !== '')
    .map(([name, value]) => filterWords(name, typeof value === 'object' ? JSON.stringify(value) : value));
  const named = [states ?? []].flat().map(stateWord);
  const messages = named.length ? worded('{} messages', joined(named)) : translated('messages in any state');
  return words.length ? worded('{} with {}', messages, joined(words)) : worded('all {}', messages);
}

function joined(words) {
  return words.reduce((all, word) => worded('{} and {}', all, word));
}

const STATES = { SCHEDULED: 'scheduled', READY: 'ready', IN_FLIGHT: 'in-flight', DEAD: 'dead', COMPLETED: 'completed' };

function stateWord(state) {
  return translated(STATES[state] || String(state).toLowerCase());
}

/** How long something takes that is done at a rate: about 3 min at 20 a second. */
export function paceWords(messages, perSecond) {
  return perSecond > 0 ? `${count(messages, 'message')} at ${rate(perSecond)} ${messages === 1 ? 'takes' : 'take'} about ${duration(Math.max(1, messages / perSecond) * 1000)}.` : '';
}
