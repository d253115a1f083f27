"""What a comparison with a direct memory path counts, and when it is good enough."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cairn.local.shadow.comparison import (
    Counts,
    Failure,
    Figures,
    Overlap,
    ShadowSession,
    ShadowTurn,
    Thresholds,
    Tokens,
    compare_facts,
    compare_files,
    criteria,
)

ASKED = Thresholds(facts=0.9, tokens=1.5, files=1.0)


def figures(
    *, facts: Overlap | None = None, files: Overlap | None = None, tokens: tuple[int, int] = (100, 100), failed: int = 0
) -> Figures:
    turn = ShadowTurn("t-1", facts or Overlap(), *tokens)
    failures = [Failure(f"t-{number}", "memory_before_turn", "INTERNAL_ERROR") for number in range(failed)]
    session = ShadowSession("garden", "monday", 1, [turn], failures, files or Overlap())
    return Figures.of([session])


def unmet(found: Figures) -> list[str]:
    return [criterion.name for criterion in criteria(found, ASKED) if not criterion.met]


@pytest.mark.req("R130")
@pytest.mark.parametrize(
    ("direct", "cairn"),
    [("ada", "Ada"), ("raised  beds", "raised beds."), ('"Bergen"', "Bergen"), ("Stra\u00dfe", "STRASSE")],
)
def test_facts_are_the_same_whatever_their_case_spacing_and_outer_punctuation(direct: str, cairn: str) -> None:
    assert compare_facts([direct], [cairn], "") == Overlap(both=(direct,))


@pytest.mark.req("R130")
def test_a_fact_that_only_one_path_recalls_counts_as_its() -> None:
    found = compare_facts(["Ada", "Oslo"], ["ada", "Bergen"], "nothing of it")

    assert found == Overlap(both=("Ada",), only_direct=("Oslo",), only_cairn=("Bergen",))
    assert Counts.of([found, found]) == Counts(both=2, in_context=0, only_direct=2, only_cairn=2)
    assert Counts.of([found]).share == 0.5


def test_a_fact_whose_value_stands_in_the_messages_placed_is_told_all_the_same_but_not_as_part_of_a_word() -> None:
    found = compare_facts(["Raised beds", "art"], [], "I prefer raised\nbeds. Start early.")

    assert found == Overlap(in_context=("Raised beds",), only_direct=("art",))
    assert Counts.of([found]).share == 0.5


@given(st.lists(st.text(max_size=8)), st.lists(st.text(max_size=8)), st.text(max_size=30))
def test_every_fact_is_counted_once_and_sides_are_mirrored(direct: list[str], cairn: list[str], context: str) -> None:
    found, mirrored = compare_facts(direct, cairn, context), compare_facts(cairn, direct, "\x00")

    assert len(found.both) + len(found.in_context) + len(found.only_direct) <= len(set(direct))
    assert len(found.both) == len(mirrored.both)
    assert len(found.only_cairn) == len(mirrored.in_context) + len(mirrored.only_direct)


@pytest.mark.req("R130")
def test_files_are_compared_by_the_directories_they_stand_in() -> None:
    root = "/memory/monday"
    listed = ["", "/events", "/events/raw", "/events/raw/2026", "/events/raw/2026/03", "/indexes", "/meta"]
    files = [f"{root}/events/raw/2026/03/log.jsonl", f"{root}/meta/state.json", f"{root}/meta/.abstract"]
    files += [f"{root}/log.jsonl", "/memory/monday2/indexes/active_facts.json"]

    found = compare_files("monday", files, [root + path for path in listed], dated=True)

    assert found.both == ("events/raw/2026/03", "meta")
    assert found.only_direct == (root, "/memory/monday2/indexes")
    assert found.only_cairn == ("indexes",)


def test_a_summary_of_a_directory_with_further_ones_in_it_is_found() -> None:
    found = compare_files("s", ["/memory/s/events/.abstract"], ["/memory/s/events", "/memory/s/events/raw"], dated=True)

    assert found == Overlap(both=("events",), only_cairn=("events/raw",))


def test_dates_count_only_where_the_turns_kept_theirs() -> None:
    files, listed = ["/memory/7/events/raw/2026/03/02/log.jsonl"], ["/memory/7", "/memory/7/events/raw/2026/11/22"]

    assert compare_files("7", files, listed, dated=True).both == ()
    assert compare_files("7", files, listed, dated=False) == Overlap(both=("events/raw/#/#/#",))


@pytest.mark.req("R130")
def test_the_difference_in_tokens_is_told_as_median_95th_percentile_maximum_and_ratio() -> None:
    tokens = Tokens(direct=[100] * 20, cairn=[100 + 10 * number for number in range(20)])

    assert tokens.difference() == {"median": 95, "p95": 180, "max": 190}
    assert tokens.ratio == 1.95
    assert Tokens([7], [3]).difference() == {"median": -4, "p95": -4, "max": -4}
    assert Tokens([0], [3]).ratio is None


@pytest.mark.req("R130")
@pytest.mark.parametrize(
    ("found", "names"),
    [
        (figures(facts=Overlap(both=tuple("abcdefghi"), only_direct=("j",))), []),
        (figures(facts=Overlap(both=tuple("abcdefgh"), only_direct=("i", "j"))), ["facts"]),
        (figures(facts=Overlap(only_cairn=tuple("abc"))), []),
        (figures(tokens=(100, 150)), []),
        (figures(tokens=(100, 151)), ["tokens"]),
        (figures(files=Overlap(both=("meta",), only_cairn=("indexes",))), []),
        (figures(files=Overlap(both=("meta",), only_direct=("indexes",))), ["files"]),
        (figures(failed=1), ["failed"]),
    ],
)
def test_a_cut_over_asks_for_each_threshold_and_for_no_failed_turn(found: Figures, names: list[str]) -> None:
    assert unmet(found) == names


def test_where_there_is_nothing_to_compare_a_criterion_does_not_speak() -> None:
    values = {criterion.name: criterion.value for criterion in criteria(figures(tokens=(0, 5)), ASKED)}

    assert values == {"failed": 0, "facts": None, "tokens": None, "files": None}
