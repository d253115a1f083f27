from __future__ import annotations

import base64
from functools import partial
from pathlib import Path
from typing import Any, NoReturn

import pytest
from botocore.exceptions import ClientError
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from cairn.aws.clients import Clients
from cairn.aws.failures import aws_failures
from cairn.aws.keyring import KmsKeyRing
from cairn.embedded.keyring import LocalKeyRing, load_or_create_master_key, master_key
from cairn.ground.errors import CorruptData, InternalError, KeyUnusable, SettingsError, Unavailable
from cairn.ground.ids import Tenant
from cairn.ground.ports import KeyRing

ACME = Tenant("acme")
KEY = bytes(range(32))


def test_a_data_key_is_fresh_has_32_bytes_and_opens_again(keyring: KeyRing) -> None:
    first, second = keyring.generate(ACME), keyring.generate(ACME)
    assert len(first.secret) == 32
    assert first.secret != second.secret
    assert first.wrapped != second.wrapped
    assert first.secret not in first.wrapped
    assert keyring.unwrap(ACME, first.wrapped) == first.secret


@pytest.mark.req("R252")
def test_a_data_key_does_not_open_for_another_tenant(keyring: KeyRing) -> None:
    with pytest.raises(CorruptData):
        keyring.unwrap(Tenant("acme2"), keyring.generate(ACME).wrapped)


@pytest.mark.req("R192")
@settings(max_examples=20, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_a_wrapped_key_with_one_bit_changed_does_not_open(keyring: KeyRing, data: st.DataObject) -> None:
    changed = bytearray(keyring.generate(ACME).wrapped)
    sealed = 36 if len(changed) > 60 else 0  # a KMS ciphertext begins with the name of its key, 36 bytes in moto
    bit = data.draw(st.integers(sealed * 8, len(changed) * 8 - 1))
    changed[bit // 8] ^= 1 << bit % 8
    with pytest.raises(CorruptData):
        keyring.unwrap(ACME, bytes(changed))


@pytest.mark.parametrize("size", [0, 1, 11, 12, 27, 28, 59])
def test_a_wrapped_key_cut_short_does_not_open(keyring: KeyRing, size: int) -> None:
    with pytest.raises(CorruptData):
        keyring.unwrap(ACME, keyring.generate(ACME).wrapped[:size])


def test_the_secret_shows_in_no_repr(keyring: KeyRing) -> None:
    key = keyring.generate(ACME)
    assert repr(key) == "DataKey()"


@pytest.mark.req("R192")
@pytest.mark.req("R193")
def test_a_key_ring_with_another_master_key_opens_nothing() -> None:
    wrapped = LocalKeyRing(KEY).generate(ACME).wrapped
    assert len(wrapped) == 12 + 32 + 16
    with pytest.raises(CorruptData, match="start with that one") as refused:
        LocalKeyRing(KEY[::-1]).unwrap(ACME, wrapped)
    assert KEY.hex() not in str(refused.value)


def test_a_key_ring_takes_only_32_bytes() -> None:
    with pytest.raises(ValueError, match="32 bytes"):
        LocalKeyRing(KEY[:16])


@pytest.mark.parametrize("text", [KEY.hex(), KEY.hex().upper(), base64.b64encode(KEY).decode(), f" {KEY.hex()}\n"])
def test_a_master_key_is_64_hexadecimal_characters_or_base64(text: str) -> None:
    assert master_key(text) == KEY


@pytest.mark.req("R193")
@pytest.mark.parametrize("text", ["", " ", "secret-word", KEY.hex()[:-1], KEY.hex() + "0", "g" * 64, "AAAA", "é" * 64])
def test_a_missing_or_malformed_master_key_is_told_how_to_make_one_and_never_shown(text: str) -> None:
    with pytest.raises(SettingsError) as refused:
        master_key(text)
    assert "LUMERA_MEMORY_KEY" in str(refused.value)
    assert "openssl rand" in str(refused.value)
    assert not text.strip() or text.strip() not in str(refused.value)
    assert refused.value.__cause__ is None
    assert refused.value.__suppress_context__ or refused.value.__context__ is None


def test_the_master_key_file_is_made_once_and_private(tmp_path: Path) -> None:
    path = tmp_path / "data" / "master.key"
    key = load_or_create_master_key(path)
    assert len(key) == 32
    assert load_or_create_master_key(path) == key
    assert path.stat().st_mode & 0o777 == 0o600
    assert list(path.parent.iterdir()) == [path]


def test_a_master_key_file_that_others_may_use_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "master.key"
    load_or_create_master_key(path)
    for mode in (0o640, 0o604, 0o660):
        path.chmod(mode)
        with pytest.raises(SettingsError, match="chmod 600"):
            load_or_create_master_key(path)


@pytest.mark.req("R193")
@pytest.mark.parametrize("content", [b"", b"not a key", b"\xff\xfe"])
def test_a_master_key_file_with_no_key_in_it_is_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "master.key"
    path.write_bytes(content)
    path.chmod(0o600)
    with pytest.raises(SettingsError, match=r"master\.key"):
        load_or_create_master_key(path)


class Refusing:
    """A KMS client whose calls are refused with this code."""

    def __init__(self, code: str) -> None:
        self.decrypt = self.generate_data_key = partial(self._refuse, code)

    def _refuse(self, code: str, **asked: Any) -> NoReturn:
        operation = "Decrypt" if "CiphertextBlob" in asked else "GenerateDataKey"
        said = f"{asked['KeyId']} of arn:aws:kms:us-east-1:123456789012 is not for you"
        raise ClientError({"Error": {"Code": code, "Message": said}}, operation)


@pytest.mark.req("R193")
def test_a_key_that_is_gone_is_told_with_what_to_do(cloud: Clients) -> None:
    key = "00000000-0000-0000-0000-000000000000"

    with pytest.raises(KeyUnusable, match="Whoever runs it can") as refused:
        KmsKeyRing(lambda: cloud.kms, key).generate(ACME)

    assert refused.value.details == {"reason": "NotFoundException"}
    assert key not in refused.value.message


@pytest.mark.req("R193")
@pytest.mark.parametrize(
    ("code", "reason", "remedy"),
    [
        ("DisabledException", "DisabledException", "enable it"),
        ("KMSInvalidStateException", "KMSInvalidStateException", "cancel its deletion"),
        ("NotFoundException", "NotFoundException", "CAIRN_KEY_ID"),
        ("IncorrectKeyException", "IncorrectKeyException", "CAIRN_KEY_ID"),
        ("AccessDeniedException", "AccessDeniedException", "kms:(Decrypt|GenerateDataKey)"),
        ("KMS.DisabledException", "DisabledException", "enable it"),
    ],
)
def test_each_way_a_key_can_be_out_of_reach_is_unavailable_and_names_no_key(
    code: str, reason: str, remedy: str
) -> None:
    client: Any = Refusing(code)
    keyring = KmsKeyRing(lambda: client, "the-key")

    for call in (lambda: keyring.generate(ACME), lambda: keyring.unwrap(ACME, b"wrapped")):
        with pytest.raises(KeyUnusable, match=remedy) as refused:
            call()
        assert (refused.value.code, refused.value.details) == ("UNAVAILABLE", {"reason": reason})
        assert not [name for name in ("the-key", "arn:", "123456789012") if name in refused.value.message]


def refused(code: str, operation: str) -> ClientError:
    return ClientError({"Error": {"Code": code, "Message": "no"}}, operation)


@pytest.mark.req("R193")
@pytest.mark.parametrize("operation", ["GetItem", "TransactWriteItems", "GetObject", "SendMessageBatch"])
@pytest.mark.parametrize(
    ("code", "remedy"),
    [
        ("DisabledException", "enable it"),
        ("KMS.DisabledException", "enable it"),
        ("KMSInvalidStateException", "cancel its deletion"),
        ("KMS.KMSInvalidStateException", "cancel its deletion"),
        ("KMS.NotFoundException", "CAIRN_KEY_ID"),
        ("KMS.AccessDeniedException", "kms:Decrypt"),
    ],
)
def test_a_key_out_of_reach_is_told_alike_by_the_stores_that_it_encrypts(
    operation: str, code: str, remedy: str
) -> None:
    with pytest.raises(KeyUnusable, match=remedy) as told, aws_failures():
        raise refused(code, operation)
    assert told.value.details == {"reason": code.removeprefix("KMS.")}


@pytest.mark.req("R193")
@pytest.mark.parametrize(("code", "operation"), [("AccessDeniedException", "Query"), ("AccessDenied", "PutObject")])
def test_a_store_that_denies_this_process_says_that_it_may_be_the_key_or_the_role(code: str, operation: str) -> None:
    with pytest.raises(KeyUnusable, match="key is enabled, and that this role may use") as told, aws_failures():
        raise refused(code, operation)
    assert (told.value.code, told.value.details) == ("UNAVAILABLE", {"reason": code})


@pytest.mark.parametrize(
    ("code", "operation"), [("AccessDeniedException", "Converse"), ("NotFoundException", "GetItem")]
)
def test_a_refusal_that_is_not_about_key_or_store_is_not_taken_for_one(code: str, operation: str) -> None:
    with pytest.raises(InternalError, match=f"{operation} failed: {code}"), aws_failures():
        raise refused(code, operation)


def test_a_key_that_is_asked_too_often_is_a_matter_of_time() -> None:
    with pytest.raises(Unavailable, match=r"KMS\.ThrottlingException") as told, aws_failures():
        raise refused("KMS.ThrottlingException", "GetObject")
    assert not isinstance(told.value, KeyUnusable)
