"""Read what a branch's log begins with: the project's log up to the branch's moment, from its segments and entries."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import replace
from functools import partial

from cairn.ground.adapters import Adapters, Pending
from cairn.ground.attributes import number
from cairn.ground.errors import CorruptData, NotFound
from cairn.ground.ids import Digest, trunk
from cairn.ground.paging import every
from cairn.ground.table import Attributes, Key, Query
from cairn.log.branches import Branch, Branches
from cairn.log.layout import MANIFEST, log_pk, log_range, own_log_of
from cairn.log.manifest import Manifest, SegmentRef
from cairn.log.reading import Beginning, Reading
from cairn.log.segment import Segment
from cairn.log.segments import as_far_as_readable, loading
from cairn.log.view import MemoryView

Load = Callable[[str, SegmentRef], Segment]
"""Returns the segment that follows a sort key."""


class BranchReading:
    """Reads the beginnings of branches' logs."""

    def __init__(self, adapters: Adapters, branches: Branches) -> None:
        """Hold no state of its own."""
        self._adapters = adapters
        self._branches = branches

    def read(self, pk: str, load: Callable[[str], Load]) -> tuple[Reading, list[Attributes]]:
        """Return what the project's segments say, and the entries that follow: the project's, then the branch's own.

        Two rounds, as for any log; NotFound where there is no such branch.
        """
        tenant, project, owner = own_log_of(pk)
        of = log_pk(tenant, trunk(project), owner)
        record = Pending(lambda: self._branches.read(tenant, project))
        own = Pending(lambda: list(every(self._adapters.table, Query(pk, *log_range()))))
        manifest = Pending(lambda: as_far_as_readable(self._adapters.table.get(Key(of, MANIFEST))))
        self._adapters.parallel([record, own, manifest])
        branch, held = record.result, manifest.result
        known = tuple(ref for ref in held.segments if ref.through <= branch.through)
        read, entries = self._begun(branch, of, replace(held, segments=known), load(of))
        changed = next((item for item in own.result if item["sk"] == MANIFEST), None)
        read.manifest = as_far_as_readable(changed)
        return read, [*entries, *(item for item in own.result if item is not changed)]

    def _begun(self, branch: Branch, of: str, base: Manifest, load: Load) -> tuple[Reading, list[Attributes]]:
        # Segments may be merged while they are read; the entries are all still there.
        with suppress(NotFound, CorruptData):
            return self._from(branch, of, base, load)
        return self._from(branch, of, replace(base, segments=()), load)

    def _from(self, branch: Branch, of: str, base: Manifest, load: Load) -> tuple[Reading, list[Attributes]]:
        between = Pending(partial(self._entries, branch, of, base.through))
        loads = [Pending(partial(load, *bound)) for bound in base.bounds()]
        self._adapters.parallel([between, *loading(base.segments, loads)])
        segments: Mapping[Digest, Segment] = {
            ref.digest: each.result for ref, each in zip(base.segments, loads, strict=True)
        }
        entries = between.result
        newest = Key.of(entries[-1]).sk if entries else base.through
        beginning = Beginning(branch, of, newest, len(entries), base.erasures)
        read = Reading(MemoryView(segments.values()), base, Manifest(), dict(segments), beginning=beginning)
        return read, entries

    def _entries(self, branch: Branch, of: str, after: str) -> list[Attributes]:
        """Return the entries of a project's log that a branch knows, after one of them."""
        low, _ = log_range()
        found = every(self._adapters.table, Query(of, max(low, after), branch.through))
        return [entry for entry in found if Key.of(entry).sk > after]

    def goes_on(self, beginning: Beginning) -> bool:
        """Tell whether the branch is there and what its log began with is all there still, and no more: two reads more.

        A turn that was being stored when the branch was made may have come late; one may have been taken out since.
        """
        branch = beginning.branch
        record = Pending(lambda: self._branches.read(branch.tenant, branch.project))
        entries = Pending(lambda: self._entries_from(beginning))
        manifest = Pending(lambda: self._adapters.table.get(Key(beginning.pk, MANIFEST)))
        self._adapters.parallel([record, entries, manifest])
        held = manifest.result
        return (record.result.id, entries.result, 0 if held is None else number(held, "erasures", 0)) == (
            branch.id,
            [beginning.newest] if beginning.newest else [],
            beginning.erasures,
        )

    def _entries_from(self, beginning: Beginning) -> list[str]:
        low, _ = log_range()
        query = Query(beginning.pk, max(low, beginning.newest), beginning.branch.through, limit=2)
        return [Key.of(item).sk for item in self._adapters.table.query(query).items]
