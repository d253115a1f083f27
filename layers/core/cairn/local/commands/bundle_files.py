"""Bundles as files: a zip of `items.jsonl`, a record a line, and of `manifest.json`.

A bundle to import may come from anybody: what is read of it is bounded before memory is taken for it.
"""

from __future__ import annotations

import hashlib
import io
import json
import os
import re
import zipfile
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

from cairn.custody.bundles import Bundles, Record
from cairn.custody.scope import DataScope
from cairn.embedded.files import put_on_disk
from cairn.ground import ids
from cairn.ground.codec import rfc3339
from cairn.ground.errors import InvalidArgument, Unavailable
from cairn.ground.ids import Project, Tenant, UserId
from cairn.ground.session import Subject
from cairn.services import Services

FORMAT = "cairn bundle 1.1"
_FORMATS = {"cairn bundle 1", FORMAT}
_ITEMS, _MANIFEST = "items.jsonl", "manifest.json"
_NO_BUNDLE = "is no bundle of `cairn export`"
_CHANGED = "was changed or cut short, or is of a version this one does not know"
ATTEMPTS = 3
"""How often an export is begun where too much changed meanwhile."""
MOST_LINE_BYTES = 32 * 1024 * 1024
"""How long a record may be: a shard holds 4 MB of JSON, or one turn that is larger."""
MOST_VALUES = 500_000
"""How many JSON values a record may hold, each of which takes far more memory than its text."""
_MANY_VALUES = 100_000
_MANIFEST_BYTES = 64 * 1024
_READ_BYTES = 1024 * 1024
"""How much is read of the file at once; the directory of a zip is read whole, and a bundle's is short."""
_PLAIN = {zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED}
_LARGE_BYTES, _MOST_RATIO = 2**30, 300
"""From how many bytes on, unpacked, no more than so many may come from one byte of the file."""
_TOKENS = re.compile(rb'"(?:[^"\\]++|\\.)*+"?|[\[{,]')


def write(file: Path, scope: DataScope, services: Services) -> int:
    """Write a new bundle, which its owner alone may read and which is there whole or not at all; return its items."""
    if file.exists():
        raise InvalidArgument("FILE", "is there already")
    partial = file.with_name(f"{file.name}.partial")
    partial.unlink(missing_ok=True)
    try:
        with open(os.open(partial, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600), "wb") as stream:  # noqa: PTH123 - a descriptor, not a path
            count = _attempted(stream, scope, services)
            stream.flush()
            put_on_disk(stream.fileno())
        partial.rename(file)
    finally:
        partial.unlink(missing_ok=True)
    return count


def take_in(
    file: Path, owner: Tenant | None, project: Project | None, user: UserId | None, services: Services
) -> tuple[Tenant, int, int]:
    """Store a bundle as this tenant's, or its own; return whose it is now, how many items it has, and how many are new.

    InvalidArgument, and nothing is stored, where it is not what `write` wrote, or holds what is not of the project or
    user that is named here, or else in the bundle.
    """
    bundles = Bundles(services.adapters, services.inventory, services.vault)
    with _opened(file) as bundle:
        manifest = _Manifest.of(bundle)
        named = manifest.scope
        scope = DataScope(owner or named.tenant, project or named.project, user or named.user)
        items = _Items(bundle, manifest)
        lacking = bundles.check(scope, _counted("Checking", iter(items), manifest.items))
        with services.journal.command(scope.tenant, "cairn import", Subject()):
            new = sum(_counted("Importing", bundles.store(scope, items, lacking), manifest.items))
    return scope.tenant, manifest.items, new


def _attempted(stream: BinaryIO, scope: DataScope, services: Services) -> int:
    """Write the bundle from its beginning, as often as it is worth; Unavailable where too much changes each time."""
    bundles = Bundles(services.adapters, services.inventory, services.vault)
    for left in reversed(range(ATTEMPTS)):
        stream.seek(0)
        stream.truncate()
        now = rfc3339(services.adapters.clock.now())
        try:
            return _write(stream, scope, _counted("Exporting", bundles.export(scope), None), now)
        except Unavailable:
            if not left:
                raise
    raise AssertionError("the last attempt returns or raises")


def _write(stream: BinaryIO, scope: DataScope, records: Iterator[Record], exported_at: str) -> int:
    digest, count = hashlib.sha256(), 0
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as bundle:
        with bundle.open(_ITEMS, "w", force_zip64=True) as items:
            for record in records:
                line = json.dumps(record, ensure_ascii=False).encode() + b"\n"
                items.write(line)
                digest.update(line)
                count += 1
        manifest = {
            "format": FORMAT,
            "tenant": scope.tenant,
            "project": scope.project,
            "user": scope.user,
            "exported_at": exported_at,
            "items": count,
            "sha256": digest.hexdigest(),
        }
        bundle.writestr(_MANIFEST, json.dumps(manifest, indent=2) + "\n")
    return count


class _File(io.FileIO):
    """A file of which little is read at once."""

    def read(self, size: int | None = -1, /) -> bytes:
        """Return up to so many bytes; BadZipFile where they are more than a bundle has a reason to ask for."""
        left = os.fstat(self.fileno()).st_size - self.tell()
        wanted = left if size is None or size < 0 else min(size, left)
        if wanted > _READ_BYTES:
            raise zipfile.BadZipFile("too long a directory")
        return super().read(max(0, wanted))


@contextmanager
def _opened(file: Path) -> Generator[zipfile.ZipFile]:
    """Lend the bundle as a zip of two files; InvalidArgument where it has others, or unpacks to far too much."""
    with _File(file) as stream:
        try:
            bundle = zipfile.ZipFile(stream)
        except (zipfile.BadZipFile, ValueError, NotImplementedError):
            raise InvalidArgument("bundle", _NO_BUNDLE) from None
        with bundle:
            found = bundle.infolist()
            plain = all(each.compress_type in _PLAIN and not each.flag_bits & 1 for each in found)
            if sorted(each.filename for each in found) != [_ITEMS, _MANIFEST] or not plain:
                raise InvalidArgument("bundle", _NO_BUNDLE)
            if any(each.file_size > max(_LARGE_BYTES, _MOST_RATIO * each.compress_size) for each in found):
                raise InvalidArgument("bundle", "unpacks to far more than a bundle does")
            yield bundle


@dataclass(frozen=True, slots=True)
class _Manifest:
    """What a bundle says of itself."""

    scope: DataScope
    items: int
    sha256: str

    @classmethod
    def of(cls, bundle: zipfile.ZipFile) -> _Manifest:
        """Return the manifest; InvalidArgument where there is none of a format that is known."""
        try:
            with bundle.open(_MANIFEST) as stream:
                text = stream.read(_MANIFEST_BYTES)
            manifest = json.loads(text)
            if manifest["format"] not in _FORMATS:
                raise InvalidArgument("bundle", _CHANGED)
            project, user = manifest.get("project"), manifest.get("user")
            scope = DataScope(
                ids.tenant(manifest["tenant"]),
                None if project is None else ids.project(project),
                None if user is None else ids.user_id(user),
            )
            return cls(scope, int(manifest["items"]), str(manifest["sha256"]))
        except (KeyError, TypeError, AttributeError, ValueError, RecursionError, zipfile.BadZipFile, OSError):
            raise InvalidArgument("bundle", _NO_BUNDLE) from None


class _Items:
    """The records of a bundle, read from its beginning each time that they are gone through."""

    def __init__(self, bundle: zipfile.ZipFile, manifest: _Manifest) -> None:
        self._bundle = bundle
        self._manifest = manifest

    def __iter__(self) -> Iterator[Record]:
        """Yield each record; InvalidArgument names the line that is none, or says that they are not those written."""
        digest, line = hashlib.sha256(), 0
        try:
            with self._bundle.open(_ITEMS) as items:
                while text := items.readline(MOST_LINE_BYTES + 1):
                    line += 1
                    digest.update(text)
                    yield _record(text, line)
        except (zipfile.BadZipFile, EOFError, OSError, RuntimeError) as error:
            raise InvalidArgument("bundle", _NO_BUNDLE) from error
        if (line, digest.hexdigest()) != (self._manifest.items, self._manifest.sha256):
            raise InvalidArgument("bundle", _CHANGED)


def _record(text: bytes, line: int) -> Record:
    if len(text) > MOST_LINE_BYTES or _has_many_values(text):
        raise InvalidArgument("bundle", f"line {line}: holds more than a record does")
    try:
        return json.loads(text, parse_constant=_refused)
    except (ValueError, RecursionError):
        raise InvalidArgument("bundle", f"line {line}: is no JSON, or {_CHANGED}") from None


def _has_many_values(text: bytes) -> bool:
    """Tell whether a line holds more values than a record may; what stands in texts does not count."""
    if text.count(b",") + text.count(b"[") + text.count(b"{") <= _MANY_VALUES:
        return False
    found = (1 for token in _TOKENS.finditer(text) if token[0][:1] != b'"')
    return any(count > MOST_VALUES for count, _ in enumerate(found, 1))


def _refused(name: str) -> object:
    raise ValueError(name)


def _counted(told: str, steps: Iterator[Any], total: int | None) -> Iterator[Any]:
    """Yield the steps, showing on a terminal how many there were."""
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        yield from progress.track(steps, total=total, description=told)
