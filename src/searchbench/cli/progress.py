"""Progress on stderr: the stage, elapsed and remaining time, and what is being compiled."""

from __future__ import annotations

import logging
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import TracebackType
from typing import TYPE_CHECKING, Final

from searchbench.cli import compiling

if TYPE_CHECKING:
    from rich.progress import Progress

AFTER: Final = 1.0
"""After how many seconds bars appear on a terminal: what ends sooner needs none, nor the library that draws them."""


class Reporter(logging.Handler):
    """Show how far a computation is; it is what a Run reports to, and it listens to the compiler's log.

    `wanted` is True, False, or None for "on a terminal only, and once it has taken a second". Without it only warnings are
    shown; with False, not even that rules are compiled for long.
    """

    def __init__(self, wanted: bool | None = None) -> None:
        super().__init__(logging.INFO)
        self.on_terminal = sys.stderr.isatty()
        self.shown = self.on_terminal if wanted is None else wanted
        if self.shown or wanted is False:
            compiling.NOTICE.wanted = False
        self.announced = False
        self._stage = ("starting", 0, 0)
        self._bars: Progress | None = None
        self._state = threading.RLock()
        self._timer = threading.Timer(AFTER, self._show) if self.shown and wanted is None else None

    def __call__(self, stage: str, done: int, total: int) -> None:
        """Show a stage, how much of it is done, and its total (0: unknown)."""
        with self._state:
            self._stage = (stage, done, total)
            if self._bars is not None:
                self._bars.update(self._bars.task_ids[0], description=stage, completed=done, total=total or None)

    def emit(self, record: logging.LogRecord) -> None:
        """Show what the compiler says: one line for a first run, the kernel's name beside the bar, and warnings."""
        message = record.getMessage()
        with self._state:
            if record.levelno >= logging.WARNING:
                self.tell(message)
            elif self.shown:
                if not self.announced:
                    self.tell(compiling.told(message))
                    self.announced = True
                if self._bars is not None:
                    self._bars.update(self._bars.task_ids[0], description=message)

    def tell(self, message: str) -> None:
        """Write a line, above the bar if there is one."""
        with self._state:
            if self._bars is None:
                print(message, file=sys.stderr, flush=True)
            else:
                self._bars.console.print(message)

    @contextmanager
    def paused(self) -> Iterator[None]:
        """Take the bar away while something is written to stdout."""
        with self._state:
            if self._bars is not None:
                self._bars.stop()
            yield
            sys.stdout.flush()
            if self._bars is not None:
                self._bars.start()

    def _show(self) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn, TimeRemainingColumn

        console = Console(stderr=True, highlight=False, markup=False)
        bars = Progress(
            SpinnerColumn(), TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn(),
            TextColumn("left"), TimeRemainingColumn(), console=console, transient=console.is_terminal,
        )  # fmt: skip
        with self._state:
            if self.shown:  # it may have ended meanwhile
                stage, done, total = self._stage
                bars.add_task(stage, total=total or None, completed=done)
                self._bars = bars
                bars.start()

    def __enter__(self) -> Reporter:
        logger = logging.getLogger("searchbench")
        logger.addHandler(self)
        logger.setLevel(logging.INFO)
        if self._timer is not None:
            self._timer.daemon = True
            self._timer.start()
        elif self.shown:
            self._show()
        return self

    def __exit__(
        self, _kind: type[BaseException] | None, _error: BaseException | None, _trace: TracebackType | None
    ) -> None:
        if self._timer is not None:
            self._timer.cancel()
        with self._state:
            self.shown = False
            if self._bars is not None:
                self._bars.stop()
        logging.getLogger("searchbench").removeHandler(self)
