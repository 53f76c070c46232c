// The tab with every difference between the document and the schemas, and with notes for a careful reader.
import { badge, button, code, count, el, part, show } from "./dom.js";

/** Fill a panel with edits and notes. Returns a function that highlights the edits of a pointer. */
export function editsTab(panel, view, details, go) {
  const own = details.edits.filter((each) => each.pointer.startsWith("/output"));
  const edits = [...(view.edits ?? []), ...own];
  const rows = new Map();
  const items = edits.map((edit) => {
    const row = el("li", {},
      el("div", {}, badge(edit.kind, "mark-text"), " ", edit.reason),
      el("div", { class: "places" },
        button(edit.pointer || "/", () => go(edit.pointer.startsWith("/output") ? "response" : "model", edit.pointer),
          { class: "link", "aria-label": `Show in the schema: ${edit.pointer}` }),
        el("span", { class: "arrow", "aria-hidden": "true" }, "→"),
        button(`#${edit.at}`, () => go("document", edit.at),
          { class: "link", "aria-label": `Show in the document: ${edit.at}` })));
    rows.set(edit.pointer, [...(rows.get(edit.pointer) ?? []), row]);
    return row;
  });
  const notes = details.notes.map((note) => el("li", {}, el("div", {}, note.text),
    note.pointer ? el("div", { class: "places" },
      button(`#${note.pointer}`, () => go("document", note.pointer), { class: "link" })) : null));
  show(panel,
    part(count(edits.length, "edit"),
      el("p", { class: "lead" }, "Differences between the document and what the model reads. ",
        "Validation keeps what a schema only describes."),
      items.length ? el("ul", { class: "edits" }, items) : el("p", { class: "hint" }, "None: the model reads what the document declares.")),
    notes.length ? part(count(notes.length, "note"), el("ul", { class: "edits" }, notes)) : null);
  return {
    reveal(pointer) {
      for (const row of rows.get(pointer) ?? []) {
        row.classList.remove("flash");
        void row.offsetWidth; // restart of the animation
        row.classList.add("flash");
      }
      rows.get(pointer)?.[0].scrollIntoView({ block: "center" });
    },
  };
}

/** Return the facts of a function as a short list. */
export function factsOf(row, details) {
  const security = details.security.map((each) => Object.keys(each).join(" and ") || "none").join(" or ");
  const facts = [
    ["operationId", details.operationId], ["accessor", row.accessor], ["tags", details.tags.join(", ")],
    ["security", security],
  ].filter(([, value]) => value);
  return el("dl", { class: "known" }, facts.map(([name, value]) => el("div", {}, el("dt", {}, name), el("dd", {}, code(value)))));
}
