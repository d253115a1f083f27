"""The items that tools take: their shape in the schema, and the reading of every list of them.

What a framework's messages look like is known to `cairn.messages`. Text stands for a message wherever items are taken.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Annotated, Any, Final, TypeAlias, cast

from pydantic import AfterValidator, PlainValidator, ValidationInfo, WithJsonSchema

from cairn.edge.validation import Rules, refused
from cairn.ground.errors import InvalidArgument
from cairn.ground.settings import Limits

Item: TypeAlias = dict[str, Any]

_TEXT: Final = {"type": "string"}
_TELLING: Final = ("role", "type", "kind", "author", "content", "lc")
ITEM_SCHEMA: Final[dict[str, Any]] = {"type": "object", "anyOf": [{"required": [name]} for name in _TELLING]}
"""Any framework's message or tool call: each has one of these fields, and more than a schema would be worth saying."""


class ItemList(list[Item]):
    """The items that a caller's list says; `sizes` tells how many each of those that it sent became."""

    def __init__(self, items: Iterable[Item], sizes: tuple[int, ...]) -> None:
        """Keep both."""
        super().__init__(items)
        self.sizes = sizes


def limits_of(info: ValidationInfo) -> Limits:
    """Return the limits that the validation goes by."""
    return info.context.limits if isinstance(info.context, Rules) else Limits()


def _reader(by: str) -> Callable[[object, ValidationInfo], ItemList]:
    """Return the validator that reads items, a list of them or text; what does not tell its speaker is said by `by`."""

    def read_items(value: object, info: ValidationInfo) -> ItemList:
        from cairn.messages.reading import read  # noqa: PLC0415 - loaded when items are first read

        given = _as_list(value)
        limits = limits_of(info)
        _check_count(len(given), limits)
        try:
            read_ones = read(given, by, "", limits.text_bytes)
        except InvalidArgument as error:
            [(path, problem)] = cast("dict[str, str]", error.details["fields"]).items()
            raise refused(problem, path) from None
        items = ItemList([item for each in read_ones for item in each], tuple(map(len, read_ones)))
        _check_count(len(items), limits)
        return items

    return read_items


def sizes_of(items: list[Item]) -> tuple[int, ...]:
    """Return how many items each of those that were sent became."""
    return items.sizes if isinstance(items, ItemList) else (1,) * len(items)


def _as_list(value: object) -> list[object]:
    if isinstance(value, list):
        return cast("list[object]", value)
    if isinstance(value, str):
        return [value] if value.strip() else []
    if isinstance(value, dict):
        return [cast("object", value)]
    raise refused("must be text, an item or a list of items")


def _check_count(count: int, limits: Limits) -> None:
    if count > limits.list_items:
        raise refused(f"must hold at most {limits.list_items} items, not {count}")


def _not_empty(items: ItemList) -> ItemList:
    if not items:
        raise refused("must not be empty")
    return items


_SCHEMA: Final = WithJsonSchema({"anyOf": [{"type": "array", "items": ITEM_SCHEMA}, ITEM_SCHEMA, _TEXT]})

Items: TypeAlias = Annotated[ItemList, PlainValidator(_reader("user")), _SCHEMA]
"""What was said, in any framework's messages; text in their place is the user's."""
AnswerItems: TypeAlias = Annotated[ItemList, PlainValidator(_reader("assistant")), _SCHEMA]
"""The same, where text in their place is the model's."""
SaidItems: TypeAlias = Annotated[ItemList, PlainValidator(_reader("user")), AfterValidator(_not_empty), _SCHEMA]
"""The same, at least one of them."""
