"""Seal the audit logs of a data directory in the background: now and then, and once more before its process ends.

Exported bundles whose day is over are removed on the way, and erasures whose grace time is over are carried out.
"""

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
        _work(services)
        while not ended.wait(seconds):
            _work(services)
        seal_due(services, _LAST_TIME_LIMIT)

    thread = Thread(target=run, name="sealing", daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()


def _work(services: Services) -> None:
    seal_due(services)
    drop_overdue(services)
    erase_overdue(services)


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


def drop_overdue(services: Services) -> int:
    """Remove the parts of exported bundles whose time is over and return how many; what fails is removed later."""
    from cairn.custody.kept_bundles import KeptBundles  # noqa: PLC0415 - a process is up before it is needed

    try:
        return KeptBundles(services.adapters, services.vault).remove_overdue()
    except (CairnError, StoreError) as error:
        _logger.warning("exported bundle not removed: %s", type(error).__name__)
        return 0


def erase_overdue(services: Services) -> list[bool]:
    """Carry out the erasures whose grace time is over; return of each whether it is done. What fails is due again."""
    from cairn.tool.maintenance_runs import erase_due  # noqa: PLC0415 - as above

    try:
        return erase_due(services, "cairn-erasures")
    except (CairnError, StoreError) as error:
        _logger.warning("erasures not carried out: %s", type(error).__name__)
        return [False]
