// The claim chart: features of the claims down the side, documents across, the best passage in each cell.

import { RELEVANCE, ask, readOnly, readQuery, saveQuery } from "../actions.js";
import { exportAddress } from "../api.js";
import { strengthBar } from "../charts.js";
import { find, h, inward, plainText, runs, withCode } from "../dom.js";
import { dateText } from "../parts/results.js";
import { change, state } from "../state.js";

let open = () => {}; // goes to an address

/** Changes the chart; what somebody else changed first is shown with it. */
async function store(kind, fields, version, request, focus = null) {
  const { page } = state;
  const changed = await ask((api) => request(api, version), (problem, { body }) => {
    if (!body || !("current" in body)) { change({ problem }, page); return; }
    const conflict = { kind, key: kind, fields, current: body.current ?? {}, version: body.version, user: body.user, time: body.time };
    conflict.store = (chosen) => store(kind, chosen, body.version, (api) => request(api, body.version, chosen), focus);
    change({ conflicts: [...state.conflicts, conflict] });
    load();
  });
  if (!changed) return;
  change({ chart: changed, problem: "", editing: null }, page);
  if (focus) queueMicrotask(() => find(focus)?.focus());
}

async function load() {
  const { page } = state;
  const found = await ask((api) => api.chart(), (problem) => change({ problem }, page));
  if (found) change({ chart: found }, page);
}

function save(features, documents) {
  store("chart", {}, state.page.chart.version, (api, version) => api.saveChart({ features, documents, version }));
}

function chooseClaims(claims) {
  const { chart } = state.page;
  if (claims.length) store("chart", {}, chart.version, (api, version) => api.chartClaims({ claims, version }));
  else save(chart.features.filter((feature) => !feature.claim), chart.documents.map((each) => each.doc_id));
}

const saveCell = (cell, text) => store("cell", { text }, cell.version ?? 0, (api, version, chosen = { text }) => api.chartCell({ feature: cell.feature, doc_id: cell.doc_id, text: chosen.text, version }), `[data-cell="${CSS.escape(nameOf(cell))}"]`);
const nameOf = (cell) => `${cell.feature} ${cell.doc_id}`;

/** Searches with one claim alone: the query of the case becomes that of the claim, and undo brings the old one back. */
async function searchClaim(claim) {
  if (!state.query.view) await readQuery();
  const { state: now } = state.query.view;
  const { fields, ...settings } = now.settings;
  if (await saveQuery({ ...now, own: false, settings: { ...settings, from_claim: claim } }, `claim ${claim} alone`)) open(`/cases/${state.case.id}/search`);
  else change({ problem: state.query.problem }, state.page);
}

function picks(legend, entries) {
  return h("fieldset", { class: "claim-picks no-print" }, h("legend", {}, legend), entries.map(({ value, label, title, checked, choose }) =>
    h("label", { class: "check", title, key: value }, h("input", { type: "checkbox", value, checked, disabled: readOnly(), onchange: (event) => choose(event.target.checked) }), label)));
}

function draw(chart) {
  const { id, topic: { claims = [] } } = state.case;
  const docs = chart.documents.map((each) => each.doc_id);
  const chosen = new Set(chart.features.map((feature) => feature.claim));
  const marked = [...state.marks.values()].filter((mark) => mark.relevance !== "not" && !docs.includes(mark.doc_id));
  const claimPicks = claims.map((claim, place) => ({ value: place + 1, label: String(place + 1), title: claim.slice(0, 300), checked: chosen.has(place + 1),
    choose: (on) => chooseClaims(claims.map((_, at) => at + 1).filter((each) => (each === place + 1 ? on : chosen.has(each)))) }));
  const docPicks = [...chart.documents, ...marked].map(({ doc_id: doc, title }) => ({ value: doc, label: doc, title, checked: docs.includes(doc),
    choose: (on) => save(chart.features, on ? [...docs, doc] : docs.filter((each) => each !== doc)) }));
  return [
    h("div", { class: "row apart" }, h("h1", {}, "Claim chart"), h("div", { class: "row no-print" }, h("a", { class: "button", href: exportAddress(id, "chart.xlsx") }, "XLSX"), h("a", { class: "button", href: exportAddress(id, "chart.html") }, "HTML"))),
    state.page.problem ? h("p", { class: "notice bad", role: "alert" }, withCode(state.page.problem)) : null,
    chart.note ? h("p", { class: "notice" }, chart.note) : null,
    claimPicks.length ? picks("Claims in the chart", claimPicks) : null, docPicks.length ? picks("Documents in the chart", docPicks) : null,
    h("p", { class: "small quiet", id: "chart-help" }, "A cell has the passage with most of the words of the feature, and the share of them that it has, rare words counting more. Below 25 % it stays empty: unrelated documents reach that in one cell of ten. The share measures words, not disclosure; read the passage."),
    chart.features.length && docs.length ? table(chart, docs) : nothing(chart, claims, docs)];
}

function nothing(chart, claims, docs) {
  if (chart.features.length) return h("p", { class: "card" }, `Mark documents as ${RELEVANCE.relevant.toLowerCase()} or ${RELEVANCE.maybe.toLowerCase()} under `, inward(`/cases/${state.case.id}/search`, {}, "Search"), "; they appear here.");
  if (claims.length) return h("p", { class: "card" }, "Choose the claims above. Documents come from ", inward(`/cases/${state.case.id}/search`, {}, "Search"), ".");
  return h("div", { class: "card" }, h("p", {}, "Enter the claims under ", inward(`/cases/${state.case.id}/topic`, {}, "Application"), ", or write the features yourself."),
    h("button", { type: "button", disabled: readOnly(), onclick: () => save([{ text: "A feature" }], docs) }, "Add a feature"));
}

function table(chart, docs) {
  const column = ({ doc_id: doc, title, ...dates }) => h("th", { scope: "col", key: doc }, inward(`/cases/${state.case.id}/search?doc=${encodeURIComponent(doc)}&beside=application`, { title: "Read it beside the claims" }, h("strong", {}, doc)), h("div", { class: "quiet small" }, [dateText(dates).short, title].filter(Boolean).join(" · ")));
  const cellOf = (feature, doc) => chart.cells.find((cell) => cell.feature === feature.id && cell.doc_id === doc) ?? { feature: feature.id, doc_id: doc };
  return [h("div", { class: "scroll chart-scroll", tabindex: "0", role: "region", "aria-label": "Claim chart" }, h("table", { class: "chart" },
    h("thead", {}, h("tr", {}, h("th", { scope: "col", key: "feature" }, "Feature"), chart.documents.map(column))),
    h("tbody", {}, chart.features.map((feature, place) => h("tr", { key: feature.id }, featureCell(chart, feature, place, docs), docs.map((doc) => drawCell(cellOf(feature, doc)))))))),
  h("button", { class: "link small no-print", type: "button", disabled: readOnly(), onclick: () => save([...chart.features, { text: "A further feature" }], docs) }, "Add a feature")];
}

function featureCell(chart, feature, place, docs) {
  const { page } = state;
  const draft = page.features[feature.id];
  const put = () => { const text = (draft ?? feature.text).trim(); page.features = {}; save(chart.features.map((each, at) => (at === place ? { ...each, text } : each)).filter((each) => each.text), docs); };
  const search = () => h("button", { class: "link small no-print", type: "button", disabled: readOnly(), title: `Search with claim ${feature.claim} alone`, onclick: () => searchClaim(feature.claim) }, `claim ${feature.claim}`);
  return h("th", { scope: "row", key: "feature" }, h("div", { class: "row apart small quiet" }, feature.claim ? search() : "own feature",
    h("button", { class: "plain no-print", type: "button", "aria-label": `Remove feature ${place + 1}`, disabled: readOnly(), onclick: () => save(chart.features.filter((_, at) => at !== place), docs) }, "×")),
  h("textarea", { rows: "4", "aria-label": `Feature ${place + 1}`, class: "seamless", value: draft ?? feature.text, disabled: readOnly(), oninput: (event) => change({ features: { ...page.features, [feature.id]: event.target.value } }, page), onchange: put }), h("p", { class: "only-print" }, feature.text));
}

function drawCell(cell) {
  const { page } = state;
  const name = nameOf(cell);
  const { editing } = page;
  if (editing?.name === name) {
    return h("td", { key: cell.doc_id }, h("textarea", { rows: "6", "aria-label": `Passage of ${cell.doc_id} for feature ${cell.feature}`, value: editing.text, oninput: (event) => change({ editing: { ...editing, text: event.target.value } }, page) }),
      h("div", { class: "row" }, h("button", { class: "primary", type: "button", onclick: () => saveCell({ ...cell, version: editing.version }, editing.text) }, "Save"), h("button", { type: "button", onclick: () => change({ editing: null }, page) }, "Cancel")));
  }
  const edit = () => {
    change({ editing: { name, version: cell.version ?? 0, text: cell.edited ? cell.text : plainText(cell.runs) || cell.text || "" } }, page);
    queueMicrotask(() => find("table.chart td textarea")?.focus());
  };
  return h("td", { key: cell.doc_id }, h("div", { class: "cell" },
    cell.text ? h("p", {}, cell.runs?.length && !cell.edited ? runs(cell.runs) : cell.text) : h("p", { class: "quiet" }, "–"),
    h("div", { class: "row apart small" }, h("span", { class: "quiet" }, cell.edited ? "edited" : cell.location || "nothing matches", " ", strengthBar(cell.strength)),
      readOnly() ? null : h("span", { class: "row tight no-print" }, h("button", { class: "link small", type: "button", data: { cell: name }, "aria-label": `Edit ${cell.doc_id} for feature ${cell.feature}`, onclick: edit }, "Edit"),
        cell.edited ? h("button", { class: "link small", type: "button", onclick: () => saveCell(cell, null) }, "Best passage") : null))));
}

export const chart = {
  title: "Chart",
  async enter({ go }) {
    open = go;
    Object.assign(state.page, { features: {}, editing: null, follow: load });
    await load();
  },
  draw: () => h("div", { class: "column wide chart-view", key: "chart" }, state.page.chart ? draw(state.page.chart) : h("p", { class: "wait" }, state.page.problem || "Loading…")),
};
