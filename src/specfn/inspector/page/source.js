// The data of the page: from the blocks of a static report, or from the server.
import { byId, on } from "./dom.js";

/** Return the tokens of a JSON Pointer. */
export const tokensOf = pointer =>
  pointer.split("/").slice(1).map(each => each.replaceAll("~1", "/").replaceAll("~0", "~"));

/** Return the value at a JSON Pointer. */
export function valueAt(value, pointer) {
  for (const token of tokensOf(pointer)) {
    if (value === null || typeof value !== "object" || !Object.hasOwn(value, token)) return undefined;
    value = value[token];
  }
  return value;
}

const parsed = () => document.readyState !== "loading" || new Promise(resolve => {
  on(document, "DOMContentLoaded", resolve, { once: true });
});

async function decompress(encoded) {
  const bytes = Uint8Array.from(atob(encoded), each => each.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(stream).text();
}

async function block(id) {
  if (!byId(id)) await parsed();
  const found = byId(id);
  const text = found?.textContent ?? "null";
  return JSON.parse(found?.type === "text/plain" ? await decompress(text) : text);
}

/** Return the source of a static report. */
export function staticSource() {
  const known = new Map();
  const once = id => {
    if (!known.has(id)) known.set(id, block(id));
    return known.get(id);
  };
  const details = row => block(`f${row.index}`);
  return {
    live: null,
    overview: () => once("overview"),
    figures: () => once("figures"),
    total: async profile => (await once("figures")).totals[profile],
    changes: byId("changes") ? () => once("changes") : null,
    search: null,
    details,
    async view(row, profile) {
      const { views, shared } = await details(row);
      const view = { ...views[profile] };
      for (const key of ["description", "schema", "edits"]) if (key in view) view[key] = shared[view[key]];
      return view;
    },
    part: async pointer => valueAt(await once("document"), pointer),
  };
}

async function answer(response) {
  const data = await response.json();
  if (!response.ok) throw new Error(data.error ?? `status ${response.status}`);
  return data;
}

const get = async (path, query = {}) =>
  answer(await fetch(`api/${path}?${new URLSearchParams(query)}`));

const post = async (path, body) => answer(await fetch(`api/${path}`, {
  method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body),
}));

/** Return the source that asks the server. */
export async function liveSource() {
  const overview = await get("overview");
  const known = new Map();
  const once = (key, load) => {
    if (!known.has(key)) {
      known.set(key, load().catch(error => { known.delete(key); throw error; }));
    }
    return known.get(key);
  };
  return {
    live: overview.live,
    overview: async () => overview,
    figures: () => once("figures", () => get("figures")),
    total: profile => once(`total ${profile}`, () => get("total", { profile })),
    changes: overview.live.compares ? () => once("changes", () => get("changes")) : null,
    search: query => get("search", { query }),
    details: row => once(`f ${row.name}`, () => get("details", { name: row.name })),
    view: (row, profile) => once(`v ${profile} ${row.name}`, () => get("view", { name: row.name, profile })),
    part: pointer => once(`p ${pointer}`, () => get("part", { pointer })),
    check: call => post("check", call),
    send: call => post("send", call),
  };
}
