// The reading pane: one document with the terms of the query coloured, its citations, and the form to mark it.

import { strengthBar } from "../charts.js";
import { announce, fill, find, findAll, h, languageName, number, outward, plainText, plural, runs, withCode } from "../dom.js";
import { advances, setAdvances } from "../keyboard.js";
import { RELEVANCE, shortClass } from "./results.js";

const COLOURS = 8; // the heaviest terms have a colour of their own, the others share one
const SECTIONS = ["claims", "description", "abstract", "citations"];

export class Reader {
  /**
   * @param act what the pane asks for: mark(doc, values), unmark(doc), open(doc_id), close(), next(), previous(), companions(), beside(doc)
   * @param side whether it is the second pane, which only shows: it has no marks, and matchOf(claim) and jump(match) lead to the other
   */
  constructor(act, { side = false } = {}) {
    Object.assign(this, { act, side, name: side ? "side-" : "" });
    this.section = "claims";
    this.element = h("section", { class: side ? "reader side" : "reader", "aria-label": side ? "Second document" : "Document", tabindex: "-1" });
    this.empty();
  }

  empty() {
    this.document = null;
    fill(this.element, h("div", { class: "reader-empty" },
      h("p", {}, "Choose a document to read it here."),
      h("p", { class: "small" }, h("kbd", {}, "j"), " ", h("kbd", {}, "k"), " move · ", h("kbd", {}, "o"), " open · ", h("kbd", {}, "r"), " ", h("kbd", {}, "m"), " ", h("kbd", {}, "n"), " mark · ", h("kbd", {}, "?"), " all keys")));
  }

  loading(doc) {
    this.document = null;
    fill(this.element, h("div", { class: "reader-empty" }, h("p", {}, `Loading ${doc}…`), this.back()));
  }

  fail(text) {
    this.document = null;
    fill(this.element, h("div", { class: "reader-empty" }, h("p", { class: "notice bad", role: "alert" }, withCode(text)), this.back()));
  }

  /** The way to the list where a narrow window shows the document alone. */
  back() { return this.side ? null : h("button", { class: "plain back", type: "button", onclick: () => this.act.close() }, "‹ List"); }

  /** Shows a document; `claimCount` is the number of claims of the topic. */
  show(found, rank, claimCount = 0) {
    this.document = found;
    found.stored = found.mark;
    this.rank = rank;
    this.claimCount = claimCount;
    this.language = found.languages.includes(found.language) ? found.language : found.languages[0];
    // The language in which most terms of the query occur is read first.
    const hits = (code) => found.terms.filter((each) => each.language === code).reduce((sum, each) => sum + (each.count || 0), 0);
    for (const code of found.languages) if (hits(code) > hits(this.language)) this.language = code;
    // The terms that occur come first, by their worth; the second pane has the colours of the first.
    this.order = found.terms.map((each, place) => [place, each]).sort((a, b) => Boolean(b[1].count) - Boolean(a[1].count) || b[1].worth - a[1].worth);
    this.groups = this.act.colours?.() ?? new Map(this.order.map(([place], at) => [place, Math.min(at, COLOURS)]));
    const mean = found.terms.reduce((sum, each) => sum + each.worth, 0) / Math.max(1, found.terms.length);
    this.telling = new Set(this.order.filter(([, each]) => each.worth >= mean).map(([place]) => String(place)));
    if (!this.parts().includes(this.section)) [this.section] = this.parts();
    this.draw();
    this.element.scrollTop = 0;
  }

  get texts() { return this.document.texts[this.language] || {}; }

  /** The sections that the document has. */
  parts() {
    const has = { claims: this.texts.claims?.length, description: this.texts.description?.length, abstract: this.texts.abstract?.length, citations: true };
    return SECTIONS.filter((name) => has[name]);
  }

  draw() {
    const { document: found } = this;
    const title = this.texts.title?.length ? this.texts.title : [found.doc_id];
    const dates = Object.entries(found.dates).filter(([, date]) => date);
    this.body = h("div", { class: "reader-text", id: `${this.name}reader-text`, role: "tabpanel", tabindex: "0", lang: this.language || null });
    this.jump = h("div", { class: "jump" });
    fill(this.element,
      h("header", { class: "reader-head" },
        h("div", { class: "row apart" },
          h("div", { class: "row tight" },
            this.back(),
            h("span", { class: "hit-number" }, found.label ?? found.doc_id, found.kinds?.length ? h("span", { class: "quiet" }, ` ${found.kinds.join(", ")}`) : null),
            outward(found.links?.espacenet, "Espacenet"), outward(found.links?.google_patents, "Google Patents")),
          h("div", { class: "row tight" }, this.side ? null : [this.companion(),
            h("button", { class: "plain", type: "button", "aria-label": "Previous document", title: "Previous (k)", onclick: () => this.act.previous() }, "↑"),
            h("button", { class: "plain", type: "button", "aria-label": "Next document", title: "Next (j)", onclick: () => this.act.next() }, "↓")],
            h("button", { class: "plain", type: "button", "aria-label": this.side ? "Close the second document" : "Close the document", title: "Close (Esc)", onclick: () => this.act.close() }, "×"))),
        h("h2", { lang: this.language || null }, this.colour(title)),
        h("p", { class: "reader-facts" }, [
          dates.map(([kind, date]) => `${kind} ${date}`).join(" · ") || "undated", found.applicants?.join("; "),
          found.inventors?.length ? `inventors: ${found.inventors.join("; ")}` : null].filter(Boolean).join(" · ")),
        h("div", { class: "hit-classes" }, [...new Set([...(found.ipc || []), ...(found.cpc || [])])].slice(0, 14).map((code) => h("span", { class: "badge code" }, shortClass(code)))),
        Object.keys(found.facts || {}).length ? h("p", { class: "reader-facts" }, Object.entries(found.facts).map(([label, text]) => `${label}: ${text}`).join(" · ")) : null,
        this.side ? null : this.marking(),
        h("div", { class: "reader-tabs" },
          h("div", { role: "tablist", "aria-label": "Parts of the document" }, this.parts().map((name) => this.tab(name))),
          found.languages.length > 1 ? h("div", { role: "tablist", class: "languages", "aria-label": "Languages" }, found.languages.map((code) =>
            h("button", { role: "tab", type: "button", "aria-selected": String(code === this.language), title: languageName(code), onclick: () => { this.language = code; if (!this.parts().includes(this.section)) [this.section] = this.parts(); this.draw(); } }, code))) : null),
        this.jump),
      this.body);
    this.fillBody();
  }

  /** The choice of what to read beside this document. */
  companion() {
    const select = h("select", { class: "beside-choice", "aria-label": "Read beside", title: "Read beside (b: the application)", onchange: () => this.act.beside(select.value) },
      h("option", { value: "" }, "Read beside…"), this.act.companions(this.document.doc_id).map(([value, label]) => h("option", { value }, label)));
    select.value = this.act.besideNow() ?? "";
    return select;
  }

  /** Draws again what depends on the other pane. */
  adapt() { this.groups = this.act.colours(); this.draw(); }

  showCompanion() { find(".beside-choice", this.element)?.replaceWith(this.companion()); }

  tab(name) {
    const counts = { claims: this.texts.claims?.length, citations: (this.document.cites?.length || 0) + (this.document.cited_by_count ?? this.document.cited_by?.length ?? 0) };
    return h("button", {
      role: "tab", type: "button", id: `${this.name}tab-${name}`, "aria-selected": String(name === this.section), "aria-controls": `${this.name}reader-text`,
      onclick: () => { this.section = name; this.draw(); find(`#${this.name}tab-${name}`, this.element)?.focus(); },
    }, name[0].toUpperCase() + name.slice(1), counts[name] !== undefined ? h("span", { class: "quiet" }, ` ${counts[name]}`) : null);
  }

  colour(parts) {
    return runs(parts, (text, term) => h("mark", { class: `g${this.groups.get(term) ?? COLOURS}`, data: { term: String(term) } }, text));
  }

  fillBody() {
    const { section, texts } = this;
    this.body.setAttribute("aria-labelledby", `${this.name}tab-${section}`);
    if (section === "claims") fill(this.body, h("div", { class: "claims" }, texts.claims.map((claim, at) => this.claim(claim, at + 1))));
    else if (section === "citations") fill(this.body, this.citations());
    else fill(this.body, texts[section].map((paragraph, at) => (paragraph.length ? h("p", { data: { place: at + 1 } }, this.colour(paragraph)) : null)));
    const marks = findAll("mark", this.body);
    const telling = marks.filter((each) => this.telling.has(each.dataset.term));
    this.marks = marks;
    this.places = telling.length ? telling : marks;
    this.drawJump();
  }

  /** A claim with its number, which many texts already begin with. */
  claim(parts, number) {
    const numbered = /^\s*\d+\s*[.)]/.test(plainText(parts));
    const match = this.act.matchOf?.(number);
    return h("div", { class: numbered ? "claim numbered" : "claim", data: { place: number } }, numbered ? null : h("span", { class: "claim-number" }, number), h("p", {}, this.colour(parts),
      match === undefined ? null : h("span", { class: "claim-match small" }, match ? [h("button", { class: "link small", type: "button", onclick: () => this.act.jump(match) }, match.location), strengthBar(match.strength)] : h("span", { class: "quiet" }, "nothing matches"))));
  }

  /** Shows a passage: its part of the document, at its place. */
  jumpTo({ field, place }) {
    if (!this.parts().includes(field)) return;
    if (this.section !== field) { this.section = field; this.draw(); }
    const there = find(`[data-place="${place}"]`, this.body) ?? this.body.firstElementChild;
    for (const each of findAll(".place-here", this.body)) each.classList.remove("place-here");
    there?.classList.add("place-here");
    there?.scrollIntoView({ block: "center" });
  }

  drawJump() {
    if (this.section === "citations") { fill(this.jump); return; }
    const counts = new Map();
    for (const place of this.marks) counts.set(place.dataset.term, (counts.get(place.dataset.term) || 0) + 1);
    const shown = this.order.filter(([place]) => counts.has(String(place))).slice(0, COLOURS);
    fill(this.jump,
      h("button", { class: "plain", type: "button", "aria-label": "Previous match", title: "Previous match (Shift+t)", onclick: () => this.step(-1) }, "‹"),
      h("span", { class: "small quiet jump-place", title: "Words that most documents have are coloured, and passed over" }, this.places.length ? plural(this.places.length, "match", "matches") : "no match in this part"),
      h("button", { class: "plain", type: "button", "aria-label": "Next match", title: "Next match (t)", onclick: () => this.step(1) }, "›"),
      shown.map(([place, each]) => h("button", { class: `legend g${this.groups.get(place)}`, type: "button", title: `Jump to the next “${each.word}”`, onclick: () => this.step(1, String(place)) }, each.word, h("span", {}, ` ${counts.get(String(place))}`))));
  }

  /** Jumps to the next place of a term, or of any that says something. */
  step(by, term = null) {
    const places = term === null ? this.places : this.marks.filter((each) => each.dataset.term === term);
    if (!places.length) return;
    const here = find("mark.here", this.body);
    const after = here ? places.findIndex((each) => each !== here && here.compareDocumentPosition(each) & Node.DOCUMENT_POSITION_FOLLOWING) : 0;
    const before = here ? places.findLastIndex((each) => here.compareDocumentPosition(each) & Node.DOCUMENT_POSITION_PRECEDING) : -1;
    const at = by > 0 ? Math.max(0, after) : before < 0 ? places.length - 1 : before; // around the end
    here?.classList.remove("here");
    places[at].classList.add("here");
    places[at].scrollIntoView({ block: "center" });
    find(".jump-place", this.jump).textContent = `${at + 1} of ${plural(places.length, "match", "matches")}`;
  }

  citations() {
    const { document: found } = this;
    const row = (each) => h("li", {},
      each.doc_id ? h("button", { class: "link", type: "button", onclick: () => this.act.open(each.doc_id) }, each.doc_id) : h("span", { class: "quiet" }, each.number, " (not in the index) ", outward(each.links?.espacenet, "Espacenet"), " ", outward(each.links?.google_patents, "Google Patents")),
      each.category ? h("span", { class: "badge" }, each.category) : null, each.phase ? h("span", { class: "badge" }, each.phase) : null,
      ` ${each.date || ""} ${each.title || ""}`);
    const part = (title, entries, total) => h("section", {}, h("h3", {}, title), entries?.length
      ? [h("ul", { class: "plain-list" }, entries.map(row)), total > entries.length ? h("p", { class: "quiet small" }, `${number(total - entries.length)} more are not listed.`) : null]
      : h("p", { class: "quiet" }, "None known in this index."));
    return h("div", { class: "citations" }, part("Cites", found.cites, found.cites?.length), part("Cited by", found.cited_by, found.cited_by_count),
      found.family?.length ? part("Family", found.family, found.family.length) : null,
      found.found_by?.length ? h("section", {}, h("h3", {}, "Found by"), h("p", {}, found.found_by.map((each) => `search ${each.search} at rank ${each.rank}`).join("; "))) : null);
  }

  /** The form to mark the document; each change is stored at once. */
  marking() {
    const { document: found } = this;
    const choice = (name, key) => h("button", {
      type: "button", class: `mark-button ${name}`, "data-relevance": name, title: `${RELEVANCE[name]} (${key})`,
      onclick: () => (found.mark?.relevance === name ? this.removeMark() : this.saveMark({ relevance: name })),
    }, RELEVANCE[name]);
    const save = () => this.saveMark();
    const category = h("select", { "aria-label": "Category", title: "X: relevant if taken alone; Y: relevant in combination; A: background", onchange: save },
      [["", "Category"], ["X", "X"], ["Y", "Y"], ["A", "A"]].map(([value, label]) => h("option", { value }, label)));
    const claims = h("input", { "aria-label": "Claims concerned", placeholder: this.claimCount ? `Claims, 1–${this.claimCount}` : "Claims", class: "claims-input", onchange: save });
    const note = h("textarea", { rows: "1", "aria-label": "Note", placeholder: "Note", class: "note-input", onchange: save });
    const form = h("div", { class: "marking", role: "group", "aria-label": "Mark this document" },
      h("div", { class: "mark-buttons" }, choice("relevant", "r"), choice("maybe", "m"), choice("not", "n")),
      category, claims, note, h("span", { class: "quiet small marked-by" }),
      h("label", { class: "check small quiet" }, h("input", { type: "checkbox", checked: advances(), onchange: (event) => setAdvances(event.target.checked) }), "r m n go on to the next"));
    fillMarking(form, found.mark);
    return form;
  }

  /** Stores what the form holds. It counts before the server has answered: the next change builds on it. */
  saveMark({ relevance } = {}) {
    const { document: found } = this;
    const value = (selector) => find(`.marking ${selector}`, this.element).value;
    found.mark = { relevance: relevance ?? found.mark?.relevance ?? "relevant", category: value("select") || null, claims: value(".claims-input").trim(), note: value(".note-input") };
    return this.act.mark(found.doc_id, found.mark);
  }

  removeMark() {
    this.document.mark = null;
    return this.act.unmark(this.document.doc_id);
  }

  /** Shows the stored mark without drawing the text again. */
  showMark(mark) {
    this.document.mark = mark;
    this.document.stored = mark;
    fillMarking(find(".marking", this.element), mark);
    announce(mark ? `Marked ${RELEVANCE[mark.relevance]}` : "Mark removed");
  }

  /** Shows again what is stored, after a change that was refused. */
  restoreMark() {
    this.document.mark = this.document.stored;
    fillMarking(find(".marking", this.element), this.document.mark);
  }
}

/** Fills in a mark; a text that is being written stays as it is. */
function fillMarking(form, mark) {
  for (const button of findAll(".mark-button", form)) button.setAttribute("aria-pressed", String(mark?.relevance === button.dataset.relevance));
  const category = find("select", form);
  const known = [...category.options].some((option) => option.value === (mark?.category || ""));
  if (!known) category.append(h("option", { value: mark.category }, mark.category)); // the terminal has more, as in X,P
  category.value = mark?.category || "";
  for (const [field, text] of [[find(".claims-input", form), mark?.claims || ""], [find(".note-input", form), mark?.note || ""]]) {
    const written = field.value !== field.defaultValue;
    field.defaultValue = text;
    if (!written) field.value = text;
  }
  find(".marked-by", form).textContent = mark?.user ? `marked by ${mark.user}` : "";
}
