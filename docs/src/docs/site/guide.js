// The search of the guide, and the ways from the anchors of the one long page that it once was.
'use strict';

const box = document.querySelector('search');
const input = box.querySelector('input');
const list = box.querySelector('ol');
const found = box.querySelector('.found');
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

let index;

function loadIndex() {
  index ??= load('search-index.js').then(() => window.guideIndex.map((entry) => ({
    ...entry,
    titles: `${entry.chapter} ${entry.section}`.toLowerCase(),
    lower: entry.text.toLowerCase(),
  })));
  return index;
}

// All words must be there; those in titles weigh most, whole phrases more than words apart.
function score(entry, words, phrase) {
  let sum = 0;
  for (const word of words) {
    const inTitles = entry.titles.includes(word);
    if (!inTitles && !entry.lower.includes(word)) {
      return 0;
    }
    sum += inTitles ? 20 : 1;
    sum += Math.min(entry.lower.split(word).length - 1, 5);
  }
  if (entry.titles.includes(phrase)) {
    sum += 30;
  }
  else if (entry.lower.includes(phrase)) {
    sum += 10;
  }
  return sum;
}

function excerpt(entry, words) {
  const places = words.map((word) => entry.lower.indexOf(word)).filter((place) => place >= 0);
  const first = places.length ? Math.min(...places) : 0;
  const from = Math.max(0, entry.text.lastIndexOf(' ', Math.max(0, first - 40)));
  const text = entry.text.slice(from, from + 160);
  return (from > 0 ? '… ' : '') + text.trim() + (from + 160 < entry.text.length ? ' …' : '');
}

function mark(element, text, words) {
  const pattern = new RegExp(words.map((word) => word.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('|'), 'gi');
  let end = 0;
  for (const match of text.matchAll(pattern)) {
    element.append(text.slice(end, match.index));
    const marked = document.createElement('mark');
    marked.textContent = match[0];
    element.append(marked);
    end = match.index + match[0].length;
  }
  element.append(text.slice(end));
}

function show(entry, words) {
  const item = document.createElement('li');
  const link = document.createElement('a');
  link.href = entry.page;
  mark(link, entry.section ? `${entry.chapter} › ${entry.section}` : entry.chapter, words);
  const text = document.createElement('span');
  mark(text, excerpt(entry, words), words);
  item.append(link, text);
  return item;
}

async function search() {
  const phrase = input.value.trim().toLowerCase();
  if (phrase.length < 2) {
    list.replaceChildren();
    found.textContent = '';
    box.classList.remove('open');
    return;
  }
  const words = phrase.split(/\s+/);
  const entries = await loadIndex();
  if (phrase !== input.value.trim().toLowerCase()) {
    return;
  }
  const hits = entries.map((entry) => [score(entry, words, phrase), entry])
    .filter(([points]) => points > 0)
    .sort(([one], [other]) => other - one)
    .map(([, entry]) => entry);
  list.replaceChildren(...hits.slice(0, MOST).map((entry) => show(entry, words)));
  found.textContent = hits.length === 0 ? 'Nothing found'
    : hits.length > MOST ? `The first ${MOST} of ${hits.length} sections` : `${hits.length} sections`;
  box.classList.add('open');
}

box.hidden = false;
input.addEventListener('focus', loadIndex, { once: true });
input.addEventListener('input', search);
input.addEventListener('keydown', (event) => {
  if (event.key === 'Escape') {
    input.value = '';
    search();
  }
  else if (event.key === 'Enter' && list.firstChild) {
    list.querySelector('a').click();
  }
});
list.addEventListener('click', (event) => {
  if (event.target.closest('a')) {
    input.value = '';
    search();
  }
});
document.addEventListener('keydown', (event) => {
  if (event.key === '/' && !event.ctrlKey && !event.metaKey && document.activeElement !== input) {
    event.preventDefault();
    input.focus();
  }
});

// On a narrow screen the contents lie over nothing: fold them when a section was chosen.
document.querySelector('.contents nav').addEventListener('click', (event) => {
  if (event.target.closest('a') && !matchMedia('(min-width: 72rem)').matches) {
    document.querySelector('.contents').open = false;
  }
});

const anchor = decodeURIComponent(location.hash.slice(1));
if (anchor && !document.getElementById(anchor)) {
  load('anchors.js').then(() => {
    const target = window.guideAnchors[anchor];
    if (target) {
      location.replace(target);
    }
  });
}
