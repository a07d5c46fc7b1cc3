// The claim chart: features of the claims down the side, documents across, the best passage in each cell.

import { ApiError, exportAddress } from "../api.js";
import { strengthBar } from "../charts.js";
import { fill, find, h, inward, plainText, runs, toast } from "../dom.js";
import { bindKeys } from "../keyboard.js";

export class ChartView {
  constructor({ api, found, main, go }) {
    Object.assign(this, { api, case: found, main, go });
  }

  async start() {
    bindKeys({});
    this.element = h("div", { class: "column wide chart-view" });
    fill(this.main, this.element);
    const marks = await this.api.marks();
    this.marks = marks.filter((each) => each.relevance !== "not");
    this.draw(await this.api.chart());
  }

  leave() { /* nothing to end */ }

  async change(request, focus = null) {
    try {
      this.draw(await request());
      if (focus) find(focus, this.element)?.focus();
    } catch (error) { if (error instanceof ApiError) toast(error.message, "bad"); else throw error; }
  }

  draw(chart) {
    this.chart = chart;
    const { id } = this.api;
    const claims = this.case.topic.claims || [];
    const chosen = new Set(chart.features.map((each) => each.claim));
    const links = h("div", { class: "row no-print" },
      h("a", { class: "button", href: exportAddress(id, "chart.xlsx") }, "XLSX"),
      h("a", { class: "button", href: exportAddress(id, "chart.html") }, "HTML"));
    const pick = claims.length ? h("fieldset", { class: "claim-picks no-print" }, h("legend", {}, "Claims in the chart"), claims.map((claim, at) =>
      h("label", { class: "check", title: claim.slice(0, 300) }, h("input", { type: "checkbox", value: at + 1, checked: chosen.has(at + 1), onchange: () => this.chooseClaims() }), String(at + 1)))) : null;
    const documents = this.documents();
    fill(this.element,
      h("div", { class: "row apart" }, h("h1", {}, "Claim chart"), links),
      chart.note ? h("p", { class: "notice" }, chart.note) : null,
      pick, documents,
      h("p", { class: "small quiet", id: "chart-help" }, "A cell has the passage with most of the words of the feature, and the share of them that it has, rare words counting more. Below 25 % it stays empty: unrelated documents reach that in one cell of ten. The share measures words, not disclosure; read the passage."),
      chart.features.length && chart.documents.length ? this.table() : this.nothing(claims));
  }

  nothing(claims) {
    if (!this.chart.features.length && !claims.length) {
      return h("div", { class: "card" }, h("p", {}, "Enter the claims under ", inward(`/cases/${this.api.id}/topic`, {}, "Application"), ", or write the features yourself."),
        h("button", { type: "button", onclick: () => this.save([{ text: "A feature" }], this.chart.documents.map((each) => each.doc_id)) }, "Add a feature"));
    }
    return h("p", { class: "card" }, this.chart.features.length ? "Mark documents as relevant or maybe under " : "Choose the claims above. Documents come from ", inward(`/cases/${this.api.id}/search`, {}, "Search"), this.chart.features.length ? "; they appear here." : ".");
  }

  documents() {
    const shown = new Set(this.chart.documents.map((each) => each.doc_id));
    const known = [...this.chart.documents, ...this.marks.filter((each) => !shown.has(each.doc_id))];
    if (!known.length) return null;
    return h("fieldset", { class: "claim-picks no-print" }, h("legend", {}, "Documents in the chart"), known.map((each) =>
      h("label", { class: "check", title: each.title || "" }, h("input", {
        type: "checkbox", value: each.doc_id, checked: shown.has(each.doc_id),
        onchange: (event) => this.save(this.chart.features, event.target.checked ? [...shown, each.doc_id] : [...shown].filter((doc) => doc !== each.doc_id)),
      }), each.doc_id)));
  }

  chooseClaims() {
    const claims = [...this.element.querySelectorAll(".claim-picks")][0].querySelectorAll("input:checked");
    if (claims.length) this.change(() => this.api.chartClaims([...claims].map((each) => Number(each.value))));
    else this.save(this.chart.features.filter((each) => !each.claim), this.chart.documents.map((each) => each.doc_id));
  }

  /** Searches with one claim alone: the query of the case becomes that of the claim, and undo brings the old one back. */
  async searchClaim(claim) {
    const { state } = await this.api.query();
    const settings = { ...state.settings, from_claim: claim };
    delete settings.fields;
    try {
      await this.api.saveQuery({ ...state, settings });
      this.go(`/cases/${this.api.id}/search`);
    } catch (error) { if (error instanceof ApiError) toast(error.message, "bad"); else throw error; }
  }

  save(features, documents) { return this.change(() => this.api.saveChart({ features, documents })); }

  table() {
    const { chart } = this;
    const docs = chart.documents.map((each) => each.doc_id);
    const cell = (feature, doc) => chart.cells.find((each) => each.feature === feature.id && each.doc_id === doc);
    return h("div", { class: "scroll chart-scroll", tabindex: "0", role: "region", "aria-label": "Claim chart" }, h("table", { class: "chart" },
      h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "Feature"), chart.documents.map((each) =>
        h("th", { scope: "col" }, inward(`/cases/${this.api.id}/search?doc=${encodeURIComponent(each.doc_id)}&beside=application`, { title: "Read it beside the claims" }, h("strong", {}, each.doc_id)), h("div", { class: "quiet small" }, [each.date, each.title].filter(Boolean).join(" · ")))))),
      h("tbody", {}, chart.features.map((feature, at) => h("tr", {}, this.feature(feature, at, docs), docs.map((doc) => this.cell(feature, doc, cell(feature, doc))))))),
    h("button", { class: "link small no-print", type: "button", onclick: () => this.save([...chart.features, { text: "A further feature" }], docs) }, "Add a feature"));
  }

  feature(feature, at, docs) {
    const text = h("textarea", {
      rows: "4", "aria-label": `Feature ${at + 1}`, class: "seamless",
      onchange: () => this.save(this.chart.features.map((each, place) => (place === at ? { ...each, text: text.value.trim() } : each)).filter((each) => each.text), docs),
    });
    text.value = feature.text;
    const search = () => h("button", { class: "link small no-print", type: "button", title: `Search with claim ${feature.claim} alone`, onclick: () => this.searchClaim(feature.claim) }, `claim ${feature.claim}`);
    return h("th", { scope: "row" }, h("div", { class: "row apart small quiet" }, feature.claim ? search() : "own feature",
      h("button", { class: "plain no-print", type: "button", "aria-label": `Remove feature ${at + 1}`, onclick: () => this.save(this.chart.features.filter((_, place) => place !== at), docs) }, "×")),
    text, h("p", { class: "only-print" }, feature.text));
  }

  cell(feature, doc, cell) {
    const name = `cell-${feature.id}-${doc}`;
    const show = () => h("div", { class: "cell" },
      cell?.text ? h("p", {}, cell.runs?.length && !cell.edited ? runs(cell.runs) : cell.text) : h("p", { class: "quiet" }, "–"),
      h("div", { class: "row apart small" }, h("span", { class: "quiet" }, cell?.edited ? "edited" : cell?.location || "nothing matches", " ", strengthBar(cell?.strength)),
        h("span", { class: "row tight no-print" }, h("button", { class: "link small", type: "button", data: { cell: name }, "aria-label": `Edit ${doc} for feature ${feature.id}`, onclick: edit }, "Edit"),
          cell?.edited ? h("button", { class: "link small", type: "button", onclick: () => this.change(() => this.api.chartCell({ feature: feature.id, doc_id: doc, text: null })) }, "Best passage") : null)));
    const edit = () => {
      const text = h("textarea", { rows: "6", "aria-label": `Passage of ${doc} for feature ${feature.id}` });
      text.value = cell?.edited ? cell.text : plainText(cell?.runs) || cell?.text || "";
      const store = () => this.change(() => this.api.chartCell({ feature: feature.id, doc_id: doc, text: text.value }), `[data-cell="${CSS.escape(name)}"]`);
      fill(box, text, h("div", { class: "row" }, h("button", { class: "primary", type: "button", onclick: store }, "Save"), h("button", { type: "button", onclick: () => fill(box, show()) }, "Cancel")));
      text.focus();
    };
    const box = h("td", {}, show());
    return box;
  }
}
