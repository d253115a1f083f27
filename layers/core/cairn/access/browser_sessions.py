"""Keep a browser signed in without keeping its key or token: a signed text says whose session it is, and until when.

Nothing is stored of a session. One that began with a key goes on only while the same is stored of the key as when it
began, so that a key which is revoked, ended, rotated to its end or changed behind its tag ends all its sessions. One
that began with a token says itself what it opens, and ends with the token or when the issuer's settings change.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import astuple
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from typing import TYPE_CHECKING, Any, Final, cast

from cairn.access.api_keys import Credential, Grant
from cairn.access.key_store import Credentials
from cairn.access.layout import CREDENTIALS
from cairn.ground import codec
from cairn.ground.adapters import Adapters
from cairn.ground.settings import OidcSettings
from cairn.vault.vault import Vault

if TYPE_CHECKING:
    from cairn.access.claims import Identity

LIFETIME: Final = timedelta(hours=12)
MOST_CHARACTERS: Final = 3800
"""How long the text of a session may be: browsers keep cookies of 4096 bytes, with their names and attributes."""
_PURPOSE = "browser session"
_FORM_PURPOSE = "browser form"
_SETTINGS_DIGITS = 16
_TAG = r"[1-9][0-9]{0,5}\.[0-9a-f]{32}"
_SESSION = re.compile(rf"([A-Za-z0-9_-]{{1,{MOST_CHARACTERS}}})\.({_TAG})")
_FORM_TOKEN = re.compile(_TAG)


class BrowserSessions:
    """Begins sessions of browsers, and tells whose a session is."""

    def __init__(self, adapters: Adapters, oidc: OidcSettings | None = None) -> None:
        """Sign sessions under the key of credentials; those of tokens hold under these settings alone."""
        self._clock = adapters.clock
        self._credentials = Credentials(adapters)
        self._vault = Vault(adapters)
        self._settings = sha256(codec.canonical(astuple(oidc or OidcSettings()))).hexdigest()[:_SETTINGS_DIGITS]

    def begin(self, presented: str) -> str | None:
        """Return the text of a new session of whoever holds an API key, None where the key opens nothing.

        It lasts for LIFETIME, and never longer than its key.
        """
        found = self._credentials.marked(presented)
        if found is None:
            return None
        credential, mark = found
        end = self._clock.now() + LIFETIME
        if credential.ends_at is not None:
            end = min(end, credential.ends_at)
        return self._sealed([credential.id, int(end.timestamp()), mark])

    def begin_of_token(self, identity: Identity) -> str | None:
        """Return the text of a new session of whoever holds a token, None where it may do nothing or fits no cookie.

        It lasts for LIFETIME, and never longer than the token. The tenant gets a data key, if it has none.
        """
        now = int(self._clock.now().timestamp())
        end = int(min(now + LIFETIME.total_seconds(), identity.ends))
        if not identity.scopes or end <= now:
            return None
        told = {
            "id": identity.id,
            "tenant": identity.tenant,
            "projects": identity.projects,
            "scopes": identity.scopes,
            "users": identity.users,
            "begun": now,
            "end": end,
            "settings": self._settings,
        }
        session_text = self._sealed(told)
        if len(session_text) > MOST_CHARACTERS:
            return None
        self._vault.establish(identity.tenant)  # no operator made it one
        return session_text

    def held(self, session_text: str) -> Credential | None:
        """Return what a session opens now, None for one that has ended and for any other text.

        What is stored of its key is read each time. Of a token it is a credential that the table does not have.
        """
        told, now = self._told(session_text), self._clock.now().timestamp()
        if told is None:
            return None
        if isinstance(told, list):
            key_id, end, mark = cast("tuple[str, int, str]", told)
            return self._credentials.unchanged(key_id, mark) if now < end else None
        return _of_token(told) if now < told["end"] and told["settings"] == self._settings else None

    def form_token(self, session_text: str, path: str) -> str:
        """Return what a form on the page at `path` sends back, to show that this session was given the form."""
        return self._vault.sign(CREDENTIALS, _FORM_PURPOSE, _form(session_text, path))

    def is_form_token(self, session_text: str, path: str, token: str) -> bool:
        """Tell whether a text is the form_token() of this session and page; held() says whether the session goes on."""
        if not _FORM_TOKEN.fullmatch(token):
            return False
        return self._vault.verify(CREDENTIALS, _FORM_PURPOSE, _form(session_text, path), token)

    def _sealed(self, told: object) -> str:
        encoded = codec.base64url(codec.canonical(told))
        return f"{encoded}.{self._vault.sign(CREDENTIALS, _PURPOSE, encoded.encode())}"

    def _told(self, session_text: str) -> Any:
        """Return what _sealed() was given, None where it made no such text."""
        found = _SESSION.fullmatch(session_text)
        if found is None:
            return None
        encoded, tag = found.groups()
        if not self._vault.verify(CREDENTIALS, _PURPOSE, encoded.encode(), tag):
            return None
        return json.loads(codec.of_base64url(encoded))


def _of_token(told: Mapping[str, Any]) -> Credential:
    grant = Grant(tuple(told["projects"]), tuple(told["scopes"]), users=tuple(told["users"]))
    begun, end = (datetime.fromtimestamp(told[name], UTC) for name in ("begun", "end"))
    return Credential(told["id"], told["tenant"], grant, begun, end)


def _form(session_text: str, path: str) -> bytes:
    """Return the bytes that a form's token signs, in ASCII, which even lone surrogates have."""
    return json.dumps([session_text, path]).encode()
