"""Choose the cluster that this sandbox reads, by its settings, and keep it for all calls of the process."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from cairn.ground.errors import InvalidArgument, SettingsError
from cairn.settings.settings import CLUSTER_TOKEN, CLUSTER_TOKEN_ARN, Settings
from cairn_sandbox.cluster import Cluster, Token


@dataclass(frozen=True, slots=True)
class GivenToken:
    """Provides the token of the environment."""

    text: str

    def read(self) -> str:
        """Return it."""
        return self.text

    def forget(self) -> None:
        """Do nothing: there is no other."""


def cluster_of(settings: Settings) -> Cluster:
    """Return the configured cluster; InvalidArgument, naming what to do, where none is."""
    if not settings.cluster.base_url:
        raise InvalidArgument(
            "pods", "is required, since no cluster is configured: give a PodList, or set settings.mcp.cluster.base_url"
        )
    return Cluster(settings.cluster, _token(settings))


def _token(settings: Settings) -> Token:
    if settings.cluster_token is not None:
        return GivenToken(settings.cluster_token)
    if settings.cluster_token_arn is not None:
        return _kept(settings.cluster_token_arn)
    raise SettingsError(f"{CLUSTER_TOKEN_ARN} or {CLUSTER_TOKEN}: is missing beside settings.mcp.cluster.base_url")


@cache
def _kept(arn: str) -> Token:
    from cairn.aws.clients import Clients  # noqa: PLC0415 - one machine does without the AWS SDK
    from cairn.aws.secret_parameter import SecretParameter  # noqa: PLC0415

    return SecretParameter(Clients(), arn)
