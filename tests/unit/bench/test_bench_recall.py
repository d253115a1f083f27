"""What `make bench-recall` is given, and the table of where plain BM25 does better."""

from __future__ import annotations

from argparse import ArgumentParser
from pathlib import Path

import pytest

from recall import below
from recall_metrics import Answered, measured
from recall_sets import FITTED_ON, HELD_OUT, data_option

RIGHT, SECOND, WRONG = ["1.1", "1.2"], ["1.2", "1.1"], ["1.2"]


def answered(ranked: list[str], kind: str) -> Answered:
    return Answered("garden", kind, measured(ranked, frozenset({"1.1"})))


@pytest.mark.parametrize(
    ("given", "expected"),
    [([], (FITTED_ON, HELD_OUT)), (["--data", "a.json", "b"], [Path("a.json"), Path("b")])],
    ids=["our own", "others"],
)
def test_one_option_names_several_data_sets_and_none_means_our_own(given: list[str], expected: list[Path]) -> None:
    parser = ArgumentParser()
    data_option(parser, (FITTED_ON, HELD_OUT))

    assert parser.parse_args(given).data == expected


def test_a_kind_in_which_plain_bm25_does_better_is_told_though_it_does_worse_on_all_questions() -> None:
    plain = [answered(RIGHT, "when"), answered(WRONG, "who"), answered(WRONG, "who")]
    ours = [answered(SECOND, "when"), answered(RIGHT, "who"), answered(RIGHT, "who")]

    table = below("garden", plain, {"words": ours})

    assert list(table.rows) == [
        ("words; when", 1, "MRR", 100.0, 50.0),
        ("words; when", 1, "nDCG@10", 100.0, 63.1),
    ]
    assert not table.note


def test_where_plain_bm25_nowhere_does_better_the_table_says_so() -> None:
    found = [answered(SECOND, "when")]

    table = below("garden", found, {"words": found})

    assert (list(table.rows), table.note) == ([], "Nowhere, by no measure.")
