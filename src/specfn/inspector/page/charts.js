// The view of sizes: totals for each profile against limits, the largest functions, and where the bytes are.
import { barChart } from "./bar_chart.js";
import { byId, bytes, complain, count, el, number, show } from "./dom.js";
import { change, onChange, state } from "./state.js";
import { tokensOfRow } from "./function_list.js";
import { treeMap } from "./tree_map.js";

const LARGEST = 40;

/** Fill the view when it is first shown, and follow the profile. */
export function charts(source, overview, rows) {
  const functions = rows.filter((row) => row.reason === undefined);
  const open = (row) => () => {
    document.body.dataset.at = "detail";
    change({ view: "functions", selected: row.name, isChosen: true });
  };
  const totals = el("div", {});
  const largest = el("div", {});
  const map = el("div", {});
  let isStarted = false;

  async function drawTotals() {
    const bars = [];
    for (const profile of overview.profiles) {
      const found = await source.total(profile.name);
      bars.push({ label: profile.name, value: found.total, note: limitText(profile, found, functions.length),
        kind: found.total > overview.manyTokens || isOver(profile, found) ? "over" : "within" });
      const limit = { value: overview.manyTokens, label: `${number(overview.manyTokens)} tokens: beyond, most models choose badly` };
      show(totals, barChart("Tokens of all functions together, for each profile", bars, limit));
    }
  }

  function drawLargest() {
    const sized = functions.filter((row) => tokensOfRow(row) !== undefined)
      .sort((a, b) => tokensOfRow(b) - tokensOfRow(a)).slice(0, LARGEST);
    const title = functions.length > LARGEST ? `The ${LARGEST} largest functions, in tokens for ${state.profile}` : `Tokens of each function for ${state.profile}`;
    show(largest, barChart(title, sized.map((row) => ({ label: row.name, value: tokensOfRow(row), kind: row.safety, onclick: open(row) }))));
  }

  function drawMap() {
    const groups = new Map();
    for (const row of functions) {
      const name = row.accessor.split(".")[0];
      groups.set(name, [...(groups.get(name) ?? []), { label: row.name, value: row.figures?.tool_bytes ?? 0, kind: row.safety, onclick: open(row) }]);
    }
    const whole = functions.reduce((sum, row) => sum + (row.figures?.tool_bytes ?? 0), 0);
    show(map, treeMap(`Where the ${bytes(whole)} are, by namespace`, [...groups].map(([label, items]) => ({ label, items }))));
  }

  async function draw() {
    if (state.view !== "sizes") return;
    try {
      if (!isStarted) {
        isStarted = true;
        show(byId("view-sizes"), el("div", { class: "page" }, el("h2", {}, "Sizes"),
          el("p", { class: "lead" }, `${count(functions.length, "function")}. Tokens are an estimate: the bytes of compact JSON divided by four. `,
            "Colors: ", ["read", "write", "destructive"].map((kind) => [el("span", { class: `key ${kind}`, "aria-hidden": "true" }), `${kind} `]).flat()),
          totals, largest, map));
        await source.figures();
        drawMap();
        drawLargest();
        await drawTotals();
      } else drawLargest();
    } catch (error) {
      complain(error);
    }
  }

  onChange(["view"], draw);
  return { draw, update: () => isStarted && draw() };
}

const isOver = (profile, found) => profile.tools !== null && found.functions > profile.tools;

function limitText(profile, found, whole) {
  const left = whole - found.functions;
  const most = profile.tools === null ? "" : `${number(found.functions)} of at most ${number(profile.tools)} tools`;
  return [most, left ? `${number(left)} refused` : ""].filter(Boolean).join(", ");
}
