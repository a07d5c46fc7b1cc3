// Dialogs: which one is open is part of the state; and conflicts, which are decided in one.

import { RELEVANCE, decide, keepSet, nameSearch } from "../actions.js";
import { day, find, h, plural } from "../dom.js";
import { help } from "../keyboard.js";
import { change, state } from "../state.js";

const close = () => change({ dialog: null });
const button = (label, call, kind = "") => h("button", { class: kind, type: "button", onclick: call }, label);
const written = () => find("dialog[open] input").value;

/** A text that is asked for: Enter or the button takes it. */
const question = (label, id, value, hint, take) => ({
  body: h("form", { onsubmit: (event) => { event.preventDefault(); const text = written(); close(); take(text); } },
    h("label", { class: "field" }, h("span", {}, label), h("input", { id, maxlength: "300", placeholder: hint, autocomplete: "off", value, oninput: (event) => { state.dialog.text = event.target.value; } })),
    h("button", { class: "primary" }, "Save")),
});

const DIALOGS = {
  help: () => ({ title: "Keyboard", body: help() }),
  leave: () => ({ title: "Sign out?", body: h("p", {}, "Everything you marked is stored."), buttons: [button("Stay", close), button("Sign out", signOut, "primary")] }),
  search: ({ number, text }) => {
    const search = state.case.searches.find((each) => each.number === number);
    return { title: "Name this search", ...question(`Search ${number}: ${search.label}`, "search-name", text ?? search.name, search.label, (name) => nameSearch(number, name)) };
  },
  set: ({ text }) => ({ title: "Keep as a set", ...question("Name of the set (may stay empty)", "set-name", text ?? "", "", keepSet) }),
  ask: ({ title, text, buttons }) => ({ title, body: h("p", {}, text), buttons: buttons.map(([label, call, kind]) => button(label, () => { close(); call?.(); }, kind)) }),
  share: (dialog) => dialog.draw(dialog),
};

async function signOut() {
  await fetch("/logout", { method: "POST", headers: { "X-CSRF-Token": find("meta[name=csrf-token]").content } });
  location.assign("/");
}

const FIELDS = { relevance: "Mark", category: "Category", claims: "Claims", note: "Note", name: "Name", notes: "Notes", topic: "Application", text: "Passage" };
const worded = (name, value) => (name === "relevance" ? RELEVANCE[value] ?? "no mark" : typeof value === "object" && value !== null ? value.title ?? "changed" : value || "–");

/** What two people made of one thing: both are shown, and one of them decides. */
function conflictDialog(conflict) {
  const { kind, key, fields, current, user, time } = conflict;
  const who = user && user !== state.user ? user : "Another window of yours";
  const what = { mark: key, case: "this case", cell: "this cell", chart: "the chart" }[kind];
  const undoing = "to" in fields;
  const names = undoing ? ["relevance", "category", "claims", "note"].filter((name) => current[name]) : Object.keys(fields);
  const choose = (choice) => () => decide(conflict, choice);
  return {
    title: `${who} changed ${what} too`, wide: true,
    body: [h("p", {}, undoing ? `What you want to undo was changed since${time ? `, on ${day(time)}` : ""}. It was not touched.` : `${plural(names.length, "field")} changed by both${time ? `; theirs is stored since ${day(time)}` : ""}. Yours is not stored yet.`),
      h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Both versions" }, h("table", { class: "versions" },
        h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "Field"), h("th", { scope: "col" }, `Theirs${user ? ` (${user})` : ""}`), undoing ? null : h("th", { scope: "col" }, "Yours"))),
        h("tbody", {}, names.length ? names.map((name) => h("tr", {}, h("th", { scope: "row" }, FIELDS[name] ?? name), h("td", {}, worded(name, current[name])), undoing ? null : h("td", {}, worded(name, fields[name]))))
          : h("tr", {}, h("th", { scope: "row" }, "Mark"), h("td", {}, "no mark")))))],
    buttons: [button("Keep theirs", choose("theirs")), undoing || kind === "chart" || "topic" in fields ? null : button("Keep both", choose("both")), button(undoing ? "Undo anyway" : "Keep mine", choose("mine"), "primary")],
    close: choose("theirs"),
  };
}

/** The open dialog: a conflict first. */
export function drawDialog() {
  const [conflict] = state.conflicts;
  const open = conflict ? conflictDialog(conflict) : state.dialog && DIALOGS[state.dialog.name](state.dialog);
  if (!open) return null;
  const { title, body, buttons = [], wide = false } = open;
  const leave = conflict ? () => {} : close; // a conflict is decided, not closed
  return h("dialog", { class: wide ? "dialog wide" : "dialog", key: conflict ? `${conflict.kind} ${conflict.key} ${conflict.version}` : state.dialog.name, "aria-labelledby": "dialog-title", oncancel: (event) => { event.preventDefault(); leave(); } },
    h("header", {}, h("h2", { id: "dialog-title" }, title), conflict ? null : h("button", { class: "plain", type: "button", "aria-label": "Close", onclick: close }, "×")),
    h("div", { class: "dialog-body", tabindex: "0" }, body), buttons.length ? h("footer", {}, buttons) : null);
}

let back = null; // what had the focus before a dialog opened

/** Makes the dialog that was drawn modal, and gives the focus back after the last one. */
export function modal() {
  const box = find("#dialogs dialog");
  if (box && !box.open) { back ??= document.activeElement; box.showModal(); }
  if (!box && back) { const element = back; back = null; element.focus?.(); }
}
