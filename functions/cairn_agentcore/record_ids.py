"""Ids of memory records, 40 to 50 characters: what is kept under one, or where in memory it was learnt.

A record that memory learnt is nowhere stored under an id of AWS's form. So the id says itself where it comes from:
whose it is, by ten digits of a hash, and the fact's or memory's own id, or the place of the words in an event.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from hashlib import sha256
from typing import Final, Literal

from cairn_agentcore.names import owner_digits

_SESSION_DIGITS, _KEPT_DIGITS = 12, 36
_KEPT: Final = re.compile(r"mem-[0-9a-f]{36}")
_LEARNT: Final = re.compile(r"mem-([0-9a-f]{10})-([0-9A-Z]{26}|[a-z]-[0-9a-f]{32})")
_SAID: Final = re.compile(r"mem-([0-9a-f]{10})-t([0-9a-f]{12})([0-9a-f]{8,13})-([0-9a-f]{2})([io])([0-9a-f]{2})")
_TURN: Final = re.compile(r"([0-9]+#[0-9a-f]{8,13})-([0-9]{1,2})-(in|out)-([0-9]{1,2})")
Side = Literal["i", "o"]


@dataclass(frozen=True, slots=True)
class Learnt:
    """A fact or memory of a user."""

    owner: str
    id: str


@dataclass(frozen=True, slots=True)
class SaidPlace:
    """Words in an event: of whom, in which session, at which position, in which turn, on which side, and which."""

    owner: str
    session: str
    position: int
    turn: int
    side: Side
    number: int


def kept_id(*told: str) -> str:
    """Return the id of a record that a client made, which follows from what the call told of it."""
    return f"mem-{_digits(chr(0).join(told), _KEPT_DIGITS)}"


def is_kept(record_id: str) -> bool:
    """Tell whether an id is one of a record that a client made."""
    return _KEPT.fullmatch(record_id) is not None


def session_digits(session_id: str) -> str:
    """Return how a session is named in a record's id."""
    return _digits(session_id, _SESSION_DIGITS)


def found_id(user: str, found: str, session_id: str) -> str:
    """Return the id of a record of what a recall found under this id, in this session where it was said.

    Words of a turn that no event of this door has get an id under which nothing is found again.
    """
    learnt = f"mem-{owner_digits(user)}-{found}"
    if _LEARNT.fullmatch(learnt):
        return learnt
    turn = _TURN.fullmatch(found)
    if turn is None:
        return f"mem-{_digits(found, _KEPT_DIGITS)}-x"
    event, number, side, place = turn.groups()
    position = event.partition("#")[2]
    where = f"{session_digits(session_id)}{position}-{int(number):02x}{side[0]}{int(place):02x}"
    return f"mem-{owner_digits(user)}-t{where}"


def source_of(record_id: str) -> Learnt | SaidPlace | None:
    """Return where a record comes from that memory learnt, None for any other id."""
    if learnt := _LEARNT.fullmatch(record_id):
        return Learnt(learnt[1], learnt[2])
    if said := _SAID.fullmatch(record_id):
        owner, session, position, turn, side, number = said.groups()
        return SaidPlace(owner, session, int(position, 16), int(turn, 16), "i" if side == "i" else "o", int(number, 16))
    return None


def _digits(text: str, count: int) -> str:
    return sha256(text.encode()).hexdigest()[:count]
