"""Verify access tokens of an OpenID Connect issuer and return the identity that they stand for."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from cairn.access.claims import Identity, are_current, identity
from cairn.access.issuer_keys import IssuerKeys
from cairn.ground.ports import Clock, HttpGet
from cairn.ground.settings import OidcSettings

if TYPE_CHECKING:
    from jwt.types import Options

MAX_CHARACTERS: Final = 16 * 1024
ALGORITHMS: Final = ("RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA")
"""Asymmetric ones only: under HS256, the issuer's public key would be a secret that everyone knows."""
# The times, and the claims that must be there, are for cairn.access.claims to judge, by the clock that services have.
_OPTIONS: Final[Options] = {
    "verify_exp": False,
    "verify_nbf": False,
    "verify_iat": False,
    "enforce_minimum_key_length": True,
}


class AccessTokens:
    """Verifies the access tokens of the configured issuer."""

    def __init__(self, settings: OidcSettings, get: HttpGet, clock: Clock) -> None:
        """Know none of the issuer's keys yet."""
        self._settings = settings
        self._clock = clock
        self._keys = IssuerKeys(settings, get, clock)

    def check(self, token: str) -> Identity | None:
        """Return whom a token speaks for, None where it opens nothing.

        Unavailable where that cannot be told, since the issuer's keys cannot be fetched.
        """
        claims = self._verified(token) if len(token) <= MAX_CHARACTERS else None
        if claims is None or not are_current(claims, self._clock.now()):
            return None
        return identity(claims, self._settings)

    def _verified(self, token: str) -> Mapping[str, Any] | None:
        """Return the claims of a token that the issuer signed for this audience."""
        import jwt  # noqa: PLC0415 - who only ever sees API keys does without

        try:
            header = jwt.get_unverified_header(token)
            algorithm, key_id = header.get("alg"), header.get("kid")
            if algorithm not in ALGORITHMS or key_id is None:
                return None
            found = self._keys.find(key_id)
            if found is None or found.get("alg", algorithm) != algorithm:
                return None
            return jwt.decode(
                token,
                jwt.PyJWK(dict(found), algorithm),
                algorithms=ALGORITHMS,
                audience=self._settings.audience or self._settings.resource,
                issuer=self._settings.issuer,
                options=_OPTIONS,
            )
        except jwt.PyJWTError:
            return None
