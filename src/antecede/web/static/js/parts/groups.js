// Groups that open and close: which are open is part of the state.

import { h } from "../dom.js";
import { change, state } from "../state.js";

/** A group with a summary; it begins open or closed. */
export function group(name, open, summary, body, kind = "group") {
  const shown = state.folds[name] ?? open;
  const toggle = (event) => { event.preventDefault(); change({ folds: { ...state.folds, [name]: !shown } }); };
  return h("details", { class: kind, open: shown, key: name }, h("summary", { onclick: toggle }, summary), shown ? body : null);
}
