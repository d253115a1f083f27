"""The newest turn is taken back: what it said and taught is gone, what it ended holds again, once and for all."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace
from random import Random
from typing import Any

import pytest

from cairn.ground.adapters import Adapters
from cairn.ground.errors import Conflict, NotFound, ResourceBusy, Unavailable
from cairn.ground.ids import TurnId, UserId
from cairn.ground.paging import every
from cairn.ground.settings import MemorySettings
from cairn.ground.table import Query
from cairn.log.layout import log_pk
from cairn.log.manifest import ENTRIES
from cairn.overview.items import items
from cairn.overview.known import known
from cairn.overview.sessions import sessions
from cairn.process.system import in_turn
from cairn.services import Services
from cairn.sessions.layout import session_pk
from cairn.turns.before_turn import prepare
from cairn.turns.model import Preparation
from cairn.turns.take_back import TakenBack, take_back
from support.faults import FaultyBlobs, FaultyStore, Stopped, killed_after, killed_before, refused, unacknowledged
from support.memory_store import MemoryBlobs, MemoryTable, copied
from support.overview import GARDEN, PLACE, TENANT, Talk
from support.services import services_over

ADA = UserId("ada")
pytestmark = pytest.mark.req("R295")


@pytest.fixture
def talk(adapters: Adapters) -> Talk:
    return Talk(replace(adapters, table=MemoryTable(), blobs=MemoryBlobs(), parallel=in_turn))


def believed(services: Services) -> dict[str, str]:
    return {each.fact.fact_id: each.fact.value for each in known(services, PLACE, ADA, 100).facts}


def said(services: Services, talk: Talk, session: str = "monday") -> list[str]:
    return [each.turn_id for each in items(services, talk.session(session), 0, 100).listed[::2]]


def stored(services: Services, talk: Talk) -> dict[str, Any]:
    """Return what stays of a session and of the user's logs, but for what tells of changes and times."""
    kept: dict[str, Any] = {}
    for pk in (session_pk(talk.session("monday")), log_pk(TENANT, GARDEN, "u:ada"), log_pk(TENANT, GARDEN, "~u:ada")):
        for item in every(services.adapters.table, Query(pk, "\x01", "\U0010ffff")):
            kept[f"{pk} {item['sk']}"] = item["sk"]
    return {name: sk for name, sk in kept.items() if not sk.startswith(("turn#", "m~"))}


def test_what_a_turn_taught_is_retracted_and_what_it_ended_is_believed_again(talk: Talk) -> None:
    talk.say("monday", "t1", "I live in Oslo.")
    before = believed(talk.services)
    talk.say("monday", "t2", "I moved to Bergen. My name is Ada.")
    assert believed(talk.services)["user_home"] == "Bergen"

    done = take_back(talk.services, talk.session("monday"), TurnId("t2"))

    assert (done.items, done.retracted, done.believed_again, done.repeated) == (2, 2, 1, False)
    for process in (talk.services, talk.fresh()):
        assert believed(process) == before
        assert said(process, talk) == ["t1"]


def test_what_was_said_is_neither_recalled_nor_told_to_the_model_again(talk: Talk) -> None:
    talk.say("monday", "t1", "I live in Oslo.")
    warm = talk.fresh()
    talk.say("monday", "t2", "The heronbird moved in.")
    asked = Preparation(current=({"role": "user", "content": "Where is the heronbird?"},), user_id=ADA)
    assert "heronbird moved" in str(prepare(warm, talk.session("monday"), asked).items)

    take_back(talk.services, talk.session("monday"), TurnId("t2"))

    for process in (warm, talk.services, talk.fresh()):
        assert "heronbird moved" not in str(prepare(process, talk.session("monday"), asked).items)


def test_taking_back_again_answers_the_same_and_changes_nothing(talk: Talk) -> None:
    talk.say("monday", "t1", "I live in Oslo.")
    talk.say("monday", "t2", "I moved to Bergen.")
    session = talk.session("monday")
    take_back(talk.services, session, TurnId("t2"))
    after = stored(talk.services, talk)

    assert take_back(talk.fresh(), session, TurnId("t2")) == TakenBack(repeated=True)

    assert stored(talk.services, talk) == after
    assert said(talk.services, talk) == ["t1"]


def test_a_late_retry_of_the_turn_does_not_bring_it_back(talk: Talk) -> None:
    talk.say("monday", "t1", "I live in Oslo.")
    take_back(talk.services, talk.session("monday"), TurnId("t1"))

    for text in ("I live in Oslo.", "I live in Rome."):
        with pytest.raises(Conflict, match="taken back"):
            talk.say("monday", "t1", text)

    assert said(talk.services, talk) == []
    assert talk.say("monday", "t1b", "I live in Rome.").facts_written == 1
    assert believed(talk.fresh()) == {"user_home": "Rome"}


def test_turns_are_taken_back_one_after_another_down_to_the_first(talk: Talk) -> None:
    for number in range(4):
        talk.say("monday", f"t{number}", f"I live in Oslo {number}.")
    session = talk.session("monday")
    for number in reversed(range(4)):
        take_back(talk.services, session, TurnId(f"t{number}"))
        assert said(talk.fresh(), talk) == [f"t{each}" for each in range(number)]

    assert believed(talk.fresh()) == {}
    assert sessions(talk.fresh(), PLACE, ADA, "", 10).listed == ()
    talk.say("monday", "t9", "I live in Rome.")
    assert said(talk.fresh(), talk) == ["t9"]


def test_only_the_newest_turn_is_taken_back(talk: Talk) -> None:
    talk.say("monday", "t1", "I live in Oslo.")
    talk.say("monday", "t2", "I like figs.")
    session = talk.session("monday")

    with pytest.raises(Conflict, match="only the newest"):
        take_back(talk.services, session, TurnId("t1"))
    with pytest.raises(NotFound):
        take_back(talk.services, session, TurnId("t7"))
    with pytest.raises(NotFound):
        take_back(talk.services, talk.session("tuesday"), TurnId("t1"))

    assert said(talk.services, talk) == ["t1", "t2"]
    assert list(every(talk.adapters.table, Query(session_pk(talk.session("tuesday")), "\x01", "\U0010ffff"))) == []


def test_what_was_said_in_other_sessions_since_stays(talk: Talk) -> None:
    talk.say("monday", "t1", "I live in Oslo.")
    talk.say("tuesday", "u1", "I moved to Bergen.")
    talk.say("tuesday", "u2", "I like figs.")
    kept = talk.keep("monday", "Ada likes the north bed.")

    take_back(talk.services, talk.session("monday"), TurnId("t1"))

    for process in (talk.services, talk.fresh()):
        found = known(process, PLACE, ADA, 100)
        assert {each.fact.value for each in found.facts} == {"Bergen", "figs"}
        assert [each.memory.id for each in found.memories] == [kept.id]
        assert said(process, talk, "tuesday") == ["u1", "u2"]


def test_a_turn_that_is_in_a_segment_leaves_it_too(talk: Talk) -> None:
    talk.say("monday", "t1", "The heronbird moved in. I live in Oslo.")
    for number in range(ENTRIES):
        talk.say("tuesday", f"u{number}", f"Today I saw {number} figs.")
    talk.services.indexer.run(TENANT, GARDEN, "u:ada")
    warm = talk.fresh()
    assert believed(warm) == {"user_home": "Oslo"}

    take_back(talk.services, talk.session("monday"), TurnId("t1"))

    for process in (warm, talk.fresh()):
        assert believed(process) == {}
        assert [each.session_id for each in sessions(process, PLACE, ADA, "", 10).listed] == ["tuesday"]
    talk.services.indexer.run(TENANT, GARDEN, "u:ada")
    assert believed(talk.fresh()) == {}


def test_a_summary_that_tells_of_the_turn_goes_with_it(talk: Talk) -> None:
    small = services_over(talk.adapters, MemorySettings(recent_context_items=2, compact_threshold=0.01))
    for number in range(6):
        talk.say("monday", f"t{number}", f"The heronbird sings {number} times. " * 20)
    asked = Preparation(current=({"role": "user", "content": "Hello"},), user_id=ADA, max_input_tok=400)
    assert prepare(small, talk.session("monday"), asked).compacted
    for number in reversed(range(6)):
        take_back(talk.services, talk.session("monday"), TurnId(f"t{number}"))

    assert talk.fresh().sessions.summary(talk.session("monday")) is None
    assert "heronbird" not in str(prepare(talk.fresh(), talk.session("monday"), asked).items)


def test_a_turn_whose_contents_are_blobs_leaves_none_behind(talk: Talk) -> None:
    talk.say("monday", "t1", "I live in Oslo.")
    blobs: Any = talk.adapters.blobs
    talk.say("monday", "t2", Random(7).randbytes(60_000).hex())  # noqa: S311 - has to be repeatable
    assert blobs.blobs

    take_back(talk.services, talk.session("monday"), TurnId("t2"))

    assert blobs.blobs == {}
    assert said(talk.fresh(), talk) == ["t1"]


def test_a_caller_that_holds_the_session_is_waited_for(talk: Talk) -> None:
    talk.say("monday", "t1", "I live in Oslo.")
    session = talk.session("monday")
    assert talk.fresh().sessions.try_lease(session, "somebody", 60) is not None

    with pytest.raises(ResourceBusy):
        take_back(talk.services, session, TurnId("t1"))

    assert said(talk.fresh(), talk) == ["t1"]


@pytest.mark.parametrize("fault", [refused, unacknowledged, killed_before, killed_after])
def test_whatever_call_of_the_store_fails_all_of_it_is_taken_back_in_the_end_or_nothing(
    talk: Talk, fault: Callable[[Callable[[], object]], object]
) -> None:
    talk.say("monday", "t1", "I live in Oslo.")
    before = stored(talk.services, talk)
    talk.say("monday", "t2", "I moved to Bergen.")
    whole = stored(talk.services, talk)
    for at in _numbers(talk):
        adapters = copied(talk.adapters)
        store = FaultyStore(adapters, at, fault)
        faulty: Any = replace(adapters, table=store, blobs=FaultyBlobs(adapters, store))
        with suppress(Unavailable, ResourceBusy, Stopped):
            take_back(services_over(faulty), talk.session("monday"), TurnId("t2"))
        sound = services_over(adapters)
        assert stored(sound, talk) in (before, whole), at
        talk.clock.sleep(120)

        take_back(sound, talk.session("monday"), TurnId("t2"))

        assert stored(sound, talk) == before, at
        assert believed(services_over(adapters)) == {"user_home": "Oslo"}, at


def _numbers(talk: Talk) -> Iterator[int]:
    adapters = copied(talk.adapters)
    counting = FaultyStore(adapters, 0, refused)
    whole: Any = replace(adapters, table=counting, blobs=FaultyBlobs(adapters, counting))
    take_back(services_over(whole), talk.session("monday"), TurnId("t2"))
    assert counting.calls > 7
    yield from range(1, counting.calls + 1)
