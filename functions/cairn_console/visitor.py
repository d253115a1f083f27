"""Whoever is signed in."""

from __future__ import annotations

from dataclasses import dataclass, field

from cairn.tool.call import Call


@dataclass(frozen=True, slots=True)
class Visitor:
    """Whoever shows a cookie of a sign-in that still holds: the calls that it may make, and the sign-in."""

    call: Call
    session: str = field(repr=False)

    def token(self, path: str) -> str:
        """Return what a form that is sent to this path has to show."""
        return self.call.services.browser_sessions.form_token(self.session, path)

    def is_own(self, path: str, token: str) -> bool:
        """Tell whether a form's token is of this sign-in and for this path."""
        return self.call.services.browser_sessions.is_form_token(self.session, path, token)
