"""Decide what a caller may do with key-value memory and context: nothing that a policy does not permit."""

from __future__ import annotations

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
        chosen = self.default if policy is None else self.named.get(policy, {})
        return chosen.get(tool, NOTHING)


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
