"""Run the server."""

from __future__ import annotations

import contextlib
import socket
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Final

from searchbench.errors import BadRequest
from searchbench.web.app import create_app
from searchbench.web.guard import LOCAL
from searchbench.web.jobs import Limits
from searchbench.web.library import Library

LONGEST_HEAD: Final = 2 << 20
"""Bytes of a request's head that are read before it is refused, so that the refusal can give the reason."""


def serve(
    library: Library,
    host: str = "127.0.0.1",
    port: int = 8017,
    limits: Limits | None = None,
    keep: Path | None = None,
    ready: Callable[[str], None] = lambda address: None,
) -> None:
    """Serve the explorer until it is interrupted; without `limits` it only reads.

    `ready` is called with the address once the server listens. Raises BadRequest if it cannot listen there.
    """
    import uvicorn

    from searchbench.web.patience import Impatient

    hosts = LOCAL if host in LOCAL else (*LOCAL, "*") if host in ("0.0.0.0", "::") else (*LOCAL, host.lower())
    try:
        place = listening(host, port)
    except OSError as error:
        raise BadRequest(f"{host}:{port} cannot be served: {error.strerror or error}; give another --port") from None
    config = uvicorn.Config(
        create_app(library, limits, hosts, keep), log_level="warning", access_log=False, server_header=False,
        http=Impatient, limit_concurrency=256, h11_max_incomplete_event_size=LONGEST_HEAD, timeout_graceful_shutdown=2,
    )  # fmt: skip
    with place, contextlib.suppress(KeyboardInterrupt):  # the usual end
        ready(f"http://{f'[{host}]' if ':' in host else host}:{place.getsockname()[1]}/")
        # Some games have large indexes: their numbers are counted before somebody waits for the list.
        threading.Thread(target=library.described_games, daemon=True).start()
        uvicorn.Server(config).run([place])


def listening(host: str, port: int) -> socket.socket:
    """Return a listening socket, explicitly of TCP: otherwise asyncio does not turn off Nagle's delay of answers."""
    place = socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        place.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        place.bind((host, port))
        place.listen(128)
    except OSError:
        place.close()
        raise
    return place
