"""Whose word a memory is: it stays so, and nothing takes the place of what goes by a higher word."""

from __future__ import annotations

from typing import Any

import pytest

from cairn.conversation.items import message
from cairn.conversation.turns import Completion
from cairn.ground.errors import Conflict
from cairn.ground.ids import TurnId
from cairn.ground.trust import Trust
from cairn.memories.correct import correct
from cairn.memories.restore import restore
from cairn.turns.after_turn import commit
from support.memories import Notebook, Person, index

LEVELS = list(Trust)[1:]


def trust_of(notebook: Notebook, content: str) -> Trust:
    [found] = [each for each in notebook.other().find() if each.content == content]
    return found.trust


@pytest.mark.req("R308")
@pytest.mark.parametrize("trust", LEVELS)
@pytest.mark.parametrize("indexed", [False, True])
def test_a_memory_is_found_by_whose_word_it_is_and_by_no_lower_one(
    notebook: Notebook, trust: Trust, *, indexed: bool
) -> None:
    notebook.keep("Beans go north.", scope="user", trust=trust)
    if indexed:
        index(notebook, "u:ada")

    assert trust_of(notebook, "Beans go north.") is trust
    for least in LEVELS:
        found = notebook.other().texts("Where do the beans go?", min_trust=least)
        assert found == notebook.other().texts(min_trust=least) == (["Beans go north."] if trust >= least else [])


@pytest.mark.req("R308")
@pytest.mark.parametrize("old", LEVELS)
@pytest.mark.parametrize("new", LEVELS)
def test_a_lower_word_takes_no_higher_one_s_place_unless_one_as_high_says_so(
    notebook: Notebook, old: Trust, new: Trust
) -> None:
    first = notebook.keep("Beans go north.", scope="user", trust=old)
    second = notebook.keep("Beans go south.", scope="user", trust=new)

    if max(new, Trust.AGENT) >= old:
        notebook.drop(first, replacement=second)
        assert notebook.other().texts() == ["Beans go south."]
    else:
        with pytest.raises(Conflict):
            notebook.drop(first, replacement=second)
        assert set(notebook.other().texts()) == {"Beans go north.", "Beans go south."}
        notebook.drop(first, replacement=second, trust=old)
        assert notebook.other().texts() == ["Beans go south."]


@pytest.mark.req("R308")
def test_an_agent_s_memory_takes_the_place_of_no_fact_that_the_user_stated(notebook: Notebook) -> None:
    notebook.talk.say("I live in Oslo.")
    [fact] = notebook.find()
    memory = notebook.keep("Ada lives in Bergen.", scope="user")

    with pytest.raises(Conflict, match="more trusted word"):
        notebook.drop(fact.id, replacement=memory)

    assert "home: Oslo" in notebook.other().texts()


@pytest.mark.req("R308")
def test_saying_it_again_on_a_higher_word_leaves_it_as_it_is(notebook: Notebook) -> None:
    notebook.keep("Beans go north.", scope="user", trust=Trust.IMPORT)
    notebook.keep("beans go north.", scope="user", trust=Trust.OPERATOR)

    assert trust_of(notebook, "Beans go north.") is Trust.IMPORT


@pytest.mark.req("R308")
def test_a_person_s_correction_is_theirs_and_an_operator_s_only_an_operator_corrects(notebook: Notebook) -> None:
    name, ada = notebook.keep("Beans go north.", scope="user"), Person(notebook.talk)
    corrected = ada.correct(name, "Beans go south.")
    assert trust_of(notebook, "Beans go south.") is Trust.USER
    again = correct(notebook.talk.services, ada.place, ada.user, corrected.id, "Beans go east.", Trust.OPERATOR)
    assert trust_of(notebook, "Beans go east.") is Trust.OPERATOR

    for change in (lambda: ada.correct(again.id, "Beans go west."), lambda: ada.restore(name)):
        with pytest.raises(Conflict, match="more trusted word"):
            change()

    assert notebook.other().texts() == ["Beans go east."]
    restore(notebook.talk.services, ada.place, ada.user, name, trust=Trust.OPERATOR)
    assert trust_of(notebook, "Beans go north.") is Trust.AGENT, "an operator may restore it, as what it was"


@pytest.mark.req("R308")
def test_a_corrected_fact_is_the_user_s_word_and_restoring_or_pinning_raises_none(
    notebook: Notebook, start: Any
) -> None:
    told = (message("user", "I live in Oslo."),)
    brought = Completion(turn_id=TurnId("t1"), user_id=notebook.user, inputs=told, outputs=(), most=Trust.IMPORT)
    commit(notebook.talk.services, notebook.talk.session, brought)
    ada = Person(notebook.talk)
    ada.pin(ada.id_of("Oslo"))
    assert ada.facts()["Oslo"].trust is Trust.IMPORT
    old = ada.id_of("Oslo")
    operator = correct(start().services, ada.place, ada.user, old, "Bergen", Trust.OPERATOR)
    assert ada.facts()["Bergen"].trust is Trust.USER, "what the user says later can take its place"

    ada.restore(old)

    assert ada.facts()["Oslo"].trust is Trust.IMPORT
    assert operator.replaced == old
