"""Search facts and earlier texts in every log that the caller may see."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING

from cairn.facts.facts import Fact, is_said
from cairn.ground.adapters import Adapters, Pending
from cairn.ground.ids import Project, SessionId, Tenant, trunk
from cairn.ground.paging import every
from cairn.ground.session import Session
from cairn.ground.settings import RecallScope
from cairn.ground.table import Key, Query, prefix_range
from cairn.log.entries import Chunk
from cairn.log.layout import across, all_named_in, is_across, named_in, registry_pk, registry_sk
from cairn.log.ledger import Spoken, current
from cairn.log.log import MemoryLog
from cairn.log.memories import STANDING, Memory
from cairn.log.view import MemoryView
from cairn.recall.filter import Filter, SearchMode

if TYPE_CHECKING:
    from cairn.ground.ports import Embedder
    from cairn.recall.answer import Answer
    from cairn.recall.collection import Collection, Found
    from cairn.recall.corpus import QueryVectors


@dataclass(frozen=True, slots=True)
class Visibility:
    """The part of memory that a call may see: its owner's logs and others; all sessions in them, or only its own.

    With `across` it reaches logs across projects. `at` is the moment of the call, where that is told: what is believed
    and which day it is go by it then, and not by when each part of the call comes to ask.
    """

    session: Session
    owner: str
    scope: RecallScope
    across: bool = True
    at: datetime | None = None

    @property
    def own(self) -> list[str]:
        """Return the owners of the caller's own logs, that in the project first."""
        return self.reached([self.owner])

    def reached(self, owners: Sequence[str]) -> list[str]:
        """Return these owners, and those of their logs across projects."""
        return [*owners, *(each for owner in owners for each in across(owner) if self.across)]

    def session_of(self, owner: str) -> SessionId | None:
        """Return the session or sessions whose part of this owner's log may be seen, None where all of it is.

        Another user's log is open only as far as that user spoke in this session or, to a whole project, in that.
        """
        here, is_own = self.session, owner in self.own
        if self.scope == "session" or (self.scope == "user" and not is_own):
            return named_in(owner, here.project, here.session_id)
        return all_named_in(here.project) if is_across(owner) and not is_own else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Search:
    """A question, and where to look: texts and memories of these owners' logs, and facts by owner."""

    query: str
    texts: Sequence[str] = ()
    memories: Sequence[str] = ()
    facts: Mapping[str, Sequence[Fact]] = field(default_factory=dict[str, Sequence[Fact]])
    filter: Filter = field(default_factory=Filter)
    mode: SearchMode = "hybrid"


class Searcher:
    """Searches the memory logs that a call may see."""

    def __init__(
        self, adapters: Adapters, log: MemoryLog, embedder: Callable[[], Embedder | None] = lambda: None
    ) -> None:
        """Search these logs, by words alone without an embedder; it is asked for with the first question."""
        self._adapters = adapters
        self._log = log
        self._embedder = embedder

    def others(self, visibility: Visibility, of_session: Sequence[str]) -> list[str]:
        """Return the owners of further logs that the call may see: other owners of a session's, or all of a project."""
        owners = self._registered(visibility.session) if visibility.scope == "project" else of_session
        return visibility.reached([owner for owner in owners if owner != visibility.owner])

    def refresh(self, visibility: Visibility, owners: Sequence[str]) -> None:
        """Bring the views of these owners up to date, all at once."""
        tenant, project = visibility.session.tenant, visibility.session.project

        def refreshing(owner: str) -> object:
            return self._log.refresh(tenant, project, owner)

        self._adapters.parallel([lambda owner=owner: refreshing(owner) for owner in owners])

    def believed(self, visibility: Visibility, owners: Sequence[str]) -> list[Fact]:
        """Return every live fact that may be seen."""
        return [fact for held in self.beliefs(visibility, owners).values() for fact in held]

    def beliefs(self, visibility: Visibility, owners: Sequence[str]) -> dict[str, list[Fact]]:
        """Return every live fact that may be seen, by whose log it is in."""
        now, session = self._now(visibility), visibility.session
        found, spoken = dict[str, list[Fact]](), dict[str, Spoken]()
        for owner in owners:
            with self._log.view(session.tenant, session.project, owner) as view:
                found[owner] = view.facts(now, visibility.session_of(owner))
                if is_across(owner):
                    spoken[owner] = view.ledger.said(visibility.session_of(owner))
        return current(found, spoken)

    def deleted(self, visibility: Visibility, owners: Sequence[str]) -> list[Fact]:
        """Return the facts that may be seen and were taken back without another value."""
        session, found = visibility.session, list[Fact]()
        for owner in owners:
            with self._log.view(session.tenant, session.project, owner) as view:
                found += view.ledger.deleted(visibility.session_of(owner))
        return found

    def held(self, session: Session, owners: Iterable[str]) -> set[str]:
        """Return the events of the session whose texts are held back in these owners' logs."""
        found = set[str]()
        for owner in owners:
            with self._log.view(session.tenant, session.project, owner) as view:
                found |= {chunk.event_id for chunk in view.held_back() if chunk.session_id == session.session_id}
        return found

    def standing(self, session: Session, owners: Iterable[str], most: int) -> list[Memory]:
        """Return the memories that stand, of each of these owners' logs the newest `most`."""
        found: list[Memory] = []
        for owner in owners:
            with self._log.view(session.tenant, session.project, owner) as view:
                found += islice(view.memories(STANDING), most)
        return found

    @contextmanager
    def answering(self, visibility: Visibility, search: Search) -> Generator[Answer]:
        """Put a question to all that may be seen; the answer must not be used after the with block.

        Raises nothing where an embedder fails: the answer goes by words then.
        """
        from cairn.recall import collection  # noqa: PLC0415 - numpy, which a process that only writes can do without
        from cairn.recall.answer import answer  # noqa: PLC0415
        from cairn.recall.embedding import Embedding, growing  # noqa: PLC0415

        owners = {*search.texts, *search.memories, *search.facts}
        self._ask_for_segments(visibility.session, owners)
        with self._views(visibility.session, owners) as views:
            collections = [
                *(
                    collection.texts(views[owner], visibility.session_of(owner), search.filter)
                    for owner in search.texts
                    if not is_across(owner)
                ),
                *(collection.memories(views[owner], search.filter) for owner in search.memories),
                *(collection.facts(views[owner], held) for owner, held in search.facts.items()),
            ]
            embedding, today = Embedding(self._adapters, self._embedder()), self._now(visibility).date()
            embed = partial(embedding.query_vectors, growing(views.values()))
            english_only = embedding.english_only
            found = answer(collections, search.query, today, embed, search.mode, english_only=english_only)
            if search.query:
                self._adapters.tally.recalled(found.found_by, found.without_vector)
            yield found

    def _ask_for_segments(self, session: Session, owners: Iterable[str]) -> None:
        """Ask for the segments, and so the vectors, that an earlier process on this machine left to be made.

        Its queue ended with it, and who writes asks again after ENTRIES more only.
        """
        if self._adapters.own_disk:
            overdue = (self._log.overdue(session.tenant, session.project, owner) for owner in sorted(owners))
            self._adapters.jobs.send([job for job in overdue if job is not None])

    def nearness(
        self, session: Session, held: Mapping[str, Sequence[Fact]], texts: Sequence[str]
    ) -> list[Mapping[str, float]]:
        """Return the cosines of each text with each of these facts, by its id; of none where there are no vectors.

        Raises nothing where an embedder fails.
        """
        from cairn.recall import collection  # noqa: PLC0415 - numpy, which a process that only writes can do without
        from cairn.recall.embedding import Embedding, growing  # noqa: PLC0415

        with self._views(session, held) as views:
            embedding = Embedding(self._adapters, self._embedder())
            asked = [embedding.query_vectors(growing(views.values(), ["facts"]), text, text) for text in texts]
            if all(vectors is None for vectors in asked):
                return [{} for _ in texts]
            among = [collection.facts(views[owner], facts) for owner, facts in held.items()]
            return [{} if vectors is None else _cosines(vectors, among) for vectors in asked]

    @contextmanager
    def _views(self, session: Session, owners: Iterable[str]) -> Generator[Mapping[str, MemoryView]]:
        """Hold several views at once, always in the same order."""
        with ExitStack() as held:
            yield {
                owner: held.enter_context(self._log.view(session.tenant, session.project, owner))
                # Two calls that take the same locks in different orders would wait for each other.
                for owner in sorted(owners)
            }

    def texts(self, session: Session, owners: Sequence[str]) -> list[Chunk]:
        """Return the session's texts from these owners' logs in the order they were said."""
        found: list[Chunk] = []
        for owner in owners:
            with self._log.view(session.tenant, session.project, owner) as view:
                found.extend(view.chunks(session.session_id))
        return sorted(found, key=lambda chunk: chunk.seq)

    def turns(self, session: Session, owners: Sequence[str]) -> int:
        """Return how many turns of the session these owners' logs hold, as last read."""
        count = 0
        for owner in owners:
            with self._log.view(session.tenant, session.project, owner) as view:
                count += view.turn_count(session.session_id)
        return count

    def _now(self, visibility: Visibility) -> datetime:
        return visibility.at or self._adapters.clock.now()

    def _registered(self, session: Session) -> list[str]:
        """Return the owners of a project's logs, of a branch also those of the logs that it begins with."""
        projects = dict.fromkeys([session.project, trunk(session.project)])
        asked = [Pending(partial(self._registered_in, session.tenant, project)) for project in projects]
        self._adapters.parallel(asked)
        return list(dict.fromkeys(owner for each in asked for owner in each.result))

    def _registered_in(self, tenant: Tenant, project: Project) -> list[str]:
        prefix = registry_sk("")
        query = Query(registry_pk(tenant, project), *prefix_range(prefix))
        return [Key.of(item).sk.removeprefix(prefix) for item in every(self._adapters.table, query)]


def readings(held: Mapping[str, Sequence[Fact]]) -> dict[str, list[Fact]]:
    """Return by owner the facts that no text says: what was said itself is found among the texts."""
    return {owner: [fact for fact in facts if not _is_text(fact)] for owner, facts in held.items()}


def _is_text(fact: Fact) -> bool:
    """Tell whether a fact is what was said; a correction of that stands in no text."""
    return is_said(fact) and bool(fact.source.event_id)


def _cosines(asked: QueryVectors, among: Sequence[Collection]) -> Mapping[str, float]:
    """Return the cosine of what is asked with each fact that has a vector, by its id."""
    from cairn.recall.meaning import meaning  # noqa: PLC0415 - numpy

    found: dict[str, float] = {}
    for each in among:
        means = meaning(each.corpus, asked, each.allowed)
        if means is not None:
            means.settle(rows := each.allowed.nonzero()[0])
            found.update(zip(map(_fact_id, map(each.found, rows.tolist())), means.scores[rows].tolist(), strict=True))
    return found


def _fact_id(found: Found) -> str:
    if not isinstance(found, Fact):
        raise TypeError("only facts are compared")
    return found.id
