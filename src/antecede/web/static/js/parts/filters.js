// Filters with counts: dates, undated documents, and the fields that the index declares: classes as a tree, names, others.

import { arrange, readOnly, saveFilters, seekNames, toggleNode } from "../actions.js";
import { yearColumns } from "../charts.js";
import { h, languageName, number } from "../dom.js";
import { change, state } from "../state.js";
import { group } from "./groups.js";

const DATES = { before: "auto", after: null, undated: "keep" };
const SHOWN = 8;

export function drawFilters() {
  const { query: { view }, index, facets } = state;
  if (!view) return null;
  const empty = { ...DATES, ...Object.fromEntries(index.limits.map((limit) => [limit.setting, []])) };
  const given = Object.entries(view.state.filters).filter(([, value]) => value !== null && value !== undefined);
  const filters = { ...empty, ...Object.fromEntries(given) };
  const clean = Object.entries(empty).every(([name, value]) => String(filters[name] ?? "") === String(value ?? ""));
  const clear = () => saveFilters({ ...empty, where: filters.where, sets: filters.sets }, "all filters cleared");
  return h("section", { class: "filters", "aria-label": "Filters" },
    h("div", { class: "row apart" }, h("h2", {}, "Filters"), clean ? null : h("button", { class: "link small", type: "button", disabled: readOnly(), onclick: clear }, "Clear all")),
    facets.problem ? h("p", { class: "small quiet", role: "status" }, facets.problem) : null,
    h("label", { class: "check family" }, h("input", { type: "checkbox", id: "family", checked: state.family, onchange: (event) => arrange({ family: event.target.checked }) }), "One hit per family"),
    dates(filters), facets.counts ? index.facets.map((facet) => (facet.tree ? tree : list)(facet, filters)) : null);
}

function dates(filters) {
  const { before, after, undated } = filters;
  const topic = state.case.topic.date;
  const { counts } = state.facets;
  const change = (values) => saveFilters({ ...filters, ...values }, "the dates");
  const until = before !== "auto" && before !== "off" ? before : before === "auto" ? topic ?? "" : "";
  const day = (id, label, value, take) => h("label", { class: "field" }, h("span", {}, label), h("input", { type: "date", id, value, "aria-describedby": "date-kind", disabled: readOnly(), onchange: (event) => take(event.target.value) }));
  const link = (label, shown, values) => (shown ? h("button", { class: "link", type: "button", disabled: readOnly(), onclick: () => change(values) }, label) : null);
  return h("fieldset", {}, h("legend", {}, "Date"),
    h("p", { class: "quiet small", id: "date-kind" }, `Date used: ${state.index.date}`),
    h("div", { class: "date-pair" }, day("date-after", "From", after ?? "", (value) => change({ after: value || null })), day("date-before", "Before", until, (value) => change({ before: value || "off" }))),
    h("div", { class: "row small" }, link("Use the date of the application", before !== "auto", { before: "auto" }),
      before === "auto" ? h("span", { class: "quiet" }, topic ? "The date of the application" : "The application has no date: no limit") : null, link("No limit", before !== "off", { before: "off" })),
    counts?.years?.length ? h("div", { class: "years" }, yearColumns(Object.fromEntries(counts.years.map((year) => [year.value, year.documents])), 240, 64)) : null,
    h("label", { class: "check" }, h("input", { type: "checkbox", id: "undated", checked: undated === "keep", disabled: readOnly(), onchange: (event) => change({ undated: event.target.checked ? "keep" : "drop" }) }),
      h("span", {}, "Keep undated documents"), counts?.undated ? h("span", { class: "count" }, number(counts.undated.documents)) : null));
}

function box(filters, name, value, label, counts) {
  const chosen = filters[name] || [];
  const choose = (event) => saveFilters({ ...filters, [name]: event.target.checked ? [...chosen, value] : chosen.filter((each) => each !== value) }, `the filter ${label}`);
  return h("label", { class: "check facet", key: `${name} ${value}` }, h("input", { type: "checkbox", checked: chosen.includes(value), disabled: readOnly(), data: { filter: `${name}:${value}` }, onchange: choose }),
    h("span", { class: "facet-name" }, label || "unknown"),
    counts ? h("span", { class: "count", title: `${number(counts.documents)} documents, ${number(counts.results)} among the results` }, number(counts.documents)) : null);
}

const titled = (title, chosen) => [title, chosen.length ? h("span", { class: "badge" }, `${chosen.length} chosen`) : null];

/** Values, the most frequent first; of names others can be looked for by a part of them. */
function list({ facet, setting, title, names }, filters) {
  const { counts, wanted, names: found } = state.facets;
  const chosen = filters[setting] || [];
  const entries = counts[facet] || [];
  const known = [...entries, ...chosen.filter((value) => !entries.some((entry) => entry.value === value)).map((value) => ({ value, documents: 0, results: 0 }))].filter((entry) => entry.value);
  if (!known.length) return null;
  const long = state.folds[`all ${setting}`] && !names;
  const sought = names && (wanted[setting] ?? "").trim() && found[setting];
  const shown = sought ? sought.slice(0, 3 * SHOWN) : long ? known : known.filter((entry, place) => place < SHOWN || chosen.includes(entry.value));
  const kind = title.toLowerCase();
  const label = `Find ${/^[aeiou]/.test(kind) ? "an" : "a"} ${kind}`;
  return group(setting, true, titled(title, chosen), [
    names && (known.length > SHOWN || wanted[setting]) ? h("input", { type: "search", id: `${setting}-filter`, placeholder: label, "aria-label": label, value: wanted[setting] ?? "", oninput: (event) => seekNames(facet, setting, event.target.value) }) : null,
    shown.length ? shown.map((entry) => box(filters, setting, entry.value, setting === "document_language" ? languageName(entry.value) : entry.value, entry)) : h("p", { class: "quiet small" }, `No ${kind} has this in the name.`),
    !names && known.length > SHOWN ? h("button", { class: "link small", type: "button", onclick: () => change({ folds: { ...state.folds, [`all ${setting}`]: !long } }) }, long ? "Fewer" : `${known.length - shown.length} more`) : null]);
}

function tree({ facet, setting, title }, filters) {
  const { counts, nodes } = state.facets;
  const roots = counts[facet] || [];
  const chosen = filters[setting] || [];
  if (!roots.length && !chosen.length) return null;
  const known = new Set();
  const node = (entry) => {
    known.add(entry.value);
    const children = nodes[facet]?.[entry.value];
    const toggle = entry.children ? h("button", { class: "plain twig", type: "button", "aria-expanded": String(Boolean(children)), "aria-label": `Classes in ${entry.value}`, onclick: () => toggleNode(facet, entry.value) }, children ? "▾" : "▸") : h("span", { class: "twig" });
    return h("li", { key: entry.value }, h("div", { class: "twig-row" }, toggle, box(filters, setting, entry.value, entry.value, entry)), children ? h("ul", {}, children.map(node)) : null);
  };
  const items = roots.map(node);
  const rest = chosen.filter((code) => !known.has(code));
  return group(setting, true, titled(title, chosen), [rest.map((code) => box(filters, setting, code, code, null)), h("ul", { class: "tree" }, items)]);
}
