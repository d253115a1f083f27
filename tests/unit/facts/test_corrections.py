"""What is believed after a user corrects, replaces or takes back what they said: exactly that, now and as of then."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any, TypeAlias

import pytest

from cairn.facts.facts import State, is_said
from cairn.log.layout import log_pk, named_in
from cairn.log.view import MemoryView
from support.log import entries

OWNERS = ("u:ada", "~u:ada")
"""Whose logs hold what ada said: in the project, and across projects."""
START: TypeAlias = Callable[..., Any]
"""The fixture that starts a conversation."""


def believed(talk: Any) -> dict[str, str]:
    """Return what the session believes, key by key, as a process finds it that has read nothing yet."""
    return as_of(talk, talk.adapters.clock.now())


def as_of(talk: Any, moment: datetime) -> dict[str, str]:
    """Return what the ledgers hold of the session's logs as they stood at a moment, without what was said as such."""
    found: dict[str, str] = {}
    for owner in OWNERS:
        name = named_in(owner, talk.session.project, talk.session.session_id)
        live = _stored(talk, owner, moment).ledger.live(moment, name)
        found |= {fact.key: fact.value for fact in live if not is_said(fact)}
    return found


def _stored(talk: Any, owner: str, until: datetime) -> MemoryView:
    session, view = talk.session, MemoryView()
    for item in entries(talk.services, log_pk(session.tenant, session.project, owner)):
        record: dict[str, Any] = talk.services.vault.unseal(session.tenant, item)
        if datetime.fromisoformat(record["at"]) <= until:
            view.apply(record)
    return view


@pytest.mark.req("R061")
@pytest.mark.parametrize(
    ("turns", "left"),
    [
        (["My name is Rob.", "Actually, it's Bob."], {"name": "Bob"}),
        (["My name is Rob. Actually it's Bob."], {"name": "Bob"}),
        (["My name is Rob, sorry, Bob."], {"name": "Bob"}),
        (["My name is Rob.", "Actually my name is Bob."], {"name": "Bob"}),
        (["My name is Rob.", "My name isn't Rob, it's Bob."], {"name": "Bob"}),
        (["I live in Rome. My birthday is 3 May.", "Sorry, it's 4 May."], {"home": "Rome", "birthday": "4 May"}),
        (["I live in Rome.", "I moved to Oslo."], {"home": "Oslo"}),
        (["I live in Rome.", "I no longer live in Rome, I moved to Oslo."], {"home": "Oslo"}),
        (["I live in Rome.", "I used to live in Rome, now I live in Oslo."], {"home": "Oslo"}),
        (["I live in Rome and I like tea.", "I no longer live in Rome."], {"tea": "tea"}),
        (["I like tea and I like jazz.", "I don't like jazz anymore."], {"tea": "tea"}),
        (["I work at Acme.", "I stopped working at Acme."], {}),
        (["I'm allergic to eggs. I'm allergic to figs.", "I'm no longer allergic to eggs."], {"figs": "figs"}),
    ],
)
def test_a_correction_leaves_exactly_what_still_holds(turns: list[str], left: dict[str, str], start: START) -> None:
    talk = start()
    for said in turns:
        talk.say(said)

    assert believed(talk) == left


@pytest.mark.req("R061")
@pytest.mark.parametrize(
    "turns",
    [
        ["I live in Rome.", "Actually, it's nice here."],
        ["I live in Rome. What should I see?", "Actually, it's Oslo I want to see."],
        ["I live in Rome.", "Thanks.", "Actually, it's Oslo."],
        ["I live in Rome.", "Is it true? Actually, it's Oslo."],
        ["I no longer live in Oslo. I live in Rome.", "I no longer live in Oslo."],
    ],
)
def test_what_corrects_something_else_leaves_the_fact_alone(turns: list[str], start: START) -> None:
    talk = start()
    for said in turns:
        talk.say(said)

    assert believed(talk) == {"home": "Rome"}


def test_a_correction_is_of_the_newest_turn_even_if_another_user_said_it(start: START) -> None:
    talk = start()
    talk.say("My name is Rob.")
    talk.say("Hello, all.", user="bob")
    talk.say("Actually, it's Bob.")

    assert believed(talk) == {"name": "Rob"}


def test_a_correction_quotes_the_turn_that_made_it(start: START) -> None:
    talk = start()
    talk.say("My name is Rob.", turn_id="first")
    talk.say("Actually, it's Bob.", turn_id="second")

    now, owner = talk.adapters.clock.now(), OWNERS[1]
    holder = named_in(owner, talk.session.project, talk.session.session_id)
    [name] = _stored(talk, owner, now).facts(now, holder)

    assert (name.source.turn_id, name.source.event_id) == ("second", "second-in-0")
    assert name.source.quote == "it's Bob", "the clause alone, since other projects see it"


@pytest.mark.req("R263")
def test_what_was_believed_at_a_time_has_an_answer(start: START, clock: Any) -> None:
    talk = start()
    talk.say("My name is Rob. I live in Rome. Today I need to rest.")
    clock.advance(days=3)
    talk.say("I moved to Oslo.")
    clock.advance(days=3)
    talk.say("I no longer live in Oslo. Call me Bo.")

    assert as_of(talk, datetime(2026, 3, 1, 11, tzinfo=UTC)) == {}
    assert as_of(talk, datetime(2026, 3, 1, 13, tzinfo=UTC)) == {"name": "Rob", "home": "Rome", "to rest": "to rest"}
    assert as_of(talk, datetime(2026, 3, 4, 11, tzinfo=UTC)) == {"name": "Rob", "home": "Rome"}
    assert as_of(talk, datetime(2026, 3, 4, 13, tzinfo=UTC)) == {"name": "Rob", "home": "Oslo"}
    assert as_of(talk, datetime(2026, 3, 8, tzinfo=UTC)) == {"name": "Rob", "nickname": "Bo"}


@pytest.mark.req("R263")
def test_the_record_of_a_replaced_fact_says_from_when_until_when_it_was_believed(start: START, clock: Any) -> None:
    talk = start()
    talk.say("I live in Rome.")
    clock.advance(days=3)
    talk.say("I moved to Oslo.")

    session = talk.session
    log = log_pk(session.tenant, session.project, OWNERS[1])
    [ended] = [
        end for item in entries(talk.services, log) for end in talk.services.vault.unseal(session.tenant, item)["ended"]
    ]

    assert (ended["value"], ended["state"]) == ("Rome", State.SUPERSEDED)
    assert (ended["valid_from"], ended["valid_to"]) == ("2026-03-01T12:00:00Z", "2026-03-04T12:00:00Z")


@pytest.mark.req("R259")
@pytest.mark.parametrize(
    ("after", "left"),
    [
        ({"hours": 30}, {"Ada", "dark roast coffee", "chess", "to buy stamps", "to paint the fence"}),
        ({"hours": 48}, {"Ada", "dark roast coffee", "chess", "to paint the fence"}),
        ({"days": 7}, {"Ada", "dark roast coffee", "chess", "to paint the fence"}),
        ({"days": 8}, {"Ada", "dark roast coffee"}),
    ],
)
def test_durable_facts_survive_and_expired_ones_never_come_back(
    after: dict[str, int], left: set[str], start: START, clock: Any, placed: Callable[..., dict[str, Any]]
) -> None:
    talk = start(recent_context_items=0, search_limit=0)
    talk.say("My name is Ada. I prefer dark roast coffee. I like chess.")
    talk.say("Today I need to buy stamps. This week I need to paint the fence.")
    clock.advance(**after)

    asked = talk.other().ask("What is my name, what coffee do I prefer, chess, stamps to buy, the fence to paint?")

    assert {fact["value"] for fact in placed(asked)["facts"]} == left


@pytest.mark.req("R260")
def test_facts_grow_by_at_most_a_twentieth_however_often_they_are_repeated(start: START, clock: Any) -> None:
    talk = start(recall_facts_limit=2)
    distractors = "I like chess. I like tea. I like hiking. I like jazz. I like bread."
    first = talk.say(f"My name is Ada. I prefer dark roast coffee. {distractors}")
    written = first.facts_written
    for said in [
        "my name is ada",
        "I PREFER dark  roast coffee!",
        "i like tea",
        "I really like jazz.",
        "I like Bread",
    ] * 6:
        clock.advance(minutes=5)
        written += talk.say(said, f"I mention {distractors}").facts_written

    assert first.facts_written == 7
    assert written <= 1.05 * first.facts_written
    assert len(believed(talk)) == 7
