"""Maintenance of many sessions and of the audit logs, each guarded and with a log line each."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from contextlib import nullcontext, suppress
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from cairn.edge.guard import guarded
from cairn.ground.errors import CairnError
from cairn.ground.ids import Tenant
from cairn.ground.session import Session, Subject
from cairn.services import Services
from cairn.sessions.due import DueEntry
from cairn.upkeep.every_due import Maintain, Outcome
from cairn.upkeep.model import MaintenanceReport

if TYPE_CHECKING:
    from cairn.plans.model import Plan


def seal_audits(services: Services, within: timedelta, request_id: str) -> list[int | None]:
    """Seal the audit logs that are due; return of each how many records were sealed, None where that failed."""
    return [_sealed(services, tenant, within, request_id) for tenant in services.sealer.due()]


def erase_due(services: Services, request_id: str) -> list[bool]:
    """Carry out the erasures whose grace time is over, on record; return of each whether it is done."""
    from cairn.plans.records import PlanRecords  # noqa: PLC0415 - what erases is loaded where something is due

    due = PlanRecords(services.adapters, services.vault).due()
    return [_erased(services, plan, request_id) for plan in due]


def maintain_shard(services: Services, shard: int, within: timedelta, request_id: str) -> Counter[Outcome]:
    """Maintain the shard's due sessions within this time; whatever one of them meets, the others get their turn."""
    return services.every_due.run_shard(shard, within, _guarded(services, request_id, services.maintenance.run_due))


def maintain_all(services: Services, heads: Iterable[DueEntry], within: timedelta, request_id: str) -> Counter[Outcome]:
    """Maintain the sessions of these heads as maintain_shard() does, due or not."""
    return services.every_due.run(
        heads, within, _guarded(services, request_id, lambda one, _: services.maintenance.run(one))
    )


def _guarded(services: Services, request_id: str, run: Maintain) -> Maintain:
    def maintain(session: Session, until: datetime) -> MaintenanceReport:
        with guarded(request_id) as record:
            record.name_job("maintain_session")
            record.name_tenant(session.tenant)
            names = services.journal.names
            record.project = names.name(session.tenant, session.project)
            record.session_id = names.name(session.tenant, session.session_id)
            return run(session, until)

    return maintain


def _erased(services: Services, plan: Plan, request_id: str) -> bool:
    from cairn.calls.record import AFTER_GRACE  # noqa: PLC0415 - what erases is loaded where something is due

    with suppress(CairnError), guarded(request_id) as record:
        record.name_job("erase_after_grace")
        record.name_tenant(plan.tenant)
        about = Subject(project=plan.project, user_id=plan.user)
        # What a tenant's audit log would say is erased with it.
        whole = plan.is_of_whole_tenant
        with nullcontext() if whole else services.journal.command(plan.tenant, AFTER_GRACE, about):
            record.counts = {**services.plans.apply(plan.tenant, plan.id).counts}
        return True
    return False


def _sealed(services: Services, tenant: Tenant, within: timedelta, request_id: str) -> int | None:
    with suppress(CairnError), guarded(request_id) as record:
        record.name_job("seal_audit")
        record.name_tenant(tenant)
        return services.sealer.seal(tenant, within)
    return None
