"""Check settings that have to fit together, beyond the range of each."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from cairn.ground.errors import SettingsError
from cairn.ground.ids import is_project_pattern
from cairn.ground.settings import AuthSettings, ClusterSettings, HeuristicSettings, MemorySettings, RateSettings
from cairn.settings import document
from cairn.settings.options import build

if TYPE_CHECKING:
    from cairn.ground.rates import Rate

_SCOPE_PREFIX = re.compile(r"[!#-\[\]-~]*")
_MOST_WAITING_MS = 25_000
"""What a turn may wait for a model and for its session, so that it can still be stored within the gateway's 29 s."""
_SECRET_ARN = re.compile(r"arn:[a-z-]+:secretsmanager:[a-z0-9-]+:[0-9]{12}:secret:[\w/+=.@-]+", re.ASCII)


def tool_rate(common: RateSettings, own: Mapping[str, Any]) -> Rate:
    """Return a tool's own rate; what it does not say is the common one's."""
    from cairn.ground.rates import Rate  # noqa: PLC0415 - most tools have none of their own

    return Rate(own.get("per_second", common.tool_per_second), own.get("burst", common.tool_burst))


def auth_settings(values: Mapping[str, Any]) -> AuthSettings:
    """Return who may call."""
    auth = build(AuthSettings, "auth", values)
    oidc, where = auth.oidc, f"{document.ROOT}.auth.oidc"
    urls = {"issuer": oidc.issuer, "resource": oidc.resource, "jwks_uri": oidc.jwks_uri}
    for name in filter(urls.get, urls):
        from cairn.ground.urls import check_url  # noqa: PLC0415 - most settings name no URL

        try:
            check_url(urls[name])
        except ValueError as error:
            raise SettingsError(f"{where}.{name}: {error}") from None
    if oidc.resource and urlsplit(oidc.resource).path != "/mcp":
        raise SettingsError(f"{where}.resource: must be an MCP endpoint such as https://memory.example.com/mcp")
    if not _SCOPE_PREFIX.fullmatch(oidc.scope_prefix):
        raise SettingsError(f"{where}.scope_prefix: must be printable ASCII without spaces, quotes and backslashes")
    if not (oidc.console_client_id.isascii() and oidc.console_client_id.isprintable()):
        raise SettingsError(f"{where}.console_client_id: must be printable ASCII")
    if oidc.issuer and not (oidc.audience or oidc.resource):
        raise SettingsError(f"{where}.audience: is missing, and there is no resource to take it from")
    if oidc.issuer and not oidc.tenant_claim:
        raise SettingsError(f"{where}.tenant_claim: must not be empty")
    return auth


def cluster_settings(values: Mapping[str, Any]) -> ClusterSettings:
    """Return the API that diagnostic tools read."""
    cluster = build(ClusterSettings, "cluster", values)
    if cluster.base_url:
        from cairn.ground.urls import api_url  # noqa: PLC0415

        try:
            api_url(cluster.base_url)
        except ValueError as error:
            raise SettingsError(f"{document.ROOT}.cluster.base_url: {error}") from None
    return cluster


def memory_settings(values: Mapping[str, Any], where: str, model_key: str | None) -> MemorySettings:
    """Return the knobs; SettingsError names the key under `where` that does not fit.

    A heuristic that has no credentials is off.
    """
    memory, heuristic = build(MemorySettings, "memory", values), f"{document.ROOT}.{where}.heuristic"
    for pattern in memory.shared_projects:
        if not is_project_pattern(pattern):
            raise SettingsError(
                f"{document.ROOT}.{where}.shared_projects: holds {pattern!r}, no pattern of project names"
            )
    given = memory.heuristic
    if given.api_key_arn and not _SECRET_ARN.fullmatch(given.api_key_arn):
        raise SettingsError(f"{heuristic}.api_key_arn: must be the ARN of a secret, not the secret itself")
    if not given.enabled:
        return memory
    if given.provider == "responses":
        _check_url(given, heuristic)
    waiting = given.timeout_ms + memory.session_lock_timeout_ms
    if waiting > _MOST_WAITING_MS:
        keys = f"{heuristic}.timeout_ms: and {document.ROOT}.{where}.session_lock_timeout_ms"
        raise SettingsError(f"{keys} may be {_MOST_WAITING_MS} together, not {waiting}")
    has_credentials = given.provider == "bedrock" or given.api_key_arn or model_key
    return memory if has_credentials else replace(memory, heuristic=replace(given, enabled=False))


def fits_a_header(secret: str) -> bool:
    """Tell whether a header can carry it: printable ASCII without spaces, not empty."""
    return secret.isascii() and secret.isprintable() and bool(secret) and " " not in secret


def _check_url(heuristic: HeuristicSettings, where: str) -> None:
    from cairn.ground.urls import responses_url  # noqa: PLC0415

    try:
        responses_url(heuristic.base_url)
    except ValueError as error:
        raise SettingsError(f"{where}.base_url: {error}") from None
