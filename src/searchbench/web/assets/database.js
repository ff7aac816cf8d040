// The page of a database: what it is, how its values are distributed, and finding positions in it.

import { VALUES, api, badge, count, drawing, follow, h, nameInAddress, page, positionAddress, post, showError, silent, titled } from "./common.js";
import { progress } from "./jobs.js";

const name = nameInAddress();
const base = `/databases/${encodeURIComponent(name)}`;
const parts = {};
let facts;
let scale = null; // until the values are known

const DWARFS = 8; // a column that is so many times as high as any other: then the others are seen on a logarithmic scale only

const FEW = 1000; // positions: of fewer the header fills the disk, and bits a state say nothing
const WIDE = 720; // of a chart that is not on the page yet

page(async () => {
  const health = await api("/health");
  facts = await api(base);
  titled(name);
  parts.chart = h("div", { class: "chart", id: "chart" });
  parts.longest = h("div", { class: "row", id: "longest" });
  parts.results = h("div", { id: "results", "aria-live": "polite" });
  const layout = [
    h("p", { class: "crumbs" }, h("a", { href: "/" }, "Databases"), " / ", name),
    h("div", { class: "spread", style: "margin-bottom:1.1rem" }, h("div", {}, h("h1", {}, facts.label), h("span", { class: "muted" }, facts.title)), h("div", { class: "row" }, h("a", { class: "button primary", href: positionAddress(name, facts.begins), id: "open" }, "Play"), facts.hardest ? h("a", { class: "button", href: positionAddress(name, "hardest"), id: "open-hardest" }, "The hardest") : null)),
    h("div", { class: "columns wide-left" },
      h("div", { class: "stack" }, h("div", { class: "panel" }, chartHead(), parts.chart, parts.longest), h("div", { class: "panel" }, h("h2", {}, "Find positions"), findForm(), parts.results)),
      h("div", { class: "stack" }, h("div", { class: "panel" }, h("h2", {}, "What it is"), figures(), description()), h("div", { class: "panel" }, h("h2", {}, "Verification"), verification(health.jobs)))),
  ];
  setTimeout(() => drawChart().catch((error) => showError(parts.chart, error)));
  if (location.search) setTimeout(findFromAddress);
  addEventListener("popstate", findFromAddress);
  addEventListener("resize", () => { clearTimeout(parts.redraw); parts.redraw = setTimeout(() => drawChart().catch(() => {}), 200); }); // else the chart stays as it is
  return layout;
});

// --- the chart --------------------------------------------------------------------------------------------------------

function chartHead() {
  const choose = (chosen) => h("button", { type: "button", "data-scale": chosen, "aria-pressed": String(chosen === scale), onclick: () => { scale = chosen; for (const other of scales) other.setAttribute("aria-pressed", String(other.dataset.scale === scale)); redraw(); } }, chosen === "log" ? "Logarithmic" : "Linear");
  const scales = [choose("linear"), choose("log")];
  parts.scales = scales;
  parts.part = partSelect("chart-part", redraw);
  return h("div", { class: "spread", style: "margin-bottom:0.6rem" }, h("h2", { style: "margin:0" }, "How many positions have each value"), h("div", { class: "row" }, parts.part, scales));
}

function partSelect(id, onchange) {
  if (facts.parts.length < 2) return null;
  return h("select", { id, "aria-label": "Part", onchange }, h("option", { value: "" }, "all parts"), facts.parts.map((part) => h("option", { value: part.name }, part.called)));
}

const redraw = () => drawChart().catch((error) => showError(parts.longest, error));

async function drawChart() {
  const width = Math.round(Math.min(1200, Math.max(280, parts.chart.clientWidth || WIDE)));
  let stats = await api(`${base}/stats`, { part: parts.part?.value, chart: scale ?? "linear", width });
  if (scale === null) {
    const [highest, second] = stats.values.map((row) => row.count).sort((one, other) => other - one);
    scale = highest > DWARFS * second ? "log" : "linear";
    for (const other of parts.scales) other.setAttribute("aria-pressed", String(other.dataset.scale === scale));
    if (scale === "log") stats = await api(`${base}/stats`, { part: parts.part?.value, chart: scale, width });
  }
  parts.chart.replaceChildren(drawing(stats.chart));
  parts.chart.firstElementChild.setAttribute("role", "group"); // its columns are buttons
  for (const text of parts.chart.querySelectorAll(".sb-axis")) text.setAttribute("aria-hidden", "true");
  const columns = [...parts.chart.querySelectorAll(".sb-column")]; // one stop of the tab key; arrows go from column to column
  for (const [place, column] of columns.entries()) {
    const show = () => find({ value: column.dataset.label, part: parts.part?.value });
    column.setAttribute("tabindex", place ? "-1" : "0");
    column.setAttribute("role", "button");
    column.setAttribute("aria-label", `find positions: ${column.querySelector("title").textContent}`);
    column.addEventListener("click", show);
    column.addEventListener("keydown", (event) => {
      const other = columns[place + ({ ArrowLeft: -1, ArrowRight: 1 }[event.key] ?? NaN)];
      if (event.key === "Enter" || event.key === " ") show();
      else if (!other) return;
      event.preventDefault();
      if (!other) return;
      column.setAttribute("tabindex", "-1");
      other.setAttribute("tabindex", "0");
      other.focus();
    });
  }
  const names = { win: "longest", loss: "longest", number: facts.hardest ? "hardest" : "most", draw: "draw" };
  const tops = stats.longest.filter((row) => row.count && row.kind !== "draw").map((row) => h("button", { type: "button", onclick: () => find({ value: row.text, part: parts.part?.value }) }, `${names[row.kind]}: `, badge(row), ` ${count(row.count)} position${row.count === 1 ? "" : "s"}`));
  parts.longest.replaceChildren(...tops, stats.without ? h("span", { class: "muted small" }, `${count(stats.without)} without a value`) : "");
}

// --- what it is ---------------------------------------------------------------------------------------------------------

function figures() {
  const tile = (figure, text) => h("div", { class: "tile" }, h("strong", {}, figure), h("span", { class: "muted small" }, text));
  return h("div", { class: "tiles", style: "margin-bottom:1rem" }, tile(count(facts.states), "positions"), tile(count(facts.reachable), "with a value"), tile(facts.size, "on disk"), facts.states >= FEW ? tile(`${facts.bits_per_state}`, "bits a state") : null);
}

function description() {
  const rows = [
    ["game", facts.game],
    ...Object.entries(facts.parameters),
    ["values", VALUES[facts.values] ?? facts.values],
    ["kept as", `${facts.form}${facts.modulus ? ` (depths modulo ${facts.modulus})` : ""}, ${facts.cell}`],
    ["compressed", facts.compression > 1 ? `${facts.compression} to 1` : null],
    ["parts", facts.parts.length > 1 ? count(facts.parts.length) : null],
    ["solver", facts.facts.solver],
    ["made by", facts.command ? h("code", {}, facts.command.split(" ").flatMap((word) => [word.startsWith("-") ? h("span", { class: "unbroken" }, word) : word, " "])) : null],
  ];
  return h("dl", { class: "facts" }, rows.filter(([, fact]) => fact).flatMap(([term, fact]) => [h("dt", {}, term), h("dd", {}, fact)]));
}

function verification(jobs) {
  const told = h("div", { id: "verified", "aria-live": "polite" });
  const tell = (result) => told.replaceChildren(result === null ? h("p", { class: "muted" }, "Not verified since this server was started.") : h("p", { class: result.faults ? "message" : "message calm" }, result.faults ? `${count(result.faults)} faults in ${count(result.states)} positions: ${result.found.join("; ")}` : `${count(result.states)} positions checked by the rules alone: no faults.`));
  tell(facts.verified);
  const watch = async (begun) => {
    start.disabled = true;
    const shown = progress();
    told.replaceChildren(...shown.all);
    try {
      const ended = await follow((await begun).id, shown.tell);
      if (ended.status === "done") tell(ended.result);
      else showError(told, new Error(ended.error?.message ?? ended.status));
    } catch (error) {
      showError(told, error);
    } finally {
      start.disabled = false;
    }
  };
  const start = h("button", { type: "button", id: "verify", onclick: () => watch(post("/jobs", { kind: "verify", database: name })) }, "Verify now");
  if (jobs) api("/jobs").then((all) => { // one that was begun before a reload, or on another page
    const running = all.find((job) => job.kind === "verify" && job.request.database === name && job.status === "running");
    if (running) watch(running);
  });
  return [told, jobs ? start : null];
}

// --- finding --------------------------------------------------------------------------------------------------------------

function findForm() {
  const field = (title, id, placeholder, type = "text") => {
    parts[id] = h("input", { id: `find-${id}`, placeholder, type, min: type === "number" ? 0 : null, oninput: () => wrong(null) });
    return h("label", {}, title, parts[id]);
  };
  parts.findPart = partSelect("find-part", null);
  parts.predicate = facts.predicates.length ? h("select", { id: "find-predicate" }, h("option", { value: "" }, "none"), facts.predicates.map((one) => h("option", {}, one))) : null;
  const asked = () => ({ value: parts.value.value, part: parts.findPart?.value, first: parts.first.value, last: parts.last.value, where: parts.where.value, predicate: parts.predicate?.value });
  return h("form", { class: "stack", onsubmit: (event) => { event.preventDefault(); find(asked()); } },
    h("div", { class: "fields" }, field("Value or range", "value", facts.examples.value), parts.findPart ? h("label", {}, "Part", parts.findPart) : null, field("From number", "first", "0", "number"), field("To number", "last", count(facts.numbers - 1).replaceAll(",", ""), "number"), parts.predicate ? h("label", {}, "Predicate of your own", parts.predicate) : null),
    h("div", { class: "fields", style: "grid-template-columns:minmax(0,1fr) auto" }, field("Condition", "where", facts.examples.where), h("button", { class: "primary", id: "find" }, "Find")),
    h("p", { class: "muted small", style: "margin:0" }, "A condition may use ", h("code", {}, "state"), ", ", h("code", {}, "pieces"), ", ", h("code", {}, "number"), ", ", h("code", {}, "mover"), ", ", h("code", {}, "value"), ", ", h("code", {}, "outcome"), ", ", h("code", {}, "plies"), ", numbers, comparisons, ", h("code", {}, "and or not"), ", and ", h("code", {}, "len count sum min max abs"), facts.cell_at_start ? ["; at the start ", h("code", {}, facts.cell_at_start)] : "", "."));
}

/** Mark the field that an error is about, as its first word tells; null takes that back. */
function wrong(error) {
  const about = { condition: [parts.where], value: [parts.value], numbers: [parts.first, parts.last], "first:": [parts.first], "last:": [parts.last] }[error?.message.split(" ")[0]] ?? [];
  for (const field of [parts.where, parts.value, parts.first, parts.last]) {
    field.setAttribute("aria-invalid", String(about.includes(field)));
    field.setAttribute("aria-describedby", about.includes(field) ? parts.results.id : "");
  }
}

/** Show the first positions that meet all conditions; the conditions go into the address, unless they come from there. */
async function find(asked, keep = false) {
  const address = `${location.pathname}?${new URLSearchParams(Object.entries(asked).filter(([, value]) => value))}`;
  if (!keep && address !== location.pathname + location.search) history.pushState(null, "", address);
  wrong(null);
  for (const [field, value] of Object.entries({ value: asked.value, first: asked.first, last: asked.last, where: asked.where })) parts[field].value = value ?? "";
  if (parts.findPart) parts.findPart.value = asked.part ?? "";
  if (parts.predicate) parts.predicate.value = asked.predicate ?? "";
  const list = h("ul", { class: "results" });
  const summary = h("p", { class: "muted", style: "margin:0.9rem 0 0" }, "looking …");
  const more = h("div", { class: "row", style: "margin-top:0.9rem" });
  parts.results.replaceChildren(summary, list, more);
  parts.results.scrollIntoView({ block: "nearest", behavior: "smooth" });
  await findMore(asked, asked.first || 0, list, summary, more, null);
}

/** Show the next positions; `total` is how many there are in all, if that is known. Where a request has found none in its time, the next begins where it ended. */
async function findMore(asked, first, list, summary, more, total) {
  const mine = {}; // a search that begins later ends this one
  parts.finding = mine;
  let stopped = false;
  let answer = { next: first, states: [] };
  const last = Number(asked.last || facts.numbers - 1);
  const tell = (text) => summary.replaceChildren(text, ...(answer.note && !list.children.length ? [h("br"), answer.note] : []));
  const stop = h("button", { type: "button", id: "stop-looking", onclick: () => { stopped = true; stop.disabled = true; } }, "Stop");
  do {
    try {
      answer = await api(`${base}/find`, { ...asked, first: answer.next, pictures: true });
    } catch (error) {
      if (parts.finding !== mine) return;
      showError(parts.results, error);
      wrong(error);
      return;
    }
    if (parts.finding !== mine) return;
    if (answer.next === null || answer.states.length) break;
    tell(`looking … ${Math.floor((100 * answer.next) / (last + 1))}%, up to number ${count(answer.next)} of ${count(last)}`);
    if (!stop.isConnected) more.replaceChildren(stop);
  } while (!stopped);
  list.append(...answer.states.map((found) => h("li", {}, h("a", { href: positionAddress(name, found.state), title: found.state }, found.picture ? silent(drawing(found.picture)) : null, badge(found.value), h("span", { class: "notation mono" }, found.state)))));
  const shown = list.children.length;
  const known = total ?? answer.count;
  const all = known === null ? "" : ` of ${count(known)}`;
  const end = answer.next === null || known !== null ? "" : answer.states.length ? "; there may be more" : `; looked up to number ${count(answer.next)}`;
  tell(shown ? `${count(shown)}${all} position${shown === 1 && !all ? "" : "s"}${end}` : answer.next === null ? "No position meets all conditions." : `None yet${end}.`);
  more.replaceChildren(answer.next === null || shown === known ? "" : h("button", { type: "button", id: "more", onclick: () => findMore(asked, answer.next, list, summary, more, known) }, answer.states.length ? "More" : "Look on"));
}

function findFromAddress() {
  if (!location.search) { // back before the first search
    parts.finding = null;
    for (const field of [parts.value, parts.first, parts.last, parts.where, parts.findPart, parts.predicate]) if (field) field.value = "";
    wrong(null);
    parts.results.replaceChildren();
    return;
  }
  find(Object.fromEntries(new URLSearchParams(location.search)), true);
}
