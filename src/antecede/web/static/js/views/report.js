// The report and the exports of a case.

import { exportAddress } from "../api.js";
import { h, inward, number } from "../dom.js";
import { relevanceBadge, searchOptions } from "../parts/results.js";
import { change, state } from "../state.js";

const ORDER = ["relevant", "maybe", "not"];
const WHOLE = [
  ["case.xlsx", "Workbook, XLSX", "documents, marks, searches and the claim chart"],
  ["marks.csv", "Marks, CSV", "one row per marked document; opens in Excel"],
  ["searches.csv", "Log of searches, CSV", "every search with its query and what it found"],
  ["marks.ris", "References, RIS", "the relevant documents for Zotero, EndNote, Citavi"],
  ["marks.bib", "References, BibTeX", "the same for LaTeX"],
  ["trec.zip", "TREC, ZIP", "the marks as qrels, one run per search, and the reading order"],
  ["qrels.txt", "TREC qrels", "the marks as relevance judgements"],
  ["case.json", "Case file", "everything in one file, which another antecede imports unchanged"],
];
const ONE = [["results.csv", "Results, CSV", "one row per document; opens in Excel"], ["run.txt", "TREC run", "for antecede evaluate and other evaluation programs"]];

function exportList(files, values) {
  return h("ul", { class: "exports" }, files.map(([file, label, what]) => h("li", {}, h("a", { class: "button", href: exportAddress(state.case.id, file, values), data: { file } }, label), h("span", { class: "quiet" }, what))));
}

function markTable(marks) {
  const numeric = { class: "n" };
  const shown = [...marks].sort((a, b) => ORDER.indexOf(a.relevance) - ORDER.indexOf(b.relevance) || String(a.category || "Z").localeCompare(String(b.category || "Z")));
  const row = (mark) => h("tr", { key: mark.doc_id }, h("th", { scope: "row" }, mark.doc_id, h("div", { class: "quiet small" }, mark.title || "")), h("td", {}, relevanceBadge({ ...mark, category: null })),
    h("td", {}, mark.category || ""), h("td", {}, mark.claims || ""), h("td", { class: "note" }, mark.note || ""), h("td", {}, mark.user || ""), h("td", numeric, mark.search ?? ""), h("td", numeric, mark.rank ?? ""));
  return h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Marked documents" }, h("table", { class: "marks" },
    h("thead", {}, h("tr", {}, ["Document", "Mark", "Category", "Claims", "Note", "By"].map((name) => h("th", { scope: "col" }, name)), ["Search", "Rank"].map((name) => h("th", { scope: "col", ...numeric }, name)))),
    h("tbody", {}, shown.map(row))));
}

export const report = {
  title: "Report",
  enter() { change({ search: state.case.searches.at(-1)?.number }, state.page); },
  draw() {
    const { page, case: { id, searches } } = state;
    const marks = [...state.marks.values()];
    const address = (file, values) => exportAddress(id, file, values);
    return h("div", { class: "column", key: "report" },
      h("h1", {}, "Report and exports"),
      h("div", { class: "card" }, h("h2", {}, "Search report"), h("p", {}, "The application, the documents cited with category, claims and passages, the claim chart, how much was found, all searches, and what the index covers. Print it from the browser for a PDF."),
        h("div", { class: "row" }, h("a", { class: "button primary", href: address("report.html", { view: "true" }), target: "_blank", rel: "noopener" }, "Open the report"), h("a", { class: "button", href: address("report.html") }, "Save as HTML"),
          h("a", { class: "button", href: address("report.docx"), data: { file: "report.docx" } }, "Save as DOCX"))),
      h("div", { class: "card" }, h("h2", {}, "Exports"), h("h3", {}, "The whole case"), exportList(WHOLE),
        searches.length ? [h("h3", {}, "One search"), h("label", { class: "field export-search" }, h("span", {}, "Search"),
          h("select", { id: "export-search", value: page.search, onchange: (event) => change({ search: event.target.value }, page) }, searchOptions(searches))), exportList(ONE, { search: page.search })] : null),
      h("div", { class: "card" }, h("h2", {}, "Marked documents", h("span", { class: "quiet" }, ` ${number(marks.length)}`)), marks.length ? markTable(marks)
        : h("p", { class: "quiet" }, "Nothing is marked yet; start under ", inward(`/cases/${id}/search`, {}, "Search"), ".")));
  },
};
