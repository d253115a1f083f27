"""Errors as AWS's clients read them: the type in a header, a body with the message and what else the type has."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, Self, cast

from cairn.access.signed_requests import Flaw
from cairn.edge import events, problems
from cairn.ground.errors import CairnError, Conflict, InvalidArgument, NotFound, Unauthenticated

_FIELD: Final = "FieldValidationFailed"
_TYPES: Final[Mapping[str, tuple[int, str, Mapping[str, object]]]] = {
    "INVALID_ARGUMENT": (400, "ValidationException", {"reason": _FIELD}),
    "UNAUTHENTICATED": (403, "MissingAuthenticationTokenException", {}),
    "PERMISSION_DENIED": (403, "AccessDeniedException", {}),
    "NOT_FOUND": (404, "ResourceNotFoundException", {}),
    "DISABLED": (404, "ResourceNotFoundException", {}),
    "CONFLICT": (400, "ValidationException", {"reason": "ResourceConflict"}),
    "RESOURCE_BUSY": (409, "RetryableConflictException", {}),
    "PAYLOAD_TOO_LARGE": (400, "ValidationException", {"reason": _FIELD}),
    "PII_DETECTED": (400, "ValidationException", {"reason": _FIELD}),
    "SECRET_DETECTED": (400, "ValidationException", {"reason": _FIELD}),
    "QUOTA_EXCEEDED": (402, "ServiceQuotaExceededException", {}),
    "RATE_LIMITED": (429, "ThrottledException", {}),
    "INTERNAL_ERROR": (500, "ServiceException", {}),
    "UNAVAILABLE": (503, "ServiceException", {}),
}
_FLAWS: Final[Mapping[Flaw, tuple[str, str]]] = {
    "malformed": ("IncompleteSignatureException", "Authorization is not as Signature Version 4 has it"),
    "headers": ("IncompleteSignatureException", "Host, X-Amz-Date and X-Amz-Content-Sha256 must be signed"),
    "payload": ("InvalidSignatureException", "The body must be signed: its SHA-256 belongs to the signature"),
    "service": ("InvalidSignatureException", "The credential must be scoped to the service bedrock-agentcore"),
    "date": ("InvalidSignatureException", "The date is over five minutes from the clock, or not of the scope's day"),
    "unknown": ("UnrecognizedClientException", "The access key id opens nothing"),
    "signature": ("InvalidSignatureException", "The signature is not of this request under this secret access key"),
}


class UnknownOperation(NotFound):
    """Nothing of the service is at this path, or not here."""


class TokenReused(Conflict):
    """A client token came again with another payload."""


class NotSigned(Unauthenticated):
    """A request is signed, and the signature proves nothing."""

    flaw: Flaw = "signature"

    @classmethod
    def of(cls, flaw: Flaw) -> Self:
        """Return the error that says what is wrong with it."""
        error = cls(_FLAWS[flaw][1])
        error.flaw = flaw
        return error


def response(error: CairnError) -> dict[str, Any]:
    """Return the response that a client of AWS raises as this error's type."""
    status, name, more = _typed(error)
    headers = {**problems.headers(error), "x-amzn-errortype": name}
    headers.pop("www-authenticate", None)
    return events.respond(status, {"message": error.message, **more, **_fields(error)}, headers)


def _typed(error: CairnError) -> tuple[int, str, Mapping[str, object]]:
    match error:
        case UnknownOperation():
            return 404, "UnknownOperationException", {}
        case TokenReused():
            return 400, "ValidationException", {"reason": "IdempotentParameterMismatchException"}
        case NotSigned():
            return 403, _FLAWS[error.flaw][0], {}
        case _:
            return _TYPES[error.code]


def _fields(error: CairnError) -> Mapping[str, object]:
    if not isinstance(error, InvalidArgument):
        return {}
    found = cast("Mapping[str, str]", error.details["fields"])
    return {"fieldList": [{"name": name, "message": problem} for name, problem in found.items()]}
