"""Google's Agent Development Kit: a session service that keeps sessions, events and state as documents."""

from __future__ import annotations

import json
from asyncio import to_thread
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from typing import Any, Final
from uuid import uuid4

from google.adk.errors import StaleSessionError
from google.adk.errors.already_exists_error import AlreadyExistsError
from google.adk.errors.session_not_found_error import SessionNotFoundError
from google.adk.events.event import Event
from google.adk.platform.time import get_time
from google.adk.platform.uuid import new_uuid
from google.adk.sessions.base_session_service import BaseSessionService, GetSessionConfig, ListSessionsResponse
from google.adk.sessions.session import Session
from google.adk.sessions.state import State
from pydantic_core import to_jsonable_python

from cairn.client.documents import Document, Documents
from cairn.client.memory import Memory
from cairn.client.settling import settled
from cairn.frameworks.long_texts import Text, all_of, parts_of, put, replace, text_at, texts
from cairn.frameworks.named_documents import Name, name_of, pages, remove
from cairn.ground.errors import Conflict, Unavailable

_ATTEMPTS: Final = 10
_DIGITS: Final = 16


class CairnSessionService(BaseSessionService):
    """Documents of a Cairn memory as ADK's session service: a session's are its user's, an app's state the project's.

    An app is a Cairn project, unless `project` names one for all apps. An event, the session's state and the user's are
    stored in one transaction, up to 1.5 MB; the app's state right after it.
    """

    def __init__(self, memory: Memory, *, project: str | None = None, collection: str = "adk-sessions") -> None:
        """Take the memory, whose user is of no matter here, and under which collection all is kept."""
        self._memory = memory
        self._project = project
        self._root = collection

    async def create_session(
        self, *, app_name: str, user_id: str, state: dict[str, Any] | None = None, session_id: str | None = None
    ) -> Session:
        """Store a new session; AlreadyExistsError where the user has one of this id."""
        name = (session_id or "").strip() or new_uuid()
        session = Session(app_name=app_name, user_id=user_id, id=name, last_update_time=get_time())
        return await settled(partial(self._create, session, _Deltas.of(state or {})))

    async def get_session(
        self, *, app_name: str, user_id: str, session_id: str, config: GetSessionConfig | None = None
    ) -> Session | None:
        """Return a session with its events, all or as many as are asked for; None where there is none."""
        config = config or GetSessionConfig()
        return await to_thread(self._get, self._place(app_name, user_id), session_id.strip(), config)

    async def list_sessions(self, *, app_name: str, user_id: str | None = None) -> ListSessionsResponse:
        """Return the sessions of a user, or of all, without their events, the one that changed last at the end."""
        return ListSessionsResponse(sessions=await to_thread(self._list, app_name, user_id))

    async def delete_session(self, *, app_name: str, user_id: str, session_id: str) -> None:
        """Remove a session and its events, if it is there; what state the user and the app have stays."""
        await settled(partial(self._delete, self._place(app_name, user_id), session_id.strip()))

    async def get_user_state(self, *, app_name: str, user_id: str) -> dict[str, Any]:
        """Return the state of a user, whose names have no prefix."""
        return await to_thread(self._user_state, self._place(app_name, user_id))

    async def append_event(self, session: Session, event: Event) -> Event:
        """Store an event and what it changes of the state; one that comes again is stored once.

        StaleSessionError where another event was stored since the session was read, SessionNotFoundError where it is
        not there. Partial events are not stored, nor is state whose name begins with `temp:`.
        """
        if event.partial or any(each == event for each in session.events if each.id == event.id):
            return event
        self._apply_temp_state(session, event)
        event = self._trim_temp_delta_state(event)
        # What is known of the stored session, as ADK's own service over a database keeps it.
        known = session._storage_update_marker  # pyright: ignore[reportPrivateUsage] # noqa: SLF001
        place = self._place(session.app_name, session.user_id)
        revision = await settled(partial(self._append, place, session, event, known))
        _mark(session, revision)
        session.last_update_time = event.timestamp
        return self._commit_event_to_session(session, event)

    def _user_state(self, place: _Place) -> dict[str, Any]:
        return _state(place.documents, place.state_of("user"))

    def _create(self, session: Session, deltas: _Deltas) -> Session:
        place, head = self._place(session.app_name, session.user_id), _Head.new(session, deltas.session)
        place.users.put(*place.known(), {"user": json.dumps(session.user_id)}, index=False)
        for _ in range(_ATTEMPTS):
            stored, state = place.read(session.id)
            if stored is not None:
                raise AlreadyExistsError(f"Session with id {session.id} already exists.")
            if place.write([], head, None, state, deltas.user):
                _merge(place.users, place.state_of("app"), deltas.app)
                session.state = place.merged(head, state.told | deltas.user)
                return _mark(session, head.revision)
        raise Unavailable("The state is being changed again and again; try later")

    def _append(self, place: _Place, session: Session, event: Event, known: str | None) -> str:
        """Store an event and the state it changes, and return what the stored session is known by then."""
        deltas = _Deltas.of(event.actions.state_delta if event.actions else {})
        for _ in range(_ATTEMPTS):
            stored, state = place.read(session.id)
            if stored is None:
                raise SessionNotFoundError(f"Session {session.id} not found.")
            document, head = stored
            is_stale = head.time > session.last_update_time if known is None else head.revision != known
            if is_stale and place.newest(head) != event:
                raise StaleSessionError("The session was changed in storage since it was read: read it again.")
            new = head if is_stale else head.after(event, deltas.session)
            if is_stale or place.write([place.event(head, event)], new, document, state, deltas.user):
                _merge(place.users, place.state_of("app"), deltas.app)
                return new.revision
        raise Unavailable("The state is being changed again and again; try later")

    def _get(self, place: _Place, session_id: str, config: GetSessionConfig) -> Session | None:
        stored, state = place.read(session_id)
        if stored is None:
            return None
        head, most = stored[1], config.num_recent_events
        events = place.events(head, head.count if most is None else min(most, head.count))
        if config.after_timestamp is not None:
            early = [at for at, event in enumerate(events) if event.timestamp < config.after_timestamp]
            events = events[early[-1] + 1 :] if early else events
        return place.session(head, place.merged(head, state.told), events)

    def _list(self, app_name: str, user_id: str | None) -> list[Session]:
        if user_id is not None:
            return _in_order(self._of_user(self._place(app_name, user_id)))
        everyone = self._place(app_name, "")
        users = [json.loads(each.value["user"]) for each in pages(everyone.users, everyone.known()[0])]
        return _in_order(session for user in users for session in self._of_user(self._place(app_name, user)))

    def _of_user(self, place: _Place) -> Iterator[Session]:
        found = list(pages(place.documents, place.sessions()))
        state = _state(place.documents, place.state_of("user")) if found else {}
        app = _state(place.users, place.state_of("app")) if found else {}
        for text in texts(place.documents, found):
            if text is not None:
                head = _Head(**json.loads(text))
                yield place.session(head, _together(head.state, state, app), [])

    def _delete(self, place: _Place, session_id: str) -> None:
        stored = place.documents.get(*place.head(session_id))
        if stored is not None:
            remove(place.documents, [place.head(session_id), *parts_of(stored)])
            events = list(pages(place.documents, place.events_of(session_id)))
            remove(place.documents, [name for one in events for name in all_of(one)])

    def _place(self, app_name: str, user_id: str) -> _Place:
        project = self._project or app_name
        # All users' documents are the project's own; only whose sessions there are and the app's state is there.
        users = self._memory.documents(project=project, user=None)
        documents = self._memory.documents(project=project, user=user_id) if user_id else users
        return _Place(documents, users, self._root, app_name, user_id)


@dataclass(frozen=True, slots=True)
class _Deltas:
    """State by whose it is: the app's, the user's, the session's; what is temporary is nobody's."""

    app: dict[str, Any]
    user: dict[str, Any]
    session: dict[str, Any]

    @classmethod
    def of(cls, state: Mapping[str, Any]) -> _Deltas:
        plain: dict[str, Any] = to_jsonable_python(dict(state))
        app, user = (
            {key.removeprefix(prefix): value for key, value in plain.items() if key.startswith(prefix)}
            for prefix in (State.APP_PREFIX, State.USER_PREFIX)
        )
        others = (State.APP_PREFIX, State.USER_PREFIX, State.TEMP_PREFIX)
        return cls(app, user, {key: value for key, value in plain.items() if not key.startswith(others)})


@dataclass(frozen=True, slots=True)
class _Head:
    """What is stored of a session beside its events."""

    id: str
    state: dict[str, Any]
    time: float
    count: int
    revision: str

    @classmethod
    def new(cls, session: Session, state: dict[str, Any]) -> _Head:
        return cls(session.id, state, session.last_update_time, 0, uuid4().hex)

    def after(self, event: Event, state: Mapping[str, Any]) -> _Head:
        return _Head(self.id, {**self.state, **state}, event.timestamp, self.count + 1, uuid4().hex)


@dataclass(frozen=True, slots=True)
class _State:
    """The state of a user or an app as it is stored."""

    document: Document | None
    told: dict[str, Any]


@dataclass(frozen=True, slots=True)
class _Place:
    """Where the sessions of a user in an app are."""

    documents: Documents
    users: Documents
    root: str
    app: str
    user: str

    def sessions(self) -> tuple[str, ...]:
        return self.root, "sessions", name_of(self.app)

    def head(self, session_id: str) -> Name:
        return self.sessions(), name_of(session_id)

    def events_of(self, session_id: str) -> tuple[str, ...]:
        return self.root, "events", name_of(self.app), name_of(session_id)

    def state_of(self, whose: str) -> Name:
        return (self.root, "state", name_of(self.app)), whose

    def known(self) -> Name:
        return (self.root, "users", name_of(self.app)), name_of(self.user)

    def read(self, session_id: str) -> tuple[tuple[Document, _Head] | None, _State]:
        """Return a session without its events, None where there is none, and the user's state."""
        for _ in range(_ATTEMPTS):
            names = [self.head(session_id), self.state_of("user")]
            found = self.documents.get_all(names)
            there = [each for each in found if each is not None]
            told = dict(zip((each.key for each in there), texts(self.documents, there), strict=True))
            if None in told.values():
                continue
            read: list[Any] = [None if each is None else json.loads(told[each.key] or "") for each in found]
            head = None if found[0] is None else (found[0], _Head(**read[0]))
            return head, _State(found[1], read[1] or {})
        raise Unavailable("It is being replaced again and again; try later")

    def write(
        self, events: Sequence[Text], head: _Head, old: Document | None, state: _State, user: Mapping[str, Any]
    ) -> bool:
        """Store events, the user's state where it changed and a session's head; False where another was faster."""
        version = 0 if old is None else old.version
        last = Text(name=self.head(head.id), text=json.dumps(asdict(head)), if_version=version)
        states = [_changed(self.state_of("user"), state, user)] if user else []
        changes = [change for text in (*events, *states, last) for change in text.changes()]
        try:
            put(self.documents, changes, replaced=[*parts_of(old), *(parts_of(state.document) if user else ())])
        except Conflict:
            return False
        return True

    def event(self, head: _Head, event: Event) -> Text:
        name = (self.events_of(head.id), f"{head.count:0{_DIGITS}}")
        return Text(name=name, text=event.model_dump_json(exclude_none=True))

    def events(self, head: _Head, most: int) -> list[Event]:
        """Return the newest events of a session as it was when its head was read."""
        found = self.documents.search(self.events_of(head.id), limit=most, offset=head.count - most) if most else ()
        return [Event.model_validate_json(text) for text in texts(self.documents, found) if text is not None]

    def newest(self, head: _Head) -> Event | None:
        return next(iter(self.events(head, min(1, head.count))), None)

    def merged(self, head: _Head, user: Mapping[str, Any]) -> dict[str, Any]:
        return _together(head.state, user, _state(self.users, self.state_of("app")))

    def session(self, head: _Head, state: dict[str, Any], events: list[Event]) -> Session:
        told = Session(
            app_name=self.app, user_id=self.user, id=head.id, state=state, events=events, last_update_time=head.time
        )
        return _mark(told, head.revision)


def _mark(session: Session, revision: str) -> Session:
    """Note in a session what the stored one is known by, as ADK's service over a database does."""
    session._storage_update_marker = revision  # pyright: ignore[reportPrivateUsage] # noqa: SLF001
    return session


def _state(documents: Documents, name: Name) -> dict[str, Any]:
    found = text_at(documents, name)
    return {} if found is None else json.loads(found[1])


def _merge(documents: Documents, name: Name, changed: Mapping[str, Any]) -> None:
    """Store what changed of a state that others may change meanwhile."""
    for _ in range(_ATTEMPTS if changed else 0):
        found = text_at(documents, name)
        state = _State(None, {}) if found is None else _State(found[0], json.loads(found[1]))
        if replace(documents, _changed(name, state, changed), old=state.document):
            return
    if changed:
        raise Unavailable("The state is being changed again and again; try later")


def _changed(name: Name, state: _State, changed: Mapping[str, Any]) -> Text:
    version = 0 if state.document is None else state.document.version
    return Text(name=name, text=json.dumps({**state.told, **changed}), if_version=version)


def _together(session: Mapping[str, Any], user: Mapping[str, Any], app: Mapping[str, Any]) -> dict[str, Any]:
    """Return the state of a session with its app's and its user's, whose names have their prefixes."""
    of_app = {State.APP_PREFIX + name: value for name, value in app.items()}
    return {**session, **of_app, **{State.USER_PREFIX + name: value for name, value in user.items()}}


def _in_order(sessions: Iterable[Session]) -> list[Session]:
    return sorted(sessions, key=lambda session: (session.last_update_time, session.user_id, session.id))
