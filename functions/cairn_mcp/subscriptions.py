"""Which resources a client wants to hear of, and which of them a call may have changed.

A client is told of calls over its own connection: no process hears of what another one writes. Where a call does not
say of which session it was, every session that is subscribed to may have changed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from threading import Lock
from typing import Any, Final

from cairn_mcp.addresses import Address, parsed
from cairn_mcp.jsonrpc import INVALID_PARAMS, RequestId, RpcError

SUBSCRIPTION_KEY: Final = "io.modelcontextprotocol/subscriptionId"
"""Where 2026-07-28 says in a notification which subscriptions/listen it belongs to."""
MOST_SUBSCRIBED: Final = 1000


class Subscriptions:
    """The resources that one client subscribed to: by resources/subscribe, or by each subscriptions/listen."""

    def __init__(self, tell: Callable[..., None]) -> None:
        """Tell the client by `tell`, which takes a notification's method and its parameters."""
        self._tell = tell
        self._subscribed: dict[tuple[RequestId | None, str], Address] = {}
        self._changing = Lock()

    def add(self, uri: str, listen: RequestId | None = None) -> None:
        """Tell of a resource from now on; RpcError where there are too many, or for a URI of none."""
        address = parsed(uri)
        with self._changing:
            if address is None or len(self._subscribed) >= MOST_SUBSCRIBED:
                raise RpcError(INVALID_PARAMS, f"A connection has at most {MOST_SUBSCRIBED} subscriptions")
            self._subscribed[listen, uri] = address

    def remove(self, uri: str) -> None:
        """Tell of a resource no more, but for what is listened to."""
        with self._changing:
            self._subscribed.pop((None, uri), None)

    def acknowledge(self, listen: RequestId, uris: list[str]) -> None:
        """Tell which resources a subscriptions/listen is told of; it is the first that the client hears of it."""
        honoured = {"resourceSubscriptions": uris} if uris else {}
        self._tell("notifications/subscriptions/acknowledged", notifications=honoured, **_meta(listen))

    def end(self, listen: RequestId) -> None:
        """Tell a subscriptions/listen that its client cancelled no more."""
        with self._changing:
            for each in [each for each in self._subscribed if each[0] == listen]:
                del self._subscribed[each]

    def written(self, named: Mapping[str, Any]) -> None:
        """Tell of what a call that wrote may have changed; `named` are the names that it was made with."""
        with self._changing:
            subscribed = list(self._subscribed.items())
        for (listen, uri), address in subscribed:
            if address.kind == "known" or _may_be_of(address, named):
                self._tell("notifications/resources/updated", uri=uri, **_meta(listen))


def _may_be_of(address: Address, named: Mapping[str, Any]) -> bool:
    project, session = named.get("project", address.project), named.get("session_id", address.names[0])
    return (project, session) == (address.project, address.names[0])


def _meta(listen: RequestId | None) -> dict[str, Any]:
    return {} if listen is None else {"_meta": {SUBSCRIPTION_KEY: listen}}
