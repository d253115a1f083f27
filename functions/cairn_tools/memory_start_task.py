"""Start an export, an erasure or a reindexing in the background."""

from __future__ import annotations

from cairn.custody.fields import StartTaskInput, TaskStarted
from cairn.ground.errors import InvalidArgument
from cairn.tool.call import Call
from cairn.tool.tool import tool


class StartTask(StartTaskInput):
    """What to do with whose data; or which task to start again."""


@tool(
    title="Export, erase or reindex in the background",
    example={"kind": "export", "project": "garden"},
    grants=(),
    destructive=True,
    idempotent=False,
    timeout=29,
    for_operators=True,
    own_machine_only=True,
)
def memory_start_task(request: StartTask, call: Call) -> TaskStarted:
    """Call to export or reindex what a tenant, a project or a user has, or to erase a user, in the background.

    memory_list_tasks tells how far it is. One task of a tenant is done at a time. To erase takes the digest that
    memory_survey told, and is refused with CONFLICT where there is something else by now. The tool is off in AWS: use
    the commands `cairn export`, `cairn erase` and `cairn reindex` there.
    """
    tasks, tenant = call.services.tasks, call.caller.tenant
    if request.task_id is not None:
        if request.model_fields_set & {"kind", "project", "user_id", "digest"}:
            raise InvalidArgument("task_id", "goes alone: a task is started again as it was")
        return TaskStarted(task_id=tasks.start_again(tenant, request.task_id))
    if request.kind is None:
        raise InvalidArgument("kind", "is required: export, erase or reindex")
    scope = request.scope(tenant)
    return TaskStarted(task_id=tasks.start(request.kind, scope, call.caller.credential, request.digest))


handler = memory_start_task.handler
