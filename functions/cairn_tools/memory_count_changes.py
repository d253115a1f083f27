"""Count by days what changed in memory."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from cairn.overview.fields import ChangesByDay, DayInput, DayLine, OfUserInput, TotalLine
from cairn.tool.call import Call
from cairn.tool.tool import tool


class CountChanges(OfUserInput):
    """Of whom, and which days."""

    since: Annotated[
        DayInput | None, Field(description="The first day, in UTC; by default 89 days before the last.")
    ] = None
    until: Annotated[
        DayInput | None, Field(description="The last day; by default today, and 366 days in all at most.")
    ] = None


@tool(
    title="Count what changed in memory by days",
    example={"project": "garden", "user_id": "ada", "since": "2026-07-01", "until": "2026-07-31"},
    grants=("sessions:read", "logs:read", "blobs:read"),
    read_only=True,
    route="GET /v1/changes/days",
)
def memory_count_changes(request: CountChanges, call: Call) -> ChangesByDay:
    """Call to see how memory grew: how much it learnt, replaced, forgot and kept on each day, and what there is now."""
    from cairn.overview.days import days  # noqa: PLC0415 - loaded when it is first called

    found = days(call.services, request.place(call.caller.tenant), request.user_id, request.since, request.until)
    return ChangesByDay(
        days=[DayLine.of(each) for each in found.days],
        now=TotalLine.of(found.totals),
        logs=found.logs,
        of_logs=found.of_logs,
    )


handler = memory_count_changes.handler
