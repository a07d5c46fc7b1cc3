// The report and the exports of a case.

import { exportAddress } from "../api.js";
import { fill, h, inward, number } from "../dom.js";
import { bindKeys } from "../keyboard.js";
import { RELEVANCE } from "../parts/results.js";

const ORDER = ["relevant", "maybe", "not"];

export class ReportView {
  constructor({ api, found, main }) {
    Object.assign(this, { api, case: found, main });
  }

  async start() {
    bindKeys({});
    const { marks } = await this.api.marks();
    const { id } = this.api;
    const searches = this.case.searches;
    const search = h("select", { id: "export-search", onchange: () => { for (const link of [csv, run]) link.href = exportAddress(id, link.dataset.file, { search: search.value }); } },
      searches.map((each) => h("option", { value: each.number }, `${each.number}. ${each.kind === "feedback" ? "more like these" : each.label}`)));
    search.value = String(searches.at(-1)?.number ?? "");
    const link = (file, label, what, values) => h("li", {}, h("a", { class: "button", href: exportAddress(id, file, values), data: { file } }, label), h("span", { class: "quiet" }, what));
    const csvItem = link("results.csv", "Results, CSV", "one row per document of the chosen search; opens in Excel", { search: search.value });
    const runItem = link("run.txt", "Run", "the chosen search as a TREC run", { search: search.value });
    const [csv, run] = [csvItem, runItem].map((each) => each.querySelector("a"));
    const shown = [...marks].sort((a, b) => ORDER.indexOf(a.relevance) - ORDER.indexOf(b.relevance) || String(a.category || "Z").localeCompare(String(b.category || "Z")));
    fill(this.main, h("div", { class: "column" },
      h("h1", {}, "Report and exports"),
      h("div", { class: "card" }, h("h2", {}, "Search report"), h("p", {}, "Topic, searches, documents cited with category, claims and passages, the estimate, and what the index covers. Print it from the browser for a PDF."),
        h("div", { class: "row" }, h("a", { class: "button primary", href: exportAddress(id, "report.html", { view: "true" }), target: "_blank", rel: "noopener" }, "Open the report"), h("a", { class: "button", href: exportAddress(id, "report.html") }, "Save as HTML"))),
      h("div", { class: "card" }, h("h2", {}, "Exports"), h("ul", { class: "exports" },
        link("case.xlsx", "Workbook, XLSX", "documents, marks, searches and the chart"), link("marks.csv", "Marks, CSV", "one row per marked document; opens in Excel"),
        link("qrels.txt", "Qrels", "the marks as TREC relevance judgements"), link("trec.zip", "TREC, ZIP", "qrels, one run per search, and the reading order"),
        link("case.json", "The case", "one file that another antecede imports unchanged")),
      searches.length ? [h("label", { class: "field export-search" }, h("span", {}, "Search"), search), h("ul", { class: "exports" }, csvItem, runItem)] : null),
      h("div", { class: "card" }, h("h2", {}, "Marked documents", h("span", { class: "quiet" }, ` ${number(marks.length)}`)), marks.length ? h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Marked documents" }, h("table", { class: "marks" },
        h("thead", {}, h("tr", {}, ["Document", "Mark", "Category", "Claims", "Note", "Search"].map((name) => h("th", { scope: "col" }, name)))),
        h("tbody", {}, shown.map((each) => h("tr", {}, h("th", { scope: "row" }, each.doc_id, h("div", { class: "quiet small" }, each.title || "")), h("td", {}, h("span", { class: `badge ${each.relevance}` }, RELEVANCE[each.relevance])),
          h("td", {}, each.category || ""), h("td", {}, each.claims || ""), h("td", {}, each.note || ""), h("td", {}, each.search ? `${each.search}, rank ${each.rank ?? "–"}` : ""))))))
        : h("p", { class: "quiet" }, "Nothing is marked yet; start under ", inward(`/cases/${id}/search`, {}, "Search"), "."))));
  }

  leave() { /* nothing to end */ }
}
