// Horizontal bars with an optional limit, drawn as SVG, with a table of the same figures.
import { button, el, fold, number, on, region, shorten, svg, table } from "./dom.js";

const BAR = 24;

/** Return a chart. Bars are {label, value, note, kind, onclick}; the limit is {value, label}, drawn as a line. */
export function barChart(title, bars, limit = null) {
  const isNarrow = matchMedia("(max-width: 760px)").matches;
  const [width, left, space, letters] = isNarrow ? [370, 165, 145, 22] : [960, 270, 440, 34];
  const most = Math.max(1, limit?.value ?? 0, ...bars.map(each => each.value));
  const x = value => left + (value / most) * space;
  const top = limit ? 22 : 4;
  const height = top + bars.length * BAR + 4;
  const line = limit ? [
    svg("line.limit", { x1: x(limit.value), x2: x(limit.value), y1: top - 4, y2: height }),
    svg("text.remark", { x: isNarrow ? width : x(limit.value), y: 13,
      "text-anchor": isNarrow || x(limit.value) > left + space / 2 ? "end" : "start" }, limit.label),
  ] : [];
  const rows = bars.map(({ label, value, note, kind, onclick }, index) => {
    const y = top + index * BAR;
    const text = note ? `${number(value)} · ${note}` : number(value);
    return svg(`g.${kind}`, pressable(onclick), svg("title", `${label}: ${text}`),
      svg("text", { x: left - 8, y: y + 16, "text-anchor": "end" }, shorten(label, letters)),
      svg("rect", { x: left, y: y + 4, width: Math.max(1, x(value) - left), height: BAR - 8, rx: 2 }),
      svg("text.remark", { x: x(value) + 6, y: y + 16 }, isNarrow ? number(value) : text));
  });
  const figures = () => table(title, ["name", "value", "remark"], bars.map(bar =>
    [bar.onclick ? button("link", bar.label, bar.onclick) : bar.label, number(bar.value), bar.note ?? ""]));
  return figure(title, svg("svg.chart", { viewBox: `0 0 ${width} ${height}`, role: "group", "aria-label": title }, line, rows), figures);
}

/** Return the attributes of a part of a picture that opens something by a click, Return or space. Its name is its title. */
export const pressable = onclick => onclick && {
  onclick, role: "button", tabindex: "-1", onkeydown: event => {
    if (event.key !== "Enter" && event.key !== " ") return;
    event.preventDefault();
    onclick();
  },
};

/** Make the parts of a picture one stop of the Tab key; the arrows, Home and End move between them. */
function walkable(picture) {
  const parts = [...picture.querySelectorAll("[role=button]")];
  let at = 0;
  parts[0]?.setAttribute("tabindex", "0");
  on(picture, "keydown", event => {
    const to = { ArrowRight: at + 1, ArrowDown: at + 1, ArrowLeft: at - 1, ArrowUp: at - 1, Home: 0, End: parts.length - 1 }[event.key];
    if (to === undefined || !parts[to]) return;
    event.preventDefault();
    parts[at].setAttribute("tabindex", "-1");
    at = to;
    parts[at].setAttribute("tabindex", "0");
    parts[at].focus();
  });
  return picture;
}

/** Return a picture with its title, and a table of its figures. */
export const figure = (title, picture, figures) =>
  el("figure", el("figcaption", title), region("div.picture", `Chart: ${title}`, walkable(picture)), fold("Table", figures));
