"""An OpenID Connect issuer for tests: it signs tokens with real keys, and has documents where a real one has them."""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from functools import cache
from typing import Any

import jwt
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, rsa
from jwt.algorithms import ECAlgorithm, OKPAlgorithm, RSAAlgorithm

from cairn.ground.errors import NoAnswer
from cairn.ground.settings import OidcSettings

AUDIENCE = "https://memory.example.com/mcp"
URL = "https://login.example.com/realm"
_CURVES = {"ES256": ec.SECP256R1, "ES384": ec.SECP384R1, "ES512": ec.SECP521R1}


def private_key(algorithm: str, number: int = 1) -> Any:
    """Return a private key that is made once in a run; further numbers are further keys."""
    return _private_key("RSA" if algorithm[:2] in {"RS", "PS"} else algorithm, number)


@cache
def _private_key(kind: str, number: int) -> Any:
    assert number
    if kind == "EdDSA":
        return ed25519.Ed25519PrivateKey.generate()
    if kind in _CURVES:
        return ec.generate_private_key(_CURVES[kind]())
    return rsa.generate_private_key(65537, 2048)


def public_jwk(key_id: str, algorithm: str, number: int = 1, **more: Any) -> dict[str, Any]:
    """Return the public half as a JSON Web Key."""
    public = private_key(algorithm, number).public_key()
    kinds: dict[type, Any] = {rsa.RSAPublicKey: RSAAlgorithm, ec.EllipticCurvePublicKey: ECAlgorithm}
    writer = next((each for kind, each in kinds.items() if isinstance(public, kind)), OKPAlgorithm)
    return {**writer.to_jwk(public, as_dict=True), "kid": key_id, "use": "sig", **more}


@dataclass
class Issuer:
    """An issuer with one RSA key, "first"; a test gives it others, replaces documents and counts what it is asked."""

    url: str = URL
    jwks: list[dict[str, Any]] = field(default_factory=lambda: [public_jwk("first", "RS256")])
    discovery: dict[str, Any] = field(default_factory=dict[str, Any])
    replaced: dict[str, bytes] = field(default_factory=dict[str, bytes])
    asked: list[str] = field(default_factory=list[str])
    is_down: bool = False

    def settings(self, **more: str) -> OidcSettings:
        return OidcSettings(issuer=self.url, audience=AUDIENCE, **more)

    def documents(self) -> dict[str, bytes]:
        """Return what stands where."""
        found = {"issuer": self.url, "jwks_uri": f"{self.url}/keys", **self.discovery}
        listed = {f"{self.url}/.well-known/openid-configuration": found, f"{self.url}/keys": {"keys": self.jwks}}
        return {**{url: json.dumps(document).encode() for url, document in listed.items()}, **self.replaced}

    def get(self, url: str) -> bytes:
        """Answer as the port does."""
        self.asked.append(url)
        documents = self.documents()
        if self.is_down or url not in documents:
            raise NoAnswer("status 500")
        return documents[url]

    def claims(self, now: datetime, **changed: Any) -> dict[str, Any]:
        """Return a good token's claims with some changed; None leaves one out."""
        seconds = int(now.timestamp())
        good = {"iss": self.url, "aud": AUDIENCE, "sub": "ada", "iat": seconds, "exp": seconds + 600}
        changed = {"scope": "openid cairn:read cairn:write", **changed}
        return {name: value for name, value in {**good, **changed}.items() if value is not None}

    def token(self, now: datetime, *, headers: Mapping[str, Any] | None = None, **changed: Any) -> str:
        """Return a token signed with the first key."""
        return signed(self.claims(now, **changed), "RS256", headers)


def compact(header: Mapping[str, Any], claims: Mapping[str, Any], number: int = 1) -> str:
    """Return a token of any header and any claims, signed as RS256 is."""
    message = f"{encoded(header)}.{encoded(claims)}"
    signature = RSAAlgorithm(RSAAlgorithm.SHA256).sign(message.encode(), private_key("RS256", number))
    return f"{message}.{encoded(signature)}"


def encoded(value: object) -> str:
    """Return bytes, or a JSON value, as a part of a token."""
    data = value if isinstance(value, bytes) else json.dumps(value).encode()
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def signed(claims: Mapping[str, Any], algorithm: str, headers: Mapping[str, Any] | None = None, number: int = 1) -> str:
    """Return a token under a private key of this module; its key id is "first" unless the headers say otherwise."""
    return jwt.encode(dict(claims), private_key(algorithm, number), algorithm, {"kid": "first", **(headers or {})})
