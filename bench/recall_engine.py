"""Conversations in an engine, stored as agents store them, and questions put to the engine's own recall."""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import closing, contextmanager
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path

from cairn.conversation.items import message
from cairn.conversation.turns import Completion
from cairn.embedded.blobs import DirectoryBlobs
from cairn.embedded.keyring import LocalKeyRing
from cairn.embedded.table import SqliteTable
from cairn.ground.adapters import Adapters
from cairn.ground.calibration import Calibration
from cairn.ground.ids import Project, SessionId, Tenant, TurnId, UserId
from cairn.ground.jobs import Job
from cairn.ground.ports import Embedded, Embedder, TokenEmbedder
from cairn.ground.session import Session
from cairn.ground.settings import MemorySettings
from cairn.log.entries import Chunk
from cairn.log.layout import log_owner
from cairn.memories import recall
from cairn.memories.model import RecalledItem, RecallRequest
from cairn.models.minilm import MiniLm
from cairn.models.multilingual import Multilingual
from cairn.models.statement_reader import StatementReader
from cairn.process.system import SystemEntropy, in_turn
from cairn.recall.answer import Answer, Hit
from cairn.recall.collection import Found
from cairn.recall.corpus import Vector
from cairn.recall.filter import SearchMode
from cairn.recall.searching import Search, Visibility
from cairn.services import Services
from cairn.turns.after_turn import commit
from cairn.turns.before_turn import prepare
from cairn.turns.model import Preparation, PreparedTurn
from over_adapters import services_over
from recall_sets import Conversation, Text
from recall_sets import Question as Asked

DEPTH = 50
MODEL = MiniLm(Path(sys.prefix, "share/cairn/model"))
MULTILINGUAL = Multilingual()
READER = StatementReader(Path(sys.prefix, "share/cairn/model"))
TENANT = Tenant("bench")
USER = UserId("asker")
_ASKING = SessionId("asking")
_ROLES = {"user", "assistant"}
_AFTERWARDS = timedelta(minutes=1)


class StoryClock:
    """A clock that tells the time of what is being said."""

    def __init__(self) -> None:
        """Start before all stories."""
        self._now = datetime(2000, 1, 1, tzinfo=UTC)

    def now(self) -> datetime:
        """Return the time of the story."""
        return self._now

    def sleep(self, seconds: float) -> None:
        """Move on."""
        self._now += timedelta(seconds=seconds)

    def turn_to(self, when: datetime) -> None:
        """Go to a time."""
        self._now = when


class CachingEmbedder:
    """An embedder that embeds no text twice, so that what is compared shares vectors."""

    def __init__(self, embedder: TokenEmbedder) -> None:
        """Start with no vectors."""
        self._embedder = embedder
        self._known: dict[str, Embedded] = {}

    @property
    def name(self) -> str:
        """Return the embedder's name."""
        return self._embedder.name

    @property
    def calibration(self) -> Calibration:
        """Return the embedder's calibration."""
        return self._embedder.calibration

    def embed(self, text: str) -> Vector:
        """Return the text's vector."""
        return self.embed_with_tokens(text).vector

    def embed_with_tokens(self, text: str) -> Embedded:
        """Return the text's vector and those of its word pieces."""
        if text not in self._known:
            self._known[text] = self._embedder.embed_with_tokens(text)
        return self._known[text]


class RememberingEmbedder:
    """An embedder without tokens that embeds no text twice."""

    def __init__(self, embedder: Embedder) -> None:
        """Start with no vectors."""
        self.name, self.calibration = embedder.name, embedder.calibration
        self._embedder = embedder
        self._known: dict[str, Vector] = {}

    def embed(self, text: str) -> Vector:
        """Return the text's vector."""
        if text not in self._known:
            self._known[text] = self._embedder.embed(text)
        return self._known[text]


def embedders() -> Mapping[str, Embedder]:
    """Return what runs in the process, by the names that the settings have."""
    return {"minilm": CachingEmbedder(MODEL), "multilingual": RememberingEmbedder(MULTILINGUAL)}


class NoJobs:
    """A queue for jobs that nobody does: the bench indexes when all is stored."""

    def send(self, jobs: Sequence[Job]) -> None:
        """Drop the jobs."""


class StoredConversation:
    """A conversation in an engine: each text a turn of its own, at its own time, all of one user's log."""

    def __init__(self, start: Callable[[], Services], clock: StoryClock, conversation: Conversation) -> None:
        """Store the texts and index them; what answers is an engine that was started afterwards."""
        self._services = start()
        self._clock = clock
        self._session = Session(TENANT, Project(conversation.name), _ASKING)
        # Another's preferences would stand in every context: what a user is known by holds in all projects.
        self._user = UserId(conversation.name)
        self._owner = log_owner(self._user, _ASKING)
        self._ids: dict[int, str] = {}
        self.owners = [self._owner]
        clock.turn_to(conversation.texts[0].at)
        for text in conversation.texts:
            self._store(text)
        self._ended = clock.now() + _AFTERWARDS
        self._services.indexer.run(TENANT, self._session.project, self._owner)
        self._services = start()

    def ranked(self, asked: Asked, mode: SearchMode = "hybrid", *, explain: bool = False) -> list[RecalledItem]:
        """Return what recall answers, the best first, page after page."""
        self._clock.turn_to(asked.asked or self._ended)
        found: list[RecalledItem] = []
        while len(found) < DEPTH:
            question = RecallRequest(
                query=asked.text,
                mode=mode,
                min_confidence=0,
                limit=DEPTH,
                skip=len(found),
                explain=explain,
                user_id=self._user,
            )
            page = recall.recall(self._services, self._session, question)
            found.extend(page.found)
            if not page.more:
                break
        return found[:DEPTH]

    @contextmanager
    def answering(self, asked: Asked, mode: SearchMode) -> Generator[Answer]:
        """Put a question as recall does to texts and facts, and hold the answer with its features."""
        self._clock.turn_to(asked.asked or self._ended)
        recall, visibility = self._services.searcher, Visibility(self._session, self._owner, "user")
        recall.refresh(visibility, [self._owner])
        search = Search(query=asked.text, texts=self.owners, facts=recall.beliefs(visibility, [self._owner]), mode=mode)
        with recall.answering(visibility, search) as answer:
            yield answer

    def prepared(self, asked: Asked) -> PreparedTurn:
        """Return what before_turn prepares in a new conversation of the user's, by its defaults."""
        self._clock.turn_to(asked.asked or self._ended)
        request = Preparation(
            current=(message("user", asked.text),), user_id=self._user, recall_scope="user", explain=True
        )
        return prepare(self._services, self._session, request)

    def texts(self, answer: Answer) -> list[tuple[int, str]]:
        """Return the place of each text that the answer weighed, and its id; facts are left out."""
        found: list[tuple[int, str]] = []
        for place, row in enumerate(answer.ranking.rows.tolist()):
            number, _ = answer.corpus.leaf_of(row)
            if answer.corpus.leaves[number].kind == "texts":
                if row not in self._ids:
                    self._ids[row] = _chunk_id(answer.read(Hit("texts", 0.0, place)))
                found.append((place, self._ids[row]))
        return found

    def _store(self, text: Text) -> None:
        self._clock.turn_to(max(text.at, self._clock.now() + timedelta(seconds=1)))
        role = text.speaker if text.speaker in _ROLES else "user"
        named = {} if text.speaker in _ROLES else {"name": text.speaker}
        item = message(role, text.said, "output_text" if role == "assistant" else "input_text") | named
        place = TurnId(text.id.partition(".")[2])
        inputs, outputs = ((), (item,)) if role == "assistant" else ((item,), ())
        turn = Completion(turn_id=place, inputs=inputs, outputs=outputs, user_id=self._user)
        session = Session(TENANT, self._session.project, SessionId(text.session))
        commit(self._services, session, turn)


def text_id(found: RecalledItem) -> str:
    """Return the id that the text of a turn has in its conversation; that of a fact or memory is none."""
    return f"{found.session_id}.{found.turn_id}" if found.kind == "turn" else f"{found.kind}:{found.id}"


def _chunk_id(found: Found) -> str:
    return f"{found.session_id}.{found.turn_id}" if isinstance(found, Chunk) else found.id


@contextmanager
def stored(
    conversations: Sequence[Conversation], embedder: Embedder | None
) -> Generator[Mapping[str, StoredConversation]]:
    """Store conversations in an engine on this machine, each a project of its own, and return them by name."""
    clock = StoryClock()
    with (
        tempfile.TemporaryDirectory() as directory,
        open_adapters(Path(directory), clock, Path(":memory:")) as adapters,
    ):
        yield {
            each.name: StoredConversation(partial(recalling, adapters, embedder), clock, each) for each in conversations
        }


@contextmanager
def open_adapters(directory: Path, clock: StoryClock, table: Path | None = None) -> Generator[Adapters]:
    """Yield the adapters of what is stored in a directory, its table too unless it is named."""
    blobs, keys = DirectoryBlobs(directory / "blobs"), LocalKeyRing(bytes(32))
    with closing(SqliteTable(table or directory / "table.db")) as store:
        yield Adapters(store, blobs, keys, clock, SystemEntropy(), in_turn, NoJobs())


def recalling(adapters: Adapters, embedder: Embedder | None) -> Services:
    """Return services that recall what a user said in all sessions, and read it where the embedder is MiniLM."""
    reader = READER if isinstance(embedder, TokenEmbedder) else None
    return services_over(adapters, MemorySettings(recall_scope="user"), embedder=embedder, reader=reader)
