"""correct: what a person says holds in the place of a fact or a memory, everywhere at once, and history keeps both."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from cairn.ground.errors import Conflict, InvalidArgument, NotFound, QuotaExceeded
from cairn.ground.ids import Project, TurnId
from cairn.ground.table import Key
from cairn.log.layout import NEWEST, log_pk
from cairn.log.newest import Newest
from cairn.memories import remember as remembering
from cairn.turns.take_back import take_back
from support.memories import Notebook, Person, entries, index

START = Callable[..., Any]
HERE, ACROSS = "u:ada", "~u:ada"
NAMES_NOTHING = ["", "u-" + "0" * 32, "p-" + "f" * 32, "01ARZ3NDEKTSV4RRFFQ69G5FAV", "~"]


def changes(person: Person, owner: str) -> list[tuple[str, list[str], list[str]]]:
    """Return of each entry that changes facts for which session it does, what it adds and what it ends."""
    return [
        (record["session"], [each["value"] for each in record["added"]], [each["value"] for each in record["ended"]])
        for record in entries(person, owner)
        if record["added"] or record["ended"]
    ]


def elsewhere(talk: Any) -> Any:
    other = talk.other("friday")
    other.session = replace(other.session, project=Project("shop"))
    return other


def test_a_corrected_fact_is_believed_recalled_and_placed_alone_and_its_sentence_is_not(
    start: START, clock: Any
) -> None:
    talk = start()
    talk.say("I live in Oslo and grow beans.")
    person, asked = Person(talk), "Where do I live?"
    assert list(person.facts()) == ["Oslo"]
    assert person.recalled(asked) == ["home: Oslo"]
    assert "I live in Oslo" in person.context(asked)
    clock.advance(minutes=1)

    old = person.id_of("Oslo")
    done = person.correct(old, "Bergen")

    assert (done.id, done.replaced) == (person.id_of("Bergen"), old)
    assert list(person.facts()) == ["Bergen"]
    assert person.recalled(asked) == person.recalled() == ["home: Bergen"]
    told = person.context(asked)
    assert "home: Bergen (User, 1 March 2026, #" in told
    assert "Oslo" not in told
    assert "grow beans" in told


def test_a_correction_is_the_person_s_and_stays_what_it_is_about_in_the_log_and_session_that_believed_it(
    start: START,
) -> None:
    talk = start()
    talk.say("I live in Oslo.")
    person = Person(talk)
    old = person.facts()["Oslo"]

    person.correct(old.id, "  Bergen,\n Norway ")

    new = person.facts()["Bergen, Norway"]
    assert (new.fact_id, new.key, new.tier, new.confidence) == (old.fact_id, old.key, old.tier, 1.0)
    assert (new.source.turn_id, new.source.event_id, new.source.quote) == ("", "", "Bergen, Norway")
    assert (new.source.user_id, new.supersedes) == ("ada", old.id)
    assert changes(person, ACROSS) == [
        ("garden/monday", ["Oslo"], []),
        ("garden/monday", ["Bergen, Norway"], ["Oslo"]),
    ]
    assert changes(person, HERE) == []


def test_history_tells_both(start: START, clock: Any) -> None:
    talk = start()
    talk.say("I live in Oslo.")
    clock.advance(days=1)
    then = clock.now()
    clock.advance(days=1)
    person = Person(talk)

    person.correct(person.id_of("Oslo"), "Bergen")

    assert person.recalled(as_of=then) == ["home: Oslo"]
    assert set(person.recalled(include_superseded=True)) == {"home: Bergen", "home: Oslo"}


def test_a_fact_of_the_project_is_corrected_there(start: START) -> None:
    talk = start()
    talk.say("I like figs.")
    person = Person(talk)

    person.correct(person.id_of("figs"), "dates")

    assert list(person.facts()) == ["dates"]
    assert changes(person, HERE) == [("monday", ["figs"], []), ("monday", ["dates"], ["figs"])]
    assert Person(elsewhere(talk)).recalled() == []


def test_what_holds_everywhere_is_corrected_from_any_project_in_all(start: START) -> None:
    talk = start()
    talk.say("I live in Oslo.")
    shop = Person(elsewhere(talk))

    shop.correct(shop.id_of("Oslo"), "Bergen")

    assert list(Person(talk).facts()) == list(shop.facts()) == ["Bergen"]


def test_a_statement_that_is_corrected_is_found_and_placed_in_its_new_words_alone(start: START, clock: Any) -> None:
    talk = start()
    old, new, asked = "We have two cats, Tom and Jerry.", "We have three cats.", "How many cats do we have?"
    talk.say(old)
    person = Person(talk)
    assert old in person.context(asked)
    clock.advance(minutes=1)

    person.correct(person.id_of(old), new)

    assert list(person.facts()) == [new]
    assert person.recalled(asked) == [f"project: {new}"]
    told = person.context(asked)
    assert new in told
    assert old not in told


def test_what_other_sessions_said_of_the_same_is_not_placed_either(start: START, clock: Any) -> None:
    talk = start()
    talk.say("I live in Oslo.")
    clock.advance(minutes=1)
    talk.other("tuesday").say("My dear, I live in Oslo.")
    clock.advance(minutes=1)
    person = Person(talk)
    assert person.context("Where do I live?").count("I live in Oslo") == 2

    person.correct(person.id_of("Oslo"), "Bergen")

    assert "Oslo" not in person.context("Where do I live?")


def test_a_turn_changes_what_a_person_corrected(start: START, clock: Any) -> None:
    talk = start()
    talk.say("I live in Oslo.")
    person = Person(talk)
    person.correct(person.id_of("Oslo"), "Bergen")
    clock.advance(minutes=1)

    assert talk.other().say("I moved to Rome.").facts_superseded == 1
    assert list(person.facts()) == ["Rome"]
    assert "Bergen" not in person.context("Where do I live?")


def test_corrections_in_segments_are_read_like_those_behind_them(start: START, clock: Any) -> None:
    notebook = Notebook(start(), "ada")
    notebook.talk.say("I live in Oslo. I like figs.")
    person = Person(notebook.talk)
    old = person.id_of("Oslo")
    person.correct(old, "Bergen")
    clock.advance(minutes=1)
    index(notebook, HERE, ACROSS)

    assert person.recalled("Where do I live?") == ["home: Bergen"]
    assert person.correct(old, "Bergen").id == person.id_of("Bergen")
    person.correct(person.id_of("Bergen"), "Rome")
    assert set(person.facts()) == {"Rome", "figs"}


def test_a_fact_is_corrected_in_letter_case_alone_and_what_it_outdates_stays_so(start: START, clock: Any) -> None:
    talk = start()
    talk.say("I live in Paris.")
    clock.advance(minutes=1)
    talk.say("I moved to oslo.")
    person = Person(talk)
    clock.advance(minutes=1)

    person.correct(person.id_of("oslo"), "Oslo")

    assert list(person.facts()) == ["Oslo"]
    assert "Paris" not in person.context("Where do I live?")


def test_saying_what_it_says_already_changes_nothing(start: START) -> None:
    talk = start()
    talk.say("I live in Oslo.")
    notes = Notebook(talk, "ada")
    kept, person = notes.keep("Beans go north.", "user"), Person(talk)
    fact = person.id_of("Oslo")
    before = entries(person, HERE), entries(person, ACROSS)

    assert person.correct(fact, " Oslo ").replaced is None
    assert person.correct(kept, "BEANS go north.").replaced is None

    assert (entries(person, HERE), entries(person, ACROSS)) == before


def test_the_same_correction_again_changes_nothing_and_another_is_told_that_it_came_late(start: START) -> None:
    talk = start()
    talk.say("I live in Oslo.")
    person = Person(talk)
    old = person.id_of("Oslo")
    first = person.correct(old, "Bergen")

    assert person.correct(old, "Bergen") == Person(talk).correct(old, "Bergen") == first
    with pytest.raises(Conflict) as refused:
        person.correct(old, "Rome")

    assert refused.value.details == {"memory_id": first.id}
    assert len(changes(person, ACROSS)) == 2


@pytest.mark.parametrize("name", NAMES_NOTHING)
def test_an_id_that_names_nothing_is_not_found(name: str, start: START) -> None:
    talk = start()
    talk.say("I live in Oslo.")

    with pytest.raises(NotFound, match="memory_id"):
        Person(talk).correct(name, "Bergen")


def test_nobody_corrects_what_is_another_s_or_was_forgotten(start: START) -> None:
    talk = start()
    talk.say("I live in Oslo.")
    person, kept = Person(talk), Notebook(talk, "ada").keep("Beans go north.", "user")
    fact = person.id_of("Oslo")

    for name in (fact, kept):
        with pytest.raises(NotFound):
            Person(talk, "bob").correct(name, "Bergen")
        person.forget(name)
        with pytest.raises(NotFound):
            person.correct(name, "Bergen")

    assert (person.facts(), person.kept()) == ({}, {})


@pytest.mark.parametrize("content", ["", "—", "x" * 513, "Ber\x00gen"])
def test_what_is_no_value_of_a_fact_is_refused_by_its_field(content: str, start: START) -> None:
    talk = start()
    talk.say("I live in Oslo.")
    person = Person(talk)

    with pytest.raises(InvalidArgument) as refused:
        person.correct(person.id_of("Oslo"), content)

    fields: Any = refused.value.details["fields"]
    assert list(fields) == ["content"]
    assert list(person.facts()) == ["Oslo"]


@pytest.mark.parametrize("scope", ["user", "project", "user_everywhere"])
def test_a_corrected_memory_is_kept_anew_as_it_was_kept_and_replaces_the_old_one(scope: str, start: START) -> None:
    notes = Notebook(start(), "ada")
    old = notes.keep("Beans go north.", scope, type="decision", confidence=0.6, rationale="Sun.")
    person = Person(notes.talk)

    done = person.correct(old, "Beans go south.")

    (found,) = notes.other().find(min_confidence=0)
    assert (found.id, found.content, found.type, found.confidence) == (done.id, "Beans go south.", "decision", 0.6)
    assert (done.replaced, done.id[0]) == (old, old[0])
    assert sorted(notes.texts(include_superseded=True)) == ["Beans go north.", "Beans go south."]
    assert person.correct(old, "Beans go south.") == done
    with pytest.raises(Conflict):
        person.correct(old, "Beans go east.")


def test_a_memory_is_corrected_to_what_another_says_and_that_one_stays(start: START) -> None:
    notes = Notebook(start(), "ada")
    old, other = notes.keep("Beans go north.", "user"), notes.keep("Beans go south.", "user")
    person = Person(notes.talk)

    for _ in range(2):
        assert (person.correct(old, "Beans go south.").id) == other

    assert person.kept() == {"Beans go south.": other}


def test_a_memory_can_be_corrected_back(start: START) -> None:
    notes = Notebook(start(), "ada")
    person = Person(notes.talk)
    there = person.correct(notes.keep("Beans go north.", "user"), "Beans go south.").id

    back = person.correct(there, "Beans go north.").id

    assert person.kept() == {"Beans go north.": back}


def test_what_a_session_keeps_for_itself_is_refused_with_what_to_do(start: START) -> None:
    notes = Notebook(start(), "ada")

    with pytest.raises(InvalidArgument, match="forget it there"):
        Person(notes.talk).correct(notes.keep("Beans go north.", "session"), "Beans go south.")


def test_a_correction_told_again_is_refused_where_what_it_kept_was_forgotten_or_corrected_since(start: START) -> None:
    talk = start()
    person, book = Person(talk), Notebook(talk, "ada")
    first, other = (book.keep(content, "user") for content in ("Four hours.", "Sow in May."))
    book.drop(person.correct(first, "Seven hours.").id)
    person.correct(other, "Sow in June.")
    newest = person.correct(person.correct(other, "Sow in June.").id, "Sow in July.").id

    with pytest.raises(NotFound):
        person.correct(first, "Seven hours.")
    with pytest.raises(Conflict) as refused:
        person.correct(other, "Sow in June.")
    assert refused.value.details["memory_id"] == newest


def test_where_as_many_memories_are_kept_as_may_be_the_old_one_stays(
    start: START, monkeypatch: pytest.MonkeyPatch
) -> None:
    notes = Notebook(start(), "ada")
    person = Person(notes.talk)
    old = person.correct(notes.keep("Beans go north.", "user"), "Beans go south.").id
    monkeypatch.setattr(remembering, "MOST_PER_SESSION", 1)

    with pytest.raises(QuotaExceeded):
        person.correct(old, "Beans go east.")

    assert person.kept() == {"Beans go south.": old}


def test_a_correction_that_was_overtaken_while_it_was_written_is_decided_again(start: START, watched: Any) -> None:
    talk = start()
    talk.say("I live in Oslo.")
    first, second = Person(talk), Person(talk)
    old, met = first.id_of("Oslo"), list[str]()

    def overtake(what: object) -> None:
        if isinstance(what, list) and not met:
            met.append(second.correct(old, "Bergen").id)

    watched.before_call = overtake
    with pytest.raises(Conflict):
        first.correct(old, "Rome")
    watched.before_call = None

    assert met
    assert list(first.facts()) == ["Bergen"]
    assert [added for _, added, _ in changes(first, ACROSS)] == [["Oslo"], ["Bergen"]]


def test_what_a_turn_says_while_a_fact_is_corrected_is_not_lost(start: START, watched: Any, clock: Any) -> None:
    talk = start()
    talk.say("I live in Oslo.")
    person, met = Person(talk), list[Any]()
    old = person.id_of("Oslo")
    clock.advance(minutes=1)

    def say(what: object) -> None:
        if isinstance(what, list) and not met:
            clock.advance(seconds=-5)
            met.append(talk.other("tuesday").say("I moved to Bergen."))
            clock.advance(seconds=5)

    watched.before_call = say
    with pytest.raises(Conflict):
        person.correct(old, "Rome")
    watched.before_call = None

    assert list(person.facts()) == ["Bergen"]


def test_a_memory_that_was_forgotten_while_it_was_corrected_is_not_kept_anew(start: START, watched: Any) -> None:
    notes = Notebook(start(), "ada")
    old, met = notes.keep("Beans go north.", "user"), list[str]()
    first, second = Person(notes.talk), Person(notes.talk)

    def overtake(what: object) -> None:
        if isinstance(what, list) and not met:
            met.append(second.correct(old, "Beans go east.").id)

    watched.before_call = overtake
    with pytest.raises(Conflict):
        first.correct(old, "Beans go south.")
    watched.before_call = None

    assert list(first.kept()) == ["Beans go east."]


def test_a_memory_that_was_corrected_otherwise_meanwhile_is_not_said_to_be_what_another_says(
    start: START, watched: Any
) -> None:
    notes = Notebook(start(), "ada")
    old, met = notes.keep("Beans go north.", "user"), list[str]()
    notes.keep("Beans go south.", "user")
    first, second = Person(notes.talk), Person(notes.talk)

    def overtake(what: object) -> None:
        if isinstance(what, list) and not met:
            met.append(second.correct(old, "Beans go east.").id)

    watched.before_call = overtake
    with pytest.raises(Conflict) as refused:
        first.correct(old, "Beans go south.")
    watched.before_call = None

    assert refused.value.details == {"memory_id": met[0]}
    assert sorted(first.kept()) == ["Beans go east.", "Beans go south."]


def test_a_process_whose_clock_is_behind_what_was_taken_back_leaves_the_log_in_order(start: START, clock: Any) -> None:
    talk = start()
    talk.say("I live in Oslo.")
    clock.advance(minutes=5)
    talk.say("I moved to Bergen.", turn_id="t2")
    take_back(talk.services, talk.session, TurnId("t2"))
    where = Key(log_pk(talk.session.tenant, talk.session.project, ACROSS), NEWEST)
    before = Newest.of(talk.table.get(where)).made
    clock.advance(minutes=-4)
    person = Person(talk)

    person.correct(person.id_of("Oslo"), "Rome")

    assert list(person.facts()) == ["Rome"]
    assert Newest.of(talk.table.get(where)).made > before
