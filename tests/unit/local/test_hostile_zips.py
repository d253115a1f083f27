"""Zips that are made to take memory, or to be something else than they say, are refused for little."""

from __future__ import annotations

import hashlib
import json
import tracemalloc
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result

from cairn.custody import bundle_zip
from cairn.local.store import operator_services

Run = Callable[..., Result]
MEGABYTE = 2**20


def manifest(lines: bytes, items: int, **more: object) -> str:
    named = {"format": bundle_zip.FORMAT, "tenant": "local", "project": None, "user": None}
    return json.dumps({**named, "items": items, "sha256": hashlib.sha256(lines).hexdigest(), **more})


def zipped(file: Path, lines: bytes, about: str | None = None) -> Path:
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as bundle:
        bundle.writestr("manifest.json", about or manifest(lines, lines.count(b"\n")))
        bundle.writestr("items.jsonl", lines)
    return file


BOMBS = {
    "one line": lambda: b'"' + b"a" * 300 * MEGABYTE + b'"\n',
    "no line": lambda: bytes(300 * MEGABYTE),
    "many lists": lambda: b"[" + b"[]," * 8 * MEGABYTE + b"0]\n",
    "many names": lambda: b"{" + b'"":{},' * 4 * MEGABYTE + b'"":0}\n',
    "deep": lambda: b"[" * 90_000 + b"]" * 90_000 + b"\n",
    "quotes": lambda: b'["' + b'\\"' * 8 * MEGABYTE + b'",' + b"0," * 200_000 + b"0]\n",
}


@pytest.mark.slow
@pytest.mark.req("R301")
@pytest.mark.parametrize("name", BOMBS)
def test_a_bomb_is_refused_for_little_memory(name: str, run: Run, data: Path, tmp_path: Path) -> None:
    file = zipped(tmp_path / "bomb.zip", BOMBS[name]())
    assert run("import", str(tmp_path / "absent.zip")).exit_code == 2
    tracemalloc.start()
    try:
        result = run("import", str(file))
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()

    assert (result.exit_code, "line 1" in result.output) == (2, True), result.output
    assert peak < 120 * MEGABYTE
    assert not (data / "table.sqlite3").exists() or list(operator_services(data, {}).inventory.items("local")) == []  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]


def more_files(file: Path) -> None:
    with zipfile.ZipFile(file, "a") as bundle:
        bundle.writestr("../x", b"")


def twice(file: Path) -> None:
    with pytest.warns(UserWarning, match="Duplicate"), zipfile.ZipFile(file, "a") as bundle:
        bundle.writestr("items.jsonl", b"")


def packed_otherwise(file: Path) -> None:
    with zipfile.ZipFile(file, "w", zipfile.ZIP_BZIP2) as bundle:
        bundle.writestr("manifest.json", manifest(b"", 0))
        bundle.writestr("items.jsonl", b"")


def of_many_files(file: Path) -> None:
    with zipfile.ZipFile(file, "w") as bundle:
        for number in range(20_000):
            bundle.writestr(f"{number}", b"")


@pytest.mark.parametrize("spoil", [more_files, twice, packed_otherwise, of_many_files])
def test_a_zip_of_other_files_is_no_bundle(spoil: Callable[[Path], None], run: Run, tmp_path: Path) -> None:
    file = zipped(tmp_path / "b.zip", b"")
    assert run("import", str(file)).exit_code == 0
    spoil(file)

    refused = run("import", str(file))

    assert (refused.exit_code, "is no bundle" in refused.output) == (2, True), refused.output


@pytest.mark.parametrize(
    "about",
    [
        manifest(b"", 0, tenant="../x"),
        manifest(b"", 0, user="a/b"),
        manifest(b"", 0, project=7),
        manifest(b"", 0, sha256="many"),
        "[" * 5000,
        " " * 70_000,
    ],
)
def test_a_manifest_that_cannot_be_is_refused(about: str, run: Run, tmp_path: Path) -> None:
    refused = run("import", str(zipped(tmp_path / "b.zip", b"", about)))

    assert (refused.exit_code, "Traceback" in refused.output) == (2, False), refused.output


def test_a_bundle_is_imported_as_the_user_s_only_if_all_of_it_is(run: Run, tmp_path: Path) -> None:
    lines = json.dumps({"partition": "s#garden#alices", "sort": "e#}", "attributes": {"kept": 1}}).encode() + b"\n"
    bobs = zipped(tmp_path / "bob.zip", lines, manifest(lines, 1, user="bob"))
    everybodys = zipped(tmp_path / "all.zip", lines)

    for arguments in ((str(bobs),), (str(everybodys), "--user", "bob"), (str(everybodys), "--project", "kitchen")):
        refused = run("import", *arguments)
        assert (refused.exit_code, "Invalid input: bundle" in refused.output) == (2, True), refused.output
