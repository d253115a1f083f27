"""Say with a finding which earlier incidents it recalls, after what a tool is told as memoryContext.

Whoever gave that, it is data: its tags choose among the words that stand here, and no word of its own gets out.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, cast

from cairn.enrichment.model import LABELS, labels_of

_MOST_READ: Final = 20
_MOST_TAGS: Final = 64
_CHARACTERS: Final = 2000
_TIME: Final = re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d UTC", re.ASCII)
_PLACES: Final = (
    "earlier calls for this pod met",
    "earlier calls for this namespace met",
    "this conversation spoke of",
    "earlier calls elsewhere in the project met",
)
"""Where an incident was, those first that tell more of a finding; from the third on only the same sign counts."""
_SAID: Final = {"memory": "out of memory"}
"""What a label is called where it could be misread."""


@dataclass(frozen=True, slots=True)
class _Incident:
    """An earlier call, or a text, with signs of something wrong."""

    tags: frozenset[str]
    signs: tuple[str, ...]
    time: str

    def place(self, pod: str, namespace: str, signs: set[str]) -> int | None:
        """Return which of the places it was in, None where it tells nothing of a finding."""
        if f"pod:{namespace}/{pod}" in self.tags:
            return 0
        if f"namespace:{namespace}" in self.tags:
            return 1
        if signs.isdisjoint(self.signs):
            return None
        return 2 if "kind:conversation" in self.tags else 3


def reminded(answer: Mapping[str, Any], namespace: str, context: Mapping[str, Any]) -> dict[str, Any]:
    """Return a diagnosis, {findings: [{pod, reason, evidence, hint, …}], summary}, with what its findings recall.

    That ends their hints; the summary says how many incidents it was, where there are any. All else stays.
    """
    incidents, used = _incidents(context), set[int]()
    findings: list[dict[str, Any]] = []
    for finding in answer["findings"]:
        signs = set(labels_of(f"{finding['reason']} {finding['evidence']}"))
        places = [incident.place(finding["pod"], namespace, signs) for incident in incidents]
        best = min((place for place in places if place is not None), default=None)
        if best is None:
            findings.append(finding)
            continue
        fitting = [number for number, place in enumerate(places) if place == best]
        used.update(fitting)
        recalled = f"{finding['hint']} Memory: {_PLACES[best]} {_signs([incidents[each] for each in fitting])}."
        findings.append({**finding, "hint": recalled})
    said = f" Memory: mem_ctx:used, mem_ctx:count:{len(used)}." if used else ""
    return {**answer, "findings": findings, "summary": answer["summary"] + said}


def _signs(incidents: Sequence[_Incident]) -> str:
    """Return each sign of these incidents once, with the newest time it was met at, newest first."""
    newest: dict[str, str] = {}
    for each in sorted(incidents, key=lambda each: each.time, reverse=True):
        for sign in each.signs:
            shown = _SAID.get(sign, sign)
            newest.setdefault(sign, f"{shown} ({each.time})" if each.time else shown)
    return ", ".join(newest.values())


def _incidents(context: Mapping[str, Any]) -> list[_Incident]:
    items: object = context.get("items")
    given = cast("list[object]", items)[:_MOST_READ] if isinstance(items, list) else []
    read = (_incident(cast("Mapping[str, object]", each)) for each in given if isinstance(each, Mapping))
    return [each for each in read if each.signs]


def _incident(item: Mapping[str, object]) -> _Incident:
    given, snippet = item.get("tags"), item.get("snippet")
    listed = cast("list[object]", given)[:_MOST_TAGS] if isinstance(given, list) else []
    tags = frozenset(each for each in listed if isinstance(each, str))
    text = snippet[:_CHARACTERS] if isinstance(snippet, str) else ""
    labelled = (each for each in LABELS if f"error:{each}" in tags)
    time = _TIME.match(text)
    return _Incident(tags, tuple(dict.fromkeys((*labelled, *labels_of(text)))), time.group() if time else "")
