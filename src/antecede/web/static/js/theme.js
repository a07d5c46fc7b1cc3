// Applies the chosen theme before anything is drawn. Not a module, so that the page does not flash.
"use strict";
(function () {
  let theme = null;
  try { theme = localStorage.getItem("antecede.theme"); } catch { /* storage may be off: the system decides */ }
  if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
})();
