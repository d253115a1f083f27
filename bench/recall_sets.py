"""Conversations with questions and the texts that answer them: Cairn's own, and LoCoMo's (Maharana et al. 2024)."""

from __future__ import annotations

import argparse
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, cast

FITTED_ON = Path(__file__).parent / "data/recall/fit"
"""On which the ranker, chances and likelihoods are fitted."""
HELD_OUT = Path(__file__).parent / "data/recall/asked"
_SESSION = re.compile(r"session_(\d+)")
_EVIDENCE = re.compile(r"D:?(\d+):(\d+)")
_LOCOMO_KINDS = {1: "multi-hop", 2: "temporal", 3: "open-domain", 4: "single-hop", 5: "adversarial"}


@dataclass(frozen=True, slots=True)
class Text:
    """Something said in a session; `id` is "session.place", both from 1."""

    id: str
    session: str
    at: datetime
    speaker: str
    said: str


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked, the ids of all texts that are needed to answer it, and when it is asked where that matters."""

    text: str
    kind: str
    evidence: frozenset[str]
    asked: datetime | None = None


@dataclass(frozen=True, slots=True)
class Conversation:
    """What was said, in order, and what is asked of it afterwards."""

    name: str
    language: str
    texts: tuple[Text, ...]
    questions: tuple[Question, ...]


def data_option(parser: argparse.ArgumentParser, own: Sequence[Path]) -> None:
    """Add the option that names data sets; without it they are our `own`."""
    says = "files or directories of conversations, each a data set; else Cairn's own"
    parser.add_argument("--data", type=Path, nargs="+", default=own, help=says)


def read(path: Path) -> tuple[Conversation, ...]:
    """Return the conversations of a file or of a directory's JSON files; a question without evidence is left out."""
    files = sorted(path.glob("*.json")) if path.is_dir() else [path]
    return tuple(conversation for file in files for conversation in _conversations(json.loads(file.read_text("utf-8"))))


def _conversations(document: Any) -> Iterator[Conversation]:
    if isinstance(document, list):
        yield from map(_locomo, cast("list[Mapping[str, Any]]", document))
    else:
        yield _own(document)


def _own(document: Mapping[str, Any]) -> Conversation:
    texts = [
        Text(f"{number}.{place}", str(number), datetime.fromisoformat(session["at"]), speaker, said)
        for number, session in enumerate(document["sessions"], 1)
        for place, (speaker, said) in enumerate(session["turns"], 1)
    ]
    asked = [_question(each) for each in document["questions"]]
    return _checked(Conversation(document["name"], document["language"], tuple(texts), tuple(asked)))


def _question(record: Mapping[str, Any]) -> Question:
    when = record.get("asked")
    asked = None if when is None else datetime.fromisoformat(when)
    return Question(record["text"], record["kind"], frozenset(record["evidence"]), asked)


def _locomo(sample: Mapping[str, Any]) -> Conversation:
    told: Mapping[str, Any] = sample["conversation"]
    numbers = sorted(int(match[1]) for name in told if (match := _SESSION.fullmatch(name)))
    texts = [text for number in numbers for text in _session(number, told)]
    known = {text.id for text in texts}
    asked = [
        Question(each["question"], _LOCOMO_KINDS[each["category"]], _resolved(each.get("evidence") or (), known))
        for each in sample["qa"]
    ]
    answerable = tuple(question for question in asked if question.evidence)
    return Conversation(sample["sample_id"], "en", tuple(texts), answerable)


def _session(number: int, told: Mapping[str, Any]) -> Iterator[Text]:
    when = told[f"session_{number}_date_time"].strip().replace("  ", " ")
    at = datetime.strptime(when, "%I:%M %p on %d %B, %Y").replace(tzinfo=UTC)
    for said in told[f"session_{number}"]:
        ((session, place),) = _EVIDENCE.findall(said["dia_id"])
        caption = said.get("blip_caption")
        shown = f" [shares a photo: {caption}]" if caption else ""
        yield Text(f"{session}.{place}", str(number), at, said["speaker"], said["text"] + shown)


def _resolved(evidence: Sequence[str], known: set[str]) -> frozenset[str]:
    """Return the ids that exist; some of LoCoMo's name two texts in one, and some none."""
    named = {f"{int(session)}.{int(place)}" for each in evidence for session, place in _EVIDENCE.findall(each)}
    return frozenset(named & known)


def _checked(conversation: Conversation) -> Conversation:
    known = {text.id for text in conversation.texts}
    for question in conversation.questions:
        if not question.evidence or not question.evidence <= known:
            raise ValueError(f"{conversation.name}: {question.text!r} names texts that are not there")
    return conversation
