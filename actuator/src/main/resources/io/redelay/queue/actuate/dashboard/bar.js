// The status bar of every view: Redis, the instances and all queues in a few figures, each of them a way to the queues that it counts.
// The title and the icon of the tab say the same to readers who look at another one.

import { h, patch } from './dom.js';
import { config, get, isAway } from './api.js';
import { bytes, count, fromNow, number, short } from './parts.js';
import { announce, link } from './shell.js';

const REFRESH_MILLIS = 5000;

const bar = document.getElementById('bar');
const icon = document.querySelector('link[rel="icon"]');

let status = null;
let failure = null;
let isHeld = () => false;
let title = 'Redelay';
let timer = 0;
let spoken;

/** Shows the bar now and every five seconds, unless the updates are held or the page is hidden. */
export function startBar(held) {
  isHeld = held;
  document.addEventListener('visibilitychange', () => document.hidden || refreshBar());
  return refreshBar();
}

export async function refreshBar() {
  clearTimeout(timer);
  if (!isHeld() && !document.hidden) {
    try {
      status = await get('queues/-/status');
      failure = null;
    } catch (failed) {
      failure = isAway(failed) ? failed : null;
      // Those who may not read the queues see why in place of the view.
      status = failure && status;
    }
    showBar();
    speak();
  }
  clearTimeout(timer);
  timer = setTimeout(refreshBar, REFRESH_MILLIS);
}

/** Names the view; the tab adds how many queues are in trouble. */
export function setTitle(text) {
  title = text;
  showTab();
}

/** The title of the view, without what the tab adds. */
export function titleOfView() {
  return title;
}

/** Shows what is known; also after a navigation, which changes the part that is current. */
export function showBar() {
  showTab();
  bar.hidden = !status && !failure;
  if (bar.hidden) {
    return;
  }
  bar.classList.toggle('silent', isSilent());
  const parts = status && !status.redis && !failure ? [] : [redis()];
  if (status) {
    parts.unshift(trouble());
    parts.push(
      part('#/instances', 'instances', null, strong(status.instances), status.instances === 1 ? ' instance' : ' instances'),
      filter('busy', null, null, 'In ', strong(status.inPerMinute), ', out ', strong(status.outPerMinute), h('span', { class: 'soft' }, ' a minute')),
      filter('scheduled', null, null, strong(status.scheduled), ' scheduled', status.nextDue ? h('span', { class: 'soft more' }, ', next ', fromNow(status.nextDue)) : null),
      filter('dead', 'dead', status.dead > 0 ? 'bad' : null, strong(status.dead), ' dead'));
  }
  patch(bar, [h('nav', { class: 'bar-in', 'aria-label': 'Status' }, parts)]);
}

function strong(value) {
  return h('strong', null, short(value));
}

function inTrouble() {
  return status ? status.states.STOPPED + status.states.BEHIND + status.warnings + (status.failed || 0) : 0;
}

/** Neither the figures nor the word of the server are those of now. */
function isSilent() {
  return failure !== null || status?.redis?.answers === false;
}

function trouble() {
  const { states, warnings, failed } = status;
  const words = [[states.STOPPED, 'stopped'], [states.BEHIND, 'behind'], [warnings, warnings === 1 ? 'warning' : 'warnings'],
    [failed, 'could not be read']].filter(([n]) => n > 0).map(([n, word]) => `${number(n)} ${word}`);
  return filter('trouble', null, states.STOPPED + states.BEHIND > 0 ? 'bad' : inTrouble() > 0 ? 'warn' : 'ok',
    words.length ? h('strong', null, words.join(', ')) : [h('strong', null, 'No trouble'), h('span', { class: 'soft more' }, ` in ${count(status.queues, 'queue')}`)]);
}

function redis() {
  const part = (tone, ...words) => at('#/instances', 'redis', tone, words);
  if (failure && failure.status !== 503) {
    return part('bad', h('strong', null, 'The server does not answer'));
  }
  if (isSilent()) {
    return part('bad', h('strong', null, 'Redis does not answer'));
  }
  const { role, servers, usedBytes, memoryBytes, sound } = status.redis;
  if (role !== 'master') {
    return part('bad', h('strong', null, 'Redis is a replica'), ' and takes no writes');
  }
  return part(sound ? 'ok' : 'warn', h('strong', null, 'Redis'), sound ? ' answers' : ' answers, look at its health',
    h('span', { class: 'soft more' }, `, ${servers === 1 ? 'master' : count(servers, 'master')}, ${bytes(usedBytes)}${memoryBytes ? ` of ${bytes(memoryBytes)}` : ''}`));
}

/** A part that shows the queues that it counts, and all queues again when it is chosen twice. */
function filter(show, sort, tone, ...words) {
  const [, route, query] = /^#?\/?([^?]*)\??(.*)$/s.exec(location.hash);
  const isChosen = route === '' && new URLSearchParams(query).get('show') === show;
  return at(isChosen ? '#/' : link([], { show, sort }), show, tone, words, isChosen);
}

function part(href, key, tone, ...words) {
  return at(href, key, tone, words);
}

function at(href, key, tone, words, isChosen) {
  return h('a', { href, key: `part ${key}`, class: `part ${key} ${tone || ''}`, 'aria-current': isChosen ? 'true' : null }, h('span', null, words));
}

function showTab() {
  const n = inTrouble();
  document.title = `${isSilent() ? '(!) ' : n > 0 ? `(${number(n)}) ` : ''}${title}${config.source ? ` · ${config.source}` : ''}`;
  const name = isSilent() || status && status.states.STOPPED + status.states.BEHIND > 0 ? 'icon-bad.svg' : n > 0 || status?.redis?.sound === false ? 'icon-warn.svg' : 'icon.svg';
  const href = icon.getAttribute('href').replace(/[^/]*$/, name);
  if (icon.getAttribute('href') !== href) {
    icon.setAttribute('href', href);
  }
}

/** A screen reader hears that something came or went; the list of the queues says its own. */
function speak() {
  if (!status && !failure) {
    spoken = undefined;
    return;
  }
  const now = isSilent() ? 'Redis or the server does not answer.' : inTrouble() > 0 ? `${count(inTrouble(), 'queue')} in trouble.` : 'No queue is in trouble.';
  if (spoken !== undefined && spoken !== now && (isSilent() || !/^#?\/?(\?|$)/.test(location.hash))) {
    announce(now);
  }
  spoken = now;
}
