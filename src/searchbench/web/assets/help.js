// Help on the page of a position: what the signs on the board mean, and the keys.

import { h } from "./common.js";

export const LEGENDS = {
  outcome: "On the board: W wins, L loses, in so many plies; = is a draw. The best are filled.",
  ending: "On the board: W wins, L loses; = is a draw. The best are filled.",
  won: "On the board: W wins; after a move that is not won the other player wins. Of the other moves nothing is known: the reply may be a draw or a loss.",
  score: "On the board: points for the player to move. The best are filled.",
  steps: "On the board: what is left after the move. The best are in colour.",
}; // what the values on the board mean

const WORDS = {
  outcome: [["win 13", "the player to move wins: with best play by both sides in 13 plies, moves of either side"], ["loss 8", "the player to move loses, as late as can be, in 8 plies"], ["draw", "nobody can force a win"]],
  ending: [["win", "the player to move can force a win"], ["loss", "the other player can"], ["draw", "nobody can"]],
  won: [["won", "the player to move can force a win"], ["not won", "she cannot: it is a draw, or the other player wins"], ["unknown", "of a move: the other player does not win after it, and may draw or lose"]],
  score: [["+3", "with best play by both sides the player to move gets 3 points more than the other; −3: 3 fewer"]],
  distance: [["12", "moves to the end by the shortest way"], ["no solution", "the end cannot be reached any more; such positions are found by the value “unreachable”"]],
  depth: [["12", "moves from the start by the shortest way"]],
};

const KEYS = [
  [["1", "9"], "make the move that has the key beside it"], [["←", "→"], "back and forward"], [["b"], "make the best move"], [["l"], "show the line of best play"],
  [["space"], "let both sides play on, or pause"], [["e"], "edit the position"], [["v"], "hide or show the values"], [["?"], "this help"],
];
const BEST = ["b", "l", "space"]; // only where lines can be followed

/** Open the help on the position of a database that `facts` describe. */
export function showHelp(facts) {
  const old = document.getElementById("help-text");
  if (old?.open) return;
  old?.remove();
  const keys = KEYS.filter(([names]) => facts.lines || !BEST.includes(names[0]));
  const terms = (rows) => h("dl", { class: "facts" }, rows.flatMap(([term, text]) => [h("dt", {}, term), h("dd", {}, text)]));
  const close = h("button", { type: "button", onclick: () => dialog.close() }, "Close");
  const dialog = h("dialog", { id: "help-text", "aria-labelledby": "help-title", onclick: (event) => { if (event.target === dialog) dialog.close(); } },
    h("div", { class: "stack" },
      h("div", { class: "spread" }, h("h2", { id: "help-title", style: "margin:0" }, "Help"), close),
      h("section", {}, h("h3", {}, "Moves"), h("p", {}, "Click a cell that is marked; where a piece moves, click it and then its new place, or drag it. The list beside the board has all moves."), facts.two_players ? h("p", {}, "Let the database play one side to play against it; back then takes both moves back.") : null),
      h("section", {}, h("h3", {}, "Values"), terms(WORDS[facts.values] ?? []), h("p", { class: "muted small" }, LEGENDS[facts.two_players ? facts.values : "steps"] ?? "")),
      h("section", {}, h("h3", {}, "Keys"), terms(keys.map(([names, text]) => [names.map((name, place) => [place ? (name === "9" ? "–" : " ") : "", h("kbd", {}, name)]).flat(), text])), h("p", { class: "muted small" }, "On the board the arrow keys go from cell to cell, and enter or space chooses one."))));
  document.body.append(dialog);
  dialog.showModal();
  close.focus();
}
