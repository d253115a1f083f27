"""Replay records: prepare and store each turn with the memory tools, beside what the direct path did."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, Protocol

from cairn.context.rendering import value_in
from cairn.conversation.items import text_of
from cairn.local.demo.client import Refused
from cairn.local.shadow.comparison import Failure, ShadowSession, ShadowTurn, compare_facts, compare_files
from cairn.local.shadow.records import Record
from cairn.recall.block import parted

_BEFORE, _AFTER, _LIST = "memory_before_turn", "memory_after_turn", "memory_list_dir_with_abstract"
_MOST_DIRECTORIES = 1000


class ReplayTarget(Protocol):
    """Memory tools that hold nothing of these records yet."""

    @property
    def keeps_dates(self) -> bool:
        """Whether it stores a turn under the time it was told, not under that of the replay."""
        ...

    def at(self, moment: datetime) -> None:
        """Tell the time of the next calls."""
        ...

    async def call(self, tool: str, project: str, arguments: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return a tool's answer; Refused for an error."""
        ...


async def replay(target: ReplayTarget, records: Sequence[Record]) -> tuple[ShadowSession, ...]:
    """Replay the records in their order and return what came of each session."""
    sessions: dict[tuple[str, str], ShadowSession] = {}
    last = {record.session: record for record in records}
    files: dict[tuple[str, str], set[str]] = {}
    for record in records:
        session = sessions.setdefault(record.session, ShadowSession(*record.session))
        written = files.setdefault(record.session, set())
        written.update(record.direct.files)
        target.at(record.at)
        await _turn(target, record, session)
        if written and last[record.session] is record:
            await _files(target, record, session, written)
    return tuple(sessions.values())


async def _turn(target: ReplayTarget, record: Record, session: ShadowSession) -> None:
    session.records += 1
    for tool, arguments in ((_BEFORE, record.before()), (_AFTER, record.after())):
        try:
            answer = await target.call(tool, record.project, arguments)
        except Refused as refused:
            session.failures.append(Failure(record.turn_id, tool, refused.code))
            continue
        if tool == _BEFORE:
            session.turns.append(_compared(record, arguments, answer))


def _compared(record: Record, asked: Mapping[str, Any], answer: Mapping[str, Any]) -> ShadowTurn:
    placed = answer["input_items"][: -len(asked["current_input"])]
    remembered, said = parted(placed)
    # As a model reads it: in JSON a line break or a quotation mark would stand within what was said.
    context = "\n".join([*remembered["facts"], *remembered["chunks"], *map(text_of, said)])
    facts = compare_facts(record.direct.values(), map(value_in, remembered["facts"]), context)
    return ShadowTurn(record.turn_id, facts, record.direct.context_token_count, answer["context_token_count"])


async def _files(target: ReplayTarget, record: Record, session: ShadowSession, written: set[str]) -> None:
    arguments = {"session_id": record.session_id, "limit": _MOST_DIRECTORIES}
    try:
        answer = await target.call(_LIST, record.project, arguments)
    except Refused as refused:
        session.failures.append(Failure(record.turn_id, _LIST, refused.code))
        return
    listed = [each["path"] for each in answer["summaries"]]
    session.files = compare_files(record.session_id, written, listed, dated=target.keeps_dates)
