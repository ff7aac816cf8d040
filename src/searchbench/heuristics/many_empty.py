"""Bound a board by many-empty patterns: a few tiles with all other cells empty (Gasser 1995, section 6.2).

A pattern is some tiles and the cell of each. Its cost is the number of moves that bring these tiles home if all other cells
are empty. The cost of a board is at least the sum of the costs of any patterns that share no tile; for single tiles this is
Manhattan distance. A pattern is *useful* if it costs more than any two patterns that it can be divided into; its *gain* is
its cost minus its Manhattan distance. The bound of a board is its Manhattan distance plus the largest sum of gains of
matching useful patterns that share no tile.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import lru_cache
from itertools import combinations
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from searchbench import jit
from searchbench.errors import BadRequest
from searchbench.families.slides import way_tables
from searchbench.families.tiles import neighbours
from searchbench.jit import inlined
from searchbench.rules import Move, State

MOST_CELLS: Final = 16
MOST_TILES: Final = 4
UNKNOWN: Final = 255
"""Stands for the cost of a placement that cannot be solved."""

MASK, GAIN, REST = 0xFFFF, 16, 24
"""An entry is a matching pattern: a bit for each of its tiles, from bit 16 on its gain, and from bit 24 on the sum of the
gains from this entry to the last one."""
FIRST_ENTRY: Final = 2
"""The first entry in a row of `carried`, after Manhattan distance and the number of entries."""

Array = npt.NDArray[np.int64]


class Pattern(NamedTuple):
    """Some tiles, the cell of each, and the pattern's gain."""

    tiles: tuple[int, ...]
    cells: tuple[int, ...]
    gain: int


# --- useful patterns --------------------------------------------------------------------------------------------------


def solve_pattern(homes: Any, cells: int, fan: Any, ahead: Any, costs: Any, queue: Any) -> None:
    """Write the cost of each placement of tiles, breadth first from their homes; a placement is a number to base `cells`."""
    costs[:] = UNKNOWN
    code, weight = 0, 1
    for tile in range(len(homes)):
        code += homes[tile] * weight
        weight *= cells
    costs[code] = 0
    queue[0] = code
    done, found = 0, 1
    while done < found:
        code = queue[done]
        done += 1
        taken = 0
        for cell in cells_of(code, len(homes), cells):
            taken |= 1 << cell
        weight = 1
        for _ in range(len(homes)):
            cell = code // weight % cells
            for way in range(fan[cell]):
                to = ahead[cell, way]
                after = code + (to - cell) * weight
                if taken >> to & 1 == 0 and costs[after] == UNKNOWN:
                    costs[after] = costs[code] + 1
                    queue[found] = after
                    found += 1
            weight *= cells


def cells_of(code: int, tiles: int, cells: int) -> Iterator[int]:
    """Yield the cell of each tile of a placement."""
    for _ in range(tiles):
        yield code % cells
        code //= cells


def find_useful(costs: Any, tiles: int, cells: int, parts: Any, begins: Any, useful: Any) -> int:
    """Write the placements that cost more than any two parts into which they can be divided; return how many.

    The costs of the placements of the tiles in a bit mask begin at ``begins[mask]`` in `parts`.
    """
    found = 0
    everything = (1 << tiles) - 1
    for code in range(len(costs)):
        if costs[code] == UNKNOWN:
            continue
        best = 0
        for mask in range(1, everything, 2):  # the first part has the first tile
            one, other, weight_of_one, weight_of_other = 0, 0, 1, 1
            rest = code
            for tile in range(tiles):
                if mask >> tile & 1:
                    one += rest % cells * weight_of_one
                    weight_of_one *= cells
                else:
                    other += rest % cells * weight_of_other
                    weight_of_other *= cells
                rest //= cells
            total = int(parts[begins[mask] + one]) + int(parts[begins[everything ^ mask] + other])
            best = max(best, total)
        if costs[code] > best:
            useful[found] = code
            found += 1
    return found


@lru_cache(maxsize=16)
def useful_patterns(rows: int, columns: int, tiles: int) -> tuple[Pattern, ...]:
    """Return the useful patterns of `tiles` tiles. Raises BadRequest."""
    cells = rows * columns
    if not (2 <= tiles <= MOST_TILES and tiles < cells <= MOST_CELLS):
        raise BadRequest(
            f"many-empty patterns of {tiles} tiles on a board of {rows} x {columns}: expected 2 to {MOST_TILES} tiles, and "
            f"at most {MOST_CELLS} cells"
        )
    find = jit.bind(find_useful, jit.Names({}))
    begins, parts = _costs(rows, columns, tiles - 1)
    useful = np.zeros(cells**tiles, np.int64)
    found = []
    for chosen, costs in _solved(rows, columns, tiles):
        subsets = [tuple(tile for place, tile in enumerate(chosen) if mask >> place & 1) for mask in range(1 << tiles)]
        own = np.array([begins.get(subset, -1) for subset in subsets], np.int64)
        for code in useful[: find(costs, tiles, cells, parts, own, useful)].tolist():
            at = tuple(cells_of(code, tiles, cells))
            alone = sum(_distance(tile, cell, columns) for tile, cell in zip(chosen, at, strict=True))
            found.append(Pattern(chosen, at, int(costs[code]) - alone))
    return tuple(found)


@lru_cache(maxsize=16)
def _costs(rows: int, columns: int, most: int) -> tuple[dict[tuple[int, ...], int], npt.NDArray[np.uint8]]:
    """Return the costs of all placements of at most `most` tiles, and the first index of each choice of tiles."""
    begins: dict[tuple[int, ...], int] = {}
    tables: list[npt.NDArray[np.uint8]] = []
    length = 0
    for tiles in range(1, most + 1):
        for chosen, costs in _solved(rows, columns, tiles):
            begins[chosen] = length
            tables.append(costs.copy())
            length += len(costs)
    return begins, np.concatenate(tables)


def _solved(rows: int, columns: int, tiles: int) -> Iterator[tuple[tuple[int, ...], npt.NDArray[np.uint8]]]:
    """Yield each choice of tiles with the costs of its placements; the next choice overwrites them."""
    cells = rows * columns
    fan, ahead = way_tables(neighbours(rows, columns))
    solve = jit.bind(solve_pattern, jit.Names({}))
    costs, queue = np.zeros(cells**tiles, np.uint8), np.zeros(cells**tiles, np.int64)
    for chosen in combinations(range(1, cells), tiles):
        solve(np.array(chosen, np.int64), cells, fan, ahead, costs, queue)
        yield chosen, costs


def _distance(one: int, other: int, columns: int) -> int:
    return abs(one // columns - other // columns) + abs(one % columns - other % columns)


# --- the bound --------------------------------------------------------------------------------------------------------


@lru_cache(maxsize=8)
def many_empty(rows: int, columns: int, most: int) -> Mapping[str, Any]:
    """Return `h_init`, `h_update` and their kin for useful patterns of 2 to `most` tiles. Raises BadRequest.

    A state has the tile on each cell, 0 for the empty one; a move is ``from << 7 | to`` of the empty cell. The entries are
    kept along the path: a move removes those of its tile, and a trie for the tile on its new cell finds the new ones.
    """
    cells = rows * columns
    patterns = [one for tiles in range(2, most + 1) for one in useful_patterns(rows, columns, tiles)]
    nodes, entries, begins = _tries(patterns, cells)
    distance = np.array(
        [_distance(tile, cell, columns) if tile else 0 for tile in range(cells) for cell in range(cells)]
    )
    room = ROOM[most]

    h_state_size = FIRST_ENTRY + room

    @inlined
    def add_matches(state: State, tile: int, cell: int, wanted: int, carried: Any, row: int, count: int) -> int:
        """Add the entries of a tile on a cell whose tiles are all in `wanted`; return the new number of entries."""
        node, stop = begins[tile * cells + cell], begins[tile * cells + cell + 1]
        while node < stop:
            word = nodes[node]
            if state[word & 15] == word >> 4 & 15:
                entry = entries[node]
                if entry != 0 and entry & ~wanted & MASK == 0 and count < room:
                    carried[row, FIRST_ENTRY + count] = entry
                    count += 1
                node += 1
            else:
                node += word >> 8
        return count

    def h_init(state: State, tables: Any, carried: Any, row: int) -> int:
        total, count, wanted = 0, 0, MASK
        for tile in range(1, cells):
            cell = 0
            while state[cell] != tile:
                cell += 1
            total += distance[tile * cells + cell]
            count = add_matches(state, tile, cell, wanted, carried, row, count)
            wanted &= ~(1 << tile)
        carried[row, 0], carried[row, 1] = total, count
        return int(total + best_gain(carried, row))

    def h(state: State, tables: Any) -> int:
        return h_init(state, tables, np.zeros((1, FIRST_ENTRY + room), np.int64), 0)

    def h_update(
        state: State, move: Move, tables: Any, bound: int, most: int, carried: Any, row: int, after: int
    ) -> int:
        to, origin = move >> 7, move & 127  # of the tile
        tile = state[origin]
        total = carried[row, 0] + distance[tile * cells + to] - distance[tile * cells + origin]
        count = 0
        for place in range(FIRST_ENTRY, FIRST_ENTRY + carried[row, 1]):
            entry = carried[row, place]
            if entry >> tile & 1 == 0:
                carried[after, FIRST_ENTRY + count] = entry
                count += 1
        count = add_matches(state, tile, to, MASK, carried, after, count)
        carried[after, 0], carried[after, 1] = total, count
        return int(total + best_gain(carried, after))

    return {"H_STATE_SIZE": h_state_size, "h": h, "h_init": h_init, "h_update": h_update}


ROOM: Final = {2: 48, 3: 96, 4: 192}
"""Room for entries, by the largest number of tiles in a pattern. Hill climbing found at most 21, 45 and 86; further entries
would not count, and the bound would still be admissible."""


def best_gain(carried: Any, row: int) -> int:
    """Return the largest sum of the gains of entries that share no tile, by trying all such sets in order."""
    count = carried[row, 1]
    rest = 0
    for place in range(FIRST_ENTRY + count - 1, FIRST_ENTRY - 1, -1):
        entry = carried[row, place] & ((1 << REST) - 1)
        rest += entry >> GAIN
        carried[row, place] = entry | rest << REST
    best, total, used = 0, 0, 0
    chosen, depth = 0, 0  # the places of the chosen entries, 9 bits each: at most 7 entries share no tile
    place = 0
    while True:
        if place < count and total + (carried[row, FIRST_ENTRY + place] >> REST) > best:
            entry = carried[row, FIRST_ENTRY + place]
            if entry & used & MASK == 0:
                used |= entry & MASK
                total += entry >> GAIN & 255
                best = max(best, total)
                chosen = chosen << 9 | place
                depth += 1
            place += 1
        elif depth > 0:
            place = chosen & 511
            entry = carried[row, FIRST_ENTRY + place]
            used ^= entry & MASK
            total -= entry >> GAIN & 255
            chosen >>= 9
            depth -= 1
            place += 1
        else:
            return int(best)


def _tries(patterns: list[Pattern], cells: int) -> tuple[Array, Array, Array]:
    """Return the nodes of the tries, their entries (0: none), and the first node of each tile on each cell.

    A node tests for a tile on a cell: bits 0 .. 3 are the cell, 4 .. 7 the tile. If the tile is there, the entry counts,
    and the test goes on at the next node; if not, it skips the number of nodes in the bits above.
    """
    roots: list[dict[tuple[int, int], Any]] = [{} for _ in range(cells * cells)]
    for pattern in patterns:
        entry = sum(1 << tile for tile in pattern.tiles) | pattern.gain << GAIN
        pairs = list(zip(pattern.tiles, pattern.cells, strict=True))
        for tile, cell in pairs:
            node = roots[tile * cells + cell]
            others = [pair for pair in pairs if pair[0] != tile]
            for pair in others[:-1]:
                node = node.setdefault(pair, [0, {}])[1]
            node.setdefault(others[-1], [0, {}])[0] = entry
    nodes: list[int] = []
    entries: list[int] = []

    def write(children: dict[tuple[int, int], Any]) -> None:
        for (tile, cell), (entry, below) in children.items():
            place = len(nodes)
            nodes.append(0)
            entries.append(entry)
            write(below)
            nodes[place] = cell | tile << 4 | len(nodes) - place << 8

    begins = []
    for root in roots:
        begins.append(len(nodes))
        write(root)
    return np.array(nodes), np.array(entries), np.array([*begins, len(nodes)])
