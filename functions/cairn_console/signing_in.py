"""Who comes: a key that was pasted once, or a sign-in at the issuer, becomes a cookie that ends with it."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any, Final

from cairn.access.callers import Caller, policy_held_to
from cairn.edge.events import Request
from cairn.edge.guard import within
from cairn.ground.errors import NotFound, PermissionDenied, Unauthenticated
from cairn.ground.trust import Trust
from cairn.services import Services
from cairn.tool.call import Call
from cairn_console import cookies
from cairn_console.answers import HTML, answered, json_answered, sent_on
from cairn_console.forms import form_of
from cairn_console.framing import SIGN_OUT, onward_page, sign_in_page
from cairn_console.page import ROOT
from cairn_console.rendering import address
from cairn_console.visitor import Visitor

PATH: Final = f"{ROOT}/sign-"
ISSUER: Final = f"{PATH}in/issuer"
"""Where a sign-in at the issuer begins."""
BACK: Final = f"{PATH}in/back"
"""Where the issuer sends a browser back to: the client's redirect URI ends with it."""
_IN: Final = f"{PATH}in"
_SECONDS: Final = 600
"""How long a sign-in at the issuer may take."""


def visitor(request: Request, kept: Mapping[str, str], services: Services, until: float) -> Visitor | None:
    """Return who comes, None where nobody is signed in any more."""
    session = kept.get(cookies.SESSION, "")
    if not session:
        return None
    opened = within(until - time.monotonic(), lambda: services.browser_sessions.held(session))
    if opened is None:
        return None
    grant = opened.grant
    caller = Caller(
        opened.tenant,
        frozenset(grant.scopes),
        request.request_id,
        grant.projects,
        policy=policy_held_to(grant.policy, grant.users),
        credential=opened.id,
        users=grant.users,
        trust=Trust.OPERATOR if "admin" in grant.scopes and not grant.users else Trust.USER,
    )
    return Visitor(Call(caller, services, until), session)


def sent_to_sign_in(request: Request, *, is_twin: bool) -> dict[str, Any]:
    """Send a browser to sign in and back again; a program is told that it has to."""
    if is_twin:
        from cairn.edge import problems  # noqa: PLC0415 - for who is not signed in alone

        error = Unauthenticated("Sign in at /console/sign-in, and send its cookie")
        return json_answered(problems.http_status(error), problems.envelope(error))
    query = dict(request.query)
    here = address(request.path, **query) if request.method == "GET" else ""
    return sent_on(address(_IN, to=None if here in {"", "/"} else here))


def answer(request: Request, kept: Mapping[str, str], services: Services) -> dict[str, Any]:
    """Answer at the pages for signing in and out."""
    to = _own_path(dict(request.query).get("to", ""))
    match request.path, request.method:
        case path, "POST" if path == SIGN_OUT:
            return _sign_out(request, kept, services)
        case path, "POST" if path == _IN:
            return _sign_in(request, to, services)
        case path, "GET" if path == ISSUER:
            return _begin(request, to, services)
        case path, "GET" if path == BACK:
            return _finish(request, kept, services)
        case _:
            return answered(200, HTML, sign_in_page(to, issuer=services.sign_in is not None))


def _sign_in(request: Request, to: str, services: Services) -> dict[str, Any]:
    has_issuer = services.sign_in is not None
    session = services.browser_sessions.begin(form_of(request).get("key", "").strip())
    if session is None:
        return answered(
            401,
            HTML,
            sign_in_page(to, problem="This key opens nothing: it may have ended, or is not whole.", issuer=has_issuer),
        )
    return sent_on(to, cookies.setting(cookies.SESSION, session))


def _begin(request: Request, to: str, services: Services) -> dict[str, Any]:
    """Send a browser to the issuer, with what it has to show when it comes back."""
    if services.sign_in is None:
        raise NotFound("No issuer is configured to sign in at")
    url, state = services.sign_in.begin(_redirect_uri(request))
    kept = cookies.packed({"state": state, "to": to})
    return sent_on(url, cookies.setting(cookies.SIGN_IN, kept, seconds=_SECONDS))


def _finish(request: Request, kept: Mapping[str, str], services: Services) -> dict[str, Any]:
    """Sign in whom the issuer sends back.

    The browser goes on by a page and not by being sent on: a chain that began on another site gets no strict cookie.
    """
    begun = cookies.unpacked(kept.get(cookies.SIGN_IN, ""))
    session = _session_of(request, str(begun.get("state", "")), services)
    if session is None:
        return answered(401, HTML, sign_in_page("/", problem="The sign-in did not succeed; try again.", issuer=True))
    set_cookies = (cookies.setting(cookies.SESSION, session), cookies.ending(cookies.SIGN_IN))
    return answered(200, HTML, onward_page(_own_path(str(begun.get("to", "")))), cookies=set_cookies)


def _session_of(request: Request, state: str, services: Services) -> str | None:
    """Return the session of whoever the issuer vouches for, None where it vouches for nobody who may come in."""
    if services.sign_in is None or services.access_tokens is None:
        return None
    token = services.sign_in.finish(dict(request.query), state, _redirect_uri(request))
    identity = None if token is None else services.access_tokens.check(token)
    return None if identity is None else services.browser_sessions.begin_of_token(identity)


def _redirect_uri(request: Request) -> str:
    """Return where the issuer is to send the browser back to: to where it is now."""
    scheme = request.headers.get("x-forwarded-proto", "http")
    return f"{scheme}://{request.headers.get('host', request.host)}{BACK}"


def _sign_out(request: Request, kept: Mapping[str, str], services: Services) -> dict[str, Any]:
    token, session = form_of(request).get("token", ""), kept.get(cookies.SESSION, "")
    if not services.browser_sessions.is_form_token(session, SIGN_OUT, token):
        raise PermissionDenied("This form is not one of this sign-in")
    return sent_on(_IN, cookies.ending(cookies.SESSION))


def _own_path(to: str) -> str:
    """Return a path of this console, the first page's for anything else: a link from elsewhere leads nowhere else."""
    return to if to.startswith(f"{ROOT}/") and "\\" not in to and "//" not in to else "/"
