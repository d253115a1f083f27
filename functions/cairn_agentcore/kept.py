"""Records that clients make: each is a document of whom its namespace is about, or else of the project.

A client names a record by its id alone. So a second document, of the project, says whose a record is and where. It is
stored before the record; once that is deleted, it says so for as long as the call that made it could come again.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from cairn_agentcore.names import user_of
from cairn_agentcore.namespaces import about, labels_of
from cairn_agentcore.operation import Asked

RECORDS: Final = ("agentcore", "records")
PLACES: Final = ("agentcore", "places")
_PAGE: Final = 100
_MOST_PAGES: Final = 10
_MOST_LABELS: Final = 8
_REMEMBERED_SECONDS: Final = 660
"""How long it is known that a record was deleted: longer than the call that made it is let in."""


@dataclass(frozen=True, slots=True)
class Kept:
    """A record with where it is; `version` is that of its document, 0 for one that is not stored."""

    id: str
    namespace: str
    value: Mapping[str, Any]
    version: int = 0
    ttl_seconds: int | None = None

    @property
    def user(self) -> str | None:
        """Return whose it is, None for the project's."""
        whose = about(labels_of(self.namespace))
        return None if whose is None else user_of(whose.actor_id)

    @property
    def collection(self) -> list[str]:
        """Return the collection of its document."""
        return collection_of(labels_of(self.namespace))

    def told(self) -> Mapping[str, Any]:
        """Return the record as the service tells it."""
        optional = {name: self.value[name] for name in ("timestamp", "metadata") if self.value.get(name) is not None}
        return {
            "memoryRecordId": self.id,
            "content": {"text": self.value["text"]},
            "memoryStrategyId": self.value["strategy"],
            "namespaces": [self.namespace],
            "createdAt": self.value["timestamp"],
            **optional,
        }


def collection_of(labels: Sequence[str]) -> list[str]:
    """Return the collection of a namespace's records: what lies deep is one label."""
    head, deep = labels[: _MOST_LABELS - 1], labels[_MOST_LABELS - 1 :]
    return [*RECORDS, *head, *(["/".join(deep)] if deep else [])]


def make(asked: Asked, project: str, record: Kept) -> None:
    """Store a new record; Conflict where there is another of its id, or one was deleted just now."""
    _put(asked, project, asked.home, [{**_place(record), "if_version": 0}])
    _put(asked, project, record.user or asked.home, [_document(record)])


def change(asked: Asked, project: str, old: Kept, new: Kept) -> None:
    """Store a record in the place of what it was; Conflict where that has changed since.

    What says where it is is stored first, and anew where it stays there: it ends when the record does.
    """
    _put(asked, project, asked.home, [_place(new)])
    if old.collection == new.collection and old.user == new.user:
        _put(asked, project, new.user or asked.home, [_document(replace(new, version=old.version))])
        return
    gone = {"collection": old.collection, "key": old.id, "value": None, "if_version": old.version}
    moved = _document(new)
    if old.user == new.user:
        _put(asked, project, new.user or asked.home, [moved, gone])
        return
    _put(asked, project, new.user or asked.home, [moved])
    _put(asked, project, old.user or asked.home, [gone])


def find(asked: Asked, project: str, record_id: str) -> Kept | None:
    """Return a record, None where there is none."""
    at = [{"collection": list(PLACES), "key": record_id}]
    (place,) = asked.ask("memory_get_documents", project=project, user_id=asked.home, documents=at)["documents"]
    namespace = None if place is None else place["value"].get("namespace")
    if namespace is None:
        return None
    record = Kept(record_id, namespace, {})
    at = [{"collection": record.collection, "key": record_id}]
    whose = record.user or asked.home
    (document,) = asked.ask("memory_get_documents", project=project, user_id=whose, documents=at)["documents"]
    return None if document is None else replace(record, value=document["value"], version=document["version"])


def delete(asked: Asked, project: str, record: Kept) -> None:
    """Delete a record; what says where it is is changed last, so that a call that failed can be made again."""
    gone = {"collection": record.collection, "key": record.id, "value": None}
    _put(asked, project, record.user or asked.home, [gone])
    known = {"value": {"deleted": True}, "ttl_seconds": _REMEMBERED_SECONDS}
    _put(asked, project, asked.home, [{**_place(record), **known}])


def search(asked: Asked, project: str, labels: Sequence[str], query: str) -> Iterator[Mapping[str, Any]]:
    """Yield the records of a namespace and of all below it as the service tells them, the best first."""
    whose = about(tuple(labels))
    user = asked.home if whose is None else user_of(whose.actor_id)
    for page in range(_MOST_PAGES):
        answer = asked.ask(
            "memory_search_documents",
            project=project,
            user_id=user,
            collection=collection_of(labels),
            query=query,
            limit=_PAGE,
            offset=page * _PAGE,
        )
        for each in answer["documents"]:
            record = Kept(each["key"], each["value"]["namespace"], each["value"])
            yield record.told() if each["score"] is None else {**record.told(), "score": each["score"]}
        if not answer["more"]:
            return


def _place(record: Kept) -> dict[str, Any]:
    """Return what says where a record is."""
    told = {"namespace": record.namespace, "user": record.user}
    return {"collection": list(PLACES), "key": record.id, "value": told, "index": False, **_ending(record)}


def _document(record: Kept) -> dict[str, Any]:
    """Return the document of a record, which is stored if the one before it has the record's version."""
    return {
        "collection": record.collection,
        "key": record.id,
        "value": dict(record.value),
        "index": ["text"],
        "if_version": record.version,
        **_ending(record),
    }


def _ending(record: Kept) -> dict[str, int]:
    return {} if record.ttl_seconds is None else {"ttl_seconds": record.ttl_seconds}


def _put(asked: Asked, project: str, user: str | None, documents: Sequence[Mapping[str, Any]]) -> None:
    asked.ask("memory_put_documents", project=project, user_id=user, documents=list(documents))
