"""Store the `.abstract` and `.overview` of a session's directories."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from cairn.files import contents
from cairn.files.paths import root_of
from cairn.files.summaries import Contents, Directory, directories
from cairn.ground.codec import moment, rfc3339
from cairn.ground.damage import sound_or_none
from cairn.ground.errors import ResourceBusy, TransactionRefused
from cairn.ground.session import Session
from cairn.ground.table import Check, Key, Put
from cairn.sessions.layout import SUMMARIES, session_pk
from cairn.sessions.services import SessionServices
from cairn.sessions.sessions import Lease


@dataclass(frozen=True, slots=True)
class Abstracts:
    """The summaries of all directories as of their last refresh, and the facts that were believed then."""

    refreshed_at: datetime
    facts: list[str]
    abstracts: dict[str, str]
    overviews: dict[str, str]


@dataclass(frozen=True, slots=True)
class Description:
    """A directory's summary, short and long; both are empty or neither is.

    It is made when asked for, where it is not stored.
    """

    directory: Directory
    stored: Abstracts | None

    @property
    def path(self) -> str:
        """Return where it is."""
        return self.directory.path

    @property
    def abstract(self) -> str:
        """Return what is said in short."""
        return (self.stored and self.stored.abstracts.get(self.path)) or self.directory.abstract()

    @property
    def overview(self) -> str:
        """Return what is said at length."""
        return (self.stored and self.stored.overviews.get(self.path)) or self.directory.overview()

    @property
    def updated_at(self) -> datetime:
        """Return when what is there changed last."""
        return self.directory.updated_at


def descriptions(services: SessionServices, session: Session, held: Contents) -> list[Description]:
    """Return what is true of each directory now: the stored summaries while they are, else they are made anew."""
    last = stored(services, session)
    if last is not None and (last.facts != fact_ids(held) or last.refreshed_at < held.turns[-1].at):
        last = None
    return [Description(directory, last) for directory in directories(root_of(session), held)]


def stored(services: SessionServices, session: Session) -> Abstracts | None:
    """Return the stored summaries, None where none were made."""
    item = services.adapters.table.get(_where(session))
    return sound_or_none(
        services.adapters, item, lambda found: _abstracts(services.vault.unseal(session.tenant, found))
    )


def _abstracts(record: dict[str, Any]) -> Abstracts:
    return Abstracts(moment(record["refreshed_at"]), record["facts"], record["abstracts"], record["overviews"])


def fact_ids(held: Contents) -> list[str]:
    """Return which facts the session's summaries may speak of."""
    return sorted(fact.id for fact in held.facts)


def refresh(services: SessionServices, lease: Lease) -> int:
    """Make the summaries anew if the last refresh is long enough ago; return how many directories that is."""
    session, now = lease.session, services.adapters.clock.now()
    interval = timedelta(minutes=services.settings.memory_for(session.tenant).summary_refresh_interval_minutes)
    last = stored(services, session)
    if last is not None and now - last.refreshed_at < interval:
        return 0
    held = contents.read(services, session, contents.head_of(services, session) or lease.head)
    found = directories(root_of(session), held)
    record = {
        "refreshed_at": rfc3339(now),
        "facts": fact_ids(held),
        "abstracts": {directory.path: directory.abstract() for directory in found},
        "overviews": {directory.path: directory.overview() for directory in found},
    }
    where = _where(session)
    put = Put({"pk": where.pk, "sk": where.sk, **services.vault.seal(session.tenant, where, record)})
    try:
        services.adapters.table.transact([put, Check(lease.key(), lease.held())])
    except TransactionRefused as refused:
        raise ResourceBusy("the session was taken over by another call", {"resource": "session"}) from refused
    return len(found)


def _where(session: Session) -> Key:
    return Key(session_pk(session), SUMMARIES)
