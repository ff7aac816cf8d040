"""Put a game's functions in the place of the contract's names in a kernel, and compile it.

This is the only package that touches Numba. A kernel is a plain Python function that calls names of
:mod:`searchbench.rules`. :func:`bind` walks over everything the kernel can reach (functions, closures, constants,
functions of a user's other modules), replaces the contract's names, and either returns plain Python
(``target="interpreted"``) or compiles (``target="cpu"``).

Compiled code is kept between processes under a *fingerprint*: a hash of the byte code and the constants of all that the
kernel can reach. So an edited game is recompiled, an edited comment is not, and the cache is never stale.
Tables of any size may be among the constants: large ones are read where they are (:mod:`searchbench.jit.backends.cpu.arrays`).
"""

from searchbench.jit.backends import Target, backend, compile_seconds, launch, loading_cpu_seconds, preparation_seconds
from searchbench.jit.binding import bind
from searchbench.jit.cached_files import read_cached, write_cached
from searchbench.jit.data import data_digest, frozen
from searchbench.jit.devices import Device, open_device
from searchbench.jit.fingerprint import cache_folder, fingerprint, is_kept
from searchbench.jit.intrinsics import (
    atomic_add,
    atomic_or,
    atomic_swap,
    deposit_bits,
    extract_bits,
    or_line,
    popcount,
    prefetch,
    prefetch_to_read,
    trailing_zeros,
    unowned,
    unsigned,
    zeros,
)
from searchbench.jit.launching import FIRST, PIECE, STOP, Launch, PerThread, Rows, intervals, note_rows
from searchbench.jit.references import Names, inlined, missing, reached, resolve
from searchbench.slots import SLOTS, Constant, constant, is_slot, slot

__all__ = [
    "FIRST",
    "PIECE",
    "SLOTS",
    "STOP",
    "Constant",
    "Device",
    "Launch",
    "Names",
    "PerThread",
    "Rows",
    "Target",
    "atomic_add",
    "atomic_or",
    "atomic_swap",
    "backend",
    "bind",
    "cache_folder",
    "compile_seconds",
    "constant",
    "data_digest",
    "deposit_bits",
    "extract_bits",
    "fingerprint",
    "frozen",
    "inlined",
    "intervals",
    "is_kept",
    "is_slot",
    "launch",
    "loading_cpu_seconds",
    "missing",
    "note_rows",
    "open_device",
    "or_line",
    "popcount",
    "prefetch",
    "prefetch_to_read",
    "preparation_seconds",
    "reached",
    "read_cached",
    "resolve",
    "slot",
    "trailing_zeros",
    "unowned",
    "unsigned",
    "write_cached",
    "zeros",
]  # fmt: skip
