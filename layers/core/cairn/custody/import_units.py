"""What an import brought, in units that go or stay as a whole, and which of them somebody changed or built on since.

A session is a unit, with what memory logs say of it; so are the files of a user or a project, an item log, and each
other thing. What maintenance did to a session since goes with it. Whoever spoke in it, changed a file of it, or said,
kept or forgot something that names what was learnt in it, has built on it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from hashlib import sha256
from typing import Any

from cairn.custody.records import Record
from cairn.custody.scope import parts_of
from cairn.custody.spilled_map import SpilledMap
from cairn.custody.states import DIGEST_BYTES, Line, line_of
from cairn.files.layout import FILES, VERSIONS, file_sk
from cairn.ground.codec import canonical
from cairn.ground.ids import Project, SessionId
from cairn.ground.session import NO_SESSION, Session
from cairn.ground.table import Key
from cairn.log.layout import is_entry, log_of, memory_sk, registry_sk, session_named
from cairn.sessions.layout import HEAD, MEMORY_COUNT, session_pk

_OF_FILES = (file_sk(""), "part#", VERSIONS)
_BETWEEN = "\x01"


def line_of_import(record: Record) -> Line:
    """Return a record's line; of a session's head by what only who speaks in it changes, or takes something out."""
    key, digest = line_of(record)
    if record["sort"] == HEAD and parts_of(f"#{record['partition']}")[0] == "s":
        return key, of_head(record["attributes"])
    return key, digest


def of_head(head: Mapping[str, Any]) -> bytes:
    """Return what stands for the turns that a head's session has."""
    told = [head.get(name, default) for name, default in (("seq", 0), ("erased", 0), ("updated_at", ""))]
    return sha256(canonical(told)).digest()[:DIGEST_BYTES]


class ImportUnits:
    """The units of an import that were met in a store, with the places of what is to go with each."""

    def __init__(self, lines: Iterable[tuple[bytes, bytes]]) -> None:
        """Know what was brought by its lines, and have met nothing."""
        self.registered: dict[str, Key] = {}
        """Where a project knows a log, by the log's partition, as far as that was brought."""
        self.counted = set[Key]()
        """Where projects count the bytes of their files, as that was brought and is still."""
        self.left = Counter[str]()
        """Of each unit, how many of its records are there still."""
        self._lines = SpilledMap()
        for key, digest in lines:
            self._lines.add(key, digest)
        self._touched = set[str]()
        self._units_of_ids: dict[str, str] = {}
        self._named = set[str]()
        self._places = SpilledMap()

    def __len__(self) -> int:
        """Return how many records were brought."""
        return len(self._lines)

    def meet(self, where: Key, record: Record) -> None:
        """Take in a record that the store has."""
        key, digest = line_of_import(record)
        was = self._lines.get(key)
        same = None if was is None else was == digest
        kind, _, owner = parts_of(where.pk)
        if kind == "s":
            self._meet_session(where, same)
        elif kind == "m" and is_entry(where.sk):
            self._meet_entry(where, record["content"], is_brought=same is not None)
        elif kind == "m":
            if same is not None and where.sk.startswith(registry_sk("")):
                self.registered[f"{where.pk}#{where.sk.removeprefix(registry_sk(''))}"] = where
            elif same and where.sk == FILES:
                self.counted.add(where)
        else:
            self._meet_thing(where, f"{where.pk}#{where.sk}" if kind == "i" and owner is None else where.pk, same)

    def removable(self) -> Iterator[str]:
        """Yield the units that go."""
        built_on = {self._units_of_ids[each] for each in self._named if each in self._units_of_ids}
        yield from (unit for unit in self.left if unit not in self._touched and unit not in built_on)

    def places(self, unit: str) -> list[Key]:
        """Return where the entries and memories of a unit are, or its other items."""
        found = self._places.begun_with(f"{unit}{_BETWEEN}".encode())
        return [Key(*each.decode().split(_BETWEEN)[1:]) for each in found]

    def is_as_brought(self, pk: str, head: Mapping[str, Any]) -> bool:
        """Tell whether a session has the turns that it was brought with, and no others."""
        partition = pk.partition("#")[2]
        return self._lines.get(line_of({"partition": partition, "sort": HEAD, "attributes": {}})[0]) == of_head(head)

    def _meet_session(self, where: Key, same: bool | None) -> None:  # noqa: FBT001 - None where it was not brought
        unit, is_file = where.pk, where.sk.startswith(_OF_FILES)
        counts = where.sk in {HEAD, MEMORY_COUNT} or is_file
        if same is not None:
            self.left[unit] += 1
        if counts and not same:
            self._touched.add(unit)

    def _meet_thing(self, where: Key, partition: str, same: bool | None) -> None:  # noqa: FBT001 - as above
        """Take in a key, a document, an archived session, an execution, or an item of an item log."""
        unit = partition if parts_of(where.pk)[0] == "i" else f"{where.pk}#{where.sk}"
        if same is None:
            self._touched.add(unit)
            return
        self.left[unit] += 1
        if not same:
            self._touched.add(unit)
        self._add(unit, where)

    def _meet_entry(self, where: Key, content: Mapping[str, Any], *, is_brought: bool) -> None:
        tenant, project, _ = log_of(where.pk)
        session = Session(tenant, *session_named(Project(project), SessionId(content["session"])))
        unit = session_pk(session) if session.session_id != NO_SESSION else f"{where.pk}#{where.sk}"
        if is_brought:
            self.left[unit] += 1
            self._units_of_ids.update(dict.fromkeys(_taught(content), unit))
            for memory in content.get("remembered", ()):
                self._add(unit, Key(where.pk, memory_sk(memory["id"])))
        elif _is_of_upkeep(content):
            self._named.update(each["superseded_by"] for each in content["ended"] if each["superseded_by"])
        else:
            self._touched.add(unit)
            self._named.update(_taught(content), _told_of(content))
        self._add(unit, where)

    def _add(self, unit: str, where: Key) -> None:
        self._places.add(_BETWEEN.join((unit, where.pk, where.sk)).encode(), b"")


def _taught(content: Mapping[str, Any]) -> Iterator[str]:
    """Yield the ids of the facts and memories that an entry tells of first."""
    yield from (fact["id"] for fact in content["added"])
    yield from (memory["id"] for memory in content.get("remembered", ()))


def _told_of(content: Mapping[str, Any]) -> Iterator[str]:
    """Yield the ids of those that an entry says something of: that they ended, hold still, or are in whose place."""
    yield from content["seen"]
    for ending in content.get("forgotten", ()):
        yield from filter(None, (ending["id"], ending["replacement"]))
    for fact in (*content["added"], *content["ended"]):
        yield from filter(None, (fact["id"], fact["supersedes"], fact["superseded_by"]))


def _is_of_upkeep(content: Mapping[str, Any]) -> bool:
    """Tell whether an entry does nothing but end facts, as maintenance does."""
    others = (content["turn"], content["added"], content["seen"], content.get("remembered"), content.get("forgotten"))
    return bool(content["ended"]) and not any((*others, content.get("released"), "said_in" in content))
