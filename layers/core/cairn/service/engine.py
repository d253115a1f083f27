"""The memory engine: the use cases over one world."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from cairn.domain.ids import Tenant
from cairn.domain.memories import Forgetting, Note, Question, Recalled
from cairn.domain.operations import OperationToken
from cairn.domain.settings import Limits
from cairn.domain.turns import (
    BegunTurn,
    CommittedTurn,
    Completion,
    Preparation,
    PreparedTurn,
    ResponseItem,
    Session,
)
from cairn.service.archive import Archive
from cairn.service.directories import Directories
from cairn.service.indexing import Indexer
from cairn.service.maintenance import Maintenance
from cairn.service.parts import Parts, SettingsFor
from cairn.service.registry import Registry
from cairn.service.world import World

if TYPE_CHECKING:
    from cairn.service.files import Files
    from cairn.service.legacy_import import LegacyImport


class Turns:
    """The turn lifecycle."""

    def __init__(self, parts: Parts) -> None:
        """Work with these parts."""
        self._parts = parts

    def before(self, session: Session, request: Preparation) -> PreparedTurn:
        """Return the model's input with memory in it; see service.before_turn."""
        from cairn.service.before_turn import prepare  # noqa: PLC0415 - a Lambda loads the use case it serves

        return prepare(self._parts, session, request)

    def after(self, session: Session, turn: Completion) -> CommittedTurn:
        """Store the turn exactly once; see service.after_turn."""
        from cairn.service.after_turn import commit  # noqa: PLC0415

        return commit(self._parts, session, turn)

    def begin(self, session: Session, request: Preparation) -> BegunTurn:
        """Return the model's input and a token to store the turn with; see service.operations."""
        from cairn.service import operations  # noqa: PLC0415

        return operations.begin(self._parts, session, request)

    def finish(self, tenant: Tenant, token: OperationToken, outputs: Sequence[ResponseItem]) -> CommittedTurn:
        """Store the turn that the token names exactly once; see service.operations."""
        from cairn.service import operations  # noqa: PLC0415

        return operations.finish(self._parts, tenant, token, outputs)


class Memories:
    """What agents choose to remember and to forget."""

    def __init__(self, parts: Parts) -> None:
        """Work with these parts."""
        self._parts = parts
        self._registry = Registry()

    def remember(self, session: Session, note: Note) -> str:
        """Keep a memory once and return its id; see service.remember."""
        from cairn.service.remember import remember  # noqa: PLC0415 - a Lambda loads the use case it serves

        return remember(self._parts, self._registry, session, note)

    def recall(self, session: Session, question: Question) -> Recalled:
        """Return what was said, remembered or learnt that answers a question; see service.recollect."""
        from cairn.service.recollect import recollect  # noqa: PLC0415

        return recollect(self._parts, session, question)

    def forget(self, session: Session, request: Forgetting) -> None:
        """Forget a memory or a fact; see service.forget."""
        from cairn.service.forget import forget  # noqa: PLC0415

        forget(self._parts, session, request)


@dataclass(frozen=True, slots=True)
class Engine:
    """What a door may call."""

    turns: Turns
    memories: Memories
    maintenance: Maintenance
    directories: Directories
    indexer: Indexer
    archive: Archive
    parts: Parts
    limits: Limits

    @classmethod
    def over(cls, world: World, settings_for: SettingsFor, limits: Limits | None = None) -> Engine:
        """Put the engine together; its parts share one cache of keys and one of views."""
        return cls.of(Parts.of(world, settings_for), limits or Limits())

    @classmethod
    def of(cls, parts: Parts, limits: Limits) -> Engine:
        """Put the engine together of these parts."""
        return cls(
            turns=Turns(parts),
            memories=Memories(parts),
            maintenance=Maintenance(parts),
            directories=Directories(parts),
            indexer=parts.indexer,
            archive=Archive(parts),
            parts=parts,
            limits=limits,
        )

    @property
    def files(self) -> Files:
        """Return sessions as files; see service.files."""
        from cairn.service.canonical import Canonical  # noqa: PLC0415 - no Lambda serves files
        from cairn.service.files import Files  # noqa: PLC0415
        from cairn.service.own_files import OwnFiles  # noqa: PLC0415

        return Files(OwnFiles(self.parts, self.limits), Canonical(self.parts), self.limits)

    @property
    def legacy(self) -> LegacyImport:
        """Return what takes sessions over; see service.legacy_import."""
        from cairn.service.legacy_import import LegacyImport  # noqa: PLC0415 - no Lambda takes sessions over

        return LegacyImport(self.parts)
