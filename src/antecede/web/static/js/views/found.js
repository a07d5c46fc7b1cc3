// How much have I found? The curve of finds, the estimates with their intervals, the advice, and what the index lacks.

import { countBars, findsCurve, yearColumns } from "../charts.js";
import { fill, h, inward, number, plural, sentence, withCode } from "../dom.js";
import { bindKeys } from "../keyboard.js";

const top = (each) => (each.high === null || each.high === undefined ? Infinity : each.high);
const range = (each) => `${number(Math.floor(each.low))} to ${Number.isFinite(top(each)) ? number(Math.ceil(each.high)) : "no upper limit"}`;

/** Whether an estimate says something: an interval without width means that its searches found the same documents. */
const informs = (each) => top(each) - each.low >= 0.5;

/** The range that some estimate allows: each assumes something else, and none is certain to hold. */
function jointRange(all) {
  const estimates = all.filter(informs);
  if (!estimates.length) return null;
  return { low: Math.min(...estimates.map((each) => each.low)), high: Math.max(...estimates.map(top)), total: estimates.length === 1 ? estimates[0].total : null };
}

export class FoundView {
  constructor({ api, index, main }) {
    Object.assign(this, { api, index, main });
  }

  async start() {
    bindKeys({});
    const progress = await this.api.progress();
    const whole = jointRange(progress.estimates);
    const fact = (value, label, kind = "") => h("div", { class: `fact ${kind}` }, h("strong", {}, number(value)), h("span", {}, label));
    fill(this.main, h("div", { class: "column found-view" },
      h("h1", {}, "How much have I found?"),
      h("div", { class: "facts" }, fact(progress.read, "read"), fact(progress.relevant, "relevant", "relevant"), fact(progress.maybe, "maybe", "maybe"), fact(progress.not, "not relevant"),
        progress.opened_unmarked ? fact(progress.opened_unmarked, "opened, not marked") : null),
      this.advice(progress),
      progress.read ? h("section", { class: "card" }, h("h2", {}, "Finds against reading"), findsCurve(progress.curve, whole)) : null,
      this.estimates(progress),
      progress.notes?.length ? h("ul", { class: "small quiet notes" }, progress.notes.map((each) => h("li", {}, withCode(sentence(each))))) : null,
      this.coverage(progress.coverage)));
  }

  leave() { this.left = true; }

  /** Counts again what another tab marked. */
  async follow({ doc }) { if (doc && !this.left) await this.start(); }

  advice({ advice, read }) {
    if (!read) return h("p", { class: "notice" }, "Nothing is marked yet. Read and mark documents under ", inward(`/cases/${this.api.id}/search`, {}, "Search"), "; the estimate starts with the first mark.");
    const { stop, reason, rule } = advice;
    return h("div", { class: `notice advice ${stop ? "good" : ""}`, role: "status" }, h("strong", {}, stop ? "You may stop. " : "Go on. "),
      stop ? "What you have read makes it unlikely that much is left in this index." : "What you have read does not yet show that enough was found.",
      h("p", { class: "small" }, sentence(reason)), h("p", { class: "small quiet" }, sentence(rule)));
  }

  estimates({ estimates, read, relevant }) {
    if (!read) return null;
    const whole = jointRange(estimates);
    const wide = estimates.filter(informs);
    const apart = wide.length > 1 && Math.max(...wide.map((each) => each.low)) > Math.min(...wide.map(top));
    return h("section", { class: "card" }, h("h2", {}, "Estimates of the total"),
      whole ? h("p", {}, wide.length > 1 ? "Taken together, the estimates allow " : "The estimate allows ", h("strong", {}, range(whole)), ` relevant documents in this index; you have ${number(relevant)}. `,
        apart ? h("span", { class: "warning" }, "They contradict each other: what they assume does not hold here, so trust none of them alone.") : null)
        : h("p", {}, "The marks do not allow an estimate yet: read and mark more documents, or search in another way."),
      estimates.length ? h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Estimates" }, h("table", { class: "estimates" },
        h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "Estimate"), h("th", { scope: "col", class: "n" }, "Total"), h("th", { scope: "col" }, "Interval"), h("th", { scope: "col", class: "n" }, "Found"), h("th", { scope: "col" }, "It holds if"))),
        h("tbody", {}, estimates.map((each) => this.row(each))))) : null);
  }

  row(each) {
    if (!informs(each)) {
      return h("tr", { class: "quiet" }, h("th", { scope: "row" }, each.title), h("td", { class: "n" }, "–"), h("td", {}, "–"), h("td", { class: "n" }, "–"),
        h("td", { class: "small" }, "No estimate: the searches found the same relevant documents, from which it cannot tell what both missed."));
    }
    const recall = each.recall === null || each.recall === undefined ? "–" : `${Math.round(100 * each.recall)} %`;
    return h("tr", {}, h("th", { scope: "row" }, each.title), h("td", { class: "n" }, each.total === null ? "–" : number(Math.round(each.total))),
      h("td", {}, range(each), h("span", { class: "quiet small" }, ` (${Math.round(100 * each.level)} %)`)), h("td", { class: "n" }, recall),
      h("td", { class: "small" }, each.assumes, each.note ? h("span", { class: "quiet" }, ` (${each.note})`) : null));
  }

  coverage(coverage) {
    if (!coverage) return null;
    const undated = coverage.undated || 0;
    return h("section", { class: "card" }, h("h2", {}, "What the index does not contain"),
      h("p", {}, `The index holds ${plural(coverage.documents, "document")}. What is not in it cannot be found: no other office, year or language than those below. `,
        undated ? `${plural(undated, "document")} ${undated === 1 ? "has" : "have"} no known date; whether they are prior art must be checked by hand.` : "Every document has a date."),
      h("div", { class: "coverage" },
        h("div", {}, h("h3", {}, "Offices"), countBars(coverage.offices || {})),
        h("div", {}, h("h3", {}, "Languages"), countBars(coverage.languages || {}))),
      h("h3", {}, "Years"), yearColumns(coverage.years || {}));
  }
}
