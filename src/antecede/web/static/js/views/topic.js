// The topic of the case, the application: what is searched for, corrected where it was misread; the notes on the case.

import { ApiError } from "../api.js";
import { fill, h, toast } from "../dom.js";
import { bindKeys } from "../keyboard.js";
import { TopicForm } from "../parts/topic.js";

export class TopicView {
  constructor({ api, found, main, refresh }) {
    Object.assign(this, { api, case: found, main, refresh });
  }

  async start() {
    bindKeys({});
    const topic = await this.api.topic();
    const save = async (values, message) => {
      try { await this.api.patch(values); await this.refresh(); toast(message); } catch (error) { if (error instanceof ApiError) toast(error.message, "bad"); else throw error; }
    };
    const form = new TopicForm(topic, { label: "Save the corrections", submit: (patent) => save({ patent }, "Saved. The query is made from the corrected application") });
    const name = h("input", { onchange: () => save({ name: name.value.trim() }, "Name saved") });
    name.value = this.case.name || "";
    const notes = h("textarea", { rows: "5", onchange: () => save({ notes: notes.value }, "Notes saved") });
    notes.value = this.case.notes || "";
    fill(this.main, h("div", { class: "column" },
      h("h1", {}, "Application"),
      h("div", { class: "card" }, h("label", { class: "field" }, h("span", {}, "Name of the case"), name), h("label", { class: "field" }, h("span", {}, "Notes on the case"), notes)),
      form.element));
  }

  leave() { /* nothing to end */ }
}
