// The topic of the case, the application: what is searched for, corrected where it was misread; the notes on the case; who
// may see it.

import { ask, readOnly, readQuery, say } from "../actions.js";
import { get } from "../api.js";
import { h, withCode } from "../dom.js";
import { topicFields, topicForm } from "../parts/topic.js";
import { change, state } from "../state.js";

/** Stores fields of the case with the version at which they were seen; one that somebody else changed is shown with it. */
async function save(values, message, version) {
  const [name] = Object.keys(values);
  const record = name === "patent" ? "topic" : name;
  const seen = version ?? state.case.versions[record];
  const stored = await ask((api) => api.patch({ ...values, version: seen }), (problem, { body }) => {
    if (!body || !("current" in body)) { change({ problem }, state.page); return; }
    const current = body.current ?? {};
    state.case.versions[record] = body.version;
    if (record !== "topic") Object.assign(state.case, current);
    const conflict = { kind: "case", key: record, fields: { [record]: name === "patent" ? "your corrections" : values[name] }, current, version: body.version, user: body.user, time: body.time };
    conflict.store = (chosen) => save(name === "patent" ? values : chosen, message, body.version);
    change({ conflicts: [...state.conflicts, conflict] });
  });
  if (!stored) return;
  const { searches, marks, seen: opened, ...rest } = stored;
  Object.assign(state.case, rest);
  change({ problem: "", drafts: { ...state.page.drafts, [name]: undefined } }, state.page);
  if (name === "patent") await readQuery();
  say(message);
}

/** A field of the case whose text is stored when it is left; it names the version at which its writing began. */
function written(name, label, message, attributes) {
  const { page } = state;
  const draft = page.drafts[name];
  const type = (event) => change({ drafts: { ...page.drafts, [name]: { version: draft?.version ?? state.case.versions[name], text: event.target.value } } }, page);
  const store = () => page.drafts[name] && save({ [name]: page.drafts[name].text.trim() }, message, page.drafts[name].version);
  return h("label", { class: "field" }, h("span", {}, label), h(attributes.rows ? "textarea" : "input", { id: `case-${name}`, value: draft?.text ?? state.case[name] ?? "", disabled: readOnly(), oninput: type, onchange: store, ...attributes }));
}

/** Who else may see the case, and whether only to read. */
function sharing() {
  const { people = [], shared, right } = state.case;
  const { names = [] } = state.page;
  if (!state.user || right !== "own") return null;
  const rightOf = (user) => people.find((person) => person.user === user)?.right ?? "";
  const set = (user) => (event) => save({ people: [...people.filter((person) => person.user !== user), ...(event.target.value ? [{ user, right: event.target.value }] : [])] }, "Sharing changed");
  return h("section", { class: "card", "aria-label": "Sharing" }, h("h2", {}, "Who may see this case"),
    h("label", { class: "check" }, h("input", { type: "checkbox", id: "shared", checked: shared, onchange: (event) => save({ shared: event.target.checked }, event.target.checked ? "Shared with everybody" : "Not shared with everybody any more") }), "Everybody who signs in here may open and change it"),
    shared ? null : names.filter((user) => user !== state.user).map((user) => h("label", { class: "field person-right", key: user }, h("span", {}, user),
      h("select", { "aria-label": `What ${user} may do`, value: rightOf(user), onchange: set(user) }, [["", "does not see it"], ["read", "may read it"], ["write", "may read and mark"]].map(([value, label]) => h("option", { value }, label))))));
}

export const topic = {
  title: "Application",
  async enter() {
    const { page } = state;
    const found = await ask((api) => api.topic(), (problem) => change({ problem }));
    if (!found) return;
    change({ topic: found, fields: topicFields(found), version: state.case.versions?.topic, drafts: {} }, page);
    if (state.user) { const { people } = await get("/session"); change({ names: people }, page); }
  },
  draw() {
    const { page } = state;
    if (!page.topic) return h("p", { class: "wait", key: "wait" }, "Loading…");
    const submit = (patent) => save({ patent }, "Saved. The query is made from the corrected application", page.version).then(() => { page.version = state.case.versions.topic; });
    return h("div", { class: "column", key: "topic" }, h("h1", {}, "Application"),
      page.problem ? h("p", { class: "notice bad", role: "alert" }, withCode(page.problem)) : null,
      h("div", { class: "card" }, written("name", "Name of the case", "Name saved", { maxlength: "300" }), written("notes", "Notes on the case", "Notes saved", { rows: "5" })),
      sharing(), topicForm(page, { submit, label: "Save the corrections", frozen: readOnly() }));
  },
};
