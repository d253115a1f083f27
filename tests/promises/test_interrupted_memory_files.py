"""Whatever call of a command on memory files fails, is the last or meets another's, nothing is lost or doubled."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from itertools import count
from typing import Any, TypeAlias

import pytest

from cairn.files import owners
from cairn.files.commands import AT_ONCE, Command, Create, Insert, Remove, Rename, StrReplace, View, Write
from cairn.files.layout import FILES
from cairn.files.memory_files import ANY, Condition, MemoryFiles
from cairn.files.receipts import Done, Operation
from cairn.ground.adapters import Adapters
from cairn.ground.errors import CairnError, Unavailable
from cairn.ground.ids import UserId
from cairn.ground.settings import Limits
from cairn.ground.table import Key
from cairn.log.layout import registry_pk
from support.custody import ACME, GARDEN
from support.custody import LARGE as LARGER
from support.faults import FAULTS, FaultyBlobs, FaultyStore, Stopped
from support.services import services_over

NewAdapters: TypeAlias = Callable[[], tuple[object, Adapters]]
Fault: TypeAlias = Callable[[Callable[[], object]], object]
State: TypeAlias = dict[str, Any]
ADA = owners.of_user(ACME, GARDEN, UserId("ada"))
FEWEST_CALLS = 4
LARGE = LARGER[:70_000]
"""Over 32 KB when it is compressed."""
ONCE = Condition(operation=Operation("o1", "f1"))
COMMANDS: dict[str, Command] = {
    "create": Create("/memories/new/deep.md", LARGE),
    "replace": StrReplace("/memories/a.md", "beans", "peas"),
    "insert": Insert("/memories/a.md", 0, LARGE),
    "write": Write("/memories/a.md", "kale"),
    "write anew": Write("/memories/b.md", LARGE),
    "delete": Remove("/memories/a.md"),
    "delete a directory": Remove("/memories/dir"),
    "rename": Rename("/memories/a.md", "/memories/moved/a.md"),
    "rename a directory": Rename("/memories/dir", "/memories/moved/dir"),
}


def files_of(adapters: Adapters, **limits: int) -> MemoryFiles:
    return MemoryFiles(services_over(adapters), Limits(**limits))


def moved_in(new_adapters: NewAdapters) -> Adapters:
    _, adapters = new_adapters()
    files = files_of(adapters)
    files.run(ADA, Create("/memories/a.md", f"beans\n\n\n\n{LARGE}"))
    files.run(ADA, Create("/memories/dir/x.md", "x"))
    files.run(ADA, Create("/memories/dir/y.md", LARGE))
    files.run(ADA, Write("/memories/a.md", f"more beans\n\n\n\n{LARGE}"))
    return adapters


def state(adapters: Adapters) -> State:
    """Return what a process that has read nothing yet finds: directories, contents, versions, and what is counted."""
    files = files_of(adapters)
    held = {each.path: getattr(files.read(ADA, each.path), "content") for each in files.list(ADA)}  # noqa: B009 - or None
    earlier = {path: len(list(files.versions(ADA, path))) for path in ("/memories/a.md", "/memories/dir/y.md")}
    counted = adapters.table.get(Key(registry_pk(ACME, GARDEN), FILES)) or {}
    assert counted.get("bytes", 0) == sum(len(text.encode()) for text in held.values())
    return {"held": held, "earlier": earlier, "listed": files.view(ADA, View("/memories")).words}


def faulty(adapters: Adapters, at: int, fault: Fault) -> tuple[FaultyStore, MemoryFiles]:
    store = FaultyStore(adapters, at, fault)
    return store, files_of(replace(adapters, table=store, blobs=FaultyBlobs(adapters, store)))


@pytest.mark.slow
@pytest.mark.parametrize("name", COMMANDS)
@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.__name__)
def test_a_command_that_is_stopped_anywhere_is_done_or_not_and_its_repetition_does_it_once(
    name: str, fault: Fault, new_adapters: NewAdapters
) -> None:
    command, whole = COMMANDS[name], moved_in(new_adapters)
    before = state(whole)
    wanted = files_of(whole).run(ADA, command, ONCE)
    after = state(whole)
    assert before != after

    at = 0
    for at in count(1):
        adapters = moved_in(new_adapters)
        store, files = faulty(adapters, at, fault)
        with suppress(Stopped, Unavailable):
            files.run(ADA, command, ONCE)
        if store.calls < at:
            break
        assert state(adapters) in (before, after), at
        done = files_of(adapters).run(ADA, command, ONCE)
        assert replace(done, replayed=False) == wanted, at
        assert state(adapters) == after, at
    assert at > FEWEST_CALLS


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.__name__)
def test_a_large_directory_whose_deletion_is_stopped_is_deleted_by_the_next(
    fault: Fault, new_adapters: NewAdapters
) -> None:
    for at in range(1, 60, 4):
        _, adapters = new_adapters()
        for number in range(AT_ONCE + 2):
            files_of(adapters).run(ADA, Create(f"/memories/many/{number}", "beans"))
        _, files = faulty(adapters, at, fault)
        with suppress(Stopped, Unavailable):
            files.run(ADA, Remove("/memories/many"), ONCE)

        assert (
            files_of(adapters).run(ADA, Remove("/memories/many"), ONCE).words == "Successfully deleted /memories/many"
        )
        assert state(adapters)["held"] == {}
        assert len(list(files_of(adapters).versions(ADA, "/memories/many/0"))) == 1


OTHERS: dict[str, Command] = {
    "the same": Write("/memories/a.md", "corn"),
    "moved": Rename("/memories/a.md", "/memories/elsewhere.md"),
    "in the way": Create("/memories/new", "a file"),
    "in the directory": Create("/memories/dir/z.md", "corn"),
}


@pytest.mark.slow
@pytest.mark.parametrize("other", OTHERS)
@pytest.mark.parametrize("name", COMMANDS)
def test_of_two_commands_at_once_one_comes_first_whole(name: str, other: str, new_adapters: NewAdapters) -> None:
    possible = [in_turn(new_adapters, one, two) for one, two in ((name, other), (other, name))]
    for at in count(1):
        adapters = moved_in(new_adapters)

        def between(call: Callable[[], object], adapters: Adapters = adapters) -> object:
            outcome(files_of(adapters), OTHERS[other])
            return call()

        store, files = faulty(adapters, at, between)
        outcome(files, COMMANDS[name])
        if store.calls < at:
            break
        assert state(adapters) in possible, at


def in_turn(new_adapters: NewAdapters, *names: str) -> State:
    adapters = moved_in(new_adapters)
    for name in names:
        outcome(files_of(adapters), {**COMMANDS, **OTHERS}[name])
    return state(adapters)


def outcome(files: MemoryFiles, command: Command) -> Done | str:
    try:
        return files.run(ADA, command, ANY)
    except CairnError as error:
        return error.code
