"""The head of a session: the item that counts its turns, lists its logs and holds its lease."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial

from cairn.ground import codec
from cairn.ground.adapters import Adapters, Pending
from cairn.ground.attributes import moment, number, text
from cairn.ground.damage import sound_or_none
from cairn.ground.errors import CorruptData
from cairn.ground.ports import Table
from cairn.ground.session import Session, on_trunk
from cairn.ground.table import Attributes, Key
from cairn.log.layout import with_across
from cairn.sessions.layout import HEAD, session_pk

BEGUN = "begun"
"""What a session's head says from its first commit on: a word of its own, so that no other session is taken for it."""
REMOVALS = "removals"
"""How often turns were taken out of the session, or changed, since it was begun; those that were archived are not."""
ACROSS = "across"
"""A sort key as new as each entry that the session's turns made in users' logs across projects, if they made any.

As a rule it is that of the newest. Sort keys of entries are in the order of time, of whichever log they are."""
READ_THROUGH = "read_through"
"""The number of the newest turn that a language model has read, or is not to read."""
READ_INTO = "read_into"
"""A sort key as new as each entry, of whichever log, that keeps what a language model read in turns stored before."""
READ_AGAIN = "read_again"
"""When a language model that failed may be asked again."""
READ_FAILURES = "read_failures"
"""How often a language model failed to read what follows, since it had last read all there was."""
COMPACTED_AT = "compacted_at"
"""When an agent that keeps its conversation itself put a summary in its place."""
BEGINS = "begins"
"""How many turns of its project's a session on a branch goes on from, those that were erased counted too."""
DROPPED = "dropped"
"""What a session's head says once blobs of archived events were left to a later run."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Head:
    """The values of a head; that of a session without turns has only its fence.

    It is only ever changed in place: each writer sets or adds to the attributes that it knows to have changed.
    """

    key: Key
    fence: int = 0
    seq: int = 0
    """The number of the newest turn, 0 where there is none."""
    owners: tuple[str, ...] = ()
    """Whose logs the turns went to."""
    updated_at: str = ""
    due: str | None = None
    """The sort key of its entry in the index of due sessions, None where nothing will fall due."""
    begun: str = ""
    removals: int = 0
    erased: int = 0
    archived_through: int = 0
    has_dropped: bool = False
    across: str = ""
    read_through: int = 0
    read_failures: int = 0
    read_into: str = ""
    read_again: str = ""
    events: int = 0
    facts_written: int = 0
    facts_superseded: int = 0
    legacy: str = ""
    legacy_through: int = 0
    legacy_facts: str = ""
    compacted_at: datetime | None = None
    begins: int = 0

    @classmethod
    def of(cls, item: Attributes) -> Head:
        """Return the head that an item holds; CorruptData where it holds none."""
        owners = text(item, "owners", "")
        return cls(
            key=Key.of(item),
            fence=number(item, "fence", 0),
            seq=number(item, "seq", 0),
            owners=tuple(owners.split("\n")) if owners else (),
            updated_at=text(item, "updated_at", ""),
            due=text(item, "isk") if "isk" in item else None,
            begun=text(item, BEGUN, ""),
            removals=number(item, REMOVALS, 0),
            erased=number(item, "erased", 0),
            archived_through=number(item, "archived_through", 0),
            has_dropped=DROPPED in item,
            across=text(item, ACROSS, ""),
            read_through=number(item, READ_THROUGH, 0),
            read_failures=number(item, READ_FAILURES, 0),
            read_into=text(item, READ_INTO, ""),
            read_again=text(item, READ_AGAIN, ""),
            events=number(item, "events", 0),
            facts_written=number(item, "facts_written", 0),
            facts_superseded=number(item, "facts_superseded", 0),
            legacy=text(item, "legacy", ""),
            legacy_through=number(item, "legacy_through", 0),
            legacy_facts=text(item, "legacy_facts", ""),
            compacted_at=moment(item, COMPACTED_AT) if COMPACTED_AT in item else None,
            begins=number(item, BEGINS, 0),
        )

    @property
    def logs(self) -> list[str]:
        """Return the owners of all logs that the session's turns may have changed, those across projects last."""
        return with_across(self.owners) if self.across else list(self.owners)

    @property
    def at(self) -> datetime:
        """Return when the session's newest turn was stored; CorruptData where it has none."""
        try:
            return codec.moment(self.updated_at)
        except ValueError as error:
            raise CorruptData("a session's head does not say when it was updated") from error


def naming(owners: Iterable[str]) -> dict[str, str]:
    """Return the attribute by which a head names whose logs the session's turns went to."""
    return {"owners": "\n".join(owners)}


def sound_head(adapters: Adapters, session: Session) -> Head | None:
    """Return a session's head for a read, None where it has none or a damaged one, which is counted."""
    asked = [Pending(partial(adapters.table.get, where)) for where in _places(session)]
    adapters.parallel(asked)
    return sound_or_none(adapters, _chosen([each.result for each in asked]), Head.of)


def stored_head(table: Table, session: Session) -> Head | None:
    """Return a session's head, None where it has none."""
    item = _chosen([table.get(where) for where in _places(session)])
    return None if item is None else Head.of(item)


def _places(session: Session) -> list[Key]:
    """Return where a session's head is: on a branch that has not added to the session, with the project's."""
    return [Key(session_pk(each), HEAD) for each in dict.fromkeys([session, on_trunk(session)])]


def _chosen(items: Sequence[Attributes | None]) -> Attributes | None:
    return next((item for item in items if item is not None and "seq" in item), items[0])
