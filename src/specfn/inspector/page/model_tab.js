// The tab with what a model reads for the selected profile, and the tabs with the enforced schemas.
import { badge, button, bytes, code, count, el, fold, hint, kindTitle, number, part, show } from "./dom.js";
import { foldableJson } from "./json_view.js";

/** Return the edits of a part by pointer below it. */
function marksBelow(edits, prefix) {
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
function toolOf(profile, { name, description, strict, schema }) {
  const isEmpty = Object.keys(schema.properties ?? {}).length === 0;
  return filled(profile.shape, {
    $name: name, $description: description, $strict: strict, $output: null, $deferred: null,
    $schema: isEmpty && !profile.emptyRoot ? null : schema,
  });
}

/** Fill a panel with what a model reads. Returns the view of the schema, whose places can be revealed. */
export function modelTab(panel, profile, view, go) {
  if (view.refused) {
    show(panel, el("div.notice.bad", el("strong", `${profile.name} has no tool for this function.`), el("p", view.refused)));
    return null;
  }
  const tool = toolOf(profile, view);
  const schema = foldableJson(view.schema, {
    marks: marksBelow(view.edits, "/parameters"), label: "Parameters that the model reads",
    onMark: pointer => go("edits", `/parameters${pointer}`),
  });
  const remarks = (marksBelow(view.edits, "/description").get("") ?? []).map(each => el("p.remark", button("mark", kindTitle(each.kind), () => go("edits", "/description")), ` ${each.reason}`));
  const size = new TextEncoder().encode(JSON.stringify(view.schema)).length;
  show(panel,
    el("p.facts", el("span", el("strong", number(view.tokens)), " tokens"), el("span", el("strong", bytes(size)), " of schema"),
      el("strong", count(view.edits.length, "edit")), view.strict && badge("enforced by the provider", "good")),
    part("Name", code(view.name)),
    part("Description", el("p.prose", view.description), remarks),
    part("Parameters", schema.node),
    fold(`As sent to ${profile.name}`, () => foldableJson(tool, { label: "Tool as sent", isExact: true }).node));
  return { reveal: pointer => schema.reveal(pointer.replace(/^\/parameters/, "")) };
}

/** Fill a panel with the schema that is enforced. */
export function enforcedTab(panel, details) {
  if (details.fault) {
    show(panel, el("p.notice.bad", details.fault));
    return;
  }
  show(panel,
    el("p.lead", "Every call is validated against this schema (JSON Schema 2020-12), whatever the model read."),
    foldableJson(details.enforced, { label: "Enforced schema" }).node,
    details.human && part("Filled in by a human, and not shown to the model", foldableJson(details.human).node));
}

/** Fill a panel with the schema of the response. Returns its view, whose places can be revealed. */
export function responseTab(panel, details, go) {
  if (!details.output) {
    show(panel, hint("The success response has no declared content."));
    return null;
  }
  const marks = marksBelow(details.edits, "/output");
  const schema = foldableJson(details.output, { marks, label: "Response schema", onMark: at => go("edits", `/output${at}`) });
  show(panel, el("p.lead", "The schema of the success response."), schema.node);
  return { reveal: pointer => schema.reveal(pointer.replace(/^\/output/, "")) };
}
