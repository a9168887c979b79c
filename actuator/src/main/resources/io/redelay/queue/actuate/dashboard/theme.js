// Runs before the first paint, so that a page whose reader chose a theme does not flash in the other one, nor a page in another language in
// English: it is hidden until its texts are there (language.js).
(function () {
  var root = document.documentElement;
  var stored = function (name) {
    try {
      return localStorage.getItem(name);
    } catch (storageIsOff) {
      // The theme and the language of the system it is.
      return null;
    }
  };
  var theme = stored('redelay.theme');
  if (theme === 'light' || theme === 'dark') {
    root.dataset.theme = theme;
  }
  var asked = (/[?&]lang=(zh|en)(&|$)/.exec(location.search) || [])[1] || stored('redelay.language');
  var wanted = asked === 'zh' || asked === 'en' ? [asked] : navigator.languages || [];
  var first = wanted.map(function (language) {
    return language.toLowerCase().split('-')[0];
  }).filter(function (language) {
    return language === 'zh' || language === 'en';
  })[0];
  if (first === 'zh') {
    root.lang = 'zh-CN';
    root.dataset.texts = 'awaited';
    var file = document.createElement('link');
    file.rel = 'modulepreload';
    file.href = document.currentScript.src.replace(/theme\.js/, 'texts.zh.js');
    document.head.appendChild(file);
    // A page that cannot load its scripts says so in English.
    setTimeout(function () {
      delete root.dataset.texts;
    }, 3000);
  }
})();
