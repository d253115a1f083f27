"""Close a memory log in which nothing is left."""

from __future__ import annotations

from cairn.ground.adapters import Adapters
from cairn.ground.attributes import number
from cairn.ground.errors import TransactionRefused
from cairn.ground.paging import every
from cairn.ground.table import ABSENT, Check, Delete, Equals, Key, Query, Write
from cairn.log.layout import KEPT_COUNT, MANIFEST, NEWEST
from cairn.log.newest import Newest
from cairn.log.segments import as_far_as_readable


def close(adapters: Adapters, pk: str, registered: Key | None) -> bool:
    """Delete what is left of a log in which nothing is, and where it is known; tell whether it was so.

    What is being kept in it meanwhile stays, and the log with that.
    """
    held = {Key.of(item).sk: item for item in every(adapters.table, Query(pk, "\x01", "\U0010ffff"))}
    if held.keys() - {MANIFEST, NEWEST, KEPT_COUNT}:
        return False
    newest = Key(pk, NEWEST)
    made = Equals("newest", Newest.of(held[NEWEST]).made) if NEWEST in held else None
    writes: list[Write] = [Check(newest, ABSENT) if made is None else Delete(newest, made)]
    if MANIFEST in held:
        writes.append(Delete(Key(pk, MANIFEST), as_far_as_readable(held[MANIFEST]).is_stored))
    if KEPT_COUNT in held:
        writes.append(Delete(Key(pk, KEPT_COUNT), Equals("kept", number(held[KEPT_COUNT], "kept"))))
    if registered is not None:
        writes.append(Delete(registered))
    try:
        adapters.table.transact(writes)
    except TransactionRefused:  # something is being kept in it
        return False
    return True
