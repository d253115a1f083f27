"""A bundle as a zip of `items.jsonl`, a record a line, of the states that it names, and of `manifest.json`."""

from __future__ import annotations

import hashlib
import json
import zipfile
from collections.abc import Iterable
from typing import Protocol

from cairn.custody.records import Record
from cairn.custody.scope import DataScope
from cairn.custody.spilled_map import SpilledMap
from cairn.custody.states import Line, State, since
from cairn.ground.codec import moment

FORMAT = "cairn bundle 1.2"
ITEMS, STATE, WAS, MANIFEST = "items.jsonl", "state.txt", "was.txt", "manifest.json"
ATTEMPTS = 3
"""How often an export is begun where too much changed meanwhile."""


class Sink(Protocol):
    """Where bytes are written to."""

    def write(self, data: bytes, /) -> int:
        """Take bytes in, and return how many."""
        ...

    def flush(self) -> None:
        """Have them on their way."""
        ...

    def close(self) -> None:
        """Take no more."""
        ...


def write_bundle(
    stream: Sink, scope: DataScope, records: Iterable[Record], exported_at: str, base: State | None = None
) -> int:
    """Write a bundle, from its first byte to its last, and return how many records it has: all, or those since a base.

    Of the same records at the same time it is the same bytes.
    """
    state = SpilledMap()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as bundle:
        changed = since(base and base.held, records, state)
        items = (json.dumps(record, ensure_ascii=False).encode() + b"\n" for record in changed)
        count, digest = _write(bundle, _entry(ITEMS, exported_at), items)
        manifest: dict[str, object] = {
            "format": FORMAT,
            "tenant": scope.tenant,
            "project": scope.project,
            "user": scope.user,
            "exported_at": exported_at,
            "items": count,
            "sha256": digest,
        }
        _, manifest["state"] = _write(bundle, _entry(STATE, exported_at), map(_text, state))
        if base is not None:
            was = (line for line in base.held if state.get(line[0]) != line[1])
            manifest["base"] = base.name
            _, manifest["was"] = _write(bundle, _entry(WAS, exported_at), map(_text, was))
        bundle.writestr(_entry(MANIFEST, exported_at), json.dumps(manifest, indent=2) + "\n")
    return count


def _write(bundle: zipfile.ZipFile, entry: zipfile.ZipInfo, lines: Iterable[bytes]) -> tuple[int, str]:
    """Write lines, and return how many they were and their SHA-256."""
    digest, count = hashlib.sha256(), 0
    with bundle.open(entry, "w", force_zip64=True) as stream:
        for line in lines:
            stream.write(line)
            digest.update(line)
            count += 1
    return count, digest.hexdigest()


def _text(line: Line) -> bytes:
    return f"{line[0].hex()} {line[1].hex()}\n".encode()


def _entry(name: str, exported_at: str) -> zipfile.ZipInfo:
    at = moment(exported_at)
    entry = zipfile.ZipInfo(name, (at.year, at.month, at.day, at.hour, at.minute, at.second))
    entry.compress_type = zipfile.ZIP_DEFLATED
    return entry
