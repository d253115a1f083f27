"""Turn an answer's ranking into what may be placed: lines of texts and facts, each with its chance and its tokens."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from functools import cached_property
from heapq import nlargest
from typing import TYPE_CHECKING

from cairn.context import chances as odds
from cairn.context.chances import Chances
from cairn.context.choosing import BREAK
from cairn.context.excerpts import Asked, excerpt
from cairn.context.lines import Known, Line
from cairn.context.outdated import Outdating
from cairn.context.rendering import fact_line, label, words_of
from cairn.context.repeats import said, unrepeated
from cairn.context.sayings import Sayings, form, is_filler
from cairn.conversation import token_count as tokens
from cairn.facts.facts import Fact, is_said
from cairn.facts.shortlist import MOST_INTRODUCING, Shortlist, rank
from cairn.log.entries import Chunk
from cairn.log.layout import user_of
from cairn.log.memories import Memory

if TYPE_CHECKING:
    from cairn.recall.answer import Answer, Hit
    from cairn.recall.collection import Found

DEEP = 80
"""How many texts are looked at, the likeliest first."""
EXCERPT, REPLY_EXCERPT = 100, 65
"""About how many tokens of a long text are placed, and of an assistant's, which says little in many words."""
_MOST_SUCCESSORS = 2
"""How many statements are placed since they outdate what would have been: mostly a passage tells them as well."""
_LEAST = 6
"""The tokens of the shortest line: what is not worth these is not read."""
_ASKED_AGAIN, _SLACK = 30, 20
"""How many texts are compared with the question, and by how many characters those may differ that ask the same."""


class Candidates:
    """What an answer found, as it may be placed at a price; of no use after the answer."""

    def __init__(  # noqa: PLR0913, PLR0917 - an answer, who asked, and what it may cost
        self,
        answer: Answer,
        question: str,
        owners: Sequence[str],
        user: str | None,
        price: float,
        outdating: Outdating,
    ) -> None:
        """Take the answer to a question that `user` asks, whose first collections are the texts of these owners.

        `outdating` tells which sentences no longer hold.
        """
        self._answer = answer
        self._question = question
        self._owners = owners
        self._user = user
        self._price = price
        # A share of nothing is no chance: only what keeps 98 of 100 questions that have an answer is placed at all.
        self._likelihood = answer.likelihood.value if answer.likelihood.is_possible else 0.0
        self._hits = list(answer.scored())
        self._outdating = outdating
        self._successors: dict[str, tuple[float, Fact, Hit]] = {}
        self._said: dict[str, Hashable] = {}

    def lines(
        self, deep: int = DEEP, is_elsewhere: Callable[[Chunk], bool] = lambda _: False
    ) -> Iterator[tuple[Hit, Line]]:
        """Yield the texts that are worth placing and not `elsewhere`, the best first, and where they were found."""
        hits = self._but_the_question_itself([hit for hit in self._hits if hit.kind == "texts"])
        chances = self._chances(hits)
        for hit in hits[:deep]:
            if chances.of(hit.score, is_stated=True) <= self._price * _LEAST:
                return
            found = self._answer.read(hit)
            if isinstance(found, Chunk) and not is_filler(found.text):
                chance = chances.of(hit.score, is_stated=self._outdating.states(found.event_id))
                kept = self._outdating.kept(found.event_id, found.text)
                self._succeed(kept.outdated_by, chance, hit)
                if kept.text and not (kept.outdated_by and is_filler(kept.text)) and not is_elsewhere(found):
                    whole = kept.text == found.text
                    yield hit, self._line(hit, found if whole else replace(found, text=kept.text), chance)

    def _succeed(self, facts: Iterable[Fact], chance: float, hit: Hit) -> None:
        """Note facts that are worth as much as what they outdate: a question finds the old sentence better."""
        for fact in facts:
            held = self._successors.get(fact.id)
            if held is None or held[0] < chance:
                self._successors[fact.id] = (chance, fact, hit)

    def facts(self, believed: Sequence[Fact], now: datetime, most: int) -> tuple[tuple[Known, ...], Mapping[str, Hit]]:
        """Return the facts and kept memories to place, the best first, and where they were found, by id.

        What outdates a line, which are to be asked for before, is worth as much as that. Where none matches, up to five
        durable facts are returned that say whom the agent talks with.
        """
        known = {fact.id: fact for fact in believed}
        worth: dict[str, float] = {}
        found_at: dict[str, Hit] = {}
        shortlist, met = Shortlist(now, most), set[Hashable]()
        # Among themselves: beside the text that it was drawn from a short statement always scores low.
        hits = [hit for hit in self._hits if hit.kind != "texts" and self._answer.is_related(hit)]
        hits = hits if self._likelihood else self._that_may_introduce(hits)
        chances = self._chances(hits)
        for hit in hits:
            chance = chances.of(hit.score)
            if shortlist.is_closed_to(chance):
                break
            fact = _as_fact(self._answer.read(hit))
            if (change := self._outdating.of(fact)) is not None and change.by is not None and change.is_sure:
                self._succeed([change.by], chance, hit)
            if fact.id not in worth:
                known[fact.id], worth[fact.id], found_at[fact.id] = fact, chance, hit
                if (what := self._what(fact)) not in met:
                    met.add(what)
                    shortlist.add(fact, chance)
        best = sorted(self._successors.values(), key=lambda each: -each[0])[:_MOST_SUCCESSORS]
        for chance, fact, hit in best:
            known[fact.id], worth[fact.id] = fact, max(chance, worth.get(fact.id, 0.0))
            found_at.setdefault(fact.id, hit)
        ranked = rank(known.values(), worth, now, max(most, len(worth)))
        return tuple(self._worth_placing(ranked, worth, most)), found_at

    def _that_may_introduce(self, hits: Sequence[Hit]) -> list[Hit]:
        """Return hits without the memories that cannot be placed where nothing is worth anything.

        The surest introduce then, of these the newest: who these are is known without unpacking any.
        """
        memories = reversed([hit for hit in hits if hit.kind == "memories"])
        sure = {(standing := self._answer.standing(hit))[-1]: (standing, hit.place) for hit in memories}
        first = {place for _, place in nlargest(MOST_INTRODUCING, sure.values())}
        return [hit for hit in hits if hit.kind != "memories" or hit.place in first]

    def statements(self, believed: Iterable[Fact], events: Iterable[str]) -> Mapping[str, Sequence[Known]]:
        """Return what was stated in these events and is believed, as it would be placed, by event."""
        found: dict[str, list[Known]] = {event: [] for event in events}
        of_these = unrepeated(
            (fact for fact in believed if is_said(fact) and fact.source.event_id in found), self._user
        )
        for known in self._marked(Known(fact, fact_line(fact, self._user)) for fact in of_these):
            found[known.fact.source.event_id].append(known)
        return found

    def _worth_placing(self, ranked: Sequence[Fact], worth: Mapping[str, float], most: int) -> Iterator[Known]:
        """Yield up to `most` facts, of those that say the same the newest, that are worth their tokens together.

        One that introduces the user is not asked for any worth.
        """
        together = defaultdict[Hashable, float](float)
        for fact in ranked:
            together[self._what(fact)] += worth.get(fact.id, 0.0)
        for known in self._marked(introduced(ranked, self._user)[:most]):
            chance = together[self._what(known.fact)]
            if known.fact.id not in worth or chance > self._price * (tokens.count(known.line) + BREAK):
                yield known

    def _what(self, fact: Fact) -> Hashable:
        """Return what a fact says; it is asked for again and again, and differs with the fact's id alone."""
        if fact.id not in self._said:
            self._said[fact.id] = said(fact, self._user)
        return self._said[fact.id]

    def _marked(self, placed: Iterable[Known]) -> Iterator[Known]:
        """Yield facts as lines, marked where something said later may outdate one."""
        for known in placed:
            is_doubtful = self._outdating.of(known.fact) is not None
            yield Known(known.fact, fact_line(known.fact, self._user, is_doubtful=True)) if is_doubtful else known

    def _chances(self, hits: Sequence[Hit]) -> Chances:
        return Chances([hit.score for hit in hits], odds.fit_of(self._answer.tier), self._likelihood)

    def _but_the_question_itself(self, hits: Sequence[Hit]) -> list[Hit]:
        """Leave out those of the first texts that only ask the same: they match best and answer nothing."""
        asked = form(self._question)
        kept: list[Hit] = []
        for number, hit in enumerate(hits):
            found = self._answer.read(hit) if number < _ASKED_AGAIN else None
            # A text of another length says something else: it need not be read word by word.
            is_near = isinstance(found, Chunk) and abs(len(found.text) - len(self._question)) <= _SLACK
            if not (isinstance(found, Chunk) and is_near and form(found.text) == asked):
                kept.append(hit)
        return kept

    def _line(self, hit: Hit, chunk: Chunk, chance: float) -> Line:
        most = REPLY_EXCERPT if chunk.role == "assistant" else EXCERPT
        said = words_of(excerpt(chunk.text, most, self._asked))
        speaker = label(chunk, user_of(self._owners[self._answer.collection_of(hit)]), self._user)
        row, before = self._answer.place(hit)
        return Line(
            chunk=chunk,
            speaker=speaker,
            said=said,
            row=row,
            before=before,
            cost=tokens.count(f"{speaker}: {said}") + BREAK * (1 + said.count("\n")),
            chance=chance,
            form=form(said),
        )

    @cached_property
    def _asked(self) -> Asked:
        return Asked(self._question, self._answer.idf)


def introduced(facts: Sequence[Fact], user: str | None) -> tuple[Known, ...]:
    """Return facts as lines, of those that say the same the newest."""
    return tuple(Known(fact, fact_line(fact, user)) for fact in unrepeated(facts, user))


def folded(lines: Sequence[Line], known: Sequence[tuple[str, ...]]) -> list[Line]:
    """Return the lines without those that say what is known already or what a likelier one says, in the same order."""
    kept: list[Line] = []
    told = Sayings(known)
    for line in lines:
        if not told.have(line.form):
            kept.append(line)
            told.add(line.form)
    return kept


def _as_fact(found: Found) -> Fact:
    if isinstance(found, Chunk):
        raise TypeError("a text is no fact")
    return found.as_fact() if isinstance(found, Memory) else found
