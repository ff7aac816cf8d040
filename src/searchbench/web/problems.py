"""Tell errors as the API does: as problems (RFC 9457), each kind with its status and its meaning."""

from __future__ import annotations

import inspect
import json
import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from starlette.responses import JSONResponse

from searchbench import errors
from searchbench.errors import SearchBenchError

PROBLEM: Final = "application/problem+json"
STATUS: Final[tuple[tuple[type[SearchBenchError], int], ...]] = (
    (errors.UnknownName, 404), (errors.UnknownGame, 404), (errors.Unsolvable, 422), (errors.NoFixpoint, 422),
    (errors.LimitReached, 503), (errors.OutOfMemory, 503), (errors.DamagedData, 503), (SearchBenchError, 400),
)  # fmt: skip
"""The HTTP status of each kind of error; the first match counts."""
OF_DEVICES: Final = (errors.NoDevice, errors.NotForDevice)
"""Errors that no request leads to."""
OF_THE_SERVER: Final[dict[str, tuple[int, str]]] = {
    "OtherSite": (403, "A request from a page of another site."),
    "NotFound": (404, "An address that is not there."),
    "MethodNotAllowed": (405, "A method that the address does not take; the header Allow names those that it takes."),
    "BodyTooLong": (413, "A body of too many bytes."),
    "AddressTooLong": (414, "An address, or a position in it, of too many characters."),
    "UnknownHost": (421, "A name of another host, as after DNS rebinding."),
    "Error": (500, "A fault of the server, which goes on."),
}
"""The kinds that no error of the package has: their status and meaning."""
EXPECTED: Final = {
    "less_than_equal": "at most {le}",
    "greater_than_equal": "at least {ge}",
    "int_parsing": "a whole number",
    "int_type": "a whole number",
    "int_from_float": "a whole number",
    "int_parsing_size": "a whole number of fewer digits",
    "bool_parsing": "true or false",
    "bool_type": "true or false",
    "string_type": "a text",
    "string_too_long": "at most {max_length} characters",
    "list_type": "a list",
    "too_long": "a list of at most {max_length}",
    "literal_error": "{expected}",
}
"""What a field takes, for each kind of fault that pydantic finds."""
LONGEST: Final = 60
"""Characters of the JSON of a value that is told as it is."""


def problem(status: int, kind: str, message: str) -> JSONResponse:
    """Return an error as the API's answer; its `kind` is the name of the error in Python, or one of OF_THE_SERVER."""
    answer = {"type": f"/api#{kind}", "title": _title(kind), "status": status, "detail": message, "kind": kind}
    return JSONResponse(answer, status, media_type=PROBLEM)


def of_the_server(kind: str, message: str) -> JSONResponse:
    """Return a problem of one of the kinds of OF_THE_SERVER."""
    return problem(OF_THE_SERVER[kind][0], kind, message)


def status_of(kind: type[Exception]) -> int:
    """Return the HTTP status of a kind of error."""
    return next(status for base, status in STATUS if issubclass(kind, base))


def described() -> dict[str, dict[str, Any]]:
    """Return the title, status and meaning of every kind of problem, for the API's description."""
    told = {kind: (status, meaning) for kind, (status, meaning) in OF_THE_SERVER.items()}
    for error in _descendants(SearchBenchError):
        if error.__module__ == errors.__name__ and error not in OF_DEVICES:
            told[error.__name__] = (status_of(error), _meaning(error))
    ordered = sorted(told.items(), key=lambda item: (item[1][0], item[0]))
    return {kind: {"title": _title(kind), "status": status, "meaning": meaning} for kind, (status, meaning) in ordered}


def _descendants(kind: type[SearchBenchError]) -> Iterator[type[SearchBenchError]]:
    for child in kind.__subclasses__():
        yield child
        yield from _descendants(child)


def _meaning(error: type[SearchBenchError]) -> str:
    text = (inspect.getdoc(error) or "").partition("\n")[0].removeprefix("Report ").removeprefix("that ")
    return text[:1].upper() + text[1:]


def _title(kind: str) -> str:
    return re.sub(r"(?<!^)(?=[A-Z])", " ", kind).capitalize()


def fault(told: Mapping[str, Any]) -> str:
    """Return in words why a request is not as the API's description says: pydantic's error, with its `loc`, `type` and `ctx`."""
    where, kind, context = ".".join(str(word) for word in told["loc"][1:]), told["type"], told.get("ctx", {})
    if kind == "json_invalid":
        return f"the body is no JSON: {context.get('error', told['msg'])}, at character {where}"
    if kind == "extra_forbidden":
        return f"{where}: there is no such field here"
    if kind == "missing":
        return f"{where or 'the body'}: it must be given"
    if not where:  # the body was not read as JSON
        return "the body must be a JSON object, sent with Content-Type: application/json"
    if kind in EXPECTED:
        return f"{where}: expected {EXPECTED[kind].format(**context)}, not {_quoted(told['input'])}"
    return f"{where}: {told['msg']}"


def _quoted(given: Any) -> str:
    """Return what was given, as JSON, or its kind and size where that is long."""
    text = json.dumps(given, default=str)
    if len(text) <= LONGEST:
        return text
    return f"a text of {len(given):,} characters" if isinstance(given, str) else f"{text[:LONGEST]}..."
