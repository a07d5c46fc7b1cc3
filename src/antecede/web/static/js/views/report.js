// The report and the exports of a case.

import { exportAddress } from "../api.js";
import { fill, h, inward, number } from "../dom.js";
import { bindKeys } from "../keyboard.js";
import { RELEVANCE } from "../parts/results.js";
import { searchOptions } from "../parts/searches.js";

const ORDER = ["relevant", "maybe", "not"];

export class ReportView {
  constructor({ api, found, main }) {
    Object.assign(this, { api, case: found, main });
  }

  async start() {
    bindKeys({});
    const marks = await this.api.marks();
    const { id } = this.api;
    const searches = this.case.searches;
    const search = h("select", { id: "export-search", onchange: () => { for (const link of [csv, run]) link.href = exportAddress(id, link.dataset.file, { search: search.value }); } }, searchOptions(searches));
    search.value = String(searches.at(-1)?.number ?? "");
    const link = (file, label, what, values) => h("li", {}, h("a", { class: "button", href: exportAddress(id, file, values), data: { file } }, label), h("span", { class: "quiet" }, what));
    const csvItem = link("results.csv", "Results, CSV", "one row per document; opens in Excel", { search: search.value });
    const runItem = link("run.txt", "TREC run", "for antecede evaluate and other evaluation programs", { search: search.value });
    const [csv, run] = [csvItem, runItem].map((each) => each.querySelector("a"));
    const shown = [...marks].sort((a, b) => ORDER.indexOf(a.relevance) - ORDER.indexOf(b.relevance) || String(a.category || "Z").localeCompare(String(b.category || "Z")));
    const numeric = { class: "n" };
    fill(this.main, h("div", { class: "column" },
      h("h1", {}, "Report and exports"),
      h("div", { class: "card" }, h("h2", {}, "Search report"), h("p", {}, "The application, the documents cited with category, claims and passages, the claim chart, how much was found, all searches, and what the index covers. Print it from the browser for a PDF."),
        h("div", { class: "row" }, h("a", { class: "button primary", href: exportAddress(id, "report.html", { view: "true" }), target: "_blank", rel: "noopener" }, "Open the report"), h("a", { class: "button", href: exportAddress(id, "report.html") }, "Save as HTML"))),
      h("div", { class: "card" }, h("h2", {}, "Exports"),
        h("h3", {}, "The whole case"), h("ul", { class: "exports" },
          link("case.xlsx", "Workbook, XLSX", "documents, marks, searches and the claim chart"),
          link("marks.csv", "Marks, CSV", "one row per marked document; opens in Excel"),
          link("marks.ris", "References, RIS", "the relevant documents for Zotero, EndNote, Citavi"),
          link("marks.bib", "References, BibTeX", "the same for LaTeX"),
          link("trec.zip", "TREC, ZIP", "the marks as qrels, one run per search, and the reading order"),
          link("qrels.txt", "TREC qrels", "the marks as relevance judgements"),
          link("case.json", "Case file", "everything in one file, which another antecede imports unchanged")),
        searches.length ? [h("h3", {}, "One search"), h("label", { class: "field export-search" }, h("span", {}, "Search"), search), h("ul", { class: "exports" }, csvItem, runItem)] : null),
      h("div", { class: "card" }, h("h2", {}, "Marked documents", h("span", { class: "quiet" }, ` ${number(marks.length)}`)), marks.length ? h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Marked documents" }, h("table", { class: "marks" },
        h("thead", {}, h("tr", {}, ["Document", "Mark", "Category", "Claims", "Note"].map((name) => h("th", { scope: "col" }, name)), ["Search", "Rank"].map((name) => h("th", { scope: "col", ...numeric }, name)))),
        h("tbody", {}, shown.map((each) => h("tr", {}, h("th", { scope: "row" }, each.doc_id, h("div", { class: "quiet small" }, each.title || "")), h("td", {}, h("span", { class: `badge ${each.relevance}` }, RELEVANCE[each.relevance])),
          h("td", {}, each.category || ""), h("td", {}, each.claims || ""), h("td", { class: "note" }, each.note || ""), h("td", numeric, each.search ?? ""), h("td", numeric, each.rank ?? ""))))))
        : h("p", { class: "quiet" }, "Nothing is marked yet; start under ", inward(`/cases/${id}/search`, {}, "Search"), "."))));
  }

  leave() { /* nothing to end */ }
}
