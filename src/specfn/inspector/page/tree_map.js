// A tree map of two levels, drawn as SVG: groups, and their items. Areas are squarified (Bruls, Huizing and van Wijk).
import { bytes, el, svg } from "./dom.js";

const MAP_WIDTH = 960;
const MAP_HEIGHT = 480;
const TITLE = 16;

function worst(row, side, scale) {
  const sum = row.reduce((total, each) => total + each.value, 0) * scale;
  const areas = row.map((each) => each.value * scale);
  return Math.max((side * side * Math.max(...areas)) / (sum * sum), (sum * sum) / (side * side * Math.min(...areas)));
}

/** Return items with rectangles that fill a rectangle; areas are proportional to values. */
export function squarified(items, x, y, width, height) {
  const waiting = items.filter((each) => each.value > 0).sort((a, b) => b.value - a.value);
  const total = waiting.reduce((sum, each) => sum + each.value, 0);
  const found = [];
  if (!total || width <= 0 || height <= 0) return found;
  const scale = (width * height) / total;
  while (waiting.length) {
    const side = Math.min(width, height);
    const row = [waiting.shift()];
    while (waiting.length && worst([...row, waiting[0]], side, scale) <= worst(row, side, scale)) row.push(waiting.shift());
    const area = row.reduce((sum, each) => sum + each.value, 0) * scale;
    const depth = side > 0 ? area / side : 0;
    let at = 0;
    for (const item of row) {
      const length = side > 0 && depth > 0 ? (item.value * scale) / depth : 0;
      found.push(width >= height ? { item, x, y: y + at, width: depth, height: length } : { item, x: x + at, y, width: length, height: depth });
      at += length;
    }
    if (width >= height) { x += depth; width -= depth; } else { y += depth; height -= depth; }
  }
  return found;
}

const fitting = (text, width) => {
  const most = Math.floor(width / 6.4);
  if (most < 3) return "";
  return text.length > most ? `${text.slice(0, most - 1)}…` : text;
};

/**
 * Return a tree map.
 * @param {string} title
 * @param {Array<{label, items: Array<{label, value, kind, onclick}>}>} groups
 */
export function treeMap(title, groups) {
  const sized = groups.map((group) => ({ ...group, value: group.items.reduce((sum, each) => sum + each.value, 0) }))
    .sort((a, b) => b.value - a.value);
  const picture = svg("svg", { class: "chart", viewBox: `0 0 ${MAP_WIDTH} ${MAP_HEIGHT}`, role: "img", "aria-label": `${title}. The table below has the figures.` },
    squarified(sized, 0, 0, MAP_WIDTH, MAP_HEIGHT).map((area) => groupNode(area)));
  const rows = sized.map((group) => el("tr", {}, el("th", { scope: "row" }, group.label),
    el("td", { class: "figure" }, String(group.items.length)), el("td", { class: "figure" }, bytes(group.value))));
  return el("figure", {}, el("figcaption", {}, title), el("div", { class: "picture" }, picture),
    el("details", { class: "fold" }, el("summary", {}, "Table"), el("div", { class: "wide", tabindex: "0", role: "region", "aria-label": "Table of the tree map" }, el("table", {},
      el("thead", {}, el("tr", {}, ["namespace", "functions", "size"].map((each) => el("th", { scope: "col" }, each)))),
      el("tbody", {}, rows)))));
}

function groupNode({ item, x, y, width, height }) {
  const hasTitle = height > 34 && width > 40;
  const inner = squarified(item.items, x + 2, y + (hasTitle ? TITLE + 2 : 2), width - 4, height - (hasTitle ? TITLE + 4 : 4));
  return svg("g", { class: "map-group" },
    svg("title", {}, `${item.label}: ${bytes(item.value)}`),
    svg("rect", { class: "map-frame", x, y, width, height }),
    hasTitle ? svg("text", { class: "map-title", x: x + 5, y: y + 13 }, fitting(`${item.label}  ${bytes(item.value)}`, width - 8)) : null,
    inner.map((area) => itemNode(area)));
}

function itemNode({ item, x, y, width, height }) {
  return svg("g", { class: `map-item ${item.kind ?? ""}`, onclick: item.onclick },
    svg("title", {}, `${item.label}: ${bytes(item.value)}`),
    svg("rect", { x: x + 0.5, y: y + 0.5, width: Math.max(0, width - 1), height: Math.max(0, height - 1) }),
    width > 50 && height > 16 ? svg("text", { x: x + 5, y: y + 13 }, fitting(item.label, width - 8)) : null);
}
