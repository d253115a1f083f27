"""An item log keeps items in their order, each once, changes under a revision, and gives back its newest."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from hashlib import sha256
from typing import Any

import pytest

from cairn.ground.adapters import Adapters
from cairn.ground.errors import Conflict, InvalidArgument, QuotaExceeded, ResourceBusy, Unavailable
from cairn.ground.ids import Tenant, UserId
from cairn.ground.settings import Limits
from cairn.ground.table import Delete, Key, Update
from cairn.items import layout, model
from cairn.items.head import Head
from cairn.items.listing import Shelf
from cairn.items.model import ItemId, Log, LogName
from cairn.items.read import Window
from cairn.items.store import ItemLogs
from conftest import FakeClock
from support.doubles import Counted
from support.failing_table import Failing
from support.items import ACME, ADA, ALL, GARDEN, THREAD, confirm, data_of, item_logs, left_of, new, numbered, op
from support.memory_store import MemoryBlobs

NOISE = "".join(sha256(bytes([number % 256, number // 256])).hexdigest() for number in range(1250))
"""80 KB that compress to more than an item holds."""


@pytest.fixture
def logs(adapters: Adapters) -> ItemLogs:
    return item_logs(adapters)


@pytest.mark.req("R313")
def test_items_come_back_in_their_order_as_they_were(logs: ItemLogs) -> None:
    said: list[Any] = [{"b": 1, "a": [None, 0.5, ""]}, "text", 0, False, None, {"": {}}]

    done = logs.append(THREAD, new(*((f"m{place}", data) for place, data in enumerate(said))))

    found = logs.read(THREAD, ALL)
    assert [repr(data) for data in data_of(found)] == list(map(repr, said))
    assert [item.id for item in found.items] == [f"m{place}" for place in range(len(said))]
    assert done.positions == tuple(item.position for item in found.items) == tuple(range(len(said)))
    assert (done.revision, done.count, done.replayed) == (found.revision, found.count, 0)
    assert (found.state, found.more) == (None, False)


@pytest.mark.req("R313")
def test_an_item_is_stored_once_however_often_it_is_told(logs: ItemLogs, adapters: Adapters) -> None:
    first = logs.append(THREAD, new(("a", 1), ("b", {"x": 2, "y": 3})))

    again = item_logs(adapters).append(THREAD, new(("a", 1), ("b", {"y": 3, "x": 2}), expected_revision=7))
    more = logs.append(THREAD, new(("b", {"x": 2, "y": 3}), ("c", 3), ("c", 3)))

    assert (again.revision, again.positions, again.replayed) == (first.revision, (0, 1), 2)
    assert (more.positions, more.replayed, more.count) == ((1, 2, 2), 2, 3)
    assert data_of(logs.read(THREAD, ALL)) == [1, {"x": 2, "y": 3}, 3]


@pytest.mark.req("R313")
def test_an_id_stands_for_one_item_alone(logs: ItemLogs) -> None:
    logs.append(THREAD, new(("a", 1), ("b", 2)))

    with pytest.raises(Conflict) as refused:
        logs.append(THREAD, new(("a", 2), ("b", 2), ("c", 3)))
    assert refused.value.details == {"ids": ["a"]}
    with pytest.raises(Conflict) as refused:
        logs.append(THREAD, new(("d", 1), ("d", 2)))
    assert refused.value.details == {"ids": ["d"]}
    assert data_of(logs.read(THREAD, ALL)) == [1, 2]


@pytest.mark.req("R313")
def test_an_append_holds_only_under_the_revision_that_it_expects(logs: ItemLogs, adapters: Adapters) -> None:
    first = logs.append(THREAD, new(("a", 1), expected_revision=0)).revision
    second = item_logs(adapters).append(THREAD, new(("b", 2), expected_revision=first)).revision
    assert second > first

    for process in (logs, item_logs(adapters)):
        for expected in (0, first, second + 1):
            with pytest.raises(Conflict) as refused:
                process.append(THREAD, new(("c", 3), expected_revision=expected))
            assert refused.value.details == {"revision": second}
    assert logs.append(THREAD, new(("c", 3), expected_revision=second)).count == 3


@pytest.mark.req("R313")
def test_taking_back_the_newest_is_on_record_and_done_once(
    logs: ItemLogs, adapters: Adapters, clock: FakeClock
) -> None:
    logs.append(THREAD, numbered(1, 3))
    logs.append(THREAD, numbered(4, 4))

    done = logs.take_back(THREAD, op("undo"), 2)
    again = item_logs(adapters).take_back(THREAD, op("undo"), 2, expected_revision=5)

    assert [item.data for item in done.items] == [3, 4]
    assert (again.items, again.revision, again.repeated) == (done.items, done.revision, True)
    assert data_of(logs.read(THREAD, ALL)) == [1, 2]
    record = adapters.table.get(Key(THREAD.pk, layout.taken_sk("undo")))
    head = adapters.table.get(THREAD.head)
    assert record is not None
    assert head is not None
    assert (record["count"], head["taken"]) == (2, 2)
    clock.advance(days=2)
    late = item_logs(adapters).take_back(THREAD, op("undo"))
    assert (late.items, late.repeated) == ((), True)
    assert data_of(logs.read(THREAD, ALL)) == [1, 2]
    confirm(adapters)


@pytest.mark.req("R313")
@pytest.mark.parametrize("window", [ALL, Window(10, after=-1), Window(10, before=5)])
def test_items_that_are_all_taken_back_while_a_log_is_read_are_not_told_under_its_new_revision(
    logs: ItemLogs, adapters: Adapters, window: Window
) -> None:
    logs.append(THREAD, numbered(1, 2))

    def rows_before_head(calls: Sequence[Callable[[], object]]) -> list[object]:
        if len(calls) == 1:  # of the rows themselves
            return [calls[0]()]
        results = [call() for call in calls[1:]]
        if logs.read(THREAD, ALL).count:
            logs.take_back(THREAD, op("undo"), 2)
        return [calls[0](), *results]

    found = item_logs(replace(adapters, parallel=rows_before_head)).read(THREAD, window)

    assert (data_of(found), found.count) == ([], 0)
    assert found.revision == logs.read(THREAD, ALL).revision


@pytest.mark.req("R313")
def test_what_was_taken_back_does_not_come_again(logs: ItemLogs, adapters: Adapters) -> None:
    logs.append(THREAD, new(("a", 1), ("b", 2)))
    logs.take_back(THREAD, op("undo"))

    late = item_logs(adapters).append(THREAD, new(("b", 2)))
    then = logs.append(THREAD, new(("b", 2), ("c", 3)))

    assert (late.replayed, late.count) == (1, 1)
    assert (then.positions, then.replayed) == ((1, 2), 1)
    assert data_of(logs.read(THREAD, ALL)) == [1, 3]
    assert logs.take_back(THREAD, op("undo-2"), 64).items[0].data == 1
    assert logs.take_back(THREAD, op("undo-3")).items == ()
    assert logs.read(THREAD, ALL).revision > then.revision
    confirm(adapters)


@pytest.mark.req("R313")
def test_a_damaged_row_is_gone_round_when_items_are_taken_back(logs: ItemLogs, adapters: Adapters) -> None:
    for number in range(1, 4):
        logs.append(THREAD, numbered(number, number))
    where = Key(THREAD.pk, layout.row_sk(2))
    adapters.table.update(Update(where, set={"data": b"no longer what was sealed"}))

    taken = logs.take_back(THREAD, op("undo"), 1)
    then = logs.take_back(THREAD, op("undo-2"), 2)

    assert [item.data for item in (*taken.items, *then.items)] == [2, 1]
    assert data_of(logs.read(THREAD, ALL)) == []
    assert adapters.table.get(where) is not None


def test_the_head_tells_of_the_newest_row_after_a_part_of_it_was_taken_back(logs: ItemLogs, adapters: Adapters) -> None:
    logs.append(THREAD, numbered(1, 2))
    logs.append(THREAD, numbered(3, 4))

    logs.take_back(THREAD, op("undo"), 1)

    head, row = adapters.table.get(THREAD.head), adapters.table.get(Key(THREAD.pk, layout.row_sk(2)))
    assert head is not None
    assert row is not None
    assert head["newest"] == row["revision"]  # otherwise whoever reads looks twice


@pytest.mark.req("R313")
def test_nothing_is_taken_back_under_another_revision(logs: ItemLogs) -> None:
    first = logs.append(THREAD, new(("a", 1))).revision
    logs.append(THREAD, new(("b", 2)))

    with pytest.raises(Conflict):
        logs.take_back(THREAD, op("undo"), 1, expected_revision=first)

    assert data_of(logs.read(THREAD, ALL)) == [1, 2]
    assert logs.take_back(Log(ACME, GARDEN, ADA, LogName("never")), op("undo")).items == ()


@pytest.mark.req("R313")
def test_deleted_items_are_gone_for_good(logs: ItemLogs, adapters: Adapters) -> None:
    revision = logs.append(THREAD, numbered(1, 4)).revision

    done = logs.delete_items(THREAD, [ItemId("m2"), ItemId("m4"), ItemId("m4"), ItemId("never")])
    again = item_logs(adapters).delete_items(THREAD, [ItemId("m2"), ItemId("m4")])

    assert (done.count, again.count) == (2, 0)
    assert done.revision == again.revision > revision
    assert logs.append(THREAD, numbered(2, 2)).replayed == 1
    assert data_of(logs.read(THREAD, ALL)) == [1, 3]
    confirm(adapters)


@pytest.mark.req("R313")
def test_a_deleted_log_leaves_nothing_and_can_begin_again(logs: ItemLogs, adapters: Adapters, clock: FakeClock) -> None:
    before = logs.append(THREAD, new(("a", NOISE), ("b", 2), state={"much": NOISE})).revision
    for number in range(150):
        logs.append(THREAD, numbered(number, number))
    logs.take_back(THREAD, op("undo"), 2)

    assert logs.delete_log(THREAD).count == 150
    assert (logs.read(THREAD, ALL).revision, logs.read(THREAD, ALL).count) == (0, 0)
    assert left_of(adapters) == []
    assert logs.page(Shelf(ACME, GARDEN, ADA)).logs == []
    anew = item_logs(adapters).append(THREAD, new(("a", "other"), expected_revision=0))
    assert anew.revision > before
    assert data_of(logs.read(THREAD, ALL)) == ["other"]
    assert logs.take_back(THREAD, op("undo")).repeated is False
    assert logs.delete_log(THREAD).count == 0
    assert logs.delete_log(THREAD).count == 0
    clock.advance(days=2)
    assert logs.append(THREAD, new(("a", 1))).count == 1


@pytest.mark.req("R313")
def test_a_log_that_begins_anew_before_its_deletion_was_over_knows_nothing_of_what_is_left(
    logs: ItemLogs, adapters: Adapters
) -> None:
    logs.append(THREAD, numbered(1, 4))
    logs.take_back(THREAD, op("undo"), 1)

    def cut_after(writes: int) -> ItemLogs:
        failing: Any = Failing(adapters.table, writes)
        return item_logs(replace(adapters, table=failing))

    with suppress(Unavailable):
        cut_after(1).delete_log(THREAD)
    cut_after(2).append(THREAD, new(("a", 1), ("b", 2)))
    assert layout.taken_sk(op("undo")) in left_of(adapters)

    taken = logs.take_back(THREAD, op("undo"), 1)

    assert ([item.data for item in taken.items], taken.repeated) == ([2], False)
    logs.append(THREAD, new(("c", 3)))
    assert data_of(logs.read(THREAD, ALL)) == [1, 3]
    assert "unswept" not in (adapters.table.get(THREAD.head) or {})


def test_a_process_that_saw_that_a_log_is_gone_begins_it_anew_at_once(adapters: Adapters) -> None:
    calls = list[str]()
    table: Any = Counted(adapters.table, calls)
    logs = item_logs(replace(adapters, table=table))
    logs.append(THREAD, numbered(1, 1))
    for where in (THREAD.head, *(Key(THREAD.pk, sk) for sk in left_of(adapters))):
        adapters.table.delete(Delete(where))
    logs.read(THREAD, ALL)
    calls.clear()

    logs.append(THREAD, numbered(1, 1))

    assert calls.count("transact") == 1


def test_an_answer_of_just_the_most_bytes_is_whole(
    logs: ItemLogs, adapters: Adapters, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("a", "b"):
        logs.append(THREAD, new((name, "x" * 300)))
    size = Head.of(adapters.table.get(THREAD.head)).size
    for most, told in ((size, (2, False)), (size - 1, (1, True))):
        monkeypatch.setattr("cairn.items.read.MOST_BYTES", most)
        found = logs.read(THREAD, ALL)
        assert (len(found.items), found.more) == told


def test_a_page_goes_past_many_damaged_rows(logs: ItemLogs, adapters: Adapters) -> None:
    for number in range(8):
        logs.append(THREAD, numbered(number, number))
    for number in range(2, 8):
        adapters.table.update(Update(Key(THREAD.pk, layout.row_sk(number)), set={"last": "damaged"}))

    assert data_of(logs.read(THREAD, Window(1))) == [1]


@pytest.mark.req("R313")
def test_of_a_deleted_log_the_head_stays_for_a_day_and_no_revision_comes_again(
    logs: ItemLogs, adapters: Adapters, clock: FakeClock
) -> None:
    before = [logs.append(THREAD, numbered(number, number)).revision for number in range(5)][-1]
    logs.delete_log(THREAD)
    left = adapters.table.get(THREAD.head) or {}
    assert (left["expires_at"], "unswept" in left) == (int(clock.now().timestamp()) + 86_400, False)
    assert logs.append(THREAD, numbered(1, 1)).revision > before
    assert "expires_at" not in (adapters.table.get(THREAD.head) or {})
    logs.delete_log(THREAD)

    clock.advance(days=1)
    adapters.table.delete(Delete(THREAD.head))  # as the table does of itself

    for process in (logs, item_logs(adapters)):
        assert process.append(THREAD, numbered(1, 1)).revision > before


def test_a_log_keeps_its_state_until_another_takes_its_place(logs: ItemLogs, adapters: Adapters) -> None:
    logs.append(THREAD, new(("a", 1), state={"step": 1}))
    logs.append(THREAD, new(("b", 2)))
    assert item_logs(adapters).read(THREAD, Window(1)).state == {"step": 1}

    told = new(state={"step": NOISE}, operation_id=op("state"))
    assert logs.append(THREAD, told).revision == item_logs(adapters).append(THREAD, told).revision
    logs.append(THREAD, new(state=3))

    assert logs.append(THREAD, told).replayed == 0
    assert logs.read(THREAD, Window(1)).state == 3
    with pytest.raises(Conflict):
        logs.append(THREAD, new(state=4, operation_id=op("state")))


def test_a_log_is_read_from_any_place_in_either_direction(logs: ItemLogs) -> None:
    for first, last in ((0, 9), (10, 10), (11, 74), (75, 80)):
        logs.append(THREAD, numbered(first, last))
    whole = list(range(81))

    def read(limit: int, **place: int) -> tuple[list[Any], bool]:
        found = logs.read(THREAD, Window(limit, **place))
        assert found.count == len(whole)
        return data_of(found), found.more

    for limit in (1, 5, 64, 80, 81, 1000):
        assert read(limit) == (whole[-limit:], limit < len(whole))
        for place in (0, 5, 9, 10, 11, 40, 74, 75, 80):
            after, before = whole[place + 1 :], whole[:place]
            assert read(limit, after=place) == (after[:limit], limit < len(after))
            assert read(limit, before=place) == (before[-limit:], limit < len(before))
        assert read(limit, after=-1) == (whole[:limit], limit < len(whole))


def test_an_answer_ends_before_it_is_too_large_and_says_that_there_is_more(
    logs: ItemLogs, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in ("read", "take_back"):
        monkeypatch.setattr(f"cairn.items.{module}.MOST_BYTES", 200_000)
    for number in range(5):
        logs.append(THREAD, new((f"m{number}", f"{number}{NOISE}")))

    newest = logs.read(THREAD, ALL)
    assert ([item.position for item in newest.items], newest.more) == ([3, 4], True)
    oldest = logs.read(THREAD, Window(1000, after=-1))
    assert ([item.position for item in oldest.items], oldest.more) == ([0, 1], True)
    assert [item.position for item in logs.take_back(THREAD, op("undo"), 5).items] == [3, 4]


def test_blobs_go_with_what_named_them(adapters: Adapters, clock: FakeClock) -> None:
    stored = MemoryBlobs()
    logs = item_logs(replace(adapters, blobs=stored))
    logs.append(THREAD, new(("a", NOISE), state=NOISE))
    logs.append(THREAD, new(("b", NOISE), ("c", 1)))
    assert len(stored.blobs) == 3
    logs.append(THREAD, new(state=1))
    assert len(stored.blobs) == 2
    logs.delete_items(THREAD, [ItemId("a")])
    assert len(stored.blobs) == 1
    logs.take_back(THREAD, op("undo"), 2)
    assert len(stored.blobs) == 1, "for a retry"

    clock.advance(days=1, seconds=1)
    logs.append(THREAD, new(("d", 1)))
    logs.take_back(THREAD, op("undo-2"))

    assert not stored.blobs


def test_an_append_that_lost_a_race_leaves_no_blob(adapters: Adapters) -> None:
    stored = MemoryBlobs()
    one, other = (item_logs(replace(adapters, blobs=stored)) for _ in range(2))
    one.append(THREAD, new(("a", 1)))
    other.append(THREAD, new(("b", NOISE)))

    one.append(THREAD, new(("c", NOISE)))

    assert len(stored.blobs) == 2
    assert data_of(one.read(THREAD, ALL)) == [1, NOISE, NOISE]


def append_mine(logs: ItemLogs) -> object:
    return logs.append(THREAD, new(("mine", 1)))


def take_one_back(logs: ItemLogs) -> object:
    return logs.take_back(THREAD, op("undo"), 1)


@pytest.mark.parametrize("change", [append_mine, take_one_back])
def test_who_is_outrun_again_and_again_waits_and_is_told_so(
    adapters: Adapters, clock: FakeClock, change: Callable[[ItemLogs], object]
) -> None:
    other = item_logs(adapters)
    other.append(THREAD, numbered(1, 1))
    table: Any = adapters.table

    class Outrun:
        def transact(self, writes: Any) -> None:
            count = other.read(THREAD, ALL).count
            other.append(THREAD, numbered(count + 1, count + 1))
            table.transact(writes)

        def __getattr__(self, name: str) -> Any:
            return getattr(table, name)

    slow: Any = Outrun()
    logs, began = item_logs(replace(adapters, table=slow)), clock.now()

    with pytest.raises(ResourceBusy, match="Too many calls"):
        change(logs)

    assert clock.now() > began
    assert "mine" not in data_of(other.read(THREAD, ALL))


@pytest.mark.parametrize(
    ("limits", "name"), [(Limits(log_items=3), "log_items"), (Limits(log_bytes=1024), "log_bytes")]
)
def test_a_log_takes_no_more_than_it_may(adapters: Adapters, limits: Limits, name: str) -> None:
    logs = item_logs(adapters, limits)
    logs.append(THREAD, new(("a", "x" * 300), ("b", "x" * 300)))

    with pytest.raises(QuotaExceeded) as refused:
        logs.append(THREAD, new(("c", "x" * 300), ("d", "x" * 300)))

    assert refused.value.details == {"limit": name, "most": getattr(limits, name)}
    assert f"as many {name.removeprefix('log_')} as it may" in refused.value.message
    assert logs.append(THREAD, new(("a", "x" * 300), ("c", "x" * 300))).count == 3
    logs.take_back(THREAD, op("undo"))
    assert logs.append(THREAD, new(("d", "x" * 300))).count == 3


def test_logs_are_listed_by_name_and_owner(logs: ItemLogs) -> None:
    def named(user: str | None, name: str) -> Log:
        return Log(ACME, GARDEN, None if user is None else UserId(user), LogName(name))

    names = ["thread-1", "thread-10", "thread-2", "thread", "thread ", "Ö", "a/b#i#c", "\U0001f331"]
    for name in names:
        logs.append(named("ada", name), new(("a", name), state={"of": name}))
    logs.append(named(None, "everyone"), new(("a", 1)))
    logs.append(named("adam", "thread-3"), new(("a", 1)))
    gone = named("ada", "thread-11")
    logs.append(gone, new(("a", 1)))
    logs.delete_log(gone)

    def listed(user: str | None, prefix: str = "", limit: int = 2) -> list[str]:
        shelf, found, cursor = Shelf(ACME, GARDEN, None if user is None else UserId(user)), list[str](), None
        while True:
            page = logs.page(shelf, prefix, limit, cursor, with_state=True)
            assert len(page.logs) <= limit
            assert all(each.state in ({"of": each.name}, None) for each in page.logs)
            found += [each.name for each in page.logs]
            if (cursor := page.cursor) is None:
                return found

    assert listed("ada") == sorted(names, key=str.encode)
    assert listed("ada", "thread-1") == ["thread-1", "thread-10"]
    assert listed(None) == ["everyone"]
    assert logs.page(Shelf(ACME, GARDEN, ADA), "", len(names)).cursor is None
    assert listed("eve") == []
    page = logs.page(Shelf(ACME, GARDEN, ADA), "", 2)
    for other in (Shelf(ACME, GARDEN, None), Shelf(Tenant("evil"), GARDEN, ADA)):
        with pytest.raises(InvalidArgument):
            logs.page(other, "", 2, page.cursor)
    with pytest.raises(InvalidArgument):
        logs.page(Shelf(ACME, GARDEN, ADA), "thread", 2, page.cursor)


@pytest.mark.parametrize("name", ["", "x" * 201, "a\nb", "a\x7f", "\ud800", "ö" * 200 + "x", "\U0001f331" * 101])
def test_names_that_cannot_be_are_refused(name: str) -> None:
    for field, make in (("log", model.log_name), ("id", model.item_id), ("operation_id", model.operation_id)):
        with pytest.raises(InvalidArgument) as refused:
            make(name)
        fields: Any = refused.value.details["fields"]
        assert list(fields) == [field]


def test_the_longest_names_fit_into_the_table(logs: ItemLogs) -> None:
    longest = Log(Tenant("t" * 64), GARDEN, UserId("\U0001f331" * 128), LogName("\U0001f331" * 100))

    logs.append(longest, new(("\U0001f331" * 100, 1)))

    assert data_of(logs.read(longest, ALL)) == [1]
