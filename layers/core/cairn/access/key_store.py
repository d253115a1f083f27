"""Create, list, rotate, revoke and check API keys.

The store holds a record and a tag per key, never the key. The tag is an HMAC over secret and record under a key of the
key ring, so that the store alone can neither try a guess nor widen what a key opens. Only the end that `revoked_at`
sets stands outside the tag: rotation sets it without knowing the secret.

What AWS's clients send is signed with the secret and does not hold it. Such a key's secret is an HMAC over its id under
the same key of the key ring, and is derived anew at each call; the tag proves that a key is of this kind.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
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
from cairn.ground.table import (
    ABSENT,
    AllOf,
    Attributes,
    Check,
    Equals,
    Key,
    Missing,
    Put,
    Query,
    Update,
    Write,
    prefix_range,
)
from cairn.vault.vault import Vault

_PURPOSE = "api key"
_DERIVED = "api key's secret"
_UNKNOWN_ID = "There is no key with this id"
_UNKNOWN: Attributes = {"record": " " * 256, "tag": "1." + "0" * 32}
"""Stands in for the record of an unknown id, so that it is refused after the same work as a wrong secret."""


class Credentials:
    """Keeps the API keys of a deployment."""

    def __init__(self, adapters: Adapters) -> None:
        """Keep them in the table."""
        self._adapters = adapters
        self._vault = Vault(adapters)

    def create(
        self, owner: Tenant | None, grant: Grant, lifetime: timedelta | None = None, *, derived: bool = False
    ) -> IssuedKey:
        """Make a key to the owner's memory, or without one to memory of its own, named by the key's SHA-256.

        With a derived secret, AWS's clients can sign with it. The owner gets a data key, if it has none.
        """
        issued, write = self._new(owner, grant, lifetime, derived=derived)
        try:
            self._adapters.table.put(write)
        except ConditionFailed:
            raise Conflict("The new key's id is taken; try again") from None
        self._vault.establish(issued.credential.tenant)
        return issued

    def list(self) -> tuple[Credential, ...]:
        """Return every key's record, ended ones too, the oldest first."""
        return _oldest_first(map(_credential, self._items()))

    def of_tenant(self, owner: Tenant) -> tuple[Credential, ...]:
        """Return the owner's as list() does; it hears nothing of those of others, damaged ones neither."""
        from cairn.ground.damage import sound  # noqa: PLC0415 - the authorizer lists no keys

        found = sound(self._adapters, self._items(), _credential)
        return _oldest_first(each for each in found if each.tenant == owner)

    def find(self, key_id: str, owner: Tenant) -> Credential:
        """Return the record of a key of the owner's; NotFound for an unknown id, another's and a damaged record."""
        from cairn.ground.damage import sound_or_none  # noqa: PLC0415 - the authorizer finds no keys by their ids

        found = sound_or_none(self._adapters, self._item(key_id), _credential)
        if found is None or found.tenant != owner:
            raise NotFound(_UNKNOWN_ID)
        return found

    def owner_of(self, key_id: str) -> Tenant:
        """Return whose memory a key opens or opened; NotFound for an unknown id."""
        return _credential(self._item(key_id)).tenant

    def rotate(self, key_id: str, overlap: timedelta, plan_id: str = "", only_if: Sequence[Check] = ()) -> IssuedKey:
        """Make a key that opens the same for as long, and let the old one end when the overlap has passed.

        The old one's record says by which plan, and which key has its place; by the same plan once more another has,
        and the one before opens nothing. NotFound for an unknown id, Conflict for a key that has ended or has a
        successor already, or where a check does not hold.
        """
        item = self._item(key_id)
        old, now = _credential(item), self._adapters.clock.now()
        again = bool(plan_id) and old.rotated_by == plan_id
        if not again and (old.revoked_at is not None or not old.is_open(now)):
            raise Conflict("This key has ended or was rotated already")
        issued, write = self._new(old.tenant, old.grant, old.lifetime, derived=old.derived_under is not None)
        end = min(old.revoked_at or now + overlap, now + overlap)
        ends = {"revoked_at": codec.rfc3339(end), "successor": issued.credential.id, "rotated_by": plan_id}
        ending = Update(_where(key_id), ends, condition=_as_read(item))
        void = [Update(_where(old.successor), {"revoked_at": codec.rfc3339(now)})] if again and old.successor else []
        self._transact([write, ending, *void, *only_if])
        self._vault.establish(old.tenant)
        return issued

    def revoke(self, key_id: str) -> None:
        """Let a key open nothing from now on; NotFound for an unknown id."""
        credential, now = _credential(self._item(key_id)), self._adapters.clock.now()
        if credential.revoked_at is None or credential.revoked_at > now:
            self._adapters.table.update(Update(_where(key_id), {"revoked_at": codec.rfc3339(now)}))

    def let_end(
        self, key_id: str, end: datetime | None, instead_of: datetime | None, only_if: Sequence[Check] = ()
    ) -> None:
        """Let a key end at a moment, or never, where it was to end at another.

        Conflict where it ends otherwise, or a check does not hold.
        """
        item = self._item(key_id)
        held = _credential(item).revoked_at
        if held == end:
            return
        if held != instead_of:
            raise Conflict("The end of this key was changed since; list the keys and look")
        told, gone = ({}, ("revoked_at",)) if end is None else ({"revoked_at": codec.rfc3339(end)}, ())
        self._transact([Update(_where(key_id), told, remove=gone, condition=_as_read(item)), *only_if])

    def revoke_all(self, owner: Tenant) -> int:
        """Revoke every key to the owner's memory that is open, and return how many that were."""
        now = self._adapters.clock.now()
        ending = [each.id for each in self.list() if each.tenant == owner and each.is_open(now)]
        for key_id in ending:
            self.revoke(key_id)
        return len(ending)

    def check(self, presented: str) -> Credential | None:
        """Return the record of a presented key, None where it opens nothing; what is stored is read each time."""
        found = self.marked(presented)
        return None if found is None else found[0]

    def marked(self, presented: str) -> tuple[Credential, str] | None:
        """Return the record as check() does, with its mark: a digest of what is stored of the key."""
        key = parse(presented)
        if key is None:
            return None
        item = self._adapters.table.get(_where(key.id)) or _UNKNOWN
        signed = _signed(key, _text(item, "record"))
        if not self._vault.verify(CREDENTIALS, _PURPOSE, signed, _text(item, "tag")):
            return None
        return self._if_open(item)

    def signer(self, key_id: str) -> tuple[Credential, ApiKey] | None:
        """Return the record of an open key with a derived secret, and the key; None for any other."""
        item = self._adapters.table.get(_where(key_id))
        if item is None:
            return None
        try:
            key = self._derived_again(key_id, _credential(item))
        except CorruptData:  # what is changed in the store is read here before its tag is checked
            return None
        if key is None:
            return None
        if not self._vault.verify(CREDENTIALS, _PURPOSE, _signed(key, _text(item, "record")), _text(item, "tag")):
            return None
        found = self._if_open(item)
        return None if found is None else (found[0], key)

    def _derived_again(self, key_id: str, credential: Credential) -> ApiKey | None:
        number = credential.derived_under
        if credential.id != key_id or number is None:
            return None
        return ApiKey.derived(key_id, self._vault.derived(CREDENTIALS, _DERIVED, number, key_id.encode()))

    def unchanged(self, key_id: str, mark: str) -> Credential | None:
        """Return the record of an open key of which the same is stored as marked() saw, None for any other."""
        item = self._adapters.table.get(_where(key_id))
        if item is None or _mark(item) != mark:
            return None
        found = self._if_open(item)
        return None if found is None else found[0]

    def _if_open(self, item: Attributes) -> tuple[Credential, str] | None:
        credential = _credential(item)
        return (credential, _mark(item)) if credential.is_open(self._adapters.clock.now()) else None

    def _new(
        self, owner: Tenant | None, grant: Grant, lifetime: timedelta | None, *, derived: bool
    ) -> tuple[IssuedKey, Put]:
        key, number = self._drawn(derived=derived)
        now = self._adapters.clock.now()
        credential = Credential(
            id=key.id,
            tenant=owner or Tenant(sha256(key.text().encode()).hexdigest()),
            grant=grant,
            created_at=now,
            expires_at=None if lifetime is None else now + lifetime,
            derived_under=number,
        )
        record = _record(credential)
        tag = self._vault.sign(CREDENTIALS, _PURPOSE, _signed(key, record))
        where = _where(key.id)
        item = {"pk": where.pk, "sk": where.sk, "record": record, "tag": tag}
        return IssuedKey(key.text(), credential), Put(item, ABSENT)

    def _drawn(self, *, derived: bool) -> tuple[ApiKey, int | None]:
        """Return a new key, and the number of the data key that its secret follows from."""
        key = ApiKey.of(self._adapters.entropy.token(ID_BYTES + SECRET_BYTES))
        if not derived:
            return key, None
        number, secret = self._vault.derive(CREDENTIALS, _DERIVED, key.id.encode())
        return ApiKey.derived(key.id, secret), number

    def _transact(self, writes: Sequence[Write]) -> None:
        try:
            self._adapters.table.transact(writes)
        except TransactionRefused:
            raise Conflict("This key was changed meanwhile; list the keys and try again") from None

    def _items(self) -> Iterator[Attributes]:
        from cairn.ground.paging import every  # noqa: PLC0415 - the authorizer lists no keys

        low, high = prefix_range(credential_sk(""))
        return every(self._adapters.table, Query(credentials_pk(), low, high))

    def _item(self, key_id: str) -> Attributes:
        item = self._adapters.table.get(_where(key_id)) if KEY_ID.fullmatch(key_id) else None
        if item is None:
            raise NotFound(_UNKNOWN_ID)
        return item


def _oldest_first(found: Iterable[Credential]) -> tuple[Credential, ...]:
    return tuple(sorted(found, key=lambda each: (each.created_at, each.id)))


def _where(key_id: str) -> Key:
    return Key(credentials_pk(), credential_sk(key_id))


def _as_read(item: Attributes) -> AllOf:
    """Return the condition that a key's record, its end and its successor are as they were read."""
    changing = ("revoked_at", "successor", "rotated_by")
    held = [Equals(name, item[name]) if name in item else Missing(name) for name in changing]
    return AllOf((Equals("record", item["record"]), *held))


def _signed(key: ApiKey, record: str) -> bytes:
    return f"{key.secret}\n{record}".encode()


def _mark(item: Attributes) -> str:
    """Return the SHA-256 of a record and its tag: of all that is stored of a key but the end that `revoked_at` sets."""
    return sha256(f"{item.get('record')}\n{item.get('tag')}".encode()).hexdigest()


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
    if credential.derived_under is not None:
        fields["derived_under"] = credential.derived_under
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
            derived_under=_number(record.get("derived_under")),
            successor=str(item["successor"]) if "successor" in item else None,
            rotated_by=str(item.get("rotated_by", "")),
        )
    except (ValueError, KeyError, TypeError, AttributeError, InvalidArgument):
        raise CorruptData("a stored API key is malformed") from None


def _number(value: Any) -> int | None:
    if value is not None and type(value) is not int:
        raise ValueError("no number of a data key")
    return value


def _moment(text: Any) -> datetime | None:
    return None if text is None else codec.moment(text)


def _text(item: Attributes, name: str) -> str:
    value = item.get(name)
    if not isinstance(value, str):
        raise CorruptData("a stored API key is malformed")
    return value
