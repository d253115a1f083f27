"""recall, and before_turn beside it: who sees what is remembered, what is found, and what was believed at a time."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime, timedelta
from math import nextafter
from typing import Any

import pytest

from cairn.ground.errors import NotFound
from cairn.ground.trust import Trust
from cairn.memories.model import RecallRequest
from support.memories import Notebook, endings, index

START = Callable[..., Any]
PLACED = Callable[..., dict[str, Any]]


@pytest.mark.req("R274")
@pytest.mark.parametrize("confidence", [0.0, 0.3, 0.5, 0.83, 1 / 3, 0.7000000000000001, 1.0])
def test_a_confidence_comes_back_exactly_before_and_after_indexing(notebook: Notebook, confidence: float) -> None:
    notebook.keep("Beans go north.", confidence=confidence)
    index(notebook)

    for reader in (notebook, notebook.other()):
        assert [found.confidence for found in reader.find(min_confidence=0.0)] == [confidence]


@pytest.mark.req("R271")
@pytest.mark.parametrize("confidence", [0.3, 0.5, 0.83, 1 / 3, 0.7000000000000001, 1.0])
def test_a_memory_as_sure_as_asked_for_is_found_and_one_less_sure_is_not(notebook: Notebook, confidence: float) -> None:
    notebook.keep("Beans go north.", confidence=confidence)
    for reader in (notebook, index(notebook) or notebook.other()):
        assert len(reader.find(min_confidence=confidence)) == 1
        assert reader.find(min_confidence=nextafter(confidence, 2)) == []


@pytest.mark.req("R271")
def test_a_fact_as_sure_as_asked_for_is_found_and_one_less_sure_is_not(notebook: Notebook) -> None:
    notebook.talk.say("I live in Bergen.")
    (fact,) = notebook.find(type="fact", min_confidence=0.0)

    for query in ("", "Bergen"):
        assert [each.id for each in notebook.find(query, type="fact", min_confidence=fact.confidence)] == [fact.id]
        assert notebook.find(query, type="fact", min_confidence=nextafter(fact.confidence, 2)) == []


@pytest.mark.req("R243")
@pytest.mark.req("R245")
def test_a_session_s_memory_is_its_own_a_user_s_is_in_all_their_sessions_a_project_s_is_everyone_s(
    notebook: Notebook,
) -> None:
    for scope in ("session", "user", "project"):
        notebook.keep(f"For the {scope}.", scope=scope)

    def sees(session_id: str, user: str | None) -> set[str]:
        return {text.split()[-1] for text in notebook.other(session_id, user).texts()}

    assert sees("monday", "ada") == {"session.", "user.", "project."}
    assert sees("monday", None) == {"session.", "project."}
    assert sees("monday", "bob") == {"session.", "project."}
    assert sees("tuesday", "ada") == {"user.", "project."}
    assert sees("tuesday", None) == {"project."}
    assert sees("monday1", "ada1") == {"project."}
    elsewhere = notebook.other()
    elsewhere.talk.session = replace(elsewhere.talk.session, project="kitchen")
    assert elsewhere.texts() == []


@pytest.mark.req("R271")
def test_filters_apply_before_the_limit(notebook: Notebook, clock: Any) -> None:
    notebook.keep("Beans like lime.", type="risk", confidence=0.9)
    doubtful = notebook.keep("Beans like rain.", type="risk", confidence=0.2)
    for number in range(60):
        clock.advance(minutes=1)
        notebook.keep(f"Beans beans beans, row {number}.", type="bug", confidence=0.4)
    index(notebook)

    for reader in (notebook, notebook.other()):
        for query in ("beans", ""):
            assert reader.texts(query, type="risk", limit=1) == ["Beans like lime."]
            assert reader.texts(query, min_confidence=0.9, limit=1) == ["Beans like lime."]
            assert doubtful in {each.id for each in reader.find(query, type="risk", min_confidence=0.0, limit=2)}
            assert len(reader.find(query, min_confidence=0.0, limit=50)) == 50
        assert reader.texts("row 7", min_confidence=0.0, limit=1) == ["Beans beans beans, row 7."]
    assert RecallRequest().limit == 10
    assert RecallRequest().min_confidence == 0.5


@pytest.mark.req("R271")
def test_without_a_query_the_newest_come_first_memories_and_facts_alike(notebook: Notebook, clock: Any) -> None:
    notebook.keep("First.")
    clock.advance(minutes=1)
    notebook.talk.say("I live in Oslo.")
    clock.advance(minutes=1)
    notebook.keep("Last.", scope="project")

    found = notebook.find()

    assert [(each.content, each.kind, each.found_by) for each in found] == [
        ("Last.", "memory", "time"),
        ("home: Oslo", "fact", "time"),
        ("First.", "memory", "time"),
    ]
    about_oslo = notebook.find("What does it say of Oslo?")
    assert [each.content for each in about_oslo if each.kind != "turn"] == ["home: Oslo"]
    said = ["2026-03-01, monday, assistant: Noted.", "2026-03-01, monday, user: I live in Oslo."]
    assert sorted(each.content for each in about_oslo if each.kind == "turn") == said
    assert notebook.texts("the of and") == []
    assert notebook.texts("zeppelin") == []


def test_facts_are_seen_as_far_as_the_recall_scope_goes(start: START) -> None:
    start("monday").say("I live in Oslo.")

    assert Notebook(start("monday"), "ada").texts() == ["home: Oslo"]
    assert Notebook(start("tuesday", recall_scope="session"), "ada").texts() == []
    assert Notebook(start("tuesday"), "ada").texts() == ["home: Oslo"]
    assert Notebook(start("tuesday", recall_scope="user"), "ada").texts() == ["home: Oslo"]
    assert Notebook(start("tuesday", recall_scope="user"), "bob").texts() == []
    assert Notebook(start("tuesday", recall_scope="project"), "bob").texts() == ["home: Oslo"]
    assert Notebook(start("monday"), "bob").texts() == ["home: Oslo"]


@pytest.mark.req("R244")
def test_a_fact_is_forgotten_by_its_id_for_its_session_and_every_wider_view(start: START, placed: PLACED) -> None:
    talk = start("monday", recall_scope="user")
    talk.say("I live in Oslo.")
    (fact,) = Notebook(start("tuesday", recall_scope="user"), "ada").find()
    for stranger in (
        Notebook(start("tuesday", recall_scope="user"), "bob"),
        Notebook(start("tuesday", recall_scope="session"), "ada"),
    ):
        with pytest.raises(NotFound):
            stranger.drop(fact.id)

    tuesday = Notebook(start("tuesday", recall_scope="user"), "ada")
    tuesday.drop(fact.id, "Moved.")
    tuesday.drop(fact.id, "Moved.")

    for session_id in ("monday", "tuesday"):
        assert Notebook(start(session_id, recall_scope="user"), "ada").texts() == []
        assert placed(start(session_id, recall_scope="user").ask("Where do I live?"))["facts"] == []
    assert Notebook(start("monday", recall_scope="session"), "ada").texts() == []
    (ending,) = endings(tuesday, "~u:ada")
    assert (ending["id"], ending["reason"], ending["session"]) == (fact.id, "Moved.", "garden/tuesday")
    talk.say("I live in Oslo.")
    assert Notebook(start("monday"), "ada").texts() == ["home: Oslo"]


def test_a_fact_may_be_replaced_by_a_memory_at_a_person_s_word_and_a_memory_by_a_fact(notebook: Notebook) -> None:
    notebook.talk.say("I live in Oslo.")
    notebook.talk.say("My name is Ada.")
    facts = {found.content: found.id for found in notebook.find()}
    memory = notebook.keep("Ada moves every month.")

    notebook.drop(facts["home: Oslo"], replacement=memory, trust=Trust.USER)
    notebook.drop(memory, replacement=facts["name: Ada"])

    assert notebook.texts() == ["name: Ada"]
    assert set(notebook.texts(include_superseded=True)) == {"name: Ada", "Ada moves every month.", "home: Oslo"}


def test_as_of_answers_what_was_believed_then(notebook: Notebook, clock: Any) -> None:
    times: dict[str, datetime] = {}

    def note(name: str) -> None:
        times[name] = clock.now()
        clock.advance(hours=1)

    note("nothing")
    old = notebook.keep("Beans go north.")
    notebook.talk.say("I live in Oslo. Today I need twine.")
    note("first")
    new = notebook.keep("Beans go south.")
    notebook.drop(old, replacement=new)
    notebook.talk.say("I moved to Bergen.")
    note("second")
    notebook.drop(new)
    notebook.talk.say("I no longer live in Bergen.")
    clock.advance(days=30)
    note("third")

    expected = {
        "nothing": set[str](),
        "first": {"Beans go north.", "home: Oslo", "task: twine"},
        "second": {"Beans go south.", "home: Bergen", "task: twine"},
        "third": set[str](),
    }
    index(notebook, "s:monday", "u:ada")
    for reader in (notebook, notebook.other()):
        for name, at in times.items():
            told = {text.replace("today task", "task") for text in reader.texts(as_of=at)}
            assert told == expected[name], name
        assert "Beans go north." in reader.texts(as_of=times["second"], include_superseded=True)
        assert "home: Oslo" in reader.texts(as_of=times["second"], include_superseded=True)
        assert reader.texts("beans", as_of=times["first"]) == ["Beans go north."]
    assert notebook.texts(as_of=clock.now() + timedelta(days=1)) == []


def test_before_turn_places_what_was_remembered_among_the_facts(notebook: Notebook, placed: PLACED, clock: Any) -> None:
    ids = [
        notebook.keep(f"The {scope} decided on raised beds.", scope=scope, type="decision")
        for scope in ("session", "user", "project")
    ]
    for _ in range(40):
        notebook.keep("Nothing to do with it.")
    clock.advance(minutes=1)

    turn = notebook.talk.other().ask("What was decided on beds?")

    block = placed(turn)
    assert [each["about"] for each in block["facts"]] == ["decision"] * 3
    assert set(turn.recalled_fact_ids) == set(ids)
    notebook.drop(ids[0])
    clock.advance(minutes=1)
    assert set(notebook.talk.ask("What was decided on beds?").recalled_fact_ids) == set(ids[1:])
    stranger = notebook.other("tuesday", None).talk.ask("What was decided on beds?", user=None)
    assert set(stranger.recalled_fact_ids) == {ids[2]}


def test_before_turn_reads_memories_only_where_there_may_be_new_ones(notebook: Notebook, clock: Any) -> None:
    talk = notebook.talk
    notebook.keep("Beans go north.")
    clock.advance(minutes=1)

    def reads() -> int:
        before = talk.table.reads
        talk.ask("Where do beans go?")
        return talk.table.reads - before

    reads()
    assert reads() == 3
    notebook.keep("Beans go south.")
    assert reads() == 4
    assert reads() == 3
    clock.advance(minutes=1)
    assert reads() == 4


def test_a_log_of_memories_that_cannot_be_read_does_not_fail_the_turn(notebook: Notebook, monkeypatch: Any) -> None:
    notebook.keep("Beans go north.")
    reader = notebook.talk.other()

    def unreadable(*_: object) -> None:
        raise NotFound("gone")

    monkeypatch.setattr(reader.services.log, "refresh_to", unreadable)
    assert reader.ask("Where do beans go?").recalled_fact_ids == ()
