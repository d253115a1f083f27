"""A folded stretch of a memory log: turns, memories and facts, to be read one by one or searched."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Any, Final, Literal, NamedTuple, Protocol, TypeAlias

from cairn.facts.facts import Fact, digest, from_record, is_said, subject
from cairn.facts.kinds import FACT_KINDS
from cairn.ground.codec import canonical, moment
from cairn.ground.ids import SessionId, TurnId
from cairn.ground.trust import Trust
from cairn.language.index_terms import index_terms
from cairn.log.documents import KINDS, Described, Documents, GrowingDocuments, Kind, Vectors
from cairn.log.entries import Chunk, TurnStamp, trust_of
from cairn.log.memories import Ending, Memory, ending_of, memory_of, memory_record
from cairn.log.packed import packed_blocks

Kept: TypeAlias = Literal["texts", "memories", "facts", "history"]
"""What a stretch keeps in blocks: [role, text] of each text, memories, [text] of each fact, changes of facts."""
KEPT: Final[tuple[Kept, ...]] = (*KINDS, "history")
_EPOCH = datetime.fromtimestamp(0, UTC)
_MICROSECOND = timedelta(microseconds=1)


def microseconds(when: datetime) -> int:
    """Return a time as documents hold it: microseconds since 1970 UTC."""
    return (when - _EPOCH) // _MICROSECOND


def moment_of(count: int) -> datetime:
    """Return the time that microseconds() was given."""
    return _EPOCH + count * _MICROSECOND


class Said(NamedTuple):
    """A turn of a stretch; its texts are the documents numbered from `first` on, `texts` of them."""

    stamp: TurnStamp
    first: int
    texts: int


class Stretch(Protocol):
    """The parts of a stretch that a view reads."""

    def documents(self, kind: Kind) -> Documents:
        """Return what can be found here."""
        ...

    def sessions(self) -> Iterable[SessionId]:
        """Return the sessions that have turns here."""
        ...

    def said(self, session: SessionId) -> Sequence[Said]:
        """Return the session's turns in the order of the log; each is decoded when asked for."""
        ...

    def may_have(self, turn_id: TurnId) -> bool:
        """Tell whether a turn of this id may be here, of whatever session; most that are asked for are nowhere."""
        ...

    def chunk(self, doc: int) -> Chunk:
        """Return a text with what is known of it."""
        ...

    def memory(self, doc: int) -> Memory:
        """Return a memory kept here, be it forgotten since."""
        ...

    def texts(self, kind: Kind) -> Iterable[str]:
        """Return of each document what is turned into its vector."""
        ...

    def endings(self) -> Iterable[Ending]:
        """Return what was forgotten here, kept here or before."""
        ...

    def held(self) -> Iterable[tuple[int, str]]:
        """Return the texts that were held back here, as document and digest, be they released since."""
        ...

    def released(self) -> Iterable[str]:
        """Return the digests of texts that were released here, held back here or before."""
        ...

    def history(self) -> Iterable[dict[str, Any]]:
        """Return the entries that changed facts, in the order of the log, as far as they did."""
        ...

    def change(self, number: int) -> dict[str, Any]:
        """Return the entry of this number, from 0, among those that history yields."""
        ...

    def turns_at(self) -> Sequence[int]:
        """Return when each turn was, as microseconds() has it, in any order."""
        ...

    def packed(self, what: Kept) -> Iterable[tuple[int, bytes]]:
        """Return all there is of a kind as (how many, packed list of them), in order."""
        ...


class Tail:
    """The newest stretch, which is in memory and grows as entries are applied."""

    def __init__(self) -> None:
        """Start empty."""
        self._documents: dict[Kind, GrowingDocuments] = {kind: GrowingDocuments() for kind in KINDS}
        self._memories: list[Memory] = []
        self._said: dict[SessionId, list[Said]] = {}
        self._turn_ids = set[TurnId]()
        self._turns_at: list[int] = []
        self._chunks: list[Chunk] = []
        self._endings: list[Ending] = []
        self._held: list[tuple[int, str]] = []
        self._released: list[str] = []
        self._history: list[dict[str, Any]] = []
        self._newest: list[tuple[GrowingDocuments, int]] = []

    def apply(self, record: dict[str, Any]) -> None:
        """Fold one entry's record."""
        before = [(documents, len(documents)) for documents in self._documents.values()]
        self._add(record)
        self._newest = [(documents, doc) for documents, first in before for doc in range(first, len(documents))]

    def keep_vectors(self, vectors: Vectors) -> None:
        """Keep the vectors of all documents of the entry that was folded last."""
        size, rest = divmod(len(vectors.data), max(1, len(self._newest)))
        if not rest:
            for place, (documents, doc) in enumerate(self._newest):
                documents.keep(doc, vectors.embedder, bytes(vectors.data[place * size : (place + 1) * size]))

    def _add(self, record: dict[str, Any]) -> None:
        if record["turn"]:
            self._say(record)
        for kept in record.get("remembered", ()):
            memory = memory_of(kept)
            self._documents["memories"].add(_of_memory(memory))
            self._memories.append(memory)
        self._endings.extend(ending_of(ending) for ending in record.get("forgotten", ()))
        self._released.extend(record.get("released", ()))
        for added in record["added"]:
            self._documents["facts"].add(_of_fact(from_record(added), record["session"]))
        # Most turns change no fact, and history is read whole.
        if record["added"] or record["ended"] or record["seen"]:
            self._history.append({name: record[name] for name in ("session", "at", "added", "ended", "seen")})

    def documents(self, kind: Kind) -> GrowingDocuments:
        """Return what can be found here."""
        return self._documents[kind]

    def sessions(self) -> Iterable[SessionId]:
        """Return the sessions that have turns here."""
        return self._said

    def said(self, session: SessionId) -> Sequence[Said]:
        """Return the session's turns in the order of the log."""
        return self._said.get(session, ())

    def may_have(self, turn_id: TurnId) -> bool:
        """Tell whether a turn of this id is here."""
        return turn_id in self._turn_ids

    def chunk(self, doc: int) -> Chunk:
        """Return a text with what is known of it."""
        return self._chunks[doc]

    def memory(self, doc: int) -> Memory:
        """Return a memory kept here, be it forgotten since."""
        return self._memories[doc]

    def texts(self, kind: Kind) -> Iterable[str]:
        """Return of each document what is turned into its vector."""
        return self._documents[kind].texts()

    def endings(self) -> Iterable[Ending]:
        """Return what was forgotten here, kept here or before."""
        return self._endings

    def held(self) -> Iterable[tuple[int, str]]:
        """Return the texts that were held back here, as document and digest, be they released since."""
        return self._held

    def released(self) -> Iterable[str]:
        """Return the digests of texts that were released here, held back here or before."""
        return self._released

    def history(self) -> Iterable[dict[str, Any]]:
        """Return the entries that changed facts, in the order of the log, as far as they did."""
        return self._history

    def change(self, number: int) -> dict[str, Any]:
        """Return the entry of this number, from 0, among those that history yields."""
        return self._history[number]

    def turns_at(self) -> Sequence[int]:
        """Return when each turn was, as microseconds() has it, in the order of the log."""
        return self._turns_at

    def packed(self, what: Kept) -> Iterable[tuple[int, bytes]]:
        """Return all there is of a kind as (how many, packed list of them), in order."""
        match what:
            case "texts":
                texts = ([chunk.role, chunk.text] for chunk in self._chunks)
                return packed_blocks(texts, lambda text: len(text[-1]))
            case "memories":
                return packed_blocks(map(memory_record, self._memories), lambda record: len(record["content"]))
            case "facts":
                return packed_blocks(([text] for text in self.texts("facts")), lambda fact: len(fact[0]))
            case "history":
                return packed_blocks(self._history, lambda record: len(canonical(record)))

    def _say(self, record: dict[str, Any]) -> None:
        turn = record["turn"]
        session, at, first = SessionId(record["session"]), moment(record["at"]), len(self._chunks)
        stamp = TurnStamp(seq=turn["seq"], turn_id=TurnId(turn["id"]), at=at, events=turn["events"])
        self._said.setdefault(session, []).append(Said(stamp, first, len(turn["texts"])))
        self._turn_ids.add(stamp.turn_id)
        self._turns_at.append(microseconds(at))
        for event_id, role, text, *named in turn["texts"]:
            # A text is followed by a name only where its item carries one.
            speaker, trust = named[0] if named else role, trust_of(turn, event_id, role)
            if trust is Trust.HELD:
                self._held.append((len(self._chunks), digest(text)))
            self._documents["texts"].add(
                Described(
                    id=event_id,
                    at=microseconds(at),
                    speaker=speaker,
                    session=session,
                    type="turn",
                    confidence=1.0,
                    index_terms=partial(index_terms, text, speaker=speaker, at=at),
                    text=text,
                    trust=trust.label,
                )
            )
            self._chunks.append(
                Chunk(
                    session_id=session,
                    turn_id=stamp.turn_id,
                    event_id=event_id,
                    seq=stamp.seq,
                    at=at,
                    role=role,
                    speaker=speaker,
                    text=text,
                    trust=trust,
                )
            )


def _of_memory(memory: Memory) -> Described:
    """Return how a memory is found: under its type, its content, why it was kept, and when."""
    # "trade_off" is looked for as "trade off".
    found = f"{memory.type.replace('_', ' ')} {memory.content} {memory.rationale or ''}"
    return Described(
        id=memory.id,
        at=microseconds(memory.recorded_at),
        speaker="",
        session=memory.session_id,
        type=memory.type,
        confidence=memory.confidence,
        index_terms=partial(index_terms, found, at=memory.recorded_at),
        text=memory.content,
        trust=memory.trust.label,
    )


def _of_fact(fact: Fact, session: str) -> Described:
    """Return how a fact is found: under its key and value, what was said, and how its kind is asked for."""
    kind = FACT_KINDS.get(fact.fact_id)  # a language model may propose others
    asked_with = kind.asked_with if kind else ""
    said = fact.value if is_said(fact) else f"{fact.key} {fact.value} {fact.source.quote}"
    found = f"{said} {asked_with}"
    return Described(
        id=fact.id,
        at=microseconds(fact.recorded_at),
        speaker="",
        session=session,
        type="fact",
        confidence=fact.confidence,
        index_terms=partial(index_terms, found),
        text=fact.value if is_said(fact) else f"{subject(fact)}: {fact.value}",
        trust=fact.trust.label,
    )
