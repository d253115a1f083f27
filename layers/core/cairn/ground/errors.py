"""Every error Cairn raises, as one tree.

CairnError                    what a caller may see: code, message, details, retryable
├── InvalidArgument           a field is wrong: details.fields names each
├── Unauthenticated           no or unknown credentials
├── PermissionDenied          known, but not allowed
├── NotFound                  not there, or another tenant's
├── Conflict                  a version or a turn's payload differs
├── PayloadTooLarge           over a limit of the settings
├── SecretDetected            secrets or personal data where none may be archived
├── QuotaExceeded             as much is stored as may be
│   └── BudgetSpent           what the month's calls may cost is spent; details.reason is "budget"
├── PersonalDataDetected      a value holds personal data or a secret
├── RateLimited               over a rate; details.retry_after_ms says when to come again
├── ResourceBusy              a fresh guard or a lease is held elsewhere
├── Disabled                  the tool's flag is off
├── Unavailable               the store throttled or failed after the retries
│   └── KeyUnusable           the key that wraps data keys is disabled, denied or gone; details.reason says which
│       └── NewerStore        the store, or what a data key sealed in it, is in a format that only newer programs read
└── InternalError             anything else; carries no content
    ├── DetectionFailed       the detector could not look through a value: nothing of it may be kept or shown
    └── CorruptData           stored bytes are not what was written; details.reason is "damaged"
        ├── MissingBlob       a stored item names a blob that is gone
        └── KeyLost           none of the data keys is there that contents were sealed under
StoreError                    what an adapter tells a service; never reaches a caller as it is
├── ConditionFailed           a condition did not hold; carries the stored item
└── TransactionRefused        some write of a transaction was refused; one reason per write
NoAnswer                      another server gave no usable answer
ModelFailed                   a language model gave no usable answer; its proposals are done without
SettingsError                 the settings are wrong; the message names the key
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar, Literal, TypeAlias

DenialReason: TypeAlias = Literal["authorization", "scope", "project", "user", "session", "policy", "read_only"]
"""Why a call is not allowed: no authorizer spoke for it, its key opens not this operation or project, or speaks for
another user; the session is another user's; its policy does not allow it, or nobody may do it."""

VERBATIM = "verbatim"
"""The detail of an error whose message a model is to be given as it is, with nothing before it."""


class CairnError(Exception):
    """An error a caller may see: a stable code, a plain message, details without content."""

    code: ClassVar[str] = "INTERNAL_ERROR"
    retryable: ClassVar[bool] = False

    def __init__(self, message: str, details: Mapping[str, object] | None = None) -> None:
        """Keep the message and the details; neither may hold content, keys or tokens."""
        super().__init__(message)
        self.message = message
        self.details: dict[str, object] = dict(details or {})


class InvalidArgument(CairnError):
    """The input breaks the tool's contract; details.fields maps each field to what is wrong."""

    code = "INVALID_ARGUMENT"

    def __init__(self, field: str, problem: str, *more: tuple[str, str], advice: str = "") -> None:
        """Name a field and its problem, further pairs where there are several, and what the caller can do about it."""
        fields = dict([(field, problem), *more])
        listed = "; ".join(f"{name} {why}" for name, why in fields.items())
        super().__init__(f"Invalid input: {listed}{'. ' if advice else ''}{advice}", {"fields": fields})


class Unauthenticated(CairnError):
    """The caller showed no credentials, or unknown ones."""

    code = "UNAUTHENTICATED"

    def __init__(self, message: str, challenge: str | None = None) -> None:
        """Keep the message, and what WWW-Authenticate shall say to the client, `Bearer` unless told."""
        super().__init__(message)
        self.challenge = challenge or "Bearer"


class PermissionDenied(CairnError):
    """The caller is known, or came past the authorizer, and may not do this."""

    code = "PERMISSION_DENIED"

    def __init__(
        self, message: str, details: Mapping[str, object] | None = None, *, reason: DenialReason = "authorization"
    ) -> None:
        """Keep the reason too, which is counted."""
        super().__init__(message, details)
        self.reason: DenialReason = reason


class NotFound(CairnError):
    """Nothing is there for this caller; another tenant's data looks the same."""

    code = "NOT_FOUND"


class Conflict(CairnError):
    """The stored state differs from what the caller assumed."""

    code = "CONFLICT"


class PayloadTooLarge(CairnError):
    """The input is over a limit of the settings; details name the limit."""

    code = "PAYLOAD_TOO_LARGE"


class SecretDetected(CairnError):
    """What was to be archived holds secrets or personal data; details.rules name the rules, never what they found."""

    code = "SECRET_DETECTED"


class QuotaExceeded(CairnError):
    """As much is stored as may be; details name what is full."""

    code = "QUOTA_EXCEEDED"


class BudgetSpent(QuotaExceeded):
    """The tenant's budget of the month is spent; details say how much it was, and until when calls are refused."""


class PersonalDataDetected(CairnError):
    """A value holds personal data or a secret; details.redacted_fields names where, never what."""

    code = "PII_DETECTED"


class RateLimited(CairnError):
    """More calls than a rate allows; details say which (tenant, tool or namespace) and after how many ms to retry."""

    code = "RATE_LIMITED"
    retryable = True


class ResourceBusy(CairnError):
    """Someone else holds the turn or the session; try again with the same turn_id."""

    code = "RESOURCE_BUSY"
    retryable = True


class Disabled(CairnError):
    """The tool is switched off, or does not exist."""

    code = "DISABLED"


class Unavailable(CairnError):
    """The store throttled or failed after its retries; the outcome may be unknown."""

    code = "UNAVAILABLE"
    retryable = True


class KeyUnusable(Unavailable):
    """The key of the data keys or of the store cannot be used until someone acts; details.reason is a code."""


class NewerStore(KeyUnusable):
    """The store was written in a newer format than this program reads; nothing was read or changed."""

    def __init__(self, found: int, known: int) -> None:
        """Name the store's format and the newest that is known."""
        message = (
            f"This store was written by a newer Cairn, in format {found}, and this one reads up to format {known}."
            " Start the newer one again, or import a bundle that it exported into an empty store"
        )
        super().__init__(message, {"reason": "NewerFormat", "format": found, "known": known})


class InternalError(CairnError):
    """Something failed that the caller cannot mend; the log has the request id."""

    code = "INTERNAL_ERROR"
    retryable = True


class CorruptData(InternalError):
    """Stored bytes are not what was written: they fail their hash or tag, or make no sense. No second try helps."""

    retryable = False

    def __init__(
        self, message: str, remedy: str = "`cairn check` finds it, `cairn check --repair` mends the store"
    ) -> None:
        """Say what is damaged, without content, and what whoever runs the service can do."""
        super().__init__(f"Stored data is damaged: {message}. {remedy}", {"reason": "damaged"})
        self.what = message


class MissingBlob(CorruptData):
    """A stored item names a blob that is gone."""


class KeyLost(CorruptData):
    """None of a tenant's data keys is there: nothing that was stored for it can be opened, or may be told."""


class DetectionFailed(InternalError):
    """The detector could not look through a value, so that nothing of it may be kept or shown."""


class StoreError(Exception):
    """What an adapter tells a service; a service answers it or turns it into a CairnError."""


class ConditionFailed(StoreError):
    """A single write's condition did not hold; `item` is what is stored, None if nothing is."""

    def __init__(self, item: Mapping[str, str | int | bytes | bool] | None) -> None:
        """Keep the stored item, so that the loser needs no second read."""
        super().__init__("a condition did not hold")
        self.item = item


class Refusal:
    """Why one write of a transaction was refused: condition, conflict, throttled or other."""

    def __init__(self, code: str, item: Mapping[str, str | int | bytes | bool] | None = None) -> None:
        """Keep the reason and, for a failed condition, the stored item."""
        self.code = code
        self.item = item

    def __repr__(self) -> str:
        """Show the code only; items may hold ciphertext."""
        return f"Refusal({self.code!r})"


class TransactionRefused(StoreError):
    """Nothing of a transaction was written; `reasons[i]` belongs to write i, None where it was fine."""

    def __init__(self, reasons: Sequence[Refusal | None]) -> None:
        """Keep one reason per write, in order."""
        super().__init__(f"transaction refused: {list(reasons)}")
        self.reasons = tuple(reasons)


class NoAnswer(Exception):
    """Another server gave no usable answer; the message says why, without anything it was sent or answered."""

    def __init__(self, message: str, status: int | None = None) -> None:
        """Keep the status of its answer too, where it gave one."""
        super().__init__(message)
        self.status = status


class ModelFailed(Exception):
    """A language model gave no usable answer; the message says why, without anything it was asked or answered."""


class EmbeddingFailed(Exception):
    """A text could not be turned into a vector; the message says why, without the text."""


class SettingsError(Exception):
    """The settings are wrong; the message names the key and what it may be."""
