"""Heads of audit chains are kept outside of the store, and what is kept there first stays."""

from __future__ import annotations

from pathlib import Path

import pytest

from cairn.aws.anchors import S3Anchors
from cairn.aws.clients import Clients
from cairn.embedded.anchors import DirectoryAnchors
from cairn.ground.errors import Unavailable
from cairn.ground.ids import Tenant
from cairn.ground.ports import Anchors

ACME = Tenant("acme")
HEAD, OTHER = "a" * 64, "b" * 64


@pytest.fixture
def bucket(cloud: Clients, tmp_path: Path) -> str:
    name = "heads-" + "".join(filter(str.isalnum, tmp_path.name.lower()))
    cloud.s3.create_bucket(Bucket=name, ObjectLockEnabledForBucket=True)
    retention = {"Mode": "COMPLIANCE", "Days": 1}
    cloud.s3.put_object_lock_configuration(
        Bucket=name,
        ObjectLockConfiguration={"ObjectLockEnabled": "Enabled", "Rule": {"DefaultRetention": retention}},  # pyright: ignore[reportArgumentType]
    )
    return name


@pytest.fixture(params=["directory", "bucket"])
def anchors(request: pytest.FixtureRequest, tmp_path: Path) -> Anchors:
    if request.param == "directory":
        (tmp_path / "anchors").mkdir()
        return DirectoryAnchors(tmp_path / "anchors")
    cloud: Clients = request.getfixturevalue("cloud")
    name: str = request.getfixturevalue("bucket")
    return S3Anchors(lambda: cloud.s3, name)


@pytest.mark.req("R309")
def test_a_head_is_kept_once_and_stays_as_it_was(anchors: Anchors) -> None:
    assert anchors.heads(ACME) == {}
    anchors.put(ACME, 1, HEAD)
    anchors.put(ACME, 1, OTHER)
    anchors.put(ACME, 12, OTHER)
    anchors.put(Tenant("acme2"), 1, OTHER)

    assert anchors.heads(ACME) == {1: HEAD, 12: OTHER}


@pytest.mark.req("R309")
def test_a_head_that_was_covered_up_in_the_bucket_is_still_there(cloud: Clients, bucket: str) -> None:
    anchors = S3Anchors(lambda: cloud.s3, bucket)
    anchors.put(ACME, 1, HEAD)
    (key,) = [each.get("Key", "") for each in cloud.s3.list_objects_v2(Bucket=bucket).get("Contents", [])]
    cloud.s3.put_object(Bucket=bucket, Key=key, Body=OTHER.encode())
    cloud.s3.delete_object(Bucket=bucket, Key=key)

    assert anchors.heads(ACME) == {1: HEAD}
    assert "acme" not in key


def test_a_directory_that_is_not_there_is_no_proof_of_anything(tmp_path: Path) -> None:
    with pytest.raises(Unavailable, match="no such directory"):
        DirectoryAnchors(tmp_path / "unmounted").heads(ACME)
