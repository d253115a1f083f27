"""Anthropic's SDK: its memory tool, whose files are kept by Cairn."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from anthropic.tools import ToolError
from anthropic.tools.memory import BetaAbstractMemoryTool, BetaAsyncAbstractMemoryTool
from anthropic.types.beta import (
    BetaCacheControlEphemeralParam,
    BetaMemoryTool20250818Command,
    BetaMemoryTool20250818CreateCommand,
    BetaMemoryTool20250818DeleteCommand,
    BetaMemoryTool20250818InsertCommand,
    BetaMemoryTool20250818RenameCommand,
    BetaMemoryTool20250818StrReplaceCommand,
    BetaMemoryTool20250818ViewCommand,
)

from cairn.client.async_files import AsyncFiles
from cairn.client.files import Files
from cairn.ground.errors import CairnError

_TAKEN: Final = (
    *("command", "path", "view_range", "file_text", "old_str", "new_str"),
    *("insert_line", "insert_text", "old_path", "new_path"),
)


class CairnMemoryTool(BetaAbstractMemoryTool):
    """The memory tool over `memory.files(user=…)`: what it answers is what the SDK's local tool answers."""

    def __init__(self, files: Files, *, cache_control: BetaCacheControlEphemeralParam | None = None) -> None:
        """Keep what the model writes among these files."""
        super().__init__(cache_control=cache_control)
        self._files = files

    def view(self, command: BetaMemoryTool20250818ViewCommand) -> str:
        """Show a directory or a file."""
        return self._run(command)

    def create(self, command: BetaMemoryTool20250818CreateCommand) -> str:
        """Make a file."""
        return self._run(command)

    def str_replace(self, command: BetaMemoryTool20250818StrReplaceCommand) -> str:
        """Change one place in a file."""
        return self._run(command)

    def insert(self, command: BetaMemoryTool20250818InsertCommand) -> str:
        """Put text behind a line of a file."""
        return self._run(command)

    def delete(self, command: BetaMemoryTool20250818DeleteCommand) -> str:
        """Delete a file or a directory."""
        return self._run(command)

    def rename(self, command: BetaMemoryTool20250818RenameCommand) -> str:
        """Move a file or a directory."""
        return self._run(command)

    def _run(self, command: BetaMemoryTool20250818Command) -> str:
        try:
            return self._files.command(_given(command))
        except CairnError as error:
            raise _told(error) from error


class AsyncCairnMemoryTool(BetaAsyncAbstractMemoryTool):
    """The same for the SDK's asynchronous client, over the files of an AsyncMemory."""

    def __init__(self, files: AsyncFiles, *, cache_control: BetaCacheControlEphemeralParam | None = None) -> None:
        """Keep what the model writes among these files."""
        super().__init__(cache_control=cache_control)
        self._files = files

    async def view(self, command: BetaMemoryTool20250818ViewCommand) -> str:
        """Show a directory or a file."""
        return await self._run(command)

    async def create(self, command: BetaMemoryTool20250818CreateCommand) -> str:
        """Make a file."""
        return await self._run(command)

    async def str_replace(self, command: BetaMemoryTool20250818StrReplaceCommand) -> str:
        """Change one place in a file."""
        return await self._run(command)

    async def insert(self, command: BetaMemoryTool20250818InsertCommand) -> str:
        """Put text behind a line of a file."""
        return await self._run(command)

    async def delete(self, command: BetaMemoryTool20250818DeleteCommand) -> str:
        """Delete a file or a directory."""
        return await self._run(command)

    async def rename(self, command: BetaMemoryTool20250818RenameCommand) -> str:
        """Move a file or a directory."""
        return await self._run(command)

    async def _run(self, command: BetaMemoryTool20250818Command) -> str:
        try:
            return await self._files.command(_given(command))
        except CairnError as error:
            raise _told(error) from error


def _given(command: BetaMemoryTool20250818Command) -> Mapping[str, Any]:
    """Return what the model gave, without what the tool does not take."""
    return {name: value for name, value in command.to_dict().items() if name in _TAKEN}


def _told(error: CairnError) -> Exception:
    """Return what the model is told of a refusal; what may succeed later, or is damaged, is the program's to know."""
    is_refusal = not error.retryable and error.code not in {"INTERNAL_ERROR", "UNAUTHENTICATED"}
    return ToolError(error.message) if is_refusal else error
