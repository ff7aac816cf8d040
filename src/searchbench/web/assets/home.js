// The first page: the databases, and the games that can be solved here.

import { VALUES, api, count, drawing, follow, gameName, h, page, post, positionAddress, showError, silent, titled } from "./common.js";
import { outcome, progress } from "./jobs.js";

const SOLVED_HERE = 5_000_000;

page(async () => {
  titled("Databases");
  const [databases, certificates, health] = await Promise.all([api("/databases"), api("/certificates"), api("/health")]);
  const cards = h("ul", { class: "cards", id: "databases", hidden: !databases.length }, databases.map(card));
  const list = h("tbody", {}, h("tr", {}, h("td", { class: "muted", colspan: 4 }, "Counting the positions of the games …")));
  setTimeout(() => listGames(list, health, databases).catch((error) => showError(list.closest(".panel"), error)));
  return [
    h("h1", {}, "Solved games, move by move"),
    h("p", { class: "muted" }, "Every position of a database has its value: look at a position, follow best play, or find what you are after."),
    cards,
    databases.length ? null : h("p", { class: "panel", id: "none" }, "No database is open yet. Solve a small game below, or start the server with some: ", h("code", {}, "searchbench serve eight.db")),
    certificates.length ? h("div", { class: "panel", style: "margin-top:1.4rem" }, h("h2", {}, "Proofs to walk through"), h("ul", { id: "certificates" }, certificates.map((one) => h("li", {}, h("a", { href: `/certificates/${encodeURIComponent(one.name)}` }, `${one.label}: ${one.claim}`), h("span", { class: "muted small" }, ` ${one.name}, ${count(one.records)} records`))))) : null,
    h("div", { class: "panel", style: "margin-top:1.4rem" }, h("div", { class: "spread", style: "margin-bottom:0.6rem" }, h("h2", { style: "margin:0" }, "Games"), h("input", { type: "search", id: "filter", placeholder: "Find a game", "aria-label": "Find a game", oninput: (event) => filter(list, event.target.value) })),
      health.jobs ? null : h("p", { class: "muted small" }, "This server only reads: it solves and searches nothing."),
      h("div", { class: "scroll" }, h("table", { id: "games" }, h("thead", {}, h("tr", {}, h("th", {}, "Game"), h("th", { class: "hide-narrow" }, "Players"), h("th", { class: "figure hide-narrow" }, "Positions"), h(health.jobs ? "th" : "td", {}, health.jobs ? "Solve it" : ""))), list))),
  ];
});

/** Show the games in whose name, description or databases every word of a text begins a word; say so if there is none. */
function filter(list, text) {
  const wanted = text.toLowerCase().split(/\s+/).filter(Boolean);
  const begins = (line) => wanted.every((word) => new RegExp(`(^|[^\\p{L}\\p{N}])${word.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&")}`, "u").test(line.textContent.toLowerCase()));
  for (const line of list.querySelectorAll("tr:not(.nothing)")) line.hidden = !begins(line);
  list.querySelector(".nothing")?.remove();
  if (wanted.length && [...list.children].every((line) => line.hidden)) list.append(h("tr", { class: "nothing" }, h("td", { class: "muted", colspan: 4 }, `No game is called so: ${text.trim()}`)));
}

/** List the games once the server has counted their numbers, then follow what runs. */
async function listGames(list, health, databases) {
  const games = await api("/games");
  const begins = Object.fromEntries(databases.map((database) => [database.name, database.begins]));
  list.replaceChildren(...games.map((game) => row(game, health.jobs, begins)));
  filter(list, document.getElementById("filter").value);
  if (health.running) await reattach();
}

function card(database) {
  if (database.error) return h("li", {}, h("div", { class: "panel card" }, h("h2", {}, database.name), h("p", { class: "message" }, database.error)));
  const picture = h("div", { class: "picture" });
  api(`/databases/${encodeURIComponent(database.name)}/position`, { state: database.begins })
    .then((position) => picture.replaceChildren(silent(drawing(position.picture, position.text))))
    .catch(() => picture.remove());
  return h("li", {}, h("a", { class: "panel card", href: `/databases/${encodeURIComponent(database.name)}` },
    picture, h("div", {}, h("strong", {}, database.label), h("div", { class: "muted small mono" }, database.name)),
    h("div", { class: "small" }, `${count(database.states)} positions · ${VALUES[database.values] ?? database.values}`)));
}

function row(game, jobs, begins) {
  const whole = game.example ?? `${game.spec}:`;
  const asked = () => (spec.value.trim() === gameName(whole) ? whole : spec.value.trim());
  const spec = h("input", { value: gameName(whole), "aria-label": `${game.name} with its parameters`, class: "mono", size: 20 });
  const told = h("div", { "aria-live": "polite" });
  const solve = h("button", { type: "button", onclick: () => solveGame(asked(), solve, told), "data-game": game.spec, "aria-label": `Solve ${game.name}` }, "Solve");
  const large = game.size === null || game.size > SOLVED_HERE;
  solve.disabled = large; // until smaller parameters are typed in
  const does = game.players === 2 ? "Prove" : "Search";
  const search = h("a", { class: "button", "aria-label": `${does} ${game.name}` }, does);
  const lead = () => { search.href = `/search?${new URLSearchParams({ game: asked() })}`; };
  lead();
  spec.oninput = () => {
    solve.disabled = large && asked() === whole;
    lead();
  };
  if (game.players === 2 && game.values !== "outcome") search.classList.add("unseen"); // only wins, draws and losses are proved
  const own = whole.includes(".py:"); // the server takes other parameters of such a game when it is started
  const names = Object.keys(game.parameters).map((name) => name.replaceAll("_", " "));
  const links = game.databases.flatMap((name) => [h("a", { href: positionAddress(name, begins[name] ?? "start") }, name), " "]);
  return h("tr", {},
    h("td", {}, h("strong", {}, game.name), " ", h("span", { class: "small" }, links), h("div", { class: "muted small" }, game.title), told),
    h("td", { class: "hide-narrow" }, String(game.players)),
    h("td", { class: "figure hide-narrow" }, game.size === null ? "–" : count(game.size), large ? h("div", { class: "muted small" }, tooMany(game, names)) : null),
    h("td", {}, jobs ? [h("div", { class: "row end" }, spec, solve, search), names.length ? h("div", { class: "muted small parameters" }, `parameters: ${names.join(", ")}${own ? ", as given to the server" : ""}`) : null] : null));
}

/** Why a game is not solved here, and what can be done. */
function tooMany(game, names) {
  if (game.example === null) return `give ${names.join(", ")} after the colon`;
  if (game.size === null) return `not numbered, or too many: ${game.players === 2 ? "prove" : "search"} one position`;
  return `too many to solve here${names.length ? ": type smaller parameters" : ""}`;
}

/** Follow the jobs that were solving when the page was loaded. */
async function reattach() {
  const jobs = (await api("/jobs")).filter((job) => job.kind === "solve" && job.status === "running");
  for (const job of jobs) {
    const button = document.querySelector(`[data-game="${CSS.escape(job.request.game.split(":")[0])}"]`) ?? document.querySelector("[data-game]");
    const told = button.closest("tr").querySelector("[aria-live]");
    const shown = progress();
    told.replaceChildren(...shown.all);
    watch(job, told, shown).catch((error) => showError(told, error));
  }
}

async function solveGame(spec, button, told) {
  button.disabled = true;
  const shown = progress();
  told.replaceChildren(...shown.all);
  try {
    const job = await post("/jobs", { kind: "solve", game: spec.trim() });
    await watch(job, told, shown);
  } catch (error) {
    showError(told, error);
  } finally {
    button.disabled = false;
  }
}

/** Follow a job that solves, and show its end: a link, and the card of the database. */
async function watch(job, told, shown) {
  const ended = await follow(job.id, shown.tell);
  told.replaceChildren(outcome(ended));
  if (ended.status !== "done") return;
  const cards = document.getElementById("databases");
  cards.append(card(await api(`/databases/${encodeURIComponent(ended.result.database)}`)));
  cards.hidden = false;
  document.getElementById("none")?.remove();
}
