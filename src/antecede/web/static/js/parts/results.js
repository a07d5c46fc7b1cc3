// The list of results: one article per hit. The list keeps its place when the user returns to it.

import { whyBars } from "../charts.js";
import { fill, find, findAll, h, number, outward, plural, runs } from "../dom.js";

export const RELEVANCE = { relevant: "Relevant", maybe: "Maybe", not: "Not relevant" };

export class ResultList {
  /** @param act what the list asks for: open(hit), next() for further hits, select(hit) */
  constructor(act) {
    this.act = act;
    this.hits = [];
    this.at = -1;
    this.list = h("ol", { class: "hits" });
    this.head = h("div", { class: "results-head" });
    this.foot = h("div", { class: "results-foot" });
    this.element = h("section", { class: "results", "aria-label": "Results", tabindex: "-1" }, this.head, this.list, this.foot);
    this.watch = new IntersectionObserver((seen) => { if (seen.some((each) => each.isIntersecting)) this.act.next(); }, { root: this.element, rootMargin: "400px" });
    this.watch.observe(this.foot);
  }

  leave() { this.watch.disconnect(); }

  get selected() { return this.hits[this.at] || null; }

  clear() {
    this.hits = [];
    this.at = -1;
    fill(this.list);
  }

  append(hits, total) {
    const from = this.hits.length;
    this.total = total;
    this.hits.push(...hits);
    this.list.append(...hits.map((hit, place) => this.item(hit, from + place)));
    fill(this.foot, this.hits.length < total
      ? h("button", { type: "button", onclick: () => this.act.next() }, `Show more (${number(total - this.hits.length)} left)`)
      : h("p", { class: "quiet small" }, total ? "End of the list" : ""));
  }

  item(hit, place) {
    const [passage] = hit.passages || [];
    const classes = [...new Set([...(hit.ipc || []), ...(hit.cpc || [])].map(shortClass))];
    const title = h("button", { class: "hit-title", type: "button", onclick: () => this.open(place) }, hit.title || "(no title)");
    const article = h("article", { class: "hit", data: { doc: hit.doc_id }, "aria-label": `${hit.rank}. ${hit.title || hit.doc_id}` },
      h("div", { class: "hit-top" },
        h("span", { class: "hit-rank" }, number(hit.rank)),
        h("span", { class: "hit-number" }, hit.doc_id, hit.kinds?.length ? h("span", { class: "quiet" }, ` ${hit.kinds.join(", ")}`) : null),
        h("span", { class: "hit-date" }, hit.date_text || hit.date || "undated"),
        h("span", { class: "hit-badges" })),
      h("h2", {}, title),
      hit.applicants?.length ? h("p", { class: "hit-people" }, hit.applicants.join("; ")) : null,
      h("div", { class: "hit-body" },
        h("div", { class: "hit-main" },
          passage ? h("p", { class: "hit-passage", lang: hit.language || null }, runs(passage.runs), h("span", { class: "hit-location" }, ` ${passage.location}`)) : null,
          h("div", { class: "hit-classes" }, classes.slice(0, 6).map((code) => h("span", { class: "badge code" }, code)),
            classes.length > 6 ? h("span", { class: "badge code", title: classes.slice(6).join(", ") }, `+${classes.length - 6}`) : null,
            outward(hit.links?.espacenet, "Espacenet"), outward(hit.links?.google_patents, "Google Patents"))),
        hit.why?.length ? whyBars(hit.why) : null),
      hit.family?.length ? this.family(hit) : null);
    const item = h("li", { onclick: (event) => { if (!event.target.closest("a, button, summary, details")) this.open(place); } }, article);
    this.badges(article, hit);
    return item;
  }

  family(hit) {
    return h("details", { class: "hit-family" },
      h("summary", {}, plural(hit.family.length, "more family member")),
      h("ul", {}, hit.family.map((each) => h("li", {},
        h("button", { class: "link", type: "button", onclick: () => this.act.open({ ...each, rank: each.rank ?? hit.rank }) }, each.doc_id), ` ${each.date || "undated"} · ${each.title || ""}`,
        each.mark ? h("span", { class: `badge ${each.mark.relevance ?? each.mark}` }, RELEVANCE[each.mark.relevance ?? each.mark]) : null))));
  }

  badges(article, hit) {
    article.classList.toggle("seen", Boolean(hit.seen));
    article.dataset.mark = hit.mark?.relevance || "";
    fill(find(".hit-badges", article),
      hit.new ? h("span", { class: "badge new" }, "new") : null,
      hit.mark ? h("span", { class: `badge ${hit.mark.relevance}` }, RELEVANCE[hit.mark.relevance], hit.mark.category ? ` · ${hit.mark.category}` : "") : null,
      h("span", { class: "seen-dot", title: hit.seen ? "Seen" : "Not seen yet" }, h("span", { class: "hidden-text" }, hit.seen ? "seen" : "not seen yet")));
  }

  articleOf(doc) { return findAll("article", this.list).find((each) => each.dataset.doc === doc); }

  /** Redraws one hit after it was read or marked. */
  update(doc, values) {
    const hit = this.hits.find((each) => each.doc_id === doc);
    if (!hit) return;
    Object.assign(hit, values);
    const article = this.articleOf(doc);
    if (article) this.badges(article, hit);
  }

  open(place) { this.select(place); this.act.open(this.hits[place]); }

  select(place, { scroll = true } = {}) {
    if (place < 0 || place >= this.hits.length) return false;
    this.at = place;
    const items = findAll("article", this.list);
    for (const [at, each] of items.entries()) {
      if (at === place) each.setAttribute("aria-current", "true"); else each.removeAttribute("aria-current");
    }
    if (scroll) items[place].scrollIntoView({ block: "nearest" });
    this.act.select(this.hits[place]);
    return true;
  }

  move(by) {
    const done = this.select(this.at < 0 ? 0 : this.at + by);
    if (this.at > this.hits.length - 5) this.act.next();
    return done;
  }

  /** The next hit that has no mark, first after the selected one; further hits are asked for in time. */
  nextUnmarked(marks) {
    const next = this.hits.findIndex((each, place) => place > this.at && !marks.has(each.doc_id));
    if (next < 0 || next > this.hits.length - 5) this.act.next();
    return next;
  }

  /** Agrees with the document that is read: its hit is selected, or none if the list does not have it. */
  showDocument(doc) {
    if (this.selected?.doc_id === doc && this.articleOf(doc)?.hasAttribute("aria-current")) return;
    if (this.selectDocument(doc)) return;
    for (const each of findAll("article[aria-current]", this.list)) each.removeAttribute("aria-current");
  }

  selectDocument(doc, options) { return this.select(this.hits.findIndex((each) => each.doc_id === doc), options); }
}

/** The part of a class code that a list shows: H04L 12/56 stays, spaces are single. */
export function shortClass(code) {
  return String(code).replace(/\s+/g, " ").trim();
}
