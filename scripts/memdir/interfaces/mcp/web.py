"""`memdir serve`: many clients over Streamable HTTP at /mcp, and /health for whoever watches over the process.

No session is kept: every request says who asks. Ends at SIGTERM within two seconds.
"""

import functools
import ipaddress
import socket
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

import anyio
import uvicorn
from mcp.server.transport_security import TransportSecuritySettings
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from memdir.app import tokens
from memdir.app.serving import Served
from memdir.app.tokens import Token
from memdir.errors import UsageError
from memdir.interfaces.mcp import server, texts
from memdir.interfaces.mcp.callers import Choices
from memdir.interfaces.mcp.desk import Desk
from memdir.interfaces.mcp.guard import Guard, Limits
from memdir.interfaces.mcp.stdio import end, until_signal

KEEP_ALIVE = 75  # seconds: longer than proxies keep theirs
LOOPBACK = ("127.0.0.1", "localhost", "[::1]")


@dataclass(frozen=True, slots=True)
class Where:
    """Where a server listens and what stands before it. `names`: further hosts that it is called by; `origins`: web
    pages that may ask."""

    host: str = "127.0.0.1"
    port: int = 48400
    insecure_local: bool = False
    behind_proxy: bool = False
    certificate: str = ""
    key: str = ""
    names: tuple[str, ...] = ()
    origins: tuple[str, ...] = ()

    @property
    def scheme(self) -> str:
        return "https" if self.certificate else "http"

    def check(self) -> None:
        """Raises UsageError for what would be open to others."""
        if bool(self.certificate) != bool(self.key):
            raise UsageError("--tls-cert and --tls-key belong together")
        if is_loopback(self.host):
            return
        if self.insecure_local:
            raise UsageError(f"{self.host} can be reached by others: --insecure-local is for 127.0.0.1 alone")
        if not self.certificate and not self.behind_proxy:
            raise UsageError(
                f"{self.host} can be reached by others: give --tls-cert and --tls-key, or --behind-proxy where"
                " something before it speaks TLS"
            )

    def hosts(self, port: int) -> frozenset[str]:
        """What the Host of a request may say."""
        own = [] if self.host in ("0.0.0.0", "::") else [f"[{self.host}]" if ":" in self.host else self.host]
        called = [f"{name}:{port}" for name in (*LOOPBACK, *own, *self.names)]
        return frozenset(name.lower() for name in (*called, *self.names))


def is_loopback(host: str) -> bool:
    try:
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def make(desk: Desk, where: Where, port: int, held: Sequence[Token], limits: Limits) -> Starlette:
    """The application, with its guard before every route."""
    told = texts.HOW
    if not any(one.scopes for one in held):  # the brief is for those who see everything
        with Served(desk.root, desk.looks, now=desk.now) as memory:
            told = texts.instructions(memory, desk.choices.scope)
    served = server.make(desk, told)

    async def health(_: Request) -> Response:
        return JSONResponse({"status": "ok"})

    served.custom_route("/health", methods=["GET"])(health)
    app = served.streamable_http_app(
        json_response=True,
        stateless_http=True,
        max_request_body_size=limits.body,
        transport_security=TransportSecuritySettings(enable_dns_rebinding_protection=False),  # the guard has it
    )
    hosts = where.hosts(port)
    origins = {f"{where.scheme}://{host}" for host in hosts} | {one.lower().rstrip("/") for one in where.origins}
    app.add_middleware(Guard, hosts=hosts, origins=frozenset(origins), tokens=held, limits=limits)
    return app


def run(
    root: Path,
    now: Callable[[], datetime] | None,
    choices: Choices,
    where: Where,
    rate: float,
    say: Callable[[str], None],
) -> None:
    """Serve until SIGTERM. Never returns. Raises UsageError, BadData before it begins."""
    where.check()
    held, place = ([], "") if where.insecure_local else tokens.kept(root)
    desk = Desk(root, choices, now)
    with _bound(where) as listening:
        port = listening.getsockname()[1]
        app = make(desk, where, port, held, Limits(rate=rate, burst=2 * rate))
        shown = f"[{where.host}]" if ":" in where.host else where.host
        told = f"serving {root} at {where.scheme}://{shown}:{port}/mcp; " + (f"tokens: {place}" if held else "no token")
        anyio.run(_serve, desk, app, where, listening, functools.partial(say, told))
    end(desk)


def _bound(where: Where) -> socket.socket:
    """The listening socket. Raises UsageError where there can be none."""
    family = socket.AF_INET6 if ":" in where.host else socket.AF_INET
    try:
        return socket.create_server((where.host, where.port), family=family, backlog=256)
    except OSError as error:
        raise UsageError(f"{where.host}:{where.port} cannot be had ({error.strerror}); give another --port") from error


async def _serve(desk: Desk, app: Any, where: Where, listening: socket.socket, announce: Callable[[], None]) -> None:
    settings = uvicorn.Config(
        app, log_level="warning", access_log=False, server_header=False, proxy_headers=False,
        timeout_keep_alive=KEEP_ALIVE, timeout_graceful_shutdown=1, ws="none",
        ssl_certfile=where.certificate or None, ssl_keyfile=where.key or None,
    )  # fmt: skip
    async with anyio.create_task_group() as group:
        await group.start(until_signal, desk, 1.5)
        announce()
        await uvicorn.Server(settings).serve(sockets=[listening])
        group.cancel_scope.cancel()
