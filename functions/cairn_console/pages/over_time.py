"""Memory over time: how much was learnt, replaced and forgotten on each day, and what changed last."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import date, timedelta
from typing import Any, Final

from cairn_console.page import Shown, page
from cairn_console.visit import Visit

KINDS: Final = ("learnt", "kept", "replaced", "forgotten")
_SPANS: Final[Mapping[str, int]] = {"month": 31, "quarter": 92, "year": 366}
_USUAL: Final = "quarter"
_WIDTH, _HEIGHT, _LEFT, _BOTTOM = 720, 220, 34, 24


@page(title="Over time", needs=("memory_count_changes",), asks=("memory_list_changes", "memory_list_projects"))
def over_time(visit: Visit) -> Shown:
    """Draw what changed on each day of a month, a quarter or a year, and list the newest changes of a user."""
    span = visit.query.get("span", _USUAL)
    span = span if span in _SPANS else _USUAL
    nothing: dict[str, Any] = {"projects": [], "span": span, "counted": None, "picture": None, "changes": None}
    if visit.project is None:
        return nothing | {"projects": visit.projects()}
    until = visit.now.date()
    since = until - timedelta(days=_SPANS[span] - 1)
    days = visit.asking("memory_count_changes", **visit.place(), since=since.isoformat(), until=until.isoformat())
    changes = visit.asking("memory_list_changes", **visit.place(), cursor=visit.query.get("cursor"), limit=50)
    visit.together(days, *([changes] if visit.user else []))
    return nothing | {
        "counted": days.result,
        "picture": _picture(days.result["days"]),
        "changes": changes.result if visit.user else None,
    }


def _picture(days: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return stacked bars, one for each day, in the units of a drawing, with its axis."""
    most = max((sum(each[kind] for kind in KINDS) for each in days), default=0) or 1
    step = (_WIDTH - _LEFT) / max(len(days), 1)
    scale = (_HEIGHT - _BOTTOM - 10) / most
    placed = [(round(_LEFT + place * step, 1), each) for place, each in enumerate(days)]
    begun = [(x, date.fromisoformat(each["day"])) for x, each in placed if each["day"].endswith("-01")]
    return {
        "width": _WIDTH,
        "height": _HEIGHT,
        "left": _LEFT,
        "floor": _HEIGHT - _BOTTOM,
        "bar": round(max(step - 0.8, 0.8), 1),
        "most": most,
        "bars": [bar for x, each in placed for bar in _bars(x, each, scale)],
        "months": [{"x": x, "name": f"{day:%b}"} for x, day in begun],
        "sums": {kind: sum(each[kind] for each in days) for kind in KINDS},
    }


def _bars(x: float, day: Mapping[str, Any], scale: float) -> Iterator[dict[str, Any]]:
    """Yield the bars of a day, one above the other, each with what it says in words."""
    base = float(_HEIGHT - _BOTTOM)
    for kind in KINDS:
        if day[kind]:
            base -= day[kind] * scale
            told = f"{day['day']}: {day[kind]:,} {kind}"
            yield {"x": x, "y": round(base, 1), "height": round(day[kind] * scale, 1), "kind": kind, "told": told}
