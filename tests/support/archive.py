"""Sessions to archive, and archives of processes that have nothing in memory."""

from __future__ import annotations

from typing import Any

import pytest

from cairn.archive.archive import Archive
from cairn.archive.layout import archive_pk
from cairn.archive.model import Deposit
from cairn.ground.adapters import Adapters
from cairn.ground.errors import InvalidArgument
from cairn.ground.ids import SessionId, Tenant
from cairn.ground.paging import every
from cairn.ground.table import Query
from support.turns import cold

ACME, OTHER = Tenant("acme"), Tenant("other")
SESSION = {
    "session_id": "monday",
    "timestamp": "2026-03-01T12:00:00Z",
    "tool_name": "planner",
    "success": True,
    "summary": "Planned the rows.\nRunner beans by the fence.",
    "tags": ["green", "long"],
}


def deposit(*tags: str, session_id: str = "monday", **fields: Any) -> Deposit:
    return Deposit(session_id=SessionId(session_id), tags=tags, session={**SESSION, "session_id": session_id, **fields})


def archive_of(adapters: Adapters) -> Archive:
    """Return the archive of a process that has nothing in memory yet."""
    return Archive(cold(adapters))


def rows(adapters: Adapters, tenant: Tenant = ACME) -> list[str]:
    found = every(adapters.table, Query(archive_pk(tenant), "\x01", "\U0010ffff"))
    return [str(item["sk"]).partition("#")[0] for item in found]


def fields_of(error: pytest.ExceptionInfo[InvalidArgument]) -> list[str]:
    fields: Any = error.value.details["fields"]
    return list(fields)
