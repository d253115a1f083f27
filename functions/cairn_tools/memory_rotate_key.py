"""Make an API key in the place of another."""

from __future__ import annotations

from datetime import timedelta
from typing import Annotated

from pydantic import Field

from cairn.access.api_keys import MOST_DAYS
from cairn.access.fields import KeyId, KeyLine, KeysInput, RotatedKey
from cairn.tool.call import Call
from cairn.tool.tool import tool


class RotateKey(KeysInput):
    """Which key, and for how long it goes on."""

    key_id: KeyId
    hours: Annotated[int, Field(ge=0, le=24 * MOST_DAYS, description="How many hours the old key still works.")] = 24


@tool(
    title="Rotate an API key",
    example={"key_id": "0" * 16},
    grants=("credentials:list", "credentials:add", "credentials:change", "policy:read"),
    destructive=True,
    idempotent=False,
    for_operators=True,
)
def memory_rotate_key(request: RotateKey, call: Call) -> RotatedKey:
    """Call to replace an API key by a new one that opens the same, for as long; the answer alone ever shows it.

    The old key works for some hours more, and no longer than it would have. One that may do more than this call's key
    cannot be rotated by it.
    """
    from cairn.access.own_keys import OwnKeys  # noqa: PLC0415 - loaded when it is first called

    services, caller = call.services, call.caller
    own = OwnKeys(services.credentials, services.policies, caller)
    issued = own.rotate(request.key_id, timedelta(hours=request.hours))
    now = services.adapters.clock.now()
    replaced = services.credentials.find(request.key_id, caller.tenant)
    return RotatedKey(
        key=issued.text,
        made=KeyLine.of(issued.credential, now, caller.credential),
        replaced=KeyLine.of(replaced, now, caller.credential),
    )


handler = memory_rotate_key.handler
