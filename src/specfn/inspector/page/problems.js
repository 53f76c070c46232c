// The view of what is wrong: operations that are no functions, exceeded limits, and faults of the document.
import { badge, byId, code, count, el, number, part, show } from "./dom.js";
import { change, onChange, state } from "./state.js";

const LIMITS = {
  depth: (over) => `parameters nested ${number(over.value)} deep, limit ${number(over.limit)}`,
  description: (over) => `a description of ${number(over.value)} characters, limit ${number(over.limit)}`,
  name: (over) => `the name is not accepted: ${over.limit}`,
  parameters_bytes: (over) => `parameters of ${number(over.value)} bytes, limit ${number(over.limit)}`,
  properties: (over) => `${number(over.value)} properties, limit ${number(over.limit)}`,
};

/** Return the exceeded limits of rows as sentences with their rows. */
export function overLimits(rows) {
  return rows.flatMap((row) => (row.figures?.over ?? []).map((over) => [row, LIMITS[over.what]?.(over) ?? over.what]));
}

/** Return notes of the document, equal texts once with their places. */
function grouped(notes) {
  const found = new Map();
  for (const note of notes) found.set(note.text, [...(found.get(note.text) ?? []), note.pointer]);
  return [...found];
}

/** Fill the view whenever it is shown. */
export function problemsView(overview, rows, figures) {
  const open = (row) => el("button", {
    type: "button", class: "link",
    onclick: () => { document.body.dataset.at = "detail"; change({ view: "functions", selected: row.name, isChosen: true }); },
  }, code(row.name));

  function draw() {
    if (state.view !== "problems") return;
    const errors = rows.filter((row) => row.reason !== undefined);
    const over = overLimits(rows);
    const notes = grouped(figures().notes ?? []);
    const list = (items) => el("ul", { class: "edits" }, items);
    show(byId("view-problems"), el("div", { class: "page" }, el("h2", {}, "Problems"),
      part(`${count(errors.length, "operation")} not a function`, errors.length ? list(errors.map((row) => el("li", {},
        open(row), " ", badge(row.code, "bad"), el("div", {}, row.reason), el("div", { class: "places" }, code(`#${row.pointer}`)))))
        : el("p", { class: "hint" }, "Every operation is a function.")),
      part(`${count(over.length, "exceeded limit")} (profile ${overview.profile})`, over.length ? list(over.map(([row, text]) => el("li", {}, open(row), " ", text)))
        : el("p", { class: "hint" }, "None.")),
      part(`${count(notes.length, "fault")} of the document`, notes.length ? list(notes.map(([text, pointers]) => el("li", {},
        el("div", {}, text), el("div", { class: "places" }, pointers.slice(0, 5).map((each) => [code(`#${each}`), " "]),
          pointers.length > 5 ? `and ${number(pointers.length - 5)} more` : ""))))
        : el("p", { class: "hint" }, "None was found."))));
  }

  onChange(["view"], draw);
  return { draw, count: () => rows.filter((row) => row.reason !== undefined).length + overLimits(rows).length + (figures().notes ?? []).length };
}
