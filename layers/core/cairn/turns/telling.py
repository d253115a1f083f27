"""Do what a user tells memory in a turn: keep, forget, not keep, and take for wrong; see facts.told for the words.

The session's own events keep the turn as it was said. What is not to be kept is left out of the memory log, by which
recall, summaries and other sessions know the turn, and so is a request that had something forgotten, for it names it;
with all that was answered: an answer may repeat it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from cairn.conversation.events import Event, EventType
from cairn.conversation.items import name_of, role_of, text_of
from cairn.facts.extraction import extract
from cairn.facts.facts import Candidate, Fact, identity, is_said, normalise, stated, subject
from cairn.facts.naming import facts_named, holds, kind_named, stated_by, texts_named
from cairn.facts.told import Asked, Request, Sentence, read, requests, without
from cairn.facts.values import clip
from cairn.ground.ids import TurnId
from cairn.ground.tiers import Tier
from cairn.language.index_terms import ROLES
from cairn.log.entries import TurnEntry
from cairn.log.memories import Memory
from cairn.turns.model import Did, Told

MOST_TOLD = 16
"""How many of the things that were done an answer tells."""
_LONGEST = 80
_NOTE_CONFIDENCE = 0.9


@dataclass(frozen=True, slots=True)
class Words:
    """What a user said in a turn as (event id, text), what of it is kept, and what it asks of memory.

    `names` are those that stand on items, by event: of who said them.
    """

    said: Sequence[tuple[str, str]]
    kept: Sequence[tuple[str, str]]
    requests: tuple[Request, ...] = ()
    names: Mapping[str, str] = field(default_factory=dict[str, str])

    @classmethod
    def of(cls, events: Sequence[Event]) -> Words:
        """Return the user's words of a turn with these events."""
        given = [event for event in events if event.type is EventType.INPUT_ITEM and role_of(event.item) == "user"]
        said = [(event.id, text) for event in given if (text := text_of(event.item))]
        texts = [text for _, text in said]
        asked = requests(texts)
        kept = zip(said, without(texts, asked), strict=True)
        names = {event.id: name for event in given for name in name_of(event.item)}
        return cls(said, [(name, text) for (name, _), text in kept if text], asked, names)

    def of_user(self, user: str | None, known: Iterable[Fact | Candidate]) -> Words:
        """Return the words without what somebody else said: under a name that is not known as the user's."""
        if not self.names:
            return self
        own = {normalise(fact.value) for fact in known if fact.fact_id in {"user_name", "user_nickname"}}
        own |= {*ROLES, normalise(user or "")}
        kept = [(event, text) for event, text in self.kept if normalise(self.names.get(event, "user")) in own]
        return replace(self, kept=kept)

    @property
    def may_hide(self) -> tuple[Request, ...]:
        """Return the requests that hide something, and those to forget, of which it is not known what they ended."""
        return tuple(map(_hiding, (each for each in self.requests if each.asked in {Asked.NOT_KEEP, Asked.FORGET})))

    @property
    def forgets(self) -> bool:
        """Tell whether something is to be forgotten."""
        return any(request.asked is Asked.FORGET for request in self.requests)

    def entry(self, turn_id: TurnId, seq: int, events: Sequence[Event], hiding: Sequence[Request]) -> TurnEntry:
        """Return what the log tells of the turn: where requests hide something, the user's other words alone."""
        if not hiding:
            return TurnEntry.of(turn_id, seq, events)
        kept = without([text for _, text in self.said], hiding)
        return TurnEntry.of(turn_id, seq, events, dict(zip((name for name, _ in self.said), kept, strict=True)))


@dataclass(frozen=True, slots=True)
class Held:
    """What is believed before the turn, and kept, with the owners of their logs; what the user had said last."""

    facts: Sequence[Fact] = ()
    memories: Sequence[tuple[str, Memory]] = ()
    previous: str = ""


@dataclass(frozen=True, slots=True)
class Obeyed:
    """What follows from the requests: statements to merge, memories that end, and what to tell of it.

    The sentences that the requests in `hiding` speak of are not for memory.
    """

    found: tuple[Candidate, ...] = ()
    ended: tuple[tuple[str, Memory], ...] = ()
    told: tuple[Told, ...] = ()
    hiding: tuple[Request, ...] = ()


def obey(words: Words, held: Held) -> Obeyed:
    """Return what a turn's words state and ask, in the order said."""
    found = extract(words.kept, held.previous)
    if not words.requests:
        return Obeyed(found)
    obeying = _Obeying(words, held, list(found))
    for request in words.requests:
        obeying.heed(request)
    told = tuple(dict.fromkeys(obeying.told))[:MOST_TOLD]
    return Obeyed(tuple(obeying.found), tuple(obeying.ended.values()), told, tuple(obeying.hiding))


class _Obeying:
    """Goes through the requests of a turn."""

    def __init__(self, words: Words, held: Held, found: Sequence[Candidate]) -> None:
        self.found = list(found)
        self.ended: dict[str, tuple[str, Memory]] = {}
        self.told: list[Told] = []
        self.hiding: list[Request] = []
        self._words = words
        self._held = held
        self._before = [stated(fact) for fact in held.facts]
        self._numbers = {name: number for number, (name, _) in enumerate(words.said)}
        self._places = {
            (number, clip(each.said)): each.start
            for number, (_, text) in enumerate(words.said)
            for each in read(text, number)
        }

    def heed(self, request: Request) -> None:
        """Do what one request asks."""
        match request.asked:
            case Asked.NOT_KEEP:
                self.hiding.append(_hiding(request))
                count = len(request.spoken_of)
                self._tell("not_kept", "1 sentence of this turn" if count == 1 else f"{count} sentences of this turn")
            case Asked.KEEP:
                self._keep(request)
            case Asked.FORGET:
                self._forget(request)
            case Asked.WRONG:
                self._take_back(request)

    def _keep(self, request: Request) -> None:
        hidden = {sentence for each in self._words.requests for sentence in each.spoken_of}
        if request.sentence in hidden or (not request.rest and request.before in hidden):
            return
        what = request.rest or (request.before.said if request.before else "")
        if not what:
            self._tell("nothing_found", request.sentence.said)
            return
        quotes = {clip(request.sentence.said), clip(what)}
        if not any(said.quote in quotes and not said.retracts for said in self.found):
            self.found.append(self._note(request, clip(what.rstrip(".! "))))
        self._tell("kept", what)

    def _note(self, request: Request, value: str) -> Candidate:
        return Candidate(
            fact_id="user_note",
            key=normalise(value),
            value=value,
            confidence=_NOTE_CONFIDENCE,
            tier=Tier.L0,
            event_id=self._words.said[request.sentence.text][0],
            quote=clip(request.sentence.said if request.rest else value),
        )

    def _forget(self, request: Request) -> None:
        believed = self._believed(request)
        named = kind_named(request.rest, believed) if request.only_of_kind else facts_named(request.rest, believed)
        if named is None:
            return
        self._end(named)
        kept = texts_named(request.rest, self._held.memories, lambda each: each[1].content)
        for owner, memory in kept:
            self.ended[memory.id] = (owner, memory)
            self._tell("forgotten", memory.content)
        if named or kept:
            self.hiding.append(_hiding(request))
        else:
            self._tell("nothing_found", request.rest)

    def _take_back(self, request: Request) -> None:
        """End what the sentence before taught, be it of the turn before; else what the words themselves deny."""
        before = request.before
        said = self._taught_by(before) if before else self._last_of_previous(request)
        said = said or (stated_by(request.rest) if request.rest else [])
        believed, wrong = self._believed(request), normalise(self._wrong(request))
        named = [fact for fact in believed if any(holds(fact, each) for each in said)]
        named += [fact for fact in believed if is_said(fact) and wrong and wrong in normalise(fact.value)]
        self._end(named)
        # What was said in this turn was not believed yet, where no rule read anything out of it.
        if not named and request.before is None:
            self._tell("nothing_found", request.sentence.said)

    def _wrong(self, request: Request) -> str:
        """Return the sentence that is wrong, "" where the request names it or begins the conversation."""
        if request.before is not None:
            return request.before.said
        return "" if request.rest else self._last_sentence_before(request)

    def _taught_by(self, sentence: Sentence) -> list[Candidate]:
        quote, name = clip(sentence.said), self._words.said[sentence.text][0]
        return [said for said in self.found if (said.event_id, said.quote, said.retracts) == (name, quote, False)]

    def _last_of_previous(self, request: Request) -> list[Candidate]:
        """Return what the last sentence of the turn before stated, where this turn begins with the request."""
        quote = clip(self._last_sentence_before(request))
        return [said for said in extract([("", self._held.previous)]) if said.quote == quote and not said.retracts]

    def _last_sentence_before(self, request: Request) -> str:
        """Return the last sentence of the turn before, "" where this turn does not begin with the request."""
        sentences = [*read(self._held.previous)] if not request.sentence.text else []
        return sentences[-1].said if sentences else ""

    def _believed(self, request: Request) -> list[Candidate]:
        """Return what is believed where a request is made: before the turn, and by what was said before it there."""
        now = [said for said in self.found if not said.retracts and self._place(said) < _place(request)]
        return [*self._before, *now]

    def _place(self, said: Candidate) -> tuple[int, int]:
        number = self._numbers[said.event_id]
        return number, self._places.get((number, said.quote), 0)

    def _end(self, named: Sequence[Candidate]) -> None:
        about = {(*identity(fact), normalise(fact.value)): fact for fact in named}
        self.found = [
            said for said in self.found if said.retracts or (*identity(said), normalise(said.value)) not in about
        ]
        for fact in about.values():
            self.found.append(replace(fact, retracts=True))
            self._tell("forgotten", f"{subject(fact)}: {fact.value}")

    def _tell(self, did: Did, what: str) -> None:
        self.told.append(Told(did, what if len(what) <= _LONGEST else f"{what[: _LONGEST - 1].rstrip()}…"))


def _place(request: Request) -> tuple[int, int]:
    return request.sentence.text, request.sentence.start


def _hiding(request: Request) -> Request:
    """Return a request that hides at least its own sentence."""
    return request if request.spoken_of else replace(request, spoken_of=(request.sentence,))
