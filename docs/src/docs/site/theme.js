// Before anything is shown: the colours that the reader chose. "auto" is what the system has.
'use strict';

window.guideTheme = {
  get() {
    try {
      return localStorage.getItem('guide-theme') || 'auto';
    }
    catch (ex) {
      return 'auto';
    }
  },
  set(theme) {
    document.documentElement.dataset.theme = theme;
    try {
      localStorage.setItem('guide-theme', theme);
    }
    catch (ex) {
      // A browser that keeps nothing for files forgets the choice with the page.
    }
  },
};
document.documentElement.dataset.theme = window.guideTheme.get();
