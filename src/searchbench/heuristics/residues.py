"""Keep pattern databases in less memory: depths modulo a small number, and the least depth of each block of numbers.

The depth before a move and the depth after it modulo m determine the depth after it, if a move lowers the depth by at most
1 and raises it by at most m - 2 (Edelkamp 2017, theorem 0.1; Breyer and Korf 2010, 1.6 bits). The largest rise is the
*locality* of the abstraction: 1 where every move can be taken back. This holds for depths of states; the least depth of
several states that share a number (`place`) may change by any amount.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

import numpy as np

from searchbench import jit
from searchbench.abstraction import Abstraction
from searchbench.errors import BadRequest
from searchbench.index.contract import successor_ranks
from searchbench.rules import new_moves, new_state
from searchbench.store import Database

PIECE: Final = 9 * 7 * 5 << 16
"""Codes packed at a time; a multiple of the codes in a byte, for every modulus."""
LARGEST: Final = 16
"""The largest modulus that saves memory."""


def largest_rise(codes: Any, first: int, stop: int) -> int:
    """Return the largest rise of the code from a state to its successor, for the numbers first .. stop - 1.

    Returns 2^30 if a state with a code has a successor without one, or one whose code is lower by more than 1.
    """
    state = new_state()
    out = new_moves()
    numbers = new_moves()
    rise = 0
    for number in range(first, stop):
        code = codes[number] + 0  # signed
        if code == 0:
            return 1 << 30
        for index in range(successor_ranks(number, state, out, numbers)):
            after = codes[numbers[index]] + 0
            if after == 0 or after < code - 1:
                return 1 << 30
            rise = max(rise, after - code)
    return rise


def modulus_of(database: Database) -> int:
    """Return the smallest modulus that determines depths along moves. Raises BadRequest."""
    game = database.game
    if game.has("blank"):
        raise BadRequest(
            f"{database!r}: states share a number here, and their least bound can change by any amount with a move: depths "
            f"modulo a number do not tell it; keep the states apart, as sliding-groups does"
        )
    if database.reachable < database.size:
        raise BadRequest(f"{database!r}: depths follow from each other only where every state has one")
    takes_back = not (isinstance(game, Abstraction) and game.one_way)
    if database.modulus or (takes_back and not game.has("cost")):  # each move changes the depth by 1 at most
        return database.modulus or 3
    kernel = jit.bind(largest_rise, game.names())
    found = 2 + int(kernel(database.codes, 0, database.size))
    if found > LARGEST:
        raise BadRequest(
            f"{database!r}: a move raises the bound by more than {LARGEST - 2} or lowers it by more than 1: too much to keep "
            f"depths modulo less"
        )
    return max(3, found)


def per_byte(modulus: int) -> int:
    """Return how many numbers below the modulus fit into a byte."""
    count = 1
    while modulus ** (count + 1) <= 256:
        count += 1
    return count


def digits_of_bytes(modulus: int) -> Any:
    """Return the numbers in each byte: [byte, place]."""
    return np.arange(256)[:, None] // modulus ** np.arange(per_byte(modulus)) % modulus


def packed(database: Database, modulus: int) -> Any:
    """Return the depths modulo a number, as many to a byte as fit: 5 modulo 3, 4 modulo 4, 3 modulo 5 and 6."""
    count = per_byte(modulus)
    weights = (modulus ** np.arange(count)).astype(np.uint8)
    found = []
    for codes in _pieces(database):
        residues = (codes - 1) % modulus
        filled = np.concatenate([residues, np.zeros(-len(residues) % count, residues.dtype)])
        found.append((filled.reshape(-1, count).astype(np.uint8) @ weights).astype(np.uint8))
    return np.concatenate(found)


def least_of_blocks(database: Database, block: int) -> Any:
    """Return the least code of each block of numbers; 0, no code, counts as the largest. Raises BadRequest."""
    if database.modulus:
        raise BadRequest(f"{database!r} keeps depths modulo {database.modulus}: there is no least of them")
    found = []
    for codes in _pieces(database, block):
        shifted = codes - np.uint8(1)
        filled = np.concatenate([shifted, np.full(-len(codes) % block, 255, np.uint8)])
        found.append(filled.reshape(-1, block).min(axis=1) + np.uint8(1))
    return np.concatenate(found)


def _pieces(database: Database, block: int = 1) -> Iterator[Any]:
    """Yield the codes in order, a multiple of a block at a time."""
    (part,) = database.parts
    step = PIECE * block
    for first in range(0, part.stop, step):
        yield database.read(part, first, min(first + step, part.stop))
