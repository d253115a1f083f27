"""Read a secret of Secrets Manager and cache it for a while."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from cairn.aws.failures import aws_failures
from cairn.ground.ports import Clock

if TYPE_CHECKING:
    from mypy_boto3_secretsmanager import SecretsManagerClient

LIFETIME = timedelta(minutes=5)


class KeptSecret:
    """The current text of one secret, fetched again after five minutes or when it is known to be outdated."""

    def __init__(self, client: SecretsManagerClient, arn: str, clock: Clock) -> None:
        """Use the secret with this ARN."""
        self._client = client
        self._arn = arn
        self._clock = clock
        self._kept: tuple[str, datetime] | None = None

    def read(self) -> str:
        """Return the text; Unavailable or InternalError where Secrets Manager does not hand it out."""
        now = self._clock.now()
        if self._kept is None or not self._kept[1] - LIFETIME <= now < self._kept[1]:
            with aws_failures():
                text = self._client.get_secret_value(SecretId=self._arn).get("SecretString", "")
            self._kept = (text.strip(), now + LIFETIME)
        return self._kept[0]

    def forget(self) -> None:
        """Ask anew at the next read: what was handed out is refused."""
        self._kept = None
