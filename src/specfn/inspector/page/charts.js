// The view of sizes: totals for each profile against limits, the largest functions, and where the bytes are.
import { byId, bytes, complain, count, el, number, show } from "./dom.js";
import { onChange, openRow, state } from "./state.js";
import { barChart } from "./bar_chart.js";
import { tokensOfRow } from "./function_list.js";
import { treeMap } from "./tree_map.js";

const LARGEST = 40;

/** Fill the view when it is first shown, and follow the profile. Returns a function that draws it again. */
export function charts(source, overview, rows) {
  const functions = rows.filter(row => !row.isError);
  const [totals, largest, map] = [el("div"), el("div"), el("div")];
  const size = row => row.figures?.tool_bytes ?? 0;
  const bar = row => ({ label: row.name, kind: row.safety, onclick: () => openRow(row.name) });
  let isStarted = false;

  async function drawTotals() {
    const limit = { value: overview.manyTokens, label: `${number(overview.manyTokens)} tokens: beyond, most models choose badly` };
    const bars = [];
    for (const profile of overview.profiles) {
      const found = await source.total(profile.name);
      const left = functions.length - found.functions;
      const notes = [profile.tools === null ? "" : `${number(found.functions)} of at most ${number(profile.tools)} tools`, left ? `${number(left)} refused` : ""];
      const isOver = found.total > limit.value || (profile.tools !== null && found.functions > profile.tools);
      bars.push({ label: profile.name, value: found.total, note: notes.filter(Boolean).join(", "), kind: isOver ? "over" : "within" });
      show(totals, barChart("Tokens of all functions together, for each profile", bars, limit));
    }
  }

  function drawLargest() {
    const sized = functions.filter(tokensOfRow).sort((a, b) => tokensOfRow(b) - tokensOfRow(a)).slice(0, LARGEST);
    const title = functions.length > LARGEST ? `The ${LARGEST} largest functions` : "Each function";
    show(largest, barChart(`${title}, in tokens for ${state.profile}`, sized.map(row => ({ ...bar(row), value: tokensOfRow(row) }))));
  }

  function drawMap() {
    const groups = Map.groupBy(functions, row => row.accessor.split(".")[0]);
    const whole = functions.reduce((all, row) => all + size(row), 0);
    show(map, treeMap(`Where the ${bytes(whole)} of tools are, by namespace`,
      [...groups].map(([label, items]) => ({ label, items: items.map(row => ({ ...bar(row), value: size(row) })) }))));
  }

  async function draw() {
    if (state.view !== "sizes") return;
    try {
      if (!isStarted) {
        isStarted = true;
        const keys = ["read", "write", "destructive"].map(kind => el("span.legend", el(`span.swatch.${kind}`), kind));
        show(byId("view-sizes"), el("div.page", el("h2", "Sizes"),
          el("p.lead", `${count(functions.length, "function")}. Tokens are an estimate: the bytes of compact JSON divided by four. `, keys),
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
  return draw;
}
