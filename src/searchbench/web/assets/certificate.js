// The page of a certificate: what it claims, its tree of play, and why each reply loses.

import { BoardView } from "./board.js";
import { METHODS, api, count, h, nameInAddress, page, showError, titled } from "./common.js";

const name = nameInAddress();
const base = `/certificates/${encodeURIComponent(name)}`;
const parts = {};
const asked = new URLSearchParams(location.search); // as the page was opened
let claims = []; // of the certificate, in its order
const ENDS = { terminal: "where the game is over", record: "in a position told before", "forced sequence": "where a forced sequence wins", "win by threats": "where threats win", database: "in a database" };
const SOLVED = { weak: "weakly: how to play from the start on" };

page(async () => {
  const facts = await api(base);
  claims = facts.claims.map((one) => one.claim);
  titled(`${facts.claim} · ${facts.label}`);
  const board = h("div", { class: "table large", id: "board" });
  parts.view = new BoardView(board, { onMove: (move) => choose(move.move), onCell: () => {} });
  parts.caption = h("p", { class: "muted small", style: "margin:0", id: "caption", "aria-live": "polite" }, "reading the proof …");
  parts.tree = h("div", { class: "tree", id: "tree" });
  parts.wrong = h("div", {});
  const rows = [["game", facts.game], ["claims", facts.claim], ["solved", SOLVED[facts.notion] ?? facts.notion], ["method", METHODS.find((one) => one.id === facts.method)?.text ?? facts.method], ["records", count(facts.records)], ["lines end", facts.leaves.map((kind) => ENDS[kind] ?? kind).join("; ")]];
  setTimeout(() => grow(parts.tree, asked.get("state") || "start", asked.get("side") === "1" ? 1 : 0).then(openLine).catch(fromStart));
  return [
    h("p", { class: "crumbs" }, h("a", { href: "/" }, "Databases"), " / ", name),
    h("h1", {}, `${facts.label}: ${facts.claim}`),
    h("p", { class: "muted" }, "A proof that anybody can check: ", h("code", {}, "searchbench verify"), " tries every reply. The moves of the side that the proof plays for are bold; open a reply of the other side to see the answer to it."),
    h("div", { class: "position" },
      h("div", { class: "panel stack" }, board, parts.caption),
      h("div", { class: "panel" }, h("h2", {}, "The proof"), parts.wrong, parts.tree),
      h("div", { class: "panel" }, h("dl", { class: "facts" }, rows.flatMap(([term, fact]) => [h("dt", {}, term), h("dd", {}, fact)])))),
  ];
});

/** Tell why a position cannot be shown, and show the start. */
async function fromStart(error) {
  for (const name of [...asked.keys()]) asked.delete(name);
  showError(parts.wrong, error);
  await grow(parts.tree, "start", 0);
}

/** Open the replies that lead to the position in the address. */
async function openLine() {
  const line = `${asked.get("line") ?? ""} `;
  const claim = claims[Number(asked.get("claim")) - 1];
  let last = null;
  for (;;) {
    const next = [...parts.tree.querySelectorAll("details:not([open])")].find((one) => (!claim || one.claim === claim) && line.startsWith(`${one.dataset.way} `));
    if (!next) break;
    next.open = true;
    await next.answer();
    last = next;
  }
  last?.scrollIntoView({ block: "nearest" });
}

/** Put the line to a position into the address bar: a link brings the board and the opened replies back. */
function address(line, claim) {
  const query = new URLSearchParams(["state", "side"].filter((name) => asked.has(name)).map((name) => [name, asked.get(name)]));
  if (line.length) query.set("line", line.join(" "));
  if (line.length && claims.length > 1 && claims.includes(claim)) query.set("claim", claims.indexOf(claim) + 1);
  history.replaceState(null, "", `${location.pathname}${query.size ? `?${query}` : ""}`);
}

/** Show a position on the board; a click there opens that reply of the tree. */
function show(position, line, place, claim = null) {
  parts.place = place;
  address(line, claim);
  parts.view.show(position);
  parts.caption.textContent = [line.length ? `after ${line.join(" ")}` : "the position that is proved", position.result].filter(Boolean).join(": ");
}

function choose(move) {
  const found = [...parts.place.querySelectorAll(":scope > ul > li > details, :scope > section > ul > li > details")].find((one) => one.dataset.move === move);
  if (!found) return;
  found.open = true;
  found.scrollIntoView({ block: "nearest" });
}

/** Put what the certificate says of a position into the tree: its move and the replies to that, or a forced sequence. */
async function grow(place, state, side, line = [], claim = null) {
  const position = await api(`${base}/position`, { state, side });
  place.position = position;
  show(position, line, place, claim);
  if (!position.answers.length) {
    place.append(h("p", { class: "muted small" }, position.result ? `The game is over: ${position.result}.` : "The certificate's play does not lead here."));
    return;
  }
  // Below the first move of a claim its strategy alone is told: another claim has a tree of its own.
  const answers = claim === null ? position.answers : position.answers.filter((answer) => answer.claim === claim);
  for (const answer of answers) {
    const own = answers.length > 1 ? h("strong", {}, answer.claim) : null;
    if (!answer.moves.length) {
      place.append(h("section", {}, own, h("p", { class: "muted small answer" }, answer.replies.length === 1 ? "one reply" : `${count(answer.replies.length)} replies`), replies(answer, position, line)));
      continue;
    }
    const played = answer.moves.map((one) => one.move);
    const section = h("section", {}, own, h("p", { class: "answer" }, answer.moves.length > 1 ? "wins by force: " : "plays ", h("strong", {}, played.join(" ")), answer.by === "a record" ? null : h("span", { class: "muted small" }, ` (${answer.by})`)));
    place.append(section);
    if (answer.moves.length === 1) await grow(section, answer.moves[0].state, 1 - position.side, [...line, ...played], answer.claim);
  }
  if (answers.length > 1) show(position, line, place);
}

/** The replies to a position; each is opened by a click, and then tells its answer. */
function replies(answer, position, line) {
  return h("ul", {}, answer.replies.map((reply) => {
    const inner = h("div", {});
    const way = [...line, reply.move];
    const whole = h("details", { "data-move": reply.move, "data-way": way.join(" ") }, h("summary", {}, h("span", { class: "mono" }, reply.move), h("span", { class: "muted small" }, reply.covered === "a record" ? "" : ` answered by ${reply.covered}`)), inner);
    whole.claim = answer.claim;
    whole.answer = async () => {
      if (!whole.open) return;
      if (inner.position) show(inner.position, way, inner, answer.claim);
      if (whole.dataset.asked) return;
      whole.dataset.asked = "yes";
      const reading = h("p", { class: "muted small answer" }, "looking for the answer …");
      inner.replaceChildren();
      whole.append(reading);
      try {
        await grow(inner, reply.state, 1 - position.side, way, answer.claim);
      } catch (error) {
        delete whole.dataset.asked;
        showError(inner, error);
      }
      reading.remove();
    };
    whole.addEventListener("toggle", whole.answer);
    return h("li", {}, whole);
  }));
}
