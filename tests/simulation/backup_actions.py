"""What is kept on one machine while it is backed up, restored elsewhere, and users are erased: one function each."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from io import BytesIO
from typing import BinaryIO

from cairn.calls.record import ERASE
from cairn.custody.erase_user import EraseUser
from cairn.custody.scope import DataScope
from cairn.embedded.storage import DirectoryStorage
from cairn.ground.ids import Namespace, Project, UserId
from cairn.ground.ports import Storage
from cairn.ground.session import NO_SESSION, Session
from cairn.keyvalue.model import KeyName, Place
from cairn.local.backup.backup import back_up
from cairn.local.backup.restore import restore
from cairn.local.store import recorded
from cairn.memories.model import Note
from cairn.memories.remember import remember
from cairn.settings.settings import EmbeddedStore, Settings
from simulation.actions import TENANTS, Action, Play, held_up, wait
from simulation.faulty_link import FaultyLink
from simulation.operations import NOT_THERE, Kind, Operation
from simulation.stage import KEY, SETTINGS, Process

TENANT, CELLAR = TENANTS[0], Project("cellar")
KEEPERS = (UserId("eve"), UserId("dan"))
HERE = Session(TENANT, CELLAR, NO_SESSION)
VALUES = tuple(Place(TENANT, Namespace("notes"), KeyName(key)) for key in "ab")
OF_GAME = Settings(memory_enabled=True, memory=SETTINGS)
KEEPS = (None, None, 1, 2)


@dataclass(frozen=True, slots=True)
class FaultyStorage:
    """Where backups are, at the end of a line."""

    storage: Storage
    link: FaultyLink

    def names(self, prefix: str = "") -> Iterator[str]:
        return iter(self.link.carry(f"names {prefix}", lambda: list(self.storage.names(prefix))))

    def fetch(self, name: str, into: BinaryIO) -> None:
        read = BytesIO()  # what arrives late arrives nowhere
        self.link.carry(f"fetch {name}", lambda: self.storage.fetch(name, read))
        into.write(read.getvalue())

    def put(self, name: str, file: BinaryIO) -> None:
        data = file.read()
        self.link.carry(f"put {name}", lambda: self.storage.put(name, BytesIO(data)))

    def delete(self, name: str) -> None:
        self.link.carry(f"delete {name}", lambda: self.storage.delete(name))


def storage_of(play: Play) -> DirectoryStorage:
    """Return where the backups are."""
    assert play.stage.disk
    return DirectoryStorage(play.stage.disk / "backups")


def store_of(play: Play) -> EmbeddedStore:
    """Return the store that is backed up."""
    assert play.stage.disk
    return EmbeddedStore(directory=play.stage.disk, master_key=KEY)


def back_it_up(play: Play, process: Process) -> None:
    """Back the store up, and keep all snapshots or the newest."""
    assert process.link
    storage, clock = FaultyStorage(storage_of(play), process.link), process.services.adapters.clock
    keep, first = play.random.choice(KEEPS), play.stage.moments()
    _made(play, "backed up", first, lambda: (back_up(store_of(play), storage, clock, keep=keep), play.stage.moments()))


def restore_it(play: Play, process: Process) -> None:
    """Restore the newest snapshot, or one of before, elsewhere."""
    assert process.link
    assert play.stage.disk
    done = [each.answer[0].manifest.at for each in play.operations.of("backed up") if each.ok]
    at, to = play.random.choice((None, *done)), play.stage.disk / f"restored-{play.operations.number()}"
    storage, clock = FaultyStorage(storage_of(play), process.link), process.services.adapters.clock
    play.operations.make(
        Operation("restored", to, play.operations.number()),
        lambda: restore(storage, to, store_of(play), OF_GAME, clock, at=at),
        NOT_THERE,
    )


def restore_slowly(play: Play, process: Process) -> None:
    """Restore a snapshot, and be held up at it."""
    with held_up(play, process):
        restore_it(play, process)


def keep_something(play: Play, process: Process) -> None:
    """Keep a memory that nobody kept."""
    user = play.random.choice(KEEPERS)
    size = play.random.choice((1, 1, 500))
    kept = Note(
        content=f"{user} keeps jar {play.operations.number()} {play.random.randbytes(size).hex()}",
        scope="user",
        user_id=user,
    )
    _made(play, "jarred", kept, lambda: remember(process.services, HERE, kept).id)


def put_jar(play: Play, process: Process) -> None:
    """Store a value in the place of another, often large enough for a blob."""
    place = play.random.choice(VALUES)
    value = f"{play.operations.number()} {play.random.randbytes(play.random.choice((1, 900))).hex()}"
    _made(play, "value", (place, value), lambda: process.services.keyvalue.put(place, value, None, None))


def erase_keeper(play: Play, process: Process) -> None:
    """Erase a user, on record."""
    user, services = play.random.choice(KEEPERS), process.services

    def erase() -> object:
        with recorded(services, TENANT, ERASE, CELLAR, user):
            return EraseUser(services, services.inventory).run(DataScope(TENANT, CELLAR, user))

    _made(play, "erased", user, erase)


BACKUP_ACTIONS: dict[Action, int] = {
    keep_something: 8,
    put_jar: 4,
    back_it_up: 4,
    restore_it: 2,
    restore_slowly: 1,
    erase_keeper: 1,
    wait: 1,
}


def _made(play: Play, kind: Kind, about: object, call: Callable[[], object]) -> None:
    play.operations.make(Operation(kind, about, play.operations.number()), call, NOT_THERE)
