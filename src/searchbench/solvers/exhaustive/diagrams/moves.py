"""The actions of one player as tables, from which the image of a set of positions and the sweep are made."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from searchbench.index.digits import NO_CODE, WORD, Action, Digits


class Moves(NamedTuple):
    """The actions of one player, in the order of the first digit that they touch.

    `images` [digit, action, code] is the code after, NO_CODE where the action cannot be made. `firsts` and `lasts` [action] are
    the first and the last digit touched, `started` [digit] the number of actions that touch a digit before it. On the last
    digit, `befores` and `afters` [action, word, word after] mark the codes of a word that lead to a word, and where to.
    """

    images: npt.NDArray[np.int16]
    firsts: npt.NDArray[np.int64]
    lasts: npt.NDArray[np.int64]
    started: npt.NDArray[np.int64]
    befores: npt.NDArray[np.uint64]
    afters: npt.NDArray[np.uint64]


def moves_of(digits: Digits, player: int) -> Moves:
    """Return the actions of a player as tables."""
    count, last = len(digits.digits), len(digits.digits) - 1
    actions = in_order(digits, player)
    firsts, lasts = (
        np.array([end(change.digit for change in action) for action in actions], np.int64) for end in (min, max)
    )
    codes = digits.most_codes
    words = -(-codes // WORD)
    images = np.empty((count, len(actions), codes), np.int16)
    images[:] = np.arange(codes)
    befores, afters = (np.zeros((len(actions), words, words), np.uint64) for _ in range(2))
    for number, action in enumerate(actions):
        for digit, to in action:
            images[digit, number] = NO_CODE
            images[digit, number, : len(to)] = to
            for code, after in enumerate(to):
                if digit == last and after != NO_CODE:
                    befores[number, code >> 6, after >> 6] |= np.uint64(1 << (code & 63))
                    afters[number, code >> 6, after >> 6] |= np.uint64(1 << (after & 63))
    started = np.searchsorted(firsts, np.arange(count + 1)).astype(np.int64)
    return Moves(images, firsts, lasts, started, befores, afters)


def in_order(digits: Digits, player: int) -> list[Action]:
    """Return the actions of a player in the order of the first digit that they touch."""
    return sorted(digits.actions[player], key=lambda action: min(change.digit for change in action))
