"""Create, list, rotate, revoke and check API keys.

The store holds a record and a tag per key, never the key. The tag is an HMAC over secret and record under a key of the
key ring, so that the store alone can neither try a guess nor widen what a key opens. Only the end that `revoked_at`
sets stands outside the tag: rotation sets it without knowing the secret.
"""

from __future__ import annotations

import json
from datetime import datetime, timedelta
from hashlib import sha256
from typing import Any

from cairn.access.api_keys import (
    ID_BYTES,
    KEY_ID,
    SECRET_BYTES,
    ApiKey,
    Credential,
    Grant,
    IssuedKey,
    parse,
    project_pattern,
    scope,
)
from cairn.access.layout import CREDENTIALS, credential_sk, credentials_pk
from cairn.ground import codec
from cairn.ground.adapters import Adapters
from cairn.ground.errors import (
    ConditionFailed,
    Conflict,
    CorruptData,
    InvalidArgument,
    NotFound,
    TransactionRefused,
)
from cairn.ground.ids import Tenant, tenant, user_id
from cairn.ground.table import ABSENT, AllOf, Attributes, Equals, Key, Missing, Put, Query, Update, prefix_range
from cairn.vault.vault import Vault

_PURPOSE = "api key"
_UNKNOWN: Attributes = {"record": " " * 256, "tag": "1." + "0" * 32}
"""Stands in for the record of an unknown id, so that it is refused after the same work as a wrong secret."""


class Credentials:
    """Keeps the API keys of a deployment."""

    def __init__(self, adapters: Adapters) -> None:
        """Keep them in the table."""
        self._adapters = adapters
        self._vault = Vault(adapters)

    def create(self, owner: Tenant | None, grant: Grant, lifetime: timedelta | None = None) -> IssuedKey:
        """Make a key to the owner's memory, or without one to memory of its own, named by the key's SHA-256.

        The owner gets a data key, if it has none.
        """
        issued, write = self._new(owner, grant, lifetime)
        try:
            self._adapters.table.put(write)
        except ConditionFailed:
            raise Conflict("The new key's id is taken; try again") from None
        self._vault.establish(issued.credential.tenant)
        return issued

    def list(self) -> tuple[Credential, ...]:
        """Return every key's record, ended ones too, the oldest first."""
        from cairn.ground.paging import every  # noqa: PLC0415 - the authorizer lists no keys

        low, high = prefix_range(credential_sk(""))
        items = every(self._adapters.table, Query(credentials_pk(), low, high))
        return tuple(sorted((_credential(item) for item in items), key=lambda each: (each.created_at, each.id)))

    def rotate(self, key_id: str, overlap: timedelta) -> IssuedKey:
        """Make a key that opens the same for as long, and let the old one end when the overlap has passed.

        NotFound for an unknown id, Conflict for a key that has ended or has a successor already.
        """
        item = self._item(key_id)
        old, now = _credential(item), self._adapters.clock.now()
        if old.revoked_at is not None or not old.is_open(now):
            raise Conflict("This key has ended or was rotated already")
        issued, write = self._new(old.tenant, old.grant, old.lifetime)
        unchanged = AllOf((Equals("record", item["record"]), Missing("revoked_at")))
        ending = Update(_where(key_id), {"revoked_at": codec.rfc3339(now + overlap)}, condition=unchanged)
        try:
            self._adapters.table.transact([write, ending])
        except TransactionRefused:
            raise Conflict("This key was changed meanwhile; list the keys and try again") from None
        self._vault.establish(old.tenant)
        return issued

    def revoke(self, key_id: str) -> None:
        """Let a key open nothing from now on; NotFound for an unknown id."""
        credential, now = _credential(self._item(key_id)), self._adapters.clock.now()
        if credential.revoked_at is None or credential.revoked_at > now:
            self._adapters.table.update(Update(_where(key_id), {"revoked_at": codec.rfc3339(now)}))

    def revoke_all(self, owner: Tenant) -> int:
        """Revoke every key to the owner's memory that is open, and return how many that were."""
        now = self._adapters.clock.now()
        ending = [each.id for each in self.list() if each.tenant == owner and each.is_open(now)]
        for key_id in ending:
            self.revoke(key_id)
        return len(ending)

    def check(self, presented: str) -> Credential | None:
        """Return the record of a presented key, None where it opens nothing; what is stored is read each time."""
        key = parse(presented)
        if key is None:
            return None
        item = self._adapters.table.get(_where(key.id)) or _UNKNOWN
        signed = _signed(key, _text(item, "record"))
        if not self._vault.verify(CREDENTIALS, _PURPOSE, signed, _text(item, "tag")):
            return None
        credential = _credential(item)
        return credential if credential.is_open(self._adapters.clock.now()) else None

    def _new(self, owner: Tenant | None, grant: Grant, lifetime: timedelta | None) -> tuple[IssuedKey, Put]:
        key = ApiKey.of(self._adapters.entropy.token(ID_BYTES + SECRET_BYTES))
        now = self._adapters.clock.now()
        credential = Credential(
            id=key.id,
            tenant=owner or Tenant(sha256(key.text().encode()).hexdigest()),
            grant=grant,
            created_at=now,
            expires_at=None if lifetime is None else now + lifetime,
        )
        record = _record(credential)
        tag = self._vault.sign(CREDENTIALS, _PURPOSE, _signed(key, record))
        where = _where(key.id)
        item = {"pk": where.pk, "sk": where.sk, "record": record, "tag": tag}
        return IssuedKey(key.text(), credential), Put(item, ABSENT)

    def _item(self, key_id: str) -> Attributes:
        item = self._adapters.table.get(_where(key_id)) if KEY_ID.fullmatch(key_id) else None
        if item is None:
            raise NotFound("There is no key with this id")
        return item


def _where(key_id: str) -> Key:
    return Key(credentials_pk(), credential_sk(key_id))


def _signed(key: ApiKey, record: str) -> bytes:
    return f"{key.secret}\n{record}".encode()


def _record(credential: Credential) -> str:
    grant, expires_at = credential.grant, credential.expires_at
    fields: dict[str, object] = {
        "id": credential.id,
        "tenant": credential.tenant,
        "projects": grant.projects,
        "scopes": grant.scopes,
        "policy": grant.policy,
        "created_at": codec.rfc3339(credential.created_at),
        "expires_at": None if expires_at is None else codec.rfc3339(expires_at),
    }
    if grant.users:
        fields["users"] = grant.users
    return codec.canonical(fields).decode()


def _credential(item: Attributes) -> Credential:
    try:
        record: dict[str, Any] = json.loads(_text(item, "record"))
        return Credential(
            id=record["id"],
            tenant=tenant(record["tenant"]),
            grant=Grant(
                tuple(project_pattern(each) for each in record["projects"]),
                tuple(scope(each) for each in record["scopes"]),
                record["policy"],
                tuple(user_id(each) for each in record.get("users", ())),
            ),
            created_at=codec.moment(record["created_at"]),
            expires_at=_moment(record["expires_at"]),
            revoked_at=_moment(item.get("revoked_at")),
        )
    except (ValueError, KeyError, TypeError, AttributeError, InvalidArgument):
        raise CorruptData("a stored API key is malformed") from None


def _moment(text: Any) -> datetime | None:
    return None if text is None else codec.moment(text)


def _text(item: Attributes, name: str) -> str:
    value = item.get(name)
    if not isinstance(value, str):
        raise CorruptData("a stored API key is malformed")
    return value
