"""Being asked to end, by Ctrl-C or a signal: a computation whose work is kept from time to time goes on to its next safe point.

A *safe point* is a place from which the computation can go on once its work is kept. Who passes one says with `at_stake` that
there is work which an end at once would lose, and with `settled` that there is none any more. Asked to end meanwhile, a
program sets `asked`: a checkpoint is due then at the next safe point, and the computation ends there with KeyboardInterrupt.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

_asked = threading.Event()
_owners: set[object] = set()


def ask() -> bool:
    """Ask for the end, where work is at stake; return whether it is: else the program may end at once."""
    if is_at_stake():
        _asked.set()
        return True
    return False


def asked() -> bool:
    """Tell whether the end has been asked for."""
    return _asked.is_set()


def is_at_stake() -> bool:
    """Tell whether there is work that an end at once would lose, and that a safe point will keep."""
    return bool(_owners)


def at_stake(owner: object) -> None:
    """Note that an object will keep work at its next safe point."""
    _owners.add(owner)


def settled(owner: object) -> None:
    """Note that an object has no safe point before it, or that its work is kept."""
    _owners.discard(owner)


@contextmanager
def finished_first() -> Iterator[None]:
    """Have what is done inside finished before the program ends."""
    inside = object()
    at_stake(inside)
    try:
        yield
    finally:
        settled(inside)
