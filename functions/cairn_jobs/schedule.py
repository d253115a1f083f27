"""The Lambda that the schedule invokes.

It queues one job for each shard in which a session is due for maintenance, and one for each audit log to seal; the
schedule of sealing asks for the latter alone.
"""

from __future__ import annotations

from typing import Any

from cairn import wiring
from cairn.edge.guard import guarded
from cairn.ground.jobs import MaintainShard, SealAudit


def handler(event: dict[str, Any], context: object) -> dict[str, Any]:
    """Queue the jobs and return the shards; a CairnError where it is not sure that all of them were queued."""
    del context
    with guarded(str(event.get("id", ""))) as record:
        record.name_job("schedule_maintenance")
        services = wiring.services()
        shards = [] if event.get("only") == "sealing" else services.every_due.due_shards()
        tenants = services.sealer.due()
        services.adapters.jobs.send(
            [*(MaintainShard(shard) for shard in shards), *(SealAudit(each) for each in tenants)]
        )
        record.counts = {"shards": len(shards), "audit_logs": len(tenants)}
        return {"shards": shards}
