"""This process's services: settings from the environment, adapters by where the store is, built once at first use."""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from threading import Lock

from cairn.domain.errors import SettingsError
from cairn.ports import FactModel
from cairn.runtime import settings as settings_of
from cairn.runtime import telemetry
from cairn.runtime.settings import AwsStore, EmbeddedStore, Settings
from cairn.runtime.system import SystemClock, SystemEntropy, ThreadedParallel, in_turn
from cairn.service.credentials import Credentials
from cairn.service.directories import Directories
from cairn.service.engine import Engine, Turns
from cairn.service.health import Health
from cairn.service.maintenance import Maintenance
from cairn.service.world import World

_CALLS_AT_ONCE = 8


@dataclass(frozen=True, slots=True)
class Services:
    """What the tools and the authorizer call."""

    settings: Settings
    turns: Turns
    maintenance: Maintenance
    directories: Directories
    credentials: Credentials
    health: Health


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
            telemetry.configure()
            settings = settings_of.read(os.environ)
            _slot.services = build(settings, adapters(settings))
        return _slot.services


def provide(given: Services | None) -> None:
    """Put services in place of those of the environment; None forgets them, so that the next use builds anew."""
    with _slot.lock:
        _slot.services = given


def build(settings: Settings, world: World) -> Services:
    """Return the services over these adapters."""
    engine = Engine.over(world, settings.memory_for)
    return Services(settings, engine.turns, engine.maintenance, engine.directories, Credentials(world), Health(world))


def adapters(settings: Settings) -> World:
    """Return the adapters of the settings' store and language model; SettingsError where no store is named."""
    return replace(_stores(settings), fact_model=_fact_model(settings))


def _stores(settings: Settings) -> World:
    match settings.store:
        case EmbeddedStore() as store:
            return _embedded(store)
        case AwsStore() as store:
            return _aws(store)
        case None:
            raise SettingsError("CAIRN_DATA: is missing, or CAIRN_TABLE, CAIRN_BUCKET and CAIRN_KEY_ID are")


def _fact_model(settings: Settings) -> FactModel | None:
    if settings.model_key is None:
        return None
    from cairn.runtime.language_model import ResponsesModel  # noqa: PLC0415 - most deployments do without an HTTP client

    return ResponsesModel(settings.model_key)


def _embedded(store: EmbeddedStore) -> World:
    from cairn.embedded.blobs import DirectoryBlobs  # noqa: PLC0415 - a Lambda does without SQLite
    from cairn.embedded.keyring import LocalKeyRing, load_or_create_master_key, master_key  # noqa: PLC0415
    from cairn.embedded.table import SqliteTable  # noqa: PLC0415

    given = store.master_key
    master = load_or_create_master_key(store.key_file) if given is None else master_key(given)
    return World(
        table=SqliteTable(store.table_file),
        blobs=DirectoryBlobs(store.blobs_directory),
        keys=LocalKeyRing(master),
        clock=SystemClock(),
        entropy=SystemEntropy(),
        parallel=in_turn,
    )


def _aws(store: AwsStore) -> World:
    from cairn.aws.blobs import S3Blobs  # noqa: PLC0415 - one machine does without the AWS SDK
    from cairn.aws.clients import Clients  # noqa: PLC0415
    from cairn.aws.keyring import KmsKeyRing  # noqa: PLC0415
    from cairn.aws.table import DynamoTable  # noqa: PLC0415

    clients = Clients()
    return World(
        table=DynamoTable(clients.dynamodb, store.table),
        blobs=S3Blobs(lambda: clients.s3, store.bucket),
        keys=KmsKeyRing(clients.kms, store.key_id),
        clock=SystemClock(),
        entropy=SystemEntropy(),
        parallel=ThreadedParallel(_CALLS_AT_ONCE),
    )
