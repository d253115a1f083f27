"""The vault seals what a tenant said, for that tenant and for one place only."""

from __future__ import annotations

from dataclasses import dataclass, replace
from threading import Barrier
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cairn.embedded.keyring import LocalKeyRing
from cairn.ground import codec
from cairn.ground.adapters import Adapters
from cairn.ground.errors import CorruptData, NewerStore
from cairn.ground.ids import Tenant
from cairn.ground.table import FORMAT, Delete, Key, Put, Scalar
from cairn.process.system import ThreadedParallel
from cairn.vault import cipher, data_key
from cairn.vault import vault as vault_module
from cairn.vault.data_key import DataKey, WrappedKey
from cairn.vault.layout import key_sk, keys_pk
from cairn.vault.vault import KEY_LIFETIME, MAX_INLINE_BYTES, Vault, sealed_content

ACME, OTHER = Tenant("acme"), Tenant("other")
HERE, THERE = Key("acme#s#p#one", "e#1"), Key("acme#s#p#two", "e#1")
json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=9),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)


@dataclass
class CountingKeys:
    keys: Any
    unwrapped: int = 0
    generated: int = 0

    def generate(self, tenant: Tenant) -> DataKey:
        self.generated += 1
        return self.keys.generate(tenant)

    def unwrap(self, tenant: Tenant, wrapped: bytes) -> bytes:
        self.unwrapped += 1
        return self.keys.unwrap(tenant, wrapped)


@pytest.fixture
def vault(adapters: Adapters) -> Vault:
    return Vault(adapters)


def sealed(vault: Vault, value: object, where: Key = HERE) -> dict[str, Scalar]:
    return {"pk": where.pk, "sk": where.sk, **vault.seal(ACME, where, value)}


@pytest.mark.req("R252")
def test_another_process_opens_what_was_sealed(vault: Vault, adapters: Adapters) -> None:
    assert Vault(adapters).unseal(ACME, sealed(vault, {"said": "hello"})) == {"said": "hello"}


@pytest.mark.req("R252")
def test_the_same_value_is_never_sealed_to_the_same_bytes(vault: Vault) -> None:
    assert sealed(vault, "hello")["data"] != sealed(vault, "hello")["data"]


@pytest.mark.req("R252")
@pytest.mark.parametrize("value", ["short", [str(number) for number in range(20_000)]])
def test_what_holds_a_content_in_one_item_opens_in_another_of_its_place(vault: Vault, value: object) -> None:
    item = {**sealed(vault, value), "at": "2026-03-01"}
    held = sealed_content(item)
    assert held.keys() == item.keys() - {"pk", "sk", "at"}
    assert vault.unseal(ACME, {"pk": HERE.pk, "sk": HERE.sk, **held}) == value


@pytest.mark.parametrize("name", ["", "../table.sqlite3", "ab" * 31, "AB" * 32])
def test_an_item_that_names_no_blob_is_corrupt_and_no_blob_is_asked_for(adapters: Adapters, name: str) -> None:
    nowhere: Any = None
    with pytest.raises(CorruptData, match="names no blob"):
        Vault(replace(adapters, blobs=nowhere)).unseal(ACME, {"pk": HERE.pk, "sk": HERE.sk, "kid": 1, "blob": name})


def test_what_is_sealed_alike_is_the_same_bytes_in_every_version() -> None:
    sealed = cipher.seal_alike(b"k" * 32, "archive", b"what was said", b"acme")
    assert sealed.hex() == "e7b7bef48516d0ca2e36d3a35b868edd2cce2d8f20156e3b436d0a88174f04e896f9ae26dacbebd87d"


@pytest.mark.parametrize("position", [0, 11, 12, 20, -16, -1])
def test_a_flipped_bit_anywhere_opens_nothing(vault: Vault, position: int) -> None:
    item = sealed(vault, "a secret that must not leak")
    data = bytearray(item["data"] if isinstance(item["data"], bytes) else b"")
    data[position] ^= 1
    with pytest.raises(CorruptData) as failure:
        vault.unseal(ACME, {**item, "data": bytes(data)})
    assert "secret" not in str(failure.value)


@pytest.mark.req("R252")
@pytest.mark.parametrize("size", [0, 1, 27])
def test_cut_content_opens_nothing(vault: Vault, size: int) -> None:
    item = sealed(vault, "hello")
    assert isinstance(item["data"], bytes)
    with pytest.raises(CorruptData):
        vault.unseal(ACME, {**item, "data": item["data"][:size]})


@pytest.mark.req("R252")
@pytest.mark.parametrize("moved", [{"pk": THERE.pk}, {"sk": "e#2"}])
def test_content_copied_to_another_place_does_not_open(vault: Vault, moved: dict[str, str]) -> None:
    with pytest.raises(CorruptData):
        vault.unseal(ACME, {**sealed(vault, "hello"), **moved})


@pytest.mark.req("R252")
@pytest.mark.req("R010")
def test_another_tenant_cannot_open_an_item_even_at_its_own_place(vault: Vault) -> None:
    vault.seal(OTHER, THERE, "its key is made")
    with pytest.raises(CorruptData):
        vault.unseal(OTHER, sealed(vault, "hello"))


@pytest.mark.req("R252")
@pytest.mark.req("R010")
def test_a_wrapped_key_copied_to_another_tenant_does_not_unwrap(adapters: Adapters) -> None:
    adapters = replace(adapters, keys=LocalKeyRing(bytes(32)))
    vault = Vault(adapters)
    item = sealed(vault, "hello")
    stored = adapters.table.get(Key(keys_pk(ACME), key_sk(1)))
    assert stored is not None
    assert isinstance(stored["wrapped"], bytes)
    with pytest.raises(CorruptData):
        adapters.keys.unwrap(OTHER, stored["wrapped"])
    assert vault.unseal(ACME, item) == "hello"


class OneSecret:
    """A key ring that gives every tenant the same key."""

    def generate(self, _: Tenant) -> DataKey:
        return DataKey(bytes(32), b"wrapped")

    def unwrap(self, *_: object) -> bytes:
        return bytes(32)


@pytest.mark.req("R192")
@pytest.mark.req("R252")
def test_what_is_sealed_alike_opens_for_its_tenant_and_purpose_alone_even_under_one_key(adapters: Adapters) -> None:
    vault = Vault(replace(adapters, keys=OneSecret()))
    number, one = vault.seal_alike(ACME, "archive", b"said")

    assert vault.seal_alike(ACME, "archive", b"said") == (number, one)
    assert vault.unseal_alike(ACME, "archive", number, one) == b"said"
    others = [(OTHER, "archive"), (ACME, "other")]
    assert len({one[:12], *(vault.seal_alike(*other, b"said")[1][:12] for other in others)}) == 3
    for tenant, purpose in others:
        with pytest.raises(CorruptData):
            vault.unseal_alike(tenant, purpose, number, one)


@pytest.mark.req("R252")
def test_without_the_tenants_key_nothing_opens_any_more(vault: Vault, adapters: Adapters) -> None:
    item = sealed(vault, "hello")
    adapters.table.delete(Delete(Key(keys_pk(ACME), key_sk(1))))
    with pytest.raises(CorruptData):
        Vault(adapters).unseal(ACME, item)


@pytest.mark.parametrize("lacking", ["data", "kid"])
def test_an_item_without_content_or_key_number_is_corrupt(vault: Vault, lacking: str) -> None:
    item = {name: value for name, value in sealed(vault, "hello").items() if name != lacking}
    with pytest.raises(CorruptData):
        vault.unseal(ACME, item)


@pytest.mark.req("R251")
def test_content_over_32_kb_becomes_a_blob_that_is_as_well_protected(
    vault: Vault, adapters: Adapters, store: Any
) -> None:
    value = adapters.entropy.token(MAX_INLINE_BYTES).hex()
    item = sealed(vault, value)
    assert "data" not in item
    assert vault.unseal(ACME, item) == value
    with pytest.raises(CorruptData):
        vault.unseal(ACME, {**item, "sk": "e#2"})
    [path] = (store.directory / "blobs").rglob(str(item["blob"]))
    data = bytearray(path.read_bytes())
    data[99] ^= 1
    path.chmod(0o600)
    path.write_bytes(data)
    with pytest.raises(CorruptData):
        vault.unseal(ACME, item)


@pytest.mark.req("R251")
@pytest.mark.parametrize("change", [-1, 1])
def test_32_kb_is_the_border_between_item_and_blob(vault: Vault, adapters: Adapters, change: int) -> None:
    sizes = {len(codec.pack(noise := adapters.entropy.token(size).hex())): noise for size in range(29_400, 30_400, 50)}
    overhead = cipher.NONCE_BYTES + cipher.TAG_BYTES
    fitting = [size for size in sizes if (size + overhead <= MAX_INLINE_BYTES) == (change < 0)]
    nearest = min(fitting, key=lambda size: abs(size + overhead - MAX_INLINE_BYTES))
    assert ("data" in vault.seal(ACME, HERE, sizes[nearest])) == (change < 0)


@pytest.mark.req("R252")
@pytest.mark.req("R252")
@pytest.mark.parametrize("position", [0, 3, 4, 20, -1])
def test_sealed_bytes_open_whole_and_in_their_place_only(vault: Vault, position: int) -> None:
    data = vault.seal_blob(ACME, THERE, b"segment")
    assert vault.unseal_blob(ACME, THERE, data) == b"segment"
    changed = bytearray(data)
    changed[position] ^= 1
    vault.seal(OTHER, THERE, "its key is made")
    for tenant, where, stored in (
        (ACME, THERE, bytes(changed)),
        (ACME, replace(THERE, sk="elsewhere"), data),
        (OTHER, THERE, data),
        (ACME, THERE, data[:-1]),
        (ACME, THERE, b""),
    ):
        with pytest.raises(CorruptData):
            vault.unseal_blob(tenant, where, stored)


def test_calls_at_once_unwrap_a_key_once(adapters: Adapters) -> None:
    item = sealed(Vault(adapters), "hello")
    keys, meeting, threaded = CountingKeys(adapters.keys), Barrier(4, timeout=5), ThreadedParallel(4)
    vault = Vault(replace(adapters, keys=keys))

    def opened() -> object:
        meeting.wait()
        return vault.unseal(ACME, item)

    assert threaded([opened] * 4) == ["hello"] * 4
    threaded.close()
    assert keys.unwrapped == 1


def test_a_key_is_unwrapped_once_and_again_after_its_lifetime(adapters: Adapters, clock: Any) -> None:
    keys = CountingKeys(adapters.keys)
    vault = Vault(replace(adapters, keys=keys))
    item = sealed(vault, "hello")
    keys.unwrapped = 0
    for _ in range(5):
        vault.unseal(ACME, item)
        sealed(vault, "more")
    assert (keys.unwrapped, keys.generated) == (0, 1)
    clock.advance(seconds=KEY_LIFETIME.total_seconds())
    vault.unseal(ACME, item)
    assert (keys.unwrapped, keys.generated) == (1, 1)


@pytest.mark.req("R252")
def test_two_processes_that_make_the_first_key_at_once_agree_on_one(adapters: Adapters) -> None:
    one, other = Vault(adapters), Vault(adapters)

    class Overtaken:
        def __init__(self) -> None:
            self.items: list[dict[str, Scalar]] = []

        def generate(self, tenant: Tenant) -> DataKey:
            self.items.append(sealed(other, "theirs"))
            return adapters.keys.generate(tenant)

        def unwrap(self, tenant: Tenant, wrapped: bytes) -> bytes:
            return adapters.keys.unwrap(tenant, wrapped)

    late = Vault(replace(adapters, keys=Overtaken()))
    item = sealed(late, "mine")
    assert [one.unseal(ACME, item), other.unseal(ACME, item)] == ["mine", "mine"]


@pytest.mark.req("R262")
def test_a_tag_is_good_for_its_tenant_purpose_and_message_only(vault: Vault) -> None:
    tag = vault.sign(ACME, "block", b"message")
    vault.sign(OTHER, "block", b"message")
    assert vault.verify(ACME, "block", b"message", tag)
    assert not vault.verify(ACME, "block", b"massage", tag)
    assert not vault.verify(ACME, "turn", b"message", tag)
    assert not vault.verify(OTHER, "block", b"message", tag)


@pytest.mark.req("R262")
def test_a_vault_that_signs_with_an_earlier_key_makes_the_tags_that_were_made_then(
    vault: Vault, adapters: Adapters
) -> None:
    tag = vault.sign(ACME, "block", b"message")
    vault.rotate(ACME)
    assert Vault(adapters).sign(ACME, "block", b"message").startswith("2.")
    assert Vault(adapters, signs_with=1).sign(ACME, "block", b"message") == tag


@pytest.mark.req("R262")
@pytest.mark.parametrize("tag", ["", ".", "1", "1.", "1.00", "2.ab", "-1.ab", "1e3.a", "٣.ab", "9999999.ab", "1.ü"])
def test_a_malformed_tag_is_just_wrong(vault: Vault, tag: str) -> None:
    vault.sign(ACME, "block", b"message")
    assert not vault.verify(ACME, "block", b"message", tag)


@pytest.mark.req("R262")
def test_a_tenant_without_a_key_has_no_genuine_tags_and_gets_no_key_by_asking(vault: Vault, adapters: Adapters) -> None:
    assert not vault.verify(ACME, "block", b"message", "1." + "0" * 32)
    assert adapters.table.get(Key(keys_pk(ACME), key_sk(1))) is None


@given(json_values)
def test_packed_values_come_back(value: object) -> None:
    assert codec.unpack(codec.pack(value)) == value


@given(st.binary(max_size=40))
def test_other_bytes_are_no_packed_data(data: bytes) -> None:
    if data[:4] != b"\x28\xb5\x2f\xfd":
        with pytest.raises(ValueError, match=r"not packed|Expecting|decode"):
            codec.unpack(data)


@pytest.mark.slow
@given(st.dictionaries(st.text(max_size=4), json_values, max_size=5))
def test_equal_values_have_one_canonical_text(value: dict[str, object]) -> None:
    assert codec.canonical(value) == codec.canonical(dict(reversed(list(value.items()))))


@given(st.binary(max_size=50), st.binary(max_size=50), st.binary(max_size=20), st.binary(max_size=20))
def test_a_seal_opens_only_with_its_own_key_and_context(plain: bytes, key: bytes, one: bytes, other: bytes) -> None:
    secret = key.ljust(32, b"k")[:32]
    box = cipher.seal(secret, bytes(12), plain, one)
    assert cipher.unseal(secret, box, one) == plain
    assert len(box) == cipher.NONCE_BYTES + len(plain) + cipher.TAG_BYTES
    if one != other:
        with pytest.raises(CorruptData):
            cipher.unseal(secret, box, other)


@pytest.fixture
def newer(monkeypatch: pytest.MonkeyPatch) -> int:
    """Make this program one that stores in the next format."""
    for module in (data_key, vault_module):
        monkeypatch.setattr(module, "FORMAT", FORMAT + 1)
    return FORMAT + 1


@pytest.mark.req("R304")
def test_a_program_of_a_newer_format_makes_a_key_before_it_seals_at_which_older_ones_stop(
    adapters: Adapters, newer: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as older:
        for module in (data_key, vault_module):
            older.setattr(module, "FORMAT", FORMAT)
        old = sealed(Vault(adapters), "old")
    first = adapters.table.get(Key(keys_pk(ACME), key_sk(1))) or {}
    assert "format" not in first
    program = Vault(adapters)

    assert program.unseal(ACME, old) == "old"
    assert adapters.table.get(Key(keys_pk(ACME), key_sk(2))) is None
    new = [sealed(program, number) for number in range(3)]

    assert [each["kid"] for each in new] == [2, 2, 2]
    assert (adapters.table.get(Key(keys_pk(ACME), key_sk(2))) or {})["format"] == newer
    assert adapters.table.get(Key(keys_pk(ACME), key_sk(1))) == first
    assert Vault(adapters).unseal(ACME, new[0]) == 0
    monkeypatch.undo()
    for call in (lambda: Vault(adapters).unseal(ACME, new[0]), lambda: Vault(adapters).prepare(ACME)):
        with pytest.raises(NewerStore, match=f"format {newer}, and this one reads up to format {FORMAT}"):
            call()
    with pytest.raises(NewerStore):
        Vault(adapters).rotate(ACME)


@pytest.mark.req("R304")
def test_processes_of_a_newer_format_agree_on_one_new_key(adapters: Adapters, newer: int) -> None:
    early, late = Vault(adapters), Vault(adapters)
    adapters.table.put(Put(WrappedKey(1, adapters.keys.generate(ACME).wrapped, None).to_item(ACME)))
    early.prepare(ACME)
    late.prepare(ACME)

    assert [sealed(each, "new")["kid"] for each in (early, late)] == [2, 2]
    assert (adapters.table.get(Key(keys_pk(ACME), key_sk(2))) or {})["format"] == newer


@pytest.mark.req("R303")
def test_a_key_that_was_kept_while_the_clock_ran_ahead_is_asked_for_again(adapters: Adapters, clock: Any) -> None:
    """Else a process would seal under a key that was rotated and deleted long since."""
    vault = Vault(adapters)
    clock.advance(days=365)
    sealed(vault, "said ahead")
    clock.advance(days=-365)
    rotated = Vault(adapters).rotate(ACME)

    assert sealed(vault, "said in time")["kid"] == rotated


@pytest.mark.req("R310")
def test_a_tenant_is_given_its_first_key_once_and_none_is_unwrapped_for_it(adapters: Adapters) -> None:
    keys = CountingKeys(adapters.keys)
    counted = replace(adapters, keys=keys)

    for vault in (Vault(counted), Vault(counted)):
        vault.establish(ACME)
        vault.establish(ACME)

    assert (keys.generated, keys.unwrapped) == (1, 0)
    newest = Vault(adapters).newest(ACME)
    assert newest is not None
    assert newest.number == 1


@pytest.mark.req("R310")
def test_a_tenant_whose_key_was_erased_is_given_another_once_the_store_is_asked_again(
    vault: Vault, adapters: Adapters, clock: Any
) -> None:
    vault.establish(ACME)
    adapters.table.delete(Delete(Key(keys_pk(ACME), key_sk(1))))
    clock.advance(seconds=KEY_LIFETIME.total_seconds() - 1)
    vault.establish(ACME)
    assert vault.newest(ACME) is None

    clock.advance(seconds=1)
    vault.establish(ACME)

    assert vault.newest(ACME) is not None
