"""List what was called: the audit log by the page."""

from __future__ import annotations

from datetime import timedelta
from typing import Annotated, TypeAlias

from pydantic import BaseModel, ConfigDict, Field

from cairn.calls.fields import CallList
from cairn.calls.names import Names
from cairn.edge.fields import SessionName, UserName
from cairn.ground.ids import Tenant
from cairn.memories.fields import Moment
from cairn.tool.call import Call
from cairn.tool.tool import tool

Name: TypeAlias = Annotated[str, Field(pattern=r"^[A-Za-z0-9_.:/ -]{1,128}$")]


class ListCalls(BaseModel):
    """Which calls, and which page."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)

    since: Annotated[Moment | None, Field(description="From when on; a day before the end unless told.")] = None
    until: Annotated[Moment | None, Field(description="Until when; now unless told.")] = None
    tool: Annotated[Name | None, Field(description="Only this tool, or operator's command.")] = None
    outcome: Annotated[
        Name | None, Field(description="Only those that ended so; `failed` stands for every error's code.")
    ] = None
    user_id: Annotated[UserName | None, Field(description="Only about this user.")] = None
    key: Annotated[Name | None, Field(description="Only by the key of this id.")] = None
    project: Annotated[Name | None, Field(description="Only about this project, or masked name of one.")] = None
    session_id: Annotated[SessionName | None, Field(description="Only about this conversation, likewise.")] = None
    cursor: Annotated[
        str, Field(max_length=1100, description="Go on here: the cursor of the answer before, in its time.")
    ] = ""
    limit: Annotated[int, Field(ge=1, le=200, description="The most to list.")] = 50


@tool(
    title="List calls",
    example={"outcome": "failed", "limit": 20},
    grants=("audit:read",),
    read_only=True,
    for_operators=True,
)
def memory_list_calls(request: ListCalls, call: Call) -> CallList:
    """Call to see who called what, and how that ended: the audit log, newest first, each call once."""
    from cairn.calls import listing  # noqa: PLC0415 - loaded when it is first called

    services, tenant = call.services, call.caller.tenant
    until = request.until or services.adapters.clock.now()
    begun = listing.Stretch.of(request.since or until - timedelta(days=1), until)
    wanted = listing.Wanted(
        outcome=request.outcome,
        tools=_given(request.tool),
        credentials=_given(request.key),
        users=_given(request.user_id),
        projects=_on_record(services.journal.names, tenant, request.project),
        sessions=_on_record(services.journal.names, tenant, request.session_id),
    )
    stretch = listing.Stretch.parse(request.cursor) if request.cursor else begun
    return CallList.of(listing.page(services.adapters, tenant, stretch, wanted, request.limit))


def _given(name: str | None) -> frozenset[str]:
    return frozenset() if name is None else frozenset({name})


def _on_record(names: Names, tenant: Tenant, name: str | None) -> frozenset[str]:
    """Return how a name may be on record: as it is, or masked."""
    return frozenset() if name is None else frozenset({name, names.name(tenant, name)})


handler = memory_list_calls.handler
