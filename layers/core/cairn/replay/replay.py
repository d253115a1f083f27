"""replay: answer again what a call asked of memory, over the store as that call found it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Protocol

from cairn.calls.receipts import Asked, Receipt, Receipts, digest_of_answer, digest_of_positions
from cairn.calls.record import TAG, AuditRecord
from cairn.ground import codec
from cairn.ground.attributes import text
from cairn.ground.errors import NotFound
from cairn.ground.ids import Tenant, is_branch
from cairn.ground.settings import MemorySettings
from cairn.replay.as_of import Moment, Seen
from cairn.replay.model import Replayed
from cairn.replay.positions import found
from cairn.replay.since import branch_over, ended, removed
from cairn.replay.versions import unusual, versions, with_those
from cairn.sessions.services import SessionServices

REPLAYABLE = frozenset({"recall", "memory_before_turn", "memory_run_turn", "memory_hook"})
"""The tools of which receipts are kept."""


class ReplayServices(SessionServices, Protocol):
    """The services that replaying takes."""

    @property
    def receipts(self) -> Receipts:
        """Return what keeps what was asked."""
        ...

    @property
    def embedder(self) -> Any:
        """Return what turns texts into vectors."""
        ...


@dataclass(frozen=True, slots=True)
class Past:
    """By what a call was answered: how far all was read, settings, and the number of the data key that made tags.

    `seen` is told how far is read.
    """

    moment: Moment
    memory: MemorySettings
    key: int
    seen: Seen


Answering = Callable[[Past, Asked], Mapping[str, Any]]
"""Has the tool answer what was asked, as it was then."""


def replay(services: ReplayServices, tenant: Tenant, receipt: Receipt, answering: Answering) -> Replayed:
    """Return what the call of a receipt was answered, as far as it is still there, and what became of it since.

    NotFound where the tenant has no such call on record, or it is of a tool that gives no receipts.
    """
    item = services.receipts.record(tenant, receipt.call)
    if item is None or (record := AuditRecord.of(tenant, item)).tool not in REPLAYABLE:
        raise NotFound("receipt names no call on record that was answered from memory", {"field": "receipt"})
    kept = services.receipts.kept(tenant, item)
    told = Replayed(call=record.id, tool=record.tool, at=record.at, about=record.subject)
    if kept is None:
        return replace(told, since=tuple(removed(services, tenant, record.subject, record.at)))
    key = int(text(item, TAG).partition(".")[0])
    replaying = _Replaying(services, tenant, kept.asked, key, answering)
    told = replaying.question(told)
    if kept.asked.project is not None and is_branch(kept.asked.project):
        over = branch_over(services, tenant, kept.asked.project, record.at)
        if over is not None:
            return replace(told, since=over)
    return replaying.run(told, receipt if receipt.digests else kept.receipt)


@dataclass(frozen=True, slots=True)
class _Replaying:
    services: ReplayServices
    tenant: Tenant
    asked: Asked
    key: int
    answering: Answering

    def question(self, told: Replayed) -> Replayed:
        """Return a replay with what was asked, and with what of all that answers is another by now."""
        now = {**versions(self.services.embedder), **unusual(self.services.settings.memory_for(self.tenant))}
        was = {**self.asked.versions, **self.asked.settings}
        both = {name: (was.get(name), now.get(name)) for name in sorted({**now, **was})}
        return replace(
            told,
            asked={**self.asked.names, **self.asked.arguments},
            is_cut=self.asked.is_cut,
            versions=self.asked.versions,
            settings=self.asked.settings,
            changed={name: each for name, each in both.items() if each[0] != each[1]},
        )

    def run(self, told: Replayed, receipt: Receipt) -> Replayed:
        """Answer by the call's time; where it had read otherwise, find how far, and answer so."""
        moment = self._moment(told.at, {})
        answer, positions = self._answered(moment)
        if receipt.positions and digest_of_positions(positions) != receipt.positions:
            items = self._settings.recent_context_items
            cuts = found(self.services, positions, told.at, receipt.positions, items) or {}
            moment = self._moment(told.at, cuts)
            answer, positions = self._answered(moment) if cuts else (answer, positions)
        is_proven = digest_of_positions(positions) == receipt.positions
        is_explained = self.asked.arguments.get("explain")
        explained = answer if is_explained else self._answered(moment, explain=True)[0]
        is_identical = digest_of_answer(answer) == receipt.answer if receipt.answer else None
        since = [*ended(self.services, positions, ids_in(explained), told.at)]
        if not (is_proven and is_identical):
            since += removed(self.services, self.tenant, told.about, told.at)
        return replace(
            told,
            answer=answer,
            explained=explained,
            is_proven=is_proven,
            # Of a part of the question an answer may well be another one.
            is_identical=None if self.asked.is_cut and not is_identical else is_identical,
            positions=positions,
            since=tuple(since),
        )

    @property
    def _settings(self) -> MemorySettings:
        return with_those(self.services.settings.memory_for(self.tenant), self.asked.settings)

    def _moment(self, at: datetime, cuts: Mapping[str, str]) -> Moment:
        since = self.asked.arguments.get("held_since")
        return Moment(at, cuts, None if since is None else codec.moment(since))

    def _answered(self, moment: Moment, *, explain: bool = False) -> tuple[Mapping[str, Any], Mapping[str, str]]:
        seen = Seen()
        arguments = {**self.asked.arguments, "explain": True} if explain else self.asked.arguments
        past = Past(moment, self._settings, self.key, seen)
        return self.answering(past, replace(self.asked, arguments=arguments)), seen.positions


def ids_in(explained: Mapping[str, Any]) -> list[str]:
    """Return the ids of what an explained answer holds."""
    memories: list[Mapping[str, Any]] = explained.get("memories", [])
    return [*(each["id"] for each in memories), *(explained.get("why") or {})]
