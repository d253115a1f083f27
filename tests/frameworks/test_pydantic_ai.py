"""Pydantic AI's conversations over Cairn: as its own store in memory, and under its own agent over two runs."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import replace
from random import Random
from typing import Any, cast

import pytest
from pydantic_ai import Agent, BinaryContent
from pydantic_ai.conversation import Conversation
from pydantic_ai.conversation_store import (
    ConversationConflict,
    ConversationEntry,
    ConversationRecord,
    ConversationStore,
    InMemoryConversationStore,
)
from pydantic_ai.exceptions import UserError
from pydantic_ai.messages import ModelMessage, ModelRequest, ModelResponse, TextPart, UserPromptPart
from pydantic_ai.models.function import AgentInfo, FunctionModel
from pydantic_ai.usage import RunUsage

from cairn.client.door import Door
from cairn.frameworks.pydantic_ai import CairnConversationStore
from cairn.ground.errors import Unavailable
from support.frameworks import Place, memory_in_memory, program

NAMES = ("a", "b/..", "ä豆~", "\x00odd", "x" * 300)
SCOPES = (None, "ada", "", "\x00ben")


def told(text: str) -> ModelRequest:
    return ModelRequest(parts=[UserPromptPart(text)])


def chain(*ids: str, after: str | None = None) -> list[ConversationEntry]:
    return [
        ConversationEntry(id=each, parent_id=before, message=told(each))
        for before, each in zip((after, *ids), ids, strict=False)
    ]


def entries(place: Place) -> list[str]:
    """Return the keys of all that is stored below the store's collection, but the conversations themselves."""
    documents = place.memory(user="ada").documents()
    found = documents.search(("pydantic-ai",), limit=1000)
    return [each.key for each in found if each.collection != ("pydantic-ai", "conversations")]


class Drawn:
    """Random calls of two stores, and what both said."""

    def __init__(self, seed: int, theirs: ConversationStore, ours: ConversationStore) -> None:
        self.random = Random(seed)  # noqa: S311 - has to be repeatable
        self.stores = (theirs, ours)
        self.held: dict[str, list[Conversation]] = {}
        self.said = 0
        self.done = Counter[str]()

    async def step(self) -> None:
        """Make a call of both, hold what they say to each other."""
        draw = self.random
        what = draw.choice(
            ["save"] * 5
            + ["load"] * 3
            + ["new", "branch", "rewrite", "branch", "fork", "fork", "entry", "list", "delete"]
        )
        name, scope = draw.choice(NAMES), draw.choice([None] * 6 + [*SCOPES])
        at, limit = draw.choice([0, 1, 2, 5, 40]), draw.choice([None, None, 0, 1, 3, 35])
        other, number = draw.choice([*NAMES, "fork-" + str(draw.randrange(40))]), draw.random()
        messages = [self._message() for _ in range(draw.choice([0, 1, 2, 2, 3, 45] if number < 0.1 else [0, 1, 2, 3]))]
        usage = RunUsage(requests=draw.randrange(9), input_tokens=draw.randrange(99))
        answers = list[Any]()
        for side, store in enumerate(self.stores):
            held = self.held.get(name)
            mine = None if held is None else held[side]
            call = self._call(what, store, name, scope, at, limit, other, number, messages, usage, mine)
            answers.append(await _answer(call))
        theirs, ours = answers
        assert _plain(ours) == _plain(theirs), (what, scope, limit)
        self.done[what] += not isinstance(theirs, str)
        if isinstance(theirs, Conversation) and isinstance(ours, Conversation):
            self.held[theirs.conversation_id] = [theirs, ours]

    def _message(self) -> ModelMessage:
        self.said += 1
        return told(f"{self.said} ä豆\r\n") if self.said % 2 else ModelResponse([TextPart(f"answer {self.said}")])

    def _call(  # noqa: PLR0913, PLR0917, PLR0911 - what was drawn
        self,
        what: str,
        store: ConversationStore,
        name: str,
        scope: str | None,
        at: int,
        limit: int | None,
        other: str,
        number: float,
        messages: list[ModelMessage],
        usage: RunUsage,
        mine: Conversation | None,
    ) -> Any:
        fresh = Conversation(conversation_id=name, messages=[*messages])
        match what:
            case "load":
                return store.load(name, limit=limit, scope=scope)
            case "new":
                return _saved(store, fresh, scope)
            case "save" | "rewrite":
                grown = mine or fresh
                if what == "rewrite":
                    cut = grown.messages[: int(len(grown.messages) * number)]
                    grown = replace(grown, messages=cut, new_message_index=None)
                grown.messages = [*grown.messages, *messages]
                grown.usage = usage
                return _saved(store, grown, scope)
            case "branch":
                revision = mine.revision if mine else "none"
                return store.branch(name, at=at, expected_revision=revision, scope=scope)
            case "fork":
                return store.fork(name, at=at if number < 0.7 else None, new_conversation_id=other, scope=scope)
            case "entry":
                return _back(store, name, number)
            case "list":
                return store.list_conversations(scope=scope, limit=limit)
            case _:
                return store.delete(name, scope=scope)


async def _saved(store: ConversationStore, conversation: Conversation, scope: str | None) -> Conversation:
    """Save, and return it as it is stored where it has messages that were there before."""
    await store.save(conversation, scope=scope)
    return conversation


async def _back(store: ConversationStore, name: str, number: float) -> Any:
    """Go back to an entry of the history, or of a branch that was left."""
    record = await store.read_record(name)
    if record is None:
        return None
    ends = [end for end in (record.head_id, *record.branches) if end is not None]
    if not ends:
        return None
    line = await store.read_history(ends[int(number * len(ends))])
    entry = line[int(number * len(line))]
    assert (await store.read_entry(entry.id)).message == entry.message
    return await store.branch(name, from_entry=entry.id, expected_revision=record.revision)


async def _answer(call: Any) -> Any:
    try:
        return await call
    except (UserError, LookupError) as error:
        return type(error).__name__


def _plain(said: Any) -> Any:
    """Return an answer without the ids and times, which each store draws for itself."""
    if isinstance(said, Conversation):
        return said.conversation_id, said.messages, said.usage, said.new_message_index, said.revision is None
    if isinstance(said, list):
        return [_plain(each) for each in said]  # pyright: ignore[reportUnknownVariableType] - whatever was listed
    if isinstance(said, ConversationRecord):
        return said.conversation_id, said.scope, said.usage, said.forked_from, len(said.branches), said.head_id is None
    return said


@pytest.mark.parametrize("seed", range(20))
def test_random_calls_are_answered_as_by_pydantic_ai_s_own_store(seed: int) -> None:
    async def main() -> None:
        memory, _ = memory_in_memory(user="ada", project="garden")
        drawn = Drawn(seed, InMemoryConversationStore(), CairnConversationStore(memory))
        for _ in range(500):
            await drawn.step()
        assert min(drawn.done[what] for what in ("save", "rewrite", "branch", "fork", "entry", "delete")) > 2

    asyncio.run(main())


def test_random_calls_are_answered_so_over_a_directory_and_a_server(place: Place) -> None:
    async def main() -> None:
        drawn = Drawn(9, InMemoryConversationStore(), CairnConversationStore(place.memory(user="ada")))
        for _ in range(60):
            await drawn.step()

    asyncio.run(main())


def saved(place: Place, name: str, *entries: ConversationEntry, onto: str | None = None, user: str = "ada") -> str:
    """Store a conversation by the store's primitives, and return its revision."""
    store = CairnConversationStore(place.memory(user=user))
    record = ConversationRecord(conversation_id=name, head_id=entries[-1].id)
    asyncio.run(store.write_record(record, new_entries=entries, expected_revision=onto))
    return record.revision


def model(told_to: list[str]) -> FunctionModel:
    def answer(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        del info
        told_to.append(repr(messages))
        return ModelResponse([TextPart("Noted.")])

    return FunctionModel(answer)


def test_the_second_run_is_told_what_the_first_was(place: Place) -> None:
    sent: list[str] = []

    async def run(words: str) -> None:
        store = CairnConversationStore(place.memory(user="ada"))
        conversation = await store.load("monday") or Conversation(conversation_id="monday")
        await store.save(await Agent(model(sent)).run(words, conversation=conversation))

    asyncio.run(run("I grow beans."))
    asyncio.run(run("What do I grow?"))

    assert sent[-1].count("I grow beans.") == 1
    assert len(entries(place)) == 4 + 1


def test_the_page_s_program_remembers() -> None:
    sent: list[str] = []

    for _ in range(2):
        program("use-with-pydantic-ai.md", model=model(sent))["memory"].close()

    assert sent[1].count("I grow beans.") == 2


def test_a_save_reads_twice_and_writes_once_and_a_load_reads_thrice(place: Place) -> None:
    memory, door = place.counted(user="ada")
    store = CairnConversationStore(memory)

    async def main() -> None:
        conversation = Conversation(conversation_id="a", messages=[told("x"), told("y")])
        await store.save(conversation)
        del door.calls[:]
        conversation.messages.append(told("z"))
        await store.save(conversation)
        assert door.calls == ["memory_get_documents"] * 2 + ["memory_put_documents"]
        del door.calls[:]
        await store.load("a")
        assert door.calls == ["memory_get_documents"] * 3

    asyncio.run(main())


def test_a_long_history_is_saved_whole_and_read_in_few_calls(place: Place) -> None:
    memory, door = place.counted(user="ada")
    store = CairnConversationStore(memory)
    messages: list[ModelMessage] = [told(f"{number}") for number in range(205)]

    async def main() -> None:
        await store.save(Conversation(conversation_id="a", messages=messages))
        del door.calls[:]
        loaded = await store.load("a")
        assert loaded is not None
        assert loaded.messages == messages
        assert len(door.calls) == 1 + 4 + 1  # the last level has more than one call takes
        del door.calls[:]
        few = await store.load("a", limit=3)
        assert few is not None
        assert few.messages == messages[-3:]
        assert len(door.calls) == 3

    asyncio.run(main())


def test_a_lost_answer_stores_nothing_twice(place: Place) -> None:
    memory, door = place.counted(user="ada")
    store = CairnConversationStore(memory)

    async def main() -> None:
        conversation = Conversation(conversation_id="a", messages=[told("x")])
        for words in ("y", "z"):
            door.lose_next, door.lose_of = 2, "memory_put_documents"
            await store.save(conversation)
            conversation.messages.append(told(words))
        door.lose_next = 3
        await store.save(conversation)
        assert len(entries(place)) == 3 + 1
        door.lose_next = 3
        await store.delete("a")

    asyncio.run(main())
    assert entries(place) == []


def test_a_conflict_leaves_neither_the_conversation_nor_its_messages(place: Place) -> None:
    revision = saved(place, "a", *chain("1"))
    before = entries(place)

    for stale in (None, "other"):
        with pytest.raises(ConversationConflict):
            saved(place, "a", *chain(*(f"n{number}" for number in range(90)), after="1"), onto=stale)
    with pytest.raises(ConversationConflict):
        saved(place, "a", *chain("2", after="gone"), onto=revision)
    with pytest.raises(ConversationConflict):
        saved(place, "deleted", *chain("3"), onto=revision)

    assert entries(place) == before


class Raced:
    """A door before which another writer is faster once: just as the last call of a write is to come."""

    def __init__(self, behind: Door, first: Callable[[], object], tool: str, number: int) -> None:
        self._behind, self._first, self._at = behind, first, (tool, number)
        self._calls = Counter[str]()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._behind, name)

    def call(self, tool: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
        self._calls[tool] += 1
        if (tool, self._calls[tool]) == self._at:
            self._first()
        return self._behind.call(tool, arguments)


def raced(place: Place, first: Callable[[], object], number: int = 1) -> CairnConversationStore:
    memory, door = place.counted(user="ada")
    door.behind = cast("Door", Raced(door.behind, first, "memory_put_documents", number))
    return CairnConversationStore(memory)


def test_who_saves_last_of_two_at_once_is_told_and_leaves_no_messages(place: Place) -> None:
    revision = saved(place, "a", *chain("1"))
    store = raced(place, lambda: saved(place, "a", *chain("2", after="1"), onto=revision), number=3)
    record = ConversationRecord(conversation_id="a", head_id="n89")
    many = chain(*(f"n{number}" for number in range(90)), after="1")

    with pytest.raises(ConversationConflict):
        asyncio.run(store.write_record(record, new_entries=many, expected_revision=revision))

    assert len(entries(place)) == 2 + 1


def test_a_fork_while_its_conversation_is_deleted_is_a_conflict(place: Place) -> None:
    other = CairnConversationStore(place.memory(user="ada"))
    saved(place, "a", *chain("1", "2"))
    store = raced(place, lambda: asyncio.run(other.delete("a")))

    with pytest.raises(ConversationConflict):
        asyncio.run(store.fork("a", new_conversation_id="b"))

    assert entries(place) == []


def test_a_fork_just_before_the_delete_keeps_the_messages_until_it_is_deleted_too(place: Place) -> None:
    other = CairnConversationStore(place.memory(user="ada"))
    saved(place, "a", *chain("1", "2"))
    store = raced(place, lambda: asyncio.run(other.fork("a", at=1, new_conversation_id="b")))

    asyncio.run(store.delete("a"))

    forked = asyncio.run(other.load("b"))
    assert forked is not None
    parts = [message.parts[0] for message in forked.messages if message.kind == "request"]
    assert [cast("UserPromptPart", part).content for part in parts] == ["1"]
    asyncio.run(other.delete("b"))
    assert entries(place) == []


def test_branches_that_were_left_are_deleted_too(place: Place) -> None:
    store = CairnConversationStore(place.memory(user="ada"))
    revision = saved(place, "a", *chain("1", "2"))
    record = ConversationRecord(conversation_id="a", head_id="other", branches=["2"])

    async def main() -> None:
        await store.write_record(record, new_entries=chain("other"), expected_revision=revision)
        await store.delete("a")

    asyncio.run(main())
    assert entries(place) == []


def test_a_delete_that_was_cut_off_can_be_finished(place: Place) -> None:
    memory, door = place.counted(user="ada")
    store = CairnConversationStore(memory)
    saved(place, "a", *chain(*map(str, range(70))))
    saved(place, "b", *chain("other"))

    def cut() -> None:
        door.fail_next = 99

    door.behind = cast("Door", Raced(door.behind, cut, "memory_put_documents", 2))
    with pytest.raises(Unavailable):
        asyncio.run(store.delete("a"))
    door.fail_next = 0
    assert len(entries(place)) > 3
    late = ConversationRecord(conversation_id="fork", head_id="69")
    with pytest.raises(ConversationConflict):
        asyncio.run(store.write_record(late, expected_revision=None))
    asyncio.run(store.finish_deletes())

    assert len(entries(place)) == 1 + 1


def test_messages_and_records_of_megabytes_come_back_and_go(place: Place) -> None:
    paper = BinaryContent(bytes(range(256)) * 10_000, media_type="application/pdf")
    record = ConversationRecord(conversation_id="a", head_id="1", branches=['"\\ä' * 200_000])
    entry = ConversationEntry(id="1", parent_id=None, message=ModelRequest(parts=[UserPromptPart([paper, "\x00"])]))

    async def main() -> None:
        store = CairnConversationStore(place.memory(user="ada"))
        await store.write_record(record, new_entries=[entry], expected_revision=None)
        assert await store.read_record("a") == record
        assert list(await store.read_records()) == [record]
        assert await store.read_history("1") == [entry]
        assert await store.read_entry("1") == entry
        small = replace(record, branches=[], revision="2")
        await store.write_record(small, expected_revision=record.revision)
        await store.delete_record("a", expected_revision="2")

    asyncio.run(main())
    assert entries(place) == []


def test_users_and_projects_never_meet(place: Place) -> None:
    saved(place, "a", *chain("1"))
    others = [
        CairnConversationStore(place.memory(user="ben")),
        CairnConversationStore(place.memory(user="ada", project=f"{place.project}-2")),
        CairnConversationStore(place.memory()),
        CairnConversationStore(place.memory(user="ada"), collection="mine"),
    ]

    async def main() -> None:
        for store in others:
            assert await store.load("a") is None
            assert await store.list_conversations() == []
            with pytest.raises(KeyError):
                await store.read_entry("1")
            await store.delete("a")

    asyncio.run(main())
    assert len(entries(place)) == 1 + 1


def test_a_save_that_has_begun_is_ended_before_its_task_is_cancelled(place: Place) -> None:
    store = CairnConversationStore(place.memory(user="ada"))
    record = ConversationRecord(conversation_id="a", head_id="1")

    async def main() -> None:
        saving = asyncio.create_task(store.write_record(record, new_entries=chain("1"), expected_revision=None))
        await asyncio.sleep(0)
        saving.cancel()
        with pytest.raises(asyncio.CancelledError):
            await saving
        assert await store.read_record("a") == record

    asyncio.run(main())


def test_a_message_of_another_conversation_is_not_gone_on_from(place: Place) -> None:
    saved(place, "a", *chain("1"))
    revision = saved(place, "b", *chain("2"))

    with pytest.raises(UserError, match="fork"):
        saved(place, "b", *chain("3", after="1"), onto=revision)
