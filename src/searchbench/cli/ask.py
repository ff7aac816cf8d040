"""Commands that ask a database: find states, probe one, follow a line of best play."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

from searchbench.board import counted
from searchbench.cli import show
from searchbench.cli.commands import Option
from searchbench.cli.conditions import Among
from searchbench.cli.derived import derived
from searchbench.cli.options import CertificateLeaves, Folder, Json, Kept, OwnGame, StateInFolder

if TYPE_CHECKING:
    from searchbench.game import Position
    from searchbench.store import Database


@dataclass(frozen=True)
class Values:
    """Say which values are wanted."""

    value: Annotated[
        str | None, Option(metavar="V", help="A value or a range: 31, 20-25, draw, 'loss 26', 'win 3-9'.")
    ] = None
    hardest: Annotated[bool, Option("--hardest", help="The states that are furthest from the end.")] = False


@derived
def find(
    folder: Folder,
    values: Values,
    among: Among,
    limit: Annotated[int, Option(min=0, help="Show at most so many; the count is of all.")] = 10,
    game: OwnGame = None,
    as_json: Json = False,
) -> None:
    """Find the states that meet all of the conditions."""
    import searchbench as sb
    from searchbench.errors import BadRequest
    from searchbench.store.positions import unheard_of

    if values.hardest and values.value is not None:
        raise BadRequest("give --value or --hardest, not both")
    database = among.cut(sb.open_database(folder, game))
    wanted = database.hardest() if values.hardest else values.value
    count, states = _found(database, wanted, among, limit)
    if as_json:
        show.write_json({"count": count, "states": [position.text for position in states]})
        return
    first = "" if count <= len(states) else f", the first {len(states)}"
    show.write(f"{count:,} {'state' if count == 1 else 'states'}{first}")
    if count == 0 and among.where is not None and (note := unheard_of(database, among.where)):
        show.write(note)
    for position in states:
        show.write(f"\n{position.text}   {database.rule.format(database.probe(position))}")
        if str(position) != position.text:
            show.write(position)


def _found(database: Database, value: Any, among: Among, limit: int) -> tuple[int, list[Position]]:
    """Count the states and return the first ones; what a condition or a test asks of a state is looked at only once."""
    numbers, where, test = among.interval(database), among.condition(database.game), among.test()
    if where is None and test is None:
        return database.count(value, numbers), database.find(value, numbers, limit=limit)
    count, first = 0, list[int]()
    for some in database.numbers(value, numbers, where, test):
        first += some[: limit - len(first)].tolist()
        count += len(some)
    return count, [database.position(number) for number in first]


def probe(
    folder: Kept, state: StateInFolder = "start", leaves: CertificateLeaves = None, game: OwnGame = None,
    as_json: Json = False,
) -> None:  # fmt: skip
    """Show the value of a state and those after its moves; or, of a certificate, its move or why each reply loses."""
    from searchbench.cli import certificates
    from searchbench.errors import BadRequest
    from searchbench.store import Certificate, open_kept

    database = open_kept(folder, game)
    if isinstance(database, Certificate):
        certificates.probe(database, state, leaves, as_json)
        return
    if leaves is not None:
        raise BadRequest(f"{folder} is a database: --leaves is for certificates")
    position = position_in(database, state)
    rules, rule, value = database.game, database.rule, database.probe(position)
    choices, elsewhere = database.moves_within(position)
    weight = database.weighed

    def told(move: int) -> dict[str, Any]:
        weighed = {} if weight is None else {weight: int(rules.call(weight, list(position.state), move))}
        return {"move": rules.format_move(position.state, move), **weighed}

    moves = [
        {**told(choice.move), "state": choice.position.text, "value": show.plain(rule, choice.value)}
        for choice in choices
    ]
    values = [rule.format(choice.value) for choice in choices]
    for move, error in elsewhere:
        after = rules.position(rules.play(position.state, move))
        moves.append({**told(move), "state": after.text, "value": None, "lacks": error.part})
        values.append(f"in {error.part}, not here")
    if as_json:
        show.write_json({"value": show.plain(rule, value), "moves": moves})
        return
    show.write(position)
    show.write(f"\n{position.text}   {rule.format(value)}\n")
    weighed = () if weight is None else (weight,)
    rows = [
        (move["move"], *(str(move[name]) for name in weighed), text, move["state"])
        for move, text in zip(moves, values, strict=True)
    ]
    show.write(show.table(rows, ("move", *weighed, "value after it", "state")) if rows else "no moves")


def line(
    folder: Kept,
    state: StateInFolder = "start",
    limit: Annotated[int | None, Option(min=0, help="At most so many moves.")] = None,
    leaves: CertificateLeaves = None,
    game: OwnGame = None,
    as_json: Json = False,
) -> None:
    """Follow a line of best play, or of a certificate's play, from a state, board by board."""
    from searchbench.cli import certificates
    from searchbench.errors import BadRequest
    from searchbench.store import Certificate, open_kept

    database = open_kept(folder, game)
    if isinstance(database, Certificate):
        certificates.line(database, state, limit, leaves, as_json)
        return
    if leaves is not None:
        raise BadRequest(f"{folder} is a database: --leaves is for certificates")
    found = database.line(position_in(database, state), limit)
    if as_json:
        states = [position.text for position in found]
        cost = {} if database.game.two_players else {"cost": found.cost}
        show.write_json({**cost, "moves": found.move_texts(), "states": states})
        return
    show.write(show.line(found))
    of = "" if database.game.two_players else f", cost {found.cost}"
    show.write(f"\n{counted(str(len(found)), 'move')}{of}")


def position_in(database: Database, text: str) -> Position:
    """Return the position that a text means: notation, "start", or "hardest", the first that is furthest from the end."""
    if text.strip() == "hardest":
        return database.find(database.hardest(), limit=1)[0]
    return database.game.position(text)
