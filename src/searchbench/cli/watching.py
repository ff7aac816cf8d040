"""Watch the program from a thread: tell of rules that do not return, and end it where Ctrl-C alone cannot."""

from __future__ import annotations

import logging
import os
import signal
import sys
import sysconfig
import threading
import types
from collections.abc import Iterator
from pathlib import Path
from typing import Final

PATIENCE: Final = 5.0
"""After how many seconds a function that has not returned is told."""
GRACE: Final = 3.0
"""How many seconds after Ctrl-C the program ends at the latest, unless it writes unfinished work: threads in machine code do
not see it,"""
GRACE_OF_CHECK: Final = 1.0
"""and how many where it checks a game, and has nothing to put in order."""
PACKAGE: Final = str(Path(__file__).parents[1])
LIBRARIES: Final = tuple({sysconfig.get_path(name) for name in ("stdlib", "platstdlib", "purelib", "platlib")})
SHOWN: Final = 200
"""How many characters of a state are shown."""


def watch(exit_code: int, checks: bool = False, patience: float = PATIENCE) -> None:
    """Watch the calling thread, the main one, as long as the program runs; `checks` tells that it checks a game.

    The program ends with the exit code when Ctrl-C does not end it by itself.
    """
    grace = GRACE_OF_CHECK if checks else GRACE
    threading.Thread(target=_tell_of_calls, args=(threading.get_ident(), checks, patience), daemon=True).start()
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        reading, writing = os.pipe()
        os.set_blocking(writing, False)
        signal.set_wakeup_fd(writing, warn_on_full_buffer=False)
        threading.Thread(target=_end_after_interrupt, args=(reading, grace, exit_code), daemon=True).start()


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


# --- Ctrl-C ------------------------------------------------------------------------------------------------------------------


def _end_after_interrupt(reading: int, grace: float, exit_code: int) -> None:
    """End the program some time after Ctrl-C, if it has not ended by itself; a second Ctrl-C ends it at once."""
    while _next_signal(reading) != signal.SIGINT:
        pass
    again = threading.Event()

    def wait_for_second() -> None:
        while _next_signal(reading) != signal.SIGINT:
            pass
        again.set()

    threading.Thread(target=wait_for_second, daemon=True).start()
    while not again.wait(grace) and _keeps_work():
        pass
    os.write(
        2, b"searchbench: interrupted, in the middle of a call that had not returned; work kept before is as it was\n"
    )
    os._exit(exit_code)


def _keeps_work() -> bool:
    """Tell whether unfinished work is being written; where the module for it was not imported, there is none."""
    working = sys.modules.get("searchbench.store.working")
    return working is not None and bool(working.COMMITTING.is_set())


def _next_signal(reading: int) -> int:
    return os.read(reading, 1)[0]
