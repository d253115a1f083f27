"""LangGraph's checkpointer over Cairn: LangChain's own conformance suite, and its saver in memory as the judge."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping
from datetime import UTC, datetime
from random import Random
from typing import Any

import pytest
from langchain_core.messages import AIMessage
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import BaseCheckpointSaver, ChannelVersions, Checkpoint, CheckpointTuple
from langgraph.checkpoint.base.id import uuid6
from langgraph.checkpoint.conformance import checkpointer_test, validate
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.checkpoint.serde.types import ERROR, INTERRUPT, RESUME
from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver

from cairn import Memory
from cairn.client.door import Door
from cairn.frameworks.langgraph import CairnSaver
from cairn.frameworks.langgraph_checkpoints import Checkpoints, Stored
from cairn.frameworks.langgraph_records import Place as ThreadPlace
from cairn.process.system import SystemClock
from support.frameworks import Place, memory_in_memory

SEEDS, COMMANDS = 25, 400
BY_A_DOOR = 150
THREADS = ["one", "", "a/b", "~", "Müll\n\x00", "\ud800", "long" * 500, "#", '["one"]']
SPACES = ["", "child:1", "child:1|grandchild:2", "*"]
CHANNELS = ["messages", "a.b", "", "branch:to:ü", "x" * 300, "\x00", "many words"]
TASKS = ["t1", "t2", "", "t/3", "t" * 300]
Saver = BaseCheckpointSaver[str]


def checkpoint(values: Mapping[str, Any], versions: Mapping[str, Any], name: str | None = None) -> Checkpoint:
    return Checkpoint(
        v=1,
        id=name or str(uuid6(clock_seq=-1)),
        ts="2026-01-01T00:00:00+00:00",
        channel_values=dict(values),
        channel_versions=dict(versions),
        versions_seen={"node": dict(versions)},
        updated_channels=sorted(values),
    )


def at(thread: str, name: str | None = None, space: str | None = "") -> RunnableConfig:
    spaces = {} if space is None else {"checkpoint_ns": space}
    return {"configurable": {"thread_id": thread, **spaces, **({} if name is None else {"checkpoint_id": name})}}


def named(config: RunnableConfig | None) -> tuple[str, str, str] | None:
    told = (config or {}).get("configurable")
    return None if told is None else (told["thread_id"], told.get("checkpoint_ns", ""), told["checkpoint_id"])


def told(found: CheckpointTuple | None) -> object:
    """Return what of a checkpoint is comparable: everything."""
    if found is None:
        return None
    parent = named(found.parent_config)
    return named(found.config), found.checkpoint, found.metadata, parent, found.pending_writes


def chain(saver: Saver, *steps: Mapping[str, Any], thread: str = "one") -> list[RunnableConfig]:
    """Store a checkpoint for each step's new values, each behind the one before, and return their configs."""
    values, versions, config, made = dict[str, Any](), dict[str, str](), at(thread), list[RunnableConfig]()
    for number, new in enumerate(steps):
        fresh = {name: saver.get_next_version(versions.get(name), None) for name in new}
        values, versions = {**values, **new}, {**versions, **fresh}
        config = saver.put(config, checkpoint(values, versions), {"source": "loop", "step": number}, {**fresh})
        made.append(config)
    return made


def failures(make: Callable[[], Any]) -> tuple[int, dict[str, list[str]]]:
    """Return how many tests of the vendor's suite pass, and what fails."""

    @checkpointer_test(name="saver")
    async def registered() -> AsyncIterator[Saver]:
        made = make()
        if isinstance(made, BaseCheckpointSaver):
            yield made
        else:
            async with made as saver:
                yield saver

    report = asyncio.run(validate(registered))
    failed = {name: each.failures for name, each in report.results.items() if each.failures}
    return sum(each.tests_passed for each in report.results.values()), failed


def test_the_vendor_s_suite_passes(new_place: Callable[[], Place]) -> None:
    assert failures(lambda: CairnSaver(new_place().counted()[0])) == (81, {})


@pytest.mark.parametrize(
    "make", [InMemorySaver, lambda: AsyncSqliteSaver.from_conn_string(":memory:")], ids=["memory", "sqlite"]
)
def test_the_vendor_s_own_savers_pass_what_they_implement(make: Callable[[], Any]) -> None:
    assert failures(make) == (58, {})


class Both:
    """Cairn's saver and the one in memory, which are told the same and must answer the same."""

    def __init__(self, ours: CairnSaver, random: Random) -> None:
        self.ours, self.theirs, self.random = ours, InMemorySaver(), random
        self.known = list[tuple[str, str, str]]()
        # Few at a time, so that chains grow long.
        self.threads, self.spaces = random.sample(THREADS, 3), random.sample(SPACES, 2)
        self.versions = dict[tuple[str, str], dict[str, str]]()

    def step(self) -> None:
        steps = {self.put: 30, self.write: 25, self.get: 34, self.list: 5, self.history: 4, self.delete: 2}
        self.random.choices(list(steps), list(steps.values()))[0]()

    def place(self) -> tuple[str, str]:
        return self.random.choice(self.threads), self.random.choice(self.spaces)

    def value(self) -> Any:
        some = self.random.randrange(1000)
        return self.random.choice(
            [None, some, f"Wörter {some}\x00\ud800", b"\xff" * some, [some, {"a": (1, 2)}], {some}, datetime.now(UTC),
             AIMessage(f"Said {some}", id="m"), float("inf"), "x" * 1000]
        )  # fmt: skip

    def put(self) -> None:
        thread, space = self.place()
        versions = self.versions.setdefault((thread, space), {})
        new: ChannelVersions = {
            name: self.theirs.get_next_version(versions.get(name), None)
            for name in self.random.sample(CHANNELS, self.random.randrange(4))
        }
        versions |= {name: str(version) for name, version in new.items()}
        values = {name: self.value() for name in versions if self.random.random() < 0.8}
        made = checkpoint(values, versions, self.random.choice([None, None, None, None, *"ab", "ab", "é"]))
        before = [name for *where, name in self.known if where == [thread, space]]
        # One of a name that comes again stands behind none: theirs runs in a circle for ever.
        parent = self.random.choice([None, *before[-3:]]) if len(made["id"]) > len("ab") else None
        config = at(thread, parent, space) | RunnableConfig(metadata={"run_id": self.random.choice(["r1", "r2"])})
        metadata: Any = {"source": "loop", "step": self.random.randrange(3), "parents": {"": "p"}}
        stored = [saver.put(config, made, metadata, new) for saver in (self.ours, self.theirs)]
        assert named(stored[0]) == named(stored[1])
        self.known.append((thread, space, made["id"]))

    def write(self) -> None:
        config = at(*self.some())
        task, path = self.random.choice(TASKS), self.random.choice(["", "p/1", "p/0"])
        channels = self.random.choices([*CHANNELS, INTERRUPT, ERROR, RESUME], k=self.random.randrange(4))
        writes = [(name, self.value()) for name in channels]
        for saver in (self.ours, self.theirs):
            saver.put_writes(config, writes, task, path)

    def get(self) -> None:
        thread, name, space = self.some()
        config = at(thread, name if self.random.random() < 0.5 else None, space)
        assert told(self.ours.get_tuple(config)) == told(self.theirs.get_tuple(config))

    def list(self) -> None:
        thread, space = self.place()
        config = self.random.choice([None, at(thread, space=None), at(thread, space=space), at(*self.some())])
        asked: dict[str, Any] = {}
        if self.random.random() < 0.3:
            asked["filter"] = self.random.choice([{"step": 1}, {"step": 2, "run_id": "r1"}, {"none": 1}])
        if self.random.random() < 0.3:
            asked["before"] = at(*self.some())
        ours = list(self.ours.list(config, **asked))
        names = [found.checkpoint["id"] for found in ours]
        assert names == sorted(names, reverse=True)
        # Theirs are by thread and namespace first.
        theirs = sorted(map(told, self.theirs.list(config, **asked)), key=str)
        assert sorted(map(told, ours), key=str) == theirs
        limit = self.random.randrange(4)
        assert list(map(told, self.ours.list(config, limit=limit, **asked))) == list(map(told, ours[:limit]))

    def history(self) -> None:
        thread, name, space = self.some()
        config = at(thread, name if self.random.random() < 0.5 else None, space)
        asked = self.random.sample(CHANNELS, 2)
        ours, theirs = (saver.get_delta_channel_history(config=config, channels=asked) for saver in self.savers)
        assert ours == theirs

    def delete(self) -> None:
        thread, _ = self.place()
        for saver in self.savers:
            saver.delete_thread(thread)
        self.known = [each for each in self.known if each[0] != thread]

    @property
    def savers(self) -> tuple[CairnSaver, InMemorySaver]:
        return self.ours, self.theirs

    def some(self) -> tuple[str, str, str]:
        """Return a thread, a checkpoint's id and its namespace, mostly of one that there is."""
        if not self.known or self.random.random() < 0.1:
            thread, space = self.place()
            return thread, "none", space
        thread, space, name = self.random.choice(self.known[-20:])
        return thread, name, space


def play(saver: CairnSaver, seed: int, commands: int) -> None:
    both = Both(saver, Random(seed))  # noqa: S311 - commands that anybody may guess
    for number in range(commands):
        try:
            both.step()
        except AssertionError as error:
            raise AssertionError(f"seed {seed}, command {number}") from error


@pytest.mark.parametrize("seed", range(SEEDS))
def test_random_commands_answer_as_the_saver_in_memory_does(seed: int) -> None:
    play(CairnSaver(memory_in_memory()[0]), seed, COMMANDS)


def test_random_commands_answer_so_in_a_directory_and_of_a_server(place: Place) -> None:
    play(CairnSaver(place.memory()), SEEDS, BY_A_DOOR)


def test_a_put_whose_answer_was_lost_is_stored_once(place: Place) -> None:
    memory, door = place.counted()
    saver = CairnSaver(memory)
    door.lose_next = 2

    (made,) = chain(saver, {"messages": ["Hello"]})
    for _ in range(2):
        door.lose_next = 1
        saver.put_writes(made, [("messages", "Hi"), ("other", 1)], "task")

    (found,) = saver.list(at("one"))
    assert found.checkpoint["channel_values"] == {"messages": ["Hello"]}
    assert found.pending_writes == [("task", "messages", "Hi"), ("task", "other", 1)]


def test_what_a_task_wrote_stays_and_what_it_had_not_is_added(place: Place) -> None:
    saver = CairnSaver(place.memory())
    (made,) = chain(saver, {"messages": []})

    saver.put_writes(made, [("a", 1), (INTERRUPT, "first")], "task")
    saver.put_writes(made, [("a", 2), (INTERRUPT, "second"), ("b", 3)], "task")

    found = saver.get_tuple(made)
    assert found
    assert found.pending_writes == [("task", INTERRUPT, "second"), ("task", "a", 1), ("task", "b", 3)]


class Breaking:
    """A door that does so many calls, and after that none, as a process that was killed would."""

    def __init__(self, behind: Door, calls: int) -> None:
        self.where, self.project, self.knows_user, self.close = (
            behind.where,
            behind.project,
            behind.knows_user,
            behind.close,
        )
        self._behind, self._left = behind, calls

    def call(self, tool: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
        if self._left == 0:
            raise Killed
        self._left -= 1
        return self._behind.call(tool, arguments)


class Killed(BaseException):
    """The process is gone."""


def test_a_crash_at_any_call_leaves_the_checkpoint_before_it_whole() -> None:
    memory, door = memory_in_memory()
    first, second = {"messages": "a" * 1_200_000, "small": 1}, {"messages": "b" * 2_000_000, "small": 2}
    calls = 0
    while True:
        saver = CairnSaver(memory)
        saver.delete_thread("one")
        (before,) = chain(saver, first)
        versions: ChannelVersions = {name: saver.get_next_version(None, None) for name in second}
        made = checkpoint(second, versions)
        dying = CairnSaver(Memory.through(Breaking(door, calls), SystemClock()))
        try:
            dying.put(before, made, {}, versions)
        except Killed:
            found = saver.get_tuple(at("one"))
            assert found
            assert found.checkpoint["channel_values"] == first
            saver.put(before, made, {}, versions)
        else:
            break
        finally:
            found = saver.get_tuple(at("one"))
            assert found
            assert found.checkpoint["channel_values"] == second
        calls += 1
    assert calls > 1


def test_values_of_megabytes_come_back_and_go(place: Place) -> None:
    memory = place.memory()
    saver = CairnSaver(memory)
    large: dict[str, Any] = {"bytes": bytes(range(256)) * 12_000, "text": "ü\x00" * 900_000, "small": [1]}

    _, made = chain(saver, large, {"small": [2]})
    saver.put_writes(made, [("bytes", large["bytes"])], "task")
    saver.copy_thread("one", "two")
    saver.prune(["one"])

    for thread in ("one", "two"):
        found = saver.get_tuple(at(thread))
        assert found
        assert found.checkpoint["channel_values"] == {**large, "small": [2]}
        assert found.pending_writes == [("task", "bytes", large["bytes"])]
        assert named(found.config) == (thread, *(named(made) or ())[1:])
        saver.delete_thread(thread)
    assert memory.documents().search() == ()


@pytest.mark.parametrize("length", [70, 150, 3000])
def test_names_may_be_long(place: Place, length: int) -> None:
    saver, name = CairnSaver(place.memory()), "/~ü" * (length // 3)
    config = at(name, space=name)
    made = saver.put(config, checkpoint({name: 1}, {name: name}, "i" * 128), {}, {name: name})

    saver.put_writes(made, [(name, 2), (INTERRUPT, 3)], name, name)

    (found,) = saver.list(None)
    assert told(found) == told(saver.get_tuple(config))
    assert found.checkpoint["channel_values"] == {name: 1}
    assert found.pending_writes == [(name, INTERRUPT, 3), (name, name, 2)]


def test_an_id_that_is_too_long_is_refused() -> None:
    with pytest.raises(ValueError, match="128 bytes"):
        CairnSaver(memory_in_memory()[0]).put(at("one"), checkpoint({}, {}, "i" * 129), {}, {})


def test_a_task_that_is_cancelled_ends_what_it_began(place: Place) -> None:
    memory, door = place.counted()
    saver, made = CairnSaver(memory), checkpoint({"messages": 1}, {"messages": "1"})

    async def stop() -> None:
        putting = asyncio.create_task(saver.aput(at("one"), made, {}, {"messages": "1"}))
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        putting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await putting
        assert door.calls == ["memory_put_documents"]

    asyncio.run(stop())

    assert saver.get_tuple(at("one")) is not None


def test_users_and_projects_never_meet(new_place: Callable[[], Place]) -> None:
    first, second = new_place(), new_place()
    savers = [CairnSaver(each) for each in (first.memory(user="ada"), first.memory(user="ben"), first.memory())]
    savers.append(CairnSaver(second.memory(user="ada")))
    for number, saver in enumerate(savers):
        chain(saver, {"number": number})

    savers[0].delete_thread("one")

    found = [[each.checkpoint["channel_values"]["number"] for each in saver.list(None)] for saver in savers]
    assert found == [[], [1], [2], [3]]


def test_a_call_costs_so_many_round_trips(place: Place) -> None:
    memory, door = place.counted()
    saver = CairnSaver(memory)
    spent = dict[str, int]()

    def count(name: str, call: Callable[[], object]) -> None:
        before = len(door.calls)
        call()
        spent[name] = len(door.calls) - before

    *_, made = chain(saver, *({"messages": [number], f"channel {number}": number} for number in range(8)))
    count("put", lambda: chain(saver, {"messages": [], "other": 1}, thread="two"))
    count("put_writes", lambda: saver.put_writes(made, [("messages", "Hi"), (INTERRUPT, "Well?")], "task"))
    count("get_tuple, the newest", lambda: saver.get_tuple(at("one")))
    count("get_tuple, by id", lambda: saver.get_tuple(made))
    count("list, ten of a namespace", lambda: list(saver.list(at("one"), limit=10)))
    count("list, all threads", lambda: list(saver.list(None)))
    count("copy_thread", lambda: saver.copy_thread("one", "three"))
    count("prune", lambda: saver.prune(["one"]))
    count("delete_for_runs", lambda: saver.delete_for_runs(["none"]))
    count("delete_thread", lambda: saver.delete_thread("three"))

    print(spent)  # noqa: T201 - figures for the table
    assert [spent[name] for name in ("put", "put_writes")] == [1, 1]
    assert [spent[name] for name in ("get_tuple, the newest", "get_tuple, by id")] == [2, 2]
    assert spent["list, ten of a namespace"] == 2


def test_a_value_is_stored_once_for_each_version_and_goes_with_its_last_checkpoint() -> None:
    memory, _ = memory_in_memory()
    saver, documents = CairnSaver(memory), memory.documents()
    stored = lambda: len(documents.search(("langgraph-checkpoints", "channels"), limit=100))  # noqa: E731

    chain(saver, {"messages": [1], "rules": "x"}, {"messages": [2]}, {"messages": [3]})
    before = stored()
    saver.prune(["one"])
    after = stored()
    saver.prune(["one"], strategy="delete")

    assert (before, after, stored()) == (4, 2, 0)
    assert documents.search(limit=1) == ()


def test_what_runs_made_goes_and_what_others_need_of_it_stays() -> None:
    saver = CairnSaver(memory_in_memory()[0])
    versions: ChannelVersions = {"messages": "1", "rules": "1"}
    values = {"messages": [1], "rules": "x"}
    first = saver.put(at("one"), checkpoint(values, versions), {"run_id": "r1"}, versions)
    newer = checkpoint({**values, "messages": [2]}, {**versions, "messages": "2"})
    saver.put(first, newer, {"run_id": "r2"}, {"messages": "2"})

    saver.delete_for_runs(["r1", "r3"])

    (found,) = saver.list(at("one"))
    assert found.checkpoint["channel_values"] == {"messages": [2], "rules": "x"}
    assert found.checkpoint["id"] == newer["id"]


def test_what_is_stored_while_a_thread_is_pruned_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    saver = CairnSaver(memory_in_memory()[0])
    *_, last = chain(saver, {"messages": 1}, {"messages": 2})
    newer = checkpoint({"messages": 3}, {"messages": "3"})
    keep = Checkpoints.keep

    def late(checkpoints: Checkpoints, place: ThreadPlace, is_kept: Callable[[Stored], bool]) -> None:
        saver.put(last, newer, {}, {"messages": "3"})
        keep(checkpoints, place, is_kept)

    monkeypatch.setattr(Checkpoints, "keep", late)
    saver.prune(["one"])

    assert [each.checkpoint["channel_values"]["messages"] for each in saver.list(None)] == [3, 2]


def test_an_unknown_way_to_prune_is_refused() -> None:
    with pytest.raises(ValueError, match="keep_latest and delete"):
        CairnSaver(memory_in_memory()[0]).prune(["one"], strategy="keep_some")
