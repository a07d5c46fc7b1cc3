// The first page: one box to start a case, and the list of cases.

import { ApiError, get, patch, post, query, remove, send } from "../api.js";
import { day, fill, find, h, inward, number, openDialog, plural, toast } from "../dom.js";
import { bindKeys } from "../keyboard.js";
import { TopicForm, showTopic } from "../parts/topic.js";

// A number in any spelling: an office, digits with separators, a kind code. Anything else is text.
const NUMBER = /^\s*[a-z]{2}[\s.-]*\d[\d\s.,/-]{3,}\s*[a-z]?\d?\s*$/i;

const PASTED = "pasted-text"; // what stands for the number of a text that was pasted

export class HomeView {
  constructor({ index, main, go }) {
    Object.assign(this, { index, main, go });
  }

  async start() {
    bindKeys({ "/": () => this.box.focus() });
    this.box = h("textarea", {
      id: "start-box", rows: "5", "aria-label": "A patent number, or the text of an application",
      placeholder: "A patent number such as EP 1 234 567 A1, or paste a claim or a whole application here",
      onkeydown: (event) => { if (event.key === "Enter" && (event.ctrlKey || event.metaKey || NUMBER.test(this.box.value))) { event.preventDefault(); this.read(); } },
    });
    this.file = h("input", { type: "file", id: "start-file", hidden: true, "aria-label": "File of the application", onchange: () => { if (this.file.files[0]) this.upload(this.file.files[0]); this.file.value = ""; } });
    if (this.index.accepts?.length) this.file.accept = this.index.accepts.join(",");
    this.answer = h("div", { class: "start-answer", "aria-live": "polite" });
    this.drop = h("div", {
      class: "start-box card",
      ondragover: (event) => { event.preventDefault(); this.drop.classList.add("over"); },
      ondragleave: () => this.drop.classList.remove("over"),
      ondrop: (event) => { event.preventDefault(); this.drop.classList.remove("over"); const [file] = event.dataTransfer.files; if (file) this.upload(file); else { this.box.value = event.dataTransfer.getData("text/plain"); } },
    },
    h("h1", {}, "What is the application?"),
    this.box,
    h("div", { class: "row apart" },
      h("div", { class: "row" }, h("button", { class: "primary", type: "button", id: "start-read", onclick: () => this.read() }, "Read"),
        h("button", { type: "button", onclick: () => this.file.click() }, "Choose a file…"), this.file),
      h("span", { class: "quiet small" }, "or drop one here: XML and other patent formats, TXT, PDF, DOCX")));
    this.list = h("section", { class: "case-list", "aria-label": "Cases" });
    fill(this.main, h("div", { class: "home" }, this.drop, this.answer, this.list,
      h("p", { class: "quiet small home-foot" }, `Index ${this.index.name}: ${plural(this.index.coverage.documents, "document")} · `, h("a", { href: "/api/docs" }, "API"), ` · antecede ${this.index.version || ""}`)));
    this.box.focus({ preventScroll: true });
    await this.drawCases();
  }

  leave() { /* nothing is under way that must be ended */ }

  async read() {
    const text = this.box.value.trim();
    if (!text) { this.box.focus(); return; }
    const asNumber = NUMBER.test(text);
    await this.understand(() => post("/topics", asNumber ? { number: text } : { text }), asNumber
      ? h("button", { type: "button", onclick: () => this.understand(() => post("/topics", { text })) }, "Treat it as text") : null);
  }

  async upload(file, doc = null) {
    if (this.index.largest_upload && file.size > this.index.largest_upload) {
      this.refuse(`${file.name} is too large: at most ${number(Math.floor(this.index.largest_upload / 2 ** 20))} MB can be read here.`);
      return;
    }
    await this.understand(() => send(`/topics/file${query({ name: file.name, doc_id: doc })}`, file), null, file);
  }

  refuse(text, remedy = null) {
    fill(this.answer, h("div", { class: "notice bad", role: "alert" }, h("p", {}, text), remedy));
  }

  async understand(request, remedy = null, file = null) {
    fill(this.answer, h("p", { class: "quiet" }, "Reading…"));
    let found;
    try {
      found = await request();
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      if (error.body?.choices && file) this.choose(error, file);
      else this.refuse(error.message, remedy);
      return;
    }
    showTopic(this.answer, new TopicForm(found, {
      label: "Start the search",
      submit: async (patent, name) => {
        try {
          const made = await post("/cases", { patent, source: found.source, ...(name ? { name } : {}) });
          this.go(`/cases/${made.id}/search`);
        } catch (error) { if (error instanceof ApiError) toast(error.message, "bad"); else throw error; }
      },
      cancel: () => { fill(this.answer); this.box.focus(); },
    }));
  }

  /** A file with several patents: the user chooses one. */
  choose(error, file) {
    fill(this.answer, h("div", { class: "card" }, h("h2", {}, error.message), h("ul", { class: "plain-list" }, error.body.choices.map((each) =>
      h("li", {}, h("button", { class: "link", type: "button", onclick: () => this.upload(file, each.doc_id) }, each.doc_id), ` ${each.date || ""} ${each.title || ""}`)))));
  }

  async drawCases() {
    const cases = await get("/cases");
    this.shared = cases.some((each) => each.user);
    const bring = h("input", { type: "file", id: "import-file", hidden: true, "aria-label": "File of a case", onchange: () => { if (bring.files[0]) this.importCase(bring.files[0]); bring.value = ""; } });
    const head = h("div", { class: "row apart" }, h("h2", {}, "Cases"), h("div", {},
      h("button", { type: "button", onclick: () => bring.click() }, "Import a case…"), bring));
    if (!cases.length) { fill(this.list, head, h("p", { class: "quiet" }, "None yet. What you start above is stored here with every query, mark and note.")); return; }
    fill(this.list, head, h("div", { class: "scroll" }, h("table", { class: "cases" },
      h("thead", {}, h("tr", {}, ["Case", "Changed", "Searches", "Read", "Relevant", "Maybe", ...(this.shared ? ["By"] : []), ""].map((name, at) => h("th", { scope: "col", class: at >= 2 && at <= 5 ? "n" : null }, name || h("span", { class: "hidden-text" }, "Actions"))))),
      h("tbody", {}, cases.map((each) => this.row(each))))));
  }

  row(each) {
    const patent = each.topic.doc_id === PASTED ? "" : each.topic.doc_id;
    const name = each.name || each.topic.title || patent || "Pasted text";
    const { user } = document.body.dataset;
    const own = !user || each.user === user;
    return h("tr", { data: { case: each.id } },
      h("th", { scope: "row" }, inward(`/cases/${each.id}/search`, {}, name), h("div", { class: "quiet small" }, patent && name.startsWith(patent) ? "" : [patent, each.topic.title !== name ? each.topic.title : null].filter(Boolean).join(" · "))),
      h("td", {}, day(each.changed)), h("td", { class: "n" }, number(each.counts.searches)), h("td", { class: "n" }, number(each.counts.relevant + each.counts.maybe + each.counts.not)),
      h("td", { class: each.counts.relevant ? "n good" : "n" }, number(each.counts.relevant)), h("td", { class: "n" }, number(each.counts.maybe)), this.shared ? h("td", {}, each.user || "") : null,
      h("td", {}, !own ? h("span", { class: "quiet small" }, "shared with you") : [
        user ? h("button", { class: "plain", type: "button", "aria-pressed": String(each.shared), "aria-label": `Share the case ${name} with all users`, onclick: () => this.shareCase(each) }, each.shared ? "Shared" : "Share") : null,
        h("button", { class: "plain danger", type: "button", "aria-label": `Delete the case ${name}`, onclick: () => this.removeCase(each, name) }, "Delete")]));
  }

  async shareCase(each) {
    try { await patch(`/cases/${each.id}`, { shared: !each.shared }); await this.drawCases(); } catch (error) { toast(error.message, "bad"); }
  }

  async removeCase(each, name) {
    const answer = await openDialog("Delete this case?", h("p", {}, `“${name}” with ${plural(each.counts.searches, "search", "searches")} and everything marked in it. This cannot be undone; export it first if you may need it.`),
      { buttons: [["keep", "Keep it"], ["delete", "Delete", "danger"]] });
    if (answer !== "delete") return;
    try { await remove(`/cases/${each.id}`); await this.drawCases(); } catch (error) { toast(error.message, "bad"); }
  }

  async importCase(file) {
    try {
      const made = await send("/cases/import", file);
      toast(`Imported “${made.name || made.topic.title}”${made.unused && `; ${made.unused}`}`);
      await this.drawCases();
      find(`[data-case="${CSS.escape(made.id)}"] a`, this.list)?.focus();
    } catch (error) { if (error instanceof ApiError) toast(error.message, "bad"); else throw error; }
  }
}
