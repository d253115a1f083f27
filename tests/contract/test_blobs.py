from __future__ import annotations

import os
from base64 import b64decode
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from botocore.exceptions import ClientError
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from cairn.aws.blobs import S3Blobs
from cairn.aws.clients import Clients
from cairn.embedded.blobs import DirectoryBlobs, directory_name
from cairn.embedded.files import create_once
from cairn.embedded.holds import holding
from cairn.ground.errors import CorruptData, NotFound, Unavailable
from cairn.ground.ids import Digest, Tenant
from cairn.ground.ports import Blobs

ACME = Tenant("acme")
OTHER = Tenant("acme2")
ABSENT = Digest("0" * 64)


@pytest.mark.req("R205")
@settings(max_examples=15, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.binary(max_size=4096))
def test_what_was_stored_comes_back_under_its_sha256(blobs: Blobs, data: bytes) -> None:
    digest = blobs.put(ACME, data)
    assert digest == sha256(data).hexdigest()
    assert blobs.get(ACME, digest) == data


@pytest.mark.req("R196")
def test_the_same_bytes_are_stored_once_and_again_without_complaint(blobs: Blobs) -> None:
    assert blobs.put(ACME, b"same") == blobs.put(ACME, b"same")
    digest = blobs.put(ACME, b"same")
    blobs.delete(ACME, digest)
    with pytest.raises(NotFound):
        blobs.get(ACME, digest)
    assert blobs.get(ACME, blobs.put(ACME, b"same")) == b"same"


@pytest.mark.parametrize(
    ("start", "length", "part"), [(0, 4, b"0123"), (6, 3, b"678"), (8, 5, b"89"), (10, 1, b""), (20, 3, b"")]
)
def test_a_part_of_a_blob_comes_as_far_as_the_blob_goes(blobs: Blobs, start: int, length: int, part: bytes) -> None:
    assert blobs.get_part(ACME, blobs.put(ACME, b"0123456789"), start, length) == part


@pytest.mark.req("R010")
def test_another_tenant_reads_no_part_of_a_blob(blobs: Blobs) -> None:
    digest = blobs.put(ACME, b"mine")
    with pytest.raises(NotFound):
        blobs.get_part(OTHER, digest, 0, 1)


def test_of_an_absent_blob_there_is_no_part(blobs: Blobs) -> None:
    with pytest.raises(NotFound):
        blobs.get_part(ACME, ABSENT, 0, 1)


@pytest.mark.req("R010")
def test_another_tenant_neither_reads_nor_removes_a_blob(blobs: Blobs) -> None:
    digest = blobs.put(ACME, b"mine")
    with pytest.raises(NotFound):
        blobs.get(OTHER, digest)
    blobs.delete(OTHER, digest)
    assert blobs.get(ACME, digest) == b"mine"


@pytest.mark.req("R010")
@given(names=st.lists(st.from_regex(r"[A-Za-z0-9_-]{1,64}", fullmatch=True), min_size=2, max_size=2, unique=True))
@example(names=["A", "a"])
@example(names=["acme", "ACME"])
def test_no_two_tenants_share_a_directory_even_where_a_file_system_ignores_case(names: list[str]) -> None:
    one, other = (directory_name(Tenant(name)) for name in names)
    assert one.casefold() != other.casefold()


@given(name=st.from_regex(r"[a-z0-9_-]{1,64}", fullmatch=True))
def test_a_tenant_without_capitals_has_a_directory_of_its_own_name(name: str) -> None:
    assert directory_name(Tenant(name)) == name


def test_a_capital_is_written_small_behind_a_plus() -> None:
    assert directory_name(Tenant("Acme-EU")) == "+acme-+e+u"


@pytest.mark.req("R010")
def test_a_tenant_whose_name_differs_in_case_alone_neither_reads_nor_removes_a_blob(blobs: Blobs) -> None:
    digest = blobs.put(Tenant("acme"), b"mine")
    with pytest.raises(NotFound):
        blobs.get(Tenant("Acme"), digest)
    blobs.delete(Tenant("Acme"), digest)
    assert blobs.get(Tenant("acme"), digest) == b"mine"


def test_an_absent_blob_is_not_found_and_counts_as_removed(blobs: Blobs) -> None:
    with pytest.raises(NotFound):
        blobs.get(ACME, ABSENT)
    blobs.delete(ACME, ABSENT)


@pytest.mark.req("R195")
@pytest.mark.parametrize(
    "digest", ["", "../../etc/passwd", "A" * 64, "0" * 63, "0" * 65, "0" * 62 + "/x", "0" * 64 + "\n"]
)
def test_what_is_no_digest_never_reaches_the_store(blobs: Blobs, digest: str) -> None:
    for call in (blobs.get, blobs.delete):
        with pytest.raises(ValueError, match="digest"):
            call(ACME, Digest(digest))


@pytest.mark.parametrize("tenant", ["", "..", "a/b", "a.b", "a" * 65])
def test_what_is_no_tenant_never_reaches_the_store(blobs: Blobs, tenant: str) -> None:
    with pytest.raises(ValueError, match="tenant"):
        blobs.put(Tenant(tenant), b"data")


@pytest.mark.req("R196")
def test_a_directory_holds_a_blob_at_tenant_then_two_digits_then_digest(tmp_path: Path) -> None:
    digest = DirectoryBlobs(tmp_path).put(ACME, b"data")
    files = [path.relative_to(tmp_path) for path in tmp_path.rglob("*") if path.is_file()]
    assert files == [Path("acme", digest[:2], digest)]
    assert (tmp_path / files[0]).stat().st_mode & 0o077 == 0


@pytest.mark.req("R197")
def test_a_file_that_was_changed_is_corrupt(tmp_path: Path) -> None:
    blobs = DirectoryBlobs(tmp_path)
    digest = blobs.put(ACME, b"data")
    (tmp_path / "acme" / digest[:2] / digest).write_bytes(b"dat")
    with pytest.raises(CorruptData):
        blobs.get(ACME, digest)


def test_a_part_of_a_blob_that_is_held_is_read_though_the_blob_was_deleted(tmp_path: Path) -> None:
    blobs = DirectoryBlobs(tmp_path)
    digest = blobs.put(ACME, b"0123456789")
    with holding(tmp_path):
        blobs.delete(ACME, digest)
        assert blobs.get_part(ACME, digest, 3, 4) == b"3456"
    with pytest.raises(NotFound):
        blobs.get_part(ACME, digest, 3, 4)


@pytest.mark.req("R198")
def test_a_file_once_made_is_never_replaced(tmp_path: Path) -> None:
    assert create_once(tmp_path / "name", b"first")
    assert not create_once(tmp_path / "name", b"second")
    assert [path.name for path in tmp_path.iterdir()] == ["name"]
    assert (tmp_path / "name").read_bytes() == b"first"


def test_what_a_dead_writer_left_is_removed_after_an_hour_and_not_before(tmp_path: Path) -> None:
    DirectoryBlobs(tmp_path).put(ACME, b"data")
    old, young = tmp_path / "acme" / ".tmp-old", tmp_path / "acme" / ".tmp-young"
    for path in (old, young):
        path.write_bytes(b"partial")
    os.utime(old, (0, 0))
    DirectoryBlobs(tmp_path)
    assert (old.exists(), young.exists()) == (False, True)


def test_a_directory_that_cannot_be_used_is_unavailable(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(Unavailable):
        DirectoryBlobs(tmp_path / "file" / "blobs")


@pytest.fixture
def bucket(cloud: Clients) -> str:
    cloud.s3.create_bucket(Bucket="memory-objects")
    return "memory-objects"


@pytest.mark.req("R197")
@pytest.mark.req("R198")
def test_an_object_is_written_once_and_checked_on_its_way_in_and_out(cloud: Clients, bucket: str) -> None:
    sent: list[dict[str, Any]] = []

    def note(params: dict[str, Any], **_: Any) -> None:
        sent.append(params)

    blobs = S3Blobs(lambda: cloud.s3, bucket)
    cloud.s3.meta.events.register("provide-client-params.s3.PutObject", note)
    digest = blobs.put(ACME, b"data")
    cloud.s3.meta.events.unregister("provide-client-params.s3.PutObject", note)
    key = f"blobs/acme/{digest[:2]}/{digest}"
    assert sent[0]["Key"] == key
    assert b64decode(sent[0]["ChecksumSHA256"]).hex() == digest
    cloud.s3.put_object(Bucket=bucket, Key=key, Body=b"other")
    with pytest.raises(CorruptData):
        blobs.get(ACME, digest)
    blobs.put(ACME, b"data")
    assert cloud.s3.get_object(Bucket=bucket, Key=key)["Body"].read() == b"other"


@pytest.fixture
def conflicts(cloud: Clients) -> Callable[[int], None]:
    def arm(times: int) -> None:
        left = [None] * times

        def conflict(**_: Any) -> None:
            if left:
                left.pop()
                raise ClientError({"Error": {"Code": "ConditionalRequestConflict"}}, "PutObject")

        cloud.s3.meta.events.register("before-call.s3.PutObject", conflict, unique_id=f"conflict-{times}")

    return arm


def test_a_put_that_meets_a_delete_is_tried_again(
    cloud: Clients, bucket: str, conflicts: Callable[[int], None]
) -> None:
    blobs = S3Blobs(lambda: cloud.s3, bucket)
    conflicts(2)
    assert blobs.get(ACME, blobs.put(ACME, b"contended")) == b"contended"
    conflicts(3)
    with pytest.raises(Unavailable):
        blobs.put(ACME, b"contended for long")
