// The Boolean expression that documents must meet: a line in the searcher's language, the documents of each of its parts
// while it is written, and sets that later expressions name as S1, S2.

import { debounce, fill, h, number, plural } from "../dom.js";

const PAUSE = 250; // milliseconds after the last key until the parts are counted
const PATIENCE = 400; // milliseconds of counting after which the searcher is told, and can cancel it

export class WherePanel {
  /** @param act what the panel asks for: save(where, sets, names), count(where, sets), stopCounting() */
  constructor(act) {
    this.act = act;
    this.sets = [];
    this.names = [];
    this.input = h("input", {
      id: "where", autocomplete: "off", spellcheck: "false", placeholder: 'radar OR "phased array" NEAR/5 antenna* NOT ti:satellite',
      "aria-label": "Boolean expression that documents must meet", "aria-describedby": "where-problem", oninput: () => this.later(),
      onkeydown: (event) => { if (event.key === "Escape") { event.stopPropagation(); this.input.value = this.saved ?? ""; this.count(); } },
    });
    this.total = h("span", { class: "where-total", id: "where-total", role: "status" });
    this.stop = h("button", { type: "button", class: "link small", id: "cancel-count", hidden: true, onclick: () => this.cancel() }, "Cancel");
    this.keep = h("button", { type: "button", class: "link small", id: "keep-set", hidden: true, title: "Keep the expression as a set that other expressions name", onclick: () => this.keepSet() }, "Keep as a set");
    this.problem = h("pre", { class: "where-problem", id: "where-problem", role: "alert", hidden: true });
    this.parts = h("ul", { class: "where-parts", "aria-label": "Documents of each part of the expression" });
    this.kept = h("ul", { class: "where-sets", "aria-label": "Sets" });
    this.element = h("form", { class: "where", onsubmit: (event) => { event.preventDefault(); this.apply(); } },
      h("label", { class: "where-line" }, h("span", {}, "Where"), this.input),
      h("button", { type: "submit" }, "Apply"), this.total, this.stop, this.keep, this.problem, this.parts, this.kept);
    this.later = debounce(() => this.count(), PAUSE);
  }

  /** Shows the expression of a state; what is being written stays. */
  show({ filters, set_names: names }) {
    const where = filters.where ?? "";
    this.sets = filters.sets ?? [];
    this.names = names ?? [];
    if (this.saved === where && document.activeElement === this.input) { this.drawSets(); return; }
    this.saved = where;
    this.input.value = where;
    this.count();
  }

  /** Searches with the expression; one that cannot be understood is shown with the place that is wrong. */
  async apply() {
    const where = this.input.value.trim();
    if ((where || this.sets.length) && !(await this.count())) return;
    if (!this.problem.hidden) return;
    this.saved = where;
    this.act.save(where, this.sets, this.names);
  }

  keepSet() {
    const where = this.input.value.trim();
    if (!where) return;
    const name = window.prompt(`Name of the set S${this.sets.length + 1} (may stay empty)`, "");
    if (name === null) return;
    this.sets = [...this.sets, where];
    this.names = [...this.sets.keys()].map((at) => this.names[at] ?? "").map((each, at) => (at === this.sets.length - 1 ? name.trim() : each));
    this.input.value = `S${this.sets.length}`;
    this.apply();
  }

  /** Only the last set can go: the others keep their numbers, by which sets and expressions name them. */
  drop(at) {
    this.sets = this.sets.slice(0, at);
    this.names = this.names.slice(0, at);
    if (new RegExp(`\\bS${at + 1}\\b`, "i").test(this.input.value)) this.input.value = "";
    this.apply();
  }

  insert(name) {
    this.input.value = `${this.input.value.trim()} ${name}`.trim();
    this.input.focus();
    this.count();
  }

  /** Counts the documents of the expression and its parts; says whether they are shown now, not cancelled or outdated. */
  count() {
    const where = this.input.value;
    const asked = JSON.stringify([where, this.sets]);
    if (this.counting?.asked === asked) return this.counting.shown;
    this.keep.hidden = !where.trim();
    const counting = { asked };
    this.counting = counting;
    counting.shown = this.showCounts(where, counting);
    return counting.shown;
  }

  async showCounts(where, mine) {
    const told = setTimeout(() => { this.total.textContent = "Counting…"; this.stop.hidden = false; }, PATIENCE);
    const nothing = !where.trim() && !this.sets.length;
    const found = nothing ? { documents: null, parts: [], sets: [] } : await this.act.count(where, this.sets);
    clearTimeout(told);
    if (mine !== this.counting) return false;
    this.counting = null;
    this.stop.hidden = true;
    if (found) this.draw(found);
    return Boolean(found);
  }

  cancel() {
    this.act.stopCounting();
    this.counting = null;
    this.stop.hidden = true;
    this.total.textContent = "Cancelled";
  }

  draw(found) {
    this.problem.hidden = !found.problem;
    this.input.setAttribute("aria-invalid", String(Boolean(found.problem)));
    if (found.problem) {
      const { what, place, text } = found.problem;
      const begin = Math.max(0, place - 50);
      this.problem.textContent = `${what}\n${text.slice(begin, place + 30)}\n${" ".repeat(place - begin)}^`;
      this.total.textContent = "";
      this.keep.hidden = true;
      fill(this.parts);
      return;
    }
    this.counts = found.sets;
    this.total.textContent = found.documents === null ? "" : plural(found.documents, "document");
    const several = found.parts.length > 1;
    const emptied = found.parts.find((each) => each.left === 0);
    fill(this.parts, several ? found.parts.map((each) => h("li", { class: `${each.documents ? "" : "nothing"} ${each === emptied ? "empties" : ""}`, data: { depth: String(each.depth) },
      title: each === emptied ? "No document meets this part and those before it" : each.left === null ? "" : `${plural(each.left, "document")} with those before it` },
    h("span", {}, each.text), " ", h("strong", {}, number(each.documents)), each === emptied ? " – none is left" : "")) : []);
    this.drawSets();
  }

  drawSets() {
    fill(this.kept, this.sets.map((text, at) => h("li", { class: "chip where-set", title: text },
      h("button", { class: "plain small", type: "button", "aria-label": `Add set S${at + 1} to the expression`, onclick: () => this.insert(`S${at + 1}`) }, h("strong", {}, `S${at + 1}`), ` ${this.names[at] || text}`),
      h("span", { class: "chip-df" }, this.counts?.[at] === undefined ? "" : number(this.counts[at])),
      at === this.sets.length - 1 ? h("button", { class: "plain small", type: "button", "aria-label": `Remove set S${at + 1}`, onclick: () => this.drop(at) }, "×") : null)));
  }
}
