// The list of functions and of operations that are not functions: search, filters, order.
import { badge, byId, code, count, debounced, el, hint, number, on, show } from "./dom.js";
import { change, onChange, openRow, state } from "./state.js";
import { virtualList } from "./virtual_list.js";

/** The number of characters at the end of a name that are always shown. The style has the same number. */
const TAIL = 14;

const FILTERS = {
  read: row => row.safety === "read",
  write: row => row.safety === "write",
  destructive: row => row.safety === "destructive",
  edited: row => editsOfRow(row) > 0,
  noted: row => row.figures?.notes > 0,
  "over a limit": row => row.figures?.over.length > 0,
  refused: row => row.tool?.refused !== undefined,
  changed: row => row.changes > 0,
  "not a function": row => row.isError,
};

/** Return the tokens of a row as a tool of the selected profile. */
export const tokensOfRow = row => row.tool?.tokens ?? (row.tool?.refused ? undefined : row.figures?.tokens);

/** Return the number of edits of a row as a tool of the selected profile. */
export const editsOfRow = row => row.tool?.edits ?? row.figures?.edits;

const ORDERS = {
  tokens: (a, b) => (tokensOfRow(b) ?? 0) - (tokensOfRow(a) ?? 0),
  edits: (a, b) => (editsOfRow(b) ?? 0) - (editsOfRow(a) ?? 0),
  name: (a, b) => (a.name < b.name ? -1 : 1),
};

/** Return the rows of an overview: functions, then operations that are not functions. */
export function rowsOf(overview) {
  const errors = overview.errors.map(each => ({ ...each, name: `${each.method.toUpperCase()} ${each.path}`, summary: each.reason, isError: true }));
  const rows = [...overview.functions.map((each, index) => ({ ...each, index })), ...errors];
  for (const row of rows) row.words = `${row.name} ${row.method} ${row.path} ${row.summary} ${row.accessor ?? ""}`.toLowerCase();
  return rows;
}

/** Return the rows with the most of the words, without words such as "a" and "an". Those in names come first. */
function withMostWords(words, rows) {
  const countIn = text => words.filter(word => word.length > 2 && text.toLowerCase().includes(word)).length;
  const most = Math.max(1, ...rows.map(row => countIn(row.words)));
  return rows.filter(row => countIn(row.words) === most).sort((a, b) => countIn(b.name) - countIn(a.name));
}

/** Fill the panel with the list. Returns a function that updates it. */
export function functionList(source, rows) {
  const [query, sort] = [byId("query"), byId("sort")];
  const active = new Set();
  const byName = new Map(rows.map(row => [row.name, row]));
  let shown = rows;
  let ranked = [];

  const list = virtualList(byId("list"), {
    height: 54,
    row: index => rowNode(shown[index]),
    onSelect: (index, isClick) => (isClick ? openRow(shown[index].name) : change({ selected: shown[index].name, isChosen: true })),
    onEnter: index => {
      openRow(shown[index].name);
      byId("detail").querySelector("h2")?.focus();
    },
  });

  function apply() {
    const words = query.value.toLowerCase().split(/\s+/).filter(Boolean);
    const tests = [...active].map(name => FILTERS[name]);
    const isIn = text => words.every(word => text.includes(word));
    let hits = rows.filter(row => isIn(row.words));
    if (!hits.length) hits = withMostWords(words, rows);
    const found = new Set(words.length ? [
      ...hits.filter(row => row.name.toLowerCase() === words.join(" ")), ...ranked, ...hits.filter(row => isIn(row.name.toLowerCase())), ...hits] : rows);
    sort.options[0].text = words.length ? "best match" : "document order";
    shown = [...found].filter(row => !tests.length || tests.some(test => test(row)));
    if (ORDERS[sort.value]) shown.sort(ORDERS[sort.value]);
    list.reset(shown.length, shown.findIndex(row => row.name === state.selected));
    byId("shown").textContent = shown.length === rows.length ? count(rows.length, "operation") : `${number(shown.length)} of ${number(rows.length)}`;
    if (!shown.length) byId("list").append(hint("No function matches."));
  }

  async function rank() {
    const words = query.value;
    const found = words.trim() ? await source.search(words).catch(() => []) : [];
    if (query.value !== words) return;
    ranked = found.map(each => byName.get(each.name));
    apply();
  }

  const search = debounced(rank, 120);

  async function openBest() {
    if (source.search) await rank();
    if (!shown.length) return;
    state.focusesDetail = state.selected !== shown[0].name;
    list.select(0, true);
    byId("detail").querySelector("h2")?.focus();
  }

  on(query, "input", () => {
    ranked = [];
    apply();
    if (source.search) search();
  });
  on(query, "keydown", event => {
    if (event.key !== "ArrowDown" && event.key !== "Enter") return;
    event.preventDefault();
    if (event.key === "Enter") {
      openBest();
      return;
    }
    byId("list").focus();
    list.select(Math.max(0, list.active()));
  });
  on(sort, "change", apply);
  on(document, "keydown", event => {
    if (event.key !== "/" || event.target.matches("input, textarea, select")) return;
    event.preventDefault();
    document.body.dataset.at = "list";
    change({ view: "functions" });
    query.focus();
  });

  function chips() {
    show(byId("chips"), Object.entries(FILTERS).map(([name, test]) => {
      const found = rows.filter(test).length;
      return (found || active.has(name)) && el("button.chip", { "aria-pressed": String(active.has(name)), "data-name": name, onclick: () => {
        if (!active.delete(name)) active.add(name);
        update();
        byId("chips").querySelector(`[data-name="${name}"]`).focus();
      } }, `${name} ${number(found)}`);
    }));
  }

  function update() {
    chips();
    apply();
  }

  onChange(["selected"], () => {
    const index = shown.findIndex(row => row.name === state.selected);
    if (index !== list.active()) list.activate(index);
  });
  update();
  return update;
}

/** Return a name that is cut in the middle if it is too long: its end tells more than its middle. */
function nameNode(name) {
  return el("code.name", { title: name }, el("span.head", name.slice(0, -TAIL)), name.slice(-TAIL));
}

function rowNode(row) {
  const { isError } = row;
  const [kind, tokens, edits] = [isError ? "error" : row.safety, tokensOfRow(row), editsOfRow(row)];
  return el("div.row",
    el("div.first", el(`span.method.${kind}`, row.method.toUpperCase()), nameNode(isError ? row.path : row.name),
      row.changes && badge("changed", "info"), row.deprecated && badge("deprecated")),
    el("div.second", el("span.where", row.summary || row.path), isError && badge(row.code, "bad"),
      edits && el("span.figure", count(edits, "edit")), tokens && el("span.figure", `${number(tokens)} tok`),
      row.tool?.refused && badge("refused", "bad")));
}
