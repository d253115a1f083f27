"""What DynamoDB exported to a bucket is read as the store at that moment: in its documented format, by moto's items."""

from __future__ import annotations

import gzip
import json
import zipfile
from base64 import b64encode
from collections.abc import Callable
from dataclasses import dataclass
from hashlib import md5, sha256
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from cairn.aws.blobs import key_of
from cairn.aws.clients import Clients
from cairn.aws.table_export import KeptVersions, TableExports
from cairn.custody.bundles import Bundles, DataScope, Record
from cairn.ground.errors import CorruptData, InvalidArgument, Unavailable
from cairn.ground.ids import Namespace
from cairn.keyvalue.model import KeyName, Place
from cairn.local.cli import main
from cairn.local.store import operator_services
from cairn.services import Services
from cairn.turns.after_turn import commit
from support.custody import ACME, LARGE, session
from support.doubles import FakeClock
from support.keyvalue import key_value
from support.turns import turn

AT = "2026-11-04T07:28:34.028Z"
NUMBERS = count()


@dataclass
class Account:
    """A store in AWS, and a bucket that its table is exported to."""

    clients: Clients
    name: str
    environment: dict[str, str]

    @property
    def s3(self) -> Any:
        return self.clients.s3

    @property
    def services(self) -> Services:
        return operator_services(None, self.environment)

    def run(self, *arguments: str) -> Result:
        return CliRunner().invoke(main, list(arguments), env=self.environment)

    def export_table(self, prefix: str) -> None:
        """Have moto export the table, whose items it writes to one file, without manifests."""
        arn = self.clients.dynamodb.describe_table(TableName=self.name)["Table"]["TableArn"]  # type: ignore[typeddict-item]  # pyright: ignore[reportTypedDictNotRequiredAccess]
        told = self.clients.dynamodb.export_table_to_point_in_time(
            TableArn=arn, S3Bucket=self.name, S3Prefix=prefix, ExportFormat="DYNAMODB_JSON"
        )
        name = told["ExportDescription"]["ExportArn"]  # type: ignore[typeddict-item]  # pyright: ignore[reportTypedDictNotRequiredAccess]
        while (
            self.clients.dynamodb.describe_export(ExportArn=name)["ExportDescription"].get("ExportStatus")
            != "COMPLETED"
        ):
            pass

    def lines(self, prefix: str) -> list[bytes]:
        """Return what moto exported."""
        [file] = [key for key in self.keys(prefix) if "/data/" in key]
        return gzip.decompress(self.s3.get_object(Bucket=self.name, Key=file)["Body"].read()).splitlines()

    def keys(self, prefix: str) -> list[str]:
        return [each["Key"] for each in self.s3.list_objects_v2(Bucket=self.name, Prefix=prefix).get("Contents", [])]

    def put(self, key: str, data: bytes) -> None:
        self.s3.put_object(Bucket=self.name, Key=key, Body=data)

    def write_export(self, prefix: str, lines: list[bytes], **more: object) -> str:
        """Write an export as DynamoDB's developer guide describes it, its items over three files; one is empty."""
        root, spread = (
            f"{prefix}/AWSDynamoDB/01693685827463-2d8752fd",
            sorted(lines, key=lambda line: sha256(line).digest()),
        )
        files = list[bytes]()
        for number, some in enumerate((spread[::2], spread[1::2], [])):
            data = gzip.compress(b"".join(line + b"\n" for line in some)) if some else b""
            key = f"{root}/data/file{number}.json.gz"
            self.put(key, data)
            checksum = b64encode(md5(data, usedforsecurity=False).digest()).decode()
            told = {"itemCount": len(some), "md5Checksum": checksum, "etag": "x-1", "dataFileS3Key": key}
            files.append(json.dumps(told).encode())
        self.put(f"{root}/manifest-files.json", b"\n".join(files) + b"\n")
        self.put(f"{root}/_started", b"")
        summary = {
            "version": "2020-06-30",
            "exportTime": AT,
            "manifestFilesS3Key": f"{root}/manifest-files.json",
            "itemCount": len(lines),
            "outputFormat": "DYNAMODB_JSON",
            "exportType": "FULL_EXPORT",
            **more,
        }
        self.put(f"{root}/manifest-summary.json", json.dumps(summary).encode())
        return root

    def exports(self, prefix: str) -> TableExports:
        return TableExports(lambda: self.clients.dynamodb, lambda: self.clients.s3, self.name, self.name, prefix)


@pytest.fixture
def account(cloud: Clients, make_dynamo_table: Callable[[], Any]) -> Account:
    name = make_dynamo_table()._table_name
    cloud.s3.create_bucket(Bucket=name)
    cloud.s3.put_bucket_versioning(Bucket=name, VersioningConfiguration={"Status": "Enabled"})
    cloud.dynamodb.update_continuous_backups(
        TableName=name, PointInTimeRecoverySpecification={"PointInTimeRecoveryEnabled": True}
    )
    key = cloud.kms.create_key()["KeyMetadata"]["KeyId"]
    found = Account(cloud, name, {"CAIRN_TABLE": name, "CAIRN_BUCKET": name, "CAIRN_KEY_ID": key})
    say(found, "I live in Oslo.", "I like tea.")
    key_value(found.services.adapters).put(Place(ACME, Namespace("public"), KeyName("large")), LARGE)
    return found


def say(account: Account, *texts: str) -> None:
    for text in texts:
        commit(account.services, session("alone"), turn(f"t{next(NUMBERS)}", text))


def records(account: Account) -> list[Record]:
    parts = account.services.adapters, account.services.inventory, account.services.vault
    return [json.loads(json.dumps(each)) for each in Bundles(*parts).export(DataScope(ACME))]


def held(file: Path) -> list[Record]:
    with zipfile.ZipFile(file) as bundle:
        return [json.loads(line) for line in bundle.read("items.jsonl").splitlines()]


@pytest.mark.slow
@pytest.mark.req("R301")
def test_a_bundle_of_an_export_is_the_state_of_its_moment_whatever_was_done_since(
    account: Account, tmp_path: Path
) -> None:
    before, file = records(account), tmp_path / "then.zip"
    account.export_table("moto")
    account.write_export("then", account.lines("moto"))
    say(account, "I moved to Rome.")
    memory = key_value(account.services.adapters)
    memory.put(Place(ACME, Namespace("public"), KeyName("large")), "short")
    for digest in account.services.inventory.blobs(ACME):
        account.services.adapters.blobs.delete(ACME, digest)

    done = account.run("export", str(file), "--tenant", "acme", "--from-dynamodb-export", f"s3://{account.name}/then")

    assert done.exit_code == 0, done.output
    assert held(file) == before
    with zipfile.ZipFile(file) as bundle:
        assert json.loads(bundle.read("manifest.json"))["exported_at"] == AT.replace("028Z", "028000Z")
    assert len(records_of_another_tenant(account)) == 0


def records_of_another_tenant(account: Account) -> list[Any]:
    exports = account.exports("then")
    return list(exports.items(exports.find(), "acm"))  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]


def test_what_an_increment_leaves_out_may_come_from_an_export_of_dynamodb(account: Account, tmp_path: Path) -> None:
    whole, since = tmp_path / "whole.zip", tmp_path / "since.zip"
    named = ("--tenant", "acme", "--from-dynamodb-export")
    account.export_table("one")
    account.write_export("first", account.lines("one"))
    assert account.run("export", str(whole), *named, f"s3://{account.name}/first").exit_code == 0
    say(account, "I moved to Rome.")

    assert account.run("export", str(since), "--tenant", "acme", "--since", str(whole)).exit_code == 0

    assert held(since) == [each for each in records(account) if each not in held(whole)]


def test_an_export_is_made_and_waited_for_where_point_in_time_recovery_is_on(account: Account) -> None:
    class Slow:
        """A client whose exports are done at the third look, and then have manifests as DynamoDB writes them."""

        def __init__(self) -> None:
            self.looks = 0

        def describe_export(self, **asked: Any) -> Any:
            self.looks += 1
            told: Any = account.clients.dynamodb.describe_export(**asked)["ExportDescription"]
            if self.looks < 3 or told["ExportStatus"] == "IN_PROGRESS":
                return {"ExportDescription": {**told, "ExportStatus": "IN_PROGRESS"}}
            root = account.write_export("made", account.lines("made"))
            return {"ExportDescription": {**told, "ExportManifest": f"{root}/manifest-summary.json"}}

        def export_table_to_point_in_time(self, **asked: Any) -> Any:
            told: Any = account.clients.dynamodb.export_table_to_point_in_time(**asked)["ExportDescription"]
            return {"ExportDescription": {**told, "ExportStatus": "IN_PROGRESS"}}

        def __getattr__(self, name: str) -> Any:
            return getattr(account.clients.dynamodb, name)

    slow: Any = Slow()
    clock = FakeClock()
    began = clock.now()
    exports = TableExports(lambda: slow, lambda: account.clients.s3, account.name, account.name, "made")

    export = exports.make(clock)

    assert {item["pk"] for item in exports.items(export, ACME)} == {
        item["pk"] for item in account.services.inventory.items(ACME)
    }
    assert clock.now() > began


def test_an_export_that_cannot_be_made_says_why(account: Account, cloud: Clients) -> None:
    class Failing:
        def export_table_to_point_in_time(self, **_: object) -> Any:
            return {"ExportDescription": {"ExportStatus": "FAILED", "FailureCode": "S3NoSuchBucket"}}

        def __getattr__(self, name: str) -> Any:
            return getattr(cloud.dynamodb, name)

    failing: Any = Failing()
    with pytest.raises(Unavailable, match="S3NoSuchBucket"):
        TableExports(lambda: failing, lambda: cloud.s3, account.name, account.name, "x").make(FakeClock())
    cloud.dynamodb.update_continuous_backups(
        TableName=account.name, PointInTimeRecoverySpecification={"PointInTimeRecoveryEnabled": False}
    )
    with pytest.raises(InvalidArgument, match="point-in-time recovery"):
        account.exports("x").make(FakeClock())


@pytest.mark.req("R301")
@pytest.mark.parametrize(
    ("spoil", "told"),
    [
        ("cut", "damaged file"),
        ("other", "another file"),
        ("gone", "lacks its file"),
        ("fewer", "its files have"),
    ],
)
def test_an_export_that_is_not_what_dynamodb_wrote_is_refused_by_the_name_of_its_file(
    account: Account, spoil: str, told: str, tmp_path: Path
) -> None:
    account.export_table("moto")
    lines = account.lines("moto")
    root = account.write_export("then", lines, **({"itemCount": len(lines) + 1} if spoil == "fewer" else {}))
    name = f"{root}/data/file0.json.gz"
    data = account.s3.get_object(Bucket=account.name, Key=name)["Body"].read()
    if spoil == "cut":
        account.put(name, data[: len(data) // 2])
    elif spoil == "other":
        account.put(name, gzip.compress(gzip.decompress(data), 1))
    elif spoil == "gone":
        account.s3.delete_object(Bucket=account.name, Key=name)
    exports = account.exports("then")

    with pytest.raises(CorruptData, match=told):
        list(exports.items(exports.find(), ACME))

    file = tmp_path / "b.zip"
    assert account.run("export", str(file), "--from-dynamodb-export", f"s3://{account.name}/then").exit_code != 0
    assert not file.exists()


def test_one_export_of_a_kind_that_can_be_read_is_to_be_named(account: Account, tmp_path: Path) -> None:
    account.write_export("a/one", [])
    account.write_export("a/two", [])
    account.write_export("ion", [], outputFormat="ION")
    account.write_export("since", [], exportType="INCREMENTAL_EXPORT")
    wrong = {
        "a": "a/one/AWSDynamoDB",
        "none": "here are none",
        "io": "here are none",
        "ion": "outputFormat ION",
        "since": "INCREMENTAL_EXPORT",
    }
    for prefix, told in wrong.items():
        with pytest.raises(InvalidArgument, match=told):
            account.exports(prefix).find()
    assert account.exports("a/one/").find().items == 0
    for where in ("bucket/prefix", "https://bucket/x"):
        refused = account.run("export", str(tmp_path / "b.zip"), "--tenant", "acme", "--from-dynamodb-export", where)
        assert (refused.exit_code, "takes s3://bucket/prefix" in refused.output) == (2, True), refused.output


@pytest.mark.req("R301")
def test_a_kept_version_of_a_blob_is_held_to_its_digest_and_a_sound_one_behind_it_is_read(account: Account) -> None:
    [digest] = account.services.inventory.blobs(ACME)
    blobs = KeptVersions(account.services.adapters.blobs, lambda: account.s3, account.name)
    sound, key = blobs.get(ACME, digest), key_of(ACME, digest)
    first = account.s3.list_object_versions(Bucket=account.name, Prefix=key)["Versions"][0]["VersionId"]
    account.put(key, sound + b"?")
    account.s3.delete_object(Bucket=account.name, Key=key)

    assert blobs.get(ACME, digest) == sound
    assert blobs.get_part(ACME, digest, 1, 3) == sound[1:4]
    account.s3.delete_object(Bucket=account.name, Key=key, VersionId=first)
    with pytest.raises(CorruptData, match="does not match its digest"):
        blobs.get(ACME, digest)
