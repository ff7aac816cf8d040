"""Progress on stderr: the stage, elapsed and remaining time, and what is being compiled."""

from __future__ import annotations

import logging
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import TracebackType

from rich.console import Console
from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn, TimeRemainingColumn


class Reporter(logging.Handler):
    """Show how far a computation is; it is what a Run reports to, and it listens to the compiler's log.

    `wanted` is True, False, or None for "on a terminal only". Without it only warnings are shown.
    """

    def __init__(self, wanted: bool | None = None) -> None:
        super().__init__(logging.INFO)
        self.console = Console(stderr=True, highlight=False, markup=False)
        self.shown = sys.stderr.isatty() if wanted is None else wanted
        self.bars = Progress(
            SpinnerColumn(), TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn(),
            TextColumn("left"), TimeRemainingColumn(), console=self.console, transient=self.console.is_terminal,
            disable=not self.shown,
        )  # fmt: skip
        self.task = self.bars.add_task("starting", total=None)
        self.announced = False

    def __call__(self, stage: str, done: int, total: int) -> None:
        """Show a stage, how much of it is done, and its total (0: unknown)."""
        self.bars.update(self.task, description=stage, completed=done, total=total or None)

    def emit(self, record: logging.LogRecord) -> None:
        """Show what the compiler says: one line for a first run, the kernel's name beside the bar, and warnings."""
        message = record.getMessage()
        if record.levelno >= logging.WARNING:
            self.console.print(message)
        elif self.shown:
            if not self.announced:
                self.console.print("compiling the rules; the next run starts at once")
                self.announced = True
            self.bars.update(self.task, description=message)

    @contextmanager
    def paused(self) -> Iterator[None]:
        """Take the bars away while something is written to stdout."""
        self.bars.stop()
        try:
            yield
        finally:
            sys.stdout.flush()
            self.bars.start()

    def __enter__(self) -> Reporter:
        logger = logging.getLogger("searchbench")
        logger.addHandler(self)
        logger.setLevel(logging.INFO)
        self.bars.start()
        return self

    def __exit__(
        self, _kind: type[BaseException] | None, _error: BaseException | None, _trace: TracebackType | None
    ) -> None:
        self.bars.stop()
        logging.getLogger("searchbench").removeHandler(self)
