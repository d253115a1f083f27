"""Fold facts and kept memories that say the same but for case, punctuation and politeness."""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterable

from cairn.context.rendering import said_by
from cairn.context.sayings import form
from cairn.facts.facts import Fact, normalise

# What a form leaves out and what may tell two values apart: C from C++, 5 from -5, 3.5 from 35.
_SIGNS = re.compile(r"[^\w\s.,;:!?\u2026'\"\u2018\u2019\u201c\u201d()\[\]\u2013\u2014-]|-(?=\d)|(?<=\d)[.,](?=\d)")


def said(fact: Fact, asking: str | None) -> Hashable:
    """Return what a fact says, about what, and who said it, alike for facts that say the same."""
    value, key = _form(fact.value), _form(fact.key)
    return said_by(fact, asking), fact.about[0], () if key == value else key, value


def unrepeated(facts: Iterable[Fact], asking: str | None) -> tuple[Fact, ...]:
    """Return of facts that say the same the newest, in the place of the first."""
    newest: dict[Hashable, Fact] = {}
    for fact in facts:
        what = said(fact, asking)
        held = newest.get(what)
        if held is None or (held.recorded_at, held.id) < (fact.recorded_at, fact.id):
            newest[what] = fact
    return tuple(newest.values())


def _form(text: str) -> tuple[str, ...]:
    return (*(form(text) or (normalise(text),)), *_SIGNS.findall(text))
