// The JSON API of the server, as described at /api/docs. Requests carry the CSRF token; a refusal becomes an ApiError.

import { find } from "./dom.js";

export class ApiError extends Error {
  constructor(status, detail, body) {
    super(detail);
    this.status = status;
    this.body = body;
  }
}

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
  try {
    answer = await fetch(`/api${path}`, { method, headers, body, signal, credentials: "same-origin" });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new ApiError(0, "The server does not answer. What was confirmed is stored; start `antecede serve` again and reload.", null);
  }
  if (answer.status === 204) return null;
  const text = await answer.text();
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

/** The API of one case. */
export function caseApi(id) {
  const root = `/cases/${encodeURIComponent(id)}`;
  const channel = new BroadcastChannel(`antecede.case.${id}`);
  return {
    id,
    /** Tells the other tabs of this browser what was done to the case. */
    tell: (what) => channel.postMessage(what),
    listen: (hear) => { channel.onmessage = ({ data }) => hear(data); },
    leave: () => channel.close(),
    get: () => get(root),
    topic: () => get(`${root}/topic`),
    patch: (values) => patch(root, values),
    query: () => get(`${root}/query`),
    saveQuery: (state, options) => put(`${root}/query`, state, options),
    addWords: (words) => post(`${root}/query/words`, { words }),
    expression: (asked, options) => post(`${root}/query/expression`, asked, options),
    undo: () => post(`${root}/query/undo`),
    redo: () => post(`${root}/query/redo`),
    reset: () => post(`${root}/query/reset`),
    search: (values, options) => post(`${root}/search`, values, options),
    more: (values, options) => post(`${root}/more`, values, options),
    results: (search, values, options) => get(`${root}/searches/${search}${query(values)}`, options),
    facets: (search, values, options) => get(`${root}/searches/${search}/facets${query(values)}`, options),
    nameSearch: (search, name) => patch(`${root}/searches/${search}`, { name }),
    document: (doc, values, options) => get(`${root}/document${query({ id: doc, ...values })}`, options),
    seen: (values) => post(`${root}/seen`, values),
    mark: (values) => put(`${root}/marks`, values),
    unmark: (doc) => remove(`${root}/marks${query({ id: doc })}`),
    marks: () => get(`${root}/marks`),
    chart: () => get(`${root}/chart`),
    saveChart: (values) => put(`${root}/chart`, values),
    chartClaims: (claims) => post(`${root}/chart/features`, { claims }),
    chartCell: (values) => put(`${root}/chart/cell`, values),
    progress: () => get(`${root}/progress`),
    compare: (first, second, depth) => get(`${root}/compare${query({ first, second, depth })}`),
  };
}
