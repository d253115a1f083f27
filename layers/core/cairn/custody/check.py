"""Check all that a tenant has: that each item opens, and that items agree with one another."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import partial

from cairn.archive.archive import PURPOSE as ARCHIVE
from cairn.archive.index import items_of
from cairn.archive.model import Entry as ArchiveEntry
from cairn.calls.audit import AuditLog
from cairn.calls.day_marker import DayMarker
from cairn.custody.findings import Finding
from cairn.custody.kept_check import KeptCheck
from cairn.custody.quarantine import KNOWN, moving, quarantine_pk
from cairn.custody.session_check import SessionCheck
from cairn.custody.survey import NamespaceSeen, Seen, Survey, shown
from cairn.ground.codec import rfc3339
from cairn.ground.errors import CorruptData, NotFound, StoreError
from cairn.ground.ids import Project, Tenant, is_branch
from cairn.ground.ports import Inventory
from cairn.ground.table import ABSENT, Attributes, Delete, Key, Put, Update, Write, key_of
from cairn.keyvalue import layout as keyvalue
from cairn.keyvalue.model import KeyName, Usage
from cairn.log.layout import ACROSS, NEWEST, log_of, memory_sk
from cairn.log.manifest import Manifest
from cairn.log.newest import Newest, made_at
from cairn.log.registry import listed, registered
from cairn.sessions.services import SessionServices

SAFE_AGE = timedelta(days=1)
"""How old a blob is that nothing names before it is taken for left behind: no call or build takes as long."""
ROUNDS = 6
"""How often a repair looks again: what was mended shows what else is missing."""


@dataclass(frozen=True, slots=True)
class Checked:
    """The result of a check: how much was looked at, and what is wrong."""

    items: int
    blobs: int
    findings: Sequence[Finding]


class Check:
    """Checks a store, as of one moment where it can hold one, and mends it; else exact only while nobody writes."""

    def __init__(self, services: SessionServices, inventory: Inventory, audit: AuditLog) -> None:
        """Look at this store."""
        self._services = services
        self._inventory = inventory
        self._audit = audit

    def run(self, tenant: Tenant) -> Checked:
        """Return what is wrong; nothing is changed."""
        with self._inventory.snapshot() as snapshot:
            return self._checked(tenant, Survey(self._services, snapshot).run(tenant))

    def _checked(self, tenant: Tenant, seen: Seen) -> Checked:
        keys = list(self._of_keys(seen))
        blobs = list(self._inventory.dated_blobs(tenant))
        found = [*keys, *seen.findings]
        if not keys:
            found += [
                *SessionCheck(self._services, tenant).findings(seen),
                *self._of_logs(tenant, seen),
                *self._of_archive(tenant, seen),
                *self._of_values(tenant, seen),
                *KeptCheck(self._services.adapters, self._services.vault, tenant).findings(seen.kept),
            ]
            found += [*self._of_days(tenant, seen), *self._of_chain(tenant, seen)]
            old = self._services.adapters.clock.now() - SAFE_AGE
            orphans = [digest for digest, at in blobs if at < old and digest not in seen.blobs_named]
            delete = self._services.adapters.blobs.delete
            found += [Finding("blob", each, "nothing names it", partial(delete, tenant, each)) for each in orphans]
        else:
            found = [replace(each, mend=None) for each in found]
        return Checked(seen.items, len(blobs), found)

    def repair(self, tenant: Tenant) -> Iterator[Finding]:
        """Mend what can be mended, and yield each finding as it is; run() tells afterwards what is left."""
        for _ in range(ROUNDS):
            mendable = [each for each in self.run(tenant).findings if each.mend is not None]
            if not mendable:
                return
            for each in mendable:
                with suppress(CorruptData, StoreError):  # the next look shows what stood in its way
                    _mend(each)
                    yield each

    def _of_keys(self, seen: Seen) -> Iterator[Finding]:
        yield from (each for each in seen.findings if each.kind == "key")
        seen.findings = [each for each in seen.findings if each.kind != "key"]
        for kid, count in sorted(seen.sealed_under.items()):
            if kid not in seen.keys:
                yield Finding("key", f"data key {kid}", f"it is gone or damaged, and {count} items are sealed under it")

    def _of_logs(self, tenant: Tenant, seen: Seen) -> Iterator[Finding]:
        for pk, log in seen.logs.items():
            _, project, owner = log_of(pk)
            if is_branch(project):  # which has notes of its own, and says in its own way which logs it has
                continue
            if log.manifest is not None and (problem := self._segments_problem(tenant, pk, Manifest.of(log.manifest))):
                rebuild = partial(self._services.indexer.rebuild, tenant, project, owner)
                yield Finding("segment", shown(Key(pk, "m~segments")), problem, _quietly(rebuild))
            for name, item in log.states.items():
                if name not in log.remembered:
                    yield self._orphan(tenant, item, "it is the state of a memory that is not in the log")
            if not log.newest:
                continue
            yield from self._of_registry(tenant, project, owner, seen)
            made = made_at(log.newest)
            if (log.tail or 0) < made:
                item = {"pk": pk, "sk": NEWEST, **Newest(made).attributes()}
                yield self._missing(Put(item), "the log does not say when its newest entry was made")
            for name in log.remembered:
                if name not in log.states:
                    ended = {"ended": log.ended[name]} if name in log.ended else {}
                    state = {"state": "forgotten" if ended else "kept", **ended}
                    yield self._missing(
                        Put({"pk": pk, "sk": memory_sk(name), **state}, ABSENT), "a memory has no state"
                    )

    def _of_registry(self, tenant: Tenant, project: Project, owner: str, seen: Seen) -> Iterator[Finding]:
        """Yield by which lists a log cannot be found; each is missed once. One across projects is in no list."""
        if project == ACROSS:
            return
        for write, problem in (
            (registered(tenant, project, owner), "its project does not know this log"),
            (listed(tenant, project), "the tenant does not know this project"),
        ):
            where = key_of(write)
            if (where.pk, where.sk) not in seen.registered:
                seen.registered.add((where.pk, where.sk))
                yield self._missing(write, problem)

    def _segments_problem(self, tenant: Tenant, pk: str, manifest: Manifest) -> str | None:
        for low, ref in manifest.bounds():
            try:
                self._services.indexer.segments.load(tenant, pk, low, ref)
            except CorruptData as error:
                return error.what
            except NotFound:
                return "the blob of a segment is gone"
        return None

    def _of_archive(self, tenant: Tenant, seen: Seen) -> Iterator[Finding]:
        for digest, items in seen.archived.items():
            newest = max(items.values(), key=lambda item: len(str(item["tags"])))
            entry = ArchiveEntry.of(newest)
            wanted = {Key.of(item).sk: item for item in items_of(tenant, entry)}
            try:
                sealed = self._services.vault.blob(tenant, digest)
                self._services.vault.unseal_alike(tenant, ARCHIVE, entry.key_number, sealed)
            except CorruptData as error:
                for item in items.values():
                    yield Finding("record", shown(Key.of(item)), error.what, self._move(tenant, item))
                continue
            for sk, item in items.items():
                if sk not in wanted:
                    yield self._orphan(tenant, item, "it is no place of its archived session")
            for sk, item in wanted.items():
                if sk not in items:
                    yield self._missing(Put(item, ABSENT), "an archived session cannot be found there")

    def _of_values(self, tenant: Tenant, seen: Seen) -> Iterator[Finding]:
        whole = Usage()
        for pk, namespace in seen.namespaces.items():
            yield from self._of_namespace(tenant, pk, namespace)
            stored = [entry for entry in namespace.values.values() if not entry.removed]
            counted = Usage(len(stored), sum(entry.size for entry in stored))
            whole = Usage(whole.items + counted.items, whole.size + counted.size)
            if counted != (namespace.usage or Usage()):
                yield self._counter(Key(pk, keyvalue.USAGE), counted)
            name = keyvalue.namespace_sk(keyvalue.namespace_of(pk))
            if stored and name not in seen.known_namespaces:
                item = {"pk": keyvalue.namespaces_pk(tenant), "sk": name}
                yield self._missing(Put(item), "the tenant does not know this namespace")
        if whole != (seen.usage or Usage()):
            yield self._counter(Key(keyvalue.namespaces_pk(tenant), keyvalue.USAGE), whole)

    def _of_namespace(self, tenant: Tenant, pk: str, seen: NamespaceSeen) -> Iterator[Finding]:
        expiries: set[str] = set()
        for key, entry in seen.values.items():
            if entry.removed:
                continue
            if seen.names.get(key) != entry:
                item = {"pk": pk, "sk": keyvalue.entry_sk(key), **entry.attributes()}
                yield self._missing(Put(item), "a key is not listed as it is")
            if entry.until is not None:
                sk = keyvalue.expiry_sk(entry.until, KeyName(key))
                expiries.add(sk)
                if sk not in seen.expiries:
                    due = {"ipk": keyvalue.namespaces_pk(tenant), "isk": rfc3339(entry.until)}
                    yield self._missing(Put({"pk": pk, "sk": sk, **due}), "a key's expiry is not noted")
        for key in seen.names:
            if key not in seen.values or seen.values[key].removed:
                yield self._surplus(Key(pk, keyvalue.entry_sk(key)), "a key is listed that has no value")
        for sk in seen.expiries.keys() - expiries:
            yield self._surplus(Key(pk, sk), "an expiry is noted of a key that has none")

    def _of_days(self, tenant: Tenant, seen: Seen) -> Iterator[Finding]:
        for day, expires_at in seen.days.items():
            if day not in seen.markers:
                marker = DayMarker(day, expires_at + 86_400)
                yield self._missing(Put(marker.to_item(tenant), ABSENT), "a day with records of calls is not noted")

    def _of_chain(self, tenant: Tenant, seen: Seen) -> Iterator[Finding]:
        """Yield what the audit log's chain shows; it is evidence, so that a repair only notes that it was seen."""
        try:
            findings = self._audit.verify(tenant).findings
        except CorruptData:
            return  # of an item that is a finding itself; the next look is behind it
        counted = Counter((each.kind, each.what, each.name) for each in findings)
        for kind, what, name in counted:
            known = f"{kind} {what} {name}"
            if known not in seen.known:
                item = {"pk": quarantine_pk(tenant), "sk": f"{KNOWN}{known}", "at": rfc3339(self._now())}
                note = partial(self._services.adapters.table.put, Put(item))
                yield Finding(
                    "chain", name, f"a {what} of the audit log is {kind}; `cairn audit verify` shows it", note
                )

    def _missing(self, write: Put, problem: str) -> Finding:
        return Finding("missing", shown(Key.of(write.item)), problem, partial(self._write, write))

    def _counter(self, where: Key, usage: Usage) -> Finding:
        item = {"pk": where.pk, "sk": where.sk, "items": usage.items, "size": usage.size}
        problem = f"it does not count the {usage.items} keys with {usage.size} bytes that are there"
        return Finding("counter", shown(where), problem, partial(self._write, Put(item)))

    def _surplus(self, where: Key, problem: str) -> Finding:
        return Finding("orphan", shown(where), problem, partial(self._write, Delete(where)))

    def _orphan(self, tenant: Tenant, item: Attributes, problem: str) -> Finding:
        return Finding("orphan", shown(Key.of(item)), problem, self._move(tenant, item))

    def _move(self, tenant: Tenant, item: Attributes) -> Callable[[], None]:
        table, writes = self._services.adapters.table, moving(tenant, item, self._now())
        return partial(table.transact, writes)

    def _write(self, write: Write) -> None:
        table = self._services.adapters.table
        match write:
            case Put():
                table.put(write)
            case Delete():
                table.delete(write)
            case Update():
                table.update(write)
            case _:
                table.transact([write])

    def _now(self) -> datetime:
        return self._services.adapters.clock.now()


def _mend(finding: Finding) -> None:
    if finding.mend is not None:
        finding.mend()


def _quietly(call: Callable[[], object]) -> Callable[[], None]:
    def run() -> None:
        call()

    return run
