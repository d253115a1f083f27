"""Say why a question does not find what somebody expects of it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from cairn.ground.adapters import Pending
from cairn.ground.errors import PermissionDenied
from cairn_console.visit import Visit

_LOOKED_AT: Final = 50
_CHANGES: Final = 100
_NEAREST: Final = 3
_WORD: Final = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class Expectation:
    """What somebody expects a question to find, known by its words, and what is asked beside it to say why it is not.

    Asked is what else the question finds, what the expected words find themselves, among what is replaced, and of
    others in the project, and what changed lately.
    """

    words: str
    further: Pending[dict[str, Any]]
    itself: Pending[dict[str, Any]]
    ended: Pending[dict[str, Any]]
    others: Pending[dict[str, Any] | None]
    changes: Pending[dict[str, Any]] | None

    @property
    def questions(self) -> list[Callable[[], object]]:
        """Return all that is asked; together with the question it takes the rounds of one."""
        return [self.further, self.itself, self.ended, self.others, *([self.changes] if self.changes else [])]


def expecting(visit: Visit, question: str, expected: str) -> Expectation:
    """Return what is to be asked."""
    asked = {**visit.place(), "limit": _LOOKED_AT, "min_confidence": 0.0, "origin": True}
    return Expectation(
        words=expected,
        further=visit.asking("recall", **asked, query=question),
        itself=visit.asking("recall", **asked, query=expected),
        ended=visit.asking("recall", **asked, query=expected, include_superseded=True),
        others=Pending(lambda: _of_others(visit, asked, expected)),
        changes=visit.asking("memory_list_changes", **visit.place(), limit=_CHANGES) if visit.user else None,
    )


def why_absent(expectation: Expectation, found: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return the reason in words, with what shows it; `found` is what the question found."""
    expected, itself = expectation.words, expectation.itself.result
    changes: Sequence[Mapping[str, Any]] = expectation.changes.result["changes"] if expectation.changes else ()
    here = _holding(found, expected)
    reasons = (
        _because("found", "It was found: it is among the answers below.", here) if here else None,
        _ranked(expectation.further.result["memories"], expected),
        _told("unrelated", "It is known, but nothing ties it to this question.", itself, expected),
        _gone(changes, expected),
        _told("replaced", "It was replaced by something newer.", expectation.ended.result, expected),
        _told(
            "others", "Somebody else said it: recall reaches this user's own past.", expectation.others.result, expected
        ),
    )
    nearest = "Nothing with these words is stored. The nearest there is:"
    return next(filter(None, reasons), None) or _because("unknown", nearest, itself["memories"])


def _because(kind: str, says: str, shown: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    return {"kind": kind, "says": says, "shown": list(shown[:_NEAREST])}


def _told(kind: str, says: str, answer: Mapping[str, Any] | None, expected: str) -> dict[str, Any] | None:
    """Return the reason where an answer holds what is expected."""
    held = _holding(answer["memories"], expected) if answer else []
    return _because(kind, says, held) if held else None


def _ranked(found: Sequence[Mapping[str, Any]], expected: str) -> dict[str, Any] | None:
    """Return at which place the question has it, None where it does not have it that far."""
    held = _holding(found, expected)
    if not held:
        return None
    place = 1 + found.index(held[0])
    return _because("ranked", f"It is known, and other things answer better: it stands at place {place}.", held)


def _holding(found: Iterable[Mapping[str, Any]], expected: str) -> list[Mapping[str, Any]]:
    """Return what holds all the words, in whatever order."""
    wanted = _words(expected)
    return [each for each in found if wanted <= _words(str(each["content"]))]


def _gone(changes: Iterable[Mapping[str, Any]], expected: str) -> dict[str, Any] | None:
    """Return why what was let go of is not found, None where no such thing was."""
    wanted = _words(expected)
    for each in changes:
        if each["kind"] in {"forgotten", "ended"} and wanted <= _words(f"{each['value']} {each['quote'] or ''}"):
            reason = f", because: {each['reason']}" if each["reason"] else ""
            told = {"id": each["id"], "content": each["value"], "timestamp": each["at"], "type": each["kind"]}
            return _because(each["kind"], f"It was {each['kind']}{reason}.", [told])
    return None


def _of_others(visit: Visit, asked: Mapping[str, object], expected: str) -> dict[str, Any] | None:
    """Return what others of the project said, None where the visitor may not look there."""
    try:
        return visit.ask("recall", **asked, query=expected, recall_scope="project")
    except PermissionDenied:
        return None


def _words(text: str) -> set[str]:
    return set(_WORD.findall(text.casefold()))
