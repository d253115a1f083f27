"""Facts: what is known about a user, when it was believed, and how new statements change it."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from enum import StrEnum
from hashlib import sha256
from typing import Any, Final, NamedTuple, TypeAlias

from cairn.ground.errors import CorruptData
from cairn.ground.tiers import Tier, expires_at
from cairn.ground.trust import Trust

Identity: TypeAlias = tuple[str, str]
SAID: Final = "said_"
"""With what the kinds of facts begin whose value is what was said."""
MAX_OUTDATED: Final = 8
"""Of how many sentences a fact tells that it outdates them, the newest."""


class State(StrEnum):
    """The states of a fact: believed, or why it no longer is."""

    ACTIVE = "active"
    SUPERSEDED = "superseded"
    EXPIRED = "expired"
    DELETED = "deleted"


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """The turn, event and sentence in which a fact was stated, and by whom."""

    turn_id: str
    event_id: str
    quote: str
    user_id: str | None = None


class Outdated(NamedTuple):
    """A sentence that a later one outdates: the event it is of, its digest, so that no copy of it is kept, how likely.

    Where that is not sure, both hold.
    """

    event_id: str
    digest: str
    likelihood: float = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """A statement found in a text: a fact to hold, or with `retracts` one to drop.

    A retraction with a value lets go only of a fact that holds this value; with an empty one, of any. `outdates` are
    sentences that hold no longer, or perhaps no longer, beside that of the fact whose place it takes.
    """

    fact_id: str
    key: str
    value: str
    confidence: float
    tier: Tier
    event_id: str
    quote: str
    retracts: bool = False
    outdates: tuple[Outdated, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Fact:
    """One belief and its history; `id` names the record, (fact_id, key) what it is about.

    `outdates` are the newest of the sentences that hold no longer, or perhaps no longer, since this one was said. One
    that is `pinned` stands in every context of its user, and does not expire. One that is `apart` is merged with none
    that says the same in other words, since that was taken back. It is a user's word unless `trust` says whose else.
    `why` is why it holds again, where whoever took its end back said that.
    """

    id: str
    fact_id: str
    key: str
    value: str
    confidence: float
    tier: Tier
    source: Source
    valid_from: datetime
    recorded_at: datetime
    last_seen: datetime
    state: State = State.ACTIVE
    valid_to: datetime | None = None
    expires_at: datetime | None = None
    supersedes: str | None = None
    superseded_by: str | None = None
    outdates: tuple[Outdated, ...] = ()
    pinned: bool = False
    apart: bool = False
    trust: Trust = Trust.USER
    why: str | None = None
    about: Identity = field(init=False, repr=False, compare=False)
    """What it is about: no two live facts of one user share it."""

    def __post_init__(self) -> None:
        """Make once what is asked for by every call that reads what is believed."""
        object.__setattr__(self, "about", (normalise(self.fact_id), normalise(self.key)))

    def is_live(self, now: datetime) -> bool:
        """Return whether the fact is active and not past its expiry, swept or not."""
        return self.state is State.ACTIVE and (self.expires_at is None or now < self.expires_at)


def subject(fact: Fact | Candidate) -> str:
    """Return in words what the fact is about: its kind, and its key where that says more than kind and value do."""
    if is_said(fact):
        return fact.fact_id.removeprefix(SAID)
    kind, key = fact.fact_id.removeprefix("user_").replace("_", " "), normalise(fact.key)
    return kind if key in {normalise(fact.value), normalise(kind)} else f"{kind} ({fact.key})"


def is_said(fact: Fact | Candidate) -> bool:
    """Tell whether the value is what was said, a sentence or two, and the key but a name for it."""
    return fact.fact_id.startswith(SAID)


@dataclass(frozen=True, slots=True, kw_only=True)
class Changes:
    """The result of a merge: new records, old records as they end, and ids of records that were merely repeated."""

    added: tuple[Fact, ...] = ()
    superseded: tuple[Fact, ...] = ()
    deleted: tuple[Fact, ...] = ()
    seen: tuple[str, ...] = ()


def stated(fact: Fact) -> Candidate:
    """Return a belief as the statement that taught it."""
    return Candidate(
        fact_id=fact.fact_id,
        key=fact.key,
        value=fact.value,
        confidence=fact.confidence,
        tier=fact.tier,
        event_id=fact.source.event_id,
        quote=fact.source.quote,
    )


def retraction(fact: Fact) -> Candidate:
    """Return the statement that ends a fact."""
    return replace(stated(fact), retracts=True)


def digest(sentence: str) -> str:
    """Return by what a sentence is known again where it was said: 64 bits of its SHA-256, in whatever spacing."""
    return sha256(normalise(sentence).encode()).hexdigest()[:16]


def outdated(fact: Fact, likelihood: float = 1.0) -> tuple[Outdated, ...]:
    """Return the sentences that go with a fact when it goes: those that it outdates, and its own."""
    source = fact.source
    own = (Outdated(source.event_id, digest(source.quote), round(likelihood, 2)),) if source.event_id else ()
    return (*fact.outdates, *own)


def outdating(fact: Fact, sentences: Iterable[Outdated]) -> Fact:
    """Return a fact that outdates these sentences too, each as likely as was said first."""
    found: dict[tuple[str, str], Outdated] = {}
    for each in (*fact.outdates, *sentences):
        found.setdefault((each.event_id, each.digest), each)
    found.pop((fact.source.event_id, digest(fact.source.quote)), None)
    return replace(fact, outdates=tuple(found.values())[-MAX_OUTDATED:])


def normalise(text: str) -> str:
    """Return the form in which keys and values are compared: NFC, case-folded, single spaces."""
    return " ".join(unicodedata.normalize("NFC", text).casefold().split())


def identity(subject: Fact | Candidate) -> Identity:
    """Return what the fact is about; no two live facts of one user share it."""
    return subject.about if isinstance(subject, Fact) else (normalise(subject.fact_id), normalise(subject.key))


@dataclass(frozen=True, slots=True, kw_only=True)
class Recording:
    """The time and author under which a turn's statements are recorded, and how long short-lived facts last."""

    turn_id: str
    user_id: str | None = None
    trust: Trust = Trust.USER
    now: datetime
    new_id: Callable[[], str]
    l1_days: int
    l2_days: int

    def fact(self, claim: Candidate, held: Fact | None) -> Fact:
        """Return the claim as a fact, in place of the one that is held, and pinned where that is."""
        fact = Fact(
            id=self.new_id(),
            fact_id=claim.fact_id,
            key=claim.key,
            value=claim.value,
            confidence=claim.confidence,
            tier=claim.tier,
            source=Source(turn_id=self.turn_id, event_id=claim.event_id, quote=claim.quote, user_id=self.user_id),
            valid_from=self.now,
            recorded_at=self.now,
            last_seen=self.now,
            supersedes=held.id if held else None,
            trust=self.trust,
        )
        is_news = held is not None and normalise(held.value) != normalise(claim.value)
        fact = outdating(fact, (*claim.outdates, *(outdated(held) if held and is_news else ())))
        return self.pinning(fact, pinned=held is not None and held.pinned)

    def pinning(self, fact: Fact, *, pinned: bool) -> Fact:
        """Return the fact pinned, which keeps it from expiring, or not."""
        end = None if pinned else expires_at(fact.tier, self.now, self.l1_days, self.l2_days)
        return replace(fact, pinned=pinned, expires_at=end)


def merge(active: Sequence[Fact], candidates: Sequence[Candidate], recording: Recording) -> Changes:
    """Fold the statements of one turn, in the order they were said, into all that is believed.

    `active` is every active fact, not only the recalled ones. The same value and tier again changes nothing; another
    value supersedes the old; a retraction deletes the fact it names and adds none. Of several values for one
    identity within the turn the last one counts. Merging the same candidates again changes nothing. A fact that goes by
    a higher word than the turn's stays as it is; one that goes by a lower word is recorded anew if it is said again.
    """
    now = recording.now
    candidates = heeded(candidates, active, recording.trust)
    # Of two that are about the same the later one counts, whatever order they come in.
    live = {identity(fact): fact for fact in sorted(active, key=_age) if fact.is_live(now)}
    claims = _last_claims(candidates)
    added: list[Fact] = []
    superseded: list[Fact] = []
    seen: list[str] = []
    for about, claim in claims.items():
        held = live.get(about)
        if held and _says_the_same(held, claim) and held.trust >= recording.trust:
            seen.append(held.id)
            continue
        fact = recording.fact(claim, held)
        added.append(fact)
        if held:
            superseded.append(replace(held, state=State.SUPERSEDED, valid_to=now, superseded_by=fact.id))
    unclaimed = {about: fact for about, fact in live.items() if about not in claims}
    deleted = [replace(fact, state=State.DELETED, valid_to=now) for fact in _retracted(unclaimed, candidates)]
    return Changes(added=tuple(added), superseded=tuple(superseded), deleted=tuple(deleted), seen=tuple(seen))


def heeded(candidates: Sequence[Candidate], held: Iterable[Fact], trust: Trust) -> Sequence[Candidate]:
    """Return the statements that a word of this trust may make: none about what goes by a higher word, but that word.

    `held` is all that is believed.
    """
    higher = {identity(fact): fact for fact in held if fact.trust > trust}
    return [each for each in candidates if (fact := higher.get(identity(each))) is None or _repeats(each, fact)]


def _repeats(claim: Candidate, fact: Fact) -> bool:
    return not claim.retracts and _says_the_same(fact, claim)


def to_record(fact: Fact) -> dict[str, Any]:
    """Return the fact as JSON values: timestamps in RFC 3339 with Z, absent ones None."""
    return {
        "id": fact.id,
        "fact_id": fact.fact_id,
        "key": fact.key,
        "value": fact.value,
        "confidence": fact.confidence,
        "tier": fact.tier.value,
        "state": fact.state.value,
        "valid_from": _timestamp(fact.valid_from),
        "valid_to": _timestamp(fact.valid_to),
        "recorded_at": _timestamp(fact.recorded_at),
        "expires_at": _timestamp(fact.expires_at),
        "last_seen": _timestamp(fact.last_seen),
        "source": {
            "turn_id": fact.source.turn_id,
            "event_id": fact.source.event_id,
            "quote": fact.source.quote,
            "user_id": fact.source.user_id,
        },
        "supersedes": fact.supersedes,
        "superseded_by": fact.superseded_by,
        **({"outdates": [list(each) for each in fact.outdates]} if fact.outdates else {}),
        **({"pinned": True} if fact.pinned else {}),
        **({"apart": True} if fact.apart else {}),
        **({"trust": fact.trust.label} if fact.trust is not Trust.USER else {}),
        **({"why": fact.why} if fact.why is not None else {}),
    }


def fact_lowered(record: Mapping[str, Any], most: Trust) -> dict[str, Any]:
    """Return a fact's record with the fact trusted no further than that."""
    return {**record, "trust": min(most, Trust.of(record.get("trust", Trust.USER.label))).label}


def from_record(record: Mapping[str, Any]) -> Fact:
    """Return the fact that `to_record` wrote; CorruptData if a field is missing or malformed."""
    try:
        source = record["source"]
        return Fact(
            id=record["id"],
            fact_id=record["fact_id"],
            key=record["key"],
            value=record["value"],
            confidence=float(record["confidence"]),
            tier=Tier(record["tier"]),
            state=State(record["state"]),
            valid_from=_moment(record["valid_from"]),
            valid_to=_moment_or_none(record["valid_to"]),
            recorded_at=_moment(record["recorded_at"]),
            expires_at=_moment_or_none(record["expires_at"]),
            last_seen=_moment(record["last_seen"]),
            source=Source(**source),
            supersedes=record["supersedes"],
            superseded_by=record["superseded_by"],
            outdates=tuple(Outdated(*each) for each in record.get("outdates", ())),
            pinned=bool(record.get("pinned", False)),
            apart=bool(record.get("apart", False)),
            trust=Trust.of(record.get("trust", Trust.USER.label)),
            why=record.get("why"),
        )
    except (KeyError, TypeError, ValueError) as error:
        raise CorruptData("a stored fact is malformed") from error


def _age(fact: Fact) -> tuple[datetime, str]:
    return fact.valid_from, fact.id


def _last_claims(candidates: Iterable[Candidate]) -> dict[Identity, Candidate]:
    claims: dict[Identity, Candidate] = {}
    for candidate in candidates:
        about = identity(candidate)
        if not candidate.retracts:
            claims[about] = candidate
        elif about in claims and names_value(candidate, claims[about].value):
            del claims[about]
    return claims


def _retracted(live: Mapping[Identity, Fact], candidates: Iterable[Candidate]) -> list[Fact]:
    retracted: dict[Identity, Fact] = {}
    for candidate in candidates:
        held = live.get(identity(candidate))
        if candidate.retracts and held and names_value(candidate, held.value):
            retracted[identity(held)] = held
    return list(retracted.values())


def names_value(claim: Candidate, value: str) -> bool:
    """Return whether one holds the other as whole words: "Acme" ends "Acme Corp" as well as the reverse."""
    said, held = f" {normalise(claim.value)} ", f" {normalise(value)} "
    return not said.strip() or said in held or held in said


def _says_the_same(fact: Fact, claim: Candidate) -> bool:
    return fact.tier is claim.tier and normalise(fact.value) == normalise(claim.value)


def _timestamp(moment: datetime | None) -> str | None:
    return None if moment is None else moment.astimezone(UTC).isoformat().replace("+00:00", "Z")


def _moment(text: str) -> datetime:
    moment = datetime.fromisoformat(text)
    if moment.tzinfo is None:
        raise ValueError("a stored timestamp has no time zone")
    return moment.astimezone(UTC)


def _moment_or_none(text: str | None) -> datetime | None:
    return None if text is None else _moment(text)
