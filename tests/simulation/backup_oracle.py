"""What must hold of backups after any schedule: each is one moment's state, and nobody comes back who was erased."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import closing, contextmanager
from dataclasses import replace
from math import inf
from pathlib import Path

from cairn.embedded.blobs import DirectoryBlobs
from cairn.embedded.table import SqliteTable
from cairn.ground.errors import CairnError, NotFound
from cairn.ground.ids import UserId
from cairn.keyvalue.model import Place
from cairn.local.backup.manifest import Manifest, snapshots
from cairn.local.backup.restore import restore
from cairn.memories.model import RecallRequest
from cairn.memories.recall import recall
from cairn.services import Services
from simulation.actions import Play
from simulation.backup_actions import HERE, KEEPERS, OF_GAME, VALUES, storage_of, store_of
from simulation.operations import Operation
from simulation.recount import Problems
from simulation.stage import Process
from simulation.witness import state_of
from support.services import services_over

MOST = 1000


class BackupFindings:
    """One look at the end of a schedule, which restores every snapshot that there is."""

    def __init__(self, play: Play, process: Process) -> None:
        self._play = play
        self._operations = play.operations
        self._services = process.services

    def problems(self) -> Problems:
        if self._play.stage.disk is None:
            return
        for each in self._operations.of("restored"):
            if not each.ok and each.about.exists():
                yield f"{each.about.name} is there, and its restore failed"
            if each.ok:
                yield from self._restored(each.about, each.answer.manifest, each.begun)
        storage = storage_of(self._play)
        for name in snapshots(storage):
            manifest, to = Manifest.read(storage, name), self._play.stage.disk / f"last-{name}"
            try:
                restore(storage, to, store_of(self._play), OF_GAME, self._services.adapters.clock, at=manifest.at)
            except CairnError as error:
                yield f"the snapshot {name} cannot be restored: {error!r}"
                continue
            yield from self._of_one_moment(manifest)
            yield from self._restored(to, manifest, inf)

    def _made(self, manifest: Manifest) -> Operation | None:
        """Return the call that made a snapshot, None where it was not told."""
        made = (each for each in self._operations.of("backed up") if each.ok)
        return next((each for each in made if each.answer[0].manifest.name == manifest.name), None)

    def _of_one_moment(self, manifest: Manifest) -> Problems:
        """Hold the copied database to the states that the store had while it was backed up."""
        assert self._play.stage.disk
        made, file = self._made(manifest), self._play.stage.disk / "backups" / manifest.table_file
        first, last = (made.about, made.answer[1]) if made else (1, self._play.stage.moments())
        with closing(SqliteTable(file)) as table:
            if state_of(table) not in self._play.stage.states[first - 1 : last]:
                yield f"the snapshot {manifest.name} is no state that the store had"

    def _restored(self, directory: Path, manifest: Manifest, when: float) -> Problems:
        """Hold what a restored store tells to what was kept, put and erased until it was backed up and restored."""
        made = self._made(manifest)
        erased = [each for each in self._operations.of("erased") if not each.refused]
        with self._opened(directory) as services:
            for user in KEEPERS:
                there = self._recalled(services, user)
                for kept in self._operations.of("jarred"):
                    if kept.about.user_id != user:
                        continue
                    times = there.count(kept.about.content)
                    over = [each for each in erased if each.about == user and (each.ended or inf) > kept.begun]
                    if times and any(
                        each.ok and kept.ok and (kept.ended or inf) < each.begun and (each.ended or inf) < when
                        for each in over
                    ):
                        yield f"{directory.name} has {user}, who was erased"
                    if times > 1:
                        yield f"{directory.name} has {kept.about.content[:20]} twice"
                    if made and kept.ok and (kept.ended or inf) < made.begun and not times and not over:
                        yield f"{directory.name} has lost {kept.about.content[:20]}"
                    if made and times and kept.begun > (made.ended or inf):
                        yield f"{directory.name} has {kept.about.content[:20]}, which came later"
            for place in VALUES:
                yield from self._value(services, place, made)

    def _value(self, services: Services, place: Place, made: Operation | None) -> Problems:
        put = [each for each in self._operations.of("value") if each.about[0] == place]
        try:
            found = services.keyvalue.get(place).value
        except NotFound:
            if made and any(each.ok and (each.ended or inf) < made.begun for each in put):
                yield f"{place} was restored without its value"
            return
        if found not in {each.about[1] for each in put}:
            yield f"{place} was restored with {found[:20]}, which nobody put"

    @contextmanager
    def _opened(self, directory: Path) -> Generator[Services]:
        with closing(SqliteTable(directory / "table.sqlite3")) as table:
            blobs = DirectoryBlobs(directory / "blobs")
            yield services_over(replace(self._play.stage.adapters, table=table, blobs=blobs))

    def _recalled(self, services: Services, user: UserId) -> list[str]:
        found = list[str]()
        while True:
            asked = RecallRequest(limit=MOST, skip=len(found), user_id=user, scope="user", min_confidence=0)
            told = recall(services, HERE, asked)
            found += [each.content for each in told.found]
            if not told.more:
                return found
