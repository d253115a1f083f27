"""Memory for an agent, in five lines: in this process, or of a server."""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal, Self, TypeAlias, Unpack

from cairn.client.answers import Forgotten, Hits, Prepared, Remembered, Said, Stored
from cairn.client.conversation import said
from cairn.client.messages import Item, Message, Messages, listed, parted
from cairn.client.names import Names, Place, canonical
from cairn.client.retries import Retries
from cairn.ground.errors import InvalidArgument
from cairn.process.system import SystemClock

if TYPE_CHECKING:
    from cairn.client.door import Door
    from cairn.ground.ports import Clock
    from cairn.ground.settings import MemoryScope
    from cairn.messages.formats import Format


_TURN_BYTES: Final = 8


Scope: TypeAlias = Literal["session", "user", "project"]
"""How far memory reaches: one session, all sessions of one user, or everyone's in the project."""


class Filters(Names, total=False):
    """What a search is limited to: a user, a session or a project, and what is searched for.

    `type` is what `remember` was given, or `turn` for what was said. `min_confidence` is from 0 to 1. `as_of` asks what
    was believed then. `search_mode` is hybrid, text or semantic. `recall_scope` is how far the search reaches.
    """

    type: str
    min_confidence: float
    as_of: datetime | str
    include_superseded: bool
    search_mode: str
    recall_scope: Scope


_CHOSEN: Final = Filters.__optional_keys__ - Names.__optional_keys__


class Memory:
    """What an agent remembers of its users.

    Without arguments it is the memory of `cairn serve` on this machine; with a path, that data directory's; with a URL
    and a key, a server's. Threads may share one, and processes a directory.

    >>> from cairn import Memory
    >>> memory = Memory("~/.local/share/cairn", user="ada", project="garden")
    >>> stored = memory.add("I live in Oslo and grow beans.")
    >>> memory.search("Where do I live?")[0].content
    'home: Oslo'

    Whom a call is about stands in the call or here: `user` or `user_id`, `session` or `session_id`, and `project`. What
    is kept for a user, every session of theirs finds in the project. A session is one conversation; where none is
    named, this object has one with each user.

    Use it in a `with` block, or close it, so that work in the background ends in good order. What was acknowledged is
    stored either way. After a fork each process has the directory open for itself; fork before threads make calls.
    """

    def __init__(self, store: str | Path | None = None, *, key: str | None = None, **names: Unpack[Names]) -> None:
        """Open a data directory, or reach a server with its API key.

        SettingsError where the directory or the settings of the environment are wrong, InvalidArgument where the URL,
        the key or a name is.
        """
        place = Place().named(names)
        self._begin(_door(store, key), SystemClock(), place)

    @classmethod
    def through(cls, door: Door, clock: Clock, **names: Unpack[Names]) -> Self:
        """Return a memory behind a door of your own, which waits by your clock, as tests want it."""
        made = cls.__new__(cls)
        made._begin(door, clock, Place().named(names))  # noqa: SLF001 - of this very class
        return made

    def _begin(self, door: Door, clock: Clock, place: Place) -> None:
        self._door = door
        self._retries = Retries(door, clock)
        self._place = place if place.project is not None else place.named({"project": door.project})

    def add(
        self,
        messages: Messages,
        *,
        turn_id: str | None = None,
        **names: Unpack[Names],
    ) -> Stored:
        """Keep what was said, and learn the facts in it.

        With a turn_id of your own, adding the same again stores nothing twice, even from another process. Without one,
        what fails for a while is tried again under the same id.

        >>> talk = [{"role": "user", "content": "My name is Ada."}, {"role": "assistant", "content": "Hello, Ada!"}]
        >>> memory.add(talk, user_id="ada").items
        2
        """
        given, answer = parted(listed("messages", messages))
        return self.after_turn(given, answer, turn_id=turn_id, **names)

    def search(
        self,
        query: str | None = None,
        *,
        limit: int = 10,
        cursor: int = 0,
        filters: Filters | None = None,
        **names: Unpack[Names],
    ) -> Hits:
        """Find what was said, remembered and learnt, by words and meaning, the best first.

        Without a query come the newest memories and facts: all that is known. At `cursor` of one answer the next
        begins. The filters may name the user too.

        >>> found = memory.search("Which vegetables grow in my garden?", user_id="ada", filters={"type": "turn"})
        >>> found[0].who, found[0].content
        ('user', 'I live in Oslo and grow beans.')
        """
        asked = dict[str, Any](filters or {})
        chosen = {name: asked.pop(name) for name in _CHOSEN if name in asked}
        place = self._known({**canonical(asked), **canonical(names)})
        told = {"query": query, "limit": limit, "cursor": cursor, "origin": True, **chosen}
        return Hits.of(self._retries.call("recall", {**place.arguments(), **_given(told)}))

    def before_turn(  # noqa: PLR0913 - an argument for each of the tool's
        self,
        current_input: Messages,
        *,
        base_instructions: str | None = None,
        conversation_items: Sequence[Message] | None = None,
        max_input_tok: int | None = None,
        recall_scope: Scope | None = None,
        format: Format | None = None,  # noqa: A002 - the tool's own name for it
        **names: Unpack[Names],
    ) -> Prepared:
        """Return the model's input for what the user just said, with what matters of the past in it.

        `conversation_items` are the conversation so far, if you keep it; otherwise this session's newest turns are.
        `format` is how your model's API has its messages: responses, chat, anthropic, converse, gemini or langchain, or
        text for a prompt.

        >>> prepared = memory.before_turn("What can I plant next to them?", user="ada")
        >>> prepared.input_items[-1]["content"]
        [{'type': 'input_text', 'text': 'What can I plant next to them?'}]
        """
        place = self._known(names).conversation()
        asked = {
            "current_input": listed("current_input", current_input),
            "base_instructions": base_instructions,
            "conversation_items": _so_far(conversation_items),
            "max_input_tok": max_input_tok,
            "recall_scope": recall_scope,
            "format": format,
        }
        answer = self._retries.call("memory_before_turn", {**place.arguments(), **_given(asked)})
        return Prepared.of(answer, place.session or "")

    def after_turn(
        self,
        input_items: Messages,
        output_items: Messages,
        *,
        turn_id: str | None = None,
        conversation_items: Sequence[Message] | None = None,
        learned: Sequence[Mapping[str, str]] | None = None,
        **names: Unpack[Names],
    ) -> Stored:
        """Keep a turn: what the user said and what the model answered, once.

        `learned` are facts that the model learnt, each with `about`, `value`, a `quote` of the user and, where it ends
        one, `replaces`: the #id in that memory's line. Those that the user's own words do not support are refused.

        >>> memory.after_turn("I moved to Bergen.", "Noted.", user="ada", turn_id="turn-2").replaced
        1
        >>> memory.after_turn("I moved to Bergen.", "Noted.", user="ada", turn_id="turn-2").replayed
        True
        """
        place = self._known(names).conversation()
        turn_id = turn_id or f"turn-{secrets.token_hex(_TURN_BYTES)}"
        told = {
            "turn_id": turn_id,
            "input_items": listed("input_items", input_items),
            "output_items": listed("output_items", output_items),
            "conversation_items": _so_far(conversation_items),
            "learned": None if learned is None else [dict(each) for each in learned],
        }
        answer = self._retries.call("memory_after_turn", {**place.arguments(), **_given(told)})
        return Stored.of(answer, turn_id, place.session or "")

    def remember(
        self,
        content: str,
        *,
        type: str = "fact",  # noqa: A002 - the tool's own name for it
        confidence: float | str = 0.8,
        rationale: str | None = None,
        scope: MemoryScope | None = None,
        **names: Unpack[Names],
    ) -> Remembered:
        """Keep one thing that is settled, in words that make sense on their own.

        `scope` says who finds it: `user`, where one is known, or else `session`; `project` is everyone's;
        `user_everywhere` is the user's in every project.

        >>> kept = memory.remember("The north bed gets four hours of sun.", type="decision", scope="project")
        >>> kept.message
        'Remembered as decision.'
        """
        place = self._known(names)
        told = {"content": content, "type": type, "confidence": confidence, "rationale": rationale, "scope": scope}
        return Remembered.of(self._retries.call("remember", {**place.arguments(), **_given(told)}))

    def forget(
        self,
        memory_id: str,
        *,
        reason: str | None = None,
        replacement_id: str | None = None,
        **names: Unpack[Names],
    ) -> Forgotten:
        """Let go of a memory or a fact by its id; the reason stays on record.

        >>> kept = memory.remember("The shed is red.", user="ada")
        >>> memory.forget(kept.id, reason="It was painted green.", user="ada").message
        'Forgotten.'
        """
        told = {"memory_id": memory_id, "reason": reason, "replacement_id": replacement_id}
        return Forgotten.of(self._retries.call("forget", {**self._known(names).arguments(), **_given(told)}))

    def history(self, *, limit: int | None = None, **names: Unpack[Names]) -> tuple[Said, ...]:
        """Return what was said in a session, the oldest first: the newest `limit` items, or all.

        >>> [(item.who, item.content) for item in memory.history(user="ada", limit=2)]
        [('user', 'I moved to Bergen.'), ('assistant', 'Noted.')]
        """
        if limit is not None and limit < 1:
            raise InvalidArgument("limit", "must be at least 1")
        whose = replace(self._known(names).conversation(), user=None).arguments()
        return said(lambda asked: self._retries.call("memory_list_dir_with_abstract", {**whose, **asked}), limit)

    def close(self) -> None:
        """Let go of the directory or the connections; what was acknowledged is stored already."""
        self._door.close()

    def __enter__(self) -> Self:
        """Return the memory, which is closed with the block."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close the memory."""
        self.close()

    def __repr__(self) -> str:
        """Show where the memory is and whose; never the key."""
        named = {name: getattr(self._place, name) for name in ("project", "user", "session")}
        shown = "".join(f", {name}={value!r}" for name, value in named.items() if value is not None)
        return f"{type(self).__name__}({self._door.where!r}{shown})"

    def _known(self, names: Names | Mapping[str, object]) -> Place:
        """Return whose memory a call is about; InvalidArgument where nobody would ever find it again."""
        place = self._place.named(names)
        if place.user is None and place.session is None and not self._door.knows_user():
            raise InvalidArgument("user", "is required, or a session: name one in the call, or in Memory(user=…)")
        return place


def _door(store: str | Path | None, key: str | None) -> Door:
    if isinstance(store, str) and "://" in store:
        from cairn.client.remote import Remote  # noqa: PLC0415 - a directory needs no HTTP

        return Remote(store, key or "")
    if key is not None:
        raise InvalidArgument("key", "is for a URL: whoever can read a directory needs none")
    if store is not None and not str(store).strip():
        raise InvalidArgument("store", "must not be empty")
    from cairn.client.embedded import Embedded  # noqa: PLC0415 - a server's client opens no store

    return Embedded(None if store is None else Path(store))


def _so_far(items: Sequence[Message] | None) -> list[Item] | None:
    return None if items is None else listed("conversation_items", items)


def _given(arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Return the arguments that say something; a time as text."""
    found = {name: value for name, value in arguments.items() if value is not None}
    return {name: value.isoformat() if isinstance(value, datetime) else value for name, value in found.items()}
