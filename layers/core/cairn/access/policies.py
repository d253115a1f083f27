"""Read the policies in force from a file or the table and reload them; if a reload fails, the old ones stay."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from threading import Lock
from typing import Annotated

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError

from cairn.access.api_keys import Grant
from cairn.access.callers import USERS_POLICY
from cairn.access.policy import (
    NONE_KNOWN,
    OF_USERS,
    STANDARD,
    ContextType,
    GovernedTool,
    InForce,
    OnSensitive,
    Permission,
    Policy,
    PolicyBook,
    PolicyOrigin,
    Right,
)
from cairn.access.policy_store import PolicyRolledBack, StoredPolicy
from cairn.ground.adapters import NoTally
from cairn.ground.codec import canonical
from cairn.ground.errors import InvalidArgument, SettingsError
from cairn.ground.ids import is_pattern
from cairn.ground.ports import Clock, Tally
from cairn.settings import document

STORED_LIFETIME = timedelta(minutes=5)
"""For how long the table's document holds in a process that has read it."""
_WHERE = "policy"
_NOTHING_HOLDS = InForce(NONE_KNOWN, "none")
_logger = logging.getLogger("cairn")


def _pattern(value: str) -> str:
    if not is_pattern(value):
        raise ValueError("must be segments of letters, digits, _ and -, or * for whole ones, joined by dots")
    return value


def _policy_name(value: str) -> str:
    try:
        return Grant(policy=value).policy or ""
    except InvalidArgument as error:
        raise ValueError(error.message) from None


class _Strict(BaseModel):
    # Built when first a document is read: most functions read none, and all of them load this module.
    model_config = ConfigDict(extra="forbid", strict=True, frozen=True, defer_build=True)


class _Permission(_Strict):
    allowed_namespaces: list[Annotated[str, AfterValidator(_pattern)]] = []
    allowed_context_types: list[ContextType] = []
    operations: list[Right]
    max_ttl_seconds: Annotated[int, Field(ge=1)] | None = None
    on_sensitive: OnSensitive = "refuse"

    def permission(self) -> Permission:
        return Permission(
            rights=frozenset(self.operations),
            namespaces=tuple(self.allowed_namespaces),
            context_types=frozenset(self.allowed_context_types),
            max_ttl_seconds=self.max_ttl_seconds,
            on_sensitive=self.on_sensitive,
        )


class _Policy(_Strict):
    tool_permissions: dict[GovernedTool, _Permission]

    def policy(self) -> Policy:
        return {tool: given.permission() for tool, given in self.tool_permissions.items()}


class _Document(_Policy):
    policies: dict[Annotated[str, AfterValidator(_policy_name)], _Policy] = {}


def parse(text: str) -> PolicyBook:
    """Return the policies of a YAML or JSON document; SettingsError names the place of the first thing wrong."""
    try:
        read = _Document.model_validate(document.parse_text(text, _WHERE))
    except ValidationError as error:
        problem = error.errors(include_url=False, include_input=False, include_context=False)[0]
        place = ".".join([_WHERE, *map(str, problem["loc"])])
        raise SettingsError(f"{place}: {problem['msg'].removeprefix('Value error, ')}") from None
    named = {name: each.policy() for name, each in read.policies.items()}
    return PolicyBook(read.policy(), {USERS_POLICY: OF_USERS, **named})


def standard_text() -> str:
    """Return the standard policy as a document."""
    permissions = {
        tool: {
            "operations": sorted(given.rights),
            "allowed_namespaces": list(given.namespaces),
            "allowed_context_types": sorted(given.context_types),
            "max_ttl_seconds": given.max_ttl_seconds,
        }
        for tool, given in STANDARD.default.items()
    }
    return canonical({"tool_permissions": permissions}).decode()


@dataclass(frozen=True, slots=True)
class Written:
    """A policy document, where it was read and, of one in the table, its version."""

    text: str
    origin: PolicyOrigin
    version: int | None = None


class Policies:
    """Answers what a tool may do under a policy."""

    def __init__(
        self,
        source: Callable[[], Written | None],
        clock: Clock,
        lifetime: timedelta,
        without: InForce,
        tally: Tally | None = None,
    ) -> None:
        """Ask the source for the document whenever the one before is this old; `without` holds where there is none."""
        self._source = source
        self._clock = clock
        self._lifetime = lifetime
        self._tally = tally or NoTally()
        self._lock = Lock()
        self._in_force = without
        self._written: Written | None = None
        self._until = datetime.fromtimestamp(0, UTC) + lifetime

    def permission(self, policy: str | None, tool: str) -> Permission:
        """Return what the tool may do under the named policy, the deployment's own for None."""
        return self.in_force().book.permission(policy, tool)

    def in_force(self) -> InForce:
        """Return all that holds."""
        with self._lock:
            now = self._clock.now()
            # Before that lifetime only where the clock was turned back.
            if not self._until - self._lifetime <= now < self._until:
                self._look(now)
            return self._in_force

    def _look(self, now: datetime) -> None:
        """Take what the source has now; while it is rolled back nothing is allowed, and each call looks again."""
        try:
            self._take(self._source())
            self._until = now + self._lifetime
        except PolicyRolledBack as error:
            self._in_force, self._written = _NOTHING_HOLDS, None
            self._tally.access_anomaly()
            _logger.error("everything is denied: %s", error.message)  # noqa: TRY400

    def _take(self, written: Written | None) -> None:
        """Let a new document hold, unless it is bad: then the log says where, and the last good one stays."""
        if written is None or written == self._written:
            return
        self._written = written
        try:
            self._in_force = InForce(parse(written.text), written.origin, written.version)
        except SettingsError as error:
            _logger.warning("policy refused: %s", error)


def of_file(path: Path, clock: Clock) -> Policies:
    """Return the policies of a file, looked at again at each call; where there is none, nothing is allowed."""

    def read() -> Written | None:
        try:
            return Written(path.read_text(encoding="utf-8"), "file")
        except (OSError, UnicodeDecodeError) as error:
            _logger.warning("policy file cannot be read: %s", type(error).__name__)
            return None

    return Policies(read, clock, timedelta(0), _NOTHING_HOLDS)


def of_table(read: Callable[[], StoredPolicy | None], clock: Clock, tally: Tally | None = None) -> Policies:
    """Return the policies of the table's document; where none was ever set, the standard ones."""

    def written() -> Written | None:
        stored = read()
        return None if stored is None else Written(stored.text, "stored", stored.version)

    return Policies(written, clock, STORED_LIFETIME, InForce(STANDARD, "standard"), tally)
