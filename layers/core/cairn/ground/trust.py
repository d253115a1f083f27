"""Whose word something is, which the door stamps and no text can say of itself."""

from __future__ import annotations

from enum import IntEnum
from typing import Final, Literal, TypeAlias

TrustName: TypeAlias = Literal["outside", "import", "tool", "agent", "user", "operator"]
"""Whose word it is, as it is told and asked for: the least trusted first."""


class Trust(IntEnum):
    """How far a word is trusted, by whose it is; what is derived from several has the least of theirs.

    HELD is outside text in the shape of an instruction: it is stored, and placed and recalled only once it is released.
    """

    HELD = 0
    OUTSIDE = 1
    IMPORT = 2
    TOOL = 3
    AGENT = 4
    USER = 5
    OPERATOR = 6

    @classmethod
    def of(cls, name: str) -> Trust:
        """Return the trust of this name; ValueError where there is none."""
        try:
            return cls[name.upper()]
        except (KeyError, AttributeError):
            raise ValueError("a stored source is none") from None

    @property
    def label(self) -> str:
        """Return its name as it is stored."""
        return self.name.lower()

    @property
    def told(self) -> TrustName:
        """Return its name as it is told: what was held back is from outside."""
        return _TOLD[max(self, Trust.OUTSIDE)]


_TOLD: Final[dict[Trust, TrustName]] = {
    Trust.OUTSIDE: "outside",
    Trust.IMPORT: "import",
    Trust.TOOL: "tool",
    Trust.AGENT: "agent",
    Trust.USER: "user",
    Trust.OPERATOR: "operator",
}
_OF_ROLES: Final = {"user": Trust.USER, "assistant": Trust.AGENT}


def trust_of_role(role: str) -> Trust:
    """Return whose word a text is by who said it; what a tool gave is from outside until it is known to be ours."""
    return _OF_ROLES.get(role, Trust.OUTSIDE)
