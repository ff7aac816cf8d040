"""Turn the working codes of a solver into those to be stored: the last step of each."""

from __future__ import annotations

from typing import Any

from searchbench import jit
from searchbench.exchange import Table
from searchbench.exchange.decisions import reduce_max
from searchbench.jit import FIRST, STOP
from searchbench.run import Run
from searchbench.solvers.exhaustive.groups import Group
from searchbench.solvers.exhaustive.schedule import Chunks
from searchbench.values.contract import finish


def finish_block(codes: Any, illegal: int, first: int, stop: int) -> int:
    """Replace working codes by the codes to be stored; return the largest."""
    largest = 0
    for number in range(first, stop):
        code = codes[number]
        if code != illegal:
            code = finish(code)
            codes[number] = code
            largest = max(largest, code)
    return largest


def finish_group(names: jit.Names, group: Group, table: Table, run: Run) -> int:
    """Turn the codes of a group into those to be stored; return the largest."""
    kernel, chunks = jit.bind(finish_block, names), Chunks(table.sharing.own(group.bounds))
    return reduce_max(run.launch(kernel, chunks, table.codes, table.illegal, FIRST, STOP, after=table.rest_after), 0)
