// The moves made so far: a numbered list, back and forward, the values on the way; kept in the tab over a reload.

import { drawing, h } from "./common.js";

const OTHER = 1; // the second player
const HEIGHT = 40;
const STEP = 8;

export class Record {
  constructor(name) {
    this.key = `record of ${name}`;
    this.entries = [];
    this.at = 0;
    this.id = null;
  }

  get now() {
    return this.entries[this.at];
  }

  /** Begin anew with one position. */
  begin(entry) {
    this.id = `${Date.now()}-${Math.random().toString(36).slice(2)}`;
    this.entries = [entry];
    this.at = 0;
    this.keep();
  }

  /** Add positions after the one at hand; those that came after it are forgotten. */
  add(...entries) {
    this.entries = [...this.entries.slice(0, this.at + 1), ...entries];
    this.at = this.entries.length - 1;
    this.keep();
  }

  /** Return where back leads: the place before, or the last one where `computer` was not to move; -1 if there is none. */
  before(computer) {
    let place = this.at - 1;
    while (computer !== null && place >= 0 && this.entries[place].side === computer) place -= 1;
    return place;
  }

  /** Return where forward leads; -1 if there is nothing more. */
  after(computer) {
    let place = this.at + 1;
    while (computer !== null && place < this.entries.length - 1 && this.entries[place].side === computer) place += 1;
    return place < this.entries.length ? place : -1;
  }

  keep() {
    try {
      sessionStorage.setItem(this.key, JSON.stringify({ id: this.id, entries: this.entries }));
    } catch {
      // a tab without storage, or with too little of it: the record is then lost with a reload
    }
  }

  /** Take up the record that the tab kept, if it is the one that is asked for. */
  restore({ record, at } = {}) {
    if (record === undefined) return false;
    if (record !== this.id) {
      let kept = null;
      try {
        kept = JSON.parse(sessionStorage.getItem(this.key));
      } catch {
        return false;
      }
      if (kept?.id !== record) return false;
      this.id = record;
      this.entries = kept.entries;
    }
    if (at >= this.entries.length) return false;
    this.at = at;
    return true;
  }

  /** The numbered moves; a click on one calls `onJump(place)`. */
  list(twoPlayers, onJump) {
    const first = this.entries[0].side;
    const number = (place) => (twoPlayers ? Math.floor((place - 1 + first) / 2) + 1 : place);
    const begins = (place) => !twoPlayers || place === 1 || (place - 1 + first) % 2 === 0;
    const prefix = (place) => `${number(place)}.${twoPlayers && place === 1 && first === OTHER ? " …" : ""}`;
    const button = (place, text) =>
      h("button", { type: "button", class: "bare", "aria-current": place === this.at ? "step" : null, "data-place": place, onclick: () => onJump(place) }, text);
    const items = this.entries.map((entry, place) =>
      place === 0 ? h("li", {}, button(0, "begin")) : h("li", {}, begins(place) ? h("span", { class: "muted small" }, prefix(place)) : null, button(place, entry.move)));
    return h("ul", { class: "record", "aria-label": "Moves so far" }, items);
  }

  /** The values on the way: up for the first of the two `sides`, down for the second; of a puzzle the numbers. Words say so. */
  graph(sides) {
    if (this.entries.length < 2) return [];
    const known = this.entries.map((entry) => entry.value).filter((value) => value?.number !== null && value !== null && value !== undefined);
    const most = Math.max(1, ...known.map((value) => Math.abs(value.number)));
    const bar = (entry, place) => {
      const { value } = entry;
      if (!value || value.kind === "none") return "";
      let tall = value.number === null ? 0 : Math.abs(value.number) / most;
      let up = value.number >= 0;
      if (value.kind === "win" || value.kind === "loss") {
        tall = 1 - (0.7 * value.number) / (most + 1);
        up = (value.kind === "win") === (entry.side === 0);
      } else if (entry.side === OTHER) up = !up;
      const height = Math.max(3, tall * HEIGHT);
      const top = value.kind === "draw" ? HEIGHT - height / 2 : up ? HEIGHT - height : HEIGHT;
      const kind = value.kind === "win" || value.kind === "loss" ? (up ? "win" : "loss") : value.kind;
      return `<rect class="${kind}${place === this.at ? " now" : ""}" x="${place * STEP}" y="${top}" width="${STEP - 2}" height="${height}"/>`;
    };
    const width = Math.max(30, this.entries.length) * STEP;
    const height = sides.length ? 2 * HEIGHT : HEIGHT + 2;
    const told = sides.length ? `Values on the way: up is good for ${sides[0]}, down for ${sides[1]}.` : "Values on the way.";
    const drawn = drawing(`<svg xmlns="http://www.w3.org/2000/svg" class="values" viewBox="0 0 ${width} ${height}" preserveAspectRatio="none" aria-hidden="true"><path d="M0 ${HEIGHT}H${width}"/>${this.entries.map(bar).join("")}</svg>`);
    return [drawn, h("p", { class: "muted small" }, told)];
  }
}
