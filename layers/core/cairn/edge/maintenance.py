"""Maintenance of many sessions, each behind a wall and on a log line of its own."""

from __future__ import annotations

from collections import Counter
from datetime import datetime, timedelta

from cairn.domain.turns import MaintenanceReport, Session
from cairn.edge.guard import guarded
from cairn.runtime.wiring import Services
from cairn.service.fan_out import Outcome


def maintain_shard(services: Services, shard: int, within: timedelta, request_id: str) -> Counter[Outcome]:
    """Maintain the shard's due sessions within this time; whatever one of them meets, the others get their turn."""

    def maintain(session: Session, until: datetime) -> MaintenanceReport:
        with guarded(request_id) as record:
            record.name_job("maintain_session")
            record.name_tenant(session.tenant)
            record.project, record.session_id = session.project, session.session_id
            return services.maintenance.run_due(session, until)

    return services.fan_out.run_shard(shard, within, maintain)
