"""What processes do with item logs: one function per action. Of two logs one is deleted whole at times."""

from __future__ import annotations

from collections.abc import Callable

from cairn.items.model import UNCHANGED, Append, ItemId, Log, LogName, NewItem, OperationId
from cairn.items.read import Window
from simulation.actions import PROJECT, Action, Play
from simulation.operations import Kind, Operation
from simulation.stage import Process

THREAD, SCRATCH = LogName("thread"), LogName("scratch")
WHOLE = Window(1000)
LENGTHS = (1, 1, 2, 3)
SIZES = (1, 1, 900)


def append(play: Play, process: Process) -> None:
    """Append items that nobody appended, small or large, under the revision that was told last or under any."""
    log, operation = _log(play), f"op-{play.operations.number()}"
    size = play.random.choice(SIZES)
    items = [
        NewItem(ItemId(f"{operation}:{place}"), play.random.randbytes(size).hex())
        for place in range(play.random.choice(LENGTHS))
    ]
    known = [each.answer.revision for each in play.operations.of("items") if each.about[0] == log and each.ok]
    wanted = Append(
        items=tuple(items),
        state=play.random.choice((UNCHANGED, UNCHANGED, operation * size)),
        operation_id=OperationId(operation),
        expected_revision=known[-1] if known and play.random.random() < 0.4 else None,
    )
    _append(play, process, log, wanted)


def append_again(play: Play, process: Process) -> None:
    """Make an append again, whatever came of it."""
    if told := play.operations.of("items"):
        _append(play, process, *play.random.choice(told[-6:]).about)


def take_back(play: Play, process: Process) -> None:
    """Take back one or two items."""
    _take_back(play, process, _log(play), OperationId(f"undo-{play.operations.number()}"), play.random.choice((1, 2)))


def take_back_again(play: Play, process: Process) -> None:
    """Take back what was to be taken back before."""
    if told := play.operations.of("taken"):
        _take_back(play, process, *play.random.choice(told[-4:]).about)


def delete_items(play: Play, process: Process) -> None:
    """Delete the first item of an append, and one that never was."""
    if told := play.operations.of("items"):
        log, wanted = play.random.choice(told).about
        ids = [wanted.items[0].id, ItemId("never")]
        _done(play, "cut", (log, ids), lambda: process.services.item_logs.delete_items(log, ids))


def delete_log(play: Play, process: Process) -> None:
    """Delete the log that nobody means to keep."""
    log = Log(play.a_session().tenant, PROJECT, None, SCRATCH)
    _done(play, "cleared", (log,), lambda: process.services.item_logs.delete_log(log))


def read(play: Play, process: Process) -> None:
    """Read a log, and note what was told of it."""
    log = _log(play)
    _done(play, "looked", (log,), lambda: process.services.item_logs.read(log, WHOLE))


ITEM_ACTIONS: dict[Action, int] = {
    append: 8,
    append_again: 4,
    take_back: 3,
    take_back_again: 2,
    delete_items: 1,
    delete_log: 1,
    read: 3,
}


def _log(play: Play) -> Log:
    return Log(play.a_session().tenant, PROJECT, None, play.random.choice((THREAD, THREAD, SCRATCH)))


def _append(play: Play, process: Process, log: Log, wanted: Append) -> None:
    _done(play, "items", (log, wanted), lambda: process.services.item_logs.append(log, wanted))


def _take_back(play: Play, process: Process, log: Log, operation: OperationId, count: int) -> None:
    call = lambda: process.services.item_logs.take_back(log, operation, count)  # noqa: E731
    _done(play, "taken", (log, operation, count), call)


def _done(play: Play, kind: Kind, about: object, call: Callable[[], object]) -> None:
    play.operations.make(Operation(kind, about, play.operations.number()), call)
