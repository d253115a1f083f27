"""Say what a call asks of memory, so that a receipt of it can be kept."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from pydantic import BaseModel

from cairn.calls.receipts import MOST_BYTES, Asked
from cairn.calls.record import AuditRecord
from cairn.edge.validation import without_nulls
from cairn.ground import codec
from cairn.ground.adapters import Pending

if TYPE_CHECKING:  # it imports this file
    from cairn.tool.call import Call


def receipt_of(fields: BaseModel, arguments: object, call: Call, entry: AuditRecord) -> Pending[bool] | None:
    """Return what keeps a receipt and tells whether that went well; None where there is nothing to answer again.

    So it is of what no tool answers again, and of arguments that are too long.
    """
    tool: str | None = getattr(fields, "replayed_by", None)
    if tool is None:
        return None
    given = cast("dict[str, Any]", without_nulls(type(fields), arguments))
    asked = {name: value for name, value in given.items() if name != "phase"}
    if len(codec.canonical(asked)) > MOST_BYTES:
        return None
    from cairn.replay.versions import unusual, versions  # noqa: PLC0415 - what recalls nothing does without

    services, settings = call.services, call.services.settings.memory_for(call.caller.tenant)
    names = {name: value for name, value in call.known_names.items() if name not in asked}
    return Pending(
        lambda: services.receipts.keep(entry, Asked(tool, asked, names, versions(services.embedder), unusual(settings)))
    )
