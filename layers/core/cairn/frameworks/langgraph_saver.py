"""LangGraph: a `BaseCheckpointSaver` that keeps checkpoints as documents."""

from __future__ import annotations

import random
from asyncio import to_thread
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from heapq import merge
from itertools import islice
from typing import Any, Final, cast

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import (
    WRITES_IDX_MAP,
    BaseCheckpointSaver,
    ChannelVersions,
    Checkpoint,
    CheckpointMetadata,
    CheckpointTuple,
    DeltaChannelHistory,
    PendingWrite,
    get_checkpoint_id,
    get_checkpoint_metadata,
)
from langgraph.checkpoint.serde.base import SerializerProtocol

from cairn.client.memory import Memory
from cairn.client.settling import settled
from cairn.frameworks.langgraph_checkpoints import Checkpoints, Kept, Opened, Stored, Write
from cairn.frameworks.langgraph_records import Place, Records, newest_first

_FEW: Final = 4
"""Among how many documents the newest checkpoint is looked for: itself and what its tasks wrote."""
_AT_ONCE: Final = 10
"""How many checkpoints are read at a time."""
_COUNTERS: Final = "counters_since_delta_snapshot"


class CairnSaver(BaseCheckpointSaver[str]):
    """Documents of a Cairn memory as LangGraph's checkpointer: the state of graphs, by thread.

    The memory says whose they are: `Memory(…, user="ada")`, or the project's where it names nobody. A value of a
    channel is stored once for each of its versions, whatever its size. A checkpoint counts from when all of it is
    stored, so that after a crash the one before is there whole.
    """

    def __init__(
        self, memory: Memory, *, serde: SerializerProtocol | None = None, collection: str = "langgraph-checkpoints"
    ) -> None:
        """Take the memory, what turns values into bytes, and under which collection all is kept."""
        super().__init__(serde=serde)
        self._checkpoints = Checkpoints(Records(memory.documents()), collection)

    def get_tuple(self, config: RunnableConfig) -> CheckpointTuple | None:
        """Return the checkpoint that the config names, or the newest of its thread; None where there is none."""
        found = self._checkpoints.opened(self._from(config), at_once=1)
        return next(map(self._tuple, found), None)

    def list(
        self,
        config: RunnableConfig | None,
        *,
        filter: dict[str, Any] | None = None,  # noqa: A002 - as LangGraph has it
        before: RunnableConfig | None = None,
        limit: int | None = None,
    ) -> Iterator[CheckpointTuple]:
        """Yield the checkpoints of the config's thread, or of all, the newest first.

        `filter` are values that their metadata have; `before` names the checkpoint before which they are.
        """
        wanted = _id(config) if config else None
        until = newest_first(last) if before and (last := _id(before)) else None
        found = [
            self._checkpoints.newest_first(place) if wanted is None else iter([self._checkpoints.one(place, wanted)])
            for place in self._places(config)
        ]
        stored = (each for each in merge(*found, key=lambda each: each.order) if until is None or each.order > until)
        opened = self._checkpoints.opened(stored, self._agrees(filter or {}), at_once=min(_AT_ONCE, limit or _AT_ONCE))
        return map(self._tuple, islice(opened, limit if limit is None else max(limit, 0)))

    def put(
        self,
        config: RunnableConfig,
        checkpoint: Checkpoint,
        metadata: CheckpointMetadata,
        new_versions: ChannelVersions,
    ) -> RunnableConfig:
        """Store a checkpoint with the values that are new, and return which it is."""
        thread, namespace = _thread(config), _namespace(config)
        values, told = checkpoint["channel_values"], get_checkpoint_metadata(config, metadata)
        rest = {name: each for name, each in checkpoint.items() if name not in {"channel_values", "channel_versions"}}
        kept = Kept(
            thread=thread,
            namespace=namespace,
            id=checkpoint["id"],
            parent=_id(config),
            run=None if (run := told.get("run_id")) is None else str(run),
            versions=checkpoint["channel_versions"],
            checkpoint=self.serde.dumps_typed(rest),
            metadata=self.serde.dumps_typed(told),
        )
        new = {each: self.serde.dumps_typed(values[each[0]]) for each in new_versions.items() if each[0] in values}
        self._checkpoints.put(self._place(config), kept, new)
        return _config(thread, namespace, checkpoint["id"])

    def put_writes(
        self,
        config: RunnableConfig,
        writes: Sequence[tuple[str, Any]],
        task_id: str,
        task_path: str = "",
    ) -> None:
        """Store what a task wrote to a checkpoint; what it wrote before under the same number stays.

        An error, an interrupt and the like come in place of the one before.
        """
        numbered = {WRITES_IDX_MAP.get(channel, n): (channel, value) for n, (channel, value) in enumerate(writes)}
        told = [
            Write(path=task_path, task=task_id, number=n, channel=channel, value=self.serde.dumps_typed(value))
            for n, (channel, value) in numbered.items()
        ]
        self._checkpoints.put_writes(self._place(config), _configurable(config)["checkpoint_id"], told)

    def delete_thread(self, thread_id: str) -> None:
        """Remove all of a thread, if it is there."""
        self._checkpoints.remove(str(thread_id))

    def delete_for_runs(self, run_ids: Sequence[str]) -> None:
        """Remove the checkpoints of these runs, with what was written to them and the values that only they have."""
        for run in run_ids:
            for place, orders in self._checkpoints.of_run(str(run)).items():
                self._checkpoints.keep(place, lambda each, gone=orders: each.order not in gone)

    def copy_thread(self, source_thread_id: str, target_thread_id: str) -> None:
        """Copy all of a thread into another one."""
        self._checkpoints.copy(str(source_thread_id), str(target_thread_id))

    def prune(self, thread_ids: Sequence[str], *, strategy: str = "keep_latest") -> None:
        """Remove all of the threads or, with `keep_latest`, all but the newest checkpoint of each namespace.

        Those stay as well from which the DeltaChannels of that one are put together. ValueError for another strategy.
        """
        if strategy not in {"keep_latest", "delete"}:
            raise ValueError(f"Unknown strategy {strategy!r}: there are keep_latest and delete")
        for thread in thread_ids:
            if strategy == "delete":
                self.delete_thread(thread)
                continue
            for place in self._checkpoints.places(str(thread)):
                newest, needed = self._needed(place)
                # What is stored meanwhile is later than what was the newest.
                self._checkpoints.keep(
                    place, lambda each, newest=newest, needed=needed: each.order <= newest or each.order in needed
                )

    def get_delta_channel_history(
        self, *, config: RunnableConfig, channels: Sequence[str]
    ) -> Mapping[str, DeltaChannelHistory]:
        """Return what was written to channels since the last value of theirs that was stored, and that value."""
        written: dict[str, list[PendingWrite]] = {channel: [] for channel in channels}
        seeds = dict[str, Any]()
        before = self._checkpoints.before(self._place(config), _id(config)) if channels else iter(())
        for each in self._checkpoints.opened(before, at_once=_AT_ONCE, channels=frozenset(channels)):
            left = written.keys() - seeds.keys()
            for write in reversed(each.writes):
                if write.channel in left:
                    written[write.channel].append(self._pending(write))
            seeds |= {name: self.serde.loads_typed(value) for name, value in each.values.items() if name in left}
            if len(seeds) == len(written):
                break
        return {name: _history(found[::-1], seeds, name) for name, found in written.items()}

    async def aget_tuple(self, config: RunnableConfig) -> CheckpointTuple | None:
        """Return a checkpoint, as get_tuple does."""
        return await to_thread(self.get_tuple, config)

    async def alist(
        self,
        config: RunnableConfig | None,
        *,
        filter: dict[str, Any] | None = None,  # noqa: A002 - as LangGraph has it
        before: RunnableConfig | None = None,
        limit: int | None = None,
    ) -> AsyncIterator[CheckpointTuple]:
        """Yield checkpoints, as list does."""
        found = await to_thread(self.list, config, filter=filter, before=before, limit=limit)
        while (each := await to_thread(next, found, None)) is not None:
            yield each

    async def aput(
        self,
        config: RunnableConfig,
        checkpoint: Checkpoint,
        metadata: CheckpointMetadata,
        new_versions: ChannelVersions,
    ) -> RunnableConfig:
        """Store a checkpoint, as put does; where the task is cancelled, it is stored all the same."""
        return await settled(lambda: self.put(config, checkpoint, metadata, new_versions))

    async def aput_writes(
        self,
        config: RunnableConfig,
        writes: Sequence[tuple[str, Any]],
        task_id: str,
        task_path: str = "",
    ) -> None:
        """Store what a task wrote, as put_writes does; where the task is cancelled, it is stored all the same."""
        await settled(lambda: self.put_writes(config, writes, task_id, task_path))

    async def adelete_thread(self, thread_id: str) -> None:
        """Remove all of a thread, if it is there."""
        await settled(lambda: self.delete_thread(thread_id))

    async def adelete_for_runs(self, run_ids: Sequence[str]) -> None:
        """Remove the checkpoints of runs, as delete_for_runs does."""
        await settled(lambda: self.delete_for_runs(run_ids))

    async def acopy_thread(self, source_thread_id: str, target_thread_id: str) -> None:
        """Copy all of a thread into another one."""
        await settled(lambda: self.copy_thread(source_thread_id, target_thread_id))

    async def aprune(self, thread_ids: Sequence[str], *, strategy: str = "keep_latest") -> None:
        """Remove what threads need no more, as prune does."""
        await settled(lambda: self.prune(thread_ids, strategy=strategy))

    async def aget_delta_channel_history(
        self, *, config: RunnableConfig, channels: Sequence[str]
    ) -> Mapping[str, DeltaChannelHistory]:
        """Return what was written to channels, as get_delta_channel_history does."""
        return await to_thread(self.get_delta_channel_history, config=config, channels=channels)

    def get_next_version(self, current: str | int | None, channel: None) -> str:
        """Return a later version of a channel, which no other branch of the thread has."""
        del channel
        last = int(str(current or 0).partition(".")[0])
        return f"{last + 1:032}.{random.random():016}"  # noqa: S311 - it tells branches apart, and guards nothing

    def _place(self, config: RunnableConfig) -> Place:
        return self._checkpoints.place(_thread(config), _namespace(config))

    def _places(self, config: RunnableConfig | None) -> Sequence[Place]:
        if config is None:
            return self._checkpoints.places()
        named = _configurable(config).get("checkpoint_ns") is not None
        return [self._place(config)] if named else self._checkpoints.places(_thread(config))

    def _from(self, config: RunnableConfig) -> Iterator[Stored]:
        """Yield the checkpoint that a config names, or those of its thread and namespace, the newest first."""
        place, wanted = self._place(config), _id(config)
        if wanted is None:
            return self._checkpoints.newest_first(place, first=_FEW)
        return iter([self._checkpoints.one(place, wanted)])

    def _needed(self, place: Place) -> tuple[str, set[str]]:
        """Return which checkpoint of a place is the newest, and which others it needs."""
        opened = list(self._checkpoints.opened(self._checkpoints.newest_first(place), at_once=_AT_ONCE, channels=()))
        if not opened:
            return newest_first(""), set()
        newest = opened[0]
        counted = {name for each in opened for name in self.serde.loads_typed(each.kept.metadata).get(_COUNTERS) or ()}
        missing, needed = counted & newest.kept.versions.keys(), set[str]()
        chain = [newest.stored, *self._checkpoints.before(place, newest.kept.id)] if missing else []
        for each in self._checkpoints.opened(chain, at_once=1, channels=frozenset(missing)):
            needed.add(each.stored.order)
            missing -= each.values.keys()
            if not missing:
                break
        return newest.stored.order, needed

    def _agrees(self, wanted: Mapping[str, Any]) -> Callable[[Kept], bool]:
        """Return what tells whether a checkpoint's metadata have these values."""

        def agrees(kept: Kept) -> bool:
            told: Mapping[str, Any] = self.serde.loads_typed(kept.metadata) if wanted else {}
            return all(told.get(name) == value for name, value in wanted.items())

        return agrees

    def _tuple(self, opened: Opened) -> CheckpointTuple:
        kept, load = opened.kept, self.serde.loads_typed
        told: dict[str, Any] = {
            **load(kept.checkpoint),
            "channel_versions": dict(kept.versions),
            "channel_values": {name: load(value) for name, value in opened.values.items()},
        }
        return CheckpointTuple(
            config=_config(kept.thread, kept.namespace, kept.id),
            checkpoint=cast("Checkpoint", told),
            metadata=load(kept.metadata),
            parent_config=None if kept.parent is None else _config(kept.thread, kept.namespace, kept.parent),
            pending_writes=[self._pending(write) for write in opened.writes],
        )

    def _pending(self, write: Write) -> PendingWrite:
        return write.task, write.channel, self.serde.loads_typed(write.value)


def _history(writes: list[PendingWrite], seeds: Mapping[str, Any], channel: str) -> DeltaChannelHistory:
    if channel in seeds:
        return {"writes": writes, "seed": seeds[channel]}
    return {"writes": writes}


def _configurable(config: RunnableConfig) -> Mapping[str, Any]:
    return config.get("configurable", {})


def _thread(config: RunnableConfig) -> str:
    return str(_configurable(config)["thread_id"])


def _namespace(config: RunnableConfig) -> str:
    return _configurable(config).get("checkpoint_ns") or ""


def _id(config: RunnableConfig) -> str | None:
    return get_checkpoint_id(config) or None


def _config(thread: str, namespace: str, checkpoint_id: str) -> RunnableConfig:
    return {"configurable": {"thread_id": thread, "checkpoint_ns": namespace, "checkpoint_id": checkpoint_id}}
