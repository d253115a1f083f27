"""What is archived of a session, what is refused, and what a card shows of it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cairn.archive.archive import Archive
from cairn.archive.card import SUMMARY_CHARACTERS, TITLE_CHARACTERS, card
from cairn.archive.model import KEPT_FIELDS, Deposit, kept_fields
from cairn.detection import detector
from cairn.ground.adapters import Adapters
from cairn.ground.errors import DetectionFailed, InvalidArgument, SecretDetected
from cairn.ground.ids import SessionId
from cairn.ground.settings import ArchiveSettings
from cairn.settings.settings import Settings
from support.archive import ACME, SESSION, archive_of, deposit, fields_of
from support.services import services_over


@pytest.mark.req("R181")
@pytest.mark.req("R184")
@pytest.mark.req("R207")
def test_what_is_archived_is_found_and_comes_back_in_another_process(archive: Archive, adapters: Adapters) -> None:
    receipt = archive.store(ACME, deposit("garden"))

    reader = archive_of(adapters)
    [found] = reader.query(ACME, "", ["garden"], 10)
    assert found.digest == receipt.digest
    assert reader.retrieve(ACME, found.digest) == SESSION


@pytest.mark.req("R189")
def test_only_six_fields_survive(archive: Archive) -> None:
    receipt = archive.store(ACME, deposit(transcript=["long"], cwd="/home", summary={"text": "kept", "deep": [1]}))

    session = archive.retrieve(ACME, receipt.digest)
    assert tuple(session) == tuple(sorted(KEPT_FIELDS))
    assert session["summary"] == {"text": "kept", "deep": [1]}


def test_a_session_that_says_it_is_another_one_is_refused_and_one_that_says_nothing_is_named(archive: Archive) -> None:
    monday = SessionId("monday")
    with pytest.raises(InvalidArgument) as refusal:
        archive.store(ACME, Deposit(session_id=monday, session={"session_id": "tuesday"}))
    assert fields_of(refusal) == ["session.session_id"]

    receipt = archive.store(ACME, Deposit(session_id=monday, session={}))
    assert archive.retrieve(ACME, receipt.digest) == {"session_id": "monday"}


SECRETS = {
    "aws_access_key_id": "AKIAIOSFODNN7EXAMPLE",
    "high_entropy_key": "aB3dE5fG7hJ9kL1mN3pQ5rS7tU9vW1xY3z",
    "private_key": "-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaC1rZXktdjEA",
    "email": "ada.lovelace@garden.org",
    "card_number": "4111 1111 1111 1111",
    "exported_secret": "export DEPLOY_PASSPHRASE=tulips-and-roses-9",
}
PLACES: dict[str, Callable[[str], Deposit]] = {
    "a kept field": lambda secret: deposit(summary=f"It said {secret} to me"),
    "a field that would be dropped": lambda secret: deposit(notes=secret),
    "a nested value": lambda secret: deposit(notes={"a": [{"b": secret}]}),
    "an entry of a list": lambda secret: deposit(tags=["x", secret]),
    "a key": lambda secret: deposit(notes={secret: 1}),
}


@pytest.mark.req("R186")
@pytest.mark.req("R187")
@pytest.mark.req("R188")
@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("rule", SECRETS)
def test_a_secret_anywhere_is_refused_by_the_name_of_its_rule_and_nothing_is_written(
    archive: Archive, store: Any, place: str, rule: str
) -> None:
    before = store.rows()
    for attempt in (archive.store, archive.preview):
        with pytest.raises(SecretDetected) as refusal:
            attempt(ACME, PLACES[place](SECRETS[rule]))
        assert refusal.value.details == {"rules": [rule]}
        assert SECRETS[rule] not in str(refusal.value)
    assert store.rows() == before


RUNS = {
    "letters": "qwertyuiopasdfghjklzxcvbnmqwerty",
    "one letter": "a" * 32,
    "digits": "3141592653589793238462643383279502",
    "a digest": "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
    "an MD5 in capitals": "D41D8CD98F00B204E9800998ECF8427E",
    "long": "aB3" * 200,
}


@pytest.mark.req("R186")
@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("run", RUNS)
def test_a_run_of_32_letters_and_digits_is_refused_without_a_word_before_it(
    archive: Archive, store: Any, place: str, run: str
) -> None:
    before = store.rows()
    with pytest.raises(SecretDetected) as refusal:
        archive.store(ACME, PLACES[place](RUNS[run]))
    assert refusal.value.details["rules"]
    assert RUNS[run] not in str(refusal.value)
    assert store.rows() == before


@pytest.mark.req("R186")
def test_shorter_runs_and_parted_ones_are_archived(archive: Archive) -> None:
    text = f"{'a' * 31} 550e8400-e29b-41d4-a716-446655440000 Donaudampfschifffahrt-gesellschaft"
    receipt = archive.store(ACME, deposit(summary=text))

    assert archive.retrieve(ACME, receipt.digest)["summary"] == text


@pytest.mark.req("R186")
def test_a_setting_lets_hexadecimal_runs_in_and_no_others(adapters: Adapters) -> None:
    settings = Settings(memory_enabled=True, archive=ArchiveSettings(allow_hashes=True))
    lenient = Archive(services_over(adapters, settings))

    for run in ("a digest", "an MD5 in capitals"):
        receipt = lenient.store(ACME, deposit(notes=RUNS[run], summary=f"at {RUNS[run]}"))
        assert RUNS[run] in lenient.retrieve(ACME, receipt.digest)["summary"]
    for run in ("letters", "long"):
        with pytest.raises(SecretDetected):
            lenient.store(ACME, deposit(notes=RUNS[run]))
    with pytest.raises(SecretDetected):
        lenient.store(ACME, deposit(notes=f"api_key={RUNS['a digest']}"))


@pytest.mark.req("R188")
def test_a_secret_in_a_tag_is_refused(archive: Archive, store: Any) -> None:
    with pytest.raises(SecretDetected) as refusal:
        archive.store(ACME, deposit("garden", SECRETS["aws_access_key_id"]))

    assert refusal.value.details == {"rules": ["aws_access_key_id"]}
    assert store.rows() == 0


def test_a_session_id_may_look_like_a_key_since_it_is_an_id(archive: Archive) -> None:
    receipt = archive.store(ACME, deposit(session_id=SECRETS["high_entropy_key"]))

    assert archive.retrieve(ACME, receipt.digest)["session_id"] == SECRETS["high_entropy_key"]


@pytest.mark.req("R190")
def test_a_detector_that_fails_leaves_nothing_stored(
    archive: Archive, store: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(*_: object, **__: object) -> None:
        raise DetectionFailed("cannot be looked through")

    monkeypatch.setattr(detector, "scan", fails)
    with pytest.raises(DetectionFailed):
        archive.store(ACME, deposit())
    monkeypatch.undo()
    deep: Any = "bottom"
    for _ in range(200):
        deep = [deep]
    with pytest.raises(DetectionFailed):
        archive.store(ACME, deposit(notes=deep))
    assert store.rows() == 0


@pytest.mark.req("R275")
def test_a_preview_shows_the_card_that_storing_gives_and_writes_nothing(archive: Archive, store: Any) -> None:
    shown = archive.preview(ACME, deposit("garden"))

    assert store.rows() == 0
    assert archive.store(ACME, deposit("garden")).card == shown


def test_a_card_is_made_of_what_is_kept_alone() -> None:
    secret = "dropped on the way"
    session = kept_fields({**SESSION, "title": secret, "notes": secret}, SessionId("monday"))

    made = card(session, ("garden",))

    assert (made.title, made.summary) == ("Planned the rows.", "Planned the rows. Runner beans by the fence.")
    assert (made.tags, made.tool_name, made.success) == (("garden",), "planner", True)
    assert secret not in str(made)
    assert made == card(dict(reversed(session.items())), ("garden",))


@settings(max_examples=40)
@given(st.text(), st.none() | st.text() | st.integers() | st.lists(st.text()))
def test_a_card_has_a_title_and_an_end_whatever_the_summary_is(name: str, summary: object) -> None:
    made = card({"session_id": f"s{name}", "summary": summary, "success": summary, "timestamp": summary}, ())

    assert made.title
    assert len(made.title) <= TITLE_CHARACTERS
    assert len(made.summary) <= SUMMARY_CHARACTERS
    assert made.success is None
