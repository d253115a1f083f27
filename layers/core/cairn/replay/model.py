"""What replaying a receipt finds, as plain values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal, TypeAlias

from cairn.ground.session import Subject

What: TypeAlias = Literal["forgotten", "deleted", "superseded", "expired", "taken_back", "erased", "merged", "dropped"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Since:
    """What happened since to something that was answered, or to what may have been: when, and by what it ended.

    Of a turn that was taken back, of an erasure and of a branch that ended it says whose, with names as on record.
    """

    what: What
    at: datetime
    id: str | None = None
    by: str | None = None
    about: Subject = field(default_factory=Subject)


@dataclass(frozen=True, slots=True, kw_only=True)
class Replayed:
    """A call, what it asked and what it is answered as of its moment.

    Both are None where the question is gone, the answer alone where the branch is that it was asked on. A question that
    `is_cut` was too long to be kept whole.

    `is_proven` tells whether it read as far as the call did, which only the whole receipt shows; what is read else is
    all up to the call's time. `is_identical` compares the answers, None where nothing says what was answered, or the
    question that is left is not the whole one. `explained` is the answer with its reasons. `positions` say how far each
    log and the session were read, `changed` what of all that answers is another by now, as it was then and is now.
    """

    call: str
    tool: str
    at: datetime
    about: Subject
    asked: Mapping[str, Any] | None = None
    is_cut: bool = False
    answer: Mapping[str, Any] | None = None
    explained: Mapping[str, Any] | None = None
    is_proven: bool = False
    is_identical: bool | None = None
    positions: Mapping[str, str] = field(default_factory=dict[str, str])
    versions: Mapping[str, str] = field(default_factory=dict[str, str])
    settings: Mapping[str, Any] = field(default_factory=dict[str, Any])
    changed: Mapping[str, tuple[Any, Any]] = field(default_factory=dict[str, tuple[Any, Any]])
    since: Sequence[Since] = ()
