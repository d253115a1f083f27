"""Keys of the items that access reads: API keys, the policy document and tenants' settings.

All have an owner that no tenant can be named like, since a key is looked up before its tenant is known.
"""

from __future__ import annotations

from cairn.ground.ids import Tenant
from cairn.ground.table import Key, prefix_range

CREDENTIALS = Tenant("~credentials")
"""Who owns every API key's record and the key they are hashed under; `~` is in no tenant's name."""
POLICIES = Tenant("~policies")
"""Who owns the deployment's policy document and the key it is sealed under."""
POLICY = "document"
SETTINGS = Tenant("~settings")
"""Who owns the settings that tenants have of their own, and the key they are sealed under."""
_VERSIONS = "version#"


def credentials_pk() -> str:
    """Return the partition of every API key's record."""
    return f"{CREDENTIALS}#api"


def credential_sk(key_id: str) -> str:
    """Return the sort key of an API key's record."""
    return f"key#{key_id}"


def policies_pk() -> str:
    """Return the partition of the deployment's policy document."""
    return f"{POLICIES}#p"


def policy_versions_pk() -> str:
    """Return the partition that knows every version of the policy document."""
    return f"{POLICIES}#versions"


def version_sk(version: int) -> str:
    """Return the sort key of a version of the policy document."""
    return f"{_VERSIONS}{version:09d}"


def version_number(sk: str) -> int:
    """Return the version of the policy document in the sort key of its item."""
    return int(sk.removeprefix(_VERSIONS))


def version_range() -> tuple[str, str]:
    """Return the range of all versions of the policy document, the newest last."""
    return prefix_range(_VERSIONS)


def tenant_settings_pk() -> str:
    """Return the partition of the settings that tenants have of their own."""
    return f"{SETTINGS}#tenants"


def tenant_settings_key(tenant: Tenant) -> Key:
    """Return where a tenant's own settings are."""
    return Key(tenant_settings_pk(), f"tenant#{tenant}")
