// The form of a human part, generated from its schema.
import { button, el, on } from "./dom.js";

const typeOf = schema => {
  const types = [schema.type ?? (schema.properties ? "object" : schema.items ? "array" : "string")].flat();
  return types.find(each => each !== "null") ?? "string";
};

const INPUTS = { date: "date", "date-time": "datetime-local", time: "time", password: "password", email: "email", uri: "url" };

let fieldsMade = 0;

/** Return the form of a schema: its element, and a function that returns its value; undefined if nothing was filled in. */
export function humanForm(schema, title = "", isRequired = false) {
  const type = typeOf(schema);
  const field = (control, value) => ({ node: labelled(schema, title, isRequired, control), value });
  const input = (kind, read, more = {}) => {
    const control = el("input", { type: kind, autocomplete: "off", ...more });
    return field(control, () => (control.value === "" ? undefined : read(control.value)));
  };
  const numbers = { min: schema.minimum, max: schema.maximum, step: type === "integer" ? 1 : "any" };
  if (schema.enum) return choice(schema.enum, field);
  if (schema.format === "binary" || typeof schema.contentMediaType === "string") return fileInput(schema, field);
  if (type === "object" && schema.properties) return group(schema, title);
  if (type === "array" && schema.items) return several(schema, title);
  if (type === "boolean") return choice([true, false], field);
  if (type === "number" || type === "integer") return input("number", Number, numbers);
  if (schema.format === "date-time") return input("datetime-local", text => new Date(text).toISOString(), { step: 1 });
  if (type === "string") return input(INPUTS[schema.format] ?? "text", String);
  return input("text", text => JSON.parse(text));
}

function labelled(schema, title, isRequired, control) {
  control.id = `human-${fieldsMade += 1}`;
  control.required = isRequired;
  const help = schema.description && el("small", { id: `${control.id}-help` }, schema.description);
  if (help) control.setAttribute("aria-describedby", help.id);
  return el("div.field", el("label", { for: control.id }, title || "value", isRequired ? " (required)" : ""), control, help);
}

function choice(values, field) {
  const texts = values.map(each => (typeof each === "string" ? each : JSON.stringify(each)));
  const control = el("select", el("option", { value: "" }, "–"), texts.map((each, at) => el("option", { value: at }, each)));
  return field(control, () => (control.value === "" ? undefined : values[control.value]));
}

function fileInput(schema, field) {
  let content;
  const control = el("input", { type: "file", accept: schema.contentMediaType, onchange: () => {
    content = undefined;
    const reader = new FileReader();
    on(reader, "load", () => {
      content = reader.result;
      control.dispatchEvent(new Event("input", { bubbles: true }));
    });
    if (control.files[0]) reader.readAsDataURL(control.files[0]);
  } });
  return field(control, () => content);
}

function group(schema, title) {
  const members = Object.entries(schema.properties).map(([name, each]) => [name, humanForm(each, name, schema.required?.includes(name))]);
  return {
    node: el("fieldset", title && el("legend", title), members.map(([, each]) => each.node)),
    value: () => {
      const values = members.map(([name, each]) => [name, each.value()]).filter(([, value]) => value !== undefined);
      return values.length ? Object.fromEntries(values) : undefined;
    },
  };
}

function several(schema, title) {
  const items = [];
  const list = el("div");
  const add = () => {
    items.push(humanForm(schema.items, `${title || "item"} ${items.length + 1}`));
    list.append(items.at(-1).node);
  };
  return {
    node: el("fieldset", el("legend", title || "items"), list, button("quiet", "Add", add)),
    value: () => {
      const values = items.map(each => each.value()).filter(each => each !== undefined);
      return values.length ? values : undefined;
    },
  };
}
