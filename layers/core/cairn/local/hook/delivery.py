"""Post an event to the server and take its answer."""

from __future__ import annotations

import json
import time
from http import HTTPStatus
from http.client import HTTPConnection, HTTPException, HTTPResponse, HTTPSConnection
from typing import Any, Final, cast
from urllib.parse import SplitResult, quote, urlencode, urlsplit

from cairn.local.hook.client_file import LOOPBACK, Client
from cairn.local.hook.event import Event, encoded

_CONNECT_SECONDS: Final = 1.0
_MOST_ANSWER: Final = 1_000_000
"""How many bytes of an answer are read; what is longer is no JSON then."""
_REFUSED: Final = "x-cairn-refused"
"""The header of an answer that changes nothing: the status with which the event was refused."""
_LATER: Final = frozenset({HTTPStatus.REQUEST_TIMEOUT, HTTPStatus.CONFLICT, HTTPStatus.TOO_MANY_REQUESTS})
"""Refusals that end by themselves: another call holds the session, or there are too many calls."""
_CLIENT: Final = frozenset({HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN, HTTPStatus.NOT_FOUND})
"""Refusals that the client file is the reason of, not the event."""


class Undelivered(Exception):
    """An event did not arrive; the message says why, without content or key.

    `status` is that of the refusal, None where no answer came. `is_cairns` tells whether Cairn itself refused this one
    event, and no gateway or lack of connection all of them.
    """

    def __init__(self, problem: str, status: int | None = None, *, is_cairns: bool = False) -> None:
        """Keep what happened."""
        super().__init__(problem)
        self.status = status
        self.is_cairns = is_cairns

    is_late = False
    """Whether the server was waited for in vain."""

    @property
    def is_for_later(self) -> bool:
        """Tell whether the same event may be taken another time."""
        return self.status is None or self.status >= HTTPStatus.INTERNAL_SERVER_ERROR or self.status in _LATER

    @property
    def is_of_all(self) -> bool:
        """Tell whether other events would fare no better now."""
        return self.is_for_later and not self.is_cairns

    @property
    def is_of_client(self) -> bool:
        """Tell whether it may be taken once the client file is put right."""
        return self.status in _CLIENT


class Late(Undelivered):
    """The server was waited for in vain."""

    is_late = True


def post(client: Client, event: Event, until: float) -> dict[str, Any]:
    """Return the server's answer in the agent's form; Undelivered where it takes not the event or is not done in time.

    `until` is on the monotonic clock, in seconds. A slow answer may outlast it by as long as each part of it takes.
    """
    parts = urlsplit(client.url)
    path = f"{parts.path}/v1/hooks/{quote(event.agent, safe='')}{_query(event.user)}"
    try:
        connection = _connection(parts, min(_CONNECT_SECONDS, _left(until)))
        try:
            connection.connect()
            connection.sock.settimeout(_left(until))
            connection.request("POST", path, encoded(event.told), _headers(client, event))
            answer = connection.getresponse()
            return _taken(answer, answer.read(_MOST_ANSWER))
        finally:
            connection.close()
    except TimeoutError:
        raise Late(f"{parts.netloc} gave no answer in time") from None
    except (OSError, HTTPException) as error:
        raise Undelivered(f"{parts.netloc} gave no answer: {type(error).__name__}") from None


def _taken(answer: HTTPResponse, body: bytes) -> dict[str, Any]:
    refused = answer.getheader(_REFUSED, "")
    if answer.status != HTTPStatus.OK:
        raise Undelivered(f"the server answered with status {answer.status}", answer.status)
    if refused.isascii() and refused.isdigit():
        raise Undelivered(f"Cairn refused the event with status {refused}", int(refused), is_cairns=True)
    try:
        said = json.loads(body)
    except (ValueError, RecursionError):
        said = None
    if not isinstance(said, dict):
        raise Undelivered("the server answered something that is no JSON object", answer.status)
    return cast("dict[str, Any]", said)


def _headers(client: Client, event: Event) -> dict[str, str]:
    told = {"Content-Type": "application/json", "Authorization": f"Bearer {client.key}"}
    named = {"X-Cairn-User": event.user} if event.user and event.user.isascii() else {}
    return {**told, "X-Cairn-Project": event.project, **named}


def _query(user: str | None) -> str:
    """Return the user's name where a header could not hold it."""
    return "" if user is None or user.isascii() else f"?{urlencode({'user': user})}"


def _left(until: float) -> float:
    left = until - time.monotonic()
    if left <= 0:
        raise TimeoutError
    return left


def _connection(parts: SplitResult, seconds: float) -> HTTPConnection:
    host = parts.hostname or ""
    if parts.scheme == "http":
        return HTTPConnection(host, parts.port, timeout=seconds)
    proxy = None if host in LOOPBACK else _proxy(parts.netloc)
    if proxy is None:
        return HTTPSConnection(host, parts.port, timeout=seconds)
    connection = HTTPSConnection(proxy.hostname or "", proxy.port or 80, timeout=seconds)
    connection.set_tunnel(host, parts.port, _credentials(proxy))
    return connection


def _proxy(address: str) -> SplitResult | None:
    """Return the proxy that HTTPS_PROXY names, unless NO_PROXY excepts this address."""
    import os  # noqa: PLC0415 - what few need is loaded where it is needed

    if not (os.environ.get("https_proxy") or os.environ.get("HTTPS_PROXY")):
        return None
    from urllib.request import getproxies_environment, proxy_bypass  # noqa: PLC0415

    named = getproxies_environment().get("https", "")
    if proxy_bypass(address):
        return None
    proxy = urlsplit(named if "://" in named else f"http://{named}")
    if proxy.scheme != "http" or not proxy.hostname:
        raise Undelivered("HTTPS_PROXY must be an address such as http://proxy.example.com:3128")
    return proxy


def _credentials(proxy: SplitResult) -> dict[str, str]:
    if proxy.username is None:
        return {}
    from base64 import b64encode  # noqa: PLC0415 - as above
    from urllib.parse import unquote  # noqa: PLC0415

    pair = f"{unquote(proxy.username)}:{unquote(proxy.password or '')}"
    return {"Proxy-Authorization": f"Basic {b64encode(pair.encode()).decode()}"}
