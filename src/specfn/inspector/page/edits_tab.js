// The tab with every difference between the document and the schemas, and with notes for a careful reader.
import { button, code, count, el, hint, kindTitle, part, show } from "./dom.js";
import { flash } from "./json_view.js";

/** Return the edits of a view, and those of the response. */
export const allEdits = (view, details) =>
  [...(view.edits ?? []), ...details.edits.filter(each => each.pointer.startsWith("/output"))];

/** Fill a panel with edits and notes. Edits can be revealed by their pointer. */
export function editsTab(panel, view, details, go) {
  const edits = allEdits(view, details);
  const items = edits.map(({ kind, reason, pointer, at }) => {
    const open = () => go(pointer.startsWith("/output") ? "response" : "model", pointer);
    return el("li", button("mark", kindTitle(kind), open), " ", reason, el("div.places",
      button("link", pointer, open), " → ", button("link", `#${at}`, () => go("document", at))));
  });
  const notes = details.notes.map(note => el("li", note.text,
    note.pointer && el("div.places", button("link", `#${note.pointer}`, () => go("document", note.pointer)))));
  show(panel,
    part(count(edits.length, "edit"),
      el("p.lead", "Differences between the document and what the model reads. Validation keeps what a schema only describes."),
      items.length ? el("ul.edits", items) : hint("None: the model reads what the document declares.")),
    notes.length && part(count(notes.length, "note"), el("ul.edits", notes)));
  return { reveal: pointer => flash(items.filter((_, at) => edits[at].pointer === pointer)) };
}

/** Return the facts of a function as a short list. */
export function factsOf(row, details) {
  const security = details.security.map(each => Object.keys(each).join(" and ") || "none").join(" or ");
  const facts = { operationId: details.operationId, accessor: row.accessor, tags: details.tags.join(", "), security };
  return el("dl.known", Object.entries(facts).filter(([, value]) => value).map(([name, value]) => el("div", el("dt", name), el("dd", code(value)))));
}
