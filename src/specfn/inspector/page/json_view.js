// A JSON value as lines that can be folded. Lines have the marks of edits, and references are links.
import { button, el, kindTitle, show } from "./dom.js";

const LIMIT = 400;

const escapeToken = token => String(token).replaceAll("~", "~0").replaceAll("/", "~1");

/** Return the number of values in a value, at most a little more than a limit. */
function size(value, most) {
  let found = 1;
  for (const each of value && typeof value === "object" ? Object.values(value) : []) {
    found += size(each, most - found);
    if (found > most) break;
  }
  return found;
}

/**
 * Return a view of a value: its element, reveal(pointer) and unfold(isOpen).
 * Options: marks, arrays of {kind, reason} by pointer; onMark(pointer); onReference(reference); label; isExact, to show
 * descriptions with the escapes of JSON.
 */
export function jsonView(value, options = {}) {
  const nodes = new Map();
  const whole = size(value, LIMIT);
  const root = el("div.json", { role: "group", "aria-label": options.label ?? "JSON" });

  function node(inner, pointer, key, comma, depth) {
    const entries = inner && typeof inner === "object" ? Object.entries(inner) : [];
    const name = key === null ? null : [el("span.jk", JSON.stringify(key)), ": "];
    const mark = options.marks?.has(pointer) ? ".marked" : "";
    if (!entries.length) {
      const line = el(`div.jl${mark}`, name, scalar(inner, key), comma, marks(pointer));
      nodes.set(pointer, { line });
      return line;
    }
    const isList = Array.isArray(inner);
    const [open, close] = isList ? "[]" : "{}";
    const body = el("div.jb");
    const end = el("div.jl.end", close, comma);
    const folded = el("span.folded", ` ${entries.length} `, close);
    const toggle = button("toggle", "", () => unfold(body.hidden), { "aria-label": `Unfold ${key ?? "value"}` });
    const line = el(`div.jl${mark}`, toggle, name, open, folded, marks(pointer));
    const unfold = isOpen => {
      if (isOpen && !body.hasChildNodes()) {
        show(body, entries.map(([each, item], at) =>
          node(item, `${pointer}/${escapeToken(each)}`, isList ? null : each, at < entries.length - 1 ? "," : "", depth + 1)));
      }
      body.hidden = end.hidden = !isOpen;
      folded.hidden = isOpen;
      toggle.setAttribute("aria-expanded", isOpen);
    };
    unfold(depth < 1 || whole <= LIMIT || (depth < 3 && size(inner, LIMIT) < LIMIT / 4) || size(inner, 20) <= 12);
    nodes.set(pointer, { line, unfold });
    return el("div.jn", line, body, end);
  }

  function scalar(inner, key) {
    const text = JSON.stringify(inner) ?? "undefined";
    if (key === "$ref" && options.onReference && typeof inner === "string") return button("link.jr", text, () => options.onReference(inner));
    const isProse = key === "description" && typeof inner === "string" && !options.isExact;
    return el(typeof inner === "string" ? "span.js" : "span.jv", isProse ? `"${inner}"` : text);
  }

  function marks(pointer) {
    const reasons = new Map();
    for (const { kind, reason } of options.marks?.get(pointer) ?? []) reasons.set(kind, [...(reasons.get(kind) ?? []), reason]);
    return [...reasons].map(([kind, all]) => button("mark", all.length > 1 ? `${kindTitle(kind)} ×${all.length}` : kindTitle(kind), () => options.onMark?.(pointer), { title: all.join("\n") }));
  }

  function reveal(pointer) {
    let found = nodes.get("");
    let at = "";
    for (const token of pointer.split("/").slice(1)) {
      found.unfold?.(true);
      at += `/${token}`;
      if (!nodes.has(at)) break;
      found = nodes.get(at);
    }
    flash([found.line]);
  }

  function unfold(isOpen) {
    for (let before = -1; before !== nodes.size;) {
      before = nodes.size;
      for (const [pointer, each] of [...nodes]) {
        if (isOpen || pointer) each.unfold?.(isOpen);
      }
    }
  }

  root.append(node(value, "", null, "", 0));
  return { node: root, reveal, unfold };
}

/** Scroll to the first of some elements, and highlight all of them for a moment. */
export function flash(nodes) {
  nodes[0]?.scrollIntoView({ block: "center" });
  for (const node of nodes) {
    node.classList.remove("flash");
    void node.offsetWidth; // restart of the animation
    node.classList.add("flash");
  }
}

/** Return a view of a value with buttons that fold it, after other tools. */
export function foldableJson(value, options = {}, ...tools) {
  const view = jsonView(value, options);
  const bar = el("div.bar", tools,
    el("span.folds", button("quiet", "Expand all", () => view.unfold(true)), button("quiet", "Fold", () => view.unfold(false))));
  return { ...view, node: el("div", bar, view.node) };
}
