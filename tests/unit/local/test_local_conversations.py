"""The shipped conversation, and LoCoMo files as conversations."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from cairn.ground.errors import SettingsError
from cairn.local.demo import locomo
from cairn.local.demo.client import RecalledContext
from cairn.local.demo.conversation import shipped
from cairn.local.demo.replay import misses


def sample(*utterances: tuple[str, str], caption: str | None = None) -> dict[str, Any]:
    lines: list[dict[str, str]] = [{"speaker": speaker, "dia_id": "", "text": text} for speaker, text in utterances]
    if caption:
        lines[-1]["blip_caption"] = caption
    return {
        "sample_id": "conv-1",
        "conversation": {
            "speaker_a": "Ann",
            "speaker_b": "Bo",
            "session_2_date_time": "9:00 am on 9 May, 2023",
            "session_2": [],
            "session_10_date_time": "9:00 am on 10 May, 2023",
            "session_10": [],
            "session_1_date_time": "1:56 pm on 8 May, 2023",
            "session_1": lines,
        },
        "qa": [],
    }


def turns_of(tmp_path: Path, *utterances: tuple[str, str], caption: str | None = None) -> list[tuple[int, int]]:
    (conversation,) = read(tmp_path, [sample(*utterances, caption=caption)])
    return [(len(turn.user), len(turn.assistant)) for _, turn in conversation.turns]


def read(tmp_path: Path, document: object) -> Any:
    path = tmp_path / "locomo.json"
    path.write_text(json.dumps(document), encoding="utf-8")
    return locomo.read(path)


def test_the_shipped_conversation_is_long_and_its_ids_are_its_own() -> None:
    conversation = shipped()
    ids = [turn.turn_id for _, turn in conversation.turns]
    assert len(conversation.sessions) == 3
    assert len(ids) == len(set(ids)) >= 30


def test_the_shipped_conversation_asks_in_every_later_session_for_what_was_said_in_an_earlier_one() -> None:
    first, *later = shipped().sessions
    told = " ".join(text for turn in first.turns for text in turn.user).casefold()
    for session in later:
        assert any(text.casefold() in told for turn in session.turns for text in turn.expect)


def test_a_turn_is_what_a_says_and_what_b_answers(tmp_path: Path) -> None:
    assert turns_of(tmp_path, ("Ann", "1"), ("Bo", "2"), ("Ann", "3"), ("Bo", "4")) == [(1, 1), (1, 1)]


def test_several_utterances_in_a_row_are_several_messages_of_one_turn(tmp_path: Path) -> None:
    assert turns_of(tmp_path, ("Ann", "1"), ("Ann", "2"), ("Bo", "3"), ("Bo", "4")) == [(2, 2)]


def test_a_conversation_that_b_opens_or_a_ends_keeps_every_utterance(tmp_path: Path) -> None:
    assert turns_of(tmp_path, ("Bo", "1"), ("Ann", "2")) == [(0, 1), (1, 0)]


def test_an_utterance_carries_its_date_its_speaker_and_its_image(tmp_path: Path) -> None:
    (conversation,) = read(tmp_path, [sample(("Ann", "Look!"), caption="a red boat")])
    (session, turn) = conversation.turns[0]
    assert turn.user == ("[8 May 2023] Ann: Look! [shares an image: a red boat]",)
    assert (session.session_id, turn.turn_id, conversation.user_id) == ("conv-1-s1", "conv-1-s1-t001", "conv-1")


def test_sessions_come_in_the_order_of_their_numbers(tmp_path: Path) -> None:
    (conversation,) = read(tmp_path, [sample(("Ann", "1"))])
    assert [session.session_id for session in conversation.sessions] == ["conv-1-s1", "conv-1-s2", "conv-1-s10"]


@pytest.mark.parametrize("document", [{}, [], [{}], [1], "text", [{"sample_id": "x", "conversation": []}]])
def test_a_file_that_is_no_locomo_is_refused_in_one_sentence(tmp_path: Path, document: object) -> None:
    with pytest.raises(SettingsError, match=r"LoCoMo's format|holds no conversation"):
        read(tmp_path, document)


def test_what_a_turn_expects_is_looked_for_in_all_that_was_recalled_and_what_it_rejects_in_facts_only() -> None:
    turn = next(turn for _, turn in shipped().turns if turn.expect and turn.reject)
    good = RecalledContext(("user_home: " + turn.expect[0].upper(),), (turn.reject[0],), (), (), 1, 1.0)
    bad = RecalledContext(("user_home: " + turn.reject[0],), (), (), (), 1, 1.0)
    assert misses(turn, good) == []
    assert len(misses(turn, bad)) == 2
