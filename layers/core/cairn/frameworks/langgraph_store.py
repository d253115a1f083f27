"""LangGraph: a `BaseStore` that keeps items as documents."""

from __future__ import annotations

import re
from asyncio import to_thread
from collections.abc import Iterable, Iterator, Mapping, Sequence
from math import ceil
from typing import Any, Final, Literal

from langgraph.store.base import (
    BaseStore,
    GetOp,
    InvalidNamespaceError,
    Item,
    ListNamespacesOp,
    MatchCondition,
    Op,
    PutOp,
    Result,
    SearchItem,
    SearchOp,
    TTLConfig,
    validate_op_namespace,
)

from cairn.client.documents import Change, Document
from cairn.client.memory import Memory
from cairn.client.settling import settled
from cairn.frameworks.named_documents import plain, put_all, read_back

_Namespace = tuple[str, ...]
_ANY: Final = "*"
_MOST_LABELS: Final = 9
_QUESTION: Final = 1000
_SECONDS: Final = 60
_CHOICE = re.compile(r"(.*?)\{([^{}]*)\}")


class CairnStore(BaseStore):
    """Documents of a Cairn memory as LangGraph's store: a namespace is a collection, an item a document.

    The memory says whose they are: `Memory(…, user="ada")`, or the project's where it names nobody. `fields` are the
    paths that a search with a query ranks by, all texts of a value if left out; False for nothing. What has a `ttl`
    lives so many minutes from when it was put: reading it does not make it live longer.
    """

    supports_ttl = True

    def __init__(
        self,
        memory: Memory,
        *,
        fields: Sequence[str] | Literal[False] | None = None,
        ttl: TTLConfig | None = None,
        collection: str = "langgraph",
    ) -> None:
        """Take the memory, what is searched, and under which collection all is kept.

        ValueError where reads are to make items live longer, which they do not.
        """
        asked: TTLConfig = ttl or {}
        if asked.get("refresh_on_read"):
            raise ValueError("refresh_on_read is not supported: an item lives from when it was put")
        self.ttl_config = {**asked, "refresh_on_read": False, "omit_expired": True}
        self._documents = memory.documents()
        self._fields: Sequence[str] | Literal[False] | None = fields
        self._root = collection

    def batch(self, ops: Iterable[Op]) -> list[Result]:
        """Do what is asked and answer in its order; reads see what was there before, and the last put of a key counts.

        InvalidNamespaceError, before anything is done, where a label is none.
        """
        asked = list(ops)
        for op in asked:
            _check(op)
        gets = [(self._at(op.namespace), plain(op.key)) for op in asked if isinstance(op, GetOp)]
        got = iter(self._documents.get_all(gets))
        results = [_item(next(got)) if isinstance(op, GetOp) else self._read(op) for op in asked]
        puts = {(op.namespace, op.key): self._change(op) for op in asked if isinstance(op, PutOp)}
        put_all(self._documents, puts.values())
        return results

    async def abatch(self, ops: Iterable[Op]) -> list[Result]:
        """Do the same on a thread; puts that have begun are ended even where their task is cancelled."""
        asked = list(ops)
        if any(isinstance(op, PutOp) for op in asked):
            return await settled(lambda: self.batch(asked))
        return await to_thread(self.batch, asked)

    def _read(self, op: Op) -> Result:
        """Return what a search or a list finds; nothing for a put."""
        if isinstance(op, SearchOp):
            return self._found(op)
        return self._namespaces(op) if isinstance(op, ListNamespacesOp) else None

    def _found(self, op: SearchOp) -> list[SearchItem]:
        found = self._documents.search(
            self._at(op.namespace_prefix),
            _question(op.query),
            filter=op.filter,
            limit=op.limit,
            offset=op.offset,
        )
        return [SearchItem(score=each.score, **_told(each)) for each in found]

    def _namespaces(self, op: ListNamespacesOp) -> list[_Namespace]:
        conditions = op.match_conditions or ()
        prefix = _together(condition.path for condition in conditions if condition.match_type == "prefix")
        suffix = _together(tuple(reversed(each.path)) for each in conditions if each.match_type == "suffix")
        if prefix is None or suffix is None:
            return []
        # A suffix must not reach over the collection under which all is kept.
        begin = prefix + (_ANY,) * (len(suffix) - len(prefix))
        found = self._documents.collections(
            (self._root, *map(plain, begin)),
            tuple(map(plain, reversed(suffix))),
            max_depth=None if op.max_depth is None else op.max_depth + 1,
            limit=op.limit,
            offset=op.offset,
        )
        return [_namespace(each) for each in found]

    def _change(self, op: PutOp) -> Change:
        index = self._fields if op.index is None else op.index
        paths = None if index is None or index is False else [each for path in index for each in _paths(path)]
        return Change(
            collection=self._at(op.namespace),
            key=plain(op.key),
            value=None if op.value is None else dict(op.value),
            index=False if index is False else paths,
            ttl_seconds=None if op.ttl is None or op.value is None else ceil(op.ttl * _SECONDS),
        )

    def _at(self, namespace: _Namespace) -> _Namespace:
        return (self._root, *map(plain, namespace))


def _check(op: object) -> None:
    """Raise InvalidNamespaceError where a label is none or there are too many; ValueError for what is no operation."""
    if not isinstance(op, GetOp | PutOp | SearchOp | ListNamespacesOp):
        raise ValueError(f"Unknown operation type: {type(op)}")  # noqa: TRY004 - as LangGraph's own store has it
    validate_op_namespace(op)
    conditions: Sequence[MatchCondition] = (op.match_conditions or ()) if isinstance(op, ListNamespacesOp) else ()
    paths = [condition.path for condition in conditions]
    paths += [op.namespace] if isinstance(op, GetOp | PutOp) else []
    paths += [op.namespace_prefix] if isinstance(op, SearchOp) else []
    if any(len(path) > _MOST_LABELS for path in paths):
        raise InvalidNamespaceError(f"A namespace has at most {_MOST_LABELS} labels")


def _together(paths: Iterable[_Namespace]) -> _Namespace | None:
    """Return the one path that agrees with all of these, None where there is none."""
    joined: list[str] = []
    for path in paths:
        for place, label in enumerate(path):
            if place == len(joined):
                joined.append(label)
            elif joined[place] == _ANY:
                joined[place] = label
            elif label not in {_ANY, joined[place]}:
                return None
    return tuple(joined)


def _question(query: str | None) -> str | None:
    """Return what is asked; of a long text its beginning and its end, where questions stand."""
    if query is None or len(query) <= _QUESTION:
        return query
    half = _QUESTION // 2
    return f"{query[:half]} {query[1 - half :]}"


def _paths(path: str) -> Iterator[str]:
    """Yield the paths that LangGraph writes as one: `a.{b,c}` for `a.b` and `a.c`."""
    choice = _CHOICE.fullmatch(path)
    if choice is None:
        yield path
    else:
        yield from (f"{choice[1]}{field.strip()}" for field in choice[2].split(",") if field.strip())


def _namespace(collection: Sequence[str]) -> _Namespace:
    return tuple(map(read_back, collection[1:]))


def _item(document: Document | None) -> Item | None:
    return None if document is None else Item(**_told(document))


def _told(document: Document) -> Mapping[str, Any]:
    return {
        "namespace": _namespace(document.collection),
        "key": read_back(document.key),
        "value": document.value,
        "created_at": document.created_at,
        "updated_at": document.updated_at,
    }
