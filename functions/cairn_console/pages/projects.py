"""Projects: those in which something is kept, and who is known in one."""

from __future__ import annotations

from cairn_console.page import Shown, page
from cairn_console.visit import Visit


@page(title="Projects", needs=("memory_list_projects",), asks=("memory_count_changes", "memory_list_users"))
def projects(visit: Visit) -> Shown:
    """List the projects that the visitor may see, and what one of them holds where the address names it."""
    found = visit.asking("memory_list_projects", cursor=visit.query.get("cursor"), limit=100)
    project = visit.query.get("project")
    days = visit.asking("memory_count_changes", project=project)
    people = visit.asking("memory_list_users", project=project, limit=100)
    visit.together(found, *([days, people] if project else []))
    return {
        "projects": found.result["projects"],
        "cursor": found.result["cursor"],
        "chosen": {**days.result["now"], "people": people.result["users"]} if project else None,
    }
