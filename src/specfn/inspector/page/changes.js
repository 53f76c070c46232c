// The view of differences between two versions of a document, with the declarations side by side.
import { badge, button, byId, code, count, el, fold, hint, number, show } from "./dom.js";
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
      el("p.lead", `${count(known.length, "difference")} from ${found.labels.join(" to ")} that a model or the server would notice.`),
      known.length ? filteredList(found, isFunction) : hint("Nothing changed.")));
  };
  onChange(["view"], draw);
  draw();
  return known;
}

/** Return the filters, and the differences that pass them: breaking ones first, changes of texts folded at the end. */
function filteredList(found, isFunction) {
  const order = Object.keys(VERDICTS);
  const sorted = [...known].sort((a, b) => order.indexOf(a.breaking) - order.indexOf(b.breaking));
  const active = new Set();
  const list = el("div.sections", { "aria-live": "polite" });
  const kinds = [...new Set(known.map(each => each.kind))].sort();
  const kind = el("select", { "aria-label": "Kind of difference", onchange: draw }, el("option", { value: "" }, "every kind"),
    kinds.map(each => el("option", { value: each }, each)));
  const name = el("input", { type: "search", "aria-label": "Name of a function", placeholder: "Name of a function", autocomplete: "off", oninput: draw });
  const chips = order.filter(verdict => known.some(each => each.breaking === verdict)).map(verdict => el("button.chip", { "aria-pressed": "false", onclick: event => {
    if (!active.delete(verdict)) active.add(verdict);
    event.currentTarget.setAttribute("aria-pressed", String(active.has(verdict)));
    draw();
  } }, `${VERDICTS[verdict][0]} ${number(known.filter(each => each.breaking === verdict).length)}`));

  const sections = differences => [...Map.groupBy(differences, each => each.name)].map(([each, group]) => el("section.part",
    el("h3", each === "" ? "The whole document" : isFunction.has(each) ? button("link", code(each), () => openRow(each)) : code(each)),
    group.map(item => difference(found, item))));

  function draw() {
    const passed = sorted.filter(each => (!active.size || active.has(each.breaking)) && (!kind.value || each.kind === kind.value)
      && each.name.toLowerCase().includes(name.value.trim().toLowerCase()));
    const [texts, others] = [true, false].map(isText => passed.filter(each => (each.kind === "text") === isText));
    const folder = texts.length && fold(count(texts.length, "change") + " of texts", () => sections(texts));
    show(list, sections(others), folder, passed.length ? null : hint("No difference passes these filters."));
    if (folder && !others.length) folder.open = true;
  }

  draw();
  return [el("div.bar.filters", chips, kind, name), list];
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
