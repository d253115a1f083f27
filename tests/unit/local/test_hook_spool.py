"""What hooks keep beside each other: the events that wait, the log, and when the last one arrived."""

from __future__ import annotations

import json
from itertools import count
from pathlib import Path
from threading import Thread

import pytest

from cairn.local.hook import journal, spool
from cairn.local.hook.event import Event
from cairn.local.hook.journal import Journal
from cairn.local.hook.private_files import replace
from cairn.local.hook.spool import Spool

URL = "http://127.0.0.1:8787"


def event(prompt: str, agent: str = "codex", name: str = "Stop") -> Event:
    return Event(agent, "garden", "ada", {"hook_event_name": name, "session_id": "monday", "prompt": prompt})


def prompts(kept: Spool) -> list[str]:
    return [each.event.told["prompt"] for each in kept.waiting()]


def test_what_is_added_waits_whole_and_in_order(tmp_path: Path) -> None:
    kept = Spool(tmp_path)
    for prompt in ("one\ntwo\r", "\ud800 \u2028", "é"):
        kept.add("now", URL, event(prompt))

    assert [(each.url, each.event) for each in kept.waiting()] == [
        (URL, event("one\ntwo\r")),
        (URL, event("\ud800 \u2028")),
        (URL, event("é")),
    ]
    line = json.loads(kept.waiting()[2].line)
    assert line == {
        "at": "now",
        "url": URL,
        "agent": "codex",
        "project": "garden",
        "user": "ada",
        "event": {"hook_event_name": "Stop", "session_id": "monday", "prompt": "é"},
    }


def test_taking_out_leaves_what_was_added_meanwhile(tmp_path: Path) -> None:
    kept = Spool(tmp_path)
    kept.add("now", URL, event("one"))
    read = kept.waiting()
    kept.add("now", URL, event("two"))

    kept.take_out({each.line for each in read})

    assert prompts(kept) == ["two"]
    kept.take_out({each.line for each in kept.waiting()})
    assert not (tmp_path / "hooks.spool").exists()


def test_who_adds_waits_for_one_that_takes_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kept, other = Spool(tmp_path), Spool(tmp_path)
    adding = Thread(target=lambda: other.add("now", URL, event("three")))

    def replace_while_another_adds(path: Path, content: bytes) -> None:
        adding.start()
        adding.join(0.1)
        replace(path, content)

    kept.add("now", URL, event("one"))
    kept.add("now", URL, event("two"))
    monkeypatch.setattr(spool, "replace", replace_while_another_adds)

    kept.take_out({kept.waiting()[0].line})
    adding.join()

    assert prompts(kept) == ["two", "three"]


def test_what_no_hook_wrote_is_passed_over(tmp_path: Path) -> None:
    kept = Spool(tmp_path)
    (tmp_path / "hooks.spool").write_text('{\n[]\n{"agent": "codex"}\nnull\n', encoding="utf-8")
    kept.add("now", URL, event("one"))

    assert prompts(kept) == ["one"]


def test_the_oldest_whole_lines_make_room(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spool, "MOST_BYTES", 1000)
    kept = Spool(tmp_path)

    dropped = [kept.add("now", URL, event(f"{number}" * 50)) for number in range(8)]

    assert (tmp_path / "hooks.spool").stat().st_size <= 1000
    assert sum(dropped) > 0
    assert prompts(kept) == [f"{number}" * 50 for number in range(sum(dropped), 8)]


def test_one_at_a_time_sends_what_waits_and_nobody_where_nothing_does(tmp_path: Path) -> None:
    kept = Spool(tmp_path)
    with kept.sender() as is_sender:
        assert not is_sender
    kept.add("now", URL, event("one"))

    with kept.sender() as first, Spool(tmp_path).sender() as second:
        assert (first, second) == (True, False)
        kept.add("now", URL, event("two"))
    with kept.sender() as is_sender:
        assert is_sender
    assert prompts(kept) == ["one", "two"]


def test_the_log_is_halved_by_whole_lines_before_it_is_too_large(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(journal, "MOST_LOG_BYTES", 2000)
    numbers = count()
    told = Journal(tmp_path, lambda: str(next(numbers)))

    for number in range(100):
        told.note("codex", f"problem {number}")

    lines = [json.loads(line) for line in (tmp_path / "hooks.log").read_text(encoding="utf-8").splitlines()]
    assert (tmp_path / "hooks.log").stat().st_size <= 2000
    assert [each["problem"] for each in lines] == [f"problem {number}" for number in range(100 - len(lines), 100)]


def test_of_each_event_it_is_known_when_it_last_arrived_and_failed(tmp_path: Path) -> None:
    numbers = count(1)
    told = Journal(tmp_path, lambda: f"moment {next(numbers)}")

    told.happened("delivered", [event("a"), event("b", "gemini", "SessionEnd")])
    told.happened("failed", [event("a")])
    told.happened("delivered", [event("a")])

    assert json.loads((tmp_path / "hooks.json").read_bytes()) == {
        "codex": {"Stop": {"delivered": "moment 3", "failed": "moment 2"}},
        "gemini": {"SessionEnd": {"delivered": "moment 1"}},
    }


@pytest.mark.parametrize("content", ["", "[]", '{"codex": 7}', '{"codex": {"Stop": 7}}'])
def test_times_that_something_else_wrote_are_begun_anew(tmp_path: Path, content: str) -> None:
    (tmp_path / "hooks.json").write_text(content, encoding="utf-8")

    Journal(tmp_path, lambda: "now").happened("failed", [event("a")])

    assert json.loads((tmp_path / "hooks.json").read_bytes()) == {"codex": {"Stop": {"failed": "now"}}}


def test_a_failure_is_logged_with_names_and_without_content(tmp_path: Path) -> None:
    Journal(tmp_path, lambda: "now").failed(event("what was said"), "nothing answered")

    assert json.loads((tmp_path / "hooks.log").read_bytes()) == {
        "at": "now",
        "agent": "codex",
        "event": "Stop",
        "session": "monday",
        "problem": "nothing answered",
    }
    assert b"what was said" not in b"".join(path.read_bytes() for path in tmp_path.iterdir())
