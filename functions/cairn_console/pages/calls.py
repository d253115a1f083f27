"""Calls: who read and wrote what, and whether the record of it is as it was written."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any, Final

from cairn.ground.codec import rfc3339
from cairn.ground.errors import InvalidArgument
from cairn_console.page import Presented, Shown, page
from cairn_console.visit import Visit

_FILTERS: Final = ("tool", "outcome", "user_id", "key", "project", "session_id")


def _verify(visit: Visit) -> Presented:
    """Hold the whole record against its chain of digests."""
    checked = visit.ask("memory_check_calls", holds=visit.form.get("holds", "").strip() or None)
    return Presented({**_listed(visit), "checked": checked})


@page(title="Calls", needs=("memory_list_calls", "memory_check_calls"), acts={"verify": _verify}, for_operators=True)
def calls(visit: Visit) -> Shown:
    """List the newest calls that the filters let through, and who reaches for unusually much among them."""
    return {**_listed(visit), "checked": None}


def _listed(visit: Visit) -> dict[str, Any]:
    given = {name: visit.query.get(f"of_{name}", "").strip() or None for name in _FILTERS}
    day = visit.query.get("day", "").strip()
    since, until = _span(day) if day else (None, None)
    found = visit.ask(
        "memory_list_calls", **given, since=since, until=until, cursor=visit.query.get("cursor"), limit=100
    )
    return {**found, "given": {name: value or "" for name, value in given.items()}, "day": day}


def _span(day: str) -> tuple[str, str]:
    """Return when a day begins and ends; InvalidArgument for what is no day."""
    try:
        begin = datetime.fromisoformat(day).replace(tzinfo=UTC)
    except ValueError:
        raise InvalidArgument("day", "must be a day such as 2026-03-01") from None
    return rfc3339(begin), rfc3339(begin + timedelta(days=1))
