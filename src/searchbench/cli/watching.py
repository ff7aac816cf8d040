"""Watch the program from a thread: tell of rules that do not return, and end it where Ctrl-C alone cannot."""

from __future__ import annotations

import contextlib
import logging
import math
import os
import signal
import sys
import sysconfig
import threading
import time
import types
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from searchbench import stopping

PATIENCE: Final = 5.0
"""After how many seconds a function that has not returned is told."""
SIGNALS: Final = tuple(getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name))
"""What asks the program to end: Ctrl-C, the system or a scheduler, and a terminal that is closed."""
GRACE: Final = 3.0
"""How many seconds after Ctrl-C the program ends at the latest, unless work is at stake: machine code does not see it,"""
GRACE_OF_CHECK: Final = 1.0
"""and how many where it checks a game, and has nothing to put in order."""
PACKAGE: Final = str(Path(__file__).parents[1])
LIBRARIES: Final = tuple({sysconfig.get_path(name) for name in ("stdlib", "platstdlib", "purelib", "platlib")})
ECHO: Final = 0.25
"""Within how many seconds a further signal is the first one again: `timeout` sends it to a process, then to its group."""
UNTOLD: Final = 0.5
"""How many seconds after Ctrl-C it is told that the program goes on to its next safe point."""
WAITING: Final = (
    "interrupted; it ends as soon as unfinished work can be kept; a second Ctrl-C or signal ends it at once, without what was "
    "done since the last checkpoint"
)
ENDED: Final = "interrupted, in the middle of a call that had not returned; work kept before is as it was"
SHOWN: Final = 200
"""How many characters of a state are shown."""


def watch(exit_code: int, checks: bool = False, patience: float = PATIENCE) -> None:
    """Watch the calling thread, the main one, as long as the program runs; `checks` tells that it checks a game.

    The program ends with the exit code when Ctrl-C, or a signal to end, does not end it by itself.
    """
    grace = GRACE_OF_CHECK if checks else GRACE
    main = threading.get_ident()
    threading.Thread(target=_tell_of_calls, args=(main, checks, patience), daemon=True).start()
    end = _End()
    if [number for number in SIGNALS if _heed(number, end)]:
        reading, writing = os.pipe()
        os.set_blocking(writing, False)
        signal.set_wakeup_fd(writing, warn_on_full_buffer=False)
        threading.Thread(target=_see_to_the_end, args=(main, reading, grace, exit_code), daemon=True).start()


# --- functions that do not return ------------------------------------------------------------------------------------------


def _tell_of_calls(thread: int, checks: bool, patience: float) -> None:
    """Tell of each call of a game's function that lasts too long; of compiled rules, where a game is checked."""
    before: types.FrameType | None = None
    told: set[types.CodeType] = set()
    pause = threading.Event()
    looks = 0
    while not pause.wait(patience / 5):
        frame = sys._current_frames().get(thread)
        call = _call_of_game(frame) or (frame if checks and frame is not None and _is_ours(frame) else None)
        looks = looks + 1 if call is not None and call is before else 0
        before = call  # kept, so that no other call can have the same frame
        if call is not None and looks >= 5 and call.f_code not in told:
            told.add(call.f_code)
            logging.getLogger("searchbench").warning(_long_call(call, patience))


def _call_of_game(frame: types.FrameType | None) -> types.FrameType | None:
    """Return the outermost call from the package of a function that is neither its own nor of a library, or None."""
    calls = [
        one
        for one in _upwards(frame)
        if one.f_back is not None and _is_ours(one.f_back) and not _is_ours(one) and not _is_of_library(one)
    ]
    return calls[-1] if calls else None


def _upwards(frame: types.FrameType | None) -> Iterator[types.FrameType]:
    while frame is not None:
        yield frame
        frame = frame.f_back


def _is_ours(frame: types.FrameType) -> bool:
    return frame.f_code.co_filename.startswith(PACKAGE)


def _is_of_library(frame: types.FrameType) -> bool:
    name = frame.f_code.co_filename
    return name.startswith(("<", *LIBRARIES))


def _long_call(call: types.FrameType, patience: float) -> str:
    if _is_ours(call):
        return (
            f"the compiled rules have not returned for {patience:g} s, while `{call.f_code.co_name}` of the check calls "
            "them: one of them may not end in some state (Ctrl-C ends the program)"
        )
    state = call.f_locals.get("state")
    where = f" in the state {str(list(state))[:SHOWN]}" if isinstance(state, list | tuple) else ""
    return (
        f"{call.f_code.co_filename}, line {call.f_lineno}: `{call.f_code.co_name}` has not returned for {patience:g} s"
        f"{where}: it may not end (Ctrl-C ends the program)"
    )


# --- Ctrl-C and signals ------------------------------------------------------------------------------------------------------


def _heed(number: int, end: _End) -> bool:
    """Have a signal end the program as Ctrl-C does, unless somebody ignores it; return whether it does."""
    if signal.getsignal(number) not in (signal.default_int_handler, signal.SIG_DFL):
        return False
    signal.signal(number, end)
    return True


class _End:
    """End the program where work is kept next, if there is such a place; else at once."""

    def __init__(self) -> None:
        self.heard = -math.inf

    def __call__(self, _number: int, _frame: types.FrameType | None) -> None:
        now = time.monotonic()
        if now - self.heard < ECHO:
            return
        self.heard = now
        if not stopping.ask():
            raise KeyboardInterrupt


def _see_to_the_end(main: int, reading: int, grace: float, exit_code: int) -> None:
    """End the program after a first signal, if it does not end by itself; a second one ends it at once."""
    os.read(reading, 1)
    first = time.monotonic()
    again, own = threading.Event(), threading.Event()

    def wait_for_second() -> None:
        while os.read(reading, 1):
            if own.is_set():
                own.clear()
            elif time.monotonic() - first >= ECHO:
                again.set()
                return

    threading.Thread(target=wait_for_second, daemon=True).start()
    if not again.wait(UNTOLD) and stopping.is_at_stake():
        _tell(WAITING)
    _wait_for_work(again, grace)
    if stopping.asked() and not again.is_set():  # its work is kept, and it does something else
        own.set()
        signal.pthread_kill(main, signal.SIGINT)
        _wait_for_work(again, grace)
    _tell(ENDED)
    os._exit(exit_code)


def _wait_for_work(again: threading.Event, grace: float) -> None:
    """Wait until no work has been at stake for some seconds, or for the second signal."""
    while not again.wait(grace) and stopping.is_at_stake():
        pass


def _tell(message: str) -> None:
    with contextlib.suppress(OSError):  # the terminal may be gone
        os.write(2, f"searchbench: {message}\n".encode())
