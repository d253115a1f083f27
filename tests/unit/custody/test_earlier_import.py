"""Sessions taken over from legacy files: recalled as they were told, once, and never over what is canonical."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from cairn.custody.earlier_import import EarlierImport, Imported
from cairn.ground.trust import Trust
from cairn.local.cli import main
from cairn.local.commands.earlier_records import sessions
from support.earlier_layout import FACTS, LOG, META, day, event, fact, legacy, put, stamp

START = Callable[..., Any]


def take_over(talk: Any, root: Path, user: Any = None) -> list[Imported]:
    found = [each for each in sessions(root) if each.session_id == talk.session.session_id]
    return [EarlierImport(talk.services).run(talk.session, each.history, user) for each in found]


def recalled(turn: Any, placed: Any) -> tuple[set[str], list[str]]:
    memory = placed(turn)
    return {each["value"] for each in memory["facts"]}, [each["text"] for each in memory["chunks"]]


@pytest.mark.req("R085")
@pytest.mark.req("R134")
def test_a_session_with_only_legacy_files_is_recalled(start: START, tmp_path: Path, placed: Any) -> None:
    talk = start(recent_context_items=2)
    imported = take_over(talk, legacy(tmp_path))
    facts, chunks = recalled(talk.other().ask("Where is my home, and what is my name?", user=None), placed)

    assert imported == [Imported(turns=2, facts=6, processed=3)]
    assert {"Ada", "Bergen"} <= facts
    assert "My name is Ada." in chunks
    assert talk.history() == [each["item"] for each in LOG]
    items = talk.other().ask("Hello?", user="ada").items
    assert [each["item"] for each in LOG[2:]] == list(items[-3:-1])


@pytest.mark.req("R308")
def test_what_is_taken_over_is_an_import_s_word(start: START, tmp_path: Path) -> None:
    talk = start(recent_context_items=2)
    take_over(talk, legacy(tmp_path))

    def placed(least: Trust) -> str:
        asked = talk.other().ask("Where is my home, and what is my name?", user=None, min_trust=least)
        return str(asked.items[:-1])

    assert "Bergen" in placed(Trust.IMPORT)
    assert not [word for word in ("Bergen", "My name is Ada") if word in placed(Trust.TOOL)]


@pytest.mark.req("R085")
@pytest.mark.parametrize("shape", ["document", "context"])
def test_the_same_is_read_of_one_legacy_document_and_of_the_context_where_there_is_no_log(
    shape: str, start: START, tmp_path: Path
) -> None:
    if shape == "document":
        whole = {"log": LOG, "context": LOG[2:], "memory_facts": FACTS, "meta": META}
        put(tmp_path / "a" / "monday", "legacy-v1.json", whole)
    else:
        put(tmp_path / "a" / "monday", "context.jsonl", *LOG)
        put(tmp_path / "a" / "monday", "memory_facts.jsonl", *FACTS)
        put(tmp_path / "a" / "monday", "meta.json", {"processed_turn": META["processed_turn_ids"]})
    talk = start()
    assert take_over(talk, tmp_path) == [Imported(turns=2, facts=6, processed=3)]
    assert talk.history() == [each["item"] for each in LOG]


@pytest.mark.req("R085")
def test_facts_keep_their_times_and_none_comes_back_that_ended(start: START, tmp_path: Path, placed: Any) -> None:
    talk = start()
    take_over(talk, legacy(tmp_path))
    facts, _ = recalled(talk.ask("home stamps cat tea name task pet like", user=None), placed)
    lines = [
        json.loads(line)
        for path, content in talk.services.files.everything(talk.session)
        if "/facts-" in path
        for line in content.splitlines()
    ]
    told = {each["value"]: (each["state"], each["recorded_at"], each["valid_to"]) for each in lines}

    assert facts == {"Ada", "Bergen", "tea"}
    assert told["Oslo"] == ("superseded", stamp(day(1)), stamp(day(3)))
    assert told["Bergen"] == ("active", stamp(day(3)), None)
    assert told["buy stamps"] == ("expired", stamp(day(1)), stamp(day(2)))
    assert told["a cat"] == ("deleted", stamp(day(1)), stamp(day(4)))
    assert next(each for each in lines if each["value"] == "tea")["expires_at"] == "2026-03-08T00:00:00Z"


@pytest.mark.req("R085")
@pytest.mark.req("R087")
def test_canonical_memory_goes_before_legacy_memory(start: START, tmp_path: Path, placed: Any) -> None:
    talk = start()
    talk.say("I live in Rome.", turn_id="t5")
    imported = take_over(talk, legacy(tmp_path))
    facts, _ = recalled(talk.other().ask("home name", user=None), placed)

    assert imported == [Imported(processed=3, kept=True)]
    assert facts == {"Rome"}
    assert len(talk.history()) == 2
    assert talk.say("My name is Ada.", turn_id="t1").replayed


@pytest.mark.req("R087")
@pytest.mark.parametrize(("turn", "later"), [("t0", 0), ("t0", 29), ("t1", 0), ("t1", 400), ("t2", 400)])
def test_a_turn_that_was_processed_before_is_never_replayed(
    turn: str, later: int, start: START, tmp_path: Path, clock: Any
) -> None:
    talk = start()
    take_over(talk, legacy(tmp_path))
    clock.advance(days=later)
    committed = talk.other().say("I live in Rome.", user=None, turn_id=turn)

    assert committed.replayed
    assert committed.events_written == committed.facts_written == 0
    assert len(talk.history()) == len(LOG)
    assert not talk.other().say("I live in Rome.", user=None, turn_id="t3").replayed


@pytest.mark.req("R085")
def test_importing_again_changes_nothing_and_takes_what_came_since(start: START, tmp_path: Path) -> None:
    talk = start()
    take_over(talk, legacy(tmp_path))
    before = dict(talk.services.files.everything(talk.session))
    assert take_over(talk.other(), tmp_path) == [Imported()]
    assert dict(talk.services.files.everything(talk.session)) == before

    put(tmp_path / "monday", "log.jsonl", *LOG, event("t3", 0, "Beans.", day(5)))
    put(tmp_path / "monday", "memory_facts.jsonl", *FACTS, fact("home", "Rome", day(5)))
    assert take_over(talk.other(), tmp_path) == [Imported(turns=1, facts=7, processed=1)]
    assert [each["item"] for each in LOG] == talk.history()[:-1]


@pytest.mark.req("R085")
def test_facts_that_have_lapsed_since_are_not_taken_over_again(start: START, tmp_path: Path, clock: Any) -> None:
    talk = start()
    take_over(talk, legacy(tmp_path))
    clock.advance(days=400)

    assert take_over(talk.other(), tmp_path) == [Imported()]


@pytest.mark.req("R086")
def test_legacy_files_are_read_and_never_written(start: START, tmp_path: Path) -> None:
    root = legacy(tmp_path / "legacy")
    before = {path: (path.read_bytes(), path.stat().st_mtime_ns) for path in root.rglob("*") if path.is_file()}
    talk = start()
    take_over(talk, root)
    talk.say("I live in Rome.")
    assert {path: (path.read_bytes(), path.stat().st_mtime_ns) for path in before} == before
    assert set(before) == {path for path in root.rglob("*") if path.is_file()}


@pytest.mark.req("R086")
def test_what_was_taken_over_is_in_both_layouts_while_the_switch_is_on(start: START, tmp_path: Path) -> None:
    talk = start(legacy_files=True)
    take_over(talk, legacy(tmp_path))
    talk.say("I live in Rome.", user=None, turn_id="t3")
    log = talk.services.files.read(talk.session, "log.jsonl").decode().splitlines()
    meta = json.loads(talk.services.files.read(talk.session, "meta.json"))
    assert [json.loads(line)["item"] for line in log] == talk.history()
    assert [json.loads(line)["turn_id"] for line in log] == ["t1", "t1", "t2", "t2", "t3", "t3"]
    assert meta["processed_turn_ids"] == ["t1", "t2", "t3"]


def test_a_user_s_sessions_are_recalled_in_their_other_sessions(start: START, tmp_path: Path, placed: Any) -> None:
    talk = start()
    take_over(talk, legacy(tmp_path), user="ada")
    facts, chunks = recalled(talk.other("tuesday").ask("zucchini home", recall_scope="user"), placed)
    assert "Bergen" in facts
    assert "The zucchini needs water." in chunks


def test_a_taken_over_session_is_maintained_and_its_old_events_archived(start: START, tmp_path: Path) -> None:
    talk = start(recent_context_items=0)
    take_over(talk, legacy(tmp_path))
    report = talk.other().maintain()
    assert (report.archived_shards, len(talk.history())) == (2, len(LOG))
    paths = [each.path.removeprefix("/memory/monday") for each in talk.list("events/archive", 9)]
    assert "/events/archive/2026/02/20" in paths


@pytest.mark.slow
def test_a_long_session_comes_over_in_order(start: START, tmp_path: Path) -> None:
    log = [event(f"t{number}", 0, f"Row {number}.", day(1) + timedelta(minutes=number)) for number in range(100)]
    put(tmp_path / "monday", "log.jsonl", *log)
    talk = start()
    assert take_over(talk, tmp_path) == [Imported(turns=100, processed=100)]
    assert talk.history() == [each["item"] for each in log]
    state = json.loads(talk.services.files.read(talk.session, "meta/state.json"))
    assert state["processed_turn_ids"] == [f"t{number}" for number in range(100)]
    assert not talk.say("Hello.", user=None, turn_id="t100").replayed


def test_lines_that_are_no_records_are_counted_and_left_out(tmp_path: Path) -> None:
    put(tmp_path / "monday", "log.jsonl", *LOG, {"id": "x"}, [], {**LOG[0], "id": "", "turn_id": "t8"})
    with (tmp_path / "monday" / "log.jsonl").open("a", encoding="utf-8") as log:
        log.write('{"id": "cut off')
    put(tmp_path / "monday", "memory_facts.jsonl", fact("name", "Ada", day(1), confidence=2.0))
    [found] = sessions(tmp_path)
    assert (len(found.history.turns), len(found.history.facts), found.unreadable) == (2, 0, 5)


@pytest.fixture
def cairn(tmp_path: Path) -> Callable[..., Result]:
    def run(*arguments: str, stdin: str | bytes | None = None) -> Result:
        at = ["--data", str(tmp_path / "store"), "--project", "garden"]
        return CliRunner().invoke(main, [*arguments, *at], input=stdin)

    return run


@pytest.mark.req("R085")
def test_the_command_takes_a_directory_of_sessions_over(cairn: Callable[..., Result], tmp_path: Path) -> None:
    root = legacy(legacy(tmp_path / "old"), "tuesday")
    first, again = cairn("import", "--legacy", str(root)), cairn("import", "--legacy", str(root))
    assert (first.exit_code, first.output.splitlines()) == (
        0,
        [f"{name}: 2 turns, 6 facts, 3 ids of processed turns" for name in ("monday", "tuesday")],
    )
    assert again.output.splitlines()[0] == "monday: 0 turns, 0 facts, 0 ids of processed turns"
    (root / "monday" / "log.jsonl").write_text("{", encoding="utf-8")
    odd = cairn("import", "--legacy", str(root))
    assert odd.exit_code == 1
    assert "monday: 1 lines could not be read" in odd.output


@pytest.mark.req("R017")
def test_the_commands_on_files_do_what_they_say(cairn: Callable[..., Result], tmp_path: Path) -> None:
    cairn("import", "--legacy", str(legacy(tmp_path / "old")))

    def files(name: str, *arguments: str, stdin: str | None = None) -> Result:
        return cairn("files", name, "--session", "monday", *arguments, stdin=stdin)

    assert "v1" in files("write", "notes/a.md", stdin="Beans. 豆\n").output
    assert files("write", "notes/a.md", "--append", stdin="Peas.\n").exit_code == 0
    assert files("cat", "notes/a.md").output == "Beans. 豆\nPeas.\n"
    assert files("write", "notes/a.md", "--if-version", "1", stdin="x").exit_code == 1
    assert files("write", "meta/state.json", stdin="x").exit_code == 1
    assert "/memory/monday/notes/" in files("ls").output
    assert files("search", "zucchini").output.startswith("/memory/monday/events/raw/2026/02/21/")
    assert files("stat", "notes/a.md").output.split()[:2] == ["17", "v2"]
    out = tmp_path / "out"
    assert files("export", str(out)).exit_code == 0
    assert (out / "memory/monday/notes/a.md").read_text(encoding="utf-8") == "Beans. 豆\nPeas.\n"
    state = json.loads((out / "memory/monday/meta/state.json").read_bytes())
    assert state["processed_turn_ids"] == ["t1", "t2"]
    assert files("export", str(out)).exit_code == 1
    assert files("rm", "notes", "--recursive").output == "1 deleted\n"
    assert files("stat", "notes/a.md").exit_code == 1
