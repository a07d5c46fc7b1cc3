// The query: its terms as chips of whole words, each with a weight that can be changed. The server keeps the state and
// the steps to undo; the panel sends a changed state and shows what comes back.

import { announce, debounce, figure, fill, find, findAll, h, languageName, number, plural } from "../dom.js";
import { WherePanel } from "./where.js";

const SLIDER_TOP = 2; // the slider reaches twice the heaviest weight
export const AUTO = "auto";

export class QueryPanel {
  /**
   * @param index what can be chosen: methods, fields
   * @param act   what the panel asks for: save(state), add(words), undo(), redo(), reset(), count(where, sets), stopCounting()
   */
  constructor(index, act) {
    this.index = index;
    this.act = act;
    this.open = null; // the term whose editor is open
    this.wide = false;
    this.count = h("span", { class: "query-count", id: "query-count" });
    this.tools = h("div", { class: "query-tools" });
    this.chips = h("ul", { class: "chips", "aria-label": "Terms of the query", onfocusin: (event) => this.unfold(event.target) });
    this.editor = h("div", { class: "chip-editor", hidden: true });
    this.more = h("button", { class: "link small", type: "button", onclick: () => { this.wide = !this.wide; this.fold(); } });
    this.notes = h("div", { class: "query-notes" });
    this.where = new WherePanel({
      save: (where, sets, names) => this.act.save({ ...this.view.state, filters: { ...this.view.state.filters, where: where || null, sets }, set_names: names }),
      count: (where, sets) => this.act.count(where, sets), stopCounting: () => this.act.stopCounting(),
    });
    this.element = h("section", { class: "query", "aria-label": "Query" }, this.tools, this.where.element, this.chips,
      h("div", { class: "row apart" }, this.more, this.notes), this.editor);
    this.build();
    this.outside = (event) => {
      if (this.open && !this.editor.contains(event.target) && !event.target.closest?.(".chip")) this.close();
    };
    document.addEventListener("click", this.outside);
    this.resized = new ResizeObserver(debounce(() => this.view && this.fold(), 100));
    this.resized.observe(this.element);
  }

  leave() {
    document.removeEventListener("click", this.outside);
    this.resized.disconnect();
  }

  build() {
    const { index } = this;
    this.input = h("input", { id: "add-term", placeholder: "Add a word, or several as a phrase", autocomplete: "off", "aria-label": "Add a word or a phrase to the query" });
    this.method = h("select", { id: "method", onchange: () => this.settings() },
      h("option", { value: AUTO, title: "The evidence that suits the collection" }, AUTO),
      index.methods.map((each) => h("option", { value: each.name, title: each.summary }, each.name)));
    this.size = h("input", { id: "term-count", type: "number", min: "1", max: "1000", onchange: () => this.settings({ sized: true }) });
    const known = index.fields.map((each) => (typeof each === "string" ? each : each.name));
    this.fields = known.map((name) => h("label", { class: "check" },
      h("input", { type: "checkbox", value: name, onchange: () => this.settings() }), name));
    this.source = h("legend", {});
    const tool = (label, sign, title, call) => h("button", { type: "button", class: "tool", title, "aria-label": label, onclick: call }, sign);
    this.undo = tool("Undo", "↶", "Undo (u)", () => this.act.undo());
    this.redo = tool("Redo", "↷", "Redo (Shift+u)", () => this.act.redo());
    this.reset = h("button", { type: "button", class: "link small", onclick: () => this.act.reset() }, "Start over");
    const add = h("form", { class: "add-term", onsubmit: (event) => { event.preventDefault(); this.add(); } },
      this.input, h("button", { type: "submit" }, "Add"));
    fill(this.tools,
      h("label", { class: "inline" }, h("span", {}, "Method"), this.method),
      h("label", { class: "inline" }, h("span", {}, "Terms"), this.size),
      h("fieldset", { class: "inline fields" }, this.source, this.fields),
      add,
      h("div", { class: "row tight" }, this.undo, this.redo, this.reset),
      this.count);
  }

  /** Sends the chosen method, number of terms and fields; the number is the default until the user sets one. */
  settings({ sized = false } = {}) {
    const fields = this.fields.map((each) => find("input", each)).filter((each) => each.checked).map((each) => each.value);
    if (!fields.length) {
      announce("At least one field must be chosen");
      this.show(this.view);
      return;
    }
    const settings = { ...this.view.state.settings };
    for (const name of ["method", "terms", "fields", "ranking"]) delete settings[name];
    if (this.view.fields.length !== fields.length || !fields.every((each) => this.view.fields.includes(each))) delete settings.from_claim;
    if (this.method.value !== AUTO) settings.method = [this.method.value];
    const size = Number.parseInt(this.size.value, 10);
    const terms = sized ? size : this.view.state.settings.terms;
    if (terms > 0) settings.terms = Math.min(terms, 1000);
    const given = this.view.state.settings.fields !== undefined;
    if (!settings.from_claim && (given || String([...fields].sort()) !== String([...this.view.fields].sort()))) settings.fields = fields;
    if (this.method.value === AUTO && settings.terms !== undefined) settings.ranking = AUTO;
    this.act.save({ ...this.view.state, settings });
  }

  /** Sends what was typed. The box is emptied at once, since the next word may be typed while the search runs. */
  async add() {
    const words = this.input.value.trim();
    this.input.value = "";
    this.input.focus();
    if (words && !(await this.act.add(words)) && !this.input.value) this.input.value = words;
  }

  focus() { this.input.focus(); this.input.select(); }

  /** Shows the query as the server describes it. */
  show(view) {
    this.view = view;
    const { settings } = view.state;
    this.heaviest = Math.max(...view.terms.map((each) => Math.abs(each.base ?? each.weight)), 1e-9);
    const method = [settings.method].flat()[0] ?? AUTO;
    if (![...this.method.options].some((each) => each.value === method)) this.method.append(h("option", { value: method }, method));
    this.method.value = method;
    this.size.value = settings.terms ?? view.terms.filter((each) => !each.added).length;
    const fields = settings.from_claim ? view.fields : settings.fields ?? view.fields;
    fill(this.source, settings.from_claim ? `Text from claim ${settings.from_claim}` : "Text from");
    for (const each of this.fields) find("input", each).checked = fields.includes(find("input", each).value);
    this.where.show(view.state);
    this.undo.disabled = !view.undo;
    this.redo.disabled = !view.redo;
    const { documents } = view;
    fill(this.count, h("strong", {}, number(documents.searched)), documents.searched === 1 ? " document passes" : " documents pass");
    fill(this.notes, view.notes.length ? h("details", { class: "small" },
      h("summary", {}, plural(view.notes.length, "note"), " on this query"), h("ul", {}, view.notes.map((each) => h("li", {}, each)))) : null);
    const focused = document.activeElement?.closest?.(".chip")?.dataset.key;
    fill(this.chips, view.phrases.map((each, at) => this.phraseChip(each, at)), view.terms.map((term) => this.chip(term)));
    if (focused) this.chipOf(focused)?.focus();
    const open = this.open && this.termOf(this.open);
    if (this.open && !open) this.close();
    else if (open) this.chipOf(this.open)?.setAttribute("aria-expanded", "true");
    this.fold();
  }

  termOf(key) { return this.view.terms.find((each) => keyOf(each) === key); }
  chipOf(key) { return findAll(".chip", this.chips).find((each) => each.dataset.key === key); }

  chip(term) {
    const share = Math.min(1, Math.abs(term.weight) / this.heaviest);
    const state = term.exclude ? "excluded" : term.off ? "off" : "";
    const spoken = `${term.word}, weight ${figure(term.weight)}, in ${plural(term.df ?? 0, "document")}${state ? `, ${state}` : ""}${term.edited ? ", edited" : ""}`;
    return h("li", {},
      h("button", {
        type: "button", class: `chip ${state} ${term.edited || term.added ? "edited" : ""}`, "aria-label": spoken, title: `${spoken}. Click to edit; arrow keys change the weight, x excludes, Space turns off.`,
        "aria-expanded": "false", data: { key: keyOf(term), word: term.word },
        onclick: (event) => this.toggle(term, event.currentTarget), onkeydown: (event) => this.key(event, term),
      },
      h("span", { class: "chip-word" }, term.exclude ? `−${term.word}` : term.word),
      h("span", { class: "chip-df" }, number(term.df)),
      h("span", { class: "chip-track" }, h("span", { class: "chip-bar", style: { width: `${100 * share}%` } }))));
  }

  phraseChip(phrase, at) {
    const change = (values) => {
      const phrases = this.view.state.phrases.map((each, place) => (place === at ? { ...each, ...values } : each));
      this.act.save({ ...this.view.state, phrases: values === null ? phrases.filter((_, place) => place !== at) : phrases });
    };
    return h("li", { class: `chip phrase ${phrase.exclude ? "excluded" : ""} ${phrase.off ? "off" : ""}` },
      h("span", { class: "chip-word" }, `${phrase.exclude ? "−" : ""}“${phrase.words}”`),
      h("button", { class: "plain small", type: "button", "aria-pressed": String(Boolean(phrase.off)), onclick: () => change({ off: !phrase.off }) }, "off"),
      h("button", { class: "plain small", type: "button", "aria-pressed": String(Boolean(phrase.exclude)), onclick: () => change({ exclude: !phrase.exclude }) }, "exclude"),
      h("button", { class: "plain small", type: "button", "aria-label": `Remove the phrase ${phrase.words}`, onclick: () => change(null) }, "×"));
  }

  key(event, term) {
    const step = this.heaviest / 10;
    const changes = {
      ArrowUp: { weight: term.weight + step, off: false }, ArrowDown: { weight: Math.max(0, term.weight - step) },
      x: { exclude: !term.exclude, off: false }, " ": { off: !term.off, exclude: false }, Delete: { off: true, exclude: false },
    };
    const chips = findAll("button.chip", this.chips);
    const at = chips.indexOf(event.currentTarget);
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "ArrowRight") chips[at + 1]?.focus();
    else if (event.key === "ArrowLeft") chips[at - 1]?.focus();
    else if (changes[event.key]) this.change(term, changes[event.key]);
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  /** Sends the state with one term edited; null takes the edit back. */
  change(term, values) {
    const { state } = this.view;
    const same = (each) => each.term === term.term && (each.language ?? term.language) === term.language;
    const before = state.terms.find(same) ?? { term: term.term, language: term.language, word: term.word, weight: null, off: false, exclude: false, added: false };
    const rest = state.terms.filter((each) => !same(each));
    if (values?.weight !== undefined) term.weight = values.weight; // a second key press goes on from here
    this.act.save({ ...state, terms: values === null ? rest : [...rest, { ...before, ...values }] });
  }

  toggle(term, chip) {
    if (this.open === keyOf(term)) { this.close(); return; }
    if (this.open) this.close();
    this.open = keyOf(term);
    chip.setAttribute("aria-expanded", "true");
    this.editor.hidden = false;
    fill(this.editor, this.form(term));
    const box = chip.getBoundingClientRect();
    const outer = this.element.getBoundingClientRect();
    this.editor.style.setProperty("left", `${Math.max(8, Math.min(box.left - outer.left, outer.width - 340))}px`);
    this.editor.style.setProperty("top", `${box.bottom - outer.top + 6}px`);
    find("input[type=range]", this.editor).focus();
  }

  form(term) {
    const top = Math.max(this.heaviest, term.weight) * SLIDER_TOP;
    const output = h("output", { class: "weight" }, figure(term.weight));
    const slider = h("input", {
      type: "range", min: "0", max: String(top), step: String(top / 200), "aria-label": `Weight of ${term.word}`,
      oninput: () => { output.textContent = figure(Number(slider.value)); },
      onchange: () => this.change(term, { weight: Number(slider.value), off: false }),
    });
    slider.value = String(Math.max(0, term.weight));
    const box = (name, label) => h("label", { class: "check" }, h("input", {
      type: "checkbox", checked: term[name], data: { switch: name },
      onchange: (event) => {
        const other = name === "off" ? "exclude" : "off";
        if (event.target.checked) find(`[data-switch=${other}]`, this.editor).checked = false;
        this.change(term, { [name]: event.target.checked, ...(event.target.checked ? { [other]: false } : {}) });
      },
    }), label);
    const escape = (event) => { if (event.key === "Escape") { event.stopPropagation(); this.close(true); } };
    return h("div", { class: "chip-form", role: "group", "aria-label": `Term ${term.word}`, onkeydown: escape },
      h("div", { class: "row apart" }, h("strong", {}, term.word), h("button", { class: "plain", type: "button", "aria-label": "Close", onclick: () => this.close(true) }, "×")),
      h("p", { class: "quiet small" }, `In ${plural(term.df ?? 0, "document")}`, term.count ? `, ${plural(term.count, "time")} in the application` : "", term.language ? `, ${languageName(term.language)}` : ""),
      h("div", { class: "slide" }, h("span", { class: "label" }, "Weight"), slider, output),
      h("div", { class: "row" }, box("off", "Off"), box("exclude", "Exclude documents with it"),
        h("button", { class: "link small", type: "button", onclick: () => { this.close(true); this.change(term, null); } }, term.added ? "Remove" : "Undo edits")));
  }

  close(focus = false) {
    const chip = this.open && this.chipOf(this.open);
    this.open = null;
    this.editor.hidden = true;
    chip?.setAttribute("aria-expanded", "false");
    if (focus) chip?.focus();
  }

  /** Shows all chips when the keyboard reaches one that is folded away. */
  unfold(chip) {
    if (this.wide || chip.offsetTop - this.chips.offsetTop < this.chips.clientHeight) return;
    this.wide = true;
    this.fold();
  }

  /** All chips, or those that fit into two lines. */
  fold() {
    this.chips.classList.toggle("folded", !this.wide);
    requestAnimationFrame(() => {
      const hidden = this.chips.scrollHeight > this.chips.clientHeight + 4;
      this.more.hidden = !hidden && !this.wide;
      this.more.textContent = this.wide ? "Show fewer terms" : `Show all ${this.view.terms.length} terms`;
      this.more.setAttribute("aria-expanded", String(this.wide));
    });
  }
}

const keyOf = (term) => `${term.language}:${term.term}`;
