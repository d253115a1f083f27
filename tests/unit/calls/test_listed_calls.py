"""The audit log by the page: each call once, with how it ended, however pages are cut and whatever is filtered."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

import pytest

from cairn.access.api_keys import ALL_PROJECTS
from cairn.access.callers import Caller
from cairn.calls import layout, listing
from cairn.calls.listing import CallPage, Stretch, Wanted, page
from cairn.calls.record import AuditRecord
from cairn.ground.errors import InvalidArgument, NotFound, PermissionDenied, Unavailable
from cairn.ground.ids import Project, SessionId, Tenant, UserId
from cairn.ground.session import Subject
from cairn.ground.table import Delete, Key, Put
from cairn.services import Services
from support.calls import ACME, TODAY, stored

OTHER = Tenant("globex")
DAY = timedelta(days=1)
EVERYTHING = Wanted()
MOST_PAGES = 200


class Calls:
    """Makes calls and operators' commands, and lists them."""

    def __init__(self, services: Services) -> None:
        self.services = services
        self.adapters = services.adapters
        self.clock: Any = services.adapters.clock
        self.began = self.clock.now()
        self.made = 0

    def make(self, tool: str = "recall", fails: bool = False, tenant: Tenant = ACME, **about: Any) -> str:  # noqa: FBT001, FBT002
        """Make a call, and return the id of its record; between calls a second goes by."""
        self.made += 1
        key = about.pop("key", "aaaa")
        caller = Caller(tenant, frozenset({"read"}), f"request-{self.made}", (ALL_PROJECTS,), credential=key)
        begun = self.services.journal.begin(caller, tool)
        subject = Subject(**about)
        entry = replace(begun, subject=subject, shown=self.services.journal.names.subject(tenant, subject))

        def work() -> None:
            if fails:
                raise NotFound("nothing")

        try:
            self.services.journal.run(entry, (), work)
        except NotFound:
            assert fails
        self.clock.advance(seconds=1)
        return begun.id

    def refuse(self, **about: Any) -> str:
        caller = Caller(ACME, frozenset(), "request-refused", (ALL_PROJECTS,), credential="bbbb")
        begun = replace(self.services.journal.begin(caller, "recall"), subject=Subject(**about))
        self.services.journal.refuse(begun, PermissionDenied("no"), ())
        self.clock.advance(seconds=1)
        return begun.id

    def stretch(self) -> Stretch:
        return Stretch.of(self.began - timedelta(hours=1), self.clock.now())

    def pages(
        self, wanted: Wanted = EVERYTHING, limit: int = 200, stretch: Stretch | None = None
    ) -> Iterator[CallPage]:
        rest: Stretch | None = stretch or self.stretch()
        for _ in range(MOST_PAGES):
            if rest is None:
                return
            found = page(self.adapters, ACME, rest, wanted, limit)
            yield found
            rest = None if found.rest is None else Stretch.parse(found.rest.cursor)
        pytest.fail("the list never ends")

    def listed(self, wanted: Wanted = EVERYTHING, limit: int = 200) -> list[AuditRecord]:
        return [call for each in self.pages(wanted, limit) for call in each.calls]


@pytest.fixture
def calls(services: Services) -> Calls:
    return Calls(services)


@pytest.fixture
def days(calls: Calls) -> Calls:
    """Return a log of three days, in which calls went well, failed after they were admitted, and were refused."""
    for number in range(30):
        if number % 5 == 4:
            calls.refuse(project=Project("shop"))
        else:
            calls.make(fails=number % 3 == 1, project=Project("garden"), user_id=UserId(f"user-{number % 2}"))
        if number % 10 == 9:
            calls.clock.advance(hours=20)
    return calls


def test_a_call_that_was_admitted_and_then_failed_is_one_line_with_its_end(calls: Calls) -> None:
    well, failed, refused = calls.make(), calls.make(fails=True), calls.refuse()

    found = calls.listed()

    assert len(stored(calls.adapters)) == 4
    assert [(each.id, each.outcome) for each in found] == [
        (refused, "PERMISSION_DENIED"),
        (failed, "NOT_FOUND"),
        (well, "admitted"),
    ]


def test_a_list_whose_oldest_call_failed_ends_with_it(calls: Calls) -> None:
    calls.make(fails=True)

    (only,) = calls.pages(limit=1)

    assert (len(only.calls), only.rest) == (1, None)


@pytest.mark.parametrize("limit", [1, 2, 3, 7, 29, 30, 31])
def test_pages_of_any_size_hold_every_call_once_newest_first(days: Calls, limit: int) -> None:
    pages = list(days.pages(limit=limit))

    found = [each.id for every in pages for each in every.calls]
    assert len(found) == len(set(found)) == 30
    assert found == sorted(found, reverse=True)
    assert all(len(each.calls) == limit for each in pages[:-1])
    assert pages[-1].calls


@pytest.mark.parametrize("most", [1, 2, 3, 8])
@pytest.mark.parametrize(
    ("wanted", "count"),
    [
        (Wanted(outcome="failed"), 14),
        (Wanted(outcome="NOT_FOUND"), 8),
        (Wanted(outcome="admitted"), 16),
        (Wanted(projects={"shop"}), 6),
        (Wanted(users={"user-1"}, outcome="admitted"), 8),
        (Wanted(credentials={"bbbb"}), 6),
        (Wanted(tools={"remember"}), 0),
    ],
)
def test_a_filter_loses_and_doubles_nothing_however_little_a_page_reads(
    days: Calls, monkeypatch: pytest.MonkeyPatch, most: int, wanted: Wanted, count: int
) -> None:
    every = [each.id for each in days.listed() if wanted.has(each)]
    monkeypatch.setattr(listing, "MOST_READ", most)
    monkeypatch.setattr(listing, "MOST_DAYS", 1)

    found = [each.id for each in days.listed(wanted, limit=2)]

    assert len(found) == count
    assert found == every


def test_a_page_reads_no_more_of_the_log_than_it_may(days: Calls, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(listing, "MOST_READ", 5)

    first = next(days.pages(Wanted(tools={"remember"})))

    assert (len(first.calls), first.rest is None) == (0, False)


def test_calls_that_are_made_while_one_reads_on_are_in_no_later_page(days: Calls) -> None:
    before = [each.id for each in days.listed()]
    found: list[str] = []
    for each in days.pages(limit=4):
        found += [call.id for call in each.calls]
        days.make()

    assert found == before


def test_a_call_whose_end_comes_between_two_pages_is_listed_once(calls: Calls) -> None:
    first, second = calls.make(), calls.make()
    pages = calls.pages(limit=1)
    assert [each.id for each in next(pages).calls] == [second]
    begun = next(each for each in stored(calls.adapters) if each["sk"] == second)
    ended = AuditRecord.of(ACME, begun).ended("UNAVAILABLE", calls.clock.now())
    calls.adapters.table.put(Put(ended.item(DAY)))

    assert [each.id for found in pages for each in found.calls] == [first]
    assert [each.outcome for each in calls.listed()] == ["UNAVAILABLE", "admitted"]


def test_a_call_whose_beginning_is_written_late_between_two_pages_is_listed_once(calls: Calls) -> None:
    first, second = calls.make(), calls.make(fails=True)
    begun = next(each for each in stored(calls.adapters) if each["sk"] == second)
    calls.adapters.table.delete(Delete(Key.of(begun)))
    pages = calls.pages(limit=1)
    assert [each.id for each in next(pages).calls] == [second]
    calls.adapters.table.put(Put(begun))

    assert [each.id for found in pages for each in found.calls] == [first]


def test_the_time_that_is_asked_for_holds_at_both_ends_on_every_page(days: Calls) -> None:
    every = days.listed()
    since, until = every[19].at, every[4].at

    pages = list(days.pages(limit=4, stretch=Stretch.of(since, until)))

    assert [each for some in pages for each in some.calls] == every[4:20]
    assert [len(some.calls) for some in pages] == [4, 4, 4, 4]


def test_another_tenant_s_calls_are_in_no_list(calls: Calls) -> None:
    own = calls.make()
    calls.make(tenant=OTHER)

    assert [each.id for each in calls.listed()] == [own]


def test_a_command_is_listed_when_it_began_and_when_it_ended(calls: Calls) -> None:
    with calls.services.journal.command(ACME, "cairn erase", Subject(user_id=UserId("ada"))):
        calls.clock.advance(minutes=10)
    calls.clock.advance(seconds=1)

    assert [(each.tool, each.outcome) for each in calls.listed()] == [
        ("cairn erase", "done"),
        ("cairn erase", "admitted"),
    ]
    assert calls.listed(Wanted(outcome="failed")) == []


def test_a_damaged_record_is_gone_round_and_counted(calls: Calls) -> None:
    kept, harmed, newest = calls.make(), calls.make(), calls.make()
    item = next(each for each in stored(calls.adapters) if each["sk"] == harmed)
    calls.adapters.table.put(Put({name: value for name, value in item.items() if name != "tool"}))
    calls.adapters.table.put(Put({**item, "pk": layout.audit_day_pk(ACME, "2026-02-28"), "sk": kept}))
    calls.adapters.table.put(Put({"pk": layout.audit_pk(ACME), "sk": layout.day_sk("2026-02-28"), "expires_at": 1}))

    found = [each.id for each in next(calls.pages(stretch=Stretch.of(calls.began - DAY, calls.clock.now()))).calls]

    assert found == [newest, kept]
    assert calls.adapters.tally.damage_met == 2


@pytest.mark.parametrize(
    "cursor",
    [
        "",
        "x",
        "..",
        "01KJMD2M00ZZZZZZZZZZZZZZZZ.2026-03-01",
        "!.2026-03-01.0",
        "0.2026-13-01.0",
        "0.2026-03-01.",
        "0.2026-03-01." + "x" * 1025,
    ],
)
def test_what_is_no_cursor_is_refused(cursor: str) -> None:
    with pytest.raises(InvalidArgument):
        Stretch.parse(cursor)


def test_a_cursor_says_the_same_time_when_it_is_read_again(calls: Calls) -> None:
    moment = datetime.fromisoformat("2026-03-01T12:00:00.123+00:00")
    stretch = replace(Stretch.of(moment, calls.clock.now() + DAY), since=moment)

    assert Stretch.parse(stretch.cursor) == stretch


def test_a_time_that_ends_before_it_begins_is_refused(calls: Calls) -> None:
    with pytest.raises(InvalidArgument, match="since"):
        Stretch.of(calls.clock.now() + DAY, calls.clock.now())


def test_a_store_that_does_not_answer_is_no_empty_log(calls: Calls) -> None:
    class Silent:
        def query(self, asked: object) -> Any:
            raise Unavailable(f"no answer: {type(asked)}")

    silent: Any = Silent()
    with pytest.raises(Unavailable):
        page(replace(calls.adapters, table=silent), ACME, calls.stretch(), EVERYTHING, 10)


def burst(calls: Calls, times: int, places: int, key: str = "aaaa", seconds: float = 0) -> None:
    for number in range(times):
        calls.make(key=key, project=Project(f"p{number % places}"))
        calls.clock.advance(seconds=seconds)


@pytest.mark.parametrize(
    ("accesses", "found"),
    [((11, 6), 1), ((13, 6), 3), ((10, 10), 0), ((40, 5), 0), ((30, 10, "aaaa", 9), 0), ((12, 12), 2)],
)
def test_what_is_unusual_is_told_by_the_rule_that_counts_it_meanwhile(
    calls: Calls, accesses: tuple[Any, ...], found: int
) -> None:
    burst(calls, *accesses)

    told = [(each.credential, each.calls) for each in next(calls.pages()).unusual]

    assert told == ([("aaaa", found)] if found else [])


def test_it_is_told_of_each_key_with_the_most_of_a_minute_and_its_times(calls: Calls) -> None:
    burst(calls, 14, 7)
    burst(calls, 9, 9, key="cccc")
    calls.clock.advance(hours=1)
    burst(calls, 12, 12)

    (told,) = next(calls.pages(Wanted(tools={"remember"}))).unusual

    found = calls.listed()
    assert (told.credential, told.calls, told.accesses, told.places) == ("aaaa", 6, 14, 12)
    assert (told.first, told.last) == (found[-11].at, found[0].at)


@pytest.mark.parametrize("limit", [1, 2, 5])
def test_a_page_s_end_hides_nothing_unusual_and_tells_none_twice(calls: Calls, limit: int) -> None:
    burst(calls, 14, 7)

    assert sum(told.calls for each in calls.pages(limit=limit) for told in each.unusual) == 4


def test_calls_before_the_time_that_is_asked_for_count_and_are_not_told(calls: Calls) -> None:
    burst(calls, 14, 7)
    since = calls.listed()[1].at

    (told,) = next(calls.pages(stretch=Stretch.of(since, calls.clock.now()))).unusual

    assert told.calls == 2


def test_calls_that_failed_or_were_refused_count_once_and_commands_not_at_all(calls: Calls) -> None:
    for number in range(8):
        calls.make(fails=True, project=Project(f"p{number}"))
        with calls.services.journal.command(ACME, "cairn check", Subject(project=Project(f"p{number}"))):
            pass

    assert next(calls.pages()).unusual == ()


def test_a_session_is_found_by_the_name_that_is_on_record(calls: Calls) -> None:
    secret = "AKIA" + "IOSFODNN7EXAMPLE"
    named = calls.make(session_id=SessionId(secret), project=Project("garden"))
    calls.make(session_id=SessionId("monday"), project=Project("garden"))

    shown = calls.services.journal.names.name(ACME, secret)

    assert calls.listed(Wanted(sessions={secret})) == []
    assert [each.id for each in calls.listed(Wanted(sessions={secret, shown}))] == [named]
    assert calls.adapters.table.get(Key(layout.audit_day_pk(ACME, TODAY), named)) is not None
