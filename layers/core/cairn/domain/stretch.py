"""A stretch of a memory log, folded: what its turns said and its agents kept, to be read one by one or searched."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Literal, NamedTuple, Protocol, TypeAlias

from cairn.domain.blocks import packed_blocks
from cairn.domain.codec import canonical, moment
from cairn.domain.ids import SessionId, TurnId
from cairn.domain.log_entries import Chunk, TurnStamp
from cairn.domain.memories import Ending, Memory, ending_of, memory_of, memory_record
from cairn.domain.search import Corpus, Index
from cairn.domain.terms import terms

Kept: TypeAlias = Literal["texts", "memories", "history"]
"""What a stretch keeps in blocks: [event id, role, text] of each text, memories, changes of facts."""


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

    @property
    def memories(self) -> Sequence[Memory]:
        """Return the memories kept here in the order of the log, those forgotten since among them."""
        ...

    @property
    def memory_index(self) -> Postings:
        """Return the inverted index of the memories, numbered as they stand in `memories`."""
        ...

    def endings(self) -> Iterable[Ending]:
        """Return what was forgotten here, kept here or before."""
        ...

    def history(self) -> Iterable[dict[str, Any]]:
        """Return the entries that changed facts, in the order of the log, as far as they did."""
        ...

    def packed(self, what: Kept) -> Iterable[tuple[int, bytes]]:
        """Return all there is of a kind as (how many, packed list of them), in order."""
        ...


class Tail:
    """The newest stretch, in memory, which grows as entries are applied."""

    def __init__(self) -> None:
        """Start empty."""
        self.index: Corpus[int] = Corpus()
        self.memory_index: Corpus[int] = Corpus()
        self.memories: list[Memory] = []
        self._said: dict[SessionId, list[Said]] = {}
        self._chunks: list[Chunk] = []
        self._endings: list[Ending] = []
        self._history: list[dict[str, Any]] = []

    def apply(self, record: dict[str, Any]) -> None:
        """Fold one entry's record."""
        if record["turn"]:
            self._say(record)
        for kept in record.get("remembered", ()):
            memory = memory_of(kept)
            self.memory_index.add(len(self.memories), memory_terms(memory))
            self.memories.append(memory)
        self._endings.extend(ending_of(ending) for ending in record.get("forgotten", ()))
        if record["added"] or record["ended"] or record["seen"]:
            self._history.append({name: record[name] for name in ("session", "at", "added", "ended", "seen")})

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

    def endings(self) -> Iterable[Ending]:
        """Return what was forgotten here, kept here or before."""
        return self._endings

    def history(self) -> Iterable[dict[str, Any]]:
        """Return the entries that changed facts, in the order of the log, as far as they did."""
        return self._history

    def packed(self, what: Kept) -> Iterable[tuple[int, bytes]]:
        """Return all there is of a kind as (how many, packed list of them), in order."""
        match what:
            case "texts":
                texts = ([chunk.event_id, chunk.role, chunk.text] for chunk in self._chunks)
                return packed_blocks(texts, lambda text: len(text[-1]))
            case "memories":
                return packed_blocks(map(memory_record, self.memories), lambda record: len(record["content"]))
            case "history":
                return packed_blocks(self._history, lambda record: len(canonical(record)))

    def _say(self, record: dict[str, Any]) -> None:
        turn = record["turn"]
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


def memory_terms(memory: Memory) -> list[str]:
    """Return what a memory is found under: its type, its content and why it was kept."""
    return terms(f"{memory.type.replace('_', ' ')} {memory.content} {memory.rationale or ''}")
