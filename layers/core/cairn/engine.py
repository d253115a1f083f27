"""The memory engine: the use cases over one set of adapters."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING

from cairn.calls.journal import Journal
from cairn.conversation.turns import Completion
from cairn.ground.adapters import Adapters
from cairn.ground.ids import Tenant
from cairn.ground.session import ResponseItem, Session
from cairn.ground.settings import AuditSettings, Limits
from cairn.log.registry import Registry
from cairn.memories.model import ForgetRequest, Note, RecallRequest, RecallResult
from cairn.sessions.parts import Parts, SettingsFor
from cairn.turns.model import BegunTurn, CommittedTurn, Preparation, PreparedTurn

if TYPE_CHECKING:
    from cairn.archive.archive import Archive
    from cairn.custody.earlier_import import EarlierImport
    from cairn.files.directories import Directories
    from cairn.files.service import Files
    from cairn.recall.indexing import Indexer
    from cairn.turns.operation_token import OperationToken
    from cairn.upkeep.maintenance import Maintenance


class Turns:
    """The turn lifecycle."""

    def __init__(self, parts: Parts) -> None:
        """Work with these parts."""
        self._parts = parts

    def before(self, session: Session, request: Preparation) -> PreparedTurn:
        """Return the model's input with memory in it; see turns.before_turn."""
        from cairn.turns.before_turn import prepare  # noqa: PLC0415 - a Lambda loads the use case it serves

        return prepare(self._parts, session, request)

    def after(self, session: Session, turn: Completion) -> CommittedTurn:
        """Store the turn exactly once; see turns.after_turn."""
        from cairn.turns.after_turn import commit  # noqa: PLC0415

        return commit(self._parts, session, turn)

    def begin(self, session: Session, request: Preparation) -> BegunTurn:
        """Return the model's input and a token to store the turn with; see turns.run_turn."""
        from cairn.turns import run_turn as operations  # noqa: PLC0415

        return operations.begin(self._parts, session, request)

    def finish(self, tenant: Tenant, token: OperationToken, outputs: Sequence[ResponseItem]) -> CommittedTurn:
        """Store the turn that the token names exactly once; see turns.run_turn."""
        from cairn.turns import run_turn as operations  # noqa: PLC0415

        return operations.finish(self._parts, tenant, token, outputs)


class Memories:
    """What agents choose to remember and to forget."""

    def __init__(self, parts: Parts) -> None:
        """Work with these parts."""
        self._parts = parts
        self._registry = Registry()

    def remember(self, session: Session, note: Note) -> str:
        """Keep a memory once and return its id; see memories.remember."""
        from cairn.memories.remember import remember  # noqa: PLC0415 - a Lambda loads the use case it serves

        return remember(self._parts, self._registry, session, note)

    def recall(self, session: Session, request: RecallRequest) -> RecallResult:
        """Return what was said, remembered or learnt that answers a question; see memories.recall."""
        from cairn.memories.recall import recall  # noqa: PLC0415

        return recall(self._parts, session, request)

    def forget(self, session: Session, request: ForgetRequest) -> None:
        """Forget a memory or a fact; see memories.forget."""
        from cairn.memories.forget import forget  # noqa: PLC0415

        forget(self._parts, session, request)


@dataclass(frozen=True, slots=True)
class Engine:
    """What a door may call; what keeps nothing between calls is made, and loaded, each time it is asked for."""

    turns: Turns
    memories: Memories
    parts: Parts
    limits: Limits
    journal: Journal

    @classmethod
    def over(cls, adapters: Adapters, settings_for: SettingsFor, limits: Limits | None = None) -> Engine:
        """Put the engine together; its parts share one cache of keys and one of views."""
        parts = Parts.of(adapters, settings_for)
        retention = timedelta(days=AuditSettings().retention_days)
        return cls.of(parts, limits or Limits(), Journal(adapters, parts.vault, retention))

    @classmethod
    def of(cls, parts: Parts, limits: Limits, journal: Journal) -> Engine:
        """Put the engine together of these parts."""
        return cls(turns=Turns(parts), memories=Memories(parts), parts=parts, limits=limits, journal=journal)

    @property
    def maintenance(self) -> Maintenance:
        """Return what tidies sessions; see upkeep.maintenance."""
        from cairn.upkeep.maintenance import Maintenance  # noqa: PLC0415 - a Lambda loads the use case it serves

        return Maintenance(self.parts, self.journal)

    @property
    def directories(self) -> Directories:
        """Return what lists sessions' directories; see files.directories."""
        from cairn.files.directories import Directories  # noqa: PLC0415

        return Directories(self.parts)

    @property
    def indexer(self) -> Indexer:
        """Return what makes segments of logs; see recall.indexing."""
        return self.parts.indexer

    @property
    def archive(self) -> Archive:
        """Return what archives whole sessions; see archive.archive."""
        from cairn.archive.archive import Archive  # noqa: PLC0415

        return Archive(self.parts)

    @property
    def files(self) -> Files:
        """Return sessions as files; see files.service."""
        from cairn.files.canonical import Canonical  # noqa: PLC0415 - no Lambda serves files
        from cairn.files.own_files import OwnFiles  # noqa: PLC0415
        from cairn.files.service import Files  # noqa: PLC0415

        return Files(OwnFiles(self.parts, self.limits), Canonical(self.parts), self.limits)

    @property
    def earlier_import(self) -> EarlierImport:
        """Return what takes sessions over; see custody.earlier_import."""
        from cairn.custody.earlier_import import EarlierImport  # noqa: PLC0415 - no Lambda takes sessions over

        return EarlierImport(self.parts)
