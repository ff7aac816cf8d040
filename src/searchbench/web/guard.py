"""Check every request first: its size and its origin; and restrict the answer's rights in the browser."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Final

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from searchbench.web.problems import of_the_server

LONGEST_ADDRESS: Final = 16_000
LONGEST_BODY: Final = 64_000
PATIENCE: Final = 20.0
"""Seconds in which the head of a request must come, and each piece of its body."""
LOCAL: Final = ("localhost", "127.0.0.1", "[::1]")

HEADERS: Final = {
    # Nothing from elsewhere is loaded, nothing is sent elsewhere, and no other page can frame this one.
    "Content-Security-Policy": "default-src 'self'; img-src 'self' data:; frame-ancestors 'none'; base-uri 'none'; "
    "form-action 'self'",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
}


class Guard:
    """Refuse requests that are too large, for another host's name, or from a page of another site; answer HEAD as GET.

    A page of another site can make a browser send requests to a server on the reader's own machine; the headers Host (after
    DNS rebinding), Sec-Fetch-Site and Origin show it. It may link to pages, and nothing else.
    """

    def __init__(self, app: ASGIApp, hosts: Sequence[str] = LOCAL) -> None:
        self.app = app
        self.hosts = frozenset(hosts)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or answer it."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        taken, whole = 0, False

        async def limited() -> Message:
            nonlocal taken, whole
            try:
                async with asyncio.timeout(None if whole else PATIENCE):
                    message = await receive()
            except TimeoutError:
                return {"type": "http.disconnect"}
            taken += len(message.get("body", b""))
            whole = not message.get("more_body", False)
            if taken > LONGEST_BODY:  # a body without a Content-Length
                return {"type": "http.disconnect"}
            return message

        bare = scope["method"] == "HEAD"
        if bare:
            scope = {**scope, "method": "GET"}

        async def with_headers(message: Message) -> None:
            if bare and message["type"] == "http.response.body":
                message = {**message, "body": b""}
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers.setdefault(name, value)
            await send(message)

        begun = False

        async def answer(message: Message) -> None:
            nonlocal begun
            if taken <= LONGEST_BODY or begun:  # else the application tells what it makes of half a body
                begun = True
                await with_headers(message)

        refusal = self._refusal(scope)
        await (self.app if refusal is None else refusal)(scope, limited, answer)
        if taken > LONGEST_BODY and not begun:
            await of_the_server("BodyTooLong", f"a body of more than {LONGEST_BODY:,} bytes")(
                scope, limited, with_headers
            )

    def _refusal(self, scope: Scope) -> JSONResponse | None:
        headers = Headers(scope=scope)
        length = len(scope.get("raw_path") or scope["path"]) + len(scope["query_string"])
        if length > LONGEST_ADDRESS:
            return of_the_server(
                "AddressTooLong",
                f"an address of {length:,} characters: at most {LONGEST_ADDRESS:,}; is that a position?",
            )
        announced = headers.get("content-length", "0")
        if not announced.isdecimal() or int(announced) > LONGEST_BODY:
            return of_the_server("BodyTooLong", f"a request of {announced[:20]} bytes: at most {LONGEST_BODY:,}")
        if not self._known(headers.get("host", "")):
            return of_the_server("UnknownHost", f"no host {headers.get('host', '')[:80]!r} is served here")
        reads, origin = scope["method"] in ("GET", "HEAD"), headers.get("origin")
        foreign = headers.get("sec-fetch-site", "none") in ("cross-site", "same-site")
        link = reads and headers.get("sec-fetch-mode") == "navigate"
        if (foreign and not link) or (not reads and origin and not self._known(origin.partition("://")[2])):
            return of_the_server("OtherSite", "a page of another site must not ask or start anything here")
        return None

    def _known(self, host: str) -> bool:
        name = host.rpartition(":")[0] if host.rpartition(":")[2].isdecimal() else host
        return "*" in self.hosts or name.lower() in self.hosts
