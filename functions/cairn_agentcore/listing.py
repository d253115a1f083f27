"""List events, the newest first, and the sessions and actors that have some."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final

from cairn.ground.codec import base64url, of_base64url
from cairn.ground.errors import InvalidArgument
from cairn_agentcore.event_ids import event_id, position_of
from cairn_agentcore.events import ACTORS, SESSIONS_PREFIX, log_of, place_of, told
from cairn_agentcore.fields import ListActorsInput, ListEventsInput, ListSessionsInput, MetadataFilter
from cairn_agentcore.names import actor_of
from cairn_agentcore.operation import Asked

MAIN: Final = "main"
"""The branch of events that name none."""
_MOST_DIGITS: Final = 6
_AT_ONCE: Final = 250
_MOST_READS: Final = 8
"""How often a page reads on where a filter lets little through; a client goes on by the token."""


@dataclass
class Walk:
    """A way back through a session's events: where it is, and which branches count from there on down."""

    before: int | None = None
    branches: set[str] = field(default_factory=set[str])
    roots: set[int] = field(default_factory=set[int])

    @classmethod
    def begun(cls, request: ListEventsInput) -> Walk:
        """Return the walk that a request begins, or goes on with; InvalidArgument for what is no token of one."""
        if request.next_token is None:
            branch = request.filter.branch
            return cls(branches=set() if branch is None else {branch.name})
        try:
            before, branches, roots = json.loads(of_base64url(request.next_token))
            return cls(int(before), {str(each) for each in branches}, {int(each) for each in roots})
        except (ValueError, TypeError, OverflowError, RecursionError):
            raise InvalidArgument("nextToken", "is not one that an answer gave") from None

    def token(self) -> str:
        """Return it as text."""
        told = [self.before, sorted(self.branches), sorted(self.roots)]
        return base64url(json.dumps(told).encode())

    def takes(self, position: int, branch: Mapping[str, str] | None, *, parents: bool) -> bool:
        """Tell whether an event is of a branch that counts; where parents count, so does what a branch left."""
        name = MAIN if branch is None else branch["name"]
        if position in self.roots:
            self.roots.discard(position)
            self.branches.add(name)
        if name not in self.branches:
            return False
        root = None if branch is None or not parents else branch.get("rootEventId")
        place = None if root is None else position_of(root)
        if place is not None:
            self.roots.add(place)
        return True


def list_events(request: ListEventsInput, asked: Asked) -> Mapping[str, Any]:
    """List the events of a session that match, the newest first."""
    branch, filters = request.filter.branch, request.filter.event_metadata
    walk = Walk.begun(request)
    found: list[Mapping[str, Any]] = []
    for _ in range(_MOST_READS):
        read = _read(request, asked, walk.before)
        for item in reversed(read["items"]):
            walk.before, data = item["position"], item["data"]
            is_taken = branch is None or walk.takes(
                item["position"], data.get("branch"), parents=branch.include_parent_branches
            )
            if is_taken and all(_matches(data.get("metadata", {}), each) for each in filters):
                found.append(_told(request, item))
            if len(found) == request.max_results:
                ended = item is read["items"][0] and not read["more"]
                return page_of({"events": found}, None if ended else walk.token())
        if not read["more"]:
            return {"events": found}
    return page_of({"events": found}, walk.token())


def list_sessions(request: ListSessionsInput, asked: Asked) -> Mapping[str, Any]:
    """List the sessions of an actor, by their ids."""
    page = asked.ask(
        "memory_list_item_logs",
        project=request.project,
        user_id=request.user,
        prefix=SESSIONS_PREFIX,
        limit=request.max_results,
        cursor=request.next_token,
    )
    with_events = request.filter.event_filter == "HAS_EVENTS"
    found = [
        {
            "sessionId": each["log"].removeprefix(SESSIONS_PREFIX),
            "actorId": request.actor_id,
            "createdAt": datetime.fromisoformat(each["created_at"]).timestamp(),
        }
        for each in page["logs"]
        if each["count"] or not with_events
    ]
    return page_of({"sessionSummaries": found}, page["cursor"])


def list_actors(request: ListActorsInput, asked: Asked) -> Mapping[str, Any]:
    """List the actors who have sessions, by name."""
    skip = 0 if request.next_token is None else _number(request.next_token)
    read = asked.ask(
        "memory_search_documents",
        project=request.project,
        user_id=asked.home,
        collection=list(ACTORS),
        limit=request.max_results,
        offset=skip,
        keys_only=True,
    )
    found = [{"actorId": actor_of(each["key"])} for each in read["documents"]]
    return page_of({"actorSummaries": found}, str(skip + len(found)) if read["more"] else None)


def page_of(body: Mapping[str, Any], following: str | None) -> Mapping[str, Any]:
    """Return a page as the service tells it, with the token by which to go on, None at the end."""
    return body if following is None else {**body, "nextToken": following}


def _read(request: ListEventsInput, asked: Asked, before: int | None) -> Mapping[str, Any]:
    is_filtered = request.filter.branch is not None or bool(request.filter.event_metadata)
    return asked.ask(
        "memory_read_items",
        project=request.project,
        user_id=request.user,
        log=log_of(request.session_id),
        before=before,
        limit=_AT_ONCE if is_filtered else request.max_results,
    )


def _told(request: ListEventsInput, item: Mapping[str, Any]) -> Mapping[str, Any]:
    data = item["data"]
    return told(
        place_of(request, event_id(data["timestamp"], item["position"])), data, payloads=request.include_payloads
    )


def _matches(metadata: Mapping[str, Mapping[str, str]], wanted: MetadataFilter) -> bool:
    key = wanted.left.metadata_key or ""
    if wanted.operator != "EQUALS_TO":
        return (key in metadata) == (wanted.operator == "EXISTS")
    value = None if wanted.right is None else wanted.right.metadata_value
    return value is not None and metadata.get(key) == {"stringValue": value.string_value}


def _number(token: str) -> int:
    if not (token.isascii() and token.isdecimal() and len(token) <= _MOST_DIGITS):
        raise InvalidArgument("nextToken", "is not one that an answer gave")
    return int(token)
