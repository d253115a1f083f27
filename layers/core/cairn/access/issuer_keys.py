"""Fetch the public keys of an OpenID Connect issuer and cache them in the process.

They are fetched again once an hour, and for a key id that is not among them: at most once per cool-down, so that forged
ids cannot make this process hammer the issuer. While the issuer is down, the keys that are known go on for a day.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from threading import Lock
from typing import Any, Final, TypeAlias, cast

from cairn.access.discovery import discovery, json_object, place
from cairn.ground.errors import NoAnswer, Unavailable
from cairn.ground.ports import Clock, HttpGet
from cairn.ground.settings import SKEW, OidcSettings

FRESH_FOR: Final = timedelta(hours=1)
USABLE_FOR: Final = timedelta(days=1)
COOL_DOWN: Final = timedelta(seconds=30)
_PUBLIC: Final = frozenset({"RSA", "EC", "OKP"})

Jwk: TypeAlias = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class _KeySet:
    keys: Mapping[str, Jwk]
    fetched_at: datetime

    def is_from_within(self, age: timedelta, now: datetime) -> bool:
        """Tell whether they are at most that old, and not from a time that the clock has yet to reach."""
        return self.fetched_at - SKEW <= now < self.fetched_at + age


class IssuerKeys:
    """Caches the public keys of one issuer by their ids."""

    def __init__(self, settings: OidcSettings, get: HttpGet, clock: Clock) -> None:
        """Start without any; the first look-up fetches them."""
        self._settings = settings
        self._get = get
        self._clock = clock
        self._lock = Lock()
        self._held: _KeySet | None = None
        self._tried_at: datetime | None = None
        self._failure = ""

    def find(self, key_id: str) -> Jwk | None:
        """Return the key as a JSON Web Key, None where the issuer has none of this id.

        Unavailable where that cannot be told: the keys cannot be fetched, and none of this id is known.
        """
        now, held = self._clock.now(), self._held
        if held is not None and key_id in held.keys and held.is_from_within(FRESH_FOR, now):
            return held.keys[key_id]
        with self._lock:
            self._refresh(now)
            held, failure = self._held, self._failure
        if held is not None and not held.is_from_within(USABLE_FOR, now):
            held = None
        key = held.keys.get(key_id) if held is not None else None
        if key is None and failure:
            raise Unavailable(f"The issuer's keys cannot be fetched: {failure}")
        return key

    def _refresh(self, now: datetime) -> None:
        if self._tried_at is not None and self._tried_at <= now < self._tried_at + COOL_DOWN:
            return
        self._tried_at = now
        try:
            self._held = _KeySet(self._fetched(), now)
            self._failure = ""
        except NoAnswer as error:
            self._failure = str(error)

    def _fetched(self) -> dict[str, Jwk]:
        listed = json_object(self._get(self._settings.jwks_uri or self._discovered())).get("keys")
        keys = {jwk["kid"]: jwk for jwk in _objects(listed) if _is_public_signing_key(jwk)}
        if not keys:
            raise NoAnswer("the answer holds no public key for signatures")
        return keys

    def _discovered(self) -> str:
        issuer = self._settings.issuer
        return place(discovery(issuer, self._get), "jwks_uri", issuer)


def _objects(value: object) -> list[Jwk]:
    listed = cast("list[object]", value) if isinstance(value, list) else []
    return [cast("Jwk", each) for each in listed if isinstance(each, dict)]


def _is_public_signing_key(jwk: Jwk) -> bool:
    return isinstance(jwk.get("kid"), str) and jwk.get("kty") in _PUBLIC and jwk.get("use", "sig") == "sig"
