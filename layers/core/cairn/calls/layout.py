"""Keys of the audit log's records, of the chain that seals them, and of the token buckets."""

from __future__ import annotations

from hashlib import sha256

from cairn.ground.ids import Tenant
from cairn.ground.session import Session
from cairn.ground.table import Key, prefix_range

_DAYS = "day#"
_DIGESTS = "digest#"
_WRITERS = "writer#"


def rates_pk(tenant: Tenant) -> str:
    """Return the partition of a tenant's token buckets."""
    return f"{tenant}#rates"


def rate_sk(limit: str, name: str) -> str:
    """Return the sort key of the bucket of one thing that is limited."""
    return f"{limit}#{name}"


def spent_key(tenant: Tenant) -> Key:
    """Return where it is told what a tenant has spent of its budget; no tenant can be named like the partition."""
    return Key("~budgets", f"tenant#{tenant}")


def audit_pk(tenant: Tenant) -> str:
    """Return the partition of a tenant's chain of digests, and of the days on which it called."""
    return f"{tenant}#audit"


def audit_day_pk(tenant: Tenant, day: str) -> str:
    """Return the partition of the records of one day, yyyy-mm-dd in UTC."""
    return f"{tenant}#audit#{day}"


def day_sk(day: str) -> str:
    """Return the sort key that says there are records of this day."""
    return f"{_DAYS}{day}"


def day_of_marker(sk: str) -> str:
    """Return the day in the sort key that says there are records of it."""
    return sk.removeprefix(_DAYS)


def day_range() -> tuple[str, str]:
    """Return the range of the days of which a tenant has records."""
    return prefix_range(_DAYS)


def writer_sk(day: str, writer: str) -> str:
    """Return the sort key of the count of a writer's records of a day."""
    return f"{_WRITERS}{day}#{writer}"


def day_and_writer(sk: str) -> tuple[str, str]:
    """Return the day and the writer in the sort key of a count."""
    day, _, writer = sk.removeprefix(_WRITERS).partition("#")
    return day, writer


def writer_range() -> tuple[str, str]:
    """Return the range of the counts of a tenant's writers."""
    return prefix_range(_WRITERS)


def digest_sk(number: int) -> str:
    """Return the sort key of the digest at a place of its chain; the first is 1."""
    return f"{_DIGESTS}{number:09d}"


def digest_number(sk: str) -> int:
    """Return the place of a digest in its chain, from its sort key."""
    return int(sk.removeprefix(_DIGESTS))


def digest_range() -> tuple[str, str]:
    """Return the range of a tenant's digests."""
    return prefix_range(_DIGESTS)


def digests_key(tenant: Tenant) -> Key:
    """Return the place that the blobs of a tenant's digests are bound to."""
    return Key(audit_pk(tenant), "digest")


def audited_tenant(pk: str) -> Tenant:
    """Return the tenant whose chain is in this partition."""
    return Tenant(pk.removesuffix("#audit"))


def unsealed_pk() -> str:
    """Return the index partition of all days whose records are not sealed; `~` is in no tenant's name."""
    return "~unsealed"


def calls_pk(session: Session) -> str:
    """Return the index partition of a session's calls: a hash, since every call's record carries it."""
    return f"{session.tenant}#calls#{_place(session)}"


def asked_pk(tenant: Tenant, place: Session | str) -> str:
    """Return the partition of the receipts of a session's calls; of calls in no session, those of a day."""
    return f"{tenant}#asked#{_place(place) if isinstance(place, Session) else place}"


def place_of_calls(pk: str) -> str:
    """Return what stands for the session in the index partition of its calls."""
    return pk.rpartition("#")[2]


def _place(session: Session) -> str:
    return sha256(f"{session.project}#{session.session_id}".encode()).hexdigest()[:32]
