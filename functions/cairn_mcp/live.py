"""The tools for a client over standard input and output, which can be told things besides answers."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias, cast

from typing_extensions import override

from cairn.telemetry.call_events import CallEnded, CallObserver, CallStarted
from cairn.tool.catalog import only
from cairn_mcp import progress
from cairn_mcp.addresses import parsed
from cairn_mcp.jsonrpc import RequestId, ResourceMissing
from cairn_mcp.log_lines import ToldLines
from cairn_mcp.server import ToolCall
from cairn_mcp.subscriptions import Subscriptions
from cairn_mcp.toolbox import CatalogTools

Notify: TypeAlias = Callable[[Mapping[str, Any]], None]


class Client:
    """What a client is told, and what it asked to be told."""

    def __init__(self) -> None:
        """Tell nobody until `notify` is set, which writes a message."""
        self.notify: Notify | None = None
        self.lines = ToldLines(self.tell)
        self.subscriptions = Subscriptions(self.tell)

    def tell(self, method: str, **params: Any) -> None:
        """Send a notification."""
        if self.notify is not None:
            self.notify({"jsonrpc": "2.0", "method": method, "params": params})


@dataclass(frozen=True, slots=True, kw_only=True)
class LiveTools(CatalogTools):
    """A profile's tools for a client that is told of calls as they go on."""

    client: Client

    @override
    def call(self, call: ToolCall) -> Mapping[str, Any]:
        """Call a tool, and tell of its progress where it is a long one and the client asked for that."""
        token = progress.running.set(progress.of_call(call, self.client.tell))
        try:
            return CatalogTools.call(self, call)
        finally:
            progress.running.reset(token)

    def set_level(self, level: str) -> None:
        """Tell the client of what is logged at this level and above."""
        self.client.lines.asked = level

    def subscribe(self, uri: str) -> None:
        """Tell the client when a call over this connection may have changed a resource."""
        if not self._is_found(uri):
            raise ResourceMissing(uri)
        self.client.subscriptions.add(uri)

    def unsubscribe(self, uri: str) -> None:
        """Tell the client of a resource no more."""
        self.client.subscriptions.remove(uri)

    def listen(self, listen: RequestId, uris: Sequence[str]) -> None:
        """Tell the client which of these resources there are, and from then on when they may have changed."""
        found = [uri for uri in dict.fromkeys(uris) if self._is_found(uri)]
        self.client.subscriptions.acknowledge(listen, found)
        for uri in found:
            self.client.subscriptions.add(uri, listen)

    def end(self, listen: RequestId) -> None:
        """Tell the client no more of what it listened to by a request that it cancelled."""
        self.client.subscriptions.end(listen)

    def written(self, ended: CallEnded) -> None:
        """Tell of resources that a call may have changed."""
        tool = next(iter(only(self.catalog, ended.call.name)), None)
        if ended.is_error or tool is None or tool.read_only or tool.runs is not None:
            return
        given = cast("dict[str, Any]", ended.call.args) if isinstance(ended.call.args, dict) else {}
        said = {name: value for name, value in given.items() if value is not None}
        self.client.subscriptions.written({**self.context.known_names, **said})

    def _is_found(self, uri: str) -> bool:
        """Tell whether there is such a resource that may change: the page does not."""
        if parsed(uri) is None:
            return False
        try:
            self.read(uri)
        except ResourceMissing:
            return False
        return True


class Heard:
    """Tells the client's call in progress and its subscriptions of each call, and whoever was told before."""

    def __init__(self, before: CallObserver, tools: LiveTools) -> None:
        """Go on telling `before`."""
        self._before = before
        self._tools = tools

    def tool_call(self, event: CallStarted) -> None:
        """Tell that a call starts."""
        self._before.tool_call(event)
        progress.begins(event.name)

    def tool_result(self, event: CallEnded) -> None:
        """Tell that it ended."""
        self._before.tool_result(event)
        progress.ends(event.call.name)
        self._tools.written(event)
