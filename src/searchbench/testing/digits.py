"""Define the laws on the digits of a layered game: its tables, and that they tell the same moves and ends as the rules."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from searchbench.index.digits import Digits, table_faults
from searchbench.rules import UNDECIDED
from searchbench.testing.subject import Finding, Law, State, Subject, of_each_state


def digits_tables(subject: Subject) -> Iterator[Finding]:
    """Require that actions touch a digit once, that codes after ascend with the codes, and that weights rise by one."""
    told = subject.game.claimed("digits")
    if told is not None:
        for fault in table_faults(told, subject.game.width):
            yield None, fault
        if told.codes(subject.game.start()) is None:
            yield tuple(subject.game.start()), "no codes stand for the start"


def digits_moves(subject: Subject) -> Iterator[Finding]:
    """Require that the actions of the digits lead to the same states as the moves."""
    told = subject.game.claimed("digits")
    return iter(()) if told is None or _is_broken(subject, told) else of_each_state(_moves(told))(subject)


def _moves(told: Digits) -> Callable[[Subject, State], Iterator[str]]:
    def check(subject: Subject, state: State) -> Iterator[str]:
        codes = told.codes(state)
        if codes is None:
            yield "no codes stand for it"
        elif tuple(told.state(codes)) != state:
            yield f"the state of its codes {codes} is {tuple(told.state(codes))}"
        elif not subject.over(state):
            played = {subject.play(state, move) for move in subject.moves(state)}
            own = told.actions[_layer(subject, told, codes) % len(told.actions)]
            acted = {tuple(told.state(after)) for action in own if (after := told.after(codes, action)) is not None}
            if played != acted:
                yield (
                    f"moves and actions differ: only moves lead to {_texts(subject, played - acted)}, "
                    f"only actions to {_texts(subject, acted - played)}"
                )

    return check


def digits_decided(subject: Subject) -> Iterator[Finding]:
    """Require that `lost` and `stuck` tell the results of all states that are over, and of no others; of puzzles, neither."""
    told = subject.game.claimed("digits")
    return iter(()) if told is None or _is_broken(subject, told) else of_each_state(_decided(told))(subject)


def _decided(told: Digits) -> Callable[[Subject, State], Iterator[str]]:
    def check(subject: Subject, state: State) -> Iterator[str]:
        codes = told.codes(state)
        if codes is None:
            return  # law "digits-moves"
        elif not subject.game.two_players:
            if any(told.lost):
                yield "`lost` has sets of positions, and a puzzle is lost by nobody"
            return
        by_rules, by_digits = subject.terminal(state), told.result(codes, _layer(subject, told, codes))
        if by_rules != by_digits:
            named = {UNDECIDED: "undecided", -1: "lost for the player to move", 0: "a draw, or solved", 1: "won"}
            yield (
                f"`terminal` says {named.get(by_rules, by_rules)}, the digits say {named.get(by_digits, by_digits)}: `lost` "
                "shall have the sets of positions that are over and lost; ends of another kind are those without a move, "
                "whose result is `stuck`"
            )

    return check


def _is_broken(subject: Subject, told: Digits) -> bool:
    """Return whether the tables cannot be looked at, which another law tells."""
    return told.codes(subject.game.start()) is None or any(True for _ in table_faults(told, subject.game.width))


def _layer(subject: Subject, told: Digits, codes: tuple[int, ...]) -> int:
    start = told.codes(subject.game.start())
    assert start is not None
    return told.weight(codes) - told.weight(start)


def _texts(subject: Subject, states: set[State]) -> list[str]:
    return sorted(map(subject.text, states))[:3]


LAWS = (
    Law("digits-tables", digits_tables),
    Law("digits-moves", digits_moves, everywhere=True),
    Law("digits-decided", digits_decided, everywhere=True),
)
