"""Measure layered games solved over decision diagrams: CPU seconds of the layers and of the sweep, in memory, one thread.

python benchmarks/bench_diagrams.py 5x5 6x4 5x6 6x5

Boards of Connect Four by their size, and other games by their names. Bits are those of the index as it is kept, which is
compressed, and those of the values are two.
"""

from __future__ import annotations

import sys
import tempfile
import time
from pathlib import Path

import searchbench as sb
from searchbench.reproduce.row import forget_peak, peak_memory
from searchbench.run import Run
from searchbench.solvers.exhaustive.diagrams.forward import reachable_layers
from searchbench.solvers.exhaustive.diagrams.solve import solve_into
from searchbench.solvers.exhaustive.diagrams.sweep import sweep_all


def bytes_in(folder: Path) -> int:
    """Return the bytes of all files of a folder."""
    return sum(file.stat().st_size for file in folder.rglob("*") if file.is_file())


def measured(spec: str) -> str:
    """Return a row of the table."""
    run = Run(threads=1)
    forget_peak()
    game = sb.load(spec)
    begun = time.process_time()
    layers = reachable_layers(game, run)
    forward = time.process_time() - begun
    begun = time.process_time()
    sweep_all(layers.diagram, run)
    swept = time.process_time() - begun
    memory = peak_memory()
    size = layers.diagram.size
    with tempfile.TemporaryDirectory() as folder:
        begun = time.process_time()
        solve_into(game, Path(folder) / "layers.db", run)
        whole = time.process_time() - begun
        index, values = (bytes_in(Path(folder) / "layers.db" / name) for name in ("index", "parts"))
    return (
        f"{spec:14} {sum(layers.reachable):15,} {size:15,}  {forward:7.2f}  {swept:6.2f}  {size / swept / 1e6:8.1f}  "
        f"{size / whole / 1e6:9.1f}  {8 * index / size:6.3f}  {8 * values / size:6.2f}  {memory / 1e6:7,.0f}"
    )


def main() -> None:
    """Print a row for each game; the first one is measured once before, as its kernels are compiled."""
    specs = [f"connect4:{word}" if word[0].isdigit() else word for word in sys.argv[1:]] or ["connect4:5x5"]
    measured("connect4:4x4")
    print(
        "game                 reachable       undecided  forward   sweep  sweep/us  disk/us   index  values  peak MB\n"
        "                                                 CPU s   CPU s  million positions   bits    bits"
    )
    for spec in specs:
        print(measured(spec), flush=True)


if __name__ == "__main__":
    main()
