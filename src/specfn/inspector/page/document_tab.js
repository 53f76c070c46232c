// The tab with the operation in the document, with the places of edits. A reference opens what it refers to.
import { button, complain, el, show } from "./dom.js";
import { foldableJson } from "./json_view.js";

/** Return the pointer of a reference within the document; null for another one. */
const pointerOf = (reference) => (reference.startsWith("#/") ? decodeURIComponent(reference.slice(1)) : null);

/** Return the pointer of the part of the document that is shown for a place. */
function partOf(pointer, home) {
  if (pointer === home || pointer.startsWith(`${home}/`)) return home;
  const depth = pointer.startsWith("/components/") ? 4 : 3;
  return pointer.split("/").slice(0, depth).join("/");
}

/** Return the view of the document for a function, to be put into a panel. */
export function documentTab(source, home, edits) {
  let shown = home;
  const trail = [];

  async function draw(panel, pointer) {
    const part = partOf(pointer, home);
    shown = pointer;
    let value;
    try {
      value = await source.part(part);
    } catch (error) {
      complain(error);
      return;
    }
    const marks = new Map();
    for (const edit of edits()) {
      if (edit.at !== part && !edit.at.startsWith(`${part}/`)) continue;
      const at = edit.at.slice(part.length);
      marks.set(at, [...(marks.get(at) ?? []), edit]);
    }
    const view = foldableJson(value, {
      marks, label: `Document at ${part}`,
      onReference(reference) {
        const target = pointerOf(reference);
        if (!target) return;
        trail.push(part);
        draw(panel, target);
      },
    });
    show(panel, breadcrumbs(panel, part), value === undefined || value === null
      ? el("p", { class: "hint" }, "The document has nothing at this place.") : view.node);
    if (pointer !== part && value) view.reveal(pointer.slice(part.length));
    else panel.scrollTop = 0;
  }

  function breadcrumbs(panel, part) {
    const before = trail.at(-1);
    return el("div", { class: "bar" },
      before ? button("← Back", () => draw(panel, trail.pop()), { class: "quiet" }) : null,
      part !== home ? button("Operation", () => { trail.length = 0; draw(panel, home); }, { class: "quiet" }) : null,
      el("code", { class: "pointer" }, `#${part}`));
  }

  return {
    render: (panel) => draw(panel, shown),
    at(pointer) {
      if (partOf(pointer, home) !== partOf(shown, home)) trail.push(partOf(shown, home));
      shown = pointer;
    },
  };
}
