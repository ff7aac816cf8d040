"""The protocol of an index: a size, and two functions that rank and unrank some cells of a state."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple, Protocol, runtime_checkable

from searchbench.rules import State

UnrankFunction = Callable[[int, State], None]


class Part(NamedTuple):
    """An interval of the number line, and the parts that its values depend on (including itself if moves can stay in it)."""

    name: str
    start: int
    stop: int
    needs: tuple[str, ...] = ()

    @property
    def size(self) -> int:
        """Return the size of the interval."""
        return self.stop - self.start


def line_size(parts: Iterable[Part]) -> int:
    """Return the size of the number line that the parts divide, 0 without parts."""
    return max((part.stop for part in parts), default=0)


def part_names(asked: str | Iterable[str], parts: Iterable[Part]) -> list[str]:
    """Return the names that are asked for, in a text such as "3-3,4-3" or one by one; names of parts may have commas."""
    if not isinstance(asked, str):
        return list(asked)
    known = {part.name for part in parts}
    most = 1 + max((name.count(",") for name in known), default=0)
    words, names = asked.split(","), []
    while words:
        taken = next((count for count in range(most, 1, -1) if ",".join(words[:count]).strip() in known), 1)
        names.append(",".join(words[:taken]).strip())
        del words[:taken]
    return names


def leads_on(parts: Sequence[Part]) -> bool:
    """Tell whether every move leads to another part, and never back: then no state can come again."""
    needs = {part.name: set(part.needs) for part in parts}
    while needs:
        free = {name for name, needed in needs.items() if not needed & needs.keys()}
        if not free:
            return False
        needs = {name: needed for name, needed in needs.items() if name not in free}
    return True


@runtime_checkable
class Index(Protocol):
    """Map the contents of `width` cells of a state, from cell `at` on, one to one to the numbers 0 .. size - 1.

    `functions(at)` returns plain functions ``rank(state)`` and ``unrank(number, state)`` for
    :func:`searchbench.jit.bind`. Rank may return NOWHERE for contents that the index does not number. An index is
    hashable (a frozen dataclass).
    """

    def __hash__(self) -> int:
        """Return equal hashes for equal indexes."""
        ...

    @property
    def size(self) -> int:
        """Return the number of numbers."""
        ...

    @property
    def width(self) -> int:
        """Return the number of cells that are read and written."""
        ...

    def functions(self, at: int = 0) -> tuple[Any, Any]:
        """Return rank and unrank for the cells from `at` on."""
        ...
