"""The content of a document: its value with what of it is searched, sealed in its item or, if large, as a blob."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from hashlib import sha256
from typing import Any, NamedTuple, cast

from cairn.documents.model import Index, Wanted
from cairn.ground import codec
from cairn.ground.adapters import Adapters, Pending
from cairn.ground.errors import CorruptData, MissingBlob
from cairn.ground.ids import Digest, Tenant
from cairn.ground.table import Attributes, Key, Scalar
from cairn.vault.cipher import NONCE_BYTES, TAG_BYTES
from cairn.vault.vault import MAX_INLINE_BYTES, Vault, blob_of


@dataclass(frozen=True, slots=True)
class Content:
    """A document's value, and what of it is searched by words."""

    value: Any
    index: Index


class Sealed(NamedTuple):
    """A sealed content: the attributes of its item, and the blob to store first, where it is large."""

    attributes: Mapping[str, Scalar]
    blob: bytes | None = None

    @property
    def digest(self) -> Digest | None:
        """Return the name of the blob."""
        return None if self.blob is None else Digest(sha256(self.blob).hexdigest())


def sealed(vault: Vault, tenant: Tenant, where: Key, wanted: Wanted) -> Sealed:
    """Return the content of a document that is wanted, sealed for its item."""
    record = {"value": wanted.value, "index": wanted.index}
    packed = codec.pack(record)
    if NONCE_BYTES + len(packed) + TAG_BYTES <= MAX_INLINE_BYTES:
        return Sealed(vault.seal(tenant, where, record))
    return Sealed({}, vault.seal_blob(tenant, where, packed))


def opened(vault: Vault, tenant: Tenant, item: Attributes, blob: bytes | None = None) -> Content:
    """Return what an item holds or names, of which the blob may be at hand; CorruptData where it was changed."""
    name = blob_of(item)
    if name is None:
        record = vault.unseal(tenant, item)
    else:
        record = codec.unpack(vault.unseal_blob(tenant, Key.of(item), blob or vault.blob(tenant, name)))
    try:
        index: object = record["index"]
        paths = tuple(cast("list[str]", index)) if isinstance(index, list) else None
        return Content(record["value"], False if index is False else paths)
    except (KeyError, TypeError) as error:
        raise CorruptData("a stored document is malformed") from error


def fetched(adapters: Adapters, vault: Vault, tenant: Tenant, items: Sequence[Attributes]) -> list[bytes | None]:
    """Return the blobs that items name, read at once; None where an item names none or its blob is gone."""
    calls = [Pending(partial(_blob, vault, tenant, item)) for item in items]
    waiting = [call for call, item in zip(calls, items, strict=True) if "blob" in item]
    if waiting:
        adapters.parallel(waiting)
    return [call.result if "blob" in item else None for call, item in zip(calls, items, strict=True)]


def _blob(vault: Vault, tenant: Tenant, item: Attributes) -> bytes | None:
    try:
        return vault.blob(tenant, str(item["blob"]))
    except MissingBlob:
        return None
