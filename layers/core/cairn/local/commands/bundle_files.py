"""Bundles as files: a zip of `items.jsonl`, a record a line, and of `manifest.json`."""

from __future__ import annotations

import hashlib
import io
import json
import os
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO, cast

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

from cairn.custody.bundles import Bundles, DataScope, Record
from cairn.ground.codec import rfc3339
from cairn.ground.errors import InvalidArgument
from cairn.ground.ids import Tenant, tenant
from cairn.ground.session import Subject
from cairn.services import Services

FORMAT = "cairn bundle 1"
_ITEMS, _MANIFEST = "items.jsonl", "manifest.json"
_NO_BUNDLE = "is no bundle of `cairn export`"


def write(file: Path, scope: DataScope, services: Services) -> int:
    """Write a new bundle, which its owner alone may read and which is there whole or not at all; return its items."""
    if file.exists():
        raise InvalidArgument("FILE", "is there already")
    partial = file.with_name(f"{file.name}.partial")
    partial.unlink(missing_ok=True)
    with open(os.open(partial, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600), "wb") as stream:  # noqa: PTH123 - a descriptor, not a path
        records = Bundles(services.adapters, services.inventory, services.vault).export(scope)
        count = _write(stream, scope, _counted("Exporting", records, None), rfc3339(services.adapters.clock.now()))
        stream.flush()
        os.fsync(stream.fileno())
    partial.rename(file)
    return count


def take_in(file: Path, owner: Tenant | None, services: Services) -> tuple[Tenant, int, int]:
    """Store a bundle as this tenant's, or its own; return whose it is now, how many items it has, and how many are new.

    InvalidArgument, and nothing is stored, where it is not what `write` wrote.
    """
    try:
        bundle = zipfile.ZipFile(file)
    except zipfile.BadZipFile:
        raise InvalidArgument("bundle", _NO_BUNDLE) from None
    with bundle:
        manifest = _checked(bundle)
        whose, items = owner or tenant(manifest["tenant"]), int(manifest["items"])
        with services.journal.command(whose, "cairn import", Subject()):
            stored = Bundles(services.adapters, services.inventory, services.vault).take_in(whose, _records(bundle))
            return whose, items, sum(_counted("Importing", stored, items))


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


def _checked(bundle: zipfile.ZipFile) -> dict[str, Any]:
    """Return the manifest; InvalidArgument, before anything is stored, where the bundle is not what it says."""
    digest = hashlib.sha256()
    try:
        manifest = json.loads(bundle.read(_MANIFEST))
        with bundle.open(_ITEMS) as items:
            for line in items:
                digest.update(line)
    except (KeyError, ValueError, zipfile.BadZipFile):
        raise InvalidArgument("bundle", _NO_BUNDLE) from None
    wanted = (FORMAT, digest.hexdigest())
    match manifest:
        case {"format": str(form), "sha256": str(said), "tenant": str(), "items": int()} if (form, said) == wanted:
            return cast("dict[str, Any]", manifest)
        case _:
            told = "was changed or cut short, or is of a version this one does not know"
            raise InvalidArgument("bundle", told)


def _records(bundle: zipfile.ZipFile) -> Iterator[Record]:
    with bundle.open(_ITEMS) as items:
        for line in io.TextIOWrapper(items, "utf-8"):
            yield json.loads(line)


def _counted(told: str, steps: Iterator[Any], total: int | None) -> Iterator[Any]:
    """Yield the steps, showing on a terminal how many there were."""
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        yield from progress.track(steps, total=total, description=told)
