"""Wherever a correction, a pin or an undo is stopped or left without an answer, doing it again does it exactly once."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import replace
from itertools import count
from threading import Barrier

import pytest

from cairn.conversation.items import message
from cairn.conversation.turns import Completion
from cairn.ground.adapters import Adapters
from cairn.ground.errors import CairnError, Conflict, Unavailable
from cairn.ground.ids import TurnId, UserId
from cairn.ground.paging import every
from cairn.ground.session import NO_SESSION
from cairn.ground.table import Query
from cairn.log.layout import log_pk
from cairn.memories.correct import correct
from cairn.memories.forget import forget
from cairn.memories.model import ForgetRequest, Note
from cairn.memories.pin import pin
from cairn.memories.remember import remember
from cairn.memories.restore import restore
from cairn.overview.known import known
from cairn.overview.model import Place
from cairn.process.system import SystemEntropy
from cairn.services import Services
from cairn.turns.after_turn import commit
from support.faults import FAULTS, FaultyBlobs, FaultyStore, Stopped
from support.services import services_over
from support.turns import SESSION

NewAdapters = Callable[[], Adapters]
Fault = Callable[[Callable[[], object]], object]
Known = list[tuple[str, bool]]
ADA = UserId("ada")
HERE = replace(SESSION, session_id=NO_SESSION)
FEWEST_CALLS = 4


def believed(adapters: Adapters) -> Known:
    """Return what is known of ada, and whether it is pinned, in a process that has read nothing yet."""
    found = known(services_over(adapters), Place(HERE.tenant, HERE.project), ADA, 100)
    facts = [(each.fact.value, each.fact.pinned) for each in found.facts]
    return sorted([*facts, *((each.memory.content, False) for each in found.memories)])


def on_record(adapters: Adapters) -> int:
    """Return how many facts and memories ada's logs hold, believed or not."""
    services, held = services_over(adapters), 0
    for owner in ("u:ada", "~u:ada"):
        for item in every(adapters.table, Query(log_pk(HERE.tenant, HERE.project, owner), "m#", "m#\U0010ffff")):
            entry = services.vault.unseal(HERE.tenant, item)
            held += len(entry["added"]) + len(entry["remembered"])
    return held


def say(adapters: Adapters, turn_id: str, text: str) -> None:
    told = Completion(turn_id=TurnId(turn_id), user_id=ADA, inputs=(message("user", text),), outputs=())
    commit(services_over(adapters), SESSION, told)


def told(adapters: Adapters) -> tuple[str, str]:
    """Have a fact learnt and a memory kept; return their ids."""
    say(adapters, "t1", "I live in Oslo.")
    services = services_over(adapters)
    kept = remember(services, HERE, Note(content="Beans go north.", scope="user", user_id=ADA)).id
    (fact,) = known(services, Place(HERE.tenant, HERE.project), ADA, 1).facts
    return fact.fact.id, kept


def correct_fact(services: Services, fact: str, _: str) -> object:
    return correct(services, HERE, ADA, fact, "Bergen")


def correct_memory(services: Services, _: str, memory: str) -> object:
    return correct(services, HERE, ADA, memory, "Beans go south.")


def pin_fact(services: Services, fact: str, _: str) -> object:
    return pin(services, HERE, ADA, fact, pinned=True).id


def restore_fact(services: Services, fact: str, _: str) -> object:
    return restore(services, HERE, ADA, fact).id


def restore_memory(services: Services, _: str, memory: str) -> object:
    return restore(services, HERE, ADA, memory).id


def nothing(adapters: Adapters, fact: str, memory: str) -> None:
    assert adapters
    assert fact != memory


def move(adapters: Adapters, fact: str, memory: str) -> None:
    nothing(adapters, fact, memory)
    say(adapters, "t2", "I moved to Bergen.")


def let_go(adapters: Adapters, fact: str, memory: str) -> None:
    nothing(adapters, fact, memory)
    forget(services_over(adapters), HERE, ForgetRequest(id=memory, user_id=ADA))


def amend(adapters: Adapters, fact: str, memory: str) -> None:
    nothing(adapters, fact, memory)
    correct(services_over(adapters), HERE, ADA, memory, "Beans go south.")


BEANS, OSLO = ("Beans go north.", False), ("Oslo", False)
CASES = [
    (nothing, correct_fact, [BEANS, ("Bergen", False)]),
    (nothing, correct_memory, [("Beans go south.", False), OSLO]),
    (nothing, pin_fact, [BEANS, ("Oslo", True)]),
    (move, restore_fact, [BEANS, OSLO]),
    (let_go, restore_memory, [BEANS, OSLO]),
    (amend, restore_memory, [BEANS, OSLO]),
]


@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize(("before", "act", "after"), CASES)
def test_what_a_person_puts_right_is_so_once_whatever_call_fails(
    adapters_in_memory: NewAdapters,
    fault: Fault,
    before: Callable[[Adapters, str, str], None],
    act: Callable[[Services, str, str], object],
    after: Known,
) -> None:
    calls = 0
    for at in count(1):
        adapters = adapters_in_memory()
        names = told(adapters)
        before(adapters, *names)
        first, recorded = believed(adapters), on_record(adapters)
        store = FaultyStore(adapters, at, fault)
        broken = replace(adapters, table=store, blobs=FaultyBlobs(adapters, store))
        with suppress(Unavailable, Stopped):
            act(services_over(broken), *names)
        assert believed(adapters) in (first, after), f"after call {at}"

        answers = [act(services_over(adapters), *names) for _ in range(2)]

        assert answers[0] == answers[1], f"after call {at}"
        assert believed(adapters) == after, f"after call {at}"
        assert on_record(adapters) == recorded + 1, f"after call {at}"
        if store.calls < at:
            break
        calls = at
    assert calls >= FEWEST_CALLS


@pytest.mark.slow
@pytest.mark.parametrize("number", range(5))
def test_of_corrections_at_once_one_holds_and_the_others_are_told_so(
    adapters_in_memory: NewAdapters, number: int
) -> None:
    adapters = replace(adapters_in_memory(), entropy=SystemEntropy())
    fact, memory = told(adapters)
    start = Barrier(6)

    def worker(place: str) -> list[str]:
        start.wait()
        done = list[str]()
        for name, content in ((fact, place), (memory, f"Beans go to {place}.")):
            with suppress(Conflict):
                correct(services_over(adapters), HERE, ADA, name, content)
                done.append(content)
        return done

    with ThreadPoolExecutor(6) as pool:
        won = [each for done in pool.map(worker, [f"Place {number}{letter}" for letter in "abcdef"]) for each in done]

    assert sorted(won) == [value for value, _ in believed(adapters)]
    assert len(won) == 2
    assert on_record(adapters) == 4


@pytest.mark.slow
def test_whatever_is_done_at_once_a_matter_has_one_belief(adapters_in_memory: NewAdapters) -> None:
    adapters = replace(adapters_in_memory(), entropy=SystemEntropy())
    fact, memory = told(adapters)
    start = Barrier(4)

    def repeated(act: Callable[[Services, int], object]) -> None:
        services = services_over(adapters)
        start.wait()
        for turn in range(4):
            with suppress(CairnError):
                act(services, turn)

    acts: list[Callable[[Services, int], object]] = [
        lambda services, turn: correct(services, HERE, ADA, newest(services), f"Town {turn}"),
        lambda services, _: restore(services, HERE, ADA, fact),
        lambda services, turn: pin(services, HERE, ADA, newest(services), pinned=turn % 2 == 0),
        lambda _, turn: say(adapters, f"t{turn + 2}", f"I live in Place{turn}."),
    ]
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(repeated, acts))

    found = known(services_over(adapters), Place(HERE.tenant, HERE.project), ADA, 100)
    assert [each.fact.fact_id for each in found.facts] == ["user_home"]
    assert [each.memory.id for each in found.memories] == [memory]


def newest(services: Services) -> str:
    return known(services, Place(HERE.tenant, HERE.project), ADA, 1).facts[0].fact.id
