"""Tell what is going on: the session, who acts in it, what its calls used, and which they were."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Literal, Self

from pydantic import BaseModel, Field

from cairn.domain.context import SessionContext, ToolCall, Usage
from cairn.edge.fields import SessionInput
from cairn.edge.tool import Call, tool

_NEWEST = 100


class GetContext(SessionInput):
    """Which part of a session's context to get."""

    context_type: Annotated[
        Literal["session", "agent", "task", "all"], Field(description="Which part of the context to get.")
    ] = "all"
    include_history: Annotated[bool, Field(description="Also list the newest 100 calls.")] = False


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
    def of(cls, call: ToolCall) -> Self:
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
        MemoryUsage | None,
        Field(exclude_if=_absent, description="What the calls of the session, by you, or of the turn used."),
    ] = None
    tool_history: Annotated[
        list[HistoryItem] | None, Field(exclude_if=_absent, description="Those calls, the oldest first.")
    ] = None


EXAMPLE = {"project": "garden", "session_id": "monday", "include_history": True}


@tool(title="Get the context", example=EXAMPLE, grants=("table:read", "key:use"), read_only=True)
def getContext(request: GetContext, call: Call) -> Context:
    """Call to see where you are: session, agent, task, what the calls so far used and, if you ask, which they were.

    What it tells is up to 30 seconds old.
    """
    session = request.session(call.caller.tenant)
    context, kind, credential = call.services.contexts.of(session), request.context_type, call.caller.credential
    calls = _part(context, kind, credential)
    usage = Usage.of(calls, call.services.prices)
    return Context(
        session_id=session.session_id if kind in {"session", "all"} else None,
        start_time=context.started_at if kind in {"session", "all"} else None,
        agent_id=credential if kind in {"agent", "all"} else None,
        task_id=(context.task_id or "") if kind in {"task", "all"} else None,
        memory_usage=MemoryUsage(tokens_used=usage.tokens, usd_spent=usage.usd),
        tool_history=[HistoryItem.of(each) for each in calls[-_NEWEST:]] if request.include_history else None,
    )


def _part(context: SessionContext, kind: str, credential: str) -> list[ToolCall]:
    """Return the calls that a part of the context is about."""
    match kind:
        case "agent":
            return [each for each in context.calls if each.credential == credential]
        case "task":
            return [each for each in context.calls if each.turn_id and each.turn_id == context.task_id]
        case _:
            return list(context.calls)


handler = getContext.handler
