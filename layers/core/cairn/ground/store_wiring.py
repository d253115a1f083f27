"""What a process's services ask of the package of a store."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from cairn.calls.usage import Prices
    from cairn.ground.adapters import Adapters
    from cairn.ground.ports import Anchors, Inventory, Sandbox


class StoreWiring(Protocol):
    """What the package of a store makes: the adapters at once, what few processes need when they ask for it."""

    def adapters(self) -> Adapters:
        """Return new adapters; SettingsError where the store cannot be opened as the settings say."""
        ...

    def sandbox(self) -> Sandbox:
        """Return where standard tools run."""
        ...

    def inventory(self) -> Inventory:
        """Return the way to all that a tenant has, for an operator's command."""
        ...

    def anchors(self) -> Anchors:
        """Return where the settings say that heads of audit chains are kept."""
        ...

    def prices(self) -> Prices:
        """Return what calls cost."""
        ...
