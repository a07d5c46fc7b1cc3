"use strict";
/* Sorting of tables, explanations of measures, and the theme.
   Elements are built with createElement and textContent only, so that no name can become markup. */

const MISSING = "–";

/* Building elements */

function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (value !== undefined && value !== false) element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.filter((child) => child !== undefined && child !== null));
  return element;
}

function draw(tag, attributes = {}, ...children) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

function makeScrollable(label, child) {
  return make("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": label }, child);
}

/* Theme */

function readTheme() {
  try { return localStorage.getItem("antecede-theme") || ""; } catch { return ""; }
}

function storeTheme(theme) {
  try { localStorage.setItem("antecede-theme", theme); } catch { /* storage may be denied to pages opened from disk */ }
}

function setUpTheme() {
  const button = document.getElementById("theme");
  const names = { "": "Theme: system", light: "Theme: light", dark: "Theme: dark" };
  const order = Object.keys(names);
  const show = (theme) => {
    if (theme) document.documentElement.dataset.theme = theme;
    else delete document.documentElement.dataset.theme;
    button.textContent = names[theme];
  };
  let theme = order.includes(readTheme()) ? readTheme() : "";
  button.hidden = false;
  button.addEventListener("click", () => {
    theme = order[(order.indexOf(theme) + 1) % order.length];
    storeTheme(theme);
    show(theme);
  });
  show(theme);
}

/* Sorting tables */

function readKey(cell) {
  const text = cell.dataset.key ?? cell.textContent.trim();
  if (text === "" || text === MISSING) return null;
  const number = Number(text.replaceAll(",", "").replace("−", "-"));
  return Number.isNaN(number) ? text : number;
}

function compareKeys(a, b, sign) {
  if (a === null || b === null) return (a === null) - (b === null);
  if (typeof a === "number" && typeof b === "number") return a === b ? 0 : sign * (a < b ? -1 : 1);
  return sign * String(a).localeCompare(String(b), undefined, { numeric: true });
}

function sortRows(table, column, head) {
  const rises = head.dataset.rises !== undefined || !head.classList.contains("n");
  const now = head.getAttribute("aria-sort");
  const ascending = now ? now === "descending" : rises;
  for (const other of table.tHead.querySelectorAll("[aria-sort]")) other.removeAttribute("aria-sort");
  head.setAttribute("aria-sort", ascending ? "ascending" : "descending");
  const body = table.tBodies[0];
  const rows = [...body.rows].map((row) => [readKey(row.cells[column]), row]);
  rows.sort((a, b) => compareKeys(a[0], b[0], ascending ? 1 : -1));
  body.append(...rows.map(([, row]) => row));
}

function makeSortable(table) {
  const row = table.tHead.rows[table.tHead.rows.length - 1];
  [...row.cells].forEach((head, column) => {
    if (head.tagName !== "TH" || !head.textContent.trim()) return;
    const link = head.querySelector("a.measure");
    const button = make("button", { type: "button", onclick: () => sortRows(table, column, head) }, head.textContent.trim());
    if (link) {
      button.className = "measure";
      button.dataset.entry = link.hash.slice(1);
    }
    head.replaceChildren(button);
  });
}

/* Explanations of measures beside their numbers */

function showTip(target) {
  const tip = document.getElementById("tip");
  const entry = document.getElementById(target.dataset.entry ?? target.hash.slice(1));
  if (!entry) return;
  const paragraphs = [...entry.querySelectorAll("dd > p")].map((paragraph) => paragraph.cloneNode(true));
  tip.replaceChildren(make("p", {}, make("b", {}, entry.querySelector("dt code").textContent)), ...paragraphs);
  tip.hidden = false;
  const place = target.getBoundingClientRect();
  const room = document.documentElement.clientWidth - tip.offsetWidth - 12;
  tip.style.left = `${Math.max(8, Math.min(place.left, room))}px`;
  const above = place.bottom + tip.offsetHeight + 10 > window.innerHeight && place.top > tip.offsetHeight + 10;
  tip.style.top = `${above ? place.top - tip.offsetHeight - 8 : place.bottom + 8}px`;
  target.setAttribute("aria-describedby", "tip");
}

const hideTip = () => { document.getElementById("tip").hidden = true; };

function setUpTips() {
  const explained = (event) => event.target.closest?.("a.measure, button.measure");
  for (const name of ["mouseover", "focusin"]) {
    document.addEventListener(name, (event) => { if (explained(event)) showTip(explained(event)); });
  }
  for (const name of ["mouseout", "focusout"]) {
    document.addEventListener(name, (event) => { if (explained(event)) hideTip(); });
  }
  document.addEventListener("keydown", (event) => { if (event.key === "Escape") hideTip(); });
  window.addEventListener("scroll", hideTip, { passive: true });
}
