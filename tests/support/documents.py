"""Documents: the store in a cold process, what one says in short, and a recount of what is counted."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from cairn.documents import layout
from cairn.documents.model import Held, HitPage, Index, Owner, Place, Sought, Usage, Wanted
from cairn.documents.store import Documents
from cairn.ground.adapters import Adapters
from cairn.ground.ids import Project, Tenant, UserId
from cairn.ground.paging import every
from cairn.ground.ports import Embedder
from cairn.ground.settings import Quotas
from cairn.ground.table import Attributes, Key, Query
from cairn.vault.vault import Vault

ADA = Owner(Tenant("acme"), Project("garden"), UserId("ada"))


def documents(
    adapters: Adapters, quotas: Quotas | None = None, embedder: Callable[[], Embedder | None] = lambda: None
) -> Documents:
    """Return the documents of a process that has unwrapped no key yet."""
    return Documents(adapters, Vault(adapters), quotas or Quotas(), embedder)


def wanted(  # noqa: PLR0913 - what a document is stored with
    collection: tuple[str, ...],
    key: str,
    value: Any,
    *,
    index: Index = None,
    ttl_seconds: int | None = None,
    if_version: int | None = None,
) -> Wanted:
    return Wanted(
        place=Place(collection, key), value=value, index=index, ttl_seconds=ttl_seconds, if_version=if_version
    )


def put(store: Documents, collection: tuple[str, ...], key: str, value: Any, **more: Any) -> int:
    """Store or delete one document of Ada's and return its version."""
    return store.put(ADA, [wanted(collection, key, value, **more)])[0]


def value_of(store: Documents, collection: tuple[str, ...], key: str) -> Any:
    """Return the value of one document of Ada's, None where there is none."""
    (found,) = store.get(ADA, [Place(collection, key)])
    return None if found is None else found.value


def found(store: Documents, query: str = "", collection: tuple[str, ...] = (), **more: Any) -> list[str]:
    """Return the keys that a search of Ada's finds."""
    return [hit.document.place.key for hit in page(store, query, collection, **more).hits]


def page(store: Documents, query: str = "", collection: tuple[str, ...] = (), **more: Any) -> HitPage:
    return store.search(ADA, Sought(query=query, collection=collection, **more))


def stored(adapters: Adapters, owner: Owner = ADA) -> Iterator[Attributes]:
    """Yield the items of the documents that are stored, expired ones among them."""
    for item in every(adapters.table, Query(owner.pk, *layout.tree_range(()))):
        if not Held.of(item).removed:
            yield item


def counted(adapters: Adapters, owner: Owner = ADA) -> tuple[Usage, Usage]:
    """Return what an owner's counter says of what is stored, and a recount."""
    kept = Usage.of(adapters.table.get(Key(owner.pk, layout.USAGE)))
    held = [Held.of(item) for item in stored(adapters, owner)]
    plain = sum(not each.indexed for each in held)
    return kept, Usage(len(held), sum(each.size for each in held), kept.changes, plain)
