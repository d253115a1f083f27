"""Create the AWS clients of a process, each on first use.

A function makes them with botocore, which starts faster; an operator's command makes the same ones with boto3.
"""

from __future__ import annotations

from collections.abc import Callable
from logging import INFO, getLogger
from random import uniform
from threading import Lock
from typing import TYPE_CHECKING, Any

from botocore.config import Config
from botocore.session import get_session

from cairn.ground.ports import SANDBOX_SECONDS

if TYPE_CHECKING:
    from mypy_boto3_bedrock_runtime import BedrockRuntimeClient
    from mypy_boto3_dynamodb import DynamoDBClient
    from mypy_boto3_kms import KMSClient
    from mypy_boto3_lambda import LambdaClient
    from mypy_boto3_s3 import S3Client
    from mypy_boto3_secretsmanager import SecretsManagerClient
    from mypy_boto3_sqs import SQSClient

_SMALL = Config(
    retries={"mode": "standard", "total_max_attempts": 4}, connect_timeout=1, read_timeout=3, max_pool_connections=16
)
_LARGE = _SMALL.merge(Config(read_timeout=10))
# A second attempt would run a tool twice, and end after its caller has.
_ONCE = _SMALL.merge(Config(read_timeout=SANDBOX_SECONDS, retries={"total_max_attempts": 1}))
# A recall waits for it, and does without after that.
_BRIEF = _SMALL.merge(Config(read_timeout=1, retries={"total_max_attempts": 2}))
# The longest heuristic.timeout_ms; who asks waits no longer than his own.
_PATIENT = _ONCE.merge(Config(read_timeout=25))

_FIRST_PAUSE, _MOST_ATTEMPTS = 0.025, 6


class Clients:
    """Creates clients for the environment's region and credentials, with standard retries and short timeouts.

    Each costs tens of milliseconds to make, and threads may share it but not make several at once: the first one that
    needs it makes it, the others wait.
    """

    def __init__(self) -> None:
        """Make no client yet."""
        self._create: Callable[..., Any] | None = None
        self._made: dict[tuple[str, Config], Any] = {}
        self._making = Lock()

    @property
    def dynamodb(self) -> DynamoDBClient:
        """The client of the table."""
        return self._client("dynamodb", _SMALL)

    @property
    def s3(self) -> S3Client:
        """The client of the bucket; bodies may take longer than items."""
        return self._client("s3", _LARGE)

    @property
    def kms(self) -> KMSClient:
        """The client of the key."""
        return self._client("kms", _SMALL)

    @property
    def sqs(self) -> SQSClient:
        """The client of the queue."""
        return self._client("sqs", _SMALL)

    @property
    def functions(self) -> LambdaClient:
        """The client that invokes functions, and waits for them."""
        return self._client("lambda", _ONCE)

    @property
    def bedrock(self) -> BedrockRuntimeClient:
        """The client that asks language models, once."""
        return self._client("bedrock-runtime", _PATIENT)

    @property
    def embeddings(self) -> BedrockRuntimeClient:
        """The client that asks embedding models, which answer at once."""
        return self._client("bedrock-runtime", _BRIEF)

    @property
    def secrets(self) -> SecretsManagerClient:
        """The client of Secrets Manager."""
        return self._client("secretsmanager", _SMALL)

    def _client(self, service: str, config: Config) -> Any:
        with self._making:
            if (service, config) not in self._made:
                # At DEBUG, which a function's log level may be, it logs what it gets: secrets and data keys.
                getLogger("botocore").setLevel(INFO)
                self._create = self._create or self._session_client()
                client = self._create(service, config=config)
                client.meta.events.register("needs-retry", _pause_after_conflict)
                self._made[service, config] = client
            return self._made[service, config]

    def _session_client(self) -> Callable[..., Any]:
        """Return what makes clients that share one session, and so its credentials."""
        return get_session().create_client


class OperatorClients(Clients):
    """Creates the same clients with boto3, for operators' commands."""

    def _session_client(self) -> Callable[..., Any]:
        import boto3  # noqa: PLC0415 - a function does without

        session: Any = boto3.Session()  # its stubs know three services
        return session.client


def _pause_after_conflict(response: tuple[Any, dict[str, Any]] | None, attempts: int, **_: object) -> float | None:
    """Return how long to wait before a write is sent again that met someone else's transaction, None otherwise.

    The transaction is over in milliseconds, and the SDK itself takes this refusal for final.
    """
    error: dict[str, str] = response[1].get("Error", {}) if response else {}
    if error.get("Code") != "TransactionConflictException" or attempts >= _MOST_ATTEMPTS:
        return None
    return uniform(0.5, 1) * _FIRST_PAUSE * 2 ** (attempts - 1)  # noqa: S311 - not for secrets
