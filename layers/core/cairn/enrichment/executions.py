"""Record what tools did, sealed and for a limited time, and find the records that matter to a new call."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from itertools import islice
from typing import Any

from cairn.enrichment import layout as execution_layout
from cairn.enrichment.model import (
    ERROR_CHARACTERS,
    RESULT_CHARACTERS,
    ContextSummary,
    Execution,
    brief,
    execution_tags,
    pods_named,
    query_tags,
    ranked,
    redacted,
    text_summary,
)
from cairn.ground import codec
from cairn.ground.attributes import number
from cairn.ground.damage import sound
from cairn.ground.ids import Project, SessionId, Tenant, UserId, moment_of, time_ordered_id
from cairn.ground.session import Session
from cairn.ground.settings import EnrichmentSettings
from cairn.ground.table import Attributes, Key, Put, Query
from cairn.log.entries import Chunk
from cairn.log.layout import log_owner
from cairn.recall.searching import Search, Visibility
from cairn.sessions.open_logs import open_logs
from cairn.sessions.services import SessionServices

_RANDOM_BYTES = 10
_NEWEST = 32
"""How many of a tool's newest executions a look-up weighs: one page, whatever is stored."""
_TEXTS_SEARCHED = 16


@dataclass(frozen=True, slots=True)
class ExecutionScope:
    """Whose executions are meant; a project does not see those of another.

    `users` are those that the call is for, where they are known. It is told of their calls and of those for nobody; of
    all calls in the project where none are known, or with `is_shared`.
    """

    tenant: Tenant
    project: Project | None = None
    session_id: SessionId | None = None
    users: tuple[UserId, ...] = ()
    is_shared: bool = False

    def sees(self, users: Sequence[str]) -> bool:
        """Tell whether a call may be told of one that was for these users."""
        return self.is_shared or not self.users or not users or not set(users).isdisjoint(self.users)

    def partition(self, tool: str) -> str:
        """Return the partition of a tool's executions."""
        return execution_layout.executions_pk(self.tenant, self.project, tool)

    @property
    def session(self) -> Session | None:
        """Return the session, None where it is not known."""
        if self.project is None or self.session_id is None:
            return None
        return Session(self.tenant, self.project, self.session_id)


@dataclass(frozen=True, slots=True, kw_only=True)
class Ended:
    """A finished call, with its result or error; `extra` are further tags."""

    tool: str
    arguments: Mapping[str, Any] = field(repr=False)
    result: object = field(default=None, repr=False)
    error: str | None = field(default=None, repr=False)
    extra: Sequence[str] = ()


class Executions:
    """Records executions and finds those that matter to a call."""

    def __init__(self, services: SessionServices) -> None:
        """Work with these parts."""
        self._services = services

    def prepare(self, tenant: Tenant) -> None:
        """Get the tenant's key ready."""
        self._services.vault.prepare(tenant)

    def keep(self, scope: ExecutionScope, ended: Ended, settings: EnrichmentSettings) -> None:
        """Store a call that has ended."""
        now = self._services.adapters.clock.now()
        name = time_ordered_id(now, self._services.adapters.entropy.token(_RANDOM_BYTES))
        where = Key(scope.partition(ended.tool), execution_layout.execution_sk(name))
        outcome = ended.result if ended.error is None else ended.error
        content = {
            "session_id": scope.session_id,
            "users": list(scope.users),
            "failed": ended.error is not None,
            "tags": [*execution_tags(ended.tool, ended.arguments, outcome), *ended.extra],
            "args": redacted(ended.arguments),
            "result": None if ended.result is None else brief(ended.result, RESULT_CHARACTERS),
            "error": None if ended.error is None else brief(ended.error, ERROR_CHARACTERS),
            "at": codec.rfc3339(now),
        }
        until = now + timedelta(days=settings.retention_days)
        sealed = self._services.vault.seal(scope.tenant, where, content)
        item = {"pk": where.pk, "sk": where.sk, "expires_at": int(until.timestamp()), **sealed}
        self._services.adapters.table.put(Put(item))

    def relevant(
        self, scope: ExecutionScope, tool: str, arguments: Mapping[str, Any], settings: EnrichmentSettings
    ) -> Sequence[ContextSummary]:
        """Return up to `top_k` things that matter to a call; a hybrid look-up asks the conversation second."""
        tags = query_tags(tool, arguments)
        found: Sequence[ContextSummary] = ()
        if settings.mode in {"tool", "hybrid"}:
            now = self._services.adapters.clock.now()
            found = ranked(self._of_tool(scope, tool), tags, now, settings.top_k, pods_named(arguments))
        if settings.mode == "conversation" or (settings.mode == "hybrid" and not found):
            found = self._of_conversation(scope, tool, arguments, tags)
        return found[: settings.top_k]

    def _of_tool(self, scope: ExecutionScope, tool: str) -> list[Execution]:
        low, high = execution_layout.execution_range()
        query = Query(scope.partition(tool), low, high, descending=True, limit=_NEWEST)
        now = int(self._services.adapters.clock.now().timestamp())
        items = self._services.adapters.table.query(query).items
        there = (item for item in items if number(item, "expires_at", 0) > now)
        opened = sound(self._services.adapters, there, lambda item: self._opened(scope, tool, item))
        return [each for each in opened if each is not None]

    def _opened(self, scope: ExecutionScope, tool: str, item: Attributes) -> Execution | None:
        content = self._services.vault.unseal(scope.tenant, item)
        if not scope.sees(content.get("users", ())):
            return None
        name = execution_layout.execution_of(str(item["sk"]))
        return Execution(
            id=name,
            tool=tool,
            at=moment_of(name),
            session_id=content["session_id"],
            tags=tuple(content["tags"]),
            failed=content["failed"],
        )

    def _of_conversation(
        self, scope: ExecutionScope, tool: str, arguments: Mapping[str, Any], tags: Sequence[str]
    ) -> Sequence[ContextSummary]:
        """Return what the same session's conversation tells, never another's."""
        session = scope.session
        if session is None:
            return ()
        visibility = Visibility(session, log_owner(None, session.session_id), "session")
        owners = open_logs(self._services, visibility)
        said = " ".join((*tool.split("_"), *(tag.partition(":")[2] for tag in tags), *_words(arguments)))
        now = self._services.adapters.clock.now()
        with self._services.searcher.answering(visibility, Search(query=said, texts=owners, mode="text")) as answer:
            chunks = [answer.read(hit) for hit in islice(answer.hits(), _TEXTS_SEARCHED)]
        summaries = (text_summary(each, tags, now) for each in chunks if isinstance(each, Chunk))
        return sorted((each for each in summaries if each is not None), key=lambda each: -each.score)


def _words(arguments: Mapping[str, Any]) -> list[str]:
    return [value for value in arguments.values() if isinstance(value, str)]
