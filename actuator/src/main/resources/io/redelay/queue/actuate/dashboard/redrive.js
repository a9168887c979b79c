// The rule by which dead letters are redriven by themselves, in words.

import { h } from './dom.js';
import { count, duration, fromNow, rate, say, number, time } from './parts.js';

/** 1 h after a death, in 3 rounds, at 10 a second */
export function ruleWords({ delayMillis, cron, zone, rounds, perSecond, active }) {
  return [delayMillis !== undefined && delayMillis !== null ? `${duration(delayMillis)} after a death` : say`at ${cron} (${zone})`,
    `, in ${count(rounds, 'round')}, at ${rate(perSecond)}`, active ? null : h('span', { class: 'failed-text' }, '; no instance does so now')];
}

/** What is said above the dead letters of a queue that has a rule. */
export function ruleNote(redrive, now) {
  return redrive ? h('p', { class: 'lead redrive', key: 'redrive' }, 'Dead letters are redriven by themselves ', ruleWords(redrive), '.',
    redrive.next ? [' Next ', fromNow(redrive.next, now), '.'] : null,
    redrive.lastStayed ? [' The last one that stays after all rounds died ', fromNow(redrive.lastStayed, now), '.'] : null) : null;
}

/** The rounds of a dead letter: 2 of 3, again in 40 min; or 3 of 3, stays. */
export function roundsOf({ rounds = 0, mostRounds, redriveAt }) {
  if (mostRounds === undefined || mostRounds === null) {
    return rounds > 0 ? count(rounds, 'round') : '–';
  }
  return [`${number(rounds)} of ${number(mostRounds)}, `, redriveAt ? ['again ', fromNow(redriveAt)] : 'stays'];
}

/** The same for a message by itself. */
export function roundFacts(message) {
  return message.rounds > 0 || message.mostRounds ? [['Rounds of redriving', roundsOf(message)], message.redriveAt ? ['Redriven', time(message.redriveAt)] : null] : [];
}
