"""What AWS keeps of a store, as moto plays it: whether it can be restored, a restore into another place, and a drill.

moto restores a table as it is now, whatever time is asked for, and starts no window of recovery in the past.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from cairn.aws.clients import OperatorClients
from cairn.aws.recovery import AwsRecovery, Recoverable, blobs_at
from cairn.calls.record import ERASE
from cairn.conversation.items import message
from cairn.conversation.turns import Completion
from cairn.custody.erase_user import EraseUser
from cairn.custody.scope import DataScope
from cairn.ground.errors import CairnError, InvalidArgument, NotFound
from cairn.ground.ids import TurnId, UserId
from cairn.ground.session import Subject
from cairn.local.backup.in_aws import drill_in_aws, look, restore_in_aws
from cairn.local.invoke.mocked import create_store, declared
from cairn.services import Services
from cairn.settings.settings import AwsStore, Settings
from cairn.turns.after_turn import commit
from cairn.wiring import wiring_of
from support.custody import ACME, LARGE, SETTINGS, session
from support.template import TEMPLATE

MONDAY = session("monday")


@dataclass
class Region:
    """A store in AWS, the clients of its operator, and what was told."""

    services: Services
    clients: OperatorClients
    store: AwsStore
    told: list[str]

    def say(self, user: str, text: str, reply: str = "Noted.") -> None:
        outputs = (message("assistant", reply, "output_text"),)
        turn = Completion(turn_id=TurnId(text), user_id=UserId(user), inputs=(message("user", text),), outputs=outputs)
        commit(self.services, MONDAY, turn)

    def blobs(self, bucket: str) -> list[str]:
        return [str(each.get("Key")) for each in self.clients.s3.list_objects_v2(Bucket=bucket).get("Contents", [])]

    def tables(self) -> list[str]:
        return self.clients.dynamodb.list_tables()["TableNames"]

    def opened(self, name: str) -> Services:
        settings = replace(self.services.settings, store=replace(self.store, table=name, bucket=name))
        return Services(settings, wiring_of(settings, for_operator=True))

    def history(self, services: Services) -> str:
        return str([event.item for _, events in services.sessions.history(MONDAY) for event in events])


@pytest.fixture
def region(request: pytest.FixtureRequest, tmp_path: Any) -> Region:
    request.getfixturevalue("cloud")
    clients, name = OperatorClients(), "store-" + "".join(filter(str.isalnum, tmp_path.name.lower()))[-30:]
    create_store(request.getfixturevalue("cloud"), name, declared(TEMPLATE))
    key = clients.kms.create_key()["KeyMetadata"]["KeyId"]
    store = AwsStore(table=name, bucket=name, key_id=key)
    clients.s3.put_bucket_versioning(Bucket=name, VersioningConfiguration={"Status": "Enabled"})
    clients.s3.create_bucket(Bucket=f"{name}-new")
    settings = Settings(memory_enabled=True, memory=SETTINGS, store=store)
    region = Region(Services(settings, wiring_of(settings, for_operator=True)), clients, store, [])
    begin_window(region)
    return region


def begin_window(region: Region) -> None:
    """Have moto's window of recovery, which ends as it begins, be now."""
    for wanted in (
        {"PointInTimeRecoveryEnabled": False},
        {"PointInTimeRecoveryEnabled": True, "RecoveryPeriodInDays": 35},
    ):
        given: Any = wanted
        region.clients.dynamodb.update_continuous_backups(
            TableName=region.store.table, PointInTimeRecoverySpecification=given
        )


def keep_versions(region: Region, days: int) -> None:
    rule: Any = {
        "ID": "old",
        "Status": "Enabled",
        "Filter": {"Prefix": ""},
        "NoncurrentVersionExpiration": {"NoncurrentDays": days},
    }
    region.clients.s3.put_bucket_lifecycle_configuration(
        Bucket=region.store.bucket, LifecycleConfiguration={"Rules": [rule]}
    )


def test_a_store_as_the_template_makes_it_can_be_restored_and_that_is_told(region: Region) -> None:
    keep_versions(region, 35)

    assert look(region.services, region.told.append, now=False)
    assert len(region.told) == 1
    assert region.told[0].startswith("Table, bucket and key can be restored from 20")


def test_each_thing_that_is_off_is_named(region: Region) -> None:
    keep_versions(region, 7)
    region.clients.s3.put_bucket_versioning(Bucket=region.store.bucket, VersioningConfiguration={"Status": "Suspended"})
    region.clients.kms.disable_key(KeyId=region.store.key_id)

    assert not look(region.services, region.told.append, now=False)
    assert "\n".join(region.told).count("WRONG") == 3
    for told in ("Versioning of the bucket", "for 7 days, fewer than the table", "The key is Disabled", "No restore"):
        assert any(told in line for line in region.told)

    region.clients.dynamodb.update_continuous_backups(
        TableName=region.store.table, PointInTimeRecoverySpecification={"PointInTimeRecoveryEnabled": False}
    )
    assert not look(region.services, region.told.append, now=False)
    assert any("Point-in-time recovery of the table" in line for line in region.told)
    with pytest.raises(NotFound, match="Point-in-time recovery"):
        restore_in_aws(region.services, "new/new", None, region.told.append)


def test_the_oldest_version_of_a_blob_bounds_the_time(region: Region) -> None:
    keep_versions(region, 7)
    later = datetime.now(UTC) + timedelta(days=30)

    found = AwsRecovery(region.store).state(later)

    assert found.since == later - timedelta(days=7)


def test_a_backup_of_the_table_is_started_when_asked_for(region: Region) -> None:
    assert look(region.services, region.told.append, now=True)

    (made,) = region.clients.dynamodb.list_backups(TableName=region.store.table)["BackupSummaries"]
    assert made.get("BackupArn", "") in "\n".join(region.told)


def test_a_restore_is_a_store_that_answers_with_the_blobs_that_were_there(region: Region) -> None:
    region.say("ada", "I live in Oslo.", LARGE)
    begin_window(region)
    new = f"{region.store.table}-new"

    restore_in_aws(region.services, f"{new}/{new}", None, region.told.append)

    assert region.history(region.opened(new)) == region.history(region.services)
    assert region.blobs(new) == region.blobs(region.store.bucket) != []
    assert any("1 blob," in line for line in region.told)
    assert any("point-in-time recovery nor deletion protection" in line for line in region.told)


@pytest.mark.parametrize(
    ("second", "there"), [(0, ""), (1, "a"), (5, "ab"), (6, "ab"), (7, "a"), (9, "ab"), (99, "ab")]
)
def test_versions_of_a_time_are_those_that_were_written_before_and_not_deleted_yet(second: int, there: str) -> None:
    """S3 tells the second alone: within that of a deletion the blob may have been named still."""
    start = datetime(2026, 3, 1, tzinfo=UTC)
    versions: list[dict[str, Any]] = [
        {"Key": key, "VersionId": f"{key}{at}", "LastModified": start + timedelta(seconds=at), **size}
        for key, at, size in (("a", 1, {"Size": 1}), ("b", 2, {"Size": 1}), ("b", 5, {}), ("b", 8, {"Size": 1}))
    ]

    assert "".join(sorted(blobs_at(versions, start + timedelta(seconds=second)))) == there


def test_a_user_who_was_erased_since_is_not_restored(region: Region, monkeypatch: pytest.MonkeyPatch) -> None:
    region.say("ada", "I live in Oslo.")
    region.say("bob", "I live in Rome.")
    new, told = f"{region.store.table}-new", region.told
    begin = AwsRecovery.begin

    def erased_since(recovery: AwsRecovery, place: AwsStore, at: datetime) -> None:
        begin(recovery, place, at)  # moto restores the table as it is now, with Ada and without what follows
        with region.services.journal.command(ACME, ERASE, Subject(user_id=UserId("ada"))):
            pass

    monkeypatch.setattr(AwsRecovery, "begin", erased_since)

    restore_in_aws(region.services, f"{new}/{new}", None, told.append)

    assert "Erased since: 0 tenants, 1 user" in "\n".join(told)
    assert "Oslo" not in region.history(region.opened(new))
    assert "Rome" in region.history(region.opened(new))
    assert (
        EraseUser(region.services, region.services.inventory, pause=lambda _: None)
        .run(DataScope(ACME, user=UserId("ada")))
        .shared_turns
    )


def test_only_a_new_table_and_a_bucket_without_blobs_are_restored_into(region: Region) -> None:
    region.say("ada", "I live in Oslo.", LARGE)
    name = region.store.table

    with pytest.raises(InvalidArgument, match="only an empty one is filled"):
        restore_in_aws(region.services, f"{name}-new/{name}", None, region.told.append)
    with pytest.raises(InvalidArgument, match="TABLE/BUCKET"):
        restore_in_aws(region.services, "only-a-table", None, region.told.append)
    with pytest.raises(InvalidArgument, match="--at"):
        restore_in_aws(region.services, "a/b", datetime(2020, 1, 1, tzinfo=UTC), region.told.append)


def test_a_drill_compares_and_deletes_what_it_made(region: Region) -> None:
    region.say("ada", "I live in Oslo.", LARGE)
    region.say("ada", "I like beans.")
    begin_window(region)
    new = f"{region.store.table}-new"

    assert drill_in_aws(region.services, f"{new}/{new}", region.told.append)

    assert region.told[-1] == "The backup is good."
    assert any("the same in the same order" in line for line in region.told)
    assert new not in region.tables()
    assert region.blobs(new) == []
    assert len(region.blobs(region.store.bucket)) == 1


def test_a_drill_that_is_refused_deletes_nothing(region: Region) -> None:
    region.say("ada", "I live in Oslo.", LARGE)
    begin_window(region)
    name = region.store.table
    kept = region.blobs(name)

    for place in (f"{name}/{name}", f"{name}/{name}-new"):
        with pytest.raises(CairnError):
            drill_in_aws(region.services, place, region.told.append)

    assert name in region.tables()
    assert region.blobs(name) == kept != []
    assert "Oslo" in region.history(region.services)


def test_a_drill_fails_where_a_blob_is_not_restored(region: Region, monkeypatch: pytest.MonkeyPatch) -> None:
    region.say("ada", "I live in Oslo.", LARGE)
    new, before = f"{region.store.table}-new", datetime.now(UTC) - timedelta(minutes=1)

    def state(*_: object) -> Recoverable:
        """Say that only a time before the blob can be restored, by more than the second that S3 tells."""
        return Recoverable(before, before, ())

    monkeypatch.setattr(AwsRecovery, "state", state)

    assert not drill_in_aws(region.services, f"{new}/{new}", region.told.append)

    assert any(line.startswith("  1 blob of the store NOT in the backup: ") for line in region.told)
    assert new not in region.tables()
