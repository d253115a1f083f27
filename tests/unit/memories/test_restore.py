"""restore: what was forgotten, corrected, replaced or ended holds again, in the place of what held instead, once."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from cairn.facts.facts import Changes, Source, State, outdated
from cairn.ground.errors import InvalidArgument, NotFound
from cairn.ground.ids import Project, TurnId
from cairn.log.entries import LogEntry
from cairn.memories.model import Restored
from cairn.turns.take_back import take_back
from support.memories import Notebook, Person, entries, index

START = Callable[..., Any]
HERE, ACROSS = "u:ada", "~u:ada"
ASKED = "Where do I live?"


def moved(talk: Any, clock: Any) -> str:
    """Say where ada lives, then another place; return the id of the first fact."""
    talk.say("I live in Oslo and grow beans.")
    old = Person(talk).id_of("Oslo")
    clock.advance(minutes=1)
    talk.say("I moved to Bergen.")
    clock.advance(minutes=1)
    return old


def in_shop(talk: Any) -> Any:
    talk.session = replace(talk.session, project=Project("shop"))
    return talk


def test_a_fact_that_another_replaced_is_believed_recalled_and_placed_again(start: START, clock: Any) -> None:
    talk = start()
    old = moved(talk, clock)
    person = Person(talk)
    new = person.id_of("Bergen")
    assert person.recalled(ASKED) == ["home: Bergen"]
    assert "Oslo" not in person.context(ASKED)

    done = person.restore(old)

    assert done == Restored(id=person.id_of("Oslo"), ended=new)
    assert list(person.facts()) == ["Oslo"]
    assert person.recalled(ASKED) == ["home: Oslo"]
    told = person.context(ASKED)
    assert "home: Oslo (User, " in told
    assert "I live in Oslo and grow beans." in told
    assert "Bergen" not in told
    assert "may be outdated" not in told


def test_a_restored_fact_is_of_the_turn_that_taught_it_and_supersedes_what_held(start: START, clock: Any) -> None:
    talk = start()
    old = moved(talk, clock)
    person = Person(talk)
    new = person.facts()["Bergen"]

    person.restore(old)

    again = person.facts()["Oslo"]
    assert (again.source.quote, again.source.user_id) == ("I live in Oslo", "ada")
    assert again.source.turn_id != new.source.turn_id
    assert (again.id != old, again.supersedes) == (True, new.id)
    (ended,) = entries(person, ACROSS)[-1]["ended"]
    assert (ended["id"], ended["state"], ended["superseded_by"]) == (new.id, "superseded", again.id)


def test_a_corrected_fact_is_undone_and_that_can_be_undone(start: START, clock: Any) -> None:
    talk = start()
    talk.say("I live in Oslo.")
    person = Person(talk)
    old = person.id_of("Oslo")
    wrong = person.correct(old, "Bergen").id
    clock.advance(minutes=1)

    person.restore(old)
    assert list(person.facts()) == ["Oslo"]
    assert "I live in Oslo." in person.context(ASKED)

    clock.advance(minutes=1)
    person.restore(wrong)
    assert list(person.facts()) == ["Bergen"]
    assert "home: Bergen" in person.context(ASKED)
    assert "Oslo" not in person.context(ASKED)


@pytest.mark.parametrize("said", ["I live in Oslo.", "I like figs.", "We have two cats, Tom and Jerry."])
def test_a_forgotten_fact_is_believed_again(said: str, start: START, clock: Any) -> None:
    talk = start()
    talk.say(said)
    person = Person(talk)
    ((value, fact),) = person.facts().items()
    person.forget(fact.id)
    clock.advance(minutes=1)
    assert (person.facts(), person.recalled()) == ({}, [])
    assert value not in person.context(said)

    done = person.restore(fact.id)

    assert (done.ended, done.was_believed) == (None, False)
    assert list(person.facts()) == [value]
    assert value in person.context(f"Is it so? {said}")


def test_what_a_user_took_back_in_a_turn_is_believed_again(start: START, clock: Any) -> None:
    talk = start()
    talk.say("I live in Oslo.")
    person = Person(talk)
    old = person.id_of("Oslo")
    clock.advance(minutes=1)
    talk.other("tuesday").say("I no longer live in Oslo.")
    clock.advance(minutes=1)
    assert person.facts() == {}

    person.restore(old)

    assert list(person.facts()) == ["Oslo"]


def test_a_fact_that_expired_lives_as_long_again(start: START, clock: Any) -> None:
    talk = start()
    talk.say("Today I need to water the beans.")
    person = Person(talk)
    ((value, fact),) = person.facts().items()
    clock.advance(days=9)
    assert person.facts() == {}

    person.restore(fact.id)

    again = person.facts()[value]
    assert again.tier is fact.tier
    assert again.expires_at is not None
    assert again.expires_at > clock.now()


def test_what_another_session_believes_now_ends_for_all(start: START, clock: Any) -> None:
    talk = start()
    talk.say("I live in Oslo.")
    old = Person(talk).id_of("Oslo")
    clock.advance(minutes=1)
    talk.other("tuesday").say("I live in Bergen.")
    clock.advance(minutes=1)
    person = Person(talk)
    assert list(person.facts()) == ["Bergen"]

    person.restore(old)

    assert list(person.facts()) == ["Oslo"]
    assert person.recalled(ASKED) == ["home: Oslo"]
    assert "Bergen" not in person.context(ASKED)


def test_what_a_project_holds_from_before_is_restored_where_its_successor_is(start: START, clock: Any) -> None:
    earlier = start(across_projects=False)
    earlier.say("I live in Oslo.")
    old = Person(start()).id_of("Oslo")
    clock.advance(minutes=1)
    start("tuesday").say("I moved to Bergen.")
    clock.advance(minutes=1)
    person = Person(start())
    assert list(person.facts()) == ["Bergen"]

    person.restore(old)

    assert list(person.facts()) == ["Oslo"]
    assert list(Person(in_shop(start("friday"))).facts()) == ["Oslo"]


def test_what_outdated_it_still_outdates_what_came_before(start: START, clock: Any) -> None:
    talk = start()
    talk.say("I live in Paris.")
    clock.advance(minutes=1)
    old = moved(talk, clock)
    person = Person(talk)

    person.restore(old)

    told = person.context(ASKED)
    assert "Oslo" in told
    assert "Paris" not in told
    assert "Bergen" not in told


def test_a_sentence_that_something_else_outdated_holds_again_with_its_fact(start: START, clock: Any) -> None:
    talk = start()
    old, new = "We have two cats, Tom and Jerry.", "The cats moved out to the farm."
    talk.say(old)
    person = Person(talk)
    fact = person.facts()[old]
    clock.advance(minutes=1)
    other = replace(fact, id="other", key="farm", value=new, recorded_at=clock.now(), valid_from=clock.now())
    other = replace(other, source=Source(turn_id="t", event_id="e", quote=new), outdates=outdated(fact))
    gone = replace(fact, state=State.DELETED, valid_to=clock.now())
    changes = Changes(added=(other,), deleted=(gone,))
    entry = LogEntry(session_id=talk.session.session_id, at=clock.now(), changes=changes)
    append = talk.services.log.append(talk.session.tenant, talk.session.project, HERE, entry)
    talk.table.transact([append, *talk.services.log.in_order(append)])
    clock.advance(minutes=1)
    assert list(person.facts()) == [new]
    assert old not in person.context("How many cats do we have?")

    person.restore(fact.id)

    assert set(person.facts()) == {old, new}
    told = person.context("How many cats do we have?")
    assert old in told
    assert "may be outdated" not in told


def test_the_same_words_of_another_session_hold_with_it(start: START, clock: Any) -> None:
    talk = start()
    for session in ("monday", "tuesday"):
        talk.other(session).say("I live in Oslo.")
        clock.advance(minutes=1)
    person = Person(talk)
    old = person.id_of("Oslo")
    person.correct(old, "Bergen")
    clock.advance(minutes=1)
    assert "I live in Oslo." not in person.context(ASKED)

    person.restore(old)

    assert [each.digest for each in person.facts()["Oslo"].outdates] == []
    assert "I live in Oslo." in person.context(ASKED)


def test_a_forgotten_fact_outdates_again_what_it_had_outdated(start: START, clock: Any) -> None:
    talk = start()
    talk.say("I live in Paris.")
    clock.advance(minutes=1)
    old = moved(talk, clock)
    person = Person(talk)
    assert old
    bergen = person.id_of("Bergen")
    person.forget(bergen)
    clock.advance(minutes=1)

    person.restore(bergen)

    told = person.context(ASKED)
    assert "Bergen" in told
    assert "Paris" not in told
    assert "Oslo" not in told


def test_what_is_said_in_another_project_while_a_fact_is_restored_is_what_it_takes_the_place_of(
    start: START, watched: Any, clock: Any
) -> None:
    start(across_projects=False).say("I live in Oslo.")
    person, met = Person(start()), list[Any]()
    old = person.id_of("Oslo")
    person.forget(old)
    clock.advance(minutes=1)

    def say(what: object) -> None:
        if isinstance(what, list) and not met:
            clock.advance(seconds=-5)
            met.append(in_shop(start("tuesday")).say("I live in Bergen."))
            clock.advance(seconds=5)

    watched.before_call = say
    done = person.restore(old)
    watched.before_call = None

    assert met
    assert done.ended is not None
    assert list(person.facts()) == ["Oslo"]


def test_it_is_restored_once_and_what_is_believed_stays_as_it_is(start: START, clock: Any) -> None:
    talk = start()
    old = moved(talk, clock)
    person = Person(talk)
    first = person.restore(old)
    before = entries(person, ACROSS)

    for name in (old, first.id):
        assert Person(talk).restore(name) == Restored(id=first.id, was_believed=True)

    assert entries(person, ACROSS) == before


def test_history_in_segments_is_read_too(start: START, clock: Any) -> None:
    notebook = Notebook(start(), "ada")
    old = moved(notebook.talk, clock)
    index(notebook, HERE, ACROSS)
    person = Person(notebook.talk)

    person.restore(old)

    assert list(person.facts()) == ["Oslo"]
    assert "I live in Oslo" in person.context(ASKED)


@pytest.mark.parametrize("name", ["", "u-" + "0" * 32, "p-" + "f" * 32, "01ARZ3NDEKTSV4RRFFQ69G5FAV"])
def test_an_id_that_names_nothing_is_not_found(name: str, start: START) -> None:
    talk = start()
    talk.say("I live in Oslo.")

    with pytest.raises(NotFound, match="memory_id"):
        Person(talk).restore(name)


def test_nobody_restores_what_was_another_s(start: START) -> None:
    notes = Notebook(start(), "ada")
    notes.talk.say("I live in Oslo.")
    kept, person = notes.keep("Beans go north.", "user"), Person(notes.talk)
    fact = person.id_of("Oslo")
    for name in (fact, kept):
        person.forget(name)
        with pytest.raises(NotFound):
            Person(notes.talk, "bob").restore(name)
    assert (person.facts(), person.kept()) == ({}, {})


def test_what_a_turn_taught_that_was_taken_back_is_gone_though_it_was_corrected(start: START) -> None:
    talk = start()
    talk.say("I live in Oslo.", turn_id="t1")
    person = Person(talk)
    old = person.id_of("Oslo")
    person.correct(old, "Bergen")

    take_back(talk.services, talk.session, TurnId("t1"))

    with pytest.raises(NotFound):
        Person(talk).restore(old)
    assert list(Person(talk).facts()) == ["Bergen"]


@pytest.mark.parametrize("scope", ["user", "project", "user_everywhere"])
def test_a_forgotten_memory_is_kept_again_under_another_id(scope: str, start: START) -> None:
    notes = Notebook(start(), "ada")
    old = notes.keep("Beans go north.", scope, type="decision", confidence=0.6, rationale="Sun.")
    person = Person(notes.talk)
    assert person.restore(old) == Restored(id=old, was_believed=True)
    notes.drop(old)

    done = person.restore(old)

    (found,) = notes.other().find(min_confidence=0)
    assert (found.id, found.content, found.type, found.confidence) == (done.id, "Beans go north.", "decision", 0.6)
    assert (done.id != old, done.id[0], done.was_believed) == (True, old[0], False)
    assert person.restore(old) == Restored(id=done.id, was_believed=True)


def test_a_corrected_memory_takes_its_place_back(start: START) -> None:
    notes = Notebook(start(), "ada")
    person, old = Person(notes.talk), notes.keep("Beans go north.", "user")
    south = person.correct(old, "Beans go south.").id
    east = person.correct(south, "Beans go east.").id

    done = person.restore(old)

    assert (done.ended, done.was_believed) == (east, False)
    assert person.kept() == {"Beans go north.": done.id}
    assert person.restore(old) == Restored(id=done.id, was_believed=True)


def test_a_memory_that_was_corrected_back_in_other_letter_case_holds_already(start: START) -> None:
    notes = Notebook(start(), "ada")
    person, old = Person(notes.talk), notes.keep("Beans go north.", "user")
    south = person.correct(old, "Beans go south.").id
    back = person.correct(south, "BEANS go north.").id

    assert person.restore(old) == Restored(id=back, was_believed=True)
    assert person.kept() == {"BEANS go north.": back}


def test_a_memory_that_another_of_another_scope_replaced_is_kept_beside_it(start: START) -> None:
    notes = Notebook(start(), "ada")
    old, new = notes.keep("Beans go north.", "user"), notes.keep("Beans go south.", "project")
    notes.drop(old, replacement=new)

    assert Person(notes.talk).restore(old).ended is None
    assert sorted(notes.texts()) == ["Beans go north.", "Beans go south."]


def test_what_a_session_keeps_for_itself_is_refused_with_what_to_do(start: START) -> None:
    notes = Notebook(start(), "ada")

    with pytest.raises(InvalidArgument, match="forget it there"):
        Person(notes.talk).restore(notes.keep("Beans go north.", "session"))
