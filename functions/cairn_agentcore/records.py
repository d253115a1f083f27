"""Memory records: found and listed by namespace, what memory learnt and what clients made together."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from itertools import islice
from typing import Any, Final, TypeAlias

from cairn.edge import problems
from cairn.ground.errors import CairnError, InvalidArgument
from cairn_agentcore import kept, recalled
from cairn_agentcore.kept import Kept
from cairn_agentcore.namespaces import About, about, labels_of
from cairn_agentcore.operation import Asked
from cairn_agentcore.recalled import STRATEGY, absent
from cairn_agentcore.record_fields import (
    BatchCreateInput,
    BatchDeleteInput,
    BatchUpdateInput,
    ListRecordsInput,
    OfNamespace,
    OfRecord,
    RecordChanged,
    RecordFilter,
    RecordMade,
    RetrieveInput,
)
from cairn_agentcore.record_filters import matches
from cairn_agentcore.record_ids import Learnt, is_kept, kept_id, source_of

_DAY: Final = 86_400
_MOST_MARKS, _MARK_CHARACTERS = 32, 16
"""How many changes of a record are known again by their signatures, and by how much of each."""
_MOST_SKIPPED: Final = 10_000
_MOST_QUERY_BYTES: Final = 1000
Record: TypeAlias = Mapping[str, Any]


def retrieve(request: RetrieveInput, asked: Asked) -> Mapping[str, Any]:
    """Find records of a namespace, the best first."""
    criteria = request.search_criteria
    query, most = _cut(criteria.search_query), request.max_results or criteria.top_k
    skip = _skipped(request.next_token)
    wanted = min(criteria.top_k, skip + most + 1)
    find = partial(recalled.found, asked, request.project, query=query, most=wanted)
    found = _learnt(request, criteria.memory_strategy_id, criteria.metadata_filters, find)
    made = _made(request, asked, query, criteria.memory_strategy_id, criteria.metadata_filters)
    found += islice(made, criteria.top_k)
    ranked = sorted(found, key=lambda each: -each.get("score", 0.0))[: criteria.top_k]
    return _page(ranked, skip, most)


def list_records(request: ListRecordsInput, asked: Asked) -> Mapping[str, Any]:
    """List records of a namespace: what memory learnt, the latest first, and then what clients made."""
    skip, most = _skipped(request.next_token), request.max_results
    known = partial(recalled.known, asked, request.project)
    found = _learnt(request, request.memory_strategy_id, request.metadata_filters, known)
    made = _made(request, asked, "", request.memory_strategy_id, request.metadata_filters)
    found += islice(made, max(skip + most + 1 - len(found), 0))
    return _page(found, skip, most)


def get_record(request: OfRecord, asked: Asked) -> Mapping[str, Any]:
    """Tell of a record."""
    source = source_of(request.memory_record_id)
    if source is not None:
        return {"memoryRecord": recalled.learnt(asked, request.project, source)}
    return {"memoryRecord": _stored(request.memory_record_id, request.project, asked).told()}


def delete_record(request: OfRecord, asked: Asked) -> Mapping[str, Any]:
    """Delete a record that a client made, or forget what memory learnt."""
    _delete(request.memory_record_id, request.project, asked)
    return {"memoryRecordId": request.memory_record_id}


def batch_create(request: BatchCreateInput, asked: Asked) -> Mapping[str, Any]:
    """Make records, each once under the call's token; which ones failed, the answer says."""
    token = request.client_token or asked.signature or asked.random(16)
    days = request.record_expiry_specification.record_expiry_duration_days
    done = _Done()
    for each in request.records:
        named = kept_id(token, each.request_identifier)
        told = {"memoryRecordId": named, "requestIdentifier": each.request_identifier}
        record = _new(named, each, None if days is None else days * _DAY)
        done.run(told, partial(kept.make, asked, request.project, record))
    return done.told()


def batch_update(request: BatchUpdateInput, asked: Asked) -> Mapping[str, Any]:
    """Change records that clients made; which ones failed, the answer says."""
    days = request.record_expiry_specification.record_expiry_duration_days
    done = _Done()
    for each in request.records:
        told = {"memoryRecordId": each.memory_record_id}
        ttl = None if days is None else days * _DAY
        done.run(told, partial(_change, each, request.project, asked, ttl))
    return done.told()


def batch_delete(request: BatchDeleteInput, asked: Asked) -> Mapping[str, Any]:
    """Delete records; which ones failed, the answer says."""
    done = _Done()
    for each in request.records:
        named = each.memory_record_id
        done.run({"memoryRecordId": named}, partial(_delete, named, request.project, asked))
    return done.told()


class _Done:
    """What became of each record of a batch."""

    def __init__(self) -> None:
        self._succeeded: list[Record] = []
        self._failed: list[Record] = []

    def run(self, told: Mapping[str, str], change: Callable[[], None]) -> None:
        """Make a change; what is refused fails alone, what may succeed when told again fails the call."""
        try:
            change()
        except CairnError as error:
            if error.retryable:
                raise
            why = {"errorCode": problems.http_status(error), "errorMessage": error.message}
            self._failed.append({**told, "status": "FAILED", **why})
        else:
            self._succeeded.append({**told, "status": "SUCCEEDED"})

    def told(self) -> Mapping[str, Any]:
        return {"successfulRecords": self._succeeded, "failedRecords": self._failed}


def _learnt(
    request: OfNamespace,
    strategy: str | None,
    filters: Sequence[RecordFilter],
    read: Callable[[About], Sequence[Record]],
) -> list[Record]:
    """Return the records of what memory learnt of whom the namespace is about; they have no metadata."""
    whose = about(request.labels)
    if whose is None or strategy not in {None, STRATEGY} or not matches({}, filters):
        return []
    return [{**each, "namespaces": [request.namespace or request.namespace_path]} for each in read(whose)]


def _made(
    request: OfNamespace, asked: Asked, query: str, strategy: str | None, filters: Sequence[RecordFilter]
) -> Iterator[Record]:
    """Yield the records that clients made in the namespace, or below the path."""
    for each in kept.search(asked, request.project, request.labels, query):
        labels = labels_of(each["namespaces"][0])[: len(request.labels) if request.namespace is None else None]
        is_wanted = labels == request.labels and strategy in {None, each["memoryStrategyId"]}
        if is_wanted and matches(each.get("metadata", {}), filters):
            yield each


def _cut(query: str) -> str:
    """Return as much of a query as the tools take."""
    return query.encode()[:_MOST_QUERY_BYTES].decode("utf-8", "ignore")


def _page(found: list[Record], skip: int, most: int) -> Mapping[str, Any]:
    page: dict[str, Any] = {"memoryRecordSummaries": found[skip : skip + most]}
    return page | ({"nextToken": str(skip + most)} if len(found) > skip + most else {})


def _skipped(token: str | None) -> int:
    if token is None:
        return 0
    if not (token.isascii() and token.isdecimal() and int(token) <= _MOST_SKIPPED):
        raise InvalidArgument("nextToken", "is not one that an answer gave")
    return int(token)


def _new(named: str, made: RecordMade, ttl_seconds: int | None) -> Kept:
    namespace = made.namespaces[0] if made.namespaces else "/"
    value = {
        "namespace": namespace,
        "text": made.content.text,
        "strategy": made.memory_strategy_id or STRATEGY,
        "timestamp": made.timestamp,
    }
    metadata = {name: each.told() for name, each in (made.metadata or {}).items()}
    return Kept(named, namespace, value | ({"metadata": metadata} if metadata else {}), ttl_seconds=ttl_seconds)


def _stored(record_id: str, project: str, asked: Asked) -> Kept:
    found = kept.find(asked, project, record_id) if is_kept(record_id) else None
    if found is None:
        raise absent()
    return found


def _change(changed: RecordChanged, project: str, asked: Asked, ttl_seconds: int | None) -> None:
    if source_of(changed.memory_record_id) is not None:
        raise InvalidArgument("memoryRecordId", "is of what memory learnt: delete it, or say what is so now")
    old = _stored(changed.memory_record_id, project, asked)
    applied: list[str] = old.value.get("applied", [])
    mark = kept_id(asked.signature)[:_MARK_CHARACTERS]
    if asked.signature and mark in applied:
        return
    namespace = changed.namespaces[0] if changed.namespaces else old.namespace
    told: dict[str, Any] = {"namespace": namespace, "timestamp": changed.timestamp}
    if asked.signature:
        told["applied"] = [*applied[1 - _MOST_MARKS :], mark]
    if changed.content is not None:
        told["text"] = changed.content.text
    if changed.memory_strategy_id is not None:
        told["strategy"] = changed.memory_strategy_id
    if changed.metadata is not None:
        told["metadata"] = {name: each.told() for name, each in changed.metadata.items()}
    kept.change(asked, project, old, Kept(old.id, namespace, {**old.value, **told}, ttl_seconds=ttl_seconds))


def _delete(record_id: str, project: str, asked: Asked) -> None:
    source = source_of(record_id)
    if isinstance(source, Learnt):
        recalled.forget(asked, project, source)
    elif source is not None:
        raise InvalidArgument("memoryRecordId", "is of words in an event: delete the event")
    else:
        kept.delete(asked, project, _stored(record_id, project, asked))
