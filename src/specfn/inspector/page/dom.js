// Elements of the page. Every text becomes a text node: nothing of a document is read as markup.

const HIDDEN = /[\p{Cc}\p{Cf}\p{Cs}\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2028\u2029\u3164\uffa0]/gu;

/** Return a text with each invisible character as an escape. Joiners of scripts and emoji stay. */
export function visible(text) {
  return String(text).replace(HIDDEN, (char, at, whole) => {
    if (char === "\n" || char === "\t") return char;
    if ((char === "\u200c" || char === "\u200d") && at > 0 && whole.charCodeAt(at - 1) > 0x5ff) return char;
    return Array.from(char, each => `\\u{${each.codePointAt(0).toString(16)}}`).join("");
  });
}

function fill(node, classes, given) {
  if (classes.length) node.setAttribute("class", classes.join(" "));
  const [first] = given;
  const has = first?.constructor === Object;
  for (const [name, value] of Object.entries(has ? first : {})) {
    if (name.startsWith("on")) on(node, name.slice(2), value);
    else if (value === true) node.setAttribute(name, "");
    else if (value !== false && value !== null && value !== undefined) node.setAttribute(name, visible(value));
  }
  for (const child of given.slice(has ? 1 : 0).flat(2)) {
    if (child) node.append(child instanceof Node ? child : visible(child));
  }
  return node;
}

/** Return an HTML element: "tag.class", attributes (those that begin with "on" are listeners), and children. */
export function el(what, ...given) {
  const [tag, ...classes] = what.split(".");
  const node = document.createElement(tag);
  if (tag === "button") node.type = "button";
  return fill(node, classes, given);
}

/** Return an SVG element, in the same way. */
export function svg(what, ...given) {
  const [tag, ...classes] = what.split(".");
  return fill(document.createElementNS("http://www.w3.org/2000/svg", tag), classes, given);
}

/** Return a group that can be scrolled. */
export const region = (what, label, ...children) => el(what, { tabindex: "0", role: "group", "aria-label": label }, ...children);

/** Return a table that can be scrolled; rows are lists of cells, and the first cell is a heading. */
export function table(label, heads, rows) {
  return region("div.wide", label, el("table",
    el("thead", el("tr", heads.map(each => el("th", { scope: "col" }, each)))),
    el("tbody", rows.map(([first, ...rest]) => el("tr", el("th", { scope: "row" }, first), rest.map(each => el("td.figure", each)))))));
}

/** Listen to an event of a node. */
export const on = (node, event, run, options) => node.addEventListener(event, run, options);

/** Return a text that is not longer than a number of characters. */
export const shorten = (text, most) => (text.length > most ? `${text.slice(0, most - 1)}…` : text);

/** Return a value as indented JSON. */
export const pretty = value => JSON.stringify(value, null, 2);

/** Return the element with an identifier. */
export const byId = id => document.getElementById(id);

/** Replace the content of an element. */
export function show(node, ...children) {
  node.replaceChildren(...children.flat(2).filter(Boolean));
  return node;
}

const NUMBERS = new Intl.NumberFormat("en");

/** Return a number with separators. */
export const number = value => NUMBERS.format(value);

/** Return a number with its noun. */
export const count = (value, noun) => `${number(value)} ${noun}${value === 1 ? "" : "s"}`;

/** Return a number of bytes in a short form. */
export function bytes(value) {
  if (value < 1024) return `${value} B`;
  return value < 1048576 ? `${(value / 1024).toFixed(1)} KB` : `${(value / 1048576).toFixed(1)} MB`;
}

/** Return a text in a fixed-width font. */
export const code = text => el("code", text);

/** Return a short remark. */
export const hint = (...texts) => el("p.hint", ...texts);

/** Return a block of preformatted text that can be scrolled. */
export const pre = (label, ...texts) => el("pre.text", { tabindex: "0", "aria-label": label }, ...texts);

/** Return content that can be unfolded; it is made when it is first shown. */
export function fold(title, make) {
  const node = el("details.fold", { ontoggle: () => node.open && node.children.length === 1 && node.append(...[make()].flat()) }, el("summary", title));
  return node;
}

/** Return a small label. */
export const badge = (text, kind) => el(`span.badge.${kind ?? "plain"}`, text);

/** Return the title of a kind of edit. */
export const kindTitle = kind => (kind === "open" ? "closed object" : kind);

/** Return a text in which each cross is drawn, because few fonts have it. */
export const withCrosses = text => text.split("❌").flatMap((piece, at) => (at
  ? [svg("svg.cross", { viewBox: "0 0 10 10", role: "img", "aria-label": "invalid" }, svg("path", { d: "M1 1 9 9M9 1 1 9" })), piece] : [piece]));

/** Return a button. */
export const button = (what, text, onclick, attributes) => el(`button.${what}`, { onclick, ...attributes }, text);

/** Return a heading with its content below it. */
export function part(title, ...children) {
  return el("section.part", el("h3", title), ...children);
}

/** Show a message about a failure for some seconds. */
export function complain(error) {
  const node = byId("message");
  node.textContent = visible(error?.message ?? error);
  node.hidden = false;
  clearTimeout(complain.timer);
  complain.timer = setTimeout(() => { node.hidden = true; }, 8000);
}

/** Return a function that runs another one after a pause of its calls. */
export function debounced(run, milliseconds) {
  let timer;
  return (...given) => {
    clearTimeout(timer);
    timer = setTimeout(run, milliseconds, ...given);
  };
}
