// Two searches of a case side by side: what each finds that the other does not.

import { RELEVANCE, ask, into, readOnly, showSearch } from "../actions.js";
import { h, inward, number, plural, withCode } from "../dom.js";
import { dateText, searchOptions } from "../parts/results.js";
import { change, state } from "../state.js";

const DEPTHS = [20, 50, 100, 200, 500, 1000];
let open = () => {}; // goes to an address

async function load(values = {}) {
  const { page } = state;
  change({ ...values, problem: "" }, page);
  const { first, second, depth } = page;
  const answer = await ask((api) => api.compare(first, second, depth), into(page));
  if (answer && page.first === first && page.second === second && page.depth === depth) change({ answer }, page);
}

async function read(row) {
  const { first, second } = state.page;
  Object.assign(state, { selected: row.doc_id, open: true });
  await open(`/cases/${state.case.id}/search?doc=${encodeURIComponent(row.doc_id)}`);
  showSearch(row.first !== null && row.second === null ? first : second, { keep: true });
}

function field(label, name) {
  const { page, case: { searches } } = state;
  return h("div", { class: "field" }, h("div", { class: "row apart" }, h("label", { class: "label", for: name }, label),
    h("button", { type: "button", class: "link small", "aria-label": "Name this search", hidden: readOnly(), onclick: () => change({ dialog: { name: "search", number: page[name] } }) }, "Name")),
  h("select", { id: name, value: page[name], onchange: (event) => load({ [name]: Number(event.target.value) }) }, searchOptions(searches)));
}

function drawAnswer(answer) {
  const total = answer.both.length + answer.only_first.length + answer.only_second.length;
  const named = (search) => { const { name } = state.case.searches.find((each) => each.number === search.number) ?? search; return `Only ${name || `search ${search.number}`}`; };
  const [first, second] = [named(answer.first), named(answer.second)];
  const part = (name, rows, kind) => h("div", { class: `compare-part ${kind}`, style: { width: `${(100 * rows.length) / Math.max(1, total)}%` }, title: `${name}: ${rows.length}` }, rows.length ? [h("span", { class: "compare-name" }, `${name}: `), number(rows.length)] : "");
  return [
    h("div", { class: "compare-bar", role: "img", "aria-label": `${answer.only_first.length} only in the first, ${answer.both.length} in both, ${answer.only_second.length} only in the second` },
      part(first, answer.only_first, "a"), part("Both", answer.both, "both"), part(second, answer.only_second, "b")),
    h("div", { class: "compare" }, column(first, answer.only_first, (row) => row.first), column("Both", answer.both, (row) => `${row.first} / ${row.second}`), column(second, answer.only_second, (row) => row.second)),
    answer.judged.length ? h("p", { class: "quiet small", id: "compare-judged" }, `${plural(answer.judged.length, "marked document")} that “more like these” learned from, and so does not list: `, answer.judged.map((row) => row.doc_id).join(", "), ".") : null];
}

function column(title, rows, rank) {
  const mark = (row) => state.marks.get(row.doc_id);
  return h("section", { class: "card", "aria-label": title }, h("h2", {}, title, h("span", { class: "quiet" }, ` ${number(rows.length)}`)),
    rows.length ? h("ul", { class: "plain-list compare-list" }, rows.map((row) => h("li", { class: row.seen ? "seen" : "", key: row.doc_id },
      h("span", { class: "hit-rank" }, rank(row)), h("div", {}, h("button", { class: "link", type: "button", onclick: () => read(row) }, row.doc_id), h("span", { class: "quiet small" }, ` ${dateText(row).short}`),
        mark(row) ? h("span", { class: `badge ${mark(row).relevance}` }, RELEVANCE[mark(row).relevance]) : null, h("div", { class: "small" }, row.title || ""))))) : h("p", { class: "quiet" }, "None."));
}

export const compare = {
  title: "Compare",
  async enter({ go }) {
    open = go;
    const [first, second] = state.case.searches.slice(-2).map((search) => search.number);
    if (second) await load({ first, second, depth: 100 });
  },
  draw() {
    const { page } = state;
    if (!page.first) return h("div", { class: "column", key: "nothing" }, h("h1", {}, "Compare"), h("p", { class: "card" }, "A comparison needs two searches of this case. Change the query under ", inward(`/cases/${state.case.id}/search`, {}, "Search"), "; each query that was tried is stored."));
    return h("div", { class: "column wide", key: "compare" }, h("h1", {}, "Compare"),
      h("div", { class: "card compare-form" }, field("First search", "first"), field("Second search", "second"),
        h("label", { class: "field" }, h("span", {}, "Documents"), h("select", { id: "depth", value: page.depth, onchange: (event) => load({ depth: Number(event.target.value) }) }, DEPTHS.map((depth) => h("option", { value: depth }, `the first ${number(depth)}`))))),
      page.problem ? h("p", { class: "notice bad", role: "alert" }, withCode(page.problem)) : null,
      h("div", {}, page.answer ? drawAnswer(page.answer) : page.problem ? null : h("p", { class: "quiet" }, "Loading…")));
  },
};
