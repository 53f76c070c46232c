// The view of differences between two versions of a document, with the declarations side by side.
import { badge, button, byId, code, count, el, hint, show } from "./dom.js";
import { onChange, openRow, state } from "./state.js";
import { sideBySide } from "./line_diff.js";

const VERDICTS = { yes: ["breaking", "bad"], maybe: ["maybe breaking", "warn"], no: ["not breaking", "good"] };

let known = [];

/** Return the differences of a function. */
export const differencesOf = name => known.filter(each => each.name === name);

/** Read the differences, count them in the rows, and fill the view when it is first shown. */
export async function changesView(source, overview, rows) {
  const found = await source.changes();
  known = found.differences;
  const counts = Map.groupBy(known, each => each.name);
  for (const row of rows) row.changes = counts.get(row.name)?.length;
  const isFunction = new Set(rows.map(row => row.name));
  let isDrawn = false;
  const draw = () => {
    if (state.view !== "changes" || isDrawn) return;
    isDrawn = true;
    show(byId("view-changes"), el("div.page", el("h2", "Changes"),
      el("p.lead", `${count(known.length, "difference")} from version ${found.version || "–"} to ${overview.version || "–"} that a model or the server would notice.`),
      el("p.badges", Object.entries(VERDICTS).map(([verdict, [text, kind]]) =>
        badge(`${known.filter(each => each.breaking === verdict).length} ${text}`, kind))),
      known.length ? null : hint("Nothing changed."),
      [...counts].map(([name, differences]) => el("section.part",
        el("h3", name === "" ? "The whole document" : isFunction.has(name) ? button("link", code(name), () => openRow(name)) : code(name)),
        differences.map(each => difference(found, each))))));
  };
  onChange(["view"], draw);
  draw();
  return known;
}

function difference(found, each) {
  const [text, kind] = VERDICTS[each.breaking];
  const pointers = [each.old_pointer, each.new_pointer];
  const [old, fresh] = [found.old[pointers[0]], found.new[pointers[1]]];
  const titles = pointers.map((pointer, at) => `${at ? "new" : "old"} · ${pointer === null ? "not declared" : "#" + pointer}`);
  const folder = el("details.difference", { "data-kind": each.kind, "data-place": each.place, ontoggle: () => {
    if (!folder.open || folder.children.length > 1) return;
    const isSame = JSON.stringify(old) === JSON.stringify(fresh);
    folder.append(isSame ? sideBySide(each.before, each.after, ["old value", "new value"]) : sideBySide(old, fresh, titles));
  } }, el("summary", badge(text, kind), el("span.sentence", each.sentence), el("code.places", each.kind)));
  return folder;
}
