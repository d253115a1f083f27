"""Fields of getContext: one part of a session's context, or all of it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Literal, Self, TypeAlias

from pydantic import BaseModel, Field

from cairn.calls.usage import PastCall, Prices, SessionContext, Usage
from cairn.ground.ids import SessionId

Kind: TypeAlias = Literal["session", "agent", "task", "all"]
_NEWEST = 100


class MemoryUsage(BaseModel):
    """What calls used, as an estimate."""

    tokens_used: Annotated[int, Field(description="Tokens that the calls sent.")]
    usd_spent: Annotated[float, Field(description="What they cost at AWS's list prices; 0 on one machine.")]


class HistoryItem(BaseModel):
    """One call."""

    tool_name: Annotated[str, Field(description="The tool that was called.")]
    timestamp: Annotated[datetime, Field(description="When, in UTC.")]
    success: Annotated[bool, Field(description="It is not known to have failed.")]

    @classmethod
    def of(cls, call: PastCall) -> Self:
        """Return the entry of a call."""
        return cls(tool_name=call.tool, timestamp=call.at, success=call.success)


def _absent(value: object) -> bool:
    return value is None


class Context(BaseModel):
    """The fields of the part that was asked for."""

    session_id: Annotated[str | None, Field(exclude_if=_absent, description="The session.")] = None
    start_time: Annotated[datetime | None, Field(exclude_if=_absent, description="When its first call was.")] = None
    agent_id: Annotated[str | None, Field(exclude_if=_absent, description="The id of the key that you call by.")] = None
    task_id: Annotated[
        str | None, Field(exclude_if=_absent, description="The newest turn of the session; empty before its first.")
    ] = None
    memory_usage: Annotated[
        MemoryUsage, Field(description="What the calls of the session, by you, or of the turn used.")
    ]
    tool_history: Annotated[
        list[HistoryItem] | None, Field(exclude_if=_absent, description="Those calls, the oldest first.")
    ] = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """Who asks for which part of a session's context."""

    kind: Kind
    session_id: SessionId
    credential: str
    with_history: bool

    def answer(self, context: SessionContext, prices: Prices) -> Context:
        """Return the fields of the part: usage and history are the session's, the agent's or the turn's own."""
        calls, whole = self._calls(context), self.kind == "all"
        usage = Usage.of(calls, prices)
        return Context(
            session_id=self.session_id if whole or self.kind == "session" else None,
            start_time=context.started_at if whole or self.kind == "session" else None,
            agent_id=self.credential if whole or self.kind == "agent" else None,
            task_id=(context.task_id or "") if whole or self.kind == "task" else None,
            memory_usage=MemoryUsage(tokens_used=usage.tokens, usd_spent=usage.usd),
            tool_history=[HistoryItem.of(each) for each in calls[-_NEWEST:]] if self.with_history else None,
        )

    def _calls(self, context: SessionContext) -> list[PastCall]:
        match self.kind:
            case "agent":
                return [each for each in context.calls if each.credential == self.credential]
            case "task":
                return [each for each in context.calls if each.turn_id and each.turn_id == context.task_id]
            case _:
                return list(context.calls)
