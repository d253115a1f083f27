"""The vectors of a log's entries, stored in their items once they are made.

They are sealed apart from an entry's content, which never changes: vectors come a moment later.
"""

from __future__ import annotations

from contextlib import suppress

from cairn.ground.errors import CorruptData
from cairn.ground.ids import Tenant
from cairn.ground.table import Attributes, Key
from cairn.log.documents import Vectors
from cairn.log.stretch import Tail
from cairn.vault.vault import Vault

VECTORS = "vectors"
"""The attribute: the embedder's name, a line feed, then the vectors of the entry's texts, memories and facts."""


def sealed_vectors(vault: Vault, tenant: Tenant, entry: Key, vectors: Vectors) -> dict[str, bytes]:
    """Return the attribute that holds the vectors of all of an entry's documents."""
    plain = vectors.embedder.encode() + b"\n" + vectors.data
    return {VECTORS: vault.seal_blob(tenant, _where(entry), plain)}


def keep_vectors(tail: Tail, vault: Vault, tenant: Tenant, item: Attributes) -> None:
    """Let the tail keep the vectors that its newest entry's item holds, if it has any that can be read."""
    sealed = item.get(VECTORS)
    if isinstance(sealed, bytes):
        with suppress(CorruptData):  # they can be made again from the texts
            embedder, _, data = vault.unseal_blob(tenant, _where(Key.of(item)), sealed).partition(b"\n")
            tail.keep_vectors(Vectors(embedder.decode(), data))


def _where(entry: Key) -> Key:
    # Under a name of its own, so that content is never taken for vectors.
    return Key(entry.pk, f"{entry.sk}#{VECTORS}")
