// The form of a human part, generated from its schema; and an example of arguments.
import { button, el } from "./dom.js";

const typeOf = (schema) => {
  const types = [schema.type ?? (schema.properties ? "object" : schema.items ? "array" : "string")].flat();
  return types.find((each) => each !== "null") ?? "string";
};

const isFile = (schema) => schema.format === "binary" || typeof schema.contentMediaType === "string";

const INPUTS = { date: "date", "date-time": "datetime-local", time: "time", password: "password", email: "email", uri: "url" };

let fieldsMade = 0;

/** Return the form of a schema: its element, and a function that returns its value; undefined if nothing was filled in. */
export function humanForm(schema, title = "", isRequired = false) {
  if (schema.enum) return choice(schema, title, isRequired);
  if (isFile(schema)) return fileInput(schema, title, isRequired);
  const type = typeOf(schema);
  if (type === "object" && schema.properties) return group(schema, title);
  if (type === "array" && schema.items) return several(schema, title);
  if (type === "boolean") return choice({ ...schema, enum: [true, false] }, title, isRequired);
  if (type === "string") return input(schema, title, isRequired, INPUTS[schema.format] ?? "text", (text) => text);
  if (type === "number" || type === "integer") return input(schema, title, isRequired, "number", Number, type);
  return input(schema, title, isRequired, "text", (text) => JSON.parse(text));
}

function labelled(schema, title, isRequired, control) {
  const id = `human-${fieldsMade += 1}`;
  control.id = id;
  if (isRequired) control.required = true;
  const help = schema.description ? el("small", { id: `${id}-help` }, schema.description) : null;
  if (help) control.setAttribute("aria-describedby", help.id);
  return el("div", { class: "field" }, el("label", { for: id }, title || "value", isRequired ? " (required)" : ""), control, help);
}

function input(schema, title, isRequired, type, read, numeric) {
  const control = el("input", { type, autocomplete: "off", min: numeric ? schema.minimum : null, max: numeric ? schema.maximum : null,
    step: numeric ? (numeric === "integer" ? 1 : "any") : type === "datetime-local" ? 1 : null });
  return {
    node: labelled(schema, title, isRequired, control),
    value: () => {
      if (control.value === "") return undefined;
      return type === "datetime-local" ? new Date(control.value).toISOString() : read(control.value);
    },
  };
}

function choice(schema, title, isRequired) {
  const control = el("select", {}, el("option", { value: "" }, "–"),
    schema.enum.map((each, at) => el("option", { value: String(at) }, typeof each === "string" ? each : JSON.stringify(each))));
  return {
    node: labelled(schema, title, isRequired, control),
    value: () => (control.value === "" ? undefined : schema.enum[Number(control.value)]),
  };
}

function fileInput(schema, title, isRequired) {
  const control = el("input", { type: "file", accept: schema.contentMediaType });
  let content;
  control.addEventListener("change", () => {
    content = undefined;
    const [file] = control.files;
    if (!file) return;
    const reader = new FileReader();
    reader.addEventListener("load", () => {
      content = reader.result;
      control.dispatchEvent(new Event("input", { bubbles: true }));
    });
    reader.readAsDataURL(file);
  });
  return { node: labelled(schema, title, isRequired, control), value: () => content };
}

function group(schema, title) {
  const required = new Set(schema.required ?? []);
  const members = Object.entries(schema.properties).map(([name, each]) => [name, humanForm(each, name, required.has(name))]);
  return {
    node: el("fieldset", {}, title ? el("legend", {}, title) : null, members.map(([, each]) => each.node)),
    value: () => {
      const values = members.map(([name, each]) => [name, each.value()]).filter(([, value]) => value !== undefined);
      return values.length ? Object.fromEntries(values) : undefined;
    },
  };
}

function several(schema, title) {
  const items = [];
  const list = el("div", { class: "items" });
  const node = el("fieldset", {}, el("legend", {}, title || "items"), list, button("Add", () => {
    const item = humanForm(schema.items, `${title || "item"} ${items.length + 1}`, false);
    items.push(item);
    list.append(item.node);
  }, { class: "quiet" }));
  return {
    node,
    value: () => {
      const values = items.map((each) => each.value()).filter((each) => each !== undefined);
      return values.length ? values : undefined;
    },
  };
}

const SAMPLES = { "date-time": "2026-01-31T12:00:00Z", date: "2026-01-31", email: "name@example.com", uri: "https://example.com",
  uuid: "00000000-0000-4000-8000-000000000000" };

/** Return an example value for a schema: required properties, first alternatives. */
export function exampleOf(schema, depth = 0) {
  if (schema === null || typeof schema !== "object" || depth > 6) return null;
  if (schema.example !== undefined) return schema.example;
  if (schema.examples?.length) return schema.examples[0];
  if (schema.default !== undefined) return schema.default;
  if (schema.enum) return schema.enum[0];
  const branch = [...(schema.anyOf ?? []), ...(schema.oneOf ?? [])].find((each) => each?.type !== "null");
  if (branch) return exampleOf(branch, depth + 1);
  const type = typeOf(schema);
  if (type === "object") {
    const required = schema.required ?? [];
    const shown = Object.entries(schema.properties ?? {}).filter(([name, each]) =>
      required.includes(name) && !(each?.anyOf ?? []).some((one) => one?.type === "null") && ![each?.type].flat().includes("null"));
    return Object.fromEntries(shown.map(([name, each]) => [name, exampleOf(each, depth + 1)]));
  }
  if (type === "array") return schema.items && schema.minItems ? [exampleOf(schema.items, depth + 1)] : [];
  if (type === "number" || type === "integer") return schema.minimum ?? (schema.exclusiveMinimum === undefined ? 1 : schema.exclusiveMinimum + 1);
  return { boolean: true, string: SAMPLES[schema.format] ?? "text" }[type] ?? null;
}
