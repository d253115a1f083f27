"""Tidy a session: compact, archive, expire, merge, summarise."""

from __future__ import annotations

from operator import not_
from typing import Annotated

from pydantic import BaseModel, Field

from cairn.edge.fields import SessionInput
from cairn.tool.call import Call
from cairn.tool.tool import always, tool


class RunMaintenance(SessionInput):
    """The session to tidy."""


class Maintained(BaseModel):
    """What was done."""

    ok: Annotated[bool, Field(description="The run ended well.")] = True
    compacted_events: Annotated[int, Field(description="Events folded into a summary; the originals are kept.")]
    archived_shards: Annotated[int, Field(description="Shards of old events moved to the archive.")]
    expired_facts: Annotated[int, Field(description="Facts removed because their time was over.")]
    merged_facts: Annotated[int, Field(description="Facts merged with one that says the same.")]
    summaries_refreshed: Annotated[int, Field(description="Directory summaries written anew.")]
    read_turns: Annotated[int, Field(description="Turns that a language model read.", exclude_if=not_)] = 0
    erased: Annotated[
        bool, Field(description="The session was older than sessions are kept, and was erased.", exclude_if=not_)
    ] = False


EXAMPLE = {"project": "garden", "session_id": "monday"}


@tool(
    title="Tidy a session",
    example=EXAMPLE,
    grants=(
        "sessions:read",
        "sessions:write",
        "sessions:delete",
        "logs:read",
        "logs:write",
        "logs:delete",
        "projects:list",
        "plans:put",
        "jobs:send",
        "blobs:read",
        "blobs:write",
        "blobs:delete",
        "texts:embed",
        "model:ask",
        "asked:erase",
    ),
    timeout=29,
    frees=always,
)
def memory_run_maintenance(request: RunMaintenance, call: Call) -> Maintained:
    """Call now and then on a long session: compacts and archives it, expires and merges facts, refreshes summaries.

    Safe to repeat; it does only what is due, and nothing that was said is lost while the session is kept.
    """
    report = call.services.maintenance.run(request.session(call.caller.tenant))
    return Maintained(
        compacted_events=report.compacted_events,
        archived_shards=report.archived_shards,
        expired_facts=report.expired_facts,
        merged_facts=report.merged_facts,
        summaries_refreshed=report.summaries_refreshed,
        read_turns=report.read_turns,
        erased=report.erased,
    )


handler = memory_run_maintenance.handler
