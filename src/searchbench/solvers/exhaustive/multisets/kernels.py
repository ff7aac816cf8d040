"""Run the inner loops of the streaming search of equal pieces.

A *tile* holds the frontier of a class, a line of 64 bytes for each head (of some tails, a lane each) or for each tail (of
some heads). A *chunk* holds the successors in some of these lines. Both are passed twice, as lanes and as words of the same
memory.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from searchbench.jit import or_line, popcount, prefetch, trailing_zeros
from searchbench.solvers.exhaustive.multisets.plan import Crossing, Matrices, Moves

AHEAD = 12
"""Lines of prefetch distance."""


class Planes(NamedTuple):
    """The bit vectors, a lane for each word: the two planes of the depths, and the frontier's successors."""

    low: Any
    high: Any
    result: Any


class Room(NamedTuple):
    """A thread's buffers: tile and chunk as words and as lanes, [lines, words or lanes], and the open bits of each chunk."""

    tile: Any
    tile_lanes: Any
    chunk: Any
    chunk_lanes: Any
    open_bits: Any


class Level(NamedTuple):
    """A level: its frontier is ``(low ^ flip_low) & (high ^ flip_high)``; its new states get the code, 1 to 3.

    `all_places` has a bit for each place. It is a word, and so are `zero` and `one`: words must not be mixed with signed
    numbers.
    """

    flip_low: Any
    flip_high: Any
    code: int
    places: int
    all_places: Any
    zero: Any
    one: Any


def pull_tails(
    planes: Planes, matrices: Matrices, moves: Moves, crossing: Crossing, level: Level, room: Room, tasks: Any
) -> None:
    """Write to the result the successors by moves within the tails and by crossing moves; a task is (class, first row)."""
    for task in range(len(tasks)):
        kind = tasks[task, 0]
        first = matrices.begin[kind] + tasks[task, 1]
        heads = matrices.heads[first : min(first + room.tile_lanes.shape[1], matrices.begin[kind + 1])]
        columns = matrices.columns[kind]
        some = load_columns(planes, matrices, heads, columns, level, room)
        for start in range(0, columns, len(room.chunk)):
            count = min(len(room.chunk), columns - start)
            clear(room.chunk)
            if some and room.open_bits[start // len(room.chunk)] != 0:
                pull(room, moves, kind, columns, start, count)
            store_columns(planes, matrices, heads, start, count, room)
        for lane in range(len(heads)):
            cross(planes, matrices, crossing, heads[lane], level)


def close_heads(
    planes: Planes, matrices: Matrices, moves: Moves, level: Level, room: Room, tasks: Any, found: Any
) -> None:
    """Add the successors by moves within the heads, and write the code of new states; a task is (class, first column).

    ``found[0]`` counts the new states, and their numbers follow if they fit.
    """
    for task in range(len(tasks)):
        kind, column = tasks[task, 0], tasks[task, 1]
        heads = matrices.heads[matrices.begin[kind] : matrices.begin[kind + 1]]
        lanes = min(room.tile_lanes.shape[1], matrices.columns[kind] - column)
        some = load_rows(planes, matrices, heads, column, lanes, level, room)
        for start in range(0, len(heads), len(room.chunk)):
            if room.open_bits[start // len(room.chunk)] == 0:
                continue
            count = min(len(room.chunk), len(heads) - start)
            lines = heads[start : start + count]
            clear(room.chunk)
            for line in range(len(lines)):
                first = matrices.start[lines[line]] + column
                fetch(planes.low, first, lanes)
                fetch(planes.high, first, lanes)
                fetch(planes.result, first, lanes)
            if some:
                pull(room, moves, kind, len(heads), start, count)
            close(planes, matrices, lines, column, lanes, level, room)
            note(matrices, lines, column, lanes, level, room, found)


def pull(room: Room, moves: Moves, kind: int, lines: int, start: int, count: int) -> None:
    """Add to `count` lines of the chunk, from the line `start` of the tile on, the successors by all moves."""
    for move in range(len(moves.mask)):
        begin = moves.begin[kind] + move * lines + start
        source = moves.source[begin : begin + count]
        mask, turn = moves.mask[move], moves.turn[move]
        for line in range(len(source)):
            or_line(room.chunk, line, room.tile, source[line], mask, turn)


def clear(chunk: Any) -> None:
    """Set all words to zero."""
    words = chunk.reshape(-1)
    for word in range(len(words)):
        words[word] = 0


# Loops run over slices and count from 0: an index that might be negative would keep them from being vectorized.


def load_columns(planes: Planes, matrices: Matrices, heads: Any, columns: int, level: Level, room: Room) -> bool:
    """Load the frontier of some heads into the tile, a lane each; return whether it has a state.

    A chunk's word in ``room.open_bits`` gets the bits of the places at which some state is unreached.
    """
    some = level.zero
    for start in range(0, columns, len(room.chunk)):
        left = level.zero
        for lane in range(len(heads)):
            first = matrices.start[heads[lane]] + start
            stop = first + min(len(room.chunk), columns - start)
            low, high = planes.low[first:stop], planes.high[first:stop]
            tile = room.tile_lanes[start:, lane]
            for line in range(0, len(low), room.tile_lanes.shape[1]):
                prefetch(planes.low, stop + line)
                prefetch(planes.high, stop + line)
            for line in range(len(low)):
                word = (low[line] ^ level.flip_low) & (high[line] ^ level.flip_high)
                tile[line] = word
                some |= word
                left |= ~(low[line] | high[line]) & level.all_places
        room.open_bits[start // len(room.chunk)] = left
    return bool(some != level.zero)


def store_columns(planes: Planes, matrices: Matrices, heads: Any, start: int, count: int, room: Room) -> None:
    """Write `count` lines of the chunk to the result."""
    for lane in range(len(heads)):
        first = matrices.start[heads[lane]] + start
        result = planes.result[first : first + count]
        for line in range(len(result)):
            result[line] = room.chunk_lanes[line, lane]


def cross(planes: Planes, matrices: Matrices, crossing: Crossing, head: int, level: Level) -> None:
    """Add to the words of a head the successors by crossing moves."""
    for move in range(len(crossing.origin)):
        origin, target = crossing.origin[move], crossing.target[move]
        bit = level.one << origin
        done = matrices.start[head]
        for run in range(crossing.begin[move, head], crossing.begin[move, head + 1]):
            source, length = crossing.source[run], crossing.length[run]
            low, high = planes.low[source : source + length], planes.high[source : source + length]
            result = planes.result[done : done + length]
            for word in range(len(result)):
                come = (low[word] ^ level.flip_low) & (high[word] ^ level.flip_high) & bit
                result[word] |= come >> origin << target
            done += length


def load_rows(
    planes: Planes, matrices: Matrices, heads: Any, column: int, lanes: int, level: Level, room: Room
) -> bool:
    """Load the frontier of some tails into the tile, a line for each head; return whether it has a state.

    Sets ``room.open_bits`` as `load_columns` does.
    """
    some = level.zero
    for start in range(0, len(heads), len(room.chunk)):
        left = level.zero
        for line in range(start, min(start + len(room.chunk), len(heads))):
            if line + AHEAD < len(heads):
                ahead = matrices.start[heads[line + AHEAD]] + column
                fetch(planes.low, ahead, lanes)
                fetch(planes.high, ahead, lanes)
            first = matrices.start[heads[line]] + column
            low, high = planes.low[first : first + lanes], planes.high[first : first + lanes]
            tile = room.tile_lanes[line]
            for lane in range(len(low)):
                word = (low[lane] ^ level.flip_low) & (high[lane] ^ level.flip_high)
                tile[lane] = word
                some |= word
                left |= ~(low[lane] | high[lane]) & level.all_places
        room.open_bits[start // len(room.chunk)] = left
    return bool(some != level.zero)


def fetch(vector: Any, first: int, lanes: int) -> None:
    """Prefetch some lanes, which may lie on two cache lines."""
    prefetch(vector, first)
    prefetch(vector, first + lanes - 1)


def close(planes: Planes, matrices: Matrices, heads: Any, column: int, lanes: int, level: Level, room: Room) -> None:
    """Reduce the chunk to the new states, and write their code."""
    for line in range(len(heads)):
        first = matrices.start[heads[line]] + column
        low, high = planes.low[first : first + lanes], planes.high[first : first + lanes]
        result = planes.result[first : first + lanes]
        chunk = room.chunk_lanes[line]
        for lane in range(len(low)):
            chunk[lane] = (chunk[lane] | result[lane]) & ~(low[lane] | high[lane])
        if level.code & 1:
            for lane in range(len(low)):
                low[lane] |= chunk[lane]
        if level.code & 2:
            for lane in range(len(low)):
                high[lane] |= chunk[lane]
        for lane in range(lanes, len(chunk)):
            chunk[lane] = 0


def note(matrices: Matrices, heads: Any, column: int, lanes: int, level: Level, room: Room, found: Any) -> None:
    """Count the states in the chunk, and list them if they fit."""
    count = 0
    words = room.chunk[: len(heads)].reshape(-1)
    for word in range(len(words)):
        count += popcount(words[word])
    if 0 < count < len(found) - found[0]:
        place = 1 + found[0]
        for line in range(len(heads)):
            for lane in range(lanes):
                left = room.chunk_lanes[line, lane]
                while left != 0:
                    row = matrices.start[heads[line]] + column + lane
                    found[place] = row * level.places + trailing_zeros(left)
                    place += 1
                    left &= left - level.one
    found[0] += count
