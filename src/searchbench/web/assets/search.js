// The page of a search: choose a game and a state, watch the search at work, and see the solution move.

import { METHODS, api, badge, count, drawing, follow, h, page, post, showError, titled } from "./common.js";
import { BoardView } from "./board.js";
import { outcome, progress } from "./jobs.js";

const TREE_EVERY = 1; // seconds between two looks at a proof's tree
const SHUFFLED = 40; // random moves
const FRAME = 450; // milliseconds between two boards of a solution

const parts = {};
let games = [];
let position = null;
let past = []; // the states before those that moves on the board and shuffling led to
let looks = 0; // how often a state was asked for: an answer to an earlier question is no longer of interest
let job = null;
let player = null;
let rates = [];

page(async () => {
  titled("Search");
  const [found, health] = await Promise.all([api("/games"), api("/health")]);
  games = found;
  parts.jobs = health.jobs;
  const query = new URLSearchParams(location.search);
  parts.game = h("input", { id: "game", list: "games", value: query.get("game") ?? "sliding:4x4", class: "mono", onchange: () => { parts.state.value = ""; past = []; look(); } });
  parts.state = h("textarea", { id: "state", rows: 2, class: "mono", spellcheck: "false", onchange: () => { past = []; look(); } }, query.get("state") ?? "");
  parts.method = h("select", { id: "method", onchange: () => { parts.preferred = parts.method.value; } });
  parts.start = h("button", { class: "primary", id: "start-search", disabled: !health.jobs }, "Start");
  parts.stop = h("button", { type: "button", id: "stop", disabled: true, onclick: () => job && post(`/jobs/${job}`, undefined, "DELETE").catch((error) => showError(parts.message, error)) }, "Stop");
  parts.shuffle = h("button", { type: "button", id: "shuffle", title: "Make some moves at random", onclick: () => shuffle() }, "Shuffle");
  parts.undo = h("button", { type: "button", id: "undo", disabled: true, onclick: () => { parts.state.value = past.pop(); look(); } }, "Take back");
  parts.message = h("div", { "aria-live": "polite" });
  parts.board = h("div", { class: "table large" });
  parts.view = new BoardView(parts.board, { onMove: (move) => { past.push(parts.state.value); parts.state.value = move.state; look(); }, onCell: () => {} });
  parts.caption = h("p", { class: "muted small", style: "margin:0", id: "caption" });
  parts.live = h("div", { class: "stack", id: "live" });
  parts.player = h("div", { class: "row hidden" });
  parts.preferred = query.get("method");
  const names = h("datalist", { id: "games" }, games.filter((game) => game.example).map((game) => h("option", { value: game.example }, game.title)));
  setTimeout(() => (query.get("job") ? reattach(query.get("job")).catch(async (error) => { await look(); showError(parts.message, error); }) : look()));
  return [
    h("h1", {}, "Watch a search"),
    h("p", { class: "muted" }, "A puzzle is searched for a line to its end; a game of two players for a proof of its value. Both run on this machine and stop at a limit."),
    h("div", { class: "columns" },
      h("div", { class: "stack" }, h("div", { class: "panel stack" }, parts.board, parts.caption, parts.player)),
      h("div", { class: "stack" },
        h("form", { class: "panel stack", onsubmit: (event) => { event.preventDefault(); run(); } }, h("div", { class: "fields" }, h("label", {}, "Game", parts.game, names), h("label", {}, "Method", parts.method)), h("label", {}, "State (empty: the start)", parts.state), h("div", { class: "row" }, parts.start, parts.stop, parts.shuffle, parts.undo), health.jobs ? null : h("p", { class: "muted small" }, "This server only reads."), parts.message),
        h("div", { class: "panel" }, parts.live))),
  ];
});

/** Show the state that the form names; tell whether it is shown. */
async function look() {
  halt();
  const turn = (looks += 1);
  try {
    const found = await api("/games/position", { game: parts.game.value.trim(), state: parts.state.value.trim() || "start" });
    if (turn !== looks) return false;
    position = found;
    parts.message.replaceChildren(...hint());
    parts.undo.disabled = !past.length;
    parts.start.classList.toggle("primary", !solved());
    parts.shuffle.classList.toggle("primary", solved());
  } catch (error) {
    if (turn !== looks) return false;
    position = null;
    shown(false);
    showError(parts.message, error);
    return false;
  }
  shown(true);
  address();
  parts.view.show(position);
  parts.caption.textContent = position.state;
  const fitting = position.methods.map((name) => METHODS.find((method) => method.id === name));
  ready();
  parts.method.replaceChildren(...fitting.map((method) => h("option", { value: method.id, selected: method.id === parts.preferred }, method.text))); // or else the first
  if (!parts.live.children.length) parts.live.replaceChildren(h("p", { class: "muted", style: "margin:0" }, "Nothing has been searched yet."));
  return true;
}

/** Show the board and its caption, or neither: a board that stays would be taken for that of the game in the form. */
function shown(there) {
  for (const part of [parts.board, parts.caption]) part.classList.toggle("hidden", !there);
}

/** Put what is asked for into the address bar, and the job that answers: the question stays when the server forgets the job. */
function address(id = null) {
  const state = parts.state.value.trim();
  const query = { game: parts.game.value.trim(), ...(state ? { state } : {}), ...(id ? { method: parts.method.value, job: id } : {}) };
  history.replaceState(null, "", `/search?${new URLSearchParams(query)}`);
}

const solved = () => !position.two_players && position.result === "solved";

/** A search can be started while none runs here, where the server takes jobs and the game a method. */
function ready() {
  parts.start.disabled = !parts.jobs || job !== null || !position?.methods.length;
}

/** A word on a state from which there is nothing to search. */
function hint() {
  if (!position.methods.length) return [h("p", { class: "message calm", id: "hint" }, "Only who wins can be proved, and here positions are worth points: solve all of them on the first page.")];
  if (position.dead_end) return [h("p", { class: "message calm", id: "hint" }, `It cannot be solved any more: ${position.dead_end}.`)];
  return solved() ? [h("p", { class: "message calm", id: "hint" }, "This state is solved already: shuffle it, make moves on the board, or type another.")] : [];
}

/** Make some random moves from the state at hand, and more while they end where nothing is left to search. */
async function shuffle() {
  if (!position && !(await look())) return;
  const turn = looks;
  for (const control of [parts.start, parts.shuffle]) control.disabled = true;
  parts.message.replaceChildren(h("p", { class: "message calm" }, "Shuffling …"));
  try {
    let last = null; // a walk that goes straight back soon ends where it began
    for (let moves = SHUFFLED; moves > 0 || (solved() && moves > -SHUFFLED); moves -= 1) {
      if (!position.moves.length || (position.two_players && position.result)) break;
      const onward = position.moves.filter((move) => move.state !== last);
      const choice = onward.length ? onward : position.moves;
      const next = choice[Math.floor(Math.random() * choice.length)];
      last = position.state;
      const found = await api("/games/position", { game: parts.game.value.trim(), state: next.state });
      if (turn !== looks) return;
      if (found.result === "solved" && !found.moves.length) break; // an end that no move leaves: stay before it
      position = found;
      if (position.two_players && moves % 10) break;
    }
    past.push(parts.state.value);
    parts.state.value = position.state;
    await look();
  } catch (error) {
    if (turn === looks) showError(parts.message, error);
  } finally {
    ready();
    parts.shuffle.disabled = false;
  }
}

async function run() {
  if (!(await look())) return;
  rates = [];
  const live = panel();
  parts.live.replaceChildren(...live.all);
  parts.start.disabled = true;
  try {
    const kind = position.two_players ? "prove" : "search";
    const started = await post("/jobs", { kind, game: parts.game.value.trim(), state: position.state, method: parts.method.value });
    address(started.id);
    await watch(started, live);
  } catch (error) {
    showError(parts.message, error);
  } finally {
    job = null;
    ready();
    parts.stop.disabled = true;
  }
}

/** Follow a job to its end, and show its solution. */
async function watch(started, live) {
  job = started.id;
  parts.stop.disabled = false;
  const ended = await follow(job, (at) => live.tell(at));
  live.end(ended);
  if (ended.status === "done" && ended.kind === "search") animate(ended.result);
}

/** Take up a job that was begun before: after a reload, or from the list in the header. */
async function reattach(id) {
  const begun = await api(`/jobs/${encodeURIComponent(id)}`);
  if (begun.kind === "solve" || begun.kind === "verify") {
    await watchAll(begun);
    return;
  }
  parts.game.value = begun.request.game;
  parts.state.value = begun.request.state ?? "";
  parts.preferred = begun.request.method;
  if (!(await look())) return;
  address(id);
  rates = [];
  const live = panel();
  parts.live.replaceChildren(...live.all);
  parts.start.disabled = begun.status === "running";
  try {
    await watch(begun, live);
  } finally {
    job = null;
    ready();
    parts.stop.disabled = true;
  }
}

/** Watch a job on all states of a game, which has no state to show. */
async function watchAll(begun) {
  const name = begun.request.database ?? begun.request.game;
  const heading = h("h1", {});
  const called = (does) => {
    heading.textContent = `${does} ${name}`;
    titled(heading.textContent);
  };
  called(begun.kind === "solve" ? "Solving" : "Verifying");
  const shown = progress();
  const told = h("div", { class: "panel stack tight", id: "whole", "aria-live": "polite" }, shown.all);
  const about = h("p", { class: "muted" }, begun.kind === "solve" ? "All states of the game get their value." : "Every value is checked by the rules alone.", " It goes on when you leave this page.");
  document.getElementById("main").replaceChildren(
    h("p", { class: "crumbs" }, h("a", { href: "/" }, "Databases"), " / job"),
    heading, about, told,
  );
  const ended = await follow(begun.id, shown.tell);
  const does = begun.kind === "solve" ? "solved" : "verified";
  called(ended.status === "done" ? `${does[0].toUpperCase()}${does.slice(1)}:` : `Not ${does}:`);
  about.remove();
  told.replaceChildren(outcome(ended));
}

/** What is told of a search while it runs. */
function panel() {
  const figure = (text, id) => {
    const strong = h("strong", { id }, "–");
    return [strong, h("div", { class: "tile" }, strong, h("span", { class: "muted small" }, text))];
  };
  const [nodes, nodesTile] = figure("nodes", "nodes");
  const [speed, speedTile] = figure("nodes a second", "speed");
  const [time, timeTile] = figure("seconds", "time");
  const stage = h("div", { id: "stage" }, "starting …");
  const line = h("div", { class: "linetext small mono muted", id: "current-line" });
  const spark = h("div", {});
  const tree = h("div", { id: "proof-tree", class: "small mono" });
  const outcome = h("div", { id: "outcome", class: "stack tight", "aria-live": "polite" });
  let drawn = 0;
  const tell = (at) => {
    const { progress } = at;
    time.textContent = at.seconds.toFixed(1);
    if (progress.done === undefined) return;
    stage.textContent = progress.stage;
    if (!progress.done) return; // nothing is searched while rules are compiled
    nodes.textContent = count(progress.done);
    const last = rates.at(-1) ?? { done: 0, seconds: 0, rate: 0 };
    if (progress.seconds > last.seconds) {
      const rate = Math.max(0, (progress.done - last.done) / (progress.seconds - last.seconds));
      rates.push({ done: progress.done, seconds: progress.seconds, rate });
      speed.textContent = short(rate);
      spark.replaceChildren(sparkline(rates.map((one) => one.rate)));
    }
    if (at.kind === "prove" && at.status === "running" && at.seconds - drawn > TREE_EVERY) {
      drawn = at.seconds;
      api(`/jobs/${at.id}/tree`).then((found) => found.tree && tree.replaceChildren(branches(found.tree, true))).catch(() => {});
    }
    if (progress.line && at.status === "running") {
      line.textContent = `current line, ${progress.line.moves.length} moves: ${progress.line.moves.join(" ")}`;
      parts.board.replaceChildren(drawing(progress.line.picture, progress.line.text));
      parts.caption.textContent = "the end of the current line";
    }
  };
  const end = (at) => {
    tell(at);
    line.textContent = "";
    if (at.status === "done") {
      const { result } = at;
      nodes.textContent = count(result.nodes);
      speed.textContent = result.took > 0.001 ? short(result.nodes / result.took) : "–";
      stage.textContent = `searched in ${result.took.toFixed(3)} s; with loading, compiling${at.kind === "prove" ? " and the proof's evidence" : ""} ${at.seconds.toFixed(1)} s`;
      tree.replaceChildren();
      if (at.kind === "prove") rest();
      const walk = result.certificate ? h("a", { class: "button", id: "walk", style: "justify-self:start", href: `/certificates/${encodeURIComponent(result.certificate)}` }, "Walk through the proof") : null;
      outcome.replaceChildren(h("p", { class: "message calm", style: "margin:0" }, result.value ? ["For the player to move: ", badge({ kind: result.value, text: result.value })] : `Solved: cost ${result.cost}${result.optimal ? ", which is the least" : ", perhaps not the least"}.`), ...(walk ? [walk] : []));
    } else {
      stage.textContent = at.status;
      if (at.error) showError(outcome, new Error(at.error.message));
      rest();
    }
  };
  const rest = () => { // from the current line back to the position that was asked about
    parts.view.show(position, false);
    parts.caption.textContent = position.state;
  };
  return { all: [h("h2", { style: "margin:0" }, "The search"), stage, h("div", { class: "tiles" }, nodesTile, speedTile, timeTile), spark, line, tree, outcome], tell, end };
}

/** The top of a proof's tree as lists to open: proof and disproof number of each node, the smallest proof numbers first. */
function branches(node, open) {
  const number = (one) => one ?? "∞";
  const text = `${node.move || "start"}  ${number(node.proof)} / ${number(node.disproof)}`;
  if (!node.children.length) return h("div", { style: "padding-left:1.1rem" }, text + (node.inner ? " …" : ""));
  const most = Math.max(...node.children.map((one) => one.children.length));
  const below = node.children.map((one) => branches(one, open && one.children.length > 0 && one.children.length === most));
  return h("details", { open, style: "padding-left:0.6rem" }, h("summary", {}, text), below);
}

function short(number) {
  if (number >= 1e6) return `${(number / 1e6).toFixed(1)} M`;
  return number >= 1e3 ? `${(number / 1e3).toFixed(0)} k` : number.toFixed(0);
}

function sparkline(values) {
  const [width, height, top] = [300, 60, Math.max(...values, 1)];
  const points = values.map((value, place) => `${(place * width) / Math.max(1, values.length - 1)} ${height - (value / top) * (height - 4)}`);
  const svg = drawing(`<svg xmlns="http://www.w3.org/2000/svg" class="spark" viewBox="0 0 ${width} ${height}" preserveAspectRatio="none" role="img" aria-label="nodes a second over time"><path class="area" d="M0 ${height}L${points.join("L")}L${width} ${height}Z"/><path d="M${points.join("L")}"/></svg>`);
  return values.length > 1 ? svg : h("span");
}

// --- the solution, moving ----------------------------------------------------------------------------------------------

function halt() {
  clearInterval(player);
  player = null;
  parts.player.classList.add("hidden");
}

function animate(line) {
  let place = 0;
  const show = (to, slide = true) => {
    place = Math.max(0, Math.min(line.states.length - 1, to));
    parts.view.show({ picture: line.pictures[place], text: line.texts[place], moves: [] }, slide);
    parts.caption.textContent = place ? `${place} of ${line.moves.length}: ${line.moves[place - 1]}` : `${line.moves.length} moves`;
    slider.value = place;
  };
  const run = h("button", { type: "button", id: "animate", onclick: () => (player ? pause() : go()) }, "Play");
  const slider = h("input", { type: "range", min: 0, max: line.states.length - 1, value: 0, "aria-label": "Move of the solution", style: "flex:1 1 8rem;padding:0", oninput: () => { pause(); show(Number(slider.value)); } });
  const pause = () => { clearInterval(player); player = null; run.textContent = "Play"; };
  const go = () => {
    if (place === line.states.length - 1) show(0, false);
    run.textContent = "Pause";
    player = setInterval(() => { show(place + 1); if (place === line.states.length - 1) pause(); }, FRAME);
  };
  parts.player.replaceChildren(h("button", { type: "button", "aria-label": "one move back", onclick: () => { pause(); show(place - 1); } }, "◀"), run, h("button", { type: "button", "aria-label": "one move on", onclick: () => { pause(); show(place + 1); } }, "▶"), slider);
  parts.player.classList.remove("hidden");
  show(0, false);
  if (line.moves.length) go();
}
