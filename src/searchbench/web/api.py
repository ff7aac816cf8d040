"""Answer questions to databases by a JSON API; nothing here changes anything."""

from __future__ import annotations

from functools import partial
from typing import Annotated, Any, Final, Literal

from fastapi import APIRouter, Depends, Path, Query, Request
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import JSONResponse

from searchbench import __version__
from searchbench.board import state_with
from searchbench.drawing import Column, chart_svg
from searchbench.errors import BadRequest, BadState, SearchBenchError, UnknownName
from searchbench.game import Game, Position
from searchbench.store import Database
from searchbench.store.positions import unheard_of
from searchbench.web import answers, schema
from searchbench.web.finding import Filter, count_all, find_page, hardest_number, part_of
from searchbench.web.library import Library, there_are

VERSION: Final = "/api/v1"


def known_parameters(request: Request) -> None:
    """Refuse parameters of the address that the API's description does not have, or that are repeated. Raises BadRequest."""
    route = request.scope["route"]
    entry = request.app.openapi()["paths"][route.path][request.method.lower()]
    known = [one["name"] for one in entry.get("parameters", ()) if one["in"] == "query"]
    if unknown := [name for name in request.query_params if name not in known]:
        raise BadRequest(f"there is no parameter {unknown[0][:40]!r} here; {there_are(known)}")
    if repeated := [name for name in request.query_params if len(request.query_params.getlist(name)) > 1]:
        raise BadRequest(f"the parameter {repeated[0]!r} is given more than once: give it once")


router = APIRouter(prefix=VERSION, dependencies=[Depends(known_parameters)])

Name = Annotated[str, Path(description="The name of a database.", max_length=200)]
State = Annotated[
    str, Query(description='A state in the notation of the game, "start", or "hardest".', max_length=4000)
]
GameSpec = Annotated[str, Query(description="A game such as sliding:3x3.", max_length=500)]
Side = Annotated[int, Query(description="Who is to move, 0 or 1: drawings keep the first player's view.", ge=0, le=1)]
FAILURES: Final[dict[int | str, dict[str, Any]]] = {
    400: {"model": schema.Problem, "description": "No such position, move or value"},
    404: {"model": schema.Problem, "description": "No such database, part or game"},
    503: {"model": schema.Problem, "description": "The database cannot be read now"},
}


UNSOLVABLE: Final = {**FAILURES, 422: {"model": schema.Problem, "description": "No line leads to a solved state"}}


def library_of(request: Request) -> Library:
    """Return the library of the server that a request came to."""
    library: Library = request.app.state.library
    return library


def answered(request: Request, content: Any, status: int = 200, headers: dict[str, str] | None = None) -> JSONResponse:
    """Return an answer, in which files and databases are called by their names, without the folders of the server."""
    return JSONResponse(library_of(request).told(content), status, headers)


def position_in(database: Database, state: str) -> Position:
    """Return the position of a text; "hardest" is the first of the positions furthest from the end."""
    if state.strip() == "hardest":
        return database.position(hardest_number(database))
    return database.game.position(state)


# --- databases ----------------------------------------------------------------------------------------------------------


@router.get("/health", tags=["server"], response_model=schema.Health)
def health(request: Request) -> JSONResponse:
    """Return the server's version and load."""
    jobs = request.app.state.jobs
    return answered(
        request,
        {
            "status": "ok",
            "version": __version__,
            "databases": len(library_of(request).names()),
            "running": 0 if jobs is None else jobs.running(),
            "jobs": jobs is not None,
        },
    )


@router.get("/databases", tags=["databases"], response_model=list[schema.DatabaseItem])
def databases(request: Request) -> JSONResponse:
    """List the databases; one that cannot be read now comes with the reason."""
    return answered(request, [_item(library_of(request), name) for name in library_of(request).names()])


def _item(library: Library, name: str) -> dict[str, Any]:
    try:
        return library.ask(name, partial(answers.database_answer, name))
    except SearchBenchError as error:
        return {"name": name, "error": str(error)}


@router.get("/databases/{name}", tags=["databases"], response_model=schema.DatabaseDetails, responses=FAILURES)
def details(request: Request, name: Name) -> JSONResponse:
    """Describe a database: its game, size, compression, and whether it has been verified."""
    library = library_of(request)
    answer = library.ask(name, lambda database: answers.details_answer(name, database, library.verified(name)))
    return answered(request, {**answer, "predicates": sorted(library.predicates)})


@router.get("/databases/{name}/probe", tags=["positions"], response_model=schema.Probe, responses=FAILURES)
async def probe(request: Request, name: Name, state: State = "start") -> JSONResponse:
    """Return the value of one state."""
    library = library_of(request)

    def question(database: Database) -> dict[str, Any]:
        return answers.probe_answer(database, position_in(database, state))

    # A look-up is fast; a walk to the start, or a search of the table, would block other requests.
    if library.database(name).modulus or state.strip() == "hardest":
        return answered(request, await run_in_threadpool(library.ask, name, question))
    return answered(request, library.ask(name, question))


@router.post("/databases/{name}/probe", tags=["positions"], response_model=list[schema.Probe], responses=FAILURES)
def probe_many(request: Request, name: Name, asked: schema.States) -> JSONResponse:
    """Return the values of many states, in their order."""

    def question(database: Database) -> list[dict[str, Any]]:
        return [
            answers.probe_answer(database, _of_many(database, place, state)) for place, state in enumerate(asked.states)
        ]

    return answered(request, library_of(request).ask(name, question))


def _of_many(database: Database, place: int, state: str) -> Position:
    """Return one of many positions; an error names its place among them."""
    try:
        return position_in(database, state)
    except BadState as error:
        raise BadState(f"states.{place}: {error}") from None


@router.get("/databases/{name}/moves", tags=["positions"], response_model=schema.Moves, responses=FAILURES)
def moves(request: Request, name: Name, state: State = "start") -> JSONResponse:
    """Return the value of a state and the values of its moves, best first."""

    def question(database: Database) -> dict[str, Any]:
        position = position_in(database, state)
        value = answers.value_answer(database.rule, database.probe(position))
        return {"state": position.text, "value": value, "moves": answers.moves_answer(database, position)}

    return answered(request, library_of(request).ask(name, question))


@router.get("/databases/{name}/position", tags=["positions"], response_model=schema.Position, responses=FAILURES)
def position(request: Request, name: Name, state: State = "start", side: Side = 0) -> JSONResponse:
    """Return a position with its drawing, its value and its moves."""

    def question(database: Database) -> dict[str, Any]:
        return answers.position_answer(database.game, position_in(database, state), side, database)

    return answered(request, library_of(request).ask(name, question))


@router.get("/databases/{name}/line", tags=["positions"], response_model=schema.Line, responses=UNSOLVABLE)
def line(
    request: Request,
    name: Name,
    state: State = "start",
    side: Side = 0,
    limit: Annotated[int, Query(description="At most so many moves.", ge=1, le=400)] = 100,
    pictures: Annotated[bool, Query(description="Whether to draw each position.")] = False,
) -> JSONResponse:
    """Return a line of best play from a state, for both sides, or to a solved state."""

    def question(database: Database) -> dict[str, Any]:
        return answers.line_answer(database, position_in(database, state), side, limit, pictures)

    return answered(request, library_of(request).ask(name, question))


@router.get("/databases/{name}/find", tags=["positions"], response_model=schema.FindPage, responses=FAILURES)
def find(
    request: Request,
    name: Name,
    asked: Annotated[schema.Conditions, Query()],
) -> JSONResponse:
    """Find the positions that meet all conditions; a request searches for a limited time, so a page may be short."""
    library = library_of(request)
    if asked.predicate is not None and asked.predicate not in library.predicates:
        known = ", ".join(library.predicates) or "none (see `searchbench serve --predicate`)"
        raise UnknownName(f"there is no predicate {asked.predicate!r}; there are: {known}")
    test = None if asked.predicate is None else library.predicates[asked.predicate]
    wanted = Filter(asked.value or None, asked.part or None, asked.first, asked.last, asked.where or None, test)

    def question(database: Database) -> dict[str, Any]:
        if wanted.value == "hardest":
            return _page(
                database, wanted._replace(value=database.rule.format(database.hardest())), asked.limit, asked.pictures
            )
        return _page(database, wanted, asked.limit, asked.pictures)

    return answered(request, library.ask(name, question))


def _page(database: Database, wanted: Filter, limit: int, pictures: bool) -> dict[str, Any]:
    page = find_page(database, wanted, limit)
    states = []
    for number in page.numbers:
        found = database.position(number)
        value = answers.value_answer(database.rule, database.rule.decode(database.code(number)))
        states.append({"number": number, "state": found.text, "value": value})
        if pictures:
            states[-1]["picture"] = answers.picture(found)
    note = unheard_of(database, wanted.where) if wanted.where and not states else None
    return {"states": states, "next": page.following, "count": count_all(database, wanted), "note": note}


@router.get("/databases/{name}/stats", tags=["databases"], response_model=schema.Stats, responses=FAILURES)
def stats(
    request: Request,
    name: Name,
    part: Annotated[str | None, Query(description="Only of this part.", max_length=200)] = None,
    chart: Annotated[
        Literal["linear", "log"] | None, Query(description="Also a chart as SVG, with this scale.")
    ] = None,
    width: Annotated[int, Query(description="The width of the chart.", ge=240, le=2000)] = 720,
) -> JSONResponse:
    """Count the states by their value."""

    def question(database: Database) -> dict[str, Any]:
        if part:
            part_of(database, part)
        answer = answers.stats_answer(database, part or None)
        if chart is not None:
            columns = [Column(row["text"], row["count"], row["kind"]) for row in answer["values"]]
            answer["chart"] = chart_svg(columns, chart == "log", style=False, width=width)
        return answer

    return answered(request, library_of(request).ask(name, question))


# --- editing a position ---------------------------------------------------------------------------------------------------


@router.get("/databases/{name}/palette", tags=["positions"], response_model=list[schema.PieceItem], responses=FAILURES)
def palette(request: Request, name: Name, state: State = "start", side: Side = 0) -> JSONResponse:
    """Return the pieces that can be put on the board."""
    return answered(
        request,
        library_of(request).ask(
            name, lambda database: answers.palette_answer(database.game, database.game.position(state), side)
        ),
    )


@router.post("/databases/{name}/arrange", tags=["positions"], response_model=schema.Position, responses=FAILURES)
def arrange(request: Request, name: Name, asked: schema.Pieces) -> JSONResponse:
    """Return the position with these pieces."""

    def question(database: Database) -> dict[str, Any]:
        game = database.game
        like = game.read(asked.like) if asked.like else None
        state = game.format(state_with(game, asked.pieces, like, asked.side))
        return answers.position_answer(game, game.position(state), asked.side, database)

    return answered(request, library_of(request).ask(name, question))


# --- certificates ---------------------------------------------------------------------------------------------------------


@router.get("/certificates", tags=["certificates"], response_model=list[schema.CertificateDetails])
def certificates(request: Request) -> JSONResponse:
    """List the certificates."""
    return answered(request, [walk.described(name) for name, walk in library_of(request).certificates.items()])


@router.get("/certificates/{name}", tags=["certificates"], response_model=schema.CertificateDetails, responses=FAILURES)
def certificate(request: Request, name: Name) -> JSONResponse:
    """Describe a certificate: what it claims, how, and of what it is made."""
    return answered(request, library_of(request).certificate(name).described(name))


@router.get(
    "/certificates/{name}/position",
    tags=["certificates"],
    response_model=schema.CertificatePosition,
    responses=FAILURES,
)
def certificate_position(request: Request, name: Name, state: State = "start", side: Side = 0) -> JSONResponse:
    """Return a position with what a certificate plays there, or with what answers each reply."""
    return answered(request, library_of(request).certificate(name).position(state, side))


# --- games ----------------------------------------------------------------------------------------------------------------


@router.get("/games", tags=["games"], response_model=list[schema.GameItem])
def games(request: Request) -> JSONResponse:
    """List the games: those named when the server was started, then the shipped ones."""
    library = library_of(request)
    of_game: dict[str, list[str]] = {}
    for name, game in library.solved():
        of_game.setdefault(game.name, []).append(name)
    return answered(
        request, [{**item, "databases": of_game.get(item["name"], [])} for item in library.described_games()]
    )


@router.get("/games/position", tags=["games"], response_model=schema.Position, responses=FAILURES)
def game_position(request: Request, game: GameSpec, state: State = "start", side: Side = 0) -> JSONResponse:
    """Return a position of a game with its drawing and its moves, but no values."""
    found: Game = library_of(request).game(game)
    return answered(request, answers.position_answer(found, found.position(state), side))
