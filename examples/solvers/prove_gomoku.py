"""Prove go-moku in a working folder: ``python examples/solvers/prove_gomoku.py FOLDER``. It goes on where it stopped."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from searchbench.errors import SearchBenchError
from searchbench.solvers.proof.gomoku.branch import progress
from searchbench.solvers.proof.gomoku.opening import Opening
from searchbench.solvers.proof.gomoku.rounds import prove
from searchbench.solvers.proof.gomoku.together import close
from searchbench.solvers.proof.gomoku.trees import take_over, write_trees


def tell(line: str) -> None:
    """Print a line at once."""
    print(line, flush=True)


def main() -> int:
    """Run the command; return its exit code: 0 for a whole proof, 10 for an unfinished one."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, help="the working folder, made unless it exists")
    parser.add_argument("--threads", type=int, default=1, help="processes at work (default: 1)")
    parser.add_argument("--seconds", type=float, default=0.0, help="stop after so many seconds (default: never)")
    parser.add_argument("--branches", default="", help="white's replies to work on, such as j10,a1 (default: all)")
    parser.add_argument("--size", type=int, default=15, help="columns and rows (default: 15)")
    parser.add_argument("--rule", default="free", help="free (five or more win) or standard (exactly five)")
    parser.add_argument(
        "--close", action="store_true", help="try every white reply to every record of finished branches"
    )
    parser.add_argument("--progress", action="store_true", help="only tell how far the work is")
    parser.add_argument("--proved", type=Path, help="begin with what the text files of this folder prove")
    parser.add_argument("--write", type=Path, help="in the end write what is proved as text files to this folder")
    options = parser.parse_args()
    try:
        opening = Opening(options.size, options.rule)
        if options.proved:
            tell(f"{take_over(options.proved, options.folder, opening):,} replies taken from {options.proved}")
        if not options.progress:
            names = [name for name in options.branches.split(",") if name]
            step = close if options.close else prove
            step(options.folder, opening, options.threads, options.seconds, names, tell)
        if options.write:
            tell(f"{write_trees(options.folder, options.write, opening)} branches written to {options.write}")
        reached = progress(options.folder, opening)
    except SearchBenchError as error:
        print(error, file=sys.stderr)
        return error.exit_code
    print(reached)
    return 0 if reached.finished == reached.branches else 10


if __name__ == "__main__":
    sys.exit(main())
