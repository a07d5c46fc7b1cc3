// Two searches of a case side by side: what each finds that the other does not.

import { ApiError } from "../api.js";
import { fill, h, inward, number, plural, toast } from "../dom.js";
import { bindKeys } from "../keyboard.js";
import { RELEVANCE } from "../parts/results.js";
import { nameSearch, searchOptions } from "../parts/searches.js";

const DEPTHS = [20, 50, 100, 200, 500, 1000];

export class CompareView {
  constructor({ api, found, main, place, go }) {
    Object.assign(this, { api, case: found, main, place, go });
  }

  async start() {
    bindKeys({});
    const { searches } = this.case;
    if (searches.length < 2) {
      fill(this.main, h("div", { class: "column" }, h("h1", {}, "Compare"), h("p", { class: "card" }, "A comparison needs two searches of this case. Change the query under ", inward(`/cases/${this.api.id}/search`, {}, "Search"), "; each query that was tried is stored.")));
      return;
    }
    const pick = (label, number) => {
      const select = h("select", { id: label, onchange: () => this.load() }, searchOptions(searches));
      select.value = String(number);
      return select;
    };
    const rename = (select) => h("button", { type: "button", class: "link small", "aria-label": "Name this search", onclick: () => this.rename(select) }, "Name");
    const field = (label, select) => h("div", { class: "field" }, h("label", { class: "row apart", for: select.id }, h("span", { class: "label" }, label), rename(select)), select);
    this.first = pick("first", searches.at(-2).number);
    this.second = pick("second", searches.at(-1).number);
    this.depth = h("select", { id: "depth", onchange: () => this.load() }, DEPTHS.map((each) => h("option", { value: each }, `the first ${number(each)}`)));
    this.depth.value = "100";
    this.answer = h("div", {});
    fill(this.main, h("div", { class: "column wide" }, h("h1", {}, "Compare"),
      h("div", { class: "card compare-form" }, field("First search", this.first), field("Second search", this.second), h("label", { class: "field" }, h("span", {}, "Documents"), this.depth)),
      this.answer));
    await this.load();
  }

  leave() { /* nothing to end */ }

  async rename(select) {
    const { searches } = this.case;
    if (!await nameSearch(this.api, searches.find((each) => String(each.number) === select.value))) return;
    for (const each of [this.first, this.second]) { const { value } = each; fill(each, searchOptions(searches)); each.value = value; }
    await this.load();
  }

  async load() {
    try {
      this.draw(await this.api.compare(this.first.value, this.second.value, this.depth.value));
    } catch (error) { if (error instanceof ApiError) toast(error.message, "bad"); else throw error; }
  }

  draw(found) {
    const total = found.both.length + found.only_first.length + found.only_second.length;
    const share = (count) => `${(100 * count) / Math.max(1, total)}%`;
    const names = [found.first, found.second].map((search) => `Only ${search.name || `search ${search.number}`}`);
    const part = (name, rows, kind) => h("div", { class: `compare-part ${kind}`, style: { width: share(rows.length) }, title: `${name}: ${rows.length}` }, rows.length / Math.max(1, total) > 0.12 ? `${name}: ${number(rows.length)}` : rows.length ? number(rows.length) : "");
    fill(this.answer,
      h("div", { class: "compare-bar", role: "img", "aria-label": `${found.only_first.length} only in the first, ${found.both.length} in both, ${found.only_second.length} only in the second` },
        part(names[0], found.only_first, "a"), part("Both", found.both, "both"), part(names[1], found.only_second, "b")),
      h("div", { class: "compare" },
        this.column(names[0], found.only_first, (row) => row.first),
        this.column("Both", found.both, (row) => `${row.first} / ${row.second}`),
        this.column(names[1], found.only_second, (row) => row.second)),
      found.judged.length ? h("p", { class: "quiet small", id: "compare-judged" }, `${plural(found.judged.length, "marked document")} that “more like these” learned from, and so does not list: `, found.judged.map((row) => row.doc_id).join(", "), ".") : null);
  }

  column(title, rows, rank) {
    const open = (row) => { this.place.reading = row.doc_id; this.place.doc = row.doc_id; this.place.search = row.first !== null && row.second === null ? Number(this.first.value) : Number(this.second.value); this.go(`/cases/${this.api.id}/search`); };
    return h("section", { class: "card", "aria-label": title }, h("h2", {}, title, h("span", { class: "quiet" }, ` ${number(rows.length)}`)),
      rows.length ? h("ul", { class: "plain-list compare-list" }, rows.map((row) => h("li", { class: row.seen ? "seen" : "" },
        h("span", { class: "hit-rank" }, rank(row)), h("div", {}, h("button", { class: "link", type: "button", onclick: () => open(row) }, row.doc_id), h("span", { class: "quiet small" }, ` ${row.date || "undated"}`),
          row.mark ? h("span", { class: `badge ${row.mark.relevance ?? row.mark}` }, RELEVANCE[row.mark.relevance ?? row.mark]) : null, h("div", { class: "small" }, row.title || ""))))) : h("p", { class: "quiet" }, "None."));
  }
}
