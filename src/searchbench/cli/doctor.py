"""The command that looks at the installation: versions, the machine, the cache of compiled kernels, the extras."""

from __future__ import annotations

import os
import platform
import shutil
import subprocess
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, version
from typing import NamedTuple

from searchbench.cli import show
from searchbench.cli.commands import Exit
from searchbench.cli.options import Json

NEEDED = ("numpy", "numba", "llvmlite", "numcodecs", "zstandard", "google-crc32c", "psutil", "rich")
EXTRAS = {
    "diagrams": ("oxidd",), "learning": ("pyarrow", "gymnasium", "pettingzoo"), "web": ("fastapi", "uvicorn"),
    "cluster": ("mpi4py",), "cuda": ("numba-cuda",),
}  # fmt: skip
BROWSERS = ("chromium", "chromium-browser", "google-chrome", "firefox")


class Finding(NamedTuple):
    """Hold one fact, and the way out where it is a fault; `fault` is "" otherwise."""

    name: str
    fact: str
    fault: str = ""


def doctor(as_json: Json = False) -> None:
    """Show versions, cores, memory, the cache and the extras; exit code 10 if something that is needed is missing."""
    findings = list(_findings())
    if as_json:
        show.write_json({one.name: {"fact": one.fact, "fault": one.fault} for one in findings})
    else:
        show.write(show.table([(one.name, one.fact, one.fault) for one in findings], ("", "found", "what to do")))
    if any(one.fault for one in findings):
        raise Exit(10)


def _findings() -> Iterator[Finding]:
    import psutil

    from searchbench import Run, __version__
    from searchbench.machine import free_memory

    yield Finding("searchbench", __version__)
    yield Finding("Python", f"{platform.python_version()}, {platform.system()} {platform.machine()}")
    for package in NEEDED:
        found = _version(package)
        yield Finding(package, found or "missing", "" if found else f"pip install {package}")
    yield _compiler()
    yield Finding("cores", f"{os.cpu_count()}; {Run().threads} threads by default")
    yield Finding("memory", f"{psutil.virtual_memory().total / 1e9:.1f} GB, {free_memory() / 1e9:.1f} GB free")
    yield _cache()
    for extra, packages in EXTRAS.items():
        told = [f"{package} {_version(package)}" for package in packages if _version(package)]
        missing = [package for package in packages if not _version(package)]
        way = f"; for it: pip install 'searchbench[{extra}]'" if missing else ""
        yield Finding(f"extra {extra}", f"{', '.join(told) or 'not installed'}{way}")
    # A cluster's own MPI may stand in the place of that of the extra, so the program is looked for, not the package.
    yield Finding(
        "mpiexec", shutil.which("mpiexec") or "none found: several ranks need an MPI, which the extra cluster brings"
    )
    yield _device()
    browser = next((name for name in BROWSERS if shutil.which(name)), None)
    yield Finding("browser", browser or "none found; `searchbench serve` prints the address to open elsewhere")


def _compiler() -> Finding:
    """Compile a function, or say why not."""
    from searchbench import jit
    from searchbench.jit.backends.cpu.compiling import TESTED

    try:
        if jit.bind(_two, jit.Names({}))() != 2:
            return Finding("compiler", "compiled code computes wrong results", "install numba and llvmlite anew")
    except Exception as error:
        return Finding("compiler", f"{type(error).__name__}: {error}", "install numba and llvmlite anew")
    if not _version("numba").startswith(TESTED):
        return Finding(
            "compiler", f"works; tested with Numba {', '.join(TESTED)}x, with yours the first start takes longer"
        )
    return Finding("compiler", "works")


def _two() -> int:
    return 2


def _cache() -> Finding:
    from searchbench.jit.fingerprint import cache_folder

    folder = cache_folder()
    kernels = [file.stat().st_size for file in folder.rglob("*") if file.is_file()] if folder.is_dir() else []
    parent = next(place for place in (folder, *folder.parents) if place.exists())
    if not os.access(parent, os.W_OK):
        return Finding("cache", f"{folder} cannot be written", "set SEARCHBENCH_CACHE to a folder of yours")
    return Finding("cache", f"{folder}: {len(kernels):,} files, {sum(kernels) / 1e6:.1f} MB")


def _device() -> Finding:
    """Tell which CUDA devices the driver knows."""
    program = shutil.which("nvidia-smi")
    if program is None:
        return Finding("CUDA device", "none: there is no driver")
    listed = subprocess.run([program, "-L"], capture_output=True, text=True, check=False)
    return Finding("CUDA device", listed.stdout.strip() or "none")


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return ""
