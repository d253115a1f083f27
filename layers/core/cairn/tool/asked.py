"""Say what a call asks of memory, so that a receipt of it can be kept."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, cast

from pydantic import BaseModel

from cairn.calls.receipts import MOST_BYTES, Asked, Receipt
from cairn.calls.record import AuditRecord
from cairn.edge.validation import without_nulls
from cairn.ground import codec
from cairn.ground.adapters import Pending
from cairn.ground.session import Session, Subject

if TYPE_CHECKING:  # call.py imports this file, and what recalls nothing does without the hooks
    from cairn.hooks.questions import Told
    from cairn.tool.call import Call


def receipt_of(fields: BaseModel, arguments: object, call: Call, entry: AuditRecord) -> Pending[bool] | None:
    """Return what keeps a receipt and tells whether that went well; None of what no tool answers again."""
    tool: str | None = getattr(fields, "replayed_by", None)
    if tool is None:
        return None
    given = cast("dict[str, Any]", without_nulls(type(fields), arguments))
    asked = {name: value for name, value in given.items() if name != "phase"}
    names = {name: value for name, value in call.known_names.items() if name not in asked}
    is_cut = _is_too_long(asked)
    if is_cut:
        asked = cast("Any", fields).cut(asked)
    return Pending(
        lambda: call.services.receipts.keep(
            entry.tenant, Receipt(entry.id), entry.subject, _asked(call, tool, asked, names=names, is_cut=is_cut)
        )
    )


def keep_told(call: Call, session: Session, told: Told) -> None:
    """Keep the receipt of what an agent is told by its hook, which has no place for one."""
    from cairn.replay.prompts import HOOK  # noqa: PLC0415 - loaded when the first prompt comes
    from cairn.turns.fields import Prepared  # noqa: PLC0415
    from cairn.turns.model import searched_for  # noqa: PLC0415

    kept = told.kept()
    is_cut = _is_too_long(kept)
    if is_cut:
        kept = {**kept, "prompt": searched_for(told.question.preparation(call.at).current)}
    about = Subject(project=session.project, session_id=session.session_id, user_id=told.question.user_id)
    place = {"project": session.project, "session_id": session.session_id}
    receipt = Receipt.of(call.id, told.positions, Prepared.of(told.prepared).model_dump(mode="json"))
    asked = _asked(call, HOOK, {**place, **kept}, names={}, is_cut=is_cut)
    call.services.receipts.keep(session.tenant, receipt, about, asked)


def _is_too_long(arguments: Mapping[str, Any]) -> bool:
    return len(codec.canonical(arguments)) > MOST_BYTES


def _asked(call: Call, tool: str, arguments: Mapping[str, Any], *, names: Mapping[str, str], is_cut: bool) -> Asked:
    from cairn.replay.versions import unusual, versions  # noqa: PLC0415 - what recalls nothing does without

    settings = call.services.settings.memory_for(call.caller.tenant)
    return Asked(tool, arguments, names, versions(call.services.embedder), unusual(settings), is_cut)
