"""Completions: the projects, conversations and users that the caller may see, by how their names begin."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from cairn_mcp import prompts
from cairn_mcp.addresses import FILE, KNOWN, KNOWN_OF, SESSION
from cairn_mcp.jsonrpc import INVALID_PARAMS, RpcError
from cairn_mcp.library import MOST_COMPLETIONS, Partial
from cairn_mcp.reader import Reader

_MOST_PAGES: Final = 10
"""Among how many pages of a hundred names a completion is looked for."""
_ARGUMENTS: Final[Mapping[str, tuple[str, ...]]] = {
    SESSION: ("project", "session_id"),
    FILE: ("project", "session_id", "path"),
    KNOWN: ("project",),
    KNOWN_OF: ("project", "user"),
}


def completed(reader: Reader, partial: Partial) -> Mapping[str, Any]:
    """Return what an argument may go on as; RpcError for an unknown prompt, template or argument."""
    arguments = prompts.named(partial.of).arguments if partial.is_prompt else _ARGUMENTS.get(partial.of, ())
    if partial.argument not in arguments:
        raise RpcError(INVALID_PARAMS, f"There is no argument {partial.argument}")
    names = _Names(reader, partial.others.get("project") or reader.project)
    found = [each for each in dict.fromkeys(names.of(partial.argument)) if each.startswith(partial.begins)]
    total = {} if names.are_cut else {"total": len(found)}
    more = names.are_cut or len(found) > MOST_COMPLETIONS
    return {"completion": {"values": found[:MOST_COMPLETIONS], **total, "hasMore": more}}


class _Names:
    """The names that the caller may see; `are_cut` once there were more than are looked through."""

    def __init__(self, reader: Reader, project: str | None) -> None:
        self._reader = reader
        self._project = project
        self.are_cut = False

    def of(self, argument: str) -> Iterator[str]:
        """Yield the names for an argument: sessions the newest first, others in their order."""
        match argument:
            case "project":
                yield from (name for page in self._pages("memory_list_projects") for name in page["projects"])
            case "session_id" if self._project is not None:
                for user in self._reader.users or (None,):
                    pages = self._pages("memory_list_sessions", project=self._project, user_id=user)
                    yield from (line["session_id"] for page in pages for line in page["sessions"])
            case "user" if self._project is not None:
                pages = self._pages("memory_list_users", project=self._project)
                yield from (line["user_id"] for page in pages for line in page["users"])
            case _:
                return

    def _pages(self, tool: str, **named: str | None) -> Iterator[dict[str, Any]]:
        cursor: str | None = ""
        for _ in range(_MOST_PAGES):
            told = self._reader.told(tool, **named, cursor=cursor, limit=100)
            if told is None:
                return
            yield told
            cursor = told["cursor"]
            if cursor is None:
                return
        self.are_cut = True
