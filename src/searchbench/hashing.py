"""The contract of hashing: a state's hash, for tables and filters of searches."""

from __future__ import annotations

from searchbench.rules import State
from searchbench.slots import slot


@slot
def key(state: State) -> int:
    """Return a 64-bit hash of the state (multiply and rotate over its cells)."""
    code = 1469598103934665603
    for cell in range(len(state)):
        code = mix(code ^ (int(state[cell]) + 1))  # an interpreted cell would keep its narrow integer type
    return code


def mix(code: int) -> int:
    """Scramble a 63-bit number, one to one enough for a hash table."""
    code &= 0x7FFFFFFFFFFFFFFF
    code = ((code & 0x7FFFFFFF) * 0x5851F42D + (code >> 31) * 0x14057B7F + (code >> 17)) & 0x7FFFFFFFFFFFFFFF
    return code ^ (code >> 29)
