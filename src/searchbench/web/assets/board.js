// A board that can be played on: by click, by drag, by keyboard. Which cells make which move comes from the server.

import { drawing } from "./common.js";

const SVG = "http://www.w3.org/2000/svg";
const FAR = 6; // pixels after which a press is a drag
const [SMALLEST, USUAL, LARGEST] = [12, 14, 19]; // a value's size on a cell: in pixels, in the drawing's units, in pixels
const COORDINATE = [11, 17, 15]; // the size of a coordinate: at least in pixels, in the drawing's units, at most in pixels
const NARROW = 50; // pixels of a cell on which a value would hide the piece: there it stands on the upper edge
const CELL = 64; // a cell in the drawing's units
const TOUCHED = 24; // pixels of a cell that a finger meets: a wide board with smaller ones is moved sideways
const AWAY = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
const still = matchMedia("(prefers-reduced-motion: reduce)");

export class BoardView {
  /**
   * `place` holds the board; `onMove(move)` is called with the move that was made, `onCell(cell)` while editing.
   * `worth(move)` returns the kind, the text and whether a move is best, or null where no values are shown.
   */
  constructor(place, { onMove, onCell, worth = () => null }) {
    this.place = place;
    this.onMove = onMove;
    this.onCell = onCell;
    this.worth = worth;
    this.editing = false;
    this.moves = [];
    this.clicked = [];
    place.addEventListener("pointerdown", (event) => this.press(event));
    place.addEventListener("keydown", (event) => this.key(event));
    place.addEventListener("focusin", (event) => this.stay(event.target));
    addEventListener("keydown", (event) => { if (event.key === "Escape") this.release(); }); // a click gives the board no focus
    new ResizeObserver(() => { this.fit(); this.mark(); }).observe(place); // values keep a size that can be read
  }

  /** Show a position; pieces that have moved slide to their places. */
  show(position, slide = true) {
    const before = slide && !still.matches ? pieces(this.svg) : [];
    const had = this.svg?.contains(document.activeElement) ? document.activeElement.dataset.cell : null;
    this.position = position;
    this.moves = position.moves;
    this.clicked = [];
    this.svg = position.picture ? drawing(position.picture) : null;
    this.place.replaceChildren(this.svg ?? drawing(null, position.text));
    this.place.classList.toggle("editing", this.editing);
    if (!this.svg) return;
    this.label();
    this.fit();
    this.mark();
    if (before.length) slideFrom(before, pieces(this.svg));
    if (had !== null) this.onward(had)?.focus({ preventScroll: true });
  }

  /** The cell to go on from, where the cell with this number had the focus: that one, or of a column that is played as one the next. */
  onward(number) {
    const cell = this.cell(number);
    if (cell?.classList.contains("can")) return cell;
    const column = (one) => one.dataset.name.match(/^(.*), row \d+ from below/)?.[1];
    const wanted = cell && column(cell);
    return (wanted && [...this.svg.querySelectorAll(".sb-cell.can")].find((one) => column(one) === wanted)) || cell;
  }

  /** Where the cells of a move are, so that they can be shown as its place in the position after it. */
  placesOf(move) {
    return move.clicks.map((cell) => this.cell(cell)?.getAttribute("transform")).filter(Boolean);
  }

  cell(number) {
    return this.svg?.querySelector(`.sb-cell[data-cell="${number}"]`);
  }

  /** Give every cell a name and a place in the order of the keyboard; a picture of a solution stays a picture. */
  label() {
    const { said, names } = this.position;
    if (!said) return;
    for (const cell of this.svg.querySelectorAll(".sb-cell")) {
      const number = Number(cell.dataset.cell);
      cell.setAttribute("role", "button");
      cell.setAttribute("aria-label", `${names[number]}, ${said[number]}`);
      cell.dataset.name = cell.getAttribute("aria-label");
    }
    this.svg.setAttribute("role", "group");
    this.svg.setAttribute("aria-label", "The board");
    for (const text of this.svg.querySelectorAll(".sb-coordinate, .sb-piece")) text.setAttribute("aria-hidden", "true"); // cells tell
  }

  /** Tell what stands on a cell by now, while a position is edited. */
  say(number, said) {
    const cell = this.cell(number);
    cell.dataset.name = `${this.position.names[number]}, ${said}`;
    cell.setAttribute("aria-label", cell.dataset.name);
  }

  /** The moves that begin with these clicks; failing that, those that have all of them, in any order. */
  fitting(clicks) {
    const ordered = this.moves.filter((move) => clicks.every((cell, place) => move.clicks[place] === cell));
    if (ordered.length || !clicks.length) return ordered;
    return this.moves.filter((move) => clicks.every((cell) => move.clicks.includes(cell)));
  }

  click(number) {
    if (this.editing) {
      this.onCell(number);
      return;
    }
    const cell = Number(this.onward(number).dataset.cell); // anywhere in a column that is played as one
    let clicks = [...this.begun(), cell];
    if (this.clicked.includes(cell)) clicks = [];
    else if (this.begun().includes(cell)) clicks = [cell];
    else if (!this.fitting(clicks).length) clicks = this.fitting([cell]).length ? [cell] : [];
    const moves = clicks.length ? this.fitting(clicks) : [];
    if (moves.length === 1) {
      this.clicked = [];
      this.onMove(moves[0]);
      return;
    }
    this.clicked = clicks;
    this.mark();
    this.ask();
  }

  /** Offer the moves that need no more clicks, as where a pawn is promoted, or a piece leaves the board and could go on, too. */
  ask() {
    this.place.querySelector(".choice")?.remove();
    const fitting = this.clicked.length ? this.fitting(this.clicked) : [];
    const moves = fitting.filter((move) => move.clicks.every((cell) => this.clicked.includes(cell)));
    if (!moves.length) return;
    const choice = document.createElement("div");
    choice.className = "choice";
    choice.setAttribute("role", "group");
    choice.setAttribute("aria-label", "which of these moves");
    for (const move of moves) {
      const button = document.createElement("button");
      button.type = "button";
      button.textContent = move.move;
      button.addEventListener("click", () => {
        this.clicked = [];
        this.onMove(move);
      });
      choice.append(button);
    }
    this.place.append(choice);
    if (moves.length === fitting.length) choice.firstElementChild.focus(); // else the next cell may be chosen, too
  }

  /** The cells clicked so far; none yet: the one with which every move begins, if all begin with the same piece. */
  begun() {
    if (this.clicked.length || this.editing) return this.clicked;
    const firsts = new Set(this.moves.map((move) => move.clicks[0]));
    return firsts.size === 1 && this.moves.every((move) => move.clicks.length > 1) ? [...firsts] : [];
  }

  /** Mark what can be clicked, what has been, and the best that a click leads to. */
  mark(shown = null) {
    if (!this.svg) return;
    this.sizeCoordinates();
    if (!this.position.said) return;
    for (const old of this.svg.querySelectorAll(".mark, .worth, .focus-ring")) old.remove();
    if (!this.editing) this.markLast();
    for (const number of this.editing ? [] : this.position.dead_cells ?? []) this.ring(this.cell(number), "mark lost");
    const begun = this.begun();
    const next = new Map(); // cells that can be clicked, with the moves that go on there, best first
    for (const move of this.fitting(begun)) {
      const cell = move.clicks.find((click) => !begun.includes(click));
      if (cell !== undefined) next.set(cell, [...(next.get(cell) ?? []), move]);
    }
    const tags = []; // above all marks
    for (const element of this.svg.querySelectorAll("[data-cell]")) {
      const number = Number(element.dataset.cell);
      const can = this.editing || next.has(number) || begun.includes(number);
      element.classList.toggle("can", can);
      if (!element.classList.contains("sb-cell")) continue;
      element.setAttribute("aria-disabled", String(!can));
      element.setAttribute("aria-label", element.dataset.name);
      this.ring(element, "focus-ring");
      if (this.clicked.includes(number)) this.ring(element, "mark chosen");
      else if (!this.editing && next.has(number)) tags.push(this.target(element, next.get(number)));
      if (shown?.clicks.includes(number)) this.ring(element, "mark shown"); // of a move in the list, over the values at rest
    }
    this.svg.append(...tags.filter(Boolean));
    this.stay();
  }

  /** Mark where the last move was made. */
  markLast() {
    for (const cell of this.svg.querySelectorAll(".sb-cell")) {
      if (this.position.last?.includes(cell.getAttribute("transform"))) this.ring(cell, "mark last");
    }
  }

  /** Mark a cell that can be clicked next; return the value of the best move that goes on there. */
  target(element, moves) {
    const worth = this.worth(moves[0]);
    if (worth) {
      this.ring(element, `mark ${worth.kind}${worth.best ? " best" : ""}`);
      return this.tag(element, worth, moves.length > 1 ? "best " : "");
    }
    if (this.begun().length) this.ring(element, "mark next");
    return null;
  }

  /** Let the board be one stop of the tab key: at the cell that had the focus, or the first that can be clicked. */
  stay(cell = null) {
    const cells = [...(this.svg?.querySelectorAll(".sb-cell") ?? [])];
    if (cells.includes(cell)) this.tabStop = cell.dataset.cell;
    const stop = cells.find((one) => one.dataset.cell === this.tabStop) ?? cells.find((one) => one.classList.contains("can")) ?? cells[0];
    for (const one of cells) one.setAttribute("tabindex", one === stop ? "0" : "-1");
  }

  /** How many pixels the screen has for a unit of the drawing. */
  scale() {
    const { width, height } = this.svg.getBoundingClientRect();
    return Math.min(width / this.svg.viewBox.baseVal.width, height / this.svg.viewBox.baseVal.height) || 1; // it may have room at its sides
  }

  /** Let the cells of a wide board on a narrow screen be large enough to be touched. */
  fit() {
    if (!this.svg) return;
    const { width, height } = this.svg.viewBox.baseVal;
    const needed = width > height ? (TOUCHED * width) / CELL : 0;
    const wide = needed > this.place.clientWidth;
    this.svg.style.minWidth = wide ? `${needed}px` : "";
    this.place.classList.toggle("wide", wide);
  }

  /** Let coordinates be about as large on the screen beside a small and a large board. */
  sizeCoordinates() {
    const [least, usual, most] = COORDINATE;
    const scale = this.scale();
    for (const text of this.svg.querySelectorAll(".sb-coordinate")) text.style.fontSize = `${Math.min(most, Math.max(least, usual * scale)) / scale}px`;
  }

  /** Return a value to be written on a cell: at its upper right, or in the middle of the place of a line. */
  tag(element, worth, prefix) {
    const box = element.firstElementChild?.getBBox() ?? { x: -28, y: -28, width: 56, height: 56 };
    const scale = this.scale();
    const grown = Math.min(LARGEST, Math.max(SMALLEST, USUAL * scale)) / scale / USUAL;
    const width = 12 + 10 * worth.text.length;
    const [x, y] = element.getAttribute("transform").match(/-?[\d.]+/g).map(Number);
    const corner = `translate(${x + box.x + box.width + 4} ${y + box.y - 2}) scale(${grown}) translate(${-width / 2} ${box.width * scale < NARROW ? 0 : 10})`;
    const place = element.querySelector(".sb-slot") ? `translate(${x} ${y}) scale(${grown})` : corner;
    const tag = make("g", { "aria-hidden": "true", class: `worth ${worth.kind}${worth.best ? " best" : ""}`, transform: place });
    const text = make("text", { dy: ".35em" });
    text.textContent = worth.text;
    tag.append(make("rect", { x: -width / 2, y: -10, width, height: 20, rx: 10 }), text);
    tag.dataset.cell = element.dataset.cell;
    element.setAttribute("aria-label", `${element.dataset.name}; ${prefix}${worth.long}`);
    return tag;
  }

  /** Put a ring round a cell, of the cell's own shape. */
  ring(element, kind) {
    const ring = element.firstElementChild?.cloneNode() ?? make("rect", { x: -28, y: -28, width: 56, height: 56 });
    ring.setAttribute("class", kind);
    if (ring.tagName === "rect") ring.setAttribute("rx", Math.max(8, ring.getAttribute("rx")));
    ring.dataset.cell = element.dataset.cell;
    if (kind.startsWith("mark")) {
      ring.setAttribute("transform", element.getAttribute("transform"));
      this.svg.append(ring); // above the pieces
    } else element.append(ring);
  }

  // --- hands ---------------------------------------------------------------------------------------------------------

  key(event) {
    const cell = event.target.closest?.(".sb-cell");
    if (cell && (event.key === "Enter" || event.key === " ")) {
      event.preventDefault();
      this.click(Number(cell.dataset.cell));
    } else if (cell && AWAY[event.key]) {
      event.preventDefault();
      event.stopPropagation(); // elsewhere these keys go back and forward
      this.beside(cell, AWAY[event.key])?.focus();
    }
  }

  /** Take back the clicks of a move that is not complete. */
  release() {
    if (!this.clicked.length) return;
    this.clicked = [];
    this.mark();
    this.ask();
  }

  /** The nearest cell in a direction. */
  beside(from, [right, down]) {
    const at = (cell) => cell.getAttribute("transform").match(/-?[\d.]+/g).map(Number);
    const [x, y] = at(from);
    let [best, least] = [null, Infinity];
    for (const cell of this.svg.querySelectorAll(".sb-cell")) {
      const [across, along] = at(cell).map((place, axis) => place - [x, y][axis]);
      const ahead = across * right + along * down;
      const aside = Math.abs(across * down) + Math.abs(along * right);
      if (ahead < 1 || ahead + 2 * aside >= least) continue;
      [best, least] = [cell, ahead + 2 * aside];
    }
    return best;
  }

  press(event) {
    const cell = cellOf(event.target);
    if (cell === null || event.button !== 0) return;
    event.preventDefault();
    const origin = { x: event.clientX, y: event.clientY };
    const piece = this.svg.querySelector(`.sb-piece[data-cell="${cell}"]`);
    const at = piece?.getAttribute("transform");
    const movable = !this.editing && piece && this.fitting([cell]).length > 0;
    const scale = 1 / this.scale();
    let dragged = false;
    const drag = (moved) => {
      const [x, y] = [moved.clientX - origin.x, moved.clientY - origin.y];
      if (!dragged && (!movable || Math.hypot(x, y) < FAR)) return;
      if (!dragged) this.svg.append(piece); // above the others
      dragged = true;
      piece.classList.add("dragged");
      piece.setAttribute("transform", `translate(${x * scale} ${y * scale}) ${at}`);
    };
    const drop = (ended) => {
      removeEventListener("pointermove", drag);
      removeEventListener("pointerup", drop);
      removeEventListener("pointercancel", drop);
      const under = ended.type === "pointerup" ? cellOf(document.elementFromPoint(ended.clientX, ended.clientY)) : null;
      piece?.classList.remove("dragged");
      if (piece && at) piece.setAttribute("transform", at);
      if (!dragged) {
        if (under === cell) this.click(cell);
      } else if (under !== null && under !== cell) this.drop(cell, under);
    };
    addEventListener("pointermove", drag);
    addEventListener("pointerup", drop);
    addEventListener("pointercancel", drop);
  }

  drop(from, to) {
    const moves = this.fitting([from, to]);
    if (moves.length === 1) this.onMove(moves[0]);
    else {
      this.clicked = moves.length ? [from, to] : [];
      this.mark();
      this.ask();
    }
  }
}

function make(kind, attributes) {
  const made = document.createElementNS(SVG, kind);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  return made;
}

function cellOf(target) {
  const element = target?.closest?.("[data-cell]");
  return element ? Number(element.dataset.cell) : null;
}

/** The pieces of a drawing: how each looks, and where it is. */
function pieces(svg) {
  return [...(svg?.querySelectorAll(".sb-piece") ?? [])].map((element) => {
    const [x, y] = element.getAttribute("transform").match(/-?[\d.]+/g).map(Number);
    return { element, x, y, look: element.innerHTML };
  });
}

/** Let each piece that is in a new place come from where one that looks alike has left. */
function slideFrom(before, after) {
  const same = (one, other) => one.look === other.look && one.x === other.x && one.y === other.y;
  const left = before.filter((old) => !after.some((now) => same(old, now)));
  for (const piece of after.filter((now) => !before.some((old) => same(old, now)))) {
    const place = left.findIndex((old) => old.look === piece.look);
    if (place < 0) continue;
    const [from] = left.splice(place, 1);
    piece.element.animate(
      [{ transform: `translate(${from.x}px, ${from.y}px)` }, { transform: `translate(${piece.x}px, ${piece.y}px)` }],
      { duration: 180, easing: "ease-out" },
    );
  }
}
