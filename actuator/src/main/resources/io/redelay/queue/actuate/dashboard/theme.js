// Runs before the first paint, so that a page whose reader chose a theme does not flash in the other one.
(function () {
  try {
    var theme = localStorage.getItem('redelay.theme');
    if (theme === 'light' || theme === 'dark') {
      document.documentElement.dataset.theme = theme;
    }
  } catch (storageIsOff) {
    // The theme of the system it is.
  }
})();
