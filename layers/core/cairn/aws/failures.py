"""Translate failed AWS calls into Cairn's errors, by their code and never by their text."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from http import HTTPStatus
from typing import Any

from botocore.exceptions import BotoCoreError, ClientError, HTTPClientError
from botocore.exceptions import ConnectionError as UnreachableError

from cairn.ground.errors import CairnError, InternalError, KeyUnusable, Unavailable

# TransactionConflictException: a transaction of someone else holds the item right now.
_PASSING = {
    "InternalServerError",
    "KMSInternalException",
    "LimitExceededException",
    "ProvisionedThroughputExceededException",
    "DependencyTimeoutException",
    "RequestLimitExceeded",
    "RequestTimeout",
    "SlowDown",
    "Throttling",
    "ThrottlingException",
    "TooManyRequestsException",
    "TransactionConflictException",
    "TransactionInProgressException",
}
_KEY_OPERATIONS = {"Decrypt", "GenerateDataKey"}
_STORE_OPERATIONS = {
    *("GetItem", "Query", "Scan", "PutItem", "UpdateItem", "DeleteItem", "TransactWriteItems"),
    *("GetObject", "PutObject", "DeleteObject", "HeadObject", "ListObjectsV2"),
}
_OF_KEYS_ONLY = {"DisabledException", "KMSInvalidStateException"}
"""What DynamoDB and S3 may pass on as KMS says it; the other codes have meanings of their own there."""
_DENIALS = {"AccessDenied", "AccessDeniedException"}
_REMEDIES = {
    "DisabledException": "enable it in KMS; nothing is lost",
    "KMSInvalidStateException": "cancel its deletion in KMS or import its material again; until then nothing is lost",
    "NotFoundException": "name the key that was there in CAIRN_KEY_ID; nothing stored opens without it",
    "IncorrectKeyException": "name the key that was there in CAIRN_KEY_ID; nothing stored opens with another",
    "AccessDeniedException": "allow this role kms:Decrypt with it; nothing is lost",
}
"""What to do about a KMS key, by the code of KMS; S3 and SQS pass the same on with `KMS.` before it."""
_NO_KEY_MADE = (
    "No data key could be made for this memory: this role may not use kms:GenerateDataKey. Whoever runs this service"
    " can make its first one with an API key to it, by `cairn keys create --tenant`; nothing is lost"
)
"""Tools' roles make no data keys: a memory gets its first one with its first API key, or its first token."""
_STORE_DENIED = (
    "This service is denied its store. Whoever runs it can see to it that the store's KMS key is enabled, and that this"
    " role may use the key and the store; nothing is lost"
)
"""DynamoDB and S3 have one code for a role without permission and for a key of theirs that cannot be used."""


@contextmanager
def aws_failures() -> Generator[None]:
    """Raise what the SDK raises after its retries as Unavailable, InternalError, or ValueError for a refused argument.

    A KMS key that cannot be used is KeyUnusable, with what to do about it, and so is a store that denies this process.

    Only the code and the operation are kept: messages and responses may hold content.
    """
    try:
        yield
    except ClientError as error:
        raise _translated(error) from None
    except (UnreachableError, HTTPClientError) as error:
        raise Unavailable(f"AWS could not be reached: {type(error).__name__}") from None
    except BotoCoreError as error:
        raise InternalError(f"the AWS SDK failed: {type(error).__name__}") from None


def answer_of(error: ClientError) -> dict[str, Any]:
    """Return the whole answer, whose fields depend on the error."""
    return {**error.response}


def code_of(error: ClientError) -> str:
    """Return the code of an AWS error."""
    return answer_of(error).get("Error", {}).get("Code", "")


def expected(error: ClientError, *codes: str) -> None:
    """Raise the error again unless it has one of these codes.

    An error's class does not tell: botocore makes the classes of `client.exceptions` at their first use and without a
    lock, so that two threads can each have one of the same name.
    """
    if code_of(error) not in codes:
        raise error


def _translated(error: ClientError) -> CairnError | ValueError:
    code = code_of(error)
    status: int = answer_of(error).get("ResponseMetadata", {}).get("HTTPStatusCode", 0)
    message = f"{error.operation_name} failed: {code}"
    reason = code.removeprefix("KMS.")
    is_of_a_key = reason != code or reason in _OF_KEYS_ONLY or error.operation_name in _KEY_OPERATIONS
    if reason in _DENIALS and error.operation_name == "GenerateDataKey":
        return KeyUnusable(_NO_KEY_MADE, {"reason": reason})
    if is_of_a_key and reason in _REMEDIES:
        message = f"This service's encryption key cannot be used. Whoever runs it can {_REMEDIES[reason]}"
        return KeyUnusable(message, {"reason": reason})
    if reason in _DENIALS and error.operation_name in _STORE_OPERATIONS:
        return KeyUnusable(_STORE_DENIED, {"reason": reason})
    if reason in _PASSING or status >= HTTPStatus.INTERNAL_SERVER_ERROR:
        return Unavailable(message)
    return ValueError(message) if code == "ValidationException" else InternalError(message)
