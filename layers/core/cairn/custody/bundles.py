"""Bundles: all that a tenant, a project or a user has, as readable records that another service can import.

Contents leave the vault here and are sealed again on import, under the keys of whoever imports. What is derived,
passing or bound to this store's keys stays behind: wrapped keys, indexes, turn guards, begun turns, audit log, rates.
"""

from __future__ import annotations

import base64
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, TypeAlias, cast

from cairn.archive.layout import POINTERS
from cairn.archive.moves import OF_THIS_STORE, ArchiveMoves
from cairn.ground.adapters import Adapters
from cairn.ground.attributes import number
from cairn.ground.codec import moment
from cairn.ground.errors import ConditionFailed, Conflict, InvalidArgument, NotFound
from cairn.ground.ids import Digest, Project, SessionId, Tenant, UserId
from cairn.ground.ports import Inventory
from cairn.ground.table import ABSENT, Attributes, Key, Put, Scalar
from cairn.log.layout import DISCARDED, MANIFEST, NEWEST, registry_sk
from cairn.sessions import due
from cairn.sessions.head import BEGUN, REMOVALS, Head
from cairn.sessions.layout import FIRST_EVENT, GUARDS, HEAD, LAST_EVENT, OPERATIONS, PACKED, dropped_sk, session_of
from cairn.vault.vault import Vault, blob_of

Record: TypeAlias = Mapping[str, Any]
"""One item: `partition` without its tenant, `sort`, `attributes`, and where it had any its `content` or its `bytes`.

An archived session is one record, of its entry and, as `archived`, what its pointer leads to.
"""

_SEALED = frozenset({"kid", "data", "blob"})
_OF_THIS_STORE = _SEALED | OF_THIS_STORE | {"pk", "sk", "lease_owner", "lease_until", BEGUN, REMOVALS}
_STAYS = frozenset({"keys", "audit", "rates"})
"""The kinds of partitions that are no part of a bundle."""


@dataclass(frozen=True, slots=True)
class DataScope:
    """Whose data is meant: all of a tenant's, narrowed to a project, to a user, or to both."""

    tenant: Tenant
    project: Project | None = None
    user: UserId | None = None

    @property
    def owner(self) -> str | None:
        """Return the user as the owner of memory logs, None where no user is named."""
        return None if self.user is None else f"u:{self.user}"

    def has_log(self, pk: str) -> bool:
        """Tell whether a partition is a memory log of the user, in the project if one is named."""
        kind, project, owner = _parts(pk)
        return kind == "m" and self.project in {None, project} and owner == self.owner and owner is not None

    def shares(self, pk: str) -> bool:
        """Tell whether a partition is a memory log of a project or a session, to which the user may have added."""
        kind, project, owner = _parts(pk)
        return kind == "m" and self.project in {None, project} and owner is not None and not owner.startswith("u:")

    def has_session(self, head: Head) -> bool:
        """Tell whether a head is that of a session in which the user spoke."""
        kind, project, _ = _parts(head.key.pk)
        return kind == "s" and self.project in {None, project} and self.owner in head.owners

    def sole_sessions(self, heads: Iterable[Head]) -> set[SessionId]:
        """Return the names under which the tenant has sessions in which the user alone spoke, and no others."""
        own, others = set[SessionId](), set[SessionId]()
        for head in heads:
            if head.owners:
                is_own = head.owners == (self.owner,) and self.has_session(head)
                (own if is_own else others).add(session_of(head.key.pk).session_id)
        return own - others

    def registers(self, item: Attributes) -> bool:
        """Tell whether an item makes the user's log known to a project."""
        where = Key.of(item)
        kind, project, owner = _parts(where.pk)
        own = kind == "m" and owner is None and self.project in {None, project}
        return own and self.owner is not None and where.sk == registry_sk(self.owner)


class Bundles:
    """Exports data from a store and imports it into one."""

    def __init__(self, adapters: Adapters, inventory: Inventory, vault: Vault) -> None:
        """Hold no state of its own."""
        self._adapters = adapters
        self._inventory = inventory
        self._vault = vault
        self._archive = ArchiveMoves(adapters, vault)

    def export(self, scope: DataScope) -> Iterator[Record]:
        """Yield a record of each item; of a session shared with others, a user's own turns alone."""
        found = (Head.of(item) for item in self._inventory.items(scope.tenant) if item["sk"] == HEAD)
        heads = {head.key.pk: head for head in found}
        sole = scope.sole_sessions(heads.values())
        for item in filter(self._is_portable, self._inventory.items(scope.tenant)):
            if _parts(Key.of(item).pk)[0] == "a":
                with suppress(NotFound):
                    yield from self._archived(scope, item, sole)
            else:
                record = self._of_user(scope, item, heads) if scope.user else self._of_project(scope, item)
                if record is not None:
                    yield record

    def take_in(self, tenant: Tenant, records: Iterable[Record]) -> Iterator[bool]:
        """Store the records as the tenant's, yielding for each whether it was new; it may be done again.

        Conflict where the store holds something else in a record's place, InvalidArgument for what is no record.
        """
        for record in records:
            item = self._item(tenant, record)
            if "archived" in record:
                yield self._archive.put_away(tenant, item, record["archived"])
                continue
            try:
                self._adapters.table.put(Put(item, ABSENT))
            except ConditionFailed as held:
                if self._record(tenant, held.item or {}) != self._record(tenant, item):
                    message = f"The store holds something else at {record['partition']} {record['sort']}"
                    raise Conflict(f"{message}; import into an empty service") from None
                yield False
            else:
                yield True

    def _is_portable(self, item: Attributes) -> bool:
        where = Key.of(item)
        (kind, _, _), sk = _parts(where.pk), where.sk
        if number(item, "expires_at", 2**63) <= int(self._adapters.clock.now().timestamp()):
            return False
        if kind == "a":
            return sk.startswith(POINTERS)
        if kind == "s":
            return not sk.startswith((GUARDS, OPERATIONS, dropped_sk("")))
        is_made_anew = sk in {MANIFEST, NEWEST} or sk.startswith(DISCARDED)
        return kind not in _STAYS and not (kind == "m" and is_made_anew)

    def _archived(self, scope: DataScope, item: Attributes, sole: Collection[str]) -> Iterator[Record]:
        """Yield the record of an archived session, which is the tenant's, or as a session a user's alone."""
        if item["source_session_id"] in sole or scope == DataScope(scope.tenant):
            yield {**self._record(scope.tenant, item), "archived": self._archive.take_out(scope.tenant, item)}

    def _of_project(self, scope: DataScope, item: Attributes) -> Record | None:
        kind, project, _ = _parts(Key.of(item).pk)
        if scope.project is None or (kind in {"m", "s"} and project == scope.project):
            return self._record(scope.tenant, item)
        return None

    def _of_user(self, scope: DataScope, item: Attributes, heads: Mapping[str, Head]) -> Record | None:
        where = Key.of(item)
        if scope.has_log(where.pk) or scope.registers(item):
            return self._record(scope.tenant, item)
        head = heads.get(where.pk)
        if head is None or not scope.has_session(head):
            return None
        record = self._record(scope.tenant, item)
        if head.owners == (scope.owner,):
            return record
        if where.sk == HEAD:
            return {**record, "attributes": {**record["attributes"], "owners": scope.owner}}
        own = own_turns(where.sk, record.get("content"), scope.user)
        return {**record, "content": own} if own else None

    def _record(self, tenant: Tenant, item: Attributes) -> Record:
        where = Key.of(item)
        attributes = {name: _plain(value) for name, value in item.items() if name not in _OF_THIS_STORE}
        record = {"partition": where.pk.removeprefix(f"{tenant}#"), "sort": where.sk, "attributes": attributes}
        if str(attributes.get("ipk", "")).startswith(f"{tenant}#"):
            attributes["ipk"] = str(attributes["ipk"]).removeprefix(tenant)
        if "kid" in item:
            return {**record, "content": self._vault.unseal(tenant, item)}
        blob = blob_of(item)
        return record if blob is None else {**record, "bytes": self._bytes(tenant, where, blob)}

    def _bytes(self, tenant: Tenant, where: Key, blob: Digest) -> str:
        """Return what seal_blob() was given for the item there, as base64."""
        plain = self._vault.unseal_blob(tenant, where, self._adapters.blobs.get(tenant, blob))
        return base64.b64encode(plain).decode()

    def _item(self, tenant: Tenant, record: Record) -> dict[str, Scalar]:
        where = _place(tenant, record)
        attributes = {str(name): _scalar(value) for name, value in record["attributes"].items()}
        index = str(attributes.get("ipk", ""))
        if index.startswith("#"):
            attributes["ipk"] = f"{tenant}{index}"
        elif where.sk == HEAD and "isk" in attributes:
            entry = due.at(session_of(where.pk), moment(str(attributes["isk"])))
            attributes = {**attributes, **entry.set}
        content = self._vault.seal(tenant, where, record["content"]) if "content" in record else {}
        if "bytes" in record:
            sealed = self._vault.seal_blob(tenant, where, base64.b64decode(record["bytes"]))
            content = {"blob": self._adapters.blobs.put(tenant, sealed)}
        return {**attributes, "pk": where.pk, "sk": where.sk, **content}


def own_turns(sk: str, content: Any, user: UserId | None) -> list[Any]:
    """Return what of a session's item is the user's: a turn's events, all or none; a shard's turns; else nothing."""
    if FIRST_EVENT <= sk <= LAST_EVENT:
        return content if any(event["user_id"] == user for event in content) else []
    if sk.startswith(PACKED):
        return [[seq, events] for seq, events in content if any(event["user_id"] == user for event in events)]
    return []


def _parts(pk: str) -> tuple[str, str | None, str | None]:
    """Return a partition's kind, and where it has them its project and what follows."""
    _, kind, *rest = pk.split("#", 3)
    return kind, rest[0] if rest else None, rest[1] if len(rest) > 1 else None


def _place(tenant: Tenant, record: Record) -> Key:
    match record:
        case {"partition": str(partition), "sort": str(sort), "attributes": dict()} if partition and sort:
            kind = partition.split("#")[0]
            is_bound = kind in _STAYS or (kind == "a") != ("archived" in record)
            if is_bound or _OF_THIS_STORE & record["attributes"].keys():
                raise InvalidArgument("bundle", "holds a record of what is no part of a bundle")
            return Key(f"{tenant}#{partition}", sort)
        case _:
            raise InvalidArgument("bundle", "holds a line that is no record")


def _plain(value: Scalar) -> object:
    return {"base64": base64.b64encode(value).decode()} if isinstance(value, bytes) else value


def _scalar(value: object) -> Scalar:
    match value:
        case {"base64": str(text)}:
            return base64.b64decode(text)
        case str() | int():
            return cast("Scalar", value)
        case _:
            raise InvalidArgument("bundle", "holds an attribute that is no text, number or bytes")
