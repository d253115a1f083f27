"""Plans of each kind over a household's store: what they would do, how that shows, and what makes it another."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from cairn.access.api_keys import Credential, Grant
from cairn.access.policies import of_table
from cairn.access.policy_store import PolicyStore
from cairn.custody.planned_erasure import plan_to_erase
from cairn.custody.planned_forgetting import plan_to_forget
from cairn.custody.planned_keys import plan_to_end
from cairn.custody.planned_policy import plan_to_set
from cairn.custody.scope import DataScope
from cairn.ground.adapters import Adapters
from cairn.ground.ids import UserId
from cairn.ground.session import NO_SESSION, Session
from cairn.memories.model import Note, RecallRequest
from cairn.memories.recall import recall
from cairn.memories.remember import remember
from cairn.plans.model import Plan
from cairn.services import Services
from support.custody import ACME, ADA, ALONE, GARDEN, Household
from support.services import services_over

HERE = Session(ACME, GARDEN, NO_SESSION)


def desk(house: Household, adapters: Adapters | None = None) -> Services:
    """Return a process that has nothing in memory yet."""
    return services_over(adapters or house.adapters, inventory=house.inventory)


@dataclass(frozen=True)
class Case:
    """A plan: what is drafted of a store, what people see there, and what somebody does who comes first."""

    name: str
    draft: Callable[[Household], Plan]
    seen: Callable[[Household], Any]
    meddle: Callable[[Household], object]
    ready: Callable[[Household], object]


def known(house: Household) -> list[str]:
    """Return what a process recalls of Ada."""
    found = recall(desk(house), HERE, RecallRequest(limit=50, user_id=ADA, scope="user", min_confidence=0)).found
    return sorted(each.content for each in found if each.kind != "turn")


def id_of(house: Household, word: str) -> str:
    found = recall(desk(house), HERE, RecallRequest(limit=50, user_id=ADA, scope="user", min_confidence=0)).found
    return next(each.id for each in found if each.kind != "turn" and word in each.content)


def live(house: Household) -> None:
    house.say(ALONE, ADA, "I live in Oslo.", "I like beans.")
    house.later(minutes=1)
    remember(desk(house), HERE, Note(content="Peas climb.", type="decision", scope="user", user_id=ADA))
    house.later(minutes=1)


def forgetting(word: str) -> Callable[[Household], Plan]:
    return lambda house: plan_to_forget(ACME, GARDEN, ADA, id_of(house, word), "It is wrong.")


def forgotten(word: str) -> Callable[[Household], object]:
    def forget(house: Household) -> None:
        plans = desk(house).plans
        plans.apply(ACME, plans.plan(forgetting(word)(house)).id)

    return forget


def with_key(house: Household) -> None:
    desk(house).credentials.create(ACME, Grant())


def first_key(house: Household) -> Credential:
    return desk(house).credentials.of_tenant(ACME)[0]


def opening(house: Household) -> tuple[int, bool, bool]:
    """Return how many keys open something, whether the first does, and whether it will end."""
    keys, now = desk(house).credentials.of_tenant(ACME), house.adapters.clock.now()
    return sum(each.is_open(now) for each in keys), keys[0].is_open(now), keys[0].ends_at is not None


def in_force(house: Household) -> object:
    return of_table(PolicyStore(house.adapters).stored, house.adapters.clock).in_force().book


def set_policy(text: str) -> Callable[[Household], object]:
    return lambda house: PolicyStore(house.adapters).write(text)


OTHER = "tool_permissions: {listMemory: {operations: [read]}}"
DENYING, READING = "tool_permissions: {}", "tool_permissions: {getContext: {operations: [read]}}"
CASES: Sequence[Case] = (
    Case("forget a memory", forgetting("Peas"), known, forgotten("Peas"), live),
    Case("forget a fact", forgetting("Oslo"), known, forgotten("Oslo"), live),
    Case("set the first policy", lambda _: plan_to_set(DENYING), in_force, set_policy(OTHER), with_key),
    Case("set a policy", lambda _: plan_to_set(DENYING), in_force, set_policy(OTHER), set_policy(READING)),
    Case(
        "revoke a key",
        lambda house: plan_to_end(ACME, first_key(house).id),
        opening,
        lambda house: desk(house).credentials.rotate(first_key(house).id, timedelta(hours=1)),
        with_key,
    ),
    Case(
        "rotate a key",
        lambda house: plan_to_end(ACME, first_key(house).id, timedelta(hours=1)),
        opening,
        lambda house: desk(house).credentials.revoke(first_key(house).id),
        with_key,
    ),
)


def planned(house: Household, case: Case) -> Plan:
    """Prepare the store and store the plan."""
    case.ready(house)
    return desk(house).plans.plan(case.draft(house))


def waiting(house: Household, user: UserId | None) -> Plan:
    """Have the user's erasure, or that of the whole tenant, wait for a week."""
    plans = desk(house).plans
    return plans.apply(ACME, plans.plan(plan_to_erase(DataScope(ACME, user=user))).id, timedelta(days=7))


def merged(house: Household) -> Plan:
    """Have maintenance merge two facts, and return the plan by which that is taken back."""
    for said in ("dark-roast coffee", "the Dark Roast coffees"):
        house.say(ALONE, ADA, f"I like {said}.")
    house.maintain(ALONE)
    (plan,) = desk(house).plans.records.every(ACME)
    return plan
