// Tabs with the keyboard behavior of the ARIA practices.
import { el, show } from "./dom.js";
import { state } from "./state.js";

let groupsMade = 0;

/**
 * Return tabs: the element, select(id), and start(), which selects the tab that was selected last in the group.
 * Each tab is a list of identifier, title, and a function that fills the panel.
 */
export function tabs(group, label, list) {
  const prefix = `tab-${groupsMade += 1}`;
  const panel = el("div.panel", { role: "tabpanel", id: `${prefix}-panel`, tabindex: "0" });
  const buttons = list.map(([id, title]) => el("button", { role: "tab", id: `${prefix}-${id}`, "aria-controls": panel.id, onclick: () => select(id) }, title));

  function select(id) {
    const index = Math.max(0, list.findIndex(([each]) => each === id));
    state.tabs[group] = list[index][0];
    buttons.forEach((each, at) => {
      each.setAttribute("aria-selected", at === index);
      each.tabIndex = at === index ? 0 : -1;
    });
    panel.setAttribute("aria-labelledby", buttons[index].id);
    panel.scrollTop = 0;
    show(panel);
    list[index][2](panel);
    return buttons[index];
  }

  function move(event) {
    const at = list.findIndex(([each]) => each === state.tabs[group]);
    const to = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: list.length - 1 }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    select(list[(to + list.length) % list.length][0]).focus();
  }

  const node = el(`section.tabbed.${group}`, { "aria-label": label }, el("div.tabs", { role: "tablist", "aria-label": label, onkeydown: move }, buttons), panel);
  return { node, select, start: () => select(state.tabs[group]) };
}
