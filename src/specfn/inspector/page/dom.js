// Elements of the page. Every text becomes a text node: nothing of a document is read as markup.

const HIDDEN = /[\p{Cc}\p{Cf}\p{Cs}\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2028\u2029\u3164\uffa0]/gu;

/** Return a text with each invisible character as an escape. Joiners of scripts and emoji stay. */
export function visible(text) {
  return String(text).replace(HIDDEN, (char, at, whole) => {
    if (char === "\n" || char === "\t") return char;
    if ((char === "\u200c" || char === "\u200d") && at > 0 && whole.charCodeAt(at - 1) > 0x5ff) return char;
    return Array.from(char, (each) => `\\u{${each.codePointAt(0).toString(16)}}`).join("");
  });
}

function fill(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else if (value === true) node.setAttribute(name, "");
    else if (value !== false && value !== null && value !== undefined) node.setAttribute(name, visible(value));
  }
  for (const child of children.flat(2)) {
    if (child === null || child === undefined || child === false) continue;
    node.append(child instanceof Node ? child : visible(child));
  }
  return node;
}

/** Return an HTML element. Attributes that begin with "on" are listeners. */
export function el(tag, attributes = {}, ...children) {
  return fill(document.createElement(tag), attributes, children);
}

/** Return an SVG element. */
export function svg(tag, attributes = {}, ...children) {
  return fill(document.createElementNS("http://www.w3.org/2000/svg", tag), attributes, children);
}

/** Return the element with an identifier. */
export const byId = (id) => document.getElementById(id);

/** Replace the content of an element. */
export function show(node, ...children) {
  node.replaceChildren(...children.flat().filter((each) => each !== null && each !== undefined && each !== false));
  return node;
}

const NUMBERS = new Intl.NumberFormat("en");

/** Return a number with separators. */
export const number = (value) => NUMBERS.format(value);

/** Return a number with its noun. */
export const count = (value, noun) => `${number(value)} ${noun}${value === 1 ? "" : "s"}`;

/** Return a number of bytes in a short form. */
export function bytes(value) {
  if (value < 1024) return `${value} B`;
  return value < 1048576 ? `${(value / 1024).toFixed(1)} KB` : `${(value / 1048576).toFixed(1)} MB`;
}

/** Return a text in a fixed-width font. */
export const code = (text, attributes = {}) => el("code", attributes, text);

/** Return a small label. */
export const badge = (text, kind, title) => el("span", { class: `badge ${kind ?? ""}`, title }, text);

/** Return a button. */
export function button(text, onclick, attributes = {}) {
  return el("button", { type: "button", onclick, ...attributes }, text);
}

/** Return a button that copies a text. */
export function copyButton(text, label = "Copy") {
  const node = button(label, async () => {
    try {
      await navigator.clipboard.writeText(text());
      node.textContent = "Copied";
    } catch {
      node.textContent = "Not permitted";
    }
    setTimeout(() => { node.textContent = label; }, 1500);
  }, { class: "quiet" });
  return node;
}

/** Return a heading with its content below it. */
export function part(title, ...children) {
  return el("section", { class: "part" }, el("h3", {}, title), ...children);
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
