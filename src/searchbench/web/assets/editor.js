// Change a position by hand: put pieces on cells, or exchange what stands on two of them.

import { api, drawing, h, post, silent } from "./common.js";

const SVG = "http://www.w3.org/2000/svg";

export class Editor {
  /** Edit on a board; `onDone(position)` is called with the position that was made, `onFail(error)` if there is none. */
  constructor(view, base, facts, { onDone, onCancel, onFail }) {
    this.view = view;
    this.base = base;
    this.sides = facts.chooses_side ? facts.sides : []; // where the player to move is told by the state alone
    this.seen = facts.mover_sees ? " The pieces are as the player to move sees them." : "";
    this.onDone = onDone;
    this.onCancel = onCancel;
    this.onFail = onFail;
    this.place = h("div", { class: "stack hidden", id: "editor" });
  }

  async begin(position) {
    let pieces;
    try {
      pieces = await api(`${this.base}/palette`, { state: position.state, side: position.side });
    } catch (error) {
      this.onFail(error);
      return;
    }
    this.position = position;
    this.labels = [...position.pieces]; // what stands on each cell
    this.view.editing = true;
    this.view.show(position, false);
    this.choose(null);
    this.build(pieces);
    this.place.classList.remove("hidden");
  }

  end() {
    this.view.editing = false;
    this.place.classList.add("hidden");
  }

  build(pieces) {
    const tool = (text, label, attributes) =>
      h("button", { type: "button", "aria-pressed": String(label === null), ...attributes, onclick: (event) => this.choose(label, event.currentTarget) }, text);
    const exchange = tool("⇄ exchange", null, { id: "exchange" });
    this.said = new Map(pieces.map(({ label, said }) => [label, said]));
    const tools = pieces.map(({ label, said, picture }) =>
      tool(label ? silent(drawing(picture)) : "clear", label, { "aria-label": label ? said : null, title: said, "data-label": label }));
    this.side = this.position.side;
    const mover = this.sides.length ? h("label", {}, "To move", h("select", { id: "mover", onchange: (event) => { this.side = Number(event.target.value); } }, this.sides.map((text, side) => h("option", { value: side, selected: side === this.side }, text)))) : null;
    const other = h("input", { size: 4, "aria-label": "another label", placeholder: "other", oninput: () => this.choose(other.value) });
    this.place.replaceChildren(
      h("p", { class: "small muted", style: "margin:0" }, `Choose a piece and click cells, or exchange the contents of two cells.${this.sides.length ? "" : this.seen}`),
      h("div", { class: "palette", role: "toolbar", "aria-label": "Pieces" }, exchange, tools),
      h("div", { class: "row", style: "align-items:end" }, mover ?? other, h("button", { type: "button", id: "cancel", onclick: () => this.onCancel() }, "Cancel"), h("button", { type: "button", class: "primary", id: "done", onclick: () => this.finish() }, "Done")),
    );
  }

  /** Choose the label to be put, null to exchange two cells. */
  choose(label, chosen = null) {
    this.brush = label;
    this.held = null;
    for (const tool of this.place.querySelectorAll(".palette button")) tool.setAttribute("aria-pressed", String(tool === chosen));
  }

  /** Change what stands on a cell; the drawing follows as far as it can without asking the server. */
  cell(cell) {
    const { labels } = this;
    if (this.brush === null && this.held === null) {
      this.held = cell;
      this.view.clicked = [cell];
      this.view.mark();
      return;
    }
    if (this.brush === null) {
      [labels[this.held], labels[cell]] = [labels[cell], labels[this.held]];
      this.repaint(this.held);
      this.held = null;
      this.view.clicked = [];
    } else labels[cell] = this.brush;
    this.repaint(cell);
    this.view.mark();
  }

  repaint(cell) {
    const { svg } = this.view;
    const label = this.labels[cell];
    svg.querySelector(`.sb-piece[data-cell="${cell}"]`)?.remove();
    this.view.say(cell, this.said.get(label) ?? label);
    if (!label) return;
    const piece = document.createElementNS(SVG, "g");
    piece.setAttribute("class", "sb-piece");
    piece.setAttribute("transform", this.view.cell(cell).getAttribute("transform"));
    piece.dataset.cell = cell;
    piece.setAttribute("aria-hidden", "true");
    const shown = this.place.querySelector(`[data-label="${CSS.escape(label)}"] svg`);
    if (shown) piece.append(...[...shown.children].map((child) => child.cloneNode(true)));
    else {
      const text = document.createElementNS(SVG, "text");
      text.setAttribute("class", "sb-text");
      text.textContent = label;
      piece.append(text);
    }
    svg.append(piece);
  }

  async finish() {
    try {
      this.onDone(await post(`${this.base}/arrange`, { pieces: this.labels, side: this.side, like: this.position.state }));
    } catch (error) {
      this.onFail(error);
    }
  }
}
