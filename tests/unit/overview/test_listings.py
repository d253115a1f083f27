"""Projects, users, conversations, items and what is known are listed by the page, each of whoever asks alone."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from cairn.access.api_keys import project_pattern
from cairn.access.callers import Caller
from cairn.ground.adapters import Adapters
from cairn.ground.errors import InvalidArgument
from cairn.ground.ids import Project, Tenant, UserId
from cairn.ground.settings import MemorySettings
from cairn.log.manifest import ENTRIES
from cairn.memories.forget import forget
from cairn.memories.model import ForgetRequest, Note
from cairn.memories.remember import remember
from cairn.overview import sessions as listing
from cairn.overview.items import items, newest_items
from cairn.overview.known import known
from cairn.overview.model import ListedSession, Page, Place
from cairn.overview.projects import projects
from cairn.overview.sessions import sessions
from cairn.overview.users import users
from cairn.process.system import in_turn
from metering import Meter, MeteredBlobs, MeteredKeys, MeteredTable
from support.overview import GARDEN, PLACE, TENANT, Talk
from support.services import services_over

ADA = UserId("ada")
pytestmark = pytest.mark.req("R295")


@pytest.fixture
def talk(adapters: Adapters) -> Talk:
    return Talk(replace(adapters, parallel=in_turn))


def caller(*patterns: str, users: tuple[str, ...] = ()) -> Caller:
    named = tuple(project_pattern(each) for each in patterns)
    return Caller(TENANT, frozenset({"read"}), "request-1", named, users=tuple(UserId(each) for each in users))


def names(page: Page[ListedSession]) -> list[str]:
    return [each.session_id for each in page.listed]


def test_a_user_s_conversations_come_newest_first_with_when_they_began_and_how(talk: Talk) -> None:
    talk.say("monday", "t1", "What grows\n in   shade? " + "Ferns, I think. " * 9)
    talk.say("tuesday", "t1", "I like figs.")
    talk.say("monday", "t2", "And in sun?")
    talk.say("hers", "t1", "I am Eve.", "eve")

    newest, other = sessions(talk.fresh(), PLACE, ADA, "", 10).listed

    assert (newest.session_id, newest.turns, newest.users) == ("monday", 2, (ADA,))
    assert newest.newest - newest.begun == timedelta(minutes=2)
    assert newest.opening.startswith("What grows in shade? Ferns, I think.")
    assert newest.opening.endswith("…")
    assert len(newest.opening) <= 80
    assert (other.session_id, other.turns, other.opening) == ("tuesday", 1, "I like figs.")


def test_a_project_s_conversations_are_those_of_all_users_and_of_none(talk: Talk) -> None:
    talk.say("monday", "t1", "I like figs.")
    talk.say("nobody", "t1", "Hello.", None)
    talk.say("hers", "t1", "I am Eve.", "eve")
    talk.say("monday", "t2", "I am Eve, too.", "eve")
    talk.say("apart", "t1", "Elsewhere.", project="orchard")

    found = sessions(talk.fresh(), PLACE, None, "", 10).listed

    assert [(each.session_id, each.users, each.turns) for each in found] == [
        ("monday", ("ada", "eve"), 2),
        ("hers", ("eve",), 1),
        ("nobody", (), 1),
    ]
    assert found[0].opening == "I like figs."


@pytest.mark.parametrize("user", [ADA, None])
def test_conversations_are_told_by_the_page_each_once(talk: Talk, user: UserId | None) -> None:
    told = [f"s{number:02}" for number in range(23)]
    for name in told:
        talk.say(name, "t1", f"I am in {name}.", "ada" if user else f"u{name}")
    found, cursor = list[str](), ""
    while True:
        page = sessions(talk.fresh(), PLACE, user, cursor, 5)
        found += names(page)
        assert len(page.listed) == 5 or page.next is None
        if page.next is None:
            break
        cursor = page.next

    assert found == told[::-1]


def test_a_page_opens_no_more_logs_than_may_hold_its_conversations(talk: Talk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(listing, "AT_ONCE", 2)
    for number in range(12):
        talk.say(f"s{number:02}", "t1", "Hello.", f"u{number:02}")
    services = talk.fresh()
    opened = list[str]()
    refresh = services.log.refresh

    def noted(tenant: Tenant, project: Project, owner: str) -> None:
        opened.append(owner)
        refresh(tenant, project, owner)

    monkeypatch.setattr(services.log, "refresh", noted)

    assert names(sessions(services, PLACE, None, "", 3)) == ["s11", "s10", "s09"]

    assert len(opened) <= 6


def test_a_conversation_that_went_on_in_another_log_is_whole_though_that_is_old(
    talk: Talk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(listing, "AT_ONCE", 1)
    talk.say("shared", "t1", "I began it.", "ada")
    for number in range(5):
        talk.say(f"s{number}", "t1", "Hello.", f"u{number}")
    talk.say("shared", "t2", "I go on.", "eve")

    first = sessions(talk.fresh(), PLACE, None, "", 1).listed[0]

    assert (first.session_id, first.turns, first.users, first.opening) == ("shared", 2, ("ada", "eve"), "I began it.")


def test_a_project_with_too_many_logs_asks_for_a_user(talk: Talk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(listing, "MOST_LOGS", 2)
    for user in ("ada", "eve", "lin"):
        talk.say(f"of-{user}", "t1", "Hello.", user)

    with pytest.raises(InvalidArgument, match="user_id"):
        sessions(talk.services, PLACE, None, "", 10)

    assert names(sessions(talk.services, PLACE, ADA, "", 10)) == ["of-ada"]


def test_what_is_no_cursor_is_refused(talk: Talk) -> None:
    with pytest.raises(InvalidArgument, match="cursor"):
        sessions(talk.services, PLACE, ADA, "nonsense", 10)


def test_conversations_in_segments_are_listed_like_those_behind_them(talk: Talk) -> None:
    talk.say("old", "t1", "The first words.")
    for number in range(ENTRIES):
        talk.say("long", f"t{number}", f"Turn {number}.")
    talk.services.indexer.run(TENANT, GARDEN, "u:ada")
    talk.say("old", "t2", "The last words.")

    newest, other = sessions(talk.fresh(), PLACE, ADA, "", 10).listed

    assert (newest.session_id, newest.turns, newest.opening) == ("old", 2, "The first words.")
    assert (other.session_id, other.turns) == ("long", ENTRIES)


def test_users_are_listed_by_name_with_their_newest_moment(talk: Talk) -> None:
    for user in ("eve", "ada", "lin"):
        talk.say(f"of-{user}", "t1", "Hello.", user)
    talk.say("nobody", "t1", "Hello.", None)

    first = users(talk.fresh(), PLACE, (), "", 2)
    rest = users(talk.fresh(), PLACE, (), first.next or "", 2)

    assert [each.user_id for each in (*first.listed, *rest.listed)] == ["ada", "eve", "lin"]
    assert rest.next is None
    assert rest.listed[0].newest <= talk.clock.now()
    assert first.listed[1].newest < first.listed[0].newest < rest.listed[0].newest


def test_a_caller_bound_to_users_is_told_of_these_alone(talk: Talk) -> None:
    for user in ("eve", "ada"):
        talk.say(f"of-{user}", "t1", "Hello.", user)
    talk.say("of-eve", "t1", "Hello.", "eve", project="orchard")

    told = users(talk.fresh(), PLACE, (ADA, UserId("nobody")), "", 10)

    assert [each.user_id for each in told.listed] == ["ada"]
    assert projects(talk.fresh(), caller("*", users=("ada",)), "", 10).listed == ("garden",)
    assert projects(talk.fresh(), caller("garden", "orchard", users=("ada",)), "", 10).listed == ("garden",)


def test_projects_are_listed_by_name_as_far_as_the_caller_may_use_them(talk: Talk) -> None:
    for project in ("shop.eu", "garden", "shop.us", "orchard"):
        talk.say("s", "t1", "Hello.", project=project)

    def listed(*patterns: str, after: str = "", limit: int = 10) -> tuple[str, ...]:
        return projects(talk.fresh(), caller(*patterns), after, limit).listed

    assert listed("*") == ("garden", "orchard", "shop.eu", "shop.us")
    assert listed("shop.*") == ("shop.eu", "shop.us")
    assert listed("shop.*", "garden") == ("garden", "shop.eu", "shop.us")
    assert listed("*.us") == ("shop.us",)
    assert listed("orchard", "empty") == ("orchard",)
    assert listed("*", limit=3) == ("garden", "orchard", "shop.eu")
    assert listed("*", after="orchard", limit=3) == ("shop.eu", "shop.us")
    assert listed("orchard", "garden", after="garden") == ("orchard",)


def test_a_project_is_listed_from_its_first_memory_on_too(talk: Talk) -> None:
    talk.keep("monday", "Beans like sun.")

    assert projects(talk.fresh(), caller("*"), "", 10).listed == ("garden",)


def test_what_is_known_of_a_user_says_when_and_where_it_was_said(talk: Talk) -> None:
    talk.say("monday", "t1", "I live in Oslo.")
    first = talk.clock.now()
    talk.say("tuesday", "u1", "I moved to Bergen.")
    talk.say("tuesday", "u2", "I like figs.")
    talk.say("tuesday", "u3", "I like figs.")
    talk.say("hers", "t1", "I live in Rome.", "eve")
    kept, gone = talk.keep("monday", "She likes beans."), talk.keep("monday", "She hates figs.")
    forget(talk.services, talk.session("monday"), ForgetRequest(id=gone.id, user_id=ADA))

    found = known(talk.fresh(), PLACE, ADA, 10)

    like, home = found.facts
    assert (home.fact.value, home.session_id, home.fact.source.turn_id) == ("Bergen", "tuesday", "u1")
    assert like.fact.last_seen - like.fact.valid_from == timedelta(minutes=1)
    assert home.fact.valid_from == first + timedelta(minutes=1)
    assert [each.memory.id for each in found.memories] == [kept.id]
    assert found.more == 0
    assert known(talk.fresh(), PLACE, UserId("nobody"), 10).facts == ()


@pytest.mark.req("R287")
def test_what_is_known_everywhere_is_listed_in_each_project_and_names_no_session_of_another(talk: Talk) -> None:
    talk.say("monday", "t1", "I live in Oslo. I like figs.")
    talk.say("friday", "b1", "My name is Ada. I like plums.", project="shop")
    note = Note(content="Answer in German.", scope="user_everywhere", user_id=ADA)
    rule, here = remember(talk.services, talk.session("friday", "shop"), note), talk.keep("monday", "Beans like sun.")

    def told(project: str, user: str = "ada", tenant: str = "acme") -> list[tuple[str, str, bool]]:
        found = known(talk.fresh(), Place(Tenant(tenant), Project(project)), UserId(user), 10)
        facts = [(each.fact.value, each.session_id, each.everywhere) for each in found.facts]
        return [*facts, *((each.memory.id, each.session_id, each.everywhere) for each in found.memories)]

    assert told("garden") == [
        *(("Ada", "", True), ("Oslo", "monday", True), ("figs", "monday", False)),
        *((here.id, "monday", False), (rule.id, "", True)),
    ]
    assert told("shop") == [
        *(("Ada", "friday", True), ("plums", "friday", False), ("Oslo", "", True)),
        (rule.id, "friday", True),
    ]
    assert told("default") == [("Ada", "", True), ("Oslo", "", True), (rule.id, "", True)]
    assert told("garden", "eve") == told("garden", tenant="rival") == []


@pytest.mark.req("R287")
def test_what_a_project_holds_from_before_is_known_until_something_is_said_of_it_anywhere(talk: Talk) -> None:
    now, talk.services = talk.services, services_over(talk.adapters, MemorySettings(across_projects=False))
    talk.say("monday", "t1", "I live in Oslo.")
    talk.say("monday", "t2", "My name is Ada.")
    talk.services = now
    talk.say("friday", "b1", "I moved to Bergen.", project="shop")

    told = [(each.fact.value, each.everywhere) for each in known(talk.fresh(), PLACE, ADA, 10).facts]
    assert told == [("Bergen", True), ("Ada", False)]
    off = services_over(talk.adapters, MemorySettings(across_projects=False))
    assert [each.fact.value for each in known(off, PLACE, ADA, 10).facts] == ["Ada", "Oslo"]


def test_what_does_not_fit_is_counted(talk: Talk) -> None:
    for text in ("I live in Oslo.", "My name is Ada.", "I like figs."):
        talk.say("monday", text, text)

    found = known(talk.fresh(), PLACE, ADA, 2)

    assert (len(found.facts), found.more) == (2, 1)


@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize("limit", [1, 2, 3, 5, 100])
def test_items_are_told_by_whole_turns_from_either_end(talk: Talk, limit: int, *, packed: bool) -> None:
    for number in range(9):
        talk.say("monday", f"t{number}", f"Turn {number}.")
    session = talk.session("monday")
    if packed:
        talk.clock.sleep(timedelta(days=9).total_seconds())
        tidy = services_over(talk.adapters, MemorySettings(recent_context_items=4))
        assert tidy.maintenance.run(session).archived_shards > 0
    everything = [(number + 1, role) for number in range(9) for role in ("user", "assistant")]

    services, found, back, cursor, before = talk.fresh(), list[tuple[int, str]](), list[tuple[int, str]](), 0, None
    while True:
        page = items(services, session, cursor, limit)
        found += [(each.turn, each.item["role"]) for each in page.listed]
        if page.next is None:
            break
        cursor = int(page.next)
    while True:
        page = newest_items(services, session, before, limit)
        back = [*((each.turn, each.item["role"]) for each in page.listed), *back]
        if page.next is None:
            break
        before = int(page.next)

    assert found == back == everything


def test_a_conversation_that_is_not_there_has_no_items(talk: Talk) -> None:
    assert items(talk.services, talk.session("nowhere"), 0, 10) == Page(())
    assert newest_items(talk.services, talk.session("nowhere"), None, 10) == Page(())


def test_each_list_takes_few_round_trips(talk: Talk) -> None:
    for number in range(40):
        talk.say(f"s{number % 20}", f"t{number}", "I like figs.", f"u{number % 5}")
        talk.say("s", "t1", "Hello.", project=f"p{number % 9}")
    meter = Meter()
    adapters = talk.adapters
    counted = replace(
        adapters,
        table=MeteredTable(adapters.table, meter),
        blobs=MeteredBlobs(adapters.blobs, meter),
        keys=MeteredKeys(adapters.keys, meter),
        parallel=meter,
    )
    services = services_over(counted)
    services.vault.prepare(TENANT)

    def rounds(call: object) -> int:
        before = meter.rounds
        assert callable(call)
        call()
        return meter.rounds - before

    assert rounds(lambda: projects(services, caller("*"), "", 100)) == 2
    assert rounds(lambda: users(services, PLACE, (), "", 100)) == 2
    assert rounds(lambda: sessions(services, PLACE, UserId("u1"), "", 100)) == 1
    assert rounds(lambda: known(services, PLACE, UserId("u1"), 100)) == 1
    assert rounds(lambda: sessions(services, PLACE, None, "", 100)) <= 4
    assert rounds(lambda: items(services, talk.session("s1"), 0, 100)) <= 3
    assert rounds(lambda: newest_items(services, talk.session("s1"), None, 2)) == 1
