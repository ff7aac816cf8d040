// The first page: the databases, and the games that can be solved here.

import { VALUES, api, count, drawing, follow, h, page, post, positionAddress, showError, silent, titled } from "./common.js";
import { outcome, progress } from "./jobs.js";

const SOLVED_HERE = 5_000_000;
const LINKS = 5; // to databases of a game beside its name: their cards are above

page(async () => {
  titled("Databases");
  const [databases, certificates, health] = await Promise.all([api("/databases"), api("/certificates"), api("/health")]);
  const cards = h("ul", { class: "cards", id: "databases", hidden: !databases.length }, databases.map(card));
  const proofs = h("div", { class: "panel apart", id: "proofs", hidden: !certificates.length }, h("h2", {}, "Proofs to walk through"), h("ul", { id: "certificates" }, certificates.map((one) => h("li", {}, h("a", { href: `/certificates/${encodeURIComponent(one.name)}` }, `${one.label}: ${one.claim}`), h("span", { class: "muted small" }, ` ${one.name}, ${count(one.records)} records`)))));
  const games = h("table", { id: "games" }, h("thead", {}, h("tr", {}, h("th", {}, "Game"), h("th", { class: "figure hide-narrow" }, "Positions"), h(health.jobs ? "th" : "td", {}, health.jobs ? "Solve it" : ""))), h("tbody", {}, h("tr", {}, h("td", { class: "muted", colspan: 3 }, "Counting the positions of the games …"))));
  setTimeout(() => listGames(games, health, databases).catch((error) => showError(games.closest(".panel"), error)));
  return [
    h("div", { class: "spread" }, h("h1", {}, "Solved games, move by move"), h("input", { type: "search", id: "filter", placeholder: "Find a database or a game", "aria-label": "Find a database or a game", "aria-describedby": "shown", oninput: filter })),
    h("p", { class: "muted" }, "Every position of a database has its value: look at a position, follow best play, or find what you are after."),
    h("p", { class: "muted", id: "shown", role: "status" }),
    cards,
    databases.length ? null : h("p", { class: "panel", id: "none" }, "No database is open yet. Solve a small game below, or start the server with some: ", h("code", {}, "searchbench serve eight.db")),
    proofs,
    h("div", { class: "panel apart", id: "all-games" }, h("h2", {}, "Games"),
      health.jobs ? null : h("p", { class: "muted small" }, "This server only reads: it solves and searches nothing."),
      h("div", { class: "scroll" }, games)),
  ];
});

/** Show the databases, proofs and games in whose text every word of what is sought begins a word; say how many, or that there is none. */
function filter() {
  const typed = document.getElementById("filter").value.trim();
  const wanted = typed.toLowerCase().split(/\s+/).filter(Boolean);
  const begins = (one) => wanted.every((word) => new RegExp(`(^|[^\\p{L}\\p{N}])${word.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&")}`, "u").test((one.dataset.words ?? one.textContent).toLowerCase()));
  let [shown, all] = [0, 0];
  for (const [whole, one] of [["#databases", "#databases > li"], ["#proofs", "#proofs li"], ["#all-games", "#games tr[data-players]"]]) {
    const ones = [...document.querySelectorAll(one)];
    for (const each of ones) each.hidden = !begins(each);
    const left = ones.filter((each) => !each.hidden).length;
    if (whole !== "#all-games" || ones.length) document.querySelector(whole).hidden = !left; // the games may not be counted yet
    [shown, all] = [shown + left, all + ones.length];
  }
  for (const group of document.querySelectorAll("#games tbody")) group.hidden = Boolean(group.querySelector("[data-players]")) && !group.querySelector("[data-players]:not([hidden])");
  document.getElementById("shown").textContent = !wanted.length ? "" : shown ? `${count(shown)} of ${count(all)}` : `No database, proof or game is called so: ${typed}`;
}

/** List the games once the server has counted their numbers, then follow what runs. */
async function listGames(table, health, databases) {
  const games = await api("/games");
  const begins = Object.fromEntries(databases.map((database) => [database.name, database.begins]));
  const own = (game) => game.spec !== game.name; // named when the server was started
  const group = (heading, some) => (some.length ? h("tbody", {}, h("tr", {}, h("th", { class: "group", colspan: 3, scope: "rowgroup" }, heading)), some.map((game) => row(game, health.jobs, begins))) : null);
  const shipped = games.filter((game) => !own(game));
  for (const body of table.querySelectorAll("tbody")) body.remove();
  table.append(...[group("Your own", games.filter(own)), group("Puzzles", shipped.filter((game) => game.players === 1)), group("Games of two players", shipped.filter((game) => game.players === 2))].filter(Boolean));
  filter();
  if (health.running) await reattach();
}

function card(database) {
  if (database.error) return h("li", {}, h("div", { class: "panel card" }, h("h2", {}, database.name), h("p", { class: "message" }, database.error)));
  const picture = h("div", { class: "picture" });
  api(`/databases/${encodeURIComponent(database.name)}/position`, { state: database.begins })
    .then((position) => picture.replaceChildren(silent(drawing(position.picture, position.text))))
    .catch(() => picture.remove());
  return h("li", { "data-words": `${database.label} ${database.name} ${database.title}` }, h("a", { class: "panel card", href: `/databases/${encodeURIComponent(database.name)}` },
    picture, h("div", {}, h("strong", {}, database.label), h("div", { class: "muted small mono short", title: database.name }, database.name)),
    h("div", { class: "small" }, `${count(database.states)} positions · ${VALUES[database.values] ?? database.values}`)));
}

function row(game, jobs, begins) {
  const whole = game.example ?? `${game.spec}:`;
  const asked = () => spec.value.trim();
  const spec = h("input", { value: whole, "aria-label": `${game.name} with its parameters`, class: "mono", size: 20 });
  const told = h("div", { "aria-live": "polite" });
  const solve = h("button", { type: "button", onclick: () => solveGame(asked(), solve, told), "data-game": game.spec, "aria-label": `Solve ${game.name}` }, "Solve");
  const large = game.size === null || game.size > SOLVED_HERE;
  solve.disabled = large; // until smaller parameters are typed in
  const does = game.players === 2 ? "Prove" : "Search";
  const search = h("a", { class: "button", "aria-label": `${does} ${game.name}` }, does);
  const lead = () => { search.href = `/search?${new URLSearchParams({ game: asked() })}`; };
  lead();
  spec.onkeydown = (event) => { if (event.key === "Enter") solve.click(); };
  spec.oninput = () => {
    solve.disabled = large && asked() === whole;
    lead();
  };
  if (game.players === 2 && game.values !== "outcome") search.classList.add("unseen"); // only wins, draws and losses are proved
  const own = whole.includes(".py:"); // the server takes other parameters of such a game when it is started
  const names = Object.keys(game.parameters).map((name) => name.replaceAll("_", " "));
  const links = game.databases.slice(0, LINKS).flatMap((name) => [h("a", { href: positionAddress(name, begins[name] ?? "start") }, name), " "]);
  if (game.databases.length > LINKS) links.push(h("span", { class: "muted" }, `and ${game.databases.length - LINKS} more`));
  return h("tr", { "data-players": game.players },
    h("td", {}, h("strong", {}, game.name), " ", h("span", { class: "small" }, links), h("div", { class: "muted small" }, game.title), told),
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
    const button = [job.request.game, job.request.game.split(":")[0]].map((name) => document.querySelector(`[data-game="${CSS.escape(name)}"]`)).find(Boolean) ?? document.querySelector("[data-game]");
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
  filter();
  document.getElementById("none")?.remove();
}
