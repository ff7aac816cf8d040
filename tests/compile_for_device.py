"""Solve games with the kernels of devices: interpret each launch, and compile its kernel to PTX; no device is needed.

    python compile_for_device.py 'pancake:5 bfs two-bit' 'connect4:3,2,3 sweep' 'sliding:2,4 rows 5' ...

`rows` is streaming with blocks of fewer last elements than there are, so that games of few rows do.

Writes the name and the size of each kernel; exits with 77 where there is no compiler for devices.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from types import SimpleNamespace
from typing import Any

import numpy as np

import searchbench as sb
from searchbench import jit
from searchbench.run import Run
from searchbench.solvers.exhaustive import requested
from searchbench.solvers.exhaustive.device.solve import solve_on_device
from searchbench.solvers.exhaustive.device.streaming import RowSearch
from searchbench.solvers.exhaustive.permutations.plan import Plan

NO_COMPILER = 77


class HostDevice:
    """Stand for a device by the processor's memory, where kernels are interpreted."""

    name, target, memory, simulated = "cuda:0", "interpreted", 1 << 30, True
    demand = jit.Device.demand

    def array(self, values: Any) -> Any:
        """Return a copy."""
        return np.array(values)

    def room(self, count: int, dtype: Any) -> Any:
        """Return a vector."""
        return np.empty(count, dtype)

    def read(self, array: Any) -> Any:
        """Return a copy."""
        return np.array(array)


class Compiling(Run):
    """Compile each kernel that is launched, too, for the types of its arguments."""

    def __init__(self, game: sb.Game) -> None:
        super().__init__(threads=1)
        self.game, self.made, self.sizes = game, {}, {}
        self.bind, jit.bind = jit.bind, self.bound  # of which solvers ask it

    def bound(self, kernel: Callable[..., Any], names: jit.Names, target: Any = None) -> Any:
        """Bind a kernel, and note what it was made of."""
        made = self.bind(kernel, names, target)
        self.made[id(made)] = kernel, names, made
        return made

    def launch(self, kernel: Any, pieces: Iterable[Any], *arguments: Any, after: Any = None) -> list[Any]:
        """Interpret the kernel on the pieces, once it is compiled."""
        plain, names, _ = self.made[id(kernel)]
        if plain.__name__ not in self.sizes:
            text = self.bind(plain, self.for_device(names), "cuda").assembly(tuple(arguments[1:]))
            self.sizes[plain.__name__] = len(text)
        return super().launch(kernel, pieces, *arguments, after=after)

    def for_device(self, names: jit.Names) -> jit.Names:
        """Return the same names for a device: its rules, and its room for states."""
        own = self.game.names(None, "cuda")
        return jit.Names({**names, **{one: own[one] for one in ("new_state", "new_moves")}}, "cuda", names.data)


def main() -> None:
    """Compile what the arguments ask for."""
    try:
        import numba_cuda  # noqa: F401
        from numba import cuda
        from numba.cuda import dispatcher

        cuda.compile_ptx(lambda: None, (), cc=(8, 0))
    except Exception as error:
        print(f"no compiler for devices: {error}"[:300])
        sys.exit(NO_COMPILER)
    dispatcher.get_current_device = lambda: SimpleNamespace(compute_capability=(8, 0))  # it asks a driver
    plain = jit.bind
    for asked in sys.argv[1:]:
        spec, solver, *form = asked.split()
        try:
            game = sb.load(spec)
            run = Compiling(game)
            if solver == "rows":
                RowSearch(Plan(game.sequences(), int(form[0])), game.rank(game.start()), run, HostDevice()).search()
            else:
                request = requested(game, None, solver, None, {"form": form[0]} if form else {})
                solve_on_device(request, run, HostDevice())
        except sb.errors.SearchBenchError as error:
            print(f"{asked}: {type(error).__name__}: {error}")
            continue
        finally:
            jit.bind = plain
        print(f"{asked}: {' '.join(f'{name}={size}' for name, size in run.sizes.items())}")


if __name__ == "__main__":
    main()
