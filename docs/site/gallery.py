"""The gallery: every shipped game with a drawing of its start, its parameters, and what is known of it once it is solved."""

from __future__ import annotations

import inspect
from html import escape
from typing import Any, Final

from searchbench import Game, load
from searchbench.catalogue import allowed, described, name_of, shipped, title_of
from searchbench.drawing import board_svg, chart_svg
from searchbench.drawing.charts import columns
from searchbench.values import value_rule

DRAWN: Final = {"graph": "graph:0>1;1>2;2>0;2>3;3=0", "rubik": "rubik", "awari": "awari:48", "chess": "chess:KQKR"}
"""The game that is drawn, where the parameters have no defaults, or others show more."""
SIZES: Final = {
    "awari": ["awari:3", "awari:6"],
    "burnt-pancake": ["burnt-pancake:3", "burnt-pancake:6"],
    "chess": ["chess:KQK", "chess:KRK", "chess:KPK", "chess:KQKR", "chess:KRKP"],
    "connect4": ["connect4:4x4", "connect4:5x4", "connect4:7x6"],
    "dots-and-boxes": ["dots-and-boxes:1x1", "dots-and-boxes:2x2"],
    "fox-and-geese": ["fox-and-geese:4"],
    "hanoi": ["hanoi:3", "hanoi:6", "hanoi:5,4"],
    "hex": ["hex:2x2", "hex:3x3", "hex:4x4"],
    "mnk": ["mnk:3,3,3", "mnk:4,3,3"],
    "morris": ["morris:3,3", "morris:4,3", "morris:9,9"],
    "morris-opening": ["morris-opening:3", "morris-opening:9"],
    "pancake": ["pancake:5", "pancake:8", "pancake:10"],
    "peg-solitaire": ["peg-solitaire:triangle,6", "peg-solitaire"],
    "sliding": ["sliding:2x2", "sliding:2x3", "sliding:3x3", "sliding:4x4"],
    "top-spin": ["top-spin:6", "top-spin:8"],
}
"""The sizes whose known figures are listed; by default the one size that `load` makes."""
WORDS: Final = {
    "states": "states", "reachable": "with a value", "deepest": "most moves or plies", "start": "value of the start",
}  # fmt: skip
RESULTS: Final = {
    "connect4": "The first player wins on 7 x 6 ([Between two players](../two-players.md)).",
    "giveaway-chess": "1. d3, 1. d4 and 1. e4 lose ([Between two players](../two-players.md#the-games)).",
    "gomoku": "The first player wins on 15 x 15, by the free and by the standard rule ([Go-moku](../go-moku.md)).",
    "hex": "The first player wins on 3 x 3, 4 x 4 and 5 x 5 ([Between two players](../two-players.md#the-games)).",
    "morris": "Every position is solved ([Nine Men's Morris](../benchmarks.md#nine-mens-morris)).",
    "morris-opening": "The game is a draw ([Nine Men's Morris](../benchmarks.md#nine-mens-morris)).",
    "othello": "The second player wins on 4 x 4, by 11 discs to 3 ([Between two players](../two-players.md#the-games)).",
    "qubic": "The first player wins: a proof of 5,920 records in 24 kB ([Certificates](../certificate-format.md)).",
    "sokoban": "Levels of XSokoban and Microban are solved, one after the other ([Sokoban](../sokoban.md)).",
    "superpuzz": "Deals are solved by four searches ([Superpuzz](../superpuzz.md)).",
}
"""What is known besides figures, with the page that tells of it."""


def gallery_pages() -> dict[str, str]:
    """Return the pages: all games on one, then one for each."""
    games = list(shipped())
    overview = "\n".join(_card(one) for one in games)
    pages = {
        "games/index.md": "---\nhide: [toc]\n---\n\n# The games\n\n"
        "Every game that comes with searchbench. `searchbench games` lists them with their "
        "parameters; [Games and solvers](../matrix.md) says which solver runs on which.\n\n"
        f'<div class="sb-gallery">\n{overview}\n</div>\n'
    }
    pages.update({f"games/{one.name}.md": _page(one) for one in games})
    return pages


def _drawn(kind: type[Game]) -> Game:
    return load(DRAWN.get(kind.name, kind.name))


def _drawing(game: Game) -> str:
    board = game.board()
    state = game.start()
    if board is None:
        return f"<pre>{escape(game.picture(state))}</pre>"
    return board_svg(board, game.pieces(state), style=False, title=f"{name_of(game)}: the start", coordinates=True)


def _card(kind: type[Game]) -> str:
    game = _drawn(kind)
    return (
        f'<figure><a href="{kind.name}/">{_drawing(game)}</a>'
        f'<figcaption><a href="{kind.name}/">{escape(name_of(game))}</a></figcaption></figure>'
    )


def _page(kind: type[Game]) -> str:
    """Return the page of a game."""
    game, facts = _drawn(kind), described(kind)
    rule = value_rule(game.values)
    players = "Two players" if rule.two_players else "One player"
    lines = [f"# {kind.name}", "", title_of(game), "", f'<div class="sb-start">{_drawing(game)}</div>', ""]
    lines += [f"{players}; values: {rule.name}. The start in the game's notation: `{game.format(game.start())}`.", ""]
    if facts["parameters"]:
        told = allowed(kind)
        lines += ["## Parameters", "", "| parameter | default | what it may be |", "|---|---|---|"]
        lines += [
            f"| `{name}` | {_default(default)} | {escape(told[name])} |"
            for name, default in facts["parameters"].items()
        ]
    if rest := (inspect.getdoc(kind) or "").partition("\n")[2].strip():
        lines += ["", "## To know", "", rest]
    lines += [
        "",
        "## Solved",
        "",
        RESULTS.get(kind.name, ""),
        "",
        _facts(kind),
        "",
        _chart(kind),
        "",
        "## To try it",
        "",
    ]
    lines += [f"```sh\nsearchbench check {game.spec}\nsearchbench play {game.spec}\n```"]
    return "\n".join(lines) + "\n"


def _default(default: Any) -> str:
    if isinstance(default, bool):
        return "`yes`" if default else "`no`"
    return "must be given" if default is None else f"`{default}`" if default != "" else ""


def _sizes(kind: type[Game]) -> list[Game]:
    return [load(spec) for spec in SIZES.get(kind.name, [DRAWN.get(kind.name, kind.name)])]


def _facts(kind: type[Game]) -> str:
    """Return a table of the figures that are known, which `searchbench check` and the tests compare with what is solved."""
    found = [(game.spec, known) for game in _sizes(kind) if (known := game.known())]
    told = [name for name in WORDS if any(name in known for _, known in found)]
    if not told:
        nothing = "No figures are recorded for these sizes: `searchbench solve` and `searchbench prove` find them."
        return "" if kind.name in RESULTS else nothing
    rows = [
        f"| `{spec}` | {' | '.join(_figure(known[name]) if name in known else '' for name in told)} |"
        for spec, known in found
    ]
    return f"| game | {' | '.join(WORDS[name] for name in told)} |\n|---|{'---|' * len(told)}\n" + "\n".join(rows)


def _figure(figure: Any) -> str:
    return f"{figure:,}" if isinstance(figure, int) else str(figure)


def _chart(kind: type[Game]) -> str:
    """Return a chart of how many states have each value, for the last size for which that is known."""
    for game in reversed(_sizes(kind)):
        known = game.known().get("histogram")
        if known:
            rule = value_rule(game.values)
            counts = {value: count for value, count in known.items() if isinstance(value, int)}
            if counts:
                return (
                    f"States of `{game.spec}` by value:\n\n{chart_svg(columns(rule, counts), log=True, style=False)}\n"
                )
    return ""
