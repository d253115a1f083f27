"""Keep tenants' own settings in the store, sealed, one item each, where there are too many for a process's environment.

What is sealed holds a tenant's values by key, as the settings document names them. Functions may only read it.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any, cast

from cairn.access.layout import SETTINGS, tenant_settings_key
from cairn.ground.adapters import Adapters
from cairn.ground.bounded import BoundedCache
from cairn.ground.errors import CorruptData
from cairn.ground.ids import Tenant
from cairn.ground.table import Delete, Put
from cairn.settings.settings import Settings
from cairn.vault.vault import Vault

LIFETIME = timedelta(minutes=5)
"""For how long a tenant's settings hold in a process that has read them."""
_MOST_TENANTS = 4096


class TenantSettings:
    """Reads and writes what tenants have of their own."""

    def __init__(self, adapters: Adapters, common: Settings) -> None:
        """Keep it in the table; `common` holds for whatever a tenant has not of its own."""
        self._adapters = adapters
        self._common = common
        self._vault = Vault(adapters)
        self._known: BoundedCache[Tenant, tuple[datetime, Settings]] = BoundedCache(entries=_MOST_TENANTS)

    def told(self, tenant: Tenant) -> Settings:
        """Return the settings with the tenant's own in them, as they were at most LIFETIME ago."""
        now = self._adapters.clock.now()
        known = self._known.get(tenant)
        # Before that lifetime only where the clock was turned back.
        if known is not None and known[0] - LIFETIME <= now < known[0]:
            return known[1]
        own = self.own(tenant)
        settings = self._common.with_own({tenant: own} if own else {})
        self._known.put(tenant, (now + LIFETIME, settings))
        return settings

    def own(self, tenant: Tenant) -> Mapping[str, Any]:
        """Return a tenant's own values by key, none where it has none."""
        item = self._adapters.table.get(tenant_settings_key(tenant))
        if item is None:
            return {}
        found = self._vault.unseal(SETTINGS, item)
        if not isinstance(found, Mapping):
            raise CorruptData("the stored settings of a tenant are none")
        # Lists come out of JSON; a setting of several values is a tuple.
        own = cast("Mapping[str, Any]", found)
        return {key: tuple(cast("list[Any]", each)) if isinstance(each, list) else each for key, each in own.items()}

    def put(self, tenant: Tenant, own: Mapping[str, Any]) -> None:
        """Put a tenant's own values in the place of those before; without any it has none of its own any more."""
        where = tenant_settings_key(tenant)
        self._known.evict(tenant)
        if own:
            self._adapters.table.put(Put({"pk": where.pk, "sk": where.sk, **self._vault.seal(SETTINGS, where, own)}))
        else:
            self._adapters.table.delete(Delete(where))
