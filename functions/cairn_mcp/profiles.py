"""Profiles: choose by path which tools a client is shown, so that its prompts do not carry the others."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from cairn.tool.tool import Tool


@dataclass(frozen=True, slots=True)
class Profile:
    """Some tools of the catalog and the arguments shown of each; None stands for all of them.

    An argument that is not shown is taken all the same.
    """

    arguments: Mapping[str, Collection[str]] | None = None

    def tools(self, catalog: Sequence[Tool]) -> Sequence[Tool]:
        """Return the profile's tools in the catalog's order."""
        return catalog if self.arguments is None else [tool for tool in catalog if tool.name in self.arguments]

    def shows(self, tool: Tool, argument: str) -> bool:
        """Tell whether an argument is shown."""
        return self.arguments is None or argument in self.arguments[tool.name]


WHOLE: Final = Profile()
_SESSION: Final = ("project", "session_id", "user_id")
AGENT: Final = Profile(
    {
        "memory_before_turn": (*_SESSION, "current_input", "max_input_tok", "recall_scope"),
        "memory_after_turn": (*_SESSION, "turn_id", "input_items", "output_items", "learned"),
        "remember": (*_SESSION, "content", "type", "confidence", "rationale", "scope"),
        "recall": (*_SESSION, "query", "limit", "as_of", "recall_scope"),
        "forget": (*_SESSION, "memory_id", "reason", "replacement_id"),
    }
)
PROFILES: Final[Mapping[str, Profile]] = {"agent": AGENT}
"""By name, each at `/mcp/{name}`."""


def of_path(path: str) -> Profile:
    """Return the profile of an endpoint's path: the whole catalog where it ends in no profile's name."""
    return PROFILES.get(path.rstrip("/").rpartition("/")[2], WHOLE)
