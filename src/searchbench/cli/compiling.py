"""Say on stderr, once in a process, that rules are being compiled: why a first run waits, and the next one does not."""

from __future__ import annotations

import logging
import sys
import threading
from typing import Final

PATIENCE: Final = 2.0
"""After how many seconds it is said where no progress is shown: what is compiled sooner needs no word."""
SHARE: Final = 0.5
"""The share of these seconds that must have gone into compiling."""


def told(message: str) -> str:
    """Return what is said after a message of the compiler: that it begins with a kernel, or cannot keep what it makes."""
    begins = message.startswith("compiling ")
    after = "the next run starts at once" if begins else f"the next run compiles again: {message}"
    return f"compiling the rules (some seconds, of the largest games a minute or two); {after}"


class Notice:
    """Listen to the compiler's log, and say it after some seconds of compiling, unless a reporter says it, or nobody wants it.

    It is a filter that lets everything pass: warnings go the way that they would go without it.
    """

    def __init__(self) -> None:
        self.wanted = True
        self._waiting = False
        self._lock = threading.Lock()

    def install(self) -> None:
        """Listen from now on."""
        logger = logging.getLogger("searchbench.jit")
        logger.addFilter(self)
        logger.setLevel(logging.INFO)

    def filter(self, record: logging.LogRecord) -> bool:
        """Let the record pass; look some seconds after the compiler has begun whether it is still at work."""
        if record.levelno == logging.INFO:
            with self._lock:
                begins = self.wanted and not self._waiting
                self._waiting = self._waiting or begins
            if begins:
                from searchbench.jit import compile_seconds

                timer = threading.Timer(PATIENCE, self._look, (told(record.getMessage()), compile_seconds()))
                timer.daemon = True
                timer.start()
        return True

    def _look(self, text: str, before: float) -> None:
        from searchbench.jit import compile_seconds

        lasts = compile_seconds() - before >= SHARE * PATIENCE
        with self._lock:
            self._waiting = False
            says, self.wanted = self.wanted and lasts, self.wanted and not lasts
        if says and _is_first_rank():
            print(text, file=sys.stderr, flush=True)


def _is_first_rank() -> bool:
    mpi = sys.modules.get("searchbench.exchange.mpi")
    ranks = mpi.joined_world() if mpi is not None else None
    return ranks is None or ranks.rank == 0


NOTICE: Final = Notice()
"""That of this process."""
