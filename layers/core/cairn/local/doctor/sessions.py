"""Ask the server which sessions it has, with the key that hooks show it."""

from __future__ import annotations

import ssl
from datetime import datetime
from http import HTTPStatus
from typing import Any, Final

import httpx2

from cairn.ground.codec import moment
from cairn.local.connect.agent import headers
from cairn.local.hook.client_file import Client

_SECONDS: Final = 10.0
_MOST: Final = 100


class Unanswered(Exception):
    """The server did not say; the message tells why, without the key."""


class Sessions:
    """The sessions of a server, asked for once a project."""

    def __init__(self, client: Client) -> None:
        """Ask this server with this key."""
        self._client = client
        self._known: dict[str, dict[str, datetime]] = {}
        self._next: dict[str, str | None] = {}

    def of(self, project: str, since: datetime) -> dict[str, datetime]:
        """Return by id when each of a project's sessions had its newest turn, at least of those that had one since.

        Unanswered where the server does not say.
        """
        found = self._known.setdefault(project, {})
        while (cursor := self._next.get(project, "")) is not None and min(found.values(), default=since) >= since:
            told = self._ask(project, cursor)
            try:
                found |= {each["session_id"]: moment(each["newest"]) for each in told["sessions"]}
                self._next[project] = told["cursor"]
            except (ValueError, KeyError, TypeError):
                raise Unanswered(f"{self._client.url} does not answer as Cairn does") from None
        return found

    def _ask(self, project: str, cursor: str) -> Any:
        url = self._client.url
        named = {**headers(self._client), "X-Cairn-Project": project}
        asked: dict[str, str | int] = {"limit": _MOST} | ({"cursor": cursor} if cursor else {})
        try:
            with httpx2.Client(timeout=_SECONDS, verify=ssl.create_default_context()) as http:
                answer = http.get(f"{url}/v1/sessions", params=asked, headers=named)
            if answer.status_code != HTTPStatus.OK:
                raise Unanswered(_refused(url, answer.status_code, project))
            return answer.json()
        except httpx2.HTTPError as error:
            raise Unanswered(f"{url} gives no answer ({type(error).__name__}): is cairn serve running?") from None
        except ValueError:
            raise Unanswered(f"{url} does not answer as Cairn does") from None


def _refused(url: str, status: int, project: str) -> str:
    match status:
        case HTTPStatus.UNAUTHORIZED:
            return f"{url} refuses the key: run cairn connect again"
        case HTTPStatus.FORBIDDEN:
            return f"{url} does not let this key into the project {project}"
        case _:
            return f"{url} answers with status {status}"
