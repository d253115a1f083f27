"""A visit of a page: who comes, what the address and the form say, and the tools, which are asked as anybody asks them.

Every answer that a page shows and everything it does comes out of a tool's own entrance, `cairn.tool.call.execute`:
scopes, projects, users, policies, rates and the audit log hold on a page as they do over HTTP and MCP.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial
from typing import Any

from cairn.ground.adapters import Pending
from cairn.ground.errors import InvalidArgument, NotFound, PermissionDenied
from cairn.settings.settings import AwsStore
from cairn.tool.call import Call, execute
from cairn.tool.catalog import only
from cairn.tool.tool import visible
from cairn_tools.catalog import CATALOG

_MOST_PROJECTS = 100


@dataclass(frozen=True, slots=True)
class Visit:
    """One request for a page, or one form sent to it; `tools` are those that the page may ask."""

    call: Call
    tools: frozenset[str]
    query: Mapping[str, str] = field(default_factory=dict[str, str])
    form: Mapping[str, str] = field(default_factory=dict[str, str], repr=False)

    def ask(self, tool: str, /, **arguments: object) -> dict[str, Any]:
        """Return a tool's answer; CairnErrors get out. Arguments that are None are left out.

        LookupError for a tool that the page does not say it asks: in AWS its role would not do.
        """
        if tool not in self.tools:
            raise LookupError(f"the page asks {tool} and does not say so")
        given = {name: value for name, value in arguments.items() if value is not None}
        return execute(CATALOG, tool, given, self.call)

    def asking(self, tool: str, /, **arguments: object) -> Pending[dict[str, Any]]:
        """Return a question for `together`."""
        return Pending(partial(self.ask, tool, **arguments))

    def together(self, *questions: Callable[[], object]) -> None:
        """Ask all at once, so that they take the rounds of the longest."""
        self.call.services.adapters.parallel(list(questions))

    def may(self, tool: str) -> bool:
        """Tell whether the visitor may call a tool at all."""
        return bool(visible(only(CATALOG, tool), self.call))

    def hold_to(self, tool: str) -> None:
        """Raise PermissionDenied where the visitor may not call a tool for operators that the page does not ask yet."""
        if not self.may(tool):
            raise PermissionDenied("This key does not open what is for operators")

    @property
    def now(self) -> datetime:
        """Return the time, in UTC."""
        return self.call.services.adapters.clock.now()

    @property
    def on_own_machine(self) -> bool:
        """Tell whether the store is this machine's own."""
        return not isinstance(self.call.services.settings.store, AwsStore)

    @property
    def project(self) -> str | None:
        """Return the project that the address names, or else the only one that the key opens."""
        return self.query.get("project") or self.call.known_names.get("project")

    @property
    def user(self) -> str | None:
        """Return the user that the address names, or else the only one that the key speaks for."""
        return self.query.get("user") or self.call.known_names.get("user_id")

    @property
    def limited_to(self) -> tuple[str, ...]:
        """Return the users that the key speaks for; nobody where it speaks for whomever is named."""
        return self.call.caller.users

    def projects(self) -> list[str]:
        """Return the first projects by name that the visitor may see."""
        return self.ask("memory_list_projects", limit=_MOST_PROJECTS)["projects"]

    def wanted(self, name: str) -> str:
        """Return what the address says under a name; InvalidArgument where it says nothing."""
        return _named(self.query, name)

    def given(self, name: str) -> str:
        """Return what the form says under a name; InvalidArgument where it says nothing."""
        return _named(self.form, name)

    def place(self) -> dict[str, str]:
        """Return the project and the user of the address as a tool's arguments; NotFound without a project."""
        if self.project is None:
            raise NotFound("The address names no project")
        return {"project": self.project, **({"user_id": self.user} if self.user else {})}


def _named(values: Mapping[str, str], name: str) -> str:
    value = values.get(name, "").strip()
    if not value:
        raise InvalidArgument(name, "is required")
    return value
