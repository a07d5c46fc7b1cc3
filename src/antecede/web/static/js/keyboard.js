// Keyboard shortcuts: one listener; a view registers its keys and takes them back when it is left.

import { h, openDialog } from "./dom.js";

let bindings = {};

const HELP = [
  ["j / k", "next / previous result"], ["o or Enter", "open the document"], ["r", "relevant"], ["m", "maybe"], ["n", "not relevant"],
  ["t / Shift+t", "next / previous match in the text"], ["1 2 3 4", "claims, description, abstract, citations"], ["/", "edit the query: add a word or a phrase"],
  ["u / Shift+u", "undo / redo a change of the query"], ["l", "more like these"], ["Esc", "close the document"], ["?", "this help"],
  ["on a chip: ↑ ↓", "raise or lower the weight"], ["on a chip: Space", "turn the term off"], ["on a chip: x", "exclude documents with the term"], ["on a chip: Enter", "edit the term"],
];

export function showHelp() {
  return openDialog("Keyboard", h("table", { class: "keys" }, h("tbody", {}, HELP.map(([key, what]) => h("tr", {}, h("th", { scope: "row" }, h("kbd", {}, key)), h("td", {}, what))))));
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
