"""List the users of a project, by name."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from datetime import UTC, datetime, timedelta
from functools import partial

from cairn.ground.adapters import Pending
from cairn.ground.damage import sound_or_none
from cairn.ground.ids import UserId
from cairn.ground.paging import every
from cairn.ground.table import Key, Query, prefix_range
from cairn.log.layout import NEWEST, USER_OWNER, log_pk, log_sk, logged_at, registry_pk, registry_sk
from cairn.log.newest import Newest
from cairn.overview.model import ListedUser, Page, Place, first_of
from cairn.sessions.services import SessionServices

_BEHIND = "\x01"
_EPOCH = datetime.fromtimestamp(0, UTC)


def users(
    services: SessionServices, where: Place, only: Collection[UserId], after: str, limit: int
) -> Page[ListedUser]:
    """Return the users behind `after` of whom something is stored; of `only` these, where any are named.

    A page may be shorter than its limit: of whom nothing is left is left out. Two rounds.
    """
    named = sorted(each for each in only if each > after) if only else _known(services, where, after)
    page = first_of(named, limit)
    newest = newest_entries(services, where, [f"{USER_OWNER}{user}" for user in page.listed])
    listed = (ListedUser(UserId(user), at) for user, at in zip(page.listed, newest, strict=True) if at is not None)
    return Page(tuple(listed), page.next)


def newest_entries(services: SessionServices, where: Place, owners: Iterable[str]) -> list[datetime | None]:
    """Return when each of these logs got its newest entry, None where it never got one; all at once."""
    reads = [Pending(partial(_newest, services, log_pk(where.tenant, where.project, owner))) for owner in owners]
    services.adapters.parallel(reads)
    return [each.result for each in reads]


def _newest(services: SessionServices, pk: str) -> datetime | None:
    table = services.adapters.table
    found = sound_or_none(services.adapters, table.get(Key(pk, NEWEST)), Newest.of)
    if found is not None:
        return _EPOCH + timedelta(milliseconds=found.made)
    # A log that came in a bundle says so only from its next entry on.
    newest = table.query(Query(pk, *prefix_range(log_sk("")), descending=True, limit=1)).items
    return logged_at(Key.of(newest[0]).sk) if newest else None


def _known(services: SessionServices, where: Place, after: str) -> Iterable[str]:
    begins = registry_sk(USER_OWNER)
    low, high = prefix_range(begins)
    if after:
        low = f"{begins}{after}{_BEHIND}"
    found = every(services.adapters.table, Query(registry_pk(where.tenant, where.project), low, high))
    return (Key.of(item).sk.removeprefix(begins) for item in found)
