// The tab with what a model reads for the selected profile, and the tabs with the enforced schemas.
import { badge, bytes, copyButton, count, el, number, part, show } from "./dom.js";
import { foldableJson } from "./json_view.js";

/** Return the edits of a part by pointer below it. */
export function marksBelow(edits, prefix) {
  const found = new Map();
  for (const edit of edits) {
    if (edit.pointer !== prefix && !edit.pointer.startsWith(`${prefix}/`)) continue;
    const pointer = edit.pointer.slice(prefix.length);
    found.set(pointer, [...(found.get(pointer) ?? []), edit]);
  }
  return found;
}

function filled(shape, parts) {
  if (typeof shape === "string") return shape in parts ? parts[shape] : shape;
  if (shape === null || typeof shape !== "object") return shape;
  const members = Object.entries(shape).map(([key, value]) => [key, filled(value, parts)]);
  return Object.fromEntries(members.filter(([, value]) => value !== null));
}

/** Return the tool in the format of its profile. */
export function toolOf(profile, view) {
  const isEmpty = Object.keys(view.schema.properties ?? {}).length === 0;
  return filled(profile.shape, {
    $name: view.name, $description: view.description, $strict: view.strict, $output: null, $deferred: null,
    $schema: isEmpty && !profile.emptyRoot ? null : view.schema,
  });
}

function described(view, edits, onMark) {
  const marks = marksBelow(edits, "/description").get("") ?? [];
  return part("Description",
    el("p", { class: "prose" }, view.description),
    marks.map((each) => el("p", { class: "remark" }, badge(each.kind, "mark-text"), ` ${each.reason} `)));
}

/** Fill a panel with what a model reads. Returns the view of the schema, whose places can be revealed. */
export function modelTab(panel, profile, view, go) {
  if (view.refused) {
    show(panel, el("div", { class: "notice bad" }, el("strong", {}, `${profile.name} has no tool for this function.`),
      el("p", {}, view.refused)));
    return null;
  }
  const size = new TextEncoder().encode(JSON.stringify(view.schema)).length;
  const tool = toolOf(profile, view);
  const schema = foldableJson(view.schema, {
    marks: marksBelow(view.edits, "/parameters"), label: "Parameters that the model reads",
    onMark: (pointer) => go("edits", `/parameters${pointer}`),
  }, copyButton(() => JSON.stringify(tool, null, 2), "Copy tool"));
  show(panel,
    el("p", { class: "facts" },
      el("span", {}, el("strong", {}, number(view.tokens)), " tokens"),
      el("span", {}, el("strong", {}, bytes(size)), " of schema"),
      el("span", {}, el("strong", {}, count(view.edits.length, "edit"))),
      view.strict ? badge("enforced by the provider", "good") : null),
    part("Name", el("p", {}, el("code", {}, view.name))),
    described(view, view.edits),
    part("Parameters", schema.node),
    wire(profile, tool));
  return { reveal: (pointer) => schema.reveal(pointer.replace(/^\/parameters/, "")) };
}

function wire(profile, tool) {
  const folder = el("details", { class: "fold" }, el("summary", {}, `As sent to ${profile.name}`));
  folder.addEventListener("toggle", () => {
    if (folder.open && folder.children.length === 1) folder.append(foldableJson(tool, { label: "Tool as sent" }).node);
  });
  return folder;
}

/** Fill a panel with the schema that is enforced. */
export function enforcedTab(panel, details) {
  if (details.enforced === null) {
    show(panel, el("p", { class: "notice bad" }, details.fault));
    return;
  }
  const differs = details.edits.filter((edit) => edit.pointer.startsWith("/parameters")).length;
  show(panel,
    el("p", { class: "lead" }, "Every call is validated against this schema (JSON Schema 2020-12), whatever the model read. ",
      differs ? `specfn's own schema for models differs from it in ${count(differs, "place")}.` : ""),
    foldableJson(details.enforced, { label: "Enforced schema" }).node,
    details.human ? part("Filled in by a human, not shown to the model", foldableJson(details.human, {}).node) : null);
}

/** Fill a panel with the schema of the response. */
export function responseTab(panel, details, go) {
  if (!details.output) {
    show(panel, el("p", { class: "hint" }, "The document declares no content for the success response."));
    return;
  }
  const marks = marksBelow(details.edits, "/output");
  show(panel, el("p", { class: "lead" }, "The schema of the success response."),
    foldableJson(details.output, { marks, label: "Response schema", onMark: (at) => go("edits", `/output${at}`) }).node);
}
