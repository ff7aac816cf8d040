"""Commands are functions: their arguments and options are read from their signatures.

A parameter is annotated with its type and an :class:`Argument` or an :class:`Option`. Python's own parser reads the command
line: a program that answers in a moment cannot load a framework first.
"""

from __future__ import annotations

import argparse
import enum
import inspect
import re
import types
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Final, NoReturn, Union, get_args, get_origin

from searchbench import consent

Command = Callable[..., None]

_WANTED: Final = {int: "a whole number", float: "a number"}


@dataclass(frozen=True)
class Argument:
    """Tell of an argument: how it is named in the usage, and what it is."""

    metavar: str
    help: str


class Option:
    """Tell of an option: its flag (by default its parameter's name), what stands for its value, its range, what it does.

    The flag of a boolean may be two, "--progress/--no-progress".
    """

    def __init__(
        self,
        flag: str = "",
        *,
        help: str,
        metavar: str | None = None,
        min: float | None = None,
        max: float | None = None,
    ) -> None:
        self.flag, self.help, self.metavar = flag, help, metavar
        self.least, self.most = min, max


class Exit(Exception):
    """End the program with an exit code; what there is to say has been said."""

    def __init__(self, code: int = 0) -> None:
        super().__init__(code)
        self.code = code


class WrongUsage(Exception):
    """The words on the command line are not those of a command."""

    def __init__(self, message: str, usage: str, program: str) -> None:
        super().__init__(f"Usage: {usage}\nsearchbench: {message}; see {program} --help")


_CLEARER: Final = (
    (r"argument (.+): expected one argument", r"\1: expected a value; one that begins with - is written \1=VALUE"),
    (r"argument (.+): ignored explicit argument (.+)", r"\1 takes no value, not \2"),
)
"""What the parser says, as a pattern, and what is said instead."""


_TRUST: Final = "run files that databases name"
"""Where the parser keeps that `--trust` was given: a name that no parameter has."""
_OPENING: Final = frozenset({"--game", "--leaves-game", "--take", "--leaves", "--h"})
"""The options of commands that open databases."""
_TRUSTED: Final = "Run the Python files that databases name as those of their games, without asking."


class _Parser(argparse.ArgumentParser):
    whole: Callable[[], _Parser] | None = None
    """Makes the parser that tells all of a command, where this one reads a part of its words."""

    def print_help(self, file: Any = None) -> None:
        """Print the help of the whole command."""
        if self.whole is not None:
            self.whole().print_help(file)
        else:
            super().print_help(file)

    def error(self, message: str) -> NoReturn:
        for known, clearer in _CLEARER:
            message = re.sub(known, clearer, message)
        raise WrongUsage(message, self.format_usage().removeprefix("Usage: ").strip(), self.prog)


def nearest(word: str, known: Sequence[str]) -> str:
    """Return a question that names a known word similar to an unknown one; nothing where there is none."""
    import difflib

    similar = difflib.get_close_matches(word, known, 1)
    return f": did you mean {similar[0]}?" if similar else ""


def call(command: Command, program: str, words: Sequence[str]) -> None:
    """Call a command with the words that follow its name. Raises WrongUsage, or Exit after its help.

    Options may stand before and behind arguments; behind ``--`` all words are arguments.
    """
    end = words.index("--") if "--" in words else len(words)
    options = _parser(command, program, Option)
    options.whole = partial(_parser, command, program, Argument, Option)
    try:
        given, others = options.parse_known_args(_with_values(options, words[:end]))
    except SystemExit as ended:  # its help was asked for
        raise Exit(int(ended.code or 0)) from None
    for word in others:
        if re.match(r"-[^\d. ][^ ]*$", word):
            flag = word.partition("=")[0]
            options.error(f"no such option: {flag}{nearest(flag, list(options._option_string_actions))}")
    behind = ["--", *others, *words[end + 1 :]]
    given, others = _parser(command, program, Argument).parse_known_args(behind, given)
    if more := [word for word in others if word != "--"]:
        options.error(f"one word too many: {more[0]!r}")
    if vars(given).pop(_TRUST, False):
        consent.ask_with(lambda _database, _file: True)
    command(**vars(given))


def _with_values(options: argparse.ArgumentParser, words: Sequence[str]) -> list[str]:
    """Return the words, with a value that begins with a minus sign joined to its option: the parser would not take it."""
    found: list[str] = []
    known = options._option_string_actions
    for word in words:
        before = known.get(found[-1]) if found else None
        if before is not None and before.nargs is None and re.match(r"-[^-]", word) and word not in known:
            found[-1] += f"={word}"
        else:
            found.append(word)
    return found


def first_sentence(command: Command) -> str:
    """Return what a command does."""
    return (inspect.getdoc(command) or "").partition("\n\n")[0].replace("\n", " ")


def _signature(command: Command) -> inspect.Signature:
    """Return a command's parameters; one with derived options has them made now."""
    complete = getattr(command, "complete", None)
    return complete() if complete is not None else inspect.signature(command, eval_str=True)


def _parser(command: Command, program: str, *kinds: type) -> _Parser:
    """Return the parser of a command's arguments, of its options, or of both."""
    parameters = _signature(command).parameters.values()
    told: dict[str, Argument | Option] = {one.name: one.annotation.__metadata__[0] for one in parameters}
    usage = [
        asked.metavar if one.default is one.empty or asked.metavar.startswith("[") else f"[{asked.metavar}]"
        for one in parameters
        if isinstance(asked := told[one.name], Argument)
    ]
    parser = _Parser(
        prog=program,
        usage=" ".join([program, "[OPTIONS]", *usage]),
        description=(inspect.getdoc(command) or "").replace("%", "%%"),
        allow_abbrev=False,
        add_help=False,
        formatter_class=_Help,
    )
    parser._positionals.title, parser._optionals.title = "Arguments", "Options"
    for one in parameters:
        asked = told[one.name]
        if not isinstance(asked, kinds):
            continue
        if isinstance(asked, Argument):
            _add_argument(parser, one, asked)
        else:
            _add_option(parser, one, asked)
    if Option in kinds:
        if _OPENING & set(parser._option_string_actions) and "trust" not in told:
            parser.add_argument("--trust", dest=_TRUST, action="store_true", help=_TRUSTED)
        parser.add_argument("-h", "--help", action="help", help="Show this.")
    return parser


class _Help(argparse.HelpFormatter):
    def __init__(self, prog: str) -> None:
        super().__init__(prog, max_help_position=28)

    def add_usage(self, usage: Any, actions: Any, groups: Any, prefix: str | None = "Usage: ") -> None:
        """Begin with a capital letter, as all sections do."""
        super().add_usage(usage, actions, groups, prefix)


def _add_argument(parser: _Parser, one: inspect.Parameter, asked: Argument) -> None:
    kind, several = _plain(one.annotation.__origin__)
    required = one.default is one.empty
    count = ("+" if required else "*") if several else (None if required else "?")
    shown = asked.metavar.strip("[]").removesuffix("...").rstrip("]")
    ways: dict[str, Any] = {} if required else {"default": one.default}
    meant = asked.help if required or one.default is None else f"{asked.help} (default: {one.default})"
    parser.add_argument(one.name, nargs=count, type=_reader(kind), metavar=shown, help=_escaped(meant), **ways)


def _add_option(parser: _Parser, one: inspect.Parameter, asked: Option) -> None:
    kind, several = _plain(one.annotation.__origin__)
    flag = asked.flag or "--" + one.name.replace("_", "-")
    required = one.default is one.empty
    ways: dict[str, Any] = {"dest": one.name, "default": None if required else one.default}
    if kind is bool:
        yes, _, no = flag.partition("/")
        parser.add_argument(yes, action="store_true", help=_escaped(asked.help), **ways)
        if no:
            parser.add_argument(no, action="store_false", help=argparse.SUPPRESS, **ways)
        return
    told = asked.help if one.default in (None, one.empty, "") else f"{asked.help} (default: {one.default})"
    if issubclass(kind, enum.Enum):
        ways["choices"], metavar = list(kind), "|".join(kind)
    else:
        metavar = asked.metavar or {int: "N", float: "X"}.get(kind, one.name.upper())
    parser.add_argument(
        flag,
        action="append" if several else "store",
        type=_reader(kind, asked.least, asked.most),
        required=required,
        metavar=metavar,
        help=_escaped(told),
        **ways,
    )


def _plain(kind: Any) -> tuple[type, bool]:
    """Return the type of one value, without None, and whether there may be several."""
    if isinstance(kind, types.UnionType) or get_origin(kind) is Union:
        kind = next(one for one in get_args(kind) if one is not types.NoneType)
    return (get_args(kind)[0], True) if get_origin(kind) is list else (kind, False)


def _reader(kind: type, least: float | None = None, most: float | None = None) -> Callable[[str], Any]:
    """Return a function that reads a value, and says what would be right where it is wrong."""

    def read(text: str) -> Any:
        try:
            value = kind(text)
        except ValueError:
            right = _WANTED.get(kind) or f"one of {', '.join(map(str, kind))}"  # type: ignore[call-overload]
            raise argparse.ArgumentTypeError(f"{text!r}: expected {right}") from None
        if (least is not None and not value >= least) or (most is not None and not value <= most):
            wanted = f"at least {least:g}" if most is None else f"{least:g} to {most:g}"
            raise argparse.ArgumentTypeError(f"{text}: expected {wanted}")
        return value

    return read


def _escaped(text: str) -> str:
    return text.replace("%", "%%")
