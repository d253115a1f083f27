"""Write pages: HTML from templates, in which whatever is stored stays text."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from datetime import UTC
from functools import cache
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlencode

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup, escape

from cairn.ground.codec import moment

MOST_CHARACTERS: Final = 4000
"""How much of one text a page shows; its `.json` twin has all of it."""
# Controls, what turns the direction of text, and what no font draws: an id or a sentence could look like another.
_TRICKS: Final = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]"
)
_TIMES: Final = {"day": "%d %b %Y", "when": "%d %b %Y, %H:%M", "moment": "%d %b %Y, %H:%M:%S"}
_HERE: Final = Path(__file__).parent


def visible(value: object) -> object:
    """Return text with characters that would hide or turn what is around them shown as their numbers.

    Text that is too long for a page is cut, and says by how much.
    """
    if isinstance(value, Markup) or not isinstance(value, str):
        return "" if value is None else value
    if len(value) > MOST_CHARACTERS:
        value = f"{value[:MOST_CHARACTERS]}… ({len(value) - MOST_CHARACTERS:,} more characters)"
    return _TRICKS.sub(lambda found: f"⟨U+{ord(found[0]):04X}⟩", value)


def _time(form: str) -> Callable[[str | None], Markup | str]:
    """Return the filter that writes a time in UTC as a `time` element, so far as the form goes."""

    def written(value: str | None) -> Markup | str:
        if not value:
            return ""
        at = moment(value).astimezone(UTC)
        return Markup('<time datetime="{}">{}</time>').format(at.isoformat(), f"{at:{form}}".lstrip("0"))

    return written


def marked(text: str) -> Markup:
    """Return text with what stands between backticks as code."""
    parts = str(visible(text)).split("`")
    if len(parts) % 2 == 0:
        return escape("`".join(parts))
    codes = (Markup("<code>{}</code>").format(each) if place % 2 else escape(each) for place, each in enumerate(parts))
    return Markup().join(codes)


def count(number: int, one: str, many: str | None = None) -> str:
    """Return a number with the noun that it counts."""
    return f"{number:,} {one if number == 1 else many or one + 's'}"


def address(path: str, **query: object) -> str:
    """Return a path with a query, of which what is None or empty is left out."""
    given = {name: value for name, value in query.items() if value not in {None, ""}}
    return f"{path}?{urlencode(given)}" if given else path


@cache
def environment() -> Environment:
    """Return the environment of all templates: autoescaped, strict about names, and blind to tricks in text."""
    templates = FileSystemLoader([_HERE / "templates", _HERE / "pages"])
    made = Environment(
        loader=templates,
        autoescape=True,
        finalize=visible,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
    )
    made.filters |= {name: _time(form) for name, form in _TIMES.items()} | {"marked": marked}
    return made


def html(template: str, shown: Mapping[str, Any]) -> str:
    """Return a page."""
    return environment().get_template(f"{template}.html").render(shown)
