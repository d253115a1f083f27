"""The OAuth host's metadata: which issuer's tokens it accepts (RFC 9728).

Many clients that see OAuth discovery ignore the key they were given. So the host for keys has no metadata, and its
challenge speaks of none; which host was asked is the gateway's word. What a credential opens is the same on both.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final
from urllib.parse import urlsplit

from cairn.ground.settings import OidcSettings

_WELL_KNOWN: Final = "/.well-known/oauth-protected-resource"
_SCOPES: Final = ("read", "write")


def is_oauth_host(host: str, oidc: OidcSettings) -> bool:
    """Tell whether a host, as the gateway names it, is the one that clients with tokens go to."""
    return bool(oidc.issuer and oidc.resource) and host == urlsplit(oidc.resource).netloc.lower()


def metadata(oidc: OidcSettings) -> Mapping[str, Any]:
    """Return the protected resource metadata document."""
    return {
        "resource": oidc.resource,
        "authorization_servers": [oidc.issuer],
        "scopes_supported": _scopes(oidc),
        "bearer_methods_supported": ["header"],
        "resource_name": "Cairn memory",
    }


def challenge(host: str, oidc: OidcSettings, *, shown: bool) -> str:
    """Return what WWW-Authenticate says to who showed a credential that opens nothing, or none."""
    if not is_oauth_host(host, oidc):
        return "Bearer"
    parts = urlsplit(oidc.resource)
    url = f"{parts.scheme}://{parts.netloc}{_WELL_KNOWN}{parts.path}"
    error = 'error="invalid_token", ' if shown else ""
    return f'Bearer {error}resource_metadata="{url}", scope="{" ".join(_scopes(oidc))}"'


def _scopes(oidc: OidcSettings) -> list[str]:
    return [oidc.scope_prefix + each for each in _SCOPES]
