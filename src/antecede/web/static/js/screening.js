// The page of a screening: one record at a time, one key a decision; conflicts; the report. It is drawn from its state.

import { ApiError, get, post, query, remove } from "./api.js";
import { find, h, number, outward, patch, plural, sentence } from "./dom.js";
import { bindKeys } from "./keyboard.js";
import { change, paintWith, state } from "./state.js";

const TABS = { abstract: "Titles and abstracts", "full-text": "Full texts", conflicts: "Conflicts", report: "Report" };
const id = decodeURIComponent(location.pathname.split("/")[2]);
const root = `/cases/${encodeURIComponent(id)}/screening`;
const POLL = 15000; // milliseconds between looks at what the others have done

const screen = {
  tab: "abstract",
  view: null, // the screening as the server describes it: team, reasons, stages
  record: undefined, // the record that is read; undefined while it is on its way, null where nothing is left
  postponed: [], decided: [], // records put off; own votes of this sitting, for back
  conflicts: null, report: null,
  busy: false, problem: "", said: "",
  screener: sessionStorage.getItem(`antecede.screener.${id}`) || "",
};
const set = (values) => change(values, screen);

/** Asks the server; what it refuses is said. One request at a time: a key pressed twice decides once. */
async function ask(call) {
  if (screen.busy) return undefined;
  set({ busy: true, problem: "" });
  try {
    return await call();
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    set({ problem: error.message });
    return undefined;
  } finally {
    set({ busy: false });
  }
}

const mustChoose = () => screen.view?.choose && !screen.view.team.includes(screen.screener);
const take = ({ record, said, ...view }) => { set({ view, record, said: said || "" }); if (record) scrollTo(0, 0); };
const reading = () => screen.tab === "abstract" || screen.tab === "full-text";

async function load() {
  const { tab, screener } = screen;
  const view = await ask(() => get(`${root}${query({ screener })}`));
  if (!view) return;
  set({ view });
  if (mustChoose()) return;
  if (reading()) await advance();
  else if (tab === "conflicts") await ask(async () => set({ conflicts: await get(`${root}/conflicts${query({ screener })}`) }));
  else await ask(async () => set({ report: await get(`${root}/report`) }));
}

const advance = () => ask(async () => take(await post(`${root}/next`, { stage: screen.tab, postponed: screen.postponed, screener: screen.screener })));

async function decide(verdict, reason = "") {
  const { record, tab: stage, postponed, screener } = screen;
  if (!record || !reading()) return;
  await ask(async () => {
    take(await post(`${root}/votes`, { doc_id: record.doc_id, stage, verdict, reason, postponed, screener }));
    screen.decided.push(record.doc_id);
  });
}

function postpone() {
  if (!screen.record || !reading()) return;
  set({ postponed: [...screen.postponed, screen.record.doc_id].slice(-1000) });
  advance();
}

/** Back to the record that was decided last; its vote stays until it is decided again or taken back. */
function back() {
  if (!reading() || !screen.decided.length) return;
  ask(async () => {
    const doc = screen.decided.at(-1);
    const record = await get(`${root}/record${query({ id: doc, stage: screen.tab, screener: screen.screener })}`);
    screen.decided.pop();
    set({ record, said: "" });
  });
}

function takeBack() {
  const { record, tab: stage, screener } = screen;
  ask(async () => {
    const view = await remove(`${root}/votes${query({ id: record.doc_id, stage, screener })}`);
    set({ view, record: { ...record, vote: null }, said: "Your vote was taken back." });
  });
}

function resolve({ record }, verdict, reason = "") {
  const { screener } = screen;
  ask(async () => {
    const view = await post(`${root}/resolutions`, { doc_id: record.doc_id, stage: record.stage, verdict, reason, screener });
    set({ view, conflicts: await get(`${root}/conflicts${query({ screener })}`), said: `${record.doc_id}: ${verdict}` });
  });
}

function show(tab) {
  set({ tab, record: undefined, postponed: [], decided: [], conflicts: null, report: null, problem: "", said: "" });
  bind();
  load();
}

// Drawing

function marked(text, words) {
  if (!words.length) return [text];
  const escaped = words.map((word) => word.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  const pattern = new RegExp(`(?<![\\p{L}\\p{N}_])(${escaped.join("|")})(?![\\p{L}\\p{N}_])`, "giu");
  return text.split(pattern).map((part, place) => (place % 2 ? h("mark", {}, part) : part));
}

function drawRecord(record) {
  const where = [record.journal, record.year].filter(Boolean).join(", ");
  return h("article", { class: "record card", data: { doc: record.doc_id } },
    h("h1", {}, marked(record.title || "(no title)", record.words)),
    record.authors.length ? h("p", { class: "people" }, record.authors.join("; ")) : null,
    h("p", { class: "where" }, where, where && record.link ? " · " : "", outward(record.link.replace(/^http:/, "https:"), record.doi || "link", record.link) || ""),
    h("p", { class: "abstract" }, record.abstract ? marked(record.abstract, record.words) : h("span", { class: "quiet" }, "This record has no abstract.")),
    record.keywords.length ? h("p", { class: "quiet small" }, record.keywords.join(" · ")) : null,
    record.vote ? h("p", { class: "notice" }, `Your vote: ${record.vote.verdict}${record.vote.reason ? `, ${record.vote.reason}` : ""}. `,
      h("button", { class: "link", type: "button", onclick: takeBack }, "Take it back")) : null);
}

const keyed = (key, label, kind, call) => h("button", { type: "button", class: kind, disabled: screen.busy, onclick: call }, key ? h("kbd", {}, key) : null, label);
const third = (stage) => (stage === "full-text" ? ["u", "unavailable", "Not available"] : ["m", "maybe", "Maybe"]);

function drawDecisions(stage) {
  const [key, verdict, label] = third(stage);
  return h("div", { class: "decisions", role: "toolbar", "aria-label": "Decisions" },
    keyed("r", "Include", "include", () => decide("include")), keyed(key, label, "maybe", () => decide(verdict)), keyed("n", "Exclude", "exclude", () => decide("exclude")),
    screen.view.reasons.map((reason, place) => keyed(place < 9 ? String(place + 1) : "", reason, "exclude", () => decide("exclude", reason))),
    keyed("s", "Later", "", postpone), keyed("b", "Back", "", back));
}

function drawProgress(stage) {
  const facts = [["Decided", `${number(stage.settled)} of ${number(stage.records)}`], ["Included", number(stage.included)], ["Excluded", number(stage.excluded)]];
  if (screen.view.required > 1) facts.push(["Your votes", number(stage.mine)], ["Wait for you", number(stage.waiting)], ["Conflicts", number(stage.conflicts)]);
  return h("section", { class: "card", "aria-label": "Progress" }, h("h2", {}, sentence(stage.name).slice(0, -1)),
    h("div", { class: "meter" }, h("span", { style: { width: `${stage.records ? (100 * stage.settled) / stage.records : 0}%` } })),
    h("dl", { class: "facts" }, facts.map(([name, value]) => [h("dt", { class: "quiet" }, name), h("dd", { data: { fact: name } }, value)])));
}

function drawReading() {
  const { record, tab, view } = screen;
  const stage = view.stages.find((each) => each.stage === tab);
  const none = tab === "full-text" && !stage.records ? "No record is included by title and abstract yet." : "Nothing is left for you to decide here.";
  return [h("div", { class: "screening", key: tab },
    h("div", {}, record ? drawRecord(record) : record === null ? h("p", { class: "card", id: "done" }, none) : h("p", { class: "wait" }, "Loading…")),
    h("aside", {}, drawProgress(stage), screen.said ? h("p", { class: "quiet small", role: "status", id: "said" }, `Saved: ${screen.said}`) : null)),
  record ? drawDecisions(tab) : null];
}

function drawConflict(conflict) {
  const { record, votes } = conflict;
  const [, verdict, label] = third(record.stage);
  const name = screen.view.stages.find(({ stage }) => stage === record.stage).name;
  return h("section", { class: "card conflict", key: `${record.stage} ${record.doc_id}`, data: { doc: record.doc_id } }, h("h2", {}, record.title), h("p", { class: "quiet" }, sentence(name)),
    h("table", { class: "votes" }, h("tbody", {}, votes.map((vote) => h("tr", {}, h("th", { scope: "row" }, vote.user), h("td", {}, vote.verdict), h("td", { class: "quiet" }, [vote.reason, vote.note].filter(Boolean).join("; ")))))),
    h("details", {}, h("summary", {}, "Abstract"), h("p", {}, record.abstract)),
    h("div", { class: "row" }, keyed("", "Include", "include", () => resolve(conflict, "include")), keyed("", label, "", () => resolve(conflict, verdict)), keyed("", "Exclude", "exclude", () => resolve(conflict, "exclude")),
      h("select", { "aria-label": "Exclude with a reason", value: "", onchange: ({ target }) => target.value && resolve(conflict, "exclude", target.value) }, h("option", { value: "" }, "Exclude because of…"), screen.view.reasons.map((reason) => h("option", { value: reason }, reason)))));
}

function drawConflicts() {
  const { conflicts } = screen;
  return h("div", { class: "sheet", key: "conflicts" }, h("h1", {}, "Conflicts"),
    conflicts === null ? h("p", { class: "wait" }, "Loading…") : conflicts.length ? conflicts.map(drawConflict) : h("p", { class: "card" }, "There is no conflict."));
}

function drawReport() {
  const { report } = screen;
  if (!report) return h("div", { class: "sheet", key: "report" }, h("p", { class: "wait" }, "Loading…"));
  const file = (name, label) => h("a", { class: "button", href: `/api${root}/files/${name}`, download: true }, label);
  return h("div", { class: "sheet", key: "report" }, h("h1", {}, "Report"),
    h("div", { class: "row" }, file("records.ris", "Records, RIS"), file("records.csv", "CSV"), file("records.xlsx", "XLSX"), file("history.csv", "Audit trail"), file("prisma.svg", "Flow diagram")),
    report.problems.map((problem) => h("p", { class: "notice bad" }, problem)),
    h("section", { class: "card" }, h("h2", {}, "PRISMA 2020"), h("table", { id: "prisma" }, h("tbody", {}, report.rows.map(([phase, what, count], place) =>
      h("tr", {}, h("td", { class: "phase" }, place && report.rows[place - 1][0] === phase ? "" : phase), h("th", { scope: "row", class: what.startsWith(" ") ? "part" : "" }, what.trim()), h("td", { class: "n" }, number(count))))))),
    h("figure", { class: "card" }, h("img", { src: `/api${root}/files/prisma.svg`, alt: "PRISMA 2020 flow diagram" })),
    report.agreement.length ? h("section", { class: "card" }, h("h2", {}, "Agreement"), report.agreement.map((pair) =>
      h("p", {}, `${sentence(pair.stage).slice(0, -1)}: ${pair.screeners.join(" and ")} agree on ${number(pair.agreed)} of ${plural(pair.records, "record")}; Cohen’s κ ${pair.kappa === null ? "undefined" : pair.kappa.toFixed(2)} (95 % interval ${pair.interval[0].toFixed(2)} to ${pair.interval[1].toFixed(2)}).`))) : null,
    h("section", { class: "card" }, h("h2", {}, "Methods"), h("p", { id: "methods" }, report.methods)));
}

function drawChoice() {
  const choose = (name) => { sessionStorage.setItem(`antecede.screener.${id}`, name); set({ screener: name }); load(); };
  return h("div", { class: "sheet", key: "choice" }, h("section", { class: "card" }, h("h1", {}, "Who screens?"), h("p", { class: "quiet" }, "Votes of others are hidden until two have decided. With `--users` each person signs in.".replaceAll("`", "")),
    h("div", { class: "row" }, screen.view.team.map((name) => h("button", { type: "button", onclick: () => choose(name) }, name)))));
}

function bind() {
  const keys = { r: () => decide("include"), n: () => decide("exclude"), s: postpone, b: back };
  const [key, verdict] = third(screen.tab);
  keys[key] = () => decide(verdict);
  (screen.view?.reasons ?? []).slice(0, 9).forEach((reason, place) => { keys[String(place + 1)] = () => decide("exclude", reason); });
  bindKeys(keys);
}

paintWith(() => {
  const { view, tab, problem } = screen;
  state.dialog = null; // the keys are always shown: there is no help to open
  if (view) bind();
  document.title = [TABS[tab], view?.name, "antecede"].filter(Boolean).join(" · ");
  patch(find("#bar-case"), view ? h("strong", {}, view.name) : null);
  const waiting = view?.stages.reduce((sum, stage) => sum + stage.conflicts, 0);
  patch(find("#bar-views"), Object.entries(TABS).map(([name, label]) => h("a", { href: `#${name}`, key: name, "aria-current": name === tab ? "page" : null, onclick: (event) => { event.preventDefault(); show(name); } }, name === "conflicts" && waiting ? `${label} (${waiting})` : label)));
  patch(find("#bar-tools"), view?.user ? h("span", { class: "person" }, view.user) : null);
  patch(find("#offline"), problem ? h("p", { class: "notice bad", role: "alert" }, sentence(problem)) : null);
  if (!view) return;
  patch(find("#main"), mustChoose() ? drawChoice() : tab === "conflicts" ? drawConflicts() : tab === "report" ? drawReport() : drawReading());
  if (find("#live").textContent !== screen.said) find("#live").textContent = screen.said;
});

setInterval(() => {
  if (!screen.view || screen.busy || document.hidden || mustChoose()) return;
  get(`${root}${query({ screener: screen.screener })}`).then((view) => { if (!screen.busy) set({ view }); }, () => {});
}, POLL);
state.view = "screening";
load();
