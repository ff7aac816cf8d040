"""Answer that a response has not changed since the reader last had it, by a mark of its content."""

from __future__ import annotations

from hashlib import blake2b
from typing import Final

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

NOT_MODIFIED: Final = 304
COMPRESSED_FROM: Final = 1_000
"""Answers of so many bytes are compressed, which says Vary of them."""


class Unchanged:
    """Give whole JSON answers to GET an ETag, and answer 304 where the reader has them."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, and mark its answer."""
        if scope["type"] != "http" or scope["method"] != "GET":
            await self.app(scope, receive, send)
            return
        wanted = Headers(scope=scope).get("if-none-match", "").split(",")
        known = {mark.strip().removeprefix("W/") for mark in wanted}  # compared as weak marks: RFC 9110, section 13.1.2
        start: Message | None = None

        async def marked(message: Message) -> None:
            nonlocal start
            if message["type"] == "http.response.start":
                kind = Headers(scope=message).get("content-type", "")
                if message["status"] == 200 and kind.startswith("application/json"):
                    start = message  # sent with the body, whose mark it bears
                    return
            elif start is not None:
                first, start = start, None
                if not message.get("more_body"):
                    content = f'"{blake2b(message["body"], digest_size=12).hexdigest()}"'
                    headers = MutableHeaders(scope=first)
                    headers["etag"] = f"W/{content}"
                    headers.setdefault("cache-control", "no-cache")
                    same = bool(known & {content, "*"})
                    if same or len(message["body"]) < COMPRESSED_FROM:
                        headers.add_vary_header("Accept-Encoding")
                    if same:
                        del headers["content-length"]
                        first = {**first, "status": NOT_MODIFIED, "headers": headers.raw}
                        message = {**message, "body": b""}
                await send(first)
            await send(message)

        await self.app(scope, receive, marked)
