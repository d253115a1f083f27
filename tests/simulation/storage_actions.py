"""What processes keep beside turns: memories, values, archived sessions, files; one function per action."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress

from cairn.archive.model import Deposit
from cairn.files.files import WriteMode
from cairn.ground.errors import NotFound
from cairn.ground.ids import Namespace, UserId
from cairn.ground.session import Session
from cairn.keyvalue.model import KeyName, Place
from cairn.memories.forget import forget as forget_memory
from cairn.memories.model import ForgetRequest, Note, RecallRequest
from cairn.memories.recall import recall as recall_memories
from cairn.memories.remember import remember as keep_memory
from simulation.actions import SCOPES, Action, Play, tag_of
from simulation.operations import Kind, Operation
from simulation.stage import Process

PLACES = tuple((Namespace(space), KeyName(key)) for space in ("notes", "notes.old") for key in ("a", "b"))
LIFETIMES = (None, None, 5, 600)
VERSIONS = (None, None, None, 0)
LABELS = ("beans", "herbs", "roses")
CONTENTS = ("The beans go north.", "The herbs go south.")
LOG, STATE = "notes/log.txt", "notes/state.txt"
MOST = 1000


def remember(play: Play, process: Process) -> None:
    """Keep one of a few memories, which may be kept already."""
    session, user, scope = play.a_session(), play.random.choice(play.users), play.random.choice(SCOPES)
    content = f"{tag_of(session, user)} keeps {play.random.randrange(3)} for the {scope}"
    note = Note(content=content, scope=scope, user_id=UserId(user))
    _done(play, "remember", (session, note), lambda: keep_memory(process.services, session, note).id)


def forget(play: Play, process: Process) -> None:
    """Forget a memory that somebody was told of, maybe once more."""
    kept = [operation for operation in play.operations.of("remember") if operation.ok]
    if kept:
        operation = play.random.choice(kept[-4:])
        session, note = operation.about
        request = ForgetRequest(id=operation.answer, user_id=note.user_id)
        _done(play, "forget", operation.answer, lambda: forget_memory(process.services, session, request))


def recall(play: Play, process: Process) -> None:
    """Recall everything, and note what was told of memories."""
    session, user = play.a_session(), play.random.choice(play.users)
    _done(play, "recall", (session, user), lambda: recalled(process, session, user))


def put_value(play: Play, process: Process) -> None:
    """Store a value that is new, small or large enough for a blob, for ever or for a while."""
    place, ttl, version = _place(play), play.random.choice(LIFETIMES), play.random.choice(VERSIONS)
    value = f"{play.operations.number()} {play.random.randbytes(play.random.choice((1, 1, 900))).hex()}"
    call: Callable[[], object] = lambda: process.services.keyvalue.put(place, value, ttl, version)  # noqa: E731
    _done(play, "value", place, call, value, expires=ttl is not None)


def delete_value(play: Play, process: Process) -> None:
    """Remove a value."""
    place = _place(play)

    def remove() -> None:
        with suppress(NotFound):
            process.services.keyvalue.delete(place)

    _done(play, "value", place, remove)


def archive(play: Play, process: Process) -> None:
    """Archive one of a few sessions, under one tag more or less."""
    session, label = play.a_session(), play.random.choice(LABELS)
    told = {"session_id": session.session_id, "summary": play.random.choice(CONTENTS), "success": True}
    deposit = Deposit(session_id=session.session_id, tags=(label,), session=told)
    call: Callable[[], object] = lambda: process.services.archive.store(session.tenant, deposit).digest  # noqa: E731
    _done(play, "archive", (session.tenant, deposit), call)


def append_file(play: Play, process: Process) -> None:
    """Append a line to a session's file."""
    session, line = play.a_session(), f"line {play.operations.number()};"
    text = f"{line}\n"
    files = process.services.files
    _done(play, "append", session, lambda: files.write(session, LOG, text, WriteMode.APPEND), line)


def write_file(play: Play, process: Process) -> None:
    """Replace what is in a session's file."""
    session, text = play.a_session(), f"state {play.operations.number()} {'and so on ' * play.random.choice((1, 300))}"
    files = process.services.files
    _done(play, "state", session, lambda: files.write(session, STATE, text, WriteMode.TRUNCATE), text)


STORAGE_ACTIONS: dict[Action, int] = {
    remember: 3,
    forget: 2,
    recall: 1,
    put_value: 4,
    delete_value: 1,
    archive: 1,
    append_file: 2,
    write_file: 1,
}


def recalled(process: Process, session: Session, user: str) -> dict[str, str]:
    """Return the memories that a user sees in a session, by id."""
    question = RecallRequest(min_confidence=0, limit=MOST, user_id=UserId(user))
    found = recall_memories(process.services, session, question).found
    return {each.id: each.content for each in found if each.kind == "memory"}


def _place(play: Play) -> Place:
    return Place(play.a_session().tenant, *play.random.choice(PLACES))


def _done(  # noqa: PLR0913 - what an operation is
    play: Play,
    kind: Kind,
    about: object,
    call: Callable[[], object],
    content: str | None = None,
    *,
    expires: bool = False,
) -> None:
    play.operations.make(Operation(kind, about, play.operations.number(), content, expires), call)
