"""Check that item logs and documents agree with what counts them, and make a head or a guard anew where it is lost."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial

from cairn.custody.findings import Finding, FindingKind
from cairn.custody.kept_seen import DocumentsSeen, ItemLogSeen, KeptSeen
from cairn.custody.survey import shown
from cairn.documents.changes import usage_key
from cairn.documents.model import owner_of
from cairn.ground.adapters import Adapters
from cairn.ground.codec import rfc3339
from cairn.ground.errors import CorruptData
from cairn.ground.ids import Tenant
from cairn.ground.table import ABSENT, Attributes, Delete, Equals, Key, Put, Update, Write
from cairn.items import layout
from cairn.items.guards import Guard, digest_of
from cairn.items.head import Head
from cairn.items.model import Item
from cairn.items.rows import Row
from cairn.vault.vault import Vault


class KeptCheck:
    """Checks the item logs and documents of a tenant."""

    def __init__(self, adapters: Adapters, vault: Vault, tenant: Tenant) -> None:
        """Look at this tenant's."""
        self._adapters = adapters
        self._vault = vault
        self._tenant = tenant

    def findings(self, seen: KeptSeen) -> Iterator[Finding]:
        """Yield what is wrong."""
        for pk, log in seen.logs.items():
            yield from self._of_log(pk, log)
        for pk, documents in seen.documents.items():
            kept = replace(documents.usage, changes=0)
            if kept != documents.counted:
                yield self._usage(pk, documents)

    def _of_log(self, pk: str, seen: ItemLogSeen) -> Iterator[Finding]:
        where, head = _head_at(pk), seen.head
        if head is None:
            if seen.rows:
                yield self._finding("missing", where, "an item log has no head", Put(self._head(where, seen), ABSENT))
            return
        for key, position in seen.below:
            if position < head.floor:
                yield self._finding("orphan", key, "it is of an item log that was deleted", Delete(key))
        rows = [(row, items) for row, items in seen.rows if row.last >= head.floor]
        counts = {"count": sum(len(items) for _, items in rows), "size": sum(row.size for row, _ in rows)}
        least = {"next": max(head.next, seen.highest)}
        if (head.count, head.size, head.next) != (*counts.values(), *least.values()):
            problem = f"it does not count the {counts['count']} items with {counts['size']} bytes that are there"
            now = Equals("revision", head.revision)
            changed = {**counts, **least, "newest": rows[-1][0].revision if rows else 0}
            yield self._finding("counter", where, problem, Update(where, set=changed, condition=now))
        yield from self._guards(pk, rows, seen)

    def _guards(self, pk: str, rows: Sequence[tuple[Row, Sequence[Item]]], seen: ItemLogSeen) -> Iterator[Finding]:
        """Yield the items that could be stored again, since nothing keeps them from it."""
        for row, items in rows:
            for item in items:
                sk = layout.guard_sk(item.id)
                if sk in seen.guards:
                    continue
                key = Key(pk, sk)
                guard = Guard(item.position, row.first, digest_of(item.data))
                write = guard.put(self._vault, self._tenant, key, 0)
                yield self._finding("missing", key, "an item of a log has no guard", write)

    def _head(self, where: Key, seen: ItemLogSeen) -> Attributes:
        """Return a head that counts the rows; its state is lost."""
        times = [item.at for _, items in seen.rows for item in items]
        revisions = [row.revision for row, _ in seen.rows]
        head = Head(
            revision=max(revisions) + 1,
            count=sum(len(items) for _, items in seen.rows),
            size=sum(row.size for row, _ in seen.rows),
            next=seen.highest,
            newest=revisions[-1],
            created_at=rfc3339(min(times)),
            updated_at=rfc3339(max(times)),
        )
        return head.to_item(where)

    def _usage(self, pk: str, seen: DocumentsSeen) -> Finding:
        where, counted, told = usage_key(owner_of(pk)), seen.counted, seen.usage
        pairs = {name: (getattr(counted, name), getattr(told, name)) for name in ("documents", "size", "plain")}
        said = {name: right for name, (right, wrong) in pairs.items() if right != wrong}
        problem = f"it does not count the {counted.documents} documents with {counted.size} bytes that are there"
        return self._finding("counter", where, problem, Update(where, set=said))

    def _finding(self, kind: FindingKind, where: Key, problem: str, write: Write) -> Finding:
        return Finding(kind, shown(where), problem, partial(self._write, write))

    def _write(self, write: Write) -> None:
        self._adapters.table.transact([write])


def _head_at(pk: str) -> Key:
    """Return where the head of a log is whose items are in this partition; CorruptData where it is none."""
    tenant, kind, project, *log = pk.split("#", 3)
    if not log:
        raise CorruptData("a partition is no item log's")
    return Key(f"{tenant}#{kind}#{project}", log[0])
