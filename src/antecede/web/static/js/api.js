// The JSON API of the server, as described at /api/docs. Requests carry the CSRF token; a refusal becomes an ApiError.

import { find } from "./dom.js";
import { change, state } from "./state.js";

export class ApiError extends Error {
  constructor(status, detail, body) {
    super(detail);
    this.status = status;
    this.body = body;
  }
}

export const SILENT = "The server does not answer. What was confirmed is stored; start `antecede serve` again if it was stopped.";

const token = () => find("meta[name=csrf-token]").content;

let pending = 0;

/** Counts the requests under way; the page shows a line at the top while there are any. */
async function track(promise) {
  pending += 1;
  document.documentElement.classList.add("pending");
  try {
    return await promise;
  } finally {
    pending -= 1;
    // What follows on an answer may ask again at once.
    setTimeout(() => { if (!pending) document.documentElement.classList.remove("pending"); });
  }
}

async function answerOf(method, path, { json, raw, signal } = {}) {
  const headers = { Accept: "application/json" };
  let body;
  if (method !== "GET") headers["X-CSRF-Token"] = token();
  if (json !== undefined) { headers["Content-Type"] = "application/json"; body = JSON.stringify(json); }
  if (raw !== undefined) { headers["Content-Type"] = "application/octet-stream"; body = raw; }
  let answer;
  let text;
  try {
    answer = await fetch(`/api${path}`, { method, headers, body, signal, credentials: "same-origin" });
    text = await answer.text();
  } catch (error) {
    if (error.name === "AbortError") throw error;
    change({ offline: true });
    throw new ApiError(0, SILENT, null);
  }
  if (state.offline) change({ offline: false });
  if (answer.status === 204) return null;
  let value = null;
  try { value = text ? JSON.parse(text) : null; } catch { /* not JSON: the status says enough */ }
  if (answer.ok) return value;
  if (answer.status === 401 && document.body.dataset.user) location.assign(`/login?next=${encodeURIComponent(location.pathname)}`);
  throw new ApiError(answer.status, value?.detail || `The server answered with status ${answer.status}.`, value);
}

const request = (...given) => track(answerOf(...given));

export const query = (values) => {
  const given = Object.entries(values).filter(([, value]) => value !== undefined && value !== null && value !== "");
  return given.length ? `?${new URLSearchParams(given)}` : "";
};

export const get = (path, options) => request("GET", path, options);
export const post = (path, json, options) => request("POST", path, { json: json ?? {}, ...options });
export const put = (path, json, options) => request("PUT", path, { json, ...options });
export const patch = (path, json) => request("PATCH", path, { json });
export const remove = (path) => request("DELETE", path);
export const send = (path, raw, options) => request("POST", path, { raw, ...options });

/** The address of an export, for a link. */
export const exportAddress = (id, name, values = {}) => `/api/cases/${encodeURIComponent(id)}/export/${name}${query(values)}`;

/** The API of one case. A change names the version of what the user saw. */
export function caseApi(id) {
  const root = `/cases/${encodeURIComponent(id)}`;
  return {
    root,
    get: () => get(root),
    topic: () => get(`${root}/topic`),
    patch: (values) => patch(root, values),
    query: () => get(`${root}/query`),
    saveQuery: (values) => put(`${root}/query`, values),
    addWords: (values) => post(`${root}/query/words`, values),
    describeWords: (words, options) => get(`${root}/query/words${query({ words })}`, options),
    expression: (values, options) => post(`${root}/query/expression`, values, options),
    step: (name, version) => post(`${root}/query/${name}`, { version }),
    search: (values, options) => post(`${root}/search`, values, options),
    more: (values, options) => post(`${root}/more`, values, options),
    results: (search, values, options) => get(`${root}/searches/${search}${query(values)}`, options),
    facets: (search, values, options) => get(`${root}/searches/${search}/facets${query(values)}`, options),
    nameSearch: (search, values) => patch(`${root}/searches/${search}`, values),
    document: (doc, values, options) => get(`${root}/document${query({ id: doc, ...values })}`, options),
    seen: (values) => post(`${root}/seen`, values),
    mark: (values) => patch(`${root}/marks`, values),
    unmark: (doc, version) => remove(`${root}/marks${query({ id: doc, version })}`),
    restoreMark: (values) => post(`${root}/marks/restore`, values),
    marks: () => get(`${root}/marks`),
    chart: () => get(`${root}/chart`),
    saveChart: (values) => put(`${root}/chart`, values),
    chartClaims: (values) => post(`${root}/chart/features`, values),
    chartCell: (values) => put(`${root}/chart/cell`, values),
    progress: () => get(`${root}/progress`),
    compare: (first, second, depth) => get(`${root}/compare${query({ first, second, depth })}`),
  };
}
