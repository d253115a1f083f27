"""Memory in a program's own process: what is kept is found again, by its user alone, from any object."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, NoReturn

import pytest
from pydantic import BaseModel

from cairn import Memory, wiring
from cairn.client.answers import Prepared
from cairn.ground.errors import Conflict, InternalError, InvalidArgument, NotFound, PayloadTooLarge, SettingsError
from cairn.local.store import LOCAL_TENANT, operator_services
from cairn.messages.formats import FORMATS, Format
from support.vendors import JUDGES

TALK = [
    {"role": "user", "content": "My name is Ada."},
    {"role": "assistant", "content": "Hello, Ada!"},
    {"role": "user", "content": "I grow beans in Oslo."},
    {"role": "assistant", "content": "Beans like sun."},
]


def texts(prepared: Prepared) -> str:
    return json.dumps(prepared.input_items)


def contents(found: Any) -> list[str]:
    return [each.content for each in found]


@pytest.mark.req("R286")
def test_what_one_object_keeps_another_finds_in_a_session_of_its_own(memory: Memory) -> None:
    added = memory.add(TALK, user="ada")

    with Memory(user="ada") as later:
        found = later.search("What grows in Oslo?")
        prepared = later.before_turn("What should I plant in Oslo?")

    assert added.items == 4
    assert "I grow beans in Oslo." in contents(found)
    assert prepared.session != added.session
    assert "I grow beans in Oslo." in texts(prepared)


def test_a_result_says_who_said_it_when_and_where(memory: Memory) -> None:
    added = memory.add(TALK, user="ada", session="monday", turn_id="first")

    best = memory.search("Who likes sun?", user="ada", filters={"type": "turn"})[0]

    assert (best.content, best.who, best.session, best.turn_id) == ("Beans like sun.", "assistant", "monday", "first")
    assert (best.kind, best.type, best.id) == ("turn", "turn", "first-out-0")
    assert best.when.utcoffset() is not None
    assert 0 < best.score <= 1
    assert added.turn_id == "first"


def test_a_fact_and_a_memory_say_what_they_are(memory: Memory) -> None:
    memory.add("My name is Ada.", user="ada", turn_id="first")
    kept = memory.remember("The north bed gets four hours of sun.", type="decision", user="ada", session="monday")

    newest, fact = memory.search(user="ada")

    assert (newest.id, newest.kind, newest.type, newest.who) == (kept.id, "memory", "decision", None)
    assert newest.session is None, "a memory may be everyone's, and whose session it was kept in is not"
    assert (fact.content, fact.kind, fact.who, fact.turn_id) == ("name: Ada", "fact", "user", "first")


@pytest.mark.parametrize(
    "names", [{"user": "ada"}, {"user_id": "ada"}, {"filters": {"user": "ada"}}, {"filters": {"user_id": "ada"}}]
)
def test_a_user_may_be_named_as_other_programs_name_one(memory: Memory, names: dict[str, Any]) -> None:
    memory.add(TALK, user_id="ada")

    assert len(memory.search("beans", **names)) > 0


def test_what_a_call_names_goes_before_what_the_object_was_opened_with(home: Path) -> None:
    with Memory(home / "store", user="ada", project="garden") as memory:
        memory.add("I grow beans.", user="ben", project="balcony")

        assert contents(memory.search("What grows?")) == []
        assert contents(memory.search("What grows?", user="ben")) == []
        assert "I grow beans." in contents(memory.search("What grows?", user="ben", project="balcony"))


def test_one_user_never_meets_what_another_said_to_the_same_object(memory: Memory) -> None:
    memory.add(TALK, user="ada")
    memory.remember("The key is under the third stone.", user="ada")

    asked = memory.before_turn("What grows in Oslo? Where is the key?", user="ben")

    assert contents(memory.search("What grows in Oslo?", user="ben")) == []
    assert "beans" not in texts(asked)
    assert "stone" not in texts(asked)
    assert memory.history(user="ben") == ()


@pytest.mark.req("R290")
@pytest.mark.parametrize("form", FORMATS)
def test_a_turn_is_prepared_in_the_format_of_the_program_s_model(memory: Memory, form: Format) -> None:
    memory.add(TALK, user="ada")

    prepared = memory.before_turn("What grows in Oslo?", user="ada", format=form)

    told = {"input_items": list(prepared.input_items), "system": prepared.system, "text": prepared.text}
    JUDGES[form](told)
    assert "I grow beans in Oslo." in json.dumps(told)
    assert (prepared.text is not None) == (form == "text")


@pytest.mark.req("R292")
def test_an_answer_says_whether_memory_likely_holds_one(memory: Memory) -> None:
    memory.add(TALK, user="ada")

    held, unknown = (memory.search(asked, user="ada") for asked in ("What is my name?", "Which tyres suit gravel?"))

    assert "likely to answer this" in held.says
    assert unknown.says == "nothing related to this among 5 texts"
    assert (held.likelihood or 0) > (unknown.likelihood or 0)
    assert memory.search(user="ada").likelihood is None
    assert memory.before_turn("What is my name?", user="ada").likelihood == held.likelihood


@pytest.mark.req("R287")
def test_what_is_kept_for_a_user_everywhere_is_found_in_another_project(memory: Memory) -> None:
    memory.remember("Ada reads diagrams better than prose.", scope="user_everywhere", user="ada", project="garden")

    assert "Ada reads diagrams better than prose." in contents(memory.search("diagrams", user="ada", project="house"))


@pytest.mark.parametrize("call", ["add", "search", "before_turn", "remember", "forget"])
def test_a_call_about_nobody_is_refused_since_nobody_would_find_it_again(memory: Memory, call: str) -> None:
    with pytest.raises(InvalidArgument, match="user is required") as refused:
        getattr(memory, call)("I grow beans.")

    assert list(refused.value.details["fields"]) == ["user"]  # pyright: ignore[reportArgumentType, reportUnknownVariableType, reportUnknownArgumentType, reportCallIssue]


def test_a_session_is_enough_and_what_is_said_in_it_stays_there(memory: Memory) -> None:
    memory.add("I grow beans.", session="monday")

    assert "I grow beans." in contents(memory.search("What grows?", session="monday"))
    assert contents(memory.search("What grows?", session="tuesday")) == []


def test_a_turn_is_stored_once_under_its_id_and_never_with_other_words(memory: Memory) -> None:
    first = memory.after_turn("I grow beans.", "Fine.", user="ada", turn_id="turn-1")
    again = memory.after_turn("I grow beans.", "Fine.", user="ada", turn_id="turn-1")

    assert (first.items, first.replayed, again.replayed) == (2, False, True)
    assert contents(memory.history(user="ada")) == ["I grow beans.", "Fine."]
    with pytest.raises(Conflict):
        memory.after_turn("I grow peas.", "Fine.", user="ada", turn_id="turn-1")


def test_turns_without_an_id_are_turns_of_their_own(memory: Memory) -> None:
    memory.add("Yes.", user="ada")
    memory.add("Yes.", user="ada")

    assert contents(memory.history(user="ada")) == ["Yes.", "Yes."]


def test_the_model_of_a_vendor_s_sdk_is_taken_as_a_message(memory: Memory) -> None:
    class Reply(BaseModel):
        role: str = "assistant"
        content: str = "Beans like sun."
        refusal: str | None = None

    memory.add([{"role": "user", "content": "What do beans like?"}, Reply()], user="ada")

    (_, reply) = memory.history(user="ada")
    assert (reply.who, reply.content, dict(reply.item)) == (
        "assistant",
        "Beans like sun.",
        {"role": "assistant", "content": "Beans like sun."},
    )


@pytest.mark.parametrize(
    ("messages", "place"),
    [([{"role": "user", "content": "Hi"}, 7], "messages[1]"), ([{"role": "user", "content": b"Hi"}], "arguments")],
)
def test_what_is_no_message_is_refused_by_its_place(memory: Memory, messages: list[Any], place: str) -> None:
    with pytest.raises(InvalidArgument) as refused:
        memory.add(messages, user="ada")

    assert place in str(refused.value)


def test_the_limits_of_a_request_hold_in_this_process_too(memory: Memory) -> None:
    with pytest.raises(PayloadTooLarge):
        memory.add(["x" * 150_000] * 20, user="ada")


def test_a_memory_is_forgotten_by_its_id_and_what_was_never_there_is_not(memory: Memory) -> None:
    kept = memory.remember("The shed is red.", user="ada")
    assert contents(memory.search("Which colour has the shed?", user="ada")) == ["The shed is red."]

    forgotten = memory.forget(kept.id, reason="It was painted.", user="ada")

    assert forgotten.id == kept.id
    assert contents(memory.search("Which colour has the shed?", user="ada")) == []
    with pytest.raises(NotFound):
        memory.forget("u-" + "0" * 32, user="ada")


def test_history_comes_back_in_order_and_whole_however_long_it_is(memory: Memory) -> None:
    words = [f"Line {number} of \u2028 a long talk, {'ö' * 900}" for number in range(40)]
    for number, said in enumerate(words):
        memory.after_turn(said, f"Heard {number}.", session="monday", user="ada")

    told = memory.history(session="monday")

    assert [each.content for each in told if each.who == "user"] == words
    assert contents(memory.history(session="monday", limit=3)) == ["Heard 38.", words[39], "Heard 39."]
    assert {each.user for each in told} == {"ada"}
    assert memory.history(session="tuesday") == ()


def test_a_long_answer_goes_on_at_its_cursor(memory: Memory) -> None:
    for number in range(5):
        memory.add(f"Bed {number} has beans.", user="ada")

    first = memory.search("Which beds have beans?", user="ada", limit=3, filters={"type": "turn"})
    rest = memory.search("Which beds have beans?", user="ada", cursor=first.cursor or 0, filters={"type": "turn"})

    assert (len(first), first.more, len(rest)) == (3, 2, 2)
    assert not {each.id for each in first} & {each.id for each in rest}


def test_an_unknown_name_and_two_that_differ_are_mistakes_of_the_program(memory: Memory) -> None:
    with pytest.raises(TypeError, match="agent"):
        memory.search("beans", agent="x")  # pyright: ignore[reportCallIssue, reportArgumentType] - what is under test
    with pytest.raises(InvalidArgument, match="user_id"):
        memory.search("beans", user="ada", user_id="ben")


@pytest.mark.req("R286")
def test_calls_pass_the_entrance_of_every_door_and_are_on_record(memory: Memory, home: Path) -> None:
    memory.add("I grow beans.", user="ada", project="garden")
    memory.close()

    audit = operator_services(home / ".local/share/cairn", {}).audit
    now = datetime.now(UTC)
    (record,) = audit.records(LOCAL_TENANT, now - timedelta(hours=1), now + timedelta(hours=1))

    assert (record.tool, record.subject.project, record.subject.user_id) == ("memory_after_turn", "garden", "ada")


def test_the_directory_is_private_is_made_and_may_be_chosen(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with Memory("~/made/here") as named:
        assert named.search("beans", user="ada") is not None
    monkeypatch.setenv("CAIRN_DATA", str(home / "elsewhere"))
    with Memory() as set_up:
        assert set_up.search("beans", user="ada") is not None

    for directory in (home / "made/here", home / "elsewhere"):
        assert (directory / "table.sqlite3").is_file()
        assert directory.stat().st_mode & 0o777 == 0o700


def test_a_directory_that_others_can_enter_is_refused_by_what_it_was_called(home: Path) -> None:
    (home / "open").mkdir(mode=0o755)
    (home / "open" / "file").touch()

    with pytest.raises(SettingsError, match=r"^store: others can enter"):
        Memory(home / "open")
    with pytest.raises(InvalidArgument, match="store"):
        Memory("")
    with pytest.raises(InvalidArgument, match="key"):
        Memory(home / "store", key="cairn_…")


def test_a_closed_memory_answers_nothing_and_may_be_closed_again(memory: Memory) -> None:
    memory.close()
    memory.close()

    with pytest.raises(RuntimeError, match="closed"):
        memory.search("beans", user="ada")


def test_two_directories_of_one_process_never_mix_and_leave_the_process_s_own_alone(home: Path) -> None:
    with Memory(home / "one", user="ada") as one, Memory(home / "two", user="ada") as two:
        one.add("I grow beans.")

        assert "I grow beans." in contents(one.search("What grows?"))
        assert contents(two.search("What grows?")) == []
        with pytest.raises(SettingsError):
            wiring.services()


def test_threads_share_one_object_and_every_turn_is_stored_once(memory: Memory) -> None:
    def tell(number: int) -> int:
        for _ in range(2):
            memory.add(f"Bed {number} has beans.", user="ada", session=f"s-{number % 3}", turn_id=f"turn-{number}")
        return len(memory.search("beans", user="ada"))

    with ThreadPoolExecutor(6) as threads:
        found = list(threads.map(tell, range(12)))

    told = [each.content for name in range(3) for each in memory.history(session=f"s-{name}")]
    assert sorted(told) == sorted(f"Bed {number} has beans." for number in range(12))
    assert min(found) >= 1


def test_a_missing_model_is_said_once_at_the_start_and_none_is_missing_that_nobody_wants(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CAIRN_EMBEDDING_DIRECTORY", str(home / "nowhere"))
    with Memory(home / "store", user="ada"):
        pass  # `none` is set: a warning would fail this test

    monkeypatch.setenv("CAIRN_EMBEDDING_EMBEDDER", "minilm")
    with pytest.warns(RuntimeWarning, match="words alone") as told:
        memory = Memory(home / "store", user="ada")
    memory.add("I grow beans.")

    assert memory.search("beans").by == "text"
    memory.close()
    assert [Path(each.filename).name for each in told] == [Path(__file__).name]


def test_nothing_is_printed(memory: Memory, capfd: pytest.CaptureFixture[str]) -> None:
    memory.add("I grow beans.", user="ada")
    with pytest.raises(InvalidArgument):
        memory.search("beans", user="ada", limit=0)
    memory.close()

    assert capfd.readouterr() == ("", "")


def test_what_fails_inside_is_shown_to_the_program_that_it_failed_in(
    memory: Memory, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    def fail(*_: object) -> NoReturn:
        raise OSError("the disk is on fire")

    memory.search("beans", user="ada")
    monkeypatch.setattr("cairn.memories.recall.recall", fail)
    monkeypatch.setattr("cairn.client.retries.MOST_CALLS", 1)

    with pytest.raises(InternalError) as failed:
        memory.search("beans", user="ada")

    assert isinstance(failed.value.__cause__, OSError)
    assert capfd.readouterr() == ("", "")


def test_a_mistake_of_the_program_is_shown_where_it_was_made(memory: Memory) -> None:
    with pytest.raises(InvalidArgument) as refused:
        memory.search("beans", user="ada", limit=0)

    shown = [Path(frame.path).name for frame in refused.traceback]
    assert shown == ["test_memory_in_process.py", "memory.py", "retries.py", "embedded.py"]


def test_what_is_shown_of_an_object_says_where_and_whose(home: Path) -> None:
    with Memory(home / "store", user="ada") as memory:
        assert repr(memory) == f"Memory('{home}/store', project='default', user='ada')"
