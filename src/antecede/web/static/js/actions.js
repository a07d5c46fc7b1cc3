// What is done to a case, by the person or by others: named actions, which alone change the state of the search view.

import { ApiError, caseApi, query as parameters } from "./api.js";
import { debounce, number, plural } from "./dom.js";
import { change, redraw, state } from "./state.js";

const PAGE = 25;
const MOST = 200; // rows that the server gives at a time
const REMEMBERED = 50; // steps that can be undone
const HEAVY = 8; // words of a query or document that get a colour of their own
const COLOURS = 16; // of a case; words that come when all are given share another
const COUNTING = 250; // milliseconds after the last key until documents are counted
const PATIENCE = 400; // milliseconds of counting after which the person is told, and can cancel it
export const APPLICATION = "application"; // what stands for it in an address
export const RELEVANCE = { relevant: "Relevant", maybe: "Maybe", not: "Not relevant" };

/** Asks the server about the case; what it refuses becomes part of the state. Null where it did, or the case was left. */
export async function ask(request, refuse) {
  const { id } = state.case;
  const left = () => state.case?.id !== id;
  try {
    const answer = await request(caseApi(id));
    return left() ? null : answer ?? true;
  } catch (error) {
    if (error.name === "AbortError" || left()) return null;
    if (!(error instanceof ApiError)) throw error;
    refuse(error.message, error);
    redraw();
    return null;
  }
}

/** Puts what was refused into a part of the state. */
export const into = (part) => (problem) => change({ problem }, part);

/** Says for a moment what was done, and tells a screen reader. */
let silence = 0;
export function say(text) {
  clearTimeout(silence);
  silence = setTimeout(() => change({ said: null }), 5000);
  change({ said: text, announced: text });
}

export const announce = (text) => change({ announced: text });
export const readOnly = () => state.case?.right === "read";

// The query

let sending = Promise.resolve();
export const applied = () => state.query.view?.state.filters.where ?? "";

function takeQuery(view) {
  state.query.confirmed = view;
  colourTerms(view.terms.map((term) => ({ ...term, worth: term.weight * Math.log((view.documents.searched + 1) / (term.df + 1)) })));
  const { typed } = state.expression;
  if (typed !== null && typed.trim() === (view.state.filters.where ?? "")) state.expression.typed = null;
  change({ view }, state.query);
  countExpression();
}

/** Changes the query on the server, one change after the other, shows what it became, and searches again. */
async function changeQuery(what, request, { next = null, step = true } = {}) {
  const { query } = state;
  searching?.abort();
  if (next) query.view = { ...query.view, state: next }; // what is done next builds on it
  change({ sent: query.sent + 1, problem: "", conflict: null }, query);
  const mine = query.sent;
  const latest = () => mine === query.sent;
  const before = sending;
  const own = ask(async (api) => {
    await before;
    const seen = query.version;
    const view = await request(api, seen);
    query.version = view.version;
    return { ...view, changed: view.version !== seen };
  }, (problem, { body }) => {
    change({ problem }, query);
    if (body && "current" in body) meetQuery(what, next, body);
    else if (latest() && query.confirmed) takeQuery(query.confirmed);
  });
  sending = own;
  const view = await own;
  if (!view || state.query !== query) return null;
  if (step && view.changed) remember({ kind: "query", what });
  if (!latest()) { query.confirmed = view; return view; }
  takeQuery(view);
  await search();
  return view;
}

/** Another person changed the query first: what is there is shown, and what was wanted can be done again. */
async function meetQuery(what, next, { version }) {
  state.query.version = version;
  await readQuery();
  change({ conflict: { what, next } }, state.query);
}

export async function readQuery() {
  const { query } = state;
  const view = await ask((api) => api.query(), into(query));
  if (!view || query !== state.query) return;
  query.version = view.version;
  takeQuery(view);
}

export const saveQuery = (next, what) => changeQuery(what, (api, version) => api.saveQuery({ ...next, version }), { next });
export const saveFilters = (filters, what = "a filter") => saveQuery({ ...state.query.view.state, filters }, what);
export const resetQuery = () => changeQuery("the query made anew", (api, version) => api.step("reset", version));

/** The terms of the query, with changes that are on their way to the server. */
export function terms() {
  const { view } = state.query;
  const { own } = view.state; // then the terms are all the user's, and none is an exception
  return view.terms.map((term) => {
    const edit = view.state.terms.find((each) => sameTerm(each, term));
    return edit ? { ...term, weight: edit.weight ?? term.weight, off: edit.off, exclude: edit.exclude, edited: !own, added: term.added && !own } : term;
  });
}

const sameTerm = (edit, term) => edit.term === term.term && (edit.language ?? term.language) === term.language;
export const keyOf = (term) => `${term.language}:${term.term}`;

/** Changes one term; null takes the changes back. */
export function editTerm(term, values) {
  const { state: now } = state.query.view;
  const before = now.terms.find((edit) => sameTerm(edit, term))
    ?? { term: term.term, language: term.language, word: term.word, weight: null, off: false, exclude: false, added: false };
  const rest = now.terms.filter((edit) => !sameTerm(edit, term));
  const what = values === null ? `“${term.word}” as it was` : values.exclude ? `“${term.word}” excluded` : values.off ? `“${term.word}” off` : `the weight of “${term.word}”`;
  return saveQuery({ ...now, terms: values === null ? rest : [...rest, { ...before, ...values }] }, what);
}

export function editPhrase(place, values) {
  const { state: now } = state.query.view;
  const phrases = now.phrases.flatMap((phrase, at) => (at !== place ? [phrase] : values === null ? [] : [{ ...phrase, ...values }]));
  return saveQuery({ ...now, phrases }, `“${now.phrases[place].words}” ${values === null ? "removed" : "changed"}`);
}

// Words that are added: what will become of them is said before

export const adds = ({ text, must }) => (must ?? /\s/.test(text.trim()) ? "must" : "weight");

export function typeWord(text) {
  change({ text, said: "", problem: "", found: null, must: text.trim() ? state.adding.must : null }, state.adding);
  if (text.trim()) describeWord();
}

export const chooseMust = (must) => change({ must }, state.adding);

let describing = null;
const describeWord = debounce(async () => {
  const { adding } = state;
  const text = adding.text.trim();
  if (!text || !state.case) return;
  describing?.abort();
  describing = new AbortController();
  const found = await ask((api) => api.describeWords(text, { signal: describing.signal }), into(adding));
  if (found && adding.text.trim() === text) change({ found }, adding);
}, COUNTING);

export async function addWords() {
  const { adding } = state;
  const words = adding.text.trim();
  if (!words) return;
  const as = adds(adding);
  describing?.abort();
  Object.assign(adding, { text: "", must: null, found: null, problem: "", said: "" }); // the next word may be typed now
  const view = await changeQuery(`“${words}” added`, async (api, version) => {
    const added = await api.addWords({ words, as, version });
    adding.said = added.said;
    return added;
  });
  if (!view && state.adding === adding) change({ text: adding.text || words, problem: state.query.problem }, adding);
  if (!view) change({ problem: "" }, state.query);
}

// The Boolean expression: it belongs to the person who types it until it is applied

export const typedExpression = () => state.expression.typed ?? applied();
let counting = null;

export function typeExpression(text) {
  change({ typed: text === applied() ? null : text, problem: null, stopped: false }, state.expression);
  countLater();
}

const countLater = debounce(() => state.case && countExpression(), COUNTING);

/** Counts the documents of the expression and its parts; says whether they are known. */
function countExpression() {
  const { expression } = state;
  const where = typedExpression();
  const sets = state.query.view?.state.filters.sets ?? [];
  const of = JSON.stringify([where, sets]);
  if (expression.counts && expression.of === of) return Promise.resolve(true);
  if (counting?.of === of) return counting.known;
  counting?.abort.abort();
  if (!where.trim() && !sets.length) { counting = null; change({ counts: null, problem: null, counting: false, slow: false, of }, expression); return Promise.resolve(true); }
  const mine = { of, abort: new AbortController() };
  counting = mine;
  change({ counting: true, counts: null, slow: false, stopped: false, of }, expression);
  const told = setTimeout(() => { if (counting === mine) change({ slow: true }, expression); }, PATIENCE);
  mine.known = (async () => {
    const found = await ask((api) => api.expression({ where, sets }, { signal: mine.abort.signal }), (what) => change({ problem: { what } }, expression));
    clearTimeout(told);
    if (counting !== mine || state.expression !== expression) return false;
    counting = null;
    change({ counting: false, slow: false, counts: found && !found.problem ? found : null, problem: found ? found.problem : expression.problem }, expression);
    return Boolean(found && !found.problem);
  })();
  return mine.known;
}

export function stopCounting() {
  counting?.abort.abort();
  counting = null;
  change({ counting: false, slow: false, stopped: true, of: "" }, state.expression);
}

/** Searches with the expression as typed; one that cannot be understood stays in the box, with what is wrong beside it. */
export async function applyExpression() {
  if (!(await countExpression())) return;
  const { state: now } = state.query.view;
  await saveFilters({ ...now.filters, where: typedExpression().trim() || null }, "the expression");
}

export async function keepSet(name) {
  const { state: now } = state.query.view;
  const sets = [...(now.filters.sets ?? []), typedExpression().trim()];
  state.expression.typed = `S${sets.length}`;
  const names = sets.map((_, place) => (place === sets.length - 1 ? name.trim() : now.set_names?.[place] ?? ""));
  await saveQuery({ ...now, filters: { ...now.filters, where: `S${sets.length}`, sets }, set_names: names }, `the set S${sets.length} kept`);
}

/** Only the last set can go: the others keep their numbers, by which sets and expressions name them. */
export async function dropSet() {
  const { state: now } = state.query.view;
  const sets = now.filters.sets.slice(0, -1);
  const named = new RegExp(`\\bS${sets.length + 1}\\b`, "i");
  if (named.test(typedExpression())) state.expression.typed = "";
  const where = named.test(applied()) ? null : now.filters.where;
  await saveQuery({ ...now, filters: { ...now.filters, where, sets }, set_names: (now.set_names ?? []).slice(0, sets.length) }, "a set removed");
}

// The search

let searching = null;

/** One request for results at a time: a new one cancels the one before. The list stays until there is another. */
async function list(doing, request) {
  const { search } = state;
  searching?.abort();
  const abort = new AbortController();
  searching = abort;
  change({ doing, problem: "", more: "", stopped: false }, search);
  const found = await ask((api) => request(api, { signal: abort.signal }), (problem) => { if (searching === abort) change({ problem }, search); });
  if (searching !== abort) return null;
  searching = null;
  change({ doing: "" }, search);
  return found;
}

export function cancelSearch() {
  if (!state.search.doing) return;
  searching?.abort();
  searching = null;
  change({ doing: "", stopped: true }, state.search);
}

const how = () => ({ family: state.family, sort: state.sort });
const retry = {};
export const searchAgain = () => retry.call?.();

export async function search() {
  retry.call = search;
  state.search.chosen = false;
  const found = await list("Searching…", (api, options) => api.search({ offset: 0, limit: PAGE, ...how() }, options));
  if (found) showResults(found);
}

/** Shows a search that was made before, with as many rows as there were. */
export async function showSearch(chosen, { rows = PAGE, keep = false } = {}) {
  retry.call = () => showSearch(chosen, { rows, keep });
  const found = await list("Loading…", async (api, options) => {
    const part = (offset) => api.results(chosen, { offset, limit: Math.min(MOST, Math.max(rows - offset, PAGE)), ...how() }, options);
    const first = await part(0);
    while (first.hits.length < Math.min(rows, first.total)) {
      const { hits } = await part(first.hits.length);
      if (!hits.length) break;
      first.hits.push(...hits);
    }
    return first;
  });
  if (found) showResults(found, { keep });
}

export async function moreLikeThese() {
  const { query } = state;
  retry.call = moreLikeThese;
  await sending;
  const found = await list("Searching…", (api, options) => api.more({ limit: PAGE, version: query.version, ...how() }, options));
  if (!found) return;
  query.version = found.query.version;
  remember({ kind: "query", what: "more like these" });
  takeQuery(found.query);
  showResults(found, { renew: true });
  say(found.new ? `More like these: ${plural(found.new, "document")} not shown before, marked “new”` : "More like these: no document that was not shown before");
}

const hitOf = (doc) => state.search.rows.find((hit) => hit.doc_id === doc);
export const placeOf = (doc) => state.search.rows.findIndex((hit) => hit.doc_id === doc);

function showResults({ hits, search: info, new: fresh, query: _, ...found }, { keep = false, renew = false } = {}) {
  const { search } = state;
  noteSearch(info);
  if (!keep) search.scroll = 0;
  change({ ...found, info, fresh, rows: hits, place: Math.max(0, hits.findIndex((hit) => hit.doc_id === state.selected)) }, search);
  announce(describeResults());
  const listed = hits.some((hit) => hit.doc_id === state.selected);
  if (state.selected === null || (!listed && !keep && (renew || !state.open))) state.selected = hits[0]?.doc_id ?? (state.open ? state.selected : null);
  const { document } = state.reading;
  if (state.open && (document?.doc_id !== state.selected || document.of !== info.number)) openDocument(state.selected, { address: "replace", keep: document?.doc_id === state.selected });
  loadFacets();
}

/** What the list holds, in words. */
export function describeResults() {
  const { info, total, documents, fresh, limit_reached: cut, retrieved, learned_from: left } = state.search;
  const kind = state.family ? plural(total, "family", "families") : plural(total, "document");
  const end = cut ? `, the best ${number(retrieved)} documents; the list ends there` : "";
  const learned = info.kind === "feedback" ? `, by what is marked${left ? ` and without ${left === 1 ? "the document" : `the ${number(left)} documents`} it was learned from` : ""}` : "";
  return `${kind} ranked of ${plural(documents.searched, "document")} searched${end}${learned}${fresh ? ` · ${number(fresh)} new` : ""}`;
}

/** Whether the list is that of the query above it: it is not after a refusal, a cancelled search, or the choice of an earlier one. */
export const outdated = () => Boolean(state.search.info && state.query.view) && canonical(state.search.info.state) !== canonical(state.query.view.state);

/** A value as text: equal for equal values, whatever the order of names and whether what is empty is named. */
function canonical(value) {
  return JSON.stringify(value, (name, each) => {
    if (each === null || each === "" || each === false || (Array.isArray(each) && !each.length)) return undefined;
    return each && typeof each === "object" && !Array.isArray(each) ? Object.fromEntries(Object.entries(each).sort(([a], [b]) => (a < b ? -1 : 1))) : each;
  });
}

let paging = false;

export async function nextRows() {
  const { search } = state;
  if (paging || !search.info || search.doing || search.rows.length >= search.total) return;
  paging = true;
  const { number: shown } = search.info;
  const { rows } = search;
  search.more = "";
  const found = await ask((api) => api.results(shown, { offset: rows.length, limit: PAGE, ...how() }), (problem) => change({ more: problem }, search));
  paging = false;
  if (found?.hits.length && search.rows === rows) change({ rows: [...rows, ...found.hits] }, search);
  else if (found && search.rows === rows) change({ more: "The list is shorter than it was." }, search);
}

/** The list as it was when the view was left: its address again, and what was being read. */
export function keepSearch() { setAddress("replace"); redraw(); }

export const arrange = (values) => { change(values); showSearch(state.search.info.number); };

export function noteSearch(info) {
  const rest = state.case.searches.filter((each) => each.number !== info.number);
  change({ searches: [...rest, info].sort((a, b) => a.number - b.number) }, state.case);
}

export async function nameSearch(chosen, name) {
  const info = state.case.searches.find((each) => each.number === chosen);
  if (name.trim() === info.name) return;
  const named = await ask((api) => api.nameSearch(chosen, { name, version: info.version }), into(state.search));
  if (named) { noteSearch(named); if (state.search.info?.number === chosen) change({ info: named }, state.search); }
}

/** Gives each of the heaviest words a colour, which it alone has in the whole case, as long as there are any. */
function colourTerms(shown) {
  const heavy = [...shown].sort((a, b) => (b.worth ?? b.weight) - (a.worth ?? a.weight)).slice(0, HEAVY).map(keyOf);
  const given = Object.values(state.colours);
  const free = Array.from({ length: COLOURS }, (_, colour) => colour).filter((colour) => !given.includes(colour));
  const fresh = heavy.filter((key) => !(key in state.colours)).slice(0, free.length);
  if (fresh.length) state.colours = { ...state.colours, ...Object.fromEntries(fresh.map((key, place) => [key, free[place]])) };
}

export const colourOf = (term) => (term && state.colours[keyOf(term)]) ?? COLOURS;

// Counts of the filters

async function loadFacets() {
  const { facets, search: { info } } = state;
  const counts = await ask((api) => api.facets(info.number, {}), () => {});
  if (state.facets !== facets || state.search.info.number !== info.number) return;
  change({ counts: counts ?? facets.counts, problem: counts ? "" : "The numbers beside the filters are those of an earlier search." }, facets);
  for (const [kind, codes] of Object.entries(facets.nodes)) for (const code of Object.keys(codes)) countNode(kind, code);
}

/** The classes below one, with their documents. */
async function countNode(kind, code) {
  const { facets } = state;
  const found = await ask((api) => api.facets(state.search.info.number, { [kind]: code }), into(facets));
  if (found && state.facets === facets) change({ nodes: { ...facets.nodes, [kind]: { ...facets.nodes[kind], [code]: found[kind] } } }, facets);
}

export function toggleNode(kind, code) {
  const { [code]: open, ...rest } = state.facets.nodes[kind] ?? {};
  if (open) change({ nodes: { ...state.facets.nodes, [kind]: rest } }, state.facets);
  else countNode(kind, code);
}

export function seekNames(facet, setting, text) {
  change({ wanted: { ...state.facets.wanted, [setting]: text } }, state.facets);
  countNames(facet, setting);
}

const countNames = debounce(async (facet, setting) => {
  const { facets } = state;
  const text = (facets.wanted[setting] ?? "").trim();
  const found = text && await ask((api) => api.facets(state.search.info.number, { [setting]: text }), into(facets));
  if (state.facets === facets && (facets.wanted[setting] ?? "").trim() === text) change({ names: { ...facets.names, [setting]: found ? found[facet] : null } }, facets);
}, 150);

// The one document

/** The address names the document, for the back button and for a colleague. */
function setAddress(how) {
  const address = `${location.pathname}${parameters(state.open ? { doc: state.selected, beside: state.beside.name } : {})}`;
  if (how !== "keep" && address !== `${location.pathname}${location.search}`) history[how === "replace" ? "replaceState" : "pushState"]({}, "", address);
}

/** The document that the address names, and what is read beside it. */
export function addressed() {
  const values = new URLSearchParams(location.search);
  return { doc: values.get("doc"), beside: values.get("beside") };
}

/** Follows the address after the back or forward button. */
export function visit() {
  const { doc, beside } = addressed();
  state.beside.name = beside;
  if (doc) openDocument(doc, { address: "keep" });
  else closeDocument("keep");
}

export function select(doc) {
  const place = placeOf(doc);
  if (place >= 0) state.search.place = place;
  change({ selected: doc });
  if (state.open) openDocument(doc, { address: "replace" });
}

let reading = null;

/** Reads a document: at the passage for which it is in the list, or where the reader was in the one before. */
export async function openDocument(doc, { address = "push", section = null, keep = false } = {}) {
  const hit = hitOf(doc);
  if (hit) state.search.place = placeOf(doc);
  const part = keep ? { ...state.reading, problem: "" } : { document: null, problem: "", section: section ?? state.reading.section, language: "", passage: null, match: null };
  change({ selected: doc, open: true, reading: part });
  setAddress(address);
  reading?.abort();
  reading = new AbortController();
  const { signal } = reading;
  const shown = state.search.info?.number;
  const found = await ask((api) => api.document(doc, { search: shown, against: state.beside.name === APPLICATION }, { signal }), into(part));
  if (!found || state.reading !== part) return;
  colourTerms(found.terms.filter((term) => term.count));
  const passage = hit?.passages?.[0] ?? found.passages[0];
  change({ document: { ...found, of: shown } }, part);
  if (!keep) readLanguage(bestLanguage(found));
  if (!keep && !section && passage) jumpTo(passage);
  loadBeside(signal);
  if (state.case.seen.includes(doc) || readOnly()) return;
  const rank = rankOf(doc);
  if (await ask((api) => api.seen({ doc_id: doc, search: rank ? shown : undefined, rank }), into(part))) change({ seen: [...state.case.seen, doc] }, state.case);
}

const rankOf = (doc) => hitOf(doc)?.rank ?? (state.reading.document?.doc_id === doc ? state.reading.document.found_by.find((each) => each.search === state.search.info?.number)?.rank : undefined);

/** The language in which most words of the query occur. */
function bestLanguage({ language, languages, terms: counted }) {
  const words = (code) => counted.filter((term) => term.language === code).reduce((sum, term) => sum + (term.count || 0), 0);
  const own = languages.includes(language) ? language : languages[0];
  return languages.reduce((best, code) => (words(code) > words(best) ? code : best), own);
}

const SECTIONS = ["claims", "description", "abstract", "citations"];
export const sections = ({ document, language }) => SECTIONS.filter((name) => name === "citations" || document.texts[language]?.[name]?.length);

export const readSection = (section, part = state.reading) => { if (part.document && sections(part).includes(section)) change({ section, passage: null, match: null }, part); };

export function readLanguage(language, part = state.reading) {
  change({ language, match: null }, part);
  if (!sections(part).includes(part.section)) change({ section: sections(part)[0] }, part);
}

/** The words of the query in the part that is read, in the order of the text: each with its paragraph or claim. */
export function matches({ document, language, section }) {
  const texts = document.texts[language]?.[section] ?? [];
  return texts.flatMap((runs, place) => runs.filter(Array.isArray).map(([, term]) => ({ term, place: place + 1 })));
}

/** Shows a passage: its part of the document, at its place. The next match is the one after it. */
export function jumpTo(passage) {
  const part = state.reading;
  if (!SECTIONS.includes(passage.field)) { readSection(sections(part)[0]); return; } // the title is always in view
  const language = [part.language, ...part.document.languages].find((code) => part.document.texts[code]?.[passage.field]?.length >= passage.place);
  if (!language) return;
  Object.assign(part, { section: passage.field, language });
  const before = matches(part).findLastIndex((match) => match.place < passage.place);
  change({ passage: { ...passage }, match: null, before }, part);
}

/** Whether the words of a term say something: those that most documents have are passed over. */
export function telling({ terms: counted }) {
  const mean = counted.reduce((sum, term) => sum + term.worth, 0) / Math.max(1, counted.length);
  return (match) => counted[match.term]?.worth >= mean;
}

/** Jumps to the next match of a term, or of any that says something; after the last comes the first. */
export function stepMatch(by, term = null) {
  const part = state.reading;
  if (!part.document) return;
  const all = matches(part).map((match, at) => ({ ...match, at }));
  const wanted = term === null ? all.filter(telling(part.document)) : all.filter((match) => match.term === term);
  const places = wanted.length || term !== null ? wanted : all;
  if (!places.length) return;
  const here = part.match ?? (by > 0 ? part.before ?? -1 : (part.before ?? -1) + 1);
  const next = by > 0 ? places.find((match) => match.at > here) ?? places[0] : places.findLast((match) => match.at < here) ?? places.at(-1);
  change({ match: next.at, passage: null, jump: { of: places.length, at: places.indexOf(next) + 1 } }, part);
}

export function closeDocument(address = "push") {
  reading?.abort();
  Object.assign(state.beside, { name: null, document: null, problem: "" });
  change({ open: false, reading: { ...state.reading, document: null, problem: "" } });
  setAddress(address);
}

/** Opens a second pane with the application or another document, or closes it; the document being read stays. */
export async function readBeside(name) {
  if (!state.open) return;
  change({ name, problem: "" }, state.beside);
  setAddress("push");
  const { document } = state.reading;
  if (name === APPLICATION && document && !document.against.length) {
    const found = await ask((api) => api.document(document.doc_id, { against: true, search: document.of }), into(state.beside));
    if (found && state.reading.document === document) change({ document: { ...document, against: found.against } }, state.reading);
  }
  await loadBeside();
}

async function loadBeside(signal) {
  const { beside } = state;
  const { name } = beside;
  const shown = state.search.info?.number;
  if (!name || (beside.document && beside.of === `${name} ${shown}`)) return;
  change({ document: null, section: "claims", problem: "" }, beside);
  const found = await ask((api) => api.document(name === APPLICATION ? null : name, { search: shown }, { signal }), into(beside));
  if (!found || beside.name !== name) return;
  change({ document: found, of: `${name} ${shown}` }, beside);
  readLanguage(bestLanguage(found), beside);
}

/** What can be read beside the document: the application, what is relevant or may be, and what was read before. */
export function companions() {
  const marked = [...state.marks.values()].filter((mark) => mark.relevance !== "not").map((mark) => mark.doc_id);
  const others = [...new Set([state.beside.name, ...state.case.seen.slice(-5).reverse(), ...marked])];
  return [[APPLICATION, "the application"], ...others.filter((doc) => doc && doc !== state.selected && doc !== APPLICATION).map((doc) => [doc, doc])];
}

/** Moves to a neighbour in the list; it is read if a document is. */
export function step(by) {
  const { rows, place } = state.search;
  const at = placeOf(state.selected);
  const next = at < 0 && by > 0 && !state.open ? place ?? 0 : (at < 0 ? place ?? 0 : at) + by;
  if (rows[next]) select(rows[next].doc_id);
  if (next > rows.length - 5) nextRows();
}

// Marks: separate fields, each change with the version that the person saw

const versionOf = (doc) => state.versions[doc]?.version ?? state.marks.get(doc)?.version ?? 0;

/** The mark of a document as the person made it: as stored, with what is on its way and what is being written. */
export function markOf(doc) {
  const { sent, typed } = state.drafts[doc] ?? {};
  const stored = state.marks.get(doc);
  if (sent?.relevance === null) return null;
  return stored || sent?.relevance ? { ...stored, ...sent, ...typed } : typed ? { ...typed } : null;
}

export const isMarked = (doc) => Boolean(markOf(doc)?.relevance);

function draft(doc, values) {
  const now = { typed: {}, base: {}, sent: {}, problem: "", ...state.drafts[doc], ...values };
  const empty = !Object.keys(now.typed).length && !Object.keys(now.sent).length && !now.problem;
  const { [doc]: _, ...rest } = state.drafts;
  change({ drafts: empty ? rest : { ...rest, [doc]: now } });
}

/** Text that is being written: it is the person's own until it is stored, and based on what there was when it began. */
export function typeMark(doc, field, text) {
  const { typed = {}, base = {} } = state.drafts[doc] ?? {};
  draft(doc, { typed: { ...typed, [field]: text }, base: field in typed ? base : { ...base, [field]: { version: versionOf(doc), text: state.marks.get(doc)?.[field] ?? "" } } });
}

/** Stores what was written, once the document has a mark. */
export function storeTyped(doc) {
  const { typed = {} } = state.drafts[doc] ?? {};
  const before = state.marks.get(doc);
  const fields = Object.fromEntries(Object.entries(typed).filter(([field, text]) => text !== (before?.[field] ?? "")));
  if (Object.keys(typed).length && !Object.keys(fields).length) draft(doc, { typed: {}, base: {} });
  else if (Object.keys(fields).length && isMarked(doc)) changeMark(doc, fields);
}

/** Marks what is selected, and goes on; the same key again takes the mark back. */
export function markSelected(relevance) {
  const doc = state.selected;
  if (!doc || readOnly()) return;
  if (markOf(doc)?.relevance === relevance) { takeBack(doc); return; }
  changeMark(doc, { relevance });
  if (advances()) goOn();
}

const ADVANCE = "antecede.advance";

/** Whether a mark by key goes on to the next document; a setting of this browser. */
export function advances() { try { return localStorage.getItem(ADVANCE) !== "no"; } catch { return true; } }

export function setAdvances(on) {
  try { localStorage.setItem(ADVANCE, on ? "yes" : "no"); } catch { /* storage may be off */ }
  redraw();
}

/** The next document of the list without a mark. */
function goOn() {
  const { rows } = state.search;
  const at = placeOf(state.selected);
  const next = rows.findIndex((hit, place) => place > at && !isMarked(hit.doc_id));
  if (next < 0 || next > rows.length - 5) nextRows();
  if (next >= 0) select(rows[next].doc_id);
}

let storing = Promise.resolve();
export const settled = () => Promise.all([sending, storing]);

/** Changes fields of a mark: shown at once as on its way, stored one change after the other. */
export function changeMark(doc, fields) {
  const { sent = {}, typed = {} } = state.drafts[doc] ?? {};
  const written = "relevance" in fields ? typed : Object.fromEntries(Object.entries(typed).filter(([name]) => name in fields));
  const values = { ...written, ...fields };
  const stored = state.marks.get(doc);
  const base = Object.fromEntries(Object.keys(values).map((name) => [name, state.drafts[doc]?.base[name] ?? { version: versionOf(doc), text: stored?.[name] }]));
  const begun = Math.min(...Object.values(base).map(({ version }) => version));
  const rest = Object.fromEntries(Object.entries(typed).filter(([name]) => !(name in values)));
  draft(doc, { sent: { ...sent, ...values }, typed: rest, problem: "" });
  const rank = rankOf(doc);
  const from = "relevance" in fields && rank ? { search: state.search.info.number, rank } : {};
  return storeMark(doc, values, (api, version) => api.mark({ doc_id: doc, ...values, ...from, version }), { base, begun });
}

export function takeBack(doc) {
  draft(doc, { sent: { relevance: null }, problem: "" });
  return storeMark(doc, { relevance: null }, (api, version) => api.unmark(doc, version), { base: { relevance: { text: state.marks.get(doc)?.relevance } } });
}

/** The mark as it was at a version, for undo and redo; not over what somebody else has made of it since, unless `over`. */
function restore(doc, to, over = false) {
  const mark = state.marks.get(doc) ?? null;
  if (!over && state.versions[doc]?.own === false) { meetMark(doc, { to }, { current: mark, version: versionOf(doc), ...mark }); return null; }
  return storeMark(doc, { to }, (api, version) => api.restoreMark({ doc_id: doc, to, version }), { step: false });
}

/** Stores a change; one that met a change of somebody else is shown with it, unless they concern different fields. */
function storeMark(doc, values, request, { base = {}, begun = null, step = true }) {
  const { marks } = state;
  const before = storing;
  const send = async (api, version) => {
    try { return await request(api, version); } catch (error) {
      const { current, version: now } = error.body ?? {};
      const touched = (name) => (current?.[name] || "") !== (base[name]?.text || "") && (current?.[name] || "") !== (values[name] || "");
      if (current === undefined || now === undefined || "to" in values || Object.keys(values).some(touched)) throw error;
      return send(api, now);
    }
  };
  const own = (async () => {
    await before;
    if (state.marks !== marks) return null;
    const done = await ask((api) => send(api, begun ?? versionOf(doc)), (problem, { body }) => {
      settle(doc, values);
      if (body && "current" in body) meetMark(doc, values, body);
      else draft(doc, { typed: { ...onlyTexts(values), ...state.drafts[doc]?.typed }, problem });
    });
    if (!done) return null;
    settle(doc, values);
    takeMark(doc, done.mark, done.version, true);
    const what = "relevance" in values ? `${doc} ${values.relevance ? `marked ${RELEVANCE[values.relevance].toLowerCase()}` : "without a mark"}` : `${Object.keys(values).join(" and ")} of ${doc}`;
    if (step) remember({ kind: "mark", doc, before: done.before, version: done.version, what });
    announce(what);
    return done;
  })();
  storing = own;
  return own;
}

const onlyTexts = (values) => Object.fromEntries(Object.entries(values).filter(([name]) => name === "note" || name === "claims"));

/** What was on its way has arrived, or was refused; a change made since stays. */
function settle(doc, values) {
  const { sent = {} } = state.drafts[doc] ?? {};
  draft(doc, { sent: Object.fromEntries(Object.entries(sent).filter(([name, value]) => !(name in values && value === values[name]))) });
}

/** Takes in the mark of a document as the server has it. */
export function takeMark(doc, mark, version, own = false) {
  if (version < versionOf(doc) || (version === versionOf(doc) && state.versions[doc]?.own)) return;
  state.versions[doc] = { version, own }; // also of a mark that was taken back
  if (mark) state.marks.set(doc, mark); else state.marks.delete(doc);
  redraw();
}

/** Two people changed the same field: both are kept until one of them decides. */
function meetMark(doc, fields, { current, version, user, time }) {
  takeMark(doc, current, version);
  change({ conflicts: [...state.conflicts, { kind: "mark", key: doc, fields, current: current ?? {}, version, user, time }] });
}

/** Decides a conflict: theirs, mine, or both. Of texts both are joined; of others theirs stays and mine goes into the note. */
export function decide(conflict, choice) {
  change({ conflicts: state.conflicts.filter((each) => each !== conflict) });
  const { fields, current, key: doc } = conflict;
  if (choice === "theirs") return null;
  if ("to" in fields) return restore(doc, fields.to, true);
  if (conflict.kind !== "mark") return conflict.store(choice === "mine" ? fields : Object.fromEntries(Object.entries(fields).map(([name, text]) => [name, join(current[name], text, "\n")])));
  if (choice === "mine") return fields.relevance === null ? takeBack(doc) : changeMark(doc, fields);
  const both = {};
  const remarks = [];
  for (const [name, value] of Object.entries(fields)) {
    if (name === "note") both.note = join(current.note, value, "\n");
    else if (name === "claims") both.claims = join(current.claims, value, ", ");
    else if ((current[name] ?? null) !== value) remarks.push(`${state.user || "another window"}: ${RELEVANCE[value] ?? value ?? "no mark"}`);
  }
  if (remarks.length) both.note = join(both.note ?? current.note, remarks.join("; "), "\n");
  if (!current.relevance) both.relevance = fields.relevance ?? "maybe";
  return changeMark(doc, both);
}

const join = (theirs, mine, between) => (!theirs || theirs === mine ? mine : !mine ? theirs : `${theirs}${between}${mine}`);

// Undo and redo

function remember(entry) { change({ done: [...state.done, entry].slice(-REMEMBERED), undone: [] }); }

export const undoable = () => state.done.at(-1) ?? (state.query.view?.undo ? { kind: "query", what: "a change of the query" } : null);
export const redoable = () => state.undone.at(-1) ?? (state.query.view?.redo ? { kind: "query", what: "a change of the query" } : null);

/** Undoes the last thing that was done here, whatever it was; else the last change of the query. */
export const undo = () => stepBack(undoable, "done", "undone", "Undone");
export const redo = () => stepBack(redoable, "undone", "done", "Done again");

async function stepBack(last, from, to, verb) {
  await settled();
  const entry = last();
  if (!entry || readOnly()) { say(`There is nothing to ${from === "done" ? "undo" : "do again"}`); return; }
  const back = from === "done";
  if (entry.kind === "mark") select(entry.doc);
  const done = entry.kind === "mark"
    ? await restore(entry.doc, back ? entry.before : entry.version)
    : await changeQuery(entry.what, (api, version) => api.step(back ? "undo" : "redo", version), { step: false });
  if (!done) return;
  change({ [from]: state[from].filter((each) => each !== entry), [to]: [...state[to], entry].slice(-REMEMBERED) });
  say(`${verb}: ${entry.what}`);
}
