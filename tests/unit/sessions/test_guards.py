"""Turn guards: one owner at a time, done for good, kept for a month."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import pytest

from cairn.conversation.items import message
from cairn.conversation.turns import Completion
from cairn.embedded.table import SqliteTable
from cairn.ground.adapters import Adapters
from cairn.ground.errors import ConditionFailed, Conflict, ResourceBusy, TransactionRefused
from cairn.ground.ids import Project, SessionId, Tenant, TurnId, UserId
from cairn.ground.session import Session
from cairn.ground.settings import MemorySettings
from cairn.ground.table import Attributes, Key, Write
from cairn.log.layout import project_sk
from cairn.services import Services
from cairn.sessions.guards import RETENTION, Claim, Guards
from cairn.sessions.layout import HEAD, guard_sk, session_pk
from cairn.turns.after_turn import commit
from cairn.vault.vault import Vault
from support.services import services_over

SESSION = Session(Tenant("acme"), Project("garden"), SessionId("monday"))
TURN = Completion(turn_id=TurnId("t1"), inputs=(message("user", "My name is Ada."),), outputs=())
GUARD = Key(session_pk(SESSION), guard_sk(TURN.turn_id))


@dataclass
class WatchedTable:
    """The table, with what was written to it and what happens just before a transaction."""

    table: Any
    written: list[str] = field(default_factory=list[str])
    before_commit: Any = None

    def __getattr__(self, name: str) -> Any:
        return getattr(self.table, name)

    def put(self, write: Any) -> None:
        self.written.append(f"put {write.item['sk']}")
        self.table.put(write)

    def update(self, write: Any) -> Attributes:
        self.written.append(f"update {write.key.sk}")
        return self.table.update(write)

    def transact(self, writes: Sequence[Write]) -> None:
        self.written.append("commit")
        action, self.before_commit = self.before_commit, None
        if action:
            action()
        self.table.transact(writes)


@pytest.fixture
def guards(adapters: Adapters) -> Guards:
    return Guards(adapters, Vault(adapters))


@pytest.fixture
def watched(adapters: Adapters) -> WatchedTable:
    return WatchedTable(adapters.table)


def process(adapters: Adapters, **knobs: Any) -> Services:
    settings = MemorySettings(**knobs)
    return services_over(adapters, settings)


def status(adapters: Adapters) -> str | None:
    guard = adapters.table.get(GUARD)
    return None if guard is None else str(guard["status"])


@pytest.mark.req("R041")
def test_a_guard_names_tenant_project_session_turn_status_and_time(guards: Guards, adapters: Adapters) -> None:
    guards.claim(SESSION, TURN, "me", 30)
    guard = adapters.table.get(GUARD)
    assert guard is not None
    named = {"tenant", "project", "session_id", "turn_id", "status", "updated_at"}
    assert {name: guard[name] for name in named} == {
        "tenant": "acme",
        "project": "garden",
        "session_id": "monday",
        "turn_id": "t1",
        "status": "processing",
        "updated_at": "2026-03-01T12:00:00.000000Z",
    }


@pytest.mark.req("R041")
def test_the_same_turn_id_elsewhere_is_another_guard(guards: Guards) -> None:
    places = [
        SESSION,
        replace(SESSION, session_id=SessionId("tuesday")),
        replace(SESSION, project=Project("house")),
        replace(SESSION, tenant=Tenant("other")),
    ]
    assert [guards.claim(place, TURN, "me", 30).done for place in places] == [False] * 4


@pytest.mark.req("R042")
@pytest.mark.req("R055")
def test_the_turn_is_claimed_first_and_the_session_leased_before_anything_is_committed(
    adapters: Adapters, watched: WatchedTable
) -> None:
    commit(process(replace(adapters, table=watched)), SESSION, TURN)
    writes = [entry for entry in watched.written if "data#" not in entry]
    # That there is such a project is told in the same round: of the turn it says nothing.
    assert writes == [f"put {project_sk('garden')}", f"put {GUARD.sk}", f"update {HEAD}", "commit"]


@pytest.mark.req("R042")
def test_processing_is_visible_to_others_until_the_commit(adapters: Adapters, watched: WatchedTable) -> None:
    """Known fault 4: the guard shared a transaction with the lock, so that processing was never visible."""
    seen: list[str | None] = []
    watched.before_commit = lambda: seen.append(status(adapters))
    commit(process(replace(adapters, table=watched)), SESSION, TURN)
    assert [*seen, status(adapters)] == ["processing", "done"]


@pytest.mark.req("R044")
def test_a_turn_being_committed_elsewhere_is_busy(guards: Guards, clock: Any) -> None:
    guards.claim(SESSION, TURN, "me", 30)
    clock.advance(seconds=30)
    with pytest.raises(ResourceBusy) as busy:
        guards.claim(SESSION, TURN, "you", 30)
    assert busy.value.retryable
    assert busy.value.details == {"resource": "turn", "turn_id": "t1"}


@pytest.mark.req("R045")
def test_a_turn_left_in_processing_past_its_time_may_be_taken_over(
    guards: Guards, clock: Any, adapters: Adapters
) -> None:
    guards.claim(SESSION, TURN, "dead", 30)
    clock.advance(seconds=31)
    assert not guards.claim(SESSION, TURN, "heir", 30).done
    guard = adapters.table.get(GUARD)
    assert guard is not None
    assert guard["owner"] == "heir"


@pytest.mark.req("R137")
@pytest.mark.req("R043")
@pytest.mark.req("R046")
def test_a_committed_turn_is_done_for_its_own_payload_and_a_conflict_for_another(
    guards: Guards, adapters: Adapters
) -> None:
    claim = guards.claim(SESSION, TURN, "me", 30)
    assert status(adapters) == "processing"
    adapters.table.transact([guards.done(claim, 1)])
    assert guards.claim(SESSION, TURN, "you", 30).done
    with pytest.raises(Conflict):
        guards.claim(SESSION, replace(TURN, user_id=UserId("eve")), "you", 30)
    assert status(adapters) == "done"


def test_of_a_turn_that_was_taken_back_its_guard_tells_neither_payload_nor_place(
    guards: Guards, adapters: Adapters
) -> None:
    claim = guards.claim(SESSION, TURN, "me", 30)
    with pytest.raises(ConditionFailed):
        adapters.table.update(guards.taken_back(SESSION, TURN.turn_id))
    adapters.table.transact([guards.done(claim, 1)])
    assert (adapters.table.get(GUARD) or {}).keys() >= {"payload", "seq"}

    left = adapters.table.update(guards.taken_back(SESSION, TURN.turn_id))

    assert not left.keys() & {"payload", "seq"}
    assert guards.is_taken_back(SESSION, TURN.turn_id)


@pytest.mark.req("R046")
def test_a_claim_given_back_may_be_made_again_at_once(guards: Guards, adapters: Adapters) -> None:
    guards.give_back(guards.claim(SESSION, TURN, "me", 30))
    assert status(adapters) is None
    assert not guards.claim(SESSION, TURN, "you", 30).done


@pytest.mark.req("R050")
def test_a_claim_that_was_taken_over_can_neither_be_given_back_nor_done(
    guards: Guards, adapters: Adapters, clock: Any
) -> None:
    late = guards.claim(SESSION, TURN, "late", 30)
    clock.advance(seconds=31)
    guards.claim(SESSION, TURN, "heir", 30)
    guards.give_back(late)
    assert status(adapters) == "processing"
    with pytest.raises(TransactionRefused):
        adapters.table.transact([guards.done(late, 1)])


@pytest.mark.req("R041")
def test_a_done_claim_is_not_given_back(guards: Guards, adapters: Adapters) -> None:
    claim = guards.claim(SESSION, TURN, "me", 30)
    adapters.table.transact([guards.done(claim, 1)])
    guards.give_back(Claim(SESSION, TURN, "me"))
    assert status(adapters) == "done"


@pytest.mark.req("R053")
def test_a_guard_is_kept_for_its_retention_and_then_removed(guards: Guards, adapters: Adapters, clock: Any) -> None:
    """Known fault 15: guards were never cleaned up."""
    claim = guards.claim(SESSION, TURN, "me", 30)
    adapters.table.transact([guards.done(claim, 1)])
    assert isinstance(adapters.table, SqliteTable)
    assert adapters.table.sweep(clock.now() + RETENTION * 0.99) == 0
    assert adapters.table.sweep(clock.now() + RETENTION * 1.01) == 1
    assert status(adapters) is None


@pytest.mark.req("R053")
def test_a_guard_past_its_retention_is_gone_though_nobody_removed_it(
    guards: Guards, adapters: Adapters, clock: Any
) -> None:
    claim = guards.claim(SESSION, TURN, "me", 30)
    adapters.table.transact([guards.done(claim, 1)])
    clock.advance(days=31)
    assert not guards.claim(SESSION, replace(TURN, inputs=()), "you", 30).done


@pytest.mark.req("R050")
def test_a_worker_stalled_past_its_lease_cannot_commit_after_another_turn_did(
    adapters: Adapters, watched: WatchedTable, clock: Any
) -> None:
    other = replace(TURN, turn_id=TurnId("t2"), inputs=(message("user", "My name is Grace."),))

    def stall() -> None:
        clock.advance(seconds=8)
        commit(process(adapters, guard_lease_seconds=5), SESSION, other)

    watched.before_commit = stall
    with pytest.raises(ResourceBusy) as late:
        commit(process(replace(adapters, table=watched), guard_lease_seconds=5), SESSION, TURN)
    assert late.value.retryable
    history = list(process(adapters).sessions.history(SESSION))
    assert [(seq, [event.turn_id for event in events]) for seq, events in history] == [(1, ["t2"])]
    assert not commit(process(adapters), SESSION, TURN).replayed


@pytest.mark.req("R050")
@pytest.mark.req("R045")
def test_a_worker_stalled_past_its_lease_cannot_commit_after_a_retry_of_its_turn_did(
    adapters: Adapters, watched: WatchedTable, clock: Any
) -> None:
    def stall() -> None:
        clock.advance(seconds=8)
        assert commit(process(adapters, guard_lease_seconds=5), SESSION, TURN).events_written == 1

    watched.before_commit = stall
    with pytest.raises(ResourceBusy):
        commit(process(replace(adapters, table=watched), guard_lease_seconds=5), SESSION, TURN)
    assert [seq for seq, _ in process(adapters).sessions.history(SESSION)] == [1]
    assert commit(process(adapters), SESSION, TURN).replayed


@pytest.mark.req("R050")
def test_a_worker_whose_session_was_leased_anew_cannot_commit_though_nothing_was_written_since(
    adapters: Adapters, watched: WatchedTable, clock: Any
) -> None:
    def stall() -> None:
        clock.advance(seconds=8)
        assert process(adapters).sessions.try_lease(SESSION, "heir", 30)

    watched.before_commit = stall
    with pytest.raises(ResourceBusy):
        commit(process(replace(adapters, table=watched), guard_lease_seconds=5), SESSION, TURN)
    assert list(process(adapters).sessions.history(SESSION)) == []
    assert process(adapters).sessions.try_lease(SESSION, "third", 30) is None


@pytest.mark.req("R050")
def test_a_dead_holders_lease_cannot_be_renewed_or_released_by_it(adapters: Adapters, clock: Any) -> None:
    sessions = process(adapters).sessions
    late = sessions.try_lease(SESSION, "late", 5)
    assert late
    clock.advance(seconds=6)
    heir = sessions.try_lease(SESSION, "heir", 5)
    assert heir
    assert heir.head.fence > late.head.fence
    sessions.release(late)
    assert sessions.try_lease(SESSION, "third", 5) is None
    with pytest.raises(ResourceBusy):
        sessions.renew(late, 5)
    sessions.renew(heir, 60)
    clock.advance(seconds=30)
    assert sessions.try_lease(SESSION, "third", 5) is None


@pytest.mark.req("R050")
def test_a_commit_held_up_for_so_long_that_readers_may_have_passed_it_is_refused(
    adapters: Adapters, watched: WatchedTable, clock: Any
) -> None:
    """A refused transaction is sent again, but not after readers have stopped looking for entries of its time."""

    def refuse_late() -> None:
        clock.advance(seconds=25)
        raise TransactionRefused([])

    watched.before_commit = refuse_late
    with pytest.raises(ResourceBusy):
        commit(process(replace(adapters, table=watched), guard_lease_seconds=60), SESSION, TURN)
    assert not list(process(adapters).sessions.history(SESSION))
    assert not commit(process(adapters), SESSION, TURN).replayed
