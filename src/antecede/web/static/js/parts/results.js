// The list of results: one article per hit. The highlighted one is the selected document.

import * as act from "../actions.js";
import { whyBars } from "../charts.js";
import { find, h, keep, namedDates, number, outward, plural, runs, withCode } from "../dom.js";
import { change, state } from "../state.js";
import { group } from "./groups.js";

const NEAR = 400; // pixels from the end of the list at which further hits are asked for
const SORTS = [["score", "best first"], ["newest", "newest first"], ["oldest", "oldest first"], ["applicant", "by applicant"]];

const searchTitle = (search) => `${search.number}. ${search.title}`;
export const searchOptions = (searches) => searches.map((search) => h("option", { value: search.number, key: search.number }, searchTitle(search)));
export const coloured = (parts, terms) => runs(parts, (text, term) => h("mark", { class: `g${act.colourOf(terms[term])}`, data: { term: String(term) } }, text));
export const relevanceBadge = (mark) => h("span", { class: `badge ${mark.relevance}` }, act.RELEVANCE[mark.relevance], mark.category ? ` · ${mark.category}` : "");

/** What the date of a document is: published, filed, or the priority. */
export function dateText(hit) {
  const dates = namedDates({ publication: hit.publication_date, filing: hit.filing_date, priority: hit.priority_date });
  const shown = hit.date_is && { publication: "published", filing: "filed", priority: "priority" }[hit.date_is];
  return { short: hit.date && shown ? `${shown} ${hit.date}` : dates[0] ?? hit.date_text ?? hit.date ?? "undated", all: dates.join(" · ") || "undated" };
}

export function drawResults() {
  const { search } = state;
  const outside = state.selected && (search.info || state.open) && act.placeOf(state.selected) < 0; // also before there is a list
  return h("section", { class: "results", "aria-label": "Results", tabindex: "-1", "aria-busy": String(Boolean(search.doing)), onscroll: scrolled }, head(),
    outside ? pinned() : null,
    h("ol", { class: "hits" }, search.rows.map((hit) => keep(hit.doc_id, [hit, search.terms, state.marks.get(hit.doc_id), state.drafts[hit.doc_id], state.case.seen.includes(hit.doc_id), hit.doc_id === state.selected, state.colours, state.folds[`family ${hit.doc_id}`]], () => item(hit)))),
    foot());
}

function scrolled({ target }) {
  state.search.scroll = target.scrollTop;
  if (target.scrollHeight - target.scrollTop - target.clientHeight < NEAR && !state.search.more) act.nextRows();
}

function head() {
  const { search, case: { searches } } = state;
  const { info } = search;
  const choose = (event) => { search.chosen = true; act.showSearch(Number(event.target.value)); };
  return h("div", { class: "results-head" },
    h("div", { class: "row apart" }, h("h2", { class: "results-title" }, "Results"), h("div", { class: "row tight results-tools" },
      h("button", { type: "button", class: "filters-toggle", "aria-expanded": String(state.filtersShown), onclick: () => change({ filtersShown: !state.filtersShown }) }, "Filters"),
      h("select", { "aria-label": "Searches of this case", id: "searches", value: info?.number ?? "", onchange: choose }, searchOptions([...searches].reverse())),
      info ? h("button", { type: "button", class: "link small", id: "name-search", title: "Name this search", hidden: act.readOnly(), onclick: () => change({ dialog: { name: "search", number: info.number } }) }, "Name") : null,
      h("select", { id: "sort", "aria-label": "Order of the list", value: state.sort, onchange: (event) => act.arrange({ sort: event.target.value }) }, SORTS.map(([value, label]) => h("option", { value }, label))),
      h("button", { type: "button", id: "more-like-these", title: "Make the query anew from what is marked (l); u undoes it", hidden: act.readOnly(), onclick: act.moreLikeThese }, "More like these"))),
    h("div", { class: "row tight" }, h("p", { class: "results-status", id: "results-status" }, status()),
      search.doing ? h("button", { type: "button", class: "link small", id: "cancel-search", onclick: act.cancelSearch }, "Cancel") : null),
    notes());
}

/** What the list is: the search that it shows, or why it is not that of the query. */
function status() {
  const { search } = state;
  if (search.doing) return search.info ? `${search.doing} The list is still that of search ${search.info.number}.` : search.doing;
  if (search.problem) return search.info ? `This is still search ${search.info.number}: ${act.describeResults()}` : "";
  if (!search.info) return "";
  return `${search.stopped ? "The search was cancelled. " : ""}${act.describeResults()}`;
}

function notes() {
  const { search } = state;
  const { info, offered } = search;
  if (!info) return h("div", { class: "results-notes" }, problem(search.problem));
  const useIt = () => act.saveQuery(info.state, `the query of search ${info.number}`);
  return h("div", { class: "results-notes" }, problem(search.problem),
    act.outdated() && !search.doing ? h("div", { class: "notice small", id: "outdated", role: "status" }, `This list is that of search ${info.number}, not of the query above. `,
      act.readOnly() ? null : h("span", { class: "row" }, h("button", { type: "button", class: "link", onclick: act.search }, "Search with the query above"), h("button", { type: "button", class: "link", onclick: useIt }, `Use the query of search ${info.number}`))) : null,
    offered && offered.number !== info.number ? h("div", { class: "notice small", role: "status" }, `${offered.user || "Another window"} made search ${offered.number}. `, h("button", { type: "button", class: "link", onclick: () => { search.offered = null; act.showSearch(offered.number); } }, "Show it")) : null,
    search.total ? null : explainEmptiness(search.documents),
    search.stale ? h("p", { class: "notice small" }, "The index or the application has changed since this search; it is shown as it was.") : null,
    search.notes.length ? group("search-notes", false, plural(search.notes.length, "note"), h("ul", {}, search.notes.map((note) => h("li", {}, note))), "small quiet") : null);
}

const problem = (text) => (text ? h("div", { class: "notice bad", role: "alert", id: "search-problem" }, withCode(text), " ", h("button", { type: "button", class: "link", onclick: act.searchAgain }, "Try again")) : null);

/** Why nothing is found: the conditions that leave documents out, each with a button to remove it. */
function explainEmptiness({ excluded }) {
  const now = state.query.view.state;
  const without = (filters) => () => act.saveFilters({ ...now.filters, ...filters }, "a filter removed");
  const remedies = {
    date: ["the dates", without({ before: "off", after: null })], undated: ["“no undated documents”", without({ undated: "keep" })],
    ...Object.fromEntries(state.index.limits.map(({ name, setting, chosen }) => [name, [chosen, without({ [setting]: [] })]])),
    where: ["the expression", without({ where: null })],
    must: ["the required words", () => act.saveQuery({ ...now, phrases: now.phrases.filter((phrase) => phrase.exclude) }, "the required words removed")],
    must_not: ["the excluded words", () => act.saveQuery({ ...now, phrases: now.phrases.filter((phrase) => !phrase.exclude), terms: now.terms.map((term) => ({ ...term, exclude: false })) }, "the excluded words removed")],
  };
  const rows = Object.entries(excluded).filter(([name, count]) => count && remedies[name]).sort(([, a], [, b]) => b - a);
  return h("div", { class: "notice", id: "nothing-found", role: "status" },
    h("p", {}, rows.length ? "Nothing is found. These conditions leave documents out:" : "Nothing is found: no document has a word of the query. Add words, or choose other parts of the text."),
    h("ul", { class: "plain-list" }, rows.map(([name, count]) => h("li", {}, `${remedies[name][0]}: ${plural(count, "document")} `,
      h("button", { type: "button", class: "link", data: { condition: name }, onclick: remedies[name][1] }, "Remove")))));
}

function item(hit) {
  const { terms } = state.search;
  const [passage] = hit.passages || [];
  const classes = [...new Set([...(hit.ipc || []), ...(hit.cpc || [])].map(shortClass))];
  const dates = dateText(hit);
  const open = (event) => { if (!event.target.closest("a, button, summary, details")) act.openDocument(hit.doc_id); };
  return h("li", { key: hit.doc_id, onclick: open }, article(hit, { class: "hit", "aria-label": `${hit.rank}. ${hit.title || hit.doc_id}` },
    h("div", { class: "hit-top" },
      h("span", { class: "hit-rank" }, number(hit.rank)),
      h("span", { class: "hit-number" }, hit.doc_id, hit.kinds?.length ? h("span", { class: "quiet" }, ` ${hit.kinds.join(", ")}`) : null),
      h("span", { class: "hit-date", title: dates.all }, dates.short), badges(hit)),
    h("h2", {}, h("button", { class: "hit-title", type: "button", onclick: () => act.openDocument(hit.doc_id) }, hit.title || "(no title)")),
    hit.applicants?.length ? h("p", { class: "hit-people" }, hit.applicants.join("; ")) : null,
    h("div", { class: "hit-body" },
      h("div", { class: "hit-main" },
        passage ? [h("p", { class: "hit-passage", lang: hit.language || null }, coloured(passage.runs, terms)), h("p", { class: "hit-location" }, passage.location)] : null,
        h("div", { class: "hit-classes" }, classes.slice(0, 6).map((code) => h("span", { class: "badge code" }, code)),
          classes.length > 6 ? h("span", { class: "badge code", title: classes.slice(6).join(", ") }, `+${classes.length - 6}`) : null,
          outward(hit.links?.espacenet, "Espacenet"), outward(hit.links?.google_patents, "Google Patents"))),
      hit.why?.length ? whyBars(hit.why) : null),
    hit.family?.length ? group(`family ${hit.doc_id}`, false, plural(hit.family.length, "more family member"), h("ul", {}, hit.family.map((member) => h("li", {},
      h("button", { class: "link", type: "button", onclick: () => act.openDocument(member.doc_id) }, member.doc_id), ` ${dateText(member).short} · ${member.title || ""} `,
      member.mark ? relevanceBadge(member.mark) : null))), "hit-family") : null));
}

const article = (hit, attributes, ...children) => h("article", {
  ...attributes, class: `${attributes.class} ${state.case.seen.includes(hit.doc_id) ? "seen" : ""}`, "aria-current": hit.doc_id === state.selected ? "true" : null,
  data: { doc: hit.doc_id, mark: state.marks.get(hit.doc_id)?.relevance ?? "" },
}, ...children);

function badges(hit) {
  const { [hit.doc_id]: draft } = state.drafts;
  const mark = act.markOf(hit.doc_id);
  const seen = state.case.seen.includes(hit.doc_id);
  return h("span", { class: "hit-badges" },
    hit.new ? h("span", { class: "badge new" }, "new") : null,
    draft?.problem ? h("span", { class: "badge not", title: draft.problem }, "not stored") : draft && Object.keys(draft.sent).length ? h("span", { class: "badge" }, "storing…") : null,
    mark?.relevance ? relevanceBadge(mark) : null, mark?.user && mark.user !== state.user ? h("span", { class: "badge" }, mark.user) : null,
    h("span", { class: "seen-dot", title: seen ? "Seen" : "Not seen yet" }, h("span", { class: "hidden-text" }, seen ? "seen" : "not seen yet")));
}

/** The selected document where the list does not have it: one that a citation, a link or an earlier list led to. */
function pinned() {
  const { document } = state.reading;
  return article({ doc_id: state.selected }, { class: "outside", key: "outside", "aria-label": `${state.selected}, not in this list` },
    h("div", { class: "hit-top" }, h("span", { class: "hit-number" }, state.selected), state.search.info ? h("span", { class: "quiet" }, "not among these hits") : null, badges({ doc_id: state.selected })),
    h("p", {}, document?.doc_id === state.selected ? (document.texts[document.languages[0]]?.title ?? []).map((part) => (Array.isArray(part) ? part[0] : part)).join("") : ""));
}

function foot() {
  const { search: { info, rows, total, more, limit_reached: cut, retrieved } } = state;
  if (!info) return h("div", { class: "results-foot" });
  const left = total - rows.length;
  return h("div", { class: "results-foot" }, more ? h("p", { class: "notice bad", role: "alert" }, withCode(more)) : null,
    left > 0 ? h("button", { type: "button", onclick: act.nextRows }, more ? "Try again" : `Show more (${number(left)} left)`)
      : h("p", { class: "quiet small" }, !total ? "" : cut ? `End of the list: it has the best ${number(retrieved)} documents. Narrow the query to see others.` : "End of the list"));
}

let shown = {};

/** After the list was drawn: its place is that of the state; the selected hit is in view when it changed. */
export function drawnResults() {
  const box = find(".results");
  if (!box || !state.search.rows.length) return;
  const { rows, info, scroll } = state.search;
  if (shown.box !== box || shown.info !== info) box.scrollTop = scroll;
  else if (shown.selected !== state.selected) {
    const row = find("[aria-current=true]", box);
    row?.scrollIntoView({ block: "nearest" });
    if (document.activeElement.matches(".hit-title")) find(".hit-title", row ?? box)?.focus({ preventScroll: true }); // Enter opens what is highlighted
  }
  shown = { box, info, selected: state.selected };
  if (box.scrollHeight - box.scrollTop - box.clientHeight < NEAR && box.clientHeight && rows.length < state.search.total && !state.search.more) act.nextRows();
}

/** The part of a class code that a list shows: H04L 12/56 stays, spaces are single. */
export const shortClass = (code) => String(code).replace(/\s+/g, " ").trim();
