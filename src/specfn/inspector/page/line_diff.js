// Two JSON values side by side, line by line, by the longest common subsequence of their lines.
import { el, pretty, region } from "./dom.js";

const MOST_LINES = 1200;
const CONTEXT = 4;

const linesOf = value => (value === undefined ? [] : pretty(value).split("\n").slice(0, MOST_LINES));

/** Return lines [old, new]; one of them is null where a line was removed or added. */
function lineDiff(a, b) {
  const lengths = Array.from({ length: a.length + 1 }, () => new Uint16Array(b.length + 1));
  for (let i = a.length - 1; i >= 0; i -= 1) {
    for (let j = b.length - 1; j >= 0; j -= 1) {
      lengths[i][j] = a[i] === b[j] ? lengths[i + 1][j + 1] + 1 : Math.max(lengths[i + 1][j], lengths[i][j + 1]);
    }
  }
  const found = [];
  let [i, j] = [0, 0];
  let [removed, added] = [[], []];
  const flush = () => {
    for (let k = 0; k < Math.max(removed.length, added.length); k += 1) found.push([removed[k] ?? null, added[k] ?? null]);
    [removed, added] = [[], []];
  };
  while (i < a.length || j < b.length) {
    if (i < a.length && j < b.length && a[i] === b[j]) {
      flush();
      found.push([a[i++], b[j++]]);
    } else if (j >= b.length || (i < a.length && lengths[i + 1][j] >= lengths[i][j + 1])) removed.push(a[i++]);
    else added.push(b[j++]);
  }
  flush();
  return found;
}

const kindOf = ([before, after]) => (before === after ? "same" : before === null ? "added" : after === null ? "removed" : "changed");

/** Return a table with two JSON values side by side. Equal lines far from a change are left out. */
export function sideBySide(old, fresh, titles) {
  const lines = lineDiff(linesOf(old), linesOf(fresh));
  const isNear = at => lines.slice(Math.max(0, at - CONTEXT), at + CONTEXT + 1).some(each => kindOf(each) !== "same");
  const rows = lines.map((each, at) => {
    if (isNear(at)) return el(`tr.${kindOf(each)}`, each.map(text => el("td", text ?? "")));
    return (at === 0 || isNear(at - 1)) && el("tr.gap", el("td", "⋯"), el("td", "⋯"));
  });
  return region("div.wide", "Old and new declaration",
    el("table.diff", el("thead", el("tr", titles.map(each => el("th", { scope: "col" }, each)))), el("tbody", rows)));
}
