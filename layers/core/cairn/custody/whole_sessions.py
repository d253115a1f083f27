"""Read sessions and memory logs so that a turn is met in both, or in neither, whatever is written meanwhile.

A session's head is read before its turns and bounds them. Maintenance moves turns from events into shards, so that
shards are read before the events and again after them. Logs are read after all sessions: each holds the bounded turns
by then, and what it says of later ones is left out. In the end the turns are held against what the heads count.

In a snapshot that stays as it is all this changes nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from cairn.custody.pieces import ATTEMPTS, Opener, Piece
from cairn.files.layout import FILES, VERSIONS, file_of, file_part_sk, file_sk
from cairn.ground.attributes import number
from cairn.ground.errors import Unavailable
from cairn.ground.ids import SessionId
from cairn.ground.paging import every
from cairn.ground.ports import Reads
from cairn.ground.session import Session
from cairn.ground.table import Attributes, Key, Query, prefix_range
from cairn.log.layout import ENTRIES, KEPT_COUNT, log_of, memory_sk, session_named
from cairn.log.memories import FORGOTTEN, KEPT
from cairn.sessions.head import REMOVALS, Head
from cairn.sessions.layout import (
    COMPACTED,
    FIRST_EVENT,
    HEAD,
    MEMORY_COUNT,
    NEWEST_SUMMARY,
    PACKED,
    SUMMARIES,
    event_sk,
    session_of,
    session_pk,
)


@dataclass(slots=True)
class Turns:
    """The turns of a session that were met: up to which there are any, which are in it, how many are in logs."""

    through: int = 0
    erased: int = 0
    numbers: set[int] = field(default_factory=set[int])
    logged: int = 0
    strays: int = 0
    """How many turns a log tells of that the session should have and has not."""
    left_out: int = 0
    """How many of its turns went to logs that are not read."""
    is_whole: bool = False

    @property
    def count(self) -> int:
        """Return how many turns were met."""
        return self.through if self.is_whole else len(self.numbers)

    def settle(self) -> None:
        """Forget the numbers once the session was read, where they are all up to the last."""
        if len(self.numbers) == self.through:
            self.is_whole, self.numbers = True, set()

    def has(self, seq: int) -> bool:
        """Tell whether a turn was met."""
        return seq in self.numbers or (self.is_whole and 0 < seq <= self.through)

    def problem(self) -> str | None:
        """Return what is wrong with them, None where all are there; an erasure takes them from session and log."""
        wanted, logged = self.through - self.erased, self.logged + self.left_out
        if self.count >= wanted <= logged and not self.strays:
            return None
        return f"counts {wanted} turns; {self.count} are in it, {logged} in logs, {self.strays} only there"


class WholeSessions:
    """Reads the sessions of a snapshot, then its logs."""

    def __init__(self, reads: Reads, opener: Opener) -> None:
        """Have met no turn yet."""
        self._reads = reads
        self._opener = opener
        self._turns: dict[str, Turns] = {}

    def session(self, pk: str) -> tuple[Head | None, Turns, Iterator[Piece]]:
        """Return a session's head and turns, and an iterator of all of it that is portable, its head last."""
        derived, item = self._derived(pk)
        head = Head.of(item) if item else None
        turns = self._turns[pk] = Turns(head.seq, head.erased) if head else Turns()
        return head, turns, self._pieces(pk, derived, item, turns)

    def log(self, pk: str) -> Iterator[Piece]:
        """Yield a log's entries up to the turns that were met, and which of their memories are kept."""
        kept, ended = set[str](), dict[str, str]()
        for piece in self._opener.opened(every(self._reads, Query(pk, *prefix_range(ENTRIES)))):
            record = piece.body["content"]
            if (record["turn"] and not self._is_met(pk, record)) or self._is_later(pk, record):
                continue
            kept.update(memory["id"] for memory in record.get("remembered", ()))
            ended.update((ending["id"], piece.key.sk) for ending in record.get("forgotten", ()))
            yield piece
        yield from self._opener.opened(every(self._reads, Query(pk, KEPT_COUNT, KEPT_COUNT)))
        for item in every(self._reads, Query(pk, *prefix_range(memory_sk("")))):
            name = Key.of(item).sk.removeprefix(memory_sk(""))
            if name in kept:
                said = {"state": FORGOTTEN, "ended": ended[name]} if name in ended else {"state": KEPT}
                yield Piece(Key.of(item), {**{each: item[each] for each in item if each != "ended"}, **said})

    def check(self) -> None:
        """Raise Unavailable, and name a session, where a turn that its head counts was not met."""
        for pk, turns in self._turns.items():
            if (problem := turns.problem()) is not None:
                where = session_of(pk)
                told = f"session {where.session_id} of project {where.project} {problem}"
                raise Unavailable(f"{told}; it is being erased, or damaged (`cairn check` tells)")

    def _derived(self, pk: str) -> tuple[list[Piece], Attributes | None]:
        """Return what tells of turns in other words, and the head as it is afterwards: nothing was erased between."""
        for _ in range(ATTEMPTS):
            before = self._reads.get(Key(pk, HEAD))
            ranges = ((SUMMARIES, SUMMARIES), prefix_range(COMPACTED), (NEWEST_SUMMARY, NEWEST_SUMMARY))
            items = [item for low, high in ranges for item in every(self._reads, Query(pk, low, high))]
            derived = list(self._opener.opened(items))
            head = self._reads.get(Key(pk, HEAD))
            if (before or {}).get(REMOVALS) == (head or {}).get(REMOVALS):
                return derived, head
        raise Unavailable(f"{pk} is being erased")

    def _pieces(self, pk: str, derived: Sequence[Piece], head: Attributes | None, turns: Turns) -> Iterator[Piece]:
        yield from derived
        archived, first_raw = number(head or {}, "archived_through", 0), turns.through + 1
        for piece in self._stored_turns(pk, turns):
            if piece.key.sk.startswith(PACKED):
                archived = max(archived, number(piece.attributes, "last"))
            else:
                first_raw = min(first_raw, number(piece.attributes, "seq"))
            yield piece
        turns.settle()
        yield from self._files(pk)
        yield from self._opener.opened(every(self._reads, Query(pk, MEMORY_COUNT, MEMORY_COUNT)))
        if head is not None:
            archived = min(archived, first_raw - 1)
            yield Piece(Key(pk, HEAD), {**head, "archived_through": archived} if archived else head)

    def _stored_turns(self, pk: str, turns: Turns) -> Iterator[Piece]:
        """Yield every turn once, by itself or in a shard."""
        shards, seen = Query(pk, *prefix_range(PACKED)), set[str]()
        for item in every(self._reads, shards):
            seen.add(Key.of(item).sk)
            yield from self._shard(item, turns)
        for item in every(self._reads, Query(pk, FIRST_EVENT, event_sk(turns.through))):
            seq = number(item, "seq")
            if seq not in turns.numbers and (piece := self._opener.open(item)) is not None:
                turns.numbers.add(seq)
                yield piece
        for item in every(self._reads, shards):
            if Key.of(item).sk not in seen:
                yield from self._shard(item, turns)

    def _shard(self, item: Attributes, turns: Turns) -> Iterator[Piece]:
        """Yield a shard, or where some of its turns were met before, or are too new, the others by themselves."""
        piece = self._opener.open(item)
        held: list[tuple[int, list[Any]]] = piece.body["content"] if piece else []
        wanted = [(seq, events) for seq, events in held if seq <= turns.through and seq not in turns.numbers]
        turns.numbers.update(seq for seq, _ in wanted)
        if piece is not None and len(wanted) == len(held):
            yield piece
            return
        for seq, events in wanted:
            at = str(events[0]["ts"])
            yield Piece(Key(Key.of(item).pk, event_sk(seq)), {"seq": seq, "at": at}, {"content": events})

    def _files(self, pk: str) -> Iterator[Piece]:
        for item in every(self._reads, Query(pk, *prefix_range(file_sk("")))):
            yield from self._file(item)
        yield from self._opener.opened(every(self._reads, Query(pk, *prefix_range(VERSIONS))))
        yield from self._opener.opened(every(self._reads, Query(pk, FILES, FILES)))

    def _file(self, item: Attributes | None) -> Sequence[Piece]:
        """Return a file's record with its parts; nothing where it was deleted meanwhile."""
        for _ in range(ATTEMPTS):
            record = self._opener.open(item) if item else None
            if record is None:
                return ()
            where = record.key
            named = [file_part_sk(file_of(where.sk), name) for name, _ in record.body["content"]["parts"]]
            items = [self._reads.get(Key(where.pk, sk)) for sk in named]
            parts = list(self._opener.opened(item for item in items if item))
            if len(parts) == len(named):
                return (record, *parts)
            item = self._reads.get(where)
        raise Unavailable("a file is written all the time, or lacks a part")

    def _is_met(self, pk: str, record: Mapping[str, Any]) -> bool:
        """Tell whether the turn of a log's entry belongs to what was read, and count it."""
        tenant, project, _ = log_of(pk)
        session, seq = session_pk(Session(tenant, project, SessionId(record["session"]))), record["turn"]["seq"]
        turns = self._turns.get(session) or self._began_since(session)
        if seq > turns.through:
            return False
        if turns.has(seq):
            turns.logged += 1
        else:
            turns.strays += 1
        return True

    def _is_later(self, pk: str, record: Mapping[str, Any]) -> bool:
        """Tell whether an entry is of a turn, in another log, that does not belong to what was read."""
        seq, (tenant, at, _) = record.get("said_in"), log_of(pk)
        if seq is None:
            return False
        turns = self._turns.get(session_pk(Session(tenant, *session_named(at, SessionId(record["session"])))))
        # Of a session that is gone what was learnt stays.
        return turns is not None and seq > turns.through

    def _began_since(self, pk: str) -> Turns:
        """Return that no turn was met of a session that began meanwhile; Unavailable where it has no head."""
        if self._reads.get(Key(pk, HEAD)) is None:
            raise Unavailable(f"a log tells of turns in {pk}, which has no head: it is being erased, or damaged")
        return self._turns.setdefault(pk, Turns())
