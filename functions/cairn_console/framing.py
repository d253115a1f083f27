"""What stands around a page: the menu, where one is, what was just done; and the pages that are none of the catalog."""

from __future__ import annotations

from collections.abc import Mapping
from http import HTTPStatus
from typing import Any, Final

from cairn import __version__
from cairn.edge import problems
from cairn.ground.errors import CairnError
from cairn_console import assets
from cairn_console.catalog import PAGES
from cairn_console.page import ROOT, Page, Shown
from cairn_console.rendering import address, count, html
from cairn_console.visit import Visit
from cairn_console.visitor import Visitor

SIGN_OUT: Final = f"{ROOT}/sign-out"


def framed(page: Page, visitor: Visitor, visit: Visit, shown: Shown, said: Mapping[str, Any]) -> str:
    """Return a page with what it shows, and with what the act before did where that was on this page."""
    about: Mapping[str, Any] = said if said.get("page") == page.name else {}
    frame: dict[str, Any] = {
        "page": page,
        "title": page.title,
        "token": visitor.token(page.path),
        "said": about.get("said"),
        "undo": about.get("undo"),
        "here": address(page.path, **visit.query),
        "twin": address(f"{page.path}.json", **visit.query),
    }
    return html(page.template, {**_common(), **_around(visitor, visit), **frame, **shown})


def problem_page(error: CairnError, visitor: Visitor | None) -> str:
    """Return the page that says what went wrong, with the menu where it is known who looks at it."""
    status = problems.http_status(error)
    told = {
        "title": "Not found" if status == HTTPStatus.NOT_FOUND else "That did not work",
        "error": error,
        "status": status,
        "fields": error.details.get("fields", {}),
        "page": None,
    }
    around: dict[str, Any] = {"menu": []} if visitor is None else _around(visitor, Visit(visitor.call, frozenset()))
    return html("problem", {**_common(), **around, **told})


def sign_in_page(to: str, *, problem: str = "", issuer: bool = False) -> str:
    """Return the page to sign in on; `to` is where it leads."""
    told: dict[str, Any] = {
        "title": "Sign in",
        "to": to,
        "problem": problem,
        "issuer": issuer,
        "menu": [],
        "page": None,
    }
    return html("sign-in", {**_common(), **told})


def onward_page(to: str) -> str:
    """Return the page that leads on by itself, once somebody came back from the issuer."""
    return html("onward", {**_common(), "title": "Signed in", "to": to, "menu": [], "page": None})


def _around(visitor: Visitor, visit: Visit) -> dict[str, Any]:
    """Return what stands around every page of somebody who is signed in."""
    return {"menu": _menu(visit), "visit": visit, "out_token": visitor.token(SIGN_OUT)}


def _common() -> dict[str, Any]:
    return {"link": assets.link, "version": __version__, "root": ROOT, "address": address, "count": count}


def _menu(visit: Visit) -> list[tuple[str, list[Page]]]:
    """Return the pages that the visitor may see, those of memory and those for operators, by heading."""
    seen = [each for each in PAGES if each.of is None and each.is_for(visit)]
    memory = [each for each in seen if not each.for_operators]
    operators = [each for each in seen if each.for_operators]
    return [(heading, pages) for heading, pages in (("Memory", memory), ("Operation", operators)) if pages]
