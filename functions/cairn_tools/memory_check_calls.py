"""Check the audit log for tampering."""

from __future__ import annotations

from datetime import timedelta
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from cairn.calls.fields import CheckedCalls
from cairn.tool.call import Call
from cairn.tool.tool import tool

_WITHIN = timedelta(seconds=25)


class CheckCalls(BaseModel):
    """Which state of the log it has to hold."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)

    holds: Annotated[
        str | None,
        Field(pattern="^[0-9a-f]{64}$", description="The head of an earlier answer: a log without it was cut off."),
    ] = None


@tool(
    title="Check the record of calls",
    example={},
    grants=("audit:read", "blobs:read"),
    read_only=True,
    timeout=29,
    for_operators=True,
)
def memory_check_calls(request: CheckCalls, call: Call) -> CheckedCalls:
    """Call to check the audit log against its chain of digests: finds records changed, removed, moved or added.

    On one machine it is held against anchored heads too. A log too long for 25 seconds is UNAVAILABLE: then run
    `cairn audit verify`, which takes the time it needs.
    """
    from cairn.calls.audit import AuditLog  # noqa: PLC0415 - loaded when it is first called

    services = call.services
    # In AWS no role of the template may read the bucket of anchors, so that who runs tools cannot.
    anchors = services.anchors if services.adapters.own_disk else None
    log = AuditLog(services.adapters, services.vault, anchors)
    found = log.verify(call.caller.tenant, request.holds, _WITHIN)
    return CheckedCalls.of(found, anchored=anchors is not None)


handler = memory_check_calls.handler
