// The printed report: every row, because the list on the screen has only the visible ones.
import { byId, code, count, el, number, on, show } from "./dom.js";
import { editsOfRow, tokensOfRow } from "./function_list.js";
import { overLimits } from "./problems.js";

const list = (title, texts) => (texts.length && el("section", el("h2", `${title} (${number(texts.length)})`), el("ul", texts.map(each => el("li", each)))));

/** Write all rows before printing, and remove them afterwards. */
export function printView(overview, rows, figures, changes) {
  const functions = rows.filter(row => !row.isError);
  const errors = rows.filter(row => row.isError);
  const cells = row => [[code(row.name), el("div", row.summary)], code(`${row.method.toUpperCase()} ${row.path}`), row.safety,
    ...[tokensOfRow(row), editsOfRow(row), row.figures?.notes].map(each => number(each ?? 0))];
  on(window, "beforeprint", () => show(byId("print"),
    el("h1", `${overview.title} ${overview.version}`),
    el("p", `${count(functions.length, "function")} · ${overview.generator}`),
    el("table", el("thead", el("tr", ["function", "operation", "safety", "tokens", "edits", "notes"].map(each => el("th", each)))),
      el("tbody", functions.map(row => el("tr", cells(row).map(each => el("td", each)))))),
    list("Operations that are not functions", errors.map(row => `${row.name}: ${row.reason} (#${row.pointer})`)),
    list("Exceeded limits", overLimits(rows).map(([row, text]) => `${row.name}: ${text}`)),
    list("Faults of the document", (figures().notes ?? []).map(note => `${note.text} (#${note.pointer})`)),
    list("Changes", changes().map(each => `${each.name}: ${each.sentence} (${each.kind}, breaking: ${each.breaking})`))));
  on(window, "afterprint", () => show(byId("print")));
}
