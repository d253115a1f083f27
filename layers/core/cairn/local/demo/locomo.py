"""The LoCoMo benchmark's conversations (Maharana et al., 2024), read from its JSON file.

The file is a list of {sample_id, conversation: {speaker_a, speaker_b, session_N_date_time, session_N: [{speaker, text,
blip_caption?}]}}. Speaker A takes the user's part and speaker B the assistant's; a turn is what A says, in one or more
messages, and what B says until A speaks again.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from pathlib import Path
from typing import Any

from cairn.ground.errors import SettingsError
from cairn.local.demo.conversation import Conversation, Scene, SceneTurn

_SESSION = re.compile(r"session_(\d+)")


def read(path: Path) -> tuple[Conversation, ...]:
    """Return the file's conversations in its order; SettingsError if it cannot be read as LoCoMo."""
    try:
        samples = json.loads(path.read_text(encoding="utf-8"))
        conversations = tuple(_conversation(sample["sample_id"], sample["conversation"]) for sample in samples)
    except OSError as error:
        raise SettingsError(f"--data: cannot read {path}: {error.strerror}") from None
    except (ValueError, KeyError, TypeError):
        raise SettingsError(f"--data: {path} is not in LoCoMo's format") from None
    if not conversations:
        raise SettingsError(f"--data: {path} holds no conversation")
    return conversations


def _conversation(sample: str, document: Mapping[str, Any]) -> Conversation:
    numbers = sorted(int(match[1]) for key in document if (match := _SESSION.fullmatch(key)))
    sessions = tuple(_session(sample, number, document) for number in numbers)
    return Conversation(sample, f"{document['speaker_a']} and {document['speaker_b']}", sessions)


def _session(sample: str, number: int, document: Mapping[str, Any]) -> Scene:
    name = f"{sample}-s{number}"
    moment: str = document[f"session_{number}_date_time"]
    turns = _turns(name, _date(moment), document["speaker_a"], document[f"session_{number}"])
    return Scene(name, moment, tuple(turns))


def _turns(session: str, date: str, user: str, utterances: Sequence[Mapping[str, str]]) -> Iterator[SceneTurn]:
    runs = [
        (by_user, tuple(_text(date, each) for each in run))
        for by_user, run in groupby(utterances, key=lambda each: each["speaker"] == user)
    ]
    if runs and not runs[0][0]:
        runs.insert(0, (True, ()))
    for index in range(0, len(runs), 2):
        answer = runs[index + 1][1] if index + 1 < len(runs) else ()
        yield SceneTurn(f"{session}-t{index // 2 + 1:03}", runs[index][1], answer)


def _text(date: str, utterance: Mapping[str, str]) -> str:
    caption = utterance.get("blip_caption")
    image = f" [shares an image: {caption}]" if caption else ""
    return f"[{date}] {utterance['speaker']}: {utterance['text']}{image}"


def _date(moment: str) -> str:
    """Return "8 May 2023" of "1:56 pm on 8 May, 2023"."""
    return moment.rpartition(" on ")[2].replace(",", "")
