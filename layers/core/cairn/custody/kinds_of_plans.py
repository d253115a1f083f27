"""What there are plans of."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from cairn.custody.planned_erasure import PlannedErasure
from cairn.custody.planned_forgetting import PlannedForgetting
from cairn.custody.planned_import import Opener, PlannedImport, no_bundles
from cairn.custody.planned_keys import PlannedKeys
from cairn.custody.planned_policy import PlannedPolicy
from cairn.custody.planned_upkeep import PlannedUpkeep
from cairn.custody.tasks import TaskServices
from cairn.plans.model import PlanKind
from cairn.plans.planning import Kind, Plans


def plans(services: TaskServices, opener: Opener = no_bundles) -> Plans:
    """Return what plans with these parts, and imports bundles that are opened so."""
    kinds: Mapping[PlanKind, Callable[[], Kind]] = {
        "forget": lambda: PlannedForgetting(services),
        "erase": lambda: PlannedErasure(services),
        "import": lambda: PlannedImport(services, opener),
        "maintenance": lambda: PlannedUpkeep(services),
        "policy": lambda: PlannedPolicy(services.adapters),
        "key": lambda: PlannedKeys(services.adapters),
    }
    return Plans(services.adapters, services.vault, kinds)
