"""What programs keep in item logs that is not theirs to choose: names of any text, and items of any JSON."""

from __future__ import annotations

import json
import re
from hashlib import sha256
from math import isfinite
from typing import Any, Final, cast
from urllib.parse import quote

_MOST_CHARACTERS: Final = 60
_DIGITS: Final = 32
_MOST_VALUES: Final = 1000
_DEEPEST: Final = 20
_LARGEST: Final = 2**63
_REFUSED: Final = re.compile("[\x00\ud800-\udfff]")
_TEXT: Final = "cairn/json"


def log_name(*parts: str, most: int = _MOST_CHARACTERS) -> str:
    """Return a log's name of parts that may be any text; other parts make another name.

    A part of more than so many characters, as a URL has them, ends in a digest of all of it.
    """
    return "/".join(_part(part, most) for part in parts)


def held(item: Any) -> Any:
    """Return an item as a log takes it: as it is, or its JSON as text where a server refuses something in it.

    Refused are NUL, lone surrogates, deep nesting, numbers without an end and more values than a request has.
    """
    return item if _is_plain(item) and not _is_text(item) else {_TEXT: json.dumps(item)}


def given(data: Any) -> Any:
    """Return the item that was held."""
    return json.loads(data[_TEXT]) if _is_text(data) else data


def _part(text: str, most: int) -> str:
    quoted = quote(text.encode(errors="surrogatepass"), safe="")
    digest = sha256(quoted.encode()).hexdigest()[:_DIGITS]
    return quoted if len(quoted) <= most else f"{quoted[: most - _DIGITS - 1]}!{digest}"  # no quoted text has a !


def _is_text(data: Any) -> bool:
    return isinstance(data, dict) and cast("dict[str, Any]", data).keys() == {_TEXT}


def _is_plain(item: Any) -> bool:
    left: list[tuple[Any, int]] = [(item, 0)]
    for each, depth in left:
        if len(left) > _MOST_VALUES or depth > _DEEPEST:
            return False
        if isinstance(each, dict):
            fields = cast("dict[Any, Any]", each)
            left += [(field, depth) for field in fields] + [(value, depth + 1) for value in fields.values()]
            if not all(isinstance(field, str) for field in fields):
                return False
        elif isinstance(each, list):
            left += [(value, depth + 1) for value in cast("list[Any]", each)]
        elif not _is_value(each):
            return False
    return True


def _is_value(value: Any) -> bool:
    match value:
        case str():
            return _REFUSED.search(value) is None
        case bool() | None:
            return True
        case int():
            return abs(value) < _LARGEST
        case float():
            return isfinite(value)
        case _:
            return False
