"""search and get_all: what is known of those whom a filter names, ranked against a question or the newest first."""

from __future__ import annotations

from collections.abc import Mapping
from operator import itemgetter
from typing import Any, Final

from cairn.ground.errors import InvalidArgument
from cairn.ground.ids import UserId
from cairn.memories.model import MAX_QUERY_BYTES
from cairn_mem0.asked import Asked, number, taken, text
from cairn_mem0.entities import NAMES, Entity
from cairn_mem0.entries import MOST, TYPE, Entry, known_of, told_of
from cairn_mem0.filters import Filter
from cairn_mem0.owners import meant

_BOTH: Final = frozenset({*NAMES, "filters", "fields", "latest_only"})
_SEARCH: Final = _BOTH | {"query", "top_k", "limit", "threshold"}
_LIST: Final = _BOTH | {"page", "page_size", "start_date", "end_date"}
_PASSED_OVER: Final = frozenset(
    {"output_format", "version", "source", "org_id", "project_id", "rerank", "keyword_search", "show_expired"}
)
"""What changes no outcome here: shapes of older answers, ways to rank, and what expired, since nothing does."""
_PAGES: Final = 4
_PAGE: Final = 50
_USUAL_TOP: Final = 10
_USUAL_PAGE: Final = 100


def search(asked: Asked) -> dict[str, Any]:
    """Return the memories that answer a question best, each with how likely it does."""
    given = taken(asked.body, _SEARCH, _PASSED_OVER)
    query, top = text(given, "query"), number(given, "top_k", number(given, "limit", _USUAL_TOP, 1000), 1000)
    if query is None:
        raise InvalidArgument("query", "is required")
    least, (owners, wanted) = _threshold(given), meant(asked, given, *_others(given))
    found = [each for owner in owners for each in _found(asked, owner, query, wanted, top)]
    best = sorted((each for each in found if each["score"] >= least), key=itemgetter("score"), reverse=True)
    return {"results": [_shown(given, each) for each in best[:top]]}


def get_all(asked: Asked) -> dict[str, Any]:
    """Return a page of what is known, the newest first."""
    given = taken({**asked.query, **asked.body}, _LIST, _PASSED_OVER)
    page, size = number(given, "page", 1, 10_000), number(given, "page_size", _USUAL_PAGE, 1000)
    owners, wanted = meant(asked, given, *_others(given))
    answers = [asked.asking("memory_list_known", user_id=owner.user, limit=MOST) for owner in owners]
    asked.together(*answers)
    listed = [
        each for owner, answer in zip(owners, answers, strict=True) for each in known_of(owner.user, answer.result)
    ]
    listed.sort(key=lambda each: each.moment, reverse=True)
    first = (page - 1) * size
    if wanted.is_owner_alone:
        count, some = len(listed), told_of(asked, listed[first : first + size])
    else:
        matching = [each for each in told_of(asked, listed) if wanted.matches(each)]
        count, some = len(matching), matching[first : first + size]
    return {
        "count": count,
        "next": _place(page + 1, size) if first + size < count else None,
        "previous": _place(page - 1, size) if page > 1 else None,
        "results": [_shown(given, each) for each in some],
    }


def _found(asked: Asked, owner: Entity, query: str, wanted: Filter, top: int) -> list[dict[str, Any]]:
    """Return the best of one owner that match, with their scores."""
    user, cursor, found, by_id = owner.user, 0, list[dict[str, Any]](), dict[str, Entry]()
    known = asked.asking("memory_list_known", user_id=user, limit=MOST)
    for _ in range(_PAGES):
        asks = {"query": _cut(query), "type": TYPE, "min_confidence": 0.0, "limit": _PAGE, "cursor": cursor}
        answer = asked.asking("recall", user_id=user, **asks)
        asked.together(answer, *([] if cursor else [known]))
        by_id = by_id or {each.id: each for each in known_of(user, known.result)}
        hits = [each for each in answer.result["memories"] if _is_own(each)]
        entries = [by_id.get(each["id"]) or _unlisted(user, each) for each in hits]
        scores = {each["id"]: each["score"] for each in hits}
        for entry, told in zip(entries, told_of(asked, entries), strict=True):
            if wanted.matches(told):
                found.append({**told, "score": scores[entry.id]})
        cursor = answer.result["cursor"] or 0
        if not cursor or len(found) >= top:
            break
    return found


def _is_own(hit: Mapping[str, Any]) -> bool:
    """Tell whether what was found is the user's own: a fact, or what was kept for them and no session or project."""
    return hit["source"].startswith("fact:") or hit["id"][:1] in {"u", "e"}


def _unlisted(user: UserId | str, hit: Mapping[str, Any]) -> Entry:
    """Return a memory that is older than those that are listed."""
    return Entry(user=user, id=hit["id"], memory=hit["content"], at=hit["timestamp"])


def _others(given: Mapping[str, object]) -> list[dict[str, Any]]:
    """Return the conditions that options beside the filter make."""
    if given.get("latest_only") not in (None, True):
        raise InvalidArgument("latest_only", "must be true: what was replaced is in the history alone")
    named = (("gte", "start_date"), ("lte", "end_date"))
    times = {operator: value for operator, name in named if (value := text(given, name)) is not None}
    return [{"created_at": times}] if times else []


def _threshold(given: Mapping[str, object]) -> float:
    value = given.get("threshold", 0.0)
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise InvalidArgument("threshold", "must be a number")
    return float(value)


def _shown(given: Mapping[str, object], told: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields that a call asked for, all where it named none."""
    fields = given.get("fields")
    if fields is None:
        return dict(told)
    if not isinstance(fields, list) or not fields:
        raise InvalidArgument("fields", "must be a list of names")
    return {name: value for name, value in told.items() if name in fields}


def _cut(query: str) -> str:
    """Return as much of a question as recall takes."""
    return query.encode("utf-8", "replace")[:MAX_QUERY_BYTES].decode("utf-8", "ignore")


def _place(page: int, size: int) -> str:
    return f"/v3/memories/?page={page}&page_size={size}"
