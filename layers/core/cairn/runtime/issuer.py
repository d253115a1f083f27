"""The settings of an issuer of tokens: what they must say together."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

from cairn.domain.endpoints import check_url
from cairn.domain.errors import SettingsError
from cairn.domain.settings import AuthSettings
from cairn.runtime import document
from cairn.runtime.options import build

_SCOPE_PREFIX = re.compile(r"[!#-\[\]-~]*")


def auth(values: Mapping[str, Any]) -> AuthSettings:
    """Return the settings of who may call; SettingsError names the key that is wrong."""
    given = build(AuthSettings, "auth", values)
    oidc, where = given.oidc, f"{document.ROOT}.auth.oidc"
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
    return given
