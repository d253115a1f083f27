"""Keys of the session archive: one entry for each pointer, and a copy under every key that it is looked up by."""

from __future__ import annotations

from cairn.ground.ids import Digest, Tenant

POINTERS = "ptr#"


def archive_pk(tenant: Tenant) -> str:
    """Return the partition of a tenant's archive: an entry for each pointer, and its places in the archive's index."""
    return f"{tenant}#a"


def pointer_sk(digest: Digest) -> str:
    """Return the sort key of the archive's entry for a pointer."""
    return f"{POINTERS}{digest}"


def archived_by_time(entry_id: str = "") -> str:
    """Return the sort key under which an entry stands by time; without the entry, how all of them begin."""
    return f"at#{entry_id}"


def archived_by_tag(tag: str, entry_id: str = "") -> str:
    """Return the sort key under which an entry stands by tag and time; without the entry, how all of the tag begin."""
    return f"tag#{tag}#{entry_id}"


def archived_by_session(session_id: str, entry_id: str = "") -> str:
    """Return the sort key under which an entry stands by session and time; without the entry, how all of it begin.

    A session's name may hold `#`, so that a range may hold entries of sessions whose names go on there.
    """
    return f"ses#{session_id}#{entry_id}"
