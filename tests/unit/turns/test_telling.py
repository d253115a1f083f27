"""What a conversation tells memory is done in the turn that says it, and the answer says what was done."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from cairn.conversation.items import message
from cairn.ground.adapters import Adapters
from cairn.ground.ids import Project, SessionId, UserId
from cairn.ground.session import Session
from cairn.log.layout import across, log_owner
from cairn.memories.forget import forget
from cairn.memories.model import ForgetRequest, Note, RecallRequest
from cairn.memories.recall import recall
from cairn.memories.remember import remember
from cairn.services import Services
from cairn.turns.after_turn import commit
from cairn.turns.before_turn import prepare
from cairn.turns.model import CommittedTurn, Preparation
from cairn.turns.take_back import take_back
from support.turns import SESSION, cold, turn

pytestmark = pytest.mark.req("R300")

ADA = UserId("ada")
TUESDAY = replace(SESSION, session_id=SessionId("tuesday"))
ELSEWHERE = Session(SESSION.tenant, Project("kitchen"), SessionId("wednesday"))


class Talk:
    """One user's turns."""

    def __init__(self, services: Services) -> None:
        self.services = services
        self._count = 0

    def says(self, said: str, answered: str = "Noted.", session: Session = SESSION) -> CommittedTurn:
        self._count += 1
        return commit(self.services, session, replace(turn(f"t{self._count}", said, answered), user_id=ADA))

    def hears(self, said: str, session: Session = TUESDAY) -> str:
        given = prepare(self.services, session, Preparation(current=(message("user", said),), user_id=ADA))
        return json.dumps([item for item in given.items if said not in str(item)], ensure_ascii=False)

    def recalls(self, query: str, session: Session = TUESDAY) -> str:
        found = recall(self.services, session, RecallRequest(query=query, user_id=ADA, min_confidence=0.0, limit=50))
        return " | ".join(item.content for item in found.found)

    def believes(self) -> set[tuple[str, str]]:
        owner = log_owner(ADA, SESSION.session_id)
        found: set[tuple[str, str]] = set()
        for each in (owner, *across(owner)):
            self.services.log.refresh(SESSION.tenant, SESSION.project, each)
            with self.services.log.view(SESSION.tenant, SESSION.project, each) as view:
                found |= {(fact.fact_id, fact.value) for fact in view.facts(self.services.adapters.clock.now(), None)}
        return found


@pytest.fixture
def talk(services: Services) -> Talk:
    return Talk(services)


def told(committed: CommittedTurn) -> list[tuple[str, str]]:
    return [(each.did, each.what) for each in committed.told]


def test_what_is_to_be_remembered_is_kept_and_said_to_be(talk: Talk) -> None:
    assert told(talk.says("Note that the gate code is 4417.")) == [("kept", "the gate code is 4417")]
    assert ("user_note", "the gate code is 4417") in talk.believes()
    assert "4417" in talk.recalls("gate code")


def test_what_a_rule_understands_is_kept_once(talk: Talk) -> None:
    assert told(talk.says("Remember that my name is Ada.")) == [("kept", "my name is Ada")]
    assert talk.believes() == {("user_name", "Ada")}


@pytest.mark.parametrize(
    ("text", "note"),
    [
        ("I park on level four. Remember that.", "I park on level four"),
        ("Merk dir bitte, dass der Code 4417 ist.", "der Code 4417 ist"),
        ("Recuerda que el código es 4417.", "el código es 4417"),
    ],
)
def test_notes_are_kept_in_every_language(talk: Talk, text: str, note: str) -> None:
    talk.says(text)
    assert talk.believes() == {("user_note", note)}


@pytest.mark.parametrize(
    ("taught", "said", "what"),
    [
        ("I live in Oslo.", "Forget that I live in Oslo.", "home: Oslo"),
        ("I live in Oslo.", "Forget where I live.", "home: Oslo"),
        ("I live in Oslo.", "Vergiss bitte, dass ich in Oslo wohne.", "home: Oslo"),
        ("I live in Oslo.", "Oublie que j'habite à Oslo.", "home: Oslo"),
        ("My address is 5 Elm Street.", "Forget my address.", "profile (address): 5 Elm Street"),
        ("My address is 5 Elm Street.", "Por favor, olvida mi dirección.", "profile (address): 5 Elm Street"),
        ("My address is 5 Elm Street.", "Dimentica il mio indirizzo.", "profile (address): 5 Elm Street"),
        ("My address is 5 Elm Street.", "Apague o meu endereço.", "profile (address): 5 Elm Street"),
        ("My phone number is 555-1234.", "Delete my phone number.", "profile (phone number): 555-1234"),
        ("I work at Acme.", "Forget my employer, please.", "workplace: Acme"),
        ("My name is Bo.", "Vergiss meinen Namen.", "name: Bo"),
        ("I'm allergic to nuts.", "Forget that I'm allergic to nuts.", "allergy: nuts"),
        ("I prefer green tea.", "Forget my preference for green tea.", "preference: green tea"),
        ("My dog's name is Rex.", "Forget my dog's name.", "profile (dog's name): Rex"),
        ("Remember that the trip to Rome is in May.", "You can forget about the trip to Rome.", None),
    ],
)
def test_what_is_to_be_forgotten_is_no_longer_believed_in_any_session(
    talk: Talk, taught: str, said: str, what: str | None
) -> None:
    talk.says(taught)
    assert len(talk.believes()) == 1
    committed = talk.says(said, session=TUESDAY)
    assert talk.believes() == set()
    [(did, named)] = told(committed)
    assert did == "forgotten"
    assert what in {None, named}


@pytest.mark.parametrize(
    "said",
    [
        "Don't forget that I live in Oslo.",
        "Forget it, let's order pizza in Oslo.",
        "He told me to forget that I live in Oslo.",
        "Forget that I live in Bergen.",
        "Forget my phone number.",
        "Forget the meeting.",
        "Delete the first line.",
        "Can you forget where I live?",
        "If I move, forget where I live.",
        "Forget everything.",
        "That's wrong on so many levels.",
    ],
)
def test_what_names_nothing_that_is_believed_ends_nothing(talk: Talk, said: str) -> None:
    talk.says("I live in Oslo. My name is Ada.")
    committed = talk.says(said)
    assert {("user_home", "Oslo"), ("user_name", "Ada")} <= talk.believes()
    assert "forgotten" not in {did for did, _ in told(committed)}


def test_where_nothing_matches_the_answer_says_so(talk: Talk) -> None:
    assert told(talk.says("Forget my address.")) == [("nothing_found", "my address")]


def test_of_several_notes_that_fit_in_part_none_is_forgotten(talk: Talk) -> None:
    talk.says("Remember that the trip to Rome is cheap. Remember that the trip to Pisa is long.")
    assert told(talk.says("Forget about the trip.")) == [("nothing_found", "the trip")]
    assert len(talk.believes()) == 2


def test_what_is_said_after_the_request_holds(talk: Talk) -> None:
    talk.says("My address is 1 Old Road.")
    talk.says("Forget my address. My address is 5 Elm Street.")
    assert talk.believes() == {("user_profile", "5 Elm Street")}
    talk.says("My address is 9 New Lane. Forget my address.")
    assert talk.believes() == set()


@pytest.mark.parametrize("scope", ["user", "user_everywhere", "session"])
def test_a_kept_memory_that_is_named_is_forgotten_as_forget_does_it(talk: Talk, scope: Any) -> None:
    services = talk.services
    kept = remember(services, SESSION, Note(content="Ada lives in Oslo", user_id=ADA, scope=scope))
    committed = talk.says("Forget that I live in Oslo.")
    assert ("forgotten", "Ada lives in Oslo") in told(committed)
    assert "Ada lives in Oslo" not in talk.recalls("Oslo", SESSION)
    forget(services, SESSION, ForgetRequest(id=kept.id, user_id=ADA))
    again = remember(services, SESSION, Note(content="Ada lives in Oslo", user_id=ADA, scope=scope))
    assert again.new
    assert again.id != kept.id


def test_a_project_s_memory_stays(talk: Talk) -> None:
    remember(talk.services, SESSION, Note(content="Ada lives in Oslo", user_id=ADA, scope="project"))
    talk.says("Forget that I live in Oslo.")
    assert "Ada lives in Oslo" in talk.recalls("Oslo", SESSION)


def test_a_turn_that_is_taken_back_leaves_forgotten_what_it_forgot(talk: Talk) -> None:
    services = talk.services
    remember(services, SESSION, Note(content="Ada lives in Oslo", user_id=ADA, scope="user"))
    talk.says("Forget that I live in Oslo.")
    take_back(services, SESSION, turn("t1", "").turn_id)
    assert "Ada lives in Oslo" not in talk.recalls("Oslo", SESSION)


def test_neither_what_was_forgotten_nor_the_request_that_names_it_is_heard_of_again(
    talk: Talk, adapters: Adapters
) -> None:
    talk.says("I live in Oslo.")
    talk.says("Forget that I live in Oslo. My boat is green.", "Oslo is forgotten.", session=TUESDAY)

    for services in (talk.services, cold(adapters)):
        other = Talk(services)
        assert "Oslo" not in other.hears("Where do I live?", replace(SESSION, session_id=SessionId("friday")))
        assert "Forget" not in other.recalls("Forget that I live in Oslo.")
        assert "green" in other.recalls("What colour is my boat?")


def test_a_request_that_had_nothing_forgotten_can_be_recalled(talk: Talk) -> None:
    talk.says("Forget that I live in Bergen.")

    assert "Bergen" in talk.recalls("Bergen")


SECRETS = [
    "My name is Zebedee. Don't keep that.",
    "Off the record: my name is Zebedee.",
    "My name is Zebedee, but please don't save it.",
    "Please don't remember that my name is Zebedee.",
    "My name is Zebedee. Speichere das bitte nicht.",
    "My name is Zebedee. No guardes eso.",
    "My name is Zebedee. N'enregistre pas ça.",
]


@pytest.mark.parametrize("said", SECRETS)
def test_what_is_not_to_be_kept_is_found_by_no_recall_and_in_no_other_session(
    talk: Talk, adapters: Adapters, said: str
) -> None:
    committed = talk.says(f"I like gardening. {said}", "Very well, Zebedee.")
    assert [did for did, _ in told(committed)] == ["not_kept"]
    assert "Zebedee" not in str(committed)
    for services in (talk.services, cold(adapters)):
        other = Talk(services)
        assert ("user_like", "gardening") in other.believes()
        assert not {value for _, value in other.believes() if "Zebedee" in value}
        for query in ("Zebedee", "What is my name?", "gardening"):
            assert "Zebedee" not in other.recalls(query, SESSION)
            for session in (TUESDAY, ELSEWHERE):
                assert "Zebedee" not in other.recalls(query, session)
        assert "Zebedee" not in other.hears("What is my name and what do I like?")
        assert "Zebedee" not in other.hears("What is my name and what do I like?", ELSEWHERE)


def test_what_is_not_to_be_kept_still_replays_in_its_session(talk: Talk) -> None:
    talk.says("My name is Zebedee. Don't keep that.")
    assert "Zebedee" in talk.hears("Go on.", SESSION)


def test_a_turn_before_is_not_touched_by_a_request_that_speaks_of_no_sentence(talk: Talk) -> None:
    talk.says("The gate is green.")
    talk.says("Don't keep that.")
    assert "gate is green" in talk.recalls("gate")


def test_a_correction_of_something_not_kept_teaches_nothing(talk: Talk) -> None:
    talk.says("Off the record: my name is Zebedee.")
    talk.says("Sorry, I meant Barnaby.")
    assert talk.believes() == set()


@pytest.mark.parametrize(
    "texts",
    [
        ("My name is Bob. That's wrong.",),
        ("My name is Bob. No wait, that's wrong.",),
        ("My name is Bob.", "That's wrong."),
        ("My name is Bob.", "No, that's not true, I never said that."),
        ("My name is Bob.", "Das stimmt nicht."),
        ("My name is Bob.", "C'est faux."),
        ("My name is Bob. Forget that.",),
    ],
)
def test_what_the_last_statement_taught_ends_when_it_is_wrong(talk: Talk, texts: Sequence[str]) -> None:
    committed = [talk.says(text) for text in texts][-1]
    assert talk.believes() == set()
    assert told(committed) == [("forgotten", "name: Bob")]


def test_a_denial_ends_what_it_names_whenever_it_was_taught(talk: Talk) -> None:
    talk.says("I live in Oslo.")
    talk.says("What is the tallest tree?")
    assert told(talk.says("That's not true, I never lived in Oslo.")) == [("forgotten", "home: Oslo")]


def test_an_answer_that_is_wrong_ends_no_fact(talk: Talk) -> None:
    talk.says("I live in Oslo. What is two and two?", "Five.")
    assert told(talk.says("That's wrong.")) == [("nothing_found", "That's wrong.")]
    assert talk.believes() == {("user_home", "Oslo")}


def test_corrections_stay_corrections(talk: Talk) -> None:
    talk.says("My name is Bob.")
    assert talk.says("Sorry, I meant Rob.").told == ()
    assert talk.believes() == {("user_name", "Rob")}


def test_a_repeated_turn_does_nothing_twice(talk: Talk) -> None:
    said = replace(turn("one", "Remember that the gate is green. Forget my name."), user_id=ADA)
    assert commit(talk.services, SESSION, said).told
    again = commit(talk.services, SESSION, said)
    assert again.replayed
    assert again.told == ()


def test_an_answer_tells_a_bounded_number_of_things_in_short_words(talk: Talk) -> None:
    committed = talk.says("Remember that " + "x" * 400 + ". " + "Forget my hat number one. " * 40)
    assert 0 < len(committed.told) <= 16
    assert max(len(each.what) for each in committed.told) <= 80
