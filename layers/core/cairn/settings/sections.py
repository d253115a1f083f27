"""The sections of the settings whose values have to go together."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

from cairn.ground.errors import SettingsError
from cairn.ground.rates import Rate
from cairn.ground.settings import AuthSettings, ClusterSettings, RateSettings
from cairn.ground.urls import api_url, check_url
from cairn.settings import document
from cairn.settings.options import build

_SCOPE_PREFIX = re.compile(r"[!#-\[\]-~]*")


def tool_rate(common: RateSettings, own: Mapping[str, Any]) -> Rate:
    """Return a tool's own rate; what it does not say is the common one's."""
    return Rate(own.get("per_second", common.tool_per_second), own.get("burst", common.tool_burst))


def auth(values: Mapping[str, Any]) -> AuthSettings:
    """Return who may call."""
    auth = build(AuthSettings, "auth", values)
    oidc, where = auth.oidc, f"{document.ROOT}.auth.oidc"
    urls = {"issuer": oidc.issuer, "resource": oidc.resource, "jwks_uri": oidc.jwks_uri}
    for name in filter(urls.get, urls):
        try:
            check_url(urls[name])
        except ValueError as error:
            raise SettingsError(f"{where}.{name}: {error}") from None
    if oidc.resource and urlsplit(oidc.resource).path != "/mcp":
        raise SettingsError(f"{where}.resource: must be an MCP endpoint such as https://memory.example.com/mcp")
    if not _SCOPE_PREFIX.fullmatch(oidc.scope_prefix):
        raise SettingsError(f"{where}.scope_prefix: must be printable ASCII without spaces, quotes and backslashes")
    if oidc.issuer and not (oidc.audience or oidc.resource):
        raise SettingsError(f"{where}.audience: is missing, and there is no resource to take it from")
    if oidc.issuer and not oidc.tenant_claim:
        raise SettingsError(f"{where}.tenant_claim: must not be empty")
    return auth


def cluster(values: Mapping[str, Any]) -> ClusterSettings:
    """Return the API that diagnostic tools read."""
    cluster = build(ClusterSettings, "cluster", values)
    if cluster.base_url:
        try:
            api_url(cluster.base_url)
        except ValueError as error:
            raise SettingsError(f"{document.ROOT}.cluster.base_url: {error}") from None
    return cluster
