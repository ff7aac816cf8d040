"""Seconds of the processor that ranks take."""

from __future__ import annotations

import time

from searchbench import jit
from searchbench.exchange.ranks import current


class Clock:
    """Count the seconds of the processor from its making on, without those in which ranks waited or imported the compiler."""

    def __init__(self) -> None:
        self._begun = _used()

    def used(self) -> dict[str, float]:
        """Return, as facts, the seconds of all ranks, which ask together, and those of the one that took the most."""
        taken = current().gather(_used() - self._begun)
        return {"cpu": round(sum(taken), 3), "busiest": round(max(taken), 3)}


def _used() -> float:
    return time.process_time() - current().waited - jit.loading_cpu_seconds()
