"""Keys: who may come in, and what each policy lets them do."""

from __future__ import annotations

from typing import Any

from cairn_console.forms import whole_number
from cairn_console.page import Done, Presented, Shown, page
from cairn_console.visit import Visit

_SCOPES = ("read", "write", "admin")


def _create(visit: Visit) -> Presented:
    """Make a key and show it, this once."""
    days = visit.form.get("days", "").strip()
    made = visit.ask(
        "memory_create_key",
        projects=visit.given("projects").split(),
        users=[line.strip() for line in visit.form.get("users", "").splitlines() if line.strip()],
        scopes=[scope for scope in _SCOPES if visit.form.get(scope) == "yes"],
        policy=visit.form.get("policy", "").strip() or None,
        days=whole_number("days", days) if days else None,
    )
    return Presented({**_listed(visit), "made": made})


def _rotate(visit: Visit) -> Presented:
    """Make a key that opens the same, show it this once, and let the old one end."""
    made = visit.ask("memory_rotate_key", key_id=visit.given("id"), hours=whole_number("hours", visit.given("hours")))
    return Presented({**_listed(visit), "made": made})


def _revoke(visit: Visit) -> Done:
    """Let a key open nothing from now on."""
    visit.ask("memory_revoke_key", key_id=visit.given("id"))
    return Done("The key opens nothing any more.")


@page(
    title="Keys and policies",
    needs=("memory_list_keys", "memory_list_policies"),
    asks=("memory_create_key", "memory_rotate_key", "memory_revoke_key"),
    acts={"create": _create, "rotate": _rotate, "revoke": _revoke},
    for_operators=True,
)
def keys(visit: Visit) -> Shown:
    """List the tenant's keys, those that open something first, and the policies."""
    return {**_listed(visit), "made": None}


def _listed(visit: Visit) -> dict[str, Any]:
    found, policies = visit.asking("memory_list_keys"), visit.asking("memory_list_policies")
    visit.together(found, policies)
    newest_first = list(reversed(found.result["keys"]))
    return {
        "open": [each for each in newest_first if each["state"] != "ended"],
        "ended": [each for each in newest_first if each["state"] == "ended"],
        "policies": policies.result["policies"],
    }
