"""Tell how well the service is, more than the public probe does."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict

from cairn import __version__
from cairn.ground.ports import LoadedEmbedder
from cairn.services import Services
from cairn.tool.call import Call
from cairn.tool.tool import tool
from cairn.upkeep.fields import RecallHealth, ServiceHealth


class TellHealth(BaseModel):
    """Nothing."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


@tool(
    title="Tell health",
    example={},
    grants=("sessions:read", "stores:probe", "audit:read"),
    read_only=True,
    route="GET /v1/health",
    of_own_projects=True,
)
def memory_tell_health(request: TellHealth, call: Call) -> ServiceHealth:
    """Call to see how well the service is: stores, what recall goes by, jobs, how far the audit log is sealed.

    What the stores answered is up to 15 seconds old.
    """
    from cairn.upkeep.condition import condition  # noqa: PLC0415 - loaded when it is first called

    del request
    services, caller = call.services, call.caller
    tenant = caller.tenant if caller.may_use_all and not caller.users else None
    found = condition(services.adapters, services.health, services.vault, tenant)
    return ServiceHealth.of(found, _recall(services), __version__, own_disk=services.adapters.own_disk)


def _recall(services: Services) -> RecallHealth:
    """Return what recall goes by; in AWS the model is in the processes of other functions."""
    from cairn.upkeep.health import recalled_by  # noqa: PLC0415 - loaded when it is first called

    chosen, own_disk = services.settings.embedding, services.adapters.own_disk
    by = recalled_by(chosen, lambda: services.embedder, own_disk=own_disk)
    model = services.embedder if own_disk and by == "hybrid" else None
    if model is None:
        return RecallHealth(by=by, embedder=chosen.embedder if by == "hybrid" else None, loaded=None)
    return RecallHealth(
        by=by, embedder=model.name, loaded=model.is_loaded if isinstance(model, LoadedEmbedder) else None
    )


handler = memory_tell_health.handler
