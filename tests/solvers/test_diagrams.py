"""Decision diagrams of layered games as index, and the sweep over them, compared with brute force."""

from __future__ import annotations

import random
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import searchbench as sb
from layered import RandomDigits, RandomLines
from naive import binary_ranks, layers_with_values
from searchbench import jit
from searchbench.errors import BadGame, BadRequest, MissingPackage, OutOfMemory
from searchbench.families.digits import GROUPED
from searchbench.index.digits import NO_CODE, WHOLE, Change, Digit, Digits, Field, Pattern, table_faults
from searchbench.index.intervals import members_between
from searchbench.jit.backends.cpu import intrinsics
from searchbench.rules import NOWHERE, UNDECIDED
from searchbench.run import Run
from searchbench.solvers.exhaustive.diagrams import forward
from searchbench.solvers.exhaustive.diagrams.backward import symbolic_counts
from searchbench.solvers.exhaustive.diagrams.forward import Forward, reachable_layers
from searchbench.solvers.exhaustive.diagrams.patterns import new_progress
from searchbench.solvers.exhaustive.diagrams.pool import new_pool
from searchbench.solvers.exhaustive.diagrams.sweep import Sweep, sweep_all
from searchbench.solvers.exhaustive.diagrams.symbolic import Symbolic
from searchbench.store.pairs import counts_of
from searchbench.store.working import working_folder
from searchbench.testing.digits import LAWS
from searchbench.testing.subject import Subject

SEEDS = range(40)
GAMES = [*(RandomLines(seed) for seed in SEEDS), *(RandomDigits(seed) for seed in SEEDS)]
FEW = [*GAMES[:40:4], *GAMES[40::4]]
GOLDEN = {
    "connect4:4,4": (161029, 139625, 38675, 90120, 32234),
    "mnk:4,3,3": (111973, 79591, 64738, 3060, 44175),
    "connect4:5,4": (3945711, 3137713, 1390516, 1303636, 1251559),
    "mnk:4,4,4": (9722011, 9067975, 2730266, 6031189, 960556),
}
"""Reachable and undecided positions; won, drawn and lost for the player to move: specification, section 13.3."""


def undecided(game: sb.Game) -> list[list[tuple[int, ...]]]:
    """Return the states of each layer that are no losses, in the order of their codes."""
    told = game.digits()
    found = []
    for depth, layer in enumerate(layers_with_values(game)):
        codes = {told.codes(state): state for state in layer}
        kept = [one for one in codes if not depth or told.result(one, depth) in (UNDECIDED, told.stuck)]
        found.append([codes[one] for one in sorted(kept) if not _is_lost(told, one, depth)])
    return [layer for layer in found if layer]


def _is_lost(told: Digits, codes: Any, depth: int) -> bool:
    patterns = told.lost[(depth - 1) % len(told.lost)] if depth else ()
    return any(all(codes[d] in wanted for d, wanted in zip(*pattern, strict=True)) for pattern in patterns)


@pytest.mark.parametrize("game", GAMES, ids=str)
def test_numbers_are_those_of_the_members_in_order(game: sb.Game) -> None:
    layers = reachable_layers(game, target="interpreted")
    diagram, right = layers.diagram, undecided(game)
    assert layers.reachable == [len(layer) for layer in layers_with_values(game)]
    assert [diagram.count(layer) for layer in range(diagram.layers)] == list(map(len, right))
    members = [state for layer in right for state in layer]
    assert [tuple(diagram.unrank(number)) for number in range(diagram.size)] == members
    assert [diagram.rank(state) for state in members] == list(range(len(members)))
    assert list(diagram.iterate()) == [game.digits().codes(state) for state in members]
    chance = random.Random(str(game))
    low, high = sorted(chance.randint(0, diagram.size) for _ in range(2))
    assert list(diagram.iterate(low, high)) == [game.digits().codes(state) for state in members[low:high]]
    others = {tuple(chance.randint(-1, 3) for _ in range(game.width)) for _ in range(200)} - set(members)
    assert all(diagram.rank(state) == NOWHERE for state in others)


@pytest.mark.parametrize("game", FEW, ids=str)
def test_numbers_equal_those_of_the_binary_diagram(game: sb.Game) -> None:
    told = game.digits()
    diagram = reachable_layers(game, target="interpreted").diagram
    symbolic = Symbolic(told, 1 << 16)
    positions = symbolic.position(told.codes(game.start()))
    sizes = [digit.bits for digit in told.digits]
    for layer in range(diagram.layers):
        assert symbolic.count(positions) == diagram.count(layer)
        low, high = diagram.split(1, layer)[0]
        rank = binary_ranks(positions, sum(sizes))
        for number, codes in enumerate(diagram.iterate(low, high)):
            bits = [code >> place & 1 for code, size in zip(codes, sizes, strict=True) for place in range(size)[::-1]]
            assert rank(bits) == number
        positions = symbolic.undecided(symbolic.successors(positions, layer), layer + 1)


@pytest.mark.parametrize("game", [*GAMES, sb.load("connect4:2,5")], ids=str)
@pytest.mark.parametrize("pieces", [1, 3])
def test_sweep_finds_the_values_of_brute_force(game: sb.Game, pieces: int) -> None:
    layers = reachable_layers(game, target="interpreted")
    with Run(threads=1) as run:
        planes = sweep_all(layers.diagram, run, "interpreted", pieces)
    starts = layers.diagram.nodes.starts.tolist()
    for layer, values in enumerate(layers_with_values(game)[: layers.diagram.layers]):
        for state, value in values.items():
            number = layers.diagram.rank(state)
            if number == NOWHERE:
                assert value == -1
                continue
            word, bit = divmod(number - starts[layer], 64)
            won, lost = (int(planes[layer][2 * word + which]) >> bit & 1 for which in range(2))
            assert won - lost == value, (layer, state)


def test_a_sample_settles_about_as_many_positions_as_it_is_told() -> None:
    diagram = reachable_layers(sb.load("mnk:3,3,3"), target="interpreted").diagram
    sweep = Sweep(diagram, Run(threads=1), "interpreted", pieces=3)
    for layer in range(diagram.layers):
        count = diagram.count(layer)
        assert sweep.settle_sample(layer, count) == count
        assert 0 < sweep.settle_sample(layer, max(1, count // 4)) <= count
    largest = max(range(diagram.layers), key=diagram.count)
    assert sweep.settle_sample(largest, diagram.count(largest) // 4) < diagram.count(largest) // 2


@pytest.mark.parametrize("spec", ["peg-solitaire:triangle,6", "peg-solitaire:ooo/o-o/ooooo/  o"])
def test_layers_of_a_puzzle_with_fields_of_a_word(spec: str, monkeypatch: pytest.MonkeyPatch) -> None:
    game = sb.load(spec)
    right = layers_of_puzzle(game)
    for longest in (6, 2):
        monkeypatch.setattr("searchbench.families.pegs.LONGEST", longest)
        layers = reachable_layers(game)
        diagram = layers.diagram
        assert layers.reachable == layers.undecided == [len(layer) for layer in right]
        for layer, states in enumerate(right):
            low, high = diagram.split(1, layer)[0]
            assert {tuple(diagram.unrank(number)) for number in range(low, high)} == states
            assert {diagram.rank(state) for state in states} == set(range(low, high))
        subject = Subject(game, 60, 0)
        assert [fault for law in LAWS for fault in law.breaks(subject)] == []
    with pytest.raises(BadRequest, match="for two players, and this is a puzzle"):
        sb.solve(game, solver="sweep")


def layers_of_puzzle(game: sb.Game) -> list[set[tuple[int, ...]]]:
    """Return the states after each number of moves, by playing all moves."""
    found = [{tuple(game.start())}]
    while layer := {tuple(game.play(state, move)) for state in found[-1] for move in game.moves(state)}:
        found.append(layer)
    return found


def test_layers_of_the_english_board() -> None:
    game = sb.load("peg-solitaire")
    assert reachable_layers(game, most=8).reachable == [1, 4, 12, 60, 296, 1338, 5648, 21842, 77559]
    assert sb.load("peg-solitaire:english,4,true").digits() is None


@pytest.mark.parametrize(
    ("fields", "fault"),
    [
        ([Field(2, -1), Field(0, 3)], ""),
        ([Field(2, 3), Field(0, 3)], "the mask -1"),
        ([Field(2, -1), Field(0, 1)], "does not end where the one before begins, at bit 2"),
        ([Field(2, -1), Field(1, 1)], "bits 0 to 0 are in no field"),
        ([WHOLE, WHOLE], "2 digits have it"),
    ],
)
def test_fields_that_do_not_make_up_a_cell_are_refused(fields: list[Field], fault: str) -> None:
    digits = tuple(Digit((0,), ((0,), (1,)), (0, 1), (field,)) for field in fields)
    actions = tuple((Change(place, (1, NO_CODE)),) for place in range(len(fields)))
    found = list(table_faults(Digits(digits, (actions,), ((),)), 1))
    assert [fault in one for one in found] == [True] * bool(fault)


@pytest.mark.parametrize("seed", SEEDS[::2])
@pytest.mark.parametrize("highest", [1, 2])
def test_columns_that_are_cut_have_the_same_layers_and_values(
    seed: int, highest: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("searchbench.families.digits.HIGHEST", highest)
    game = RandomLines(seed)
    assert max(len(digit.cells) for digit in game.digits().digits) <= max(highest, GROUPED)
    test_sweep_finds_the_values_of_brute_force(game, 1)
    subject = Subject(game, 60, 0)
    assert [fault for law in LAWS for fault in law.breaks(subject)] == []


@pytest.mark.long
def test_connect_four_in_columns_of_seven() -> None:
    game = sb.load("connect4:3,7")
    assert sum(reachable_layers(game).reachable) == 1417322
    assert sb.solve(game, solver="sweep").verify()


@pytest.mark.parametrize("game", [*GAMES, sb.load("connect4:4,4")], ids=str)
def test_diagrams_alone_find_the_values_of_brute_force(game: sb.Game) -> None:
    counts = symbolic_counts(game, Run(threads=1))
    right = layers_with_values(game)
    assert [one.reachable for one in counts] == list(map(len, right))
    for values, found in zip(right, counts, strict=True):
        lost = found.lost + found.reachable - found.undecided
        assert [found.won, found.drawn, lost] == [sum(v == one for v in values.values()) for one in (1, 0, -1)]


@pytest.mark.parametrize(
    "spec", ["mnk:4,3,3", *(pytest.param(f"connect4:{size},4", marks=pytest.mark.long) for size in (4, 5))]
)
def test_layers_and_values_are_the_published_ones(spec: str) -> None:
    layers = reachable_layers(sb.load(spec))
    planes = sweep_all(layers.diagram, Run())
    won, lost = map(sum, zip(*map(counts_of, planes), strict=True))
    reached, size = sum(layers.reachable), layers.diagram.size
    assert (reached, size, won, size - won - lost, lost + reached - size) == GOLDEN[spec]
    for pieces, threads in ((1, 1), (2, 2), (7, 1), (63, 2)):
        again = sweep_all(layers.diagram, Run(threads=threads), pieces=pieces)
        assert all(np.array_equal(one, other) for one, other in zip(planes, again, strict=True))


def test_split_and_random() -> None:
    diagram = reachable_layers(sb.load("connect4:5,4"), most=6).diagram
    for pieces in (1, 2, 7, 1000):
        for layer in (None, 4, 6):
            found = diagram.split(pieces, layer)
            sizes = [stop - start for start, stop in found]
            low, high = diagram.split(1, layer)[0]
            assert (found[0][0], found[-1][1], len(found)) == (low, high, pieces)
            assert all(one[1] == other[0] for one, other in pairwise(found))
            assert sizes == sorted(sizes, reverse=True)
            assert sizes[0] - sizes[-1] <= 1
    drawn = [diagram.rank(state) for state in diagram.random(34_500, seed=1, layer=4)]
    counts = np.bincount(np.array(drawn) - diagram.nodes.starts[4], minlength=345)
    assert (len(counts), diagram.count(4)) == (345, 345)
    assert ((counts - 100) ** 2 / 100).sum() < 430  # chi-square of 344 degrees of freedom: p > 0.001
    with pytest.raises(BadRequest, match="layer 7"):
        diagram.split(2, 7)
    with pytest.raises(BadRequest, match="number"):
        diagram.unrank(diagram.size)


@pytest.mark.parametrize("game", [*FEW, pytest.param(sb.load("connect4:5,4"), marks=pytest.mark.long)], ids=str)
def test_split_diagrams_have_the_members_between_and_no_others(game: sb.Game) -> None:
    diagram = reachable_layers(game, most=6).diagram
    for layer in range(diagram.layers):
        for pieces in (1, 2, 7):
            codes: list[Any] = []
            for first, stop in diagram.split(pieces, layer):
                if first == stop:
                    continue
                part = members_between(diagram, first, stop)
                assert (part.layers, part.size) == (1, stop - first)
                assert len(part.nodes.masks) <= len(diagram.nodes.masks) + 2 * len(diagram.digits.digits)
                assert part.rank(diagram.unrank(first)) == 0
                assert part.rank(diagram.unrank(stop - 1)) == stop - first - 1
                codes += part.iterate()
            assert codes == list(diagram.iterate(*diagram.split(1, layer)[0]))
    for wrong in ((-1, 1), (0, 0), (0, diagram.size + 1), (0, diagram.count(0) + 1)):
        with pytest.raises(BadRequest, match="expected some of one layer"):
            members_between(diagram, *wrong)


def test_layers_are_the_same_within_any_budget(tmp_path: Path) -> None:
    game = sb.load("connect4:4,4")
    right = reachable_layers(game)
    assert {
        reachable_layers(game, Run(memory=memory)).diagram.digest for memory in (4_000_000, 50_000_000, 1 << 33)
    } == {right.diagram.digest}
    with pytest.raises(OutOfMemory), working_folder(game, "sweep", Run(work=tmp_path)) as folder:
        Forward(game, game.digits(), Run(memory=250_000), folder=folder).layers()
    with working_folder(game, "sweep", Run(work=tmp_path)) as folder:
        found = Forward(game, game.digits(), Run(), folder=folder)
        assert len(found.layers().reachable) == 17
    assert list(found.diagram().iterate(0, 5000)) == list(right.diagram.iterate(0, 5000))


def test_small_pools_and_tables_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    game = sb.load("connect4:5,4")
    right = reachable_layers(game)
    monkeypatch.setattr(forward, "CACHES", (2, 16))
    monkeypatch.setattr(
        forward, "new_pool", lambda words, nodes=8, edges=20, leaves=2: new_pool(words, nodes, edges, leaves)
    )
    monkeypatch.setattr(forward, "new_progress", lambda words, room=2: new_progress(words, room))
    finding = Forward(game, game.digits(), Run())
    found = finding.layers()
    assert found.reachable == right.reachable
    assert found.diagram.digest == right.diagram.digest
    with pytest.raises(OutOfMemory, match="larger --memory"):
        Forward(game, game.digits(), Run(memory=500_000)).layers()


class Torn(RandomDigits):
    """Reach the codes 1 and 70 of the last digit, after the same codes of the digit before it, if there is one."""

    name = "torn"

    @property
    def width(self) -> int:
        """Return a cell for each digit."""
        return len(self.digits().digits)

    def digits(self) -> Digits:
        """Return one or two digits, and actions that touch the last alone, or with the one before it."""
        last = min(self.seed, 1)
        contents = ((0,), (1,), *(None,) * 68, (2,))
        digit = Digit((last,), contents, (0, 1, *(0,) * 68, 1))
        before = (Digit((0,), ((0,), (1,)), (0, 1)),) if last else ()
        looked = (Change(0, (0, 1)),) if self.seed == 2 else ()
        actions = tuple((*looked, Change(last, (to, *(NO_CODE,) * 70))) for to in (1, 70))
        return Digits((*before, digit), (actions,), ((),))


@pytest.mark.parametrize("seed", range(3))
def test_a_leaf_of_two_words_is_refused(seed: int) -> None:
    with pytest.raises(BadGame, match="codes of two words"):
        reachable_layers(Torn(seed), target="interpreted")


class Lying(RandomLines):
    """Tell other digits than those of the rules."""

    name = "lying"

    def digits(self) -> Digits:
        """Return digits with a lie."""
        return self.lie(sb.load("mnk:3,3,3").digits())  # type: ignore[attr-defined, no-any-return]

    @property
    def lines(self) -> Any:
        """Return the board of tic-tac-toe."""
        return sb.load("mnk:3,3,3").lines


def _falling(told: Digits) -> Digits:
    to = told.actions[0][0][0].to
    known = [code for code, after in enumerate(to) if after >= 0]
    swapped = list(to)
    swapped[known[0]], swapped[known[1]] = to[known[1]], to[known[0]]
    return _with_action(told, (Change(0, tuple(swapped)),))


def _with_action(told: Digits, action: Any) -> Digits:
    return told._replace(actions=((action, *told.actions[0][1:]), told.actions[1]))


LIES = {
    "digits-tables increasing": _falling,
    "digits-tables each at most once": lambda told: _with_action(told, (told.actions[0][0][0],) * 2),
    "digits-tables raises the weight by 2": lambda told: _with_action(told, (*told.actions[0][0], *told.actions[0][3])),
    "digits-decided the digits say lost": lambda told: told._replace(
        lost=(*told.lost[:1], (Pattern((0,), (tuple(range(64)),)),))
    ),
    "digits-decided the digits say undecided": lambda told: told._replace(lost=(told.lost[0][1:], told.lost[1])),
    "digits-decided draw": lambda told: told._replace(stuck=-1),
    "digits-moves only moves lead to": lambda told: told._replace(actions=(told.actions[0][1:], told.actions[1])),
    "digits-moves only actions": lambda told: told._replace(actions=told.actions[:1]),
    "digits-tables cells": lambda told: told._replace(digits=told.digits[1:]),
}


@pytest.mark.parametrize("lie", LIES)
def test_check_refuses_digits_that_lie(lie: str) -> None:
    law, _, message = lie.partition(" ")
    kind = type("Lying", (Lying,), {"lie": staticmethod(LIES[lie])})
    subject = Subject(kind(), 400 if "draw" in lie else 100, 0)
    broken = {one.name: [fault for _, fault in one.breaks(subject)] for one in LAWS}
    assert any(message in fault for fault in broken[law]), broken
    if law == "digits-tables":
        with pytest.raises(BadGame, match="digits\\(\\)"):
            reachable_layers(kind())


@pytest.mark.parametrize("game", [*GAMES[::8], sb.load("connect4:4,4"), sb.load("mnk:3,3,3")], ids=str)
def test_digits_that_do_not_lie_obey_the_laws(game: sb.Game) -> None:
    subject = Subject(game, 60, 0)
    assert [fault for law in LAWS for fault in law.breaks(subject)] == []


def test_without_oxidd_the_error_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "oxidd.bdd", None)
    with pytest.raises(MissingPackage, match=r"searchbench\[diagrams\]"):
        symbolic_counts(sb.load("connect4:4,4"), Run())
    with pytest.raises(BadRequest, match="tells no `digits`"):
        reachable_layers(sb.load("sliding:3x3"))


def both_masks(words: Any, masks: Any, out: Any) -> None:
    """Extract and deposit bits."""
    for place in range(len(words)):
        out[place, 0] = jit.extract_bits(words[place], masks[place])
        out[place, 1] = jit.deposit_bits(words[place], masks[place])


@pytest.mark.parametrize("quick", [True, False])
def test_bits_by_mask(quick: bool, monkeypatch: pytest.MonkeyPatch, tmp_path: Any) -> None:
    if not quick:
        monkeypatch.setenv("SEARCHBENCH_CACHE", str(tmp_path))
        monkeypatch.setattr(intrinsics, "has_quick_masks", lambda: False)
    chance = np.random.default_rng(3)
    words = chance.integers(0, 1 << 64, 300, np.uint64)
    masks = chance.integers(0, 1 << 64, 300, np.uint64) & chance.integers(0, 1 << 64, 300, np.uint64)
    words[0], masks[:3] = (1 << 64) - 1, [0, (1 << 64) - 1, 1 << 63]
    found, right = np.zeros((300, 2), np.uint64), np.zeros((300, 2), np.uint64)
    kernel = _copied(both_masks) if not quick else both_masks
    jit.bind(kernel, jit.Names({}, "cpu"))(words, masks, found)
    jit.bind(both_masks, jit.Names({}, "interpreted"))(words, masks, right)
    assert (found == right).all()
    for word, mask, (extracted, deposited) in zip(words.tolist(), masks.tolist(), right.tolist(), strict=True):
        ones = [place for place in range(64) if mask >> place & 1]
        assert extracted == sum((word >> place & 1) << number for number, place in enumerate(ones))
        assert deposited == sum((word >> number & 1) << place for number, place in enumerate(ones))


def _copied(function: Any) -> Any:
    """Return a function with other code, so that no kernel in memory is taken for it."""

    def slow_masks(words: Any, masks: Any, out: Any) -> None:
        for place in range(len(words)):
            out[place, 1] = jit.deposit_bits(words[place], masks[place])
            out[place, 0] = jit.extract_bits(words[place], masks[place])

    return slow_masks
