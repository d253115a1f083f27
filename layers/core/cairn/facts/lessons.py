"""What the model that answered says it learnt, and why it may not be believed.

These are the shapes; cairn.facts.weighing decides.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from cairn.facts.facts import Fact

MAX_LESSONS = 20
REFERENCE_CHARACTERS = 4
"""A million references: among the hundreds of facts of one user two are rarely alike."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Lesson:
    """A fact as the model that answered states it; `replaces` is the reference of one that it ends."""

    about: str
    value: str
    quote: str
    replaces: str | None = None


class Refusal(StrEnum):
    """The reasons for which a lesson is not believed."""

    NOT_SAID = "not_said"
    NOT_IN_QUOTE = "not_in_quote"
    UNKNOWN_REFERENCE = "unknown_reference"
    AMBIGUOUS_REFERENCE = "ambiguous_reference"
    STATED_OTHERWISE = "stated_otherwise"


def reference(fact: Fact) -> str:
    """Return the short name of a fact, by which the model that is shown it may end it."""
    return fact.id[-REFERENCE_CHARACTERS:].lower()
