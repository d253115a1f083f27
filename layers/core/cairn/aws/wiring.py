"""What the store in AWS is made of: DynamoDB, S3, KMS and SQS."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cairn.aws.blobs import S3Blobs
from cairn.aws.clients import Clients, OperatorClients
from cairn.aws.keyring import KmsKeyRing
from cairn.aws.queue import SqsJobs
from cairn.aws.table import DynamoTable
from cairn.ground.adapters import Adapters
from cairn.process.system import SystemClock, SystemEntropy, ThreadedParallel
from cairn.settings.settings import AwsStore, Settings
from cairn.telemetry.record import CallMeter

if TYPE_CHECKING:
    from cairn.aws.table_export import TableExports
    from cairn.calls.usage import Prices
    from cairn.ground.ports import Anchors, Blobs, Inventory, Sandbox

_CALLS_AT_ONCE = 16
# List prices of us-east-1 per million: a request of the gateway 1.00, two of Lambda 0.40, 0.1 s of 512 MB twice 1.67,
# the record's two writes 1.25, four reads 0.50; and of each kilobyte sent, two writes of a turn's transaction 1.25.
_USD_PER_CALL = 4.82e-6
_USD_PER_BYTE = 1.25e-9


class AwsWiring:
    """Makes what a process needs of a table, a bucket, a key and a queue."""

    def __init__(self, store: AwsStore, settings: Settings, *, for_operator: bool = False) -> None:
        """Take the names of the resources; an operator's command reaches them by boto3."""
        self._store = store
        self._settings = settings
        self._for_operator = for_operator

    def adapters(self) -> Adapters:
        """Return new adapters, which share their clients; each client is made at its first use."""
        store = self._store
        clients = OperatorClients() if self._for_operator else Clients()
        meter = CallMeter()
        return Adapters(
            table=DynamoTable(lambda: clients.dynamodb, store.table, meter=meter),
            blobs=S3Blobs(lambda: clients.s3, store.bucket, meter),
            keys=KmsKeyRing(lambda: clients.kms, store.key_id),
            clock=SystemClock(),
            entropy=SystemEntropy(),
            parallel=ThreadedParallel(_CALLS_AT_ONCE),
            jobs=SqsJobs(clients, store.queue_url),
            meter=meter,
        )

    def sandbox(self) -> Sandbox:
        """Return the function that the settings name."""
        from cairn.aws.sandbox import LambdaSandbox  # noqa: PLC0415 - most functions run no standard tools

        return LambdaSandbox(Clients(), self._settings.sandbox)

    def inventory(self) -> Inventory:
        """Return the way to all that a tenant has in the table and the bucket."""
        from cairn.aws.inventory import AwsInventory  # noqa: PLC0415 - for operators' commands alone

        clients = OperatorClients()
        return AwsInventory(lambda: clients.dynamodb, lambda: clients.s3, self._store.table, self._store.bucket)

    def exports(self, bucket: str, prefix: str) -> TableExports:
        """Return DynamoDB's exports of the table that are in a bucket, below a prefix."""
        from cairn.aws.table_export import TableExports  # noqa: PLC0415 - as above

        clients = OperatorClients()
        return TableExports(lambda: clients.dynamodb, lambda: clients.s3, self._store.table, bucket, prefix)

    def kept_versions(self, blobs: Blobs) -> Blobs:
        """Return the blobs with those that were deleted and whose versions the bucket keeps."""
        from cairn.aws.table_export import KeptVersions  # noqa: PLC0415 - as above

        clients = OperatorClients()
        return KeptVersions(blobs, lambda: clients.s3, self._store.bucket)

    def anchors(self) -> Anchors:
        """Return the bucket that the settings name."""
        from cairn.aws.anchors import S3Anchors  # noqa: PLC0415 - few processes seal or verify

        clients = OperatorClients() if self._for_operator else Clients()
        return S3Anchors(lambda: clients.s3, self._settings.anchors or "")

    def prices(self) -> Prices:
        """Return the prices of us-east-1."""
        from cairn.calls.usage import Prices  # noqa: PLC0415 - one tool asks for them

        return Prices(_USD_PER_CALL, _USD_PER_BYTE)
