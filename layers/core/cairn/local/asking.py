"""Ask tools from the shell: in this process, on the data directory or the store in AWS, beside a server that runs."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from cairn.ground.ids import Project, Tenant, UserId
from cairn.local.options import data_option, project_or_branch_of, tenant_option, user_of

if TYPE_CHECKING:
    from cairn.services import Services

SESSION: Final = "shell"
"""The conversation in which a person at the shell keeps and asks, where a tool has to be told one."""


@dataclass(frozen=True, slots=True)
class Ask:
    """Asks tools about somebody's memory, as `names` say by the fields of tools."""

    services: Services
    tenant: Tenant
    names: Mapping[str, str]
    execute: Callable[[str, Mapping[str, Any]], dict[str, Any]]

    def __call__(self, name: str, /, **given: object) -> dict[str, Any]:
        """Ask the tool of a name with arguments; those that are None are left out."""
        return self.execute(name, given)

    def of(self, tenant: Tenant) -> Ask:
        """Return what asks about another tenant's."""
        return Ask(self.services, tenant, self.names, _asker(self.services, tenant, self.names))


def asking(run: Callable[..., None]) -> Callable[..., None]:
    """Make a command of a function: open the store, and pass what asks tools instead of the options that say whose."""

    @wraps(run)
    def opened(*, owner: Tenant, project: Project | None, user: UserId | None, data: Path | None, **given: Any) -> None:
        from cairn.local.own_names import OwnNames  # noqa: PLC0415 - a command pays for its own imports only
        from cairn.local.store import services  # noqa: PLC0415

        names = OwnNames.of(project, user)
        with services(data, os.environ) as opened_services:
            ask = _asker(opened_services, owner, names.fields)
            run(Ask(opened_services, owner, names.fields, ask), **given)

    options = (
        data_option,
        tenant_option,
        click.option(
            "--user",
            envvar="CAIRN_USER",
            callback=user_of,
            help="Whose memory. Default: CAIRN_USER, or else your login name.",
        ),
        click.option(
            "--project",
            envvar="CAIRN_PROJECT",
            callback=project_or_branch_of,
            help="The project, or PROJECT@BRANCH. Default: CAIRN_PROJECT, or else default.",
        ),
    )
    for option in options:
        opened = option(opened)
    return opened


def _asker(
    services: Services, owner: Tenant, names: Mapping[str, str]
) -> Callable[[str, Mapping[str, Any]], dict[str, Any]]:
    from cairn.access.api_keys import ALL_PROJECTS, SCOPES  # noqa: PLC0415
    from cairn.access.callers import Caller  # noqa: PLC0415
    from cairn.ground.trust import Trust  # noqa: PLC0415
    from cairn.local.server.doors import load  # noqa: PLC0415
    from cairn.tool.call import Call, execute  # noqa: PLC0415

    catalog = {tool.name: tool for tool in load("cairn_tools.catalog.CATALOG")}
    # A person asks for all that is theirs, whatever an agent's calls see by default.
    memory = replace(services.settings.memory, recall_scope="user")
    services.settings = replace(services.settings, memory=memory)
    # Who opens the store itself is its operator.
    call = Call(Caller(owner, frozenset(SCOPES), "shell", (ALL_PROJECTS,), trust=Trust.OPERATOR), services)

    def ask(name: str, given: Mapping[str, Any]) -> dict[str, Any]:
        tool = catalog[name]
        takes = tool.input_schema()
        usual = {**names, "recall_scope": "user"} | ({"session_id": SESSION} if _needs_session(takes) else {})
        known = {field: value for field, value in usual.items() if field in takes["properties"]}
        arguments = {**known, **given}
        return execute((tool,), name, {field: each for field, each in arguments.items() if each is not None}, call)

    return ask


def _needs_session(takes: Mapping[str, Any]) -> bool:
    return "session_id" in takes.get("required", ())
