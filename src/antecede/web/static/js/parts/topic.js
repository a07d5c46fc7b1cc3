// What the server understood of a topic, as a form in which the user corrects it. Doubts come first.

import { fill, h, languageName, number, plural } from "../dom.js";

const LANGUAGES = ["en", "de", "fr"];
const DATES = { priority: "priority_date", filing: "filing_date", publication: "publication_date" };

export class TopicForm {
  constructor(found, { submit, label, cancel = null }) {
    this.found = found;
    this.patent = structuredClone(found.patent);
    this.language = found.language || "";
    const { patent } = this;
    this.title = h("input", { name: "title", required: false });
    this.title.value = found.title || "";
    this.date = h("input", { type: "date", name: "date" });
    if (found.date) this.date.value = found.date;
    this.codes = h("select", { name: "language" }, [...new Set([...LANGUAGES, ...(found.languages || []), this.language])].filter(Boolean).map((code) => h("option", { value: code }, languageName(code))));
    this.codes.value = this.language;
    this.ipc = h("input", { name: "ipc", placeholder: "for example H04L 12/56, H04W 40/02" });
    this.ipc.value = (found.ipc || []).join(", ");
    this.claims = h("textarea", { name: "claims", rows: String(Math.min(14, 3 + 2 * (found.claims?.length || 0))), placeholder: "One claim per paragraph, an empty line between them" });
    this.claims.value = (found.claims || []).join("\n\n");
    this.abstract = h("textarea", { name: "abstract", rows: "4" });
    this.abstract.value = found.abstract || "";
    this.name = h("input", { name: "name", placeholder: "The title, unless you give one" });
    const people = [...(patent.applicants || [])].join("; ");
    const labelled = (text, control, hint) => h("label", { class: "field" }, h("span", {}, text, hint ? h("em", {}, ` ${hint}`) : null), control);
    const dateIs = found.date_is && found.date_is !== "none" ? (found.date_is === "priority" ? "as read" : `not known; the ${found.date_is} date is used`) : "not known";
    this.element = h("form", { class: "topic card", "aria-label": "What was understood", onsubmit: (event) => { event.preventDefault(); submit(this.corrected(), this.name.value.trim()); } },
      found.doubts?.length ? h("div", { class: "notice bad doubts", role: "alert" }, h("strong", {}, "Please check: "), h("ul", {}, found.doubts.map((each) => h("li", {}, each)))) : null,
      h("div", { class: "row apart" },
        h("h2", {}, found.doc_id && found.source !== "text" ? found.doc_id : "Pasted text", patent.kinds?.length ? h("span", { class: "quiet" }, ` ${patent.kinds.join(", ")}`) : null),
        found.source === "text" && !found.in_index ? null : h("span", { class: "badge" }, found.in_index ? "in the index; it and its family are left out of the results" : `read from ${{ number: "the index", file: "a file" }[found.source] || found.source}`)),
      people ? h("p", { class: "quiet" }, people) : null,
      labelled("Title", this.title),
      h("div", { class: "topic-row" },
        labelled("Priority date", this.date, `(${dateIs})`),
        labelled("Language", this.codes),
        labelled("IPC classes", this.ipc)),
      found.cpc?.length ? h("p", { class: "small quiet" }, `CPC: ${found.cpc.join(", ")}`) : null,
      labelled("Claims", this.claims, `(${plural(found.claims?.length || 0, "claim")})`),
      labelled("Abstract", this.abstract),
      h("p", { class: "small quiet" }, `Description: ${number(found.description_characters || 0)} characters. `, found.description_head ? `“${found.description_head.slice(0, 240)}…”` : ""),
      label === "Start the search" ? labelled("Name of the case", this.name) : null,
      h("div", { class: "row" }, h("button", { class: "primary", type: "submit" }, label), cancel ? h("button", { type: "button", onclick: cancel }, "Back") : null));
  }

  /** The record with the user's corrections; fields that were not touched stay as they were read. */
  corrected() {
    const { patent, found } = this;
    const language = this.codes.value || this.language;
    const list = (text) => text.split(/[,;]/).map((each) => each.trim()).filter(Boolean);
    if (language !== this.language) {
      for (const name of ["title", "abstract", "claims", "description"]) {
        const texts = patent[name] || {};
        const from = this.language in texts ? this.language : "";
        if (from in texts && !(language in texts)) { texts[language] = texts[from]; delete texts[from]; }
      }
      patent.language = language;
    }
    const under = (name) => { const texts = patent[name] || {}; return language in texts || !("" in texts) ? language : ""; };
    const change = (name, value, before) => {
      if (String(value) === String(before ?? "")) return;
      const key = under(name);
      patent[name] = { ...(patent[name] || {}) };
      if (value.length) patent[name][key] = value; else delete patent[name][key];
    };
    change("title", this.title.value.trim(), found.title);
    change("abstract", this.abstract.value.trim(), found.abstract);
    if (this.claims.value.trim() !== (found.claims || []).join("\n\n").trim()) change("claims", this.claims.value.split(/\n\s*\n/).map((each) => each.trim()).filter(Boolean), null);
    if (this.ipc.value !== (found.ipc || []).join(", ")) patent.ipc = list(this.ipc.value);
    if (this.date.value !== (found.date || "")) patent[DATES.priority] = this.date.value || null;
    return patent;
  }
}

/** Shows a form in place of what an element holds. */
export function showTopic(element, form) {
  fill(element, form.element);
  form.element.scrollIntoView({ block: "nearest" });
}
