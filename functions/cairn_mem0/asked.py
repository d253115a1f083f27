"""A call of a client: what it says, and the tools, which are asked as anybody asks them.

Every answer comes out of a tool's own entrance, `cairn.tool.call.execute`: scopes, projects, users, rates and the audit
log hold here as they do over HTTP and MCP.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Final, cast

from cairn.ground.adapters import Pending
from cairn.ground.errors import InvalidArgument, Unavailable
from cairn.tool.call import Call, execute
from cairn.tool.tool import Tool
from cairn_tools.forget import forget
from cairn_tools.memory_after_turn import memory_after_turn
from cairn_tools.memory_correct import memory_correct
from cairn_tools.memory_get_documents import memory_get_documents
from cairn_tools.memory_list_changes import memory_list_changes
from cairn_tools.memory_list_known import memory_list_known
from cairn_tools.memory_list_users import memory_list_users
from cairn_tools.memory_put_documents import memory_put_documents
from cairn_tools.recall import recall
from cairn_tools.remember import remember

TOOLS: Final[tuple[Tool, ...]] = (
    *(memory_after_turn, remember, recall, forget, memory_correct),
    *(memory_list_known, memory_list_changes, memory_list_users),
    *(memory_get_documents, memory_put_documents),
)
"""The tools that the calls ask; the door's role is granted what they are."""
PROJECT: Final = "mem0"
"""Where memories are kept whose key and request name no project."""
_SECONDS_OF_A_STEP: Final = 2.0


@dataclass(frozen=True, slots=True)
class Asked:
    """One call: `path` are the names in its path, `retry_key` what makes two calls one."""

    call: Call
    path: Mapping[str, str] = field(default_factory=dict[str, str])
    query: Mapping[str, str] = field(default_factory=dict[str, str])
    body: Mapping[str, object] = field(default_factory=dict[str, object], repr=False)
    retry_key: str = ""

    def ask(self, tool: str, /, **arguments: object) -> dict[str, Any]:
        """Return a tool's answer; CairnErrors get out. Arguments that are None are left out."""
        given = {name: value for name, value in arguments.items() if value is not None}
        return execute(TOOLS, tool, {"project": self.project, **given}, self.call)

    def pages(self, tool: str, /, **arguments: object) -> Iterator[dict[str, Any]]:
        """Yield a tool's answers, each going on where the one before ended."""
        cursor: str | None = ""
        while cursor is not None:
            page = self.ask(tool, cursor=cursor, **arguments)
            yield page
            cursor = page["cursor"]

    def asking(self, tool: str, /, **arguments: object) -> Pending[dict[str, Any]]:
        """Return a question for `together`."""
        return Pending(partial(self.ask, tool, **arguments))

    def together(self, *questions: Callable[[], object]) -> None:
        """Ask all at once, so that they take the rounds of the longest."""
        self.call.services.adapters.parallel(list(questions))

    @property
    def project(self) -> str:
        """Return the project that request or key names, or the one for those that name none."""
        return self.call.known_names.get("project", PROJECT)

    @property
    def user(self) -> str | None:
        """Return the only user that the key speaks for, or whom the request's header names."""
        return self.call.known_names.get("user_id")

    def check_time(self, left: int) -> None:
        """Raise Unavailable where the time does not last for another step of work that can be gone on with."""
        if time.monotonic() + _SECONDS_OF_A_STEP > self.call.until:
            raise Unavailable(f"There are at least {left} more than the time lasted for; call again")


def text(values: Mapping[str, object], name: str) -> str | None:
    """Return a text, None where there is none; InvalidArgument for what is no text or an empty one."""
    value = values.get(name)
    if value is None:
        return None
    if not isinstance(value, str) or not value.strip():
        raise InvalidArgument(name, "must be a text that is not empty")
    return value


def number(values: Mapping[str, object], name: str, usual: int, most: int) -> int:
    """Return a whole number from 1 to `most`, also of a query's text, or the usual one."""
    value = values.get(name)
    if isinstance(value, str) and value.isascii() and value.isdecimal() and len(value) <= len(str(most)):
        value = int(value)
    if value is None:
        return usual
    if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= most:
        raise InvalidArgument(name, f"must be a whole number from 1 to {most}")
    return value


def mapping(values: Mapping[str, object], name: str) -> dict[str, Any]:
    """Return an object, an empty one where there is none; InvalidArgument for anything else."""
    value = values.get(name)
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise InvalidArgument(name, "must be an object")
    return cast("dict[str, Any]", value)


def taken(
    values: Mapping[str, object], known: frozenset[str], passed_over: frozenset[str] = frozenset()
) -> Mapping[str, object]:
    """Return the options that are known, with a value; InvalidArgument for what would have to change the outcome."""
    given = {name: value for name, value in values.items() if value is not None}
    others = sorted(given.keys() - known - passed_over)
    if others:
        shown = others[0].encode("ascii", "replace").decode()[:64]
        raise InvalidArgument(shown, "is nothing that Cairn does at mem0's address")
    return {name: value for name, value in given.items() if name in known}
