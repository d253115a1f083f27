"""Decide what a caller may do with key-value memory and context: nothing that a policy does not permit."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, TypeAlias, get_args

from cairn.access.callers import USERS_POLICY
from cairn.ground.ids import Namespace, matches

Right: TypeAlias = Literal["read", "write"]
ContextType: TypeAlias = Literal["session", "agent", "task"]
GovernedTool: TypeAlias = Literal["listMemory", "getMemory", "putMemory", "deleteMemory", "getContext"]
OnSensitive: TypeAlias = Literal["refuse", "redact"]
"""What putMemory does with a value that holds personal data or a secret."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Permission:
    """The rights of one tool; `*` in a namespace stands for whole dotted segments."""

    rights: frozenset[Right] = frozenset()
    namespaces: tuple[str, ...] = ()
    context_types: frozenset[ContextType] = frozenset()
    max_ttl_seconds: int | None = None
    on_sensitive: OnSensitive = "refuse"

    def allows(self, namespace: Namespace, right: Right) -> bool:
        """Tell whether the operation is allowed in the namespace."""
        return right in self.rights and any(matches(pattern, namespace) for pattern in self.namespaces)

    def is_within(self, other: Permission) -> bool:
        """Tell whether the other surely allows all that this does; two of its patterns together count as neither."""
        if not self.rights:
            return True
        covered = all(any(matches(pattern, own) for pattern in other.namespaces) for own in self.namespaces)
        ends = other.max_ttl_seconds is None or (self.max_ttl_seconds or math.inf) <= other.max_ttl_seconds
        redacts = other.on_sensitive == "redact" or self.on_sensitive == "refuse"
        allowed = self.rights <= other.rights and self.context_types <= other.context_types
        return allowed and covered and ends and redacts


NOTHING = Permission()
Policy: TypeAlias = Mapping[str, Permission]
"""What each tool may do, by its name."""


@dataclass(frozen=True, slots=True)
class PolicyBook:
    """The policies of a deployment: its own, and those that credentials name."""

    default: Policy = field(default_factory=dict[str, Permission])
    named: Mapping[str, Policy] = field(default_factory=dict[str, Policy])

    def permission(self, policy: str | None, tool: str) -> Permission:
        """Return what a tool may do under the named policy, the deployment's own for None; nothing where none says."""
        return self.of(policy).get(tool, NOTHING)

    def of(self, policy: str | None) -> Policy:
        """Return the named policy, the deployment's own for None; one that permits nothing where none is named so."""
        return self.default if policy is None else self.named.get(policy, {})

    def is_within(self, policy: str | None, other: str | None) -> bool:
        """Tell whether one policy surely permits no more than another."""
        return policy == other or all(
            given.is_within(self.permission(other, tool)) for tool, given in self.of(policy).items()
        )


PolicyOrigin: TypeAlias = Literal["standard", "stored", "file", "none"]
"""What a policy is written in: Cairn itself, the document in the table, a file, or nothing that could be read."""


@dataclass(frozen=True, slots=True)
class InForce:
    """The policies that hold, what they are written in and, of the document in the table, its version."""

    book: PolicyBook
    origin: PolicyOrigin
    version: int | None = None

    def origin_of(self, policy: str | None) -> PolicyOrigin:
        """Return what a policy is written in; that of users is Cairn's own where the document has none."""
        if policy is not None and policy not in self.book.named:
            return "none"
        return "standard" if self.book.of(policy) is OF_USERS else self.origin


_READ = Permission(rights=frozenset({"read"}), namespaces=("session.*", "agent.*", "public.*"))
_WRITE = Permission(rights=frozenset({"write"}), namespaces=("session.*", "agent.*"), max_ttl_seconds=3600)
_CONTEXT = Permission(rights=frozenset({"read"}), context_types=frozenset[ContextType](get_args(ContextType)))
_PUBLIC = Permission(rights=frozenset({"read"}), namespaces=("public.*",))
OF_USERS: Policy = {"listMemory": _PUBLIC, "getMemory": _PUBLIC, "getContext": _CONTEXT}
"""What callers bound to users may do unless a document says otherwise: namespaces are the tenant's, no user's."""
STANDARD = PolicyBook(
    {
        "listMemory": _READ,
        "getMemory": _READ,
        "putMemory": _WRITE,
        "deleteMemory": _WRITE,
        "getContext": _CONTEXT,
    },
    {USERS_POLICY: OF_USERS},
)
"""What holds where nobody has set a policy."""
NONE_KNOWN = PolicyBook()
"""What holds where a policy was set and cannot be read: nothing is allowed."""
