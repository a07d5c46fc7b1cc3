// The workbench: query, filters, results and the document being read.

import { ApiError, query } from "../api.js";
import { announce, fill, h, number, plural, toast } from "../dom.js";
import { advances, bindKeys } from "../keyboard.js";
import { FilterPanel } from "../parts/filters.js";
import { QueryPanel } from "../parts/query.js";
import { Reader } from "../parts/reader.js";
import { RELEVANCE, ResultList } from "../parts/results.js";
import { nameSearch, searchOptions } from "../parts/searches.js";

const PAGE = 25;
const APPLICATION = "application"; // what stands for it in an address

/** The document that the address names, and what is read beside it. */
function addressed() {
  const values = new URLSearchParams(location.search);
  return { doc: values.get("doc"), beside: values.get("beside") };
}

export class SearchView {
  constructor({ api, index, found, main, parameters, place }) {
    Object.assign(this, { api, index, case: found, main, parameters, place });
    this.family = place.family ?? true;
    this.known = new Map(found.marks.map((each) => [each.doc_id, each])); // also what is on its way to the server
    this.done = []; // what can be undone, the last thing last: { what, query, undo }
    this.query = new QueryPanel(index, {
      save: (state) => this.saveState(state),
      add: (words) => this.changeQuery(() => api.addWords(words)),
      undo: () => this.undoQuery(),
      redo: () => this.changeQuery(() => api.redo()),
      reset: () => this.changeQuery(() => api.reset()),
      count: (where, sets) => this.countExpression(where, sets), stopCounting: () => this.counting?.abort(),
    });
    this.filters = new FilterPanel(index, {
      save: (filters) => this.saveState({ ...this.view.state, filters }),
      children: (kind, code) => this.countFacet(kind, { [kind]: code }),
      names: (facet, setting, text) => this.countFacet(facet, { [setting]: text }),
      family: (on) => { this.family = on; place.family = on; this.load(this.search.number); },
    });
    this.results = new ResultList({ open: (hit) => this.open(hit), next: () => this.nextPage(), select: (hit) => { place.doc = hit.doc_id; } });
    this.reader = new Reader({
      mark: (doc, values) => this.mark(doc, values), unmark: (doc) => this.mark(doc, null), open: (doc) => this.open({ doc_id: doc }),
      close: () => this.close(), next: () => this.step(1), previous: () => this.step(-1),
      companions: (doc) => this.companions(doc), besideNow: () => place.beside, beside: (name) => this.showBeside(name || null),
    });
    this.side = new Reader({
      open: (doc) => this.showBeside(doc), close: () => this.showBeside(null), jump: (match) => this.reader.jumpTo(match), colours: () => this.reader.groups,
      matchOf: (claim) => (place.beside === APPLICATION ? this.reader.document?.against?.[claim - 1] : undefined),
    }, { side: true });
    this.more = h("button", { type: "button", id: "more-like-these", title: "Rank again by what is marked (l)", onclick: () => this.moreLikeThese() }, "More like these");
    this.status = h("p", { class: "results-status", id: "results-status" });
    this.cancel = h("button", { type: "button", class: "link small", id: "cancel-search", hidden: true, onclick: () => { this.status.textContent = "The search was cancelled."; this.abort?.abort(); } }, "Cancel");
    this.note = h("div", { class: "results-notes" });
    this.rename = h("button", { type: "button", class: "link small", id: "name-search", title: "Name this search", onclick: () => this.nameSearch() }, "Name");
    this.searches = h("select", { "aria-label": "Searches of this case", id: "searches", onchange: () => { this.chosen = true; this.load(Number(this.searches.value)); } });
    this.toggle = h("button", { type: "button", class: "filters-toggle", "aria-expanded": "false", onclick: () => this.toggleFilters() }, "Filters");
  }

  async start() {
    const view = await this.api.query();
    this.element = h("div", { class: "bench" }, this.query.element,
      this.filters.element, this.results.element, this.reader.element, this.side.element);
    fill(this.results.head, h("div", { class: "row apart" }, h("h1", { class: "results-title" }, "Results"), h("div", { class: "row tight" }, this.toggle, this.searches, this.rename, this.more)), h("div", { class: "row tight" }, this.status, this.cancel), this.note);
    fill(this.main, this.element);
    this.keys();
    this.showQuery(view);
    this.results.element.addEventListener("scroll", () => { this.place.scroll = this.results.element.scrollTop; });
    const { doc: linked, beside } = addressed();
    if (linked) { this.place.doc = linked; this.place.reading = linked; this.place.beside = beside; }
    if (this.place.search && this.case.searches.some((each) => each.number === this.place.search)) await this.load(this.place.search, true);
    else await this.run();
    if (linked && this.place.reading === linked && this.reader.document?.doc_id !== linked) await this.open({ doc_id: linked }, { address: "keep" });
  }

  /** Follows the address after the back or forward button: the document that it names, or none. */
  async visit() {
    const { doc, beside } = addressed();
    this.place.beside = beside;
    if (doc) await this.open({ doc_id: doc }, { address: "keep" });
    else this.close({ address: "keep" });
  }

  /** Follows what another tab did to this case. */
  async follow({ doc, mark, search, query }) {
    if (doc) {
      if (mark) this.known.set(doc, mark); else this.known.delete(doc);
      this.results.update(doc, { mark });
      if (this.reader.document?.doc_id === doc) this.reader.showMark(mark);
    }
    if (query) this.showQuery(await this.api.query());
    if (search) await this.followSearch(search);
  }

  /** A new search is shown here, too, unless one was chosen here from the list of searches. */
  async followSearch(search) {
    const known = this.case.searches.some((each) => each.number === search.number);
    this.addSearch(search);
    const idle = this.search && !this.element.classList.contains("busy");
    if (idle && !known && !this.chosen) await this.load(search.number, true);
    else if (this.search) this.drawSearches();
  }

  addSearch(search) {
    const known = this.case.searches.find((each) => each.number === search.number);
    if (known) Object.assign(known, search); else this.case.searches.push(search);
  }

  async nameSearch() {
    try {
      if (await nameSearch(this.api, this.case.searches.find((each) => each.number === this.search.number))) this.drawSearches();
    } catch (error) { this.refuse(error); }
  }

  leave() {
    this.left = true;
    this.abort?.abort();
    this.reading?.abort();
    this.counting?.abort();
    this.query.leave();
    this.results.leave();
  }

  keys() {
    const section = (at) => () => { const parts = this.reader.document && this.reader.parts(); if (parts?.includes(at)) { this.reader.section = at; this.reader.draw(); } };
    bindKeys({
      j: () => this.step(1), k: () => this.step(-1), o: () => this.openSelected(), Enter: () => this.openSelected(),
      r: () => this.markSelected("relevant"), m: () => this.markSelected("maybe"), n: () => this.markSelected("not"),
      t: () => this.reader.document && this.reader.step(1), T: () => this.reader.document && this.reader.step(-1),
      "/": () => this.query.focus(), u: () => this.undo(), U: () => this.view.redo && this.changeQuery(() => this.api.redo()),
      l: () => this.moreLikeThese(), Escape: () => (this.place.beside && this.place.reading ? this.showBeside(null) : this.close()),
      b: () => this.place.reading && this.showBeside(this.place.beside ? null : APPLICATION),
      1: section("claims"), 2: section("description"), 3: section("abstract"), 4: section("citations"),
    });
  }

  toggleFilters() {
    const open = this.element.classList.toggle("with-filters");
    this.toggle.setAttribute("aria-expanded", String(open));
  }

  showQuery(view) {
    this.confirmed = view; // as the server has it; `this.view` also has what is on its way there
    this.view = { ...view, terms: view.terms.map((each) => ({ ...each })) };
    this.query.show(this.view);
    this.filters.show(view.state.filters, this.case.topic.date);
  }

  /** Saves a state of the query. What the user does next builds on it, also before the server has answered. */
  saveState(state) {
    this.view.state = state;
    return this.changeQuery(() => this.api.saveQuery(state));
  }

  /** Undoes the last thing that was done here, whatever it was; else the last change of the query. */
  async undo() {
    const last = this.done.pop();
    if (!last && !this.view.undo) { toast("There is nothing to undo"); return; }
    toast(`Undone: ${last?.what ?? "a change of the query"}`);
    await (last ? last.undo() : this.undoQuery());
  }

  undoQuery() {
    const at = this.done.findLastIndex((each) => each.query);
    if (at >= 0) this.done.splice(at, 1);
    return this.changeQuery(() => this.api.undo(), { undone: true });
  }

  /** Changes the query on the server, one change after the other, shows what it became, and searches again. */
  async changeQuery(request, { undone = false } = {}) {
    this.abort?.abort();
    this.changes = (this.changes ?? 0) + 1;
    const mine = this.changes;
    const latest = () => mine === this.changes && !this.left;
    const sent = (this.sending ?? Promise.resolve()).then(request);
    this.sending = sent.catch(() => null); // a change that is refused does not hold up the next
    try {
      const view = await sent;
      if (!undone) this.done.push({ what: "a change of the query", query: true, undo: () => this.undoQuery() });
      this.api.tell({ query: true });
      if (!latest()) { this.confirmed = view; return true; }
      this.showQuery(view);
    } catch (error) {
      this.refuse(error);
      if (latest() && this.confirmed) this.showQuery(this.confirmed);
      return false;
    }
    await this.run();
    return true;
  }

  refuse(error) {
    if (error.name === "AbortError") return;
    if (!(error instanceof ApiError)) throw error;
    toast(error.message, "bad");
  }

  /** One request for results at a time: a new one cancels the one before. */
  async ask(request) {
    this.abort?.abort();
    const abort = new AbortController();
    this.abort = abort;
    this.element.classList.add("busy");
    this.cancel.hidden = false;
    this.status.textContent = "Searching…";
    try {
      return await request({ signal: abort.signal });
    } catch (error) {
      if (error.name !== "AbortError") { this.status.textContent = error.message; this.refuse(error); }
      return null;
    } finally {
      if (this.abort === abort) { this.element.classList.remove("busy"); this.cancel.hidden = true; }
    }
  }

  async run() {
    this.chosen = false;
    const found = await this.ask((options) => this.api.search({ offset: 0, limit: PAGE, family: this.family }, options));
    if (found) await this.show(found);
  }

  async load(number, restore = false) {
    const wanted = restore ? Math.max(PAGE, this.place.shown || 0) : PAGE;
    const found = await this.ask((options) => this.api.results(number, { offset: 0, limit: Math.min(wanted, 200), family: this.family }, options));
    if (found) await this.show(found, restore);
  }

  async moreLikeThese() {
    this.chosen = false;
    const found = await this.ask((options) => this.api.more({ limit: PAGE, family: this.family }, options));
    if (!found) return;
    await this.show(found);
    toast(found.new ? `${plural(found.new, "document")} not shown before: marked “new”` : "No document that was not shown before");
  }

  async show(found, restore = false) {
    this.search = found.search;
    this.place.search = found.search.number;
    this.addSearch(found.search);
    this.api.tell({ search: found.search });
    this.drawSearches();
    this.results.clear();
    this.addPage(found);
    const feedback = found.search.kind === "feedback";
    const text = `${plural(found.total, this.family ? "family" : "document", this.family ? "families" : "documents")} ranked of ${plural(found.documents.searched, "document")} searched${feedback ? ", by what is marked" : ""}${found.new ? ` · ${number(found.new)} new` : ""}`;
    this.status.textContent = text;
    announce(text);
    fill(this.note, found.total ? null : this.explainEmptiness(found.documents), found.stale ? h("p", { class: "notice small" }, "The index has changed since this search; it is shown as it was.") : null,
      found.notes.length ? h("details", { class: "small quiet" }, h("summary", {}, plural(found.notes.length, "note")), h("ul", {}, found.notes.map((each) => h("li", {}, each)))) : null);
    if (restore && this.place.doc) {
      this.results.selectDocument(this.place.doc, { scroll: false });
      this.results.element.scrollTop = this.place.scroll || 0;
      if (this.place.reading) await this.open({ doc_id: this.place.reading }, { address: "replace" });
    } else {
      this.results.element.scrollTop = 0;
      if (found.total) this.results.select(0);
    }
    await this.loadFacets();
  }

  /** Why nothing is found: the conditions that leave documents out, each with a button to remove it. */
  explainEmptiness({ excluded }) {
    const { state } = this.view;
    const without = (filters) => () => this.saveState({ ...state, filters: { ...state.filters, ...filters } });
    const remedies = {
      date: ["the dates", without({ before: "off", after: null })], undated: ["“no undated documents”", without({ undated: "keep" })],
      ...Object.fromEntries(this.index.limits.map(({ name, setting, chosen }) => [name, [chosen, without({ [setting]: [] })]])),
      where: ["the expression", without({ where: null })],
      must: ["the required words", () => this.saveState({ ...state, phrases: state.phrases.filter((each) => each.exclude) })],
      must_not: ["the excluded words", () => this.saveState({ ...state, phrases: state.phrases.filter((each) => !each.exclude), terms: state.terms.map((each) => ({ ...each, exclude: false })) })],
    };
    const rows = Object.entries(excluded).filter(([name, count]) => count && remedies[name]).sort(([, a], [, b]) => b - a);
    return h("div", { class: "notice", id: "nothing-found", role: "status" },
      h("p", {}, rows.length ? "Nothing is found. These conditions leave documents out:" : "Nothing is found: no document has a word of the query. Add words, or choose other parts of the text."),
      h("ul", { class: "plain-list" }, rows.map(([name, count]) => h("li", {}, `${remedies[name][0]}: ${plural(count, "document")} `,
        h("button", { type: "button", class: "link", data: { condition: name }, onclick: remedies[name][1] }, "Remove")))));
  }

  /** The documents of an expression and its parts; null where they are not needed any more. */
  async countExpression(where, sets) {
    this.counting?.abort();
    this.counting = new AbortController();
    try {
      return await this.api.expression({ where, sets }, { signal: this.counting.signal });
    } catch (error) { this.refuse(error); return null; }
  }

  async loadFacets() {
    const { number: search } = this.search;
    try {
      const facets = await this.api.facets(search, {}, { signal: this.abort?.signal });
      if (this.search.number === search) this.filters.showFacets(facets);
    } catch (error) { this.refuse(error); }
  }

  /** The counts of a facet for the classes below one, or for names with a text; null if they are not needed any more. */
  async countFacet(name, wanted) {
    try {
      const facets = await this.api.facets(this.search.number, wanted, { signal: this.abort?.signal });
      return facets[name];
    } catch (error) { this.refuse(error); return null; }
  }

  drawSearches() {
    fill(this.searches, searchOptions([...this.case.searches].sort((a, b) => b.number - a.number)));
    this.searches.value = String(this.search.number);
  }

  addPage(found) {
    this.results.append(found.hits, found.total);
    this.place.shown = this.results.hits.length;
  }

  async nextPage() {
    if (this.paging || !this.search || !this.results.hits.length || this.results.hits.length >= this.results.total) return;
    this.paging = true;
    const search = this.search.number;
    try {
      const found = await this.api.results(search, { offset: this.results.hits.length, limit: PAGE, family: this.family }, { signal: this.abort?.signal });
      if (this.search.number === search) this.addPage(found);
    } catch (error) { this.refuse(error); } finally { this.paging = false; }
  }

  /** Moves to a neighbour; the document follows if one is open. */
  step(by) {
    if (this.results.move(by) && this.place.reading) this.openSelected({ address: "replace" });
  }

  /** After a mark by key: the next document of the list that has none. */
  advance() {
    const next = this.results.nextUnmarked(this.known);
    if (next < 0) return;
    this.results.select(next);
    if (this.place.reading) this.openSelected({ address: "replace" });
  }

  openSelected(options) { if (this.results.selected) this.open(this.results.selected, options); }

  /** The address names the document, for the back button and for a colleague. */
  setAddress(doc, how) {
    const address = `${location.pathname}${query(doc ? { doc, beside: this.place.beside } : {})}`;
    if (how !== "keep" && address !== `${location.pathname}${location.search}`) history[how === "replace" ? "replaceState" : "pushState"]({}, "", address);
  }

  async open(hit, { address = "push" } = {}) {
    const doc = hit.doc_id;
    this.place.reading = doc;
    this.setAddress(doc, address);
    this.results.showDocument(doc);
    this.element.classList.add("reading");
    this.reading?.abort();
    const abort = new AbortController();
    this.reading = abort;
    if (this.reader.document?.doc_id !== doc) this.reader.loading(doc);
    try {
      const found = await this.api.document(doc, { search: this.search?.number, against: this.place.beside === APPLICATION }, { signal: abort.signal });
      if (abort.signal.aborted) return;
      const rank = hit.rank ?? found.found_by?.find((each) => each.search === this.search?.number)?.rank ?? null;
      this.reader.show(found, rank, this.case.topic.claims?.length || 0);
      await this.fillBeside(abort.signal);
      await this.api.seen({ doc_id: doc, search: this.search?.number, rank });
      this.results.update(doc, { seen: true });
      if (!this.case.seen.includes(doc)) this.case.seen.push(doc);
    } catch (error) {
      if (error.name === "AbortError") return;
      this.reader.fail(error.message);
    }
  }

  /** What can be read beside a document: the application, what is relevant or may be, and what was read before it. */
  companions(doc) {
    const marked = [...this.known].filter(([, mark]) => mark.relevance !== "not").map(([each]) => each);
    const others = [...new Set([this.place.beside, ...this.case.seen.slice(-5).reverse(), ...marked])].filter((each) => each && each !== doc && each !== APPLICATION);
    return [[APPLICATION, "the application"], ...others.map((each) => [each, each])];
  }

  /** Opens a second pane with the application or another document, or closes it; the document being read stays. */
  async showBeside(name) {
    const { document: read } = this.reader;
    if (!read) return;
    this.place.beside = name;
    this.setAddress(read.doc_id, "push");
    this.reader.showCompanion();
    try {
      if (name === APPLICATION && !read.against.length) read.against = (await this.api.document(read.doc_id, { against: true })).against;
      await this.fillBeside();
    } catch (error) { this.refuse(error); }
  }

  async fillBeside(signal) {
    const { beside } = this.place;
    this.element.classList.toggle("beside", Boolean(beside));
    if (!beside) { this.side.empty(); return; }
    const wanted = `${beside} ${this.search?.number}`;
    if (this.side.document?.wanted === wanted) { this.side.adapt(); return; }
    try {
      const found = await this.api.document(beside === APPLICATION ? null : beside, { search: this.search?.number }, { signal });
      this.side.show({ ...found, wanted, label: beside === APPLICATION ? "The application" : null }, null);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      this.side.fail(error.message);
    }
  }

  close({ address = "push" } = {}) {
    this.reading?.abort();
    this.place.beside = null;
    this.side.empty();
    if (this.place.reading) this.setAddress(null, address);
    this.place.reading = null;
    this.element.classList.remove("reading", "beside");
    this.reader.empty();
    const article = this.results.selected && this.results.articleOf(this.results.selected.doc_id);
    article?.scrollIntoView({ block: "nearest" });
  }

  /** Marks what is read, or selected, and goes on; the same key again takes the mark back. */
  async markSelected(relevance) {
    const { reading } = this.place;
    const doc = reading ?? this.results.selected?.doc_id;
    if (!doc || (reading && this.reader.document?.doc_id !== reading && reading !== this.results.selected?.doc_id)) return;
    const before = this.known.get(doc);
    if (before?.relevance === relevance) { await this.mark(doc, null); return; }
    const { category = null, claims = "", note = "" } = before ?? {};
    const stored = this.reader.document?.doc_id === doc ? this.reader.saveMark({ relevance }) : this.mark(doc, { category, claims, note, relevance });
    if (advances()) this.advance();
    await stored;
  }

  /** Marks a document, or takes its mark back where there are no values. */
  mark(doc, values, { undone = false } = {}) {
    const before = this.known.get(doc) ?? null;
    if (values) this.known.set(doc, values); else this.known.delete(doc);
    const entry = { what: values ? `${doc} marked ${RELEVANCE[values.relevance].toLowerCase()}` : `the mark of ${doc} taken back`, undo: () => this.undoMark(doc, before) };
    if (!undone) this.done.push(entry);
    const hit = this.results.hits.find((each) => each.doc_id === doc);
    const rank = hit?.rank ?? (this.reader.document?.doc_id === doc ? this.reader.rank : null) ?? null;
    const search = rank === null ? null : this.search?.number ?? null;
    return this.storeMark(doc, () => (values ? this.api.mark({ doc_id: doc, search, rank, ...values }) : this.api.unmark(doc)), () => {
      if (before) this.known.set(doc, before); else this.known.delete(doc);
      this.done = this.done.filter((each) => each !== entry);
    });
  }

  undoMark(doc, before) {
    if (this.results.selectDocument(doc) && this.place.reading) this.openSelected({ address: "replace" });
    const { relevance, category = null, claims = "", note = "" } = before ?? {};
    return this.mark(doc, before && { relevance, category, claims, note }, { undone: true });
  }

  /** Stores marks one after the other, in the order they were made; what is shown is the last. */
  storeMark(doc, store, forget) {
    const before = this.storing;
    const own = (async () => {
      await before;
      const reads = () => this.storing === own && this.reader.document?.doc_id === doc;
      try {
        const mark = await store();
        this.results.update(doc, { mark });
        this.api.tell({ doc, mark });
        if (reads()) this.reader.showMark(mark);
        else if (this.reader.document?.doc_id !== doc) announce(mark ? `${doc}: ${RELEVANCE[mark.relevance]}` : `${doc}: mark removed`);
      } catch (error) {
        forget();
        if (reads()) this.reader.restoreMark();
        this.refuse(error);
      }
    })();
    this.storing = own;
    return own;
  }
}
