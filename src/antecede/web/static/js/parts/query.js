// The query: how it is made, the expression that documents must meet, and its terms as chips of whole words, each with a
// weight that can be changed.

import * as act from "../actions.js";
import { figure, find, h, languageName, number, plural, withCode } from "../dom.js";
import { change, state } from "../state.js";
import { group } from "./groups.js";

const SLIDER_TOP = 2; // the slider reaches twice the heaviest weight
const AUTO = "auto";

export function drawQuery() {
  const { view } = state.query;
  return h("section", { class: "query", "aria-label": "Query" }, view ? [tools(view), where(view), chips(view), foot(view), editor()] : h("p", { class: "quiet" }, state.query.problem || "Loading the query…"));
}

const frozen = () => act.readOnly();

// How it is made, what is added, undo

function tools(view) {
  const { adding } = state;
  const undo = act.undoable();
  const redo = act.redoable();
  const tool = (label, sign, entry, key, call) => h("button", { type: "button", class: "tool", title: `${label}${entry ? `: ${entry.what}` : ""} (${key})`, "aria-label": label, disabled: !entry || frozen(), onclick: call }, sign);
  return h("div", { class: "query-tools" }, settings(view),
    h("form", { class: "add-term", onsubmit: (event) => { event.preventDefault(); act.addWords(); } },
      h("div", { class: "row tight" },
        h("input", { id: "add-term", placeholder: "Add a word or a phrase", autocomplete: "off", "aria-label": "Add a word or a phrase to the query", "aria-describedby": "add-says", maxlength: "200", value: adding.text, disabled: frozen(), oninput: (event) => act.typeWord(event.target.value) }),
        h("button", { type: "submit", disabled: !adding.text.trim() }, "Add")),
      adding.text.trim() ? h("div", { class: "add-as", role: "radiogroup", "aria-label": "What the words are added as" }, [["weight", "as a word with weight", "as words with weight"], ["must", "must contain", "must contain the phrase"]].map(([name, one, several]) =>
        h("label", { class: "check small" }, h("input", { type: "radio", name: "add-as", value: name, checked: act.adds(adding) === name, onchange: () => act.chooseMust(name === "must") }), /\s/.test(adding.text.trim()) ? several : one))) : null,
      h("p", { id: "add-says", class: adding.problem ? "small bad" : "small quiet", role: "status" }, adding.problem ? withCode(adding.problem) : adding.text.trim() ? foresee(adding) : adding.said)),
    h("div", { class: "row tight" }, tool("Undo", "↶", undo, "u", act.undo), tool("Redo", "↷", redo, "Shift+u", act.redo)),
    h("span", { class: "query-count", id: "query-count" }, h("strong", {}, number(view.documents.searched)), view.documents.searched === 1 ? " document passes" : " documents pass"));
}

/** What adding will do, before it is done. */
function foresee({ found, text, must }) {
  if (!found || found.words.trim() !== text.trim()) return "";
  const missing = found.unknown.length ? `No document holds ${found.unknown.map((word) => `“${word}”`).join(", ")}. ` : "";
  return missing + found[act.adds({ text, must })].says;
}

function settings(view) {
  const { index } = state;
  const { settings: given } = view.state;
  const method = [given.method].flat()[0] ?? AUTO;
  const known = index.fields.map((field) => field.name ?? field);
  const fields = given.from_claim ? view.fields : given.fields ?? view.fields;
  const size = given.terms ?? view.terms.filter((term) => !term.added).length;
  const names = [AUTO, ...index.methods.map((each) => each.name)];
  const summary = (name) => index.methods.find((each) => each.name === name)?.summary ?? (name === AUTO ? "The evidence that suits the collection" : "");
  const own = view.state.own ? "learned from what is marked" : `${method}, text from ${given.from_claim ? `claim ${given.from_claim}` : fields.join(" + ") || "nothing"}`;
  const field = (name) => h("label", { class: "check" }, h("input", { type: "checkbox", value: name, checked: fields.includes(name), disabled: frozen() || (fields.length === 1 && fields[0] === name),
    onchange: (event) => save({ fields: event.target.checked ? [...fields, name] : fields.filter((each) => each !== name) }) }), name);
  const save = (values) => {
    const now = { ...given, ...values };
    if (values.fields) { delete now.from_claim; if (String([...values.fields].sort()) === String([...view.fields].sort()) && !given.fields) delete now.fields; }
    delete now.ranking;
    if (now.method === null) delete now.method;
    if (!now.method && now.terms !== undefined) now.ranking = AUTO;
    act.saveQuery({ ...view.state, own: false, settings: now }, Object.keys(values).map((name) => ({ method: "the method", terms: "the number of terms", fields: "the parts of the text" })[name]).join(", "));
  };
  return group("settings", false, h("span", {}, "Made by ", h("strong", {}, own)), [
    h("label", { class: "inline" }, h("span", {}, "Method"), h("select", { id: "method", value: method, disabled: frozen(), onchange: (event) => save({ method: event.target.value === AUTO ? null : [event.target.value] }) },
      [...new Set([...names, method])].map((name) => h("option", { value: name, title: summary(name) }, name)))),
    h("label", { class: "inline" }, h("span", {}, "Terms"), h("input", { id: "term-count", type: "number", min: "1", max: "1000", value: size, disabled: frozen(), onchange: (event) => { const count = Number.parseInt(event.target.value, 10); if (count > 0) save({ terms: Math.min(count, 1000) }); else change({}); } })),
    h("fieldset", { class: "inline fields" }, h("legend", {}, given.from_claim ? `Text from claim ${given.from_claim}` : "Text from"), known.map(field)),
    h("button", { type: "button", class: "link small", disabled: frozen(), onclick: act.resetQuery }, "Start over")], "query-settings");
}

// The Boolean expression: as typed, and as applied

function where(view) {
  const { expression } = state;
  const { filters, set_names: names = [] } = view.state;
  const sets = filters.sets ?? [];
  const typed = act.typedExpression();
  const pending = typed.trim() !== act.applied().trim();
  const { counts, problem } = expression;
  const total = expression.stopped ? "Cancelled" : expression.slow ? "Counting…" : counts && counts.documents !== null ? plural(counts.documents, "document") : "";
  const insert = (name) => { act.typeExpression(`${typed.trim()} ${name}`.trim()); find("#where").focus(); };
  return h("form", { class: "where", onsubmit: (event) => { event.preventDefault(); act.applyExpression(); } },
    h("label", { class: "where-line" }, h("span", {}, "Where"), h("input", {
      id: "where", autocomplete: "off", spellcheck: "false", placeholder: 'radar OR "phased array" NEAR/5 antenna* NOT ti:satellite', value: typed, disabled: frozen(),
      "aria-label": "Boolean expression that documents must meet", "aria-describedby": "where-problem", "aria-invalid": String(Boolean(problem)), oninput: (event) => act.typeExpression(event.target.value),
      onkeydown: (event) => { if (event.key === "Escape") { event.stopPropagation(); act.typeExpression(act.applied()); } } })),
    h("button", { type: "submit", disabled: !pending }, "Apply"),
    h("span", { class: "where-total", id: "where-total", role: "status" }, total),
    h("button", { type: "button", class: "link small", id: "cancel-count", hidden: !expression.slow, onclick: act.stopCounting }, "Cancel"),
    h("button", { type: "button", class: "link small", id: "keep-set", hidden: !typed.trim() || Boolean(problem) || frozen(), title: "Keep the expression as a set that other expressions name", onclick: () => change({ dialog: { name: "set" } }) }, "Keep as a set"),
    pending ? h("span", { class: "where-pending small", role: "status" }, act.applied() ? ["Not applied yet; the list meets ", h("code", {}, act.applied())] : "Not applied yet") : null,
    h("pre", { class: "where-problem", id: "where-problem", role: "alert", hidden: !problem }, problem ? pointAt(problem) : ""),
    parts(counts),
    counts?.unpublished ? h("p", { class: "small quiet", id: "unpublished" }, `${plural(counts.unpublished, "document")} ${counts.unpublished === 1 ? "has" : "have"} no known publication date: pd: finds none of them; the dates of the filters do`) : null,
    sets.length ? h("ul", { class: "where-sets", "aria-label": "Sets" }, sets.map((text, place) => h("li", { class: "chip where-set", title: text },
      h("button", { class: "plain small", type: "button", "aria-label": `Add set S${place + 1} to the expression`, onclick: () => insert(`S${place + 1}`) }, h("strong", {}, `S${place + 1}`), ` ${names[place] || text}`),
      h("span", { class: "chip-df" }, counts?.sets?.[place] === undefined ? "" : number(counts.sets[place])),
      place === sets.length - 1 && !frozen() ? h("button", { class: "plain small", type: "button", "aria-label": `Remove set S${place + 1}`, onclick: act.dropSet }, "×") : null))) : null);
}

/** What is wrong, with the place where it is. */
function pointAt({ what, place, text }) {
  if (text === undefined) return what;
  const begin = Math.max(0, place - 50);
  return `${what}\n${text.slice(begin, place + 30)}\n${" ".repeat(place - begin)}^`;
}

function parts(counts) {
  if (!(counts?.parts.length > 1)) return null;
  const emptied = counts.parts.find((part) => part.left === 0);
  const hint = (part) => (part === emptied ? "No document meets this part and those before it" : part.left === null ? null : `${plural(part.left, "document")} with those before it`);
  return h("ul", { class: "where-parts", "aria-label": "Documents of each part of the expression" }, counts.parts.map((part) =>
    h("li", { class: `${part.documents ? "" : "nothing"} ${part === emptied ? "empties" : ""}`, data: { depth: String(part.depth) }, title: hint(part) },
      h("span", {}, part.text), " ", h("strong", {}, number(part.documents)), part === emptied ? " – none is left" : "")));
}

// The terms: one stop of the Tab key, arrow keys go on from there

const heaviestOf = (terms) => Math.max(...terms.map((term) => Math.abs(term.base ?? term.weight)), 1e-9);
const phraseKey = (place) => `phrase ${place}`;

function chips(view) {
  const terms = act.terms();
  const heaviest = heaviestOf(terms);
  const keys = [...view.state.phrases.map((_, place) => phraseKey(place)), ...terms.map(act.keyOf)];
  const current = keys.includes(state.chips.current) ? state.chips.current : keys[0];
  const focus = (key) => { change({ current: key, all: true }, state.chips); find(`.chips [data-key="${CSS.escape(key)}"]`).focus(); };
  const shared = (key, changes) => ({
    type: "button", tabindex: key === current ? "0" : "-1", disabled: frozen(), onfocus: () => state.chips.current !== key && change({ current: key }, state.chips),
    onkeydown: (event) => {
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      const move = { ArrowRight: 1, ArrowLeft: -1, Home: -keys.length, End: keys.length }[event.key];
      if (move) focus(keys[Math.min(keys.length - 1, Math.max(0, keys.indexOf(key) + move))]);
      else if (event.key in changes) changes[event.key]();
      else return;
      event.preventDefault();
      event.stopPropagation();
    },
  });
  return h("ul", { class: state.chips.all ? "chips" : "chips folded", "aria-label": "Terms of the query: arrow keys go from one to the next" },
    view.state.phrases.map((phrase, place) => phraseChip(phrase, place, shared)), terms.map((term) => chip(term, heaviest, shared)));
}

function chip(term, heaviest, shared) {
  const key = act.keyOf(term);
  const share = Math.min(1, Math.abs(term.weight) / heaviest);
  const kind = term.exclude ? "excluded" : term.off ? "off" : "";
  const spoken = `${term.word}, weight ${figure(term.weight)}, in ${plural(term.df ?? 0, "document")}${kind ? `, ${kind}` : ""}${term.edited ? ", edited" : ""}`;
  const edit = (values) => () => act.editTerm(term, values);
  const changes = {
    ArrowUp: edit({ weight: term.weight + heaviest / 10, off: false }), ArrowDown: edit({ weight: Math.max(0, term.weight - heaviest / 10) }),
    x: edit({ exclude: !term.exclude, off: false }), " ": edit({ off: !term.off, exclude: false }), Delete: edit({ off: true, exclude: false }),
  };
  return h("li", { key }, h("button", {
    ...shared(key, changes), class: `chip ${kind} ${term.edited || term.added ? "edited" : ""} ${term.df ? "" : "unheld"}`, "aria-label": spoken, title: `${spoken}. Click to edit; ↑ ↓ change the weight, x excludes, Space turns off.`,
    "aria-expanded": String(state.chips.editing === key), data: { key, word: term.word }, onclick: (event) => toggleEditor(key, event.currentTarget),
  }, h("span", { class: "chip-word" }, term.exclude ? `−${term.word}` : term.word), h("span", { class: "chip-df" }, term.df ? number(term.df) : "in no document"),
  h("span", { class: "chip-track" }, h("span", { class: "chip-bar", style: { width: `${100 * share}%` } }))));
}

function phraseChip(phrase, place, shared) {
  const key = phraseKey(place);
  const edit = (values) => () => act.editPhrase(place, values);
  const remove = edit(null);
  const button = (label, values, pressed) => h("button", { class: "plain small", type: "button", tabindex: "-1", "aria-pressed": String(Boolean(pressed)), disabled: frozen(), onclick: edit(values) }, label);
  return h("li", { key, class: `chip phrase ${phrase.exclude ? "excluded" : ""} ${phrase.off ? "off" : ""}` },
    h("button", { ...shared(key, { x: edit({ exclude: !phrase.exclude }), " ": edit({ off: !phrase.off }), Delete: remove }), class: "plain chip-word", data: { key }, title: "Space turns it off, x excludes, Delete removes it" }, `${phrase.exclude ? "must not contain" : "must contain"} “${phrase.words}”`),
    button("off", { off: !phrase.off }, phrase.off), button("exclude", { exclude: !phrase.exclude }, phrase.exclude),
    h("button", { class: "plain small", type: "button", tabindex: "-1", "aria-label": `Remove the phrase ${phrase.words}`, disabled: frozen(), onclick: remove }, "×"));
}

function toggleEditor(key, element) {
  const open = state.chips.editing !== key;
  const box = element.getBoundingClientRect();
  const outer = element.closest(".query").getBoundingClientRect();
  change({ editing: open ? key : null, left: Math.max(8, Math.min(box.left - outer.left, outer.width - 330)), top: box.bottom - outer.top + 6, focus: open }, state.chips);
}

function editor() {
  const { editing, left, top } = state.chips;
  const term = editing && act.terms().find((each) => act.keyOf(each) === editing);
  if (!term) return null;
  const highest = Math.max(heaviestOf(act.terms()), term.base ?? 0) * SLIDER_TOP;
  const close = () => { change({ editing: null }, state.chips); find(`.chips [data-key="${CSS.escape(editing)}"]`)?.focus(); };
  const box = (name, label) => h("label", { class: "check" }, h("input", { type: "checkbox", checked: term[name], data: { switch: name },
    onchange: (event) => act.editTerm(term, { [name]: event.target.checked, ...(event.target.checked ? { [name === "off" ? "exclude" : "off"]: false } : {}) }) }), label);
  const escape = (event) => { if (event.key === "Escape") { event.stopPropagation(); close(); } };
  return h("div", { class: "chip-editor", key: editing, style: { left: `${left}px`, top: `${top}px` } }, h("div", { class: "chip-form", role: "group", "aria-label": `Term ${term.word}`, onkeydown: escape },
    h("div", { class: "row apart" }, h("strong", {}, term.word), h("button", { class: "plain", type: "button", "aria-label": "Close", onclick: close }, "×")),
    h("p", { class: "quiet small" }, term.df ? `In ${plural(term.df, "document")}` : "No document holds it", term.count ? `, ${plural(term.count, "time")} in the application` : "", term.language ? `, ${languageName(term.language)}` : ""),
    h("div", { class: "slide" }, h("span", { class: "label" }, "Weight"),
      h("input", { type: "range", min: "0", max: String(highest), step: String(highest / 200), "aria-label": `Weight of ${term.word}`, value: Math.max(0, term.weight),
        oninput: (event) => { event.target.nextSibling.textContent = figure(Number(event.target.value)); }, onchange: (event) => act.editTerm(term, { weight: Number(event.target.value), off: false }) }),
      h("output", { class: "weight" }, figure(term.weight))),
    h("div", { class: "row" }, box("off", "Off"), box("exclude", "Exclude documents with it"),
      h("button", { class: "link small", type: "button", onclick: () => { close(); act.editTerm(term, null); } }, term.added || state.query.view.state.own ? "Remove" : "Undo edits"))));
}

function foot(view) {
  const { query, chips: { all } } = state;
  const { conflict } = query;
  const again = () => act.saveQuery(conflict.next, conflict.what);
  return h("div", { class: "query-notes" },
    h("div", { class: "row apart" },
      h("button", { class: "link small", type: "button", id: "all-terms", "aria-expanded": String(all), onclick: () => change({ all: !all }, state.chips) }, all ? "Show fewer terms" : `Show all ${view.terms.length} terms`),
      view.notes.length ? group("query-notes", false, `${plural(view.notes.length, "note")} on this query`, h("ul", {}, view.notes.map((note) => h("li", {}, note))), "small") : null),
    query.problem ? h("div", { class: "notice bad", role: "alert", id: "query-problem" }, withCode(query.problem),
      conflict?.next ? h("div", { class: "row" }, h("button", { type: "button", onclick: again }, "Keep mine"), h("button", { type: "button", onclick: () => change({ problem: "", conflict: null }, query) }, "Keep theirs")) : null) : null);
}

/** After the query was drawn: the editor that was just opened gets the focus; the button for all terms is there if some are hidden. */
export function drawnQuery() {
  const box = find(".chips");
  if (box) find("#all-terms").hidden = !state.chips.all && box.scrollHeight <= box.clientHeight + 4;
  if (state.chips.focus) { state.chips.focus = false; find(".chip-editor input[type=range]")?.focus(); }
}

document.addEventListener("click", ({ target }) => {
  if (state.chips.editing && target.isConnected && !target.closest?.(".chip-editor, .chip")) change({ editing: null }, state.chips);
});
