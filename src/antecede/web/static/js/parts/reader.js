// The reading pane: one document with the words of the query coloured, its citations, and the form to mark it.

import * as act from "../actions.js";
import { strengthBar } from "../charts.js";
import { find, findAll, h, keep, languageName, namedDates, number, outward, plainText, plural, withCode } from "../dom.js";
import { state } from "../state.js";
import { coloured, dateText, shortClass } from "./results.js";

const LEGEND = 8; // words that the line above the text names

/** The pane of the selected document, or the second one beside it, which only shows. */
export function drawReader(part, side = false) {
  const name = side ? state.beside.name : state.open ? state.selected : null;
  const close = () => (side ? act.readBeside(null) : act.closeDocument());
  const back = side ? null : h("button", { class: "plain back", type: "button", onclick: close }, "‹ List");
  const found = part.document;
  const own = side || found?.doc_id === state.selected ? found : null;
  const waiting = part.problem ? [h("p", { class: "notice bad", role: "alert" }, withCode(part.problem)), back] : name ? [h("p", {}, `Loading ${name}…`), back]
    : [h("p", {}, "Choose a document to read it here."), h("p", { class: "small" }, [["j k", "move"], ["o", "open"], ["r m n", "mark"], ["?", "all keys"]].map(([keys, what], place) => [place ? " · " : "", keys.split(" ").map((key) => h("kbd", {}, key)), ` ${what}`]))];
  return h("section", { class: side ? "reader side" : "reader", key: side ? "side" : "reader", "aria-label": side ? "Second document" : "Document", tabindex: "-1" },
    name && own ? [header(own, part, side, back, close), body(own, part, side)] : h("div", { class: "reader-empty" }, waiting));
}

function header(found, part, side, back, close) {
  const { language } = part;
  const texts = found.texts[language] || {};
  const id = (name) => `${side ? "side-" : ""}${name}`;
  const counts = { claims: texts.claims?.length, citations: found.cites.length + found.cited_by_count };
  const step = (by, sign, label, key) => h("button", { class: "plain", type: "button", "aria-label": label, title: `${label} (${key})`, onclick: () => act.step(by) }, sign);
  const tab = (name) => h("button", { role: "tab", type: "button", id: id(`tab-${name}`), "aria-selected": String(name === part.section), "aria-controls": id("reader-text"), onclick: () => act.readSection(name, part) },
    name[0].toUpperCase() + name.slice(1), counts[name] !== undefined ? h("span", { class: "quiet" }, ` ${counts[name]}`) : null);
  const facts = [namedDates(found.dates).join(" · ") || "undated", found.applicants?.join("; "), found.inventors?.length ? `inventors: ${found.inventors.join("; ")}` : null];
  return h("header", { class: "reader-head" },
    h("div", { class: "row apart" },
      h("div", { class: "row tight reader-name" }, back,
        h("span", { class: "hit-number" }, side && state.beside.name === act.APPLICATION ? "The application" : found.doc_id, found.kinds?.length ? h("span", { class: "quiet" }, ` ${found.kinds.join(", ")}`) : null),
        outward(found.links?.espacenet, "Espacenet"), outward(found.links?.google_patents, "Google Patents")),
      h("div", { class: "row tight" }, side ? null : [companion(), step(-1, "↑", "Previous document", "k"), step(1, "↓", "Next document", "j")],
        h("button", { class: "plain", type: "button", "aria-label": side ? "Close the second document" : "Close the document", title: "Close (Esc)", onclick: close }, "×"))),
    h("h2", { lang: language || null }, coloured(texts.title?.length ? texts.title : [found.doc_id], found.terms)),
    h("p", { class: "reader-facts" }, facts.filter(Boolean).join(" · ")),
    h("div", { class: "hit-classes" }, [...new Set([...(found.ipc || []), ...(found.cpc || [])])].slice(0, 14).map((code) => h("span", { class: "badge code" }, shortClass(code)))),
    Object.keys(found.facts || {}).length ? h("p", { class: "reader-facts" }, Object.entries(found.facts).map(([label, text]) => `${label}: ${text}`).join(" · ")) : null,
    side ? null : marking(found.doc_id),
    part.problem ? h("p", { class: "notice bad", role: "alert" }, withCode(part.problem)) : null,
    h("div", { class: "reader-tabs" }, h("div", { role: "tablist", "aria-label": "Parts of the document" }, act.sections(part).map(tab)),
      found.languages.length > 1 ? h("div", { role: "tablist", class: "languages", "aria-label": "Languages" }, found.languages.map((code) =>
        h("button", { role: "tab", type: "button", "aria-selected": String(code === language), title: languageName(code), onclick: () => act.readLanguage(code, part) }, code))) : null),
    side ? null : jump(found, part));
}

/** The choice of what to read beside this document. */
function companion() {
  return h("select", { class: "beside-choice", "aria-label": "Read beside", title: "Read beside (b: the application)", value: state.beside.name ?? "", onchange: (event) => act.readBeside(event.target.value || null) },
    h("option", { value: "" }, "Read beside…"), act.companions().map(([value, label]) => h("option", { value, key: value }, label)));
}

/** The passage for which the document is in the list, and the way from match to match. */
function jump(found, part) {
  if (part.section === "citations") return null;
  const all = act.matches(part);
  const counts = new Map();
  for (const { term } of all) counts.set(term, (counts.get(term) || 0) + 1);
  const telling = all.filter(act.telling(found)).length || all.length;
  const shown = [...counts.keys()].sort((a, b) => found.terms[b].worth - found.terms[a].worth).slice(0, LEGEND);
  const step = (by, sign, label, key) => h("button", { class: "plain", type: "button", "aria-label": label, title: `${label} (${key})`, onclick: () => act.stepMatch(by) }, sign);
  return h("div", { class: "jump" },
    found.passages.length ? h("button", { class: "link small passage-place", type: "button", title: "Show the best passage", onclick: () => act.jumpTo(part.passage ?? found.passages[0]) }, (part.passage ?? found.passages[0]).location) : null,
    step(-1, "‹", "Previous match", "Shift+t"),
    h("span", { class: "small quiet jump-place", title: "Words that most documents have are coloured, and passed over" },
      part.match !== null && part.jump ? `${part.jump.at} of ${plural(part.jump.of, "match", "matches")}` : telling ? plural(telling, "match", "matches") : "no match in this part"),
    step(1, "›", "Next match", "t"),
    shown.map((term) => h("button", { class: `legend g${act.colourOf(found.terms[term])}`, type: "button", title: `Jump to the next “${found.terms[term].word}”`, onclick: () => act.stepMatch(1, term) }, found.terms[term].word, h("span", {}, ` ${counts.get(term)}`))));
}

function body(found, part, side) {
  const { section, language } = part;
  const texts = found.texts[language] || {};
  const against = side && state.beside.name === act.APPLICATION ? state.reading.document?.against ?? [] : null;
  const content = () => (section === "claims" ? h("div", { class: "claims" }, texts.claims.map((claim, place) => drawClaim(claim, place + 1, found, against)))
    : section === "citations" ? citations(found)
      : (texts[section] ?? []).map((paragraph, place) => (paragraph.length ? h("p", { data: { place: place + 1 } }, coloured(paragraph, found.terms)) : null)));
  const id = (name) => `${side ? "side-" : ""}${name}`;
  return keep("body", [found, section, language, state.colours, against], () => h("div", { class: "reader-text", id: id("reader-text"), role: "tabpanel", tabindex: "0", lang: language || null, "aria-labelledby": id(`tab-${section}`) }, content()));
}

/** A claim with its number, which many texts already begin with; beside a document, the way to its best passage there. */
function drawClaim(parts, place, found, against) {
  const numbered = /^\s*\d+\s*[.)]/.test(plainText(parts));
  const match = against?.length ? against[place - 1] : undefined;
  return h("div", { class: numbered ? "claim numbered" : "claim", data: { place } }, numbered ? null : h("span", { class: "claim-number" }, place), h("p", {}, coloured(parts, found.terms),
    match === undefined ? null : h("span", { class: "claim-match small" }, match ? [h("button", { class: "link small", type: "button", onclick: () => act.jumpTo(match) }, match.location), strengthBar(match.strength)] : h("span", { class: "quiet" }, "nothing matches"))));
}

function citations(found) {
  const name = ({ doc_id: doc, number: cited, links }) => (doc ? h("button", { class: "link", type: "button", onclick: () => act.openDocument(doc, { section: "citations" }) }, doc)
    : h("span", { class: "quiet" }, cited, " (not in the index) ", outward(links?.espacenet, "Espacenet"), " ", outward(links?.google_patents, "Google Patents")));
  const row = (cited) => h("li", {}, name(cited), cited.category ? h("span", { class: "badge" }, cited.category) : null, cited.phase ? h("span", { class: "badge" }, cited.phase) : null, ` ${cited.date ? dateText(cited).short : ""} ${cited.title || ""}`);
  const part = (title, entries, total) => h("section", {}, h("h3", {}, title), entries?.length
    ? [h("ul", { class: "plain-list" }, entries.map(row)), total > entries.length ? h("p", { class: "quiet small" }, `${number(total - entries.length)} more are not listed.`) : null]
    : h("p", { class: "quiet" }, "None known in this index."));
  return h("div", { class: "citations" }, part("Cites", found.cites, found.cites.length), part("Cited by", found.cited_by, found.cited_by_count),
    found.family?.length ? part("Family", found.family, found.family.length) : null,
    found.found_by.length ? h("section", {}, h("h3", {}, "Found by"), h("p", {}, found.found_by.map(({ search, rank }) => `search ${search} at rank ${rank}`).join("; "))) : null);
}

/** The form to mark the document: each field is stored by itself. */
function marking(doc) {
  const mark = act.markOf(doc);
  const stored = state.marks.get(doc);
  const { typed = {}, base = {}, problem } = state.drafts[doc] ?? {};
  const frozen = act.readOnly();
  const choice = (name, key) => h("button", { type: "button", class: `mark-button ${name}`, "data-relevance": name, "aria-pressed": String(mark?.relevance === name), title: `${act.RELEVANCE[name]} (${key})`, disabled: frozen,
    onclick: () => (mark?.relevance === name ? act.takeBack(doc) : act.changeMark(doc, { relevance: name })) }, act.RELEVANCE[name]);
  const categories = [...new Set(["", "X", "Y", "A", mark?.category ?? ""])]; // the terminal has more, as in X,P
  const categorise = (event) => { const category = event.target.value || null; if (act.isMarked(doc)) act.changeMark(doc, { category }); else act.typeMark(doc, "category", category); };
  const text = (tag, name, attributes) => h(tag, { ...attributes, value: mark?.[name] ?? "", disabled: frozen, oninput: (event) => act.typeMark(doc, name, event.target.value), onchange: () => act.storeTyped(doc) });
  const claims = state.case.topic.claims?.length;
  const meanwhile = Object.keys(typed).filter((name) => stored && base[name] && (stored[name] ?? "") !== base[name].text && stored[name] !== typed[name]);
  return h("div", { class: "marking", key: `marking ${doc}`, role: "group", "aria-label": "Mark this document" },
    h("div", { class: "mark-buttons" }, choice("relevant", "r"), choice("maybe", "m"), choice("not", "n")),
    h("select", { "aria-label": "Category", title: "X: relevant if taken alone; Y: relevant in combination; A: background", value: mark?.category ?? "", disabled: frozen, onchange: categorise }, categories.map((value) => h("option", { value, key: value }, value || "Category"))),
    text("input", "claims", { "aria-label": "Claims concerned", placeholder: claims ? `Claims, 1–${claims}` : "Claims", class: "claims-input" }),
    text("textarea", "note", { rows: "1", "aria-label": "Note", placeholder: "Note", class: "note-input" }),
    h("span", { class: "quiet small marked-by" }, stored?.user ? `marked by ${stored.user}` : ""),
    h("label", { class: "check small quiet" }, h("input", { type: "checkbox", checked: act.advances(), onchange: (event) => act.setAdvances(event.target.checked) }), "r m n go on to the next"),
    problem ? h("p", { class: "small bad mark-problem", role: "alert" }, "Not stored: ", withCode(problem)) : null,
    Object.keys(typed).length && !act.isMarked(doc) ? h("p", { class: "small quiet mark-problem", role: "status" }, "Stored with the mark: choose Relevant, Maybe or Not relevant.") : null,
    meanwhile.map((name) => h("p", { class: "small notice mark-problem", role: "status" }, `Meanwhile ${stored.user || "another window"} wrote: ${stored[name] || "nothing"}`)));
}

let shown = {};

/** After the document was drawn: the passage or the match that the state names is in view. */
export function drawnReader() {
  const { passage, match, document, section, language } = state.reading;
  const box = find("#reader-text");
  if (!box) { shown = {}; return; }
  const moved = shown.document !== document || shown.section !== section || shown.language !== language || shown.box !== box;
  if (!moved && shown.passage === passage && shown.match === match) return;
  if (shown.document?.doc_id !== document.doc_id || shown.section !== section || shown.box !== box) box.scrollTop = 0;
  shown = { passage, match, document, section, language, box };
  findAll(".place-here, mark.here", box).forEach((element) => element.classList.remove("place-here", "here"));
  const place = passage && find(`[data-place="${passage.place}"]`, box);
  place?.classList.add("place-here");
  const word = match === null ? null : findAll("mark", box)[match];
  word?.classList.add("here");
  (word ?? place)?.scrollIntoView({ block: "center" });
}

