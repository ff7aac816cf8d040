"""A workbench that solves games and puzzles exactly: write the rules once, get everything else.

Three verbs: :func:`solve` all states -> :class:`Database`, :func:`search` one state of a puzzle -> :class:`Line`,
:func:`prove` one state of a two-player game -> :class:`Proof`. Every result has ``verify()``, which uses the rules only.
Nothing heavy is imported before it is used.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from searchbench import errors, index
    from searchbench.abstraction import Abstraction, Image, Subgoal
    from searchbench.analyse.detours import Detours
    from searchbench.analyse.predict import Prediction
    from searchbench.analyse.subgoals import Subgoals
    from searchbench.catalogue import WhichGame, load
    from searchbench.errors import SearchBenchError
    from searchbench.game import Board, Game, Position
    from searchbench.heuristics import PatternDatabases, SeenAs, heuristic
    from searchbench.index.protocol import Part
    from searchbench.jit import Target
    from searchbench.line import Line
    from searchbench.player import Player
    from searchbench.proof import Proof
    from searchbench.repairs import Repair
    from searchbench.rules import NOWHERE, UNDECIDED, State
    from searchbench.run import Limits, Run
    from searchbench.solvers.guided import AStar, BestFirst, Completions, Guided, IDAStar
    from searchbench.solvers.proof import AlphaBeta, ProofNumber, Proving
    from searchbench.store import Database
    from searchbench.testing import Check
    from searchbench.values import ValueRule

__version__ = "0.1.0"

_HOMES = {
    "Board": "game", "Check": "testing", "Database": "store", "Game": "game", "Line": "line", "NOWHERE": "rules",
    "Abstraction": "abstraction", "Image": "abstraction", "PatternDatabases": "heuristics", "heuristic": "heuristics",
    "AlphaBeta": "solvers.proof", "ProofNumber": "solvers.proof", "AStar": "solvers.guided",
    "BestFirst": "solvers.guided", "IDAStar": "solvers.guided", "Limits": "run",
    "Completions": "solvers.guided", "Detours": "analyse.detours",
    "SeenAs": "heuristics", "Subgoal": "abstraction", "Subgoals": "analyse.subgoals",
    "Part": "index.protocol", "Player": "player", "Position": "game", "Prediction": "analyse.predict", "Proof": "proof",
    "Repair": "repairs", "Run": "run", "SearchBenchError": "errors", "State": "rules", "UNDECIDED": "rules",
    "ValueRule": "values", "errors": "", "index": "", "load": "catalogue",
}  # fmt: skip
"""Where each public name lives; "" for a module."""

__all__ = [
    "NOWHERE", "UNDECIDED", "AStar", "Abstraction", "AlphaBeta", "BestFirst", "Board", "Check", "Completions",
    "Database", "Detours", "Game", "IDAStar", "Image", "Limits", "Line", "Part", "PatternDatabases", "Player",
    "Position", "Prediction", "Proof", "ProofNumber", "Repair", "Run", "SearchBenchError", "SeenAs", "State",
    "Subgoal", "Subgoals", "ValueRule", "check", "errors", "heuristic", "index", "load", "open_database", "predict",
    "prove", "prove_limit", "repair", "search", "solve", "subgoals", "together",
]  # fmt: skip


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'searchbench' has no attribute {name!r}")
    home = _HOMES[name]
    module = importlib.import_module(f"searchbench.{home or name}")
    globals()[name] = getattr(module, name) if home else module
    return globals()[name]


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})


def check(game: str | Game, **options: Any) -> Check:
    """Check that a game keeps the laws of the contract; the result lists every broken law with the state that shows it."""
    from searchbench.catalogue import load
    from searchbench.testing import check_game

    return check_game(load(game), **options)


def solve(
    game: str | Game,
    rule: str | ValueRule | None = None,
    solver: str | None = None,
    to: str | Path | None = None,
    memory: str | int | None = None,
    threads: int | None = None,
    progress: Callable[[str, int, int], None] | None = None,
    overwrite: bool = False,
    form: str | None = None,
    work: str | Path | None = None,
    parts: str | Iterable[str] | None = None,
    mapped: bool = False,
    codec: str | None = None,
) -> Database:
    """Solve every state of a game and return the database; with `to`, also keep it in that folder.

    `rule` is a value rule or its name, by default the game's own; `solver` is "retrograde", "fixpoint" or "bfs", by
    default the one that suits the game. `memory` is a budget such as "1GB": what does not fit is refused before it
    starts, and so is a folder `to` that is there already, unless `overwrite`. `progress` is called with a stage, how
    much of it is done, and its total (0: unknown). `form` is how breadth-first search ("bfs") keeps depths: "values" or
    "two-bit" among others (see `solve_states`), by default what fits; of the other solvers, what is kept in `to` ("base-3",
    "every:4", ...), and `codec` how it is compressed ("zstd:19"): see `Database.save`. With `to`, long breadth-first
    searches keep their unfinished work in the folder `work` (by default beside `to`, with ".work" behind the name): what was
    stopped or killed goes on from there when it is asked for again, and what does not fit into the memory may be searched
    there. The folder is removed when the database is complete. A `mapped` database is kept without compression: opened, it
    is mapped into memory.

    `parts` are the names of the parts to solve ("4-4,5-3", or "all"); parts that they need are solved first. Each is kept in
    `to` when it is done, and what `to` has already is not solved again.
    """
    from searchbench.catalogue import load
    from searchbench.errors import BadRequest
    from searchbench.solvers.exhaustive import solve_states
    from searchbench.solvers.exhaustive.choice import chosen
    from searchbench.store import Database
    from searchbench.store.codecs import parse_codec
    from searchbench.store.reductions import wanted
    from searchbench.store.working import discard
    from searchbench.store.writing import check_target
    from searchbench.values import BFS

    loaded = load(game)
    if mapped and (parts is not None or to is None):
        raise BadRequest("mapped: a database of all parts is kept so, in the folder `to`")
    if codec is not None and (parts is not None or to is None):
        raise BadRequest(f"codec {codec!r}: it is for all of a game, kept in `to`; others can be converted later")
    if codec is not None:
        parse_codec(codec)
    if parts is not None:
        return _solve_parts(loaded, parts, rule, solver, to, memory, threads, progress, overwrite, form, work)
    if to is None and work is not None:
        raise BadRequest(
            f"work {str(work)!r}: unfinished work is kept for a database that is kept; say where, with `to`"
        )
    choice = chosen(loaded, rule, solver)
    kept_form = None if choice.solver == BFS else form
    if kept_form is not None:
        if to is None:
            raise BadRequest(f"form {form!r}: it is how a database is kept; say where, with `to`")
        wanted(kept_form, loaded, choice.rule)
        form = None
    with _run(memory, threads, progress) as run:
        if to is not None:
            Path(to).parent.mkdir(parents=True, exist_ok=True)
            check_target(Path(to), overwrite)
            run.work = Path(work) if work is not None else Path(f"{to}.work")
        target: Target = "cpu" if form is not None else loaded.quickest_target
        database = solve_states(loaded, rule, solver, run, form=form, target=target)
    if to is not None and run.work is not None:
        options = {"solver": solver, "rule": getattr(rule, "name", rule), "form": kept_form or form, "memory": memory}
        options |= {"codec": codec}
        words = [f"--{name} {value}" for name, value in options.items() if value is not None]
        words += ["--mapped"] if mapped else []
        database.save(to, " ".join(["searchbench solve", loaded.spec, *words]), overwrite, mapped, kept_form, codec)
        if run.work.exists():
            database = Database.open(to, loaded, database.rule)
            discard(run.work)
    return database


def _solve_parts(
    game: Game,
    parts: str | Iterable[str],
    rule: str | ValueRule | None,
    solver: str | None,
    to: str | Path | None,
    memory: str | int | None,
    threads: int | None,
    progress: Callable[[str, int, int], None] | None,
    overwrite: bool,
    form: str | None,
    work: str | Path | None,
) -> Database:
    from shutil import rmtree
    from tempfile import TemporaryDirectory

    from searchbench.errors import BadRequest
    from searchbench.solvers.exhaustive import solve_parts
    from searchbench.store.writing import check_target

    if solver not in (None, "retrograde", "fixpoint") or form is not None:
        raise BadRequest(
            f"solver {solver!r}, form {form!r}: parts are solved by what suits the game, and keep whole values; "
            "convert the database afterwards"
        )
    scratch = TemporaryDirectory(prefix="searchbench-") if to is None else None
    folder = Path(scratch.name) / "parts" if scratch is not None else Path(str(to))
    folder.parent.mkdir(parents=True, exist_ok=True)
    if overwrite and folder.exists():
        check_target(folder, overwrite)
        rmtree(folder)
    names = parts if isinstance(parts, str) else ",".join(parts)
    command = f"searchbench solve {game.spec} --parts {names}"
    with _run(memory, threads, progress) as run:
        run.work = Path(work) if work is not None else Path(f"{folder}.work")
        database = solve_parts(game, names, folder, rule, run, command, solver)
    database.scratch = scratch  # removed with the database
    return database


def open_database(path: str | Path, game: WhichGame = None) -> Database:
    """Open a database that `solve` kept; `game`, such as "mygame.py:MyGame", is needed only where its file has moved."""
    from searchbench.store import open_database as open_folder

    return open_folder(path, game)


def predict(
    game: str | Game,
    solver: str | None = None,
    parts: str | Iterable[str] | None = None,
    rule: str | ValueRule | None = None,
    memory: str | int | None = None,
    threads: int | None = None,
) -> Prediction:
    """Predict what `solve` will take, before it starts: the processor's time, memory, and a bound on the disk.

    The options are those of `solve`. The times are measured with the solver's own kernels on a few thousand random states;
    how many states get a value, so that they are expanded, is the guess of a model, and the prediction also says what it
    takes if all of them do. Breadth-first search ("bfs") is predicted in the form "values".
    """
    from searchbench.analyse.predict import predict as predict_game
    from searchbench.catalogue import load

    return predict_game(load(game), solver, parts, rule, _run(memory, threads, None))


def repair(
    path: str | Path,
    game: WhichGame = None,
    memory: str | int | None = None,
    threads: int | None = None,
    progress: Callable[[str, int, int], None] | None = None,
    limit: int = 100,
) -> Repair:
    """Repair a database on disk, whose chunks may be damaged or missing, and say what was wrong.

    What verification finds at fault and what cannot be read is worked out anew, with all that rests on it; then that is
    verified. At most `limit` changes are told in words. `game` is needed only where its file has moved. A database that can
    be opened has the method `repair`, too.
    """
    from searchbench.repairs import repair_folder

    return repair_folder(path, game, run=_run(memory, threads, progress), limit=limit)


def search(
    game: str | Game,
    state: Position | str | Sequence[int] | None = None,
    method: Guided | str | None = None,
    memory: str | int | None = None,
    progress: Callable[[str, int, int], None] | None = None,
    threads: int | None = 1,
    work: str | Path | None = None,
    **options: Any,
) -> Line:
    """Search for a line from one state of a puzzle (by default the start) to a solved one.

    `method` is a configuration, :class:`IDAStar`, :class:`AStar` or :class:`BestFirst`; or its name, "idastar", "astar" or
    "bestfirst", with its fields as `options`. By default it is what suits the size of the game. Or it is "dual", for the start
    of a game that looks the same from both ends: half of a breadth-first search
    (:func:`searchbench.solvers.exhaustive.search_by_duality`). `h` is a heuristic in the place of the game's own bound: an
    object such as :class:`PatternDatabases`, one of the names that the game has ("linear-conflict"), or folders of pattern
    databases ("a.db+b.db"). `threads` are those of IDA*, None for all. With a folder `work`, IDA* keeps there how far it is, and
    goes on when it is asked again after it was stopped. `nodes` and `seconds`, among the options, are limits, 0 for none.
    """
    from searchbench.catalogue import load
    from searchbench.errors import BadRequest
    from searchbench.heuristics import heuristic
    from searchbench.solvers.exhaustive import search_by_duality
    from searchbench.solvers.guided import Guided, search_state

    chosen, run = load(game), _run(memory, threads, progress)
    run.work = None if work is None else Path(work)
    if method == "dual":
        if options.pop("h", None) is not None or work is not None:
            raise BadRequest("method 'dual' takes neither a heuristic nor a folder for its work; idastar does")
        return search_by_duality(chosen, state, run, **options)
    if isinstance(options.get("h"), str):
        options["h"] = heuristic(chosen, options["h"])
    if isinstance(method, Guided) and isinstance(method.h, str):
        method = replace(method, h=heuristic(chosen, method.h))
    return search_state(chosen, state, method, run, **options)


def together(
    game: str | Game,
    state: Position | str | Sequence[int],
    like: str | Path | Database,
    limit: int | None = None,
    memory: str | int | None = None,
    progress: Callable[[str, int, int], None] | None = None,
    work: str | Path | None = None,
    like_game: WhichGame = None,
) -> Completions:
    """Solve together all states of a puzzle that look like `state` in an abstraction, whose database is `like`.

    One breadth-first search finds the costs of all; those that cost more than `limit` stay open. Unfinished work is kept in
    the folder `work`, where it goes on when it is asked for again; `like_game` is the abstraction, where its file has moved.
    See :func:`searchbench.solvers.guided.solve_together`.
    """
    from searchbench.catalogue import load
    from searchbench.solvers.guided import solve_together
    from searchbench.store import Database

    run, chosen = _run(memory, 1, progress), load(game)
    run.work = None if work is None else Path(work)
    database = like if isinstance(like, Database) else open_database(like, like_game)
    return solve_together(chosen, chosen.position(state).state, database, run, limit)


def subgoals(
    game: str | Game,
    steps: Iterable[str],
    to: str | Path | None = None,
    memory: str | int | None = None,
    threads: int | None = None,
    progress: Callable[[str, int, int], None] | None = None,
) -> Subgoals:
    """Solve a puzzle in steps, each of which brings some pieces home and leaves alone what is home already.

    Each step names its pieces, such as "12-13-14-15". The result tells how many moves the steps take, on average and at
    most, and finds lines; with `to`, the steps' databases are kept in that folder, and opened when they are there.
    """
    from searchbench.analyse.subgoals import solve_subgoals
    from searchbench.catalogue import load

    return solve_subgoals(load(game), list(steps), _run(memory, threads, progress), to)


def prove_limit(
    steps: Subgoals,
    limit: int,
    detour: int | None = None,
    memory: str | int | None = None,
    threads: int | None = None,
    progress: Callable[[str, int, int], None] | None = None,
    work: str | Path | None = None,
) -> Detours:
    """Look for a way of at most `limit` moves from every state of a puzzle, through two steps of which the first takes detours.

    A detour is at most `detour` moves longer than the shortest way (by default 16). Where none is `open`, the limit is proved: no
    state takes more moves. Unfinished work is kept in the folder `work`. See
    :func:`searchbench.analyse.detours.prove_limit`.
    """
    from searchbench.analyse import detours

    run = _run(memory, threads, progress)
    run.work = None if work is None else Path(work)
    return detours.prove_limit(steps, limit, run, detours.DETOUR if detour is None else detour)


def prove(
    game: str | Game,
    state: Position | str | Sequence[int] | None = None,
    method: Proving | str | None = None,
    memory: str | int | None = None,
    progress: Callable[[str, int, int], None] | None = None,
    leaves: Database | str | Path | None = None,
    parts: str | Iterable[str] | None = None,
    book: str | Path | None = None,
    plies: int = 8,
    leaves_game: WhichGame = None,
    **options: Any,
) -> Proof:
    """Prove the value of one state of a two-player game (by default the start).

    `method` is :class:`ProofNumber` or :class:`AlphaBeta`, or by name "pns", the default, or "alphabeta"; other options, such as
    `nodes` and `seconds`, are those of :func:`searchbench.solvers.proof.prove_state`.
    `leaves` is a database, or its folder, that knows the outcome of some
    states: of the same game, or of one that it goes on as ("morris" for "morris-opening"); then alpha-beta is the default.
    Only its `parts` of these names are used ("9-9,9-8"), by default all. What is found after so many `plies` from the start
    is kept in the file `book`, from which the same search goes on. `leaves_game` is the game of `leaves`, where its file has
    moved; the game to be proved is tried as well.
    """
    from searchbench.catalogue import load
    from searchbench.errors import BadRequest
    from searchbench.solvers.proof import Book, LeafDatabase, prove_state

    chosen, way = load(game), method or ("pns" if leaves is None else "alphabeta")
    if leaves is None:
        if parts is not None or book is not None:
            raise BadRequest("parts and a book belong to a database at the leaves: give leaves as well")
        return prove_state(chosen, state, way, _run(memory, 1, progress), **options)
    database = open_database(leaves, leaves_game) if isinstance(leaves, str | Path) else leaves
    at_leaves = LeafDatabase(chosen, database, parts.split(",") if isinstance(parts, str) else parts)
    kept = None if book is None else Book(chosen, at_leaves, plies, book)
    return prove_state(chosen, state, way, _run(memory, 1, progress), leaves=at_leaves, book=kept, **options)


def _run(memory: str | int | None, threads: int | None, progress: Callable[[str, int, int], None] | None) -> Run:
    from searchbench.run import Run, parse_memory

    limits: dict[str, Any] = {"memory": parse_memory(memory) if memory is not None else 0, "threads": threads or 0}
    return Run(**limits) if progress is None else Run(**limits, report=progress)
