// Two texts side by side, line by line, by their longest common subsequence.
import { el } from "./dom.js";

const MOST_LINES = 1200;

/** Return pairs of lines: [old, new, kind]; kind is "same", "changed", "removed" or "added". */
export function lineDiff(old, fresh) {
  const a = old.slice(0, MOST_LINES);
  const b = fresh.slice(0, MOST_LINES);
  const lengths = Array.from({ length: a.length + 1 }, () => new Uint16Array(b.length + 1));
  for (let i = a.length - 1; i >= 0; i -= 1) {
    for (let j = b.length - 1; j >= 0; j -= 1) {
      lengths[i][j] = a[i] === b[j] ? lengths[i + 1][j + 1] + 1 : Math.max(lengths[i + 1][j], lengths[i][j + 1]);
    }
  }
  const found = [];
  let [i, j] = [0, 0];
  while (i < a.length || j < b.length) {
    if (i < a.length && j < b.length && a[i] === b[j]) found.push([a[i++], b[j++], "same"]);
    else if (j >= b.length || (i < a.length && lengths[i + 1][j] >= lengths[i][j + 1])) found.push([a[i++], null, "removed"]);
    else found.push([null, b[j++], "added"]);
  }
  return paired(found);
}

/** Put removed lines beside the added lines that follow them. */
function paired(lines) {
  const found = [];
  for (let at = 0; at < lines.length;) {
    if (lines[at][2] === "same") {
      found.push(lines[at++]);
      continue;
    }
    const block = { removed: [], added: [] };
    while (at < lines.length && lines[at][2] !== "same") {
      const [before, after, kind] = lines[at++];
      block[kind].push(before ?? after);
    }
    for (let k = 0; k < Math.max(block.removed.length, block.added.length); k += 1) {
      const [before, after] = [block.removed[k] ?? null, block.added[k] ?? null];
      found.push([before, after, before === null ? "added" : after === null ? "removed" : "changed"]);
    }
  }
  return found;
}

const linesOf = (value) => (value === undefined ? [] : JSON.stringify(value, null, 2).split("\n"));

const CONTEXT = 4;

/** Return a table with two JSON values side by side. Equal lines far from a change are left out. */
export function sideBySide(old, fresh, titles) {
  const lines = lineDiff(linesOf(old), linesOf(fresh));
  const near = lines.map((_, at) => lines.slice(Math.max(0, at - CONTEXT), at + CONTEXT + 1).some(([, , kind]) => kind !== "same"));
  const isSame = lines.every(([, , kind]) => kind === "same");
  const rows = [];
  lines.forEach(([before, after, kind], at) => {
    if (near[at] || isSame) {
      rows.push(el("tr", { class: kind }, el("td", {}, before ?? ""), el("td", {}, after ?? "")));
    } else if (at === 0 || near[at - 1]) rows.push(el("tr", { class: "gap" }, el("td", {}, "⋯"), el("td", {}, "⋯")));
  });
  return el("div", { class: "wide", tabindex: "0", role: "region", "aria-label": "Old and new declaration" },
    el("table", { class: "diff" }, el("thead", {}, el("tr", {}, titles.map((each) => el("th", { scope: "col" }, each)))), el("tbody", {}, rows)));
}
