"""Count what a tenant, a project or a user has."""

from __future__ import annotations

from cairn.custody.fields import ScopeInput, Surveyed
from cairn.tool.call import Call
from cairn.tool.tool import tool


class SurveyInput(ScopeInput):
    """Whose data to count."""


@tool(
    title="Count what there is of someone",
    example={"project": "garden", "user_id": "ada"},
    grants=(),
    read_only=True,
    timeout=29,
    for_operators=True,
    own_machine_only=True,
)
def memory_survey(request: SurveyInput, call: Call) -> Surveyed:
    """Call before an export or an erasure, to see what it would take or remove: of a tenant, a project or a user.

    It reads all that the tenant has, and answers UNAVAILABLE where that takes longer than 27 seconds: use the command
    `cairn export` or `cairn erase` then, as in AWS, where the tool is off.
    """
    from cairn.custody.holdings import count  # noqa: PLC0415 - loaded when it is first called

    scope = request.scope(call.caller.tenant)
    return Surveyed.of(count(call.services, call.services.inventory, scope), scope)


handler = memory_survey.handler
