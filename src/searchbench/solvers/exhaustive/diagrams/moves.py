"""The actions of one player as tables, from which the image of a set of positions and the sweep are made."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from searchbench.index.digits import NO_CODE, WORD, Digits


class Moves(NamedTuple):
    """The actions of one player, in the order of the first digit that they touch.

    `images` [digit, action, code] is the code after, NO_CODE where the action cannot be made. `firsts` and `lasts` [action] are
    the first and the last digit touched, `started` [digit] the number of actions that touch a digit before it. Of the last
    digit, `touching` [action] tells whether the action touches it, `able` [action, word] marks the codes of a word on which
    it can be made, `befores` and `afters` [action, word, word after] those of them that lead to a word, and where to. `order`
    is that in which actions are tried. `still` [action] tells whether it leaves the last two digits as they are; `others` are the
    actions that do not, in that order, and `row_images` [place among them, code] the images on the
    digit before the last.
    """

    images: npt.NDArray[np.int16]
    firsts: npt.NDArray[np.int64]
    lasts: npt.NDArray[np.int64]
    started: npt.NDArray[np.int64]
    touching: npt.NDArray[np.bool_]
    able: npt.NDArray[np.uint64]
    befores: npt.NDArray[np.uint64]
    afters: npt.NDArray[np.uint64]
    order: npt.NDArray[np.int64]
    still: npt.NDArray[np.bool_]
    others: npt.NDArray[np.int64]
    row_images: npt.NDArray[np.int16]


def moves_of(digits: Digits, player: int) -> Moves:
    """Return the actions of a player as tables."""
    count, last = len(digits.digits), len(digits.digits) - 1
    actions = sorted(digits.actions[player], key=lambda action: min(change.digit for change in action))
    firsts, lasts = (
        np.array([end(change.digit for change in action) for action in actions], np.int64) for end in (min, max)
    )
    codes = digits.most_codes
    words = -(-codes // WORD)
    images = np.empty((count, len(actions), codes), np.int16)
    images[:] = np.arange(codes)
    able = np.zeros((len(actions), words), np.uint64)
    befores, afters = (np.zeros((len(actions), words, words), np.uint64) for _ in range(2))
    for number, action in enumerate(actions):
        for digit, to in action:
            images[digit, number] = NO_CODE
            images[digit, number, : len(to)] = to
            for code, after in enumerate(to):
                if digit == last and after != NO_CODE:
                    able[number, code >> 6] |= np.uint64(1 << (code & 63))
                    befores[number, code >> 6, after >> 6] |= np.uint64(1 << (code & 63))
                    afters[number, code >> 6, after >> 6] |= np.uint64(1 << (after & 63))
    touching = np.array([any(change.digit == last for change in action) for action in actions], np.bool_)
    centre = [abs(2 * sum(change.digit for change in action) - last * len(action)) for action in actions]
    order = np.argsort(centre, kind="stable").astype(np.int64)
    still = lasts < last - 1
    others = order[~still[order]]
    return Moves(
        images, firsts, lasts, np.searchsorted(firsts, np.arange(count + 1)).astype(np.int64), touching, able, befores,
        afters, order, still, others, np.ascontiguousarray(images[last - 1, others]),
    )  # fmt: skip
