"""Documents that processes keep: stored, deleted, counted up on a condition, and searched; one function per action."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress

from cairn.documents.model import Owner, Place, Sought, Wanted
from cairn.documents.store import Documents
from cairn.ground.errors import Conflict, ResourceBusy, Unavailable
from cairn.ground.ids import Tenant, UserId
from simulation.actions import PROJECT, Action, Play, wait
from simulation.operations import Kind, Operation
from simulation.stage import Process

PLACES = tuple(Place(collection, key) for collection in (("notes",), ("notes", "old")) for key in ("a", "b/"))
COUNTER = Place(("counters",), "n")
WORD = "beans"
LIFETIMES = (None, None, None, 5, 600)
TRIES = 3


def owner_of(play: Play) -> Owner:
    """Return whose documents they are: a few owners', each with all that their tenant's schedules do."""
    user = play.random.choice((*play.users, None))
    return Owner(play.a_session().tenant, PROJECT, None if user is None else UserId(user))


def owners(play: Play, tenant: Tenant) -> list[Owner]:
    """Return every owner of a tenant."""
    return [Owner(tenant, PROJECT, None if user is None else UserId(user)) for user in (*play.users, None)]


def put_documents(play: Play, process: Process) -> None:
    """Store one or two documents that are new, small or large enough for a blob, searched or not, maybe for a while."""
    owner, draw = owner_of(play), play.random
    ttl = draw.choice(LIFETIMES)
    places = draw.sample(PLACES, draw.choice((1, 1, 2)))
    texts = [f"{WORD} {play.operations.number()} {draw.randbytes(draw.choice((1, 1, 900))).hex()}" for _ in places]
    version = draw.choice((None, None, None, 0))
    changes = [
        Wanted(
            place=place,
            value={"text": text},
            index=draw.choice((None, None, False)),
            ttl_seconds=ttl,
            if_version=version,
        )
        for place, text in zip(places, texts, strict=True)
    ]
    _done(
        play, [(owner, place) for place in places], lambda: process.services.documents.put(owner, changes), texts, ttl
    )


def delete_document(play: Play, process: Process) -> None:
    """Delete a document, be it there or not."""
    owner, place = owner_of(play), play.random.choice(PLACES)
    change = Wanted(place=place)
    _done(play, [(owner, place)], lambda: process.services.documents.put(owner, [change]), [None], None)


def count_up(play: Play, process: Process) -> None:
    """Read a number and store the next one if nobody did meanwhile; what is not answered is told again."""
    owner, store = owner_of(play), process.services.documents
    with suppress(Unavailable):
        (found,) = store.get(owner, [COUNTER])
        number, version = (0, 0) if found is None else (found.value["n"], found.version)
        value = {"n": number + 1, "by": play.operations.number()}
        operation = play.operations.begin(Operation("count", owner, play.operations.number()))
        change = Wanted(place=COUNTER, value=value, index=False, if_version=version)
        _until_answered(operation, store, owner, change)


def search_documents(play: Play, process: Process) -> None:
    """Search a collection, and hold what is found to what was ever stored there."""
    owner, collection = owner_of(play), play.random.choice((("notes",), ("notes", "old"), ()))
    with suppress(Unavailable):
        hits = process.services.documents.search(owner, Sought(collection=collection, query=WORD, limit=100)).hits
        stored = {(each.about, each.content) for each in play.operations.of("document")}
        for hit in hits:
            document = hit.document
            known = ((owner, document.place), document.value.get("text")) in stored or document.place == COUNTER
            assert known, f"{document.place} is found as nobody stored it"


DOCUMENT_ACTIONS: dict[Action, int] = {put_documents: 4, delete_document: 1, count_up: 3, search_documents: 3, wait: 2}


def _until_answered(operation: Operation, store: Documents, owner: Owner, change: Wanted) -> None:
    """Make a call, and again where no answer came: then a conflict does not tell whether it was made."""
    for attempt in range(TRIES):
        try:
            (operation.answer,) = store.put(owner, [change])
        except (Conflict, ResourceBusy):
            operation.refused = attempt == 0
            return
        except Unavailable:
            continue
        operation.ok = True
        return


def _done(
    play: Play,
    about: list[tuple[Owner, Place]],
    call: Callable[[], list[int]],
    texts: list[str] | list[None],
    ttl: int | None,
) -> None:
    kind: Kind = "document"
    begun = [
        play.operations.begin(Operation(kind, each, play.operations.number(), text, ttl is not None))
        for each, text in zip(about, texts, strict=True)
    ]
    try:
        versions = call()
    except (Conflict, ResourceBusy):
        for operation in begun:
            operation.refused = True
    except Unavailable:
        return
    else:
        for operation, version in zip(begun, versions, strict=True):
            operation.answer, operation.ok = version, True
    for operation in begun:
        operation.ended = play.operations.number()
