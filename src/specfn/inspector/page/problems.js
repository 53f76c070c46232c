// The view of what is wrong: operations that are not functions, exceeded limits, and faults of the document.
import { badge, button, byId, code, el, hint, number, part, show } from "./dom.js";
import { onChange, openRow, state } from "./state.js";

/** Return the exceeded limits of rows as sentences with their rows. */
export const overLimits = rows => rows.flatMap(row => (row.figures?.over ?? []).map(text => [row, text]));

/** Fill the view whenever it is shown. Returns draw() and count(). */
export function problemsView(overview, rows, figures) {
  const errors = rows.filter(row => row.isError);
  const open = row => button("link", code(row.name), () => openRow(row.name));
  const list = (title, items, none) => part(`${title} (${number(items.length)})`, items.length ? el("ul.edits", items.map(each => el("li", each))) : hint(none));

  function draw() {
    if (state.view !== "problems") return;
    const over = overLimits(rows);
    const notes = [...Map.groupBy(figures().notes ?? [], note => note.text)];
    show(byId("view-problems"), el("div.page", el("h2", "Problems"),
      list("Operations that are not functions", errors.map(row =>
        [open(row), " ", badge(row.code, "bad"), el("div", row.reason), el("div.places", code(`#${row.pointer}`))]), "Every operation is a function."),
      list(`Exceeded limits of ${overview.profile}, to which its tools are fitted`, over.map(([row, text]) => [open(row), " ", text]), "No function exceeds a limit."),
      list("Faults of the document", notes.map(([text, all]) => [text, el("div.places",
        all.slice(0, 5).map(each => `#${each.pointer}`).join("  "), all.length > 5 ? ` and ${number(all.length - 5)} more` : "")]), "None was found.")));
  }

  onChange(["view"], draw);
  return { draw, count: () => errors.length + overLimits(rows).length + (figures().notes ?? []).length };
}
