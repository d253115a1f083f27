"""Forms as browsers send them."""

from __future__ import annotations

from typing import Final
from urllib.parse import parse_qsl, urlsplit

from cairn.edge.events import Request
from cairn.ground.errors import InvalidArgument, PayloadTooLarge, PermissionDenied

MOST_BYTES: Final = 1_000_000
_MOST_FIELDS: Final = 64
_TYPE: Final = "application/x-www-form-urlencoded"


def form_of(request: Request) -> dict[str, str]:
    """Return the fields of a form that a page of this host sent.

    PermissionDenied where it came from another site's page; InvalidArgument for what is no form or has a field twice.
    """
    _check_origin(request)
    if request.headers.get("content-type", "").partition(";")[0].strip().lower() != _TYPE:
        raise InvalidArgument("body", f"must be {_TYPE}")
    if len(request.body) > MOST_BYTES:
        details = {"field": "body", "limit": MOST_BYTES, "actual": len(request.body)}
        raise PayloadTooLarge(f"The form is over {MOST_BYTES} bytes", details)
    try:
        text = request.body.decode("ascii")
        pairs = parse_qsl(text, keep_blank_values=True, errors="strict", max_num_fields=_MOST_FIELDS)
    except ValueError:  # UnicodeDecodeError is one
        raise InvalidArgument("body", f"is no form of at most {_MOST_FIELDS} fields in UTF-8") from None
    found = dict(pairs)
    if len(found) != len(pairs):
        raise InvalidArgument("body", "names a field twice")
    return found


def whole_number(name: str, text: str) -> int:
    """Return the number in a field; InvalidArgument where it is none."""
    if not text.isascii() or not text.isdecimal():
        raise InvalidArgument(name, "must be a whole number")
    return int(text)


def _check_origin(request: Request) -> None:
    """Refuse a form that the browser says is another site's; every browser of today says where a form is from."""
    site, origin = request.headers.get("sec-fetch-site"), request.headers.get("origin")
    is_foreign = site not in {None, "same-origin", "none"}
    if is_foreign or (origin is not None and urlsplit(origin).netloc != request.headers.get("host", "")):
        raise PermissionDenied("This form was sent from another site's page")
