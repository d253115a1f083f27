"""before_turn: read, rank, assemble. One round of parallel reads; a write only where it compacts."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import cached_property, partial

from cairn.context.chances import price_of
from cairn.context.choosing import choose, told
from cairn.context.lines import Known, Line
from cairn.context.offering import DEEP, Candidates, folded, introduced
from cairn.context.outdated import Outdating
from cairn.context.repeats import said, unrepeated
from cairn.context.sayings import form
from cairn.context.standing import LOOKED_AT, besides, explained, standing
from cairn.conversation import token_count as tokens
from cairn.conversation.events import Event
from cairn.conversation.items import text_of
from cairn.conversation.roles import is_quoted
from cairn.facts.facts import Fact, is_said
from cairn.facts.kinds import stands
from cairn.facts.shortlist import rank
from cairn.ground.adapters import Pending
from cairn.ground.errors import CairnError, KeyUnusable, Unavailable
from cairn.ground.explanation import Explanation
from cairn.ground.ids import is_branch
from cairn.ground.session import Session
from cairn.ground.settings import MemorySettings
from cairn.language.past import asks_for_the_past
from cairn.log.entries import Chunk
from cairn.log.layout import PROJECT_OWNER, log_owner
from cairn.recall import block
from cairn.recall.filter import Filter, SearchMode
from cairn.recall.searching import Search, Visibility, readings
from cairn.sessions.recent_turns import Recent
from cairn.sessions.services import SessionServices
from cairn.sessions.summary import Summary, compact
from cairn.turns.model import Preparation, PreparedTurn, searched_for
from cairn.turns.window import Window, recent_items

_LONGEST_LINE = 1000
"""Up to how many characters what stands in the input is compared with lines: a longer text is cut in a line."""


@dataclass(frozen=True, slots=True)
class _Read:
    """Results of the reads: the newest turns, the summary of those before, and whose logs to recall from.

    `owners` are those of facts and texts, `memory_owners` those of memories.
    """

    recent: Recent
    owners: tuple[str, ...]
    memory_owners: tuple[str, ...]

    def is_held(self, at: datetime) -> bool:
        """Tell whether an agent that holds its session still has what was said in it at that moment."""
        since = self.recent.head.compacted_at if self.recent.head else None
        return since is None or at >= since


@dataclass(frozen=True, slots=True)
class _Found:
    """Results for the current items: facts to place, texts that may be, the best first, and the reasons by id.

    Facts that introduce the user, since none matches, are placed only where no text is. What stands is placed anyway.
    """

    facts: tuple[Known, ...]
    lines: tuple[Line, ...] = ()
    price: float = 0.0
    introduces: bool = False
    standing: tuple[Known, ...] = ()
    statements: Mapping[str, Sequence[Known]] = field(default_factory=dict[str, Sequence[Known]])
    """What was stated in each event, by its id, as it would be placed where its text is not."""
    why: Mapping[str, Explanation] = field(default_factory=dict[str, Explanation])
    by: SearchMode | None = None
    without_vector: int = 0
    likelihood: float | None = None


def prepare(services: SessionServices, session: Session, request: Preparation) -> PreparedTurn:
    """Return the model's input with what matters from memory, the ids of exactly the facts in it, its estimate."""
    turn = _Preparation(services, session, request)
    read = turn.read()
    shown = turn.shown(read, read.recent.summary)
    found = turn.search(read, shown)
    window = turn.window(read, read.recent.summary, found, shown)
    summary = None
    if window.size >= turn.threshold:
        summary = turn.compact(read, window)
    if summary is not None:
        shown = turn.shown(read, summary)
        found = turn.search(read, shown)  # again: what the summary stands for now may be placed
        window = turn.window(read, summary, found, shown)
    window = window.fitted(request.max_input_tok)
    placed = _placed(window)
    return PreparedTurn(
        items=window.items,
        system=window.written.system,
        text=window.written.text,
        recalled_fact_ids=tuple(each.fact.id for each in window.facts),
        placed=placed,
        token_count=window.tokens,
        compacted=summary is not None,
        why={name: found.why[name] for name in placed if name in found.why},
        recalled_by=found.by,
        without_vector=found.without_vector,
        likelihood=found.likelihood,
        passages=window.passages if request.explain else (),
        held_since=read.recent.head.compacted_at if read.recent.head else None,
    )


def _placed(window: Window) -> tuple[str, ...]:
    return (*(each.fact.id for each in window.facts), *(line.chunk.event_id for line in window.lines))


class _Preparation:
    """One call of before_turn."""

    def __init__(self, services: SessionServices, session: Session, request: Preparation) -> None:
        self.settings: MemorySettings = services.settings.memory_for(session.tenant)
        self.threshold = self.settings.compact_threshold * request.max_input_tok
        self._services = services
        self._session = session
        self._request = request
        owner = log_owner(request.user_id, session.session_id)
        scope = request.recall_scope or self.settings.recall_scope
        self._visibility = Visibility(session, owner, scope, self.settings.across_projects, request.at)

    def read(self) -> _Read:
        """Read session and memory log at once and, right behind the session, the further logs that it names.

        The project's memories are read once a minute, the session's own when its count of them has changed.
        """
        session = self._session
        place = session.tenant, session.project
        session_read = Pending(self._read_session)
        own = [partial(self._services.log.refresh, *place, owner) for owner in self._visibility.own]
        key = Pending(lambda: self._services.vault.prepare(session.tenant))
        minute = self._services.adapters.clock.now().strftime("%Y-%m-%dT%H:%M")
        shared = Pending(lambda: self._open_memories(PROJECT_OWNER, minute))
        # The last runs on this thread: one that waits for no log, so that kept threads never all wait for this one.
        self._services.adapters.parallel([key, session_read, *own, shared, key])
        recent, private, further = session_read.result
        memory_owners = dict.fromkeys([*self._visibility.own, *private, *shared.result])
        return _Read(recent, (*self._visibility.own, *further), tuple(memory_owners))

    def _read_session(self) -> tuple[Recent, list[str], list[str]]:
        """Read the newest turns, then at once the logs they tell of; return them, whose memories and whose texts."""
        recent = self._services.sessions.recent(self._session, self.settings.recent_context_items)
        private, further = Pending(lambda: self._private(recent)), Pending(lambda: self._further(recent))
        self._services.adapters.parallel([private, further])
        return recent, private.result, further.result

    def search(self, read: _Read, shown: Sequence[Event]) -> _Found:
        """Rank earlier texts, facts and what was remembered in one, against the current items.

        Texts are those that the summary stands for among them, and none that the agent has itself or is `shown` anyway.
        """
        limit, now = self.settings.recall_facts_limit, self._visibility.at or self._services.adapters.clock.now()
        believed = self._trusted(self._services.searcher.beliefs(self._visibility, read.owners))
        # What stands has tokens of its own: no more of it introduces the user, and nothing of another user.
        is_on = self.settings.standing_tokens > 0
        everything = [fact for held in believed.values() for fact in held if not (is_on and stands(fact))]
        held = self._held_facts(read)
        everything = [fact for fact in everything if fact.id not in held]
        asking, first = self._request.user_id, self._standing(read, believed, held)
        if not self._query:
            introduction = introduced(rank(everything, {}, now, limit), asking)
            return _Found(besides(first, introduction, asking, limit), standing=first, why=self._explained(first))
        search = self._question(read, readings(believed))
        price, deep = price_of(self.settings.context_tokens.mean), DEEP + self.settings.recent_context_items
        with self._services.searcher.answering(self._visibility, search) as answer:
            outdating = self._outdating(read, believed)
            candidates = Candidates(answer, self._query, read.owners, asking, price, outdating)
            found = list(candidates.lines(deep, self._elsewhere(read, shown)))
            facts, fact_hits = candidates.facts(everything, now, limit)
            hits = {**{line.chunk.event_id: hit for hit, line in found}, **fact_hits} if self._request.explain else {}
            statements = candidates.statements(everything, [line.chunk.event_id for _, line in found])
            return _Found(
                facts=besides(first, facts, asking, limit),
                lines=tuple(line for _, line in found),
                statements=statements,
                price=price,
                introduces=not fact_hits,
                standing=first,
                why={**{name: answer.why(hit) for name, hit in hits.items()}, **self._explained(first)},
                by=answer.found_by,
                without_vector=answer.without_vector,
                likelihood=answer.likelihood.value,
            )

    def _question(self, read: _Read, facts: Mapping[str, Sequence[Fact]]) -> Search:
        least = Filter(min_trust=self._request.min_trust)
        return Search(query=self._query, texts=read.owners, memories=read.memory_owners, facts=facts, filter=least)

    def _trusted(self, believed: Mapping[str, Sequence[Fact]]) -> dict[str, list[Fact]]:
        """Return by owner what is trusted as far as is asked."""
        least = self._request.min_trust
        return {owner: [fact for fact in facts if fact.trust >= least] for owner, facts in believed.items()}

    def _outdating(self, read: _Read, believed: Mapping[str, Sequence[Fact]]) -> Outdating:
        """Return which of the sentences that may be placed no longer hold."""
        known = (fact for held in believed.values() for fact in held)
        deleted = self._services.searcher.deleted(self._visibility, read.owners)
        return Outdating(known, deleted, past=asks_for_the_past(self._query))

    def _held_facts(self, read: _Read) -> Collection[str]:
        """Return the ids of facts that the agent has itself: it was told them, or they were said in its session."""
        if not self._request.holds_session:
            return self._request.told
        own = self._services.searcher.believed(replace(self._visibility, scope="session"), read.owners)
        said = (fact.id for fact in own if read.is_held(fact.recorded_at))
        return self._request.told.union(said)

    def _standing(
        self, read: _Read, believed: Mapping[str, Sequence[Fact]], held: Collection[str]
    ) -> tuple[Known, ...]:
        """Return what stands, of what is believed of the user and of the memories that they see, within its tokens."""
        budget, most = self.settings.standing_tokens, self.settings.recall_facts_limit
        if not (budget and most):
            return ()
        own = (fact for owner in self._visibility.own for fact in believed.get(owner, ()))
        own = [fact for fact in own if fact.pinned or stands(fact)]
        kept = self._services.searcher.standing(self._session, read.memory_owners, LOOKED_AT)
        rules = (memory.as_fact() for memory in kept if memory.trust >= self._request.min_trust)
        all_that_stands = standing([*own, *rules], self._request.user_id, budget, most)
        return tuple(known for known in all_that_stands if known.fact.id not in held)

    def _explained(self, first: Sequence[Known]) -> Mapping[str, Explanation]:
        return explained(first) if self._request.explain else {}

    def window(self, read: _Read, summary: Summary | None, found: _Found, shown: Sequence[Event]) -> Window:
        """Return everything that may be placed, with the turns that the summary does not stand for.

        A text that stands elsewhere in the input is not placed again, nor one that says the same.
        """
        request = self._request
        all_facts = (*found.standing, *found.facts)
        window = Window(
            current=request.current,
            facts=found.standing if found.introduces else all_facts,
            summary=summary.item(self._unranked(read, all_facts), self._sign)
            if summary and summary.trust >= request.min_trust
            else None,
            history=request.history,
            recent=recent_items(
                [event.item for event in shown], request.history, request.current, self.settings.recent_context_items
            ),
            reserved=self._reserved,
            sign=self._sign,
            format=request.format,
        )
        ceiling = self._ceiling
        room = ceiling - (window.memory_tokens or block.FRAME_TOKENS)
        new = self._new(found.lines, window)
        lines = choose(new, self.settings.search_limit, room, found.price)
        window = replace(window, lines=lines, facts=window.facts if lines else all_facts)
        placed = {line.chunk.event_id for line in lines} | {each.fact.source.event_id for each in window.facts}
        others = [line for line in new if line.chunk.event_id not in placed]
        most, room = self.settings.recall_facts_limit - len(window.facts), ceiling - window.memory_tokens
        statements = list(told(others, found.statements, most, room, found.price))
        whole = replace(window, facts=(*window.facts, *statements)) if statements else window
        return whole.within(ceiling)

    @staticmethod
    def _new(lines: Sequence[Line], window: Window) -> list[Line]:
        """Return the lines without near-duplicates, of each other and of what stands elsewhere in the input."""
        elsewhere = map(text_of, (*window.history, *window.recent, *window.current))
        return folded(lines, [form(text) for text in elsewhere if len(text) <= _LONGEST_LINE])

    def _elsewhere(self, read: _Read, shown: Sequence[Event]) -> Callable[[Chunk], bool]:
        """Return what tells whether the agent has a text itself, or is shown it."""
        known = self._request.told.union(event.id for event in shown)
        own = self._session.session_id if self._request.holds_session else None
        return lambda chunk: chunk.event_id in known or (chunk.session_id == own and read.is_held(chunk.at))

    def compact(self, read: _Read, window: Window) -> Summary | None:
        """Summarise and store as few of the oldest turns as brings the context under the threshold.

        None, and nothing written, where every turn in the context is summarised already, or where the logs that were
        read do not hold every turn: one was stored meanwhile, or a log could not be read.
        """
        session, summary = self._session, read.recent.summary
        erased = read.recent.head.erased if read.recent.head else 0
        if self._services.searcher.turns(session, read.owners) + erased < read.recent.seq:
            return None
        done = summary.through if summary else 0
        in_context = [seq for seq, _ in read.recent.turns]
        due = [seq for seq in (*(seq - 1 for seq in in_context[:1]), *in_context) if seq > done]
        texts = self._services.searcher.texts(session, read.owners) if due else []
        for through in due:
            summary = compact(summary, texts, through)
            shorter = self.window(read, summary, _Found(window.facts, window.lines), self.shown(read, summary))
            if through == due[-1] or shorter.size < self.threshold:
                return summary if self._is_stored(summary) else None
        return None

    def _is_stored(self, summary: Summary) -> bool:
        """Store the summary and tell whether that went well; where it did not, what is said most recently is placed.

        On a branch it is made anew each time: one that is kept would tell of what the project may erase.
        """
        if is_branch(self._session.project):
            return True
        try:
            now = self._services.adapters.clock.now()
            self._services.sessions.store_summary(self._session, summary, now, brief=True)
        except KeyUnusable:
            raise
        except Unavailable:
            return False
        return True

    @cached_property
    def _query(self) -> str:
        """Return what is asked."""
        return searched_for(self._request.current)

    @cached_property
    def _ceiling(self) -> int:
        ceiling, most = self.settings.context_tokens.ceiling, self._request.most_tokens
        return ceiling if most is None else min(ceiling, most)

    @cached_property
    def _reserved(self) -> int:
        return tokens.count(self._request.base_instructions or "")

    def shown(self, read: _Read, summary: Summary | None) -> list[Event]:
        """Return the newest stored events that the summary does not stand for.

        What had to be quoted is recalled within the memory block, as data under its policy, or not at all.
        """
        if self._request.holds_session:
            return []
        through = summary.through if summary else 0
        turns = [turn for seq, turn in read.recent.turns if seq > through]
        held = self._services.searcher.held(self._session, read.owners)
        events = [event for turn in turns for event in turn if not is_quoted(event.item) and event.id not in held]
        return events[max(0, len(events) - self.settings.recent_context_items) :]

    def _unranked(self, read: _Read, ranked: tuple[Known, ...]) -> list[Fact]:
        """Return the session's newest other facts, as many as recall_facts_limit leaves room for."""
        own = replace(self._visibility, scope="session")
        asking = self._request.user_id
        placed = {said(each.fact, asking) for each in ranked}
        believed = self._trusted(self._services.searcher.beliefs(own, read.owners))
        others = sorted(
            (fact for facts in believed.values() for fact in facts),
            key=lambda fact: (fact.recorded_at, fact.id),
            reverse=True,
        )
        # What was said as such stands in the summary's own sentences.
        others = [each for each in unrepeated(others, asking) if said(each, asking) not in placed and not is_said(each)]
        return others[: max(0, self.settings.recall_facts_limit - len(ranked))]

    def _further(self, recent: Recent) -> list[str]:
        """Open the other visible logs; a failure there degrades the recall, it does not fail the turn."""
        try:
            others = self._services.searcher.others(self._visibility, recent.head.owners if recent.head else ())
            if others:
                self._services.searcher.refresh(self._visibility, others)
        except CairnError:
            return []
        return others

    def _private(self, recent: Recent) -> list[str]:
        """Open the log of what the session remembers for itself, where it remembers anything."""
        owner = log_owner(None, self._session.session_id)
        return (
            self._open_memories(owner, recent.memories) if recent.memories and owner != self._visibility.owner else []
        )

    def _open_memories(self, owner: str, version: str) -> list[str]:
        """Open a log of memories as it is at this version; a failure there does not fail the turn."""
        try:
            self._services.log.refresh_to(self._session.tenant, self._session.project, owner, version)
        except CairnError:
            return []
        return [owner]

    def _sign(self, message: bytes) -> str:
        return self._services.vault.sign(self._session.tenant, block.PURPOSE, message)
