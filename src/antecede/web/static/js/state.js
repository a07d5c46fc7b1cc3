// Everything the page knows, in one object. Named actions change it (actions.js and those of the views), and every view is
// drawn from it: nothing is remembered in a widget. What a window needs to show a case again after a reload is kept with it.

/** What is known of a case; another case begins with this. */
const emptyCase = () => ({
  case: null, // as the server has it: name, notes, topic, searches, version
  people: [], // who else has the case open
  marks: new Map(), // document → its mark, as the server has it
  versions: {}, // document → the version of its mark, and whether this window made it
  drafts: {}, // document → fields of its mark that are being written or on their way: { typed, base, sent, problem }
  conflicts: [], // changes that met one of somebody else: { doc, mine, theirs }
  query: { view: null, sent: 0, problem: "" }, // as the server describes it, with what is on its way in view.state
  chips: { current: null, editing: null, all: false }, // the chip that Tab reaches, the one whose editor is open
  adding: { text: "", must: null, documents: null, problem: "", said: "" }, // must: as the user chose; null follows the words
  expression: { typed: null, counts: null, counting: false, slow: false, problem: null, stopped: false }, // typed: null is as applied
  facets: { counts: null, nodes: {}, names: {}, wanted: {}, problem: "" },
  filtersShown: false,
  family: true, sort: "score",
  search: { info: null, total: 0, rows: [], doing: "", problem: "", stopped: false, scroll: 0, chosen: false },
  selected: null, // the one document: highlighted in the list, read, marked by a key
  open: false, // whether it is being read
  reading: { document: null, problem: "", section: "claims", language: "", passage: null, match: null },
  beside: { name: null, document: null, problem: "" },
  colours: {}, // word → the number of its colour, for the whole case
  done: [], undone: [], // what u takes back, and what Shift+U does again
});

export const state = {
  user: document.body.dataset.user || "", index: null,
  view: "", page: {}, problem: "", // the view, what it alone shows, and why it cannot be shown
  offline: false, announced: "", said: null, // said: what was done, for a moment
  dialog: null, folds: {}, // groups that were opened or closed
  ...emptyCase(),
};

let painter = () => {};
let waiting = false;

export const paintWith = (paint) => { painter = paint; };

/** Draws the page when the action is through. */
export function redraw() {
  if (waiting) return;
  waiting = true;
  queueMicrotask(() => { waiting = false; painter(); keepPlace(); });
}

/** Changes the state, or one part of it, and draws the page. */
export function change(values, part = state) { Object.assign(part, values); redraw(); }

// What a window remembers of a case

const nameOf = (id) => `antecede.place.${id}`;
const coloursOf = (id) => `antecede.colours.${id}`;
const read = (storage, name) => { try { return JSON.parse(storage.getItem(name)) || {}; } catch { return {}; } };
const write = (storage, name, value) => { try { storage.setItem(name, value); } catch { /* storage may be off or full */ } };
let kept = "";

/** Stores the place in the case: the search, the rows that were loaded, the document, what is being written. */
export function keepPlace() {
  if (!state.case) return;
  const { search, selected, open, family, sort, beside, drafts, expression, reading, done, undone } = state;
  const written = Object.fromEntries(Object.entries(drafts).map(([doc, { typed, base }]) => [doc, { typed, base, sent: {}, problem: "" }]));
  const value = JSON.stringify({
    search: search.info?.number ?? null, rows: search.rows.length, scroll: search.scroll, selected, open, family, sort,
    beside: beside.name, drafts: written, typed: expression.typed, section: reading.section, done, undone,
  });
  if (value === kept) return;
  kept = value;
  write(sessionStorage, nameOf(state.case.id), value);
  write(localStorage, coloursOf(state.case.id), JSON.stringify(state.colours));
}

/** Begins with a case as it was left in this window; the place holds what must be loaded for that. */
export function beginCase(found) {
  Object.assign(state, emptyCase(), { case: { ...found, heard: found.version }, colours: read(localStorage, coloursOf(found.id)) });
  const place = read(sessionStorage, nameOf(found.id));
  const { family = true, sort = "score", selected = null, open = false, drafts = {}, typed = null, done = [], undone = [] } = place;
  Object.assign(state, { family, sort, selected, open, drafts, done, undone, place, marks: new Map(found.marks.map((mark) => [mark.doc_id, mark])) });
  state.expression.typed = typed;
  state.beside.name = place.beside ?? null;
  state.reading.section = place.section ?? "claims";
  state.search.scroll = place.scroll ?? 0;
  redraw();
  return place;
}

/** Leaves the case: the next one begins with nothing. */
export function endCase() { keepPlace(); Object.assign(state, emptyCase()); }
