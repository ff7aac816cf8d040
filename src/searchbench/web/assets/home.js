// The first page: the databases, and the games that can be solved here.

import { api, count, drawing, follow, gameName, h, page, positionAddress, post, showError, titled } from "./common.js";

const SOLVED_HERE = 5_000_000;

page(async () => {
  titled("Databases");
  const [databases, games, health] = await Promise.all([api("/databases"), api("/games"), api("/health")]);
  const cards = h("ul", { class: "cards", id: "databases" }, databases.map(card));
  return [
    h("h1", {}, "Solved games, move by move"),
    h("p", { class: "muted" }, "Every position of a database has its value: look at a position, follow best play, or find what you are after."),
    databases.length ? cards : h("p", { class: "panel" }, "No database is open yet. Solve a small game below, or start the server with some: ", h("code", {}, "searchbench serve eight.db")),
    h("div", { class: "panel", style: "margin-top:1.4rem" }, h("h2", {}, "Games"),
      health.jobs ? null : h("p", { class: "muted small" }, "This server only reads: it solves and searches nothing."),
      h("div", { class: "scroll" }, h("table", { id: "games" }, h("thead", {}, h("tr", {}, h("th", {}, "Game"), h("th", { class: "hide-narrow" }, "Players"), h("th", { class: "figure hide-narrow" }, "Numbers"), h("th", {}, ""))), h("tbody", {}, games.map((game) => row(game, health.jobs)))))),
  ];
});

function card(database) {
  if (database.error) return h("li", {}, h("div", { class: "panel card" }, h("h2", {}, database.name), h("p", { class: "message" }, database.error)));
  const picture = h("div", { class: "picture" });
  api(`/databases/${encodeURIComponent(database.name)}/position`, { state: "start" })
    .then((position) => picture.replaceChildren(drawing(position.picture, position.text)))
    .catch(() => picture.remove());
  return h("li", {}, h("a", { class: "panel card", href: `/databases/${encodeURIComponent(database.name)}` },
    picture, h("div", {}, h("strong", {}, database.name), h("div", { class: "muted small" }, database.label)),
    h("div", { class: "small" }, `${count(database.states)} states, ${database.values}`)));
}

function row(game, jobs) {
  const whole = game.example ?? `${game.spec}:`;
  const asked = () => (spec.value.trim() === gameName(whole) ? whole : spec.value.trim());
  const spec = h("input", { value: gameName(whole), "aria-label": `${game.name} with its parameters`, class: "mono", size: 20 });
  const told = h("div", { "aria-live": "polite" });
  const solve = h("button", { type: "button", onclick: () => solveGame(asked(), solve, told), "data-game": game.spec }, "Solve");
  const search = h("a", { class: "button", href: "/search" , onclick: (event) => { event.currentTarget.href = `/search?${new URLSearchParams({ game: asked() })}`; } }, game.players === 2 ? "Prove" : "Search");
  if (game.players === 2 && game.values !== "outcome") search.classList.add("hidden"); // only wins, draws and losses are proved
  const links = game.databases.flatMap((name) => [h("a", { href: positionAddress(name, "start") }, name), " "]);
  const large = game.size === null || game.size > SOLVED_HERE;
  return h("tr", {},
    h("td", {}, h("strong", {}, game.name), " ", h("span", { class: "small" }, links), h("div", { class: "muted small" }, game.title), told),
    h("td", { class: "hide-narrow" }, String(game.players)),
    h("td", { class: "figure hide-narrow", title: large ? "too many to be solved here: choose smaller parameters" : "" }, game.size === null ? "–" : count(game.size)),
    h("td", {}, jobs ? h("div", { class: "row end" }, spec, solve, search) : null));
}

async function solveGame(spec, button, told) {
  button.disabled = true;
  const stage = h("div", { class: "small" }, "starting …");
  const bar = h("progress", { max: 100 });
  const stop = h("button", { type: "button", class: "bare" }, "Stop");
  told.replaceChildren(h("div", { class: "spread" }, stage, stop), bar);
  try {
    const job = await post("/jobs", { kind: "solve", game: spec.trim() });
    stop.onclick = () => post(`/jobs/${job.id}`, undefined, "DELETE");
    const ended = await follow(job.id, (at) => {
      if (at.progress.stage) stage.textContent = `${at.progress.stage}, ${at.seconds.toFixed(1)} s`;
      if (at.progress.total) {
        bar.max = at.progress.total;
        bar.value = at.progress.done;
      } else bar.removeAttribute("value");
    });
    if (ended.status === "done") {
      const { database, states, reachable } = ended.result;
      told.replaceChildren(h("p", { class: "message calm small" }, `${count(states)} states, ${count(reachable)} with a value, ${ended.seconds.toFixed(1)} s: `, h("a", { href: positionAddress(database, "start") }, "look at it"), " or ", h("a", { href: `/databases/${encodeURIComponent(database)}` }, "at the database")));
    } else if (ended.status === "stopped") told.replaceChildren(h("p", { class: "muted small" }, "stopped"));
    else showError(told, new Error(ended.error.message));
  } catch (error) {
    showError(told, error);
  } finally {
    button.disabled = false;
  }
}
