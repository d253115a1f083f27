"""What must hold after any schedule of what is kept beside turns: memories, values, archived sessions, files."""

from __future__ import annotations

from collections import Counter
from functools import cached_property
from typing import Any

from cairn.archive.layout import archive_pk, pointer_sk
from cairn.archive.model import Deposit
from cairn.files.layout import FILES
from cairn.ground.errors import NotFound
from cairn.ground.ids import Digest, Tenant
from cairn.ground.paging import every
from cairn.ground.session import Session
from cairn.ground.table import Key, Query, prefix_range
from cairn.keyvalue.model import Place
from cairn.log.layout import is_entry, log_pk, log_range, memory_sk, registry_pk, registry_sk
from cairn.log.memories import scope_of
from cairn.sessions.layout import MEMORY_COUNT, session_pk
from simulation.actions import PROJECT, Play, tag_of
from simulation.operations import last_ones
from simulation.recount import Problems
from simulation.stage import Process
from simulation.storage_actions import LOG, MOST, PLACES, STATE, recalled


class StorageFindings:
    """One look at the end of a schedule."""

    def __init__(self, play: Play, process: Process) -> None:
        self._operations = play.operations
        self._play = play
        self._process = process
        self._adapters = process.services.adapters
        self._tenants: list[Tenant] = sorted({session.tenant for session in play.sessions})

    def problems(self) -> Problems:
        if not self._operations.all:
            return
        yield from self._memories()
        yield from self._told()
        for tenant in self._tenants:
            yield from self._kept_once(tenant)
            yield from self._counted(tenant)
            yield from self._values(tenant)
            yield from self._archived(tenant)
            yield from self._bytes(tenant)
        for session in self._play.sessions:
            yield from self._lines(session)
            yield from self._state(session)

    @cached_property
    def _forgotten(self) -> dict[str, list[Any]]:
        """Return the calls that were to forget a memory, by its id."""
        found: dict[str, list[Any]] = {}
        for operation in self._operations.of("forget"):
            found.setdefault(operation.about, []).append(operation)
        return found

    def _memories(self) -> Problems:
        """Hold what is recalled now to what was kept and forgotten for sure."""
        for session in self._play.sessions:
            for user in self._play.users:
                there = recalled(self._process, session, user)
                for operation in self._operations.of("remember"):
                    (where, note), name = operation.about, operation.answer
                    if not operation.ok or (where, note.user_id) != (session, user):
                        continue
                    ends = self._forgotten.get(name, [])
                    if not ends and there.get(name) != note.content:
                        yield f"{note} of {session} is kept and not recalled"
                    if any(end.ok for end in ends) and name in there:
                        yield f"{note} of {session} was forgotten and is recalled"
                said = {each.about[1].content for each in self._operations.of("remember")}
                if len(set(there.values())) < len(there) or not set(there.values()) <= said:
                    yield f"{session} recalls {there}"
                yield from self._foreign(session, user, there)

    def _foreign(self, session: Session, user: str, there: dict[str, str]) -> Problems:
        own = tag_of(session, user)
        for name, content in there.items():
            of_session, of_user = content.startswith(own.rsplit("-", 1)[0] + "-"), f"-{user} " in content
            in_sight = {"session": of_session, "user": of_user, "project": True}[scope_of(name) or "session"]
            if not (in_sight and content.startswith(f"{session.tenant}-")):
                yield f"{user} in {session} recalls {content!r} of {name}"

    def _told(self) -> Problems:
        """Hold each recall to what had been kept before it was asked, and to what had been forgotten."""
        for operation in self._operations.of("recall"):
            if not operation.ok:
                continue
            for name in operation.answer:
                if any(end.ok and (end.ended or 0) < operation.begun for end in self._forgotten.get(name, [])):
                    yield f"{operation.about} recalled {name}, which had been forgotten"
            for kept in self._operations.of("remember"):
                (session, note), name = kept.about, kept.answer
                is_own = kept.ok and (session, note.user_id) == operation.about and (kept.ended or 0) < operation.begun
                if is_own and name not in self._forgotten and name not in operation.answer:
                    yield f"{operation.about} did not recall {note}"

    def _kept_once(self, tenant: Tenant) -> Problems:
        """Hold what says that a memory is kept or forgotten to the entries of the logs: one for each."""
        states: dict[str, str] = {}
        for pk in self._logs(tenant):
            for item in every(self._adapters.table, Query(pk, *prefix_range(memory_sk("")))):
                states[str(item["sk"]).removeprefix(memory_sk(""))] = str(item["state"])
        written = Counter(memory["id"] for record in self._entries(tenant) for memory in record["remembered"])
        ended = Counter(ending["id"] for record in self._entries(tenant) for ending in record["forgotten"])
        forgotten = [name for name, state in states.items() if state == "forgotten"]
        if written != Counter(states.keys()) or ended != Counter(forgotten):
            yield f"the logs of {tenant} say {dict(written)} and {dict(ended)} of memories, which are {states}"

    def _counted(self, tenant: Tenant) -> Problems:
        """Hold how many memories a session keeps, and forgot of its own, to the entries of the logs."""
        entries = self._entries(tenant)
        kept = Counter(memory["session"] for record in entries for memory in record["remembered"])
        endings = [ending for record in entries for ending in record["forgotten"]]
        forgotten = Counter(ending["session"] for ending in endings if scope_of(ending["id"]) == "session")
        for session in self._play.sessions:
            if session.tenant == tenant:
                item = self._adapters.table.get(Key(session_pk(session), MEMORY_COUNT)) or {}
                counts = (item.get("kept", 0), item.get("forgotten", 0))
                found = (kept[session.session_id], forgotten[session.session_id])
                if counts != found:
                    yield f"{session} counts {counts} memories, and has {found}"

    def _entries(self, tenant: Tenant) -> list[dict[str, Any]]:
        items = [item for pk in self._logs(tenant) for item in every(self._adapters.table, Query(pk, *log_range()))]
        unseal = self._process.services.vault.unseal
        return [unseal(tenant, item) for item in items if is_entry(str(item["sk"]))]

    def _logs(self, tenant: Tenant) -> list[str]:
        pk = registry_pk(tenant, PROJECT)
        items = every(self._adapters.table, Query(pk, *prefix_range(registry_sk(""))))
        return [log_pk(tenant, PROJECT, str(item["sk"]).removeprefix(registry_sk(""))) for item in items]

    def _values(self, tenant: Tenant) -> Problems:
        """Hold each value to the calls that may have been the last, and the totals to a recount."""
        for namespace, key in PLACES:
            place = Place(tenant, namespace, key)
            operations = [operation for operation in self._operations.of("value") if operation.about == place]
            last = last_ones(operations)
            try:
                found = self._process.services.keyvalue.get(place)
            except NotFound:
                if any(operation.ok for operation in operations) and all(
                    operation.content and not operation.expires for operation in last
                ):
                    yield f"{place} is gone, and was last {last}"
                continue
            made = [operation for operation in last if operation.content == found.value]
            if not made:
                yield f"{place} is {found.value[:20]!r}, and was last {last}"
            elif made[0].ok and made[0].answer != found.version:
                yield f"{place} has version {found.version}, and was told {made[0].answer}"
        for each in self._process.services.keyvalue.collection.recount(tenant):
            if each.kept != each.counted:
                yield f"{each.namespace or tenant} counts {each.kept}, and has {each.counted}"

    def _archived(self, tenant: Tenant) -> Problems:
        """Hold every pointer to a blob that opens, to its places, and to the tags it was told."""
        pk = archive_pk(tenant)
        items = list(every(self._adapters.table, Query(pk, "\x01", "\U0010ffff")))
        entries = {entry.digest: entry for entry in self._process.services.archive.query(tenant, "", (), MOST)}
        for digest, entry in entries.items():
            if self._process.services.archive.retrieve(tenant, digest)["session_id"] != entry.session_id:
                yield f"{digest} is another session"
        expected = sum(3 + len(entry.tags) for entry in entries.values())
        pointers = {Digest(str(item["sk"]).removeprefix(pointer_sk(Digest("")))) for item in items}
        if len(items) != expected or not set(entries) <= pointers:
            yield f"the archive of {tenant} has {len(items)} places, and {expected} were expected"
        for operation in self._operations.of("archive"):
            owner, deposit = operation.about
            assert isinstance(deposit, Deposit)
            if operation.ok and owner == tenant and not set(deposit.tags) <= set(entries[operation.answer].tags):
                yield f"{deposit} was archived without its tags"

    def _lines(self, session: Session) -> Problems:
        """Hold a file to the lines that were appended: those for sure once, none twice."""
        there = Counter(self._read(session, LOG).splitlines())
        operations = [operation for operation in self._operations.of("append") if operation.about == session]
        sure = Counter(str(operation.content) for operation in operations if operation.ok)
        if sure - there or there - Counter(str(operation.content) for operation in operations if not operation.refused):
            yield f"{session}'s file has {there}, and {sure} were appended"

    def _state(self, session: Session) -> Problems:
        last = last_ones([operation for operation in self._operations.of("state") if operation.about == session])
        there = self._read(session, STATE)
        if there not in [operation.content for operation in last] and (
            there or any(operation.ok for operation in last)
        ):
            yield f"{session}'s file is {there[:20]!r}, and was last {last}"

    def _bytes(self, tenant: Tenant) -> Problems:
        sizes = [
            len(self._read(session, path))
            for session in self._play.sessions
            for path in (LOG, STATE)
            if session.tenant == tenant
        ]
        counted = self._adapters.table.get(Key(registry_pk(tenant, PROJECT), FILES)) or {}
        if counted.get("bytes", 0) != sum(sizes):
            yield f"{tenant}'s files have {sum(sizes)} bytes, and {counted} are counted"

    def _read(self, session: Session, path: str) -> str:
        try:
            return self._process.services.files.read(session, path).decode()
        except NotFound:
            return ""
