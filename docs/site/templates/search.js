// Incremental search over pages, sections and API names: every word must occur; words in the title weigh most.
"use strict";
(() => {
  const field = document.getElementById("find");
  const list = document.getElementById("found");
  const root = document.body.dataset.root;
  const most = 12;
  let chosen = 0;

  const scoreWord = (word, title, page, text) => {
    if (title === word || title === "antecede " + word || title === "class " + word) return 60;
    if (title.startsWith(word)) return 30;
    if (title.includes(word)) return 20;
    if (page.includes(word)) return 8;
    const count = text.split(word).length - 1;
    return Math.min(5, count);
  };
  const computeScore = (entry, words) => {
    const [title, page, text] = [entry.title, entry.page, entry.text].map((each) => each.toLowerCase());
    const scores = words.map((word) => scoreWord(word, title, page, text));
    return scores.includes(0) ? 0 : scores.reduce((sum, score) => sum + score, 0);
  };

  const passage = (entry, words) => {
    const at = Math.max(0, entry.text.toLowerCase().indexOf(words[0]) - 30);
    return (at ? "…" : "") + entry.text.slice(at, at + 90) + "…";
  };

  const makeItem = (entry, words) => {
    const item = document.createElement("li");
    const link = document.createElement("a");
    link.href = root + entry.url;
    link.textContent = entry.title;
    const about = document.createElement("small");
    about.textContent = entry.page + " · " + passage(entry, words);
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
    const hits = words.length ? window.pagesToSearch.map((entry) => [computeScore(entry, words), entry]) : [];
    const best = hits.filter(([score]) => score > 0).sort((a, b) => b[0] - a[0]).slice(0, most);
    list.replaceChildren(...best.map(([, entry]) => makeItem(entry, words)));
    if (words.length && !best.length) list.append("No results");
    list.hidden = !words.length;
    choose(0);
  };

  field.addEventListener("input", show);
  field.addEventListener("keydown", (event) => {
    const link = list.querySelectorAll("a")[chosen];
    if (event.key === "ArrowDown") choose(chosen + 1);
    else if (event.key === "ArrowUp") choose(chosen - 1);
    else if (event.key === "Enter" && link) { location.href = link.href; list.hidden = true; }
    else if (event.key === "Escape") { field.value = ""; show(); }
    else return;
    event.preventDefault();
  });
  list.addEventListener("click", () => { list.hidden = true; });
  document.addEventListener("click", (event) => { if (!event.target.closest(".find")) list.hidden = true; });
  document.addEventListener("keydown", (event) => {
    const typing = /^(INPUT|TEXTAREA|SELECT)$/.test(document.activeElement.tagName);
    if (event.key === "/" && !typing) { event.preventDefault(); field.focus(); }
  });
})();
