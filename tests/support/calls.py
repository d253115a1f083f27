"""The record of calls, as tests read and seal it."""

from __future__ import annotations

from datetime import timedelta

from cairn.calls import layout
from cairn.calls.audit import AuditLog
from cairn.calls.sealing import Sealer
from cairn.ground.adapters import Adapters
from cairn.ground.ids import Tenant
from cairn.ground.paging import every
from cairn.ground.table import Attributes, Query
from cairn.vault.vault import Vault
from cairn_tools.memory_before_turn import memory_before_turn

ACME = Tenant("acme")
EXAMPLE_BEFORE = dict(memory_before_turn.example)
HOUR = timedelta(hours=1)
TODAY = "2026-03-01"


def log_of(adapters: Adapters) -> AuditLog:
    return AuditLog(adapters, Vault(adapters))


def sealer_of(adapters: Adapters) -> Sealer:
    return Sealer(adapters, Vault(adapters))


def stored(adapters: Adapters, day: str = TODAY) -> list[Attributes]:
    return list(every(adapters.table, Query(layout.audit_day_pk(ACME, day), "0", "\U0010ffff")))
