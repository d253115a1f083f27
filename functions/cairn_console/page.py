"""A page as it is declared: what it shows, what can be done on it, and who sees it in the menu."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, TypeAlias

from cairn_console.visit import Visit

ROOT: Final = "/console"
"""Below which all pages are; the first of the catalog stands at / too."""
Shown: TypeAlias = Mapping[str, Any]
"""What a page shows, as JSON values: its template's, and all of its `.json` twin."""


@dataclass(frozen=True, slots=True)
class Undo:
    """How something done can be undone: an act of the page, with its fields."""

    act: str
    fields: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Done:
    """What an act did, in words without content, and how it can be undone.

    `to` is where the browser goes then, if not to the page as it was.
    """

    said: str
    undo: Undo | None = None
    to: str | None = None


@dataclass(frozen=True, slots=True)
class Presented:
    """An act's answer that is shown at once, since it is nowhere to be read again, instead of the page."""

    shown: Shown


@dataclass(frozen=True, slots=True)
class Attached:
    """An act's answer that the browser keeps as a file."""

    name: str
    media_type: str
    content: bytes = field(repr=False)


Act: TypeAlias = Callable[[Visit], Done | Presented | Attached]


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """A page at `/console/{name}`, with its template beside its file.

    `needs` are the tools without which it shows nothing: the menu offers it to whom may call them all. It may ask those
    and the tools that it `asks` beside them, and no other: the console's role allows what pages ask. `acts` are what
    its forms do, by name. One that is `of` another stands under that one in the menu.
    """

    name: str
    template: str
    title: str
    show: Callable[[Visit], Shown]
    needs: tuple[str, ...]
    asks: tuple[str, ...]
    acts: Mapping[str, Act]
    of: str | None
    for_operators: bool

    @property
    def tools(self) -> frozenset[str]:
        """Return the tools that it may ask."""
        return frozenset((*self.needs, *self.asks))

    @property
    def path(self) -> str:
        """Return its path."""
        return f"{ROOT}/{self.name}"

    def is_for(self, visit: Visit) -> bool:
        """Tell whether the visitor may see it."""
        return all(map(visit.may, self.needs))


def page(  # noqa: PLR0913 - what a page declares about itself, by name
    *,
    title: str,
    needs: Sequence[str],
    asks: Sequence[str] = (),
    acts: Mapping[str, Act] | None = None,
    of: str | None = None,
    for_operators: bool = False,
) -> Callable[[Callable[[Visit], Shown]], Page]:
    """Make a Page of a function from a visit to what is shown: its name is the page's."""

    def declare(show: Callable[[Visit], Shown]) -> Page:
        return Page(
            name=show.__name__.replace("_", "-"),
            template=show.__name__,
            title=title,
            show=show,
            needs=tuple(needs),
            asks=tuple(asks),
            acts=dict(acts or {}),
            of=of,
            for_operators=for_operators,
        )

    return declare
