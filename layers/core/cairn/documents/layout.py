"""Keys of documents: a partition for each owner, in which every collection and all below it is one range.

A document's sort key is its collection's labels, each with `/` behind it, then `/` and its key. Labels and keys are
escaped, so that a `/` divides and nothing else, and a label is never empty: `//` stands once, before the key.
"""

from __future__ import annotations

from collections.abc import Sequence

from cairn.ground.errors import CorruptData
from cairn.ground.ids import Project, Tenant, UserId

DOCUMENTS = "d#"
USAGE = "usage"
"""Under which an owner's documents are counted, and the changes of those that are searched by words."""
_AFTER = "0"
"""The character right after `/`."""


def owner_pk(tenant: Tenant, project: Project, user: UserId | None) -> str:
    """Return the partition of a user's documents in a project, or of the project's own."""
    return f"{tenant}#d#{project}#{'p:' if user is None else f'u:{user}'}"


def due_pk(tenant: Tenant) -> str:
    """Return the partition of the index that lists what falls due: documents that expire, blobs of no use."""
    return f"{tenant}#d"


def document_sk(collection: Sequence[str], key: str) -> str:
    """Return the sort key of a document."""
    return f"{_labels(collection)}/{_escaped(key)}"


def place_of(sk: str) -> tuple[tuple[str, ...], str]:
    """Return the collection and the key in a document's sort key; CorruptData where it is none's."""
    labels, found, key = sk.removeprefix(DOCUMENTS).rpartition("/")
    if not found or not key or not sk.startswith(DOCUMENTS) or (labels and not labels.endswith("/")):
        raise CorruptData("a document's key is malformed")
    return tuple(_plain(label) for label in labels.split("/")[:-1]), _plain(key)


def tree_range(collection: Sequence[str]) -> tuple[str, str]:
    """Return the range of all documents of a collection and of those below it; its end is no document's."""
    labels = _labels(collection)
    return labels, labels[:-1] + (_AFTER if collection else "$")


def own_range(collection: Sequence[str]) -> tuple[str, str]:
    """Return the range of the documents of a collection alone; its end is no document's."""
    labels = _labels(collection)
    return f"{labels}/", f"{labels}{_AFTER}"


def change_sk(change_id: str) -> str:
    """Return the sort key that tells which documents a transaction changed."""
    return f"c#{change_id}"


def changes_since(change_id: str) -> tuple[str, str]:
    """Return the range of what was told from the change of this id on."""
    return f"c#{change_id}", "c#~"


def drop_sk(drop_id: str) -> str:
    """Return the sort key that names blobs which no document has."""
    return f"g#{drop_id}"


def is_drop(sk: str) -> bool:
    """Tell whether a sort key names blobs which no document has."""
    return sk.startswith("g#")


def _labels(collection: Sequence[str]) -> str:
    return DOCUMENTS + "".join(f"{_escaped(label)}/" for label in collection)


def _escaped(text: str) -> str:
    return text.replace("~", "~0").replace("/", "~1")


def _plain(text: str) -> str:
    return text.replace("~1", "/").replace("~0", "~")
