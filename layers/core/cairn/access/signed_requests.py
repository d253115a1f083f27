"""Let in whoever signs requests as AWS's clients do, in two steps.

A signature covers the body, which no gateway shows an authorizer. So `claimed` reads who a request says it is of, and
returns what that key would open together with a proof that is still to be made; `Proof.path_of` makes it with the
request as a whole. The key in a proof signs for one day, region and service: the secret does not follow from it.
"""

from __future__ import annotations

import hmac
import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from typing import Any, Final, Literal

from cairn.access import sigv4
from cairn.access.api_keys import Credential, named_by
from cairn.access.key_store import Credentials
from cairn.access.sigv4 import Authorization, Scope

SERVICE: Final = "bedrock-agentcore"
ROOT: Final = "/agentcore"
"""Below which path signed requests are taken."""
WINDOW: Final = timedelta(minutes=5)
"""How far a request's date may be from the clock, before and after."""
Flaw = Literal["malformed", "headers", "payload", "service", "date", "unknown", "signature"]
"""Why a signed request is nobody's: the header is of no such form; a header that must be signed is not; it leaves the
body unsigned; it is for another service; its date is too far from the clock, or of another day than its scope; its key
opens nothing or cannot sign; or the signature is not of this request."""
_PAYLOAD: Final = "x-amz-content-sha256"
_DATE: Final = "x-amz-date"
_DATE_FORMAT: Final = "%Y%m%dT%H%M%SZ"
_DIGEST: Final = re.compile(r"[0-9a-f]{64}")


@dataclass(frozen=True, slots=True)
class Proof:
    """What is left to verify of a signed request, for who sees all of it."""

    key: bytes = field(repr=False)
    scope: Scope
    moment: str
    signed_headers: tuple[str, ...]
    signature: str

    def text(self) -> str:
        """Return it as text, which of() reads."""
        scope = [self.scope.day, self.scope.region, self.scope.service]
        return json.dumps([self.key.hex(), scope, self.moment, self.signed_headers, self.signature])

    @classmethod
    def of(cls, text: str) -> Proof:
        """Return the proof in a text; ValueError, TypeError or IndexError where it is none."""
        key, scope, moment, signed_headers, signature = json.loads(text)
        return cls(bytes.fromhex(key), Scope(*scope), moment, tuple(signed_headers), signature)

    def path_of(
        self, *, method: str, paths: Iterable[str], query: str, headers: Mapping[str, str], body: bytes
    ) -> str | None:
        """Return which of the paths was signed with the rest of this request, None where none was.

        The paths are the ways in which the one that was asked for can have been percent-encoded.
        """
        digest = sha256(body).hexdigest()
        if headers.get(_PAYLOAD, digest) != digest:
            return None
        shown = {"method": method, "query": query, "headers": headers, "signed": self.signed_headers}
        try:
            return next((each for each in paths if self._is_of({**shown, "path": each, "payload_hash": digest})), None)
        except UnicodeEncodeError:  # half a character, which nothing that was sent can hold
            return None

    def _is_of(self, parts: dict[str, Any]) -> bool:
        canonical = sigv4.canonical_request(**parts)
        return hmac.compare_digest(sigv4.signature(self.key, self.moment, self.scope, canonical), self.signature)


def claimed(headers: Mapping[str, str], credentials: Credentials, now: datetime) -> tuple[Credential, Proof] | Flaw:
    """Return whose a signed request says it is, with what has to be proven still, or why it is nobody's."""
    said = Authorization.of(headers.get("authorization", ""))
    if said is None:
        return "malformed"
    moment = headers.get(_DATE, "")
    flaw = _flaw(said, headers) or _flaw_of_date(said.scope, moment, now)
    if flaw is not None:
        return flaw
    key_id = named_by(said.access_key_id)
    found = None if key_id is None else credentials.signer(key_id)
    if found is None:
        return "unknown"
    credential, key = found
    signing = sigv4.signing_key(key.secret, said.scope)
    return credential, Proof(signing, said.scope, moment, said.signed_headers, said.signature)


def _flaw(said: Authorization, headers: Mapping[str, str]) -> Flaw | None:
    needed = {"host", _DATE} | ({_PAYLOAD} & headers.keys())
    if not needed <= set(said.signed_headers) or not set(said.signed_headers) <= headers.keys():
        return "headers"
    if _PAYLOAD in headers and not _DIGEST.fullmatch(headers[_PAYLOAD]):
        return "payload"
    return None if said.scope.service == SERVICE else "service"


def _flaw_of_date(scope: Scope, moment: str, now: datetime) -> Flaw | None:
    try:
        sent = datetime.strptime(moment, _DATE_FORMAT).replace(tzinfo=UTC)
    except ValueError:
        return "date"
    is_near = abs(sent - now) <= WINDOW and moment == sent.strftime(_DATE_FORMAT)
    return None if is_near and scope.day == moment[:8] else "date"
