"""A branch begins with what its project knows, keeps what is done on it to itself, and is merged or dropped once."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from cairn.branches import retelling
from cairn.branches.branching import branches, close, create, drop
from cairn.branches.merge import merge
from cairn.branches.model import Merged
from cairn.conversation.highlights import Highlights
from cairn.ground.adapters import Adapters
from cairn.ground.errors import Conflict, InvalidArgument, NotFound, QuotaExceeded, Unavailable
from cairn.ground.ids import Project, SessionId, UserId, project_or_branch
from cairn.ground.settings import MemorySettings
from cairn.ground.table import Key
from cairn.log.layout import ACROSS, is_entry, log_pk, registry_pk, registry_sk
from cairn.memories.correct import correct
from cairn.process.system import in_turn
from cairn.sessions.head import stored_head
from cairn.sessions.layout import HEAD, session_pk
from cairn.sessions.summary import Summary
from support.branches import ADA, TRY, Side
from support.custody import LARGE
from support.doubles import Counted, FakeClock
from support.memory_store import MemoryBlobs, MemoryTable
from support.overview import TENANT


@pytest.fixture
def trunk(adapters: Adapters) -> Side:
    return Side(replace(adapters, table=MemoryTable(), blobs=MemoryBlobs(), parallel=in_turn))


@pytest.fixture
def branch(trunk: Side, clock: FakeClock) -> Side:
    """Return a branch of a project in which a little was said."""
    trunk.say("t1", "I live in Oslo. The shed is red.")
    clock.sleep(60)
    trunk.keep("The gate is red.")
    clock.sleep(60)
    create(trunk.services, TENANT, TRY)
    clock.sleep(60)
    return Side(trunk.adapters, TRY)


def rows(side: Side) -> list[Any]:
    table: Any = side.adapters.table
    return sorted((item["pk"], item["sk"]) for item in table.items() if "keys" not in item["pk"])


def blobs(side: Side) -> int:
    stored: Any = side.adapters.blobs
    return len(stored.blobs)


def test_a_branch_knows_what_its_project_knows(trunk: Side, branch: Side) -> None:
    assert branch.seen() == trunk.seen()
    assert any("Oslo" in each for each in branch.found("Where do I live?"))


def test_a_process_that_knows_a_branch_does_not_read_its_beginning_again(branch: Side) -> None:
    calls = list[str]()
    table: Any = Counted(branch.adapters.table, calls)
    reader = Side(replace(branch.adapters, table=table), TRY)
    reader.found()
    cold = len(calls)
    calls.clear()

    reader.found()

    assert len(calls) < cold


def test_a_session_on_a_branch_goes_on_from_the_summary_and_no_more_turns_than_are_wanted(
    trunk: Side, clock: FakeClock
) -> None:
    for number in range(4):
        trunk.say(f"t{number}", f"Row {number} holds beans.")
        clock.sleep(60)
    summary = Summary(through=1, turns=1, highlights=Highlights(topics=("beans",)))
    trunk.services.sessions.store_summary(trunk.session(), summary, clock.now())
    create(trunk.services, TENANT, TRY)
    clock.sleep(60)
    Side(trunk.adapters, TRY).say("t4", "Row 4 holds peas.")

    on_branch = Side(trunk.adapters, TRY)
    recent = on_branch.services.sessions.recent(on_branch.session(), 4)

    assert ([seq for seq, _ in recent.turns], recent.summary) == ([4, 5], summary)


def test_what_is_done_on_a_branch_is_only_there(trunk: Side, branch: Side) -> None:
    before = trunk.seen()
    branch.say("t2", "I moved to Bergen. The fence is red.")
    branch.keep("The door is red.")
    assert trunk.seen() == before
    assert branch.facts().keys() == {"Bergen"}
    assert {"Oslo"} == trunk.facts().keys()
    trunk.restart()
    branch.restart()
    assert trunk.seen() == before
    assert branch.facts().keys() == {"Bergen"}


def test_what_the_project_says_later_is_not_on_the_branch(trunk: Side, branch: Side) -> None:
    before = branch.seen()
    trunk.say("t2", "I moved to Bergen. The fence is red.")
    assert branch.seen() == before
    branch.restart()
    assert branch.seen() == before


def test_a_merged_branch_is_in_the_project_and_nothing_of_it_elsewhere(trunk: Side, branch: Side) -> None:
    branch.say("t2", "I moved to Bergen. The fence is red.")
    branch.keep("The door is red.")
    told = branch.seen()
    assert merge(trunk.services, TENANT, TRY) == Merged(turns=1, changes=1, left_out=0)
    assert not [row for row in rows(trunk) if "@" in row[0] or "branch#" in row[1]]
    assert trunk.seen() == told
    trunk.restart()
    assert trunk.seen() == told


def test_a_dropped_branch_leaves_nothing(trunk: Side, branch: Side) -> None:
    there = rows(trunk)
    branch.say("t2", "I moved to Bergen. The fence is red. " + LARGE)
    assert blobs(trunk)
    branch.keep("The door is red.")
    branch.forget(branch.keep("The hat is red.", "session"))
    drop(trunk.services, TENANT, TRY)
    assert rows(trunk) == [row for row in there if "branch#" not in row[1]]
    assert blobs(trunk) == 0


def test_a_process_that_knew_a_branch_neither_reads_nor_writes_it_once_it_is_gone(trunk: Side, branch: Side) -> None:
    branch.say("t2", "I moved to Bergen.")
    branch.seen()
    drop(trunk.services, TENANT, TRY)
    left = rows(trunk)
    for act in (branch.seen, lambda: branch.say("t3", "The roof is red."), lambda: branch.keep("The hat is red.")):
        with pytest.raises(NotFound, match="no such branch"):
            act()
    assert [row for row in rows(trunk) if row not in left and not row[1].startswith("turn#")] == []


def test_another_branch_of_the_name_is_not_taken_for_the_one_before(
    trunk: Side, branch: Side, clock: FakeClock
) -> None:
    branch.say("t2", "I moved to Bergen.")
    branch.seen()
    drop(trunk.services, TENANT, TRY)
    trunk.say("t3", "I moved to Rome.")
    clock.sleep(60)
    create(trunk.services, TENANT, TRY)
    assert branch.seen() == trunk.seen()
    branch.say("t4", "The roof is red.")
    assert branch.facts().keys() == {"Rome"}


def test_a_branch_at_a_time_knows_what_was_believed_then(trunk: Side, clock: FakeClock) -> None:
    then = [clock.now()]
    for number, place in enumerate(("Oslo", "Bergen", "Rome", "Lima")):
        trunk.say(f"t{number}", f"I live in {place}.")
        trunk.keep(f"The gate of {place} is red.")
        then.append(clock.now())
        clock.sleep(60)
    trunk.services.indexer.rebuild(TENANT, trunk.project, "u:ada")
    for number, moment in enumerate(then[1:]):
        name = Project(f"garden@then-{number}")
        create(trunk.services, TENANT, name, at=moment + timedelta(seconds=1))
        at = moment + timedelta(seconds=1)
        side = Side(trunk.adapters, name)
        assert side.found("red gate", type="fact") == trunk.found("red gate", type="fact", as_of=at)
        assert side.found() == trunk.found(as_of=at)
        assert side.found("I live in") == trunk.found("I live in", as_of=at)


def test_segments_that_reach_beyond_a_branch_are_not_read_for_it(trunk: Side, branch: Side, clock: FakeClock) -> None:
    before = branch.seen()
    for number in range(70):
        trunk.say(f"s{number}", f"The fence number {number} is red.")
        clock.sleep(1)
    trunk.services.indexer.run(TENANT, trunk.project, "u:ada")
    assert branch.seen() == before
    branch.restart()
    assert branch.seen() == before
    name = Project("garden@later")
    create(trunk.services, TENANT, name)
    clock.sleep(60)
    later = Side(trunk.adapters, name)
    trunk.restart()
    assert later.seen() == trunk.seen()
    trunk.say("u1", "I moved to Lima.")
    assert later.facts().keys() == {"Oslo"}


def test_a_turn_that_the_project_takes_back_is_gone_from_the_branch(trunk: Side, branch: Side) -> None:
    assert branch.facts().keys() == {"Oslo"}
    branch.say("t2", "The fence is red.")
    trunk.undo("t1")
    trunk.say("t9", "I live in Lima.")  # under the number of the turn that is gone
    for _ in range(2):
        assert branch.facts() == {}
        assert "Oslo" not in str(branch.seen())
        assert "Lima" not in str(branch.seen())
        assert "The fence is red." in str(branch.placed())
        branch.restart()


def test_turns_of_the_project_are_not_taken_back_on_a_branch(branch: Side) -> None:
    with pytest.raises(NotFound):
        branch.undo("t1")
    branch.say("t2", "I moved to Bergen.")
    branch.undo("t2")
    assert branch.facts().keys() == {"Oslo"}


def test_of_what_both_speak_of_what_the_project_said_later_stands(trunk: Side, branch: Side, clock: FakeClock) -> None:
    branch.say("t2", "I moved to Bergen.")
    clock.sleep(60)
    trunk.say("t3", "I moved to Rome.")
    clock.sleep(60)
    branch.say("t4", "My name is Ada.")
    merge(trunk.services, TENANT, TRY)
    assert trunk.facts().keys() == {"Rome", "Ada"}
    trunk.restart()
    assert trunk.facts().keys() == {"Rome", "Ada"}


def test_of_what_both_speak_of_what_the_branch_said_later_counts(trunk: Side, branch: Side, clock: FakeClock) -> None:
    trunk.say("t3", "I moved to Rome.")
    clock.sleep(60)
    branch.say("t2", "I moved to Bergen.")
    merge(trunk.services, TENANT, TRY)
    trunk.restart()
    assert trunk.facts().keys() == {"Bergen"}


def test_memories_are_merged_once_and_what_the_project_forgot_stays_forgotten(trunk: Side, branch: Side) -> None:
    hat, door = branch.keep("The hat is red."), branch.keep("The door is red.")
    assert trunk.keep("The hat is red.") == hat
    assert trunk.keep("The door is red.") == door
    trunk.forget(door)
    gate = branch.keep("The gate is red.")  # which was kept before, so that this is no change
    branch.forget(gate)
    merge(trunk.services, TENANT, TRY)
    assert trunk.found() == [each for each in trunk.found() if "gate" not in each and "door" not in each]
    assert sum("The hat is red." in each for each in trunk.found()) == 1


def test_what_the_project_keeps_later_is_unknown_on_the_branch_and_may_be_kept_there_as_well(
    trunk: Side, branch: Side
) -> None:
    door = trunk.keep("The door is red.")
    with pytest.raises(NotFound):
        branch.forget(door)
    assert branch.keep("The door is red.") == door
    assert [text for text in branch.found() if "door" in text] == ["memory: The door is red."]
    branch.forget(door)
    assert "memory: The door is red." in trunk.found()


def test_a_merge_tells_the_project_of_a_log_that_was_begun_on_the_branch(trunk: Side, branch: Side) -> None:
    branch.keep("The door is blue.", user=UserId("bob"))
    merge(trunk.services, TENANT, TRY)
    assert (registry_pk(TENANT, trunk.project), registry_sk("u:bob")) in rows(trunk)


def test_a_merged_turn_follows_those_that_the_project_stored_since(trunk: Side, branch: Side) -> None:
    branch.say("t2", "The fence is red.")
    branch.say("t3", "The roof is red.")
    trunk.say("t4", "The well is red.")
    assert merge(trunk.services, TENANT, TRY) == Merged(turns=2, changes=0, left_out=0)
    trunk.say("t5", "The pond is red.")
    said = [text for text in trunk.placed() if text.endswith("is red.")]
    things = ("shed", "well", "fence", "roof", "pond")
    assert [text.split()[-3] for text in said] == list(things)
    found = {text.split()[-3] for text in trunk.found("What is red?") if text.startswith("turn:") and "is red" in text}
    assert found == set(things)
    assert trunk.undo("t5").items == 2
    assert trunk.undo("t3").items == 2


def test_a_session_s_head_tells_of_the_turns_that_were_merged(trunk: Side, branch: Side) -> None:
    branch.say("t2", "I moved to Bergen.")
    merge(trunk.services, TENANT, TRY)
    told: Any = trunk.adapters.table.get(Key(session_pk(trunk.session()), HEAD))
    across = log_pk(TENANT, trunk.project, f"{ACROSS}u:ada")
    newest = max(sk for pk, sk in rows(trunk) if pk == across and is_entry(sk))
    assert (told["seq"], told["turn_id"], told["across"]) == (2, "t2", newest)


def test_a_turn_of_an_id_that_the_session_has_is_left_out(trunk: Side, branch: Side) -> None:
    branch.say("t2", "I moved to Bergen.")
    trunk.say("t2", "I moved to Bergen.")
    assert merge(trunk.services, TENANT, TRY) == Merged(turns=0, changes=0, left_out=1)
    assert sum("I moved to Bergen." in text for text in trunk.placed()) == 1
    assert trunk.say("t2", "I moved to Bergen.").replayed


def test_a_branch_of_a_session_is_of_no_other(trunk: Side, clock: FakeClock) -> None:
    trunk.say("t1", "I live in Oslo.")
    trunk.say("t2", "The shed is red.", "friday")
    create(trunk.services, TENANT, TRY, SessionId("monday"))
    branch = Side(trunk.adapters, TRY)
    assert branch.say("t3", "I moved to Bergen.").facts_written == 1
    with pytest.raises(InvalidArgument, match="not on this branch"):
        branch.say("t4", "The roof is red.", "friday")
    clock.sleep(60)
    merge(trunk.services, TENANT, TRY)
    assert trunk.facts().keys() == {"Bergen"}


def test_a_session_that_was_archived_since_goes_on_where_it_was(trunk: Side, branch: Side, clock: FakeClock) -> None:
    before = branch.found("What is red?")
    clock.advance(days=3)
    trunk.say("t2", "The fence is red.")
    trunk.services.maintenance.run(trunk.session())
    branch.restart()
    assert branch.found("What is red?") == before
    branch.say("t3", "The roof is red.")
    head = stored_head(branch.adapters.table, branch.session())
    assert head is not None
    assert (head.begins, head.seq) == (1, 2)


@pytest.mark.usefixtures("branch")
def test_names_and_times_that_are_none_are_refused(trunk: Side, clock: FakeClock) -> None:
    with pytest.raises(InvalidArgument, match="future"):
        create(trunk.services, TENANT, Project("garden@next"), at=clock.now() + timedelta(hours=1))
    with pytest.raises(NotFound, match="Nothing is remembered"):
        create(trunk.services, TENANT, Project("shop@try-1"))
    with pytest.raises(NotFound, match="no such session"):
        create(trunk.services, TENANT, Project("garden@next"), SessionId("sunday"))
    with pytest.raises(Conflict, match="another branch"):
        create(trunk.services, TENANT, TRY, SessionId("monday"))
    with pytest.raises(NotFound, match="no such branch"):
        merge(trunk.services, TENANT, Project("garden@next"))
    assert create(trunk.services, TENANT, TRY) == branches(trunk.services, TENANT, trunk.project)[0]
    for name in ("garden@", "garden@a@b", "@a", "garden@a/b", "garden@a b"):
        with pytest.raises(InvalidArgument):
            project_or_branch(name)


def test_a_drop_that_began_is_not_merged(trunk: Side, branch: Side) -> None:
    branch.say("t2", "I moved to Bergen.")
    close(trunk.services, TENANT, TRY, "drop")
    with pytest.raises(Conflict, match="drop it again"):
        merge(trunk.services, TENANT, TRY)
    with pytest.raises(Conflict, match="drop it again"):
        branch.say("t3", "The roof is red.")
    drop(trunk.services, TENANT, TRY)
    assert trunk.facts().keys() == {"Oslo"}


def test_a_merge_is_over_where_the_branch_is_dropped_meanwhile(trunk: Side, branch: Side) -> None:
    branch.say("t2", "I moved to Bergen.")
    table: Any = _Overtaken(trunk.adapters.table, lambda: close(trunk.services, TENANT, TRY, "drop"))
    with pytest.raises(Conflict, match="drop it again"):
        merge(Side(replace(trunk.adapters, table=table)).services, TENANT, TRY)
    assert trunk.facts().keys() == {"Oslo"}


def test_a_merge_that_goes_on_needs_no_session_of_which_all_came(
    trunk: Side, branch: Side, monkeypatch: pytest.MonkeyPatch
) -> None:
    def cut(*_: object) -> None:
        raise Unavailable("cut off")

    branch.say("t2", "I moved to Bergen.")
    with monkeypatch.context() as patched:
        patched.setattr("cairn.branches.merge.settle", cut)
        with pytest.raises(Unavailable):
            merge(trunk.services, TENANT, TRY)
    trunk.services.sessions.lease(trunk.session(), "somebody", MemorySettings(guard_lease_seconds=900))

    assert merge(trunk.services, TENANT, TRY) == Merged(turns=1, changes=0, left_out=0)


def test_what_a_merge_came_to_is_told_again_for_a_week(trunk: Side, branch: Side, clock: FakeClock) -> None:
    branch.say("t2", "I moved to Bergen.")
    told = merge(trunk.services, TENANT, TRY)
    clock.advance(days=7, seconds=-1)
    assert merge(trunk.services, TENANT, TRY) == told
    clock.advance(seconds=1)
    with pytest.raises(NotFound, match="no such branch"):
        merge(trunk.services, TENANT, TRY)


def test_a_person_puts_right_what_is_believed_on_a_branch_alone(trunk: Side, branch: Side) -> None:
    oslo = branch.facts()["Oslo"]
    correct(branch.services, branch.session(), ADA, oslo, "Bergen")
    assert branch.facts().keys() == {"Bergen"}
    assert trunk.facts().keys() == {"Oslo"}
    merge(trunk.services, TENANT, TRY)
    assert trunk.facts().keys() == {"Bergen"}


class _Overtaken:
    """A table before whose next transaction something else is done."""

    def __init__(self, table: Any, first: Any) -> None:
        self._table, self._first = table, first

    def transact(self, writes: Any) -> None:
        first, self._first = self._first, None
        if first:
            first()
        self._table.transact(writes)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._table, name)


@pytest.mark.parametrize("end", [merge, drop])
@pytest.mark.parametrize("act", ["say", "keep", "forget", "correct"])
def test_what_is_written_while_a_branch_is_closed_is_refused(trunk: Side, branch: Side, end: Any, act: str) -> None:
    branch.say("t2", "I moved to Bergen.")
    gate, home = branch.keep("The gate is red."), branch.facts()["Bergen"]
    left = Side(trunk.adapters, TRY)
    left.seen()
    table: Any = _Overtaken(trunk.adapters.table, lambda: end(trunk.services, TENANT, TRY))
    late = Side(replace(trunk.adapters, table=table), TRY)
    acts: dict[str, Any] = {
        "say": lambda: late.say("t3", "The roof is red."),
        "keep": lambda: late.keep("The roof is red."),
        "forget": lambda: late.forget(gate),
        "correct": lambda: correct(late.services, late.session(), ADA, home, "Lima"),
    }
    with pytest.raises((Conflict, NotFound)):
        acts[act]()
    assert not [row for row in rows(trunk) if "@" in row[0] and not row[1].startswith(("turn#", "e#~", "id#"))]
    assert "roof" not in str(trunk.seen())
    assert any("gate" in text for text in trunk.found())


@pytest.mark.parametrize("session", ["monday", ""], ids=["of a session", "of none"])
def test_a_merge_says_that_more_memories_are_kept_than_there_is_room_for(
    trunk: Side, branch: Side, session: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    trunk.keep("The door is red.", session=session)
    branch.keep("The fence is red.", session=session)
    monkeypatch.setattr(retelling, "MOST_PER_SESSION", 1)
    with pytest.raises(QuotaExceeded):
        merge(branch.services, TENANT, TRY)
    monkeypatch.undo()
    assert merge(branch.services, TENANT, TRY) == Merged(turns=0, changes=1, left_out=0)
    assert "fence" in str(trunk.found("fence", session=session))
