"""Every rule over one text."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from cairn.detection import assignments, personal, vendor_tokens
from cairn.detection.rules import Hit, Rule, lowered

_RULES: Final[tuple[Rule, ...]] = (*vendor_tokens.RULES, *assignments.RULES, *personal.RULES)


def hits(text: str) -> Iterator[Hit]:
    """Yield what the rules find in a text, rule by rule, the more telling ones first; hits may overlap."""
    lower = lowered(text)
    for rule in _RULES:
        yield from rule.hits(text, lower)
    yield from assignments.hits(text, lower)
    yield from vendor_tokens.HIGH_ENTROPY.hits(text, lower)
