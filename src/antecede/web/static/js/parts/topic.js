// What the server understood of a topic, as a form in which the user corrects it. Doubts come first.

import { h, languageName, number, plural } from "../dom.js";
import { change } from "../state.js";

const LANGUAGES = ["en", "de", "fr"];
const lines = (claims) => (claims || []).join("\n\n");

/** What is known of a topic, as the fields of a form. */
export const topicFields = (found) => ({
  title: found.title || "", date: found.date || "", language: found.language || "", ipc: (found.ipc || []).join(", "),
  claims: lines(found.claims), abstract: found.abstract || "", name: "",
});

/** The form; `page` holds what was understood and the fields as they are written. */
export function topicForm(page, { submit, label, cancel = null, frozen = false }) {
  const { topic: found, fields } = page;
  const { patent } = found;
  const write = (name) => (event) => change({ fields: { ...page.fields, [name]: event.target.value } }, page);
  const labelled = (text, control, hint) => h("label", { class: "field" }, h("span", {}, text, hint ? h("em", {}, ` ${hint}`) : null), control);
  const input = (name, attributes = {}) => h(attributes.rows ? "textarea" : "input", { name, value: fields[name], disabled: frozen, oninput: write(name), ...attributes });
  const dateIs = !found.date_is || found.date_is === "none" ? "not known" : found.date_is === "priority" ? "as read" : `not known; the ${found.date_is} date is used`;
  const codes = [...new Set([...LANGUAGES, ...(found.languages || []), fields.language])].filter(Boolean);
  const badge = found.in_index ? "in the index; it and its family are left out of the results" : `read from ${{ number: "the index", file: "a file" }[found.source] || found.source}`;
  return h("form", { class: "topic card", key: "topic", "aria-label": "What was understood", onsubmit: (event) => { event.preventDefault(); submit(corrected(page), page.fields.name.trim()); } },
    found.doubts?.length ? h("div", { class: "notice bad doubts", role: "alert" }, h("strong", {}, "Please check: "), h("ul", {}, found.doubts.map((doubt) => h("li", {}, doubt)))) : null,
    h("div", { class: "row apart" },
      h("h2", {}, found.doc_id && found.source !== "text" ? found.doc_id : "Pasted text", patent.kinds?.length ? h("span", { class: "quiet" }, ` ${patent.kinds.join(", ")}`) : null),
      found.source === "text" && !found.in_index ? null : h("span", { class: "badge wide" }, badge)),
    patent.applicants?.length ? h("p", { class: "quiet" }, patent.applicants.join("; ")) : null,
    labelled("Title", input("title")),
    h("div", { class: "topic-row" },
      labelled("Priority date", input("date", { type: "date" }), `(${dateIs})`),
      labelled("Language", h("select", { name: "language", value: fields.language, disabled: frozen, onchange: write("language") }, codes.map((code) => h("option", { value: code, key: code }, languageName(code))))),
      labelled("IPC classes", input("ipc", { placeholder: "for example H04L 12/56, H04W 40/02" }))),
    found.cpc?.length ? h("p", { class: "small quiet" }, `CPC: ${found.cpc.join(", ")}`) : null,
    labelled("Claims", input("claims", { rows: String(Math.min(14, 3 + 2 * (found.claims?.length || 0))), placeholder: "One claim per paragraph, an empty line between them" }), `(${plural(found.claims?.length || 0, "claim")})`),
    labelled("Abstract", input("abstract", { rows: "4" })),
    h("p", { class: "small quiet" }, `Description: ${number(found.description_characters || 0)} characters. `, found.description_head ? `“${found.description_head.slice(0, 240)}…”` : ""),
    cancel ? labelled("Name of the case", input("name", { placeholder: "The title, unless you give one" })) : null,
    frozen ? null : h("div", { class: "row" }, h("button", { class: "primary", type: "submit" }, label), cancel ? h("button", { type: "button", onclick: cancel }, "Back") : null));
}

/** The record with the user's corrections; fields that were not touched stay as they were read. */
function corrected({ topic: found, fields }) {
  const patent = structuredClone(found.patent);
  const before = found.language || "";
  const language = fields.language || before;
  if (language !== before) {
    for (const name of ["title", "abstract", "claims", "description"]) {
      const texts = patent[name] || {};
      const from = before in texts ? before : "";
      if (from in texts && !(language in texts)) { texts[language] = texts[from]; delete texts[from]; }
    }
    patent.language = language;
  }
  const set = (name, value) => {
    const texts = { ...(patent[name] || {}) };
    const key = language in texts || !("" in texts) ? language : "";
    if (value.length) texts[key] = value; else delete texts[key];
    patent[name] = texts;
  };
  for (const name of ["title", "abstract"]) if (fields[name].trim() !== (found[name] || "")) set(name, fields[name].trim());
  if (fields.claims.trim() !== lines(found.claims).trim()) set("claims", fields.claims.split(/\n\s*\n/).map((claim) => claim.trim()).filter(Boolean));
  if (fields.ipc !== (found.ipc || []).join(", ")) patent.ipc = fields.ipc.split(/[,;]/).map((code) => code.trim()).filter(Boolean);
  if (fields.date !== (found.date || "")) patent.priority_date = fields.date || null;
  return patent;
}
