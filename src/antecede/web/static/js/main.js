// The page: which view is shown for an address; and the drawing of the page from its state.

import { ApiError, SILENT, caseApi, get } from "./api.js";
import { visit } from "./actions.js";
import { find, h, inward, patch, withCode } from "./dom.js";
import { follow } from "./events.js";
import { bindKeys } from "./keyboard.js";
import { drawDialog, modal } from "./parts/dialogs.js";
import { beginCase, change, endCase, keepPlace, paintWith, state } from "./state.js";
import { chart } from "./views/chart.js";
import { compare } from "./views/compare.js";
import { found } from "./views/found.js";
import { home } from "./views/home.js";
import { report } from "./views/report.js";
import { search } from "./views/search.js";
import { topic } from "./views/topic.js";

const VIEWS = { topic, search, chart, found, compare, report };
const main = find("#main");
let turn = 0;
let leave = null; // ends the events of the case
let shown = ""; // the path of the view that is shown

function go(address) {
  history.pushState({}, "", address);
  return show();
}

async function show() {
  const mine = ++turn;
  shown = location.pathname;
  bindKeys({});
  VIEWS[state.view]?.leave?.();
  change({ said: null, dialog: null, announced: "" });
  const [, , part, name] = location.pathname.split("/");
  const id = part && decodeURIComponent(part);
  if (state.case && state.case.id !== id) { leave?.(); endCase(); }
  const view = !id ? "home" : name in VIEWS ? name : "search";
  try {
    state.index ??= await get("/index");
    if (id && !state.case) {
      const opened = await caseApi(id).get();
      if (mine !== turn) return;
      beginCase(opened);
      leave = follow(id, opened.version);
      if (opened.index_changed) change({ announced: "The index has changed since this case was last searched" });
    }
    if (mine !== turn) return;
    main.dataset.view = view;
    change({ view, page: { view }, problem: "" });
    const { keys, enter } = VIEWS[view] ?? home;
    bindKeys(keys ?? {});
    scrollTo(0, 0);
    await enter({ go });
  } catch (error) {
    if (error.name === "AbortError" || mine !== turn) return;
    if (!(error instanceof ApiError)) throw error;
    change({ problem: error.message });
  }
}

const shownCase = () => state.case && state.view !== "home";
const nameOf = ({ name, topic: { title, doc_id: doc } }) => name || title || doc;

function drawBar() {
  const views = shownCase() ? Object.entries(VIEWS).map(([name, { title }]) => inward(`/cases/${state.case.id}/${name}`, { key: name, "aria-current": name === state.view ? "page" : null }, title)) : [];
  document.title = [shownCase() ? VIEWS[state.view].title : "Cases", shownCase() && nameOf(state.case), "antecede"].filter(Boolean).join(" · ");
  patch(find("#bar-case"), shownCase() ? [h("strong", {}, nameOf(state.case)), state.case.right === "read" ? h("span", { class: "badge" }, "read only") : null] : null);
  find("#bar-views").hidden = !views.length;
  patch(find("#bar-views"), views);
  const others = state.people.filter(({ user, pages }) => user !== state.user || pages > 1);
  patch(find("#bar-people"), shownCase() ? others.map(({ user, pages }) => h("span", { class: "person", title: "has this case open" }, user && user !== state.user ? user : `${pages} windows`)) : null);
  const tool = (sign, title, call, more) => h("button", { class: "plain", type: "button", "aria-label": title, title, onclick: call, ...more }, sign);
  patch(find("#bar-tools"), tool("?", "Keyboard help", () => change({ dialog: { name: "help" } })), tool("◐", "Light or dark", changeTheme),
    state.user ? h("button", { class: "plain", type: "button", title: "Sign out", onclick: () => change({ dialog: { name: "leave" } }) }, state.user) : null);
}

function changeTheme() {
  const { dataset } = document.documentElement;
  const dark = dataset.theme ? dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  dataset.theme = dark ? "light" : "dark";
  try { localStorage.setItem("antecede.theme", dataset.theme); } catch { /* storage may be off */ }
}

paintWith(() => {
  const view = VIEWS[state.view] ?? (state.view === "home" ? home : null);
  drawBar();
  patch(find("#offline"), state.offline ? h("p", { class: "notice bad", role: "alert" }, withCode(SILENT), " The page tries again by itself.") : null);
  if (state.problem) patch(main, h("div", { class: "column", key: "problem" }, h("p", { class: "notice bad", role: "alert" }, withCode(state.problem)), h("p", {}, inward("/cases", {}, "All cases"))));
  else if (view) patch(main, view.draw());
  patch(find("#toasts"), state.said ? h("div", { class: "toast", role: "status" }, h("span", {}, state.said),
    h("button", { class: "plain", type: "button", "aria-label": "Close this message", onclick: () => change({ said: null }) }, "×")) : null);
  patch(find("#dialogs"), drawDialog());
  modal();
  const live = find("#live");
  if (live.textContent !== state.announced) live.textContent = state.announced;
  if (!state.problem) view?.drawn?.();
});

document.addEventListener("click", (event) => {
  const link = event.target.closest?.("a[data-route], a.brand");
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey || event.button) return;
  event.preventDefault();
  go(link.getAttribute("href")).then(() => { if (!link.isConnected || link.closest(".bar")) main.focus({ preventScroll: true }); });
});
addEventListener("popstate", () => (location.pathname === shown && state.view === "search" ? visit() : show()));
addEventListener("pagehide", keepPlace);
show();
