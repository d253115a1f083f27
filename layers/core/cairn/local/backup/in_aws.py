"""The backups that AWS keeps of a store there: look at them, restore one, and prove it by a drill."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime

from cairn.aws.recovery import AwsRecovery
from cairn.custody.erasures import digests_of, tenants_of
from cairn.ground.codec import rfc3339
from cairn.ground.errors import InvalidArgument, NotFound, SettingsError
from cairn.ground.ids import Tenant
from cairn.local.backup.comparison import Say, Side, compare
from cairn.local.backup.manifest import Manifest
from cairn.local.backup.restore import erase_again
from cairn.local.tables import counted
from cairn.services import Services
from cairn.settings.settings import AwsStore
from cairn.wiring import wiring_of

_LACKS = (
    "The table {table} has neither point-in-time recovery nor deletion protection, and its items do not expire: "
    "switch these on before you use it"
)


def look(services: Services, say: Say, *, now: bool) -> bool:
    """Tell from when on a restore is possible, with `now` back the table up, and return whether nothing is wrong."""
    store = _store(services)
    recovery = AwsRecovery(store)
    moment = services.adapters.clock.now()
    found = recovery.state(moment)
    for problem in found.problems:
        say(f"WRONG: {problem}")
    if found.since is None or found.until is None:
        say("No restore is possible.")
    else:
        say(f"Table, bucket and key can be restored from {rfc3339(found.since)} on, to {rfc3339(found.until)}.")
    if now:
        say(f"Started a backup of the table alone: {recovery.keep(f'{store.table}-{Manifest.named(moment)}')}")
        say("Blobs that are deleted later are not in it: it is whole as long as the bucket keeps their versions.")
    return not found.problems


def restore_in_aws(services: Services, to: str, at: datetime | None, say: Say) -> None:
    """Restore into the TABLE/BUCKET named, as of a time or as late as can be, without whom the store erased since."""
    place = _named(services, to)
    _finish(services, place, _begin(services, place, at), say)


def drill_in_aws(services: Services, to: str, say: Say) -> bool:
    """Restore into the TABLE/BUCKET named, compare that with the store, and delete it; return whether it is good."""
    place = _named(services, to)
    say(f"Drill of {rfc3339(services.adapters.clock.now())}, of the store in {_store(services).table}")
    moment = _begin(services, place, None)  # what is there already is no drill's to delete
    try:
        restored, tenants = _finish(services, place, moment, say)
        with services.inventory.snapshot() as state, restored.inventory.snapshot() as there:
            same = [
                compare(Side.of(services, state), Side.of(restored, there), tenant, say, strict=False)
                for tenant in tenants
            ]
    finally:
        AwsRecovery(_store(services)).discard(place)
    say("The backup is good." if all(same) else "The backup is NOT what the store holds.")
    return all(same)


def _begin(services: Services, place: AwsStore, at: datetime | None) -> datetime:
    """Begin a restore, and return as of when it is."""
    recovery = AwsRecovery(_store(services))
    found = recovery.state(services.adapters.clock.now())
    if found.since is None or found.until is None:
        raise NotFound("; ".join(found.problems))
    moment = at or found.until
    if not found.since <= moment <= found.until:
        raise InvalidArgument("--at", f"must be from {rfc3339(found.since)} to {rfc3339(found.until)}")
    recovery.begin(place, moment)
    return moment


def _finish(services: Services, place: AwsStore, moment: datetime, say: Say) -> tuple[Services, list[Tenant]]:
    """Return the services of what was restored, and its tenants."""
    store = _store(services)
    recovery = AwsRecovery(store)
    blobs = recovery.finish(place, moment)
    say(f"Restored {rfc3339(moment)} into the table {place.table} and the bucket {place.bucket}:")
    say(f"{counted(blobs, 'blob')}, each the bytes of its name")
    settings = replace(services.settings, store=place)
    restored = Services(settings, wiring_of(settings, for_operator=True))
    then, now = digests_of(recovery.keys(place.table)), digests_of(recovery.keys(store.table))
    gone, users = erase_again(restored, restored.inventory, services.adapters.table, (then, now), moment)
    erased = f"{counted(len(gone), 'tenant')}, {counted(len(users), 'user')}"
    say(f"Erased since: {erased}, by the store in {store.table}")
    say(_LACKS.format(table=place.table))
    return restored, [tenant for tenant in tenants_of(then) if tenant not in gone]


def _store(services: Services) -> AwsStore:
    store = services.settings.store
    if not isinstance(store, AwsStore):
        raise SettingsError("aws: CAIRN_TABLE, CAIRN_BUCKET and CAIRN_KEY_ID have to name the store, without --data")
    return store


def _named(services: Services, to: str) -> AwsStore:
    table, _, bucket = to.partition("/")
    if not table or not bucket:
        raise InvalidArgument("--to", "must be TABLE/BUCKET: a table that is not there yet, and a bucket without blobs")
    return AwsStore(table=table, bucket=bucket, key_id=_store(services).key_id)
