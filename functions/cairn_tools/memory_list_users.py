"""List the users of a project."""

from __future__ import annotations

from cairn.overview.fields import OfProjectInput, UserLine, Users
from cairn.tool.call import Call
from cairn.tool.tool import tool


class ListUsers(OfProjectInput):
    """Of which project, and which page."""


@tool(
    title="List users",
    example={"project": "garden"},
    grants=("logs:read",),
    read_only=True,
    route="GET /v1/users",
)
def memory_list_users(request: ListUsers, call: Call) -> Users:
    """Call to list the users of a project of whom something is stored; a key bound to users lists these alone."""
    from cairn.overview.users import users  # noqa: PLC0415 - loaded when it is first called

    caller = call.caller
    page = users(call.services, request.place(caller.tenant), caller.users, request.cursor, request.limit)
    return Users(users=[UserLine.of(each) for each in page.listed], cursor=page.next)


handler = memory_list_users.handler
