// The printed report: every row, because the list on the screen has only the visible ones.
import { byId, count, el, number, show } from "./dom.js";
import { overLimits } from "./problems.js";
import { editsOfRow, tokensOfRow } from "./function_list.js";

const HEADS = ["function", "operation", "safety", "tokens", "edits", "notes"];

/** Write all rows before printing, and remove them afterwards. */
export function printView(overview, rows, figures, changes) {
  const fill = () => show(byId("print"), ...report(overview, rows, figures(), changes()));
  const clear = () => show(byId("print"));
  window.addEventListener("beforeprint", fill);
  window.addEventListener("afterprint", clear);
}

function report(overview, rows, figures, changes) {
  const functions = rows.filter((row) => row.reason === undefined);
  const errors = rows.filter((row) => row.reason !== undefined);
  const over = overLimits(rows);
  const notes = figures.notes ?? [];
  return [
    el("h1", {}, `${overview.title} ${overview.version}`),
    el("p", {}, `${overview.format} · ${count(functions.length, "function")} · ${overview.generator}`),
    el("table", {}, el("thead", {}, el("tr", {}, HEADS.map((each) => el("th", { scope: "col" }, each)))),
      el("tbody", {}, functions.map((row) => el("tr", {},
        el("td", {}, el("code", {}, row.name), row.summary ? el("div", {}, row.summary) : null),
        el("td", {}, el("code", {}, `${row.method.toUpperCase()} ${row.path}`)), el("td", {}, row.safety),
        [tokensOfRow(row), editsOfRow(row), row.figures?.notes].map((each) =>
          el("td", { class: "figure" }, each === undefined ? "" : number(each))))))),
    list("Operations that are not functions", errors.map((row) => `${row.name}: ${row.reason} (#${row.pointer})`)),
    list("Exceeded limits", over.map(([row, text]) => `${row.name}: ${text}`)),
    list("Faults of the document", notes.map((note) => `${note.text} (#${note.pointer})`)),
    list("Changes", changes.map((each) => `${each.name}: ${each.sentence} (${each.kind}, breaking: ${each.breaking})`)),
  ];
}

const list = (title, texts) => (texts.length
  ? el("section", {}, el("h2", {}, `${title} (${number(texts.length)})`), el("ul", {}, texts.map((each) => el("li", {}, each)))) : null);
