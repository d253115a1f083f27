"""Admit what a bundle has of documents, and store it with what counts it."""

from __future__ import annotations

from datetime import datetime

from cairn.custody.pieces import Piece
from cairn.custody.rules import Rule, Shape, is_count, is_flag, is_moment, need, only_content
from cairn.documents import changes
from cairn.documents.changes import Change
from cairn.documents.layout import DOCUMENTS, owner_pk, place_of
from cairn.documents.model import Held, Place, check_place, owner_of
from cairn.ground import codec, ids
from cairn.ground.adapters import Adapters
from cairn.ground.errors import TransactionRefused, Unavailable
from cairn.ground.ids import Tenant
from cairn.ground.table import Attributes, Key, Scalar

_DOCUMENT: Shape = {
    **dict.fromkeys(("version", "size", "prior"), is_count),
    **dict.fromkeys(("created_at", "updated_at", "until"), is_moment),
    "indexed": is_flag,
}
_NEEDED = frozenset({"version", "size", "created_at", "updated_at"})


def of_documents(project: str | None, owner: str | None, sk: str) -> Rule | None:
    """Return the rule of a document of a user or a project."""
    name = ids.project(project or "")
    user = None if owner == "p:" else ids.user_id((owner or "").removeprefix("u:"))
    need(owner_pk(Tenant("-"), name, user) == f"-#d#{name}#{owner}", "is nobody's document")
    if not sk.startswith(DOCUMENTS):
        return None
    check_place(Place(*place_of(sk)), "document")
    return Rule(_DOCUMENT, _NEEDED, frozenset({"content", "bytes"}), _check_document)


def is_document(item: Attributes, now: datetime) -> bool:
    """Tell whether an item is a document that is there."""
    return Key.of(item).sk.startswith(DOCUMENTS) and Held.of(item).is_there(now)


def listed(piece: Piece) -> Piece:
    """Return a document as a bundle has it: without its place in an index."""
    return Piece(piece.key, {name: piece.attributes[name] for name in piece.attributes if name != "isk"}, piece.body)


def put_document(adapters: Adapters, item: Attributes) -> Attributes | None:
    """Store a document with what counts and tells of it, or return the one that is there, as `listed` has it."""
    where = Key.of(item)
    names = {"pk", "sk", *_DOCUMENT}
    content: dict[str, Scalar] = {name: value for name, value in item.items() if name not in names}
    change = Change(Place(*place_of(where.sk)), None, Held.of(item), content)
    try:
        adapters.table.transact(changes.writes(adapters, owner_of(where.pk), [change], None))
    except TransactionRefused as refused:
        reason = refused.reasons[0]
        if reason is None or reason.code != "condition":
            raise Unavailable("the store refused a document; run the import again") from refused
        return {name: value for name, value in (reason.item or {}).items() if name != "isk"}
    return None


def _check_document(piece: Piece) -> None:
    record = only_content(piece)
    index = record["index"]
    is_index = index in (None, False) or all(isinstance(path, str) for path in index)
    size = len(piece.key.sk.encode()) + len(codec.canonical(record["value"]))
    need(record.keys() == {"value", "index"} and is_index, "holds no document")
    need(size == piece.attributes["size"], "counts another size")
