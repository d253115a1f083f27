"""Fill the context window: decide what is placed before the current input, and what goes first if it does not fit."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from cairn.conversation import token_count as tokens
from cairn.conversation.items import call_id, identity, is_call, is_result
from cairn.facts.facts import Fact
from cairn.ground.session import ResponseItem
from cairn.log.entries import Chunk
from cairn.recall import block
from cairn.recall.block import Sign


@dataclass(frozen=True, kw_only=True)
class Window:
    """Everything that may stand in the model's input, each part in the order in which it is placed."""

    current: tuple[ResponseItem, ...]
    facts: tuple[Fact, ...] = ()
    chunks: tuple[Chunk, ...] = ()
    summary: ResponseItem | None = None
    history: tuple[ResponseItem, ...] = ()
    recent: tuple[ResponseItem, ...] = ()
    reserved: int = 0
    """Tokens that the caller's own instructions will take beside these items."""
    sign: Sign = field(repr=False)

    items: tuple[ResponseItem, ...] = field(init=False, compare=False)
    """Policy, memory block, summary, caller's history, recent and current items; current unchanged, last."""
    tokens: int = field(init=False, compare=False)
    """The estimate for all items, without what is reserved beside them."""

    def __post_init__(self) -> None:
        """Assemble and count, once: a cached_property would hold a lock of all windows, in Python 3.11, while signing.

        Signing may ask the store for a key.
        """
        items = self._placed()
        object.__setattr__(self, "items", items)
        object.__setattr__(self, "tokens", tokens.count_items(items))

    @property
    def size(self) -> int:
        """Return how many tokens the model will be given in all."""
        return self.tokens + self.reserved

    def _placed(self) -> tuple[ResponseItem, ...]:
        placed: list[ResponseItem] = []
        if self.facts or self.chunks:
            placed.append(block.memory(self.facts, self.chunks, self.sign))
        if self.summary is not None:
            placed.append(self.summary)
        if placed:
            placed.insert(0, block.policy())
        return (*placed, *self.history, *self.recent, *self.current)

    def fitted(self, limit: int) -> Window:
        """Return the window within the limit: chunks go first, then facts, summary, oldest recent, oldest history."""
        window = self
        for part in ("chunks", "facts"):
            window = _shortened(window, part, limit)
        if window.size > limit and window.summary is not None:
            window = replace(window, summary=None)
        for part in ("recent", "history"):
            window = _shortened(window, part, limit)
        trimmed = (window.recent, window.history) != (self.recent, self.history)
        return _without_halves(window) if trimmed else window


def recent_items(
    stored: Sequence[ResponseItem], sent: Sequence[ResponseItem], current: Sequence[ResponseItem], limit: int
) -> tuple[ResponseItem, ...]:
    """Return the newest `limit` stored items without those the caller sent, oldest first, no call half of a pair."""
    known = {identity(item) for item in (*sent, *current)}
    newest = list(stored[-limit:]) if limit else []
    return paired([item for item in newest if identity(item) not in known], (*sent, *current))


def paired(items: Sequence[ResponseItem], others: Sequence[ResponseItem]) -> tuple[ResponseItem, ...]:
    """Return the items without tool calls and results whose other half is missing, which a model's API refuses."""
    around = [*items, *others]
    calls = {call_id(item) for item in around if is_call(item)}
    results = {call_id(item) for item in around if is_result(item)}
    return tuple(item for item in items if _is_whole(item, calls, results))


def _without_halves(window: Window) -> Window:
    recent = paired(window.recent, (*window.history, *window.current))
    return replace(window, recent=recent, history=paired(window.history, (*recent, *window.current)))


def _is_whole(item: ResponseItem, calls: set[str | None], results: set[str | None]) -> bool:
    if is_call(item) and call_id(item) is not None:
        return call_id(item) in results
    return call_id(item) in calls if is_result(item) else True


def _shortened(window: Window, part: str, limit: int) -> Window:
    """Keep as much of a part as fits: the best of facts and chunks, the newest of recent and history."""
    kept: tuple[object, ...] = getattr(window, part)
    if window.size <= limit or not kept:
        return window
    low, high = 0, len(kept)
    while low < high:
        middle = (low + high + 1) // 2
        fits = _with(window, part, middle).size <= limit
        low, high = (middle, high) if fits else (low, middle - 1)
    return _with(window, part, low)


def _with(window: Window, part: str, count: int) -> Window:
    kept: tuple[object, ...] = getattr(window, part)
    if part in {"facts", "chunks"}:
        return replace(window, **{part: kept[:count]})  # pyright: ignore[reportArgumentType]  the part is one of four above
    return replace(window, **{part: kept[len(kept) - count :]})  # pyright: ignore[reportArgumentType]  as above
