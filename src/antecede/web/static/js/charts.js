// Figures as SVG elements.

import { h, number, s } from "./dom.js";

/** The share of the heaviest terms in a score: one small bar per term. */
export function whyBars(shares, most = 5) {
  const shown = shares.slice(0, most);
  const largest = Math.max(...shown.map((each) => Math.abs(each.score)), 1e-12);
  const spoken = shown.map((each) => `${each.word} ${Math.round(100 * (each.share ?? each.score / largest))} %`).join(", ");
  return h("div", { class: "why", role: "img", "aria-label": `Why: ${spoken}`, title: spoken },
    shown.map((each) => h("div", { class: "why-row" },
      h("span", { class: "why-word" }, each.word),
      h("span", { class: "why-track" }, h("span", { class: each.score < 0 ? "why-bar minus" : "why-bar", style: { width: `${(100 * Math.abs(each.score)) / largest}%` } })))));
}

function ticks(top, most = 5) {
  if (!(top > 0)) return [0];
  const raw = top / most;
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = Math.max(1, [1, 2, 5, 10].map((each) => each * power).find((each) => each >= raw) || 1);
  const found = [];
  for (let at = 0; at <= top + step * 0.001; at += step) found.push(Math.round(at));
  return found;
}

/** Finds against reading, with what the estimate allows as a band: {low, high}. */
export function findsCurve(points, estimate, width = 760, height = 300) {
  const margin = { left: 44, right: 150, top: 14, bottom: 40 };
  const [lastRead, found] = points.at(-1) ?? [0, 0];
  const read = Math.max(lastRead, 5);
  const open = estimate && !(estimate.high <= Math.max(5 * (found + 1), 12)); // the band goes on above the figure
  const top = Math.max(found + 1, 4, estimate ? (open ? 3 * (found + 1) : estimate.high) : 0);
  const [right, bottom] = [width - margin.right, height - margin.bottom];
  const x = (value) => margin.left + (value / read) * (right - margin.left);
  const y = (value) => bottom - (Math.min(value, top) / top) * (bottom - margin.top);
  const steps = [[0, 0], ...points].map(([at, value], place) => (place ? `H${x(at)}V${y(value)}` : `M${x(at)} ${y(value)}`)).join("");
  const upTo = estimate && (Number.isFinite(estimate.high) ? number(Math.ceil(estimate.high)) : "any number");
  const label = `${number(found)} relevant documents after ${number(lastRead)} read${estimate ? `; the estimate allows ${number(Math.floor(estimate.low))} to ${upTo}` : ""}`;
  const foot = Math.min(estimate?.low ?? 0, top);
  const ceiling = estimate ? (open ? margin.top : y(estimate.high)) + 8 : 0;
  const name = ceiling > y(found) - 14 ? y(found) - 12 : ceiling; // the two labels must not overlap
  return s("svg", { class: "curve", viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": label },
    estimate ? [
      s("rect", { class: "band", x: margin.left, width: right - margin.left, y: margin.top, height: Math.max(1, y(foot) - margin.top), ...(open ? {} : { y: y(estimate.high), height: Math.max(1, y(foot) - y(estimate.high)) }) }),
      s("text", { class: "total-label", x: right + 8, y: name }, `estimate ${number(Math.floor(estimate.low))} to ${upTo}${open ? " ↑" : ""}`)] : null,
    ticks(top).map((value) => [
      s("line", { class: "grid", x1: margin.left, x2: right, y1: y(value), y2: y(value) }),
      s("text", { class: "tick", x: margin.left - 7, y: y(value) + 4, "text-anchor": "end" }, number(value))]),
    ticks(read, 6).map((value) => s("text", { class: "tick", x: x(value), y: bottom + 17, "text-anchor": "middle" }, number(value))),
    s("text", { class: "axis", x: (margin.left + right) / 2, y: height - 5, "text-anchor": "middle" }, "documents read"),
    s("text", { class: "axis", x: 12, y: (bottom + margin.top) / 2, transform: `rotate(-90 12 ${(bottom + margin.top) / 2})`, "text-anchor": "middle" }, "relevant found"),
    s("path", { class: "finds", d: steps }),
    points.length ? [s("circle", { class: "finds-end", cx: x(lastRead), cy: y(found), r: 4 }), s("text", { class: "finds-label", x: Math.max(x(lastRead) + 8, 0), y: y(found) + 4 }, `found ${number(found)}`)] : null);
}

/** Counts per year as thin columns. */
export function yearColumns(years, width = 640, height = 120) {
  const known = Object.entries(years).map(([year, count]) => [Number(year), count]).filter(([year]) => Number.isFinite(year)).sort((a, b) => a[0] - b[0]);
  if (!known.length) return null;
  const [first, last] = [known[0][0], known.at(-1)[0]];
  const top = Math.max(...known.map((each) => each[1]));
  const step = (width - 50) / (last - first + 1);
  const y = (value) => 8 + (1 - value / top) * (height - 32);
  const every = Math.max(1, Math.ceil((40 * (last - first + 1)) / (width - 50)));
  return s("svg", { class: "columns", viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": `Documents per year, ${first} to ${last}, at most ${number(top)}` },
    s("text", { class: "tick", x: 40, y: y(top) + 6, "text-anchor": "end" }, number(top)),
    s("line", { class: "grid", x1: 46, x2: width, y1: y(0), y2: y(0) }),
    known.map(([year, count]) => s("rect", { class: "year", x: 46 + (year - first) * step + step * 0.1, width: Math.max(0.8, step * 0.8), y: y(count), height: y(0) - y(count) }, s("title", {}, `${year}: ${number(count)}`))),
    known.filter(([year]) => (year - first) % every === 0).map(([year]) => s("text", { class: "tick", x: 46 + (year - first + 0.5) * step, y: height - 6, "text-anchor": "middle" }, String(year))));
}

/** Names with counts as horizontal bars. */
export function countBars(counts, most = 10) {
  const entries = Object.entries(counts).sort((a, b) => b[1] - a[1]);
  const top = Math.max(...entries.map((each) => each[1]), 1);
  const rest = entries.slice(most);
  const row = ([name, count]) => h("tr", {}, h("th", { scope: "row" }, name || "unknown"), h("td", { class: "n" }, number(count)),
    h("td", { class: "bar-cell" }, h("span", { class: "count-bar", style: { width: `${(100 * count) / top}%` } })));
  return h("table", { class: "count-bars" }, h("tbody", {}, entries.slice(0, most).map(row),
    rest.length ? row([`${rest.length} more`, rest.reduce((sum, each) => sum + each[1], 0)]) : null));
}

/** How much of a feature or claim a passage has: a bar and its share. */
export function strengthBar(share) {
  if (share === null || share === undefined) return null;
  const percent = `${Math.round(100 * share)} %`;
  return h("span", { class: "strength", title: `The passage has ${percent} of the words, rare words counting more` },
    h("span", { class: "strength-track" }, h("span", { class: "strength-bar", style: { width: `${100 * share}%` } })), percent);
}
