"""pin: a pinned fact stands first in every context of its user, and so does what takes its place."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from cairn.facts.facts import from_record, to_record
from cairn.ground.errors import InvalidArgument, NotFound
from cairn.ground.jobs import IndexLog
from cairn.log.memories import STANDING
from support.context import block_of
from support.memories import Notebook, Person, entries

START = Callable[..., Any]
HERE, ACROSS = "u:ada", "~u:ada"
UNRELATED = "How far away is the moon?"


def values(talk: Any, asked: str = UNRELATED, **fields: Any) -> list[str]:
    """Return the values of the facts that a new session is given, in their order."""
    return [fact["value"] for fact in block_of(talk.other("friday").ask(asked, **fields).items)["facts"]]


def test_a_pinned_fact_stands_first_in_every_context_and_what_is_recalled_stays_the_same(
    start: START, clock: Any
) -> None:
    talk = start()
    talk.say("I like figs. I prefer short answers. The shed is red.")
    person = Person(talk)
    assert "figs" not in values(talk, "What colour is the shed?")
    clock.advance(minutes=1)

    done = person.pin(person.id_of("figs"))

    assert done.id == person.id_of("figs")
    for asked in (UNRELATED, "What colour is the shed?", "", "Do I like figs?"):
        found = values(talk, asked)
        assert found[:2] == ["figs", "short answers"], asked
        assert found.count("figs") == 1
    assert sorted(person.recalled()) == ["like: figs", "preference: short answers"]


def test_it_stays_as_it_was_said_and_when(start: START, clock: Any) -> None:
    talk = start()
    talk.say("I live in Oslo.")
    person = Person(talk)
    old = person.facts()["Oslo"]
    clock.advance(days=3)

    person.pin(old.id)

    new = person.facts()["Oslo"]
    assert replace(new, id=old.id, pinned=False, supersedes=None) == old
    assert (new.pinned, new.supersedes) == (True, old.id)
    assert "I live in Oslo." in person.context("Where do I live?")


def test_pinned_no_longer_it_is_a_fact_like_others(start: START) -> None:
    talk = start()
    talk.say("I like figs.")
    person = Person(talk)
    pinned = person.pin(person.id_of("figs")).id

    done = person.pin(pinned, pinned=False)

    assert (done.id, done.replaced, done.by_type) == (person.id_of("figs"), pinned, False)
    assert not person.facts()["figs"].pinned
    assert values(talk) == []


def test_one_change_of_a_fact_in_64_has_its_log_indexed(start: START) -> None:
    talk = start()
    talk.say("I like figs.")
    person = Person(talk)
    name, jobs = person.id_of("figs"), person.talk.adapters.jobs.sent
    jobs.clear()
    for number in range(320):
        name = person.pin(name, pinned=number % 2 == 0).id

    found = [job for job in jobs if isinstance(job, IndexLog)]
    assert 1 <= len(found) <= 15
    assert {job.owner for job in found} == {HERE}


@pytest.mark.parametrize("said_in", ["monday", "tuesday"])
def test_what_takes_its_place_is_pinned_too_whichever_session_says_it(said_in: str, start: START, clock: Any) -> None:
    talk = start()
    talk.say("I live in Oslo.")
    person = Person(talk)
    person.pin(person.id_of("Oslo"))
    for said in ("I moved to Bergen.", "Hello. I live in Bergen."):
        clock.advance(minutes=1)
        talk.other(said_in).say(said)
        assert person.facts()["Bergen"].pinned
    assert values(talk) == ["Bergen"]

    person.pin(person.id_of("Bergen"), pinned=False)
    clock.advance(minutes=1)
    talk.other("monday").say("I moved to Rome.")

    assert not person.facts()["Rome"].pinned


def test_a_fact_that_the_project_holds_from_before_stays_pinned_where_it_moves(start: START, clock: Any) -> None:
    start(across_projects=False).say("I live in Oslo.")
    person = Person(start())
    person.pin(person.id_of("Oslo"))
    clock.advance(minutes=1)

    start().say("I moved to Bergen.")

    assert person.facts()["Bergen"].pinned


def test_it_stays_pinned_where_it_is_corrected_forgotten_and_restored(start: START, clock: Any) -> None:
    talk = start()
    talk.say("I live in Oslo.")
    person = Person(talk)
    old = person.pin(person.id_of("Oslo")).id
    new = person.correct(old, "Bergen").id
    assert person.facts()["Bergen"].pinned
    clock.advance(minutes=1)

    person.restore(old)
    assert person.facts()["Oslo"].pinned
    person.restore(new)
    person.forget(person.id_of("Bergen"))
    clock.advance(minutes=1)
    person.restore(new)

    assert person.facts()["Bergen"].pinned


def test_a_pinned_fact_does_not_expire_until_it_is_let_go(start: START, clock: Any) -> None:
    talk = start()
    talk.say("Today I need to water the beans.")
    person = Person(talk)
    ((value, fact),) = person.facts().items()
    pinned = person.pin(fact.id).id
    clock.advance(days=40)
    talk.maintain()
    assert values(talk) == [value]

    person.pin(pinned, pinned=False)
    assert list(person.facts()) == [value]
    clock.advance(days=9)
    assert person.facts() == {}


def test_maintenance_keeps_the_pinned_one_of_those_that_say_the_same(start: START, clock: Any) -> None:
    talk = start()
    talk.say("I like really dark chocolate.")
    person = Person(talk)
    ((value, fact),) = person.facts().items()
    person.pin(fact.id)
    clock.advance(minutes=1)
    talk.say("I like the dark chocolate.")
    assert len(person.facts()) == 2

    talk.maintain()

    ((left, kept),) = person.facts().items()
    assert (left, kept.pinned) == (value, True)


def test_pinning_again_changes_nothing_by_whichever_of_its_ids(start: START) -> None:
    talk = start()
    talk.say("I live in Oslo.")
    person = Person(talk)
    old = person.id_of("Oslo")
    assert person.pin(old, pinned=False).replaced is None
    new = person.pin(old).id
    before = entries(person, ACROSS)

    for name in (old, new):
        done = Person(talk).pin(name)
        assert (done.id, done.replaced) == (new, None)
    assert entries(person, ACROSS) == before

    assert person.correct(old, "Bergen").id == person.id_of("Bergen")
    assert list(person.facts()) == ["Bergen"]


def test_an_agent_that_holds_it_is_not_told_again(start: START) -> None:
    talk = start()
    talk.say("I live in Oslo.")
    person = Person(talk)
    name = person.pin(person.id_of("Oslo")).id

    assert values(talk, told=frozenset({name})) == []


def test_another_user_s_pinned_fact_is_placed_where_it_matches_alone(start: START) -> None:
    talk = start(recall_scope="project")
    talk.say("I like figs and I keep seven hens.", user="bob")
    bob = Person(talk, "bob")
    bob.pin(bob.id_of("figs"))

    assert "figs" not in values(talk)
    assert "figs" in values(talk, "Who likes figs?")


def test_facts_that_do_not_fit_are_ranked_like_others(start: START) -> None:
    talk = start(standing_tokens=0)
    talk.say("I like figs.")
    person = Person(talk)
    person.pin(person.id_of("figs"))

    assert values(talk) == []
    assert values(talk, "Do I like figs?") == ["figs"]


def test_an_older_program_reads_the_record_and_only_a_pinned_one_says_so(start: START) -> None:
    talk = start()
    talk.say("I live in Oslo.")
    fact = Person(talk).facts()["Oslo"]

    assert "pinned" not in to_record(fact)
    record = to_record(replace(fact, pinned=True))
    assert record == {**to_record(fact), "pinned": True}
    assert from_record(record).pinned


@pytest.mark.parametrize("kind", sorted(STANDING))
def test_a_memory_that_stands_by_its_type_is_left_as_it_is(kind: Any, start: START) -> None:
    notes = Notebook(start(), "ada")
    name, person = notes.keep("Name branches after tickets.", "user", type=kind), Person(notes.talk)
    before = entries(person, HERE)

    done = person.pin(name)

    assert (done.id, done.replaced, done.by_type) == (name, None, True)
    with pytest.raises(InvalidArgument, match="forget it instead"):
        person.pin(name, pinned=False)
    assert entries(person, HERE) == before


def test_another_memory_is_refused_with_what_to_do(start: START) -> None:
    notes = Notebook(start(), "ada")
    name, person = notes.keep("Beans go north.", "user", type="decision"), Person(notes.talk)

    with pytest.raises(InvalidArgument, match="agent_rule") as refused:
        person.pin(name)

    fields: Any = refused.value.details["fields"]
    assert list(fields) == ["memory_id"]
    assert person.pin(name, pinned=False).replaced is None


def test_nobody_pins_what_is_another_s_or_no_longer_believed(start: START) -> None:
    talk = start()
    talk.say("I live in Oslo.")
    person = Person(talk)
    old = person.id_of("Oslo")
    with pytest.raises(NotFound):
        Person(talk, "bob").pin(old)
    person.correct(old, "Bergen")

    for name in (old, "u-" + "0" * 32, "01ARZ3NDEKTSV4RRFFQ69G5FAV"):
        with pytest.raises(NotFound):
            person.pin(name)
    assert not person.facts()["Bergen"].pinned
