// The view of differences between two versions of a document, with the declarations side by side.
import { badge, byId, code, complain, count, el, show } from "./dom.js";
import { change, onChange, state } from "./state.js";
import { sideBySide } from "./line_diff.js";

const VERDICTS = { yes: ["breaking", "bad"], maybe: ["maybe breaking", "warn"], no: ["not breaking", "good"] };

let known = [];

/** Return the differences of a function. */
export const differencesOf = (name) => known.filter((each) => each.name === name);

/** Read the differences, count them in the rows, and fill the view when it is shown. */
export async function changesView(source, overview, rows) {
  const found = await source.changes();
  known = found.differences;
  const byName = new Map(rows.map((row) => [row.name, row]));
  for (const each of known) {
    const row = byName.get(each.name);
    if (row) row.changes = (row.changes ?? 0) + 1;
  }
  let isDrawn = false;
  const draw = () => {
    if (state.view !== "changes" || isDrawn) return;
    isDrawn = true;
    try {
      show(byId("view-changes"), page(found, overview, byName));
    } catch (error) {
      complain(error);
    }
  };
  onChange(["view"], draw);
  draw();
  return known.length;
}

function page(found, overview, byName) {
  const groups = new Map();
  for (const each of found.differences) groups.set(each.name, [...(groups.get(each.name) ?? []), each]);
  const counts = Object.entries(VERDICTS).map(([verdict, [text, kind]]) =>
    badge(`${found.differences.filter((each) => each.breaking === verdict).length} ${text}`, kind));
  return el("div", { class: "page" }, el("h2", {}, "Changes"),
    el("p", { class: "lead" }, `${count(found.differences.length, "difference")} from version ${found.version || "–"} to ${overview.version || "–"} that a model or the server would notice.`),
    el("p", { class: "badges" }, counts),
    found.differences.length === 0 ? el("p", { class: "hint" }, "Nothing changed.") : null,
    [...groups].map(([name, differences]) => el("section", { class: "change-group" },
      el("h3", {}, name === "" ? "The whole document" : byName.has(name)
        ? el("button", { type: "button", class: "link", onclick: () => change({ view: "functions", selected: name, isChosen: true }) }, code(name)) : code(name)),
      differences.map((each) => difference(found, each)))));
}

function difference(found, each) {
  const [text, kind] = VERDICTS[each.breaking];
  const old = each.old_pointer === null ? undefined : found.old[each.old_pointer];
  const fresh = each.new_pointer === null ? undefined : found.new[each.new_pointer];
  const isSame = JSON.stringify(old) === JSON.stringify(fresh);
  const titles = [each.old_pointer, each.new_pointer].map((pointer, at) =>
    `${at ? "new" : "old"} · ${pointer === null ? "not declared" : `#${pointer}`}`);
  const folder = el("details", { class: "difference", "data-kind": each.kind, "data-place": each.place },
    el("summary", {}, badge(text, kind), el("span", { class: "sentence" }, each.sentence), code(each.kind, { class: "kind" })));
  folder.addEventListener("toggle", () => {
    if (!folder.open || folder.children.length > 1) return;
    folder.append(isSame ? sideBySide(each.before, each.after, ["old value", "new value"]) : sideBySide(old, fresh, titles));
  });
  return folder;
}
