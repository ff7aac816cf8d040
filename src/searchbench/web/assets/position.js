// The page of a position: the board, its moves with their values, lines of best play, play against the database.

import { BoardView } from "./board.js";
import { ApiError, api, badge, count, drawing, h, nameInAddress, page, positionAddress, post, showError, titled } from "./common.js";
import { Editor } from "./editor.js";
import { LEGENDS, showHelp } from "./help.js";
import { Record } from "./record.js";

const PAUSE = 700; // milliseconds between two moves that the page makes
const FOLDED = 12; // moves that a phone shows before it is asked for all

const name = nameInAddress();
const base = `/databases/${encodeURIComponent(name)}`;
const record = new Record(name);

let facts; // of the database
let now; // the position at hand
let computer = null; // the side that the page plays: 0, 1 or null
let following = null; // the timer of what the page does by itself
let answering = null; // the timer of the move that the page makes for its side
let pending = Promise.resolve(); // what has been asked for: keys that come fast wait for each other
let blind = localStorage.getItem("values") === "hidden"; // whether the values are hidden
const parts = {}; // the elements that change

page(async () => {
  facts = await api(base);
  const asked = new URLSearchParams(location.search).get("computer");
  computer = facts.two_players && ["0", "1"].includes(asked) ? Number(asked) : null;
  build();
  addEventListener("popstate", (event) => queued(() => load(event.state)));
  addEventListener("keydown", shortcut);
  setTimeout(() => queued(() => load(history.state, false)));
  return parts.whole;
});

function build() {
  const board = h("div", { class: "table large", id: "board" });
  parts.view = new BoardView(board, { onMove: (move) => queued(() => play(move)), onCell: (cell) => parts.editor.cell(cell), worth });
  parts.message = h("div", { "aria-live": "polite" });
  parts.status = h("p", { class: "unseen-words", id: "status", role: "status" }); // tells a reader of the screen what has changed
  parts.value = h("div", { class: "row", id: "value" });
  parts.who = h("p", { class: "muted small", id: "who" });
  parts.where = h("dl", { class: "facts small" });
  parts.legend = h("p", { class: "muted small", id: "legend", style: "margin:0" });
  parts.moves = h("ol", { class: "moves", id: "moves" });
  parts.all = h("button", { type: "button", class: "all-moves", id: "all-moves", onclick: () => { parts.moves.classList.add("all"); parts.all.hidden = true; parts.moves.children[FOLDED].firstElementChild.focus(); } });
  parts.heading = h("h2", {});
  parts.record = h("div", { id: "record" });
  parts.graph = h("div", { id: "graph" });
  parts.film = h("div", { class: "film hidden", id: "film" });
  parts.best = button("Best move", () => queued(step), { class: "primary", id: "best", title: "Make the best move (b)" });
  parts.line = button("Best line", () => queued(showLine), { id: "line", title: "Show the whole line of best play (l)" });
  parts.run = button("Play on", toggleRun, { id: "run", title: "Let both sides play on (space)" });
  parts.edit = button("Edit", edit, { id: "edit", title: "Put pieces by hand (e)" });
  parts.values = button("Values", toggleValues, { id: "values", title: "Show or hide the values (v)" });
  parts.help = button("?", () => showHelp(facts), { id: "help", "aria-label": "Help", title: "What the signs and the keys mean (?)" });
  parts.notation = h("textarea", { rows: 2, class: "mono", id: "notation", spellcheck: "false", "aria-label": "Notation" });
  parts.wrong = h("div", { id: "wrong-notation", "aria-live": "polite" });
  parts.notation.addEventListener("input", () => wrongNotation(null));
  parts.notation.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && !event.shiftKey) {
      event.preventDefault();
      queued(paste);
    }
  });
  parts.back = button("◀", () => queued(back), { id: "back", "aria-label": "Back", title: "Take back: against the database both plies (left arrow)" });
  parts.forward = button("▶", () => queued(forward), { id: "forward", "aria-label": "Forward", title: "Forward (right arrow)" });
  parts.controls = h(
    "div", { class: "row", role: "toolbar", "aria-label": "Moves" },
    parts.back, parts.forward,
    facts.lines ? [parts.best, parts.line, parts.run] : null, parts.values, parts.help,
  );
  const starts = h(
    "div", { class: "row" },
    facts.begins === "start" ? button("Start", () => queued(() => begin("start", 0)), { id: "start", title: "The first position of the game" }) : null,
    facts.hardest ? button("Hardest", () => queued(() => begin("hardest", 0)), { id: "hardest", title: `A position of value ${facts.hardest}` }) : null,
    parts.edit,
  );
  parts.editor = new Editor(parts.view, base, facts, { onDone: (position) => beginAt(position, false), onCancel: () => show(now, false), onFail: fail });
  parts.opponent = facts.two_players ? opponent() : null;
  parts.whole = [
    h("p", { class: "crumbs" }, h("a", { href: "/" }, "Databases"), " / ", h("a", { href: base }, name), " / position"),
    h("div", { class: "spread", style: "margin-bottom:1rem" }, h("h1", {}, facts.label), h("span", { class: "muted small hide-narrow" }, facts.title)),
    h(
      "div", { class: "position" },
      h("div", { class: "panel stack" }, board, parts.status, parts.legend, parts.message, parts.controls, parts.film, parts.editor.place),
      h(
        "div", { class: "stack" },
        h("div", { class: "panel stack tight" }, parts.value, parts.who, parts.opponent),
        h("div", { class: "panel" }, parts.heading, parts.moves, parts.all, h("p", { class: "muted small hide-narrow", style: "margin:0.9rem 0 0" }, h("kbd", {}, "?"), " shows all keys")),
        h("div", { class: "panel stack tight" }, h("h2", {}, "The moves so far"), parts.record, parts.graph),
      ),
      h("div", { class: "panel stack" }, label("Notation", parts.notation), parts.wrong, parts.where, h("div", { class: "spread" }, starts, h("div", { class: "row" }, button("Copy link", copyLink, { id: "copy" }), button("Go", () => queued(paste), { id: "go", title: "Show the position that is written above (enter)" })))),
    ),
  ];
}

function button(text, onclick, attributes = {}) {
  return h("button", { type: "button", onclick, ...attributes }, text);
}

function label(text, field) {
  return h("label", {}, text, field);
}

function opponent() {
  const choose = h("select", { id: "computer", onchange: () => { computer = choose.value === "" ? null : Number(choose.value); address("replaceState"); ends(); answer(true); } },
    [["", "nobody"], ["0", facts.sides[0]], ["1", facts.sides[1]]].map(([value, text]) => h("option", { value, selected: value === String(computer ?? "") }, text)));
  return h("label", {}, "The database plays", choose);
}

// --- going somewhere ------------------------------------------------------------------------------------------------

/** Do what is asked for after all that was asked for before. */
function queued(action) {
  pending = pending.then(action).catch(fail);
  return pending;
}

function here() {
  const query = new URLSearchParams(location.search);
  return { state: query.get("state") || facts.begins, side: query.get("side") === "1" ? 1 : 0 };
}

/** Put the position at hand into the address bar, by "pushState" or "replaceState". */
function address(how) {
  history[how]({ record: record.id, at: record.at }, "", positionAddress(name, now.state, now.side, computer));
}

const fetched = (state, side) => api(`${base}/position`, { state, side });
const entry = (position, move = null, last = null) => ({ state: position.state, side: position.side, value: position.value, move, last });

/** Show the position in the address bar: of the record, if the tab has kept it. What is wrong there leads back. */
async function load(kept, slide = true) {
  stop();
  const { state, side } = here();
  try {
    const position = await fetched(state, side);
    if (!record.restore(kept ?? {}) || record.now.state !== position.state) record.begin(entry(position));
    show(position, slide);
    address("replaceState");
  } catch (error) {
    if (!(error instanceof ApiError) || error.status === 0) throw error;
    if (!now) {
      const position = await fetched(facts.begins, 0);
      record.begin(entry(position));
      show(position, false);
    }
    address("replaceState");
    fail(error);
  }
}

function fail(error) {
  showError(parts.message, error, facts.game);
  if (!(error instanceof ApiError)) throw error;
}

/** Begin a new record with a position. */
async function begin(state, side) {
  stop();
  beginAt(await fetched(state, side));
}

function beginAt(position, slide = true) {
  record.begin(entry(position));
  show(position, slide);
  address("pushState");
}

/** Make a move of the position at hand. */
async function play(move) {
  if (!now.moves.includes(move)) return; // the position has changed since the click
  const last = facts.two_players && !parts.view.editing ? parts.view.placesOf(move) : null;
  const position = await fetched(move.state, facts.two_players ? 1 - now.side : 0);
  record.add(entry(position, move.move, last));
  show(position);
  address("pushState");
}

/** Show a position of the record. */
async function jump(place) {
  const { state, side } = record.entries[place];
  const position = await fetched(state, side);
  record.at = place;
  show(position);
  address("replaceState");
}

async function back() {
  stop();
  const place = record.before(computer);
  if (place >= 0) await jump(place);
}

async function forward() {
  stop();
  const place = record.after(computer);
  if (place >= 0) await jump(place);
}

/** Back and forward can be clicked only where they lead somewhere. */
function ends() {
  parts.back.disabled = record.before(computer) < 0;
  parts.forward.disabled = record.after(computer) < 0;
}

function show(position, slide = true) {
  now = position;
  now.last = record.now.last;
  record.now.value = position.value;
  clearTimeout(answering);
  parts.editor.end();
  parts.controls.hidden = parts.film.hidden = false;
  parts.edit.setAttribute("aria-pressed", "false");
  parts.message.replaceChildren();
  wrongNotation(null);
  parts.view.show(position, slide);
  titled(`${position.state} · ${facts.label}`);
  parts.notation.value = position.state;
  parts.where.replaceChildren(...fact("number", position.number === null ? "none" : count(position.number)), ...(facts.parts.length > 1 && position.part ? fact("part", partCalled(position.part)) : []));
  showValues();
  for (const control of [parts.best, parts.run]) control.disabled = !best();
  parts.line.disabled = !best();
  parts.values.disabled = false;
  ends();
  markFilm();
  answer();
}

/** Show the value, the moves and the record, with or without their values. */
function showValues() {
  document.getElementById("main").classList.toggle("blind", blind);
  parts.values.setAttribute("aria-pressed", String(!blind));
  parts.value.replaceChildren(...(blind ? [h("span", { class: "muted" }, "The values are hidden.")] : worthHere()));
  const told = [facts.two_players && !now.result ? sentence(`${facts.sides[now.side]} is to move${blind ? "" : outlook(now.value)}`) : "", now.result ? sentence(now.result) : "", now.dead_end ? `It cannot be solved any more: ${now.dead_end}.` : ""].join(" ").trim();
  const seen = ended() && !blind ? "" : told;
  parts.who.replaceChildren(...(seen ? [...(facts.two_players && !now.result && facts.stones.length ? [drawing(facts.stones[now.side])] : []), h("span", {}, seen)] : []));
  parts.who.querySelector("svg")?.setAttribute("aria-hidden", "true"); // the words beside it tell who
  const marked = now.picture && now.moves.some((move) => worth(move));
  parts.legend.textContent = marked ? LEGENDS[facts.two_players ? facts.values : "steps"] ?? "" : "";
  parts.status.textContent = [made(), blind ? "" : `${called(now.value)?.text ?? ""} ${meaning(now.value)}`.trim() + ".", told].join(" ").trim();
  const inList = parts.moves.contains(document.activeElement);
  parts.heading.textContent = blind || !best() ? "Moves" : "Moves, best first";
  parts.moves.replaceChildren(...(now.moves.length ? listed().map(moveItem) : [h("li", { class: "muted" }, now.result ? "The game is over." : "There is no move.")]));
  parts.moves.classList.toggle("all", now.moves.length <= FOLDED);
  parts.all.hidden = now.moves.length <= FOLDED;
  parts.all.textContent = `All ${count(now.moves.length)} moves`;
  if (inList) parts.moves.querySelector("button")?.focus({ preventScroll: true });
  parts.record.replaceChildren(record.list(facts.two_players, (place) => queued(() => jump(place))));
  const list = parts.record.firstElementChild;
  list.scrollTop = list.querySelector("[aria-current]").offsetTop - list.offsetTop;
  parts.graph.replaceChildren(...(blind ? [] : record.graph(facts.two_players ? facts.sides : [])));
}

/** The value of the position; of a finished game how it has ended: what the player to move has of it says little. */
function worthHere() {
  if (!ended()) return [badge(called(now.value), true) ?? "", h("span", { class: "muted" }, meaning(now.value))];
  return [badge({ kind: now.value?.kind === "draw" ? "draw" : "number", text: sentence(now.result).slice(0, -1) }, true)];
}

const ended = () => facts.two_players && now.result;

/** A value as people call it: a puzzle that never reaches its end has no solution. */
function called(value) {
  return value?.kind === "none" && facts.values === "distance" ? { ...value, text: "no solution" } : value;
}

/** The last move in words, and who has made it. */
function made() {
  if (!record.now.move) return "";
  const mover = record.entries[record.at - 1].side;
  return facts.two_players ? `${sentence(`${facts.sides[mover]} has played ${record.now.move}`)}` : `Move ${record.now.move}.`;
}

function toggleValues() {
  blind = !blind;
  localStorage.setItem("values", blind ? "hidden" : "shown");
  showValues();
  parts.view.mark();
}

/** The moves in the order of the list: best first, or by their names where values are hidden. */
function listed() {
  return blind ? [...now.moves].sort((one, other) => one.move.localeCompare(other.move, "en", { numeric: true })) : now.moves;
}

/** What the board shows of a move: its kind, its text, and whether it is best. */
function worth(move) {
  if (blind || !move.value || move.value.kind === "none") return null;
  const value = shown(move);
  // A letter or a sign tells wins from losses: not everybody sees the colours apart.
  const sign = facts.values === "score" ? (value.number > 0 ? "+" : "") : { win: "W", loss: "L" }[value.kind] ?? "";
  const text = value.kind === "draw" ? "=" : value.number === null ? sign || value.text : `${sign}${value.number}`;
  return { kind: facts.two_players || move.best ? value.kind : "worse", text, best: move.best, long: value.text };
}

/** The value that is shown of a move: of a puzzle the value after it, between two players that for who makes it. */
const shown = (move) => (facts.two_players ? move.value : move.after);

/** What the list shows behind a move: its value, of a puzzle behind what the move costs; or the part where it leads, if that is not here. */
function rated(move) {
  if (move.lacks) return { text: `in ${partCalled(move.lacks)}, not here`, kind: "none" };
  const value = called(shown(move));
  return move.cost === null || value.number === null ? value : { ...value, text: `${move.cost} + ${value.text}` };
}

/** What the number of a value means. */
function meaning(value) {
  if (!value || value.kind === "none" || value.kind === "draw") return "";
  const one = Math.abs(value.number) === 1;
  if (facts.values === "distance" && now.moves.some((move) => move.cost !== null)) return "is the cost of the way to the end";
  if (facts.values === "distance") return one ? "step to the end" : "steps to the end";
  if (facts.values === "depth") return one ? "step from the start" : "steps from the start";
  return facts.values === "score" ? `${one ? "point" : "points"}, for the player to move` : "";
}

/** How the game ends with best play, as it goes on after "the first player is to move". */
function outlook(value) {
  if (value?.kind !== "win" && value?.kind !== "loss") return value?.kind === "draw" ? "; with best play it is a draw" : "";
  const plies = facts.values === "outcome" && value.number !== null ? ` in ${value.number} ${value.number === 1 ? "ply" : "plies"}` : "";
  return facts.values === "score" ? "" : ` and ${value.kind === "win" ? "wins" : "loses"}${plies}`;
}

const partCalled = (name) => facts.parts.find((part) => part.name === name)?.called ?? name;
const sentence = (text) => `${text[0].toUpperCase()}${text.slice(1)}.`;
const fact = (term, text) => [h("dt", {}, term), h("dd", {}, text)];

/** Whether all moves have numbers for names. */
function numbered() {
  return now.moves.every((one) => /^\d+$/.test(one.move));
}

/** The key that makes a move of the list: its own name where moves are numbers, such as a column or a tile; else its place. */
function keyOf(move, place) {
  const key = numbered() ? move.move : String(place + 1);
  return /^[1-9]$/.test(key) ? key : null;
}

function moveItem(move, place) {
  const kind = move.lacks ? "none" : facts.two_players || move.best ? move.value.kind : "worse";
  const value = rated(move);
  const item = h(
    "button", { type: "button", class: blind ? "" : kind, onclick: () => queued(() => play(move)) },
    h(keyOf(move, place) ? "kbd" : "span", { class: "rank", "aria-hidden": "true" }, keyOf(move, place) ?? (numbered() ? "" : place + 1)), h("span", { class: `name${move.best && !blind ? " best" : ""}` }, move.move), blind ? null : badge({ ...value, kind: kind === "worse" ? "" : value.kind }),
  );
  item.addEventListener("pointerenter", () => parts.view.mark(move));
  item.addEventListener("pointerleave", () => parts.view.mark());
  item.addEventListener("focus", () => parts.view.mark(move));
  item.addEventListener("blur", () => parts.view.mark());
  return h("li", {}, item);
}

async function paste() {
  stop();
  try {
    beginAt(await fetched(parts.notation.value.trim() || "start", now?.side ?? 0));
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    wrongNotation(error);
  }
}

/** Say beside the notation, which may be a screen below the board, why it is no position; null takes that back. */
function wrongNotation(error) {
  if (error) showError(parts.wrong, error, facts.game);
  else parts.wrong.replaceChildren();
  parts.notation.setAttribute("aria-invalid", String(error !== null));
  parts.notation.setAttribute("aria-describedby", error ? parts.wrong.id : "");
}

/** Begin to edit the position, or leave it as it was. */
function edit() {
  if (parts.view.editing) {
    show(now, false);
    return;
  }
  stop();
  if (!now.picture) {
    parts.message.replaceChildren(h("p", { class: "message calm" }, "This game has no board to edit: change its notation below."));
    parts.notation.focus();
    return;
  }
  parts.edit.setAttribute("aria-pressed", "true");
  parts.controls.hidden = parts.film.hidden = true; // the line is that of the position before
  for (const control of [parts.back, parts.forward, parts.best, parts.line, parts.run, parts.values]) control.disabled = true;
  parts.legend.textContent = "";
  // What is edited is no position yet: it has no value, no moves.
  parts.value.replaceChildren();
  parts.where.replaceChildren();
  parts.who.replaceChildren("The position is being edited.");
  parts.heading.textContent = "Moves";
  parts.all.hidden = true;
  parts.moves.replaceChildren(h("li", { class: "muted" }, "No moves while the position is edited."));
  parts.graph.replaceChildren();
  parts.editor.begin(now);
}

async function copyLink() {
  const link = location.origin + positionAddress(name, now.state, now.side, computer);
  try {
    await navigator.clipboard.writeText(link);
    parts.message.replaceChildren(h("p", { class: "message calm" }, "The link is copied."));
  } catch {
    parts.message.replaceChildren(h("p", { class: "message calm" }, link));
  }
}

// --- best play --------------------------------------------------------------------------------------------------------

/** The best move; in a puzzle that is solved there is none. */
function best() {
  if (!facts.two_players && now?.result === "solved") return null;
  return now?.moves.find((move) => move.best) ?? null;
}

async function step() {
  const move = best();
  if (move) await play(move);
}

function stop() {
  clearTimeout(following);
  clearTimeout(answering);
  following = null;
  parts.run.setAttribute("aria-pressed", "false");
  parts.run.textContent = "Play on";
}

function toggleRun() {
  if (following !== null) {
    stop();
    return;
  }
  parts.run.setAttribute("aria-pressed", "true");
  parts.run.textContent = "Pause";
  const onward = async () => {
    if (!best()) {
      stop();
      return;
    }
    await step();
    if (following !== null) following = setTimeout(() => queued(onward), PAUSE);
  };
  following = setTimeout(() => queued(onward), 0);
}

/** Make the move of the side that the page plays: at the end of the record, and where the side has just been chosen. */
function answer(chosen = false) {
  if (computer === null || computer !== now.side || now.result || following !== null) return;
  if (!chosen && record.at < record.entries.length - 1) return;
  const answered = now;
  answering = setTimeout(() => queued(() => (answered === now && computer === now.side ? step() : null)), PAUSE);
}

async function showLine() {
  if (!parts.film.classList.contains("hidden")) {
    parts.film.classList.add("hidden");
    parts.line.setAttribute("aria-pressed", "false");
    return;
  }
  parts.line.disabled = true;
  try {
    const line = await api(`${base}/line`, { state: now.state, side: now.side, pictures: true });
    const frame = (place) =>
      h("button", { type: "button", "data-state": line.states[place], title: line.states[place], onclick: () => queued(() => follow(line, place)) },
        h("span", { class: "small" }, place ? `${place}. ${line.moves[place - 1]}` : line.states[0] === now.state ? "here" : "start"), drawing(line.pictures[place], line.texts[place]));
    line.side = now.side;
    const frames = line.states.map((_, place) => frame(place));
    const end = line.complete ? "the end" : line.moves.length ? "it goes on" : "no moves";
    parts.film.replaceChildren(...frames, h("span", { class: "muted small", style: "align-self:center" }, end));
    parts.film.classList.remove("hidden");
    parts.line.setAttribute("aria-pressed", "true");
    markFilm();
  } catch (error) {
    fail(error);
  } finally {
    parts.line.disabled = false;
  }
}

/** Go to a position of a line; the moves on the way are put into the record. */
async function follow(line, place) {
  stop();
  const from = line.states.indexOf(now.state);
  const side = (to) => (facts.two_players ? (line.side + to) % 2 : 0);
  if (from < 0 || from > place) {
    const before = record.entries.findLastIndex((one, at) => at <= record.at && one.state === line.states[place]);
    await (before >= 0 ? jump(before) : begin(line.states[place], side(place)));
    return;
  }
  if (from === place) return;
  const way = line.states.slice(from + 1, place + 1);
  const position = await fetched(line.states[place], side(place));
  const values = await post(`${base}/probe`, { states: way });
  record.add(...way.map((state, step) => ({ state, side: side(from + 1 + step), value: values[step].value, move: line.moves[from + step] })));
  show(position);
  address("pushState");
}

function markFilm() {
  let found = null;
  for (const frame of parts.film.querySelectorAll("button")) {
    const same = frame.dataset.state === now.state;
    frame.classList.toggle("now", same && !found);
    found ??= same ? frame : null;
  }
  if (found) parts.film.scrollTo({ left: found.offsetLeft - parts.film.offsetLeft - parts.film.clientWidth / 2 + found.clientWidth / 2, behavior: "smooth" });
}

// --- keyboard -----------------------------------------------------------------------------------------------------------

function shortcut(event) {
  if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest("input, textarea, select")) return;
  const onButton = event.target.closest("button, a, [role=button]");
  const actions = { ArrowLeft: back, ArrowRight: forward, b: step, l: showLine, e: edit, v: toggleValues, "?": () => showHelp(facts) };
  if (!facts.lines) for (const key of ["b", "l"]) delete actions[key];
  if (parts.view.editing && !["e", "?"].includes(event.key)) return; // as the buttons: what is edited is no position yet
  if (/^[1-9]$/.test(event.key)) queued(() => { const move = listed().find((one, place) => keyOf(one, place) === event.key); return move ? play(move) : null; });
  else if (event.key === " " && !onButton && facts.lines) toggleRun();
  else if (actions[event.key]) queued(actions[event.key]);
  else return;
  event.preventDefault();
}
