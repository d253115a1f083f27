"""Wherever remember or forget is stopped, refused or left without an answer, doing it again does it exactly once."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import replace
from itertools import count
from threading import Barrier
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from cairn.ground.adapters import Adapters
from cairn.ground.errors import NotFound, Refusal, TransactionRefused, Unavailable
from cairn.ground.ids import Project, SessionId, Tenant, UserId
from cairn.ground.paging import every
from cairn.ground.session import Session
from cairn.ground.table import Key, Query
from cairn.log.layout import log_pk
from cairn.memories.forget import forget
from cairn.memories.model import ForgetRequest, Note, RecallRequest
from cairn.memories.recall import recall
from cairn.memories.remember import remember
from cairn.process.system import SystemEntropy
from cairn.services import Services
from cairn.sessions.layout import MEMORY_COUNT, session_pk
from cairn.turns.after_turn import commit
from support.faults import FAULTS, FaultyBlobs, FaultyStore, Stopped
from support.services import services_over
from support.turns import SESSION, cold, turn

NewAdapters = Callable[[], Adapters]
Fault = Callable[[Callable[[], object]], object]
ADA = UserId("ada")
KEPT = Note(content="Beans go north.", type="decision", rationale="Sun.", scope="user", user_id=ADA)
OLD = Note(content="Beans go south.")
NEW = Note(content="Beans go east.")
FEWEST_CALLS = 2


def services(adapters: Adapters) -> Services:
    return services_over(adapters)


def faulty(adapters: Adapters, at: int, fault: Fault) -> tuple[FaultyStore, Adapters]:
    store = FaultyStore(adapters, at, fault)
    return store, replace(adapters, table=store, blobs=FaultyBlobs(adapters, store))


def found(adapters: Adapters, **fields: Any) -> list[str]:
    """Return what a process that has read nothing yet recalls."""
    question = RecallRequest(min_confidence=0, user_id=ADA, **fields)
    return sorted(each.content for each in recall(services(adapters), SESSION, question).found)


def on_record(adapters: Adapters) -> tuple[int, int, int]:
    """Return how many memories and endings the session's logs hold, and how many memories its count says."""
    services = cold(adapters)
    remembered = ended = 0
    for owner in ("s:monday", "u:ada", "p:"):
        pk = log_pk(SESSION.tenant, SESSION.project, owner)
        for item in every(adapters.table, Query(pk, "m#", "m#\U0010ffff")):
            entry = services.vault.unseal(SESSION.tenant, item)
            remembered += len(entry["remembered"])
            ended += len(entry["forgotten"])
    counted = adapters.table.get(Key(session_pk(SESSION), MEMORY_COUNT)) or {}
    return remembered, ended, int(counted.get("kept", 0))


@pytest.mark.req("R242")
@pytest.mark.req("R273")
@pytest.mark.parametrize("fault", FAULTS)
def test_a_memory_is_kept_and_counted_once_whatever_call_fails(adapters_in_memory: NewAdapters, fault: Fault) -> None:
    calls = 0
    for at in count(1):
        adapters = adapters_in_memory()
        store, broken = faulty(adapters, at, fault)
        with suppress(Unavailable, Stopped):
            remember(services(broken), SESSION, KEPT)
        assert found(adapters) in ([], [KEPT.content]), f"after call {at}"
        assert on_record(adapters)[0] == on_record(adapters)[2]

        name = remember(services(adapters), SESSION, KEPT).id

        assert name == remember(services(adapters), SESSION, KEPT).id
        assert found(adapters) == [KEPT.content], f"after call {at}"
        assert on_record(adapters) == (1, 0, 1), f"after call {at}"
        if store.calls < at:
            break
        calls = at
    assert calls >= FEWEST_CALLS


def remembered(adapters: Adapters) -> tuple[str, str]:
    """Keep two memories, and learn a fact; return the memories' ids."""
    process = services(adapters)
    commit(cold(adapters), SESSION, turn("t1", "I live in Oslo."))
    return remember(process, SESSION, OLD).id, remember(process, SESSION, NEW).id


def forgetting(adapters: Adapters, kind: str) -> ForgetRequest:
    old, new = remembered(adapters)
    if kind == "memory":
        return ForgetRequest(id=old, reason="Too wet.", replacement_id=new, user_id=ADA)
    found = recall(services(adapters), SESSION, RecallRequest()).found
    (fact,) = [each.id for each in found if each.kind == "fact"]
    return ForgetRequest(id=fact, reason="Moved.")


@pytest.mark.req("R244")
@pytest.mark.req("R272")
@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize("kind", ["memory", "fact"])
def test_what_is_forgotten_is_gone_once_whatever_call_fails(
    adapters_in_memory: NewAdapters, fault: Fault, kind: str
) -> None:
    everything = sorted(["home: Oslo", OLD.content, NEW.content])
    rest = sorted({*everything} - {OLD.content if kind == "memory" else "home: Oslo"})
    calls = 0
    for at in count(1):
        adapters = adapters_in_memory()
        request = forgetting(adapters, kind)
        store, broken = faulty(adapters, at, fault)
        with suppress(Unavailable, Stopped):
            forget(services(broken), SESSION, request)
        assert found(adapters) in (everything, rest), f"after call {at}"

        forget(services(adapters), SESSION, request)
        forget(services(adapters), SESSION, request)

        assert found(adapters) == rest, f"after call {at}"
        assert on_record(adapters) == (2, 1, 2), f"after call {at}"
        if store.calls < at:
            break
        calls = at
    assert calls >= FEWEST_CALLS


@pytest.mark.parametrize("error", ["conflict", "throttled"])
def test_a_busy_store_is_asked_again_and_then_said_to_be_busy(adapters_in_memory: NewAdapters, error: str) -> None:
    adapters = adapters_in_memory()
    refusals = iter([1, 2, 3])
    transact = adapters.table.transact

    def busy(writes: Any) -> None:
        if next(refusals, None):
            raise TransactionRefused([Refusal(error), *[None] * (len(writes) - 1)])
        transact(writes)

    vars(adapters.table)["transact"] = busy
    name = remember(services(adapters), SESSION, OLD).id
    refusals = iter([1, 2, 3])
    forget(services(adapters), SESSION, ForgetRequest(id=name))
    assert on_record(adapters) == (1, 1, 1)

    refusals = iter(range(1, 100))
    with pytest.raises(Unavailable):
        remember(services(adapters), SESSION, NEW)
    with pytest.raises(Unavailable):
        forget(services(adapters), SESSION, ForgetRequest(id=name, reason="again"))
    assert on_record(adapters) == (1, 1, 1)


@pytest.mark.slow
def test_memories_kept_and_forgotten_at_once_are_each_kept_and_forgotten_once(adapters_in_memory: NewAdapters) -> None:
    adapters = replace(adapters_in_memory(), entropy=SystemEntropy())
    start = Barrier(8)

    def worker(number: int) -> list[str]:
        start.wait()
        process = services(adapters)
        names = [remember(process, SESSION, Note(content=f"Row {row}.")).id for row in range(6)]
        forget(process, SESSION, ForgetRequest(id=names[number % 6]))
        return names

    with ThreadPoolExecutor(8) as pool:
        told = list(pool.map(worker, range(8)))

    kept, ended, counted = on_record(adapters)
    assert kept == counted
    assert ended >= 6
    live = set(found(adapters))
    assert len(found(adapters, limit=50)) == len(live) == kept - ended
    assert all(len(names) == 6 for names in told)


hostile = st.sampled_from(["s1", "s10", "s", "s%", "_", "#", "~", "e#}", "id#", "p:", "u:ada", "ada", "s1#s#p", "é"])
places = st.tuples(st.sampled_from(["a", "a-b"]), st.sampled_from(["p", "p1", "keys"]), hostile)
users = st.sampled_from([None, "ada", "s1", "p:", "#"])
kept = st.tuples(places, users, st.sampled_from(["session", "user", "project"]))


@pytest.mark.req("R245")
@pytest.mark.req("R011")
@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(notes=st.lists(kept, min_size=1, max_size=5), reader=st.tuples(places, users))
def test_everyone_recalls_and_forgets_exactly_what_its_scope_shows_them(
    adapters_in_memory: NewAdapters, notes: list[Any], reader: Any
) -> None:
    adapters = adapters_in_memory()
    process = services(adapters)
    place, user = reader
    expected: set[str] = set()
    names: dict[str, str] = {}
    for number, (where, who, scope) in enumerate(notes):
        if scope == "user" and who is None:
            continue
        said = Note(content=f"note {number}", scope=scope, user_id=who)
        names[said.content] = remember(process, session(where), said).id
        sees = {"session": where == place, "user": where[:2] == place[:2] and who == user, "project": True}
        if where[:2] == place[:2] and sees[scope]:
            expected.add(said.content)

    told = recall(process, session(place), RecallRequest(user_id=user, limit=50)).found
    assert {each.content for each in told} == expected

    for content, name in names.items():
        if content in expected:
            forget(process, session(place), ForgetRequest(id=name, user_id=user))
        else:
            with pytest.raises(NotFound):
                forget(process, session(place), ForgetRequest(id=name, user_id=user))
    assert recall(process, session(place), RecallRequest(user_id=user)).found == ()


def session(place: tuple[str, str, str]) -> Session:
    tenant, project, name = place
    return Session(Tenant(tenant), Project(project), SessionId(name))
