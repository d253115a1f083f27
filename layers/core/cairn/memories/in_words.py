"""Say in words what a recall holds, so that a model need not guess from scores whether anything fits."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cairn.memories.model import RecallRequest

if TYPE_CHECKING:
    from cairn.recall.likelihood import Likelihood

_DEFAULT = RecallRequest()


def of_a_question(request: RecallRequest, searched: int, related: int, likelihood: Likelihood) -> str:
    """Say how many texts of those searched are related to what was asked, and how many likely answer it."""
    if not searched:
        return _empty(request)
    if not related:
        return f"nothing related to this among {_texts(searched)}"
    if not likelihood.is_likely:
        return f"{_texts(related, 'related ')}, none likely to answer this"
    likely = f"{_texts(likelihood.texts)} likely to answer this, of {related} related"
    return f"{likely}; what fits best was said by somebody else than this names" if likelihood.by_another else likely


def of_the_newest(request: RecallRequest, stored: int) -> str:
    """Say how much there is where nothing was asked."""
    return f"{_texts(stored)}, the newest first" if stored else _empty(request)


def _empty(request: RecallRequest) -> str:
    return "nothing stored passes these filters" if _is_filtered(request) else "nothing is stored yet"


def _is_filtered(request: RecallRequest) -> bool:
    return request.type is not None or request.as_of is not None or request.min_confidence > _DEFAULT.min_confidence


def _texts(count: int, which: str = "") -> str:
    return f"{count} {which}text{'' if count == 1 else 's'}"
