// The tab with the operation in the document, with the places of edits. A reference opens what it refers to.
import { button, el, hint, show } from "./dom.js";
import { foldableJson } from "./json_view.js";

/** Return the pointer of the part of the document that is shown for a place. */
function partOf(pointer, home) {
  if (pointer === home || pointer.startsWith(`${home}/`)) return home;
  return pointer.split("/").slice(0, pointer.startsWith("/components/") ? 4 : 3).join("/");
}

/** Return the view of the document for a function: render(panel), and at(pointer), which selects a place for it. */
export function documentTab(source, home, edits) {
  const trail = [];
  let shown = home;

  async function draw(panel, pointer) {
    const part = partOf(pointer, home);
    shown = pointer;
    const value = await source.part(part);
    const marks = new Map();
    for (const edit of edits) {
      if (edit.at !== part && !edit.at.startsWith(`${part}/`)) continue;
      const at = edit.at.slice(part.length);
      marks.set(at, [...(marks.get(at) ?? []), edit]);
    }
    const onReference = reference => {
      if (!reference.startsWith("#/")) return;
      trail.push(part);
      draw(panel, decodeURIComponent(reference.slice(1)));
    };
    const view = foldableJson(value, { marks, label: `Document at ${part}`, onReference }, el("code.pointer", `#${part}`),
      trail.length && button("quiet", "← Back", () => draw(panel, trail.pop())),
      part !== home && button("quiet", "Operation", () => { trail.length = 0; draw(panel, home); }));
    show(panel, view.node, !value && hint("The document has nothing at this place."));
    if (pointer === part || !value) panel.scrollTop = 0;
    else view.reveal(pointer.slice(part.length));
  }

  return {
    render: panel => draw(panel, shown),
    at(pointer) {
      if (partOf(pointer, home) !== partOf(shown, home)) trail.push(partOf(shown, home));
      shown = pointer;
    },
  };
}
