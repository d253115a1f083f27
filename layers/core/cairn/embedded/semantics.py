"""Evaluate conditions and apply writes to one item, as pure functions."""

from __future__ import annotations

from cairn.ground.table import (
    MAX_ITEM_BYTES,
    AllOf,
    AnyOf,
    Attributes,
    Check,
    Condition,
    Delete,
    Equals,
    LessThan,
    Missing,
    Put,
    Scalar,
    Update,
    Write,
    check_attributes,
    item_bytes,
)


def holds(condition: Condition, item: Attributes | None) -> bool:
    """Return whether a condition holds for a stored item, None where there is none; values compare by type as well."""
    stored = item or {}
    match condition:
        case Missing(name):
            return name not in stored
        case Equals(name, value):
            # To Python True equals 1 and 1.0; to DynamoDB they are of different types.
            return name in stored and type(stored[name]) is type(value) and stored[name] == value
        case LessThan(name, value):
            number = stored.get(name)
            return type(number) is int and number < value
        case AnyOf(()) | AllOf(()):
            raise ValueError("AnyOf and AllOf take at least one condition")
        case AnyOf(parts):
            return any(holds(part, item) for part in parts)
        case AllOf(parts):
            return all(holds(part, item) for part in parts)


def permits(write: Write, item: Attributes | None) -> bool:
    """Return whether a write may be applied to a stored item."""
    # Deleting what is not there succeeds, as it does where an answer was lost and the call is made again.
    if write.condition is None or (item is None and isinstance(write, Delete)):
        return True
    return holds(write.condition, item)


def applied(write: Write, item: Attributes | None) -> Attributes | None:
    """Return the item as a write leaves it, None for no item; ValueError where the result is no possible item."""
    match write:
        case Put(new):
            return new
        case Update():
            return _updated(write, item)
        case Delete():
            return None
        case Check():
            return item


def _updated(write: Update, item: Attributes | None) -> Attributes:
    new: dict[str, Scalar] = {"pk": write.key.pk, "sk": write.key.sk, **(item or {}), **write.set}
    for name, amount in write.add.items():
        number = new.get(name, 0)
        # A bool is an int to Python, and no number to DynamoDB.
        if type(number) is not int:
            raise ValueError(f"cannot add to {name}: it is no number")
        new[name] = number + amount
    for name in write.remove:
        new.pop(name, None)
    check_attributes(new)
    if item_bytes(new) > MAX_ITEM_BYTES:
        raise ValueError(f"an item has at most {MAX_ITEM_BYTES} bytes")
    return new
