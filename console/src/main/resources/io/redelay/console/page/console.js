// The sources of the console, a line each. Each is asked by itself, so that one whose Redis is away keeps no other one waiting.

import { h, patch } from './dom.js';
import { badge, bytes, count, head, name, number, outside, short, table } from './parts.js';

const REFRESH_MILLIS = 5000;

/** A source gives up after three seconds without an answer of its Redis. */
const READ_MILLIS = 5000;

const main = document.getElementById('main');
const banner = document.getElementById('trouble');
const live = document.getElementById('live');
const updated = document.getElementById('updated');

/** The status of a source is kept when the next one does not come; the failure is then not null. */
let sources = null;
let timer = 0;
let spoken;

async function refresh() {
  clearTimeout(timer);
  if (!document.hidden) {
    try {
      const { sources: names } = await read('-/sources');
      sources = names.map(source => sources?.find(known => known.source === source) || { source, status: null, failure: null });
      say(null);
    } catch (failure) {
      say(failure.message);
    }
    if (sources) {
      draw();
      await Promise.all(sources.map(look));
      speak();
    }
  }
  clearTimeout(timer);
  timer = setTimeout(refresh, REFRESH_MILLIS);
}

async function look(row) {
  try {
    row.status = await read(`${row.source}/queues/-/status`);
    row.failure = null;
  } catch (failure) {
    row.failure = failure.message;
  }
  const now = new Date();
  updated.replaceChildren(h('time', { datetime: now.toISOString() }, `Updated ${now.toLocaleTimeString()}`));
  draw();
}

/** Addresses are relative to the overview, so that it works behind a proxy that takes a prefix away. */
async function read(path) {
  let response;
  let body;
  try {
    response = await fetch(new URL(path, document.baseURI.replace(/[#?].*$/, '')), {
      headers: { Accept: 'application/json', 'X-Requested-With': 'XMLHttpRequest' }, credentials: 'same-origin', cache: 'no-store',
      signal: AbortSignal.timeout?.(READ_MILLIS),
    });
    body = /\bjson\b/.test(response.headers.get('Content-Type') || '') ? await response.json() : null;
  } catch (failure) {
    throw new Error('The console does not answer.');
  }
  if (!response.ok || !body) {
    throw new Error(response.status === 401 ? 'You are not signed in any more. Load the page again to sign in.' : body?.message || `The console answered with status ${response.status}.`);
  }
  return body;
}

function draw() {
  patch(main, [
    head('Sources', sentence()),
    table({
      caption: 'Sources, with the figures of all their queues', rows: sources, key: row => row.source,
      columns: [
        { label: 'Source', render: row => to(row, '', name(row.source)) },
        { label: 'Redis', class: 'wide', render: redis },
        { label: 'In trouble', render: trouble },
        { label: 'Queues', class: 'number', render: row => number(row.status?.queues) },
        { label: 'Messages', class: 'number', render: row => number(row.status && messages(row.status)) },
        { label: 'Scheduled', class: 'number', render: row => short(row.status?.scheduled) },
        { label: 'Dead', class: 'number', render: row => (row.status?.dead > 0 ? to(row, '#/dead', short(row.status.dead), `${number(row.status.dead)} dead letters of ${row.source}`) : short(row.status?.dead)) },
      ],
    }),
  ]);
  main.removeAttribute('aria-busy');
  const n = sources.filter(needsALook).length;
  document.title = `${n > 0 ? `(${number(n)}) ` : ''}Redelay console`;
}

/** A link to the page of a source, which is beside this one. Names of sources are of letters, digits and dashes. */
function to(row, view, words, label) {
  const anchor = h('a', { 'aria-label': label || null }, words);
  anchor.setAttribute('href', `${encodeURIComponent(row.source)}/redelay${view}`);
  return anchor;
}

function redis(row) {
  if (row.failure) {
    return [badge('bad', 'No answer'), h('div', { class: 'small soft' }, outside(row.failure), row.status ? ' The figures are those from before.' : null)];
  }
  if (!row.status) {
    return h('span', { class: 'soft' }, 'Is asked…');
  }
  const { redis: server } = row.status;
  if (server?.answers === false) {
    return [badge('bad', 'No answer'), h('div', { class: 'small soft' }, 'The figures are those from before.')];
  }
  if (!server) {
    return badge('ok', 'Answers');
  }
  return [server.role !== 'master' ? badge('warn', 'Answers, is a replica') : server.sound ? badge('ok', 'Answers') : badge('warn', 'Answers, look at its health'),
    h('div', { class: 'small soft' }, bytes(server.usedBytes), server.memoryBytes ? ` of ${bytes(server.memoryBytes)}` : null)];
}

function trouble(row) {
  if (!row.status) {
    return '–';
  }
  const { states, warnings } = row.status;
  const n = inTrouble(row.status);
  const words = [[states.STOPPED, 'stopped'], [states.BEHIND, 'behind'], [warnings, warnings === 1 ? 'warning' : 'warnings']]
    .filter(([k]) => k > 0).map(([k, word]) => `${number(k)} ${word}`).join(', ');
  return n === 0 ? badge('ok', 'None') : to(row, '#/?show=trouble', badge(states.STOPPED + states.BEHIND > 0 ? 'bad' : 'warn', words), `${words} of ${row.source}`);
}

function inTrouble({ states, warnings }) {
  return states.STOPPED + states.BEHIND + warnings;
}

function messages({ ready, inFlight, scheduled }) {
  return ready + inFlight + scheduled;
}

function isAway(row) {
  return Boolean(row.failure) || row.status?.redis?.answers === false;
}

function needsALook(row) {
  return isAway(row) || Boolean(row.status && inTrouble(row.status) > 0);
}

function sentence() {
  const away = sources.filter(isAway).length;
  const troubled = sources.filter(row => !isAway(row) && needsALook(row)).length;
  const words = [[away, `${number(away)} without an answer`], [troubled, `${number(troubled)} with queues in trouble`]].filter(([n]) => n > 0).map(([, word]) => word);
  return `${count(sources.length, 'source')}${words.length ? `: ${words.join(', ')}` : ''}. Nothing can be changed here.`;
}

function say(text) {
  banner.textContent = text || '';
  banner.hidden = !text;
}

/** A screen reader hears of a source that came into trouble, or out of it, and not of each figure. */
function speak() {
  const now = sentence();
  if (spoken !== undefined && spoken !== now) {
    live.textContent = now;
  }
  spoken = now;
}

document.querySelector('.skip').addEventListener('click', event => {
  event.preventDefault();
  main.focus();
});
document.addEventListener('visibilitychange', () => document.hidden || refresh());
refresh();
