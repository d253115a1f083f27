"""Call the memory tools as an agent does: over MCP, with the official SDK's client."""

from __future__ import annotations

import time
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any, cast

import anyio
import httpx2
from mcp import Client, MCPError
from mcp.client.streamable_http import streamable_http_client

from cairn.context.rendering import lines_in
from cairn.local.demo.conversation import SceneTurn
from cairn.recall.block import parted

_BACKOFF_SECONDS = (0.2, 0.5, 1.0, *[2.0] * 30)
"""Waits before another try: a turn left behind by a killed server is free again within a minute."""
_TIMEOUT_SECONDS = 60.0
_SPEAKERS = ("user", "assistant")


class Refused(Exception):
    """The tool answered with an error; `code` is the envelope's."""

    def __init__(self, code: str, message: str, *, retryable: bool) -> None:
        """Keep the envelope's code, its message and whether a retry may help."""
        super().__init__(f"{code}: {message}")
        self.code = code
        self.retryable = retryable


class Lost(Exception):
    """The server could not be reached, went away, or refused the key."""


@dataclass(frozen=True, slots=True)
class RecalledContext:
    """What came back before a turn: facts and earlier turns from the memory block, and the newest items.

    `privileged` is what stands in a role that a model obeys: a fixed policy, and nothing anyone said.
    """

    facts: tuple[str, ...]
    chunks: tuple[str, ...]
    recent: tuple[str, ...]
    privileged: tuple[str, ...]
    tokens: int
    milliseconds: float

    @property
    def context(self) -> str:
        """All of it as one text."""
        return "\n".join((*self.facts, *self.chunks, *self.recent))


@dataclass(frozen=True, slots=True)
class CommitResult:
    """The counts of a committed turn."""

    facts_written: int
    facts_superseded: int
    replayed: bool
    milliseconds: float


@dataclass(frozen=True, slots=True)
class MemoryClient:
    """One project's memory behind an MCP client."""

    client: Client
    project: str

    async def before_turn(self, session_id: str, user_id: str, text: Sequence[str]) -> RecalledContext:
        """Ask what matters for what the user is about to say; which sessions are searched is the server's default."""
        current = _messages("user", text)
        started = time.perf_counter()
        answer = await self.call("memory_before_turn", session_id=session_id, user_id=user_id, current_input=current)
        elapsed = (time.perf_counter() - started) * 1000
        return _recalled(answer["input_items"][: -len(current)], answer["context_token_count"], elapsed)

    async def after_turn(self, session_id: str, user_id: str, turn: SceneTurn) -> CommitResult:
        """Store a turn under its id."""
        started = time.perf_counter()
        answer = await self.call(
            "memory_after_turn",
            session_id=session_id,
            user_id=user_id,
            turn_id=turn.turn_id,
            input_items=_messages("user", turn.user),
            output_items=_messages("assistant", turn.assistant),
        )
        elapsed = (time.perf_counter() - started) * 1000
        return CommitResult(answer["facts_written"], answer["facts_superseded"], answer["replayed"], elapsed)

    async def summaries(self, session_id: str) -> tuple[tuple[str, str], ...]:
        """Return each directory's path and abstract."""
        answer = await self.call("memory_list_dir_with_abstract", session_id=session_id)
        return tuple((each["path"], each["abstract"]) for each in answer["summaries"])

    async def call(self, tool: str, **arguments: object) -> Mapping[str, Any]:
        """Return a tool's structured answer; Refused for an error that no retry within a minute mends."""
        for seconds in _BACKOFF_SECONDS:
            try:
                return await self._call_once(tool, arguments)
            except Refused as error:
                if not error.retryable:
                    raise
            await anyio.sleep(seconds)
        return await self._call_once(tool, arguments)

    async def _call_once(self, tool: str, arguments: Mapping[str, object]) -> Mapping[str, Any]:
        result = await self.client.call_tool(tool, {"project": self.project, **arguments})
        answer = cast("Mapping[str, Any]", result.structured_content or {})
        if result.is_error:
            error = answer.get("error", {})
            raise Refused(
                error.get("code", "UNKNOWN"), error.get("message", ""), retryable=error.get("retryable") is True
            )
        return answer


@asynccontextmanager
async def connected(url: str, key: str, project: str) -> AsyncGenerator[MemoryClient]:
    """Connect to the MCP endpoint with an API key, for as long as the context lasts; Lost where the connection is."""
    headers = {"Authorization": f"Bearer {key}"}
    try:
        async with httpx2.AsyncClient(headers=headers, timeout=_TIMEOUT_SECONDS) as http:
            transport = streamable_http_client(url, http_client=http)
            async with Client(transport, read_timeout_seconds=_TIMEOUT_SECONDS) as client:
                yield MemoryClient(client, project)
    except ExceptionGroup as group:
        _, other = group.split((httpx2.HTTPError, MCPError))
        if other is None:
            raise Lost(f"The server at {url} is gone, or refuses the key") from None
        raise _first(other) from None


def _first(error: Exception) -> Exception:
    """Return the first error in nested groups of them: the SDK's task groups wrap whatever ends them."""
    while isinstance(error, ExceptionGroup):
        error = cast("ExceptionGroup[Exception]", error).exceptions[0]
    return error


def _messages(role: str, texts: Sequence[str]) -> list[dict[str, Any]]:
    part = "output_text" if role == "assistant" else "input_text"
    return [{"type": "message", "role": role, "content": [{"type": part, "text": text}]} for text in texts]


def _recalled(items: Sequence[Mapping[str, Any]], tokens: int, milliseconds: float) -> RecalledContext:
    remembered, said = parted(items)
    chunks = tuple(line for passage in remembered["chunks"] for line in lines_in(passage))
    recent = tuple(text for item in said if item.get("role") in _SPEAKERS for text in _texts(item))
    privileged = tuple(text for item in items if item.get("role") not in _SPEAKERS for text in _texts(item))
    return RecalledContext(tuple(remembered["facts"]), chunks, recent, privileged, tokens, milliseconds)


def _texts(item: Mapping[str, Any]) -> tuple[str, ...]:
    content: Any = item.get("content")
    if isinstance(content, str):
        return (content,)
    return tuple(part["text"] for part in content or () if "text" in part)
