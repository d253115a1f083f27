"""Pydantic AI: a `ConversationStore` that keeps conversations as documents."""

from __future__ import annotations

from asyncio import to_thread
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Final
from uuid import uuid4

from pydantic import ConfigDict, TypeAdapter
from pydantic_ai.conversation_store import (
    ConversationConflict,
    ConversationEntry,
    ConversationRecord,
    ConversationStore,
)
from pydantic_ai.exceptions import UserError

from cairn.client.documents import Change, Document
from cairn.client.memory import Memory
from cairn.client.settling import settled
from cairn.frameworks.long_texts import Text, all_of, parts_of, put, text_at, texts
from cairn.frameworks.named_documents import Name, name_of, own_name, pages, remove
from cairn.ground.errors import Conflict

_GROUP: Final = 32
"""An entry names those before it in its group; each group's first names all of the group before, and the firsts."""
_ATTEMPTS: Final = 10
_BYTES: Final = ConfigDict(ser_json_bytes="base64", val_json_bytes="base64", defer_build=True)
# As lists, since a dataclass's own schema does not take this configuration.
_RECORDS: Final = TypeAdapter(list[ConversationRecord], config=_BYTES)
_ENTRIES: Final = TypeAdapter(list[ConversationEntry], config=_BYTES)


class CairnConversationStore(ConversationStore):
    """Documents of a Cairn memory as a store of conversations: a document for each, and for each message.

    The memory says whose they are: `Memory(…, user="ada")`, or the project's where it names nobody. A conversation and
    its new messages are stored in one transaction, up to 38 messages and 1.5 MB; more go before it. The messages of
    a conversation are deleted with it, those that forks share with the last that shares them.
    """

    def __init__(self, memory: Memory, *, collection: str = "pydantic-ai") -> None:
        """Take the memory, and under which collection all is kept."""
        self._documents = memory.documents()
        self._root = collection

    async def read_record(self, conversation_id: str) -> ConversationRecord | None:
        """Return what is stored of a conversation beside its messages, None where there is none."""
        found = await to_thread(text_at, self._documents, self._conversation(conversation_id))
        return None if found is None else _record(found[1])

    async def read_records(self, *, scope: str | None = None, limit: int | None = None) -> Sequence[ConversationRecord]:
        """Return the conversations, or those of a scope, the last saved first; all are read, a hundred a call."""
        found = await to_thread(self._records, {} if scope is None else {"scope": name_of(scope)})
        return sorted(found, key=lambda record: record.updated_at, reverse=True)[:limit]

    async def write_record(
        self,
        record: ConversationRecord,
        *,
        new_entries: Sequence[ConversationEntry] = (),
        expected_revision: str | None,
    ) -> None:
        """Store a conversation and its new messages; a write that has begun is ended even where its task is cancelled.

        ConversationConflict where it has another revision, or where it goes on from a message that is not there.
        UserError where that is another conversation's, and it is no fork of it.
        """
        await settled(partial(self._write, record, list(new_entries), expected_revision))

    async def delete_record(self, conversation_id: str, *, expected_revision: str) -> None:
        """Delete a conversation; its messages too, unless forks still share them.

        ConversationConflict where it has another revision. If the program ends meanwhile, `finish_deletes` goes on.
        """
        await settled(partial(self._delete, conversation_id, expected_revision))

    async def finish_deletes(self) -> None:
        """Delete the messages of conversations whose deletion was cut off."""
        await settled(self._finish_deletes)

    async def read_entry(self, entry_id: str) -> ConversationEntry:
        """Return a message by its entry's id; KeyError where there is none."""
        found = await to_thread(text_at, self._documents, self._entry(name_of(entry_id)))
        if found is None:
            raise KeyError(entry_id)
        return _entry(found[1])

    async def read_history(self, head_id: str | None, *, limit: int | None = None) -> list[ConversationEntry]:
        """Return the messages up to this one, the oldest first, or the last of them; KeyError where one is gone."""
        if head_id is None or (limit is not None and limit <= 0):
            return []
        return await to_thread(self._history, name_of(head_id), limit)

    def _records(self, asked: Mapping[str, Any]) -> list[ConversationRecord]:
        found = list(pages(self._documents, (self._root, "conversations"), filter=asked))
        told: list[ConversationRecord] = []
        for document, text in zip(found, texts(self._documents, found), strict=True):
            again = text_at(self._documents, own_name(document)) if text is None else (document, text)
            told += [] if again is None else [_record(again[1])]
        return told

    def _write(self, record: ConversationRecord, new: Sequence[ConversationEntry], expected: str | None) -> None:
        for _ in range(_ATTEMPTS):
            changes, replaced = self._changes(record, new, expected)
            try:
                put(self._documents, changes, replaced=replaced)
            except Conflict:
                continue  # what is there now says whether it is the conversation that changed
            return
        raise ConversationConflict(record.conversation_id)

    def _changes(
        self, record: ConversationRecord, new: Sequence[ConversationEntry], expected: str | None
    ) -> tuple[list[Change], list[Name]]:
        """Return what to store, and the parts that are of no use then."""
        name, ids = self._conversation(record.conversation_id), {entry.id for entry in new}
        onto = {id_ for id_ in (record.head_id, *(entry.parent_id for entry in new)) if id_ is not None} - ids
        stored, *met = self._documents.get_all([name, *(self._entry(name_of(id_)) for id_ in onto)])
        is_expected = expected is None if stored is None else stored.value["revision"] == expected
        lines = {each.key: _Line.of(each) for each in met if each is not None}
        if not is_expected or len(lines) < len(onto):
            raise ConversationConflict(record.conversation_id)
        trees: set[str] = {line.tree for line in lines.values()}
        trees |= set() if stored is None else {stored.value["tree"]}
        if len(trees) > 1:
            raise UserError("This message is another conversation's: fork that one.")
        tree = next(iter(trees), None) or uuid4().hex
        entries = [change for entry in new for change in self._text(entry, self._line(entry, lines, tree)).changes()]
        joined = [self._joined(tree, record.conversation_id, is_new=not trees)] if stored is None else []
        text, version = _RECORDS.dump_json([record]).decode(), 0 if stored is None else stored.version
        beside = {"tree": tree, "revision": record.revision, "scope": _scope(record.scope)}
        *parts, last = Text(name=name, text=text, beside=beside, if_version=version).changes()
        return [*entries, *parts, *joined, last], parts_of(stored)

    def _line(self, entry: ConversationEntry, lines: dict[str, _Line], tree: str) -> _Line:
        """Return where an entry stands, which is noted among the known ones."""
        key = name_of(entry.id)
        if entry.parent_id is None:
            line = _Line(tree, key, 0, (), ())
        else:
            before = lines[name_of(entry.parent_id)]
            near = (before.key,) if before.depth % _GROUP == 0 else (*before.near, before.key)
            far: tuple[str, ...] = ()
            if len(near) == _GROUP:
                first = lines.get(near[0]) or next(map(_Line.of, self._there([near[0]])))
                far = (*first.far, first.key)
            line = _Line(tree, key, before.depth + 1, near, far)
        lines[key] = line
        return line

    def _text(self, entry: ConversationEntry, line: _Line) -> Text:
        text = _ENTRIES.dump_json([entry]).decode()
        beside = {"tree": line.tree, "depth": line.depth, "near": list(line.near), "far": list(line.far)}
        return Text(name=self._entry(line.key), text=text, beside=beside)

    def _joined(self, tree: str, conversation_id: str, *, is_new: bool) -> Change:
        """Return the change by which a conversation is one of those that share messages."""
        (where, key), name = self._tree(tree), name_of(conversation_id)
        if is_new:
            return _shared(where, key, [name], [], 0)
        there = self._documents.get(where, key)
        if there is None or not there.value["living"]:
            raise ConversationConflict(conversation_id)
        return _shared(where, key, [*there.value["living"], name], there.value["tips"], there.version)

    def _history(self, head: str, limit: int | None) -> list[ConversationEntry]:
        for _ in range(_ATTEMPTS):
            found = self._before([head], limit)
            if head not in found:
                raise KeyError(head)
            lowest = 0 if limit is None else max(0, found[head].value["depth"] - limit + 1)
            keys = [head]
            while found[keys[-1]].value["depth"] > lowest:
                keys.append(found[keys[-1]].value["near"][-1])
                if keys[-1] not in found:
                    raise KeyError(keys[-1])
            read = texts(self._documents, [found[key] for key in reversed(keys)])
            told = [_entry(text) for text in read if text is not None]
            if len(told) == len(keys):
                return told
        raise KeyError(head)

    def _before(self, heads: Iterable[str], limit: int | None = None) -> dict[str, Document]:
        """Return entries and all before them that there are, up to so many of each, by their keys."""
        found, wanted, lowest = dict[str, Document](), set(heads), 0
        while wanted:
            there = {each.key: each for each in self._there(sorted(wanted))}
            if limit is not None and not found:
                lowest = max((each.value["depth"] for each in there.values()), default=0) - limit + 1
            found |= there
            named = {key for each in there.values() for depth, key in _Line.of(each).before() if depth >= lowest}
            wanted = named - wanted - found.keys()
        return found

    def _there(self, keys: Iterable[str]) -> list[Document]:
        found = self._documents.get_all([self._entry(key) for key in keys])
        return [each for each in found if each is not None]

    def _delete(self, conversation_id: str, expected: str) -> None:
        for _ in range(_ATTEMPTS):
            where, key = self._conversation(conversation_id)
            stored = text_at(self._documents, (where, key))
            if stored is None or stored[0].value["revision"] != expected:
                break
            document, record = stored[0], _record(stored[1])
            tree = self._tree(document.value["tree"])
            shared = self._documents.get(*tree)
            value: dict[str, Any] = {"living": [], "tips": []} if shared is None else shared.value
            living = [each for each in value["living"] if each != key]
            tips = {name_of(tip) for tip in (record.head_id, *record.branches) if tip is not None}
            left = _shared(*tree, living, sorted({*value["tips"], *tips}), 0 if shared is None else shared.version)
            gone = Change(collection=where, key=key, value=None, if_version=document.version)
            try:
                self._documents.put_all([gone, left])
            except Conflict:
                continue
            remove(self._documents, parts_of(document))
            if not living:
                self._release(tree)
            return
        raise ConversationConflict(conversation_id)

    def _finish_deletes(self) -> None:
        for each in list(pages(self._documents, (self._root, "trees"), filter={"open": False})):
            self._release(own_name(each))

    def _release(self, tree: Name) -> None:
        """Remove the entries that no conversation has, the first ones first, so that what is left can be found."""
        shared = self._documents.get(*tree)
        if shared is None or shared.value["living"]:
            return
        found = sorted(self._before(shared.value["tips"]).values(), key=lambda each: each.value["depth"])
        remove(self._documents, [name for each in found for name in all_of(each)])
        remove(self._documents, [tree])

    def _conversation(self, conversation_id: str) -> Name:
        return (self._root, "conversations"), name_of(conversation_id)

    def _entry(self, key: str) -> Name:
        return (self._root, "entries"), key

    def _tree(self, tree: str) -> Name:
        return (self._root, "trees"), tree


@dataclass(frozen=True, slots=True)
class _Line:
    """Where an entry stands: how many are before it, and the keys of some, from which all can be read in few calls."""

    tree: str
    key: str
    depth: int
    near: tuple[str, ...]
    far: tuple[str, ...]

    @classmethod
    def of(cls, document: Document) -> _Line:
        value = document.value
        return cls(value["tree"], document.key, value["depth"], tuple(value["near"]), tuple(value["far"]))

    def before(self) -> Iterator[tuple[int, str]]:
        """Yield the depths and keys of those before it that it names."""
        yield from enumerate(self.near, self.depth - len(self.near))
        yield from ((number * _GROUP, key) for number, key in enumerate(self.far))


def _shared(where: tuple[str, ...], key: str, living: Sequence[str], tips: Sequence[str], version: int) -> Change:
    """Return what says which conversations share messages, and with which the deleted ones ended."""
    value = {"open": bool(living), "living": list(living), "tips": list(tips)}
    return Change(collection=where, key=key, value=value, index=False, if_version=version)


def _scope(scope: str | None) -> str:
    return "" if scope is None else name_of(scope)


def _record(text: str) -> ConversationRecord:
    return _RECORDS.validate_json(text)[0]


def _entry(text: str) -> ConversationEntry:
    return _ENTRIES.validate_json(text)[0]
