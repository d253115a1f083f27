"""What memory tells a tool before it runs, and what it keeps of the run; it never fails a call nor holds one up long.

`AutoMemorySystem` is the same for other people's tools: docs/how-to/enrich-your-tools.md.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Final, Generic, TypeVar

from pydantic import BaseModel

from cairn.edge.guard import within
from cairn.enrichment.executions import Ended, Executions, ExecutionScope
from cairn.enrichment.model import ContextSummary, packaged
from cairn.ground import ids
from cairn.ground.errors import CairnError, Unavailable
from cairn.ground.ids import Project, Tenant, UserId
from cairn.ground.settings import EnrichmentSettings
from cairn.services import Services
from cairn.telemetry.record import EnrichmentOutcome, note_enrichment

T = TypeVar("T")
FIELD: Final = "memory_context"
_ADVICE: Final = {"findings": {"__all__": {"hint"}}}
"""What is not kept of an answer: advice is not what was met, and repeats what memory told."""
_LATENCY_STEP: Final = 50
_WAITED: Final = 0.95
"""The share of `timeout_ms` that is waited; the rest is for threads to start and wake up on a busy machine."""
_logger = logging.getLogger("cairn")


@dataclass(frozen=True, slots=True)
class _Attempt(Generic[T]):
    outcome: EnrichmentOutcome
    result: T | None = None


@dataclass(frozen=True, slots=True)
class LookUp:
    """What a look-up found, how it ended and the milliseconds it took."""

    outcome: EnrichmentOutcome
    found: Sequence[ContextSummary] = ()
    milliseconds: float = 0.0


NOT_ELIGIBLE: Final = LookUp("not-eligible")


class AutoMemorySystem:
    """What earlier calls tell of a new one, for one tenant and project; whatever the store does, its calls return."""

    def __init__(
        self,
        services: Services,
        tenant: Tenant,
        project: Project | None = None,
        config: EnrichmentSettings | None = None,
        users: tuple[UserId, ...] = (),
    ) -> None:
        """Work as the deployment's settings say, or as `config` does, for these users where they are known."""
        self._executions = Executions(services)
        self._tenant = tenant
        self._project = project
        self._users = users
        self._is_shared = project is not None and services.settings.memory_for(tenant).shares(project)
        self.config = config or services.settings.enrichment
        self._most_ms = _WAITED * self.config.timeout_ms

    def initialize(self) -> None:
        """Get the tenant's key ready, so that the first look-up is as fast as any; where that fails, it is not."""
        if self.config.enabled:
            self._bounded(self._most_ms, partial(self._executions.prepare, self._tenant))

    def retrieve_relevant_context(
        self, tool_name: str, args: Mapping[str, Any], session_id: str | None
    ) -> Sequence[ContextSummary]:
        """Return up to `top_k` things that matter, best first; nothing on failure, or after `timeout_ms`."""
        return self.look_up(tool_name, args, session_id).found

    def look_up(self, tool_name: str, args: Mapping[str, Any], session_id: str | None) -> LookUp:
        """Do the same and tell how that ended."""
        config = self.config
        if not config.enabled or tool_name not in config.tools:
            return NOT_ELIGIBLE
        started = time.monotonic()
        attempt = self._bounded(
            self._most_ms,
            lambda: self._executions.relevant(self._scope(session_id), tool_name, args, config),
        )
        found = attempt.result or ()
        if attempt.outcome == "success":
            _logger.info("Found %d relevant memories", len(found))
        return LookUp(attempt.outcome, found, (time.monotonic() - started) * 1000)

    def record(  # noqa: PLR0913 - a call, how it ended and what it was told
        self,
        tool_name: str,
        args: Mapping[str, Any],
        session_id: str | None,
        *,
        result: object = None,
        error: str | None = None,
        looked_up: LookUp = NOT_ELIGIBLE,
    ) -> None:
        """Keep a call that has ended, masked and cut short; in what the look-up has left of `timeout_ms`."""
        if not self.config.enabled:
            return
        ended = Ended(tool=tool_name, arguments=args, result=result, error=error, extra=_tags(looked_up))
        self._bounded(
            self._most_ms - looked_up.milliseconds,
            lambda: self._executions.keep(self._scope(session_id), ended, self.config),
        )

    def _scope(self, session_id: str | None) -> ExecutionScope:
        session = None if session_id is None else ids.session_id(session_id)
        return ExecutionScope(self._tenant, self._project, session, self._users, self._is_shared)

    @staticmethod
    def _bounded(milliseconds: float, work: Callable[[], T]) -> _Attempt[T]:
        try:
            return within(milliseconds / 1000, lambda: _attempted(work))
        except Unavailable:
            return _Attempt("timeout")


def _attempted(work: Callable[[], T]) -> _Attempt[T]:
    try:
        return _Attempt("success", work())
    except Exception:  # noqa: BLE001 - a guard: what only hints at something never fails the call it is for
        return _Attempt("error")


def _tags(looked_up: LookUp) -> Sequence[str]:
    rounded = round(looked_up.milliseconds / _LATENCY_STEP) * _LATENCY_STEP
    used = "used" if looked_up.found else "not_used"
    return (f"mem_ctx:{used}", f"mem_ctx:count:{len(looked_up.found)}", f"mem_ctx:latency:{rounded}")


def enriched(
    memory: AutoMemorySystem,
    tool: str,
    session_id: str | None,
    request: BaseModel,
    run: Callable[[BaseModel], BaseModel],
) -> BaseModel:
    """Run a tool with what memory holds for it, unless the request brings its own, and keep how that ended."""
    arguments = request.model_dump(mode="json", by_alias=True, exclude={FIELD}, exclude_none=True)
    takes_context = FIELD in type(request).model_fields and getattr(request, FIELD) is None
    looked_up = memory.look_up(tool, arguments, session_id) if takes_context else NOT_ELIGIBLE
    note_enrichment(looked_up.outcome, looked_up.milliseconds)
    context = packaged(looked_up.found, memory.config.summary_bytes, memory.config.top_k)
    keep = partial(memory.record, tool, arguments, session_id, looked_up=looked_up)
    try:
        answer = run(request if context is None else request.model_copy(update={FIELD: context}))
    except CairnError as error:
        keep(error=f"{error.code}: {error.message}")
        raise
    keep(result=answer.model_dump(mode="json", exclude=_ADVICE))
    return answer
