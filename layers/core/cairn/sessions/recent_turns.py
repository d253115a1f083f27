"""Cache a session's newest turns as they are stored, so that only newer ones have to be read.

A stored turn stays as it is until one is taken out of the session or changed, which its head then says.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TypeAlias

from cairn.conversation.events import Event
from cairn.ground.adapters import Adapters
from cairn.ground.attributes import number
from cairn.ground.bounded import BoundedCache
from cairn.ground.damage import MALFORMED, sound_or_none
from cairn.ground.errors import CorruptData, KeyLost
from cairn.ground.paging import pages
from cairn.ground.session import Session
from cairn.ground.table import Attributes, Key, Query, item_bytes
from cairn.sessions.head import Head
from cairn.sessions.layout import HEAD, MEMORY_COUNT, NEWEST_SUMMARY, event_sk, session_pk
from cairn.sessions.summary import Summary
from cairn.vault.vault import Vault

Turn: TypeAlias = tuple[int, tuple[Event, ...]]
"""A turn's number and events."""
MAX_BYTES = 16 * 1024 * 1024
"""How much of all sessions together a process keeps, as it is stored."""
_MARKS = frozenset({HEAD, MEMORY_COUNT, NEWEST_SUMMARY})
"""What sorts after a session's events and is read with them."""


@dataclass(frozen=True, slots=True)
class Recent:
    """A session's head, newest summary and newest turns, oldest first, up to `items` items.

    `memories` changes with every memory that the session keeps or forgets for itself, or that is erased there; "" where
    it never had any.
    """

    head: Head | None
    turns: tuple[tuple[int, tuple[Event, ...]], ...]
    memories: str = ""
    summary: Summary | None = None
    damaged: int = 0
    """How many turns among them were passed over, since they are damaged."""

    @property
    def seq(self) -> int:
        """Return the number of the newest turn read, 0 where there is none."""
        return self.turns[-1][0] if self.turns else 0

    @property
    def position(self) -> str:
        """Return what was read: the numbers of the first turn, of the newest, and of the last one summed up."""
        first = self.turns[0][0] if self.turns else 0
        return f"{first}-{self.seq}/{self.summary.through if self.summary else 0}"


@dataclass(frozen=True, slots=True)
class _Known:
    """Stored turns, newest first, and the head that tells which session's they are.

    With `is_all` they are all that there were; otherwise older ones stand before them.
    """

    of: tuple[str, int] | None = None
    turns: tuple[Attributes, ...] = ()
    is_all: bool = False

    @property
    def newest(self) -> int:
        """Return the number of the newest turn, 0 where none is known."""
        return number(self.turns[0], "seq") if self.turns else 0

    @property
    def size(self) -> int:
        """Return how many bytes of stored items this is."""
        return sum(map(item_bytes, self.turns))


_NOTHING = _Known()


@dataclass(slots=True)
class _Taken:
    """Turns, newest first, up to a number of items."""

    wanted: int
    stored: list[Attributes] = field(default_factory=list[Attributes])
    turns: list[tuple[int, tuple[Event, ...]]] = field(default_factory=list[tuple[int, tuple[Event, ...]]])
    held: int = 0
    damaged: list[Key] = field(default_factory=list[Key])

    @property
    def is_enough(self) -> bool:
        return self.held >= self.wanted

    def take(self, vault: Vault, session: Session, items: Iterable[Attributes]) -> None:
        """Take of these what is still wanted."""
        for item in items:
            try:
                seq, events = number(item, "seq"), events_of(vault, session, item)
            except KeyLost:
                raise
            except MALFORMED:
                self.damaged.append(Key.of(item))
                continue
            self.stored.append(item)
            self.turns.append((seq, events))
            self.held += len(events)
            if self.is_enough:
                return


class RecentTurns:
    """Reads the newest turns of sessions."""

    def __init__(self, adapters: Adapters, vault: Vault) -> None:
        """Start with nothing in memory."""
        self._adapters = adapters
        self._vault = vault
        self._kept: BoundedCache[Session, _Known] = BoundedCache(weight=MAX_BYTES, weigh=lambda known: known.size)

    def read(self, session: Session, items: int) -> Recent:
        """Return the newest turns that together hold at least `items` items, in one query as a rule.

        What is known and cannot be opened any more is read anew: it may have been sealed under another key since. What
        is damaged is passed over, and nothing of its session is kept.
        """
        known = self._kept.peek(session)
        if known is not None:
            with suppress(CorruptData):
                recent = self._read(session, items, known)
                if recent is not None:
                    return recent
        return self._read(session, items, _NOTHING) or Recent(None, ())

    def _read(self, session: Session, items: int, known: _Known) -> Recent | None:
        """Read what came after the turns that are known; None where those are not the session's or not enough.

        Turns that are blobs are fetched at once, as many as hold that with two items each.
        """
        marks: dict[str, Attributes] = {}
        taken = _Taken(items)
        low = event_sk(known.newest + 1)
        query = Query(session_pk(session), low, HEAD, descending=True, limit=items // 2 + 1 + len(_MARKS))
        for page in pages(self._adapters.table, query):
            marks.update((Key.of(item).sk, item) for item in page if item["sk"] in _MARKS)
            stored = [item for item in page if item["sk"] not in _MARKS]
            if not taken.is_enough:
                taken.take(self._vault, session, self._vault.fetched(session.tenant, stored, (items + 1) // 2))
            if taken.is_enough:
                break
        head = sound_or_none(self._adapters, marks.get(HEAD), Head.of)
        of, is_all = _identity(head), not taken.is_enough
        if is_all and known is not _NOTHING:
            if head is None or of != known.of or known.newest > head.seq:
                return None
            later = (item for item in known.turns if number(item, "seq") > head.archived_through)
            taken.take(self._vault, session, later)
            is_all = not taken.is_enough
            if is_all and not known.is_all:
                return None
        if taken.damaged and known is not _NOTHING:
            return None
        for where in taken.damaged:
            self._adapters.tally.damaged(where)
        self._cache(session, _NOTHING if taken.damaged else _Known(of, tuple(taken.stored), is_all))
        return self._recent(session, head, marks, taken)

    def _recent(self, session: Session, head: Head | None, marks: dict[str, Attributes], taken: _Taken) -> Recent:
        return Recent(
            head,
            tuple(reversed(taken.turns)),
            _counted(marks.get(MEMORY_COUNT)),
            sound_or_none(self._adapters, marks.get(NEWEST_SUMMARY), self._summary(session)),
            len(taken.damaged),
        )

    def _summary(self, session: Session) -> Callable[[Attributes], Summary]:
        return lambda item: Summary.from_record(self._vault.unseal(session.tenant, item))

    def _cache(self, session: Session, known: _Known) -> None:
        if known.of and known.turns:
            self._kept.put(session, known)
        else:
            self._kept.evict(session)


def events_of(vault: Vault, session: Session, item: Attributes) -> tuple[Event, ...]:
    """Return the events of one stored turn."""
    return tuple(Event.from_record(record) for record in vault.unseal(session.tenant, item))


def turns_of(vault: Vault, session: Session, shard: Attributes) -> list[Turn]:
    """Return the turns of an archived shard, as (number, events)."""
    return [
        (seq, tuple(Event.from_record(record) for record in records))
        for seq, records in vault.unseal(session.tenant, shard)
    ]


def _identity(head: Head | None) -> tuple[str, int] | None:
    """Return what stays the same while a session's stored turns do; None where its head does not say."""
    return None if head is None or not head.begun else (head.begun, head.removals)


def _counted(memories: Attributes | None) -> str:
    return "" if memories is None else "/".join(str(memories.get(name, 0)) for name in ("kept", "forgotten", "erased"))
