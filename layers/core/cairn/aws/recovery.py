"""What AWS keeps of a store to restore it from: the table's recovery to a point in time, and versions of blobs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any, Final

from botocore.exceptions import ClientError

from cairn.aws.blobs import S3Blobs
from cairn.aws.clients import OperatorClients
from cairn.aws.failures import aws_failures, expected
from cairn.aws.walks import scanned
from cairn.ground.errors import InvalidArgument
from cairn.ground.ids import Digest, Tenant
from cairn.ground.table import tenant_of
from cairn.vault.data_key import WrappedKey
from cairn.vault.layout import keys_pk

if TYPE_CHECKING:
    from cairn.settings.settings import AwsStore

_NO_RULE: Final = "NoSuchLifecycleConfiguration"
_WAIT: Final[Any] = {"Delay": 20, "MaxAttempts": 1440}
_SECOND: Final = timedelta(seconds=1)


@dataclass(frozen=True, slots=True)
class Recoverable:
    """From when to when a restore is possible, None where it is not at all; what is wrong, a sentence each."""

    since: datetime | None
    until: datetime | None
    problems: tuple[str, ...]


class AwsRecovery:
    """Looks at what AWS keeps of a store, and restores from it into another table and bucket."""

    def __init__(self, store: AwsStore) -> None:
        """Use an operator's credentials."""
        self._store = store
        self._clients = OperatorClients()

    def state(self, now: datetime) -> Recoverable:
        """Return what can be restored, and what is not as it should be."""
        store, problems = self._store, list[str]()
        with aws_failures():
            found: Any = self._clients.dynamodb.describe_continuous_backups(TableName=store.table)
            described: Any = self._clients.kms.describe_key(KeyId=store.key_id)
            versioning = self._clients.s3.get_bucket_versioning(Bucket=store.bucket).get("Status")
        table = found["ContinuousBackupsDescription"].get("PointInTimeRecoveryDescription", {})
        kept_days = self._days_of_versions()
        if table.get("PointInTimeRecoveryStatus") != "ENABLED":
            problems.append(f"Point-in-time recovery of the table {store.table} is off: switch it on")
        if versioning != "Enabled":
            problems.append(f"Versioning of the bucket {store.bucket} is off: a deleted blob is gone at once")
        if kept_days is not None and kept_days < table.get("RecoveryPeriodInDays", 0):
            problems.append(f"Deleted blobs are kept for {kept_days} days, fewer than the table can be restored to")
        if (state := described["KeyMetadata"]["KeyState"]) != "Enabled":
            problems.append(f"The key is {state}: without it nothing that is restored can be read")
        since, until = table.get("EarliestRestorableDateTime"), table.get("LatestRestorableDateTime")
        if since is None or versioning != "Enabled":
            return Recoverable(None, None, tuple(problems))
        oldest = since if kept_days is None else max(since, now - timedelta(kept_days))
        return Recoverable(oldest, until, tuple(problems))

    def keep(self, name: str) -> str:
        """Start a backup of the table under a name, which stays until somebody deletes it, and return its ARN."""
        with aws_failures():
            made = self._clients.dynamodb.create_backup(TableName=self._store.table, BackupName=name)
        return str(made["BackupDetails"]["BackupArn"])

    def begin(self, to: AwsStore, at: datetime) -> None:
        """Start to restore the table into a new one; InvalidArgument where the bucket is not without blobs.

        Until this returns, nothing of the place is what a restore made.
        """
        if any(self._versions(to.bucket)):
            raise InvalidArgument("--to", f"names the bucket {to.bucket}, which has blobs: only an empty one is filled")
        with aws_failures():
            self._clients.dynamodb.restore_table_to_point_in_time(
                SourceTableName=self._store.table, TargetTableName=to.table, RestoreDateTime=at
            )

    def finish(self, to: AwsStore, at: datetime) -> int:
        """Copy the blobs of that time, return how many they are, and wait until the table can be used.

        CorruptData where a blob is not what its name says.
        """
        copied = 0
        for key, version in blobs_at(self._versions(self._store.bucket), at).items():
            source: Any = {"Bucket": self._store.bucket, "Key": key, "VersionId": version}
            with aws_failures():
                self._clients.s3.copy_object(Bucket=to.bucket, Key=key, CopySource=source)
            _, tenant, _, digest = key.split("/")
            S3Blobs(lambda: self._clients.s3, to.bucket).get(Tenant(tenant), Digest(digest))
            copied += 1
        self._wait(to)
        return copied

    def discard(self, to: AwsStore) -> None:
        """Delete what a restore made that was begun: the table, and the blobs with all their versions."""
        self._wait(to)
        with aws_failures():
            self._clients.dynamodb.delete_table(TableName=to.table)
            for each in self._versions(to.bucket):
                self._clients.s3.delete_object(Bucket=to.bucket, Key=each["Key"], VersionId=each["VersionId"])

    def _wait(self, to: AwsStore) -> None:
        with aws_failures():
            self._clients.dynamodb.get_waiter("table_exists").wait(TableName=to.table, WaiterConfig=_WAIT)

    def keys(self, table: str) -> Iterator[tuple[Tenant, WrappedKey]]:
        """Yield the data keys of all owners in a table, which is read whole; CorruptData where one is damaged."""
        for item in scanned(self._clients.dynamodb, table, "contains(pk, :value)", "#keys"):
            owner = tenant_of(str(item["pk"]))
            if item["pk"] == keys_pk(owner):
                yield owner, WrappedKey.of(item)

    def _days_of_versions(self) -> int | None:
        """Return for how many days a deleted blob is kept at least, None where that is for ever."""
        with aws_failures():
            try:
                found: Any = self._clients.s3.get_bucket_lifecycle_configuration(Bucket=self._store.bucket)
            except ClientError as error:
                expected(error, _NO_RULE)
                return None
        rules = [each for each in found["Rules"] if each["Status"] == "Enabled"]
        days = [each.get("NoncurrentVersionExpiration", {}).get("NoncurrentDays") for each in rules]
        return min((each for each in days if each is not None), default=None)

    def _versions(self, bucket: str) -> Iterator[dict[str, Any]]:
        """Yield every version of every blob in a bucket, deletions too, which have no size."""
        with aws_failures():
            for page in self._clients.s3.get_paginator("list_object_versions").paginate(Bucket=bucket, Prefix="blobs/"):
                found: Any = page
                yield from [*found.get("Versions", ()), *found.get("DeleteMarkers", ())]


def blobs_at(versions: Iterable[dict[str, Any]], at: datetime) -> dict[str, str]:
    """Return the version of each blob that was there at a time, by its key; S3 tells the second alone.

    A blob is written before an item names it, and deleted when none does any more.
    """
    written, deleted = dict[str, tuple[datetime, str]](), dict[str, datetime]()
    for each in sorted(versions, key=lambda each: each["LastModified"]):
        if "Size" in each and each["LastModified"] <= at:
            written[each["Key"]] = each["LastModified"], each["VersionId"]
        elif "Size" not in each and each["LastModified"] < at - _SECOND:
            deleted[each["Key"]] = each["LastModified"]
    return {key: version for key, (when, version) in written.items() if when >= deleted.get(key, when)}
