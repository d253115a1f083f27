"""Fields that the tools of key-value memory take: a namespace, a key, a value within the limits."""

from __future__ import annotations

from typing import Annotated, Any, Final, TypeAlias

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationInfo, WithJsonSchema

from cairn.edge.validation import Rules
from cairn.ground.codec import canonical
from cairn.ground.errors import PayloadTooLarge
from cairn.ground.ids import Namespace, Tenant
from cairn.ground.settings import Limits
from cairn.keyvalue import model as keyvalue
from cairn.keyvalue.model import KeyName, Place

NamespaceName: TypeAlias = Annotated[
    Namespace,
    Field(
        min_length=1,
        max_length=keyvalue.MAX_NAMESPACE_CHARACTERS,
        pattern=f"^{keyvalue.NAMESPACE_PATTERN}$",
        description="Where the keys are, such as session.monday.",
    ),
]
Key: TypeAlias = Annotated[
    KeyName,
    Field(
        min_length=1,
        max_length=keyvalue.MAX_KEY_CHARACTERS,
        pattern=f"^{keyvalue.KEY_PATTERN}$",
        description="Such as plan/beans.",
    ),
]
KeyPrefix: TypeAlias = Annotated[str, Field(max_length=keyvalue.MAX_KEY_CHARACTERS, pattern=r"^[A-Za-z0-9_.:/-]*$")]
IfVersion: TypeAlias = Annotated[
    int | None, Field(ge=0, description="Only if the key has this version now; 0: if there is none.")
]


def _check_size(value: Any, info: ValidationInfo) -> Any:
    limits = info.context.limits if isinstance(info.context, Rules) else Limits()
    if len(canonical(value)) > limits.value_bytes:
        details = {"field": "value", "limit": limits.value_bytes}
        raise PayloadTooLarge(f"value is larger than {limits.value_bytes} bytes of JSON", details)
    return value


_ANY_JSON: Final = ("object", "string", "number", "boolean", "null")

Value: TypeAlias = Annotated[
    Any,
    AfterValidator(_check_size),
    # Spelled out, since clients refuse a field that has no type, and others one that has a list of types.
    WithJsonSchema({"anyOf": [{"type": "array", "items": {}}, *({"type": kind} for kind in _ANY_JSON)]}),
]


class NamespaceInput(BaseModel):
    """What a tool takes that works in a namespace, which its policy has to allow."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)

    namespace: NamespaceName


class KeyInput(NamespaceInput):
    """What a tool takes that is about one key."""

    key: Key

    def place(self, tenant: Tenant) -> Place:
        """Return where the value is, as the tenant's."""
        return Place(tenant, self.namespace, self.key)
