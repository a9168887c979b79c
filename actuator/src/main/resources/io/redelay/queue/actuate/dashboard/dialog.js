// Questions before something is done. The browser's own dialog keeps the focus inside, closes on Esc and gives the focus back.

import { h } from './dom.js';
import { outside } from './parts.js';

export function dialogIsOpen() {
  return document.querySelector('dialog[open]') !== null;
}

/**
 * Asks, and gives the values of the fields, or null if the reader would rather not.
 *
 * confirm({title, text, action: 'Delete', danger: true, typed: queue, fields: [{name, label, type, value, hint, required}]})
 *
 * `text` is a text or a list of nodes and texts. `typed` is what has to be typed before the action can be chosen. A field of the type
 * `textarea` has several lines, one of the type `select` has `options` ([value, label]); others are types of <input>.
 */
export function confirm({ title, text, action, danger, typed, fields = [] }) {
  const before = document.activeElement;
  return new Promise(resolve => {
    let values = null;
    const inputs = fields.map(field => input(field));
    const check = typed === undefined ? null
      : h('input', { type: 'text', id: 'dialog-typed', autocomplete: 'off', spellcheck: 'false', required: true });
    const go = h('button', { type: 'submit', class: danger ? 'danger' : 'primary', disabled: check !== null }, action);
    if (check) {
      check.oninput = () => {
        go.disabled = check.value !== typed;
      };
    }
    const form = h('form', {
      onsubmit: event => {
        event.preventDefault();
        if (check && check.value !== typed) {
          return;
        }
        values = Object.fromEntries(inputs.map(({ field, control }) => [field.name, control.type === 'checkbox' ? control.checked : control.value]));
        dialog.close();
      },
    },
    h('h2', { id: 'dialog-title' }, title),
    text ? h('div', { class: 'dialog-text', id: 'dialog-text' }, Array.isArray(text) ? text : h('p', null, text)) : null,
    inputs.map(({ row }) => row),
    check ? h('div', { class: 'field' }, h('label', { for: 'dialog-typed' }, 'Type ', h('strong', null, outside(typed)), ' to go on'), check) : null,
    h('div', { class: 'dialog-buttons' },
      h('button', { type: 'button', onclick: () => dialog.close() }, 'Back'), go));
    const dialog = h('dialog', { 'aria-labelledby': 'dialog-title', 'aria-describedby': text ? 'dialog-text' : null }, form);
    dialog.addEventListener('close', () => {
      dialog.remove();
      if (before && before.isConnected) {
        before.focus({ preventScroll: true });
      }
      resolve(values);
    });
    dialog.addEventListener('click', event => {
      if (event.target === dialog) {
        dialog.close();
      }
    });
    document.body.appendChild(dialog);
    dialog.showModal();
  });
}

function input(field) {
  const id = `dialog-${field.name}`;
  const props = { id, name: field.name, required: field.required, 'aria-describedby': field.hint ? `${id}-hint` : null };
  let control;
  if (field.type === 'textarea') {
    control = h('textarea', { ...props, rows: 8, spellcheck: 'false' });
    control.value = field.value ?? '';
  } else if (field.type === 'select') {
    control = h('select', props, field.options.map(([value, label]) => h('option', { value }, label)));
    control.value = field.value ?? field.options[0][0];
  } else {
    control = h('input', { ...props, type: field.type || 'text', value: field.value ?? '', min: field.min, max: field.max, step: field.step, autocomplete: 'off' });
    if (field.type === 'checkbox') {
      control.checked = Boolean(field.value);
    }
  }
  const row = h('div', { class: field.type === 'checkbox' ? 'field check' : 'field' }, h('label', { for: id }, field.label), control,
    field.hint ? h('p', { class: 'hint', id: `${id}-hint` }, field.hint) : null);
  return { field, control, row };
}
