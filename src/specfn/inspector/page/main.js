// The start of the page: it reads the overview, shows the list at once, and adds the figures when they arrive.
import { byId, complain, count, el, number, show } from "./dom.js";
import { change, fromAddress, onChange, state } from "./state.js";
import { changesView } from "./changes.js";
import { charts } from "./charts.js";
import { functionDetail } from "./function_detail.js";
import { functionList, rowsOf } from "./function_list.js";
import { liveSource, staticSource } from "./source.js";
import { printView } from "./print_view.js";
import { problemsView } from "./problems.js";

const VIEWS = ["functions", "sizes", "changes", "problems"];

function navigation(titles) {
  const shown = VIEWS.filter((view) => titles[view]);
  show(byId("views"), shown.map((view) => el("li", {}, el("button", {
    type: "button", "aria-current": state.view === view ? "page" : null, onclick: () => change({ view }),
  }, titles[view]))));
  for (const view of VIEWS) byId(`view-${view}`).hidden = state.view !== view;
}

function brand(overview) {
  byId("title").textContent = document.createTextNode(overview.title).data;
  const errors = overview.errors.length ? ` · ${number(overview.errors.length)} not functions` : "";
  byId("subtitle").textContent = [overview.version, overview.format, `${count(overview.functions.length, "function")}${errors}`]
    .filter(Boolean).join(" · ");
  show(byId("profile"), overview.profiles.map((each) => el("option", { value: each.name }, each.name)));
  byId("profile").addEventListener("change", (event) => change({ profile: event.target.value }));
}

async function start() {
  const source = byId("overview") ? staticSource() : await liveSource();
  const overview = await source.overview();
  const rows = rowsOf(overview);
  const titles = { functions: "Functions", sizes: "Sizes", problems: "Problems" };
  let figures = {};
  let differences = [];
  brand(overview);
  const address = fromAddress();
  Object.assign(state, { profile: overview.profile, view: VIEWS.includes(address.view) ? address.view : "functions" });
  byId("profile").value = state.profile;
  navigation(titles);
  onChange(["view"], () => navigation(titles));

  const draw = functionDetail(source, overview, rows);
  const list = functionList(source, rows);
  const problems = problemsView(overview, rows, () => figures);
  const sizes = charts(source, overview, rows);
  printView(overview, rows, () => figures, () => differences);
  document.body.dataset.at = address.selected ? "detail" : "list";
  const first = rows.find((row) => row.name === address.selected) ?? rows[0];
  if (first) change({ selected: first.name, isChosen: first.name === address.selected });
  window.addEventListener("hashchange", () => {
    const { view, selected } = fromAddress();
    change({ view: VIEWS.includes(view) ? view : "functions", ...(selected ? { selected, isChosen: true } : {}) });
  });

  async function total() {
    const { profile } = state;
    const found = await source.total(profile);
    if (profile !== state.profile) return;
    found.each.forEach((each, index) => { rows[index].tool = each; });
    list.update();
    sizes.update();
  }
  onChange(["profile"], () => total().catch(complain));

  if (source.changes) {
    await changesView(source, overview, rows);
    differences = (await source.changes()).differences;
    titles.changes = `Changes (${number(differences.length)})`;
    navigation(titles);
  }
  figures = await source.figures();
  figures.functions.forEach((each, index) => { rows[index].figures = each; });
  titles.problems = problems.count() ? `Problems (${number(problems.count())})` : "Problems";
  navigation(titles);
  await total();
  problems.draw();
  await sizes.draw();
  document.body.dataset.ready = "true";
  void draw;
}

start().catch(complain);
