"""Back up a data directory in the background, as often as the settings say."""

from __future__ import annotations

import logging
from collections.abc import Generator
from contextlib import contextmanager
from datetime import timedelta
from threading import Event, Thread

from cairn.ground.errors import CairnError
from cairn.local.backup.backup import Done, back_up
from cairn.local.backup.manifest import Manifest, snapshots
from cairn.local.backup.places import storage_of
from cairn.services import Services
from cairn.settings.settings import EmbeddedStore

_LOOK_SECONDS = 300.0
_logger = logging.getLogger("cairn")


@contextmanager
def backing_up(services: Services) -> Generator[None]:
    """Make a backup whenever one is due during the block; without a place for them do nothing."""
    store = services.settings.store
    if not services.settings.backup.to or not isinstance(store, EmbeddedStore):
        yield
        return
    ended = Event()

    def run() -> None:
        back_up_due(services, store)
        while not ended.wait(_LOOK_SECONDS):
            back_up_due(services, store)

    thread = Thread(target=run, name="backup", daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()


def back_up_due(services: Services, store: EmbeddedStore) -> Done | None:
    """Make a backup where the newest is old enough, and return what was done; what fails is logged, and due again."""
    wanted, clock = services.settings.backup, services.adapters.clock
    try:
        storage = storage_of(wanted.to)
        if Manifest.named(clock.now() - timedelta(hours=wanted.every)) < max(snapshots(storage), default=""):
            return None
        done = back_up(store, storage, clock, keep=wanted.keep)
    except CairnError as error:
        _logger.warning("backup failed: %s", error.message)
        return None
    _logger.info("backup made", extra={"kept": done.kept, "copied": done.copied})
    for blob in done.manifest.damaged:
        _logger.warning("damaged in the store, and not in the backup: the blob %s", blob)
    return done
