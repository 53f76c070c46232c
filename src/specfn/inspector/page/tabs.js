// Tabs with the keyboard behaviour of the ARIA practices.
import { el, show } from "./dom.js";
import { state } from "./state.js";

let groupsMade = 0;

/**
 * Return tabs. The last selected tab of a group is kept for the next function.
 * @param {string} group name of the group
 * @param {string} label name for assistive technology
 * @param {Array<{id, title, render}>} tabs render fills the panel when the tab is selected
 */
export function tabs(group, label, tabs) {
  const prefix = `tab-${groupsMade += 1}`;
  const panel = el("div", { role: "tabpanel", id: `${prefix}-panel`, tabindex: "0", class: "panel" });
  const buttons = tabs.map((tab) => el("button", {
    type: "button", role: "tab", id: `${prefix}-${tab.id}`, "aria-controls": panel.id, onclick: () => select(tab.id),
  }, tab.title));
  const list = el("div", { role: "tablist", "aria-label": label, class: "tabs", onkeydown: move }, buttons);

  function select(id, focus = false) {
    const index = Math.max(0, tabs.findIndex((tab) => tab.id === id));
    state.tabs[group] = tabs[index].id;
    buttons.forEach((each, at) => {
      each.setAttribute("aria-selected", at === index ? "true" : "false");
      each.tabIndex = at === index ? 0 : -1;
    });
    panel.setAttribute("aria-labelledby", buttons[index].id);
    if (focus) buttons[index].focus();
    panel.scrollTop = 0;
    show(panel);
    tabs[index].render(panel);
  }

  function move(event) {
    const at = tabs.findIndex((tab) => tab.id === state.tabs[group]);
    const to = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: tabs.length - 1 }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    select(tabs[(to + tabs.length) % tabs.length].id, true);
  }

  const node = el("section", { class: `tabbed ${group}`, "aria-label": label }, list, panel);
  return { node, select, start: () => select(state.tabs[group] ?? tabs[0].id) };
}
