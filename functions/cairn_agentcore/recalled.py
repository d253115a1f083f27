"""Records that memory learnt: facts, memories and words, as recall finds them and as their ids find them again."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any, Final

from cairn.ground.errors import NotFound
from cairn_agentcore.events import SESSIONS_PREFIX, log_of
from cairn_agentcore.names import actor_of, owner_digits, session_id_of, session_of, user_of
from cairn_agentcore.namespaces import About
from cairn_agentcore.operation import Asked
from cairn_agentcore.record_ids import Learnt, SaidPlace, found_id, session_digits
from cairn_agentcore.said import turns

STRATEGY: Final = "cairn"
"""The strategy by which memory learns: there is one, and nobody has to make it."""
_AT_ONCE: Final = 50
_MOST_KNOWN: Final = 500
_MOST_PAGES: Final = 100
_PAGE: Final = 100


def found(asked: Asked, project: str, whose: About, query: str, most: int) -> list[Mapping[str, Any]]:
    """Return what recall finds for a user, or in one of their sessions, the best first, without namespaces."""
    user = user_of(whose.actor_id)
    scope = "user" if whose.session_id is None else "session"
    told: list[Mapping[str, Any]] = []
    cursor: int | None = 0
    while cursor is not None and len(told) < most:
        answer = asked.ask(
            "recall",
            project=project,
            user_id=user,
            session_id=None if whose.session_id is None else session_of(user, whose.session_id),
            query=query,
            min_confidence=0,
            limit=min(_AT_ONCE, most - len(told)),
            cursor=cursor,
            recall_scope=scope,
            origin=True,
        )
        told += [_record(user, each) for each in answer["memories"]]
        cursor = answer["cursor"]
    return told


def known(asked: Asked, project: str, whose: About) -> list[Mapping[str, Any]]:
    """Return the facts and memories of a user, the facts first, without namespaces; 500 of each at most."""
    user = user_of(whose.actor_id)
    answer = asked.ask("memory_list_known", project=project, user_id=user, limit=_MOST_KNOWN)
    return [*(_fact(user, each) for each in answer["facts"]), *(_memory(user, each) for each in answer["memories"])]


def learnt(asked: Asked, project: str, source: Learnt | SaidPlace) -> Mapping[str, Any]:
    """Return the record of what memory learnt, with its namespace; NotFound where it is gone."""
    user = owner(asked, project, source.owner)
    if isinstance(source, SaidPlace):
        return _said(asked, project, user, source)
    whose = About(actor_of(user))
    for each in known(asked, project, whose):
        if each["memoryRecordId"] == found_id(user, source.id, ""):
            return {**each, "namespaces": [f"/facts/{whose.actor_id}"]}
    raise absent()


def forget(asked: Asked, project: str, source: Learnt) -> None:
    """Forget a fact or memory."""
    user = owner(asked, project, source.owner)
    asked.ask("forget", project=project, user_id=user, memory_id=source.id, reason="Its record was deleted")


def owner(asked: Asked, project: str, digits: str) -> str:
    """Return the user whom an id names by digits; NotFound where nobody of the project is named so."""
    for user in asked.call.caller.users or _users(asked, project):
        if owner_digits(user) == digits:
            return user
    raise absent()


def absent() -> NotFound:
    """Return the error that says that there is no such record."""
    return NotFound("There is no such memory record")


def _users(asked: Asked, project: str) -> Iterator[str]:
    cursor: str | None = ""
    for _ in range(_MOST_PAGES):
        if cursor is None:
            return
        page = asked.ask("memory_list_users", project=project, cursor=cursor, limit=_PAGE)
        yield from (each["user_id"] for each in page["users"])
        cursor = page["cursor"]


def _said(asked: Asked, project: str, user: str, place: SaidPlace) -> Mapping[str, Any]:
    session = _session(asked, project, user, place.session)
    read = asked.ask(
        "memory_read_items",
        project=project,
        user_id=user,
        log=log_of(session),
        before=place.position + 1,
        limit=1,
    )
    for item in read["items"]:
        said = turns(item["data"]["payload"])
        if item["position"] != place.position or place.turn >= len(said):
            continue
        words = said[place.turn].inputs if place.side == "i" else said[place.turn].outputs
        if place.number < len(words):
            identifier = f"{place.position:08x}-{place.turn}-{'in' if place.side == 'i' else 'out'}-{place.number}"
            named = found_id(user, f"0#{identifier}", session)
            where = [f"/summaries/{actor_of(user)}/{session}"]
            return {**_of(named, words[place.number]["content"], item["at"]), "namespaces": where}
    raise absent()


def _session(asked: Asked, project: str, user: str, digits: str) -> str:
    cursor: str | None = None
    for _ in range(_MOST_PAGES):
        page = asked.ask(
            "memory_list_item_logs",
            project=project,
            user_id=user,
            prefix=SESSIONS_PREFIX,
            limit=_PAGE,
            cursor=cursor,
        )
        for each in page["logs"]:
            session = each["log"].removeprefix(SESSIONS_PREFIX)
            if session_digits(session) == digits:
                return session
        cursor = page["cursor"]
        if cursor is None:
            break
    raise absent()


def _record(user: str, item: Mapping[str, Any]) -> Mapping[str, Any]:
    origin: Mapping[str, str | None] = item.get("origin", {})
    text = origin.get("words") or item["content"]
    named = found_id(user, item["id"], session_id_of(origin.get("session_id") or ""))
    return {**_of(named, text, item["timestamp"]), "score": item["score"]}


def _fact(user: str, fact: Mapping[str, Any]) -> Mapping[str, Any]:
    return _of(found_id(user, fact["id"], ""), f"{fact['about']}: {fact['value']}", fact["since"])


def _memory(user: str, memory: Mapping[str, Any]) -> Mapping[str, Any]:
    return _of(found_id(user, memory["id"], ""), memory["content"], memory["since"])


def _of(named: str, text: str, at: str) -> Mapping[str, Any]:
    return {
        "memoryRecordId": named,
        "content": {"text": text},
        "memoryStrategyId": STRATEGY,
        "createdAt": datetime.fromisoformat(at).timestamp(),
    }
