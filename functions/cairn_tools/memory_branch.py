"""Make, list, merge and drop branches of a project or a session."""

from __future__ import annotations

from cairn.branches.fields import BranchesTold, BranchInput, BranchLine, MergedLine
from cairn.ground.errors import PermissionDenied
from cairn.tool.call import Call
from cairn.tool.tool import tool


@tool(
    title="Branch a project's memory",
    example={"project": "garden", "action": "list"},
    grants=(
        *("logs:read", "logs:write", "logs:delete", "sessions:read", "sessions:write", "sessions:delete"),
        *("blobs:read", "blobs:write", "blobs:delete"),
    ),
    destructive=True,
    timeout=29,
    for_programs=True,
    frees=lambda request: request.action in {"list", "drop"},
)
def memory_branch(request: BranchInput, call: Call) -> BranchesTold:
    """Call to have an agent try something in a branch of memory, and to merge the branch or drop it afterwards.

    Calls work on a branch by naming it as their project: garden@try-1 is the branch try-1 of garden. It knows all that
    the project, or the session, knew at that time; neither sees what the other does since. merge brings what was added,
    each turn once: what the project said since of the same matter stands. drop erases it. A call that failed can be
    made again. A key that speaks for certain users makes no branches, since these hold everyone's memory.
    """
    from cairn.branches.branching import branches, create, drop  # noqa: PLC0415 - loaded when it is first called
    from cairn.branches.merge import merge  # noqa: PLC0415

    services, tenant = call.services, call.caller.tenant
    if call.caller.users:
        raise PermissionDenied("This key speaks for certain users, and a branch holds everyone's memory", reason="user")
    match request.action:
        case "create":
            made = create(services, tenant, request.branch, request.session_id, request.at)
            return BranchesTold(branches=[BranchLine.of(made)])
        case "list":
            return BranchesTold(branches=[BranchLine.of(each) for each in branches(services, tenant, request.project)])
        case "merge":
            merged = merge(services, tenant, request.branch)
            return BranchesTold(branches=[], merged=MergedLine.of(merged))
        case "drop":
            drop(services, tenant, request.branch)
            return BranchesTold(branches=[])


handler = memory_branch.handler
