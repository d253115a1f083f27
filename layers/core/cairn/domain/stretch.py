"""A stretch of a memory log, folded: what its turns said, to be read turn by turn or searched."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple, Protocol

from cairn.domain.codec import moment, pack
from cairn.domain.ids import SessionId, TurnId
from cairn.domain.log_entries import Chunk, TurnStamp
from cairn.domain.search import Corpus, Index
from cairn.domain.terms import terms

BLOCK_CHARACTERS = 32_768
"""How much text is compressed and read together."""


class Said(NamedTuple):
    """A turn of a stretch; its texts are the documents numbered from `first` on, `texts` of them."""

    stamp: TurnStamp
    first: int
    texts: int


class Postings(Index[int], Protocol):
    """The inverted index of a stretch, which can be written down."""

    def postings(self) -> Iterator[tuple[str, Sequence[int], Sequence[int]]]:
        """Yield each term, in their order, with the documents that have it and how often."""
        ...


class Stretch(Protocol):
    """What a view reads: documents are texts, numbered from 0 in the order of the log."""

    @property
    def index(self) -> Postings:
        """Return the inverted index of the texts."""
        ...

    def sessions(self) -> Iterable[SessionId]:
        """Return the sessions that have turns here."""
        ...

    def said(self, session: SessionId) -> Sequence[Said]:
        """Return the session's turns in the order of the log; each is decoded when asked for."""
        ...

    def is_of(self, doc: int, session: SessionId) -> bool:
        """Tell whether the session said this text."""
        ...

    def chunk(self, doc: int) -> Chunk:
        """Return a text with what is known of it."""
        ...

    def blocks(self) -> Iterator[tuple[int, bytes]]:
        """Yield all texts as (how many, packed [event id, role, text] of each), in order."""
        ...


class Tail:
    """The newest stretch, in memory, which grows as entries are applied."""

    def __init__(self) -> None:
        """Start empty."""
        self.index: Corpus[int] = Corpus()
        self._said: dict[SessionId, list[Said]] = {}
        self._chunks: list[Chunk] = []

    def apply(self, record: dict[str, Any]) -> None:
        """Fold one entry's record."""
        turn = record["turn"]
        if not turn:
            return
        session, at, first = SessionId(record["session"]), moment(record["at"]), len(self._chunks)
        stamp = TurnStamp(seq=turn["seq"], turn_id=TurnId(turn["id"]), at=at, events=turn["events"])
        self._said.setdefault(session, []).append(Said(stamp, first, len(turn["texts"])))
        for doc, (event_id, role, text) in enumerate(turn["texts"], first):
            self._chunks.append(
                Chunk(
                    session_id=session,
                    turn_id=stamp.turn_id,
                    event_id=event_id,
                    seq=stamp.seq,
                    at=at,
                    role=role,
                    text=text,
                )
            )
            self.index.add(doc, terms(text))

    def sessions(self) -> Iterable[SessionId]:
        """Return the sessions that have turns here."""
        return self._said

    def said(self, session: SessionId) -> Sequence[Said]:
        """Return the session's turns in the order of the log."""
        return self._said.get(session, ())

    def is_of(self, doc: int, session: SessionId) -> bool:
        """Tell whether the session said this text."""
        return self._chunks[doc].session_id == session

    def chunk(self, doc: int) -> Chunk:
        """Return a text with what is known of it."""
        return self._chunks[doc]

    def blocks(self) -> Iterator[tuple[int, bytes]]:
        """Yield all texts as (how many, packed [event id, role, text] of each), in order."""
        block: list[list[str]] = []
        size = 0
        for chunk in self._chunks:
            block.append([chunk.event_id, chunk.role, chunk.text])
            size += len(chunk.text)
            if size >= BLOCK_CHARACTERS:
                yield len(block), pack(block)
                block, size = [], 0
        if block:
            yield len(block), pack(block)
