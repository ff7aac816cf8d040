"""Check every request first: its size and its origin; and restrict the answer's rights in the browser."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

LONGEST_ADDRESS: Final = 16_000
LONGEST_BODY: Final = 64_000
LOCAL: Final = ("localhost", "127.0.0.1", "[::1]")

HEADERS: Final = {
    # Nothing from elsewhere is loaded, nothing is sent elsewhere, and no other page can frame this one.
    "Content-Security-Policy": "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; "
    "frame-ancestors 'none'; base-uri 'none'; form-action 'self'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
}


def error_response(status: int, kind: str, message: str) -> JSONResponse:
    """Return an error as the API's answer."""
    return JSONResponse({"error": {"kind": kind, "message": message}}, status)


class Guard:
    """Refuse requests that are too large, for another host's name, or from a page of another site.

    A page of another site can make a browser send requests to a server on the reader's own machine; the headers Host (after
    DNS rebinding) and Origin show it.
    """

    def __init__(self, app: ASGIApp, hosts: Sequence[str] = LOCAL) -> None:
        self.app = app
        self.hosts = frozenset(hosts)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or answer it."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        refusal = self._refusal(scope)
        if refusal is not None:
            await refusal(scope, receive, send)
            return
        taken = 0

        async def limited() -> Message:
            nonlocal taken
            message = await receive()
            taken += len(message.get("body", b""))
            if taken > LONGEST_BODY:  # a body without a Content-Length
                return {"type": "http.disconnect"}
            return message

        async def with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers.setdefault(name, value)
            await send(message)

        await self.app(scope, limited, with_headers)

    def _refusal(self, scope: Scope) -> JSONResponse | None:
        headers = Headers(scope=scope)
        length = len(scope.get("raw_path") or scope["path"]) + len(scope["query_string"])
        if length > LONGEST_ADDRESS:
            return error_response(
                414,
                "BadRequest",
                f"an address of {length:,} characters: at most {LONGEST_ADDRESS:,}; is that a position?",
            )
        announced = headers.get("content-length", "0")
        if not announced.isdecimal() or int(announced) > LONGEST_BODY:
            return error_response(413, "BadRequest", f"a request of {announced[:20]} bytes: at most {LONGEST_BODY:,}")
        if not self._known(headers.get("host", "")):
            return error_response(421, "BadRequest", f"no host {headers.get('host', '')[:80]!r} is served here")
        origin = headers.get("origin")
        if scope["method"] not in ("GET", "HEAD") and origin and not self._known(origin.partition("://")[2]):
            return error_response(403, "BadRequest", "a page of another site must not start anything here")
        return None

    def _known(self, host: str) -> bool:
        name = host.rpartition(":")[0] if host.rpartition(":")[2].isdecimal() else host
        return "*" in self.hosts or name.lower() in self.hosts
