"""Checkpoints of LangGraph's graphs as records, without knowing what is in them.

`checkpoints` holds, newest first, each checkpoint with what tasks wrote to it; `channels` the values of channels, each
once for each of its versions. What makes a checkpoint count is stored last and removed first.
"""

from __future__ import annotations

import json
from base64 import b64decode, b64encode
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby, islice
from typing import Any, Final, Self, TypeAlias, cast

from langgraph.checkpoint.base import writes_sort_key

from cairn.client.documents import Change, Document
from cairn.frameworks.langgraph_records import Place, Record, Records, newest_first
from cairn.frameworks.named_documents import Name, name_of
from cairn.ground.errors import Conflict

Typed: TypeAlias = tuple[str, bytes]
"""What a serializer makes of a value: what kind it is, and its bytes."""
Version: TypeAlias = str | int | float
_CHECKPOINT: Final = "checkpoint"
_WRITES: Final = "writes"
_DEPTH: Final = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class Write:
    """What a task wrote: its path and id, the write's number among its own, a channel and a value."""

    path: str
    task: str
    number: int
    channel: str
    value: Typed

    @classmethod
    def of(cls, number: str, held: Sequence[str]) -> Self:
        """Return a write as it is stored."""
        path, task, channel, *value = held
        return cls(path=path, task=task, number=int(number), channel=channel, value=_typed(value))

    @property
    def held(self) -> list[str]:
        """Return what is stored of it beside its number."""
        return [self.path, self.task, self.channel, *_packed(self.value)]


@dataclass(frozen=True, slots=True, kw_only=True)
class Kept:
    """A checkpoint: in which thread and namespace, behind which other, the versions of its channels, and the rest.

    `run` is the run that made it, where one is known.
    """

    thread: str
    namespace: str
    id: str
    parent: str | None
    run: str | None
    versions: Mapping[str, Version]
    checkpoint: Typed
    metadata: Typed

    @classmethod
    def of(cls, document: Document, body: Mapping[str, Any]) -> Self:
        """Return a checkpoint as it is stored."""
        told = {name: json.loads(document.value[name]) for name in ("thread", "namespace", "id", "parent", "run")}
        versions = dict(body["versions"])
        return cls(
            **told,
            versions=versions,
            checkpoint=_typed(body["checkpoint"]),
            metadata=_typed(body["metadata"]),
        )

    def record(self, place: Place) -> Record:
        """Return what is stored of it."""
        told = {"thread": self.thread, "namespace": self.namespace, "id": self.id, "parent": self.parent}
        return Record(
            name=(place.of("checkpoints", newest_first(self.id)), _CHECKPOINT),
            # As JSON, since a document's texts hold neither NUL nor lone surrogates.
            beside={name: json.dumps(value) for name, value in {**told, "run": self.run}.items()},
            body={
                "versions": list(self.versions.items()),
                "checkpoint": _packed(self.checkpoint),
                "metadata": _packed(self.metadata),
            },
        )


@dataclass(frozen=True, slots=True)
class Stored:
    """A checkpoint's documents: `head` is itself, the others are what was written to it; in the order of `order`."""

    place: Place
    order: str
    documents: Sequence[Document]

    @property
    def head(self) -> Document | None:
        """Return the document of the checkpoint itself, None where there are writes alone."""
        return next((each for each in self.documents if each.key == _CHECKPOINT), None)


@dataclass(frozen=True, slots=True)
class Opened:
    """A checkpoint with what was written to it and the values of its channels."""

    stored: Stored
    kept: Kept
    writes: Sequence[Write]
    values: Mapping[str, Typed]

    def names(self, channels: Collection[str] | None = None) -> Iterator[tuple[str, Name]]:
        """Yield under which names the values of its channels are, or of these alone."""
        for channel, version in self.kept.versions.items():
            if channels is None or channel in channels:
                yield channel, _value_name(self.stored.place, channel, version)


class Checkpoints:
    """Keeps checkpoints of all threads."""

    def __init__(self, records: Records, root: str) -> None:
        """Keep them among these records, under this label."""
        self._records = records
        self._root = root

    def place(self, thread: str, namespace: str) -> Place:
        """Return where checkpoints of a thread and a namespace are."""
        return Place(self._root, name_of(thread), name_of(namespace))

    def places(self, thread: str | None = None) -> list[Place]:
        """Return where a thread has checkpoints, or where all have them."""
        where = () if thread is None else (name_of(thread),)
        found = self._records.collections(self._root, "checkpoints", *where, depth=_DEPTH)
        return [_place(each) for each in found]

    def newest_first(self, place: Place, *, first: int = 100) -> Iterator[Stored]:
        """Yield the checkpoints of a place, the newest first; the first read is of `first` documents."""
        found = self._records.within(place.of("checkpoints"), first=first)
        for order, documents in groupby(found, key=lambda each: each.collection[-1]):
            yield Stored(place, order, list(documents))

    def before(self, place: Place, checkpoint_id: str | None) -> Iterator[Stored]:
        """Yield the checkpoints behind which a checkpoint stands, or the newest does, the nearest first."""
        left = (each for each in self.newest_first(place) if each.head)
        met, wanted, is_before = dict[str, Stored](), checkpoint_id and newest_first(checkpoint_id), False
        while True:
            while wanted not in met and (each := next(left, None)) is not None:
                met[each.order] = each
                wanted = wanted or each.order
                if each.order > wanted:
                    break
            # Taken out, since a checkpoint that was stored again may stand behind one that stands behind it.
            found = met.pop(wanted or "", None)
            if found is None or found.head is None:
                return
            if is_before:
                yield found
            parent, is_before = json.loads(found.head.value["parent"]), True
            if parent is None:
                return
            wanted = newest_first(parent)

    def one(self, place: Place, checkpoint_id: str) -> Stored:
        """Return the checkpoint of this id, without documents where there is none."""
        order = newest_first(checkpoint_id)
        return Stored(place, order, list(self._records.within(place.of("checkpoints", order))))

    def opened(
        self,
        stored: Iterable[Stored],
        is_wanted: Callable[[Kept], bool] = bool,
        *,
        at_once: int,
        channels: Collection[str] | None = None,
    ) -> Iterator[Opened]:
        """Yield those checkpoints that are there and wanted, with what belongs to them, some at a time.

        Values are read of all channels, or of these alone.
        """
        there = (each for each in stored if each.head)
        while some := list(islice(there, at_once)):
            found = [each for each in self._read(some) if is_wanted(each.kept)]
            names = [list(each.names(channels)) for each in found]
            values = self._records.bodies_at(name for each in names for _, name in each)
            for each, named in zip(found, names, strict=True):
                yield replace(each, values={channel: _typed(values[name]) for channel, name in named if name in values})

    def put(self, place: Place, kept: Kept, values: Mapping[tuple[str, Version], Typed]) -> None:
        """Store a checkpoint and the values of channels that are new, by version: those first, itself last."""
        new = [
            Record(name=_value_name(place, channel, version), body=_packed(value), beside={})
            for (channel, version), value in values.items()
        ]
        self._records.put([*new, kept.record(place)])

    def put_writes(self, place: Place, checkpoint_id: str, writes: Sequence[Write]) -> None:
        """Store what a task wrote to a checkpoint, none of it without the rest unless it is large.

        What has a number of 0 or more stays as it was written first; what has another comes in place of the one before.
        """
        where = place.of("checkpoints", newest_first(checkpoint_id))
        own = [
            Record(name=(where, f"{_WRITES}.{name_of(each.task, str(each.number))}"), body=_held([each]), beside={})
            for each in writes
            if each.number < 0
        ]
        first = [each for each in writes if each.number >= 0]
        if writes:
            self._put_first(own, (where, f"{_WRITES}.{name_of(writes[0].task)}"), _held(first))

    def keep(self, place: Place, is_kept: Callable[[Stored], bool]) -> None:
        """Remove all other checkpoints of a place, the oldest first, and then the values that only they have."""
        kept, gone = list[Stored](), list[Stored]()
        for each in self.newest_first(place):
            (kept if is_kept(each) else gone).append(each)
        values = self._values(gone) - self._values(kept)
        for each in reversed(gone):
            self._records.remove(each.documents)
        self._records.remove_at(values)

    def of_run(self, run: str) -> dict[Place, set[str]]:
        """Return the places and orders of the checkpoints that a run made."""
        found = defaultdict[Place, set[str]](set)
        for each in self._records.within((self._root, "checkpoints"), filter={"run": json.dumps(run)}):
            found[_place(each.collection)].add(each.collection[-1])
        return found

    def remove(self, thread: str) -> None:
        """Remove all of a thread, if it is there."""
        for kind in ("checkpoints", "channels", "parts"):
            self._records.clear((self._root, kind, name_of(thread)))

    def copy(self, source: str, target: str) -> None:
        """Copy all of a thread into another: values first, then the checkpoints, the oldest first."""
        for kind in ("channels", "parts"):
            self._records.put_all(self._copies(self._records.within((self._root, kind, name_of(source))), target))
        found = list(self._records.within((self._root, "checkpoints", name_of(source))))
        self._records.put_all(self._copies(reversed(found), target))

    def _copies(self, documents: Iterable[Document], target: str) -> Iterator[Change]:
        for each in documents:
            root, kind, _, *rest = each.collection
            value = {**each.value, **({"thread": json.dumps(target)} if each.key == _CHECKPOINT else {})}
            yield Change(collection=(root, kind, name_of(target), *rest), key=each.key, value=value, index=False)

    def _put_first(self, beside: Sequence[Record], name: Name, writes: Mapping[str, Any]) -> None:
        """Store writes under a name without changing those that stand there, and other records with them."""
        body, version = writes, 0
        while True:
            new = [Record(name=name, body=body, beside={}, if_version=version)] if body else []
            try:
                self._records.put([*beside, *new])
            except Conflict:
                held = self._records.get(name)
                stored: Mapping[str, Any] = {} if held is None else self._records.bodies([held])[0]
                body = {**writes, **stored} if writes.keys() - stored.keys() else {}
                version = 0 if held is None else held.version
            else:
                return

    def _read(self, stored: Sequence[Stored]) -> Iterator[Opened]:
        """Yield checkpoints without the values of their channels."""
        bodies = iter(self._records.bodies([each for one in stored for each in one.documents]))
        for one in stored:
            held = {each.key: next(bodies) for each in one.documents}
            head = cast("Document", one.head)
            writes = [
                Write.of(number, write)
                for key, body in held.items()
                if key != _CHECKPOINT
                for number, write in body.items()
            ]
            ordered = sorted(writes, key=lambda each: writes_sort_key(each.path, each.task, each.number))
            yield Opened(one, Kept.of(head, held[_CHECKPOINT]), ordered, {})

    def _values(self, stored: Sequence[Stored]) -> set[Name]:
        heads = [Stored(each.place, each.order, [each.head]) for each in stored if each.head]
        return {name for each in self._read(heads) for _, name in each.names()}


def _place(collection: Sequence[str]) -> Place:
    root, _, thread, namespace, *_ = collection
    return Place(root, thread, namespace)


def _value_name(place: Place, channel: str, version: Version) -> Name:
    return place.of("channels"), name_of(channel, json.dumps(version))


def _held(writes: Iterable[Write]) -> dict[str, list[str]]:
    return {str(each.number): each.held for each in writes}


def _packed(value: Typed) -> list[str]:
    kind, data = value
    return [kind, b64encode(data).decode()]


def _typed(held: Sequence[str]) -> Typed:
    kind, data = held
    return kind, b64decode(data)
