"""Whatever call to the store fails, loses its answer or is the worker's last, a retried turn is stored exactly once."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from itertools import count, product
from typing import Any, TypeVar

import pytest

from cairn.conversation.items import message
from cairn.conversation.turns import Completion
from cairn.ground.adapters import Adapters
from cairn.ground.errors import ResourceBusy, Unavailable
from cairn.ground.ids import Digest, Project, SessionId, Tenant, TurnId, UserId
from cairn.ground.paging import every
from cairn.ground.ports import Blobs, Table
from cairn.ground.session import Session
from cairn.ground.settings import MemorySettings
from cairn.ground.table import Attributes, Delete, Key, Page, Put, Query, Update, Write
from cairn.log.entry_vectors import VECTORS
from cairn.log.layout import log_owner, log_pk, named_in, registry_pk, with_across
from cairn.services import Services
from cairn.sessions.head import ACROSS
from cairn.sessions.layout import HEAD, session_pk
from cairn.turns.after_turn import commit
from cairn.turns.before_turn import prepare
from cairn.turns.model import Preparation
from support.memory_store import copied
from support.recall import LoadedToyEmbedder
from support.services import services_over

T = TypeVar("T")
SESSION = Session(Tenant("acme"), Project("garden"), SessionId("monday"))
ADA = UserId("ada")
OWNERS = with_across([log_owner(ADA, SESSION.session_id)])
"""Whose logs the session's turns go to: the user's in the project, and across projects."""
REGISTRY = registry_pk(SESSION.tenant, SESSION.project)
SETTINGS = MemorySettings()
NOT_COMPARED = {"fence", "begun", "updated_at", "isk", ACROSS}
"""What a head says that differs from run to run."""
FEWEST_CALLS = 5
"""A turn claims, leases, reads twice at least and commits: a sweep over fewer calls has missed some."""
MODES = ("refused", "answer lost", "killed before", "killed after")


class Killed(BaseException):
    """The worker is gone; nothing of its own runs any more."""


@dataclass
class Fault:
    """What happens to the calls of one worker: the one numbered `at` fails in this mode; a killed worker makes none."""

    mode: str
    at: int
    calls: int = 0
    dead: bool = False

    def around(self, call: Callable[[], T]) -> T:
        if self.dead:
            raise Killed
        self.calls += 1
        if self.calls != self.at:
            return call()
        if self.mode in {"answer lost", "killed after"}:
            call()
        if self.mode in {"refused", "answer lost"}:
            raise Unavailable("a fault of the test")
        self.dead = True
        raise Killed

    @property
    def happened(self) -> bool:
        return self.calls >= self.at


@dataclass
class FaultyTable:
    table: Table
    fault: Fault

    def get(self, key: Key) -> Attributes | None:
        return self.fault.around(lambda: self.table.get(key))

    def query(self, query: Query) -> Page:
        return self.fault.around(lambda: self.table.query(query))

    def put(self, write: Put) -> None:
        self.fault.around(lambda: self.table.put(write))

    def update(self, write: Update) -> Attributes:
        return self.fault.around(lambda: self.table.update(write))

    def delete(self, write: Delete) -> None:
        self.fault.around(lambda: self.table.delete(write))

    def transact(self, writes: Sequence[Write]) -> None:
        self.fault.around(lambda: self.table.transact(writes))


@dataclass
class FaultyBlobs:
    blobs: Blobs
    fault: Fault

    def put(self, tenant: Tenant, data: bytes) -> Digest:
        return self.fault.around(lambda: self.blobs.put(tenant, data))

    def get(self, tenant: Tenant, digest: Digest) -> bytes:
        return self.fault.around(lambda: self.blobs.get(tenant, digest))

    def get_part(self, tenant: Tenant, digest: Digest, start: int, length: int) -> bytes:
        return self.fault.around(lambda: self.blobs.get_part(tenant, digest, start, length))

    def delete(self, tenant: Tenant, digest: Digest) -> None:
        self.fault.around(lambda: self.blobs.delete(tenant, digest))


def process(adapters: Adapters, **given: Any) -> Services:
    """Return a process that has nothing in memory yet."""
    return services_over(adapters, SETTINGS, **given)


def worker(adapters: Adapters, fault: Fault, **given: Any) -> Services:
    return process(
        replace(adapters, table=FaultyTable(adapters.table, fault), blobs=FaultyBlobs(adapters.blobs, fault)), **given
    )


def turn(number: int, *said: str, answered: str = "Noted.") -> Completion:
    return Completion(
        turn_id=TurnId(f"t{number}"),
        inputs=tuple(message("user", text) for text in said),
        outputs=(message("assistant", answered, "output_text"),),
        user_id=ADA,
    )


EARLIER = (
    turn(1, "My name is Ada. I like tea."),
    turn(2, "Well.", "My name is Grace. I work at Acme Corp."),
)
NOISE = "".join(sha256(bytes([number % 256, number // 256])).hexdigest() for number in range(1250))
"""80 KB that compress to more than an item holds."""
SWEPT = turn(3, "Hm.", "My name is Hedy. I like tea. I no longer work at Acme Corp. Today I need to rest.")
LARGE = replace(SWEPT, outputs=(message("assistant", NOISE),))


def prepared(adapters_in_memory: Callable[[], Adapters], earlier: Sequence[Completion]) -> Adapters:
    adapters = adapters_in_memory()
    for completion in earlier:
        commit(process(adapters), SESSION, completion)
    return adapters


def state(adapters: Adapters) -> dict[str, Any]:
    """Return all that can be observed of the session, without times, random ids and ciphertext."""
    services = process(adapters)
    items = list(every(adapters.table, Query(session_pk(SESSION), "\x01", "\U0010ffff")))
    nothing: Attributes = {}
    head = next((item for item in items if item["sk"] == HEAD), nothing)
    return {
        "history": [
            (seq, [(event.id, event.type, event.turn_id, event.user_id, event.item) for event in events])
            for seq, events in services.sessions.history(SESSION)
        ],
        "facts": {owner: _believed(services, owner) for owner in OWNERS},
        "logs": {owner: _logged(services, owner) for owner in OWNERS},
        "head": {name: value for name, value in head.items() if name not in NOT_COMPARED},
        "reads across projects as far as there is": head.get(ACROSS) == _newest_across(adapters),
        "guards": sorted(
            (str(item["turn_id"]), str(item["status"]), item.get("seq")) for item in items if "status" in item
        ),
        "keys": sorted(str(item["sk"]) for item in items),
        "registry": [item["sk"] for item in every(adapters.table, Query(REGISTRY, "\x01", "\U0010ffff"))],
    }


def _believed(services: Services, owner: str) -> list[tuple[str, str, str, str]]:
    services.log.refresh(SESSION.tenant, SESSION.project, owner)
    with services.log.view(SESSION.tenant, SESSION.project, owner) as view:
        name = named_in(owner, SESSION.project, SESSION.session_id)
        facts = view.facts(services.adapters.clock.now(), name)
    return sorted((fact.fact_id, fact.value, fact.tier, fact.source.turn_id) for fact in facts)


def _logged(services: Services, owner: str) -> list[Any]:
    entries = [services.vault.unseal(SESSION.tenant, item) for item in _entries(services.adapters, owner)]
    return [
        (
            entry["session"],
            entry["turn"],
            entry.get("said_in"),
            _told(entry["added"]),
            _told(entry["ended"]),
            len(entry["seen"]),
        )
        for entry in entries
    ]


def _entries(adapters: Adapters, owner: str) -> list[Attributes]:
    return list(every(adapters.table, Query(log_pk(SESSION.tenant, SESSION.project, owner), "m#", "m#~")))


def _newest_across(adapters: Adapters) -> str | None:
    """Return the sort key of the newest entry across projects: as far as whoever holds the session has to read."""
    return max((str(entry["sk"]) for entry in _entries(adapters, OWNERS[-1])), default=None)


def _told(facts: list[dict[str, Any]]) -> list[tuple[str, str, str, str]]:
    return [(fact["fact_id"], fact["value"], fact["state"], fact["source"]["turn_id"]) for fact in facts]


def seen(adapters: Adapters) -> Any:
    """Return what before_turn shows, with facts by value."""
    request = Preparation(current=(message("user", "What is my name and work?"),), user_id=ADA, max_input_tok=10**6)
    result = prepare(process(adapters), SESSION, request)
    items = [item for item in result.items if '"historical_memory"' not in str(item)]
    return items, len(result.recalled_fact_ids), state(adapters)["facts"]


def attempt(services: Services, completion: Completion) -> bool:
    """Send the turn once; return whether it was acknowledged."""
    try:
        commit(services, SESSION, completion)
    except (Unavailable, ResourceBusy, Killed):
        return False
    return True


def retried(adapters: Adapters, clock: Any, completion: Completion, *attempts: Services) -> None:
    """Send the turn by each of these in turn, then by a healthy process, with enough time between them."""
    for services in (*attempts, process(adapters), process(adapters)):
        clock.advance(seconds=SETTINGS.guard_lease_seconds + 1)
        if attempt(services, completion):
            return
    raise AssertionError("the turn was never acknowledged")


def swept(
    mode: str, adapters: Adapters, completion: Completion, **given: Any
) -> Iterator[tuple[Adapters, Services, Fault]]:
    """Yield a copy of the store after each call of the turn has failed once, with the process that saw it fail."""
    for at in count(1):
        twin, fault = copied(adapters), Fault(mode, at)
        services = worker(twin, fault, **given)
        attempt(services, completion)
        if not fault.happened:
            return
        yield twin, services, fault


@pytest.mark.req("R047")
@pytest.mark.req("R046")
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("earlier", [EARLIER, ()], ids=["third turn", "first turn"])
@pytest.mark.parametrize("completion", [SWEPT, LARGE], ids=["inline", "blob"])
def test_a_turn_interrupted_at_any_call_ends_as_one_clean_run(
    adapters_in_memory: Callable[[], Adapters],
    clock: Any,
    mode: str,
    earlier: Sequence[Completion],
    completion: Completion,
) -> None:
    adapters = prepared(adapters_in_memory, earlier)
    clean = copied(adapters)
    retried(clean, clock, completion)
    expected = state(clean)
    calls = 0
    for twin, services, fault in swept(mode, adapters, completion):
        calls = fault.at
        retried(twin, clock, completion, *([] if fault.dead else [services]))
        assert state(twin) == expected, f"after call {fault.at}"
    assert calls > FEWEST_CALLS


@pytest.mark.req("R047")
@pytest.mark.parametrize("mode", MODES)
def test_a_turn_whose_process_gives_its_vectors_is_stored_once_with_or_without_them(
    adapters_in_memory: Callable[[], Adapters], clock: Any, mode: str
) -> None:
    adapters = prepared(adapters_in_memory, EARLIER)
    clean = copied(adapters)
    retried(clean, clock, SWEPT)
    expected, have = state(clean), list[int]()
    for twin, services, fault in swept(mode, adapters, SWEPT, embedder=LoadedToyEmbedder()):
        retried(twin, clock, SWEPT, *([] if fault.dead else [services]))
        assert state(twin) == expected, f"after call {fault.at}"
        have.append(sum(VECTORS in _entries(twin, owner)[-1] for owner in OWNERS))
    # What was lost with its process is left to whoever makes a segment of it.
    assert len(set(have)) > 1


@pytest.mark.req("R047")
@pytest.mark.parametrize("mode", MODES)
def test_nothing_half_done_is_ever_visible(adapters_in_memory: Callable[[], Adapters], clock: Any, mode: str) -> None:
    """Known fault 5: a crash between events and metadata duplicated events."""
    adapters = prepared(adapters_in_memory, EARLIER)
    clean = copied(adapters)
    retried(clean, clock, SWEPT)
    before, after = seen(adapters), seen(clean)
    assert before != after
    shown = [seen(twin) for twin, _, _ in swept(mode, adapters, SWEPT)]
    assert all(what in (before, after) for what in shown)
    assert before in shown


@pytest.mark.slow
@pytest.mark.req("R047")
def test_a_retry_interrupted_as_well_ends_as_one_clean_run(
    adapters_in_memory: Callable[[], Adapters], clock: Any
) -> None:
    adapters = prepared(adapters_in_memory, EARLIER)
    clean = copied(adapters)
    retried(clean, clock, SWEPT)
    expected = state(clean)
    for first, second in product(MODES, MODES):
        for broken, _, one in swept(first, adapters, SWEPT):
            clock.advance(seconds=SETTINGS.guard_lease_seconds + 1)
            for twin, _, other in swept(second, broken, SWEPT):
                retried(twin, clock, SWEPT)
                assert state(twin) == expected, f"{first} at {one.at}, then {second} at {other.at}"


@pytest.mark.req("R045")
@pytest.mark.req("R046")
def test_a_turn_left_behind_is_taken_over_only_when_its_time_is_up(
    adapters_in_memory: Callable[[], Adapters], clock: Any
) -> None:
    adapters = prepared(adapters_in_memory, EARLIER)
    seen_calls = [fault.at for _, _, fault in swept("killed before", adapters, SWEPT)]
    twin, fault = copied(adapters), Fault("killed before", seen_calls[-1])
    attempt(worker(twin, fault), SWEPT)
    clock.advance(seconds=SETTINGS.guard_lease_seconds)
    with pytest.raises(ResourceBusy) as busy:
        commit(process(twin), SESSION, SWEPT)
    assert busy.value.retryable
    clock.advance(seconds=1)
    assert not commit(process(twin), SESSION, SWEPT).replayed
