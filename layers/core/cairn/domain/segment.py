"""A segment: an immutable stretch of a memory log as one file, read where it lies."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, overload

from cairn.domain.codec import unpack
from cairn.domain.ids import SessionId, TurnId
from cairn.domain.log_entries import Chunk, TurnStamp
from cairn.domain.sections import Sections
from cairn.domain.stretch import Said

_EPOCH = datetime.fromtimestamp(0, UTC)
_MICROSECOND = timedelta(microseconds=1)


def microseconds(when: datetime) -> int:
    """Return a time as a segment holds it: microseconds since 1970 UTC."""
    return (when - _EPOCH) // _MICROSECOND


class SegmentIndex:
    """The inverted index of a segment: for each of its sorted terms a run of documents and of counts."""

    def __init__(self, sections: Sections) -> None:
        """Read it from a segment's sections."""
        self._terms = sections.strings("terms")
        self._ends = sections.column("postings.ends")
        self._docs = sections.column("postings.docs")
        self._counts = sections.column("postings.counts")
        self._lengths = sections.column("doc.length")
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
        self.size = sections.size
        bounds = sections.json("bounds")
        self.low, self.through = str(bounds["low"]), str(bounds["through"])
        self.index = SegmentIndex(sections)
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
        self._block_docs = sections.column("block.docs")
        self._block_ends = sections.column("block.ends")
        self._blocks = sections.column("blocks")
        self._open_block: tuple[int, list[list[str]]] = (-1, [])

    def beliefs(self) -> list[list[Any]]:
        """Return the ledger of this stretch, as it is to be replayed."""
        return self._sections.json("beliefs")

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
        block = bisect_right(self._block_docs, doc)
        event_id, role, text = self._opened(block)[doc - (self._block_docs[block - 1] if block else 0)]
        return Chunk(
            session_id=self._names[bisect_right(self._session_ends, number)],
            turn_id=stamp.turn_id,
            event_id=event_id,
            seq=stamp.seq,
            at=stamp.at,
            role=role,
            text=text,
        )

    def blocks(self) -> Iterator[tuple[int, bytes]]:
        """Yield all texts as (how many, packed [event id, role, text] of each), in order."""
        done = 0
        for number, docs in enumerate(self._block_docs):
            yield docs - done, self._packed_block(number)
            done = docs

    def _turns_of(self, session: SessionId) -> range:
        number = self._sessions.get(session)
        if number is None:
            return range(0)
        return range(self._session_ends[number - 1] if number else 0, self._session_ends[number])

    def _packed_block(self, number: int) -> bytes:
        return bytes(self._blocks[self._block_ends[number - 1] if number else 0 : self._block_ends[number]])

    def _opened(self, number: int) -> list[list[str]]:
        """Return the texts of a block; the last one stays open, as neighbours are often read in a row."""
        if self._open_block[0] != number:
            self._open_block = (number, unpack(self._packed_block(number)))
        return self._open_block[1]


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
