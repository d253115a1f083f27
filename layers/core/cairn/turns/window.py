"""Fill the context window: decide what is placed before the current input, and what goes first if it does not fit."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from cairn.context.choosing import choose, size
from cairn.context.lines import Known, Line, Passage, passages
from cairn.context.rendering import plain_text, rendered
from cairn.conversation import token_count as tokens
from cairn.conversation.items import answered_ids, asked_ids, identity, message, needs_id
from cairn.ground.session import ResponseItem
from cairn.messages import writing
from cairn.messages.formats import Format
from cairn.messages.writing import Input, Written
from cairn.recall import block
from cairn.recall.block import Sign

Part = Literal["facts", "recent", "history"]


@dataclass(frozen=True, kw_only=True)
class Window:
    """Everything that may stand in the model's input, each part in the order in which it is placed."""

    current: tuple[ResponseItem, ...]
    facts: tuple[Known, ...] = ()
    lines: tuple[Line, ...] = ()
    summary: ResponseItem | None = None
    history: tuple[ResponseItem, ...] = ()
    recent: tuple[ResponseItem, ...] = ()
    reserved: int = 0
    """Tokens that the caller's own instructions will take beside these items."""
    sign: Sign = field(repr=False)
    format: Format = "responses"

    passages: tuple[Passage, ...] = field(init=False, compare=False)
    """The lines as they are placed."""
    memory: tuple[ResponseItem, ...] = field(init=False, compare=False, repr=False)
    """Policy and memory block, nothing where there is no block."""
    memory_tokens: int = field(init=False, compare=False)
    """The estimate for these."""
    _written: list[Written] = field(init=False, compare=False, repr=False, default_factory=list[Written])

    def __post_init__(self) -> None:
        """Assemble and count what is remembered."""
        object.__setattr__(self, "passages", passages(self.lines))
        object.__setattr__(self, "memory", self._memory())
        object.__setattr__(self, "memory_tokens", tokens.count_items(self.memory))

    @property
    def written(self) -> Written:
        """Return policy, memory block, summary, history, recent and current items, in the format; current last.

        Made once, when it is first asked for: nobody asks a window that only leads to the next. A cached_property would
        hold a lock of all windows, in Python 3.11, while signing, which may ask the store for a key.
        """
        if not self._written:
            self._written.append(writing.write(self._placed(self.memory), self.format, self.sign))
        return self._written[0]

    @property
    def items(self) -> tuple[ResponseItem, ...]:
        """Return the model's input."""
        return self.written.items

    @property
    def tokens(self) -> int:
        """Return the estimate for all that is written, without what is reserved beside it."""
        return self.written.tokens

    @property
    def size(self) -> int:
        """Return how many tokens the model will be given in all."""
        return self.tokens + self.reserved

    @property
    def remembered(self) -> str:
        """Return what the memory block holds as one text, empty where there is none."""
        return plain_text(*self._remembered)

    @property
    def _remembered(self) -> tuple[list[str], list[str]]:
        return [each.line for each in self.facts], [rendered(each) for each in self.passages]

    def _memory(self) -> tuple[ResponseItem, ...]:
        if not (self.facts or self.passages):
            return ()
        return block.policy(), block.memory(*self._remembered, self.sign)

    def _placed(self, memory: Sequence[ResponseItem]) -> Input:
        is_text = self.format == "text"
        if memory and is_text:  # which is sealed as a whole
            memory = (block.text_policy(), message("user", self.remembered))
        elif self.summary is not None or (is_text and self.recent):
            memory = memory or (block.text_policy() if is_text else block.policy(),)
        summary = () if self.summary is None else (self.summary,)
        return Input((*memory, *summary), self.history, self.recent, self.current)

    def within(self, ceiling: int) -> Window:
        """Return the window with no more memory than this: texts worth least a token go first, then the last facts.

        What stands comes before the facts that match, and so goes after them.
        """
        return _remembering_less(self, lambda window: window.memory_tokens - ceiling)

    def fitted(self, limit: int) -> Window:
        """Return the window within the limit: texts go first, then facts, summary, oldest recent, oldest history."""

        def excess(window: Window) -> int:
            return window.size - limit

        window = _remembering_less(self, excess)
        if window.size > limit and window.summary is not None:
            window = replace(window, summary=None)
        window = _shortened(_shortened(window, "recent", excess), "history", excess)
        trimmed = (window.recent, window.history) != (self.recent, self.history)
        return _without_halves(window) if trimmed else window


def recent_items(
    stored: Sequence[ResponseItem], sent: Sequence[ResponseItem], current: Sequence[ResponseItem], limit: int
) -> tuple[ResponseItem, ...]:
    """Return the newest `limit` stored items without those the caller sent, oldest first, no call half of a pair."""
    known = {identity(item) for item in (*sent, *current)}
    newest = list(stored[-limit:]) if limit else []
    return paired([item for item in newest if identity(item) not in known], sent, current)


def paired(
    items: Sequence[ResponseItem], before: Sequence[ResponseItem], after: Sequence[ResponseItem]
) -> tuple[ResponseItem, ...]:
    """Return the items without the tool calls and results that a model's API refuses, where they are placed.

    A call needs its one result behind it, and a result its call before it. An id that `before` or `after` calls or
    answers is theirs; among the items the newest call of an id counts, and the first result behind it.
    """
    asked = frozenset[str]().union(*(asked_ids(item) for item in (*before, *after)))
    answered = frozenset[str]().union(*(answered_ids(item) for item in (*before, *after)))
    kept = [item for item in items if not (asked_ids(item) & asked or answered_ids(item) & answered)]
    while True:
        matched = _matched([*before, *kept, *after])
        whole = [item for at, item in enumerate(kept, len(before)) if matched[at]]
        if len(whole) == len(kept):
            return tuple(kept)
        kept = whole


def _matched(items: Sequence[ResponseItem]) -> list[bool]:
    """Tell of each item whether all of its calls and results are matched one to one."""
    halves = [(asked_ids(item), answered_ids(item)) for item in items]
    results: dict[str, int] = {}
    matches = [0] * len(items)
    done: set[str] = set()
    for at in range(len(items) - 1, -1, -1):
        asked, answered = halves[at]
        results.update(dict.fromkeys(answered - done, at))
        for call in asked - done:
            if call in results:
                matches[at] += 1
                matches[results.pop(call)] += 1
                done.add(call)
    return [
        count == len(asked) + len(answered) and (bool(asked or answered) or not needs_id(item))
        for count, (asked, answered), item in zip(matches, halves, items, strict=True)
    ]


def _without_halves(window: Window) -> Window:
    recent = paired(window.recent, window.history, window.current)
    return replace(window, recent=recent, history=paired(window.history, (), (*recent, *window.current)))


Excess = Callable[[Window], int]
"""How many tokens a window is over its limit."""


def _remembering_less(window: Window, excess: Excess) -> Window:
    """Leave out what brings least a token until nothing is in excess: texts by a higher price, then the last facts."""
    while window.lines and (over := excess(window)) > 0:
        # Estimates of lines add up to a little less or more than the block has: it is counted after each step.
        kept = choose(window.lines, len(window.passages), size(window.lines) - over, 0.0)
        window = replace(window, lines=kept)
    return _shortened(window, "facts", excess)


def _shortened(window: Window, part: Part, excess: Excess) -> Window:
    """Keep as much of a part as fits: the best of facts, the newest of recent and history."""
    kept: tuple[object, ...] = getattr(window, part)
    if not kept or excess(window) <= 0:
        return window
    low, high = 0, len(kept)
    while low < high:
        middle = (low + high + 1) // 2
        fits = excess(_with(window, part, middle)) <= 0
        low, high = (middle, high) if fits else (low, middle - 1)
    return _with(window, part, low)


def _with(window: Window, part: Part, count: int) -> Window:
    kept: tuple[object, ...] = getattr(window, part)
    some = kept[:count] if part == "facts" else kept[len(kept) - count :]
    return replace(window, **{part: some})  # pyright: ignore[reportArgumentType]  the part is one of three above
