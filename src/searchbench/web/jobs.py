"""Run jobs, which take longer than a request: each in a process of its own, with limits, and stoppable."""

from __future__ import annotations

import json
import os
import re
import secrets
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any, Final

from searchbench.errors import BadRequest, LimitReached, SearchBenchError, UnknownName
from searchbench.store.keep import Keep

Done = Callable[[dict[str, Any]], None]
"""Called with the result of a job."""

KINDS: Final = ("solve", "search", "prove", "verify")
REMEMBERED: Final = 32
"""Ended jobs that are remembered."""
WORK: Final = ("-P", "-m", "searchbench.web.work")
"""What Python is to run for a job. -P: modules are not looked for in the working folder, whose files nobody has trusted."""
LONGEST_NAME: Final = 40
"""The characters of the name of a database that a job makes."""
LONGEST_LINE: Final = 200
"""The characters that are told of the last words of a process."""


@dataclass(frozen=True)
class Limits:
    """The limits of jobs.

    The number of jobs at once; the seconds, memory and nodes of each; the states of a game to solve; and the number of
    games to solve before the server must be restarted.
    """

    at_once: int = 2
    seconds: float = 300.0
    memory: str = "1GB"
    nodes: int = 2_000_000_000
    states: int = 5_000_000
    databases: int = 50


@dataclass
class Job:
    """A job: its request, its progress and its result."""

    id: str
    request: dict[str, Any]
    process: subprocess.Popen[str]
    errors: IO[bytes]
    """What the process says besides its reports."""
    started: float = field(default_factory=time.monotonic)
    status: str = "running"
    progress: dict[str, Any] = field(default_factory=dict)
    tree: dict[str, Any] | None = None
    result: dict[str, Any] | None = None
    error: dict[str, Any] | None = None
    ended: float | None = None
    changes: int = 0

    def answer(self) -> dict[str, Any]:
        """Return the job as the API's answer."""
        seconds = (self.ended or time.monotonic()) - self.started
        return {
            "id": self.id,
            "kind": self.request["kind"],
            "status": self.status,
            "request": {key: self.request.get(key) for key in ("game", "database", "state", "method")},
            "seconds": round(seconds, 2),
            "progress": self.progress,
            "result": self.result,
            "error": self.error,
        }


class Jobs:
    """Start, watch and stop jobs.

    `solved` is called with each database that a job has made, `proved` with each certificate; they return its name.
    """

    def __init__(
        self, limits: Limits, solved: Callable[[Path], str], proved: Callable[[Path], str], keep: Path | None = None
    ) -> None:
        self.limits = limits
        self._solved, self._proved = solved, proved
        self._jobs: dict[str, Job] = {}
        self._lock = threading.Lock()
        self._solved_so_far = 0
        self._targets: set[str] = set()
        self._own = keep is None
        self.folder = keep or Path(tempfile.mkdtemp(prefix="searchbench-"))

    def start(self, request: dict[str, Any], done: Done | None = None, named: str | None = None) -> Job:
        """Start a job; `done` is called with its result. What it makes is `named`, or called by its game.

        Raises LimitReached while the maximum number of jobs runs.
        """
        if request["kind"] not in KINDS:
            raise BadRequest(f"a job of kind {request['kind']!r}: there are {', '.join(KINDS)}")
        with self._lock:
            running = sum(job.status == "running" for job in self._jobs.values())
            if running >= self.limits.at_once:
                raise LimitReached(f"{running} jobs are running, which is as many as may: wait, or stop one")
            if request["kind"] == "solve" and self._solved_so_far >= self.limits.databases:
                raise LimitReached(
                    f"{self._solved_so_far} games have been solved, as many as may be: restart the server"
                )
            job = Job(secrets.token_hex(6), request, *_process())
            self._jobs[job.id] = job
            self._forget()
            target = self._target(named or request.get("game") or "")
        limits = {"seconds": self.limits.seconds, "memory": self.limits.memory}
        nodes = min(request.get("nodes") or self.limits.nodes, self.limits.nodes)
        task = {**request, **limits, "nodes": nodes, "to": str(target)}
        threading.Thread(target=self._follow, args=(job, task, target, done), daemon=True).start()
        return job

    def get(self, name: str) -> Job:
        """Return a job. Raises UnknownName."""
        if name not in self._jobs:
            raise UnknownName(f"there is no job {name[:40]!r}")
        return self._jobs[name]

    def all(self) -> list[Job]:
        """Return the jobs, the newest first."""
        return list(self._jobs.values())[::-1]

    def running(self) -> int:
        """Return how many jobs are running."""
        return sum(job.status == "running" for job in list(self._jobs.values()))

    def stop(self, name: str) -> Job:
        """Stop a job; an ended job is unchanged."""
        job = self.get(name)
        if job.status == "running":
            job.status = "stopped"
            job.process.kill()
        return job

    def close(self) -> None:
        """Stop all jobs, and remove their databases unless `keep` was given."""
        for job in list(self._jobs.values()):
            job.process.kill()
            job.process.wait()
        if self._own:
            shutil.rmtree(self.folder, ignore_errors=True)

    # --- inside ----------------------------------------------------------------------------------------------------------

    def _target(self, named: str) -> Path:
        """Return a folder of a name, with a number if there is one already; it names the database."""
        stem = re.sub(r"[^\w.-]+", "-", named.rpartition("/")[2])[:LONGEST_NAME].strip("-.") or "database"
        chosen, number = f"{stem}.db", 2
        while chosen in self._targets or (self.folder / chosen).exists():
            chosen, number = f"{stem}-{number}.db", number + 1
        self._targets.add(chosen)
        return self.folder / chosen

    def _forget(self) -> None:
        ended = [name for name, job in self._jobs.items() if job.status != "running"]
        for name in ended[: max(0, len(ended) - REMEMBERED)]:
            del self._jobs[name]

    def _follow(
        self, job: Job, task: dict[str, Any], target: Path, done: Done | None
    ) -> None:  # fmt: skip
        """Send the task to the process, and read its reports line by line."""
        timer = threading.Timer(self.limits.seconds, self._too_long, (job,))
        timer.start()
        try:
            assert job.process.stdin is not None
            assert job.process.stdout is not None
            job.process.stdin.write(json.dumps(task))
            job.process.stdin.close()
            for line in job.process.stdout:
                self._hear(job, json.loads(line), target, done)
        except (OSError, ValueError, SearchBenchError) as error:
            job.error = job.error or {"kind": type(error).__name__, "message": f"the job was lost: {error}"}
        finally:
            timer.cancel()
            self._end(job, target)

    def _end(self, job: Job, target: Path) -> None:
        """Record the end of a job, and remove its unfinished files."""
        job.process.wait()
        if job.process.stdout is not None:
            job.process.stdout.close()
        left = [*self.folder.glob(f".{target.name}.*"), *self.folder.glob(f"..{target.name}.*"), Keep(target).working]
        for unfinished in left:
            if unfinished.is_dir():
                shutil.rmtree(unfinished, ignore_errors=True)
            else:
                unfinished.unlink(missing_ok=True)
        self._targets.discard(target.name)
        if job.status == "running":
            job.status = "done" if job.result is not None else "failed"
            if job.result is None and job.error is None:
                job.error = _broken_off(job.process.returncode, job.errors)
        job.errors.close()
        job.ended = time.monotonic()
        job.changes += 1

    def _hear(self, job: Job, told: dict[str, Any], target: Path, done: Done | None) -> None:
        if "progress" in told:
            job.progress = told["progress"]
        elif "tree" in told:
            job.tree = told["tree"]
        elif "error" in told:
            job.error = told["error"]
        else:
            result = told["result"]
            if job.request["kind"] == "solve":
                result["database"] = self._solved(target)
                self._solved_so_far += 1
            if "certificate" in result:
                result["certificate"] = self._proved(Path(result["certificate"]))
            if done is not None:
                done(result)
            job.result = result
        job.changes += 1

    def _too_long(self, job: Job) -> None:
        job.error = {
            "kind": "LimitReached",
            "message": f"stopped after {self.limits.seconds:g} s, the longest a job may take here",
        }
        job.process.kill()


def _broken_off(code: int, errors: IO[bytes]) -> dict[str, str]:
    """Return the error of a job whose process has ended without a report: systems kill where memory is short."""
    if code == -signal.SIGKILL:
        return {"kind": "OutOfMemory", "message": "the job's process was killed, as happens where memory is short"}
    errors.seek(max(0, errors.seek(0, os.SEEK_END) - 20 * LONGEST_LINE))
    lines = errors.read().decode("utf-8", "replace").split("\n")
    last = next((f": {line.strip()[:LONGEST_LINE]}" for line in reversed(lines) if line.strip()), "")
    return {"kind": "Error", "message": f"the job's process broke off with code {code}{last}"}


def _process() -> tuple[subprocess.Popen[str], IO[bytes]]:
    """Start the process of a job, and return it with the file of its errors."""
    errors = tempfile.TemporaryFile()  # noqa: SIM115 - closed when the job ends
    pipe = subprocess.PIPE
    return subprocess.Popen([sys.executable, *WORK], stdin=pipe, stdout=pipe, stderr=errors, text=True), errors
