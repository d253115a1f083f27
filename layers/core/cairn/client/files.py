"""Files under `/memories`, of a user, a session or a project: by the memory tool's commands, or whole with versions."""

from __future__ import annotations

import secrets
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from cairn.ground.errors import NotFound

if TYPE_CHECKING:
    from cairn.client.file_sync import Synced
    from cairn.client.retries import Retries

_ID_BYTES: Final = 12
_PAGE: Final = 1000
_OWN: Final = "retry:"
ROOT: Final = "/memories"


@dataclass(frozen=True, slots=True, kw_only=True)
class FileVersion:
    """A file, or an earlier version of it; `size` is in bytes, `updated_at` in UTC."""

    path: str
    version: int
    size: int
    updated_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class FileText:
    """What a file holds in a version; `operation_id` is that of the call that wrote it, None where it gave none."""

    path: str
    content: str
    version: int
    updated_at: datetime
    operation_id: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Written:
    """What a write came to: the file's version, None where it is deleted, and whether there was one before.

    `replayed` says that the same operation was done before, and nothing was changed.
    """

    version: int | None
    existed: bool
    replayed: bool = False


class Files:
    r"""Someone's files, as `Memory.files` returns them.

    The six commands return the text that Anthropic's local memory tool returns. What that refuses is raised as
    NotFound, Conflict or InvalidArgument, with its text as the message.

    A call that fails for a while is made again under the same operation id, so that it is done once.

    >>> from cairn import Memory
    >>> memory = Memory(user="ada")
    >>> files = memory.files()
    >>> files.create("/memories/beans.md", "Row four.\\n")
    'File created successfully at: /memories/beans.md'
    >>> files.write("/memories/beans.md", "Row five.\\n", expected_version=1).version
    2
    >>> files.read("/memories/beans.md", version=1).content
    'Row four.\\n'
    """

    def __init__(self, retries: Retries, owner: Mapping[str, str], where: str) -> None:
        """Call the tools of a place this way, with these names of whose files are meant."""
        self._retries = retries
        self._owner = owner
        self._where = where

    @property
    def name(self) -> str:
        """Return what tells these files from other people's and other places'."""
        return " ".join([self._where, *(f"{name}={self._owner[name]}" for name in sorted(self._owner))])

    def view(self, path: str = ROOT, view_range: Sequence[int] | None = None) -> str:
        """Return a directory's listing, or a file's lines with their numbers."""
        lines = None if view_range is None else list(view_range)
        return self.command({"command": "view", "path": path, "view_range": lines})

    def create(self, path: str, file_text: str, **once: Any) -> str:
        """Make a file, and the directories on the way to it."""
        return self.command({"command": "create", "path": path, "file_text": file_text}, **once)

    def str_replace(self, path: str, old_str: str, new_str: str, **once: Any) -> str:
        """Change the one place in a file where a text stands."""
        return self.command({"command": "str_replace", "path": path, "old_str": old_str, "new_str": new_str}, **once)

    def insert(self, path: str, insert_line: int, insert_text: str, **once: Any) -> str:
        """Put text behind a line of a file, 0 for its beginning."""
        given = {"command": "insert", "path": path, "insert_line": insert_line, "insert_text": insert_text}
        return self.command(given, **once)

    def delete(self, path: str, **once: Any) -> str:
        """Delete a file, or a directory with all in it."""
        return self.command({"command": "delete", "path": path}, **once)

    def rename(self, old_path: str, new_path: str, **once: Any) -> str:
        """Move a file or a directory to where nothing is."""
        return self.command({"command": "rename", "old_path": old_path, "new_path": new_path}, **once)

    def command(
        self, given: Mapping[str, Any], *, expected_version: int | None = None, operation_id: str | None = None
    ) -> str:
        """Return the text that a command answers, given as the model gave it.

        With `expected_version` it is done only if the file has that version, 0 for none; a Conflict tells which it has.
        """
        told = {**given, "expected_version": expected_version, "operation_id": operation_id or _new_id()}
        return self._call("memory", told)["text"]

    def read(self, path: str, version: int | None = None) -> FileText | None:
        """Return a whole file, or what it held in an earlier version; None where there is none such."""
        try:
            found = self._call("memory_read_file", {"path": path, "version": version})
        except NotFound:
            return None
        return FileText(
            path=found["path"],
            content=found["content"],
            version=found["version"],
            updated_at=datetime.fromisoformat(found["updated_at"]),
            operation_id=found.get("operation_id"),
        )

    def write(
        self,
        path: str,
        content: str | None,
        *,
        expected_version: int | None = None,
        operation_id: str | None = None,
        fingerprint: str | None = None,
    ) -> Written:
        """Put a content in the place of a file's, which is made if absent; None deletes it.

        `fingerprint` stands for the arguments of an operation that has an id of your own, in place of a hash of them.
        """
        told = {
            "path": path,
            "content": content,
            "delete": True if content is None else None,
            "expected_version": expected_version,
            "operation_id": operation_id or _new_id(),
            "fingerprint": fingerprint,
        }
        done = self._call("memory_write_file", told)
        return Written(version=done["version"], existed=done["existed"], replayed=done["replayed"])

    def operation(self, operation_id: str, fingerprint: str) -> Written | None:
        """Return what a write came to, None where it was not done; Conflict where its fingerprint was another."""
        found = self._call("memory_find_operation", {"operation_id": operation_id, "fingerprint": fingerprint})
        return Written(version=found["version"], existed=found["existed"], replayed=True) if found["done"] else None

    def list(self, prefix: str = f"{ROOT}/", limit: int | None = None) -> tuple[FileVersion, ...]:
        """Return the files whose paths begin so, by percent-encoded path: at most `limit`, or all."""
        found: list[FileVersion] = []
        for page in self._pages(prefix, limit):
            found += page
            if limit is not None and len(found) >= limit:
                break
        return tuple(found[:limit])

    def versions(self, path: str) -> tuple[FileVersion, ...]:
        """Return the versions of a file that are kept, the oldest first, the file itself last."""
        return tuple(map(_version, self._call("memory_list_files", {"path": path})["files"]))

    def sync(self, directory: str | Path) -> Synced:
        """Bring a directory of this machine and these files up to date with each other; nothing is lost.

        Where both changed a file, the store's keeps the path, and the directory's stands beside it under a name of its
        own, in both. OSError where the directory cannot be read or written.
        """
        from cairn.client.file_sync import sync  # noqa: PLC0415 - few programs sync

        return sync(self, Path(directory))

    def _pages(self, prefix: str, limit: int | None) -> Iterator[Sequence[FileVersion]]:
        after = None
        while True:
            asked = {"prefix": prefix, "after": after, "limit": min(limit or _PAGE, _PAGE)}
            page = self._call("memory_list_files", asked)
            yield [_version(each) for each in page["files"]]
            if not page["more"]:
                return
            after = page["files"][-1]["path"]

    def _call(self, tool: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
        told = {name: value for name, value in arguments.items() if value is not None}
        return self._retries.call(tool, {**self._owner, **told})


def _new_id() -> str:
    """Return an id for a call's retries, which a file does not tell as the call's own."""
    return f"{_OWN}{secrets.token_hex(_ID_BYTES)}"


def _version(found: Mapping[str, Any]) -> FileVersion:
    return FileVersion(
        path=found["path"],
        version=found["version"],
        size=found["size"],
        updated_at=datetime.fromisoformat(found["updated_at"]),
    )
