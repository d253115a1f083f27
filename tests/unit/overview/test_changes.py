"""What changed in memory is told from the logs: how each fact and memory came to be, was replaced, and ended."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from datetime import date, timedelta
from random import Random
from typing import Any

import pytest

from cairn.ground.adapters import Adapters
from cairn.ground.errors import InvalidArgument
from cairn.ground.ids import SessionId, TurnId, UserId
from cairn.ground.settings import MemorySettings
from cairn.ground.table import Put, Query, prefix_range
from cairn.ground.trust import Trust
from cairn.log.layout import log_pk, log_sk
from cairn.log.manifest import ENTRIES
from cairn.memories.forget import forget
from cairn.memories.model import ForgetRequest
from cairn.overview.changes import Wanted, changes
from cairn.overview.days import days
from cairn.overview.known import known
from cairn.overview.model import Change, Days, Place
from cairn.process.system import in_turn
from cairn.services import Services
from cairn.turns.take_back import take_back
from support.overview import GARDEN, PLACE, TENANT, Talk
from support.services import services_over

ADA = UserId("ada")
KINDS = ("learnt", "replaced", "forgotten", "ended", "kept")
pytestmark = pytest.mark.req("R295")


@pytest.fixture
def talk(adapters: Adapters) -> Talk:
    return Talk(replace(adapters, parallel=in_turn))


def told(services: Services, where: Place = PLACE, limit: int = 100, **wanted: Any) -> list[Change]:
    """Return all changes, read by the page."""
    found, cursor = list[Change](), ""
    given: dict[str, Any] = {"user": ADA, **wanted}
    while True:
        page = changes(services, where, Wanted(**given), cursor, limit)
        found += page.listed
        assert len(page.listed) == limit or page.next is None
        if page.next is None:
            return found
        cursor = page.next


def story(found: list[Change]) -> list[tuple[str, str, str | None]]:
    return [(each.kind, each.value, each.was) for each in found]


def drop(talk: Talk, name: str, reason: str | None = None, session: str = "monday", new: str | None = None) -> None:
    talk.clock.sleep(60)
    asked = ForgetRequest(id=name, user_id=ADA, reason=reason, replacement_id=new, trust=Trust.USER)
    forget(talk.services, talk.session(session), asked)


def counted(found: Days) -> Counter[tuple[date, str]]:
    rows = ((each.day, kind, getattr(each, kind)) for each in found.days for kind in KINDS)
    return Counter({(day, kind): count for day, kind, count in rows if count})


def test_a_value_that_another_took_the_place_of_says_so_and_the_other_says_what_it_replaced(talk: Talk) -> None:
    talk.say("monday", "t1", "I live in Oslo.")
    first = talk.clock.now()
    talk.say("monday", "t2", "I moved to Bergen.")

    bergen, oslo = told(talk.fresh())

    assert (oslo.kind, oslo.value, oslo.was, oslo.by, oslo.believed) == ("learnt", "Oslo", None, bergen.id, False)
    assert (oslo.at, oslo.about, oslo.session_id, oslo.turn_id) == (first, "home", "monday", "t1")
    assert oslo.quote == "I live in Oslo"
    assert (bergen.kind, bergen.value, bergen.was, bergen.by) == ("replaced", "Bergen", "Oslo", None)
    assert bergen.believed
    assert bergen.at - oslo.at == timedelta(minutes=1)


def test_it_is_replaced_in_another_conversation_too_and_said_again_there_it_is_learnt_again(talk: Talk) -> None:
    talk.say("monday", "t1", "I live in Oslo.")
    talk.say("tuesday", "u1", "I live in Oslo.")
    talk.say("friday", "f1", "I moved to Bergen.")

    bergen, again, oslo = told(talk.fresh())

    assert story([bergen, again, oslo]) == [
        ("replaced", "Bergen", "Oslo"),
        ("learnt", "Oslo", None),
        ("learnt", "Oslo", None),
    ]
    assert (oslo.by, again.by, bergen.by) == (again.id, bergen.id, None)
    assert [each.session_id for each in (bergen, again, oslo)] == ["friday", "tuesday", "monday"]


def test_what_is_forgotten_says_why_and_what_is_there_instead(talk: Talk) -> None:
    talk.say("monday", "t1", "I like figs.")
    (figs,) = told(talk.services)
    kept = talk.keep("monday", "She grows plums.")
    drop(talk, figs.id, "It was a joke.", new=kept.id)

    gone, plums, learnt = told(talk.fresh())

    assert (gone.kind, gone.id, gone.value, gone.reason, gone.by) == (
        "forgotten",
        *(figs.id, "figs", "It was a joke.", kept.id),
    )
    assert (gone.session_id, gone.turn_id, gone.believed) == ("monday", "", False)
    assert (plums.kind, plums.about, plums.value, plums.believed) == ("kept", "fact", "She grows plums.", True)
    assert (learnt.kind, learnt.by, learnt.believed, learnt.reason) == ("learnt", kept.id, False, None)


def test_a_memory_is_kept_and_forgotten_and_its_session_is_named(talk: Talk) -> None:
    kept = talk.keep("monday", "Beans like sun.")
    drop(talk, kept.id, "They do not.", session="tuesday")
    other = talk.keep("tuesday", "Beans like shade.")

    rows = told(talk.fresh())

    assert [(each.kind, each.id, each.session_id, each.believed) for each in rows] == [
        ("kept", other.id, "tuesday", True),
        ("forgotten", kept.id, "tuesday", False),
        ("kept", kept.id, "monday", False),
    ]
    assert [each.reason for each in rows] == [None, "They do not.", None]


def test_what_is_taken_back_by_what_is_said_ends(talk: Talk) -> None:
    talk.say("monday", "t1", "I like figs.")
    talk.say("tuesday", "u1", "I no longer like figs.")
    talk.say("tuesday", "u2", "I like figs.")

    again, ended, first = told(talk.fresh())

    assert story([again, ended, first]) == [
        ("learnt", "figs", None),
        ("ended", "figs", None),
        ("learnt", "figs", None),
    ]
    assert (ended.id, ended.session_id, first.by, first.believed) == (first.id, "tuesday", None, False)
    assert again.believed


def test_what_several_conversations_said_ends_once_where_one_takes_it_back(talk: Talk) -> None:
    for session in ("sunday", "monday"):
        talk.say(session, "t1", "I like figs.")
    talk.say("sunday", "t2", "I no longer like figs.")

    assert [each.kind for each in told(talk.fresh())] == ["ended", "learnt", "learnt"]


def test_what_a_later_fact_says_in_other_words_ends_by_that_one(talk: Talk) -> None:
    talk.say("monday", "t1", "I like fig trees.")
    talk.say("monday", "t2", "I like the fig tree.")
    assert talk.services.maintenance.run(talk.session("monday")).merged_facts == 1

    ended, later, first = told(talk.fresh())

    assert (ended.kind, ended.id, ended.by, first.by) == ("ended", first.id, later.id, later.id)
    assert (later.kind, later.believed, first.believed) == ("learnt", True, False)
    for name in (first.id, later.id):
        assert told(talk.fresh(), memory_id=name) == [ended, later, first]


@pytest.mark.parametrize("is_swept", [False, True])
def test_what_lasts_only_so_long_ends_at_that_moment_whoever_notices_it(talk: Talk, *, is_swept: bool) -> None:
    talk.say("monday", "t1", "Today I need to buy milk.")
    day = talk.clock.now()
    assert [each.kind for each in told(talk.services)] == ["learnt"]
    talk.clock.sleep(timedelta(days=20).total_seconds())
    if is_swept:
        assert talk.services.maintenance.run(talk.session("monday")).expired_facts == 1

    for services in (talk.services, talk.fresh()):
        ended, learnt = told(services)
        assert (ended.kind, ended.id, learnt.kind, learnt.believed) == ("ended", learnt.id, "learnt", False)
        assert ended.at == (day + timedelta(days=2)).replace(hour=0, minute=0)
        assert ended.session_id == ""


@pytest.mark.parametrize("name", ["Oslo", "Bergen", "Rome"])
def test_a_lineage_is_the_same_from_whichever_of_its_values_it_is_asked(talk: Talk, name: str) -> None:
    for turn, text in enumerate(("I live in Oslo.", "I like figs.", "I moved to Bergen.", "I moved to Rome.")):
        talk.say("monday" if turn else "sunday", f"t{turn}", text)
    names = {each.value: each.id for each in told(talk.services)}

    rows = told(talk.fresh(), memory_id=names[name], limit=2)

    assert story(rows) == [("replaced", "Rome", "Bergen"), ("replaced", "Bergen", "Oslo"), ("learnt", "Oslo", None)]
    assert [each.believed for each in rows] == [True, False, False]


def test_a_lineage_leads_over_replacements_of_another_kind_both_ways(talk: Talk) -> None:
    talk.say("monday", "t1", "I like figs.")
    (figs,) = told(talk.services)
    second, third = talk.keep("monday", "She likes plums."), talk.keep("monday", "She likes pears.")
    drop(talk, figs.id, new=second.id)
    drop(talk, second.id, new=third.id)
    talk.keep("monday", "Something else.")

    for name in (figs.id, second.id, third.id):
        rows = told(talk.fresh(), memory_id=name)
        assert [(each.kind, each.id) for each in rows] == [
            *(("forgotten", second.id), ("forgotten", figs.id), ("kept", third.id), ("kept", second.id)),
            ("learnt", figs.id),
        ]
    assert told(talk.fresh(), memory_id="nothing") == []


def test_what_a_conversation_changed_is_what_it_taught_and_what_it_ended(talk: Talk) -> None:
    talk.say("monday", "t1", "I live in Oslo. I like figs.")
    talk.say("tuesday", "u1", "I moved to Bergen. I no longer like figs.")
    kept = talk.keep("tuesday", "Beans like sun.")

    of_monday = told(talk.fresh(), taught_in=SessionId("monday"))
    of_tuesday = told(talk.fresh(), taught_in=SessionId("tuesday"), limit=1)

    assert sorted(story(of_monday)) == [("learnt", "Oslo", None), ("learnt", "figs", None)]
    assert sorted(story(of_tuesday)) == [
        ("ended", "figs", None),
        ("kept", "Beans like sun.", None),
        ("replaced", "Bergen", "Oslo"),
    ]
    assert of_tuesday[0].id == kept.id
    assert told(talk.fresh(), taught_in=SessionId("friday")) == []


@pytest.mark.req("R287")
def test_a_change_in_another_project_of_what_holds_everywhere_is_told_and_names_no_session(talk: Talk) -> None:
    talk.say("monday", "t1", "I live in Oslo. I like figs.")
    talk.say("friday", "b1", "I moved to Bergen. I like plums.", project="shop")

    here = told(talk.fresh())
    there = told(talk.fresh(), Place(TENANT, talk.session("friday", "shop").project))

    bergen = next(each for each in here if each.value == "Bergen")
    assert (bergen.kind, bergen.was, bergen.everywhere, bergen.session_id) == ("replaced", "Oslo", True, "")
    assert sorted(each.value for each in here) == ["Bergen", "Oslo", "figs"]
    assert sorted((each.value, each.session_id) for each in there) == [
        *(("Bergen", "friday"), ("Oslo", ""), ("plums", "friday")),
    ]
    assert told(talk.fresh(), taught_in=SessionId("friday")) == []
    assert told(talk.fresh(), user=UserId("eve")) == []


@pytest.mark.req("R287")
@pytest.mark.parametrize("session", ["monday", "friday"])
def test_what_a_project_holds_from_before_is_replaced_by_what_is_said_anywhere(talk: Talk, session: str) -> None:
    now, talk.services = talk.services, services_over(talk.adapters, MemorySettings(across_projects=False))
    talk.say("monday", "t1", "I live in Oslo.")
    talk.say("monday", "t2", "My name is Ada.")
    talk.services = now
    talk.say(session, "b1", "I moved to Bergen.", project=GARDEN if session == "monday" else "shop")

    bergen, ada, oslo = told(talk.fresh())

    assert story([bergen, ada, oslo]) == [
        *(("replaced", "Bergen", "Oslo"), ("learnt", "Ada", None), ("learnt", "Oslo", None)),
    ]
    assert (bergen.everywhere, oslo.everywhere, oslo.by, oslo.believed) == (True, False, bergen.id, False)
    assert ada.believed
    for name in (oslo.id, bergen.id):
        assert told(talk.fresh(), memory_id=name) == [bergen, oslo]
    of_monday = [bergen, ada, oslo] if session == "monday" else [ada, oslo]
    assert told(talk.fresh(), taught_in=SessionId("monday")) == of_monday
    off = services_over(talk.adapters, MemorySettings(across_projects=False))
    assert "Bergen" not in {each.value for each in told(off)}
    assert days(talk.fresh(), PLACE, ADA, None, None).totals.facts == 2
    assert counted(days(talk.fresh(), PLACE, ADA, None, None)) == Counter(
        (each.at.date(), each.kind) for each in (bergen, ada, oslo)
    )


def test_a_turn_that_is_taken_back_leaves_no_change_behind(talk: Talk) -> None:
    talk.say("monday", "t1", "I live in Oslo.")
    talk.say("monday", "t2", "I moved to Bergen.")
    assert len(told(talk.services)) == 2
    take_back(talk.services, talk.session("monday"), TurnId("t2"))

    for services in (talk.services, talk.fresh()):
        (oslo,) = told(services)
        assert (oslo.value, oslo.by, oslo.believed) == ("Oslo", None, True)


@pytest.mark.parametrize("lost", [0, 1])
def test_a_damaged_entry_is_gone_round(talk: Talk, lost: int) -> None:
    talk.say("monday", "t1", "I like figs.")
    talk.say("monday", "t2", "I no longer like figs. I like plums.")
    talk.say("monday", "t3", "I like pears.")
    pk = log_pk(TENANT, GARDEN, "u:ada")
    entries = talk.adapters.table.query(Query(pk, *prefix_range(log_sk("")))).items
    talk.adapters.table.put(Put({**entries[lost], "data": bytes(40)}))

    rows = told(talk.fresh())

    whole = [("learnt", "pears", None), ("learnt", "plums", None), ("ended", "figs", None)]
    assert sorted(story(rows)) == sorted(whole if lost == 0 else [("learnt", "pears", None), ("learnt", "figs", None)])
    days(talk.fresh(), PLACE, ADA, None, None)


@pytest.mark.parametrize("limit", [1, 2, 3, 7])
def test_changes_are_told_by_the_page_each_once_also_where_some_came_meanwhile(talk: Talk, limit: int) -> None:
    for number in range(8):
        talk.say(f"s{number}", f"t{number}", f"I live in Town{number}. I like fruit{number}.")
    drop(talk, talk.keep("s1", "Beans like sun.").id)
    whole = told(talk.fresh())

    found, cursor = list[Change](), ""
    while True:
        page = changes(talk.services, PLACE, Wanted(ADA), cursor, limit)
        found += page.listed
        if page.next is None:
            break
        cursor = page.next
        talk.say("later", f"more-{len(found)}", f"I like more{len(found)}.")

    assert [(each.at, each.kind, each.id) for each in found] == [(each.at, each.kind, each.id) for each in whole]
    assert len({(each.kind, each.id) for each in found}) == len(found) == 18


@pytest.mark.parametrize("cursor", ["nonsense", "1 x y", " ", "1"])
def test_what_is_no_cursor_is_refused(talk: Talk, cursor: str) -> None:
    with pytest.raises(InvalidArgument, match="cursor"):
        changes(talk.services, PLACE, Wanted(ADA), cursor, 10)


def test_changes_in_segments_are_told_like_those_behind_them(talk: Talk) -> None:
    talk.say("old", "t1", "I live in Oslo.")
    kept = talk.keep("old", "Beans like sun.")
    warm = talk.fresh()
    for number in range(ENTRIES):
        talk.say("long", f"t{number}", f"I like fruit{number}.")
        told(warm, limit=100)
    drop(talk, kept.id)
    for owner in ("u:ada", "~u:ada"):
        talk.services.indexer.run(TENANT, GARDEN, owner)
    talk.say("old", "t2", "I moved to Bergen.")

    rows = told(talk.fresh())

    assert rows == told(warm) == told(talk.services)
    assert story(rows)[:2] == [("replaced", "Bergen", "Oslo"), ("forgotten", "Beans like sun.", None)]
    assert len(rows) == ENTRIES + 4
    assert days(talk.fresh(), PLACE, ADA, None, None) == days(warm, PLACE, ADA, None, None)


SAID: tuple[Callable[[Random], str], ...] = (
    lambda draw: f"I live in {draw.choice(('Oslo', 'Bergen', 'Rome'))}.",
    lambda draw: f"I moved to {draw.choice(('Oslo', 'Bergen', 'Rome'))}.",
    lambda draw: f"I {draw.choice(('', 'no longer '))}like {draw.choice(('figs', 'plums', 'pears'))}.",
    lambda draw: f"Today I need to buy {draw.choice(('milk', 'bread'))}.",
    lambda draw: f"My name is {draw.choice(('Ada', 'Eve'))}.",
    lambda draw: f"I {draw.choice(('no longer work', 'work'))} at {draw.choice(('Acme', 'Initech'))}.",
)


@pytest.mark.parametrize("seed", range(6))
def test_whatever_was_said_what_is_believed_by_its_changes_is_what_is_known_and_days_count_them(
    talk: Talk, seed: int
) -> None:
    draw = Random(seed)  # noqa: S311 - which story, no secret
    # A project holds some from before memory reached across projects.
    apart = draw.choice((0, 0, 8))
    warm = talk.fresh()
    for number in range(25):
        talk.services = services_over(talk.adapters, MemorySettings(across_projects=number >= apart))
        project, session = draw.choice((GARDEN, GARDEN, "shop")), draw.choice(("one", "two", "three"))
        talk.say(session, f"t{number}", draw.choice(SAID)(draw), project=project)
        if draw.random() < 0.3:
            talk.keep(session, f"Note {number}.")
        rows = told(talk.fresh(), limit=7)
        if rows and draw.random() < 0.3:
            live = draw.choice(rows)
            if live.believed:
                drop(talk, live.id, session=session)
        if draw.random() < 0.3:
            talk.clock.sleep(timedelta(days=1).total_seconds())
        if draw.random() < 0.2:
            talk.services.maintenance.run(talk.session(session))
        _agree(talk.fresh(), told(warm, limit=9))


def _left(rows: list[Change]) -> set[str]:
    """Return what is left where each change is made in turn."""
    left = dict[str, Change]()
    for each in reversed(rows):
        if each.kind in {"forgotten", "ended"}:
            left.pop(each.id, None)
        else:
            left = {name: other for name, other in left.items() if other.by != each.id} | {each.id: each}
    return set(left)


def _agree(services: Services, rows: list[Change]) -> None:
    assert rows == told(services)
    found = known(services, PLACE, ADA, 500)
    ids = [*(each.fact.id for each in found.facts), *(each.memory.id for each in found.memories)]
    assert sorted(ids) == sorted({each.id for each in rows if each.believed})
    assert sorted(ids) == sorted(_left(rows))
    told_days = days(services, PLACE, ADA, None, None)
    assert counted(told_days) == Counter((each.at.date(), each.kind) for each in rows)
    assert (told_days.totals.facts, told_days.totals.memories) == (len(found.facts), len(found.memories))
    assert len({(each.kind in {"forgotten", "ended"}, each.id) for each in rows}) == len(rows)
