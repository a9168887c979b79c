// The frame around the views: finds the view of an address, loads its data now and every five seconds, and shows it.

import { h, patch } from './dom.js';
import { locale, translated, worded } from './language.js';
import { ApiError, config, del, get, isAway, loadConfig, post } from './api.js';
import { dialogIsOpen } from './dialog.js';
import { duration, ours, outside, plain } from './parts.js';
import { keysAreOn, startShortcuts } from './shortcuts.js';
import { undoOf } from './undo.js';
import { refreshBar, setTitle, showBar, startBar, titleOfView } from './bar.js';

const REFRESH_MILLIS = 5000;

const views = [];
const main = document.getElementById('main');
const trouble = document.getElementById('trouble');
const liveRegion = document.getElementById('live');
const updated = document.getElementById('updated');
const stale = document.getElementById('stale');

let page = null;
let timer = 0;
let held = false;

/** Names the module of the addresses that look like `pattern`, such as `queues/:queue/messages`. It is loaded when it is needed. */
export function view(pattern, load) {
  views.push({ parts: pattern.split('/').filter(Boolean), load });
}

/** An address of a view: link(['queues', name, 'messages'], {state: 'DEAD'}). */
export function link(segments, query) {
  const params = new URLSearchParams();
  for (const [name, value] of Object.entries(query || {})) {
    if (value !== null && value !== undefined && value !== '') {
      params.set(name, value);
    }
  }
  const text = params.toString();
  return '#/' + segments.map(encodeURIComponent).join('/') + (text ? '?' + text : '');
}

/** Announces to a screen reader what has just been done: a text of the page, or an element. */
export function announce(text) {
  liveRegion.textContent = '';
  requestAnimationFrame(() => {
    liveRegion.textContent = text instanceof Node ? text.textContent : translated(text);
  });
}

/** Shows for some seconds what became of an action, and announces it. `undo` takes it back, and gives words for that, and what is left of it. */
export function notify(text, failed, undo) {
  announce(undo ? `${plain(text)} Undo is at the end of the page${keysAreOn() ? ', and at the key u' : ''}.` : plain(text));
  document.querySelector('.toast')?.remove();
  const toast = h('div', { class: failed ? 'toast failed' : 'toast', 'aria-hidden': undo ? null : 'true', role: undo ? 'group' : null, 'aria-label': undo ? 'Done just now' : null }, text,
    undo ? h('button', { type: 'button', onclick: () => {
      toast.remove();
      takeBack(undo);
    } }, 'Undo') : null);
  document.body.appendChild(toast);
  const end = () => (undo && toast.matches(':hover, :focus-within') ? setTimeout(end, 1000) : toast.remove());
  setTimeout(end, undo ? 30000 : failed ? 10000 : 5000);
}

async function takeBack(undo) {
  try {
    const { words: said, failed, undo: left } = await undo();
    notify(said, failed, left);
  } catch (failure) {
    notify(ours(words(failure)), true, failure instanceof ApiError && isAway(failure) ? undo : undefined);
  } finally {
    page?.reload();
  }
}

/** Runs an action, reports its outcome and shows the new state. `done` is a text, or makes one of the answer. `undo` takes it back. */
export async function act(action, done, undo) {
  try {
    const answer = await action();
    notify(typeof done === 'function' ? done(answer) : done, false, undo);
    return answer;
  } catch (failure) {
    notify(ours(words(failure)), true);
    return undefined;
  } finally {
    page?.reload();
  }
}

/** A failure in words for the reader. */
export function words(failure) {
  if (!(failure instanceof ApiError)) {
    console.error(failure);
    return `This page has a defect: ${failure.message}`;
  }
  return failure.parameter ? worded('{} (parameter {})', translated(failure.message), failure.parameter) : failure.message;
}

export async function start() {
  setInterval(showAge, 1000);
  themeSwitch();
  holdSwitch();
  startShortcuts();
  searchBox();
  window.addEventListener('hashchange', navigate);
  document.addEventListener('visibilitychange', () => {
    if (!document.hidden && page && page.refreshes) {
      refresh();
    }
  });
  document.querySelector('.skip').addEventListener('click', event => {
    event.preventDefault();
    main.focus();
  });
  // The module comes while the configuration does; navigate() reports if it cannot be loaded.
  find(routeOf(location.hash))?.view.load().catch(() => {});
  for (;;) {
    try {
      await loadConfig();
      break;
    } catch (failure) {
      showTrouble(failure);
      await new Promise(resolve => setTimeout(resolve, REFRESH_MILLIS));
    }
  }
  showTrouble(null);
  if (config.sources) {
    import('./sources.js').then(({ showSources }) => showSources()).catch(() => {});
  }
  startBar(() => held);
  await navigate();
}

async function navigate() {
  const route = routeOf(location.hash);
  const query = /\?(.*)/s.exec(location.hash)?.[1];
  const found = find(route);
  const again = page?.found && found && page.found.view === found.view && page.route === route;
  page?.abort.abort();
  clearTimeout(timer);
  const entered = { route, found, module: again ? page.module : null };
  page = {
    ...entered,
    params: found ? found.params : {},
    query: new URLSearchParams(query || ''),
    state: again ? page.state : {},
    abort: new AbortController(),
    config,
    refreshes: false,
    get: (path, params) => get(path, params, shown.abort.signal),
    post,
    del,
    link,
    announce,
    notify,
    act,
    undoOf,
    reload: () => (shown === page ? refresh(true) : undefined),
    redraw: () => shown === page && shown.shown && draw(shown),
    go: change => goTo(shown, change),
  };
  const shown = page;
  markNavigation(route);
  showBar();
  showAge();
  if (!again) {
    setTitle('Redelay');
    main.setAttribute('aria-busy', 'true');
  }
  if (!found) {
    patch(main, [h('section', { class: 'empty' }, h('h1', null, 'No such page'),
      h('p', null, 'Nothing of Redelay has this address.'), h('p', null, h('a', { href: '#/' }, 'Go to the queues')))]);
    main.removeAttribute('aria-busy');
    return;
  }
  try {
    shown.module = shown.module || (await found.view.load()).default;
  } catch (failure) {
    if (shown === page) {
      showTrouble(new ApiError(0));
      main.removeAttribute('aria-busy');
      timer = setTimeout(() => loadAgain(shown), REFRESH_MILLIS);
    }
    return;
  }
  if (shown !== page) {
    return;
  }
  shown.refreshes = shown.module.refresh !== false;
  if (!again) {
    window.scrollTo(0, 0);
  }
  await refresh(true);
  if (shown === page && !again && navigated) {
    // Users of a keyboard or a screen reader go on at the new page and not at the link that led here.
    main.focus({ preventScroll: true });
    announce(outside(titleOfView()));
  }
  navigated = true;
}

let navigated = false;

/** Loads the page anew when the server answers again: a browser may keep in mind that a module could not be loaded. */
async function loadAgain(shown) {
  try {
    await loadConfig();
  } catch (failure) {
    if (shown === page) {
      timer = setTimeout(() => loadAgain(shown), REFRESH_MILLIS);
    }
    return;
  }
  if (shown === page) {
    location.reload();
  }
}

function routeOf(hash) {
  return hash.replace(/^#\/?/, '').replace(/\?.*$/s, '');
}

function find(route) {
  let segments;
  try {
    segments = route.split('/').filter(Boolean).map(decodeURIComponent);
  } catch (notEncoded) {
    return null;
  }
  for (const candidate of views) {
    if (candidate.parts.length === segments.length) {
      const params = {};
      if (candidate.parts.every((part, i) => (part.startsWith(':') ? (params[part.slice(1)] = segments[i]) : part === segments[i]))) {
        return { view: candidate, params };
      }
    }
  }
  return null;
}

/** Changes parameters of the address and stays on the view: go({page: 2}). Filters that change begin with the first page again. */
function goTo(shown, change) {
  const query = new URLSearchParams(shown.query);
  for (const [name, value] of Object.entries(change)) {
    if (value === null || value === undefined || value === '') {
      query.delete(name);
    } else {
      query.set(name, value);
    }
  }
  const text = query.toString();
  location.hash = '#/' + shown.route + (text ? '?' + text : '');
}

async function refresh(asked) {
  const shown = page;
  clearTimeout(timer);
  if (!asked && (held || document.hidden || dialogIsOpen())) {
    again(shown);
    return;
  }
  shown.turn = (shown.turn || 0) + 1;
  const turn = shown.turn;
  let failed = null;
  try {
    const data = shown.module.load ? await shown.module.load(shown) : null;
    if (shown !== page || turn !== shown.turn) {
      return;
    }
    if (asked || !dialogIsOpen()) {
      show(shown, data);
    }
  } catch (failure) {
    if (shown !== page || turn !== shown.turn || failure.name === 'AbortError') {
      return;
    }
    failed = failure;
  }
  showFailure(shown, failed);
  shown.missed = failed !== null && failed.status !== 404;
  showAge();
  again(shown);
}

function again(shown) {
  clearTimeout(timer);
  if (shown.refreshes && shown === page) {
    timer = setTimeout(() => refresh(false), REFRESH_MILLIS);
  }
}

/** Shows what was loaded last once more, as a reader has changed how it is shown. */
function draw(shown) {
  const { data } = shown;
  const nodes = [shown.module.render(data, shown)].flat(Infinity).filter(node => node instanceof Node);
  nodes.forEach((node, i) => {
    // Two views have nothing in common, however alike their elements are.
    node.key = `${shown.found.view.parts.join('/')}#${node.key ?? i}`;
  });
  patch(main, nodes);
}

function show(shown, data) {
  shown.data = data;
  draw(shown);
  main.removeAttribute('aria-busy');
  if (!shown.shown) {
    showCurrentTab();
  }
  shown.shown = true;
  shown.shownAt = Date.now();
  const title = shown.module.title(shown, data);
  setTitle(`${title instanceof Node ? title.textContent : translated(title)} · Redelay`);
  const now = new Date();
  updated.replaceChildren(h('time', { datetime: now.toISOString() }, `Updated ${now.toLocaleTimeString(locale)}`));
}

/** On a phone the tabs are wider than the page, and begin with the first one. */
function showCurrentTab() {
  for (const tab of document.querySelectorAll('#nav [aria-current], .tabs [aria-current]')) {
    const bar = tab.parentElement;
    bar.scrollLeft = tab.offsetLeft - bar.offsetLeft - (bar.clientWidth - tab.offsetWidth) / 2;
  }
}

function showFailure(shown, failure) {
  if (failure && !shown.shown && failure.status === 404) {
    patch(main, [h('section', { class: 'empty', key: 'gone' }, h('h1', null, 'Not found'), h('p', null, ours(words(failure))),
      h('p', null, h('a', { href: '#/' }, 'Go to the queues')))]);
    setTitle(`${translated('Not found')} · Redelay`);
    showTrouble(null);
  } else {
    if (failure && !shown.shown) {
      patch(main, [h('section', { class: 'empty', key: 'failed' }, h('h1', null, 'Nothing to show yet'), h('p', null, ours(words(failure))))]);
    }
    showTrouble(failure);
  }
  main.removeAttribute('aria-busy');
}

/** What is shown is not what is: says since when, and takes the colour from it. */
function showAge() {
  const isOld = Boolean(page?.shownAt && page.missed);
  const seconds = isOld ? Math.round((Date.now() - page.shownAt) / 1000) : 0;
  stale.textContent = isOld ? translated(`What is shown is ${duration(seconds * 1000)} old.`) : '';
  stale.hidden = !isOld;
  main.classList.toggle('stale', isOld);
}

function showTrouble(failure) {
  const text = failure ? translated(words(failure)) : '';
  if (trouble.textContent !== text) {
    trouble.replaceChildren(...[outside(text)].filter(Boolean));
  }
  trouble.hidden = !failure;
}

function markNavigation(route) {
  const first = route.split('/')[0];
  for (const anchor of document.querySelectorAll('#nav a')) {
    const target = anchor.getAttribute('href').slice(2);
    const current = target === '' ? first === '' || first === 'queues' : target === first;
    if (current) {
      anchor.setAttribute('aria-current', route === target ? 'page' : 'true');
    } else {
      anchor.removeAttribute('aria-current');
    }
  }
}

function holdSwitch() {
  const button = document.getElementById('pause');
  button.onclick = () => {
    held = !held;
    button.setAttribute('aria-pressed', String(held));
    button.textContent = translated(held ? 'Updates held' : 'Hold updates');
    if (!held) {
      refreshBar();
      if (page?.module && page.refreshes) {
        refresh(true);
      }
    }
  };
}

function searchBox() {
  const box = document.getElementById('search-all');
  document.getElementById('search-form').onsubmit = event => {
    event.preventDefault();
    const q = box.value.trim();
    if (q) {
      location.hash = link(['search'], { q });
    }
  };
  const shown = () => {
    box.value = /^#\/search\?/.test(location.hash) ? new URLSearchParams(location.hash.replace(/^[^?]*/, '')).get('q') || '' : '';
  };
  shown();
  window.addEventListener('hashchange', shown);
}

function themeSwitch() {
  const names = { system: 'Auto', light: 'Light', dark: 'Dark' };
  const order = Object.keys(names);
  const button = document.getElementById('theme');
  const root = document.documentElement;
  const label = () => {
    const theme = root.dataset.theme || 'system';
    button.replaceChildren(h('span', { class: 'long' }, 'Theme: '), translated(names[theme].toLowerCase()));
    button.setAttribute('aria-label', translated(`Theme: ${names[theme].toLowerCase()}`));
  };
  button.onclick = () => {
    const theme = order[(order.indexOf(root.dataset.theme || 'system') + 1) % order.length];
    if (theme === 'system') {
      delete root.dataset.theme;
    } else {
      root.dataset.theme = theme;
    }
    try {
      localStorage.setItem('redelay.theme', theme);
    } catch (storageIsOff) {
      // It lasts as long as the page then.
    }
    label();
    announce(`Theme: ${names[theme]}`);
    window.dispatchEvent(new Event('themechange'));
  };
  label();
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => window.dispatchEvent(new Event('themechange')));
}
