"""This process's services: settings from the environment, adapters by where the store is, built once at first use."""

from __future__ import annotations

import os
from importlib import import_module
from threading import Lock
from typing import TYPE_CHECKING

from cairn.edge.guard import in_lambda
from cairn.ground.errors import SettingsError
from cairn.services import Services
from cairn.settings import settings as settings_of
from cairn.settings.settings import METRICS, AwsStore, EmbeddedStore, Settings

if TYPE_CHECKING:
    from cairn.ground.store_wiring import StoreWiring

if in_lambda():
    # Lambda starts a function on a whole processor, and answers on the share of one that the function's memory buys.
    for _name in ("cairn.aws.wiring", "cairn.telemetry.logs"):
        import_module(_name)

# numpy asks for it when it is loaded: on products of a millisecond its threads would wait, busily, for each other.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")


class _Slot:
    """The one place of a process that holds its services."""

    def __init__(self) -> None:
        self.lock = Lock()
        self.services: Services | None = None


_slot = _Slot()


def services() -> Services:
    """Return this process's services, built from its environment at first use; SettingsError where that is wrong."""
    with _slot.lock:
        if _slot.services is None:
            from cairn.telemetry import logs  # noqa: PLC0415 - a program on one machine loads no Powertools

            logs.configure(os.environ.get(METRICS))
            settings = settings_of.read(os.environ)
            _slot.services = Services(settings, wiring_of(settings))
        return _slot.services


def provide(given: Services | None) -> None:
    """Put services in place of those of the environment; None forgets them, so that the next use builds them again."""
    with _slot.lock:
        _slot.services = given


def wiring_of(settings: Settings, *, for_operator: bool = False) -> StoreWiring:
    """Return how the store of the settings is reached; SettingsError where they name none.

    An operator's command reaches AWS by boto3.
    """
    match settings.store:
        case EmbeddedStore() as store:
            from cairn.embedded.wiring import EmbeddedWiring  # noqa: PLC0415 - a Lambda does without SQLite

            return EmbeddedWiring(store, settings)
        case AwsStore() as store:
            from cairn.aws.wiring import AwsWiring  # noqa: PLC0415 - one machine does without the AWS SDK

            return AwsWiring(store, settings, for_operator=for_operator)
        case None:
            raise SettingsError("CAIRN_DATA: is missing, or CAIRN_TABLE, CAIRN_BUCKET and CAIRN_KEY_ID are")
