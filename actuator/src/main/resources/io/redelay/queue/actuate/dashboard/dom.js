// Builds elements, and patches what is shown to what a view returned. Text comes in as text nodes only: nothing here
// parses HTML, so a payload cannot become markup.

import { translated, translatedChildren } from './language.js';

const SVG = 'http://www.w3.org/2000/svg';
const SVG_TAGS = new Set(['svg', 'path', 'g', 'circle', 'rect', 'line', 'title']);
const HANDLERS = ['onclick', 'oninput', 'onchange', 'onsubmit', 'onkeydown', 'ontoggle'];
const LABELS = ['aria-label', 'title', 'placeholder', 'alt', 'data-label'];
const OUTSIDE = new Set(['bdi', 'pre', 'code', 'kbd', 'textarea']);
const PROPERTIES = ['checked', 'value', 'disabled', 'hidden', 'open'];

/**
 * h('button', {class: 'primary', onclick: run}, 'Run now'). Props are attributes, except handlers (functions, `on…`), `key` (distinguishes a
 * row or a section from its siblings) and the properties of forms. null, undefined and false leave an attribute or a child out. Texts and labels
 * are in the language of the reader, but for those of elements for text from outside, such as <bdi>, or with the attribute translate: 'no'.
 */
export function h(tag, props, ...children) {
  const svg = SVG_TAGS.has(tag);
  const isOutside = OUTSIDE.has(tag) || props?.translate === 'no';
  const node = svg ? document.createElementNS(SVG, tag) : document.createElement(tag);
  for (const [name, value] of Object.entries(props || {})) {
    if (value === null || value === undefined || value === false) {
      continue;
    }
    if (name === 'key') {
      node.key = String(value);
    } else if (typeof value === 'function') {
      if (!HANDLERS.includes(name)) {
        throw new Error(`No such handler: ${name}`);
      }
      node[name] = value;
    } else if (name.startsWith('on') || name === 'style' || name === 'srcdoc') {
      throw new Error(`The content security policy forbids the attribute ${name}`);
    } else if (!svg && PROPERTIES.includes(name)) {
      node[name] = value;
      if (name === 'value') {
        node.setAttribute('value', value);
      }
    } else {
      const text = value === true ? '' : String(value);
      node.setAttribute(name, safe(name, LABELS.includes(name) && !isOutside ? translated(text) : text));
    }
  }
  const parts = flat(children);
  node.append(...(isOutside ? parts : translatedChildren(parts)));
  return node;
}

/** Links lead to views of this page; never to `javascript:` or to another server. */
function safe(name, value) {
  if ((name === 'href' || name === 'src') && !value.startsWith('#')) {
    throw new Error(`Not a link of this page: ${value}`);
  }
  return value;
}

/** Elements and texts, without what is left out. */
function flat(children) {
  return children.flat(Infinity).filter(child => child !== null && child !== undefined && child !== false && child !== '')
    .map(child => (child instanceof Node ? child : String(child)));
}

/**
 * An element that keeps itself up, such as a chart: `create(element, data)` is called once when it is shown, `update(element, data)`
 * with each refresh, `destroy(element)` when it goes. Its children are not patched.
 */
export function live(key, props, data, part) {
  const node = h('div', { ...props, key });
  node.component = part;
  node.given = data;
  return node;
}

/** Makes the children of `parent` look like `wanted`; what is there already stays the same element, with focus, scroll and typed text. */
export function patch(parent, wanted) {
  const focused = document.activeElement;
  patchChildren(parent, wanted);
  mount(parent);
  if (focused && focused !== document.activeElement && focused.isConnected && parent.contains(focused)) {
    focused.focus({ preventScroll: true });
  }
}

function patchChildren(parent, wanted) {
  const keyed = new Map();
  for (const child of parent.childNodes) {
    if (child.key !== undefined) {
      keyed.set(child.key, child);
    }
  }
  let next = parent.firstChild;
  for (const want of wanted) {
    let have = want.key !== undefined ? keyed.get(want.key) : next;
    while (want.key === undefined && have && !same(have, want)) {
      have = have.nextSibling;
    }
    if (have && same(have, want)) {
      if (have === next) {
        next = next.nextSibling;
      } else {
        parent.insertBefore(have, next);
      }
      patchNode(have, want);
      keyed.delete(want.key);
    } else {
      parent.insertBefore(want, next);
    }
  }
  while (next) {
    const gone = next;
    next = next.nextSibling;
    unmount(gone);
    gone.remove();
  }
}

function same(have, want) {
  return have.nodeType === want.nodeType && have.nodeName === want.nodeName && have.key === want.key && have.component === want.component
    && have.type === want.type;
}

function patchNode(have, want) {
  if (have.nodeType === Node.TEXT_NODE) {
    if (have.data !== want.data) {
      have.data = want.data;
    }
    return;
  }
  for (const { name } of [...have.attributes]) {
    if (!want.hasAttribute(name) && !(name === 'open' && have.nodeName === 'DETAILS')) {
      have.removeAttribute(name);
    }
  }
  for (const { name, value } of want.attributes) {
    if (have.getAttribute(name) !== value && !(name === 'open' && have.nodeName === 'DETAILS')) {
      have.setAttribute(name, value);
    }
  }
  for (const handler of HANDLERS) {
    if (have[handler] !== want[handler]) {
      have[handler] = want[handler];
    }
  }
  if (have.component) {
    have.component.update(have, want.given);
    return;
  }
  // What a reader typed or chose stays; a view that wants another text in a field gives the field another key.
  if (have.nodeName !== 'TEXTAREA') {
    patchChildren(have, [...want.childNodes]);
  }
}

function mount(node) {
  if (node.component && !node.mounted) {
    node.mounted = true;
    node.component.create(node, node.given);
  }
  for (const child of node.children) {
    mount(child);
  }
}

function unmount(node) {
  if (node.component && node.mounted) {
    node.mounted = false;
    node.component.destroy?.(node);
  }
  for (const child of node.children || []) {
    unmount(child);
  }
}
