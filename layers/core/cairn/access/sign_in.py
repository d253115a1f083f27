"""Sign a browser in at an OpenID Connect issuer: the authorization code flow with PKCE, for a client without a secret.

What has to be known when the browser comes back is sealed into a text that it keeps itself. So nobody else's browser
can end a sign-in, and no code that an issuer gave for another one is taken.
"""

from __future__ import annotations

import hmac
import json
import re
from collections.abc import Mapping
from datetime import datetime, timedelta
from hashlib import sha256
from typing import Any, Final
from urllib.parse import urlencode

from cairn.access.api_keys import SCOPES
from cairn.access.discovery import discovery, json_object, place
from cairn.access.layout import CREDENTIALS
from cairn.ground import codec
from cairn.ground.adapters import Adapters
from cairn.ground.errors import CorruptData, NoAnswer, Unavailable
from cairn.ground.ports import HttpGet, HttpPost
from cairn.ground.settings import SKEW, OidcSettings
from cairn.vault.vault import Vault

LIFETIME: Final = timedelta(minutes=10)
_FRESH_FOR: Final = timedelta(hours=1)
_PURPOSE = "sign-in"
_RANDOM_BYTES = 32
_STATE_TEXT = re.compile(r"([1-9][0-9]{0,5})\.([A-Za-z0-9_-]{1,4000})")
_CLIENT_ERRORS = range(400, 500)


class SignIn:
    """Begins and ends sign-ins at the configured issuer."""

    def __init__(self, settings: OidcSettings, adapters: Adapters, get: HttpGet, post: HttpPost) -> None:
        """Know nothing of the issuer yet."""
        self._settings = settings
        self._adapters = adapters
        self._vault = Vault(adapters)
        self._get = get
        self._post = post
        self._known: tuple[Mapping[str, Any], datetime] | None = None

    def begin(self, redirect_uri: str) -> tuple[str, str]:
        """Return the URL to send a browser to, and the text that it has to keep for LIFETIME.

        The issuer sends it on to the redirect URI. Unavailable where the issuer does not answer.
        """
        state, verifier = self._random(), self._random()
        asked = {
            "response_type": "code",
            "client_id": self._settings.console_client_id,
            "redirect_uri": redirect_uri,
            "scope": " ".join(["openid", *(self._settings.scope_prefix + each for each in SCOPES)]),
            "state": state,
            "code_challenge": codec.base64url(sha256(verifier.encode()).digest()),
            "code_challenge_method": "S256",
            **self._resource(),
        }
        url = self._place("authorization_endpoint")
        end = int((self._adapters.clock.now() + LIFETIME).timestamp())
        kept = self._sealed([state, verifier, redirect_uri, end])
        return f"{url}{'&' if '?' in url else '?'}{urlencode(asked)}", kept

    def finish(self, query: Mapping[str, str], state_text: str, redirect_uri: str) -> str | None:
        """Return the access token for which a browser came back with this query, None where it gets none.

        Whether the token opens anything, AccessTokens.check() says. Unavailable where the issuer does not answer.
        """
        verifier = self._verifier(query, state_text, redirect_uri)
        code = query.get("code", "")
        issuer = self._settings.issuer
        if verifier is None or not code or not code.isprintable() or query.get("iss", issuer) != issuer:
            return None
        form = {
            "grant_type": "authorization_code",
            "client_id": self._settings.console_client_id,
            "code": code,
            "redirect_uri": redirect_uri,
            "code_verifier": verifier,
            **self._resource(),
        }
        return self._exchanged(form)

    def _exchanged(self, form: Mapping[str, str]) -> str | None:
        url = self._place("token_endpoint")
        try:
            answer = json_object(self._post(url, form))
        except NoAnswer as error:
            if error.status in _CLIENT_ERRORS:  # a code that is unknown, used or another's
                return None
            raise Unavailable(f"The issuer gives no token: {error}") from None
        token, kind = answer.get("access_token"), answer.get("token_type")
        is_bearer = isinstance(kind, str) and kind.lower() == "bearer"
        return token if is_bearer and isinstance(token, str) and token else None

    def _verifier(self, query: Mapping[str, str], state_text: str, redirect_uri: str) -> str | None:
        """Return the secret of the sign-in that this browser began, None where it is none of its own or over."""
        kept = self._kept(state_text)
        if kept is None:
            return None
        state, verifier, sent_to, end = kept
        is_own = hmac.compare_digest(query.get("state", "").encode(errors="replace"), state.encode())
        is_current = self._adapters.clock.now().timestamp() < end
        return verifier if is_own and is_current and sent_to == redirect_uri else None

    def _place(self, name: str) -> str:
        """Return one of the issuer's URLs."""
        now, known = self._adapters.clock.now(), self._known
        try:
            if known is None or not known[1] - SKEW <= now < known[1] + _FRESH_FOR:
                known = self._known = (discovery(self._settings.issuer, self._get), now)
            return place(known[0], name, self._settings.issuer)
        except NoAnswer as error:
            raise Unavailable(f"The issuer cannot be asked: {error}") from None

    def _resource(self) -> dict[str, str]:
        """Return what the token is to be for (RFC 8707)."""
        return {"resource": self._settings.resource} if self._settings.resource else {}

    def _random(self) -> str:
        return codec.base64url(self._adapters.entropy.token(_RANDOM_BYTES))

    def _sealed(self, kept: object) -> str:
        number, sealed = self._vault.seal_alike(CREDENTIALS, _PURPOSE, codec.canonical(kept))
        return f"{number}.{codec.base64url(sealed)}"

    def _kept(self, state_text: str) -> Any:
        """Return what _sealed() was given, None where it made no such text."""
        found = _STATE_TEXT.fullmatch(state_text)
        if found is None:
            return None
        number, encoded = found.groups()
        try:
            sealed = codec.of_base64url(encoded)
            return json.loads(self._vault.unseal_alike(CREDENTIALS, _PURPOSE, int(number), sealed))
        except (ValueError, CorruptData):
            return None
