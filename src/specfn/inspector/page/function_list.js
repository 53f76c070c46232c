// The list of functions and of operations that are none: search, filters, order.
import { badge, byId, code, count, debounced, el, number, show } from "./dom.js";
import { change, onChange, state } from "./state.js";
import { VirtualList } from "./virtual_list.js";

const ROW_HEIGHT = 54;

const FILTERS = [
  ["read", (row) => row.safety === "read"],
  ["write", (row) => row.safety === "write"],
  ["destructive", (row) => row.safety === "destructive"],
  ["edited", (row) => editsOfRow(row) > 0],
  ["noted", (row) => row.figures?.notes > 0],
  ["over a limit", (row) => row.figures?.over.length > 0],
  ["refused", (row) => row.tool?.refused !== undefined],
  ["changed", (row) => row.changes > 0],
  ["not a function", (row) => row.reason !== undefined],
];

/** Return the tokens of a row as a tool of the selected profile. */
export const tokensOfRow = (row) => row.tool?.tokens ?? (row.tool?.refused ? undefined : row.figures?.tokens);

/** Return the number of edits of a row as a tool of the selected profile. */
export const editsOfRow = (row) => row.tool?.edits ?? row.figures?.edits;

const ORDERS = {
  "": null,
  tokens: (a, b) => (tokensOfRow(b) ?? 0) - (tokensOfRow(a) ?? 0),
  edits: (a, b) => (editsOfRow(b) ?? 0) - (editsOfRow(a) ?? 0),
  name: (a, b) => (a.name < b.name ? -1 : 1),
};

/** Return the rows of an overview: functions, then operations that are none. */
export function rowsOf(overview) {
  const rows = overview.functions.map((each, index) => ({ ...each, index }));
  for (const error of overview.errors) {
    rows.push({ ...error, name: `${error.method.toUpperCase()} ${error.path}`, summary: error.reason });
  }
  for (const row of rows) {
    row.words = `${row.name} ${row.method} ${row.path} ${row.summary} ${row.accessor ?? ""}`.toLowerCase();
  }
  return rows;
}

/** Fill the panel with the list, and keep it up to date. */
export function functionList(source, rows) {
  const active = new Set();
  const byName = new Map(rows.map((row) => [row.name, row]));
  let shown = rows;
  let ranked = null;

  const list = new VirtualList(byId("list"), {
    height: ROW_HEIGHT,
    row: (index) => rowNode(shown[index]),
    onSelect: (index, isClick) => {
      change({ selected: shown[index].name, isChosen: true });
      if (isClick) document.body.dataset.at = "detail";
    },
    onEnter: () => {
      document.body.dataset.at = "detail";
      byId("detail").querySelector("h2")?.focus();
    },
  });
  byId("list").setAttribute("aria-label", "Functions");

  function apply() {
    const words = byId("query").value.toLowerCase().split(/\s+/).filter(Boolean);
    const passes = FILTERS.filter(([name]) => active.has(name)).map(([, test]) => test);
    let found = rows.filter((row) => words.every((word) => row.words.includes(word)));
    if (ranked && words.length) {
      const first = ranked.map((name) => byName.get(name)).filter(Boolean);
      const known = new Set(first);
      found = [...first, ...found.filter((row) => !known.has(row))];
    }
    shown = found.filter((row) => passes.length === 0 || passes.some((test) => test(row)));
    const order = ORDERS[byId("sort").value];
    if (order) shown = [...shown].sort(order);
    list.reset(shown.length, shown.findIndex((row) => row.name === state.selected));
    byId("shown").textContent = shown.length === rows.length
      ? count(rows.length, "operation") : `${number(shown.length)} of ${number(rows.length)}`;
    if (shown.length === 0) show(byId("list"), el("p", { class: "hint" }, "No function matches."));
  }

  const search = debounced(async () => {
    const query = byId("query").value.trim();
    if (!query) return;
    try {
      const found = await source.search(query);
      if (byId("query").value.trim() !== query) return;
      ranked = found.map((each) => each.name);
      apply();
    } catch { /* the rows that contain the words stay */ }
  }, 120);

  byId("query").addEventListener("input", () => {
    ranked = null;
    apply();
    if (source.search) search();
  });
  byId("query").addEventListener("keydown", (event) => {
    if (event.key !== "ArrowDown" && event.key !== "Enter") return;
    event.preventDefault();
    byId("list").focus();
    list.select(Math.max(0, list.active));
  });
  byId("sort").addEventListener("change", apply);
  document.addEventListener("keydown", (event) => {
    if (event.key !== "/" || /^(INPUT|TEXTAREA|SELECT)$/.test(document.activeElement?.tagName)) return;
    event.preventDefault();
    change({ view: "functions" });
    byId("query").focus();
  });

  function chips() {
    show(byId("chips"), FILTERS.map(([name, test]) => {
      const found = rows.filter(test).length;
      if (!found && !active.has(name)) return null;
      return el("button", {
        type: "button", class: "chip", "aria-pressed": active.has(name) ? "true" : "false",
        onclick: () => {
          if (!active.delete(name)) active.add(name);
          chips();
          apply();
          [...byId("chips").children].find((each) => each.dataset.name === name)?.focus();
        },
        "data-name": name,
      }, `${name} `, el("span", { class: "n" }, number(found)));
    }));
  }

  onChange(["selected"], () => {
    const index = shown.findIndex((row) => row.name === state.selected);
    if (index >= 0 && index !== list.active) list.select(index);
  });

  const update = () => {
    chips();
    apply();
  };
  update();
  return { update, select: (name) => list.select(Math.max(0, shown.findIndex((row) => row.name === name))) };
}

function rowNode(row) {
  const isError = row.reason !== undefined;
  const tokens = tokensOfRow(row);
  const edits = editsOfRow(row);
  return el("div", { class: `row ${isError ? "error" : row.safety}` },
    el("div", { class: "first" },
      el("span", { class: `method ${isError ? "error" : row.safety}` }, row.method.toUpperCase()),
      code(isError ? row.path : row.name, { class: "name", title: row.name }),
      row.changes ? badge("changed", "info") : null,
      row.deprecated ? badge("deprecated", "") : null),
    el("div", { class: "second" },
      el("span", { class: "where" }, isError ? row.reason : row.summary || row.path),
      isError ? badge(row.code, "bad") : null,
      edits ? el("span", { class: "figure" }, count(edits, "edit")) : null,
      tokens !== undefined ? el("span", { class: "figure strong" }, `${number(tokens)} tok`) : null,
      row.tool?.refused ? badge("refused", "bad") : null));
}
