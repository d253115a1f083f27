"""Memory for an agent, in five lines: in this process, or of a server."""

from __future__ import annotations

import secrets
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal, Self, TypeAlias, Unpack

from cairn.client.answers import Branch, Forgotten, Hits, Merged, Prepared, Remembered, Said, Stored
from cairn.client.conversation import said
from cairn.client.documents import Documents
from cairn.client.files import Files
from cairn.client.items import ItemLog, LogSummary, summaries
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
        undo: bool = False,
        **names: Unpack[Names],
    ) -> Forgotten:
        """Let go of a memory or a fact by its id; the reason stays on record. With `undo` that is taken back.

        >>> kept = memory.remember("The shed is red.", user="ada")
        >>> memory.forget(kept.id, reason="It was painted green.", user="ada").message
        'Forgotten. Call forget with undo: true to take it back.'
        >>> memory.forget(kept.id, undo=True, user="ada").message
        'Taken back: it holds under another id.'
        """
        told = {"memory_id": memory_id, "reason": reason, "replacement_id": replacement_id, "undo": undo or None}
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

    def branch(self, name: str, *, at: datetime | str | None = None, **names: Unpack[Names]) -> Branch:
        """Make a branch of the project, or of the session that the call names, as it was at a time, by default now.

        Calls work on it that name its project; neither sees what the other does. Made again, it is the one there is.

        >>> trial = memory.branch("try-1", user="ada")
        >>> memory.add("I moved to Rome.", user="ada", project=trial.project).replaced
        1
        >>> memory.merge("try-1", user="ada").turns
        1
        """
        session = canonical(names).get("session")
        return Branch.of(self._branching("create", name, names, {"at": at, "session_id": session}))

    def merge(self, name: str, **names: Unpack[Names]) -> Merged:
        """Bring what was done on a branch to its project, once; then the branch is gone.

        What the project said of the same since then stands. What fails may be called again.
        """
        return Merged(**self._branching("merge", name, names, {})["merged"])

    def drop(self, name: str, **names: Unpack[Names]) -> None:
        """Erase what was done on a branch, and the branch."""
        self._branching("drop", name, names, {})

    def _branching(self, action: str, name: str, names: Names, told: Mapping[str, Any]) -> dict[str, Any]:
        place = replace(self._place.named(names), user=None, session=None).arguments()
        return self._retries.call("memory_branch", {**place, "action": action, "name": name, **_given(told)})

    def documents(self, **names: Unpack[Names]) -> Documents:
        """Return the documents of a user or, where none is named, of the project: JSON values under keys of your own.

        >>> notes = memory.documents(user="ada")
        >>> version = notes.put(("notes",), "north", {"text": "Four hours of sun."})
        >>> notes.search(("notes",), "How much sun?")[0].key
        'north'
        """
        whose = replace(self._place.named(names), session=None).arguments()
        return Documents(lambda tool, asked: self._retries.call(tool, {**whose, **asked}))

    def items(self, log: str, **names: Unpack[Names]) -> ItemLog:
        """Return an item log by its name: a user's in the project or, where none is named, the project's own.

        It need not be there yet. It holds what a program keeps for itself: nothing of it is searched or learnt.

        >>> thread = memory.items("thread-2", user="ada")
        >>> stored = thread.append([{"role": "user", "content": "Hello!"}])
        >>> [item.data["content"] for item in thread.read(10).items]
        ['Hello!']
        """
        return ItemLog(self._retries, self._shelf(names), log)

    def item_logs(self, prefix: str = "", *, with_state: bool = False, **names: Unpack[Names]) -> Iterator[LogSummary]:
        """Yield the item logs of a user or, where none is named, the project's own, by name.

        >>> [log.log for log in memory.item_logs("thread-", user="ada")]
        ['thread-2']
        """
        return summaries(self._retries, self._shelf(names), prefix, with_state=with_state)

    def files(self, *, whose: Scope | None = None, **names: Unpack[Names]) -> Files:
        r"""Return files under `/memories`, which last across sessions and machines.

        They are the user's, where one is named in the call or was when the memory was opened, or else the session's, or
        else those that everyone in the project shares; `whose` chooses among them.

        >>> memory.files(user="ada").write("/memories/todo.md", "Buy seeds.\n").existed
        False
        """
        owner = self._place.named(names).arguments()
        return Files(self._retries, owner if whose is None else {**owner, "whose": whose}, self._door.where)

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

    def _shelf(self, names: Names) -> dict[str, str]:
        """Return whose item logs a call is about; InvalidArgument where it names a session, which has none."""
        if "session" in canonical(names):
            raise InvalidArgument("session", "has no item logs: name the log after it")
        return replace(self._place.named(names), session=None).arguments()

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
