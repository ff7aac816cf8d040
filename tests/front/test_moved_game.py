"""A game's file that was copied or moved: its compiled rules are read again, not compiled again, and nothing complains."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from front_program import EXAMPLES


def test_compiled_rules_outlive_a_move_of_the_file(tmp_path: Path) -> None:
    def solve(folder: str) -> str:
        (tmp_path / folder).mkdir()
        game = tmp_path / folder / "coins.py"
        game.write_text(Path(EXAMPLES["coins"]).read_text())
        arguments = ["solve", f"{game}:Coins:left={'31' * 50},right={'27' * 50}", "--threads", "1", "--progress"]
        ended = subprocess.run(
            [sys.executable, "-c", "from searchbench.cli import main; main()", *arguments],
            env={**os.environ, "SEARCHBENCH_CACHE": str(tmp_path / "cache")}, capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert ended.returncode == 0, ended.stderr
        assert "dropped" not in ended.stderr
        return ended.stderr

    assert "compiling" in solve("here")
    assert "compiling" not in solve("there")
