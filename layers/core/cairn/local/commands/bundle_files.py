"""Bundles as files and streams: a zip of `items.jsonl`, a record a line, of states, and of `manifest.json`.

A bundle to import may come from anybody: what is read of it is bounded before memory is taken for it.
"""

from __future__ import annotations

import hashlib
import io
import json
import os
import re
import shutil
import sys
import zipfile
from collections.abc import Generator, Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any, BinaryIO

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

from cairn.custody.bundle_zip import ATTEMPTS, FORMAT, ITEMS, MANIFEST, STATE, WAS, Sink, write_bundle
from cairn.custody.bundles import Bundles, Record
from cairn.custody.kinds_of_plans import plans as plans_with
from cairn.custody.planned_import import Incoming, plan_to_import
from cairn.custody.scope import DataScope
from cairn.custody.spilled_map import SpilledMap
from cairn.custody.states import DIGEST_BYTES, Increment, State
from cairn.embedded.files import fsync_directory, put_on_disk
from cairn.ground import ids
from cairn.ground.codec import rfc3339
from cairn.ground.errors import InvalidArgument, Unavailable
from cairn.ground.ids import Project, Tenant, UserId
from cairn.ground.session import Subject
from cairn.plans.model import Plan
from cairn.plans.planning import Plans
from cairn.services import Services

STREAM = Path("-")
"""What names standard input and output."""
_FORMATS = {"cairn bundle 1", "cairn bundle 1.1", FORMAT}
_FILES = [sorted(names) for names in ([ITEMS, MANIFEST], [ITEMS, MANIFEST, STATE], [ITEMS, MANIFEST, STATE, WAS])]
_LINE_BYTES = 4 * DIGEST_BYTES + 2
_LINE = re.compile(rb"([0-9a-f]{%d}) ([0-9a-f]{%d})\n" % (2 * DIGEST_BYTES, 2 * DIGEST_BYTES))
_NO_BUNDLE = "is no bundle of `cairn export`"
_CHANGED = "was changed or cut short, or is of a version this one does not know"
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


def write(file: Path, scope: DataScope, services: Services, base: State | None = None) -> int:
    """Write a new bundle, of all or of what came since a base, and return its items.

    A file its owner alone may read, and it is there whole or not at all. Standard output, named `-`, is written to in
    one go: where that fails, what is there is no bundle.
    """
    if file == STREAM:
        return _written(sys.stdout.buffer, scope, services, base)
    if file.exists():
        raise InvalidArgument("FILE", "is there already")
    partial = file.with_name(f"{file.name}.partial")
    partial.unlink(missing_ok=True)
    try:
        with open(os.open(partial, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600), "wb") as stream:  # noqa: PTH123 - a descriptor, not a path
            count = _attempted(stream, scope, services, base)
            stream.flush()
            put_on_disk(stream.fileno())
        partial.rename(file)
        fsync_directory(file.parent)
    finally:
        partial.unlink(missing_ok=True)
    return count


def state_of(file: Path, scope: DataScope) -> State:
    """Return the state to which a bundle of this scope leads; InvalidArgument where it is none, or of another."""
    with _opened(file) as bundle:
        manifest = _Manifest.of(bundle)
        if manifest.scope != scope:
            raise InvalidArgument("--since", "is a bundle of another tenant, project or user")
        state = manifest.state_in(bundle)
    if state is None:
        raise InvalidArgument("--since", f"is of the format {manifest.format!r}, which names no state: export all")
    return state


@contextmanager
def opened(file: str) -> Generator[Incoming]:
    """Lend the bundle that a file holds; InvalidArgument where it is not what `write` wrote."""
    with _opened(Path(file)) as bundle:
        manifest = _Manifest.of(bundle)
        state = manifest.state_in(bundle)
        step = None if state is None else manifest.increment_in(bundle, state)
        items = _Items(bundle, manifest)

        def records(told: str) -> Iterator[Record]:
            return _counted(told, iter(items), manifest.items)

        yield Incoming(manifest.scope, manifest.sha256, manifest.items, state, step, records)


def planned(file: Path, owner: Tenant | None, project: Project | None, user: UserId | None, services: Services) -> Plan:
    """Store a plan to import a bundle as this tenant's, or its own, and return it."""
    with opened(str(file)) as bundle:
        return _plans(services, bundle).plan(_draft(file, bundle, owner, project, user))


def take_in(file: Path, owner: Tenant | None, project: Project | None, user: UserId | None, services: Services) -> Plan:
    """Store a bundle as this tenant's, or its own, by a plan, and return that as it was applied.

    One that has a base is stored onto that. InvalidArgument, and nothing is stored, where it is not what `write` wrote,
    or holds what is not of the project or user that is named here, or else in the bundle. A plan for it that was
    stopped is gone on with.
    """
    with opened(str(file)) as bundle:
        plans, draft = _plans(services, bundle), _draft(file, bundle, owner, project, user)
        stopped = (each for each in plans.records.every(draft.tenant) if each.state == "applying")
        plan = next((each for each in stopped if _is_same(each, draft)), None)
        act = plans.make(draft).at_once if plan is None else partial(plans.apply, plan.tenant, plan.id)
        with services.journal.command(draft.tenant, "cairn import", Subject()):
            return act()


def _draft(file: Path, bundle: Incoming, owner: Tenant | None, project: Project | None, user: UserId | None) -> Plan:
    named = bundle.scope
    scope = DataScope(owner or named.tenant, project or named.project, user or named.user)
    return plan_to_import(str(file if file == STREAM else file.resolve()), scope, bundle.sha256)


def _plans(services: Services, bundle: Incoming) -> Plans:
    return plans_with(services, lambda _: nullcontext(bundle))


def _is_same(plan: Plan, draft: Plan) -> bool:
    whose = (draft.kind, draft.project, draft.user, draft.what["sha256"])
    return (plan.kind, plan.project, plan.user, plan.what.get("sha256")) == whose


def _attempted(stream: BinaryIO, scope: DataScope, services: Services, base: State | None) -> int:
    """Write the bundle from its beginning, as often as it is worth; Unavailable where too much changes each time."""
    for left in reversed(range(ATTEMPTS)):
        stream.seek(0)
        stream.truncate()
        try:
            return _written(stream, scope, services, base)
        except Unavailable:
            if not left:
                raise
    raise AssertionError("the last attempt returns or raises")


def _written(stream: Sink, scope: DataScope, services: Services, base: State | None) -> int:
    bundles, now = Bundles(services.adapters, services.inventory, services.vault), services.adapters.clock.now()
    return write_bundle(stream, scope, _counted("Exporting", bundles.export(scope), None), rfc3339(now), base)


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
    """Lend the bundle as a zip of its files; InvalidArgument where it has others, or unpacks to far too much."""
    with _File(file) if file != STREAM else _spooled() as stream:
        try:
            bundle = zipfile.ZipFile(stream)
        except (zipfile.BadZipFile, ValueError, NotImplementedError):
            raise InvalidArgument("bundle", _NO_BUNDLE) from None
        with bundle:
            found = bundle.infolist()
            plain = all(each.compress_type in _PLAIN and not each.flag_bits & 1 for each in found)
            if sorted(each.filename for each in found) not in _FILES or not plain:
                raise InvalidArgument("bundle", _NO_BUNDLE)
            if any(each.file_size > max(_LARGE_BYTES, _MOST_RATIO * each.compress_size) for each in found):
                raise InvalidArgument("bundle", "unpacks to far more than a bundle does")
            yield bundle


@contextmanager
def _spooled() -> Generator[_File]:
    """Lend standard input as a file without a name, since a bundle is gone through twice and read from its end."""
    with TemporaryFile() as spool:
        shutil.copyfileobj(sys.stdin.buffer, spool, _READ_BYTES)
        spool.flush()
        with _File(spool.fileno(), closefd=False) as stream:
            yield stream


@dataclass(frozen=True, slots=True)
class _Manifest:
    """What a bundle says of itself; `state` and `was` are the SHA-256 of the files that hold them."""

    scope: DataScope
    format: str
    items: int
    sha256: str
    state: str | None
    base: str | None
    was: str | None

    @classmethod
    def of(cls, bundle: zipfile.ZipFile) -> _Manifest:
        """Return the manifest; InvalidArgument where there is none of a format that is known."""
        try:
            with bundle.open(MANIFEST) as stream:
                text = stream.read(_MANIFEST_BYTES)
            manifest = json.loads(text)
            if (named := str(manifest["format"])) not in _FORMATS:
                raise InvalidArgument("bundle", f"is of the format {named[:64]!r}: a newer version of Cairn reads it")
            project, user = manifest.get("project"), manifest.get("user")
            scope = DataScope(
                ids.tenant(manifest["tenant"]),
                None if project is None else ids.project(project),
                None if user is None else ids.user_id(user),
            )
            state, base, was = (_digest(manifest.get(name)) for name in ("state", "base", "was"))
            held = {MANIFEST, ITEMS, *([STATE] if state else []), *([WAS] if base and was else [])}
            if held != set(bundle.namelist()):
                raise InvalidArgument("bundle", _NO_BUNDLE)
            return cls(scope, named, int(manifest["items"]), str(manifest["sha256"]), state, base, was)
        except (KeyError, TypeError, AttributeError, ValueError, RecursionError, zipfile.BadZipFile, OSError):
            raise InvalidArgument("bundle", _NO_BUNDLE) from None

    def state_in(self, bundle: zipfile.ZipFile) -> State | None:
        """Return the state to which the bundle leads, None where it is of a format that names none."""
        return None if self.state is None else State(self.state, _lines(bundle, STATE, self.state))

    def increment_in(self, bundle: zipfile.ZipFile, state: State) -> Increment | None:
        """Return how the bundle, which leads to this state, follows from its base, None where it has none."""
        if self.base is None or self.was is None:
            return None
        return Increment(state, self.base, _lines(bundle, WAS, self.was))


def _digest(value: object) -> str | None:
    if value is None or (isinstance(value, str) and re.fullmatch(r"[0-9a-f]{64}", value)):
        return value
    raise ValueError("no SHA-256")


def _lines(bundle: zipfile.ZipFile, name: str, sha256: str) -> SpilledMap:
    """Return the digests under the digests of keys that a file holds; InvalidArgument where it is not that file."""
    found, digest = SpilledMap(), hashlib.sha256()
    try:
        with bundle.open(name) as stream:
            while line := stream.readline(_LINE_BYTES + 1):
                digest.update(line)
                sound = _LINE.fullmatch(line)
                if sound is None or not found.add(*(bytes.fromhex(each.decode()) for each in sound.groups())):
                    raise InvalidArgument("bundle", _NO_BUNDLE)
    except (zipfile.BadZipFile, EOFError, OSError, RuntimeError):
        raise InvalidArgument("bundle", _NO_BUNDLE) from None
    if digest.hexdigest() != sha256:
        raise InvalidArgument("bundle", _CHANGED)
    return found


class _Items:
    """The records of a bundle, read from its beginning each time that they are gone through."""

    def __init__(self, bundle: zipfile.ZipFile, manifest: _Manifest) -> None:
        self._bundle = bundle
        self._manifest = manifest

    def __iter__(self) -> Iterator[Record]:
        """Yield each record; InvalidArgument names the line that is none, or says that they are not those written."""
        digest, line = hashlib.sha256(), 0
        try:
            with self._bundle.open(ITEMS) as items:
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
