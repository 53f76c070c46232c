// The details of the selected row: a heading, what a model reads and what is enforced, the document and calls.
import { badge, byId, code, complain, el, part, show } from "./dom.js";
import { change, onChange, state } from "./state.js";
import { documentTab } from "./document_tab.js";
import { editsTab, factsOf } from "./edits_tab.js";
import { enforcedTab, modelTab, responseTab } from "./model_tab.js";
import { foldableJson } from "./json_view.js";
import { tabs } from "./tabs.js";
import { tryTab } from "./try_tab.js";
import { differencesOf } from "./changes.js";

/** Show the selected row, and follow later changes of the row and the profile. */
export function functionDetail(source, overview, rows) {
  const byName = new Map(rows.map((row) => [row.name, row]));
  let turn = 0;

  async function draw() {
    const mine = (turn += 1);
    const row = byName.get(state.selected);
    const panel = byId("detail");
    if (!row) return;
    if (row.reason !== undefined) {
      await errorDetail(panel, source, row);
      return;
    }
    const profile = overview.profiles.find((each) => each.name === state.profile);
    try {
      const [details, view] = await Promise.all([source.details(row), source.view(row, state.profile)]);
      if (mine === turn) fill(panel, row, profile, details, view);
    } catch (error) {
      if (mine === turn) complain(error);
    }
  }

  function fill(panel, row, profile, details, view) {
    const current = {};
    const places = documentTab(source, row.pointer, () => [...(view.edits ?? []), ...details.edits]);
    const edits = (view.edits ?? []).length + details.edits.filter((each) => each.pointer.startsWith("/output")).length;
    const found = differencesOf(row.name);

    function go(tab, place) {
      if (tab === "document") {
        places.at(place);
        right.select("document");
        return;
      }
      middle.select(tab);
      current[tab]?.reveal(place);
    }

    const middle = tabs("middle", "Schemas", [
      { id: "model", title: "Model reads", render: (node) => { current.model = modelTab(node, profile, view, go); } },
      { id: "enforced", title: "Enforced", render: (node) => enforcedTab(node, details) },
      { id: "response", title: "Response", render: (node) => responseTab(node, details, go) },
      {
        id: "edits", title: `Edits and notes (${edits + details.notes.length})`,
        render: (node) => { current.edits = editsTab(node, view, details, go); },
      },
    ]);
    const right = tabs("right", "Document and calls", [
      { id: "document", title: "Document", render: places.render },
      { id: "try", title: "Try", render: (node) => tryTab(node, source, row, profile.name, view, details) },
    ]);
    panel.className = "";
    show(panel, heading(row, details, found), el("div", { class: "columns" }, middle.node, right.node));
    middle.start();
    right.start();
  }

  onChange(["selected", "profile"], draw);
  return draw;
}

function back() {
  return el("button", {
    type: "button", class: "quiet back", onclick: () => {
      document.body.dataset.at = "list";
      byId("list").focus();
    },
  }, "← Functions");
}

function heading(row, details, found) {
  return el("header", { class: "about" }, back(),
    el("div", { class: "titles" },
      el("h2", { tabindex: "-1" }, code(row.name)),
      el("p", { class: "route" }, el("span", { class: `method ${row.safety}` }, row.method.toUpperCase()), code(row.path),
        badge(row.safety, row.safety), details.idempotent ? badge("idempotent") : null, row.deprecated ? badge("deprecated") : null,
        found.length ? el("button", { type: "button", class: "link", onclick: () => change({ view: "changes" }) },
          `${found.length} changed`) : null),
      row.summary ? el("p", { class: "summary" }, row.summary) : null),
    el("details", { class: "facts-fold" }, el("summary", {}, "Facts"), factsOf(row, details)),
    details.fault ? el("p", { class: "notice bad" }, details.fault) : null);
}

async function errorDetail(panel, source, row) {
  const value = await source.part(row.pointer.split("/").slice(0, 4).join("/")).catch(() => undefined);
  panel.className = "";
  show(panel,
    el("header", { class: "about" }, back(), el("div", { class: "titles" },
      el("h2", { tabindex: "-1" }, code(`${row.method.toUpperCase()} ${row.path}`)),
      el("p", { class: "route" }, badge("not a function", "bad"), badge(row.code)))),
    el("div", { class: "panel alone" },
      el("div", { class: "notice bad" }, el("p", {}, row.reason), el("p", {}, "at ", code(`#${row.pointer}`))),
      value === undefined || value === null ? null : part("The operation in the document", foldableJson(value, { label: "Operation" }).node)));
}
