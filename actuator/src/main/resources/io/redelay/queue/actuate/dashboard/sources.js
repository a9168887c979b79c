// The sources of a console, above the status bar of each of them. An application has none.

import { h, patch } from './dom.js';
import { config } from './api.js';

/** Shows them as links; the one that is read is marked. */
export function showSources() {
  const strip = h('div', { class: 'status-bar' });
  const draw = () => patch(strip, [h('nav', { class: 'bar-in', 'aria-label': 'Sources' }, to(config.overview, 'All sources'),
    config.sources.map(source => to(source.page + keptView(), h('bdi', null, source.name), source.name === config.source)))]);
  document.querySelector('.top').after(strip);
  window.addEventListener('hashchange', draw);
  draw();
}

/** A link out of this page, to an address that the server gave: relative to the page, as its own ones are. */
function to(address, words, isCurrent) {
  const anchor = h('a', { class: 'part', key: `to ${address.replace(/#.*/, '')}`, 'aria-current': isCurrent ? 'true' : null }, words);
  anchor.setAttribute('href', address);
  return anchor;
}

/** Another source has the same views, but not the same queues. */
function keptView() {
  return /^#\/([a-z]+)?(\?.*)?$/s.test(location.hash) ? location.hash : '';
}
