"""OpenAI's Agents SDK: a session for its `Runner`."""

from __future__ import annotations

from asyncio import to_thread
from threading import Lock
from typing import TYPE_CHECKING, Any, Final, cast

from agents.memory import SessionSettings
from agents.memory.session_settings import coerce_session_settings, resolve_session_limit

from cairn.client.again import Again
from cairn.client.log_data import given, held, log_name
from cairn.client.memory import Memory
from cairn.client.settling import settled

if TYPE_CHECKING:
    from agents import TResponseInputItem

_LOGS: Final = "openai-agents"
_MOST_CHARACTERS: Final = 180


class CairnSession:
    """A conversation of the Agents SDK as an item log: of the memory's user, or of the one that is named.

    Items come back as they were added. A call that failed and is made again right away adds or takes nothing twice.
    """

    session_id: str
    session_settings: SessionSettings | None

    def __init__(
        self,
        session_id: str,
        memory: Memory,
        *,
        user: str | None = None,
        session_settings: SessionSettings | dict[str, Any] | None = None,
    ) -> None:
        """Take the session's id, which may be any text, and the memory; nothing is read yet."""
        self.session_id = session_id
        self.session_settings = coerce_session_settings(session_settings or SessionSettings())
        self._log = memory.items(log_name(_LOGS, session_id, most=_MOST_CHARACTERS), user=user)
        self._writing = Lock()
        self._again = Again()

    async def get_items(self, limit: int | None = None) -> list[TResponseInputItem]:
        """Return the newest items, the oldest of them first; all without a limit here or in the settings."""
        most = resolve_session_limit(limit, self.session_settings)
        return await to_thread(self._newest, None if most is None or most < 0 else most)

    async def add_items(self, items: list[TResponseInputItem]) -> None:
        """Add items: up to 64, and 1.5 MB, all or none; more in several such steps."""
        if items:
            await settled(lambda: self._add(items))

    async def pop_item(self) -> TResponseInputItem | None:
        """Take back the newest item and return it; that it was taken back stays on record."""
        return await settled(self._pop)

    async def clear_session(self) -> None:
        """Delete all items."""
        await settled(self._clear)

    def _newest(self, most: int | None) -> list[TResponseInputItem]:
        with self._writing:
            self._again.forget()  # whoever looks knows what became of a write
        read = () if most == 0 else self._log.read(most).items
        return [cast("TResponseInputItem", given(item.data)) for item in read]

    def _add(self, items: list[TResponseInputItem]) -> None:
        kept = [held(item) for item in items]
        with self._writing:
            self._again.write(["add", kept], lambda operation: self._log.append(kept, operation_id=operation))

    def _pop(self) -> TResponseInputItem | None:
        with self._writing:
            taken = self._again.write(["pop"], lambda operation: self._log.take_back(operation_id=operation))
        return cast("TResponseInputItem", given(taken.items[0].data)) if taken.items else None

    def _clear(self) -> None:
        with self._writing:
            self._again.forget()
            self._log.delete()
