"""Read an OpenID Connect issuer's documents: JSON objects, of which one says where the others are."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final, cast

from cairn.ground.errors import NoAnswer
from cairn.ground.ports import HttpGet
from cairn.ground.urls import check_url

_WELL_KNOWN: Final = "/.well-known/openid-configuration"


def discovery(issuer: str, get: HttpGet) -> Mapping[str, Any]:
    """Return the issuer's discovery document; NoAnswer where none comes, or another issuer's."""
    document = json_object(get(issuer.rstrip("/") + _WELL_KNOWN))
    if document.get("issuer") != issuer:
        raise NoAnswer("the discovery document is another issuer's")
    return document


def place(document: Mapping[str, Any], name: str, issuer: str) -> str:
    """Return the URL that a discovery document has under a name; NoAnswer for one that may not be asked."""
    url = str(document.get(name))
    try:
        check_url(url.partition("?")[0])
    except ValueError as error:
        raise NoAnswer(f"the discovery document's {name} {error}") from None
    if issuer.startswith("https:") and not url.startswith("https:"):
        raise NoAnswer(f"the discovery document's {name} must be https, as its issuer is")
    return url


def json_object(document: bytes) -> Mapping[str, Any]:
    """Return a document as the JSON object that it is; NoAnswer for anything else."""
    try:
        found: object = json.loads(document)
    except (ValueError, RecursionError):
        raise NoAnswer("the answer is not JSON") from None
    if not isinstance(found, dict):
        raise NoAnswer("the answer is no JSON object")
    return cast("dict[str, Any]", found)
