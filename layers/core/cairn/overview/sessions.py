"""List the conversations of a user or of a project, newest first, from the memory logs that tell of their turns.

A log says of each of its sessions when it began and went on, so that no index has to be kept at every turn. A project's
logs are opened in the order of their newest entries, as many as a page takes.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from functools import partial
from itertools import islice
from typing import TypeAlias

from cairn.ground.adapters import Pending
from cairn.ground.codec import moment, rfc3339
from cairn.ground.errors import InvalidArgument
from cairn.ground.ids import SessionId, UserId
from cairn.ground.paging import every
from cairn.ground.session import Session
from cairn.ground.table import Key, Query, prefix_range
from cairn.log.layout import USER_OWNER, registry_pk, registry_sk, user_of
from cairn.log.view import MemoryView
from cairn.overview.model import ListedSession, Page, Place
from cairn.overview.users import newest_entries
from cairn.sessions.head import sound_head
from cairn.sessions.services import SessionServices

MOST_LOGS = 2000
"""Among how many users, and sessions without one, a project's newest conversations are looked for."""
AT_ONCE = 16
"""How many logs are opened at once."""
OPENING_CHARACTERS = 80
_TICK = timedelta(milliseconds=1)
_Position: TypeAlias = tuple[datetime, str]


def sessions(
    services: SessionServices, where: Place, user: UserId | None, cursor: str, limit: int
) -> Page[ListedSession]:
    """Return the conversations behind the cursor; of a user those in which they spoke, with their own turns alone.

    InvalidArgument for what is no cursor, or where a user has to be named since the project has too many.
    """
    found = _Found(services, where, _position(cursor))
    if user is not None:
        found.open([f"{USER_OWNER}{user}"])
    else:
        found.open_newest(limit)
        found.open_others(limit)
    listed = found.listed()
    page = tuple(listed[:limit])
    return Page(page, _cursor(page[-1]) if len(listed) > limit else None)


class _Found:
    """The conversations of the logs that were opened, each put together from all of them."""

    def __init__(self, services: SessionServices, where: Place, before: _Position | None) -> None:
        self._services = services
        self._where = where
        self._before = before
        self._sessions: dict[SessionId, ListedSession] = {}
        self._opened: set[str] = set()

    def listed(self) -> list[ListedSession]:
        """Return those behind the cursor, newest first."""
        behind = (each for each in self._sessions.values() if self._before is None or _key(each) < self._before)
        return sorted(behind, key=_key, reverse=True)

    def open(self, owners: Sequence[str]) -> None:
        """Add what these logs tell; they are brought up to date at once."""
        log, where = self._services.log, (self._where.tenant, self._where.project)
        self._services.adapters.parallel([partial(log.refresh, *where, owner) for owner in owners])
        self._opened.update(owners)
        for owner in owners:
            with log.view(*where, owner) as view:
                for each in _of_view(view, user_of(owner)):
                    known = self._sessions.get(each.session_id)
                    self._sessions[each.session_id] = each if known is None else _together(known, each)

    def open_newest(self, limit: int) -> None:
        """Open the project's logs, newest first, until no other can have a conversation of the page."""
        left = by_age(self._services, self._where)
        while left:
            some, left = left[:AT_ONCE], left[AT_ONCE:]
            self.open([owner for _, owner in some])
            if left and sum(each.newest > left[0][0] + _TICK for each in self.listed()) > limit:
                return

    def open_others(self, limit: int) -> None:
        """Open the logs to which others spoke in the conversations of the page, as their heads say."""
        heads = [Pending(partial(self._owners, each.session_id)) for each in self.listed()[:limit]]
        self._services.adapters.parallel(heads)
        others = dict.fromkeys(owner for each in heads for owner in each.result if owner not in self._opened)
        self.open(list(others))

    def _owners(self, session: SessionId) -> tuple[str, ...]:
        head = sound_head(self._services.adapters, Session(self._where.tenant, self._where.project, session))
        return head.owners if head else ()


def by_age(services: SessionServices, where: Place) -> list[tuple[datetime, str]]:
    """Return a project's logs, the one with the newest entry first, each behind when that was made.

    InvalidArgument, which asks for a user, where there are too many.
    """
    prefix = registry_sk("")
    query = Query(registry_pk(where.tenant, where.project), *prefix_range(prefix))
    items = list(islice(every(services.adapters.table, query), MOST_LOGS + 1))
    if len(items) > MOST_LOGS:
        problem = f"is required, since the project has over {MOST_LOGS} users and sessions without one"
        raise InvalidArgument("user_id", problem)
    owners = [Key.of(item).sk.removeprefix(prefix) for item in items]
    newest = newest_entries(services, where, owners)
    return sorted(((at, owner) for at, owner in zip(newest, owners, strict=True) if at is not None), reverse=True)


def _of_view(view: MemoryView, user: UserId | None) -> Iterator[ListedSession]:
    for session in view.sessions():
        first, newest = view.span(session)
        yield ListedSession(
            session_id=session,
            users=() if user is None else (user,),
            begun=first.at,
            newest=newest.at,
            turns=view.turn_count(session),
            opening=_shortened(view.opening(session)),
        )


def _together(one: ListedSession, other: ListedSession) -> ListedSession:
    earlier, later = sorted((one, other), key=lambda each: each.begun)
    return replace(
        earlier,
        users=tuple(dict.fromkeys((*earlier.users, *later.users))),
        newest=max(one.newest, other.newest),
        turns=one.turns + other.turns,
    )


def _shortened(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= OPENING_CHARACTERS else f"{line[: OPENING_CHARACTERS - 1].rstrip()}…"


def _key(listed: ListedSession) -> _Position:
    return listed.newest, listed.session_id


def _cursor(listed: ListedSession) -> str:
    return f"{rfc3339(listed.newest)} {listed.session_id}"


def _position(cursor: str) -> _Position | None:
    if not cursor:
        return None
    at, _, session = cursor.partition(" ")
    try:
        return moment(at), session
    except ValueError:
        raise InvalidArgument("cursor", "is none that a page ended with") from None
