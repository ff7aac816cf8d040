"""Build the web application: the API, the pages, and the error handlers."""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from http import HTTPStatus
from pathlib import Path
from typing import Any, Final

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import FileResponse, JSONResponse, Response
from fastapi.staticfiles import StaticFiles
from starlette.exceptions import HTTPException
from starlette.middleware.gzip import GZipMiddleware
from starlette.routing import Match, Route

from searchbench import __version__
from searchbench.drawing import STYLE
from searchbench.errors import SearchBenchError
from searchbench.web import api, problems, tasks
from searchbench.web.guard import LOCAL, Guard
from searchbench.web.jobs import Jobs, Limits
from searchbench.web.library import Library
from searchbench.web.problems import PROBLEM, fault, of_the_server, problem, status_of
from searchbench.web.unchanged import COMPRESSED_FROM, Unchanged

log = logging.getLogger(__name__)
ASSETS: Final = Path(__file__).parent / "assets"
PAGES: Final = {
    "/": "home.html",
    "/databases/{name}": "database.html",
    "/databases/{name}/position": "position.html",
    "/certificates/{name}": "certificate.html",
    "/search": "search.html",
    "/api": "api.html",
}
LONGEST_MESSAGE: Final = 1200

ABOUT: Final = """Ask databases of solved games: values, moves, lines, counts, positions that meet conditions.

The answer to an error is a problem (RFC 9457): `{"type", "title", "status", "detail", "kind"}`. This
description lists all kinds, with their status and meaning, as `x-problems`."""
OF_ALL: Final = {"403": "A page of another site asks", "414": "The address is too long", "421": "Another host's name"}
"""What the guard may answer at any address."""


def create_app(
    library: Library, limits: Limits | None = None, hosts: Sequence[str] = LOCAL, keep: Path | None = None
) -> FastAPI:  # fmt: skip
    """Return the application for the databases of a library.

    Without `limits` it only reads and accepts no jobs. `hosts` are the names under which it can be reached ("*": any).
    Databases solved by jobs are kept in the folder `keep`, or removed at the end if it is None.
    """
    jobs = Jobs(limits, library.add, library.add_certificate, keep) if limits is not None else None

    @asynccontextmanager
    async def lifespan(_app: FastAPI) -> AsyncIterator[None]:
        yield
        if jobs is not None:
            jobs.close()

    app = FastAPI(
        title="searchbench", version=__version__, description=ABOUT, lifespan=lifespan, docs_url=None, redoc_url=None,
        openapi_url="/api/v1/openapi.json",
    )  # fmt: skip
    app.state.library = library
    app.state.jobs = jobs
    app.include_router(api.router)
    app.include_router(tasks.router)
    for address, file in PAGES.items():
        app.get(address, include_in_schema=False)(_page(file))
    app.get("/assets/drawing.css", include_in_schema=False)(_drawing_style)
    app.mount("/assets", StaticFiles(directory=ASSETS), name="assets")
    app.add_exception_handler(SearchBenchError, _refuse)
    app.add_exception_handler(RequestValidationError, _invalid)
    app.add_exception_handler(HTTPException, _http)
    app.add_exception_handler(Exception, _unexpected)
    app.add_middleware(Unchanged)
    app.add_middleware(GZipMiddleware, minimum_size=COMPRESSED_FROM)
    app.add_middleware(Guard, hosts=hosts)
    _describe_problems(app)
    return app


def _describe_problems(app: FastAPI) -> None:
    """Let the API's description say that errors are problems, with all kinds, and nothing of FastAPI's own errors."""
    described = app.openapi()
    content = {PROBLEM: {"schema": {"$ref": "#/components/schemas/Problem"}}}
    for methods in described["paths"].values():
        for entry in methods.values():
            entry["summary"], _, _ = entry["description"].partition("\n")
            entry["operationId"], _, _ = entry["operationId"].partition("_api_v1")
            of_all = {
                "400": "Malformed",
                **OF_ALL,
                **({"413": "The body is too long"} if "requestBody" in entry else {}),
            }
            if "HTTPValidationError" in str(entry["responses"].get("422", "")):
                del entry["responses"]["422"]
            for status, meaning in of_all.items():
                entry["responses"].setdefault(status, {"description": meaning})
            for status, response in entry["responses"].items():
                if int(status) >= HTTPStatus.BAD_REQUEST:
                    response["content"] = content
    for name in ("HTTPValidationError", "ValidationError"):
        described["components"]["schemas"].pop(name, None)
    described["x-problems"] = problems.described()


def _page(file: str) -> Any:
    """Return what answers with a page; where the server has nothing of the name in its address, with status 404."""

    def page(request: Request) -> FileResponse:
        library, name = request.app.state.library, request.path_params.get("name")
        known = name is None or name in library.names() or name in library.certificates
        return FileResponse(ASSETS / file, 200 if known else 404, headers={"Cache-Control": "no-cache"})

    return page


def _drawing_style() -> Response:
    return Response(STYLE, media_type="text/css", headers={"Cache-Control": "no-cache"})


def _refuse(request: Request, error: Exception) -> JSONResponse:
    return problem(status_of(type(error)), type(error).__name__, _short(request.app.state.library.told(str(error))))


def _invalid(_request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, RequestValidationError)
    return problem(400, "BadRequest", _short("; ".join(fault(told) for told in error.errors()[:3])))


def _http(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    if error.status_code == 404 and "text/html" in request.headers.get("accept", ""):
        return FileResponse(ASSETS / "missing.html", 404)
    path = request.url.path[:100]
    if error.status_code == HTTPStatus.NOT_FOUND:
        return of_the_server("NotFound", f"there is no address {path}; GET /api/v1/openapi.json describes all")
    if error.status_code == HTTPStatus.METHOD_NOT_ALLOWED:
        allowed = _methods(request)
        answer = of_the_server("MethodNotAllowed", f"{path} does not take {request.method}, only {allowed}")
        answer.headers["Allow"] = allowed
        return answer
    return problem(error.status_code, "BadRequest", f"{request.method} {path}: {error.detail}")


def _methods(request: Request) -> str:
    """Return the methods that the address of a request takes."""
    found: set[str] = set()
    for route in (*request.app.routes, *api.router.routes, *tasks.router.routes):
        if isinstance(route, Route) and route.matches(request.scope)[0] is not Match.NONE:
            found |= route.methods or set()
    return ", ".join(sorted(found | ({"HEAD"} if "GET" in found else set())))


def _unexpected(request: Request, error: Exception) -> JSONResponse:
    log.error("%s failed", request.url.path, exc_info=error)
    return of_the_server("Error", f"this should not have happened: {type(error).__name__}; the server goes on")


def _short(message: str) -> str:
    return message if len(message) <= LONGEST_MESSAGE else f"{message[: LONGEST_MESSAGE - 4]} ..."
