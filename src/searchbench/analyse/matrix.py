"""Which solver runs on which game: worked out from the names of the contract that the solvers' kernels reach."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final, NamedTuple

from searchbench import jit
from searchbench.game import Game
from searchbench.solvers.exhaustive import bfs, fixpoint, retrograde
from searchbench.solvers.exhaustive.strategy import goes_backwards
from searchbench.solvers.guided import depthfirst, expansion
from searchbench.solvers.proof import alphabeta, dfpn, pns, prove, tree
from searchbench.values import Depth, ValueRule, value_rule


class Solver(NamedTuple):
    """Name the kernels of a solver, the value rule that it goes by (None: the game's), and its other demands."""

    kernels: tuple[Callable[..., Any], ...]
    rule: ValueRule | None = None
    refuses: Callable[[Game, jit.Names], str] = lambda game, names: ""


def _no_propagation(game: Game, names: jit.Names) -> str:
    return "" if goes_backwards(value_rule(game.values), names) else "no propagate"


def _two_players(game: Game, names: jit.Names) -> str:
    return "two players" if game.two_players else ""


def _no_digits(game: Game, names: jit.Names) -> str:
    return prove.obstacle(game, "") or ("no digits" if game.claimed("digits") is None else "")


def _no_enhancements(game: Game, names: jit.Names) -> str:
    return _two_players(game, names) or ("no enhanced" if game.claimed("enhanced") is None else "")


def _no_features(game: Game, names: jit.Names) -> str:
    return _two_players(game, names) or ("no feature_space" if game.claimed("feature_space") is None else "")


def _no_proof(method: str) -> Callable[[Game, jit.Names], str]:
    return lambda game, names: prove.obstacle(game, method)


SOLVERS: Final[Mapping[str, Solver]] = {
    "retrograde": Solver((retrograde.initialise, retrograde.emit, retrograde.apply), None, _no_propagation),
    "fixpoint": Solver((retrograde.initialise, fixpoint.gather_block)),
    "bfs": Solver((bfs.first_number, bfs.emit_forward, retrograde.apply), Depth()),
    "sweep": Solver((), None, _no_digits),
    "idastar": Solver((depthfirst.search_below,), None, _two_players),
    "astar": Solver((expansion.reach, expansion.expand_best), None, _two_players),
    "bestfirst": Solver((expansion.reach, expansion.expand_best), None, _two_players),
    "enhanced": Solver((), None, _no_enhancements),
    "featurespace": Solver((), None, _no_features),
    "alphabeta": Solver((alphabeta.begin, alphabeta.descend), None, _no_proof("alphabeta")),
    "pns": Solver((tree.plant, pns.grow), None, _no_proof("pns")),
    "dfpn": Solver((dfpn.begin, dfpn.deepen), None, _no_proof("dfpn")),
    "graph": Solver((), None, _no_proof("graph")),
    "threats": Solver((), None, _no_proof("threats")),
}


def obstacle(game: Game, solver: str) -> str:
    """Return why a solver does not run on a game, "" if it does: the rules that are missing, or another kind of game."""
    wanted = SOLVERS[solver]
    names = game.names(wanted.rule or value_rule(game.values))
    refusal = wanted.refuses(game, names)
    if refusal:
        return refusal
    missing = set().union(*(jit.missing(kernel, names) for kernel in wanted.kernels))
    return f"no {', '.join(sorted(missing))}" if missing else ""
