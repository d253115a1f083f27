"""Bring a directory of this machine and memory files up to date with each other, so that they follow a user.

A file in the directory says what both sides had last. What changed on one side since goes to the other, also that it
was deleted; where one side deleted what the other changed, the change stays. Where both changed a file, the directory's
stands beside the store's under a name of its own. What is deleted here is kept in a hidden directory.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path, PurePosixPath
from typing import Any, Final

from cairn.client.files import ROOT, Files
from cairn.ground.errors import Conflict, InvalidArgument, PayloadTooLarge, QuotaExceeded

STATE: Final = ".cairn-sync.json"
REMOVED: Final = ".cairn-removed"
_DIGITS: Final = 8
_REFUSED: Final = (InvalidArgument, PayloadTooLarge, QuotaExceeded)


@dataclass(slots=True)
class Synced:
    """What was done, by the paths below the directory; `conflicts` are copies of files that both sides had changed.

    `skipped` are files that stay as they are: no UTF-8 text, refused by the store, or being written this moment.
    """

    pulled: list[str] = field(default_factory=list[str])
    pushed: list[str] = field(default_factory=list[str])
    deleted_here: list[str] = field(default_factory=list[str])
    deleted_there: list[str] = field(default_factory=list[str])
    conflicts: list[str] = field(default_factory=list[str])
    skipped: list[str] = field(default_factory=list[str])


@dataclass(frozen=True, slots=True)
class _Known:
    """What both sides had last of a file: the store's version, and a hash of the content."""

    version: int
    digest: str


class _Sync:
    """One round between a directory and files."""

    def __init__(self, files: Files, directory: Path) -> None:
        self._files = files
        self._name = files.name
        self._directory = directory
        self._known = _read_state(directory, self._name)
        self._here: dict[str, str] = {}
        self.done = Synced()

    def run(self) -> None:
        """Bring each file up to date that either side has or had."""
        there = {each.path[len(ROOT) + 1 :]: each.version for each in self._files.list()}
        self._here.update(self._local())
        for path in sorted({*there, *self._here, *self._known}):
            if path not in self.done.skipped:
                self._one(path, self._here.get(path), there.get(path, 0))
        _write_state(self._directory, self._name, self._known)

    def _one(self, path: str, here: str | None, version: int) -> None:
        """Bring a file up to date, of which the store has this version, 0 for none."""
        known = self._known.get(path, _Known(0, ""))
        changed_here = (_digest(here) if here is not None else "") != known.digest
        changed_there = version != known.version
        if changed_there and (not changed_here or here is None):
            self._pull(path, version)
        elif changed_there and version:
            self._merge(path, here or "")
        elif changed_here:
            self._push(path, here, version)

    def _pull(self, path: str, version: int) -> None:
        found = self._files.read(f"{ROOT}/{path}") if version else None
        if found is None:
            self._remove_here(path)
        elif self._store_here(path, found.content, found.version):
            self.done.pulled.append(path)

    def _push(self, path: str, here: str | None, version: int) -> None:
        try:
            written = self._files.write(f"{ROOT}/{path}", here, expected_version=version)
        except Conflict:
            if here is None:
                return  # another machine changed it this moment; the next round brings that here
            self._merge(path, here)
            return
        except _REFUSED:
            self.done.skipped.append(path)
            return
        if here is None:
            self._known.pop(path, None)
            self.done.deleted_there.append(path)
        else:
            self._known[path] = _Known(written.version or 0, _digest(here))
            self.done.pushed.append(path)

    def _merge(self, path: str, here: str) -> None:
        """Let the store's file have the path, and keep the directory's beside it, in both."""
        found = self._files.read(f"{ROOT}/{path}")
        if found is None:
            self._push(path, here, 0)
            return
        if found.content != here:
            copy = _beside(path, here)
            try:
                written = self._files.write(f"{ROOT}/{copy}", here)
            except _REFUSED:
                self.done.skipped.append(path)
                return
            self._store_here(copy, here, written.version or 0)
            self.done.conflicts.append(copy)
            self._pull(path, found.version)
        else:
            self._known[path] = _Known(found.version, _digest(here))

    def _local(self) -> Iterator[tuple[str, str]]:
        """Yield the directory's files that are no hidden ones, by the path below it."""
        for found in sorted(self._directory.rglob("*")):
            path = found.relative_to(self._directory)
            if any(name.startswith(".") for name in path.parts) or found.is_symlink() or not found.is_file():
                continue
            try:
                yield path.as_posix(), found.read_bytes().decode()
            except UnicodeDecodeError:
                self.done.skipped.append(path.as_posix())

    def _store_here(self, path: str, content: str, version: int) -> bool:
        """Write a file at once as a whole, and note what both sides have; False where it was written meanwhile."""
        target = _place(self._directory, path)
        if not self._is_as_read(path, target):
            return False
        target.parent.mkdir(parents=True, exist_ok=True)
        new = target.with_name(f".{target.name}.new")
        new.write_bytes(content.encode())
        new.replace(target)
        self._here[path] = content
        self._known[path] = _Known(version, _digest(content))
        return True

    def _remove_here(self, path: str) -> None:
        target = _place(self._directory, path)
        if not self._is_as_read(path, target):
            return
        if target.is_file():
            kept = self._directory / REMOVED / path
            kept.parent.mkdir(parents=True, exist_ok=True)
            target.replace(kept)
            self.done.deleted_here.append(path)
        self._known.pop(path, None)

    def _is_as_read(self, path: str, target: Path) -> bool:
        """Tell whether a file is as it was read; one that is being written waits for the next round."""
        here = self._here.get(path)
        found = target.read_bytes() if target.is_file() else None
        if found == (None if here is None else here.encode()):
            return True
        self.done.skipped.append(path)
        return False


def sync(files: Files, directory: Path) -> Synced:
    """Bring both up to date with each other, and return what was done; the directory is made if it is absent."""
    directory.mkdir(parents=True, exist_ok=True)
    round_ = _Sync(files, directory.resolve())
    round_.run()
    return round_.done


def _place(directory: Path, path: str) -> Path:
    """Return where a file stands; InvalidArgument where its path would lead out of the directory."""
    parts = PurePosixPath(path).parts
    target = directory.joinpath(*parts)
    leads_out = (
        not parts or ".." in parts or path.startswith("/") or not target.parent.resolve().is_relative_to(directory)
    )
    if leads_out or target.is_symlink():
        raise InvalidArgument("directory", f"has a link in the way of {path!r}")
    return target


def _beside(path: str, content: str) -> str:
    named = PurePosixPath(path)
    return str(named.with_name(f"{named.stem}.conflict-{_digest(content)[:_DIGITS]}{named.suffix}"))


def _digest(content: str) -> str:
    return sha256(content.encode()).hexdigest()


def _read_state(directory: Path, name: str) -> dict[str, _Known]:
    """Return what both sides had last; nothing, so that all counts as changed, where it is lost or of other files."""
    try:
        told: dict[str, Any] = json.loads((directory / STATE).read_text("utf-8"))
        if told["with"] != name:
            return {}
        return {path: _Known(int(each["version"]), str(each["digest"])) for path, each in told["files"].items()}
    except (FileNotFoundError, ValueError, KeyError, TypeError, AttributeError):
        return {}


def _write_state(directory: Path, name: str, known: dict[str, _Known]) -> None:
    told = {path: {"version": each.version, "digest": each.digest} for path, each in sorted(known.items())}
    new = directory / f"{STATE}.new"
    new.write_text(json.dumps({"with": name, "files": told}, indent=1), "utf-8")
    new.replace(directory / STATE)
