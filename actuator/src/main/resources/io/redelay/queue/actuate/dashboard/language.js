// The language of the page. The English texts stand in the code and are the keys, as with gettext; another language is a file of texts that
// is loaded when a reader wants it. What comes from outside (ids, names, payloads, words of exceptions) is never looked up: it stands in
// elements of its own, or in place of a {} of a text. English looks nothing up.

const STORED = 'redelay.language';
const FILES = { 'zh-CN': () => import('./texts.zh.js') };

const root = document.documentElement;

/** What was shown in English for want of a text, with {} and {n} in place of what differs. It is bounded. */
export const missing = new Set();

const MOST_MISSING = 1000;
const MOST_KNOWN = 2000;
const MOST_STEPS = 2000;
const LONGEST = 4000;
const MOST_DEPTH = 6;

const LETTERS = /[A-Za-z]/;
const INSTANT = /^\d{4}-\d\d-\d\dT[\d:.]+Z$/;

/** Elements in a sentence, in place of which these stand while it is looked up. */
const FIRST_MARK = 0xe000;
const MOST_MARKS = 64;
const MARK = /[\ue000-\ue03f]/;
const MARKS = /([\ue000-\ue03f])/g;

let texts = null;
let steps = 0;
/** What was looked up, and the parts of what is looked up now. */
const known = new Map();
const parts = new Map();

// Looking up

/** A text of the page or a sentence of the server in the language of the reader. What has no text stays as it is. */
export function translated(text) {
  if (!texts || !LETTERS.test(text)) {
    return text;
  }
  const found = inLanguage(text);
  if (found === undefined) {
    note(text.trim());
  }
  return found ?? text;
}

/** A text of `forms`, whose values are in the language of the reader already, or from outside: worded('{} with {}', choice, filters). */
export function worded(text, ...values) {
  const found = texts?.forms[text];
  if (texts && found === undefined) {
    note(text);
  }
  return filled(found ?? text, values);
}

/**
 * The texts and elements in an element. They are a sentence whose parts change places in another language, if there is a text for the whole;
 * or else each text is looked up by itself.
 */
export function translatedChildren(children) {
  if (!texts) {
    return children;
  }
  const words = children.filter(child => typeof child === 'string');
  if (!words.some(word => LETTERS.test(word))) {
    return children;
  }
  if (children.length === 1) {
    return [translated(children[0])];
  }
  const nodes = children.filter(child => typeof child !== 'string');
  if (nodes.length > MOST_MARKS || words.some(word => MARK.test(word))) {
    return children.map(child => (typeof child === 'string' ? translated(child) : child));
  }
  let next = 0;
  const [before, whole, after] = trimmed(children.map(child => (typeof child === 'string' ? child : String.fromCharCode(FIRST_MARK + next++))).join(''));
  const found = look(whole);
  if (found !== undefined) {
    return (before + found + after).split(MARKS).filter(Boolean).map(part => (MARK.test(part) ? nodes[part.charCodeAt(0) - FIRST_MARK] : part));
  }
  if (words.some(word => LETTERS.test(word) && look(word.trim()) === undefined)) {
    note(whole);
  }
  return children.map(child => (typeof child === 'string' ? piece(child) : child));
}

/** A part of a sentence, of which a sign alone may have a text too. */
function piece(text) {
  return (LETTERS.test(text) ? inLanguage(text) : texts.exact.get(text)) ?? text;
}

/** Undefined if there is no text. After a full-width sign no space is needed. */
function inLanguage(text) {
  const [before, core, after] = trimmed(text);
  const found = look(core);
  return found === undefined ? undefined : before + found + (/[，。：；！？、]$/.test(found) ? '' : after);
}

/** What stands around a text, which has no spaces at its ends. */
function trimmed(text) {
  const core = text.trim();
  const begin = text.indexOf(core);
  return [text.slice(0, begin), core, text.slice(begin + core.length)];
}

function note(text) {
  // What is in the language of the reader already is asked for again where it becomes a part of another text.
  if (missing.size < MOST_MISSING && !/\p{Script=Han}/u.test(text)) {
    missing.add(text.replace(MARKS, '{}').replace(/\d[\d.,]*/g, '{n}'));
  }
}

function look(text) {
  if (text.length > LONGEST) {
    return undefined;
  }
  if (known.has(text)) {
    return known.get(text);
  }
  if (known.size >= MOST_KNOWN) {
    known.clear();
  }
  steps = 0;
  parts.clear();
  const found = find(text, 0);
  known.set(text, found);
  return found;
}

/** Undefined if there is no text. Hostile texts end the search after so many steps. */
function find(text, depth) {
  if (!LETTERS.test(text) || INSTANT.test(text)) {
    return text;
  }
  const exact = texts.exact.get(small(text));
  if (exact !== undefined || depth > MOST_DEPTH) {
    return exact;
  }
  if (!parts.has(text)) {
    parts.set(text, undefined);
    for (const template of candidates(text)) {
      const values = matched(template, text, depth);
      if (values) {
        parts.set(text, filled(template.text, values));
        break;
      }
    }
  }
  return parts.get(text);
}

function small(text) {
  return text.charAt(0).toLowerCase() + text.slice(1);
}

function filled(text, values) {
  let next = 0;
  return text.replace(/\{(\d?)\}/g, (whole, i) => values[i === '' ? next++ : i]);
}

// Templates: literals with values between

/** What may stand in place of a value, and what becomes of it; undefined if it may not. */
const VALUES = {
  // From outside: stays as it is.
  '{}': value => value,
  // Names from outside, of which the server leaves some out.
  '{l}': value => value.replace(/^(.*) and ([\d,]+) more$/s, (all, names, more) => worded('{} and {} more', names, more)),
  // A number, and a value without a letter, such as a date.
  '{n}': value => (/^(?:[\d.,]+(?:[KMBT]|万|亿)?|–|[\ue000-\ue03f])$/.test(value) ? value : undefined),
  '{w}': value => (LETTERS.test(value) ? undefined : value),
  // A duration, as 1 min 51 s.
  '{d}': (value, depth) => (/^(?:-?[\d.,]+ (?:ms|s|min|h|d)(?: \d+ (?:s|min|h))?|–|[\ue000-\ue03f])$/.test(value) ? find(value, depth) : undefined),
  // A rate, as 5 a second.
  '{r}': (value, depth) => (/^[\d.,]+ a (?:second|minute)$/.test(value) ? find(value, depth) : undefined),
  // Another text, and one that may be from outside.
  '{t}': (value, depth) => find(value, depth),
  '{s}': (value, depth) => find(value, depth) ?? value,
};

/** What may be anything comes last. */
const LOOSE = { '{t}': 1, '{s}': 2, '{l}': 3, '{}': 3 };

/**
 * The texts of a file by what they begin or end with: {'{n} message[s|] of {}': '{1} 的 {0} 条消息'}. [a|b] is a or b; values keep their order unless
 * they are numbered.
 */
function compiled({ default: file, forms }) {
  const index = { forms, exact: new Map(), byFirst: new Map(), byLast: new Map(), others: [], sorted: new Map() };
  for (const [key, text] of Object.entries(file)) {
    for (const variant of variants(key)) {
      const parts = variant.split(/(\{[a-z]?\})/);
      if (parts.length === 1) {
        index.exact.set(small(variant), text);
      } else {
        const literals = parts.filter((part, i) => i % 2 === 0);
        const names = parts.filter((part, i) => i % 2 === 1);
        const template = { text, literals, values: names.map(name => VALUES[name]), isText: names.map(name => name === '{t}' || name === '{s}'),
          rank: 100 * literals.join('').length - names.reduce((sum, name) => sum + (LOOSE[name] || 0), 0) };
        const first = /^([A-Za-z]+)[^A-Za-z]/.exec(template.literals[0])?.[1];
        const last = template.literals[0] === '' ? /[^A-Za-z]([A-Za-z]+)[^A-Za-z]*$/.exec(template.literals.at(-1))?.[1] : undefined;
        add(index, first, last, template);
      }
    }
  }
  return index;
}

function add(index, first, last, template) {
  if (!first && !last) {
    index.others.push(template);
    return;
  }
  const map = first ? index.byFirst : index.byLast;
  const word = (first || last).toLowerCase();
  map.set(word, [...(map.get(word) || []), template]);
}

function variants(key) {
  const choice = /\[([^\]]*)\]/.exec(key);
  return choice ? choice[1].split('|').flatMap(word => variants(key.slice(0, choice.index) + word + key.slice(choice.index + choice[0].length))) : [key];
}

const NONE = [];

/** Those with the most words of their own come first. */
function candidates(text) {
  const begins = texts.byFirst.get(/^[A-Za-z]+/.exec(text)?.[0].toLowerCase()) || NONE;
  const ends = texts.byLast.get(/([A-Za-z]+)[^A-Za-z]*$/.exec(text)?.[1].toLowerCase()) || NONE;
  const sorted = texts.sorted.get(begins) || texts.sorted.set(begins, new Map()).get(begins);
  if (!sorted.has(ends)) {
    sorted.set(ends, [...begins, ...ends, ...texts.others].sort((one, other) => other.rank - one.rank));
  }
  return sorted.get(ends);
}

/** The values between the literals of a template, or null. Texts are looked up when all else fits. */
function matched({ literals, values, isText }, text, depth) {
  const end = text.length - literals.at(-1).length;
  if (small(text.slice(0, literals[0].length)) !== small(literals[0]) || !text.endsWith(literals.at(-1))) {
    return null;
  }
  const from = (i, begin) => {
    const isLast = i === values.length - 1;
    for (let at = isLast ? end : text.indexOf(literals[i + 1], begin + 1); at > begin && at <= end; at = isLast ? -1 : text.indexOf(literals[i + 1], at + 1)) {
      if (++steps > MOST_STEPS) {
        return null;
      }
      const given = text.slice(begin, at);
      const early = isText[i] ? '' : values[i](given, depth + 1);
      const others = early === undefined ? null : isLast ? [] : from(i + 1, at + literals[i + 1].length);
      const value = others && isText[i] ? values[i](given, depth + 1) : early;
      if (others && value !== undefined) {
        return [value, ...others];
      }
    }
    return null;
  };
  return from(0, literals[0].length);
}

// What index.html has

const LABELS = ['aria-label', 'title', 'placeholder', 'alt'];

function translateStatic(node) {
  for (const child of node.childNodes) {
    if (child.nodeType === Node.TEXT_NODE) {
      child.data = translated(child.data);
    } else if (child.nodeType === Node.ELEMENT_NODE && child.nodeName !== 'NOSCRIPT' && child.id !== 'language') {
      LABELS.filter(name => child.hasAttribute(name)).forEach(name => child.setAttribute(name, translated(child.getAttribute(name))));
      translateStatic(child);
    }
  }
}

/** The name of the other language leads to it; this browser remembers it. */
function languageSwitch() {
  const button = document.getElementById('language');
  if (!button) {
    return;
  }
  const [other, name, short] = texts ? ['en', 'English', 'en'] : ['zh-CN', '中文', 'zh'];
  button.lang = other;
  button.textContent = name;
  button.onclick = () => {
    try {
      localStorage.setItem(STORED, short);
    } catch (storageIsOff) {
      // The address has it then.
    }
    const query = new URLSearchParams(location.search);
    query.set('lang', short);
    location.search = query.toString();
  };
}

// Begins

try {
  texts = FILES[root.lang] ? compiled(await FILES[root.lang]()) : null;
} catch (notLoaded) {
  console.error(notLoaded);
  root.lang = 'en';
}

/** For Intl: that of the texts, or else that of the browser. */
export const locale = texts ? root.lang : /^zh/i.test(navigator.language) ? 'en' : undefined;

if (texts) {
  translateStatic(document.body);
}
// The page is not painted in one language and then in another: theme.js hides it.
delete root.dataset.texts;
languageSwitch();
