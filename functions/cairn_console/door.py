"""The Lambda of the console: an API Gateway event, payload 2.0, to a page and back.

The gateway asks no authorizer here, since a browser shows a cookie: `signing_in` tells who comes. What a page shows and
does comes from the tools' own entrance alone. Every page has a `.json` twin at its path with `.json` behind it.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

from cairn import wiring
from cairn.edge import problems
from cairn.edge.events import Request, read
from cairn.edge.guard import guarded, left
from cairn.ground.errors import CairnError, InvalidArgument, NotFound, PermissionDenied
from cairn.telemetry.record import CallRecord
from cairn_console import assets, cookies, signing_in
from cairn_console.answers import HTML, answered, json_answered, sent_on
from cairn_console.catalog import PAGES
from cairn_console.forms import form_of
from cairn_console.framing import framed, problem_page
from cairn_console.page import ROOT, Attached, Done, Page, Presented
from cairn_console.rendering import address
from cairn_console.visit import Visit
from cairn_console.visitor import Visitor

_TWIN: Final = ".json"
_BY_PATH: Final[Mapping[str, Page]] = {each.path: each for each in PAGES} | {"/": PAGES[0], ROOT: PAGES[0]}


def handler(event: dict[str, Any], context: object) -> dict[str, Any]:
    """Answer one event; never raise."""
    until = time.monotonic() + left(context)
    is_twin = str(event.get("rawPath")).endswith(_TWIN)
    try:
        with guarded("") as record:
            return _answer(event, record, until)
    except CairnError as error:
        return _problem(error, None, is_twin=is_twin)


def _answer(event: dict[str, Any], record: CallRecord, until: float) -> dict[str, Any]:
    record.name_job("console")
    request = read(event)
    record.request_id = request.request_id
    path = request.path.rstrip("/") or "/"
    if path.startswith(assets.PATH):
        found = assets.asset(path.removeprefix(assets.PATH))
        if found is None:
            raise NotFound("There is no such file")
        return found
    kept = cookies.cookies_in(event, request.headers)
    if path.startswith(signing_in.PATH):
        return signing_in.answer(request, kept, wiring.services())
    visitor = signing_in.visitor(request, kept, wiring.services(), until)
    if visitor is None:
        return signing_in.sent_to_sign_in(request, is_twin=path.endswith(_TWIN))
    record.name_tenant(visitor.call.caller.tenant)
    return _page(request, path, visitor, kept, record)


def _page(request: Request, path: str, visitor: Visitor, kept: Mapping[str, str], record: CallRecord) -> dict[str, Any]:
    """Answer a visitor's request for a page, its twin or one of its acts."""
    page = _BY_PATH.get(path.removesuffix(_TWIN))
    if page is None:
        return _problem(NotFound("There is no such page"), visitor, is_twin=path.endswith(_TWIN))
    visit = Visit(visitor.call, page.tools, dict(request.query))
    try:
        if request.method == "POST":
            return _act(request, page, visitor, visit)
        shown = page.show(visit)
    except CairnError as error:
        record.refuse(error)
        return _problem(error, visitor, is_twin=path.endswith(_TWIN))
    if path.endswith(_TWIN):
        return json_answered(200, shown)
    said = cookies.unpacked(kept.get(cookies.SAID, ""))
    ended = (cookies.ending(cookies.SAID),) if cookies.SAID in kept else ()
    return answered(200, HTML, framed(page, visitor, visit, shown, said), cookies=ended)


def _problem(error: CairnError, visitor: Visitor | None, *, is_twin: bool) -> dict[str, Any]:
    """Say what went wrong, in the form that was asked for."""
    if is_twin:
        return json_answered(problems.http_status(error), problems.envelope(error))
    return answered(problems.http_status(error), HTML, problem_page(error, visitor))


def _act(request: Request, page: Page, visitor: Visitor, visit: Visit) -> dict[str, Any]:
    """Do what a form of the page says, and send the browser back to the page, which tells what was done."""
    form = form_of(request)
    if not visitor.is_own(page.path, form.pop("token", "")):
        raise PermissionDenied("This form is not one of this sign-in: go back, load the page again and try once more")
    act = page.acts.get(form.pop("act", ""))
    if act is None:
        raise InvalidArgument("act", "is nothing that this page does")
    match act(replace(visit, form=form)):
        case Attached() as file:
            named = f'attachment; filename="{file.name}"'
            return answered(200, file.media_type, file.content, content_disposition=named)
        case Presented() as at_once:
            return answered(200, HTML, framed(page, visitor, visit, at_once.shown, {}))
        case Done() as done:
            told: dict[str, Any] = {"said": done.said, "page": page.name}
            if done.undo is not None:
                told["undo"] = {"act": done.undo.act, **done.undo.fields}
            to = done.to or address(page.path, **visit.query)
            return sent_on(to, cookies.setting(cookies.SAID, cookies.packed(told), seconds=60))
