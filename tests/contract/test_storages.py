"""Where backups are kept: a directory and a bucket keep the same files in the same way."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

from cairn.aws.clients import OperatorClients
from cairn.aws.storage import S3Storage
from cairn.embedded.storage import DirectoryStorage
from cairn.ground.errors import NotFound, Unavailable
from cairn.ground.ports import Storage
from cairn.local.backup.places import storage_of
from support.backup import Cellar
from support.custody import Household

LARGE = bytes(range(256)) * 40_000  # more than boto3 sends at once


@pytest.fixture(params=["directory", "s3", "s3 without a prefix"])
def storage(request: pytest.FixtureRequest, tmp_path: Path) -> Storage:
    if request.param == "directory":
        return DirectoryStorage(tmp_path / "backups")
    request.getfixturevalue("cloud")
    clients, bucket = OperatorClients(), "kept-" + "".join(filter(str.isalnum, tmp_path.name.lower()))[-40:]
    clients.s3.create_bucket(Bucket=bucket)
    clients.s3.put_object(Bucket=bucket, Key="a/backup-of-others", Body=b"")
    return S3Storage(lambda: clients.s3, bucket, "a/b" if request.param == "s3" else "")


def read(storage: Storage, name: str) -> bytes:
    found = io.BytesIO()
    storage.fetch(name, found)
    return found.getvalue()


def test_what_was_put_is_found_by_its_name_and_prefix(storage: Storage) -> None:
    for name, data in (("x/1/b", b"one"), ("x/1/a", LARGE), ("x/2/a", b""), ("y", b"why")):
        storage.put(name, io.BytesIO(data))

    assert list(storage.names("x/")) == ["x/1/a", "x/1/b", "x/2/a"]
    assert {"x/1/a", "x/1/b", "x/2/a", "y"} <= set(storage.names())
    assert (read(storage, "x/1/a") == LARGE, read(storage, "x/2/a"), read(storage, "y")) == (True, b"", b"why")


def test_what_is_deleted_or_was_never_there_is_named_as_not_there(storage: Storage) -> None:
    storage.put("x/1/a", io.BytesIO(b"one"))
    storage.delete("x/1/a")
    storage.delete("x/1/a")

    assert list(storage.names("x/")) == []
    with pytest.raises(NotFound, match="x/1/a is not in "):
        read(storage, "x/1/a")


def test_a_backup_into_either_is_restored_and_passes_a_drill(
    storage: Storage, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    cellar = Cellar.under(tmp_path, request.getfixturevalue("adapters"), request.getfixturevalue("store").directory)
    house: Household = cellar.house.move_in()

    cellar.back_up(storage)
    again = cellar.back_up(storage, keep=1)
    good, told = cellar.drill(storage)

    assert (again.copied, again.kept, again.removed) == (0, 1, 1)
    assert good, told
    assert house.answers()
    assert f"in {storage}" in told[1]


def test_a_place_is_named_as_people_write_it(tmp_path: Path) -> None:
    assert str(storage_of(str(tmp_path))) == str(tmp_path)
    assert str(storage_of("s3://bucket/a/b/")) == "s3://bucket/a/b/"
    assert str(storage_of("s3://bucket")) == "s3://bucket/"


def test_a_directory_that_cannot_be_used_is_named(tmp_path: Path) -> None:
    (tmp_path / "a-file").touch()
    place = storage_of(str(tmp_path / "a-file" / "backups"))

    with pytest.raises(Unavailable, match=r"the directory .*/a-file/backups failed"):
        place.put("x/1/a", io.BytesIO(b"one"))
