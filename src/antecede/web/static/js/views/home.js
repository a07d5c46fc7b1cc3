// The first page: one box to start a case, and the list of cases.

import { ApiError, get, patch, post, query, remove, send } from "../api.js";
import { say } from "../actions.js";
import { day, find, h, inward, number, plural, withCode } from "../dom.js";
import { topicFields, topicForm } from "../parts/topic.js";
import { change, state } from "../state.js";

// A number in any spelling: an office, digits with separators, a kind code. Anything else is text.
const NUMBER = /^\s*[a-z]{2}[\s.-]*\d[\d\s.,/-]{3,}\s*[a-z]?\d?\s*$/i;

let open = () => {}; // goes to an address

/** Asks the server; what it refuses is shown where it was asked: at the start box, or above the cases. */
async function ask(request, refuse) {
  const { page } = state;
  try {
    const answer = await request();
    return state.page === page ? answer ?? true : null;
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    if (state.page === page) refuse(error.message, error);
    return null;
  }
}

const refuseCases = (listProblem) => change({ listProblem }, state.page);

function read() {
  const text = state.page.text.trim();
  if (!text) { find("#start-box").focus(); return; }
  const named = NUMBER.test(text);
  understand(() => post("/topics", named ? { number: text } : { text }), { text: named ? text : null });
}

function upload(file, doc = null) {
  const { largest_upload: largest } = state.index;
  if (largest && file.size > largest) change({ problem: `${file.name} is too large: at most ${number(Math.floor(largest / 2 ** 20))} MB can be read here.`, text: "", topic: null }, state.page);
  else understand(() => send(`/topics/file${query({ name: file.name, doc_id: doc })}`, file), { file });
}

/** What the server understands of a topic; a number that it does not know may be meant as text, a file may have several. */
async function understand(request, { text = null, file = null }) {
  change({ reading: true, problem: "", asText: null, choices: null, topic: null }, state.page);
  const found = await ask(request, (problem, { body }) => change({ problem, asText: text, choices: body?.choices && file ? { list: body.choices, file } : null }, state.page));
  change({ reading: false, ...(found ? { topic: found, fields: topicFields(found) } : {}) }, state.page);
  if (found) queueMicrotask(() => find("form.topic")?.scrollIntoView({ block: "nearest" }));
}

async function start(patent, name) {
  const made = await ask(() => post("/cases", { patent, source: state.page.topic.source, ...(name ? { name } : {}) }), (problem) => change({ problem }, state.page));
  if (made) open(`/cases/${made.id}/search`);
}

function answer({ reading, problem, asText, choices, topic }) {
  if (reading) return h("p", { class: "quiet" }, "Reading…");
  const refusal = problem && !choices ? h("div", { class: "notice bad", role: "alert" }, h("p", {}, withCode(problem)),
    asText ? h("button", { type: "button", onclick: () => understand(() => post("/topics", { text: asText }), {}) }, "Treat it as text") : null) : null;
  if (choices) {
    return h("div", { class: "card" }, h("h2", {}, problem), h("ul", { class: "plain-list" }, choices.list.map((choice) =>
      h("li", {}, h("button", { class: "link", type: "button", onclick: () => upload(choices.file, choice.doc_id) }, choice.doc_id), ` ${choice.date || ""} ${choice.title || ""}`))));
  }
  const cancel = () => { change({ topic: null }, state.page); find("#start-box").focus(); };
  return [refusal, topic ? topicForm(state.page, { label: "Start the search", submit: start, cancel }) : null];
}

const readCases = async () => { const cases = await ask(() => get("/cases"), refuseCases); if (cases) change({ cases, listProblem: "" }, state.page); };

function shareCase(entry) {
  ask(() => patch(`/cases/${entry.id}`, { shared: !entry.shared, version: entry.version ?? 2 ** 31 }), refuseCases).then(readCases);
}

function removeCase(entry, name) {
  const text = `“${name}” with ${plural(entry.counts.searches, "search", "searches")} and everything marked in it. This cannot be undone; export it first if you may need it.`;
  const go = async () => { if (await ask(() => remove(`/cases/${entry.id}`), refuseCases)) await readCases(); };
  change({ dialog: { name: "ask", title: "Delete this case?", text, buttons: [["Keep it"], ["Delete", go, "danger"]] } });
}

async function importCase(file) {
  const made = await ask(() => send("/cases/import", file), refuseCases);
  if (!made) return;
  say(`Imported “${made.name || made.topic.title}”${made.unused && `; ${made.unused}`}`);
  await readCases();
  find(`[data-case="${CSS.escape(made.id)}"] a`)?.focus();
}

function cases({ cases: entries, listProblem }) {
  if (!entries) return listProblem ? h("p", { class: "notice bad", role: "alert" }, withCode(listProblem)) : null;
  const shared = entries.some((entry) => entry.user);
  const names = ["Case", "Changed", "Searches", "Read", "Relevant", "Maybe", ...(shared ? ["By"] : []), ""];
  return [
    h("div", { class: "row apart" }, h("h2", {}, "Cases"), h("div", {}, h("button", { type: "button", onclick: () => find("#import-file").click() }, "Import a case…"),
      h("input", { type: "file", id: "import-file", hidden: true, "aria-label": "File of a case", onchange: ({ target }) => { const [file] = target.files; if (file) importCase(file).finally(() => { target.value = ""; }); } }))),
    listProblem ? h("p", { class: "notice bad", role: "alert" }, withCode(listProblem)) : null,
    !entries.length ? h("p", { class: "quiet" }, "None yet. What you start above is stored here with every query, mark and note.") : h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "List of cases" }, h("table", { class: "cases" },
      h("thead", {}, h("tr", {}, names.map((name, place) => h("th", { scope: "col", class: place >= 2 && place <= 5 ? "n" : null }, name || h("span", { class: "hidden-text" }, "Actions"))))),
      h("tbody", {}, entries.map((entry) => row(entry, shared)))))];
}

function row(entry, shared) {
  const { counts, topic } = entry;
  const patent = entry.source === "text" ? "" : topic.doc_id;
  const name = entry.name || topic.title || patent || "Pasted text";
  const own = !state.user || entry.user === state.user;
  const also = patent && name.startsWith(patent) ? "" : [patent, topic.title !== name ? topic.title : null].filter(Boolean).join(" · ");
  return h("tr", { key: entry.id, data: { case: entry.id } },
    h("th", { scope: "row" }, entry.screening ? h("a", { href: `/cases/${entry.id}/screening` }, name) : inward(`/cases/${entry.id}/search`, {}, name), h("div", { class: "quiet small" }, also)),
    h("td", {}, day(entry.changed)), h("td", { class: "n" }, number(counts.searches)), h("td", { class: "n" }, number(counts.relevant + counts.maybe + counts.not)),
    h("td", { class: counts.relevant ? "n good" : "n" }, number(counts.relevant)), h("td", { class: "n" }, number(counts.maybe)), shared ? h("td", {}, entry.user || "") : null,
    h("td", {}, !own ? h("span", { class: "quiet small" }, entry.right === "read" ? "shared with you to read" : "shared with you") : [
      state.user ? h("button", { class: "plain", type: "button", "aria-pressed": String(entry.shared), "aria-label": `Share the case ${name} with all users`, onclick: () => shareCase(entry) }, entry.shared ? "Shared" : "Share") : null,
      h("button", { class: "plain danger", type: "button", "aria-label": `Delete the case ${name}`, onclick: () => removeCase(entry, name) }, "Delete")]));
}

export const home = {
  keys: { "/": () => find("#start-box").focus() },
  async enter({ go }) {
    open = go;
    Object.assign(state.page, { text: "" });
    queueMicrotask(() => find("#start-box")?.focus({ preventScroll: true }));
    await readCases();
  },
  draw() {
    const { page, index } = state;
    const take = (event) => { event.preventDefault(); change({ over: false }, page); const [file] = event.dataTransfer.files; if (file) upload(file); else change({ text: event.dataTransfer.getData("text/plain") }, page); };
    const enter = (event) => { if (event.key === "Enter" && (event.ctrlKey || event.metaKey || NUMBER.test(page.text))) { event.preventDefault(); read(); } };
    return h("div", { class: "home", key: "home" },
      h("div", { class: page.over ? "start-box card over" : "start-box card", ondragover: (event) => { event.preventDefault(); change({ over: true }, page); }, ondragleave: () => change({ over: false }, page), ondrop: take },
        h("h1", {}, "What is the application?"),
        h("textarea", { id: "start-box", rows: "5", "aria-label": "A patent number, or the text of an application", value: page.text ?? "", oninput: (event) => change({ text: event.target.value }, page), onkeydown: enter,
          placeholder: "A patent number such as EP 1 234 567 A1, or paste a claim or a whole application here" }),
        h("div", { class: "row apart" },
          h("div", { class: "row" }, h("button", { class: "primary", type: "button", id: "start-read", onclick: read }, "Read"), h("button", { type: "button", onclick: () => find("#start-file").click() }, "Choose a file…"),
            h("input", { type: "file", id: "start-file", hidden: true, "aria-label": "File of the application", accept: index.accepts?.join(",") || null, onchange: ({ target }) => { const [file] = target.files; if (file) upload(file); } })),
          h("span", { class: "quiet small" }, "or drop one here: XML and other patent formats, TXT, PDF, DOCX"))),
      h("div", { class: "start-answer", "aria-live": "polite" }, answer(page)),
      h("section", { class: "case-list", "aria-label": "Cases" }, cases(page)),
      h("p", { class: "quiet small home-foot" }, `Index ${index.name}: ${plural(index.coverage.documents, "document")} · `, h("a", { href: "/api/docs" }, "API"), ` · antecede ${index.version || ""}`));
  },
};
