"""The reader of statements as set-up built it: what it makes of plain sentences, and that a torn one is none."""

from __future__ import annotations

import logging
from pathlib import Path

import pytest

from cairn.ground.errors import EmbeddingFailed
from cairn.models.lazy_model import MODEL, READER, VOCABULARY
from cairn.models.minilm import MiniLm
from cairn.models.statement_reader import StatementReader
from cairn.statements.heads import KINDS

LASTING = "I live in Ghent with my two daughters."
REQUEST = "Can you shorten this paragraph?"
LASTS, CHANGES = 0, 1
FAR = 3


@pytest.fixture(scope="module")
def reader(directory: Path) -> StatementReader:
    return StatementReader(directory)


@pytest.mark.parametrize("text", [LASTING, "", "你好", "\x00\ud800", "word " * 5000])
def test_whatever_the_text_it_has_three_answers_and_one_for_each_kind_and_the_same_again(
    reader: StatementReader, text: str
) -> None:
    read = reader.read(text)

    assert len(read) == 3 + len(KINDS) == 13
    assert read == reader.read(text)


def test_what_lasts_scores_far_above_a_request(reader: StatementReader) -> None:
    assert reader.read(LASTING)[LASTS] > reader.read(REQUEST)[LASTS] + FAR


def test_what_says_that_something_changed_scores_far_above_what_does_not(reader: StatementReader) -> None:
    assert reader.read("We moved, it's Antwerp now.")[CHANGES] > reader.read(REQUEST)[CHANGES] + FAR


def test_a_change_is_judged_far_above_what_only_sounds_near_and_what_is_newer_matters(reader: StatementReader) -> None:
    older, newer = "My manager is Priya.", "Priya got promoted, so Tom is my manager now."

    assert reader.judge(newer, older) > reader.judge("The neighbours' dog is called Bella.", older) + FAR
    assert reader.judge(newer, older) != reader.judge(older, newer)
    assert reader.judge(newer, older) == reader.judge(newer, older)


def test_what_follows_in_a_longer_text_does_not_count(reader: StatementReader) -> None:
    assert reader.read("word " * 46) == reader.read("word " * 46 + LASTING)
    assert reader.read("word " * 45 + "Ghent") != reader.read("word " * 46)


@pytest.mark.parametrize("name", [READER, MODEL, VOCABULARY])
def test_without_one_of_its_files_there_is_no_reading_and_the_log_says_so_once(
    copied: Path, name: str, caplog: pytest.LogCaptureFixture
) -> None:
    (copied / name).unlink()
    failing = StatementReader(copied)

    with caplog.at_level(logging.INFO, "cairn"):
        for _ in range(2):
            with pytest.raises(EmbeddingFailed):
                failing.read(LASTING)

    assert [each.getMessage() for each in caplog.records] == [
        f"no reading of statements: {name} of the embedding model cannot be read"
    ]


def test_texts_are_embedded_without_the_reader(copied: Path) -> None:
    (copied / READER).unlink()

    assert len(MiniLm(copied).embed(LASTING)) == 384
