"""Let an API key open nothing any more."""

from __future__ import annotations

from cairn.access.fields import KeyId, KeysInput, RevokedKey
from cairn.tool.call import Call
from cairn.tool.tool import tool


class RevokeKey(KeysInput):
    """Which key."""

    key_id: KeyId


@tool(
    title="Revoke an API key",
    example={"key_id": "0" * 16},
    grants=("credentials:list", "credentials:change"),
    destructive=True,
    for_operators=True,
)
def memory_revoke_key(request: RevokeKey, call: Call) -> RevokedKey:
    """Call to have an API key open nothing any more, from the next request on; it cannot be undone.

    The key of this call can be revoked too: the answer says so, and it is the last.
    """
    from cairn.access.own_keys import OwnKeys  # noqa: PLC0415 - loaded when it is first called

    services, caller = call.services, call.caller
    revoked = OwnKeys(services.credentials, services.policies, caller).revoke(request.key_id)
    is_own = revoked.id == caller.credential
    said = "This was the key of this call: it opens nothing any more." if is_own else "It opens nothing any more."
    return RevokedKey(key_id=revoked.id, own=is_own, message=said)


handler = memory_revoke_key.handler
