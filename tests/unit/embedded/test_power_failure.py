"""Whatever moment the power fails at, and whatever the disk had not synced yet: files are whole or not there."""

from __future__ import annotations

import os
import zipfile
from collections.abc import Callable, Generator
from contextlib import AbstractContextManager, contextmanager, suppress
from pathlib import Path

import pytest

from cairn.custody.scope import DataScope
from cairn.embedded import files
from cairn.embedded.anchors import DirectoryAnchors
from cairn.embedded.blobs import DirectoryBlobs
from cairn.embedded.keyring import load_or_create_master_key
from cairn.ground.errors import CorruptData
from cairn.ground.ids import Digest, Tenant
from cairn.local.commands import bundle_files
from cairn.services import Services
from support.forgetful_disk import ForgetfulDisk

ACME = Tenant("acme")
Watching = Callable[[Callable[[Path], None]], AbstractContextManager[ForgetfulDisk]]


class Stopped(BaseException):
    """The process was killed."""


@pytest.fixture
def disk(tmp_path: Path) -> Path:
    made = tmp_path / "disk"
    made.mkdir()
    return made


@pytest.fixture
def watching(tmp_path: Path, disk: Path) -> Watching:
    """Return a block in which every state that a power failure may leave of the disk is looked at."""

    @contextmanager
    def watch(survives: Callable[[Path], None]) -> Generator[ForgetfulDisk]:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(files, "_FULL_FSYNC", None)
            forgetful = ForgetfulDisk(disk, tmp_path / "crashes", survives)
            forgetful.watch(patch)
            yield forgetful
            forgetful.crash()
        assert forgetful.states > 10

    return watch


class Acknowledged:
    """What callers were told that is stored, or removed, of a directory of blobs."""

    def __init__(self) -> None:
        self.stored: dict[Digest, bytes] = {}
        self.removed: set[Digest] = set()

    def survives(self, left: Path) -> None:
        """Fail where a blob is not whole, was stored and is not there, or was removed and is."""
        there = {Digest(path.name) for path in (left / "blobs").glob("acme/??/*") if not path.name.startswith(".")}
        reader = DirectoryBlobs(left / "blobs")
        read = {digest: reader.get(ACME, digest) for digest in there}
        assert self.stored.items() <= read.items()
        assert not self.removed & there


def put(store: DirectoryBlobs, told: Acknowledged, data: bytes) -> Digest:
    digest = store.put(ACME, data)
    told.stored[digest] = data
    return digest


def test_a_blob_that_was_stored_is_there_whole_and_one_that_was_removed_stays_away(
    disk: Path, watching: Watching
) -> None:
    told = Acknowledged()
    with watching(told.survives):
        store = DirectoryBlobs(disk / "blobs")
        first = put(store, told, b"one of them")
        put(store, told, b"another")
        put(store, told, b"one of them")
        del told.stored[first]
        store.delete(ACME, first)
        told.removed.add(first)


@pytest.mark.parametrize("kind", ["file", "directory"])
def test_a_sync_that_is_left_out_is_noticed(
    kind: str, disk: Path, watching: Watching, monkeypatch: pytest.MonkeyPatch
) -> None:
    sync = files.put_on_disk

    def left_out(descriptor: int) -> None:
        if Path(f"/dev/fd/{descriptor}").is_dir() != (kind == "directory"):
            sync(descriptor)

    monkeypatch.setattr(files, "put_on_disk", left_out)
    told = Acknowledged()
    with pytest.raises((AssertionError, CorruptData)), watching(told.survives):
        put(DirectoryBlobs(disk / "blobs"), told, b"one of them")


@pytest.mark.parametrize("directory", ["blobs", "blobs/acme"])
def test_a_blob_is_not_lost_with_the_directory_whose_maker_died_before_it_was_on_disk(
    directory: str, disk: Path, watching: Watching
) -> None:
    def stop(_descriptor: int) -> None:
        raise Stopped

    told = Acknowledged()
    with watching(told.survives):
        (disk / directory).parent.mkdir(exist_ok=True)
        files.fsync_directory(disk)
        with pytest.MonkeyPatch.context() as patch, suppress(Stopped):
            patch.setattr(os, "fsync", stop)
            files.make_directory(disk / directory)
        put(DirectoryBlobs(disk / "blobs"), told, b"one of them")


def test_a_master_key_is_whole_or_not_there_and_stays_once_it_was_used(disk: Path, watching: Watching) -> None:
    used: list[bytes] = []

    def survives(left: Path) -> None:
        path = left / "keys" / "master.key"
        found = path.exists() and load_or_create_master_key(path)
        assert found == used[0] if used else len(found or bytes(32)) == 32

    with watching(survives):
        used.append(load_or_create_master_key(disk / "keys" / "master.key"))


def test_an_anchor_that_was_kept_is_there_whole(disk: Path, watching: Watching) -> None:
    kept: dict[int, str] = {}

    def survives(left: Path) -> None:
        (left / "anchors" / "acme").mkdir(parents=True, exist_ok=True)
        found = DirectoryAnchors(left / "anchors").heads(ACME)
        assert kept.items() <= found.items()
        assert set(found.values()) <= {"ab" * 32}

    with watching(survives):
        for number in range(2):
            DirectoryAnchors(disk / "anchors").put(ACME, number, "ab" * 32)
            kept[number] = "ab" * 32


def test_a_bundle_that_was_exported_is_there_whole(disk: Path, watching: Watching, services: Services) -> None:
    written: list[int] = []

    def survives(left: Path) -> None:
        assert (left / "b.zip").exists() or not written
        if (left / "b.zip").exists():
            assert zipfile.ZipFile(left / "b.zip").testzip() is None

    with watching(survives):
        written.append(bundle_files.write(disk / "b.zip", DataScope(ACME), services))
