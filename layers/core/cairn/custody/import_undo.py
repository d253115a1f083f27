"""Take an import back: the units that go are removed, each so that it can be gone on with wherever that stopped."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby

from cairn.custody.import_units import ImportUnits
from cairn.custody.increments import Increments
from cairn.custody.removal import Removal
from cairn.custody.scope import DataScope, parts_of
from cairn.custody.tasks import TaskServices
from cairn.files.layout import FILES
from cairn.files.own_files import OwnFiles
from cairn.files.owners import is_session
from cairn.ground.attributes import number
from cairn.ground.ids import Project, Tenant
from cairn.ground.paging import every
from cairn.ground.settings import Limits
from cairn.ground.table import Attributes, Delete, Key, Query, Update, Write, prefix_range
from cairn.log.closing import close
from cairn.log.layout import BRANCHES, ENTRIES, KEPT_COUNT, log_of, own_log_of, project_sk, projects_pk, registry_pk
from cairn.log.segments import Segments
from cairn.sessions.dropped_blobs import discard
from cairn.sessions.layout import HEAD, session_of
from cairn.sessions.leased import leased
from cairn.upkeep.erase_session import EraseSession
from cairn.vault.vault import blob_of

_AT_ONCE = 60
"""How many items of a log go in one transaction, beside the log's segments, at most seven a level."""
_ALL = "\x01", "\U0010ffff"


class ImportUndo:
    """One undoing, which reads all that the tenant has, and then removes."""

    def __init__(self, services: TaskServices, tenant: Tenant, lines: Iterable[tuple[bytes, bytes]]) -> None:
        """Take back the records of these lines."""
        self._services = services
        self._adapters = services.adapters
        self._tenant = tenant
        self._units = ImportUnits(lines)
        self._removal = Removal(services.adapters, services.vault)
        self._segments = Segments(services.adapters, services.vault)
        self._sessions = EraseSession(services)
        self._files = OwnFiles(services, Limits())
        self._logs = set[str]()
        self._projects = set[str]()
        self._branched: dict[str, bool] = {}

    def run(self) -> Mapping[str, int]:
        """Return how many records were taken back, and how many are left since somebody changed or built on them.

        ResourceBusy where a session stays leased by another call: it is to be run again.
        """
        with self._services.inventory.snapshot() as snapshot:
            held = Increments(self._adapters, self._services.inventory, self._services.vault)
            for where, record in held.held(DataScope(self._tenant), snapshot):
                if record is not None:
                    self._units.meet(where, record)
        gone = {unit for unit in list(self._units.removable()) if self._take_back(unit)}
        for pk in sorted(self._logs):
            self._tidy(pk)
        for pk in self._units.registered.keys() - self._logs:  # of which an import that was stopped brought no entry
            close(self._adapters, pk, self._units.registered[pk])
        self._forget_names()
        left = sum(count for unit, count in self._units.left.items() if unit not in gone)
        return {"taken_back": len(self._units) - left, "left": left}

    def _take_back(self, unit: str) -> bool:
        """Remove a unit, and tell whether it went: nobody began to use it, or begins a branch with it."""
        kind, project, _ = parts_of(unit)
        if kind in {"s", "m"} and project and self._has_branches(project):
            return False
        if kind == "s":
            self._projects.add(str(project))
        places = self._units.places(unit)
        if kind == "m":
            self._take_entries(places)
        elif kind == "s" and is_session(session_of(unit).session_id):
            return self._take_session(unit, places)
        elif kind == "s":
            self._take_files(unit)
        else:
            for where in sorted(places, key=lambda place: place.pk == unit, reverse=True):  # an item log's head last
                self._removal.remove(where)
            self._removal.clear(unit if kind == "i" else places[0].pk)
        return True

    def _take_session(self, unit: str, places: Sequence[Key]) -> bool:
        session = session_of(unit)
        head = Key(unit, HEAD)
        if self._sessions.is_in_use(session):
            return False
        with leased(self._services, session) as held:
            item = self._adapters.table.get(head) or {}
            if "seq" in item and not self._units.is_as_brought(unit, item):
                return False
            self._take_entries(places)
            for _ in self._sessions.empty(held):
                held.keep()
        return True

    def _take_entries(self, places: Sequence[Key]) -> None:
        """Remove entries of logs, with what says beside a log that their memories are kept."""
        for pk, found in groupby(sorted(places, key=lambda place: (place.pk, place.sk)), key=lambda place: place.pk):
            self._logs.add(pk)
            items = [item for where in found if (item := self._adapters.table.get(where)) is not None]
            for some in (items[at : at + _AT_ONCE] for at in range(0, len(items), _AT_ONCE)):
                blobs = [blob for item in some if (blob := blob_of(item)) is not None]
                self._segments.rewrite(pk, [*map(_delete, some), *self._counted(pk, some)], blobs)

    def _counted(self, pk: str, gone: Sequence[Attributes]) -> Iterator[Write]:
        """Yield the write that counts memories no longer that a log was given in no session."""
        kept = sum(not str(item["sk"]).startswith(ENTRIES) for item in gone)
        where = Key(pk, KEPT_COUNT)
        if kept and self._adapters.table.get(where) is not None:
            yield Update(where, add={"kept": -kept})

    def _take_files(self, pk: str) -> None:
        owner = session_of(pk)
        for path in list(self._files.paths(owner)):
            self._files.delete(owner, path, None)
        discard(self._adapters, owner)
        for item in every(self._adapters.table, Query(pk, *_ALL)):
            self._removal.remove(Key.of(item))

    def _tidy(self, pk: str) -> None:
        """Drop what a log no longer needs, and the log itself where nothing is left in it."""
        self._segments.drop_discarded(self._tenant, pk)
        if not close(self._adapters, pk, self._units.registered.get(pk)):
            self._services.indexer.run(*own_log_of(pk))

    def _forget_names(self) -> None:
        """Forget the names of projects that have no log any more."""
        logs = self._logs | self._units.registered.keys()
        counted = {str(parts_of(each.pk)[1]) for each in self._units.counted}
        for project in {log_of(pk)[1] for pk in logs} | {*map(Project, self._projects | counted)}:
            registry = registry_pk(self._tenant, project)
            left = list(every(self._adapters.table, Query(registry, *_ALL)))
            if all(self._counts_nothing(item) for item in left):
                for where in (*map(Key.of, left), Key(projects_pk(self._tenant), project_sk(project))):
                    self._adapters.table.delete(Delete(where))

    def _counts_nothing(self, item: Attributes) -> bool:
        """Tell whether an item counts files of which none is there.

        Of an import that was stopped files came that it did not count yet, or it counts some that did not come.
        """
        where = Key.of(item)
        return where.sk == FILES and (where in self._units.counted or number(item, "bytes") <= 0)

    def _has_branches(self, project: str) -> bool:
        if project not in self._branched:
            pk = registry_pk(self._tenant, Project(project))
            self._branched[project] = any(True for _ in every(self._adapters.table, Query(pk, *prefix_range(BRANCHES))))
        return self._branched[project]


def _delete(item: Attributes) -> Delete:
    return Delete(Key.of(item))
