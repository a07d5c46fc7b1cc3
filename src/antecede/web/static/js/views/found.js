// How much have I found? The curve of finds, the estimates with their intervals, the advice, and what the index lacks.

import { countBars, findsCurve, yearColumns } from "../charts.js";
import { fill, h, inward, number, plural, sentence, withCode } from "../dom.js";
import { bindKeys } from "../keyboard.js";

const top = (each) => (each.high === null || each.high === undefined ? Infinity : each.high);
const range = (each) => `${number(Math.floor(each.low))} to ${Number.isFinite(top(each)) ? number(Math.ceil(each.high)) : "no upper limit"}`;

export class FoundView {
  constructor({ api, index, main }) {
    Object.assign(this, { api, index, main });
  }

  async start() {
    bindKeys({});
    const progress = await this.api.progress();
    const whole = progress.estimates[0] ?? null;
    const fact = (value, label, kind = "") => h("div", { class: `fact ${kind}` }, h("strong", {}, number(value)), h("span", {}, label));
    fill(this.main, h("div", { class: "column found-view" },
      h("h1", {}, "How much have I found?"),
      h("div", { class: "facts" }, fact(progress.read, "read"), fact(progress.relevant, "relevant", "relevant"), fact(progress.maybe, "maybe", "maybe"), fact(progress.not, "not relevant"),
        progress.opened_unmarked ? fact(progress.opened_unmarked, "opened, not marked") : null),
      this.advice(progress),
      progress.read ? h("section", { class: "card" }, h("h2", {}, "Finds against reading"), findsCurve(progress.curve, whole)) : null,
      this.estimates(progress),
      progress.notes?.length ? h("ul", { class: "small quiet notes" }, progress.notes.map((each) => h("li", {}, withCode(sentence(each))))) : null,
      this.coverage(this.index.coverage)));
  }

  leave() { this.left = true; }

  /** Counts again what another tab marked. */
  async follow({ doc }) { if (doc && !this.left) await this.start(); }

  advice({ advice, read }) {
    if (!read) return h("p", { class: "notice" }, "Nothing is marked yet. Read and mark documents under ", inward(`/cases/${this.api.id}/search`, {}, "Search"), "; an estimate comes after the first twenty.");
    const { stop, reason, rule, more } = advice;
    const further = more ? ` About ${number(more)} more ${more === 1 ? "document" : "documents"} would show it, if none of them is relevant.` : "";
    return h("div", { class: `notice advice ${stop ? "good" : ""}`, role: "status" }, h("strong", {}, stop ? "You may stop. " : "Go on. "),
      stop ? "What you have read makes it unlikely that much is left in this index." : `What you have read does not yet show that enough was found.${further}`,
      h("p", { class: "small" }, sentence(reason)), h("p", { class: "small quiet" }, sentence(rule)));
  }

  /** The estimate that may be believed; others that hold here open on request. */
  estimates({ estimates: [leading], others, read, relevant }) {
    if (!read) return null;
    return h("section", { class: "card" }, h("h2", {}, "Estimate of the total"),
      leading ? [
        h("p", {}, "There are ", h("strong", {}, range(leading)), ` relevant documents in this index, and you have ${number(relevant)}. `,
          h("span", { class: "quiet" }, `Such an interval holds for about ${Math.round(100 * leading.level)} % of topics${leading.name === "general" ? " like those of the collections it was made from; yours may be of another kind" : ""}.`)),
        this.table([leading], "Estimate"),
        others.length ? h("details", { class: "small" }, h("summary", {}, "Other estimates"), this.table(others, "Other estimates")) : null,
      ] : h("p", {}, "No number yet: none of the estimates can be believed after so little reading."));
  }

  table(estimates, label) {
    return h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": label }, h("table", { class: "estimates" },
      h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "Estimate"), h("th", { scope: "col" }, "Relevant documents"), h("th", { scope: "col", class: "n" }, "Found at least"), h("th", { scope: "col" }, "It holds if"))),
      h("tbody", {}, estimates.map((each) => this.row(each)))));
  }

  row(each) {
    const recall = Number.isFinite(each.recall_low) ? `${Math.min(Math.floor(100 * each.recall_low + 1e-9), 99)} %` : "–"; // never rounded up
    return h("tr", {}, h("th", { scope: "row" }, each.title),
      h("td", {}, range(each), h("span", { class: "quiet small" }, ` (${Math.round(100 * each.level)} %)`)), h("td", { class: "n" }, recall),
      h("td", { class: "small" }, each.assumption));
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
