"""Data keys from KMS, each bound to its tenant."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from botocore.exceptions import ClientError

from cairn.aws.failures import aws_failures, expected
from cairn.ground.errors import CorruptData
from cairn.ground.ids import Tenant
from cairn.vault.data_key import DataKey

if TYPE_CHECKING:
    from mypy_boto3_kms import KMSClient

_MAX_WRAPPED_BYTES = 6144


class KmsKeyRing:
    """Makes and unwraps data keys under one KMS key, with {"tenant": …} as encryption context."""

    def __init__(self, client: Callable[[], KMSClient], key_id: str) -> None:
        """Use the key with this id or ARN."""
        self._client = client
        self._key_id = key_id

    def generate(self, tenant: Tenant) -> DataKey:
        """Return a fresh data key."""
        with aws_failures():
            answer = self._client().generate_data_key(
                KeyId=self._key_id, KeySpec="AES_256", EncryptionContext={"tenant": tenant}
            )
        return DataKey(answer["Plaintext"], answer["CiphertextBlob"])

    def unwrap(self, tenant: Tenant, wrapped: bytes) -> bytes:
        """Return the 32 secret bytes; CorruptData if they are not this tenant's or were changed."""
        if not 1 <= len(wrapped) <= _MAX_WRAPPED_BYTES:
            raise CorruptData("a wrapped key does not open")
        with aws_failures():
            try:
                answer = self._client().decrypt(
                    KeyId=self._key_id, CiphertextBlob=wrapped, EncryptionContext={"tenant": tenant}
                )
            except ClientError as error:
                expected(error, "InvalidCiphertextException")
                raise CorruptData("a wrapped key does not open") from None
        return answer["Plaintext"]
