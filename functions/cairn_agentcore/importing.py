"""Keep the events that AWS's own service told, each once, as if its clients had sent them here."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from typing import Any, Final

from cairn.access.api_keys import ALL_PROJECTS
from cairn.access.callers import Caller
from cairn.conversation.items import message
from cairn.conversation.turns import Completion
from cairn.ground.errors import InvalidArgument
from cairn.ground.ids import Project, Tenant, TurnId, UserId, project, session_id
from cairn.ground.session import Session
from cairn.ground.trust import Trust
from cairn.services import Services
from cairn.tool.call import Call
from cairn.turns.after_turn import commit
from cairn_agentcore.catalog import OPERATIONS
from cairn_agentcore.event_ids import event_id
from cairn_agentcore.events import log_of, name_of, turn_id
from cairn_agentcore.names import actor_of, memory_of, project_of, session_of, user_of
from cairn_agentcore.operation import Asked
from cairn_agentcore.said import turns
from cairn_tools.memory_read_items import memory_read_items

_CREATE: Final = next(each for each in OPERATIONS if each.name == "CreateEvent")
_AT_ONCE: Final = 1000
_KEPT: Final = ("payload", "metadata")


class Importing:
    """Keeps events in the projects that their memories are, or all of them in one."""

    def __init__(
        self, services: Services, tenant: Tenant, into: Project | None = None, whose: UserId | None = None
    ) -> None:
        """Act for a tenant, and keep all events for one user where told."""
        caller = Caller(tenant, frozenset({"read", "write"}), "import", (ALL_PROJECTS,))
        self._asked = Asked(Call(caller, services), (memory_read_items,))
        self._into, self._whose = into, whose
        self._known: dict[tuple[str, str, str], dict[str, str]] = {}

    def project(self, event: Mapping[str, Any]) -> Project:
        """Return the project that an event is kept in; InvalidArgument where its memory's id is none."""
        return project(project_of(self._memory(event)))

    def user(self, event: Mapping[str, Any]) -> UserId:
        """Return the user that the event's actor is; InvalidArgument where none can be."""
        return self._whose or user_of(str(event.get("actorId")))

    def is_there(self, event: Mapping[str, Any]) -> bool:
        """Tell whether an event was kept before, here or by a client that gave its id as its token."""
        return name_of(str(event.get("eventId"))) in self._there(event)

    def keep(self, event: Mapping[str, Any]) -> None:
        """Keep an event under its id as its token; InvalidArgument for what is no event."""
        told: dict[str, object] = {name: event[name] for name in _KEPT if event.get(name)}
        told["payload"] = event.get("payload") or []
        told |= {"memoryId": self._memory(event), "actorId": actor_of(self.user(event))}
        told["sessionId"] = event.get("sessionId")
        told |= {"eventTimestamp": event.get("eventTimestamp"), "clientToken": event.get("eventId")}
        if event.get("branch"):
            told["branch"] = self._branch(event)
        kept = _CREATE.answer({**told, "extractionMode": "SKIP"}, self._asked.call, "")["event"]
        self._there(event)[name_of(str(event.get("eventId")))] = kept["eventId"]
        self._learn(self.project(event), self.user(event), kept)

    def _learn(self, project: Project, user: UserId, kept: Mapping[str, Any]) -> None:
        """Store what was said as turns of the time at which it was said."""
        call = self._asked.call
        session = Session(call.caller.tenant, project, session_id(session_of(user, kept["sessionId"])))
        at = datetime.fromtimestamp(kept["eventTimestamp"], UTC)
        for number, said in enumerate(turns(kept["payload"])):
            completion = Completion(
                turn_id=TurnId(turn_id(kept["eventId"], number)),
                inputs=tuple(message("user", each["content"]) for each in said.inputs),
                outputs=tuple(message("assistant", each["content"], "output_text") for each in said.outputs),
                user_id=user,
                at=at,
                most=Trust.IMPORT,
            )
            commit(call.services, session, completion)

    def _memory(self, event: Mapping[str, Any]) -> str:
        found = str(event.get("memoryId")) if self._into is None else memory_of(self._into)
        if found is None:
            raise InvalidArgument("project", "must be one that a memory's id can stand for: letters, digits, _ and -")
        return found

    def _branch(self, event: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return an event's branch, which leaves the event that is here what its root was there."""
        branch = event["branch"]
        root = branch.get("rootEventId")
        return branch if root is None else {**branch, "rootEventId": self._there(event).get(name_of(str(root)), root)}

    def _there(self, event: Mapping[str, Any]) -> dict[str, str]:
        """Return the ids that the events of an event's session have here, by the names that their ids there give."""
        where = (self.project(event), self.user(event), str(event.get("sessionId")))
        if where not in self._known:
            self._known[where] = dict(self._read(*where))
        return self._known[where]

    def _read(self, project: str, user: str, session_id: str) -> Iterator[tuple[str, str]]:
        before: int | None = None
        while True:
            read = self._asked.ask(
                "memory_read_items",
                project=project,
                user_id=user,
                log=log_of(session_id),
                before=before,
                limit=_AT_ONCE,
            )
            yield from ((each["id"], event_id(each["data"]["timestamp"], each["position"])) for each in read["items"])
            if not read["more"]:
                return
            before = read["items"][0]["position"]
