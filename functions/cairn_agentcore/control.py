"""Memories as the control plane tells of them: a project is one, and needs no making."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from cairn.ground.errors import NotFound
from cairn_agentcore.fields import ExtractionJobsInput, GetMemoryInput, ListMemoriesInput
from cairn_agentcore.listing import page_of
from cairn_agentcore.names import memory_of
from cairn_agentcore.operation import Asked

_ARN: Final = "arn:aws:bedrock-agentcore:local:000000000000:memory/"
_NEVER: Final = 0
"""When a memory was made: nobody noted it."""
_DAYS: Final = 365
"""The longest that AWS knows: events are kept until they are deleted."""


def get_memory(request: GetMemoryInput, asked: Asked) -> Mapping[str, Any]:
    """Tell of a memory that the caller may use; whether anything is in it, nobody looks."""
    asked.ask("memory_list_item_logs", project=request.project, user_id=asked.home, limit=1)
    name = request.memory_id.rpartition("/")[2]
    strategies: list[object] = []
    about = {"name": name.rpartition("-")[0], "eventExpiryDuration": _DAYS, "strategies": strategies}
    return {"memory": {**_summary(name), **about}}


def list_memories(request: ListMemoriesInput, asked: Asked) -> Mapping[str, Any]:
    """List the memories of the caller's projects; a project whose name no memory's id can hold is left out."""
    page = asked.ask("memory_list_projects", cursor=request.next_token or "", limit=request.max_results)
    named = (memory_of(each) for each in page["projects"])
    return page_of({"memories": [_summary(each) for each in named if each is not None]}, page["cursor"])


def list_extraction_jobs(request: ExtractionJobsInput, asked: Asked) -> Mapping[str, Any]:
    """List the jobs that failed to learn from events: there are none, since a turn is learned from as it is stored."""
    asked.ask("memory_list_item_logs", project=request.project, user_id=asked.home, limit=1)
    jobs: list[object] = []
    return {"jobs": jobs}


def start_extraction_job(request: ExtractionJobsInput, asked: Asked) -> Mapping[str, Any]:
    """Say that there is no such job."""
    list_extraction_jobs(request, asked)
    raise NotFound("There is no such job: what is said is learnt from as it is stored")


def _summary(name: str) -> dict[str, Any]:
    return {"arn": f"{_ARN}{name}", "id": name, "status": "ACTIVE", "createdAt": _NEVER, "updatedAt": _NEVER}
