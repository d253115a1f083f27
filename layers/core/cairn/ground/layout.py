"""What all keys of the table have in common; each room's own keys are in its `layout.py`.

Every partition begins with its owner, a tenant, and free text stands last in its key. A tenant and a project hold no
`#`, so the parts of a key cannot run into each other, whatever a session, turn or user is called.
"""

from __future__ import annotations

from cairn.ground.ids import Tenant


def tenant_of(pk: str) -> Tenant:
    """Return whose partition this is."""
    return Tenant(pk.split("#", 1)[0])


def prefix_range(prefix: str) -> tuple[str, str]:
    """Return the inclusive range of all sort keys that begin with the prefix."""
    return prefix, prefix + "\U0010ffff"
