"""A turn in two calls that belong together: begin prepares it, commit stores it under the token of begin."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Literal, TypeVar

from pydantic import Field, RootModel

from cairn.tool.call import Call
from cairn.tool.tool import tool
from cairn.turns.fields import Committed, LearnedFields, OperationFields, OutputItems, PreparationFields, Prepared

T = TypeVar("T")
Phase = Annotated[T, Field(description="begin before the model call, commit after it.")]


class Begin(PreparationFields):
    """The turn to prepare."""

    phase: Phase[Literal["begin"]]


class Commit(LearnedFields, OperationFields):
    """The answer to a prepared turn, of which the token says project, session and turn."""

    phase: Phase[Literal["commit"]]
    output_items: OutputItems


class Begun(Prepared):
    """The model's input, and what to bring back with the answer."""

    operation_token: Annotated[str, Field(description="Bring this back with phase commit.")]
    expires_at: Annotated[datetime, Field(description="Until when it can be.")]


class RunTurn(RootModel[Annotated[Begin | Commit, Field(discriminator="phase")]]):
    """One of the two phases."""


class RunTurnAnswer(RootModel[Begun | Committed]):
    """What the phase gives."""


EXAMPLE = {
    "phase": "begin",
    "project": "garden",
    "session_id": "monday",
    "user_id": "ada",
    "turn_id": "turn-2",
    "current_input": "What should I plant next to the beans?",
}


@tool(
    title="Prepare and store a turn",
    example=EXAMPLE,
    grants=("turns:write", "blobs:read", "blobs:write", "jobs:send", "model:ask", "texts:embed", "asked:put"),
    timeout=29,
    on_by_default=False,
)
def memory_run_turn(request: RunTurn, call: Call) -> RunTurnAnswer:
    """Call with phase begin for the model's input and a token, then with phase commit, the token and the answer.

    begin needs project, session_id and current_input; commit operation_token and output_items. A commit may be
    repeated. System and developer items are not stored.
    """
    from cairn.turns import run_turn as turns  # noqa: PLC0415 - loaded when it is first called

    phase = request.root
    if isinstance(phase, Commit):
        caller, answer = call.caller, turns.Answer(phase.output_items, phase.lessons)
        committed = turns.finish(call.services, caller.tenant, phase.operation_token, answer, caller.users)
        return RunTurnAnswer(Committed.of(committed))
    begun = turns.begin(call.services, phase.session(call.caller.tenant), phase.preparation(call.at))
    return RunTurnAnswer(Begun.of(begun.prepared, operation_token=begun.token, expires_at=begun.expires_at))


handler = memory_run_turn.handler
