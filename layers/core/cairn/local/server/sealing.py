"""Seal the audit logs of a data directory in the background: now and then, and once more before its process ends."""

from __future__ import annotations

import logging
from collections.abc import Generator
from contextlib import contextmanager
from datetime import timedelta
from threading import Event, Thread

from cairn.ground.errors import CairnError, StoreError
from cairn.services import Services

SECONDS = 300.0
_TIME_LIMIT = timedelta(minutes=1)
_LAST_TIME_LIMIT = timedelta(seconds=5)
_logger = logging.getLogger("cairn")


@contextmanager
def sealing(services: Services, seconds: float = SECONDS) -> Generator[None]:
    """Seal what is due at the block's beginning, every so many seconds, and at its end."""
    ended = Event()

    def run() -> None:
        seal_due(services)
        while not ended.wait(seconds):
            seal_due(services)
        seal_due(services, _LAST_TIME_LIMIT)

    thread = Thread(target=run, name="sealing", daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()


def seal_due(services: Services, within: timedelta = _TIME_LIMIT) -> int:
    """Seal the settled records of every audit log that is due and return how many; what fails is due again.

    `within` is the time for each log.
    """
    sealed = 0
    try:
        for tenant in services.sealer.due():
            sealed += services.sealer.seal(tenant, within)
    except (CairnError, StoreError) as error:
        _logger.warning("audit log not sealed: %s", type(error).__name__)
    return sealed
