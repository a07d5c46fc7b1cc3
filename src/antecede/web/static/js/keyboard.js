// Keyboard shortcuts: one listener; the keys of a view are those that it registers.

import { h } from "./dom.js";
import { change, state } from "./state.js";

const HELP = [
  ["Results and documents", [
    ["j k", "next, previous result"], ["o Enter", "open the document"], ["Esc", "close the document"],
    ["r m n", "mark as relevant, maybe, not relevant, and go on to the next; the same again takes the mark back"], ["t Shift+t", "next, previous match in the text; words that most documents have are passed over"],
    ["b", "read the application beside the document; each claim leads to its best passage"],
    ["1 2 3 4", "claims, description, abstract, citations"], ["l", "more like these"],
  ]],
  ["Query", [["/", "add a word or a phrase"]]],
  ["On a term of the query", [
    ["← →", "previous, next term"], ["↑ ↓", "raise, lower the weight"], ["Space", "turn the term off or on"],
    ["x", "exclude documents with the term"], ["Delete", "turn the term off, remove a phrase"], ["Enter", "edit the term"],
  ]],
  ["Everywhere", [["u", "undo the last thing done: a mark or a change of the query"], ["Shift+u", "do it again"], ["?", "this help"]]],
];

export const help = () => HELP.map(([title, keys]) => [h("h3", {}, title), h("table", { class: "keys" }, h("tbody", {}, keys.map(([key, what]) =>
  h("tr", {}, h("th", { scope: "row" }, key.split(" ").map((name) => h("kbd", {}, name))), h("td", {}, what)))))]);

let bindings = {};

/** Registers the keys of a view: {j: function, U: function}. */
export const bindKeys = (keys) => { bindings = keys; };

const TYPING = "input:not([type=checkbox], [type=radio], [type=range], [type=button]), textarea, select, [contenteditable]";

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented || state.dialog || state.conflicts.length) return;
  if (event.key === "Escape" && event.target.matches?.(TYPING)) { event.target.blur(); return; }
  if (event.target.matches?.(TYPING)) return;
  if (event.key === "Enter" && event.target.closest?.("a, button, summary, input")) return;
  if (event.key === "?") { event.preventDefault(); change({ dialog: { name: "help" } }); return; }
  const call = bindings[event.key];
  if (call) { event.preventDefault(); call(event); }
});
