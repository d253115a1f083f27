"""Read the API keys of language models, which are never the caller's."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cairn.ground.errors import CairnError, ModelFailed
from cairn.ground.settings import HeuristicSettings
from cairn.process.system import SystemClock
from cairn.settings.checks import fits_a_header

if TYPE_CHECKING:
    from cairn.aws.secrets import KeptSecret


class ModelKeys:
    """Returns the key in the configured secret, or the environment's key if no secret is configured."""

    def __init__(self, given: str | None) -> None:
        """Take the environment's key, None for none."""
        self._given = given
        self._secrets: dict[str, KeptSecret] = {}

    def __call__(self, settings: HeuristicSettings) -> str:
        """Return the key; ModelFailed where there is none that a header can carry."""
        key = self._given if not settings.api_key_arn else self._read(settings.api_key_arn)
        if not key or not fits_a_header(key):
            raise ModelFailed("there is no usable API key")
        return key

    def _read(self, arn: str) -> str:
        try:
            if arn not in self._secrets:
                self._secrets[arn] = _secret(arn)
            return self._secrets[arn].read()
        except CairnError as error:
            raise ModelFailed(str(error)) from None


def _secret(arn: str) -> KeptSecret:
    from cairn.aws.clients import Clients  # noqa: PLC0415 - a key of the environment needs no AWS SDK
    from cairn.aws.failures import aws_failures  # noqa: PLC0415
    from cairn.aws.secrets import KeptSecret  # noqa: PLC0415

    with aws_failures():  # a client is not made where no region is set
        return KeptSecret(Clients().secrets, arn, SystemClock())
