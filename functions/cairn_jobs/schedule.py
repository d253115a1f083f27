"""The Lambda that the schedule invokes: one job for each shard in which a session is due for maintenance."""

from __future__ import annotations

from typing import Any

from cairn.domain.jobs import MaintainShard
from cairn.edge.guard import guarded
from cairn.runtime import wiring


def handler(event: dict[str, Any], context: object) -> dict[str, Any]:
    """Queue the jobs and return their shards; a CairnError where it is not sure that all of them were queued."""
    del context
    with guarded(str(event.get("id", ""))) as record:
        record.name_job("schedule_maintenance")
        services = wiring.services()
        shards = services.fan_out.due_shards()
        services.jobs.send([MaintainShard(shard) for shard in shards])
        record.counts = {"shards": len(shards)}
        return {"shards": shards}
