"""Agents' transcripts, brought along: each turn once, as it was said, whoever stored it first."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from backports import zstd

from cairn.ground.ids import Project, SessionId, TurnId
from cairn.ground.session import Session
from cairn.local.bring.claude_code import read
from cairn.local.bring.found import Unreadable
from cairn.tool.call import Call
from cairn.turns.take_back import take_back
from support import hooks
from support.brought import (
    BEGAN,
    FOLDER,
    MEMORY,
    SESSION,
    ClaudeCode,
    Codex,
    Gemini,
    at,
    brought,
    figures,
    history,
    write,
)

WIDGET = ("widget", "ada")
OTHER = "0b1f7d1e-bbbb-4bbb-8ccc-1d2e3f405162"
KEY = "AKIA" + "QWERTYUIOPASDFGH"


def claude(tmp_path: Path) -> Path:
    told = ClaudeCode()
    told.lines.append({"type": "queue-operation", "operation": "enqueue", "content": "We use pnpm."})
    told.prompt("p1", "We use pnpm.", 0)
    told.added(f"{MEMORY}\n\n[m1] User: I like tea.\n\n[End of memory 1-1.0]")
    told.blocks([{"type": "thinking", "thinking": "Let me see."}], 1)
    told.answer("Looking.", 1)
    told.tool("toolu_1", "Bash", {"command": f"deploy {KEY}"}, {"stdout": "done"}, 1)
    told.answer("Noted.", 2)
    told.prompt(
        "p2",
        [{"type": "text", "text": "<ide_opened_file>a.py</ide_opened_file>"}, {"type": "text", "text": "Is it built?"}],
        5,
    )
    told.answer("It is.", 6)
    told.write(tmp_path)
    return tmp_path


def codex(tmp_path: Path) -> Path:
    told = Codex()
    told.message("developer", "<skills_instructions>\n## Skills\n</skills_instructions>")
    told.prompt("p1", "We use pnpm.", 0)
    told.message("developer", f"{MEMORY}\n\n[m1] User: I like tea.\n\n[End of memory 1-1.0]")
    told.message("assistant", "Looking.", 1)
    told.item(1, type="function_call", name="exec_command", arguments=f'{{"cmd": "deploy {KEY}"}}', call_id="call_1")
    told.item(1, type="function_call_output", call_id="call_1", output="done")
    told.message("assistant", "Noted.", 2)
    told.event(2, type="task_complete", turn_id="p1", last_agent_message="Noted.")
    told.prompt("p2", "Is it built?", 5)
    told.message("assistant", "It is.", 6)
    told.write(tmp_path)
    return tmp_path


def gemini(tmp_path: Path) -> Path:
    told = Gemini()
    hooked = {"text": f"<hook_context>{MEMORY}\n\n[m1] User: I like tea.\n\n[End of memory 1-1.0]</hook_context>"}
    told.say(0, "user", [{"text": "We use pnpm."}, hooked], displayContent=[{"text": "We use pnpm."}])
    call = {"id": "list_1", "name": "run_shell_command", "args": {"command": f"deploy {KEY}"}}
    told.say(1, "gemini", "Looking.")
    told.say(1, "gemini", "Looking.", toolCalls=[{**call, "result": [{"functionResponse": {"output": "done"}}]}])
    told.say(1.5, "user", [{"functionResponse": {"id": "list_1", "response": {"output": "done"}}}])
    told.say(2, "gemini", "Noted.")
    told.say(5, "user", [{"text": "Is it built?"}, hooked])
    told.say(6, "gemini", "It is.")
    told.write(tmp_path)
    return tmp_path


AGENTS: dict[str, Callable[[Path], Path]] = {"claude-code": claude, "codex": codex, "gemini": gemini}
agents = pytest.mark.parametrize(("agent", "wrote"), AGENTS.items(), ids=AGENTS)


@agents
@pytest.mark.req("R312")
def test_each_turn_has_its_prompt_what_tools_did_and_its_answers_and_nothing_that_was_added(
    agent: str, wrote: Callable[[Path], Path], call: Call, tmp_path: Path
) -> None:
    outcome = brought(call, agent, wrote(tmp_path))

    assert figures(outcome) == {WIDGET: (1, 2, 0, 0, 0)}
    assert (outcome.unreadable, outcome.unfinished) == ([], 0)
    first, second = (said for _, said in history(call))
    assert (first[0], first[-2:]) == (("user", "We use pnpm."), [("assistant", "Looking."), ("assistant", "Noted.")])
    assert second == [("user", "Is it built?"), ("assistant", "It is.")]
    (did, gave) = first[1:3]
    assert "deploy" in did[1]
    assert KEY not in did[1]
    assert (gave[0], "done" in gave[1]) == ("tool", True)


@agents
def test_a_second_run_stores_nothing_also_when_guards_are_gone(
    agent: str, wrote: Callable[[Path], Path], call: Call, clock: Any, tmp_path: Path
) -> None:
    brought(call, agent, wrote(tmp_path))
    before = history(call)
    assert figures(brought(call, agent, tmp_path)) == {WIDGET: (0, 0, 0, 2, 0)}
    clock.advance(days=40)
    assert figures(brought(call, agent, tmp_path)) == {WIDGET: (0, 0, 0, 2, 0)}
    assert history(call) == before


@agents
def test_a_dry_run_counts_the_same_and_writes_nothing(
    agent: str, wrote: Callable[[Path], Path], call: Call, store: Any, tmp_path: Path
) -> None:
    before = store.rows()
    assert figures(brought(call, agent, wrote(tmp_path), dry=True)) == {WIDGET: (1, 2, 0, 0, 0)}
    assert (store.rows(), call.services.vault.has_key(call.caller.tenant)) == (before, False)
    brought(call, agent, tmp_path)
    before = store.rows()
    assert figures(brought(call, agent, tmp_path, dry=True)) == {WIDGET: (0, 0, 0, 2, 0)}
    assert store.rows() == before


@agents
def test_what_was_said_keeps_its_time(agent: str, wrote: Callable[[Path], Path], call: Call, tmp_path: Path) -> None:
    brought(call, agent, wrote(tmp_path))
    of = Session(call.caller.tenant, Project("widget"), SessionId(SESSION))
    times = [{event.ts for event in events} for _, events in call.services.sessions.history(of)]
    assert times == [{BEGAN}, {BEGAN + timedelta(minutes=5)}]


@agents
def test_a_damaged_line_is_named_and_the_others_are_stored(
    agent: str, wrote: Callable[[Path], Path], call: Call, tmp_path: Path
) -> None:
    wrote(tmp_path)
    (file,) = tmp_path.rglob("*.jsonl")
    lines = file.read_text(encoding="utf-8").splitlines()
    write(file, [*lines[:1], '{"type": "user", "mess', *lines[1:], '"secret"'])
    outcome = brought(call, agent, tmp_path)

    assert figures(outcome) == {WIDGET: (1, 2, 0, 0, 0)}
    assert [str(place) for place in outcome.unreadable] == [f"{file}:2", f"{file}:{len(lines) + 2}"]


@agents
@pytest.mark.req("R311")
def test_a_run_that_was_stopped_goes_on_where_it_was(
    agent: str, wrote: Callable[[Path], Path], call: Call, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    from cairn.local.bring.storing import Storing  # noqa: PLC0415

    taken = Storing.take

    def stops(self: Storing, found: Any) -> None:
        if found.prompt == "Is it built?":
            raise KeyboardInterrupt
        taken(self, found)

    with monkeypatch.context() as patch:
        patch.setattr(Storing, "take", stops)
        with pytest.raises(KeyboardInterrupt):
            brought(call, agent, wrote(tmp_path))
    assert figures(brought(call, agent, tmp_path)) == {WIDGET: (1, 1, 0, 1, 0)}
    assert [said[0][1] for _, said in history(call)] == ["We use pnpm.", "Is it built?"]


def hook(agent: str, call: Call) -> None:
    """Tell what the hooks of an agent tell of the first of the turns."""
    same = {"session_id": SESSION, "cwd": FOLDER}
    if agent == "gemini":
        hooks.tell(
            call, {**same, "hook_event_name": "BeforeAgent", "timestamp": at(-0.05), "prompt": "We use pnpm."}, agent
        )
        end = {
            "hook_event_name": "AfterAgent",
            "timestamp": at(2),
            "prompt": "We use pnpm.",
            "prompt_response": "Noted.",
        }
        hooks.tell(call, {**same, **end}, agent)
        return
    name = "turn_id" if agent == "codex" else "prompt_id"
    hooks.tell(call, {**same, "hook_event_name": "UserPromptSubmit", name: "p1", "prompt": "We use pnpm."}, agent)
    hooks.tell(call, {**same, "hook_event_name": "Stop", name: "p1", "last_assistant_message": "Noted."}, agent)


@agents
@pytest.mark.req("R311")
def test_a_turn_that_hooks_stored_is_not_stored_again(
    agent: str, wrote: Callable[[Path], Path], call: Call, clock: Any, tmp_path: Path
) -> None:
    clock.time = BEGAN + timedelta(minutes=30)
    hook(agent, call)
    clock.advance(hours=3)

    assert figures(brought(call, agent, wrote(tmp_path), dry=True)) == {WIDGET: (1, 1, 0, 1, 0)}
    assert figures(brought(call, agent, tmp_path)) == {WIDGET: (1, 1, 0, 1, 0)}
    assert [said for _, said in history(call)] == [
        [("user", "We use pnpm."), ("assistant", "Noted.")],
        [("user", "Is it built?"), ("assistant", "It is.")],
    ]


@pytest.mark.req("R312")
def test_memory_that_stands_in_a_prompt_is_not_stored(call: Call, tmp_path: Path) -> None:
    hooks.tell(call, hooks.prompted("p1", "We use pnpm, never npm."))
    hooks.tell(call, hooks.answered("p1", "Noted."))
    memory = hooks.context(hooks.tell(call, hooks.prompted("p2", "Which tool do we use, pnpm?", OTHER)))
    told = ClaudeCode("third")
    told.prompt("p3", f"And pnpm here?\n\n{memory}")
    told.answer("Yes.")
    told.write(tmp_path)
    brought(call, "claude-code", tmp_path)

    assert "[End of memory" in memory
    assert history(call, "third") == [("p3", [("user", "And pnpm here?"), ("assistant", "Yes.")])]


@pytest.mark.req("R311")
def test_a_turn_that_hooks_wait_for_is_left_to_them(call: Call, tmp_path: Path) -> None:
    hooks.tell(call, hooks.prompted("p1", "We use pnpm."))
    assert figures(brought(call, "claude-code", claude(tmp_path))) == {WIDGET: (1, 1, 0, 1, 0)}


def test_a_turn_that_was_taken_back_does_not_come_back(call: Call, tmp_path: Path) -> None:
    brought(call, "claude-code", claude(tmp_path))
    take_back(call.services, Session(call.caller.tenant, Project("widget"), SessionId(SESSION)), TurnId("p2"))
    for dry in (True, False):
        assert figures(brought(call, "claude-code", tmp_path, dry=dry)) == {WIDGET: (0, 0, 0, 2, 0)}
    assert [turn for turn, _ in history(call)] == ["p1"]


def test_a_turn_that_goes_on_now_is_left_to_the_next_run(call: Call, clock: Any, tmp_path: Path) -> None:
    told = ClaudeCode()
    told.prompt("p1", "Build it.", 0)
    told.tool("toolu_1", "Bash", {"command": "make"}, {"stdout": "done"}, 1)
    told.write(tmp_path)
    clock.time = BEGAN + timedelta(minutes=30)
    outcome = brought(call, "claude-code", tmp_path)
    assert (figures(outcome), outcome.unfinished) == ({}, 1)

    clock.advance(hours=1)
    assert figures(brought(call, "claude-code", tmp_path)) == {WIDGET: (1, 1, 0, 0, 0)}


def test_project_and_user_are_those_that_are_named_before_those_of_the_transcript(call: Call, tmp_path: Path) -> None:
    from cairn.ground.ids import UserId  # noqa: PLC0415

    outcome = brought(call, "claude-code", claude(tmp_path), project=Project("garden"), user=UserId("eve"))
    assert figures(outcome) == {("garden", "eve"): (1, 2, 0, 0, 0)}


def test_another_agents_answer_stands_in_the_turn_that_asked_it(call: Call, tmp_path: Path) -> None:
    told = ClaudeCode()
    told.prompt("p1", "Look around.")
    gave = {"agentId": "a5b7", "agentType": "Explore", "content": [{"type": "text", "text": "All is well."}]}
    told.tool("toolu_9", "Agent", {"subagent_type": "Explore", "prompt": "look"}, gave)
    told.prompt("p1", "look", isSidechain=True)
    told.answer("All is well.", isSidechain=True)
    told.answer("Done.")
    told.write(tmp_path)
    write(tmp_path / "-home-ada-widget" / SESSION / "subagents" / "agent-a5b7.jsonl", told.lines)
    brought(call, "claude-code", tmp_path)

    ((_, said),) = history(call)
    assert said == [("user", "Look around."), ("assistant", ""), ("tool", "All is well."), ("assistant", "Done.")]


@pytest.mark.parametrize("came_as", ["a prompt", "an attachment"])
def test_an_answer_for_which_nobody_waited_stands_in_the_turn_in_which_it_came(
    came_as: str, call: Call, tmp_path: Path
) -> None:
    told = ClaudeCode()
    told.prompt("p1", "Look around.")
    gave = {"isAsync": True, "status": "async_launched", "agentId": "a5b7"}
    told.tool("toolu_9", "Agent", {"subagent_type": "Explore", "prompt": "look"}, gave)
    told.answer("It looks.")
    ids = "<task-id>a5b7</task-id>\n<tool-use-id>toolu_9</tool-use-id>\n<status>completed</status>"
    said = f"<task-notification>\n{ids}\n<result>All is well.</result>\n</task-notification>"
    if came_as == "an attachment":
        told.line("attachment", 1, attachment={"type": "queued_command", "prompt": said})
    else:
        told.prompt("p2", said, 1, origin={"kind": "task-notification"})
    told.answer("Done.", 1)
    told.write(tmp_path)
    brought(call, "claude-code", tmp_path)

    ((turn, items),) = history(call)
    assert turn == "p1"
    assert [text for _, text in items] == ["Look around.", "", "All is well.", "It looks.", "Done."]


def test_what_claude_code_says_in_the_users_place_is_no_prompt(tmp_path: Path) -> None:
    told = ClaudeCode()
    told.prompt("p0", "Caveat: of the program.", isMeta=True)
    told.prompt("p1", "<command-name>/compact</command-name>\n<command-message>compact</command-message>")
    told.prompt("p1", "<local-command-stdout>Compacted</local-command-stdout>")
    told.prompt("p2", "This session is being continued.", isCompactSummary=True, isVisibleInTranscriptOnly=True)
    told.prompt("p2", "All is over.", origin={"kind": "task-notification"})
    told.prompt("p3", "<command-name>/review</command-name>\n<command-args>the gate</command-args>")
    told.answer("It creaks.")
    told.prompt("p3", "[Request interrupted by user]")
    told.blocks(
        [{"type": "text", "text": "No response requested."}], message={"model": "<synthetic>", "content": "No."}
    )
    told.write(tmp_path)

    (turn,) = (each for each in read(tmp_path) if not isinstance(each, Unreadable))
    assert (turn.turn, turn.prompt, turn.answers) == ("p3", "/review the gate", ("It creaks.",))


def test_what_a_fork_copied_stands_in_its_first_session_alone(call: Call, tmp_path: Path) -> None:
    claude(tmp_path)
    fork = ClaudeCode(OTHER)
    fork.prompt("f1", "We use pnpm.", 0)
    fork.answer("Noted.", 2, requestSessionId=SESSION)
    fork.prompt("f1", "Is it built?", 5, forkedFrom={"sessionId": SESSION, "messageUuid": "line-7"})
    fork.prompt("f1", "And in the fork?", 9)
    fork.answer("Yes.", 9)
    fork.write(tmp_path)
    assert figures(brought(call, "claude-code", tmp_path)) == {WIDGET: (2, 3, 0, 0, 0)}
    assert [(turn, said[0][1]) for turn, said in history(call, OTHER)] == [("f1", "And in the fork?")]


def test_what_the_user_says_while_the_model_is_at_work_is_of_the_turn_that_goes_on(call: Call, tmp_path: Path) -> None:
    told = ClaudeCode()
    told.prompt("p1", "Build it.")
    told.tool("toolu_1", "Bash", {"command": "make"}, {"stdout": "done"})
    same = {"type": "queued_command", "origin": {"kind": "human"}}
    told.line("attachment", 1, attachment={**same, "prompt": "Quietly, please."})
    told.line("attachment", 1, attachment={**same, "prompt": "All is over.", "commandMode": "task-notification"})
    told.line("attachment", 1, attachment={**same, "prompt": "Of a peer.", "origin": {"kind": "peer"}})
    told.answer("Done.", 2)
    told.write(tmp_path)
    brought(call, "claude-code", tmp_path)
    ((turn, said),) = history(call)
    assert (turn, said[0], said[-1]) == ("p1", ("user", "Build it.\n\nQuietly, please."), ("assistant", "Done."))


def test_what_a_fork_copied_of_a_session_that_is_gone_stands_in_the_fork(call: Call, tmp_path: Path) -> None:
    fork = ClaudeCode(OTHER)
    fork.prompt("f1", "We use pnpm.", 0)
    fork.answer("Noted.", 2, requestSessionId=SESSION)
    fork.prompt("f1", "And in the fork?", 9)
    fork.answer("Yes.", 9)
    fork.write(tmp_path)
    brought(call, "claude-code", tmp_path)
    assert [turn for turn, _ in history(call, OTHER)] == ["line-0", "f1"]


def test_a_rollout_of_another_agent_is_passed_over_and_a_compressed_one_is_read(call: Call, tmp_path: Path) -> None:
    told = Codex(OTHER, source={"subagent": {"thread_spawn": {"parent_thread_id": SESSION}}}, thread_source="subagent")
    told.prompt("p9", "look")
    told.write(tmp_path)
    codex(tmp_path)
    (file,) = tmp_path.rglob(f"*{SESSION}.jsonl")
    file.with_suffix(".jsonl.zst").write_bytes(zstd.compress(file.read_bytes()))
    file.unlink()
    assert figures(brought(call, "codex", tmp_path)) == {WIDGET: (1, 2, 0, 0, 0)}


def test_an_older_rollout_names_prompts_by_their_times(call: Call, tmp_path: Path) -> None:
    told = Codex()
    told.event(0, type="user_message", message="We use pnpm.", kind="plain")
    told.event(1, type="agent_message", message="Noted.")
    told.message("assistant", "Noted.", 1)
    told.write(tmp_path)
    brought(call, "codex", tmp_path)
    assert history(call) == [(at(0), [("user", "We use pnpm."), ("assistant", "Noted.")])]


def test_a_chat_of_another_agent_is_passed_over_and_an_older_ones_document_is_read(call: Call, tmp_path: Path) -> None:
    Gemini(OTHER, kind="subagent").write(tmp_path / "other")
    told = [Gemini.message(0, "user", "We use pnpm."), Gemini.message(1, "gemini", "Noted.")]
    document = {"sessionId": SESSION, "projectHash": "798c", "messages": told}
    write(tmp_path / "798c" / "chats" / "session-2025-04-02T09-00-5f0c.json", [document])
    assert figures(brought(call, "gemini", tmp_path)) == {("default", "ada"): (1, 1, 0, 0, 0)}


@pytest.mark.slow
def test_a_thousand_turns_are_stored_once(call: Call, tmp_path: Path) -> None:
    told = ClaudeCode()
    for number in range(1000):
        told.prompt(f"p{number}", f"How many hours of sun does bed {number} get?", number)
        told.tool(f"toolu_{number}", "Bash", {"command": f"ls {number}"}, {"stdout": str(number)}, number)
        told.answer(f"It gets {number % 7} hours.", number + 0.5)
    told.write(tmp_path)

    assert figures(brought(call, "claude-code", tmp_path)) == {WIDGET: (1, 1000, 0, 0, 0)}
    assert figures(brought(call, "claude-code", tmp_path)) == {WIDGET: (0, 0, 0, 1000, 0)}
    assert [turn for turn, _ in history(call)] == [f"p{number}" for number in range(1000)]
