// The tab in which a text is checked as a model's call, shown as a request, and sent after confirmation.
import { badge, button, code, count, debounced, el, fold, hint, on, part, pre, pretty, shorten, show, withCrosses } from "./dom.js";
import { humanForm } from "./human_form.js";
import { jsonView } from "./json_view.js";

const typed = new Map();

const shortJson = value => shorten(JSON.stringify(value) ?? "nothing", 80);

/** Fill a panel with the form and the results of a call. */
export function tryTab(panel, source, row, profile, view, details) {
  if (!source.live || view.refused) {
    show(panel, view.refused ? el("p.notice.bad", view.refused)
      : el("div.notice", el("p", "To check and send calls, start the inspector:"), code("specfn ui SPEC --base-url URL")));
    return;
  }
  const { baseUrl } = source.live;
  const example = () => pretty(details.example);
  const area = el("textarea", { id: "arguments", rows: "8", spellcheck: "false", autocomplete: "off" });
  area.value = typed.get(row.name) ?? example();
  const human = details.human && humanForm(details.human);
  const result = el("div.result", { "aria-live": "polite" });
  const sent = el("div.result", { "aria-live": "polite" });
  const call = () => ({ name: row.name, profile, text: area.value, human: human?.value() ?? null });
  let latest = 0;

  async function check() {
    typed.set(row.name, area.value);
    const turn = (latest += 1);
    const found = await source.check(call()).catch(error => ({ error }));
    if (turn !== latest) return;
    sender.disabled = !baseUrl || Boolean(found.unsendable);
    show(result, found.error ? el("p.notice.bad", found.error.message) : verdict(found));
  }

  async function send(token) {
    sender.disabled = true;
    show(sent, hint("Sending…"));
    try {
      const found = await source.send({ ...call(), ...(token ? { token } : {}) });
      show(sent, found.pending ? null : response(found));
      sent.scrollIntoView({ block: "start" });
      if (found.pending) confirm(found.pending, () => send(found.pending.token));
    } catch (error) {
      show(sent, el("p.notice.bad", error.message));
    }
    sender.disabled = false;
  }

  const soon = debounced(check, 250);
  on(area, "input", soon);
  on(area, "keydown", event => event.key === "Enter" && (event.ctrlKey || event.metaKey) && check());
  const sender = button("primary", "Send", () => send(), { disabled: !baseUrl });
  show(panel,
    el("label.label", { for: "arguments" }, `Arguments that a model sends (profile ${profile})`), area,
    human && el("form.human", { oninput: soon, onsubmit: event => event.preventDefault() }, el("h3", "Filled in by a human"), human.node),
    el("div.bar", button("plain", "Check", check), sender,
      button("quiet", "Example", () => { area.value = example(); check(); }),
      el("span.to", baseUrl ? ["to ", code(baseUrl)] : ["To send calls, start with ", code("--base-url URL")])),
    result, sent);
  check();
}

function verdict(found) {
  const repaired = found.repairs.length ? ` after ${count(found.repairs.length, "repair")}` : "";
  const problems = found.errors.length ? `: ${count(found.errors.length, "problem")}` : "";
  const kinds = [...new Set(found.repairs.map(each => each.kind))].join(", ");
  const lines = found.feedback?.split("\n").map(each => el(each.includes("❌") ? "span.wrong" : "span", withCrosses(`${each}\n`)));
  return [
    el(`p.verdict.${found.valid ? "good" : "bad"}`, { id: "verdict" }, found.valid ? `Valid${repaired}` : `Invalid${repaired}${problems}`),
    found.human && part("The human part is not complete", el("ul.edits", found.human.map(problem))),
    lines && part("Feedback that the model reads", pre("Feedback", lines)),
    found.unsendable && el("p.notice.bad", found.unsendable),
    found.request && request(found.request),
    found.errors.length && part("Problems", el("ul.edits", found.errors.map(problem))),
    found.repairs.length && part(`Repairs: ${kinds}`, el("ul.repairs", found.repairs.map(each => el("li", badge(each.kind), " ",
      code(each.path), " ", el("del", shortJson(each.before)), " → ", el("ins", shortJson(each.after)))))),
  ];
}

const problem = each => el("li", code(each.path), each.target && [" belongs at ", code(each.target)],
  el("div.places", each.words, "value" in each && [", found ", code(shortJson(each.value))]),
  each.description && el("div.places", each.description));

function request(found) {
  const lines = [`${found.method} ${found.url}`, ...Object.entries(found.headers).map(([name, value]) => `${name}: ${value}`)];
  if (found.body !== null) lines.push("", typeof found.body === "string" ? found.body : pretty(found.body));
  return part("Request, with masked credentials", pre("Request", lines.join("\n")),
    fold("As curl", () => pre("curl command", found.curl)));
}

function confirm(pending, proceed) {
  const isDestructive = pending.safety === "destructive";
  const dialog = el("dialog.confirm", { "aria-label": "Confirmation", onclose: () => dialog.remove() },
    el("h2", `Send a ${pending.safety} call?`),
    pre("Call", pending.form),
    el("div.bar.end", button("plain", "Cancel", () => dialog.close(), { autofocus: true }),
      button(isDestructive ? "danger" : "primary", "Send", () => { dialog.close(); proceed(); })));
  document.body.append(dialog);
  dialog.showModal();
}

function response({ kind, text, result, next }) {
  const isGood = kind === "answered" || kind === "accepted";
  return part("Response",
    el(`p.verdict.${isGood ? "good" : "bad"}`, [result?.status, kind.replace("_", " "), result?.media_type].filter(Boolean).join(" · ")),
    el("h4", "Text that the model reads"), pre("Text of the answer", text),
    result?.data && typeof result.data === "object" && fold("Data", () => jsonView(result.data, { label: "Data" }).node),
    next && part("Arguments of the next page", jsonView(next, { label: "Next page" }).node));
}
