/* Topics: a list to search and sort, and the scores, documents and queries of each. */

const ROWS_PER_PAGE = 50;
const RUNS_AT_FIRST = 16;
const COLUMNS_AT_FIRST = 12;
const DOCUMENTS_AT_FIRST = 60;
const QUERIES_AT_FIRST = 8;

/* Data: deflated JSON in base64, unpacked on first use */

const unpacked = new Map();

async function unpack(id) {
  const text = document.getElementById(id).textContent.trim();
  const bytes = Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
  return JSON.parse(await new Response(stream).text());
}

function load(id) {
  if (!unpacked.has(id)) unpacked.set(id, unpack(id));
  return unpacked.get(id);
}

/* Numbers; counts, such as documents to read, are shown without decimals */

function formatNumber(number, counts) {
  return (counts && Number.isInteger(number) ? String(number) : number.toFixed(4)).replace("-", "−");
}

function formatScore(value, overview, measure) {
  if (value === null || value === undefined) return MISSING;
  if (value === "never") return "never";
  return formatNumber(value / overview.steps, overview.open[measure]);
}

const isNumber = (value) => typeof value === "number";

/* The lead of a run over the baseline: positive is better, null where one of them has no score. */
function computeLead(value, base, lower) {
  if (value === null || base === null || value === undefined || base === undefined) return null;
  const one = value === "never" ? Infinity : value;
  const other = base === "never" ? Infinity : base;
  if (one === other) return 0;
  return lower ? other - one : one - other;
}

function formatDifference(value, base, overview, measure) {
  if (!isNumber(value) || !isNumber(base)) return value !== null && value === base ? "0" : MISSING;
  const difference = (value - base) / overview.steps;
  return (difference > 0 ? "+" : "") + formatNumber(difference, overview.open[measure]);
}

function classify(ahead) {
  return ahead > 0 ? "ahead" : ahead < 0 ? "behind" : undefined;
}

/* The topics of a part: the list, the chart, the open topic, and the reader's choices */

class Explorer {
  constructor(section, overview, scores) {
    Object.assign(this, { section, overview, part: section.dataset.part });
    this.scores = new Map([[0, scores]]);
    this.state = { measure: 0, run: overview.best, words: "", column: "topic", falls: false, page: 0, topic: null };
    this.compared = overview.baseline !== null && overview.runs.length > 1;
    if (this.compared && overview.best === overview.baseline) this.state.run = overview.order.find((run) => run !== overview.baseline);
    this.list = make("div", { class: "list" });
    this.detail = make("div", { class: "detail", tabindex: "-1" },
      make("p", { class: "quiet" }, "Choose a topic to see its documents, queries and scores."));
    this.chart = make("figure", { class: "wide" });
    const box = section.querySelector(".explorer");
    box.append(this.controls(), this.chart, make("div", { class: "panes" }, this.list, this.detail));
    box.hidden = false;
    this.render();
  }

  controls() {
    const { overview, state } = this;
    const options = (texts, chosen, places = texts.keys()) =>
      [...places].map((at) => make("option", { value: at, selected: at === chosen }, texts[at]));
    const choose = (key, element) => {
      element.addEventListener("change", async () => {
        state[key] = Number(element.value);
        state.page = 0;
        await this.render();
      });
      return element;
    };
    this.runChoice = choose("run", make("select", {}, ...options(overview.runs, state.run, overview.order)));
    const search = make("input", { type: "search", placeholder: "id or words of the title", oninput: () => {
      state.words = search.value;
      state.page = 0;
      this.render();
    } });
    const measures = choose("measure", make("select", {}, ...options(overview.measures, 0)));
    return make("div", { class: "controls" },
      make("label", {}, "Topic", search),
      overview.measures.length > 0 ? make("label", {}, "Measure", measures) : null,
      overview.runs.length > 1 ? make("label", {}, "Run", this.runChoice) : null,
      this.compared ? make("span", { class: "quiet" }, `against ${overview.runs[overview.baseline]}`) : null);
  }

  async scoresOf(measure) {
    if (!this.scores.has(measure)) this.scores.set(measure, await load(`${this.part}-scores-${measure}`));
    return this.scores.get(measure);
  }

  /* The rows of the list: the topics that match the search, sorted by the chosen column. */
  rows(scores) {
    const { overview, state } = this;
    const lower = overview.lower[state.measure];
    const words = state.words.toLowerCase().split(/\s+/).filter(Boolean);
    const rows = overview.topics.map((topic, at) => {
      const score = scores ? scores[state.run][at] : null;
      const base = scores && this.compared ? scores[overview.baseline][at] : null;
      return { at, topic, relevant: overview.relevant[at], score, base, ahead: computeLead(score, base, lower) };
    });
    const found = rows.filter(({ at, topic }) => {
      const text = `${topic} ${overview.titles[at]}`.toLowerCase();
      return words.every((word) => text.includes(word));
    });
    const key = (row) => (row[state.column] === "never" ? Infinity : row[state.column]);
    const sign = state.falls ? -1 : 1;
    return found.sort((a, b) => compareKeys(key(a), key(b), sign) || a.at - b.at);
  }

  async render() {
    const { state, overview } = this;
    const scores = overview.measures.length ? await this.scoresOf(state.measure) : null;
    this.shown = this.rows(scores);
    const pages = Math.max(1, Math.ceil(this.shown.length / ROWS_PER_PAGE));
    state.page = Math.min(state.page, pages - 1);
    const first = state.page * ROWS_PER_PAGE;
    const page = this.shown.slice(first, first + ROWS_PER_PAGE);
    this.list.replaceChildren(makeScrollable("Topics", this.table(page)), this.pager(pages, first, page.length));
    if (this.compared && scores) this.drawChart(scores);
  }

  columns() {
    const { overview, state } = this;
    const scored = overview.measures.length
      ? [["score", this.compared ? "run" : overview.measures[state.measure], `${overview.runs[state.run]}, ${overview.measures[state.measure]}`]] : [];
    const compared = this.compared
      ? [["base", "baseline", overview.runs[overview.baseline]], ["ahead", "difference", "run minus baseline"]] : [];
    return [["topic", "topic", ""], ["relevant", "relevant", "relevant documents"], ...scored, ...compared];
  }

  table(page) {
    const { overview, state } = this;
    const columns = this.columns();
    const heads = columns.map(([key, text, title]) => {
      const sort = () => {
        state.falls = state.column === key ? !state.falls : key !== "topic";
        Object.assign(state, { column: key, page: 0 });
        this.render().then(() => this.list.querySelector("th[aria-sort] button")?.focus());
      };
      const sorted = state.column === key ? (state.falls ? "descending" : "ascending") : undefined;
      return make("th", { scope: "col", class: key === "topic" ? undefined : "n", "aria-sort": sorted, title: title || undefined },
        make("button", { type: "button", onclick: sort }, text));
    });
    const kinds = { topic: undefined, relevant: "count", score: "number", base: "number", ahead: "number" };
    const widths = columns.map(([key]) => make("col", { class: kinds[key] }));
    return make("table", {},
      make("caption", {}, `Topics by ${overview.measures[state.measure] ?? "name"}`),
      make("colgroup", {}, ...widths),
      make("thead", {}, make("tr", {}, ...heads)),
      ...page.map((row) => this.row(row)));
  }

  /* A topic is a group of two rows: its numbers, and its title across all columns. */
  row({ at, topic, relevant, score, base, ahead }) {
    const { overview, state } = this;
    const link = make("a", { href: this.makeHash(at) }, topic);
    const cells = [make("th", { scope: "row" }, link), make("td", { class: "n" }, String(relevant))];
    if (overview.measures.length) cells.push(make("td", { class: "n" }, formatScore(score, overview, state.measure)));
    if (this.compared) {
      cells.push(make("td", { class: "n" }, formatScore(base, overview, state.measure)));
      cells.push(make("td", { class: `n ${classify(ahead) ?? ""}` }, formatDifference(score, base, overview, state.measure)));
    }
    const open = (event) => { if (event.target.tagName !== "A") location.hash = this.makeHash(at); };
    const current = state.topic === at;
    const title = overview.titles[at] ? make("tr", {}, make("td", { class: "title", colspan: cells.length }, overview.titles[at])) : null;
    return make("tbody", { class: current ? "current" : undefined, "data-topic": at, onclick: open },
      make("tr", { "aria-current": current ? "true" : undefined }, ...cells), title);
  }

  pager(pages, first, count) {
    const turn = (by) => () => { this.state.page += by; this.render(); };
    const total = this.shown.length;
    const button = (text, by, off) => make("button", { type: "button", disabled: off, onclick: turn(by) }, text);
    return make("div", { class: "pager" },
      pages > 1 ? button("Previous", -1, this.state.page === 0) : null,
      make("span", {}, total ? `${first + 1}–${first + count} of ${total.toLocaleString("en")}` : "No topic matches."),
      pages > 1 ? button("Next", 1, this.state.page === pages - 1) : null);
  }

  /* One bar per topic, the largest gain first; clicking a bar opens its topic. */
  drawChart(scores) {
    const { overview, state } = this;
    const lower = overview.lower[state.measure];
    const topics = overview.topics.map((_, at) => ({ at, value: scores[state.run][at], base: scores[overview.baseline][at] }));
    const leads = topics.map(({ value, base }) => computeLead(value, base, lower)).filter((ahead) => ahead !== null);
    const counts = { ahead: 0, behind: 0, equal: 0 };
    for (const ahead of leads) counts[classify(ahead) ?? "equal"] += 1;
    const bars = topics.filter(({ value, base }) => isNumber(value) && isNumber(base))
      .map(({ at, value, base }) => ({ at, change: (value - base) / overview.steps }))
      .sort((a, b) => (lower ? a.change - b.change : b.change - a.change));
    const high = Math.max(...bars.map(({ change }) => change), 0);
    const low = Math.min(...bars.map(({ change }) => change), 0);
    const [width, height, left] = [720, 176, 46];
    const step = (width - left - 6) / Math.max(bars.length, 1);
    const scale = (height - 12) / (high - low || 1);
    const zero = 6 + high * scale;
    const shapes = { ahead: "", behind: "" };
    bars.forEach(({ change }, place) => {
      const side = classify(lower ? -change : change);
      if (!side) return;
      const [x, y] = [left + place * step, -change * scale].map((number) => number.toFixed(1));
      shapes[side] += `M${x} ${zero.toFixed(1)}v${y}h${(step * (step > 3 ? 0.8 : 1)).toFixed(2)}V${zero.toFixed(1)}z`;
    });
    const label = (value) => draw("text", { x: 40, y: 10 + (high - value) * scale, "text-anchor": "end", "font-size": 10 },
      (value > 0 ? "+" : "") + String(Number(value.toPrecision(3))).replace("-", "−"));
    const svg = draw("svg", { class: "chart", viewBox: `0 0 ${width} ${height}`, role: "img" },
      draw("path", { class: "won", d: shapes.ahead }), draw("path", { class: "lost", d: shapes.behind }),
      draw("path", { class: "axis", d: `M${left} ${zero.toFixed(1)}H${width - 6}` }),
      ...[high, 0, low].filter((value) => !value || Math.abs(value) * scale > 10).map(label));
    const name = overview.runs[state.run];
    const caption = `${overview.measures[state.measure]}, topic by topic: ${name} minus ${overview.runs[overview.baseline]}. `
      + `${counts.ahead} won, ${counts.equal} equal, ${counts.behind} lost. Click a bar to open its topic.`
      + (leads.length > bars.length ? ` Not drawn: ${leads.length - bars.length} topics with an infinite score.` : "");
    svg.setAttribute("aria-label", caption);
    svg.style.cursor = "pointer";
    const at = (event) => {
      const box = svg.getBoundingClientRect();
      return bars[Math.floor(((event.clientX - box.left) / box.width * width - left) / step)];
    };
    svg.addEventListener("click", (event) => { if (at(event)) location.hash = this.makeHash(at(event).at); });
    const title = draw("title");
    svg.prepend(title);
    svg.addEventListener("mousemove", (event) => {
      const bar = at(event);
      title.textContent = bar ? `${overview.topics[bar.at]} ${overview.titles[bar.at]}` : "";
    });
    this.chart.replaceChildren(makeScrollable(caption, make("div", { class: "drawing", style: "width:49.5rem" }, svg)),
      make("figcaption", {}, caption));
  }

  makeHash(at) {
    return `#topic=${this.part}/${encodeURIComponent(this.overview.topics[at])}`;
  }

  async open(name) {
    const { overview, state } = this;
    const at = overview.topics.indexOf(name);
    if (at < 0) return;
    state.topic = at;
    const block = await load(`${this.part}-topics-${Math.floor(at / overview.block)}`);
    const scores = await Promise.all(overview.measures.map((_, measure) => this.scoresOf(measure)));
    if (!this.shown.some((row) => row.at === at)) state.words = this.section.querySelector("input").value = "";
    this.shown = this.rows(scores[state.measure]);
    state.page = Math.floor(this.shown.findIndex((row) => row.at === at) / ROWS_PER_PAGE);
    await this.render();
    this.detail.replaceChildren(...makeDetail(this, at, block, scores));
    this.detail.classList.add("opened");
    this.detail.querySelectorAll("table.sortable").forEach(makeSortable);
    this.detail.scrollIntoView({ block: "start", behavior: "instant" });
    this.detail.focus({ preventScroll: true });
  }
}

/* The open topic */

function makeDetail(explorer, at, block, scores) {
  const { overview } = explorer;
  const topic = { ...block.topics[at % overview.block], words: block.words };
  const order = moveToFront(overview.order, [explorer.state.run, overview.baseline]);
  const count = overview.relevant[at];
  const place = explorer.shown.findIndex((row) => row.at === at);
  const step = (by, text) => {
    const other = explorer.shown[place + by];
    return other ? make("a", { href: explorer.makeHash(other.at) }, text) : make("span", {}, text);
  };
  return [
    make("h4", {}, `Topic ${overview.topics[at]}`),
    overview.titles[at] ? make("p", { class: "title-line" }, overview.titles[at]) : null,
    make("p", { class: "pager" }, step(-1, "← previous"), step(1, "next →"),
      make("span", {}, count === 1 ? "1 relevant document" : `${count.toLocaleString("en")} relevant documents`)),
    ...makeScores(overview, at, order, scores, topic),
    ...makeDocuments(overview, order, topic),
    ...makeQueries(overview, order, topic),
  ].filter(Boolean);
}

/* The runs, best first, with the chosen ones among the first that are shown. */
function moveToFront(order, looked) {
  const first = order.slice(0, RUNS_AT_FIRST);
  const late = looked.filter((run, place) => run !== null && looked.indexOf(run) === place && !first.includes(run));
  const kept = first.slice(0, RUNS_AT_FIRST - late.length);
  return [...kept, ...late, ...order.filter((run) => !kept.includes(run) && !late.includes(run))];
}

function makeRunName(overview, run) {
  return [overview.runs[run], run === overview.baseline ? make("small", { class: "tag" }, "baseline") : null].filter(Boolean);
}

/* A list of the first items, with a button that shows all of them. */
function showFirst(items, first, what, build) {
  const box = make("div", {}, build(items.slice(0, first)));
  if (items.length <= first) return box;
  const more = make("button", { type: "button", onclick: () => box.replaceChildren(build(items)) }, `All ${items.length.toLocaleString("en")} ${what}`);
  box.append(more);
  return box;
}

function makeScores(overview, at, order, scores, topic) {
  if (scores.every((rows) => rows.every((row) => row[at] === null))) return [];
  const silent = new Set(topic.silent);
  const heads = overview.measures.map((name, measure) =>
    make("th", { scope: "col", class: "n", "data-rises": overview.lower[measure] }, name));
  const cell = (run, measure) => {
    const value = scores[measure][run][at];
    const base = overview.baseline === null ? null : scores[measure][overview.baseline][at];
    const side = classify(computeLead(value, base, overview.lower[measure]));
    return make("td", { class: `n ${side ?? ""}`, "data-key": value === "never" ? "Infinity" : value ?? "" }, formatScore(value, overview, measure));
  };
  const row = (run) => make("tr", {}, make("th", { scope: "row" }, ...joinWithSpaces(makeRunName(overview, run)),
    silent.has(run) ? make("small", { class: "quiet" }, " no results") : null), ...overview.measures.map((_, measure) => cell(run, measure)));
  const build = (runs) => makeScrollable("Scores", make("table", { class: "sortable" },
    make("thead", {}, make("tr", {}, make("th", { scope: "col" }, "run"), ...heads.map((head) => head.cloneNode(true)))),
    make("tbody", {}, ...runs.map(row))));
  const note = overview.baseline === null ? null : make("p", { class: "legend" },
    make("span", { style: "--key:var(--won)" }, "better"), make("span", { style: "--key:var(--lost)" }, "worse than the baseline"));
  return [make("h4", {}, "Scores"), showFirst(order, RUNS_AT_FIRST, "runs", build), note];
}

function joinWithSpaces(children) {
  return children.flatMap((child, place) => (place ? [" ", child] : [child]));
}

function makeRankCell(rank) {
  if (!rank) return make("td", { class: "missed", "aria-label": "missed" }, MISSING);
  const side = rank <= 10 ? "r10" : rank <= 100 ? "r100" : rank <= 1000 ? "r1000" : "";
  return make("td", { class: side }, String(rank));
}

function makeDocuments(overview, order, topic) {
  if (!topic.docs.length) return [make("h4", {}, "Relevant documents"), make("p", { class: "quiet" }, "None, so no measure is defined for this topic.")];
  const graded = new Set(topic.grades).size > 1;
  const documentHead = (place) => make("th", { scope: "row" }, make("div", { class: "document" }, topic.docs[place],
    graded ? make("small", { class: "quiet" }, ` grade ${topic.grades[place]}`) : null,
    topic.titles?.[place] ? make("span", { class: "title" }, topic.titles[place]) : null,
    topic.links?.[place] ? make("small", {}, ...topic.links[place].flatMap((href, at) =>
      [at ? " " : null, make("a", { href, rel: "noreferrer noopener", target: "_blank" }, ["Espacenet", "Google Patents"][at])])) : null));
  const found = (run) => topic.ranks[run].reduce((sum, rank) => sum + (rank > 0), 0);
  const table = (runs, places) => makeScrollable("Ranks of the relevant documents", make("table", { class: "matrix", style: `--runs:${runs.length}` },
    make("thead", {}, make("tr", {}, make("td", {}), ...runs.map((run) => make("th", { scope: "col" }, make("div", { class: "run" }, overview.runs[run])))) ),
    make("tbody", {},
      make("tr", { class: "sum" }, make("th", { scope: "row" }, make("div", { class: "document" }, "retrieved")), ...runs.map((run) => make("td", {}, String(found(run))))),
      ...places.map((place) => make("tr", {}, documentHead(place), ...runs.map((run) => makeRankCell(topic.ranks[run][place])))))));
  const build = (runs) => showFirst([...topic.docs.keys()], DOCUMENTS_AT_FIRST, "documents", (places) => table(runs, places));
  const keys = [["deep", "rank 1–10"], ["mid", "11–100"], ["pale", "101–1,000"], ["paper", "deeper"], ["lost-tint", "missed"]];
  return [make("h4", {}, "Relevant documents and their ranks"), showFirst(order, COLUMNS_AT_FIRST, "runs", build),
    make("p", { class: "legend" }, ...keys.map(([key, text]) => make("span", { style: `--key:var(--${key})` }, text)))];
}

function makeQueries(overview, order, topic) {
  if (!topic.queries) return [];
  const runsOf = topic.queries.map((_, query) => order.filter((run) => topic.query[run] === query));
  const used = [...topic.queries.keys()].sort((a, b) => order.indexOf(runsOf[a][0]) - order.indexOf(runsOf[b][0]));
  const build = (queries) => make("div", { class: "queries" }, ...queries.map((query) => makeQuery(overview, topic, query, runsOf[query])));
  return [make("h4", {}, "Queries"), showFirst(used, QUERIES_AT_FIRST, "queries", build)];
}

function formatWeight(weight) {
  return (Math.abs(weight) < 1000 && Math.abs(weight) >= 1e-4 ? weight.toPrecision(3) : String(weight)).replace("-", "−");
}

function makeQuery(overview, topic, query, runs) {
  const [terms, weights, count] = topic.queries[query];
  const most = Math.max(...weights.map(Math.abs), Number.MIN_VALUE);
  const names = runs.map((run) => overview.runs[run]).join(", ");
  const shown = terms.length < count ? `${terms.length} of ${count} terms` : count === 1 ? "1 term" : `${count} terms`;
  const items = terms.map((term, place) => make("li", {}, make("span", { title: topic.words[term] }, topic.words[term]),
    make("span", {}, make("i", { class: weights[place] < 0 ? "less" : undefined, style: `width:${(100 * Math.abs(weights[place]) / most).toFixed(1)}%` })),
    make("span", {}, formatWeight(weights[place]))));
  return make("div", { class: "query" }, make("h5", {}, names, " ", make("small", {}, shown)), make("ol", {}, ...items));
}

/* Links to topics */

const explorers = new Map();

async function openExplorer(section) {
  const part = section.dataset.part;
  if (!explorers.has(part)) explorers.set(part, makeExplorer(section, part));
  return explorers.get(part);
}

async function makeExplorer(section, part) {
  if (!("DecompressionStream" in window)) {
    const box = section.querySelector(".explorer");
    box.append(make("p", { class: "quiet" }, "This browser cannot decompress the list of topics; use one released in 2023 or later."));
    box.hidden = false;
    return null;
  }
  const overview = await load(`${part}-list`);
  return new Explorer(section, overview, overview.measures.length ? await load(`${part}-scores-0`) : null);
}

function decode(text) {
  try { return decodeURIComponent(text); } catch { return text; }
}

async function followHash() {
  const found = /^#topic=([^/]+)\/(.*)$/.exec(location.hash);
  if (!found) return;
  const section = [...document.querySelectorAll("section.topics")].find((each) => each.dataset.part === found[1]);
  if (section) await (await openExplorer(section))?.open(decode(found[2]));
}

function setUpTopics() {
  const watcher = new IntersectionObserver((entries) => {
    for (const { isIntersecting, target } of entries) if (isIntersecting) { watcher.unobserve(target); openExplorer(target); }
  }, { rootMargin: "1200px" });
  for (const section of document.querySelectorAll("section.topics")) watcher.observe(section);
  window.addEventListener("hashchange", followHash);
  followHash();
}

/* Set up the page */

setUpTheme();
document.querySelectorAll("table.sortable").forEach(makeSortable);
setUpTips();
setUpTopics();
