"""A memory log folded into facts, memories, searchable texts and the turns they came from."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from itertools import chain, takewhile
from typing import Any

from cairn.facts.facts import Fact, from_record
from cairn.ground.ids import SessionId, TurnId
from cairn.ground.trust import Trust
from cairn.log.documents import Documents
from cairn.log.entries import Chunk, TurnStamp
from cairn.log.ledger import History, Ledger
from cairn.log.memories import Ending, Memory, MemoryType, ending_of
from cairn.log.segment import Segment
from cairn.log.stretch import Said, Stretch, Tail


class MemoryView:
    """Folds log entries, in the order of their ids, on top of segments that hold the earlier ones.

    `joined` is for whoever reads it: what was made of its stretches, of which only the last one grows.
    """

    def __init__(self, segments: Iterable[Segment] = ()) -> None:
        """Start with what the segments say, oldest first."""
        self.ledger = Ledger()
        self._tail = Tail()
        self._endings: dict[str, Ending] = {}
        self._released: set[str] = set()
        self.stretches: list[Stretch] = []
        for segment in segments:
            self.ledger.replay(segment.beliefs())
            self._end(segment.endings())
            self._released.update(segment.released())
            self.stretches.append(segment)
        self.stretches.append(self._tail)
        self.joined: dict[str, Any] = {}

    def apply(self, record: dict[str, Any]) -> None:
        """Fold one entry's record into the view."""
        self.ledger.apply(record)
        self._end(map(ending_of, record.get("forgotten", ())))
        self._released.update(record.get("released", ()))
        self._tail.apply(record)

    def turns(self, session: SessionId) -> list[TurnStamp]:
        """Return the session's turns in the order of the log."""
        return [said.stamp for stretch in self.stretches for said in stretch.said(session)]

    def sessions(self) -> list[SessionId]:
        """Return the sessions that have turns here."""
        return list(dict.fromkeys(chain.from_iterable(stretch.sessions() for stretch in self.stretches)))

    def span(self, session: SessionId) -> tuple[TurnStamp, TurnStamp]:
        """Return the first and the newest of the session's turns here, of which there are some."""
        told = [said for stretch in self.stretches if (said := stretch.said(session))]
        return told[0][0].stamp, told[-1][-1].stamp

    def opening(self, session: SessionId) -> str:
        """Return the first of the session's texts here, "" where there is none."""
        return next((stretch.chunk(said.first).text for stretch, said in self._told(session) if said.texts), "")

    def memories(self, types: Collection[MemoryType] | None = None) -> Iterator[Memory]:
        """Yield the memories that are kept and were not forgotten, of these types or of any, the newest first."""
        for stretch in reversed(self.stretches):
            documents = stretch.documents("memories")
            for doc in reversed(_of_types(documents, types)):
                if documents.ids[doc] not in self._endings:
                    yield stretch.memory(doc)

    def memory_count(self) -> int:
        """Return how many memories are kept, without reading them."""
        of_stretches = [stretch.documents("memories").ids for stretch in self.stretches]
        return sum(ids[doc] not in self._endings for ids in of_stretches for doc in range(len(ids)))

    def memory(self, name: str) -> Memory | None:
        """Return the memory of this id, be it forgotten since, None where there is none."""
        found = ((stretch, stretch.documents("memories").doc_of(name)) for stretch in reversed(self.stretches))
        return next((stretch.memory(doc) for stretch, doc in found if doc is not None), None)

    def recorded(self, name: str) -> tuple[SessionId, Fact] | None:
        """Return the fact of this id as it was recorded, believed or not, and for which session; None where none was.

        All changes of facts are read for that.
        """
        for record in chain.from_iterable(stretch.history() for stretch in reversed(self.stretches)):
            for added in record["added"]:
                if added["id"] == name:
                    return SessionId(record["session"]), from_record(added)
        return None

    def _told(self, session: SessionId) -> Iterator[tuple[Stretch, Said]]:
        return ((stretch, said) for stretch in self.stretches for said in stretch.said(session))

    def turn_count(self, session: SessionId) -> int:
        """Return how many turns of the session are here."""
        return sum(len(stretch.said(session)) for stretch in self.stretches)

    def last_seq(self, session: SessionId) -> int:
        """Return the number of the session's newest turn here, 0 where there is none."""
        return next((stamp.seq for stamp in _newest(self.stretches, session)), 0)

    def last_said(self, session: SessionId, seq: int) -> str:
        """Return what the user said last in the turn of this number, nothing if it is not the session's newest here."""
        newest = ((stretch, said) for stretch in reversed(self.stretches) for said in reversed(stretch.said(session)))
        stretch, turn = next(newest, (self._tail, None))
        if turn is None or turn.stamp.seq != seq:
            return ""
        texts = (stretch.chunk(doc) for doc in reversed(range(turn.first, turn.first + turn.texts)))
        return next((chunk.text for chunk in texts if chunk.role == "user"), "")

    def has_turn(self, session: SessionId, turn_id: TurnId, after: int) -> bool:
        """Tell whether the turn is one of the session's turns here whose number is greater than `after`."""
        # Asked of each turn that is stored, and nearly always of a new one: turns are decoded only where one may be it.
        those = [stretch for stretch in self.stretches if stretch.may_have(turn_id)]
        newest = takewhile(lambda stamp: stamp.seq > after, _newest(those, session))
        return any(stamp.turn_id == turn_id for stamp in newest)

    def chunks(self, session: SessionId) -> list[Chunk]:
        """Return the session's texts in the order they were said, but for those that were held back.

        Though they be released since: what is made of these goes into bundles, which bring no release.
        """
        texts = (
            stretch.chunk(doc)
            for stretch in self.stretches
            for said in stretch.said(session)
            for doc in range(said.first, said.first + said.texts)
        )
        return [text for text in texts if text.trust is not Trust.HELD]

    def held(self) -> Iterator[tuple[int, int]]:
        """Yield the texts that are held back and were not released, each as the number of its stretch and document."""
        for number, stretch in enumerate(self.stretches):
            yield from ((number, doc) for doc, digest in stretch.held() if digest not in self._released)

    def held_back(self) -> Iterator[Chunk]:
        """Yield the texts that are held back, the oldest first."""
        return (self.stretches[number].chunk(doc) for number, doc in self.held())

    def facts(self, now: datetime, session: SessionId | None) -> list[Fact]:
        """Return what is believed now, by one session or by all."""
        return self.ledger.live(now, session)

    def history(self, at: datetime) -> History:
        """Return what was believed at a time, from all that the log says until then."""
        return History(chain.from_iterable(stretch.history() for stretch in self.stretches), at)

    @property
    def tail(self) -> Tail:
        """Return what no segment holds."""
        return self._tail

    @property
    def endings(self) -> Mapping[str, Ending]:
        """Return how memories and facts were forgotten, by their ids."""
        return self._endings

    def ending(self, name: str) -> Ending | None:
        """Return how the memory or fact of this id was forgotten, None where it was not."""
        return self._endings.get(name)

    def _end(self, endings: Iterable[Ending]) -> None:
        for ending in endings:
            # The first ending counts: what is forgotten cannot be forgotten again.
            self._endings.setdefault(ending.id, ending)


def _newest(stretches: Sequence[Stretch], session: SessionId) -> Iterator[TurnStamp]:
    """Yield the session's turns in these, the newest first."""
    turns = chain.from_iterable(reversed(stretch.said(session)) for stretch in reversed(stretches))
    return (said.stamp for said in turns)


def _of_types(memories: Documents, types: Collection[MemoryType] | None) -> Sequence[int]:
    """Return the documents of these types, in order, without reading them."""
    if types is None:
        return range(len(memories))
    words, numbers = memories.label("type")
    wanted = {number for number, word in enumerate(words) if word in types}
    return [doc for doc, number in enumerate(numbers) if number in wanted] if wanted else ()
