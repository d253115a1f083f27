"""Move archived sessions between stores: opened on one side, sealed under a new pointer on the other."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from hashlib import sha256
from typing import Any

from cairn.archive.archive import PURPOSE
from cairn.archive.index import ArchiveIndex
from cairn.archive.model import Entry
from cairn.ground import codec
from cairn.ground.adapters import Adapters
from cairn.ground.errors import CorruptData, InvalidArgument, Unavailable
from cairn.ground.ids import Digest, Tenant
from cairn.ground.table import Attributes
from cairn.vault.vault import Vault

OF_THIS_STORE = frozenset({"content_hash", "blob_kid"})
"""What of an entry's attributes follows from the key that its session is sealed under."""


class ArchiveMoves:
    """Opens archived sessions for export, and archives them again on import."""

    def __init__(self, adapters: Adapters, vault: Vault) -> None:
        """Hold no state of its own."""
        self._adapters = adapters
        self._vault = vault
        self._index = ArchiveIndex(adapters)

    def take_out(self, tenant: Tenant, item: Attributes) -> Mapping[str, Any]:
        """Return what is sealed under an entry's pointer; NotFound where the session is being deleted."""
        entry = Entry.of(item)
        sealed = self._adapters.blobs.get(tenant, entry.digest)
        opened: dict[str, Any] = json.loads(self._vault.unseal_alike(tenant, PURPOSE, entry.key_number, sealed))
        return opened

    def put_away(self, tenant: Tenant, attributes: Attributes, opened: Mapping[str, Any]) -> bool:
        """Archive what was opened with the entry's own tags and time; tell whether it was not there already."""
        if not isinstance(opened.get("session"), Mapping):
            raise InvalidArgument("bundle", "holds an archived session that is none")
        try:
            entry = Entry.of({**attributes, "content_hash": "", "blob_kid": 0})
        except CorruptData:
            raise InvalidArgument("bundle", "holds an archived session without its entry") from None
        number, sealed = self._vault.seal_alike(tenant, PURPOSE, codec.canonical(opened))
        digest = self._adapters.blobs.put(tenant, sealed)
        return self._index.add(tenant, replace(entry, digest=digest, key_number=number))

    def has(self, tenant: Tenant, opened: Mapping[str, Any]) -> bool:
        """Tell whether such a session is archived already."""
        _, sealed = self._vault.seal_alike(tenant, PURPOSE, codec.canonical(opened))
        return self._index.get(tenant, Digest(sha256(sealed).hexdigest())) is not None

    def remove(self, tenant: Tenant, item: Attributes) -> None:
        """Remove an archived session by its entry; Unavailable where others are changing that."""
        entry = Entry.of(item)
        if not self._index.remove(tenant, entry):
            raise Unavailable("an archived session is being changed; run it again")
        self._adapters.blobs.delete(tenant, entry.digest)
