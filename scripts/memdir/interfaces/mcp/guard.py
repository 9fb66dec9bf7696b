"""The guard before every route: host, origin, token, size, rate and number of requests. What it does not let through
reaches nothing behind it.

A web page that was led to this port by a name of its own shows another Host or Origin. Secrets are compared in constant
time and never logged.
"""

import hmac
import json
import time
from collections import OrderedDict
from collections.abc import Awaitable, Callable, MutableMapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import anyio

from memdir.app.tokens import Token
from memdir.interfaces.mcp.callers import CALLER, LOCAL, Caller

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

METHODS = {"/mcp": ("POST",), "/health": ("GET", "HEAD")}
OPEN = "/health"  # answers without a token, and says nothing but that it does
PEERS = 1_024  # addresses whose wrong tokens are counted


@dataclass(frozen=True, slots=True)
class Limits:
    """`body`: bytes of a request; `seconds`: until it must be here; `rate`, `burst`: requests a second of one token,
    and how many at once; `wrong`: wrong tokens a second of one address; `at_once`: requests under way."""

    body: int = 4_000_000
    seconds: float = 30.0
    rate: float = 500.0
    burst: float = 1_000.0
    wrong: float = 5.0
    at_once: int = 64


@dataclass(slots=True)
class Bucket:
    """So many requests a second, and no more than `burst` at once."""

    rate: float
    burst: float
    left: float = -1.0
    at: float = 0.0

    def take(self, now: float) -> float:
        """Take one; the seconds to wait where there is none, else 0."""
        left = self.burst if self.left < 0 else min(self.burst, self.left + (now - self.at) * self.rate)
        self.at, self.left = now, left - 1 if left >= 1 else left
        return 0.0 if left >= 1 else (1 - left) / self.rate


class Refused(Exception):
    """What is answered instead: status, a word, further headers."""

    def __init__(self, status: int, said: str, **headers: str) -> None:
        super().__init__(said)
        self.status, self.said, self.headers = status, said, headers


@dataclass
class Guard:
    """`hosts`: what Host may say, with its port; `origins`: what Origin may; no `tokens`: everybody is let in."""

    app: App
    hosts: frozenset[str]
    origins: frozenset[str]
    tokens: Sequence[Token] = ()
    limits: Limits = field(default_factory=Limits)

    def __post_init__(self) -> None:
        self._rates = {one.name: Bucket(self.limits.rate, self.limits.burst) for one in self.tokens}
        self._anyone = Bucket(self.limits.rate, self.limits.burst)
        self._wrong: OrderedDict[str, Bucket] = OrderedDict()
        self._active = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
        elif scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": 1008})
        else:
            try:
                await self._let_in(scope, receive, send)
            except Refused as no:
                await _answer(no, scope["method"], send)

    async def _let_in(self, scope: Scope, receive: Receive, send: Send) -> None:
        self._check_names(scope)
        caller = self._caller(scope)
        allowed = METHODS.get(scope["path"])
        if allowed is None:
            raise Refused(404, "there is /mcp and /health")
        if scope["method"] not in allowed:
            raise Refused(405, f"{scope['path']} takes {', '.join(allowed)}", allow=", ".join(allowed))
        if self._active >= self.limits.at_once:
            raise Refused(503, "too many requests at once", **{"retry-after": "1"})
        self._active += 1
        given = CALLER.set(caller)
        try:
            await self.app(scope, await self._whole(scope, receive), send)
        finally:
            CALLER.reset(given)
            self._active -= 1

    def _check_names(self, scope: Scope) -> None:
        """Host must be one of ours, and Origin too where there is one. Raises Refused."""
        host = _header(scope, b"host")
        if host is None or host.lower() not in self.hosts:
            raise Refused(421, "this host is not served here")
        origin = _header(scope, b"origin")
        if origin is not None and origin.lower() not in self.origins:
            raise Refused(403, "this origin may not ask")

    def _caller(self, scope: Scope) -> Caller:
        """Who asks, by the token alone. Raises Refused."""
        now = time.monotonic()
        if scope["path"] == OPEN and scope["method"] in METHODS[OPEN]:
            return Caller("anybody", frozenset())
        if not self.tokens:
            self._pace(self._anyone, now)
            return LOCAL
        given = (_header(scope, b"authorization") or "").partition(" ")
        secret = given[2].strip().encode("latin-1", "replace") if given[0].lower() == "bearer" else b""
        found = [one for one in self.tokens if hmac.compare_digest(one.secret.encode(), secret)]
        if not found:
            peer = str((scope.get("client") or ("",))[0])
            bucket = self._wrong.setdefault(peer, Bucket(self.limits.wrong, 4 * self.limits.wrong))
            self._wrong.move_to_end(peer)
            if len(self._wrong) > PEERS:
                self._wrong.popitem(last=False)
            self._pace(bucket, now)
            raise Refused(401, "a token is needed: Authorization: Bearer", **{"www-authenticate": "Bearer"})
        one = found[0]
        self._pace(self._rates[one.name], now)
        return Caller(one.name, frozenset(one.rights), one.scopes, one.external)

    def _pace(self, bucket: Bucket, now: float) -> None:
        if wait := bucket.take(now):
            raise Refused(429, "too many requests", **{"retry-after": str(max(1, round(wait)))})

    async def _whole(self, scope: Scope, receive: Receive) -> Receive:
        """The body, read within its bounds before anything else is done with it. Raises Refused."""
        told = _header(scope, b"content-length")
        if told is not None and (not told.isdecimal() or int(told) > self.limits.body):
            raise Refused(413, f"a request has at most {self.limits.body:,} bytes")
        body = bytearray()
        with anyio.move_on_after(self.limits.seconds) as late:
            more = True
            while more:
                message = await receive()
                if message["type"] != "http.request":
                    raise Refused(400, "the request was not finished")
                body += message.get("body", b"")
                more = message.get("more_body", False)
                if len(body) > self.limits.body:
                    raise Refused(413, f"a request has at most {self.limits.body:,} bytes")
        if late.cancelled_caught:
            raise Refused(408, "the request took too long")
        given = False

        async def again() -> MutableMapping[str, Any]:
            nonlocal given
            if given:
                return await receive()
            given = True
            return {"type": "http.request", "body": bytes(body), "more_body": False}

        return again


def _header(scope: Scope, name: bytes) -> str | None:
    """A header that stands there once. Raises Refused for one that stands there twice."""
    found = [value.decode("latin-1") for key, value in scope["headers"] if key.lower() == name]
    if len(found) > 1:
        raise Refused(400, f"{name.decode()} stands there twice")
    return found[0] if found else None


async def _answer(no: Refused, method: str, send: Send) -> None:
    body = b"" if method == "HEAD" else json.dumps({"error": no.said}).encode()
    headers = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
    headers += [(key.encode(), value.encode()) for key, value in no.headers.items()]
    if no.status in (408, 413):
        headers.append((b"connection", b"close"))
    await send({"type": "http.response.start", "status": no.status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
