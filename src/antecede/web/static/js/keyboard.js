// Keyboard shortcuts: one listener; a view registers its keys and takes them back when it is left.

import { h, openDialog } from "./dom.js";

let bindings = {};

const HELP = [
  ["Results and documents", [
    ["j k", "next, previous result"], ["o Enter", "open the document"], ["Esc", "close the document"],
    ["r m n", "mark as relevant, maybe, not relevant, and go on to the next; the same again takes the mark back"], ["t Shift+t", "next, previous match in the text; words that most documents have are passed over"],
    ["b", "read the application beside the document; each claim leads to its best passage"],
    ["1 2 3 4", "claims, description, abstract, citations"], ["l", "more like these"],
  ]],
  ["Query", [["/", "add a word or a phrase"], ["Shift+u", "redo a change of the query"]]],
  ["On a term of the query", [
    ["↑ ↓", "raise, lower the weight"], ["Space", "turn the term off or on"], ["x", "exclude documents with the term"],
    ["Enter", "edit the term"], ["← →", "previous, next term"],
  ]],
  ["Everywhere", [["u", "undo the last thing done: a mark or a change of the query"], ["?", "this help"]]],
];

export function showHelp() {
  return openDialog("Keyboard", HELP.map(([title, keys]) => [h("h3", {}, title), h("table", { class: "keys" }, h("tbody", {}, keys.map(([key, what]) =>
    h("tr", {}, h("th", { scope: "row" }, key.split(" ").map((each) => h("kbd", {}, each))), h("td", {}, what)))))]));
}

const ADVANCE = "antecede.advance";

/** Whether a mark by key goes on to the next document; a setting of this browser. */
export function advances() {
  try { return localStorage.getItem(ADVANCE) !== "no"; } catch { return true; }
}

export function setAdvances(on) {
  try { localStorage.setItem(ADVANCE, on ? "yes" : "no"); } catch { /* storage may be off */ }
}

/** Registers the keys of a view: {j: function, "Shift+U": function}. */
export function bindKeys(keys) { bindings = keys; }

const TYPING = "input:not([type=checkbox], [type=radio], [type=range], [type=button]), textarea, select, [contenteditable]";

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
  if (document.querySelector("dialog[open]")) return;
  if (event.key === "Escape" && event.target.matches?.(TYPING)) { event.target.blur(); return; }
  if (event.target.matches?.(TYPING)) return;
  if (event.key === "Enter" && event.target.closest?.("a, button, summary, input")) return;
  if (event.key === "?") { event.preventDefault(); showHelp(); return; }
  const call = bindings[event.key];
  if (call) { event.preventDefault(); call(event); }
});
