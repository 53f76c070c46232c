// The state of the page: the view, the selected row, the profile and the tabs. The address has the view and the row.

const listeners = [];

export const state = { view: "functions", selected: null, isChosen: false, profile: "", tabs: {}, focusesDetail: false };

/** Call a function after a change of some keys. */
export function onChange(keys, run) {
  listeners.push([keys, run]);
}

/** Change the state, and write the address. */
export function change(patch) {
  const changed = Object.keys(patch).filter(key => state[key] !== patch[key]);
  Object.assign(state, patch);
  const { view, selected, isChosen } = state;
  const address = view === "functions" && isChosen ? `#functions/${encodeURIComponent(selected)}` : `#${view}`;
  if ((location.hash || "#functions") !== address) history.replaceState(null, "", address);
  for (const [keys, run] of listeners) if (keys.some(key => changed.includes(key))) run(state);
}

/** Show the details of a row. */
export function openRow(name) {
  document.body.dataset.at = "detail";
  change({ view: "functions", selected: name, isChosen: true });
}

/** Return the view and the row of the address. */
export function fromAddress() {
  const [view, name] = location.hash.slice(1).split("/");
  let selected = null;
  try {
    selected = name ? decodeURIComponent(name) : null;
  } catch { /* an address with an invalid escape selects nothing */ }
  return { view: view || "functions", selected };
}
