// Incremental search over the pages: every word must occur; words in the title have the highest weight.
"use strict";
(() => {
  const field = document.getElementById("find");
  const list = document.getElementById("found");
  const root = document.body.dataset.root;
  const most = 12;
  let chosen = 0;

  const computeScore = (page, words) => {
    const title = page.title.toLowerCase();
    const text = page.text.toLowerCase();
    let score = 0;
    for (const word of words) {
      if (title === word || title === "antecede " + word) score += 50;
      else if (title.includes(word)) score += 20;
      else if (!text.includes(word)) return 0;
      score += Math.min(5, text.split(word).length - 1);
    }
    return score;
  };

  const passage = (page, words) => {
    const at = Math.max(0, page.text.toLowerCase().indexOf(words[0]) - 30);
    return (at ? "…" : "") + page.text.slice(at, at + 90) + "…";
  };

  const entry = (page, words) => {
    const item = document.createElement("li");
    const link = document.createElement("a");
    link.href = root + page.url;
    link.textContent = page.title;
    const about = document.createElement("small");
    about.textContent = page.section + " · " + passage(page, words);
    link.append(about);
    item.append(link);
    return item;
  };

  const choose = (at) => {
    const links = [...list.querySelectorAll("a")];
    chosen = Math.max(0, Math.min(at, links.length - 1));
    links.forEach((link, place) => link.classList.toggle("chosen", place === chosen));
  };

  const show = () => {
    const words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
    const hits = words.length ? window.pagesToSearch.map((page) => [computeScore(page, words), page]) : [];
    const best = hits.filter(([score]) => score > 0).sort((a, b) => b[0] - a[0]).slice(0, most);
    list.replaceChildren(...best.map(([, page]) => entry(page, words)));
    if (words.length && !best.length) list.append("No results");
    list.hidden = !words.length;
    choose(0);
  };

  field.addEventListener("input", show);
  field.addEventListener("keydown", (event) => {
    const link = list.querySelectorAll("a")[chosen];
    if (event.key === "ArrowDown") choose(chosen + 1);
    else if (event.key === "ArrowUp") choose(chosen - 1);
    else if (event.key === "Enter" && link) location.href = link.href;
    else if (event.key === "Escape") { field.value = ""; show(); }
    else return;
    event.preventDefault();
  });
  document.addEventListener("keydown", (event) => {
    if (event.key === "/" && document.activeElement !== field) { event.preventDefault(); field.focus(); }
  });
})();
