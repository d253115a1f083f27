"""Tell what of earlier turns later ones take back, where it is read only after both were said.

A request to forget, or "that is wrong", ends what was believed when it was made. What is read afterwards from a turn
before it was not believed yet, and would come back.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import NamedTuple

from cairn.facts.facts import SAID, Candidate, Recording, identity, names_value, normalise
from cairn.facts.told import read, requests, without
from cairn.ground.ids import SessionId
from cairn.log.view import MemoryView
from cairn.turns.telling import Held, Words, obey


class Read(NamedTuple):
    """A statement that was read in a turn of this number and time, and the text that it quotes."""

    seq: int
    at: datetime
    candidate: Candidate
    text: str


@dataclass(frozen=True, slots=True)
class _Turn:
    """What a user said in a turn, and last in the turn before it."""

    at: datetime
    words: Words
    previous: str


# What is held has no time of its own here: who asks has looked at that.
_RECORDING = Recording(turn_id="", now=datetime.min.replace(tzinfo=UTC), new_id=str, l1_days=1, l2_days=1)


def still_said(view: MemoryView, found: Sequence[Read]) -> list[Read]:
    """Return what was read without what its own turn or one after it takes back, in any session."""
    left = list(found)
    for turn in _since(view, min((each.at for each in found), default=None)):
        earlier = [each.candidate for each in left if each.at < turn.at]
        sentences = [_sentence(each) for each in left if each.at < turn.at]
        over = [*_retracted(turn, earlier), *_retracted(turn, sentences)]
        left = [each for each in left if not _ends(each, over, turn.at)]
    return left


def _retracted(turn: _Turn, held: Sequence[Candidate]) -> list[Candidate]:
    """Return what a turn ends of what is held, or would."""
    facts = [_RECORDING.fact(candidate, None) for candidate in held if not candidate.retracts]
    return [said for said in obey(turn.words, Held(facts, (), turn.previous)).found if said.retracts]


def _ends(each: Read, over: Iterable[Candidate], at: datetime) -> bool:
    """Tell whether retractions of this moment are of what was read: as it is believed, or by its sentence."""
    if each.candidate.retracts or at < each.at:
        return False
    return any(
        identity(said) == identity(one) and names_value(said, one.value)
        for said in over
        for one in (each.candidate, _sentence(each))
    )


def _sentence(each: Read) -> Candidate:
    """Return the sentence that states something as a statement of its own."""
    quote = normalise(each.candidate.quote)
    said = next((one.said for one in read(each.text) if quote in normalise(one.said)), each.candidate.quote)
    return replace(each.candidate, fact_id=f"{SAID}other", key=normalise(said), value=said, quote=said)


def _since(view: MemoryView, at: datetime | None) -> Iterator[_Turn]:
    """Yield the turns of every session of the log that were said at this moment or later; at None none."""
    if at is None:
        return
    for session in view.sessions():
        if view.span(session)[1].at >= at:
            yield from (turn for turn in _turns(view, session) if turn.at >= at)


def _turns(view: MemoryView, session: SessionId) -> Iterator[_Turn]:
    told: dict[int, list[tuple[str, str]]] = {}
    times: dict[int, datetime] = {}
    for chunk in view.chunks(session):
        if chunk.role == "user":
            told.setdefault(chunk.seq, []).append((chunk.event_id, chunk.text))
            times[chunk.seq] = chunk.at
    for seq, said in told.items():
        previous = told.get(seq - 1, [("", "")])[-1][1]
        yield _Turn(times[seq], _words(said), previous)


def _words(said: Sequence[tuple[str, str]]) -> Words:
    texts = [text for _, text in said]
    asked = requests(texts)
    kept = zip(said, without(texts, asked), strict=True)
    return Words(said, [(name, text) for (name, _), text in kept if text], asked)
