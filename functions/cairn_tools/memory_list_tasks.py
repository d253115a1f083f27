"""List the tasks that were started in the background."""

from __future__ import annotations

from cairn.custody.fields import ListTasksInput, TaskList
from cairn.tool.call import Call
from cairn.tool.tool import tool


class ListTasks(ListTasksInput):
    """Which page."""


@tool(
    title="List tasks",
    example={"limit": 20},
    grants=(),
    read_only=True,
    for_operators=True,
    own_machine_only=True,
)
def memory_list_tasks(request: ListTasks, call: Call) -> TaskList:
    """Call to see how far exports, erasures and reindexings are, and what came of those of the last 30 days.

    The newest comes first. It is off in AWS, where no task is started.
    """
    records = call.services.tasks.records
    found = records.newest(call.caller.tenant, request.limit + 1, request.cursor or "")
    return TaskList.of(found, request.limit, call.services.adapters.clock.now())


handler = memory_list_tasks.handler
