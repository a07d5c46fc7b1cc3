// Filters with counts: dates, undated documents, and the fields that the index declares: classes as a tree, names, others.

import { debounce, fill, find, h, languageName, number } from "../dom.js";
import { yearColumns } from "../charts.js";

const DATES = { before: "auto", after: null, undated: "keep" };
const SHOWN = 8;

export class FilterPanel {
  /** @param act what the panel asks for: save(filters), children(kind, code) for a node of the class tree, names(facet, setting, text), family(bool) */
  constructor(index, act) {
    this.index = index;
    this.act = act;
    this.empty = { ...DATES, ...Object.fromEntries(index.limits.map((each) => [each.setting, []])) };
    this.trees = index.facets.filter((each) => each.tree);
    this.opened = Object.fromEntries(this.trees.map((each) => [each.facet, new Map()])); // code → its children, once they were loaded
    this.longer = new Set();
    this.wanted = {}; // setting → what the names that are shown shall contain
    this.dates = h("div", {});
    this.groups = h("div", {});
    this.clear = h("button", { class: "link small", type: "button", onclick: () => this.act.save({ ...this.empty, where: this.filters.where, sets: this.filters.sets }) }, "Clear all");
    this.family = h("input", { type: "checkbox", id: "family", checked: true, onchange: () => this.act.family(this.family.checked) });
    this.element = h("section", { class: "filters", "aria-label": "Filters" },
      h("div", { class: "row apart" }, h("h2", {}, "Filters"), this.clear),
      h("label", { class: "check family" }, this.family, "One hit per family"),
      this.dates, this.groups);
  }

  change(values) {
    this.filters = { ...this.filters, ...values };
    this.act.save(this.filters);
  }

  /** Shows the filters that are set; the counts follow with `showFacets`. */
  show(filters, topicDate) {
    const given = Object.entries(filters).filter(([, value]) => value !== null && value !== undefined);
    this.filters = { ...this.empty, ...Object.fromEntries(given) };
    this.topicDate = topicDate;
    this.clear.hidden = Object.entries(this.empty).every(([name, value]) => String(this.filters[name] ?? "") === String(value ?? ""));
    this.drawDates();
    if (this.facets) this.drawGroups();
  }

  showFacets(facets) {
    this.facets = facets;
    for (const { facet } of this.trees) this.opened[facet].set("", facets[facet] || []);
    this.drawDates();
    this.drawGroups();
    this.refreshNodes();
  }

  /** Counts the classes below open nodes again, under the filters as they are now. */
  async refreshNodes() {
    const open = this.trees.map((each) => each.facet).flatMap((kind) => [...this.opened[kind].keys()].filter(Boolean).map((code) => [kind, code]));
    if (!open.length) return;
    const { facets } = this;
    const found = await Promise.all(open.map(([kind, code]) => this.act.children(kind, code)));
    if (this.facets !== facets) return; // counted for filters that have changed since
    open.forEach(([kind, code], at) => { if (found[at] && this.opened[kind].has(code)) this.opened[kind].set(code, found[at]); });
    this.drawGroups();
  }

  drawDates() {
    const { before, after, undated } = this.filters;
    const focused = document.activeElement?.id;
    const until = h("input", { type: "date", id: "date-before", "aria-describedby": "date-kind", onchange: () => this.change({ before: until.value || "off" }) });
    const fixed = before !== "auto" && before !== "off";
    if (fixed) until.value = before;
    else if (before === "auto" && this.topicDate) until.value = this.topicDate;
    const from = h("input", { type: "date", id: "date-after", "aria-describedby": "date-kind", onchange: () => this.change({ after: from.value || null }) });
    if (after) from.value = after;
    const count = this.facets?.undated;
    fill(this.dates,
      h("fieldset", {},
        h("legend", {}, "Date"),
        h("p", { class: "quiet small", id: "date-kind" }, `Date used: ${this.index.date}`),
        h("div", { class: "date-pair" },
          h("label", { class: "field" }, h("span", {}, "From"), from),
          h("label", { class: "field" }, h("span", {}, "Before"), until)),
        h("div", { class: "row small" },
          h("button", { class: "link", type: "button", "aria-pressed": String(before === "auto"), hidden: before === "auto", onclick: () => this.change({ before: "auto" }) }, "Use the date of the application"),
          before === "auto" ? h("span", { class: "quiet" }, this.topicDate ? "The date of the application" : "The application has no date: no limit") : null,
          h("button", { class: "link", type: "button", hidden: before === "off", onclick: () => this.change({ before: "off" }) }, "No limit")),
        this.facets?.years?.length ? h("div", { class: "years" }, yearColumns(Object.fromEntries(this.facets.years.map((each) => [each.value, each.documents])), 240, 64)) : null,
        h("label", { class: "check" },
          h("input", { type: "checkbox", id: "undated", checked: undated === "keep", onchange: (event) => this.change({ undated: event.target.checked ? "keep" : "drop" }) }),
          h("span", {}, "Keep undated documents"), count ? h("span", { class: "count" }, number(count.documents)) : null)));
    if (focused) find(`#${CSS.escape(focused)}`, this.dates)?.focus();
  }

  drawGroups() {
    const focused = document.activeElement?.dataset?.filter;
    const { facets } = this;
    fill(this.groups, this.index.facets.map((each) => (each.tree
      ? this.tree(each.facet, each.setting, each.title)
      : this.list(each, facets[each.facet]))));
    if (focused) find(`[data-filter="${CSS.escape(focused)}"]`, this.groups)?.focus();
  }

  box(name, value, label, counts) {
    const chosen = () => this.filters[name] || [];
    const input = h("input", {
      type: "checkbox", checked: chosen().includes(value), data: { filter: `${name}:${value}` },
      onchange: () => this.change({ [name]: input.checked ? [...chosen(), value] : chosen().filter((each) => each !== value) }),
    });
    return h("label", { class: "check facet" }, input, h("span", { class: "facet-name" }, label || "unknown"),
      counts ? h("span", { class: "count", title: `${number(counts.documents)} documents, ${number(counts.results)} among the results` }, number(counts.documents)) : null);
  }

  list({ facet, setting: name, title, names }, entries) {
    const chosen = this.filters[name] || [];
    const all = [...(entries || []), ...chosen.filter((value) => !(entries || []).some((each) => each.value === value)).map((value) => ({ value, documents: 0, results: 0 }))];
    const known = all.filter((each) => each.value);
    if (!known.length) return null;
    const long = this.longer.has(name);
    const shown = long ? known : known.filter((each, at) => at < SHOWN || chosen.includes(each.value));
    if (names) return this.names({ facet, setting: name, title }, known, shown);
    return h("details", { class: "group", open: true }, h("summary", {}, title, chosen.length ? h("span", { class: "badge" }, `${chosen.length} chosen`) : null),
      shown.map((each) => this.box(name, each.value, name === "document_language" ? languageName(each.value) : each.value, each)),
      known.length > SHOWN ? h("button", { class: "link small", type: "button", onclick: () => { if (long) this.longer.delete(name); else this.longer.add(name); this.drawGroups(); } }, long ? "Fewer" : `${known.length - shown.length} more`) : null);
  }

  /** Names, the most frequent first, and a box that looks for others by a part of them. */
  names({ facet, setting, title }, known, shown) {
    const chosen = this.filters[setting] || [];
    const kind = title.toLowerCase();
    const article = /^[aeiou]/.test(kind) ? "an" : "a";
    const wanted = () => (this.wanted[setting] || "").trim();
    const rows = h("div", {});
    const draw = (entries) => fill(rows, entries.length ? entries.map((each) => this.box(setting, each.value, each.value, each)) : h("p", { class: "quiet small" }, `No ${kind} has this in the name.`));
    const search = debounce(async () => {
      const text = wanted();
      const entries = text ? await this.act.names(facet, setting, text) : shown;
      if (entries && text === wanted()) draw(entries.slice(0, 3 * SHOWN));
    }, 150);
    const box = h("input", { type: "search", id: `${setting}-filter`, placeholder: `Find ${article} ${kind}`, "aria-label": `Find ${article} ${kind}`, value: this.wanted[setting] || "", data: { filter: `${setting}-filter` }, oninput: () => { this.wanted[setting] = box.value; search(); } });
    draw(shown);
    if (wanted()) search();
    return h("details", { class: "group", open: true }, h("summary", {}, title, chosen.length ? h("span", { class: "badge" }, `${chosen.length} chosen`) : null),
      known.length > SHOWN || this.wanted[setting] ? box : null, rows);
  }

  tree(kind, setting, title) {
    const roots = this.opened[kind].get("") || [];
    const chosen = this.filters[setting] || [];
    if (!roots.length && !chosen.length) return null;
    const known = new Set();
    const node = (each) => {
      known.add(each.value);
      const children = this.opened[kind].get(each.value);
      const toggle = each.children ? h("button", {
        class: "plain twig", type: "button", "aria-expanded": String(Boolean(children)), "aria-label": `Classes in ${each.value}`, data: { filter: `${kind}-open:${each.value}` },
        onclick: () => this.toggleNode(kind, each.value),
      }, children ? "▾" : "▸") : h("span", { class: "twig" });
      return h("li", {}, h("div", { class: "twig-row" }, toggle, this.box(setting, each.value, each.value, each)),
        children ? h("ul", {}, children.map(node)) : null);
    };
    const items = roots.map(node);
    const rest = chosen.filter((code) => !known.has(code));
    return h("details", { class: "group", open: true }, h("summary", {}, title, chosen.length ? h("span", { class: "badge" }, `${chosen.length} chosen`) : null),
      rest.map((code) => this.box(setting, code, code, null)),
      h("ul", { class: "tree" }, items));
  }

  async toggleNode(kind, code) {
    if (this.opened[kind].has(code)) this.opened[kind].delete(code);
    else {
      const found = await this.act.children(kind, code);
      if (!found) return;
      this.opened[kind].set(code, found);
    }
    this.drawGroups();
  }
}
