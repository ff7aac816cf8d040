"""Build the wheel and the source distribution, and try them as a user would: in an empty environment outside the tree."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import time
import tomllib
import venv
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
DIST = ROOT / "dist"
GAME = ROOT / "examples" / "tokens.py"
NEEDED = ("searchbench/py.typed", "searchbench/web/assets/", "searchbench/reproduce/recorded.json",
          "searchbench/reproduce/deals/", "searchbench/reproduce/positions/")  # fmt: skip
"""Files that are no modules, and that the package must have."""
started = time.perf_counter()


def told(text: str) -> None:
    """Say what has been done, and after how long."""
    print(f"{time.perf_counter() - started:6.1f} s  {text}", flush=True)


def run(*command: object, folder: Path, **environment: str) -> str:
    """Run a command outside the tree, with nothing of ours on Python's path; stop the program if it fails."""
    clean = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "VIRTUAL_ENV"))}
    done = subprocess.run(
        [str(word) for word in command],
        cwd=folder,
        env=clean | environment,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        sys.exit(f"{' '.join(map(str, command))}: exit code {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


def environment(folder: Path) -> Path:
    """Make an environment and return its programs' folder."""
    venv.create(folder, with_pip=True)
    return folder / "bin"


def build(work: Path) -> tuple[Path, Path]:
    """Build both from a copy without what building leaves behind; return the wheel and the source distribution."""
    shutil.rmtree(DIST, ignore_errors=True)
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    copy = work / "tree"
    for name in filter(None, listed.split("\0")):
        if (ROOT / name).is_file():
            (copy / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, copy / name)
    tools = environment(work / "tools")
    run(tools / "pip", "install", "--quiet", "--disable-pip-version-check", "setuptools>=68", "wheel", folder=work)
    DIST.mkdir()
    for kind in ("wheel", "sdist"):
        run(
            tools / "python",
            "-c",
            f"from setuptools import build_meta; build_meta.build_{kind}({str(DIST)!r})",
            folder=copy,
        )
    (wheel,), (source,) = DIST.glob("*.whl"), DIST.glob("*.tar.gz")
    return wheel, source


def check_contents(wheel: Path, source: Path) -> None:
    """Refuse distributions that lack a module or a file of data, or that have files of other places."""
    inside = set(zipfile.ZipFile(wheel).namelist())
    with tarfile.open(source) as archive:
        kept = {name.partition("/")[2] for name in archive.getnames()}
    modules = {path.relative_to(ROOT / "src").as_posix() for path in (ROOT / "src" / "searchbench").rglob("*.py")}
    if lost := sorted(modules - inside) + sorted(f"src/{one}" for one in modules if f"src/{one}" not in kept):
        sys.exit(f"the distributions lack {', '.join(lost[:5])}")
    for wanted in NEEDED:
        if not any(name.startswith(wanted) for name in inside):
            sys.exit(f"the wheel lacks {wanted}")
    if strange := {name.partition("/")[0] for name in inside} - {
        "searchbench",
        wheel.name.rpartition("-py3")[0] + ".dist-info",
    }:
        sys.exit(f"the wheel has {', '.join(sorted(strange))}, which would be installed beside searchbench")
    if "LICENSE" not in kept or "README.md" not in kept:
        sys.exit("the source distribution lacks the licence or the README")


def try_as_a_user(wheel: Path, work: Path) -> None:
    """Install the wheel alone, and check, solve, verify and ask a game of the user's own; no compiler is on the path."""
    programs, folder = environment(work / "user"), work / "elsewhere"
    folder.mkdir()
    run(programs / "pip", "install", "--quiet", "--disable-pip-version-check", wheel, folder=folder)
    told("installed")
    shutil.copy(GAME, folder / "mygame.py")

    def ask(*words: str) -> str:
        return run(
            programs / "searchbench", *words, folder=folder, PATH=str(programs), SEARCHBENCH_CACHE=str(work / "kernels")
        )

    version = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"]
    expect(f"searchbench {version},", ask("--version"))
    expect("extra web +not installed", ask("doctor"))
    expect("0 broken", ask("check", "mygame.py"))
    expect("kept in mine.db", ask("solve", "mygame.py", "--to", "mine.db"))
    expect("144 positions checked, 0 faults", ask("verify", "mine.db"))
    expect("loss 14", ask("probe", "mine.db", "start"))
    told("a user's game: checked, solved, verified, asked")
    expect("181,440 with a value", ask("solve", "sliding:3x3", "--to", "eight.db"))
    expect('"value": "win"', ask("prove", "hex:3x3", "--json"))
    expect("match", ask("reproduce", "G15", "G1"))
    place = run(programs / "python", "-c", "import searchbench; print(searchbench.__file__)", folder=folder).strip()
    if not Path(place).is_relative_to(work):
        sys.exit(f"the tests used {place}, not what was installed")


def try_source(source: Path, work: Path) -> None:
    """Install the source distribution with the dependencies that are there already, and start the program."""
    folder = work / "elsewhere"
    programs = work / "user" / "bin"
    tools = work / "tools" / "bin"
    wheels = work / "from-source"
    run(
        tools / "pip",
        "wheel",
        "--quiet",
        "--no-deps",
        "--no-build-isolation",
        "--wheel-dir",
        wheels,
        source,
        folder=folder,
    )
    (made,) = wheels.glob("*.whl")
    run(programs / "pip", "install", "--quiet", "--no-deps", "--force-reinstall", made, folder=folder)
    expect("searchbench ", run(programs / "searchbench", "--version", folder=folder))


def resolve_extras(wheel: Path, work: Path) -> None:
    """Let the installer work out all extras together with the package; nothing is installed."""
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    wanted = f"{wheel}[{','.join(extras)}]"
    run(
        work / "user" / "bin" / "pip",
        "install",
        "--quiet",
        "--disable-pip-version-check",
        "--dry-run",
        wanted,
        folder=work,
    )
    told(f"the extras resolve together: {', '.join(extras)}")


def expect(pattern: str, text: str) -> None:
    """Stop the program if a command did not print what it should."""
    if not re.search(pattern, text):
        sys.exit(f"expected {pattern!r}, and got:\n{text}")


def main() -> None:
    """Build, look inside, try."""
    with tempfile.TemporaryDirectory() as name:
        work = Path(name)
        wheel, source = build(work)
        told(f"built {wheel.name} ({wheel.stat().st_size:,} bytes), {source.name} ({source.stat().st_size:,} bytes)")
        check_contents(wheel, source)
        try_as_a_user(wheel, work)
        try_source(source, work)
        told("the source distribution makes the same package")
        resolve_extras(wheel, work)


if __name__ == "__main__":
    main()
