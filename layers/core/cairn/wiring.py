"""This process's services: settings from the environment, adapters by where the store is, built once at first use."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import timedelta
from threading import Lock
from typing import TYPE_CHECKING

from cairn.access import policies
from cairn.access.key_store import Credentials
from cairn.access.policies import Policies
from cairn.access.policy_store import PolicyStore
from cairn.calls.journal import Journal
from cairn.calls.session_calls import SessionCalls
from cairn.calls.usage import IN_AWS, ON_ONE_MACHINE, Prices
from cairn.engine import Engine, Memories, Turns
from cairn.ground.adapters import Adapters
from cairn.ground.errors import SettingsError
from cairn.ground.ports import HttpGet, Inventory, Jobs, Sandbox
from cairn.keyvalue.store import KeyValue
from cairn.models.embedders import embedder
from cairn.models.fact_models import fact_models
from cairn.process.system import SystemClock, SystemEntropy, ThreadedParallel, in_turn
from cairn.sessions.parts import Parts
from cairn.settings import settings as settings_of
from cairn.settings.settings import METRICS, AwsStore, EmbeddedStore, Settings
from cairn.telemetry.call_events import CallObserver, LoggedCalls
from cairn.telemetry.record import CallTally
from cairn.upkeep.health import Health

if TYPE_CHECKING:
    from cairn.access.tokens import AccessTokens
    from cairn.archive.archive import Archive
    from cairn.calls.audit import AuditLog
    from cairn.calls.sealing import Sealer
    from cairn.files.directories import Directories
    from cairn.recall.indexing import Indexer
    from cairn.upkeep.every_due import EveryDue
    from cairn.upkeep.maintenance import Maintenance

# numpy asks for it when it is loaded: on products of a millisecond its threads would wait, busily, for each other.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

_CALLS_AT_ONCE = 8
_NO_STORE = "CAIRN_DATA: is missing, or CAIRN_TABLE, CAIRN_BUCKET and CAIRN_KEY_ID are"


@dataclass(frozen=True, slots=True)
class Services:
    """What the tools, the authorizer and the probe call; what keeps nothing between calls is loaded when asked for."""

    settings: Settings
    engine: Engine
    turns: Turns
    memories: Memories
    keyvalue: KeyValue
    policies: Policies
    credentials: Credentials
    access_tokens: AccessTokens | None
    health: Health
    jobs: Jobs
    sandbox: Sandbox
    journal: Journal
    session_calls: SessionCalls
    prices: Prices
    observer: CallObserver = field(default_factory=LoggedCalls)

    @property
    def maintenance(self) -> Maintenance:
        """Return what tidies sessions."""
        return self.engine.maintenance

    @property
    def directories(self) -> Directories:
        """Return what lists sessions' directories."""
        return self.engine.directories

    @property
    def indexer(self) -> Indexer:
        """Return what makes segments of logs."""
        return self.engine.indexer

    @property
    def archive(self) -> Archive:
        """Return what archives whole sessions."""
        return self.engine.archive

    @property
    def every_due(self) -> EveryDue:
        """Return what finds the sessions that are due."""
        from cairn.upkeep.every_due import EveryDue  # noqa: PLC0415 - a Lambda loads the use case it serves

        return EveryDue(self._adapters)

    @property
    def sealer(self) -> Sealer:
        """Return what seals the record of calls."""
        from cairn.calls.sealing import Sealer  # noqa: PLC0415

        return Sealer(self._adapters, self.engine.parts.vault)

    @property
    def audit(self) -> AuditLog:
        """Return what reads and checks the record of calls."""
        from cairn.calls.audit import AuditLog  # noqa: PLC0415

        return AuditLog(self._adapters, self.engine.parts.vault)

    @property
    def _adapters(self) -> Adapters:
        return self.engine.parts.adapters


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
            from cairn.telemetry import logs  # noqa: PLC0415 - a handler loads Powertools with its adapters, not before

            logs.configure(os.environ.get(METRICS))
            settings = settings_of.read(os.environ)
            _slot.services = build(settings, adapters(settings))
        return _slot.services


def provide(given: Services | None) -> None:
    """Put services in place of those of the environment; None forgets them, so that the next use builds anew."""
    with _slot.lock:
        _slot.services = given


def build(settings: Settings, adapters: Adapters) -> Services:
    """Return the services over these adapters."""
    adapters = replace(adapters, tally=CallTally())
    parts = Parts.of(adapters, settings.memory_for)
    journal = Journal(adapters, parts.vault, timedelta(days=settings.audit.retention_days))
    engine = Engine.of(parts, settings.limits, journal)
    return Services(
        settings=settings,
        engine=engine,
        turns=engine.turns,
        memories=engine.memories,
        keyvalue=KeyValue(adapters, parts.vault, settings.quotas),
        policies=_policies(settings, adapters),
        credentials=Credentials(adapters),
        access_tokens=_access_tokens(settings, adapters),
        health=Health(adapters),
        jobs=adapters.jobs,
        sandbox=_sandbox(settings),
        journal=journal,
        session_calls=SessionCalls(adapters),
        prices=IN_AWS if isinstance(settings.store, AwsStore) else ON_ONE_MACHINE,
    )


def adapters(settings: Settings, *, for_operator: bool = False) -> Adapters:
    """Return the adapters of the settings; SettingsError where they name no store. An operator reaches AWS by boto3."""
    stores = _stores(settings, for_operator=for_operator)
    meaning = embedder(settings.embedding)
    return replace(stores, fact_model=fact_models(settings), embedder=meaning, http_get=_http_get(settings))


def _stores(settings: Settings, *, for_operator: bool) -> Adapters:
    match settings.store:
        case EmbeddedStore() as store:
            return _embedded(store)
        case AwsStore() as store:
            return _aws(store, for_operator=for_operator)
        case None:
            raise SettingsError(_NO_STORE)


def inventory(settings: Settings) -> Inventory:
    """Return the way to all that a tenant has, for an operator's command."""
    match settings.store:
        case EmbeddedStore() as store:
            from cairn.embedded.inventory import EmbeddedInventory  # noqa: PLC0415 - a Lambda does without SQLite
            from cairn.embedded.table import SqliteTable  # noqa: PLC0415

            return EmbeddedInventory(SqliteTable(store.table_file), store.blobs_directory)
        case AwsStore() as store:
            from cairn.aws.clients import OperatorClients  # noqa: PLC0415 - one machine does without the AWS SDK
            from cairn.aws.inventory import AwsInventory  # noqa: PLC0415

            clients = OperatorClients()
            return AwsInventory(lambda: clients.dynamodb, lambda: clients.s3, store.table, store.bucket)
        case None:
            raise SettingsError(_NO_STORE)


def _policies(settings: Settings, adapters: Adapters) -> Policies:
    if settings.policy_file is not None:
        return policies.of_file(settings.policy_file, adapters.clock)
    return policies.of_table(PolicyStore(adapters).read, adapters.clock)


def _access_tokens(settings: Settings, adapters: Adapters) -> AccessTokens | None:
    if adapters.http_get is None:
        return None
    from cairn.access.tokens import AccessTokens  # noqa: PLC0415 - only where an issuer is told

    return AccessTokens(settings.auth.oidc, adapters.http_get, adapters.clock)


def _http_get(settings: Settings) -> HttpGet | None:
    if not settings.auth.oidc.issuer:
        return None
    from cairn.process.http_get import DocumentGet  # noqa: PLC0415 - most deployments do without an HTTP client

    return DocumentGet()


def _sandbox(settings: Settings) -> Sandbox:
    if isinstance(settings.store, AwsStore):
        from cairn.aws.clients import Clients  # noqa: PLC0415 - one machine does without the AWS SDK
        from cairn.aws.sandbox import LambdaSandbox  # noqa: PLC0415

        return LambdaSandbox(Clients(), settings.sandbox)
    from cairn.embedded.sandbox import ProcessSandbox  # noqa: PLC0415 - a Lambda starts no processes

    return ProcessSandbox(settings_of.sandbox_environment(settings))


def _embedded(store: EmbeddedStore) -> Adapters:
    from cairn.embedded.blobs import DirectoryBlobs  # noqa: PLC0415 - a Lambda does without SQLite
    from cairn.embedded.keyring import LocalKeyRing, load_or_create_master_key, master_key  # noqa: PLC0415
    from cairn.embedded.queue import InProcessJobs  # noqa: PLC0415
    from cairn.embedded.table import SqliteTable  # noqa: PLC0415

    given = store.master_key
    master = load_or_create_master_key(store.key_file) if given is None else master_key(given)
    table = SqliteTable(store.table_file)

    def gathered(calls: Sequence[Callable[[], object]]) -> list[object]:
        with table.gathering():
            return in_turn(calls)

    return Adapters(
        table=table,
        blobs=DirectoryBlobs(store.blobs_directory),
        keys=LocalKeyRing(master),
        clock=SystemClock(),
        entropy=SystemEntropy(),
        parallel=gathered,
        jobs=InProcessJobs(),
    )


def _aws(store: AwsStore, *, for_operator: bool) -> Adapters:
    from cairn.aws.blobs import S3Blobs  # noqa: PLC0415 - one machine does without the AWS SDK
    from cairn.aws.clients import Clients, OperatorClients  # noqa: PLC0415
    from cairn.aws.keyring import KmsKeyRing  # noqa: PLC0415
    from cairn.aws.queue import SqsJobs  # noqa: PLC0415
    from cairn.aws.table import DynamoTable  # noqa: PLC0415

    clients = OperatorClients() if for_operator else Clients()
    return Adapters(
        table=DynamoTable(lambda: clients.dynamodb, store.table),
        blobs=S3Blobs(lambda: clients.s3, store.bucket),
        keys=KmsKeyRing(lambda: clients.kms, store.key_id),
        clock=SystemClock(),
        entropy=SystemEntropy(),
        parallel=ThreadedParallel(_CALLS_AT_ONCE),
        jobs=SqsJobs(clients, store.queue_url),
    )
