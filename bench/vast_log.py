"""A log of any length, written straight into segments: real conversations among mixtures of them.

Each conversation of Cairn's own is there once, word for word, and answers its questions. All else is mixtures: of each
text the first half of one real text and the second of another, with the sum of their two vectors, moved a little, and
the tokens of the first. What is random has a seed. Nothing is embedded but the real texts, and the table holds no
entries: only what reads segments can be measured.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cairn.ground.adapters import Adapters
from cairn.ground.ids import Project, SessionId, TurnId, time_ordered_id
from cairn.ground.ports import TokenEmbedder
from cairn.ground.table import Key, Put
from cairn.log.documents import Vectors
from cairn.log.entries import LogEntry, TurnEntry
from cairn.log.layout import log_owner, log_pk, log_sk
from cairn.log.manifest import Manifest, is_full
from cairn.log.segment_writer import Written, written
from cairn.log.segments import Segments
from cairn.log.view import MemoryView
from cairn.recall.corpus import quantized, stored_bytes
from cairn.recall.embedding import apart
from cairn.recall.token_vectors import BYTES
from cairn.vault.vault import Vault
from recall_engine import TENANT, USER
from recall_sets import Conversation, Text

PROJECT = Project("vast")
ASKING = SessionId("asking")
OWNER = log_owner(USER, ASKING)
PK = log_pk(TENANT, PROJECT, OWNER)
_FIRST = datetime(2020, 1, 1, tzinfo=UTC)
_NOISE = 0.02
_FULL = 94_208
"""How many entries a segment has that is not merged any more, as a job at each 32 makes it."""


@dataclass(frozen=True, slots=True)
class Spoken:
    """What a log says in one text, and what is stored of its vector and tokens."""

    session: str
    turn: str
    at: datetime
    speaker: str
    said: str
    stored: bytes


class Mixtures:
    """Real conversations, and mixtures of them without an end."""

    def __init__(self, conversations: Sequence[Conversation], embedder: TokenEmbedder, seed: int) -> None:
        """Embed what was really said."""
        self._conversations = conversations
        self._texts = [text for each in conversations for text in each.texts]
        embedded = [embedder.embed_with_tokens(text.said) for text in self._texts]
        self._vectors = np.stack([each.vector for each in embedded])
        self._stored = [stored_bytes(each.vector, each.tokens) for each in embedded]
        self._chance = random.Random(seed)  # noqa: S311 - what is mixed, no secret
        self._noise = np.random.default_rng(seed)

    def log(self, size: int) -> Iterator[Spoken]:
        """Yield so many texts: the real conversations at random places, each whole."""
        copies = max(1, (size - len(self._texts)) // len(self._texts) + 1)
        places = {(self._chance.randrange(copies), name): name for name in range(len(self._conversations))}
        told = 0
        for copy in range(copies):
            for name, conversation in enumerate(self._conversations):
                if (copy, name) in places:
                    yield from self._real(conversation)
                mixed = self._mixed(conversation, copy)
                left = size - len(self._texts) - told
                told += min(left, len(conversation.texts))
                yield from (each for _, each in zip(range(left), mixed, strict=False))

    def _real(self, conversation: Conversation) -> Iterator[Spoken]:
        first = self._first_of(conversation)
        for number, text in enumerate(conversation.texts):
            turn = f"{conversation.name}.{text.id}"
            yield _spoken(text, f"{conversation.name}.{text.session}", turn, self._stored[first + number])

    def _mixed(self, conversation: Conversation, copy: int) -> Iterator[Spoken]:
        first, count = self._first_of(conversation), len(conversation.texts)
        others = [self._chance.randrange(len(self._texts)) for _ in range(count)]
        vectors = self._moved(self._vectors[first : first + count] + self._vectors[others])
        for number, (text, other) in enumerate(zip(conversation.texts, others, strict=True)):
            half = Text(text.id, text.session, text.at, text.speaker, _halves(text.said, self._texts[other].said))
            stored = quantized(vectors[number]).tobytes() + self._stored[first + number][vectors.shape[1] :]
            yield _spoken(half, f"{conversation.name}.{text.session}.{copy}", f"{text.id}.{copy}", stored)

    def _moved(self, vectors: NDArray[np.float32]) -> NDArray[np.float32]:
        moved = vectors + self._noise.normal(0, _NOISE, vectors.shape).astype(np.float32)
        return (moved / np.linalg.norm(moved, axis=1, keepdims=True)).astype(np.float32)

    def _first_of(self, conversation: Conversation) -> int:
        before = self._conversations[: self._conversations.index(conversation)]
        return sum(len(each.texts) for each in before)


def build(adapters: Adapters, texts: Iterable[Spoken], embedder: str, *, in_pages: bool = True) -> int:
    """Store the texts as a log of full segments and a smaller one, and return how many bytes they take.

    Full segments are in pages, as the indexer makes them, unless all of every one is to be at hand.
    """
    vault = Vault(adapters)
    segments = Segments(adapters, vault)
    manifest, low, told, total = Manifest(), "", iter(texts), 0
    while some := [text for _, text in zip(range(_FULL), told, strict=False)]:
        through = log_sk(time_ordered_id(_FIRST + timedelta(hours=manifest.version), bytes(10)))
        segment = _segment(some, low, through, embedder, in_pages=in_pages and is_full(len(some)))
        # The newest entry that a segment holds is looked for at each question.
        adapters.table.put(Put({"pk": PK, "sk": through, **vault.seal(TENANT, Key(PK, through), _entry(some[-1], 0))}))
        built = segments.build(TENANT, PK, through, len(some), segment)
        switched = segments.switch(PK, manifest, len(manifest.segments), built)
        if switched is None:
            raise ValueError("another process builds the log")
        manifest, low, total = switched, through, total + segment.size
    return total


def _segment(texts: Sequence[Spoken], low: str, through: str, embedder: str, *, in_pages: bool) -> Written:
    view = MemoryView()
    for number, text in enumerate(texts):
        view.apply(_entry(text, number))
    data = b"".join(text.stored for text in texts)
    if not in_pages:
        return written(view, low, through, {"texts": Vectors(embedder, data)})
    stored = np.frombuffer(data, np.int8).reshape(len(texts), -1)
    return written(view, low, through, {"texts": apart(embedder, stored, stored.shape[1] - BYTES)}, ["texts"])


def _entry(text: Spoken, number: int) -> dict[str, Any]:
    spoken = (f"{text.turn}.{number}", "user", text.said, text.speaker)
    turn = TurnEntry(turn_id=TurnId(text.turn), seq=number + 1, events=1, texts=(spoken,))
    return LogEntry(session_id=SessionId(text.session), at=text.at, turn=turn).to_record()


def _spoken(text: Text, session: str, turn: str, stored: bytes) -> Spoken:
    return Spoken(session, turn, text.at, text.speaker, text.said, stored)


def _halves(one: str, other: str) -> str:
    first, second = one.split(), other.split()
    return " ".join([*first[: len(first) // 2], *second[len(second) // 2 :]]) or one
