// A list of any length that has only the visible rows in the document. Printing uses print_view.js.
import { on, show, svg } from "./dom.js";

const AROUND = 12;
const MOST_ROWS = 180;

/**
 * Make an element a list box with rows of one height.
 * Options: height of a row in pixels; row(index), which returns an element; onSelect(index, isClick); onEnter(index).
 * Returns reset(length, active), activate(index), select(index) and active().
 */
export function virtualList(box, { height, row, onSelect, onEnter }) {
  const [above, below] = [0, 1].map(() => svg("svg.spacer", { width: 1, height: 0, "aria-hidden": "true" }));
  let [length, active, first, last, isPlanned] = [0, -1, 0, 0, false];

  function render() {
    first = Math.max(0, Math.min(length - 1, Math.floor(box.scrollTop / height) - AROUND));
    last = Math.min(length, first + MOST_ROWS, first + Math.ceil(box.clientHeight / height) + 2 * AROUND);
    const rows = Array.from({ length: last - first }, (_, at) => {
      const index = first + at;
      const node = row(index);
      const attributes = { id: `row-${index}`, role: "option", "aria-posinset": index + 1, "aria-setsize": length, "aria-selected": index === active };
      for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
      return node;
    });
    above.setAttribute("height", first * height);
    below.setAttribute("height", (length - last) * height);
    show(box, above, rows, below);
    if (active >= first && active < last) box.setAttribute("aria-activedescendant", `row-${active}`);
    else box.removeAttribute("aria-activedescendant");
  }

  /** Render in the next frame, if a row that is not rendered came close. */
  function plan() {
    if (isPlanned) return;
    isPlanned = true;
    requestAnimationFrame(() => {
      isPlanned = false;
      const top = box.scrollTop / height - 2;
      const bottom = (box.scrollTop + box.clientHeight) / height + 2;
      if ((first > 0 && top < first) || (last < length && bottom > last)) render();
    });
  }

  function activate(index) {
    if (index < 0 || index >= length) return;
    active = index;
    box.scrollTop = Math.max((index + 1) * height - box.clientHeight, Math.min(box.scrollTop, index * height));
    render();
  }

  function select(index, isClick = false) {
    activate(index);
    if (length) onSelect(active, isClick);
  }

  box.tabIndex = 0;
  on(box, "scroll", plan, { passive: true });
  on(box, "click", event => {
    const found = event.target.closest("[role=option]");
    if (found) select(Number(found.id.slice(4)), true);
  });
  on(box, "keydown", event => {
    const page = Math.max(1, Math.floor(box.clientHeight / height) - 1);
    const step = { ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page, Home: -length, End: length }[event.key];
    if (event.key === "Enter" && active >= 0) onEnter(active);
    if (!step || !length) return;
    event.preventDefault();
    select(Math.min(length - 1, Math.max(0, active + step)));
  });
  new ResizeObserver(plan).observe(box);

  return {
    activate, select, active: () => active,
    reset(count, selected) {
      [length, active] = [count, selected];
      if (selected < 0) box.scrollTop = 0;
      render();
    },
  };
}
