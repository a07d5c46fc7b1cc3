// The workbench: query, filters, results and the document being read.

import * as act from "../actions.js";
import { find, h } from "../dom.js";
import { drawFilters } from "../parts/filters.js";
import { drawQuery, drawnQuery } from "../parts/query.js";
import { drawReader, drawnReader } from "../parts/reader.js";
import { drawResults, drawnResults } from "../parts/results.js";
import { state } from "../state.js";

const read = (section) => () => act.readSection(section);
const readSelected = () => state.selected && act.openDocument(state.selected);

export const search = {
  title: "Search",
  keys: {
    j: () => act.step(1), k: () => act.step(-1), o: readSelected, Enter: readSelected,
    r: () => act.markSelected("relevant"), m: () => act.markSelected("maybe"), n: () => act.markSelected("not"),
    t: () => act.stepMatch(1), T: () => act.stepMatch(-1), u: () => act.undo(), U: () => act.redo(),
    "/": () => { find("#add-term").focus(); find("#add-term").select(); }, l: () => act.readOnly() || act.moreLikeThese(),
    Escape: () => (state.open && state.beside.name ? act.readBeside(null) : act.closeDocument()),
    b: () => act.readBeside(state.beside.name ? null : act.APPLICATION),
    1: read("claims"), 2: read("description"), 3: read("abstract"), 4: read("citations"),
  },
  async enter() {
    const { doc, beside } = act.addressed();
    if (doc) { Object.assign(state, { selected: doc, open: true }); state.beside.name = beside; }
    if (!state.query.view) await act.readQuery();
    const { place, case: { searches } } = state;
    const known = searches.some((search) => search.number === place.search) ? place.search : act.readOnly() ? searches.at(-1)?.number : null;
    if (state.search.info && state.search.rows.length) act.keepSearch();
    else if (known) await act.showSearch(known, { rows: place.rows, keep: true });
    else if (state.query.view && !act.readOnly()) await act.search();
    if (state.open && state.reading.document?.doc_id !== state.selected) await act.openDocument(state.selected, { address: "replace" });
  },
  leave() { act.cancelSearch(); },
  draw: () => h("div", { key: "search", class: ["bench", state.open && "reading", state.open && state.beside.name && "beside", state.filtersShown && "with-filters", state.search.doing && "busy"].filter(Boolean).join(" ") },
    h("h1", { class: "hidden-text" }, "Search"), drawQuery(), drawResults(), drawReader(state.reading), state.open && state.beside.name ? drawReader(state.beside, true) : null, drawFilters()),
  drawn() { drawnQuery(); drawnResults(); drawnReader(); },
};
