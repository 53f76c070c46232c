// A JSON value as lines that can be folded. Lines have the marks of edits, and references are links.
import { button, el, show, visible } from "./dom.js";

const LIMIT = 400;

const escapeToken = (token) => String(token).replaceAll("~", "~0").replaceAll("/", "~1");

function size(value, most) {
  let found = 1;
  if (value !== null && typeof value === "object") {
    for (const each of Object.values(value)) {
      found += size(each, most - found);
      if (found > most) break;
    }
  }
  return found;
}

/**
 * Return a view of a value.
 * @param {*} value a JSON value
 * @param {object} options marks: arrays of {kind, reason} by pointer; onMark(pointer); onReference(reference);
 *   label: name for assistive technology
 */
export function jsonView(value, options = {}) {
  const nodes = new Map();
  const whole = size(value, 4 * LIMIT);
  const root = el("div", { class: "json", role: "group", "aria-label": options.label ?? "JSON" });

  function node(inner, pointer, key, comma, depth) {
    const isList = Array.isArray(inner);
    const isEmpty = inner === null || typeof inner !== "object" || Object.keys(inner).length === 0;
    if (isEmpty) return nodes.set(pointer, { line: line(inner, pointer, key, comma) }).get(pointer).line;
    const [open, close] = isList ? "[]" : "{}";
    const entries = Object.entries(inner);
    const body = el("div", { class: "jb" });
    const end = el("div", { class: "jl end" }, close, comma && ",");
    const summary = el("summary", { class: "jl" }, keyOf(key), open,
      el("span", { class: "folded" }, ` ${entries.length} `, close), ...marks(pointer));
    const folder = el("details", { class: "jn" }, summary, body, end);
    let built = false;
    const build = () => {
      if (built) return;
      built = true;
      show(body, entries.map(([name, each], at) =>
        node(each, `${pointer}/${escapeToken(name)}`, isList ? null : name, at < entries.length - 1, depth + 1)));
    };
    folder.addEventListener("toggle", () => folder.open && build());
    const opens = depth < 1 || whole <= LIMIT || (depth < 3 && size(inner, LIMIT) < LIMIT / 4) || size(inner, 20) <= 12;
    if (opens) {
      build();
      folder.open = true;
    }
    nodes.set(pointer, { line: summary, open: () => { build(); folder.open = true; }, folder });
    if (options.marks?.has(pointer)) summary.classList.add("marked");
    return folder;
  }

  function keyOf(key) {
    return key === null ? null : [el("span", { class: "jk" }, JSON.stringify(key)), ": "];
  }

  function line(inner, pointer, key, comma) {
    const found = el("div", { class: "jl" }, keyOf(key), scalar(inner, key), comma && ",", ...marks(pointer));
    if (options.marks?.has(pointer)) found.classList.add("marked");
    return found;
  }

  function scalar(inner, key) {
    const text = JSON.stringify(inner) ?? "undefined";
    if (key === "$ref" && options.onReference && typeof inner === "string") {
      return button(text, () => options.onReference(inner), { class: "link jr" });
    }
    return el("span", { class: typeof inner === "string" ? "js" : "jv" }, text);
  }

  function marks(pointer) {
    const counts = new Map();
    for (const each of options.marks?.get(pointer) ?? []) {
      counts.set(each.kind, [...(counts.get(each.kind) ?? []), each.reason]);
    }
    return [...counts].map(([kind, reasons]) => button(
      reasons.length > 1 ? `${kind} ×${reasons.length}` : kind,
      (event) => { event.preventDefault(); options.onMark?.(pointer); },
      { class: "mark", title: reasons.join("\n"), "aria-label": `edit ${kind}: ${reasons.join("; ")}` },
    ));
  }

  /** Open the way to a pointer, and return the nearest line. */
  function find(pointer) {
    let at = "";
    let found = nodes.get("");
    for (const token of pointer.split("/").slice(1)) {
      found.open?.();
      at += `/${token}`;
      const next = nodes.get(at);
      if (!next) break;
      found = next;
    }
    return found.line;
  }

  function reveal(pointer) {
    const found = find(pointer);
    found.scrollIntoView({ block: "center" });
    found.classList.remove("flash");
    void found.offsetWidth; // restart of the animation
    found.classList.add("flash");
  }

  function fold(isOpen) {
    for (let before = -1; before !== nodes.size;) {
      before = nodes.size;
      for (const [pointer, each] of [...nodes]) {
        if (!each.folder) continue;
        if (isOpen) each.open();
        else if (pointer) each.folder.open = false;
      }
    }
  }

  root.append(node(value, "", null, false, 0));
  return { node: root, reveal, fold, text: () => visible(JSON.stringify(value, null, 2)) };
}

/** Return a view of a value with buttons that fold it. */
export function foldableJson(value, options = {}, ...tools) {
  const view = jsonView(value, options);
  const bar = el("div", { class: "bar" },
    button("Expand all", () => view.fold(true), { class: "quiet" }),
    button("Fold", () => view.fold(false), { class: "quiet" }), ...tools);
  return { ...view, node: el("div", {}, bar, view.node) };
}
