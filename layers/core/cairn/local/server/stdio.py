"""`cairn stdio`: serve the tools over standard input and output."""

from __future__ import annotations

import logging
import os
from pathlib import Path

from cairn import wiring
from cairn.access.api_keys import ALL_PROJECTS, SCOPES, project_pattern
from cairn.access.callers import USERS_POLICY, Caller
from cairn.ground.ids import Project, UserId
from cairn.local.embedding_model import words_only
from cairn.local.own_names import OwnNames
from cairn.local.server import log_lines
from cairn.local.server.doors import load
from cairn.local.server.sealing import sealing
from cairn.local.server.warming import warming
from cairn.local.store import LOCAL_TENANT, open_store

_logger = logging.getLogger("cairn")


def stdio(
    data: Path | None, profile: str | None = None, project: Project | None = None, user: UserId | None = None
) -> None:
    """Serve the tools of the profile, or all, until the input ends; SettingsError if the store cannot be opened.

    The client is bound to a project and a user that are given. Of those that are not, what a call leaves out is what
    the first key is bound to, and it may name any other.
    """
    log_lines.configure("calls")
    caller = Caller(
        LOCAL_TENANT,
        frozenset(SCOPES),
        "stdio",
        (ALL_PROJECTS if project is None else project_pattern(project),),
        policy=None if user is None else USERS_POLICY,
        users=() if user is None else (user,),
    )
    with open_store(data, os.environ) as store, warming(wiring.services()), sealing(wiring.services()):
        if warned := words_only(store.settings.embedding):
            _logger.warning("%s", warned.removeprefix("Warning: "))
        load("cairn_mcp.stdio.run")(caller, profile, OwnNames.of(project, user).fields)
