"""The program `searchbench`: its commands, its messages and its exit codes."""

from __future__ import annotations

import signal
import sys
from collections.abc import Sequence
from enum import IntEnum
from typing import NoReturn

import typer

from searchbench.cli import (
    analyse,
    ask,
    completions,
    databases,
    explore,
    forms,
    games,
    measure,
    play,
    single,
    subgoals,
)
from searchbench.cli.derived import Commands
from searchbench.errors import SearchBenchError


class ExitCode(IntEnum):
    """What the program ends with."""

    DONE = 0
    REFUTED = 10
    """Refuted or unsolvable; faults found, laws broken, figures that differ."""
    LIMIT = 20
    """Out of memory, or at a limit of nodes or time."""
    WRONG_INPUT = 30
    DAMAGED = 40
    INTERRUPTED = 130


app = typer.Typer(
    name="searchbench",
    cls=Commands,
    help="Solve games and puzzles exactly: write the rules once, get everything else.",
    epilog="Exit codes: 0 done, 10 refuted or unsolvable, 20 out of memory or at a limit, 30 wrong input, "
    "40 damaged data, 130 interrupted.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _print_version(wanted: bool) -> None:
    if not wanted:
        return
    import platform
    from importlib.metadata import version

    from searchbench import __version__

    needed = ", ".join(f"{name} {version(name)}" for name in ("numpy", "numba"))
    typer.echo(f"searchbench {__version__}, Python {platform.python_version()}, {needed}")
    raise typer.Exit


@app.callback()
def options(
    _version: bool = typer.Option(
        False, "--version", callback=_print_version, is_eager=True, show_default=False,
        help="Print the versions of searchbench, Python, numpy and numba.",
    ),
) -> None:  # fmt: skip
    """Solve games and puzzles exactly: write the rules once, get everything else."""


for panel, commands in (
    ("Games", (games.games, games.abstractions, games.check)),
    (
        "All states",
        (
            databases.predict,
            databases.solve,
            forms.convert,
            databases.verify,
            databases.repair,
            databases.stats,
            ask.find,
            ask.probe,
            ask.line,
        ),
    ),
    ("One state", (single.search, single.compare, single.prove, play.play)),
    ("In the browser", (explore.serve,)),
    ("Measurements", (measure.bench, measure.reproduce)),
):
    for command in commands:
        app.command(rich_help_panel=panel)(command)


for command in (completions.completions, subgoals.subgoals):
    analyse.analyse.command()(command)
app.add_typer(analyse.analyse, rich_help_panel="Measurements")


def run(arguments: Sequence[str] | None = None) -> int:
    """Run the program and return its exit code; what the user can act upon is one message on stderr."""
    try:
        app(args=None if arguments is None else list(arguments), prog_name="searchbench")
    except SystemExit as end:
        # The parser's own codes: 1 or 130 (by its version) when interrupted, 2 for wrong usage.
        if end.code in (1, ExitCode.INTERRUPTED):
            return _complain("interrupted", ExitCode.INTERRUPTED)
        return ExitCode.WRONG_INPUT if end.code == 2 else int(end.code or 0)
    except SearchBenchError as error:
        return _complain(error, error.exit_code)
    except MemoryError as error:
        return _complain(f"out of memory: {error}; give a smaller --memory, or choose a smaller game", ExitCode.LIMIT)
    except OSError as error:
        return _complain(error, ExitCode.WRONG_INPUT)
    except KeyboardInterrupt:
        return _complain("interrupted", ExitCode.INTERRUPTED)
    except Exception as error:
        if not type(error).__module__.startswith("numba."):
            from searchbench.catalogue import explained

            told = explained(error)
            if told is None:
                raise
            return _complain(told, told.exit_code)
        return _complain(f"the rules cannot be compiled: {_essence(error)}", ExitCode.WRONG_INPUT)
    return ExitCode.DONE


def main() -> NoReturn:
    """Run the program and leave."""
    if hasattr(signal, "SIGPIPE"):
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)  # `searchbench ... | head` ends as other programs do
    sys.exit(run())


def _complain(message: object, code: int) -> int:
    sys.stdout.flush()
    print(f"searchbench: {message}", file=sys.stderr)
    return int(code)


def _essence(error: Exception) -> str:
    """Return what the compiler complains of, and where: the innermost message, without the way to it."""
    lines = [line for line in str(error).splitlines() if line.strip() and not line.startswith("Failed in ")]
    return "\n".join(lines[: 1 + next((place for place, line in enumerate(lines) if line.strip() == "^"), 0)])
