"""What people do about one thing that is known: say what holds instead, let go of it, pin it, and take that back."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from cairn_console.page import Act, Done, Undo
from cairn_console.visit import Visit


def _correct(visit: Visit) -> Done:
    """Put other words in the place of what is known."""
    done = visit.ask("memory_correct", **_which(visit), content=visit.given("content"))
    if done["replaced"] is None:
        return Done("It says that already.")
    return Done("Corrected. Contexts and recalls have the new words from now on.", _back(visit, done["replaced"]))


def _forget(visit: Visit) -> Done:
    """Let go of what is known."""
    reason = visit.form.get("reason", "").strip() or None
    visit.ask("forget", **_which(visit), session_id=visit.form.get("session") or None, reason=reason)
    return Done("Forgotten: no recall finds it and no context holds it.", _back(visit, visit.given("id")))


def _pin(visit: Visit) -> Done:
    """Have it stand in every context."""
    done = visit.ask("memory_pin", **_which(visit), pinned=True)
    return Done("Pinned: it stands in every context of this user.", Undo("unpin", {"id": done["memory_id"]}))


def _unpin(visit: Visit) -> Done:
    """Have it stand in contexts no more than anything else."""
    done = visit.ask("memory_pin", **_which(visit), pinned=False)
    return Done("Not pinned any more: it is placed where it matters.", Undo("pin", {"id": done["memory_id"]}))


def _restore(visit: Visit) -> Done:
    """Have what was replaced or forgotten hold again."""
    done = visit.ask("memory_restore", **_which(visit))
    if done["was_believed"]:
        return Done("It holds already.")
    ended = done["ended"]
    undo = Undo("restore", {"id": ended}) if ended else Undo("forget", {"id": done["memory_id"]})
    return Done("It holds again.", undo)


def _which(visit: Visit) -> dict[str, Any]:
    return {**visit.place(), "memory_id": visit.given("id")}


def _back(visit: Visit, name: str) -> Undo | None:
    return Undo("restore", {"id": name}) if visit.may("memory_restore") else None


ASKED: Final = ("memory_correct", "forget", "memory_pin", "memory_restore")
"""The tools that these acts ask."""
STATEMENT_ACTS: Final[Mapping[str, Act]] = {
    "correct": _correct,
    "forget": _forget,
    "pin": _pin,
    "unpin": _unpin,
    "restore": _restore,
}
