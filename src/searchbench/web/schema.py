"""Describe the API's requests and answers (OpenAPI); answers are plain data and are not validated again."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field


class Error(BaseModel):
    """An error: its kind, and a message for people."""

    kind: str
    message: str


class Problem(BaseModel):
    """The answer to a request that failed (RFC 9457); `kind` is the name of the error in Python."""

    type: str
    title: str
    status: int
    detail: str
    kind: str


class Value(BaseModel):
    """A value: as text, its kind for colouring, and its number (a distance, points, or plies)."""

    text: str
    kind: Literal["win", "draw", "loss", "number", "none"]
    number: int | None


class Probe(BaseModel):
    """The value of one state, and its number in the index (null: a terminal state that has none)."""

    state: str
    number: int | None
    value: Value


class Request(BaseModel):
    """The body or the query of a request; what is not known is refused."""

    model_config = ConfigDict(extra="forbid")


class States(Request):
    """States in the notation of the game."""

    states: list[Annotated[str, Field(max_length=4000)]] = Field(max_length=500)


class Move(BaseModel):
    """A move: as text, the state after it, the cells to click, and its value.

    `value` is for the player who makes the move, `after` for the player to move after it. `cost` is what the
    move costs in a puzzle whose moves differ in it, else null. `lacks` is the part to which the move leads if the database, as a
    slice, lacks it: then both values are null.
    """

    move: str
    state: str
    clicks: list[int]
    value: Value | None
    after: Value | None
    best: bool
    cost: int | None
    lacks: str | None


class Moves(BaseModel):
    """The value of a state and its moves, best first."""

    state: str
    value: Value
    moves: list[Move]


class Position(BaseModel):
    """The content of a position's page; `picture` is SVG, or null if the game has no board.

    Of each cell, `pieces` are the labels, `said` the same in words, and `names` what it is called. `methods` are those by which
    a job can search or prove it, the default first.
    """

    game: str
    state: str
    side: int
    two_players: bool
    methods: list[str]
    picture: str | None
    text: str
    pieces: list[str]
    said: list[str]
    names: list[str]
    result: str | None
    dead_end: str | None
    dead_cells: list[int]
    value: Value | None
    number: int | None
    part: str | None
    moves: list[Move]


class Line(BaseModel):
    """A line of best play: moves, and the states from the first to the last."""

    cost: int
    complete: bool
    moves: list[str]
    states: list[str]
    pictures: list[str | None] | None = None
    texts: list[str] | None = None


class Found(BaseModel):
    """A position that was found."""

    number: int
    state: str
    value: Value
    picture: str | None = None


class FindPage(BaseModel):
    """A page of positions; `next` is the first number of the next page (null: the end), `count` the total if known.

    Where no position is found, `note` tells what cells hold if the condition asks for a piece that none seems to hold.
    """

    states: list[Found]
    next: int | None
    count: int | None
    note: str | None = None


class Counted(Value):
    """A value and the number of states with it."""

    count: int


class Stats(BaseModel):
    """The number of states with each value and without a value, and the longest value of each kind."""

    part: str | None
    values: list[Counted]
    without: int
    longest: list[Counted]
    chart: str | None = None


class DatabaseItem(BaseModel):
    """A database in a list; if it cannot be read now, only its name and the error.

    `begins` is the state to look at first: "start", or "hardest" where the start is in a part that is not there.
    """

    name: str
    game: str = ""
    label: str = ""
    title: str = ""
    values: str = ""
    states: int = 0
    reachable: int = 0
    two_players: bool = False
    sides: list[str] = []
    begins: Literal["start", "hardest"] = "start"
    error: str | None = None


class PartItem(BaseModel):
    """A part: numbers from `start` to `stop` - 1; `called` is what people call it."""

    name: str
    called: str
    start: int
    stop: int


class DatabaseDetails(DatabaseItem):
    """The details of a database; `verified` is null until this server has verified it.

    `stones` are drawings of both players' pieces, where the board tells them apart by colour alone; `mover_sees` tells
    whether states are as the player to move sees them, `chooses_side` whether that player can be chosen while a position
    is put together. `cell_at_start` is the first piece of the start as a condition writes it, or empty.
    """

    parameters: dict[str, str]
    numbers: int
    bytes: int
    size: str
    bits_per_state: float
    compression: float
    form: str
    modulus: int
    cell: str
    parts: list[PartItem]
    command: str
    facts: dict[str, Any]
    verified: dict[str, Any] | None
    hardest: str | None
    lines: bool
    stones: list[str]
    mover_sees: bool
    chooses_side: bool
    cell_at_start: str
    examples: dict[str, str]
    predicates: list[str] = []


class GameItem(BaseModel):
    """A game: its parameters with their defaults, the size of its index, and its databases."""

    name: str
    title: str
    parameters: dict[str, str | None]
    players: int
    values: str
    spec: str
    example: str | None
    size: int | None
    databases: list[str]


class Health(BaseModel):
    """The status of the server."""

    status: Literal["ok"]
    version: str
    databases: int
    running: int
    jobs: bool


class CertificateClaim(BaseModel):
    """A claim in words, and the number of its records."""

    claim: str
    records: int


class CertificateDetails(BaseModel):
    """A certificate: what it claims together, how far that solves the game, what it is made of, and each claim."""

    name: str
    game: str
    label: str
    title: str
    claim: str
    notion: str
    method: str
    records: int
    leaves: list[str]
    root: str
    claims: list[CertificateClaim]


class MoveTo(BaseModel):
    """A move and the state after it."""

    move: str
    state: str


class CertificateReply(MoveTo):
    """A reply, the state after it, and what shows that it does not help."""

    covered: str


class CertificateAnswer(BaseModel):
    """What a claim says of a position: the move to play or the whole sequence, or what answers every reply."""

    claim: str
    by: str
    moves: list[MoveTo]
    replies: list[CertificateReply]


class CertificatePosition(Position):
    """A position, and what each claim says of it: nothing of one to which its play does not lead."""

    answers: list[CertificateAnswer]


class PieceItem(BaseModel):
    """A piece that can be put on the board."""

    label: str
    said: str
    picture: str


class Conditions(Request):
    """The conditions for the positions of a page, and the limit of their number."""

    value: str | None = Field(None, description="A value or range: 31, 20-25, draw, loss 26.", max_length=60)
    part: str | None = Field(None, description="Only in this part.", max_length=200)
    first: int = Field(0, description="Only from this number on; `next` of the page before.", ge=0)
    last: int | None = Field(None, description="Only up to this number.", ge=0)
    where: str | None = Field(None, description="A condition such as count(pieces, 'W') == 3.", max_length=400)
    predicate: str | None = Field(None, description="A predicate that the server was given.", max_length=200)
    limit: int = Field(12, description="At most so many positions.", ge=1, le=100)
    pictures: bool = Field(False, description="Whether to draw each position.")


class Pieces(Request):
    """The piece on each cell, as the player to move sees it; in all else the position is like `like`, or the start."""

    pieces: list[str] = Field(max_length=2000)
    side: int = Field(0, ge=0, le=1)
    like: str = Field("", max_length=4000)


SearchMethod = Literal["idastar", "astar", "bestfirst", "enhanced", "featurespace"]
ProofMethod = Literal["portfolio", "pns", "alphabeta", "dfpn", "graph", "threats", "conspiracy", "sss", "bstar", "mst"]


class JobRequest(Request):
    """A job: solve or search or prove a game, or verify a database."""

    kind: Literal["solve", "search", "prove", "verify"]
    game: str | None = Field(None, max_length=500)
    database: str | None = Field(None, max_length=200)
    state: str | None = Field(None, max_length=4000)
    method: Literal[SearchMethod, ProofMethod] | None = None
    nodes: int | None = Field(None, ge=1)


class JobAnswer(BaseModel):
    """A job, its progress and its result."""

    id: str
    kind: str
    status: Literal["running", "done", "failed", "stopped"]
    request: dict[str, Any]
    seconds: float
    progress: dict[str, Any]
    result: dict[str, Any] | None
    error: Error | None


class BranchAnswer(BaseModel):
    """A node of a proof's tree: the move to it, the numbers of the question at the root (null: infinite), its children."""

    move: str
    proof: int | None
    disproof: int | None
    inner: bool
    children: list[BranchAnswer]


class TreeAnswer(BaseModel):
    """The top of a job's tree: the line to the most-proving node with what branches off, then level by level."""

    id: str
    status: Literal["running", "done", "failed", "stopped"]
    tree: BranchAnswer | None
