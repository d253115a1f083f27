"""Pydantic AI's harness: a `MemoryStore` for its `Memory` capability."""

from __future__ import annotations

import re
from asyncio import Semaphore, gather, to_thread
from dataclasses import replace
from typing import Final

from pydantic_ai_harness.memory import (
    MemoryConflictError,
    MemoryFile,
    MemoryMutation,
    MemoryOperation,
    MemoryOperationConflictError,
    MemorySearchResult,
)

from cairn.client.files import ROOT, Written
from cairn.client.memory import Memory
from cairn.client.settling import settled
from cairn.frameworks.pydantic_ai_harness_search import Bounds, found
from cairn.ground.errors import Conflict, InvalidArgument

_SEGMENT: Final = re.compile(r"(?!\.{1,2}\Z)(?!.*\.\.)[A-Za-z0-9_.-]{1,200}")
_REUSED: Final = "operation_id_reused"
_AT_ONCE: Final = 8
"""How many files a search reads at once."""


class CairnMemoryStore:
    """Memory files of a user as a store of the harness, with its versions and operations.

    The memory says whose they are: `Memory(…, user="ada")`. A path is a file's below `/memories`, so that no path leads
    through another. A search lists the files below its prefix and reads those that stand directly there.
    """

    def __init__(self, memory: Memory) -> None:
        """Keep the files of the user, session or project that the memory names."""
        self._files = memory.files()

    async def read(self, path: str, *, max_chars: int) -> MemoryFile | None:
        """Return a file, cut to so many characters; None where there is none."""
        where = _place(path)
        if max_chars <= 0:
            raise ValueError("max_chars must be positive")
        file = await to_thread(self._files.read, where)
        if file is None:
            return None
        return MemoryFile(
            content=file.content[:max_chars],
            version=str(file.version),
            operation_id=file.operation_id,
            truncated=len(file.content) > max_chars,
        )

    async def get_operation(self, operation: MemoryOperation) -> MemoryMutation | None:
        """Return what an operation came to; MemoryOperationConflictError where its fingerprint was another."""
        try:
            done = await to_thread(self._files.operation, operation.id, operation.fingerprint)
        except Conflict as error:
            raise _conflict(error) from error
        return None if done is None else _mutation(done)

    async def write(
        self, path: str, content: str, *, expected_version: str | None, operation: MemoryOperation | None = None
    ) -> MemoryMutation:
        """Make or replace a file; MemoryConflictError where it has another version, None for no file."""
        return await self._change(path, content, expected_version, operation)

    async def delete(
        self, path: str, *, expected_version: str | None, operation: MemoryOperation | None = None
    ) -> MemoryMutation:
        """Delete a file; MemoryConflictError where it has another version, None for no file."""
        return await self._change(path, None, expected_version, operation)

    async def list_paths(self, prefix: str = "", *, limit: int) -> list[str]:
        """Return the paths of the files that begin so, in their order."""
        if limit <= 0:
            raise ValueError("limit must be positive")
        return await self._below(prefix, limit)

    async def search(  # noqa: PLR0913 - as the harness calls it
        self, prefix: str, query: str, *, limit: int, max_files: int, max_chars: int, max_file_chars: int
    ) -> MemorySearchResult:
        """Return the files directly below a prefix in which the query's words stand, as the harness's stores do."""
        bounds = Bounds(limit, max_files, max_chars, max_file_chars)
        if bounds.are_empty or not query.split():
            _check(prefix)
            return MemorySearchResult([], 0, truncated=False)
        paths = [each for each in await self._below(prefix) if "/" not in each[len(prefix) :]]
        turn = Semaphore(_AT_ONCE)
        read = await gather(*(self._text(each, turn) for each in paths[:max_files]))
        files = [(path, text) for path, text in zip(paths, read, strict=False) if text is not None]
        result = await to_thread(found, files, prefix, query, bounds)
        return replace(result, truncated=result.truncated or len(paths) > max_files)

    async def _below(self, prefix: str, limit: int | None = None) -> list[str]:
        _check(prefix)
        listed = await to_thread(self._files.list, f"{ROOT}/{prefix}", limit)
        return [each.path.removeprefix(f"{ROOT}/") for each in listed]

    async def _text(self, path: str, turn: Semaphore) -> str | None:
        """Return what a file holds, None where it was deleted meanwhile."""
        async with turn:
            file = await to_thread(self._files.read, f"{ROOT}/{path}")
        return None if file is None else file.content

    async def _change(
        self, path: str, content: str | None, expected: str | None, operation: MemoryOperation | None
    ) -> MemoryMutation:
        where, version = _place(path), _number(expected)
        named = {} if operation is None else {"operation_id": operation.id, "fingerprint": operation.fingerprint}
        try:
            done = await settled(lambda: self._files.write(where, content, expected_version=version, **named))
        except Conflict as error:
            raise _conflict(error) from error
        except InvalidArgument as error:
            raise ValueError(str(error)) from error
        return _mutation(done)


def _place(path: str) -> str:
    """Return where a file stands; ValueError for what the harness's own stores refuse."""
    if not all(_SEGMENT.fullmatch(each) for each in path.split("/")):
        raise ValueError(f"invalid memory path: {path!r}")
    return f"{ROOT}/{path}"


def _check(prefix: str) -> None:
    """ValueError for a prefix that the harness's own stores refuse."""
    if prefix:
        _place(prefix.removesuffix("/"))


def _number(version: str | None) -> int:
    """Return a version as files have it, 0 for none; what is no number is none that a file has."""
    if version is None:
        return 0
    return int(version) if version.isascii() and version.isdecimal() else 2**53


def _mutation(done: Written) -> MemoryMutation:
    version = None if done.version is None else str(done.version)
    return MemoryMutation(version=version, replayed=done.replayed, existed=done.existed)


def _conflict(error: Conflict) -> Exception:
    is_reused = error.details.get("reason") == _REUSED
    return MemoryOperationConflictError(str(error)) if is_reused else MemoryConflictError(str(error))
