// The page: which view is shown for an address, the header, the theme.

import { ApiError, caseApi, get } from "./api.js";
import { announce, fill, find, h, inward, openDialog, withCode } from "./dom.js";
import { bindKeys, showHelp } from "./keyboard.js";
import { ChartView } from "./views/chart.js";
import { CompareView } from "./views/compare.js";
import { FoundView } from "./views/found.js";
import { HomeView } from "./views/home.js";
import { ReportView } from "./views/report.js";
import { SearchView } from "./views/search.js";
import { TopicView } from "./views/topic.js";

const VIEWS = {
  topic: ["Application", TopicView], search: ["Search", SearchView], chart: ["Chart", ChartView], found: ["Found", FoundView],
  compare: ["Compare", CompareView], report: ["Report", ReportView],
};
const main = find("#main");
let current = null;
let turn = 0;
let index = null;
let shown = ""; // the path of the view that is shown
let open = null; // the API of the case that is shown

/** What a case remembers in this window: the search, the place in the list, the document being read. */
function placeOf(id) {
  const name = `antecede.place.${id}`;
  let known = {};
  try { known = JSON.parse(sessionStorage.getItem(name)) || {}; } catch { /* storage may be off */ }
  return new Proxy(known, {
    set(target, key, value) {
      target[key] = value;
      try { sessionStorage.setItem(name, JSON.stringify(target)); } catch { /* storage may be off */ }
      return true;
    },
  });
}

function go(address, { replace = false } = {}) {
  history[replace ? "replaceState" : "pushState"]({}, "", address);
  return show();
}

function drawBar(found, view) {
  document.title = [found ? VIEWS[view][0] : "Cases", found?.name || found?.topic?.title, "antecede"].filter(Boolean).join(" · ");
  fill(find("#bar-case"), found ? h("strong", {}, found.name || found.topic.title || found.topic.doc_id) : null);
  find("#bar-views").hidden = !found;
  fill(find("#bar-views"), found ? Object.entries(VIEWS).map(([name, [label]]) =>
    inward(`/cases/${found.id}/${name}`, name === view ? { "aria-current": "page" } : {}, label)) : null);
}

async function show() {
  const mine = ++turn;
  current?.leave();
  open?.leave();
  current = null;
  open = null;
  shown = location.pathname;
  bindKeys({});
  const [, , id, name] = location.pathname.split("/");
  const view = VIEWS[name] ? name : "search";
  try {
    index ??= await get("/index");
    if (!id) {
      drawBar(null);
      current = new HomeView({ index, main, go });
    } else {
      const api = caseApi(decodeURIComponent(id));
      const found = await api.get();
      if (mine !== turn) { api.leave(); return; }
      open = api;
      drawBar(found, view);
      const refresh = async () => { Object.assign(found, await api.get()); drawBar(found, view); };
      current = new VIEWS[view][1]({ api, index, found, main, go, refresh, place: placeOf(found.id) });
      const listener = current;
      api.listen((what) => listener.follow?.(what));
      if (found.index_changed) announce("The index has changed since this case was last searched");
    }
    if (mine !== turn) return;
    main.dataset.view = id ? view : "home";
    await current.start();
    scrollTo(0, 0);
  } catch (error) {
    if (error.name === "AbortError") return;
    if (!(error instanceof ApiError)) throw error;
    fill(main, h("div", { class: "column" }, h("p", { class: "notice bad", role: "alert" }, withCode(error.message)), h("p", {}, inward("/cases", {}, "All cases"))));
  }
}

function drawTools() {
  const theme = h("button", { class: "plain", type: "button", "aria-label": "Light or dark", title: "Light or dark", onclick: () => {
    const dark = document.documentElement.dataset.theme ? document.documentElement.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
    document.documentElement.dataset.theme = dark ? "light" : "dark";
    try { localStorage.setItem("antecede.theme", document.documentElement.dataset.theme); } catch { /* storage may be off */ }
  } }, "◐");
  const help = h("button", { class: "plain", type: "button", "aria-label": "Keyboard help", title: "Keyboard (?)", onclick: showHelp }, "?");
  const { user } = document.body.dataset;
  const leave = user ? h("button", { class: "plain", type: "button", title: "Sign out", onclick: async () => {
    if (await openDialog("Sign out?", h("p", {}, "Everything you marked is stored."), { buttons: [["stay", "Stay"], ["leave", "Sign out", "primary"]] }) !== "leave") return;
    await fetch("/logout", { method: "POST", headers: { "X-CSRF-Token": find("meta[name=csrf-token]").content } });
    location.assign("/");
  } }, user) : null;
  fill(find("#bar-tools"), help, theme, leave);
}

document.addEventListener("click", (event) => {
  const link = event.target.closest?.("a[data-route], a.brand");
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey || event.button) return;
  event.preventDefault();
  go(link.getAttribute("href")).then(() => { if (!link.isConnected || link.closest(".bar")) main.focus({ preventScroll: true }); });
});
addEventListener("popstate", () => (location.pathname === shown && current?.visit ? current.visit() : show()));
drawTools();
show();
