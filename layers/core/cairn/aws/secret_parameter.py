"""Read a secret through Powertools' parameters, where start-up time does not matter; calls use `cairn.aws.secrets`."""

from __future__ import annotations

from typing import Any

from aws_lambda_powertools.utilities.parameters import GetParameterError, SecretsProvider

from cairn.aws.clients import Clients
from cairn.aws.failures import aws_failures
from cairn.aws.secrets import LIFETIME


class SecretParameter:
    """The current text of one secret, fetched again after five minutes or when it is known to be outdated."""

    def __init__(self, clients: Clients, arn: str) -> None:
        """Use the secret with this ARN, and our own client for its short timeouts."""
        self._provider: Any = SecretsProvider(boto3_client=clients.secrets)
        self._arn = arn

    def read(self) -> str:
        """Return the text; Unavailable or InternalError where Secrets Manager does not hand it out."""
        with aws_failures():
            try:
                seconds = int(LIFETIME.total_seconds())
                found: object = self._provider.get(self._arn, max_age=seconds)
            except GetParameterError as error:
                # Its message is the SDK's, which names the secret and the role; what it was made from has the code.
                raise (error.__context__ or error) from None
        return found.strip() if isinstance(found, str) else ""

    def forget(self) -> None:
        """Have the next read fetch the secret again: what was handed out is refused."""
        self._provider.clear_cache()
