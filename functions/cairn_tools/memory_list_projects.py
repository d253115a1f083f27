"""List the projects that a caller may use."""

from __future__ import annotations

from cairn.overview.fields import ListInput, Projects
from cairn.tool.call import Call
from cairn.tool.tool import tool


class ListProjects(ListInput):
    """Which page to list."""


@tool(
    title="List projects",
    example={"limit": 20},
    grants=("sessions:read", "projects:read", "logs:read"),
    read_only=True,
    route="GET /v1/projects",
    of_own_projects=True,
)
def memory_list_projects(request: ListProjects, call: Call) -> Projects:
    """Call to list the projects in which something is kept that the key may see, by name."""
    from cairn.overview.projects import projects  # noqa: PLC0415 - loaded when it is first called

    page = projects(call.services, call.caller, request.cursor, request.limit)
    return Projects(projects=list(page.listed), cursor=page.next)


handler = memory_list_projects.handler
