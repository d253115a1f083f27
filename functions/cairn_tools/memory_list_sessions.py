"""List the conversations of a user or a project."""

from __future__ import annotations

from cairn.overview.fields import Cursor, Most, OfUserInput, SessionLine, Sessions
from cairn.tool.call import Call
from cairn.tool.tool import tool


class ListSessions(OfUserInput):
    """Whose conversations, and which page."""

    cursor: Cursor = ""
    limit: Most = 20


@tool(
    title="List conversations",
    example={"project": "garden", "user_id": "ada", "limit": 20},
    grants=("sessions:read", "logs:read", "blobs:read"),
    read_only=True,
    route="GET /v1/sessions",
)
def memory_list_sessions(request: ListSessions, call: Call) -> Sessions:
    """Call to list conversations, newest first: those in which a user spoke, or all of a project."""
    from cairn.overview.sessions import sessions  # noqa: PLC0415 - loaded when it is first called

    place = request.place(call.caller.tenant)
    page = sessions(call.services, place, request.user_id, request.cursor, request.limit)
    return Sessions(sessions=[SessionLine.of(each) for each in page.listed], cursor=page.next)


handler = memory_list_sessions.handler
