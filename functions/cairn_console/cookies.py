"""The console's cookies: a request's, from both payloads, and those that an answer sets or ends.

`__Host-` has browsers keep a cookie for this host alone, over TLS or on this machine; no script and no other site's
page gets at it.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final, cast

from cairn.ground.codec import base64url, canonical, of_base64url

SESSION: Final = "__Host-cairn"
SAID: Final = "__Host-cairn-said"
"""What the act before did, for the page after it: words of the console's own and ids, no content."""
SIGN_IN: Final = "__Host-cairn-sign-in"
"""A sign-in at an issuer that is under way."""
_RULES: Final = "Path=/; Secure; HttpOnly"
MOST_CHARACTERS: Final = 3000


def cookies_in(event: Mapping[str, Any], headers: Mapping[str, str]) -> dict[str, str]:
    """Return the cookies of an event: payload 2.0 has a list of them, 1.0 a header."""
    listed: object = event.get("cookies")
    given = cast("list[object]", listed) if isinstance(listed, list) else [headers.get("cookie", "")]
    pairs = (pair.strip().partition("=") for each in given for pair in str(each).split(";"))
    return {name: value for name, _, value in pairs if name.startswith("__Host-")}


def setting(name: str, value: str, *, seconds: int | None = None) -> str:
    """Return the header that sets a cookie, until the browser is closed or for so many seconds.

    It is never sent along from another site's page, but for that of a sign-in: an issuer's page leads back here.
    """
    until = "" if seconds is None else f"; Max-Age={seconds}"
    return f"{name}={value}; {_RULES}; SameSite={'Lax' if name == SIGN_IN else 'Strict'}{until}"


def ending(name: str) -> str:
    """Return the header that ends a cookie."""
    return setting(name, "", seconds=0)


def packed(value: Mapping[str, Any]) -> str:
    """Return a JSON object as a cookie's value, "" where it is too long for one."""
    text = base64url(canonical(value))
    return text if len(text) <= MOST_CHARACTERS else ""


def unpacked(text: str) -> dict[str, Any]:
    """Return the JSON object of a cookie's value, {} where it holds none."""
    try:
        found: object = json.loads(of_base64url(text))
    except (ValueError, RecursionError):
        return {}
    return cast("dict[str, Any]", found) if isinstance(found, dict) else {}
