"""What a taken back turn taught across projects is gone from all of them, and what it ended there holds again."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace
from typing import Any

import pytest

from cairn.ground.adapters import Adapters
from cairn.ground.errors import ResourceBusy, Unavailable
from cairn.ground.ids import Project, TurnId, UserId
from cairn.ground.jobs import IndexLog, decoded, encoded
from cairn.ground.paging import every
from cairn.ground.settings import MemorySettings
from cairn.ground.table import Key, Query
from cairn.log.layout import log_pk
from cairn.log.manifest import ENTRIES
from cairn.overview.known import known
from cairn.overview.model import Place
from cairn.process.system import in_turn
from cairn.services import Services
from cairn.sessions.head import stored_head
from cairn.sessions.layout import session_pk
from cairn.turns.take_back import take_back
from support.faults import FaultyBlobs, FaultyStore, Stopped, killed_after, killed_before, refused, unacknowledged
from support.memory_store import MemoryBlobs, MemoryTable, copied
from support.overview import GARDEN, TENANT, Talk
from support.services import services_over

ADA, PROJECTS = UserId("ada"), ("garden", "shop", "third")
ACROSS = log_pk(TENANT, GARDEN, "~u:ada")
pytestmark = [pytest.mark.req("R295"), pytest.mark.req("R287")]


@pytest.fixture
def talk(adapters: Adapters) -> Talk:
    return Talk(replace(adapters, table=MemoryTable(), blobs=MemoryBlobs(), parallel=in_turn))


def homes(services: Services, user: UserId = ADA) -> list[str]:
    """Return where the user lives, as each project believes."""
    return [
        ", ".join(each.fact.value for each in known(services, Place(TENANT, Project(project)), user, 100).facts)
        for project in PROJECTS
    ]


def moved(talk: Talk) -> None:
    talk.say("friday", "b1", "I live in Oslo.", project="shop")
    talk.say("monday", "t1", "The shed is red.")
    talk.say("monday", "t2", "I moved to Bergen.")


def undo(services: Services, talk: Talk, turn: str = "t2") -> Any:
    return take_back(services, talk.session("monday"), TurnId(turn))


def newest_across(talk: Talk) -> str:
    head = stored_head(talk.adapters.table, talk.session("monday"))
    assert head is not None
    return head.across


def entries(talk: Talk) -> list[str]:
    return [Key.of(item).sk for item in every(talk.adapters.table, Query(ACROSS, "m#", "m#~"))]


def stored(adapters: Adapters, talk: Talk) -> dict[str, Any]:
    """Return what stays of the session and of the user's logs, with what the head says of that across projects."""
    pks = (session_pk(talk.session("monday")), log_pk(TENANT, GARDEN, "u:ada"), ACROSS)
    items = [item for pk in pks for item in every(adapters.table, Query(pk, "\x01", "\U0010ffff"))]
    kept = [item for item in items if not str(item["sk"]).startswith(("turn#", "m~"))]
    return {f"{item['pk']} {item['sk']}": item.get("across", item.get("seq")) for item in kept}


def test_all_projects_believe_again_what_was_told_in_another(talk: Talk) -> None:
    moved(talk)
    warm = talk.fresh()
    assert homes(warm) == ["Bergen"] * 3

    done = undo(talk.services, talk)

    assert (done.items, done.retracted, done.repeated) == (2, 1, False)
    for process in (warm, talk.services, talk.fresh()):
        assert homes(process) == ["Oslo"] * 3
    assert undo(talk.fresh(), talk).repeated
    assert homes(talk.fresh()) == ["Oslo"] * 3


def test_what_a_project_held_from_before_and_the_turn_hid_is_believed_there_again(talk: Talk) -> None:
    now, talk.services = talk.services, services_over(talk.adapters, MemorySettings(across_projects=False))
    talk.say("friday", "b1", "I live in Oslo.", project="shop")
    talk.say("monday", "t1", "I live in Rome.")
    talk.services = now
    talk.say("monday", "t2", "I moved to Bergen.")
    assert homes(talk.fresh()) == ["Bergen"] * 3

    undo(talk.services, talk)

    assert homes(talk.fresh()) == ["Rome", "Oslo", ""]


def test_an_end_that_was_said_of_all_projects_is_taken_back(talk: Talk) -> None:
    talk.say("friday", "b1", "I live in Oslo.", project="shop")
    talk.say("monday", "t2", "I no longer live in Oslo.")
    assert homes(talk.fresh()) == [""] * 3

    done = undo(talk.services, talk)

    assert (done.retracted, done.believed_again) == (0, 1)
    assert homes(talk.fresh()) == ["Oslo"] * 3


def test_a_turn_in_a_segment_of_the_log_across_projects_leaves_it_too(talk: Talk) -> None:
    moved(talk)
    for number in range(ENTRIES):
        talk.say("sunday", f"s{number}", f"My name is Ada{number}.", project="shop")
    talk.services.indexer.run(TENANT, GARDEN, "~u:ada")
    warm = talk.fresh()
    assert "Bergen" in homes(warm)[2]

    undo(talk.services, talk)

    for process in (warm, talk.fresh()):
        assert all("Oslo" in each and "Bergen" not in each for each in homes(process))
    talk.services.indexer.run(TENANT, GARDEN, "~u:ada")
    assert "Oslo" in homes(talk.fresh())[2]


def test_the_head_names_what_is_left_across_projects_and_nothing_where_nothing_is(talk: Talk) -> None:
    talk.say("monday", "t1", "My name is Ada.")
    talk.say("friday", "b1", "I live in Oslo.", project="shop")
    talk.say("monday", "t2", "I moved to Bergen.")
    first, second, third = entries(talk)
    assert newest_across(talk) == third

    undo(talk.services, talk)
    assert (newest_across(talk), entries(talk)) == (second, [first, second])
    talk.say("monday", "t3", "The shed is red.")
    undo(talk.services, talk, "t3")
    assert newest_across(talk) == second
    undo(talk.services, talk, "t1")

    assert (newest_across(talk), entries(talk)) == ("", [second])
    assert homes(talk.fresh()) == ["Oslo"] * 3


def test_in_a_session_of_two_users_the_head_stays_as_new_as_what_the_other_said(talk: Talk) -> None:
    talk.say("monday", "t0", "I live in Rome.", "eve")
    moved(talk)
    newest = newest_across(talk)

    undo(talk.services, talk)

    assert newest_across(talk) == newest
    assert homes(talk.fresh(), UserId("eve")) == ["Rome"] * 3
    assert homes(talk.fresh()) == ["Oslo"] * 3


def test_a_turn_of_another_session_of_that_name_and_number_stays(talk: Talk) -> None:
    talk.say("monday", "t1", "My name is Ada.")
    talk.say("monday", "t1", "I live in Oslo.", project="shop")

    undo(talk.services, talk, "t1")

    assert homes(talk.fresh()) == ["Oslo"] * 3


def test_with_the_setting_off_since_it_is_taken_back_across_projects_too(talk: Talk) -> None:
    moved(talk)

    undo(services_over(talk.adapters, MemorySettings(across_projects=False)), talk)

    assert homes(talk.fresh()) == ["Oslo"] * 3


def test_both_logs_are_asked_to_be_indexed(talk: Talk, monkeypatch: pytest.MonkeyPatch) -> None:
    moved(talk)
    jobs = list[Any]()
    monkeypatch.setattr(talk.adapters.jobs, "send", jobs.extend)

    undo(talk.services, talk)

    assert [decoded(encoded(each)) for each in jobs] == [
        IndexLog(TENANT, GARDEN, owner) for owner in ("u:ada", "~u:ada")
    ]


def test_a_turn_that_waited_for_the_session_believes_nothing_that_was_taken_back_meanwhile(
    talk: Talk, monkeypatch: pytest.MonkeyPatch
) -> None:
    moved(talk)
    late, other = talk.fresh(), talk.fresh()
    try_lease, lease = late.sessions.try_lease, late.sessions.lease

    def no_lease(*_: object) -> None:
        return None

    def after_another(*asked: Any) -> Any:
        undo(other, talk)
        monkeypatch.setattr(late.sessions, "try_lease", try_lease)
        return lease(*asked)

    monkeypatch.setattr(late.sessions, "try_lease", no_lease)
    monkeypatch.setattr(late.sessions, "lease", after_another)
    talk.services = late
    talk.say("monday", "t3", "I moved to Bergen.")

    assert homes(talk.fresh()) == ["Bergen"] * 3


@pytest.mark.parametrize("fault", [refused, unacknowledged, killed_before, killed_after])
def test_whatever_call_of_the_store_fails_both_logs_change_or_neither(
    talk: Talk, fault: Callable[[Callable[[], object]], object]
) -> None:
    moved(talk)
    whole = stored(talk.adapters, talk)
    adapters = copied(talk.adapters)
    undo(services_over(adapters), talk)
    left = stored(adapters, talk)
    assert len(left) < len(whole)
    for at in _numbers(talk):
        adapters = copied(talk.adapters)
        store = FaultyStore(adapters, at, fault)
        faulty: Any = replace(adapters, table=store, blobs=FaultyBlobs(adapters, store))
        with suppress(Unavailable, ResourceBusy, Stopped):
            undo(services_over(faulty), talk)
        assert stored(adapters, talk) in (left, whole), at
        talk.clock.sleep(120)

        undo(services_over(adapters), talk)

        assert stored(adapters, talk) == left, at
        assert homes(services_over(adapters)) == ["Oslo"] * 3, at


def _numbers(talk: Talk) -> Iterator[int]:
    adapters = copied(talk.adapters)
    counting = FaultyStore(adapters, 0, refused)
    whole: Any = replace(adapters, table=counting, blobs=FaultyBlobs(adapters, counting))
    undo(services_over(whole), talk)
    assert counting.calls > 9
    yield from range(1, counting.calls + 1)
