"""The program `searchbench`: its commands, its messages and its exit codes."""

from __future__ import annotations

import atexit
import contextlib
import gc
import importlib
import os
import signal
import sys
from collections.abc import Mapping, Sequence
from enum import IntEnum
from pathlib import Path
from typing import TYPE_CHECKING, Final, NoReturn

from searchbench import consent
from searchbench.cli.characters import write_letters
from searchbench.cli.commands import Command, Exit, WrongUsage, call, first_sentence, nearest
from searchbench.cli.compiling import NOTICE
from searchbench.cli.watching import watch
from searchbench.errors import MissingPackage, SearchBenchError, compiler_complaint

if TYPE_CHECKING:
    from searchbench.exchange.mpi import MpiRanks


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


SUMMARY: Final = "Solve games and puzzles exactly: write the rules once, get everything else."

COMMANDS: Final[Mapping[str, Mapping[str, str]]] = {
    "Games": {"games": "games", "abstractions": "games", "check": "games"},
    "All states": {
        "predict": "databases",
        "solve": "databases",
        "convert": "forms",
        "verify": "databases",
        "repair": "databases",
        "stats": "stats",
        "find": "ask",
        "probe": "ask",
        "line": "ask",
    },
    "One state": {"search": "single", "compare": "single", "prove": "single", "play": "play"},
    "In the browser": {"serve": "explore"},
    "For those who learn": {"export": "learning", "grade": "learning"},
    "Measurements": {"bench": "measure", "reproduce": "measure", "doctor": "doctor"},
    "One question about a game": {
        "analyse tree": "analyse",
        "analyse mistakes": "analyse",
        "analyse completions": "completions",
        "analyse complexity": "complexity",
        "analyse double-letter": "double_letter",
        "analyse subgoals": "subgoals",
    },
}
"""The commands by panel, each with the module whose function it is, which is imported when the command is called."""

_MODULES: Final = {name: module for panel in COMMANDS.values() for name, module in panel.items()}


def command_named(name: str) -> Command:
    """Return the function of a command."""
    found: Command = getattr(
        importlib.import_module(f"searchbench.cli.{_MODULES[name]}"), name.rpartition(" ")[2].replace("-", "_")
    )
    return found


def _dispatch(words: Sequence[str]) -> None:
    """Call the command that the first words name. Raises WrongUsage."""
    if not words:
        _write_help("")
        raise Exit(ExitCode.WRONG_INPUT)
    first = words[0]
    if first in ("-h", "--help"):
        _write_help("")
    elif first == "--version":
        _write_version()
    elif first in _MODULES:
        call(command_named(first), f"searchbench {first}", words[1:])
    elif any(name.startswith(f"{first} ") for name in _MODULES):
        name = " ".join(words[:2])
        if not words[1:] or words[1] in ("-h", "--help"):
            _write_help(f"{first} ")
            raise Exit(ExitCode.DONE if words[1:] else ExitCode.WRONG_INPUT)
        if name not in _MODULES:
            raise _no_command(name, first)
        call(command_named(name), f"searchbench {name}", words[2:])
    else:
        raise _no_command(first, "")


def _no_command(name: str, group: str) -> WrongUsage:
    known = [one for one in _MODULES if one.startswith(group)]
    kind = "option" if name.rpartition(" ")[2].startswith("-") else "command"
    message = f"no such {kind}: {name}{nearest(name, [*known, '--help', *([] if group else ['--version'])])}"
    program = " ".join(filter(None, ["searchbench", group]))
    return WrongUsage(message, f"{program} COMMAND [OPTIONS] [ARGUMENTS]", program)


def _write_version() -> None:
    import platform
    from importlib.metadata import version

    from searchbench import __version__

    needed = ", ".join(f"{name} {version(name)}" for name in ("numpy", "numba"))
    print(f"searchbench {__version__}, Python {platform.python_version()}, {needed}")


def _write_help(prefix: str) -> None:
    """Print the commands whose names begin so, each with its first sentence."""
    import shutil
    import textwrap

    width = min(shutil.get_terminal_size((100, 24)).columns, 120)
    column = max(map(len, _MODULES)) + 4
    print(f"Usage: searchbench {prefix}COMMAND [OPTIONS] [ARGUMENTS]" + ("" if prefix else f"\n\n{SUMMARY}"))
    for panel, commands in COMMANDS.items():
        shown = [name for name in commands if name.startswith(prefix)]
        if shown:
            print(f"\n{panel}")
        for name in shown:
            told = textwrap.wrap(first_sentence(command_named(name)), max(width - column, 30))
            print(f"  {name:{column - 2}}" + f"\n{' ' * column}".join(told))
    print("\nOptions\n  -h, --help  also of each command")
    if not prefix:
        print("  --version   of searchbench, Python, numpy and numba")
    codes = (
        "Exit codes: 0 done, 10 refuted or unsolvable, 20 out of memory or at a limit, 30 wrong input, "
        "40 damaged data, 130 interrupted."
    )
    print("\n" + textwrap.fill(codes, width))


def run(arguments: Sequence[str] | None = None) -> int:
    """Run the program and return its exit code; what the user can act upon is one message on stderr."""
    consent.ask_with(_may_run if sys.stdin.isatty() and sys.stderr.isatty() else None)
    try:
        _dispatch(sys.argv[1:] if arguments is None else arguments)
    except Exit as end:
        return end.code
    except WrongUsage as error:
        return _end(str(error), ExitCode.WRONG_INPUT)
    except SearchBenchError as error:
        return _complain(error, error.exit_code)
    except MemoryError as error:
        which = f": {error}" if str(error) else ""
        return _complain(f"out of memory{which}; give a smaller --memory, or choose a smaller game", ExitCode.LIMIT)
    except OSError as error:
        return _complain(error, ExitCode.WRONG_INPUT)
    except KeyboardInterrupt as stop:
        kept = getattr(stop, "__notes__", [])
        goes_on = ["the same command goes on"] if kept else []
        return _complain("; ".join(["interrupted", *kept, *goes_on]), ExitCode.INTERRUPTED)
    except Exception as error:
        if not type(error).__module__.startswith("numba."):
            from searchbench.catalogue import explained

            told = explained(error)
            if told is None:
                raise
            return _complain(told, told.exit_code)
        return _complain(f"the rules cannot be compiled: {compiler_complaint(error)}", ExitCode.WRONG_INPUT)
    finally:
        consent.ask_with(None)  # what `--trust` says is for this command
    return ExitCode.DONE


def _may_run(database: Path, file: Path) -> bool:
    """Ask on the terminal whether the file that a database names may be run."""
    question = f"{database} is of a game in {file}, and opening it runs that file. Run it? [y/N] "
    print(question, end="", file=sys.stderr, flush=True)
    return sys.stdin.readline().strip().lower() in ("y", "yes")


def main() -> NoReturn:
    """Run the program and leave."""
    for name in ("stdin", "stdout", "stderr"):
        if getattr(sys, name) is None:  # it was closed before the start
            setattr(sys, name, open(os.devnull, "r" if name == "stdin" else "w"))  # noqa: SIM115
    write_letters(sys.stdout)
    if sys.argv[1:2] != ["serve"]:  # which ends its jobs first, and goes on where a job or a reader has gone
        if hasattr(signal, "SIGPIPE"):
            signal.signal(signal.SIGPIPE, signal.SIG_DFL)  # `searchbench ... | head` ends as other programs do
        watch(ExitCode.INTERRUPTED, checks=sys.argv[1:2] == ["check"])
    NOTICE.install()
    code = run()
    if code == ExitCode.INTERRUPTED and _ranks() is None:
        _leave(code)
    gc.freeze()  # what is left dies with the process: Python need not look for cycles among a million objects first
    sys.exit(code)


def _leave(code: int) -> NoReturn:
    """Leave at once: Python would wait for threads, and end by a signal if it was interrupted in an `exec` of the compiler."""
    atexit._run_exitfuncs()
    with contextlib.suppress(OSError):
        sys.stdout.flush()
    os._exit(code)


def _complain(message: object, code: int) -> int:
    return _end(f"searchbench: {message}", code)


def _end(told: str, code: int) -> int:
    """Write what is wrong to stderr, once if all ranks come here; a rank that comes alone ends the others."""
    sys.stdout.flush()
    ranks = _ranks()
    if ranks is None:
        print(told, file=sys.stderr)
    elif ranks.ends_with_all():  # for the same reason
        if ranks.rank == 0:
            print(told, file=sys.stderr)
    else:
        own = f"searchbench: rank {ranks.rank} of {ranks.count}: {told.removeprefix('searchbench: ')}; all ranks end"
        print(own, file=sys.stderr, flush=True)
        ranks.abort(int(code))
    return int(code)


def _ranks() -> MpiRanks | None:
    """Return the ranks of which this process is one, None where MPI has not started it; it may not have joined them yet."""
    if not any(name.startswith(("PMI", "OMPI_", "MPI_", "PALS_")) for name in os.environ):
        return None
    from searchbench.exchange import mpi

    with contextlib.suppress(MissingPackage):
        mpi.world()
    return mpi.joined_world()
