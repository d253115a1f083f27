"""People: what is known of a user, each thing with the sentence it came from, to be corrected or let go of."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from cairn_console.page import Shown, page
from cairn_console.statement_acts import ASKED, STATEMENT_ACTS
from cairn_console.visit import Visit

_FIRST: Final = 100
_MOST: Final = 500
"""How many facts, and how many memories, once somebody asks for older ones."""
_SECTIONS: Final[Mapping[str, Sequence[str]]] = {
    "How to serve them": ("preference", "instruction"),
    "Who they are": ("name", "nickname", "identity", "home", "workplace", "role", "allergy", "profile", "attribute"),
    "People and things": ("relation", "possession", "like"),
    "Plans and events": ("plan", "event", "today task", "weekly task"),
    "Work": ("project", "convention", "decision"),
}
"""The kinds of facts under each heading, in this order; any other stands under the last one."""
_OTHERS: Final = "More"


@page(
    title="People",
    needs=("memory_list_known",),
    asks=("memory_list_projects", "memory_list_users", *ASKED),
    acts=STATEMENT_ACTS,
)
def people(visit: Visit) -> Shown:
    """Show what is known of a user, by subject: since when, in which words, and how sure."""
    nobody: dict[str, Any] = {"projects": [], "users": [], "cursor": None, "known": None}
    if visit.project is None:
        return nobody | {"projects": visit.projects()}
    if visit.user is None:
        found = visit.ask("memory_list_users", project=visit.project, cursor=visit.query.get("cursor"), limit=100)
        return nobody | {"users": found["users"], "cursor": found["cursor"]}
    is_all = visit.query.get("all") == "yes"
    known = visit.ask("memory_list_known", **visit.place(), limit=_MOST if is_all else _FIRST)
    shown = {"sections": _sections(known["facts"]), **_kept(known["memories"])}
    return nobody | {"known": {**shown, "more": known["more"], "is_all": is_all}}


def _sections(facts: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return the facts under their headings: the pinned ones first, then by kind, the latest of each first."""
    heading = {kind: section for section, kinds in _SECTIONS.items() for kind in kinds}
    order = {kind: place for place, kind in enumerate(heading)}
    latest = sorted(facts, key=lambda fact: str(fact["since"]), reverse=True)
    told = sorted(latest, key=lambda fact: (not fact["pinned"], order.get(_kind(fact), len(order)), fact["about"]))
    found: dict[str, list[Mapping[str, Any]]] = {section: [] for section in (*_SECTIONS, _OTHERS)}
    for fact in told:
        found[heading.get(_kind(fact), _OTHERS)].append(fact)
    return [{"heading": section, "facts": its} for section, its in found.items() if its]


def _kind(fact: Mapping[str, Any]) -> str:
    """Return the kind in what a fact is about: "relation (sister)" is about a relation."""
    return str(fact["about"]).partition(" (")[0]


def _kept(memories: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    return {"memories": sorted(memories, key=lambda memory: (memory["type"], memory["since"]))}
