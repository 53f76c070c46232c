// The tab in which a text is checked as a model's call, shown as a request, and sent after confirmation.
import { badge, button, code, complain, copyButton, count, debounced, el, part, show } from "./dom.js";
import { exampleOf, humanForm } from "./human_form.js";
import { jsonView } from "./json_view.js";

const typed = new Map();

const shortJson = (value) => {
  const text = value === undefined ? "nothing" : JSON.stringify(value);
  return text.length > 120 ? `${text.slice(0, 119)}…` : text;
};

/** Fill a panel with the form and the results of a call. */
export function tryTab(panel, source, row, profile, view, details) {
  if (!source.live) {
    show(panel, el("div", { class: "notice" },
      el("p", {}, "This is a static report. To check and send calls, start the inspector:"),
      el("p", {}, code("specfn ui SPEC --base-url URL"))));
    return;
  }
  if (view.refused) {
    show(panel, el("p", { class: "notice bad" }, `${profile} has no tool for this function: ${view.refused}`));
    return;
  }
  const area = el("textarea", { id: "arguments", rows: "9", spellcheck: "false", autocomplete: "off" });
  area.value = typed.get(row.name) ?? JSON.stringify(exampleOf(view.schema), null, 2);
  const human = details.human ? humanForm(details.human) : null;
  const result = el("div", { class: "result", "aria-live": "polite" });
  const sent = el("div", { class: "result", "aria-live": "polite" });
  const call = () => ({ name: row.name, profile, text: area.value, human: human?.value() ?? null });
  let latest = 0;

  async function check() {
    typed.set(row.name, area.value);
    const turn = (latest += 1);
    try {
      const found = await source.check(call());
      if (turn === latest) show(result, verdict(found));
    } catch (error) {
      if (turn === latest) show(result, el("p", { class: "notice bad" }, error.message));
    }
  }

  async function send(token) {
    sender.disabled = true;
    show(sent, el("p", { class: "hint" }, "Sending…"));
    try {
      const found = await source.send({ ...call(), ...(token ? { token } : {}) });
      if (found.pending?.token) {
        show(sent);
        confirm(row, found.pending, () => send(found.pending.token));
      } else show(sent, response(found));
    } catch (error) {
      show(sent);
      complain(error);
    } finally {
      sender.disabled = false;
    }
  }

  const soon = debounced(check, 250);
  area.addEventListener("input", soon);
  area.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) check();
  });
  const form = human ? el("form", { class: "human", oninput: soon, onsubmit: (event) => event.preventDefault() },
    el("h3", {}, "Filled in by a human"), human.node) : null;
  const sender = button("Send", () => send(), { class: "primary", disabled: !source.live.baseUrl });
  show(panel,
    el("label", { for: "arguments", class: "label" }, `Arguments as a model writes them, for ${profile}`), area, form,
    el("div", { class: "bar" }, button("Check", check, { title: "Ctrl+Enter" }), sender,
      button("Example", () => { area.value = JSON.stringify(exampleOf(view.schema), null, 2); check(); }, { class: "quiet" }),
      source.live.baseUrl ? el("span", { class: "to" }, "to ", code(source.live.baseUrl))
        : el("span", { class: "to" }, "To send calls, start with ", code("--base-url URL"))),
    result, sent);
  check();
}

function verdict(found) {
  const repaired = found.repairs.length ? ` after ${count(found.repairs.length, "repair")}` : "";
  const problems = found.errors.length ? `: ${count(found.errors.length, "problem")}` : "";
  return [
    el("p", { class: `verdict ${found.valid ? "good" : "bad"}`, id: "verdict" },
      found.valid ? `Valid${repaired}` : `Invalid${repaired}${problems}`),
    found.repairs.length ? part("Repairs", el("ul", { class: "edits" }, found.repairs.map((each) =>
      el("li", {}, code(each.path), " ", badge(each.kind, "mark-text"), el("div", { class: "change" },
        el("del", {}, shortJson(each.before)), " → ", el("ins", {}, shortJson(each.after))))))) : null,
    found.errors.length ? part("Problems", el("ul", { class: "edits" }, found.errors.map(problem))) : null,
    found.human ? part("The human part is not complete", el("ul", { class: "edits" }, found.human.map(problem))) : null,
    found.feedback ? part("Feedback that the model reads", feedback(found.feedback)) : null,
    found.unsendable ? el("p", { class: "notice bad" }, found.unsendable) : null,
    found.request ? request(found.request) : null,
  ];
}

function problem(each) {
  return el("li", {}, el("div", {}, code(each.path), each.target ? [" belongs at ", code(each.target)] : null),
    el("div", { class: "places" }, "expected ", code(each.expected), "value" in each ? [", found ", code(shortJson(each.value))] : null),
    each.description ? el("div", { class: "places" }, each.description) : null);
}

function feedback(text) {
  return el("pre", { class: "text", tabindex: "0", "aria-label": "Feedback" }, text.split("\n").map((each) =>
    el("span", { class: each.includes("// ❌") ? "wrong" : "" }, `${each}\n`)));
}

function request(found) {
  const lines = [`${found.method} ${found.url}`, ...Object.entries(found.headers).map(([name, value]) => `${name}: ${value}`)];
  const body = found.body === null ? "" : typeof found.body === "string" ? found.body : JSON.stringify(found.body, null, 2);
  return part("Request, with masked credentials",
    el("pre", { class: "text", tabindex: "0", "aria-label": "Request" }, body ? [...lines, "", body].join("\n") : lines.join("\n")),
    el("details", { class: "fold" }, el("summary", {}, "As curl"),
      el("pre", { class: "text", tabindex: "0", "aria-label": "curl command" }, found.curl), copyButton(() => found.curl)));
}

function confirm(row, pending, proceed) {
  const dialog = el("dialog", { class: "confirm", "aria-labelledby": "confirm-title", onclose: () => dialog.remove() },
    el("h2", { id: "confirm-title" }, `Send a ${pending.safety} call?`),
    el("p", {}, code(`${row.method.toUpperCase()} ${row.path}`), pending.safety === "destructive"
      ? " can delete or overwrite data." : " changes data."),
    jsonView(pending.arguments, { label: "Arguments" }).node,
    el("div", { class: "bar end" }, button("Cancel", () => dialog.close(), { autofocus: true }),
      button("Send", () => { dialog.close(); proceed(); }, { class: pending.safety === "destructive" ? "danger" : "primary" })));
  document.body.append(dialog);
  dialog.showModal();
}

function response(found) {
  const { result } = found;
  const isGood = found.kind === "answered" || found.kind === "accepted";
  return part("Response",
    el("p", { class: `verdict ${isGood ? "good" : "bad"}` },
      result ? `${result.status} · ${found.kind.replace("_", " ")}` : found.kind.replace("_", " "),
      result?.media_type ? ` · ${result.media_type}` : ""),
    el("h4", {}, "Text that the model reads"),
    el("pre", { class: "text", tabindex: "0", "aria-label": "Text of the answer" }, found.text),
    result && result.data !== null && typeof result.data === "object"
      ? el("details", { class: "fold" }, el("summary", {}, "Data"), jsonView(result.data, { label: "Data" }).node) : null,
    found.next ? part("Arguments of the next page", jsonView(found.next, { label: "Next page" }).node) : null);
}
