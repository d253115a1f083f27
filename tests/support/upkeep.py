"""Sessions of one shard, and runs of it."""

from __future__ import annotations

from collections import Counter
from datetime import datetime, timedelta
from typing import Any

from cairn.conversation.items import message
from cairn.conversation.turns import Completion
from cairn.files import abstracts
from cairn.ground.adapters import Adapters
from cairn.ground.ids import Project, SessionId, Tenant, TurnId, UserId
from cairn.ground.session import Session
from cairn.ground.settings import MemorySettings
from cairn.ground.table import Key, Query
from cairn.services import Services
from cairn.sessions.layout import HEAD, due_shard, session_pk
from cairn.turns.after_turn import commit
from cairn.upkeep.every_due import EveryDue, Outcome
from support.services import services_over

KNOBS = MemorySettings(recent_context_items=2, session_lock_timeout_ms=0, guard_lease_seconds=30)
AFTER_LEASE = timedelta(seconds=KNOBS.guard_lease_seconds + 1)
A_MINUTE = timedelta(minutes=1)


def session(name: str) -> Session:
    return Session(Tenant("acme"), Project("garden"), SessionId(name))


def shard_mates(count: int) -> list[Session]:
    """Return sessions of one shard, the first of which is `s0`."""
    shard = due_shard(session("s0"))
    found = (each for number in range(10_000) if due_shard(each := session(f"s{number}")) == shard)
    return [next(found) for _ in range(count)]


MATES = shard_mates(2)
SHARD = due_shard(MATES[0])


def services(adapters: Adapters) -> Services:
    return services_over(adapters, KNOBS)


def say(adapters: Adapters, where: Session, turn_id: str, text: str = "Hello.") -> None:
    turn = Completion(
        turn_id=TurnId(turn_id), user_id=UserId("ada"), inputs=(message("user", text),), outputs=(message("user", "K"),)
    )
    commit(services(adapters), where, turn)


def run(adapters: Adapters, within: timedelta = A_MINUTE) -> Counter[Outcome]:
    """Run the shard once, as a process of its own."""
    return EveryDue(adapters).run_shard(SHARD, within, services(adapters).maintenance.run_due)


def entry(adapters: Adapters, where: Session) -> datetime | None:
    """Return when the session is due, as its head says."""
    head = adapters.table.get(Key(session_pk(where), HEAD)) or {}
    return datetime.fromisoformat(str(head["isk"])) if "isk" in head else None


def end_state(adapters: Adapters) -> list[Any]:
    """Return all that can be observed of the sessions, without the times and fences that differ between runs."""
    services = services_over(adapters, KNOBS)
    seen: list[Any] = []
    for each in MATES:
        items = {str(item["sk"]): item for item in adapters.table.query(Query(session_pk(each), "", "\uffff")).items}
        stored = abstracts.stored(services, each)
        seen += [
            sorted(items),
            {name: value for name, value in items[HEAD].items() if name not in {"fence", "isk"}},
            list(services.sessions.history(each)),
            services.sessions.summary(each),
            stored and stored.abstracts,
        ]
    return seen
