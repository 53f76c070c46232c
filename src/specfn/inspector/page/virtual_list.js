// A list of any length that has only the visible rows in the document. Printing uses print_view.js.
import { show, svg } from "./dom.js";

const AROUND = 12;
const MOST_ROWS = 180;

/** A list box with rows of one height. */
export class VirtualList {
  /**
   * @param {HTMLElement} box the element that scrolls
   * @param {object} options height: of a row in pixels; row(index): returns an element; onSelect(index); onEnter(index)
   */
  constructor(box, options) {
    this.box = box;
    this.options = options;
    this.length = 0;
    this.active = -1;
    this.first = this.last = 0;
    box.tabIndex = 0;
    box.setAttribute("role", "listbox");
    this.spacers = [0, 1].map(() => svg("svg", { width: "1", height: "0", "aria-hidden": "true", class: "spacer" }));
    box.addEventListener("scroll", () => this.#plan(), { passive: true });
    box.addEventListener("keydown", (event) => this.#key(event));
    box.addEventListener("click", (event) => {
      const row = event.target.closest("[role=option]");
      if (row) this.select(Number(row.id.slice(4)), true);
    });
    new ResizeObserver(() => this.#plan()).observe(box);
  }

  /** Set the number of rows, and render them again. */
  reset(length, active = -1) {
    this.length = length;
    this.active = active;
    this.box.scrollTop = active < 0 ? 0 : this.box.scrollTop;
    this.render();
  }

  /** Select a row and scroll to it. */
  select(index, isClick = false) {
    if (index < 0 || index >= this.length) return;
    this.active = index;
    const { height } = this.options;
    if (index * height < this.box.scrollTop) this.box.scrollTop = index * height;
    const below = (index + 1) * height - this.box.clientHeight;
    if (below > this.box.scrollTop) this.box.scrollTop = below;
    this.render();
    this.options.onSelect(index, isClick);
  }

  /** Render the rows that are visible now. */
  render() {
    const { height } = this.options;
    const first = Math.max(0, Math.floor(this.box.scrollTop / height) - AROUND);
    const visible = Math.ceil(this.box.clientHeight / height) + 2 * AROUND;
    this.first = Math.min(first, Math.max(0, this.length - 1));
    this.last = Math.min(this.length, first + Math.min(visible, MOST_ROWS));
    const rows = [];
    for (let index = this.first; index < this.last; index += 1) {
      const row = this.options.row(index);
      row.id = `row-${index}`;
      row.setAttribute("role", "option");
      row.setAttribute("aria-posinset", index + 1);
      row.setAttribute("aria-setsize", this.length);
      row.setAttribute("aria-selected", index === this.active ? "true" : "false");
      rows.push(row);
    }
    this.spacers[0].setAttribute("height", this.first * height);
    this.spacers[1].setAttribute("height", Math.max(0, this.length - this.last) * height);
    show(this.box, this.spacers[0], ...rows, this.spacers[1]);
    const isShown = this.active >= this.first && this.active < this.last;
    if (isShown) this.box.setAttribute("aria-activedescendant", `row-${this.active}`);
    else this.box.removeAttribute("aria-activedescendant");
  }

  #plan() {
    if (this.planned) return;
    this.planned = true;
    requestAnimationFrame(() => {
      this.planned = false;
      const { height } = this.options;
      const top = Math.floor(this.box.scrollTop / height);
      const bottom = Math.ceil((this.box.scrollTop + this.box.clientHeight) / height);
      const isCovered = (this.first === 0 || top >= this.first + 2) && (this.last >= this.length || bottom <= this.last - 2);
      if (!isCovered || this.last - this.first > MOST_ROWS) this.render();
    });
  }

  #key(event) {
    const page = Math.max(1, Math.floor(this.box.clientHeight / this.options.height) - 1);
    const moves = { ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page, Home: -this.length, End: this.length };
    if (event.key === "Enter" && this.active >= 0) this.options.onEnter(this.active);
    if (!(event.key in moves) || this.length === 0) return;
    event.preventDefault();
    this.select(Math.min(this.length - 1, Math.max(0, this.active + moves[event.key])));
  }
}
