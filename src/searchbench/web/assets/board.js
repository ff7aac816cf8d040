// A board that can be played on: by click, by drag, by keyboard. Which cells make which move comes from the server.

import { drawing } from "./common.js";

const SVG = "http://www.w3.org/2000/svg";
const FAR = 6; // pixels after which a press is a drag
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
    this.mark();
    if (before.length) slideFrom(before, pieces(this.svg));
    if (had !== null) this.cell(had)?.focus({ preventScroll: true });
  }

  cell(number) {
    return this.svg?.querySelector(`.sb-cell[data-cell="${number}"]`);
  }

  /** Give every cell a name and a place in the order of the keyboard. */
  label() {
    for (const cell of this.svg.querySelectorAll(".sb-cell")) {
      const number = Number(cell.dataset.cell);
      const label = this.position.pieces[number].trim();
      const name = this.position.names?.[number] ?? `cell ${number + 1}`;
      cell.setAttribute("role", "button");
      cell.setAttribute("aria-label", `${name}, ${label && !/^-+$/.test(label) ? label : "empty"}`);
    }
    this.svg.setAttribute("role", "group");
  }

  /** The moves that begin with these clicks; failing that, those that have all of them, in any order. */
  fitting(clicks) {
    const ordered = this.moves.filter((move) => clicks.every((cell, place) => move.clicks[place] === cell));
    if (ordered.length || !clicks.length) return ordered;
    return this.moves.filter((move) => clicks.every((cell) => move.clicks.includes(cell)));
  }

  click(cell) {
    if (this.editing) {
      this.onCell(cell);
      return;
    }
    let clicks = [...this.clicked, cell];
    if (this.clicked.includes(cell)) clicks = [];
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

  /** Ask which move is meant where several have the same clicks, as where a pawn is promoted. */
  ask() {
    this.place.querySelector(".choice")?.remove();
    const moves = this.clicked.length ? this.fitting(this.clicked) : [];
    if (moves.length < 2 || moves.some((move) => move.clicks.some((cell) => !this.clicked.includes(cell)))) return;
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
    choice.firstElementChild.focus();
  }

  /** Mark what can be clicked, what has been, and what a move is worth that ends on a cell. */
  mark(shown = null) {
    if (!this.svg) return;
    for (const old of this.svg.querySelectorAll(".mark, .worth, .focus-ring")) old.remove();
    const moves = shown ? [shown] : this.fitting(this.clicked);
    const next = new Map();
    for (const move of moves) {
      const cell = move.clicks.find((click) => !this.clicked.includes(click));
      if (cell !== undefined && !next.has(cell)) next.set(cell, move);
    }
    const tags = []; // above all marks
    for (const element of this.svg.querySelectorAll("[data-cell]")) {
      const number = Number(element.dataset.cell);
      element.classList.toggle("can", this.editing || next.has(number) || this.clicked.includes(number));
      if (!element.classList.contains("sb-cell")) continue;
      element.setAttribute("tabindex", this.editing || next.has(number) || this.clicked.includes(number) ? "0" : "-1");
      this.ring(element, "focus-ring");
      if (shown) {
        if (shown.clicks.includes(number)) this.ring(element, `mark ${shown.value?.kind ?? "next"}`);
      } else if (this.clicked.includes(number)) this.ring(element, "mark chosen");
      else if (!this.editing && next.has(number)) tags.push(this.target(element, number, next.get(number)));
    }
    this.svg.append(...tags.filter(Boolean));
  }

  /** Mark a cell that can be clicked next; return the value of the best move there, once one click is left that tells it. */
  target(element, number, move) {
    const last = this.clicked.length > 0 || this.fitting([number]).length === 1;
    const worth = last ? this.worth(move) : null;
    if (worth) {
      this.ring(element, `mark ${worth.kind}${worth.best ? " best" : ""}`);
      return this.tag(element, worth);
    }
    if (this.clicked.length) this.ring(element, "mark next");
    return null;
  }

  /** Return a value to be written on a cell, at its upper right. */
  tag(element, worth) {
    const box = element.firstElementChild?.getBBox() ?? { x: -28, y: -28, width: 56, height: 56 };
    const make = (kind, attributes) => {
      const made = document.createElementNS(SVG, kind);
      for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
      return made;
    };
    const width = 12 + 9 * worth.text.length;
    const [x, y] = element.getAttribute("transform").match(/-?[\d.]+/g).map(Number);
    const tag = make("g", { class: `worth ${worth.kind}${worth.best ? " best" : ""}`, transform: `translate(${x + box.x + box.width - width / 2 + 4} ${y + box.y + 8})` });
    const text = make("text", { dy: ".35em" });
    text.textContent = worth.text;
    tag.append(make("rect", { x: -width / 2, y: -10, width, height: 20, rx: 10 }), text);
    tag.dataset.cell = element.dataset.cell;
    element.setAttribute("aria-label", `${element.getAttribute("aria-label").split(";")[0]}; ${worth.long}`);
    return tag;
  }

  ring(element, kind) {
    const box = element.firstElementChild?.getBBox() ?? { x: -28, y: -28, width: 56, height: 56 };
    const ring = document.createElementNS(SVG, "rect");
    for (const [name, value] of Object.entries({ class: kind, x: box.x, y: box.y, width: box.width, height: box.height, rx: element.querySelector("circle") ? box.width / 2 : 8 })) {
      ring.setAttribute(name, value);
    }
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
    } else if (event.key === "Escape" && this.clicked.length) {
      this.clicked = [];
      this.mark();
      this.ask();
    }
  }

  press(event) {
    const cell = cellOf(event.target);
    if (cell === null || event.button !== 0) return;
    event.preventDefault();
    const origin = { x: event.clientX, y: event.clientY };
    const piece = this.svg.querySelector(`.sb-piece[data-cell="${cell}"]`);
    const at = piece?.getAttribute("transform");
    const movable = !this.editing && piece && this.fitting([cell]).length > 0;
    const scale = this.svg.viewBox.baseVal.width / this.svg.getBoundingClientRect().width;
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
