// The details of the selected row: a heading, what a model reads and what is enforced, the document and calls.
import { badge, button, byId, code, complain, el, on, part, show } from "./dom.js";
import { change, onChange, state } from "./state.js";
import { allEdits, editsTab, factsOf } from "./edits_tab.js";
import { enforcedTab, modelTab, responseTab } from "./model_tab.js";
import { documentTab } from "./document_tab.js";
import { foldableJson } from "./json_view.js";
import { tabs } from "./tabs.js";
import { tryTab } from "./try_tab.js";
import { differencesOf } from "./changes.js";

const NARROW = matchMedia("(max-width: 1150px)");

/** Show the selected row, and follow later changes of the row, the profile and the width. */
export function functionDetail(source, overview, rows) {
  const byName = new Map(rows.map(row => [row.name, row]));
  let turn = 0;

  async function draw() {
    const mine = (turn += 1);
    const row = byName.get(state.selected);
    if (!row) return;
    try {
      const content = row.isError ? await errorContent(source, row) : await functionContent(row);
      if (mine !== turn) return;
      content();
      if (state.focusesDetail) byId("detail").querySelector("h2").focus();
      state.focusesDetail = false;
    } catch (error) {
      if (mine === turn) complain(error);
    }
  }

  async function functionContent(row) {
    const [details, view] = await Promise.all([source.details(row), source.view(row, state.profile)]);
    return () => fill(row, details, view);
  }

  function fill(row, details, view) {
    const profile = overview.profiles.find(each => each.name === state.profile);
    const current = {};
    const places = documentTab(source, row.pointer, [...(view.edits ?? []), ...details.edits]);
    const go = (tab, place) => {
      if (tab === "document") places.at(place);
      (tab === "document" ? right : left).select(tab);
      current[tab]?.reveal(place);
    };
    const schemas = [
      ["model", "Model reads", node => { current.model = modelTab(node, profile, view, go); }],
      ["enforced", "Enforced", node => enforcedTab(node, details)],
      ["response", "Response", node => { current.response = responseTab(node, details, go); }],
      ["edits", `Edits and notes (${allEdits(view, details).length + details.notes.length})`,
        node => { current.edits = editsTab(node, view, details, go); }],
    ];
    const calls = [
      ["document", "Document", node => places.render(node).catch(complain)],
      ["try", "Try", node => tryTab(node, source, row, profile.name, view, details)],
    ];
    const left = NARROW.matches ? tabs("all", "Details", [...schemas, ...calls]) : tabs("schemas", "Schemas", schemas);
    const right = NARROW.matches ? left : tabs("calls", "Document and calls", calls);
    show(byId("detail"), heading(row, details), el("div.columns", left.node, right === left ? null : right.node));
    left.start();
    if (right !== left) right.start();
  }

  onChange(["selected", "profile"], draw);
  on(NARROW, "change", draw);
}

function titles(name, route, summary) {
  return [button("quiet.back", "← Functions", () => {
    document.body.dataset.at = "list";
    byId("list").focus();
  }), el("div.titles", el("h2", { tabindex: "-1" }, code(name)), el("p.route", route), summary && el("p.summary", summary))];
}

function heading(row, details) {
  const changed = differencesOf(row.name).length;
  return el("header.about",
    titles(row.name, [el(`span.method.${row.safety}`, row.method.toUpperCase()), code(row.path), badge(row.safety, row.safety),
      details.idempotent && badge("idempotent"), row.deprecated && badge("deprecated"),
      changed && button("link", `${changed} changed`, () => change({ view: "changes" }))], row.summary),
    factsOf(row, details), details.fault && el("p.notice.bad", details.fault));
}

async function errorContent(source, row) {
  const value = await source.part(row.pointer.split("/").slice(0, 4).join("/"));
  return () => {
    show(byId("detail"),
      el("header.about", titles(`${row.method.toUpperCase()} ${row.path}`, [badge("not a function", "bad"), badge(row.code)])),
      el("div.panel.alone", el("div.notice.bad", el("p", row.reason), el("p", "at ", code(`#${row.pointer}`))),
        value && part("In the document", foldableJson(value, { label: "Operation" }).node)));
  };
}
