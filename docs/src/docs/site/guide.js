// What the pages do: search, versions, light and dark, and the ways from anchors that moved to another page.
'use strict';

const WIDE = '(min-width: 64rem)';
const WIDEST = '(min-width: 90rem)';
const MOST = 20;

function load(script) {
  return new Promise((done, failed) => {
    const element = document.createElement('script');
    element.src = script;
    element.onload = done;
    element.onerror = failed;
    document.head.append(element);
  });
}

// Search

const box = document.querySelector('search');
const input = box.querySelector('input');
const list = box.querySelector('ol');
const found = box.querySelector('.found');
let searching;

function loadSearch() {
  searching ??= Promise.all([load('lunr.js'), load('search-index.js')])
    .then(() => window.guideSearch.create(window.lunr, window.guideIndex));
  return searching;
}

function append(element, pieces) {
  for (const piece of pieces) {
    if (piece.marked) {
      const mark = document.createElement('mark');
      mark.textContent = piece.text;
      element.append(mark);
    }
    else {
      element.append(piece.text);
    }
  }
  return element;
}

function element(tag, type, ...content) {
  const made = document.createElement(tag);
  made.className = type;
  made.append(...content);
  return made;
}

function link(entry, pieces) {
  const made = append(document.createElement('a'), pieces);
  made.href = entry.page;
  return made;
}

function show(search, page, query) {
  const [best, ...others] = page.sections;
  const shown = page.sections.find((entry) => entry.text) ?? best;
  const item = element('li', '', link(best, search.title(best, query)), element('span', 'behind', best.door),
    append(element('p', 'excerpt'), search.excerpt(shown, query)));
  const more = others.slice(0, 3).filter((entry) => entry.section);
  if (more.length > 0) {
    item.append(element('p', 'more', ...more.map((entry) => link(entry, [{ text: entry.section }]))));
  }
  return item;
}

function close() {
  box.classList.remove('open');
}

async function search() {
  const query = input.value;
  if (query.trim().length < 2) {
    list.replaceChildren();
    close();
    return;
  }
  const index = await loadSearch();
  if (query !== input.value) {
    return;
  }
  const pages = index.find(query, MOST);
  list.replaceChildren(...pages.map((page) => show(index, page, query)));
  list.parentElement.scrollTop = 0;
  found.textContent = pages.length === 0 ? 'Nothing found. Try fewer or other words, or look through '
    : pages.length === MOST ? `The first ${MOST} pages` : `${pages.length} page${pages.length === 1 ? '' : 's'}`;
  if (pages.length === 0) {
    found.append(link({ page: 'index.html' }, [{ text: 'the contents' }]), '.');
  }
  box.classList.add('open');
}

// The arrows walk over the results, and from the first one back to the query.
function walk(step) {
  const links = [input, ...list.querySelectorAll(':scope > li > a')];
  const here = links.indexOf(document.activeElement.closest('li')?.querySelector('a') ?? document.activeElement);
  links[Math.max(0, Math.min(here + step, links.length - 1))].focus();
}

box.hidden = false;
if (matchMedia('(hover: hover)').matches) {
  input.placeholder = 'Search: press /';
}
input.addEventListener('focus', () => {
  loadSearch();
  if (input.value && !box.classList.contains('open')) {
    search();
  }
});
input.addEventListener('input', search);
box.addEventListener('keydown', (event) => {
  if (event.key === 'Escape') {
    input.value = '';
    search();
    input.focus();
  }
  else if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
    event.preventDefault();
    walk(event.key === 'ArrowDown' ? 1 : -1);
  }
  else if (event.key === 'Enter' && event.target === input) {
    list.querySelector('a')?.click();
  }
});
list.addEventListener('click', (event) => {
  if (event.target.closest('a')) {
    close();
  }
});
document.addEventListener('pointerdown', (event) => {
  if (!box.contains(event.target)) {
    close();
  }
});
document.addEventListener('keydown', (event) => {
  const typing = event.target.closest('input, textarea, select');
  if (!typing && event.key === '/' && !event.ctrlKey && !event.metaKey && !event.altKey
      || event.key === 'k' && (event.ctrlKey || event.metaKey)) {
    event.preventDefault();
    input.focus();
    input.select();
  }
});

const query = new URLSearchParams(location.search).get('q');
if (query) {
  input.value = query;
  search();
}

// Contents: next to the text where there is room, folded where there is not.

const contents = document.querySelector('.contents');
contents.open = matchMedia(WIDE).matches;
const here = contents.querySelector('[aria-current]');
if (here) {
  contents.scrollTop = here.offsetTop - contents.clientHeight / 3;
}
for (const sections of document.querySelectorAll('.sections')) {
  sections.open = matchMedia(WIDEST).matches;
}
contents.addEventListener('click', (event) => {
  if (event.target.closest('a') && !matchMedia(WIDE).matches) {
    contents.open = false;
  }
});

// Light and dark

const THEMES = { auto: ['◐', 'as the system'], light: ['☀', 'light'], dark: ['☾', 'dark'] };
const themes = document.querySelector('.theme');

function name(theme) {
  themes.textContent = THEMES[theme][0];
  themes.title = `Colours: ${THEMES[theme][1]}`;
  themes.setAttribute('aria-label', themes.title);
}

themes.hidden = false;
name(window.guideTheme.get());
themes.addEventListener('click', () => {
  const all = Object.keys(THEMES);
  const next = all[(all.indexOf(document.documentElement.dataset.theme) + 1) % all.length];
  window.guideTheme.set(next);
  name(next);
});

// Versions: the list stands next to the folders of all versions.

load('../versions.js').then(() => {
  const { current, versions } = window.guideVersions;
  const version = document.body.dataset.version;
  const page = location.pathname.split('/').pop() || 'index.html';
  const select = document.querySelector('.version select');
  const address = (entry) => `../${entry.version}/${entry.pages.includes(page) ? page : 'index.html'}`;
  select.replaceChildren(...versions.map((entry) => new Option(entry.version, address(entry), false, entry.version === version)));
  select.addEventListener('change', () => location.assign(select.value));
  const newest = versions.find((entry) => entry.version === current);
  if (current !== version && newest) {
    const note = document.querySelector('.other-version');
    const away = document.createElement('a');
    away.href = address(newest);
    away.textContent = current;
    note.append(`This is the guide to ${version}. The newest release is `, away, '.');
    note.hidden = false;
  }
}, () => {
  // One folder without the others: its own version is named in the page.
});

// Anchors of the one long page that the guide once was.

const anchor = decodeURIComponent(location.hash.slice(1));
if (anchor && !document.getElementById(anchor)) {
  load('anchors.js').then(() => {
    if (Object.hasOwn(window.guideAnchors, anchor)) {
      location.replace(window.guideAnchors[anchor]);
    }
  });
}
