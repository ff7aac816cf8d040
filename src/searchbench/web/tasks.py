"""Start, watch and stop jobs by the API."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import AsyncIterator
from functools import partial
from typing import Annotated, Any, Final

from fastapi import APIRouter, Depends, Path, Request
from fastapi.responses import JSONResponse, StreamingResponse

from searchbench.errors import BadRequest
from searchbench.game import Game
from searchbench.index.protocol import line_size
from searchbench.web import schema
from searchbench.web.answers import methods_of
from searchbench.web.api import FAILURES, VERSION, answered, known_parameters, library_of
from searchbench.web.jobs import Job, Jobs

router = APIRouter(prefix=f"{VERSION}/jobs", tags=["jobs"], dependencies=[Depends(known_parameters)])
Id = Annotated[str, Path(description="The id of a job.", max_length=40)]
LOOK_EVERY: Final = 0.1
FIELDS: Final = {
    "solve": ("game",), "search": ("game", "state", "method", "nodes"), "prove": ("game", "state", "method", "nodes"),
    "verify": ("database",),
}  # fmt: skip
"""What each kind of job takes, first that which it needs."""
TELL_EVERY: Final = 1.0
"""Seconds after which an event tells the time even if nothing else has changed."""


def jobs_of(request: Request) -> Jobs:
    """Return the jobs of the server that a request came to. Raises BadRequest if it accepts none."""
    jobs: Jobs | None = request.app.state.jobs
    if jobs is None:
        raise BadRequest("this server only reads: it was started with --read-only, or for other machines")
    return jobs


@router.post("", response_model=schema.JobAnswer, status_code=202, responses=FAILURES)
def start(request: Request, asked: schema.JobRequest) -> JSONResponse:
    """Start a job: solve a small game, search or prove one state, or verify a database."""
    jobs, library = jobs_of(request), library_of(request)
    task: dict[str, Any] = asked.model_dump()
    _check_fields(asked)
    if asked.database is not None:
        name, database = asked.database, library.database(asked.database)
        task["path"], task["game"] = str(database.path), database.game.spec
        return _started(request, jobs.start(task, partial(library.keep_verified, name, database)))
    game = library.game(asked.game or "")
    if asked.kind == "solve":
        _check_size(game, jobs.limits.states)
    else:
        _check_method(asked, game)
        task["state"] = game.position(asked.state or "start").text  # refuse an invalid position at once
    task["game"] = game.spec
    return _started(request, jobs.start(task, named=library.short_name(game)))


def _check_fields(asked: schema.JobRequest) -> None:
    """Refuse a job that lacks what its kind is about, or is given what its kind does not take."""
    needed, *others = FIELDS[asked.kind]
    if not getattr(asked, needed):
        raise BadRequest(f"a job of kind {asked.kind} needs a {needed}")
    for field, given in asked.model_dump(exclude={"kind", needed, *others}, exclude_none=True).items():
        raise BadRequest(
            f"a job of kind {asked.kind} takes {' and '.join(FIELDS[asked.kind])}, but no {field}: {given!r}"
        )


def _check_size(game: Game, most: int) -> None:
    """Refuse to solve a game whose states have no numbers, or more than `most`."""
    size = line_size(game.parts())
    if not size:
        raise BadRequest(f"{game}: its states have no numbers, so it cannot be solved as a whole")
    if size > most:
        raise BadRequest(
            f"{game} has {size:,} states; here games of up to {most:,} are solved: use `searchbench solve`"
        )


def _check_method(asked: schema.JobRequest, game: Game) -> None:
    """Refuse what a job would fail with: a search of a game of two players, or a method that its game does not take."""
    if (asked.kind == "prove") != game.two_players:
        players, other = ("two players", "prove") if game.two_players else ("one player", "search")
        raise BadRequest(f"{game} is a game of {players}: start a job of kind {other}")
    taken = methods_of(game)
    if not taken:
        raise BadRequest(
            f"{game} has no wins, draws and losses to be proved, but values of the rule {game.values!r}: solve it"
        )
    if asked.method is not None and asked.method not in taken:
        raise BadRequest(
            f"a job of kind {asked.kind} for {game} takes one of the methods {', '.join(taken)}, not {asked.method}"
        )


def _started(request: Request, job: Job) -> JSONResponse:
    return answered(request, job.answer(), 202, {"Location": f"{VERSION}/jobs/{job.id}"})


@router.get("", response_model=list[schema.JobAnswer], responses=FAILURES)
def jobs(request: Request) -> JSONResponse:
    """List the jobs that run and those that have ended, the newest first, without their results."""
    return answered(request, [{**job.answer(), "result": None} for job in jobs_of(request).all()])


@router.get("/{name}", response_model=schema.JobAnswer, responses=FAILURES)
def show(request: Request, name: Id) -> JSONResponse:
    """Return the progress or the result of a job."""
    return answered(request, jobs_of(request).get(name).answer())


@router.get("/{name}/tree", response_model=schema.TreeAnswer, responses=FAILURES)
def tree(request: Request, name: Id) -> JSONResponse:
    """Return the top of the tree of a proof by proof-number search, as it was told last; it is null before, or without a tree."""
    job = jobs_of(request).get(name)
    return answered(request, {"id": job.id, "status": job.status, "tree": job.tree})


@router.delete("/{name}", response_model=schema.JobAnswer, responses=FAILURES)
def stop(request: Request, name: Id) -> JSONResponse:
    """Stop a job."""
    return answered(request, jobs_of(request).stop(name).answer())


@router.get(
    "/{name}/events",
    response_class=StreamingResponse,
    responses={200: {"content": {"text/event-stream": {"schema": {"type": "string"}}}}, **FAILURES},
)
async def events(request: Request, name: Id) -> StreamingResponse:
    """Stream a job until it ends, with a server-sent event at each change, and at least every second."""
    job, library = jobs_of(request).get(name), library_of(request)

    async def stream() -> AsyncIterator[str]:
        seen, told = -1, 0.0
        while True:
            ended = job.ended is not None
            if job.changes != seen or ended or time.monotonic() - told > TELL_EVERY:
                seen, told = job.changes, time.monotonic()
                yield f"data: {json.dumps(library.told(job.answer()))}\n\n"
            if ended or await request.is_disconnected():
                return
            await asyncio.sleep(LOOK_EVERY)

    return StreamingResponse(stream(), media_type="text/event-stream", headers={"Cache-Control": "no-store"})
