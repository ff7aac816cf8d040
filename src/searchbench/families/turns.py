"""Puzzles whose turns move and twist pieces: cubes by their corners, the Pyraminx (Edelkamp 2017).

A puzzle is defined by the faces of each place and by the cycle of faces of each turn. All else follows: how pieces move
and twist, which orders and twists cannot occur, and two small tables, of the orders and of the twists, that contain the
numbers of all successors.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, MutableSequence, Sequence
from itertools import product
from typing import Any, ClassVar

import numpy as np

from searchbench.errors import BadState
from searchbench.families.places import (
    Array,
    Kind,
    Places,
    Turn,
    depths,
    orders_table,
    places_of,
    table_of_kinds,
    twists_table,
)
from searchbench.game import Game
from searchbench.index.product_moves import ProductMoves
from searchbench.rules import UNDECIDED, State, new_state

Carried = tuple[list[int], list[int]]
"""The origin of each cell's content, and the amount added to it."""
METRICS = ("half-turn", "quarter-turn", "clockwise")


class Turning(Game):
    """Turn the pieces home. Derive a frozen dataclass that supplies `faces` and `turns`.

    For each kind of pieces that leave their places, a state contains the piece on each place; then, for each kind, the
    twist of the piece on each place: by how many of the place's faces it is rotated, in the order of the place's name.
    """

    consistent: ClassVar[bool] = True
    rearranges: ClassVar[bool] = True

    @property
    def faces(self) -> tuple[tuple[str, ...], ...]:
        """Return for each kind of pieces the names of its places: one letter per face, all in the same sense."""
        raise NotImplementedError

    @property
    def turns(self) -> tuple[Turn, ...]:
        """Return the turns by one step; all of them must be of the same order."""
        raise NotImplementedError

    @property
    def powers(self) -> tuple[int, ...]:
        """Return the numbers of steps that one move may have."""
        return tuple(range(1, len(self.turns[0].cycle)))

    @property
    def one_way(self) -> bool:
        """Tell whether undoing a move takes several moves."""
        return any(power not in self.powers for power in self._powers_back)

    @property
    def locality(self) -> int | None:
        """Return 1 if a turn undoes every turn, else None."""
        return None if self.one_way else 1

    @property
    def depth_is_distance(self) -> bool:
        """Return whether a turn undoes every turn: no state but the start is solved."""
        return not self.one_way

    @property
    def kinds(self) -> tuple[Kind, ...]:
        """Return the effect of the turns on each kind of pieces."""
        return self.layout.kinds

    @property
    def width(self) -> int:
        """Return the number of cells."""
        return self.layout.width

    @property
    def max_moves(self) -> int:
        """Return the number of turns times the numbers of steps."""
        return len(self.turns) * len(self.powers)

    @property
    def layout(self) -> Places:
        """Return the layout of a state's cells and its index."""
        return places_of(self.faces, self.turns)

    def index(self) -> Places | None:
        """Return an index of the orders and twists that turns can reach; None if it would need 64 bits."""
        return self.layout if self.layout.size < 1 << 63 else None

    def product_moves(self) -> ProductMoves | None:
        """Return the moves: rows are the orders of the pieces, columns their twists."""
        if self.index() is None:
            return None
        orders, twists = table_of_kinds(self.kinds, orders_table), table_of_kinds(self.kinds, twists_table)
        rows, columns = (np.concatenate(list(self._after_powers(table)), axis=1) for table in (orders, twists))
        return ProductMoves(rows.astype(np.int32), np.arange(self.max_moves).reshape(1, -1), columns.T.copy())

    def _after_powers(self, table: Array) -> Iterator[Array]:
        """Yield for each turn the numbers after it by each number of steps of a move, [number, steps]."""
        for turn in range(len(self.turns)):
            numbers, after = np.arange(len(table)), {}
            for power in range(1, 1 + max(self.powers)):
                numbers = after[power] = table[numbers, turn]
            yield np.stack([after[power] for power in self.powers], axis=1)

    def rules(self) -> Mapping[str, Callable[..., Any]]:
        """Return the rules; a move is ``turn * order + steps``, where `order` steps are a full turn."""
        order = len(self.turns[0].cycle)
        powers = self.powers
        all_moves = np.array([turn * order + power for turn in range(len(self.turns)) for power in powers], np.int64)
        width, goal = self.width, np.array(self.layout.home, np.int64)
        undone = np.array([order - power in powers for power in range(order)], np.bool_)

        def start(state: State) -> None:
            for cell in range(width):
                state[cell] = goal[cell]

        def terminal(state: State) -> int:
            for cell in range(width):
                if state[cell] != goal[cell]:
                    return UNDECIDED
            return 0

        def moves(state: State, out: MutableSequence[int]) -> int:
            for index in range(len(all_moves)):
                out[index] = all_moves[index]
            return len(all_moves)

        def back(move: int) -> int:
            return move + order - 2 * (move % order)

        def inverse(move: int) -> int:
            return back(move) if undone[move % order] else -1

        play = turning(self.layout, len(self.turns), order)

        def unplay(state: State, move: int) -> None:
            play(state, back(move))

        return {
            "start": start, "terminal": terminal, "moves": moves, "play": play, "unplay": unplay, "unmoves": moves,
            "inverse": inverse, **self._ordered(order), **({} if self.one_way else self._inverted()),
            **(self._numbers(order) if self.index() is not None else {}),
        }  # fmt: skip

    def _ordered(self, order: int) -> dict[str, Callable[..., Any]]:
        """Return `follows`: of move pairs with equal effect keep one, and none whose effect is that of one move or of no move."""
        layout, turns = self.layout, range(len(self.turns))
        effects = {turn * order + power: layout.carried(turn, power) for turn in turns for power in range(order)}
        moves = [move for move in effects if move % order in self.powers]
        seen = {_effect(effects[move], effects[0], layout.modulus) for move in (0, *moves)}
        free = np.zeros((len(effects), len(effects)), np.bool_)
        for before, move in product(moves, moves):
            effect = _effect(effects[before], effects[move], layout.modulus)
            free[before, move] = effect not in seen
            seen.add(effect)

        def follows(before: int, move: int) -> bool:
            return free[before, move]  # type: ignore[no-any-return]

        return {"follows": follows}

    def _inverted(self) -> dict[str, Callable[..., Any]]:
        """Return `dual_state`: swaps the roles of places and pieces, and negates twists."""
        layout = self.layout
        piece_cells, twist_cells = np.array(layout.piece_cells), np.array(layout.twist_cells)
        leaves = np.array([kind.leave for kind in self.kinds], np.bool_)
        places, ways = np.array([kind.places for kind in self.kinds]), np.array([kind.ways for kind in self.kinds])
        width = self.width

        def dual_state(state: State) -> None:
            old = new_state()
            for cell in range(width):
                old[cell] = state[cell]
            for kind in range(len(places)):
                pieces, twists = piece_cells[kind], twist_cells[kind]
                for place in range(places[kind]):
                    piece = old[pieces + place] if leaves[kind] else place
                    if leaves[kind]:
                        state[pieces + piece] = place
                    twist = old[twists + place]
                    state[twists + piece] = ways[kind] - twist if twist > 0 else 0

        return {"dual_state": dual_state}

    @property
    def _powers_back(self) -> tuple[int, ...]:
        """Return the step counts of inverse moves."""
        return tuple(len(self.turns[0].cycle) - power for power in self.powers)

    def _numbers(self, order: int) -> dict[str, Callable[..., Any]]:
        """Return `successor_ranks`, and a lower bound: the orders alone and the twists alone, each solved separately."""
        kinds, powers = self.kinds, self.powers
        rank, _ = self.layout.functions()
        orders, twists = table_of_kinds(kinds, orders_table), table_of_kinds(kinds, twists_table)
        order_depth, twist_depth = depths(orders, self._powers_back), depths(twists, self._powers_back)
        twist_count, turn_count = len(twists), len(self.turns)
        counted = np.array([power in powers for power in range(order)], np.bool_)

        def successor_ranks(number: int, state: State, out: MutableSequence[int], numbers: MutableSequence[int]) -> int:
            count = 0
            for turn in range(turn_count):
                pieces = number // twist_count
                twisted = number % twist_count
                for power in range(1, order):
                    pieces = orders[pieces, turn]
                    twisted = twists[twisted, turn]
                    if counted[power]:
                        numbers[count] = pieces * twist_count + twisted
                        count += 1
            return count

        def h(state: State, tables: Any) -> int:
            number = rank(state)
            if number < 0:
                return 0
            bound: int = max(order_depth[number // twist_count], twist_depth[number % twist_count])
            return bound

        return {"successor_ranks": successor_ranks, "h": h}

    def parse(self, text: str) -> list[int]:
        """Read for each place the faces of its piece, starting at the place's first face."""
        words = [word for word in re.split(r"[\s,]+", text.strip().upper()) if word]
        if len(words) != sum(map(len, self.faces)):
            raise BadState(
                f"{self}: {text!r} has {len(words)} pieces, expected one per place, such as {self.format(self.start())!r}"
            )
        pieces: list[int] = []
        twists: list[int] = []
        for kind in self.kinds:
            found = [kind.read(word) for word in words[: kind.places]]
            words = words[kind.places :]
            here = [piece for piece, _ in found]
            wanted = list(range(kind.places))
            if (sorted(here) if kind.leave else here) != wanted:
                raise BadState(f"{self}: {text!r}: expected the pieces of {self.format(self.start())!r}")
            pieces += here if kind.leave else []
            twists += [twist for _, twist in found]
        return pieces + twists

    def format(self, state: Sequence[int]) -> str:
        """Return for each place the faces of its piece, starting at the place's first face."""
        return " ".join(self._words(state))

    def format_move(self, state: Sequence[int], move: int) -> str:
        """Return the turn: R one step, R2 two steps, R' one step back."""
        order = len(self.turns[0].cycle)
        steps = move % order
        return self.turns[move // order].name + {1: "", order - 1: "'"}.get(steps, str(steps))

    def pieces(self, state: Sequence[int]) -> list[str]:
        """Return the colour of each face of each place."""
        return list("".join(self._words(state)))

    def _words(self, state: Sequence[int]) -> list[str]:
        return [
            kind.word(state[pieces + place] if kind.leave else place, state[twists + place])
            for kind, pieces, twists in zip(self.kinds, self.layout.piece_cells, self.layout.twist_cells, strict=True)
            for place in range(kind.places)
        ]


def turning(layout: Places, turns: int, order: int) -> Callable[[State, int], None]:
    """Return `play`: exchange pairs of cells, and twist."""
    modulus = np.array(layout.modulus, np.int64)
    pairs: list[tuple[int, int]] = []
    amounts: list[tuple[int, int]] = []
    pair_from, twist_from = [0], [0]
    for turn in range(turns):
        for power in range(order):
            sources, added = layout.carried(turn, power)
            pairs += _exchanges(sources)
            amounts += [(cell, amount) for cell, amount in enumerate(added) if amount]
            pair_from.append(len(pairs))
            twist_from.append(len(amounts))
    exchange, twist = np.array(pairs, np.int64).reshape(-1, 2), np.array(amounts, np.int64).reshape(-1, 2)
    exchange_from, amount_from = np.array(pair_from, np.int64), np.array(twist_from, np.int64)

    def play(state: State, move: int) -> None:
        for index in range(exchange_from[move], exchange_from[move + 1]):
            one, other = exchange[index, 0], exchange[index, 1]
            state[one], state[other] = state[other], state[one]
        for index in range(amount_from[move], amount_from[move + 1]):
            cell = twist[index, 0]
            twisted = state[cell] + twist[index, 1]
            state[cell] = twisted - modulus[cell] if twisted >= modulus[cell] else twisted

    return play


def _exchanges(sources: Sequence[int]) -> list[tuple[int, int]]:
    """Return exchanges of two cells that, in sequence, bring the content of sources[i] to i."""
    holds = list(range(len(sources)))
    pairs = []
    for cell, source in enumerate(sources):
        where = holds.index(source)
        if where != cell:
            pairs.append((cell, where))
            holds[cell], holds[where] = holds[where], holds[cell]
    return pairs


def _effect(one: Carried, other: Carried, modulus: Sequence[int]) -> tuple[tuple[int, int], ...]:
    """Return each cell's origin and the amount added to it, for one move followed by another."""
    (sources, added), (then_sources, then_added) = one, other
    return tuple(
        (sources[source], (added[source] + amount) % whole)
        for source, amount, whole in zip(then_sources, then_added, modulus, strict=True)
    )


def powers_of(metric: str) -> tuple[int, ...]:
    """Return the numbers of quarter turns per move: half turns are one move, two moves, or only clockwise. Raises ValueError."""
    if metric not in METRICS:
        raise ValueError(f"metric {metric!r}: expected {', '.join(METRICS[:-1])} or {METRICS[-1]}")
    return {"half-turn": (1, 2, 3), "quarter-turn": (1, 3), "clockwise": (1,)}[metric]
