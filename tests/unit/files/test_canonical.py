"""A session read as files: the canonical layout, the same memory, the same bytes, for who knows only the document."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import pytest

from cairn.conversation.items import text_of
from cairn.files.files import WriteMode
from cairn.files.summaries import MAX_OVERVIEW_WORDS
from cairn.ground.errors import InvalidArgument, NotFound

if sys.version_info >= (3, 14):
    pass
else:
    pass
from support.files import ROOT, Reader

START = Callable[..., Any]


@pytest.fixture
def talk(start: START, clock: Any) -> Any:
    """Return a session with events raw, archived and compacted, facts of every tier, and some that ended."""
    told = start(recent_context_items=2)
    told.say("My name is Ada. I live in Berlin. 我喜欢茶。", turn_id="t1")
    told.say("Today I need to buy stamps. This week I need to paint the fence.", turn_id="t2")
    clock.time = datetime(2026, 3, 2, 9, tzinfo=UTC)
    told.say("I moved to Bergen.", reply="Beans like the sun.", turn_id="t3")
    told.maintain()
    clock.time = datetime(2026, 3, 3, 10, tzinfo=UTC)
    told.maintain()
    clock.advance(seconds=1)
    told.say("Hello again.", user=None, turn_id="t4")
    return told


def everything(talk: Any) -> dict[str, bytes]:
    return dict(talk.services.files.everything(talk.session))


@pytest.mark.req("R017")
@pytest.mark.req("R084")
def test_every_event_is_read_from_raw_and_archived_logs_of_its_day(talk: Any) -> None:
    reader = Reader(everything(talk))

    assert reader.paths("archive", "raw") == [
        "events/archive/2026/03/01/log-20260301.jsonl.zst",
        "events/raw/2026/03/02/log-20260302.jsonl",
        "events/raw/2026/03/03/log-20260303.jsonl",
    ]
    assert [event["item"] for event in reader.events()] == talk.history()
    assert [event["id"] for event in reader.events()][:3] == ["t1-in-0", "t1-out-0", "t2-in-0"]
    assert {tuple(event) for event in reader.events()} == {("id", "item", "ts", "turn_id", "type", "user_id")}
    assert {event["type"] for event in reader.events()} == {"input_item", "output_item"}
    assert [event["user_id"] for event in reader.events()][-2:] == [None, None]


@pytest.mark.req("R017")
@pytest.mark.req("R084")
@pytest.mark.req("R263")
def test_facts_are_read_from_their_tiers_with_what_was_believed_when(talk: Any) -> None:
    reader = Reader(everything(talk))

    assert reader.paths("L0", "L1", "L2") == [
        "memory_tiers/L0/2026/03/facts-202603.jsonl",
        "memory_tiers/L1/2026/03/facts-20260301.jsonl",
        "memory_tiers/L2/2026/09/facts-2026-W09.jsonl",
    ]
    assert reader.homes("2026-03-01T13:00:00Z") == {"Berlin"}
    assert reader.homes("2026-03-03T10:00:00Z") == {"Bergen"}
    assert "today_task" in {kind for kind, _ in reader.believed("2026-03-02T10:00:00Z")}
    assert "today_task" not in {kind for kind, _ in reader.believed("2026-03-03T10:00:00Z")}
    states = {fact["value"]: fact["state"] for fact in reader.lines("L0", "L1")}
    assert (states["Berlin"], states["Bergen"]) == ("superseded", "active")
    assert [fact["state"] for fact in reader.lines("L1")] == ["expired"]


@pytest.mark.req("R017")
def test_what_a_session_ends_of_another_s_facts_is_no_fact_of_its_own(talk: Any) -> None:
    other = talk.other("tuesday")
    other.say("I no longer live in Bergen. I like jazz.")

    files = dict(other.services.files.everything(other.session))
    facts = [json.loads(line) for path in files if "/facts-" in path for line in files[path].splitlines()]
    assert [fact["value"] for fact in facts] == ["jazz"]
    assert "Bergen" in {fact["value"] for fact in Reader(everything(talk)).lines("L0") if fact["state"] == "active"}


@pytest.mark.req("R017")
def test_the_reference_client_s_names_of_a_fact_stand_beside_the_documented_ones(talk: Any) -> None:
    fact = Reader(everything(talk)).lines("L0")[0]

    assert (fact["ts"], fact["type"], fact["source_turn_id"]) == ("2026-03-01T12:00:00.000000Z", "fact_upsert", "t1")
    assert (fact["tier"], fact["source"]["turn_id"], fact["source"]["event_id"]) == ("L0", "t1", "t1-in-0")
    assert 0 < fact["confidence"] <= 1


@pytest.mark.req("R017")
@pytest.mark.req("R084")
def test_state_policy_watermarks_and_index_tell_what_the_session_is(talk: Any) -> None:
    reader = Reader(everything(talk))
    state, marks = reader.document("meta/state.json"), reader.document("meta/watermarks.json")

    assert (state["version"], state["latest_turn_id"]) == (1, "t4")
    assert state["processed_turn_ids"] == ["t1", "t2", "t3", "t4"]
    assert state["counters"]["turns"] == 4
    assert state["counters"]["events"] == len(reader.events())
    assert state["last_compact_at"].startswith("2026-03-02T09:00")
    assert state["last_maintenance_at"].startswith("2026-03-03T10:00")
    assert reader.document("meta/policy.json")["tiers"]["L2"] == {"auto_delete": True, "retention_days": 7}
    assert (marks["raw_event_count"], marks["archived_through_turn"], marks["compacted_through_turn"]) == (4, 2, 2)
    facts = reader.document("indexes/active_facts.json")["facts"]
    found = {(fact["fact_id"], fact["value"]) for fact in facts.values()}
    assert found == reader.believed("2026-03-03T10:00:00Z")
    assert all(key.startswith(f"{fact['fact_id']}::") for key, fact in facts.items())


@pytest.mark.req("R084")
def test_the_runtime_context_is_the_summary_and_the_newest_items(talk: Any) -> None:
    reader = Reader(everything(talk))
    context = reader.lines("context")

    assert [event["type"] for event in context] == ["compact_summary", "input_item", "output_item"]
    assert context[1:] == reader.events()[-2:]
    assert context[0] == reader.lines("compact")[-1]
    assert "stamps" in text_of(context[0]["item"])


def test_processed_turns_are_the_newest_that_the_settings_keep(start: START) -> None:
    talk = start(max_processed_turns=2)
    for number in range(4):
        talk.say("Hello.", turn_id=f"t{number}")
    assert Reader(everything(talk)).document("meta/state.json")["processed_turn_ids"] == ["t2", "t3"]


@pytest.mark.req("R083")
def test_every_directory_that_is_listed_has_its_abstract_and_overview_as_files(talk: Any) -> None:
    files = everything(talk)
    for each in talk.list():
        assert files[f"{each.path}/.abstract"].decode() == each.abstract + "\n"
        assert each.has_overview
        assert 0 < len(files[f"{each.path}/.overview"].split()) <= MAX_OVERVIEW_WORDS


@pytest.mark.req("R017")
def test_the_same_memory_gives_the_same_bytes_and_each_path_reads_as_it_is_copied(talk: Any) -> None:
    files = everything(talk)
    again = everything(talk.other())

    assert again == files
    for path, content in files.items():
        assert talk.services.files.read(talk.session, path) == content
        info = talk.services.files.stat(talk.session, path)
        assert info is not None
        assert (info.size, info.version) == (len(content), None)
    listed = talk.services.files.list(talk.session, depth=9, limit=999).entries
    assert [each.path for each in listed if each.type == "FILE"] == sorted(files)


def test_an_archive_is_read_by_the_page_as_the_lines_that_were_compressed(talk: Any) -> None:
    archives = [path for path in everything(talk) if path.endswith(".zst")]

    assert archives
    for path in archives:
        page = talk.services.files.page(talk.session, path, 0)
        assert page is not None
        assert all(json.loads(line)["item"] for line in page.text.splitlines())


@pytest.mark.req("R092")
def test_a_view_is_read_in_ranges_and_listed_like_any_directory(talk: Any) -> None:
    files, session = talk.services.files, talk.session
    whole = files.read(session, "meta/state.json")

    assert files.read(session, "meta/state.json", 3, 5) == whole[3:8]
    assert [each.path.removeprefix(ROOT) for each in files.list(session, "events/raw", depth=1).entries] == [
        "/events/raw/.abstract",
        "/events/raw/.overview",
        "/events/raw/2026",
    ]
    with pytest.raises(InvalidArgument):
        files.read(session, "events/raw")
    for path in ("events/raw/none", "log.jsonl", "insights/x"):
        with pytest.raises(NotFound):
            files.read(session, path)


@pytest.mark.req("R080")
@pytest.mark.req("R083")
def test_directories_of_own_files_are_listed_with_what_is_in_them(talk: Any, clock: Any) -> None:
    files, session = talk.services.files, talk.session
    files.write(session, "notes/plans/spring.md", "Sow beans.", WriteMode.TRUNCATE)
    clock.advance(minutes=1)
    files.write(session, "notes/todo.md", "Buy stamps.", WriteMode.TRUNCATE)

    listed = {each.path.removeprefix(ROOT): each for each in talk.list()}
    assert list(listed) == sorted(listed)
    assert listed["/notes"].abstract == (
        "2 files of the agent's own with 21 bytes, last changed at 2026-03-03 10:01 UTC. "
        "Newest first: todo.md; plans/spring.md."
    )
    assert listed["/notes"].updated_at == clock.now()
    assert not listed["/notes"].has_overview
    assert listed[""].abstract.startswith("4 turns")
    assert [each.path.removeprefix(ROOT) for each in talk.list("notes", 1)] == ["/notes", "/notes/plans"]
    assert f"{ROOT}/notes/todo.md" in everything(talk)


def test_a_session_that_has_files_and_no_turns_lists_them(start: START) -> None:
    talk = start("tuesday")
    talk.services.files.write(talk.session, "a/b.md", "x", WriteMode.TRUNCATE)
    assert [each.path for each in talk.list()] == ["/memory/tuesday", "/memory/tuesday/a"]


@pytest.mark.req("R093")
def test_what_was_just_written_said_or_learnt_is_found_with_where_it_stands(talk: Any) -> None:
    files, session = talk.services.files, talk.session
    lines = [f"Row {number} has kale.\n" for number in range(200)]
    files.write(session, "notes.txt", "".join(lines) + "豆\nThe pump is in the shed.\n", WriteMode.TRUNCATE)
    found = files.search(session, "where is the pump")[0]
    assert (found.path, "The pump is in the shed." in found.content) == (f"{ROOT}/notes.txt", True)
    assert files.read(session, "notes.txt")[found.start : found.end].decode() == found.content

    files.write(session, "notes.txt", "The mower is in the cellar.", WriteMode.TRUNCATE)
    assert [each.path for each in files.search(session, "mower")] == [f"{ROOT}/notes.txt"]
    assert files.search(session, "pump") == ()

    talk.say("The well is behind the barn.", turn_id="t5")
    said = files.search(session, "well barn")[0]
    assert said.path == f"{ROOT}/events/raw/2026/03/03/log-20260303.jsonl"
    line = files.read(session, said.path)[said.start : said.end]
    assert json.loads(line)["turn_id"] == "t5"
    archived = files.search(session, "stamps", "events")[0]
    assert archived.path.endswith("log-20260301.jsonl.zst")
    assert "Bergen" in files.search(session, "home Bergen", "memory_tiers")[0].content


def test_a_search_keeps_to_its_path_its_limit_and_the_words_of_the_query(talk: Any) -> None:
    files, session = talk.services.files, talk.session
    for number in range(4):
        files.write(session, f"a/{number}.txt", f"kale {number}", WriteMode.TRUNCATE)
    files.write(session, "b.txt", "kale", WriteMode.TRUNCATE)
    assert len(files.search(session, "kale", limit=2)) == 2
    assert {each.path for each in files.search(session, "kale", "a")} == {f"{ROOT}/a/{n}.txt" for n in range(4)}
    assert [each.path for each in files.search(session, "kale", "b.txt")] == [f"{ROOT}/b.txt"]
    assert files.search(session, "input_item valid_from") == ()
    with pytest.raises(InvalidArgument):
        files.search(session, "kale", limit=0)


@pytest.mark.req("R086")
def test_with_the_switch_on_the_legacy_files_are_as_current_as_the_canonical_ones(start: START) -> None:
    talk = start(legacy_files=True)
    for said in ("My name is Ada.", "I live in Berlin.", "I moved to Bergen."):
        talk.say(said)
        files = everything(talk)
        reader = Reader({path: files[path] for path in files if path.count("/") > 3 or "/." in path})
        log = [json.loads(line) for line in files[f"{ROOT}/log.jsonl"].splitlines()]
        facts = [json.loads(line) for line in files[f"{ROOT}/memory_facts.jsonl"].splitlines()]
        assert log == reader.events()
        assert files[f"{ROOT}/context.jsonl"] == files[f"{ROOT}/runtime/context/current.jsonl"]
        assert sorted(facts, key=str) == sorted(reader.lines("L0", "L1", "L2"), key=str)
        assert json.loads(files[f"{ROOT}/meta.json"]) == reader.document("meta/state.json")
        assert talk.services.files.read(talk.session, "log.jsonl") == files[f"{ROOT}/log.jsonl"]
    off = talk.other(legacy_files=False)
    assert f"{ROOT}/log.jsonl" not in everything(off)
