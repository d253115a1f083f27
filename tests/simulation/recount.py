"""What one session's items say of each other, counted anew."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Any, TypeAlias

from cairn.conversation.events import Event
from cairn.ground.paging import every
from cairn.ground.session import Session
from cairn.ground.table import Key, Query, prefix_range
from cairn.log.layout import is_entry, log_owner, log_pk, named_in, registry_pk, registry_sk
from cairn.services import Services
from cairn.sessions.layout import HEAD, session_pk

Problems: TypeAlias = Iterator[str]


class Recount:
    """One look at a session, whose turns went to the logs of these owners."""

    def __init__(self, services: Services, session: Session, owners: Sequence[str]) -> None:
        self._services = services
        self._session = session
        self._owners = owners
        self._logs: dict[str, list[dict[str, Any]]] = {}

    def problems(self) -> Problems:
        """Yield what does not add up: numbers in a row, one log entry and one done guard a turn, right counters."""
        yield from self._order()
        yield from self._head()
        yield from self._guards()
        yield from self._registry()

    @cached_property
    def history(self) -> list[tuple[int, tuple[Event, ...]]]:
        """Every turn, as a reader gets it."""
        return list(self._services.sessions.history(self._session))

    @cached_property
    def entries(self) -> list[dict[str, Any]]:
        """The session's entries in all logs, as the table holds them."""
        where = self._session
        return [
            record
            for owner in self._owners
            for record in self.log(owner)
            if record["session"] == named_in(owner, where.project, where.session_id)
        ]

    def log(self, owner: str) -> list[dict[str, Any]]:
        """Return all entries of an owner's log in their order."""
        if owner not in self._logs:
            pk = log_pk(self._session.tenant, self._session.project, owner)
            items = every(self._services.adapters.table, Query(pk, *prefix_range("m#")))
            vault, tenant = self._services.vault, self._session.tenant
            self._logs[owner] = [vault.unseal(tenant, item) for item in items if is_entry(str(item["sk"]))]
        return self._logs[owner]

    def _order(self) -> Problems:
        numbers = [seq for seq, _ in self.history]
        if numbers != list(range(1, len(numbers) + 1)):
            yield f"{self._session} has the turns {numbers}"
        logged = sorted((entry["turn"]["seq"], entry["turn"]["id"]) for entry in self.entries if entry["turn"])
        if logged != [(seq, events[0].turn_id) for seq, events in self.history]:
            yield f"{self._session}'s turns are logged as {logged}"

    def _head(self) -> Problems:
        head = self._services.adapters.table.get(Key(session_pk(self._session), HEAD)) or {}
        entries = [entry for entry in self.entries if entry["turn"] or "said_in" in entry]
        counted = {
            "seq": len(self.history),
            "version": len(self.history),
            "events": sum(len(events) for _, events in self.history),
            "facts_written": sum(len(entry["added"]) for entry in entries),
        }
        if any(head.get(name) != count for name, count in counted.items()):
            yield f"{self._session}'s head is {dict(head)}, and a recount {counted}"
        if int(head.get("facts_superseded", 0)) < sum(len(entry["ended"]) for entry in entries):
            yield f"{self._session}'s head counts too few facts as superseded: {dict(head)}"
        if "lease_until" in head:
            yield f"{self._session} is leased: {dict(head)}"

    def _guards(self) -> Problems:
        items = every(self._services.adapters.table, Query(session_pk(self._session), *prefix_range("turn#")))
        stored = {str(events[0].turn_id): seq for seq, events in self.history}
        # That of a turn which came from a branch does not tell its number.
        guards = {
            name: (item["status"], item.get("seq", stored.get(name)))
            for item in items
            for name in [str(item["turn_id"])]
        }
        if guards != {name: ("done", seq) for name, seq in stored.items()}:
            yield f"{self._session}'s guards are {guards}"

    def _registry(self) -> Problems:
        pk = registry_pk(self._session.tenant, self._session.project)
        items = every(self._services.adapters.table, Query(pk, *prefix_range(registry_sk(""))))
        known = {str(item["sk"]) for item in items}
        users = {event.user_id for _, events in self.history for event in events}
        if not {registry_sk(log_owner(user, self._session.session_id)) for user in users} <= known:
            yield f"a log of {self._session} is not registered"
