"""Get the bundle that an export made."""

from __future__ import annotations

from cairn.custody.fields import ExportPart, GetExportInput
from cairn.tool.call import Call
from cairn.tool.tool import tool


class GetExport(GetExportInput):
    """Which part of which bundle."""


@tool(
    title="Get an exported bundle",
    example={"task_id": "01ARYZ6S410000000000000000", "part": 1},
    grants=(),
    read_only=True,
    for_operators=True,
    own_machine_only=True,
)
def memory_get_export(request: GetExport, call: Call) -> ExportPart:
    """Call to get the bundle of an export that is done, part by part, in the 24 hours after it began.

    It is in the clear, a file that `cairn import` takes. The tool is off in AWS: use the command `cairn export` there.
    """
    tasks = call.services.tasks
    task = tasks.records.get(call.caller.tenant, request.task_id)
    return ExportPart.of_task(task, request.part, tasks.bundles.part(task, request.part))


handler = memory_get_export.handler
