"""A user is known in each project and each session, and nothing of a project but in it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, TypeAlias

import pytest

from cairn.facts.facts import Candidate
from cairn.facts.kinds import FACT_KINDS, is_of_user
from cairn.files import contents
from cairn.ground.errors import InvalidArgument, NotFound, QuotaExceeded
from cairn.ground.ids import Project, SessionId, Tenant
from cairn.ground.session import NO_SESSION
from cairn.ground.table import Key, Put, Query, Update, key_of
from cairn.ground.tiers import Tier
from cairn.log.layout import log_pk
from cairn.memories.model import MOST_PER_SESSION
from cairn.sessions.layout import HEAD
from support.log import entries
from support.memories import Notebook

PLACE = Tenant("acme"), Project("garden")
ACROSS = "~u:ada"
START: TypeAlias = Callable[..., Any]
PLACED: TypeAlias = Callable[[Any], Any]
OF_USERS = {
    *("user_name", "user_nickname", "user_allergy", "user_home", "user_workplace", "user_role"),
    *("user_preference", "user_profile"),
    *("said_identity", "said_preference", "said_instruction"),
}


def at(talk: Any, project: str = "garden", session_id: str = "monday", tenant: str = "acme") -> Any:
    """Return a process that has read nothing yet, in a project and a session."""
    other = talk.other()
    other.session = replace(
        other.session, tenant=Tenant(tenant), project=Project(project), session_id=SessionId(session_id)
    )
    return other


def known(talk: Any, user: str | None = "ada", query: str = "", **fields: Any) -> list[str]:
    found = Notebook(talk, user).find(query, **fields)
    return sorted(each.content for each in found if each.kind != "turn")


def records(talk: Any, owner: str) -> list[Any]:
    return [talk.services.vault.unseal("acme", item) for item in entries(talk.services, log_pk(*PLACE, owner))]


def ended(talk: Any, owner: str) -> list[Any]:
    return [fact for record in records(talk, owner) for fact in record["ended"]]


def of_session(talk: Any) -> list[Any]:
    """Return the facts that the session's files show."""
    head = contents.head_of(talk.services, talk.session)
    return list(contents.read(talk.services, talk.session, head).facts) if head else []


def before_upgrade(talk: Any) -> Any:
    """Return a process that keeps in the project what users say of themselves, as earlier versions did."""
    return talk.other(across_projects=False)


def test_every_kind_of_fact_says_whether_it_is_the_users_or_the_projects() -> None:
    assert {name for name, kind in FACT_KINDS.items() if kind.of == "user"} == OF_USERS
    assert {kind.of for kind in FACT_KINDS.values()} == {"user", "project"}


@pytest.mark.req("R287")
@pytest.mark.parametrize(
    ("fact_id", "key", "tier", "quote", "holds"),
    [
        ("user_home", "home", Tier.L0, "I live in Oslo.", True),
        ("user_profile", "pronouns", Tier.L0, "My pronouns are they/them.", True),
        ("user_profile", "budget", Tier.L0, "My budget is 500 euros.", False),
        ("user_preference", "short answers", Tier.L0, "I prefer short answers.", True),
        ("user_preference", "tabs", Tier.L0, "For this repo I prefer tabs.", False),
        ("user_preference", "tabs", Tier.L0, "I prefer tabs here.", False),
        ("user_preference", "tabs", Tier.L2, "This week I prefer tabs.", False),
        ("user_note", "note", Tier.L0, "Remember that the key is under the mat.", False),
        ("found_by_a_model", "x", Tier.L0, "I like this.", False),
    ],
)
def test_what_lastingly_holds_of_a_user_holds_everywhere_and_what_is_said_of_this_alone_does_not(
    fact_id: str, key: str, tier: Tier, quote: str, *, holds: bool
) -> None:
    said = Candidate(fact_id=fact_id, key=key, value="x", confidence=1.0, tier=tier, event_id="e", quote=quote)
    assert is_of_user(said) is holds


@pytest.mark.req("R287")
def test_who_a_user_is_reaches_every_project_and_what_they_said_of_a_project_none(start: START, placed: PLACED) -> None:
    garden = start()
    garden.say(
        "My name is Ada. I live in Oslo. I prefer short answers. In this repo I prefer tabs. My budget is 9 euros."
    )
    garden.say("Remember that the gate code is 4711. I like beans. Today I need to water the beans.")

    shop = at(garden, "owner-repo", "friday")

    assert known(shop) == ["home: Oslo", "name: Ada", "preference: short answers"]
    facts = placed(shop.ask("Where do I live?"))["facts"]
    assert {fact["value"] for fact in facts} == {"short answers", "Oslo"}
    shown = str(shop.ask("What is the gate code, my budget and what do I like in the garden repo?").items)
    assert not [word for word in ("4711", "beans", "tabs", "9 euros") if word in shown]
    assert known(shop, "bob") == known(at(garden, "owner-repo", "friday", "rival")) == []
    assert known(shop, None) == []


@pytest.mark.req("R287")
@pytest.mark.parametrize(
    ("said", "value", "quote"),
    [
        ("My name is Ada and the Atlas merger closes in May.", "Ada", "My name is Ada"),
        ("As Atlas is late, I moved to Bergen, where Atlas is.", "Bergen", "I moved to Bergen"),
        ("I work at Acme (the Atlas people).", "Acme", "I work at Acme"),
    ],
)
def test_of_a_sentence_only_what_says_who_the_user_is_leaves_its_project(
    said: str, value: str, quote: str, start: START, placed: PLACED
) -> None:
    garden = start()
    garden.say(said)
    shop = at(garden, "shop", "friday")

    assert [record["added"][0]["source"]["quote"] for record in records(garden, ACROSS)] == [quote]
    prepared = shop.ask(f"Do you know {value}? And what about Atlas, and who am I?")
    assert [fact["value"] for fact in placed(prepared)["facts"]] == [value]
    assert "Atlas" not in str(prepared.items[:-1])
    assert "Atlas" not in str(Notebook(shop, "ada").find("Atlas", explain=True))


@pytest.mark.req("R287")
def test_a_change_told_in_one_project_replaces_what_was_told_in_another(start: START) -> None:
    garden = start()
    garden.say("I live in Oslo. I work at Acme.")
    shop = at(garden, "shop", "friday")

    told = shop.say("I moved to Bergen. I no longer work at Acme.")

    assert (told.facts_written, told.facts_superseded) == (1, 2)
    assert known(garden) == known(at(garden, "shop")) == known(at(garden, "third")) == ["home: Bergen"]
    assert known(garden, scope="session") == ["home: Oslo", "workplace: Acme"]


@pytest.mark.req("R287")
def test_a_session_of_the_same_name_in_another_project_is_another(start: START) -> None:
    garden = start()
    garden.say("I live in Oslo.")
    shop = at(garden, "shop")

    assert known(shop, scope="session") == []
    shop.say("I live in Rome.")
    assert [[fact.value for fact in of_session(talk)] for talk in (garden, shop)] == [["Oslo"], ["Rome"]]
    assert known(garden, scope="session") == ["home: Oslo"]
    assert known(shop, scope="session") == ["home: Rome"]


@pytest.mark.req("R287")
def test_a_project_shows_of_others_what_they_said_in_it_and_nothing_that_they_said_elsewhere(start: START) -> None:
    garden = start()
    garden.say("I live in Oslo.", user="bob")
    at(garden, "shop").say("I work at Acme.", user="bob")

    assert known(at(garden, "garden", "friday"), "ada", scope="project") == ["home: Oslo"]
    assert known(at(garden, "shop", "friday"), "ada", scope="project") == ["workplace: Acme"]
    assert known(at(garden, "garden", "friday"), "ada") == []
    assert known(garden, "ada") == ["home: Oslo"], "bob said it in this session"
    with pytest.raises(NotFound):
        Notebook(at(garden, "shop", "friday"), "ada").drop(Notebook(garden, "bob").find(type="fact")[0].id)


@pytest.mark.req("R287")
def test_what_a_project_holds_from_before_is_seen_until_something_is_said_of_it_anywhere(start: START) -> None:
    earlier = before_upgrade(start())
    earlier.say("I live in Oslo. I work at Acme. My name is Ada.")
    garden = at(earlier)
    garden.services = start().services
    assert known(garden) == ["home: Oslo", "name: Ada", "workplace: Acme"]
    assert known(at(start(), "shop")) == []

    at(start(), "shop").say("I moved to Bergen.")
    assert known(at(start())) == ["home: Bergen", "name: Ada", "workplace: Acme"]
    told = at(start(), "garden", "friday").say("I no longer work at Acme. My name is Ada.")

    assert (told.facts_written, told.facts_superseded) == (1, 1)
    assert known(at(start())) == ["home: Bergen", "name: Ada"]
    assert known(at(start(), "shop")) == ["home: Bergen", "name: Ada"]
    assert known(at(start()), include_superseded=True) != known(at(start()))


@pytest.mark.req("R287")
def test_what_an_earlier_turn_of_the_session_said_is_replaced_where_it_lies(start: START) -> None:
    earlier = before_upgrade(start())
    earlier.say("I live in Oslo.")
    now = start()
    now.say("I moved to Bergen.")

    assert known(now, scope="session") == ["home: Bergen"]
    assert [(each["value"], each["state"]) for each in ended(now, "u:ada")] == [("Oslo", "superseded")]


def test_an_end_and_what_holds_instead_in_one_turn_leave_what_holds_instead(start: START) -> None:
    start("monday").say("I live in Oslo.")
    start("tuesday").say("I no longer live in Oslo. I live in Bergen.")

    assert known(start("friday")) == ["home: Bergen"]


@pytest.mark.req("R287")
def test_as_of_a_time_tells_what_was_believed_then_in_all_projects(start: START, clock: Any) -> None:
    garden = start()
    garden.say("I live in Oslo.")
    clock.advance(days=1)
    then = clock.now()
    clock.advance(days=1)
    at(garden, "shop").say("I moved to Bergen.")

    assert known(garden, as_of=then) == ["home: Oslo"]
    assert known(garden) == ["home: Bergen"]


@pytest.mark.req("R287")
def test_a_fact_is_forgotten_in_all_projects_from_any_of_them(start: START) -> None:
    garden = start()
    garden.say("I live in Oslo.")
    shop = Notebook(at(garden, "shop", "friday"), "ada")
    (found,) = shop.find()

    shop.drop(found.id)

    assert known(garden) == known(shop.talk) == known(at(garden)) == []


@pytest.mark.req("R287")
def test_a_memory_for_everywhere_is_recalled_in_each_project_of_its_user_alone(start: START) -> None:
    garden = Notebook(start(), "ada")
    rule = garden.keep("Answer in German.", scope="user_everywhere", type="agent_rule")
    here = garden.keep("Beans go north.", scope="user")
    shop = Notebook(at(garden.talk, "shop", "friday"), "ada")

    assert (rule[0], here[0]) == ("e", "u")
    assert shop.texts() == ["Answer in German."]
    assert shop.talk.ask("In which language do I answer?").recalled_fact_ids == (rule,)
    assert shop.keep("answer in  german.", scope="user_everywhere") == rule
    assert Notebook(shop.talk, "bob").texts() == Notebook(shop.talk).texts() == []
    assert Notebook(at(garden.talk, "shop", tenant="rival"), "ada").texts() == []
    with pytest.raises(NotFound):
        Notebook(shop.talk, "bob").drop(rule)
    shop.drop(rule)
    assert garden.texts() == ["Beans go north."]


@pytest.mark.req("R286")
def test_what_one_session_keeps_without_a_word_of_scope_the_next_recalls(start: START) -> None:
    monday, friday = Notebook(start("monday"), "ada"), Notebook(start("friday"), "ada")
    kept = monday.keep("Beans go north.", scope=None)
    monday.talk.say("The shed is behind the barn.")

    assert "Beans go north." in friday.texts("Where do beans go?")
    assert any("behind the barn" in text for text in friday.texts("Where is the shed?"))
    prepared = friday.talk.ask("Where do beans go, and where is the shed?")
    assert kept in prepared.recalled_fact_ids
    assert "behind the barn" in str(prepared.items)
    assert Notebook(start("friday"), "bob").texts("Where do beans go?") == []


@pytest.mark.req("R245")
def test_without_a_user_a_session_keeps_to_itself(start: START) -> None:
    monday, friday = Notebook(start("monday")), Notebook(start("friday"))
    kept = monday.keep("Beans go north.", scope=None)
    monday.talk.say("I live in Oslo.", user=None)

    assert kept.startswith("s-")
    assert monday.texts() == ["home: Oslo", "Beans go north."]
    assert friday.texts() == []
    with pytest.raises(NotFound):
        friday.drop(kept)


@pytest.mark.req("R286")
def test_a_setting_leaves_each_session_to_itself(start: START) -> None:
    monday = Notebook(start("monday", recall_scope="session"), "ada")
    monday.talk.say("I live in Oslo.")
    kept = monday.keep("Beans go north.", scope=None)

    assert kept.startswith("s-")
    assert Notebook(start("friday", recall_scope="session"), "ada").texts() == []
    assert Notebook(start("friday", recall_scope="session"), "ada").texts(scope="user") == ["home: Oslo"]


def test_with_the_setting_off_nothing_crosses_projects(start: START) -> None:
    garden = start(across_projects=False)
    garden.say("I live in Oslo.")

    assert known(garden) == ["home: Oslo"]
    assert known(at(garden, "shop")) == []
    assert not records(garden, ACROSS)
    with pytest.raises(InvalidArgument, match="scope"):
        Notebook(garden, "ada").keep("Answer in German.", scope="user_everywhere")


@pytest.mark.req("R286")
def test_for_a_user_no_session_is_needed(start: START) -> None:
    start("monday").say("I live in Oslo. The shed is red.")
    desk = Notebook(at(start(), session_id=NO_SESSION), "ada")

    name = desk.keep("Beans go north.", scope=None)

    assert set(desk.texts()) == {"home: Oslo", "Beans go north."}
    assert any("shed is red" in text for text in desk.texts("Which colour is the shed?"))
    assert set(desk.texts(scope="project")) == {"home: Oslo", "Beans go north."}
    assert name in start("friday").ask("Where do beans go?").recalled_fact_ids
    assert desk.talk.adapters.table.get(Key("acme#s#garden#", HEAD)) is None
    desk.drop(name)
    assert desk.texts() == ["home: Oslo"]


def _told_of_nobody(desk: Notebook) -> object:
    return Notebook(desk.talk).find()


def _kept_for_nobody(desk: Notebook) -> object:
    return Notebook(desk.talk).keep("x", scope="project")


def _session_recalled(desk: Notebook) -> object:
    return desk.find(scope="session")


def _session_told(desk: Notebook) -> object:
    return desk.keep("x", scope="session")


def _session_s_forgotten(desk: Notebook) -> object:
    return desk.drop("s-" + "0" * 32)


@pytest.mark.parametrize(
    "call", [_session_recalled, _session_told, _session_s_forgotten, _told_of_nobody, _kept_for_nobody]
)
@pytest.mark.req("R286")
def test_what_takes_a_session_says_so_by_its_name(call: Callable[[Notebook], object], start: START) -> None:
    desk = Notebook(at(start(), session_id=NO_SESSION), "ada")

    with pytest.raises(InvalidArgument) as refused:
        call(desk)

    fields: Any = refused.value.details["fields"]
    assert list(fields) == ["session_id"]


@pytest.mark.req("R286")
def test_without_a_session_a_log_keeps_as_many_memories_as_a_session_may(start: START) -> None:
    desk = Notebook(at(start(), session_id=NO_SESSION), "ada")
    count = {"pk": "acme#m#garden#u:ada", "sk": "kept", "kept": MOST_PER_SESSION - 1}
    desk.talk.adapters.table.put(Put(count))
    desk.keep("The last.", scope="user")

    with pytest.raises(QuotaExceeded, match="outside of sessions"):
        desk.keep("One more.", scope="user")
    assert desk.texts() == ["The last."]
    assert desk.keep("For all.", scope="user_everywhere")


def test_a_second_log_is_written_only_where_something_of_the_user_was_said(start: START, watched: Any) -> None:
    talk = start()
    transactions: list[list[str]] = []

    def note(what: Any) -> None:
        if not isinstance(what, (Key, Put, Query, Update)):
            transactions.append([key_of(write).pk for write in what])

    watched.before_call = note
    talk.say("I like beans. The shed is red.")
    talk.say("I live in Oslo.")
    talk.say("I live in Oslo.")
    watched.before_call = None

    assert [each.count("acme#m#~#u:ada") for each in transactions] == [0, 2, 0]


def test_a_process_that_was_behind_replaces_what_its_session_said_elsewhere(start: START, monkeypatch: Any) -> None:
    """The view across projects is read anew where the session's head tells of an entry that it lacks."""
    one, other = start(), start()
    one.say("I live in Oslo.")
    log = other.services.log
    with log.view(*PLACE, ACROSS):
        one.say("I moved to Rome.")
    refresh, skipped = log.refresh, list[str]()

    def late(tenant: Tenant, project: Project, owner: str) -> None:
        if owner == ACROSS and not skipped:
            skipped.append(owner)
        else:
            refresh(tenant, project, owner)

    monkeypatch.setattr(log, "refresh", late)
    other.say("I moved to Bergen.")

    assert skipped
    assert [each["value"] for each in ended(other, ACROSS)] == ["Oslo", "Rome"]


def test_a_log_entry_says_in_which_turn_of_another_log_something_was_said(start: START) -> None:
    talk = start()
    talk.say("Hello.")
    talk.say("I live in Oslo.")

    (record,) = records(talk, ACROSS)
    assert (record["session"], record["said_in"], record["turn"]) == ("garden/monday", 2, None)
