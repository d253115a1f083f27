"""What a bench prints, says to machines and keeps for the page."""

from __future__ import annotations

import json
from argparse import Namespace
from pathlib import Path

import pytest

import performance
import report
from report import Table

SIZES = Table("Sizes", ("what", "bytes", "share"), (("a | b", 12_345, 0.5), ("c", None, 2)), "A note.")
NOTHING = {"json": False, "save": False}


def test_a_table_is_printed_in_columns_with_numbers_to_the_right() -> None:
    assert SIZES.text().splitlines() == [
        "Sizes",
        "what    bytes  share",
        "a | b  12,345    0.5",
        "c                  2",
        "A note.",
    ]


def test_json_is_one_last_line_with_machine_versions_seeds_and_load(capsys: pytest.CaptureFixture[str]) -> None:
    report.publish("sizes", [SIZES], Namespace(**{**NOTHING, "json": True}), seeds=(7,), libraries=("pydantic",))

    *printed, last = capsys.readouterr().out.splitlines()
    told = json.loads(last)
    assert printed == SIZES.text().splitlines()
    assert (told["bench"], told["seeds"]) == ("sizes", [7])
    assert told["tables"][0]["rows"] == [["a | b", 12_345, 0.5], ["c", None, 2]]
    assert told["versions"].keys() == {"cairn-aws", "pydantic", "python"}
    assert all(told["machine"].values())
    assert told["load"].keys() == {"at_start", "at_end"}


def test_what_is_kept_makes_the_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(report, "RESULTS", tmp_path / "results")
    monkeypatch.setattr(report, "PAGE", tmp_path / "performance.md")
    report.publish("sizes", [SIZES], Namespace(**NOTHING))
    assert not list(tmp_path.iterdir())

    monkeypatch.setattr(report, "_LOAD_AT_START", report.MOST_LOAD)
    report.publish("sizes", [SIZES], Namespace(**{**NOTHING, "save": True}), seeds=(7,))

    page = (tmp_path / "performance.md").read_text("utf-8")
    assert "## `make bench-sizes`" in page
    assert "seeds 7" in page
    assert (
        "| what | bytes | share |\n| --- | --- | --- |\n| a \\| b | 12,345 | 0.5 |\n| c |  | 2 |\n\nA note.\n" in page
    )


def test_nothing_is_kept_that_was_measured_on_a_busy_machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(report, "RESULTS", tmp_path / "results")
    monkeypatch.setattr(report, "_LOAD_AT_START", report.MOST_LOAD + 0.01)
    with pytest.raises(SystemExit, match="Nothing is kept"):
        report.publish("sizes", [SIZES], Namespace(**{**NOTHING, "save": True}))
    assert not list(tmp_path.iterdir())


def test_the_page_shows_the_results_that_are_kept() -> None:
    assert report.PAGE.read_text("utf-8") == performance.page(report.RESULTS)
