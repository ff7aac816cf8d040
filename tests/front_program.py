"""How the tests of the front ends call the program."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).parents[1]
EXAMPLES = {
    name: str(ROOT / "examples" / file)
    for name, file in {"token": "tokens.py", "patience": "patience.py", "coins": "coins.py"}.items()
}


class Answer(NamedTuple):
    """Hold what a command came to."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """Return the one JSON object that was printed."""
        return json.loads(self.out)


Program = Callable[..., Answer]
