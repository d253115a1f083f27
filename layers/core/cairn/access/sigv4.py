"""AWS Signature Version 4, as whoever verifies a request computes it.

The algorithm is AWS's "Signature Version 4 signing process": a canonical request is hashed into a string to sign, which
is signed under a key that follows from the secret, the day, the region and the service.
"""

from __future__ import annotations

import hmac
import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from hashlib import sha256
from typing import Final
from urllib.parse import quote, unquote_to_bytes

ALGORITHM: Final = "AWS4-HMAC-SHA256"
_TERMINATOR: Final = "aws4_request"
_CREDENTIAL: Final = re.compile(rf"([^/]+)/([0-9]{{8}})/([a-z0-9-]{{1,64}})/([a-z0-9-]{{1,64}})/{_TERMINATOR}")
_HEADER_NAME: Final = re.compile(r"[a-z0-9!#$%&'*+.^_`|~-]{1,128}")
_SIGNATURE: Final = re.compile(r"[0-9a-f]{64}")
_PARTS: Final = frozenset({"Credential", "SignedHeaders", "Signature"})
_UNRESERVED: Final = "-_.~"


@dataclass(frozen=True, slots=True)
class Scope:
    """What a signing key is good for: one day, written YYYYMMDD, one region and one service."""

    day: str
    region: str
    service: str

    def __str__(self) -> str:
        """Return it as it stands in the string to sign."""
        return f"{self.day}/{self.region}/{self.service}/{_TERMINATOR}"


@dataclass(frozen=True, slots=True)
class Authorization:
    """What the header Authorization says: who signed, in which scope, which headers, and the signature."""

    access_key_id: str
    scope: Scope
    signed_headers: tuple[str, ...]
    signature: str

    @classmethod
    def of(cls, header: str) -> Authorization | None:
        """Return what a header says, None where it is not of this algorithm's form."""
        algorithm, _, rest = header.strip().partition(" ")
        pairs = [each.strip().partition("=") for each in rest.split(",")]
        said = {name: value for name, _, value in pairs}
        if algorithm != ALGORITHM or len(pairs) != len(_PARTS) or said.keys() != _PARTS:
            return None
        credential, names = _CREDENTIAL.fullmatch(said["Credential"]), tuple(said["SignedHeaders"].split(";"))
        is_whole = all(map(_HEADER_NAME.fullmatch, names)) and list(names) == sorted(set(names))
        if credential is None or not is_whole or not _SIGNATURE.fullmatch(said["Signature"]):
            return None
        who, *scope = credential.groups()
        return cls(who, Scope(*scope), names, said["Signature"])


def signing_key(secret: str, scope: Scope) -> bytes:
    """Return the key under which the holder of a secret signs in a scope."""
    key = f"AWS4{secret}".encode()
    for each in (scope.day, scope.region, scope.service, _TERMINATOR):
        key = _hmac(key, each)
    return key


def canonical_request(  # noqa: PLR0913 - the parts of a request, by name
    *, method: str, path: str, query: str, headers: Mapping[str, str], signed: Collection[str], payload_hash: str
) -> str:
    """Return the canonical request; path and query as they are sent, percent-encoded, and header names in lower case.

    As all services but S3 have it, the path is percent-encoded once more.
    """
    told = [f"{name}:{' '.join(headers.get(name, '').split())}\n" for name in signed]
    parts = [method, quote(path, safe=f"/{_UNRESERVED}"), canonical_query(query)]
    return "\n".join([*parts, "".join(told), ";".join(signed), payload_hash])


def canonical_query(query: str) -> str:
    """Return a query with every name and value encoded strictly, sorted by name and then by value."""
    pairs = (each.partition("=") for each in query.split("&") if each)
    strict = sorted((_strict(name), _strict(value)) for name, _, value in pairs)
    return "&".join(f"{name}={value}" for name, value in strict)


def signature(key: bytes, moment: str, scope: Scope, canonical: str) -> str:
    """Return the signature, in hexadecimal, of a canonical request at a moment, written YYYYMMDDTHHMMSSZ."""
    digest = sha256(canonical.encode()).hexdigest()
    return _hmac(key, f"{ALGORITHM}\n{moment}\n{scope}\n{digest}").hex()


def encoded_label(value: str) -> str:
    """Return a value as AWS's clients write it into a path: all but letters, digits and `-_.~` is percent-encoded."""
    return quote(value, safe=_UNRESERVED)


def _strict(encoded: str) -> str:
    return quote(unquote_to_bytes(encoded), safe=_UNRESERVED)


def _hmac(key: bytes, message: str) -> bytes:
    return hmac.digest(key, message.encode(), sha256)
