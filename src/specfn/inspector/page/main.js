// The start of the page: it reads the overview, shows the list at once, and adds the figures when they arrive.
import { byId, complain, count, el, number, on, show, visible } from "./dom.js";
import { change, fromAddress, onChange, openRow, state } from "./state.js";
import { changesView } from "./changes.js";
import { charts } from "./charts.js";
import { functionDetail } from "./function_detail.js";
import { functionList, rowsOf } from "./function_list.js";
import { liveSource, staticSource } from "./source.js";
import { printView } from "./print_view.js";
import { problemsView } from "./problems.js";

const VIEWS = ["functions", "sizes", "changes", "problems"];

const viewOf = ({ view }) => (VIEWS.includes(view) ? view : "functions");

function navigation(titles) {
  show(byId("views"), VIEWS.filter(view => titles[view]).map(view => el("li", el("button", {
    "aria-current": state.view === view ? "page" : null, onclick: () => change({ view }),
  }, titles[view]))));
  for (const view of VIEWS) byId(`view-${view}`).hidden = state.view !== view;
}

function header(overview) {
  const errors = overview.errors.length ? `${number(overview.errors.length)} not functions` : "";
  const texts = [overview.version, overview.format, count(overview.functions.length, "function"), errors];
  byId("title").textContent = visible(overview.title);
  byId("subtitle").textContent = visible(texts.filter(Boolean).join(" · "));
  show(byId("profile"), overview.profiles.map(({ name }) => el("option", { value: name }, name)));
  byId("profile").value = state.profile;
  on(byId("profile"), "change", event => change({ profile: event.target.value }));
}

async function start() {
  const source = byId("overview") ? staticSource() : await liveSource();
  const overview = await source.overview();
  const rows = rowsOf(overview);
  const titles = { functions: "Functions", sizes: "Sizes", problems: "Problems" };
  const address = fromAddress();
  let [figures, differences] = [{}, []];
  Object.assign(state, { profile: overview.profile, view: viewOf(address) });
  header(overview);
  navigation(titles);
  onChange(["view"], () => navigation(titles));
  functionDetail(source, overview, rows);
  const update = functionList(source, rows);
  const problems = problemsView(overview, rows, () => figures);
  const drawSizes = charts(source, overview, rows);
  printView(overview, rows, () => figures, () => differences);
  document.body.dataset.at = address.selected ? "detail" : "list";
  const first = rows.find(row => row.name === address.selected) ?? rows[0];
  if (first) change({ selected: first.name, isChosen: first.name === address.selected });
  on(window, "hashchange", () => {
    const { view, selected } = fromAddress();
    if (selected) openRow(selected);
    else change({ view: viewOf({ view }) });
  });

  async function total() {
    const { profile } = state;
    const { each } = await source.total(profile);
    if (profile !== state.profile) return;
    each.forEach((tool, index) => { rows[index].tool = tool; });
    update();
    await drawSizes();
  }

  onChange(["profile"], () => total().catch(complain));
  if (source.changes) {
    differences = await changesView(source, overview, rows);
    titles.changes = `Changes (${number(differences.length)})`;
    navigation(titles);
  }
  figures = await source.figures();
  figures.functions.forEach((each, index) => { rows[index].figures = each; });
  titles.problems = problems.count() ? `Problems (${number(problems.count())})` : "Problems";
  navigation(titles);
  await total();
  problems.draw();
  document.body.dataset.ready = "true";
}

start().catch(complain);
