"""The same files for programs that must not block their event loop."""

from __future__ import annotations

from asyncio import to_thread
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cairn.client.files import ROOT, Files, FileText, FileVersion, Written
from cairn.client.settling import settled

if TYPE_CHECKING:
    from cairn.client.file_sync import Synced


class AsyncFiles:
    """Files whose methods are awaited, each on a thread of asyncio's.

    A change that has begun is ended even where its task is cancelled.
    """

    def __init__(self, files: Files) -> None:
        """Call these files' methods."""
        self._files = files

    async def view(self, path: str = ROOT, view_range: Sequence[int] | None = None) -> str:
        """Return a listing or a file's lines, as Files.view does."""
        return await to_thread(self._files.view, path, view_range)

    async def create(self, path: str, file_text: str, **once: Any) -> str:
        """Make a file, as Files.create does."""
        return await settled(lambda: self._files.create(path, file_text, **once))

    async def str_replace(self, path: str, old_str: str, new_str: str, **once: Any) -> str:
        """Change one place in a file, as Files.str_replace does."""
        return await settled(lambda: self._files.str_replace(path, old_str, new_str, **once))

    async def insert(self, path: str, insert_line: int, insert_text: str, **once: Any) -> str:
        """Put text behind a line, as Files.insert does."""
        return await settled(lambda: self._files.insert(path, insert_line, insert_text, **once))

    async def delete(self, path: str, **once: Any) -> str:
        """Delete a file or a directory, as Files.delete does."""
        return await settled(lambda: self._files.delete(path, **once))

    async def rename(self, old_path: str, new_path: str, **once: Any) -> str:
        """Move a file or a directory, as Files.rename does."""
        return await settled(lambda: self._files.rename(old_path, new_path, **once))

    async def command(self, given: Mapping[str, Any], **once: Any) -> str:
        """Return the text that a command answers, as Files.command does."""
        return await settled(lambda: self._files.command(given, **once))

    async def read(self, path: str, version: int | None = None) -> FileText | None:
        """Return a whole file, as Files.read does."""
        return await to_thread(self._files.read, path, version)

    async def write(self, path: str, content: str | None, **once: Any) -> Written:
        """Put a content in the place of a file's, as Files.write does."""
        return await settled(lambda: self._files.write(path, content, **once))

    async def operation(self, operation_id: str, fingerprint: str) -> Written | None:
        """Return what a write came to, as Files.operation does."""
        return await to_thread(self._files.operation, operation_id, fingerprint)

    async def list(self, prefix: str = f"{ROOT}/", limit: int | None = None) -> tuple[FileVersion, ...]:
        """Return the files whose paths begin so, as Files.list does."""
        return await to_thread(self._files.list, prefix, limit)

    async def versions(self, path: str) -> tuple[FileVersion, ...]:
        """Return the versions of a file that are kept, as Files.versions does."""
        return await to_thread(self._files.versions, path)

    async def sync(self, directory: str | Path) -> Synced:
        """Bring a directory and these files up to date with each other, as Files.sync does."""
        return await settled(lambda: self._files.sync(directory))
