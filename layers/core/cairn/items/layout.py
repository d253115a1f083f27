"""Keys of item logs: a partition that lists a project's logs, and one for the items of each."""

from __future__ import annotations

from hashlib import sha256

from cairn.ground.ids import Project, Tenant, UserId
from cairn.ground.table import prefix_range

OF_PROJECT = "p:"
"""The owner of what is a whole project's."""
_OF_USER = "u:"
_KIND = "i"
_DIGITS = 32


def owner_of(user: UserId | None) -> str:
    """Return how a user, or the project, is named as the owner of a log; it holds no slash."""
    return OF_PROJECT if user is None else f"{_OF_USER}{user}"


def heads_pk(tenant: Tenant, project: Project) -> str:
    """Return the partition of the heads of a project's logs."""
    return f"{tenant}#{_KIND}#{project}"


def head_sk(owner: str, name: str) -> str:
    """Return the sort key of a log's head; of a prefix, what the heads of all such logs begin with."""
    return f"{owner}/{name}"


def name_of(sk: str) -> str:
    """Return the log's name in the sort key of its head."""
    return sk.partition("/")[2]


def items_pk(tenant: Tenant, project: Project, owner: str, name: str) -> str:
    """Return the partition of a log's items."""
    return f"{heads_pk(tenant, project)}#{head_sk(owner, name)}"


def row_sk(position: int) -> str:
    """Return the sort key of what was appended at once, by the position of its first item."""
    return f"i#{position:016d}"


def position_of(sk: str) -> int:
    """Return the position in the sort key of a row; ValueError in another one."""
    return int(sk.removeprefix(ROWS[0]))


ROWS = prefix_range("i#")
"""The range of a log's rows, the oldest first."""
GUARDS, OPERATIONS, TAKEN, CONTENTS, DROPPED = "g#", "o#", "t#", "c#", "drop#"
"""How the sort keys begin of what else a log has."""


def guard_sk(item_id: str) -> str:
    """Return the sort key of what keeps an item from being stored twice."""
    return f"{GUARDS}{_hash(item_id)}"


def operation_sk(operation_id: str) -> str:
    """Return the sort key of what keeps an append that has no items from being done twice."""
    return f"{OPERATIONS}{_hash(operation_id)}"


def taken_sk(operation_id: str) -> str:
    """Return the sort key of the record that items were taken back."""
    return f"{TAKEN}{_hash(operation_id)}"


def contents_sk(operation_id: str) -> str:
    """Return the sort key of the items that were taken back."""
    return f"{CONTENTS}{_hash(operation_id)}"


def dropped_sk(when: str) -> str:
    """Return the sort key of what names blobs to delete from then on, which is a ULID."""
    return f"{DROPPED}{when}"


def _hash(name: str) -> str:
    return sha256(name.encode()).hexdigest()[:_DIGITS]
