"""The segments of a memory log: sealed blobs under their digests, named by one manifest item."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from hashlib import sha256

from cairn.ground.adapters import Adapters
from cairn.ground.attributes import text
from cairn.ground.errors import CorruptData, TransactionRefused, Unavailable
from cairn.ground.ids import Digest, Tenant
from cairn.ground.paging import every
from cairn.ground.table import Attributes, Delete, Key, Put, Query, Write, prefix_range
from cairn.log.layout import DISCARDED, MANIFEST, discarded_before, discarded_sk
from cairn.log.manifest import Manifest, SegmentRef, is_version
from cairn.log.pages import PageBytes, PageSource, page_cache
from cairn.log.segment import Segment
from cairn.log.segment_writer import Written
from cairn.vault.vault import SEAL_BYTES, Vault

GRACE = timedelta(hours=1)
"""How long a blob outlives the manifest that named it: longer than any call that may have read that manifest."""
LONGEST_BUILD = timedelta(minutes=30)
"""After how long a new segment is given up: well before GRACE, when its blob is taken for left behind."""


def as_far_as_readable(item: Attributes | None) -> Manifest:
    """Return the manifest that an item holds, or what tells it from another where its segments cannot be read."""
    if item is None:
        return Manifest()
    try:
        return Manifest.of(item)
    except CorruptData:
        version, erasures = item.get("version"), item.get("erasures")
        counted = erasures if isinstance(erasures, int) else 0
        return Manifest(version, (), counted) if is_version(version) else Manifest(0, (), counted, version)


@dataclass(frozen=True, slots=True)
class Built:
    """A segment whose blob is stored but which no manifest names yet."""

    ref: SegmentRef
    started: datetime


class Segments:
    """Loads, adds and discards segments."""

    def __init__(self, adapters: Adapters, vault: Vault) -> None:
        """Hold no state of its own."""
        self._adapters = adapters
        self._vault = vault
        self._pages = page_cache()

    def manifest(self, pk: str) -> Manifest:
        """Return the log's manifest, one of version 0 where it has none; CorruptData if it cannot be read."""
        item = self._adapters.table.get(Key(pk, MANIFEST))
        return Manifest() if item is None else Manifest.of(item)

    def damaged_manifest(self, pk: str) -> Manifest:
        """Return the log's manifest, or its version alone: to be replaced by a sound one."""
        return as_far_as_readable(self._adapters.table.get(Key(pk, MANIFEST)))

    def load(self, tenant: Tenant, pk: str, low: str, ref: SegmentRef) -> Segment:
        """Return the segment that follows `low`; NotFound if its blob is gone, CorruptData if it is not what it was."""
        # Each step's bytes go with the next: of a large segment there are two copies at a time, and not four.
        if ref.head:
            segment = self._paged(tenant, Key(pk, MANIFEST), ref)
        else:
            sealed = self._adapters.blobs.get(tenant, ref.digest)
            segment = Segment(self._vault.unseal_blob(tenant, Key(pk, MANIFEST), sealed))
        # Its seal is sound, and it is of another stretch of this log: the manifest was tampered with or mixed up.
        if (segment.low, segment.through) != (low, ref.through):
            raise CorruptData("a segment stands in the place of another")
        return segment

    def _paged(self, tenant: Tenant, where: Key, ref: SegmentRef) -> Segment:
        """Return a segment of which the head is read now, and pages when they are asked for."""

        def part(start: int, length: int) -> bytes:
            return self._vault.unseal_blob(
                tenant, where, self._adapters.blobs.get_part(tenant, ref.digest, start, length)
            )

        def page(where: PageBytes) -> bytes:
            # Each page before it is longer by its seal.
            return part(ref.head + where.start + where.number * SEAL_BYTES, where.length + SEAL_BYTES)

        return Segment(part(0, ref.head), PageSource(page, self._adapters.parallel, self._pages))

    def build(self, tenant: Tenant, pk: str, through: str, entries: int, segment: Written) -> Built:
        """Store a segment's blob, noted as of no use until a manifest names it."""
        started = self._adapters.clock.now()
        head, *pages = (
            self._vault.seal_blob(tenant, Key(pk, MANIFEST), part) for part in (segment.head, *segment.pages)
        )
        sealed = b"".join([head, *pages])
        digest = Digest(sha256(sealed).hexdigest())
        # Noted before it is stored: a crash between the two leaves a note without a blob, which collect() clears, and
        # never a blob without a note.
        self._adapters.table.put(_discarded(pk, started, digest))
        self._adapters.blobs.put(tenant, sealed)
        return Built(SegmentRef(digest, through, entries, len(head) if pages else 0), started)

    def switch(self, pk: str, manifest: Manifest, kept: int, built: Built) -> Manifest | None:
        """Put the built segment in place of all but the `kept` oldest; None if the manifest was changed meanwhile."""
        now = self._adapters.clock.now()
        # Its note is about to be old enough for the blob to be collected.
        if now - built.started > LONGEST_BUILD:
            raise Unavailable("a segment took too long to build")
        new = Manifest(manifest.version + 1, (*manifest.segments[:kept], built.ref), manifest.erasures)
        writes: list[Write] = [
            Put(new.to_item(pk), manifest.is_stored),
            Delete(Key(pk, discarded_sk(built.started, built.ref.digest))),
            *(_discarded(pk, now, ref.digest) for ref in manifest.segments[kept:]),
        ]
        try:
            self._adapters.table.transact(writes)
        except TransactionRefused as refused:
            if refused.reasons[0] is None or refused.reasons[0].code != "condition":
                raise Unavailable("the store refused a new segment; index the log again") from refused
            return None
        return new

    def rewrite(self, pk: str, writes: Sequence[Write], blobs: Iterable[Digest] = ()) -> None:
        """Make the writes, which take entries out of the log, and leave it without segments, all or nothing.

        The segments' blobs and these others are of no use then. Unavailable where an indexer was faster: do it again.
        """
        try:
            self._adapters.table.transact([*self.changing(pk, "", blobs), *writes])
        except TransactionRefused as refused:
            raise Unavailable("the log is being indexed; run it again") from refused

    def changing(self, pk: str, first: str, blobs: Iterable[Digest] = ()) -> list[Write]:
        """Return the writes to be made with those that change entries or put some between, none of them before `first`.

        Readers learn by them to read the log anew. Segments that reach as far as `first` are of no use then, nor are
        these blobs.
        """
        held, now = self.damaged_manifest(pk), self._adapters.clock.now()
        kept = tuple(ref for ref in held.segments if ref.through < first)
        useless = [*blobs, *(ref.digest for ref in held.segments[len(kept) :])]
        new = Manifest(held.version + 1, kept, held.erasures + 1)
        return [Put(new.to_item(pk), held.is_stored), *(_discarded(pk, now, digest) for digest in useless)]

    def drop_discarded(self, tenant: Tenant, pk: str) -> None:
        """Delete the blobs that are of no use, however short that is; who is reading one reads the manifest again."""
        self._drop(tenant, pk, *prefix_range(DISCARDED))

    def collect(self, tenant: Tenant, pk: str) -> None:
        """Delete the blobs that have been of no use for longer than GRACE."""
        self._drop(tenant, pk, *discarded_before(self._adapters.clock.now() - GRACE))

    def _drop(self, tenant: Tenant, pk: str, low: str, high: str) -> None:
        for item in every(self._adapters.table, Query(pk, low, high)):
            self._adapters.blobs.delete(tenant, Digest(text(item, "digest")))
            self._adapters.table.delete(Delete(Key.of(item)))


def loading(refs: Sequence[SegmentRef], loads: Sequence[Callable[[], object]]) -> list[Callable[[], object]]:
    """Return the calls that make these loads at once, but for those of full segments, which one of them makes in turn.

    While it is loaded a segment takes its size twice, and of full ones a log may have any number.
    """
    full = [load for ref, load in zip(refs, loads, strict=True) if ref.is_full]

    def in_turn() -> None:
        for load in full:
            load()

    others = [load for ref, load in zip(refs, loads, strict=True) if not ref.is_full]
    return [*others, in_turn] if full else others


def _discarded(pk: str, when: datetime, digest: Digest) -> Put:
    return Put({"pk": pk, "sk": discarded_sk(when, digest), "digest": digest})
