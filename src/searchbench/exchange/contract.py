"""The exchange's contract: how a kernel reads the value of a state that another part of the table, or another node, holds."""

from __future__ import annotations

from searchbench.rules import Code, Rank
from searchbench.slots import slot


@slot
def finished_code(codes: object, number: Rank) -> Code:
    """Return the stored code of a state in a finished part.

    In one address space that is a read of the table. Whoever shares the table among processes fills this slot, for example
    with a look at answers that were asked for before.
    """
    return codes[number]  # type: ignore[index,no-any-return]
