"""The memory engine: the use cases over one world."""

from __future__ import annotations

from dataclasses import dataclass

from cairn.domain.turns import CommittedTurn, Completion, Preparation, PreparedTurn, Session
from cairn.service.directories import Directories
from cairn.service.maintenance import Maintenance
from cairn.service.parts import Parts, SettingsFor
from cairn.service.world import World


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


@dataclass(frozen=True, slots=True)
class Engine:
    """What a door may call."""

    turns: Turns
    maintenance: Maintenance
    directories: Directories

    @classmethod
    def over(cls, world: World, settings_for: SettingsFor) -> Engine:
        """Put the engine together; its parts share one cache of keys and one of views."""
        parts = Parts.of(world, settings_for)
        return cls(Turns(parts), Maintenance(parts), Directories(parts))
