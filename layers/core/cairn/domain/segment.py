"""A segment: an immutable stretch of a memory log as one file, read where it lies."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, get_args, overload

from cairn.domain.blocks import Blocks
from cairn.domain.ids import SessionId, TurnId
from cairn.domain.log_entries import Chunk, TurnStamp
from cairn.domain.memories import Ending, Memory, ending_of, memory_of
from cairn.domain.sections import Sections
from cairn.domain.stretch import Kept, Said

_EPOCH = datetime.fromtimestamp(0, UTC)
_MICROSECOND = timedelta(microseconds=1)
_UNPACKED = 10
"""How many times their packed bytes memories take once they are unpacked."""


def microseconds(when: datetime) -> int:
    """Return a time as a segment holds it: microseconds since 1970 UTC."""
    return (when - _EPOCH) // _MICROSECOND


class SegmentIndex:
    """The inverted index of a segment: for each of its sorted terms a run of documents and of counts."""

    def __init__(self, sections: Sections, of: Kept) -> None:
        """Read the index of this kind from a segment's sections."""
        self._terms = sections.strings(f"{of}.terms")
        self._ends = sections.column(f"{of}.postings.ends")
        self._docs = sections.column(f"{of}.postings.docs")
        self._counts = sections.column(f"{of}.postings.counts")
        self._lengths = sections.column(f"{of}.length")
        self._total_length = sum(self._lengths)

    def __len__(self) -> int:
        """Return how many documents there are."""
        return len(self._lengths)

    @property
    def total_length(self) -> int:
        """Return how many terms all documents have together, repeats included."""
        return self._total_length

    def matches(self, term: str) -> list[tuple[int, int]]:
        """Return the documents that have the term, each with how often."""
        number = self._terms.find(term)
        return [] if number is None else list(zip(*self._run(number), strict=True))

    def length(self, doc: int) -> int:
        """Return how many terms a document has, repeats included."""
        return self._lengths[doc]

    def age(self, doc: int) -> int:
        """Return a number that is greater the later a document was added."""
        return doc

    def postings(self) -> Iterator[tuple[str, Sequence[int], Sequence[int]]]:
        """Yield each term, in their order, with the documents that have it and how often."""
        for number in range(len(self._terms)):
            docs, counts = self._run(number)
            yield self._terms[number], docs.tolist(), counts.tolist()

    def _run(self, number: int) -> tuple[memoryview, memoryview]:
        run = slice(self._ends[number - 1] if number else 0, self._ends[number])
        return self._docs[run], self._counts[run]


class Segment:
    """A stretch of a log between two of its entries: after `low`, up to and with `through`."""

    def __init__(self, data: bytes) -> None:
        """Read what segment_writer.written() returned; CorruptData for other bytes."""
        sections = Sections(data)
        self._blocks: dict[Kept, Blocks] = {what: Blocks(sections, what) for what in get_args(Kept)}
        self._memories: Sequence[Memory] | None = None
        self.size = sections.size + _UNPACKED * self._blocks["memories"].packed_size
        bounds = sections.json("bounds")
        self.low, self.through = str(bounds["low"]), str(bounds["through"])
        self.index = SegmentIndex(sections, "texts")
        self.memory_index = SegmentIndex(sections, "memories")
        self._sections = sections
        self._sessions = {SessionId(name): number for number, name in enumerate(sections.json("sessions"))}
        self._names = list(self._sessions)
        self._session_ends = sections.column("session.ends")
        self._ids = sections.strings("turn.id")
        self._seqs = sections.column("turn.seq")
        self._times = sections.column("turn.at")
        self._events = sections.column("turn.events")
        self._firsts = sections.column("turn.first")
        self._texts = sections.column("turn.texts")
        self._doc_turns = sections.column("doc.turn")

    def beliefs(self) -> list[list[Any]]:
        """Return the ledger of this stretch, as it is to be replayed."""
        return self._sections.json("beliefs")

    @property
    def memories(self) -> Sequence[Memory]:
        """Return the memories kept here in the order of the log, unpacked when first asked for."""
        if self._memories is None:
            self._memories = [memory_of(record) for record in self._blocks["memories"]]
        return self._memories

    def endings(self) -> Iterable[Ending]:
        """Return what was forgotten here, kept here or before."""
        return [ending_of(record) for record in self._sections.json("endings")]

    def history(self) -> Iterable[dict[str, Any]]:
        """Return the entries that changed facts, in the order of the log; they are unpacked as they are read."""
        return self._blocks["history"]

    def packed(self, what: Kept) -> Iterable[tuple[int, bytes]]:
        """Return all there is of a kind as (how many, packed list of them), in order."""
        return self._blocks[what].packed()

    def sessions(self) -> Iterable[SessionId]:
        """Return the sessions that have turns here."""
        return self._names

    def said(self, session: SessionId) -> Sequence[Said]:
        """Return the session's turns in the order of the log; each is decoded when asked for."""
        return _Turns(self, self._turns_of(session))

    def turn(self, number: int) -> Said:
        """Return the turn of this number in the segment."""
        stamp = TurnStamp(
            seq=self._seqs[number],
            turn_id=TurnId(self._ids[number]),
            at=_EPOCH + self._times[number] * _MICROSECOND,
            events=self._events[number],
        )
        return Said(stamp, self._firsts[number], self._texts[number])

    def is_of(self, doc: int, session: SessionId) -> bool:
        """Tell whether the session said this text."""
        return self._doc_turns[doc] in self._turns_of(session)

    def chunk(self, doc: int) -> Chunk:
        """Return a text with what is known of it."""
        number = self._doc_turns[doc]
        stamp = self.turn(number).stamp
        event_id, role, text = self._blocks["texts"][doc]
        return Chunk(
            session_id=self._names[bisect_right(self._session_ends, number)],
            turn_id=stamp.turn_id,
            event_id=event_id,
            seq=stamp.seq,
            at=stamp.at,
            role=role,
            text=text,
        )

    def _turns_of(self, session: SessionId) -> range:
        number = self._sessions.get(session)
        if number is None:
            return range(0)
        return range(self._session_ends[number - 1] if number else 0, self._session_ends[number])


class _Turns(Sequence[Said]):
    """Some turns of a segment, decoded one at a time."""

    def __init__(self, segment: Segment, numbers: range) -> None:
        self._segment = segment
        self._numbers = numbers

    def __len__(self) -> int:
        return len(self._numbers)

    @overload
    def __getitem__(self, index: int) -> Said: ...

    @overload
    def __getitem__(self, index: slice) -> Sequence[Said]: ...

    def __getitem__(self, index: int | slice) -> Said | Sequence[Said]:
        if isinstance(index, slice):
            return _Turns(self._segment, self._numbers[index])
        return self._segment.turn(self._numbers[index])
