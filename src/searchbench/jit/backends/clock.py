"""Clocks of what several threads do at once."""

from __future__ import annotations

import threading
import time
from typing import Final


class SpanClock:
    """Sum the time between a start and a stop; where several threads have started it, as long as one of them has not stopped."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._running = 0
        self._began = self._total = 0.0

    def start(self) -> None:
        """Count one thread, or one more span of it; the first one starts the clock."""
        with self._lock:
            if self._running == 0:
                self._began = time.perf_counter()
                self.started()
            self._running += 1

    def stop(self) -> None:
        """Count one less; the last one stops the clock."""
        with self._lock:
            self._running -= 1
            if self._running == 0:
                self._total += time.perf_counter() - self._began
                self.stopped()

    def started(self) -> None:
        """Be called when the clock has started."""

    def stopped(self) -> None:
        """Be called when the clock has stopped."""

    @property
    def seconds(self) -> float:
        """Return the sum so far, with the span that is going on."""
        with self._lock:
            return self._total + (time.perf_counter() - self._began if self._running else 0.0)


PREPARATION: Final = SpanClock()
"""Runs while some thread compiles kernels, or loads compiled ones or the compiler."""
