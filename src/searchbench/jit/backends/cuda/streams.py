"""The stream on which kernels are launched."""

from __future__ import annotations

from typing import Any, Final


class Current:
    """Hold the stream; 0 is the device's own, in whose order all else waits."""

    stream: Any = 0


CURRENT: Final = Current()
