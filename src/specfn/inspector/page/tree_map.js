// A tree map of two levels, drawn as SVG: groups, and their items. Areas are squarified (Bruls, Huizing and van Wijk).
import { bytes, number, shorten, svg, table } from "./dom.js";
import { figure, pressable } from "./bar_chart.js";

const MAP = [960, 480];
const HEAD = 18;

const sum = items => items.reduce((total, each) => total + each.value, 0);

/** Return the worst aspect ratio of a row of areas along a side. */
function worst(row, side, scale) {
  const all = sum(row) * scale;
  const areas = row.map(each => each.value * scale);
  return Math.max((side * side * Math.max(...areas)) / (all * all), (all * all) / (side * side * Math.min(...areas)));
}

/** Return items with rectangles [item, x, y, width, height] that fill a rectangle; areas are proportional to values. */
function squarified(items, x, y, width, height) {
  const waiting = items.filter(each => each.value > 0).sort((a, b) => b.value - a.value);
  const found = [];
  const scale = (width * height) / sum(waiting);
  while (waiting.length && width > 0 && height > 0) {
    const side = Math.min(width, height);
    const row = [waiting.shift()];
    while (waiting.length && worst([...row, waiting[0]], side, scale) <= worst(row, side, scale)) row.push(waiting.shift());
    const depth = (sum(row) * scale) / side;
    let at = 0;
    for (const item of row) {
      const length = (item.value * scale) / depth;
      found.push(width >= height ? [item, x, y + at, depth, length] : [item, x + at, y, length, depth]);
      at += length;
    }
    if (width >= height) {
      x += depth;
      width -= depth;
    } else {
      y += depth;
      height -= depth;
    }
  }
  return found;
}

function label(text, x, y, width, height) {
  const most = Math.floor((width - 8) / 6.4);
  if (most < 4 || height < 15) return null;
  return svg("text", { x: x + 5, y: y + 13 }, shorten(text, most));
}

const item = ([{ label: text, value, kind, onclick }, x, y, width, height], prefix) => svg(`g.item.${kind}`, pressable(onclick),
  svg("title", `${text}: ${bytes(value)}`),
  svg("rect", { x: x + 0.5, y: y + 0.5, width: Math.max(0, width - 1), height: Math.max(0, height - 1) }),
  label(text.replace(prefix, ""), x, y, width, height));

function groupNode([group, x, y, width, height]) {
  const head = height > 34 && width > 40 ? HEAD : 2;
  const text = `${group.label} · ${bytes(group.value)}`;
  return svg("g.group", svg("title", text), svg("rect.frame", { x, y, width, height }), head > 2 && label(text, x, y, width, head),
    squarified(group.items, x + 2, y + head, width - 4, height - head - 2).map(area => item(area, `${group.label}_`)));
}

/** Return a tree map. Groups are {label, items}, and items {label, value, kind, onclick}. */
export function treeMap(title, groups) {
  const sized = groups.map(group => ({ ...group, value: sum(group.items) })).sort((a, b) => b.value - a.value);
  const picture = svg("svg.chart.map", { viewBox: `0 0 ${MAP.join(" ")}`, role: "group", "aria-label": title }, squarified(sized, 0, 0, ...MAP).map(groupNode));
  return figure(title, picture, () => table(title, ["namespace", "functions", "size"], sized.map(group =>
    [group.label, number(group.items.length), bytes(group.value)])));
}
