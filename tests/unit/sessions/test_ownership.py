"""Whose a session is, however it began, and whoever begins it at once."""

from __future__ import annotations

from typing import Any

import pytest

from cairn.conversation.items import message
from cairn.conversation.turns import Completion
from cairn.ground.adapters import Adapters
from cairn.ground.errors import PermissionDenied, ResourceBusy
from cairn.ground.ids import Project, SessionId, Tenant, TurnId, UserId
from cairn.ground.session import Session
from cairn.ground.table import Delete, Key
from cairn.services import Services
from cairn.sessions.head import stored_head
from cairn.sessions.layout import HEAD, session_pk
from cairn.sessions.ownership import LIFETIME, Ownership
from cairn.turns.after_turn import commit
from support.services import services_over

pytestmark = pytest.mark.req("R285")

DIARY = Session(Tenant("acme"), Project("garden"), SessionId("diary"))
ALICE, BOB = UserId("alice"), UserId("bob")


def say(services: Services, user: UserId | None, turn_id: str = "t1") -> None:
    said = message("user", "I live in Oslo.")
    commit(services, DIARY, Completion(turn_id=TurnId(turn_id), inputs=(said,), outputs=(), user_id=user))


def test_of_two_who_begin_a_session_one_has_it(adapters: Adapters) -> None:
    assert Ownership(adapters).check(DIARY, {ALICE}) is False
    assert Ownership(adapters).check(DIARY, {BOB}) is False
    Ownership(adapters).begin(DIARY, ALICE)

    with pytest.raises(PermissionDenied) as refused:
        Ownership(adapters).begin(DIARY, BOB)

    assert refused.value.reason == "session"
    Ownership(adapters).begin(DIARY, ALICE)
    assert Ownership(adapters).check(DIARY, {BOB, ALICE}) is True


@pytest.mark.parametrize("owner", [ALICE, None])
def test_a_turn_that_was_stored_meanwhile_says_whose_the_session_is(adapters: Adapters, owner: UserId | None) -> None:
    assert Ownership(adapters).check(DIARY, {BOB}) is False
    say(services_over(adapters), owner)

    if owner is None:
        Ownership(adapters).begin(DIARY, BOB)  # it is the project's
    else:
        with pytest.raises(PermissionDenied):
            Ownership(adapters).begin(DIARY, BOB)
    head = stored_head(adapters.table, DIARY)
    assert head is not None
    assert head.owners == (("u:alice",) if owner else ("s:diary",))


def test_a_session_is_not_begun_beside_a_turn_that_is_being_stored(adapters: Adapters, clock: Any) -> None:
    services = services_over(adapters)
    lease = services.sessions.try_lease(DIARY, "somebody", 30)
    assert lease is not None

    with pytest.raises(ResourceBusy):
        Ownership(adapters).begin(DIARY, ALICE)

    clock.advance(seconds=31)
    Ownership(adapters).begin(DIARY, ALICE)
    again = services.sessions.try_lease(DIARY, "another", 30)
    assert again is not None
    assert again.head.fence == lease.head.fence + 2  # so that the first one's late commit fails


def test_turns_of_a_begun_session_go_on_as_in_any_other(adapters: Adapters) -> None:
    services = services_over(adapters)
    Ownership(adapters).begin(DIARY, ALICE)
    assert services.directories.list(DIARY, "", 8, 10) == ()

    say(services, ALICE)
    say(services, BOB, "t2")

    head = stored_head(adapters.table, DIARY)
    assert head is not None
    assert (head.seq, head.owners) == (2, ("u:alice", "u:bob"))
    assert services.searcher._registered(DIARY) == ["u:alice", "u:bob"]  # pyright: ignore[reportPrivateUsage]


def test_an_owner_counts_for_a_minute_and_nobody_is_refused_by_what_was_read_before(
    adapters: Adapters, clock: Any
) -> None:
    kept = Ownership(adapters)
    kept.begin(DIARY, ALICE)
    assert kept.check(DIARY, {ALICE})
    adapters.table.delete(Delete(Key(session_pk(DIARY), HEAD)))

    assert kept.check(DIARY, {ALICE}) is True
    assert kept.check(DIARY, {BOB}) is False
    clock.advance(seconds=LIFETIME.total_seconds())
    assert kept.check(DIARY, {ALICE}) is False
