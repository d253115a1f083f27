"""remember and forget: what is kept, once and within limits, who may let go of it, and what stays on record."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from cairn.ground.adapters import Adapters
from cairn.ground.errors import CairnError, InvalidArgument, NotFound, QuotaExceeded
from cairn.ground.jobs import IndexLog
from cairn.ground.settings import RecallScope
from cairn.ground.table import Key, Update
from cairn.log import memories
from cairn.log.layout import log_pk
from cairn.memories import remember as remembering
from cairn.memories.forget import forget
from cairn.memories.model import MOST_PER_SESSION, ForgetRequest, Note, RecallRequest
from cairn.memories.recall import recall
from cairn.memories.remember import remember
from cairn.sessions.layout import MEMORY_COUNT, session_pk
from metering import Meter, MeteredTable
from support.memories import Notebook, endings, memories_on_record
from support.services import services_over
from support.turns import SESSION, partition

START = Callable[..., Any]
PLACED = Callable[..., dict[str, Any]]


@pytest.mark.req("R242")
@pytest.mark.req("R243")
def test_what_is_remembered_is_recalled_at_once_by_every_process(notebook: Notebook) -> None:
    warm = notebook.other()
    assert warm.texts() == []

    name = notebook.keep("Beans go north.", type="decision", confidence=0.1, rationale="Sun.")

    for reader in (notebook, warm, notebook.other()):
        (found,) = reader.find("where do beans go", min_confidence=0.0)
        assert (found.id, found.content, found.type, found.confidence) == (name, "Beans go north.", "decision", 0.1)
        assert (found.kind, found.found_by, found.timestamp) == ("memory", "text", notebook.talk.adapters.clock.now())
        assert found.score > 0


def test_a_memory_and_its_end_are_seen_at_once_by_a_process_whose_clock_is_behind(
    notebook: Notebook, clock: Any
) -> None:
    name = notebook.keep("Beans go north.")
    clock.advance(seconds=-2)
    assert notebook.other().texts() == ["Beans go north."]
    clock.advance(seconds=4)
    notebook.drop(name)
    clock.advance(seconds=-2)
    assert notebook.other().texts() == []


@pytest.mark.req("R245")
def test_nobody_forgets_what_they_cannot_see(notebook: Notebook) -> None:
    own = {scope: notebook.keep(f"For the {scope}.", scope=scope) for scope in ("session", "user", "project")}
    strangers = [(notebook.other("tuesday"), "session"), (notebook.other("monday", "bob"), "user")]

    for stranger, scope in strangers:
        with pytest.raises(NotFound):
            stranger.drop(own[scope])
    assert len(notebook.texts()) == 3

    notebook.other("tuesday", "ada").drop(own["user"])
    notebook.other("tuesday", "bob").drop(own["project"])
    assert notebook.texts() == ["For the session."]


@pytest.mark.parametrize("name", ["", "s-" + "0" * 32, "s-unknown", "01ARZ3NDEKTSV4RRFFQ69G5FAV", "~", "p-" + "f" * 32])
def test_an_id_that_names_nothing_is_not_found(notebook: Notebook, name: str) -> None:
    notebook.keep("Beans go north.")

    with pytest.raises(NotFound, match="memory_id"):
        notebook.drop(name)


@pytest.mark.req("R244")
@pytest.mark.req("R272")
def test_what_is_forgotten_is_gone_at_once_and_stays_on_record_with_why(notebook: Notebook) -> None:
    name = notebook.keep("Beans go north.")
    warm = notebook.other()
    assert warm.texts() == ["Beans go north."]

    notebook.drop(name, "Too cold there.")

    for reader in (notebook, warm, notebook.other()):
        assert reader.texts() == reader.texts("beans") == []
        assert reader.texts(include_superseded=True) == []
    (ending,) = endings(notebook)
    assert (ending["id"], ending["reason"], ending["session"]) == (name, "Too cold there.", "monday")
    assert memories_on_record(notebook) == ["Beans go north."]


@pytest.mark.req("R272")
def test_a_replacement_must_be_remembered_in_sight_and_something_else(notebook: Notebook, clock: Any) -> None:
    old = notebook.keep("Beans go north.")
    clock.advance(minutes=1)
    new = notebook.keep("Beans go south.")
    gone = notebook.keep("Beans go east.")
    notebook.drop(gone)
    foreign = notebook.other("tuesday").keep("Beans go west.")

    for replacement in (gone, foreign, "s-" + "0" * 32, "01ARZ3NDEKTSV4RRFFQ69G5FAV"):
        with pytest.raises(NotFound, match="replacement_id"):
            notebook.drop(old, replacement=replacement)
    with pytest.raises(InvalidArgument):
        notebook.drop(old, replacement=old)
    assert len(notebook.texts()) == 2

    notebook.drop(old, replacement=new)
    assert notebook.texts() == ["Beans go south."]
    assert notebook.texts(include_superseded=True) == ["Beans go south.", "Beans go north."]
    assert [(each["id"], each["replacement"]) for each in endings(notebook)][-1] == (old, new)


def test_forgetting_again_changes_nothing(notebook: Notebook) -> None:
    name = notebook.keep("Beans go north.")
    notebook.drop(name, "Too cold.")
    notebook.drop(name, "Too dry.")

    assert [each["reason"] for each in endings(notebook)] == ["Too cold."]


SAID_AGAIN: list[dict[str, Any]] = [
    {},
    {"confidence": 0.1},
    {"type": "risk"},
    {"rationale": "Shade."},
    {"content": "BEANS go north."},
    {"content": "  Beans  go\tnorth."},
]


@pytest.mark.req("R294")
@pytest.mark.parametrize("scope", ["session", "user", "project"])
def test_the_same_said_again_in_a_scope_keeps_the_first_memory_and_forgetting_it_leaves_none(
    notebook: Notebook, clock: Any, scope: RecallScope
) -> None:
    first = {"content": "Beans go north.", "scope": scope, "type": "decision", "rationale": "Sun."}
    name = notebook.keep(**first)
    speakers = [notebook.other()] if scope == "session" else [notebook.other(), notebook.other("tuesday")]

    for speaker in speakers:
        for again in SAID_AGAIN:
            clock.advance(hours=1)
            assert speaker.keep(**{**first, **again}) == name
    (found,) = notebook.find()
    assert (found.type, found.confidence, found.content) == ("decision", 0.8, "Beans go north.")

    notebook.drop(name)
    assert notebook.texts() == []


@pytest.mark.req("R294")
def test_the_answer_tells_the_type_that_a_memory_was_kept_as_before(notebook: Notebook) -> None:
    talk = notebook.talk
    first = remember(talk.services, talk.session, Note(content="Use tabs.", type="convention"))
    again = remember(talk.services, talk.session, Note(content="use tabs.", type="risk"))

    assert (first.type, first.new) == ("convention", True)
    assert (again.id, again.type, again.new) == (first.id, "convention", False)


def test_the_same_is_another_memory_in_another_scope_or_session(notebook: Notebook) -> None:
    names = {notebook.keep("Beans go north.", scope=scope) for scope in ("session", "user", "project")}
    names.add(notebook.other("tuesday").keep("Beans go north."))

    assert len(names) == 4


def test_what_was_forgotten_and_is_said_again_is_kept_under_another_id(notebook: Notebook) -> None:
    again = notebook.keep("Beans go north.")
    for _ in range(3):
        notebook.drop(again)
        before, again = again, notebook.keep("Beans go north.", rationale="Sun.")
        assert again != before
        assert again in {found.id for found in notebook.find()}
        assert notebook.keep("Beans go north.") == again


@pytest.mark.req("R273")
def test_a_session_keeps_ten_thousand_memories_and_not_one_more(
    notebook: Notebook, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert MOST_PER_SESSION == 10_000
    monkeypatch.setattr(remembering, "MOST_PER_SESSION", 3)
    names = [
        notebook.keep(f"Row {number}.", scope=scope) for number, scope in enumerate(("session", "user", "project"))
    ]
    notebook.drop(names[0])

    with pytest.raises(QuotaExceeded) as refused:
        notebook.keep("Row 4.")

    assert refused.value.details == {"limit": 3}
    assert notebook.keep("Row 1.", scope="user") == names[1]
    assert len(notebook.texts()) == 2
    assert notebook.other("tuesday").keep("Row 4.", scope="project")


@pytest.mark.req("R273")
def test_a_count_that_cannot_be_read_or_is_no_number_keeps_nothing(notebook: Notebook) -> None:
    where = Key(session_pk(notebook.talk.session), MEMORY_COUNT)
    notebook.talk.table.update(Update(where, set={"kept": "many"}))

    with pytest.raises((CairnError, ValueError)):
        notebook.keep("Beans go north.")

    assert notebook.texts() == []


@pytest.mark.req("R242")
@pytest.mark.req("R267")
@pytest.mark.parametrize("memories", [3, 200])
def test_remember_recall_and_forget_each_make_one_round_however_much_there_is(
    adapters: Adapters, memories: int
) -> None:
    meter = Meter()
    counted = replace(adapters, table=MeteredTable(adapters.table, meter), parallel=meter)
    services = services_over(counted)
    name, *_ = [remember(services, SESSION, Note(content=f"Row {row}.")).id for row in range(memories)]
    recall(services, SESSION, RecallRequest())
    clock: Any = adapters.clock
    clock.advance(minutes=1)

    def cost(call: Callable[[], object]) -> tuple[int, dict[str, int]]:
        meter.rounds = 0
        meter.counts.clear()
        call()
        return meter.rounds, {what: number for what, number in meter.counts.items() if "units" not in what}

    assert cost(lambda: remember(services, SESSION, Note(content="New."))) == (1, {"transact": 1})
    assert cost(lambda: recall(services, SESSION, RecallRequest(query="row"))) == (1, {"get": 1, "query": 2})
    assert cost(lambda: forget(services, SESSION, ForgetRequest(id=name))) == (1, {"transact": 1})


def test_one_memory_in_32_has_the_log_indexed(notebook: Notebook) -> None:
    for number in range(640):
        notebook.keep(f"Row {number}.")

    jobs = [job for job in notebook.talk.adapters.jobs.sent if isinstance(job, IndexLog)]
    assert 8 <= len(jobs) <= 40
    assert {job.owner for job in jobs} == {"s:monday"}


def test_a_memory_is_sealed_and_its_id_says_nothing(notebook: Notebook) -> None:
    name = notebook.keep("CANARY beans", rationale="CANARY reasons")
    session = notebook.talk.session
    pk = log_pk(session.tenant, session.project, "s:monday")

    stored = [str(item) for item in partition(notebook.talk.services, pk)]

    assert any(name in item for item in stored)
    assert "CANARY" not in "".join(stored)
    assert memories.scope_of(name) == "session"
    assert notebook.other("tuesday").keep("CANARY beans", rationale="CANARY reasons")[2:] != name[2:]
