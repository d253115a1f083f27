"""A data directory's tools in this process, through the entrance that every door uses."""

from __future__ import annotations

import logging
import os
import warnings
from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any, Final

from cairn.access.api_keys import ALL_PROJECTS, SCOPES
from cairn.access.callers import Caller
from cairn.client.door import encoded
from cairn.edge.events import parse_json
from cairn.ground.errors import CairnError, InternalError
from cairn.local.directory import default_directory
from cairn.local.server.doors import load
from cairn.local.store import LOCAL_TENANT, opened
from cairn.tool.call import Call, execute

if TYPE_CHECKING:
    from cairn.services import Services
    from cairn.tool.tool import Tool

_DATA: Final = "CAIRN_DATA"
_PROJECT: Final = "default"
_CALLER: Final = Caller(LOCAL_TENANT, frozenset(SCOPES), "in-process", (ALL_PROJECTS,))
_OF_THE_PARENT: Final[list[object]] = []
"""What was open when this process was forked off. It is the parent's: to close it here would take its locks away."""


class Embedded:
    """Opens a data directory as `cairn serve` does, and needs no key: whoever runs this can read the directory.

    Any thread may call. A process that is forked off opens the directory for itself at its first call.
    """

    project = _PROJECT

    def __init__(self, directory: Path | None) -> None:
        """Open the directory, or the one of `cairn serve`; SettingsError where that fails."""
        chosen = os.environ.get(_DATA)
        self._directory = directory or (Path(chosen) if chosen else default_directory(os.environ))
        self._opening = Lock()
        _leave_logging_to_the_program()
        self._open: tuple[int, Services, ExitStack] | None = self._opened()
        self._tools: dict[str, Tool] = {}
        _say_what_is_missing(self._open[1])

    @property
    def where(self) -> str:
        """Return the data directory."""
        return str(self._directory)

    def knows_user(self) -> bool:
        """Tell that a directory is nobody's own: who speaks has to be said."""
        return False

    def call(self, tool: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """Return the tool's answer."""
        services = self._services()
        if tool not in self._tools:  # by its own file, so that a program loads the tools that it uses
            self._tools[tool] = load(f"cairn_tools.{tool}.{tool}")
        # Through JSON, as over HTTP: the same limits hold, and what is changed afterwards was not what was said.
        given = parse_json(encoded(arguments), services.settings.limits)
        try:
            return execute((self._tools[tool],), tool, given, Call(_CALLER, services))
        except InternalError as error:
            # A door hides what failed inside from its callers. Here the caller's program is where it failed.
            raise error from error.__context__
        except CairnError as error:
            raise error.with_traceback(None) from None  # what is wrong stands in the call, not in the frames below it

    def close(self) -> None:
        """End the background's work and close the directory; in a forked process nothing of the parent's."""
        with self._opening:
            if self._open is not None:
                process, _, closing_down = self._open
                if process == os.getpid():
                    closing_down.close()
                else:
                    _OF_THE_PARENT.append(self._open)
            self._open = None

    def _services(self) -> Services:
        found = self._open
        if found is None:
            raise RuntimeError("This memory was closed")
        return found[1] if found[0] == os.getpid() else self._reopened()

    def _reopened(self) -> Services:
        with self._opening:
            if self._open is None:
                raise RuntimeError("This memory was closed")
            if self._open[0] != os.getpid():
                _OF_THE_PARENT.append(self._open)
                self._open = self._opened()
            return self._open[1]

    def _opened(self) -> tuple[int, Services, ExitStack]:
        with ExitStack() as opening:
            services = opening.enter_context(opened(self._directory, os.environ, "store"))
            return os.getpid(), services, opening.pop_all()


def _leave_logging_to_the_program() -> None:
    """Let log lines go where the program sends its own, and nowhere if it sends them nowhere."""
    logger = logging.getLogger("cairn")
    if not logger.handlers:
        logger.addHandler(logging.NullHandler())


def _say_what_is_missing(services: Services) -> None:
    """Warn where the embedding model was wanted and is not there: the same questions find less."""
    if services.embedder is None and services.settings.embedding.embedder != "none":
        warnings.warn(
            "There is no embedding model: memory is found by its words alone. CAIRN_EMBEDDING_EMBEDDER=none says that "
            "this is meant",
            RuntimeWarning,
            stacklevel=5,
        )
