"""Vectors are stored right after a turn, so that a cold process finds what a warm one does; until then it is said."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from cairn.branches.branching import create
from cairn.conversation.items import message
from cairn.ground.adapters import Adapters
from cairn.ground.errors import Unavailable
from cairn.ground.ids import Project, UserId
from cairn.ground.jobs import EmbedLog
from cairn.ground.settings import EmbedderName, EmbeddingSettings
from cairn.ground.table import Attributes, Delete, Key, Put, Update
from cairn.ground.trust import Trust
from cairn.log.entry_vectors import VECTORS
from cairn.log.layout import is_entry, log_pk
from cairn.memories.correct import correct
from cairn.memories.model import Note
from cairn.memories.remember import remember
from cairn.recall.corpus import Vector
from cairn.recall.tail_vectors import MOST_AT_ONCE, TailVectors
from cairn.services import Services
from cairn.settings.settings import Settings
from cairn.turns.after_turn import commit
from cairn.vault.vault import Vault
from support.doubles import RecordingJobs
from support.memories import Notebook, index, items
from support.recall import LoadedToyEmbedder, ToyEmbedder
from support.services import services_over
from support.turns import SESSION, partition, turn

ADA = UserId("ada")
OWNERS = ("u:ada", "~u:ada", "s:monday")
JOBS = [EmbedLog(SESSION.tenant, SESSION.project, owner) for owner in ("u:ada", "s:monday")]
"""As turns and memories ask for them: what is known across projects goes with the user's own log."""
MINUTE = timedelta(minutes=1)
ALIKE = {"automobile": "car"}
ROWS = 12


def store(notebook: Notebook, embedder: ToyEmbedder | None) -> int:
    vectors = TailVectors(notebook.talk.adapters, Vault(notebook.talk.adapters), embedder)
    return sum(vectors.store(job, MINUTE) for job in JOBS)


def entries(notebook: Notebook) -> list[Attributes]:
    return [item for owner in OWNERS for item in items(notebook, owner)]


def have_vectors(notebook: Notebook) -> list[bool]:
    return [VECTORS in item for item in entries(notebook)]


class Slow(ToyEmbedder):
    """Takes 50 ms for a text, as a small function does for a long one."""

    def __init__(self, clock: Any) -> None:
        super().__init__(alike=ALIKE)
        self._clock = clock

    def embed(self, text: str) -> Vector:
        self._clock.advance(seconds=0.05)
        return super().embed(text)


@pytest.fixture
def told(notebook: Notebook, clock: Any) -> Notebook:
    """Return a session that said, learnt and keeps something, in a process that embeds nothing."""
    silent = notebook.with_embedder(None)
    for number in range(ROWS):
        silent.talk.say(f"I prefer row {number} of beans.", reply=f"Row {number} is an automobile long.")
        clock.advance(minutes=1)
    silent.keep("The automobile stands north.")
    return silent


@pytest.mark.req("R293")
def test_a_cold_process_answers_as_a_warm_one_does_and_embeds_nothing_but_the_question(
    told: Notebook, clock: Any
) -> None:
    warm = told.with_embedder(ToyEmbedder(alike=ALIKE))
    assert [warm.recall("Where is the car?").without_vector for _ in range(9)][-1] == 0
    expected = warm.recall("Where is the car?", limit=50)
    assert store(told, ToyEmbedder(alike=ALIKE)) == len(entries(told))

    embedder = Slow(clock)
    answer = told.with_embedder(embedder).recall("Where is the car?", limit=50)

    assert embedder.asked == ["Where is the car?"]
    assert answer == expected
    assert (answer.by, answer.without_vector) == ("hybrid", 0)
    assert "The automobile stands north." in [each.content for each in answer.found]


@pytest.mark.req("R293")
def test_until_vectors_are_stored_the_answer_says_how_much_words_alone_can_find(told: Notebook, clock: Any) -> None:
    cold = told.with_embedder(Slow(clock))

    first = cold.recall("Where is the car?")
    assert (first.by, first.without_vector > 0) == ("text", True)
    left = [cold.recall("Where is the car?").without_vector for _ in range(20)]
    assert sorted(left, reverse=True) == left
    assert (left[-1], cold.recall("Where is the car?").by) == (0, "hybrid")


def test_a_question_about_time_or_without_an_embedder_lacks_no_vectors(told: Notebook) -> None:
    assert (told.recall("Where is the car?").by, told.recall("Where is the car?").without_vector) == ("text", 0)
    assert (told.recall().by, told.recall().without_vector) == ("time", 0)


def test_each_entry_gets_its_vectors_once_and_the_newest_first(told: Notebook) -> None:
    embedder = ToyEmbedder()
    assert store(told, embedder) == len(entries(told))
    asked = len(embedder.asked)
    assert asked > 2 * ROWS
    assert store(told, embedder) == 0
    told.keep("Peas go south.")
    assert store(told, embedder) == 1
    assert embedder.asked[asked:] == ["Peas go south."]
    assert all(have_vectors(told))


def test_what_there_is_no_time_for_is_left_to_the_next_run(told: Notebook, clock: Any) -> None:
    adapters = told.talk.adapters
    TailVectors(adapters, Vault(adapters), Slow(clock)).store(JOBS[0], timedelta(seconds=0.3))

    done = [VECTORS in item for item in items(told, "u:ada")]
    assert done[-1]
    assert not done[0]


def test_without_an_embedder_or_where_it_fails_nothing_is_stored(told: Notebook) -> None:
    failing = ToyEmbedder()
    failing.fails = True

    assert store(told, None) == store(told, failing) == 0
    assert not any(have_vectors(told))


def test_an_entry_that_is_erased_while_it_is_embedded_does_not_come_back(told: Notebook) -> None:
    table, gone = told.talk.table, entries(told)

    class Erasing(ToyEmbedder):
        def embed(self, text: str) -> Vector:
            for item in gone:
                table.delete(Delete(Key.of(item)))
            return super().embed(text)

    assert store(told, Erasing()) == 0
    assert entries(told) == []


@pytest.mark.parametrize("damage", ["changed", "moved", "of another length"])
def test_vectors_that_cannot_be_read_are_made_again(told: Notebook, damage: str) -> None:
    store(told, ToyEmbedder())
    first, second, *_ = (dict(item) for item in items(told, "u:ada"))
    sealed = first[VECTORS]
    assert isinstance(sealed, bytes)
    first[VECTORS] = {"changed": sealed[:-1] + bytes([sealed[-1] ^ 1]), "moved": second[VECTORS]}.get(damage, b"x")
    told.talk.table.put(Put(first))

    embedder = ToyEmbedder()
    answer = told.with_embedder(embedder).recall("row 0 of beans", limit=50)

    assert answer.without_vector == 0
    assert 1 < len(embedder.asked) < 6


def test_vectors_of_another_embedder_are_neither_compared_nor_taken_into_a_segment(told: Notebook) -> None:
    store(told, ToyEmbedder("old"))
    new = ToyEmbedder("new", alike=ALIKE)
    reader = told.with_embedder(new)
    answers = [reader.recall("Where is the car?") for _ in range(3)]
    assert (answers[-1].by, answers[-1].without_vector) == ("hybrid", 0)
    assert len(new.asked) > 2 * ROWS


def test_a_segment_takes_stored_vectors_over(told: Notebook) -> None:
    maker = ToyEmbedder()
    store(told, maker)
    indexing = told.with_embedder(ToyEmbedder())
    index(indexing, *OWNERS)

    reader = ToyEmbedder(alike=ALIKE)
    answer = told.with_embedder(reader).recall("beans")

    assert indexing.talk.services.embedder.asked == []
    assert reader.asked == ["beans"]
    assert answer.without_vector == 0


def test_a_process_takes_the_vectors_of_its_newest_turn_from_the_store(told: Notebook) -> None:
    store(told, ToyEmbedder())
    embedder = ToyEmbedder()
    warm = told.with_embedder(embedder)
    warm.recall("beans")
    told.keep("Peas go south.")
    warm.talk.services.log.refresh(SESSION.tenant, SESSION.project, "s:monday")
    store(told, ToyEmbedder())

    warm.recall("peas")

    assert embedder.asked == ["beans", "peas"]


@pytest.mark.parametrize(("embedder", "asks"), [("minilm", True), ("titan", True), ("none", False)])
def test_appends_ask_for_vectors_where_the_deployment_embeds_and_only_there(
    adapters: Adapters,
    embedder: EmbedderName,
    asks: bool,  # noqa: FBT001 - a column
) -> None:
    jobs = RecordingJobs()
    settings = Settings(memory_enabled=True, embedding=EmbeddingSettings(embedder=embedder))
    services = services_over(replace(adapters, jobs=jobs), settings)
    commit(services, SESSION, turn("t1", "Hello."))
    remember(services, SESSION, Note(content="Peas go south."))

    # A memory that another append outran is asked for once more.
    assert jobs.sent in ([JOBS[1]] * 2, [JOBS[1]] * 3) if asks else jobs.sent == []


def test_a_turn_that_is_stored_in_two_logs_asks_for_one_job(adapters: Adapters) -> None:
    jobs = RecordingJobs()
    services = services_over(replace(adapters, jobs=jobs), Settings(memory_enabled=True))
    commit(services, SESSION, replace(turn("t1", "I prefer the north rows."), user_id=UserId("ada")))

    logs = [log_pk(SESSION.tenant, SESSION.project, owner) for owner in OWNERS[:2]]
    assert all([*partition(services, pk)] for pk in logs)
    assert jobs.sent == [JOBS[0]]


def keeping(adapters: Adapters, embedder: ToyEmbedder | None) -> tuple[Services, RecordingJobs]:
    jobs = RecordingJobs()
    settings = Settings(memory_enabled=True)
    return services_over(replace(adapters, jobs=jobs), settings, embedder=embedder), jobs


def told_by_ada(services: Services) -> None:
    """Have a turn and a memory stored, and a fact put right."""
    commit(services, SESSION, replace(turn("t1", "I prefer the north rows."), user_id=ADA))
    remember(services, SESSION, Note(content="Peas go south.", user_id=ADA))
    services.log.refresh(SESSION.tenant, SESSION.project, "~u:ada")
    with services.log.view(SESSION.tenant, SESSION.project, "~u:ada") as view:
        [fact] = view.facts(services.adapters.clock.now(), None)
    correct(services, SESSION, ADA, fact.id, "The south rows.", Trust.USER)


def vectors_of(services: Services) -> dict[str, list[bytes | None]]:
    """Return what is stored of each entry of Ada's logs, opened."""
    found: dict[str, list[bytes | None]] = {}
    for owner in OWNERS[:2]:
        pk = log_pk(SESSION.tenant, SESSION.project, owner)
        found[owner] = []
        for item in partition(services, pk):
            if is_entry(str(item["sk"])):
                where = Key(pk, f"{item['sk']}#{VECTORS}")
                sealed = item.get(VECTORS)
                opened = (
                    services.vault.unseal_blob(SESSION.tenant, where, sealed) if isinstance(sealed, bytes) else None
                )
                found[owner].append(opened)
    return found


def test_a_process_whose_model_is_loaded_gives_what_it_appends_the_vectors_that_a_job_would(adapters: Adapters) -> None:
    services, jobs = keeping(adapters, LoadedToyEmbedder())
    told_by_ada(services)
    given = vectors_of(services)
    assert jobs.sent == []
    assert all(each for found in given.values() for each in found)

    for pk in (log_pk(SESSION.tenant, SESSION.project, owner) for owner in OWNERS[:2]):
        for item in list(partition(services, pk)):
            adapters.table.put(Put({name: item[name] for name in item if name != VECTORS}))
    TailVectors(adapters, services.vault, ToyEmbedder()).store(JOBS[0], MINUTE)

    assert vectors_of(services) == given


@pytest.mark.parametrize("why", ["its model is not loaded", "a job costs nothing here"])
def test_otherwise_a_job_is_asked_to(adapters: Adapters, why: str) -> None:
    embedder = LoadedToyEmbedder()
    embedder.is_loaded = why != "its model is not loaded"
    services, jobs = keeping(replace(adapters, own_disk=why == "a job costs nothing here"), embedder)
    told_by_ada(services)

    assert {job.owner for job in jobs.sent if isinstance(job, EmbedLog)} == set(OWNERS[:2])
    assert not any(each for found in vectors_of(services).values() for each in found)


class FullTable:
    """Takes no single update."""

    def __init__(self, table: Any) -> None:
        self._table = table

    def __getattr__(self, name: str) -> Any:
        return getattr(self._table, name)

    def update(self, write: Update) -> Attributes:
        if VECTORS in write.set:
            raise Unavailable("throttled")
        return self._table.update(write)


@pytest.mark.parametrize("why", ["the store refuses them", "the model fails", "the texts are long"])
def test_what_a_process_cannot_give_a_job_is_asked_for_and_the_turn_is_stored(adapters: Adapters, why: str) -> None:
    embedder = LoadedToyEmbedder()
    embedder.fails = why == "the model fails"
    table: Any = FullTable(adapters.table) if why == "the store refuses them" else adapters.table
    services, jobs = keeping(replace(adapters, table=table), embedder)
    rows = "Row 3 is dry. " * (MOST_AT_ONCE // 4 // 14)
    texts = 5 if why == "the texts are long" else 1
    said = replace(turn("t1", ""), inputs=tuple(message("user", rows) for _ in range(texts)))

    assert commit(services, SESSION, said).events_written == texts + 1
    assert jobs.sent == [JOBS[1]]


def test_what_is_told_on_a_branch_gets_no_vectors(adapters: Adapters) -> None:
    embedder = LoadedToyEmbedder()
    services, jobs = keeping(adapters, embedder)
    commit(services, SESSION, turn("t1", "Hello."))
    branch = replace(SESSION, project=Project("garden@try-1"))
    create(services, branch.tenant, branch.project)
    embedder.asked.clear()
    commit(services, branch, turn("t2", "Bye."))

    assert (embedder.asked, jobs.sent) == ([], [])
