// Horizontal bars with an optional limit, drawn as SVG, with a table of the same figures.
import { el, number, svg } from "./dom.js";

const CHART_WIDTH = 960;
const ROW = 24;
const LABEL = 270;
const VALUE = 250;

const cut = (text, most) => (text.length > most ? `${text.slice(0, most - 1)}…` : text);

/**
 * Return a chart.
 * @param {string} title
 * @param {Array<{label, value, note, kind, onclick}>} bars
 * @param {{value, label}} limit a vertical line; null for none
 */
export function barChart(title, bars, limit = null) {
  const most = Math.max(1, limit?.value ?? 0, ...bars.map((each) => each.value));
  const space = CHART_WIDTH - LABEL - VALUE;
  const x = (value) => LABEL + (value / most) * space;
  const top = limit ? 22 : 4;
  const height = top + bars.length * ROW + 4;
  const picture = svg("svg", { class: "chart", viewBox: `0 0 ${CHART_WIDTH} ${height}`, role: "img", "aria-label": `${title}. The table below has the figures.` },
    limit ? [
      svg("line", { class: "limit", x1: x(limit.value), x2: x(limit.value), y1: top - 4, y2: height }),
      svg("text", { class: "limit-label", x: x(limit.value), y: 13, "text-anchor": x(limit.value) > CHART_WIDTH / 2 ? "end" : "start" }, limit.label),
    ] : [],
    bars.map((bar, index) => {
      const y = top + index * ROW;
      const width = Math.max(1, x(bar.value) - LABEL);
      return svg("g", { class: `bar-row ${bar.kind ?? ""}` },
        svg("title", {}, `${bar.label}: ${number(bar.value)}${bar.note ? `, ${bar.note}` : ""}`),
        svg("text", { class: "bar-label", x: LABEL - 8, y: y + 17, "text-anchor": "end" }, cut(bar.label, 40)),
        svg("rect", { class: "bar-rect", x: LABEL, y: y + 4, width, height: ROW - 8, rx: 2 }),
        svg("text", { class: "bar-value", x: LABEL + width + 6, y: y + 17 }, `${number(bar.value)}${bar.note ? ` · ${bar.note}` : ""}`));
    }));
  return el("figure", {}, el("figcaption", {}, title), el("div", { class: "picture" }, picture), figures(bars));
}

function figures(bars) {
  return el("details", { class: "fold" }, el("summary", {}, "Table"), el("div", { class: "wide", tabindex: "0", role: "region", "aria-label": "Table of the chart" },
    el("table", {}, el("thead", {}, el("tr", {}, el("th", { scope: "col" }, "name"), el("th", { scope: "col" }, "value"), el("th", { scope: "col" }, "remark"))),
      el("tbody", {}, bars.map((bar) => el("tr", {},
        el("th", { scope: "row" }, bar.onclick ? el("button", { type: "button", class: "link", onclick: bar.onclick }, bar.label) : bar.label),
        el("td", { class: "figure" }, number(bar.value)), el("td", {}, bar.note ?? "")))))));
}
