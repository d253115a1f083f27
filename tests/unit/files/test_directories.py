"""A session's memory as directories: the canonical layout, nothing outside it, and true words on each."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from typing import Any, cast

import pytest

from cairn.conversation.highlights import Highlights, highlights
from cairn.files import contents, summaries
from cairn.files.summaries import directories
from cairn.ground.errors import InvalidArgument, NotFound

START = Callable[..., Any]
ROOT = "/memory/monday"


@pytest.fixture
def talk(start: START, clock: Any) -> Any:
    """Return a session with events raw, archived and compacted, and facts of every tier."""
    told = start(recent_context_items=2)
    told.say("My name is Ada. I live in Berlin. I need to call the plumber by Friday.")
    told.say("Today I need to buy stamps. This week I need to paint the fence with Grandpa Joe.")
    clock.time = datetime(2026, 3, 2, 9, tzinfo=UTC)
    told.say("Beans and tomatoes grow well here.", reply="Beans like the sun.")
    told.maintain()
    clock.time = datetime(2026, 3, 2, 12, 0, 1, tzinfo=UTC)
    told.maintain()
    return told


def paths(talk: Any, *arguments: Any) -> list[str]:
    return [each.path.removeprefix(ROOT) for each in talk.list(*arguments)]


@pytest.mark.req("R080")
@pytest.mark.req("R084")
def test_the_layout_is_the_canonical_one(talk: Any) -> None:
    assert paths(talk) == [
        "",
        "/events",
        "/events/archive",
        "/events/archive/2026",
        "/events/archive/2026/03",
        "/events/archive/2026/03/01",
        "/events/compact",
        "/events/compact/2026",
        "/events/compact/2026/03",
        "/events/compact/2026/03/02",
        "/events/raw",
        "/events/raw/2026",
        "/events/raw/2026/03",
        "/events/raw/2026/03/02",
        "/indexes",
        "/memory_tiers",
        "/memory_tiers/L0",
        "/memory_tiers/L0/2026",
        "/memory_tiers/L0/2026/03",
        "/memory_tiers/L1",
        "/memory_tiers/L1/2026",
        "/memory_tiers/L1/2026/03",
        "/memory_tiers/L2",
        "/memory_tiers/L2/2026",
        "/memory_tiers/L2/2026/09",
        "/meta",
        "/runtime",
        "/runtime/context",
    ]


@pytest.mark.req("R081")
def test_depth_and_limit_are_honoured_in_the_order_of_paths(talk: Any) -> None:
    everything = paths(talk)

    assert everything == sorted(everything)
    assert paths(talk, "", 0) == [""]
    assert paths(talk, "", 1) == ["", "/events", "/indexes", "/memory_tiers", "/meta", "/runtime"]
    assert paths(talk, "events", 1) == ["/events", "/events/archive", "/events/compact", "/events/raw"]
    assert paths(talk, "", 8, 3) == everything[:3]


@pytest.mark.req("R079")
@pytest.mark.parametrize(
    "path", ["memory_tiers/L0", "memory_tiers/L0/", f"{ROOT}/memory_tiers/L0", f"{ROOT}/memory_tiers/L0/"]
)
def test_a_path_may_be_relative_or_absolute(path: str, talk: Any) -> None:
    assert paths(talk, path, 0) == ["/memory_tiers/L0"]


@pytest.mark.req("R080")
@pytest.mark.parametrize("path", ["", ROOT, f"{ROOT}/"])
def test_the_session_s_directory_is_the_root(path: str, talk: Any) -> None:
    assert paths(talk, path, 0) == [""]


@pytest.mark.req("R082")
@pytest.mark.parametrize(
    "path",
    [
        "/",
        "/memory",
        "/memory/monday2",
        "/memory/other/events",
        "..",
        "events/../../other",
        "events//raw",
        "./events",
        "events/.",
        f"{ROOT}/../other",
        f"{ROOT}//events",
        "events\\raw",
        "events\x00",
        "events\n",
        "/etc/passwd",
    ],
)
@pytest.mark.parametrize("session_id", ["monday", "unknown"])
def test_a_path_outside_the_session_is_refused_whether_or_not_the_session_is_known(
    path: str, session_id: str, talk: Any
) -> None:
    with pytest.raises(InvalidArgument) as refused:
        talk.other(session_id).list(path.replace("monday", session_id))

    assert list(cast("dict[str, str]", refused.value.details["fields"])) == ["path"]


@pytest.mark.parametrize("path", ["nowhere", "events/raw/2027", f"{ROOT}/event", "monday"])
def test_a_directory_that_is_not_there_is_not_found(path: str, talk: Any) -> None:
    with pytest.raises(NotFound):
        talk.list(path)


def test_an_unknown_session_has_no_directories(start: START) -> None:
    assert start().list() == ()
    assert start().list("events") == ()


@pytest.mark.req("R261")
def test_a_session_lists_nothing_of_one_whose_name_begins_like_its_own(start: START) -> None:
    start("s10").say("I prefer jazz.")
    start("s1").say("I prefer tea.")

    listed = start("s1").list()

    assert {each.path.split("/")[2] for each in listed} == {"s1"}
    assert not any("jazz" in each.abstract for each in listed)


@pytest.mark.req("R083")
def test_an_abstract_tells_who_what_and_what_is_open_in_this_session(talk: Any) -> None:
    abstract = talk.list("", 0)[0].abstract

    assert abstract.startswith("3 turns with 6 items, from 2026-03-01 12:00 to 2026-03-02 09:00 UTC.")
    assert "home: Berlin" in abstract
    assert 'Open tasks: "' in abstract
    assert '"I need to call the plumber by Friday."' in abstract
    assert "Grandpa Joe" in abstract
    assert "beans" in abstract
    assert 'assistant "Beans like the sun."' in abstract


def test_abstracts_of_two_sessions_and_of_two_directories_differ(talk: Any, start: START) -> None:
    other = start("tuesday")
    other.say("I live in Paris. I must sell the boat.")

    mine = {each.path.removeprefix(ROOT): each.abstract for each in talk.list()}
    theirs = {each.path.removeprefix("/memory/tuesday"): each.abstract for each in other.list()}

    assert all(mine[path] != theirs[path] for path in set(mine) & set(theirs))
    assert mine["/events/raw/2026/03/02"] != mine["/events/archive/2026/03/01"]
    assert "plumber" not in mine["/events/raw/2026/03/02"]
    assert mine["/events/compact"] == "1 summary of older turns, the last at 2026-03-02 09:00 UTC."


def test_a_directory_is_as_new_as_what_it_holds(talk: Any) -> None:
    times = {each.path.removeprefix(ROOT): each.updated_at for each in talk.list()}

    assert times["/events/archive/2026/03/01"] == datetime(2026, 3, 1, 12, tzinfo=UTC)
    assert times["/events"] == times["/meta"] == datetime(2026, 3, 2, 9, tzinfo=UTC)
    assert times["/memory_tiers/L0"] == datetime(2026, 3, 1, 12, tzinfo=UTC)


@pytest.fixture
def scanned(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Every text that was looked through for what stands out, as often as it was."""
    found: list[str] = []

    def noting(texts: Sequence[str], limit: int) -> Highlights:
        found.extend(texts)
        return highlights(texts, limit)

    monkeypatch.setattr(summaries, "highlights", noting)
    return found


@pytest.mark.req("R084")
def test_only_what_the_listed_directories_hold_is_looked_through_and_once(
    start: START, clock: Any, scanned: list[str]
) -> None:
    talk = start()
    talk.say("I live in Berlin.", reply="")
    clock.advance(days=1)
    talk.say("Beans grow well.", reply="")

    assert len(talk.list("indexes")) == 1
    assert scanned == []

    talk.list("events/raw/2026/03/01", 8)
    assert scanned == ["I live in Berlin."]

    scanned.clear()
    assert len(talk.list(limit=1)) == 1
    assert scanned == ["I live in Berlin.", "Beans grow well."]

    scanned.clear()
    assert len(talk.list()) > 10
    assert Counter(scanned) == {"I live in Berlin.": 2, "Beans grow well.": 2}, "for both days, and for each"

    scanned.clear()
    talk.maintain()
    assert Counter(scanned) == {"I live in Berlin.": 2, "Beans grow well.": 2}


@pytest.mark.parametrize("is_refreshed", [False, True])
def test_a_directory_is_told_alike_alone_and_among_all(talk: Any, clock: Any, *, is_refreshed: bool) -> None:
    if is_refreshed:
        clock.advance(hours=1)
        talk.maintain()
    listed = talk.list()
    head = contents.head_of(talk.services, talk.session)
    assert head is not None
    held = contents.read(talk.services, talk.session, head)

    assert [each.path for each in listed] == [each.path for each in directories(ROOT, held)]
    for number, each in enumerate(listed):
        alone = directories(ROOT, held)[number]
        assert talk.list(each.path, 0) == (each,)
        assert each.abstract == alone.abstract()
        assert each.has_overview == bool(alone.overview())
