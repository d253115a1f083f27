"""A segment: an immutable stretch of a memory log in one file, read in place."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property, partial
from itertools import accumulate, chain
from typing import Any, overload

from cairn.facts.facts import digest
from cairn.ground.ids import SessionId, TurnId
from cairn.ground.trust import Trust, trust_of_role
from cairn.log.columns import ColumnFile
from cairn.log.documents import KINDS, LABELS, Kind, Label, Number, Vectors
from cairn.log.entries import Chunk, TurnStamp
from cairn.log.memories import Ending, Memory, ending_of, memory_of
from cairn.log.packed import PackedBlocks
from cairn.log.pages import DocumentPages, Pages, PageSource
from cairn.log.stretch import KEPT, Kept, Said, moment_of


class SegmentDocuments:
    """Documents of a segment: sorted terms, each with a run of documents and of counts, and columns."""

    def __init__(
        self, columns: ColumnFile, kind: Kind, trust: Callable[[], Sequence[Trust]], pages: Pages | None
    ) -> None:
        """Read those of this kind from a segment's sections; `trust` says whose words they are if no section does."""
        self._columns = columns
        self.pages = None if pages is None or f"{kind}.pages" not in columns else DocumentPages(columns, kind, pages)
        self._unstamped = trust
        self._kind = kind
        self._terms = columns.strings(f"{kind}.terms")
        self._ends = columns.column(f"{kind}.postings.ends")
        self._docs = columns.column(f"{kind}.postings.docs")
        self._counts = columns.column(f"{kind}.postings.counts")
        self._labels = {name: columns.json(f"{kind}.{name}.words") for name in LABELS if name != "trust"}
        self._embedder: str = columns.json(f"{kind}.embedder")
        self.ids = columns.strings(f"{kind}.id")
        # Made when an id is first asked for: most searches ask for none.
        self._by_id: dict[str, int] | None = None

    def __len__(self) -> int:
        """Return how many there are."""
        return len(self.ids)

    def doc_of(self, name: str) -> int | None:
        """Return the document of this id, the newest where there are several, None where there is none."""
        if self._by_id is None:
            self._by_id = {self.ids[doc]: doc for doc in range(len(self.ids))}
        return self._by_id.get(name)

    def matches(self, term: str) -> tuple[memoryview, memoryview]:
        """Return the documents that have the term, ascending, and how often each has it: unsigned, equally long."""
        number = self._terms.find(term)
        return self._run(0, 0) if number is None else self._run_of(number)

    def beginning(self, opening: str) -> Iterator[str]:
        """Yield the terms that begin so."""
        return self._terms.beginning(opening)

    def postings(self) -> Iterator[tuple[str, Sequence[int], Sequence[int]]]:
        """Yield each term, in their order, with the documents that have it and how often."""
        for number in range(len(self._terms)):
            docs, counts = self._run_of(number)
            yield self._terms[number], docs.tolist(), counts.tolist()

    def number(self, name: Number) -> memoryview:
        """Return a number of each document: unsigned, of `at` 64 bits, of `cues` 8, of `length` as many as it takes."""
        return self._columns.column(f"{self._kind}.{name}")

    def label(self, name: Label) -> tuple[Sequence[str], memoryview]:
        """Return the words of a label, and the number of its word for each document."""
        if name == "trust":
            return self._trust
        return self._labels[name], self._columns.column(f"{self._kind}.{name}")

    @cached_property
    def _trust(self) -> tuple[Sequence[str], memoryview]:
        name = f"{self._kind}.trust"
        if name in self._columns:
            return self._columns.json(f"{name}.words"), self._columns.column(name)
        return [trust.label for trust in Trust], memoryview(bytes(self._unstamped()))

    def pairs(self) -> tuple[Sequence[int], Sequence[int]]:
        """Return the hashes of pairs of terms, 32 bits each, document after document, and where each one's end."""
        if self.pages is not None:
            each = self.pages.pairs(range(len(self)))
            return list(chain.from_iterable(each)), list(accumulate(map(len, each)))
        return self._columns.column(f"{self._kind}.pairs"), self._columns.column(f"{self._kind}.pairs.ends")

    @property
    def vectors(self) -> Vectors | None:
        """Return the vectors of all of them, where they were made and are at hand, those of a document end to end."""
        if not self._embedder or self.pages is not None:
            return None
        return Vectors(self._embedder, self._columns.column(f"{self._kind}.vectors"))

    def _run_of(self, number: int) -> tuple[memoryview, memoryview]:
        return self._run(self._ends[number - 1] if number else 0, self._ends[number])

    def _run(self, start: int, end: int) -> tuple[memoryview, memoryview]:
        return self._docs[start:end], self._counts[start:end]


class Segment:
    """A stretch of a log between two of its entries: after `low`, up to and with `through`."""

    def __init__(self, head: bytes, source: PageSource | None = None) -> None:
        """Read the head that segment_writer.written() returned, pages from a source; CorruptData for other bytes."""
        columns = ColumnFile(head)
        self.pages = None if source is None else Pages(columns, source)
        self._documents = {
            kind: SegmentDocuments(columns, kind, partial(self._unstamped, kind), self.pages) for kind in KINDS
        }
        in_pages = {kind: documents.pages for kind, documents in self._documents.items() if documents.pages is not None}
        self._kept: dict[Kept, PackedBlocks | DocumentPages] = {
            what: in_pages.get(what) or PackedBlocks(columns, what) for what in KEPT
        }
        self.size = columns.size
        bounds = columns.json("bounds")
        self.low, self.through = str(bounds["low"]), str(bounds["through"])
        self._columns = columns
        self._sessions = {SessionId(name): number for number, name in enumerate(columns.json("sessions"))}
        # Turns stand session by session, so that a session is a range of turns, found by where it ends.
        self._names = list(self._sessions)
        self._session_ends = columns.column("session.ends")
        self._ids = columns.strings("turn.id")
        self._seqs = columns.column("turn.seq")
        self._times = columns.column("turn.at")
        self._events = columns.column("turn.events")
        self._firsts = columns.column("turn.first")
        self._texts = columns.column("turn.texts")
        self._doc_turns = columns.column("doc.turn")

    def beliefs(self) -> list[list[Any]]:
        """Return the ledger of this stretch, as it is to be replayed."""
        return self._columns.json("beliefs")

    def documents(self, kind: Kind) -> SegmentDocuments:
        """Return what can be found here."""
        return self._documents[kind]

    def memory(self, doc: int) -> Memory:
        """Return a memory kept here, be it forgotten since."""
        record: dict[str, Any] = self._kept["memories"][doc]
        return memory_of(record)

    def texts(self, kind: Kind) -> Iterator[str]:
        """Yield of each document what is turned into its vector."""
        for kept in self._kept[kind]:
            yield kept["content"] if kind == "memories" else kept[-1]

    def endings(self) -> Iterable[Ending]:
        """Return what was forgotten here, kept here or before."""
        return [ending_of(record) for record in self._columns.json("endings")]

    def held(self) -> Iterable[tuple[int, str]]:
        """Return the texts that were held back here, as document and digest, be they released since."""
        return self._held

    @cached_property
    def _held(self) -> Sequence[tuple[int, str]]:
        if "held" in self._columns:
            return [(doc, said) for doc, said in self._columns.json("held")]
        if "texts.trust" not in self._columns:
            return ()
        words, of = self._documents["texts"].label("trust")
        held = words.index(Trust.HELD.label) if Trust.HELD.label in words else -1
        return [(doc, digest(self._kept["texts"][doc][-1])) for doc, number in enumerate(of) if number == held]

    def released(self) -> Iterable[str]:
        """Return the digests of texts that were released here, held back here or before."""
        return self._columns.json("released") if "released" in self._columns else ()

    def history(self) -> Iterable[dict[str, Any]]:
        """Return the entries that changed facts, in the order of the log; they are unpacked as they are read."""
        return self._kept["history"]

    def change(self, number: int) -> dict[str, Any]:
        """Return the entry of this number, from 0, among those that history yields."""
        return self._kept["history"][number]

    def turns_at(self) -> Sequence[int]:
        """Return when each turn was, as microseconds() has it, session by session."""
        return self._times

    def packed(self, what: Kept) -> Iterable[tuple[int, bytes]]:
        """Return all there is of a kind as (how many, packed list of them), in order."""
        return self._kept[what].packed()

    def sessions(self) -> Iterable[SessionId]:
        """Return the sessions that have turns here."""
        return self._names

    def said(self, session: SessionId) -> Sequence[Said]:
        """Return the session's turns in the order of the log; each is decoded when asked for."""
        return _Turns(self, self._turns_of(session))

    def may_have(self, turn_id: TurnId) -> bool:
        """Tell whether a turn of this id may be here."""
        return self._ids.may_have(turn_id)

    def turn(self, number: int) -> Said:
        """Return the turn of this number in the segment."""
        stamp = TurnStamp(
            seq=self._seqs[number],
            turn_id=TurnId(self._ids[number]),
            at=moment_of(self._times[number]),
            events=self._events[number],
        )
        return Said(stamp, self._firsts[number], self._texts[number])

    def chunk(self, doc: int) -> Chunk:
        """Return a text with what is known of it."""
        # Texts are numbered in the order of the log, turns session by session: this column leads from one to the other.
        number = self._doc_turns[doc]
        stamp = self.turn(number).stamp
        said: list[str] = self._kept["texts"][doc]
        # Speakers repeat and stand in a label; role and text are packed with their neighbours.
        role, text = said
        speakers, speaker = self._documents["texts"].label("speaker")
        names, trust = self._documents["texts"].label("trust")
        return Chunk(
            session_id=self._names[bisect_right(self._session_ends, number)],
            turn_id=stamp.turn_id,
            event_id=self._documents["texts"].ids[doc],
            seq=stamp.seq,
            at=stamp.at,
            role=role,
            speaker=speakers[speaker[doc]],
            text=text,
            trust=Trust.of(names[trust[doc]]),
        )

    def _unstamped(self, kind: Kind) -> Sequence[Trust]:
        """Return whose word each document is in a segment that was written before that was kept: by who said it."""
        if kind == "texts":
            return [trust_of_role(role) for role, _ in self._kept["texts"]]
        return [Trust.AGENT if kind == "memories" else Trust.USER] * len(self._documents[kind])

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
