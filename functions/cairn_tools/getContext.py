"""Tell what is going on: the session, who acts in it, what its calls used, and which they were."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from cairn.calls.fields import Asked, Context, Kind
from cairn.edge.fields import SessionInput
from cairn.tool.call import Call
from cairn.tool.tool import tool


class GetContext(SessionInput):
    """Which part of a session's context to get."""

    context_type: Annotated[Kind, Field(description="Which part of the context to get.")] = "all"
    include_history: Annotated[bool, Field(description="Also list the newest 100 calls.")] = False


EXAMPLE = {"project": "garden", "session_id": "monday", "include_history": True}


@tool(title="Get the context", example=EXAMPLE, grants=("sessions:read", "calls:read"), read_only=True)
def getContext(request: GetContext, call: Call) -> Context:
    """Call to see where you are: session, agent, task, what the calls so far used and, if you ask, which they were.

    What it tells is up to 30 seconds old.
    """
    asked = Asked(
        kind=request.context_type,
        session_id=request.session_id,
        credential=call.caller.credential,
        with_history=request.include_history,
    )
    context = call.services.session_calls.of(request.session(call.caller.tenant))
    return asked.answer(context, call.services.prices)


handler = getContext.handler
