// The page of a position: the board, its moves with their values, lines of best play, play against the database.

import { BoardView } from "./board.js";
import { ApiError, api, badge, count, drawing, gameName, h, page, positionAddress, showError, titled } from "./common.js";
import { Editor } from "./editor.js";

const PAUSE = 700; // milliseconds between two moves that the page makes

const name = decodeURIComponent(location.pathname.split("/")[2]);
const base = `/databases/${encodeURIComponent(name)}`;

let facts; // of the database
let now; // the position at hand
let computer = null; // the side that the page plays: 0, 1 or null
let following = null; // the timer of what the page does by itself
let asked = 0; // the number of the last request, so that a late answer is dropped
const parts = {}; // the elements that change

page(async () => {
  facts = await api(base);
  build();
  addEventListener("popstate", () => load());
  addEventListener("keydown", shortcut);
  setTimeout(() => load(false));
  return parts.whole;
});

function build() {
  const board = h("div", { class: "table large", id: "board" });
  parts.view = new BoardView(board, { onMove: play, onCell: (cell) => parts.editor.cell(cell) });
  parts.message = h("div", { "aria-live": "polite" });
  parts.value = h("div", { class: "row", id: "value", "aria-live": "polite" });
  parts.who = h("p", { class: "muted small", id: "who" });
  parts.where = h("dl", { class: "facts small" });
  parts.moves = h("ol", { class: "moves", id: "moves" });
  parts.film = h("div", { class: "film hidden", id: "film" });
  parts.best = button("Best move", step, { class: "primary", id: "best", title: "Make the best move (b)" });
  parts.line = button("Best line", showLine, { id: "line", title: "Show the whole line of best play (l)" });
  parts.run = button("Play on", toggleRun, { id: "run", title: "Let both sides play on (space)" });
  parts.edit = button("Edit", edit, { id: "edit", title: "Put pieces by hand (e)" });
  parts.notation = h("textarea", { rows: 2, class: "mono", id: "notation", spellcheck: "false", "aria-label": "Notation" });
  parts.notation.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && !event.shiftKey) {
      event.preventDefault();
      paste();
    }
  });
  const controls = h(
    "div", { class: "row", role: "toolbar", "aria-label": "Moves" },
    button("◀ Back", () => history.back(), { id: "back", title: "Back (left arrow)" }),
    button("Forward ▶", () => history.forward(), { id: "forward", title: "Forward (right arrow)" }),
    facts.lines ? [parts.best, parts.line, parts.run] : null,
  );
  const starts = h(
    "div", { class: "row" },
    button("Start", () => go("start", 0), { id: "start", title: "The first position of the game" }),
    facts.hardest ? button("Hardest", () => go("hardest", 0), { id: "hardest", title: `A position of value ${facts.hardest}` }) : null,
    parts.edit,
  );
  parts.editor = new Editor(parts.view, base, { onDone: (position) => goTo(position, false), onCancel: () => show(now, false), onFail: fail });
  parts.opponent = facts.two_players ? opponent() : null;
  parts.whole = [
    h("p", { class: "crumbs" }, h("a", { href: "/" }, "Databases"), " / ", h("a", { href: base }, name), " / position"),
    h("div", { class: "spread", style: "margin-bottom:1rem" }, h("h1", {}, gameName(facts.game)), h("span", { class: "muted small hide-narrow" }, facts.title)),
    h(
      "div", { class: "position" },
      h("div", { class: "panel stack" }, board, parts.message, controls, parts.film, parts.editor.place),
      h(
        "div", { class: "stack" },
        h("div", { class: "panel stack tight" }, parts.value, parts.who, parts.where, parts.opponent),
        h("div", { class: "panel" }, h("h2", {}, "Moves, best first"), parts.moves, keys()),
      ),
      h("div", { class: "panel stack" }, label("Notation", parts.notation), h("div", { class: "spread" }, starts, h("div", { class: "row" }, button("Copy link", copyLink, { id: "copy" }), button("Go", paste, { class: "primary", id: "go" })))),
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
  const choose = h("select", { id: "computer", onchange: () => { computer = choose.value === "" ? null : Number(choose.value); answer(); } },
    h("option", { value: "" }, "nobody"), h("option", { value: "0" }, "the first player"), h("option", { value: "1" }, "the second player"));
  return h("label", {}, "The database plays", choose);
}

function keys() {
  const key = (text) => h("kbd", {}, text);
  return h("p", { class: "muted small hide-narrow", style: "margin:0.9rem 0 0" }, key("1"), "–", key("9"), " make a move, ", key("b"), " the best one, ", key("l"), " line, ", key("space"), " play on, ", key("←"), " ", key("→"), " back and forward, ", key("e"), " edit");
}

// --- going somewhere ------------------------------------------------------------------------------------------------

function here() {
  const query = new URLSearchParams(location.search);
  return { state: query.get("state") || "start", side: query.get("side") === "1" ? 1 : 0 };
}

/** Show the position in the address bar. */
async function load(slide = true) {
  const { state, side } = here();
  const number = ++asked;
  try {
    const position = await api(`${base}/position`, { state, side });
    if (number === asked) show(position, slide);
  } catch (error) {
    if (number !== asked) return;
    stop();
    fail(error);
  }
}

function fail(error) {
  showError(parts.message, error);
  if (!(error instanceof ApiError)) throw error;
}

function show(position, slide = true) {
  now = position;
  parts.editor.end();
  parts.edit.setAttribute("aria-pressed", "false");
  parts.message.replaceChildren();
  parts.view.show(position, slide);
  titled(`${position.state} · ${gameName(facts.game)}`);
  parts.notation.value = position.state;
  parts.value.replaceChildren(badge(position.value, true) ?? "", h("span", { class: "muted" }, meaning(position.value)));
  parts.who.textContent = [facts.two_players ? `The ${["first", "second"][position.side]} player is to move.` : "", position.result ? sentence(position.result) : ""].join(" ").trim();
  parts.where.replaceChildren(...fact("number", position.number === null ? "none" : count(position.number)), ...(facts.parts.length > 1 && position.part ? fact("part", position.part) : []));
  const inList = parts.moves.contains(document.activeElement);
  parts.moves.replaceChildren(...(position.moves.length ? position.moves.map(moveItem) : [h("li", { class: "muted" }, "No moves.")]));
  if (inList) parts.moves.querySelector("button")?.focus({ preventScroll: true });
  for (const control of [parts.best, parts.run]) control.disabled = !best();
  if (here().state !== position.state) history.replaceState(null, "", positionAddress(name, position.state, position.side));
  markFilm();
  answer();
}

/** What the number of a value means. */
function meaning(value) {
  if (!value || value.kind === "none" || value.kind === "draw") return "";
  if (facts.values === "distance") return "to the end";
  if (facts.values === "depth") return "from the start";
  if (facts.values === "outcome") return `in ${value.number} ${value.number === 1 ? "ply" : "plies"}, for the player to move`;
  return facts.values === "score" ? "points, for the player to move" : "";
}

const sentence = (text) => `${text[0].toUpperCase()}${text.slice(1)}.`;
const fact = (term, text) => [h("dt", {}, term), h("dd", {}, text)];

function moveItem(move, place) {
  const kind = facts.two_players || move.best ? move.value.kind : "worse";
  const item = h(
    "button", { type: "button", class: kind, onclick: () => play(move), title: `after it: ${move.after.text}` },
    h("span", { class: "rank" }, place + 1), h("span", { class: move.best ? "best" : "" }, move.move), badge({ ...move.value, kind: kind === "worse" ? "" : move.value.kind }),
  );
  item.addEventListener("pointerenter", () => parts.view.mark(move));
  item.addEventListener("pointerleave", () => parts.view.mark());
  item.addEventListener("focus", () => parts.view.mark(move));
  item.addEventListener("blur", () => parts.view.mark());
  return h("li", {}, item);
}

function go(state, side) {
  history.pushState(null, "", positionAddress(name, state, side));
  return load();
}

function play(move) {
  return go(move.state, facts.two_players ? 1 - now.side : 0);
}

async function paste() {
  stop();
  try {
    const position = await api(`${base}/position`, { state: parts.notation.value.trim() || "start", side: now?.side ?? 0 });
    goTo(position);
  } catch (error) {
    fail(error);
  }
}

/** Show a position that is known already, and put it into the address bar. */
function goTo(position, slide = true) {
  history.pushState(null, "", positionAddress(name, position.state, position.side));
  ++asked;
  show(position, slide);
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
  parts.editor.begin(now);
}

async function copyLink() {
  const link = location.origin + positionAddress(name, now.state, now.side);
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

function step() {
  const move = best();
  if (move) play(move);
}

function stop() {
  clearTimeout(following);
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
    await play(best());
    if (following !== null) following = setTimeout(onward, PAUSE);
  };
  following = setTimeout(onward, 0);
}

/** Make the move of the side that the page plays. */
function answer() {
  if (computer === null || computer !== now.side || now.result || following !== null) return;
  const answered = asked;
  setTimeout(() => { if (answered === asked && computer === now.side) step(); }, PAUSE);
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
      h("button", { type: "button", "data-state": line.states[place], title: line.states[place], onclick: () => go(line.states[place], facts.two_players ? (line.side + place) % 2 : 0) },
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
  const actions = { ArrowLeft: () => history.back(), ArrowRight: () => history.forward(), b: step, l: showLine, e: edit };
  if (!facts.lines) for (const key of ["b", "l"]) delete actions[key];
  if (/^[1-9]$/.test(event.key) && now?.moves[event.key - 1]) play(now.moves[event.key - 1]);
  else if (event.key === " " && !onButton && facts.lines) toggleRun();
  else if (actions[event.key]) actions[event.key]();
  else return;
  event.preventDefault();
}
