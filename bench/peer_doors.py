"""The doors through which a bench keeps and finds memories: MCP tools, or a library's own calls."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from mcp_wire import Client, Server
from planted import Memory


class Running(Protocol):
    """A contender with its store open."""

    server: Server

    def store(self, memory: Memory) -> float:
        """Keep a memory and return the milliseconds that took."""
        ...

    def search(self, question: str) -> tuple[float, str]:
        """Return the milliseconds a search took, and its answer."""
        ...

    def fill(self, memories: Sequence[Memory]) -> None:
        """Keep many memories, at once where the contender can."""
        ...

    def listing(self) -> str:
        """Return what tools/list sends, nothing for a library."""
        ...


@dataclass(frozen=True, slots=True)
class Tools:
    """The names and arguments of the MCP tools that keep and find; `keep_many` where one call keeps several."""

    keep: Callable[[Memory], tuple[str, Mapping[str, Any]]]
    find: Callable[[str], tuple[str, Mapping[str, Any]]]
    keep_many: Callable[[Sequence[Memory]], tuple[str, Mapping[str, Any]]] | None = None


class McpRunning:
    """A server that speaks MCP."""

    def __init__(self, server: Server, client: Client, tools: Tools) -> None:
        """Call these tools."""
        self.server = server
        self._client = client
        self._tools = tools

    def store(self, memory: Memory) -> float:
        """Keep a memory and return the milliseconds that took."""
        return self._client.call(*self._tools.keep(memory))[0]

    def search(self, question: str) -> tuple[float, str]:
        """Return the milliseconds a search took, and the text that a model gets."""
        return self._client.call(*self._tools.find(question))

    def fill(self, memories: Sequence[Memory]) -> None:
        """Keep many memories."""
        if self._tools.keep_many is None:
            for memory in memories:
                self.store(memory)
        else:
            self._client.call(*self._tools.keep_many(memories))

    def listing(self) -> str:
        """Return what tools/list sends, as compact JSON."""
        return json.dumps(self._client.tools(), ensure_ascii=False, separators=(",", ":"))


class LibraryRunning:
    """A library behind a process of the bench's own; times are taken in that process, around the call alone."""

    def __init__(self, server: Server) -> None:
        """Speak to this process."""
        self.server = server

    def store(self, memory: Memory) -> float:
        """Keep a memory and return the milliseconds that took."""
        return float(self._ask({"call": "store", "key": str(memory.number), "text": memory.text})["ms"])

    def search(self, question: str) -> tuple[float, str]:
        """Return the milliseconds a search took, and the texts found."""
        answer = self._ask({"call": "search", "query": question})
        return float(answer["ms"]), "\n".join(answer["texts"])

    def fill(self, memories: Sequence[Memory]) -> None:
        """Keep many memories."""
        for memory in memories:
            self.store(memory)

    def listing(self) -> str:
        """Return nothing."""
        return ""

    def _ask(self, asked: Mapping[str, str]) -> dict[str, Any]:
        self.server.write_line(json.dumps(asked).encode())
        return json.loads(self.server.read_line())
