// What others do to the case, and other windows of this browser, as the server tells it: it goes through the same actions.
// Of the windows of a browser that show a case, one holds the connection and passes on what it hears.

import { caseApi } from "./api.js";
import { announce, noteSearch, readQuery, settled, showSearch, takeMark } from "./actions.js";
import { change, state } from "./state.js";

const AGAIN = 3000; // milliseconds after which a connection that was refused is tried again

const TAKE = {
  mark: ({ key, record, version, user }) => {
    if (record?.version === state.marks.get(key)?.version && !!record === state.marks.has(key)) return;
    takeMark(key, record, version);
    if (user !== state.user) announce(`${key}: marked by ${user}`);
  },
  name: ({ record }) => change(record, state.case),
  notes: ({ record }) => change(record, state.case),
  topic: ({ record }) => change(record, state.case),
  people: ({ record: { people, shared } }) => {
    const { right } = people.find((person) => person.user === state.user) ?? { right: shared ? "write" : state.case.right };
    change({ people, shared, right: state.case.right === "own" ? "own" : right }, state.case);
  },
  query: async ({ version }) => { await settled(); if (state.query.view && version > state.query.version) await readQuery(); },
  search: async ({ key, record, user }) => {
    await settled();
    const known = state.case.searches.some((search) => search.number === Number(key));
    noteSearch(record);
    if (known || !state.search.info || state.search.doing) return;
    // The windows of one person show the same search, unless one was chosen; to others it is offered.
    if (user === state.user && !state.search.chosen) await showSearch(record.number);
    else change({ offered: record }, state.search);
  },
  chart: () => state.page.follow?.(),
  cell: () => state.page.follow?.(),
};

async function take({ event, data }) {
  if (!state.case) return;
  if (event === "present") change({ people: data.users });
  else if (event === "gone") change({ problem: data.detail });
  else if (event === "offline") change({ offline: data });
  else if (data.version > (state.case.heard ?? 0)) {
    state.case.heard = data.version;
    if (data.kind in state.case.versions) state.case.versions[data.kind] = data.version;
    await TAKE[data.kind]?.(data);
    if (data.kind === "mark" || data.kind === "search") state.page.follow?.();
  }
}

/** Follows a case from a version on; returns what ends it. */
export function follow(id, after) {
  const name = `antecede.events.${id}`;
  const channel = new BroadcastChannel(name);
  const left = new AbortController();
  let source = null;
  let people = null;
  const pass = (event, data) => {
    if (event === "present") people = data;
    channel.postMessage({ event, data });
    take({ event, data });
  };
  const listen = () => {
    if (left.signal.aborted) return;
    source = new EventSource(`/api/cases/${encodeURIComponent(id)}/events?after=${state.case.heard ?? after}`);
    for (const event of ["change", "present", "gone"]) source.addEventListener(event, ({ data }) => pass(event, JSON.parse(data)));
    source.addEventListener("gone", () => source.close());
    source.onopen = () => pass("offline", false);
    source.onerror = () => (source.readyState === EventSource.CLOSED ? ask() : pass("offline", true));
  };
  // A stream that is refused does not say why; another request does, or leads to where one signs in again.
  const ask = async () => {
    try {
      await caseApi(id).get();
      pass("offline", false);
    } catch (error) {
      if (error.status) { pass("gone", { detail: error.message }); return; }
      pass("offline", true);
    }
    setTimeout(listen, AGAIN);
  };
  const hold = () => new Promise((end) => { listen(); left.signal.addEventListener("abort", end); });
  channel.onmessage = ({ data }) => (data.event === "hello" ? people && channel.postMessage({ event: "present", data: people }) : take(data));
  if (navigator.locks) navigator.locks.request(name, { signal: left.signal }, hold).catch(() => { /* left before it was its turn */ });
  else hold();
  channel.postMessage({ event: "hello" });
  return () => { left.abort(); source?.close(); channel.close(); };
}
