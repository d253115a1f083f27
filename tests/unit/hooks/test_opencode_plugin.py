"""The plugin for OpenCode, run by Node.js: what it tells a server, and what it adds to the system prompt."""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any, NamedTuple, cast

import pytest

import cairn.local.connect
from cairn.local.hook.client_file import Client, write
from cairn.local.hook.project_name import project_of
from support.loopback import LoopbackServer, serving

NODE = shutil.which("node")
pytestmark = [
    pytest.mark.enable_socket,
    pytest.mark.slow,
    pytest.mark.skipif(NODE is None, reason="the plugin runs where Node.js is"),
]

PLUGIN = Path(next(iter(cairn.local.connect.__path__))) / "opencode_plugin.js"
KEY = "cairn_0123456789abcdef_secret"
CONTEXT = "The shed is red."
ANSWER = {"hookSpecificOutput": {"hookEventName": "UserPromptSubmit", "additionalContext": CONTEXT}}
PATIENCE_SECONDS = 30.0
DRIVER = """
import { readFileSync } from "node:fs"
const { plugin, folders, steps, messages, children } = JSON.parse(readFileSync(0, "utf8"))
const logged = []
const session = {
  get: async ({ path }) => ({ data: { id: path.id, parentID: children[path.id] } }),
  messages: async ({ path }) => ({ data: messages[path.id] ?? [] }),
}
const client = { session, app: { log: async ({ body }) => logged.push(body.message) } }
const { Cairn } = await import(plugin)
for (const directory of folders) {
  const hooks = await Cairn({ client, directory })
  for (const [name, input, output] of steps) await hooks[name](input, output)
  await hooks.dispose()
}
console.log(JSON.stringify({ logged, outputs: steps.map(([, , output]) => output) }))
"""


class Asked(NamedTuple):
    """An event that reached the server."""

    headers: dict[str, str]
    event: dict[str, Any]


class Exchange(BaseHTTPRequestHandler):
    """Notes an event and answers it."""

    def do_POST(self) -> None:
        server = cast("Server", self.server)
        event = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        server.asked.append(Asked({name.lower(): value for name, value in self.headers.items()}, event))
        body = json.dumps(ANSWER if event["hook_event_name"] == "UserPromptSubmit" else {}).encode()
        self.send_response(server.status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the name in the class above
        """Say nothing."""


class Server(LoopbackServer[Asked]):
    """A server of one test."""

    def __init__(self, status: int = 200) -> None:
        super().__init__(Exchange, None)
        self.status = status

    def events(self) -> list[dict[str, Any]]:
        return [each.event for each in self.asked]


class Ran(NamedTuple):
    """What became of a run: what stands in OpenCode's log, and in the output of each step."""

    logged: list[str]
    outputs: list[dict[str, Any]]


class OpenCode:
    """Runs the plugin's hooks as OpenCode does, with sessions and messages that the test has set up."""

    def __init__(self, home: Path) -> None:
        self.home = home
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("CAIRN_", "XDG_"))}
        self.environment = {**kept, "HOME": str(home)}
        self.messages: dict[str, list[dict[str, Any]]] = {}
        self.children: dict[str, str] = {}

    def connect(self, url: str, project: str | None = "garden", user: str | None = None) -> None:
        write(Client(url, KEY, project, user), self.environment)

    def run(self, *steps: list[Any], folders: tuple[Path, ...] = ()) -> Ran:
        told = {
            "plugin": PLUGIN.as_uri(),
            "folders": [str(folder) for folder in folders or (self.home,)],
            "steps": steps,
            "messages": self.messages,
            "children": self.children,
        }
        done = subprocess.run(  # noqa: S603 - our own
            [str(NODE), "--input-type=module", "--eval", DRIVER],
            input=json.dumps(told),
            env=self.environment,
            capture_output=True,
            text=True,
            check=False,
            timeout=PATIENCE_SECONDS,
        )
        assert (done.returncode, done.stderr) == (0, "")
        return Ran(**json.loads(done.stdout))


@pytest.fixture
def opencode(tmp_path: Path) -> OpenCode:
    return OpenCode(tmp_path)


@pytest.fixture
def serve(opencode: OpenCode) -> Iterator[Callable[..., Server]]:
    with serving() as run:

        def started(status: int = 200, project: str | None = "garden", user: str | None = None) -> Server:
            server = run(Server(status))
            opencode.connect(server.url, project, user)
            return server

        yield started


def text(said: str, **fields: object) -> dict[str, Any]:
    return {"type": "text", "text": said, **fields}


def prompted(said: str, message: str = "msg_2", session: str = "ses_1") -> list[Any]:
    synthetic = text("The user opened shed.txt", synthetic=True)
    return ["chat.message", {"sessionID": session}, {"message": {"id": message}, "parts": [text(said), synthetic]}]


def used(output: str) -> list[Any]:
    call = {"tool": "bash", "sessionID": "ses_1", "callID": "toolu_1", "args": {"command": "ls"}}
    return ["tool.execute.after", call, {"title": "ls", "output": output, "metadata": {}}]


def asking(session: str = "ses_1") -> list[Any]:
    return ["experimental.chat.system.transform", {"sessionID": session}, {"system": ["You are OpenCode."]}]


def told(kind: str, session: str = "ses_1") -> list[Any]:
    return ["event", {"event": {"type": kind, "properties": {"sessionID": session}}}, {}]


def message(number: int, role: str, *parts: dict[str, Any], summary: bool = False) -> dict[str, Any]:
    return {"info": {"id": f"msg_{number}", "role": role, "summary": summary}, "parts": list(parts)}


IDLE = told("session.idle")
COMPACTING: list[Any] = ["experimental.session.compacting", {"sessionID": "ses_1"}, {"context": []}]


@pytest.mark.req("R311")
def test_a_turn_is_told_once_with_its_prompt_its_tools_and_its_last_answer(
    opencode: OpenCode, serve: Callable[..., Server]
) -> None:
    server = serve(user="ada")
    opencode.messages["ses_1"] = [
        message(1, "assistant", text("An earlier answer.")),
        message(2, "user", text("What colour is it?")),
        message(3, "assistant", text("I look."), {"type": "tool"}),
        message(4, "assistant", text("It is red."), text("Thinking aloud", synthetic=True)),
        message(5, "assistant", text("A summary."), summary=True),
    ]

    ran = opencode.run(prompted("What colour is it?"), used("x" * 9000), IDLE, IDLE)

    common = {"session_id": "ses_1", "turn_id": "msg_2", "cwd": str(opencode.home)}
    call = {"tool_name": "bash", "tool_use_id": "toolu_1", "tool_input": {"command": "ls"}}
    assert ran.logged == []
    assert server.events() == [
        {**common, "hook_event_name": "UserPromptSubmit", "prompt": "What colour is it?"},
        {**common, "hook_event_name": "PostToolBatch", "tool_calls": [{**call, "tool_response": "x" * 4000}]},
        {**common, "hook_event_name": "Stop", "last_assistant_message": "It is red."},
    ]
    headers = server.asked[0].headers
    assert headers["authorization"] == f"Bearer {KEY}"
    assert (headers["x-cairn-project"], headers["x-cairn-user"]) == ("garden", "ada")


def test_a_turn_without_an_answer_ends_without_one_of_an_earlier_turn(
    opencode: OpenCode, serve: Callable[..., Server]
) -> None:
    server = serve()
    opencode.messages["ses_1"] = [
        message(1, "assistant", text("An earlier answer.")),
        message(2, "user", text("Stop.")),
    ]

    opencode.run(prompted("Stop."), IDLE)

    assert server.events()[1]["last_assistant_message"] == ""


def test_of_many_tools_the_newest_are_told(opencode: OpenCode, serve: Callable[..., Server]) -> None:
    server = serve()

    opencode.run(prompted("What colour is it?"), *(used(str(number)) for number in range(30)), IDLE)

    assert [use["tool_response"] for use in server.events()[1]["tool_calls"]] == [str(each) for each in range(10, 30)]


def test_what_memory_adds_stands_in_the_system_prompt_of_its_turn_alone(
    opencode: OpenCode, serve: Callable[..., Server]
) -> None:
    serve()

    ran = opencode.run(asking(), prompted("What colour is it?"), asking(), asking("ses_2"), IDLE, asking())

    systems = [output["system"][1:] for output in ran.outputs if "system" in output]
    assert systems == [[], [CONTEXT], [], []]


@pytest.mark.req("R312")
def test_a_summary_is_made_without_what_memory_added_and_told(opencode: OpenCode, serve: Callable[..., Server]) -> None:
    server = serve()
    opencode.messages["ses_1"] = [message(5, "assistant", text("They paint a shed."), summary=True)]

    ran = opencode.run(prompted("What colour?"), COMPACTING, asking(), told("session.compacted"), asking())

    assert [output["system"][1:] for output in ran.outputs if "system" in output] == [[], [CONTEXT]]
    assert server.events()[1]["compact_summary"] == "They paint a shed."


def test_what_an_agent_asks_another_is_not_told(opencode: OpenCode, serve: Callable[..., Server]) -> None:
    server = serve()
    opencode.children["ses_1"] = "ses_0"
    opencode.messages["ses_1"] = [message(3, "assistant", text("A summary."), summary=True)]

    opencode.run(prompted("Look around."), IDLE, told("session.compacted"))

    assert server.events() == []


@pytest.mark.parametrize("status", [401, 503])
def test_a_refusal_is_logged_without_the_key_and_opencode_goes_on(
    opencode: OpenCode, serve: Callable[..., Server], status: int
) -> None:
    server = serve(status)

    ran = opencode.run(prompted("What colour?"), asking(), IDLE)

    assert [output["system"][1:] for output in ran.outputs if "system" in output] == [[]]
    assert ran.logged[0] == f"Cairn: {server.url} refused UserPromptSubmit: HTTP {status}"
    assert KEY not in str(ran.logged)


@pytest.mark.req("R311")
def test_a_server_that_hangs_or_is_dead_does_not_stop_opencode(opencode: OpenCode) -> None:
    with socket.create_server(("127.0.0.1", 0)) as hanging:  # which takes connections and never answers
        opencode.connect(f"http://127.0.0.1:{hanging.getsockname()[1]}")
        slow = opencode.run(prompted("What colour?"), asking())
    dead = opencode.run(prompted("What colour?"), asking())

    assert slow.outputs[1] == dead.outputs[1] == {"system": ["You are OpenCode."]}
    assert (len(slow.logged), len(dead.logged)) == (1, 1)


@pytest.mark.parametrize(
    ("stored", "problem"),
    [
        (None, "ENOENT"),
        (f'{{"key": "{KEY}', "is no JSON"),
        (json.dumps({"url": "http://example.com", "key": KEY}), "http://example.com would get the key unencrypted"),
    ],
)
def test_what_is_wrong_with_the_client_file_is_logged_without_its_content(
    opencode: OpenCode, stored: str | None, problem: str
) -> None:
    path = opencode.home / ".config/cairn/client.json"
    path.parent.mkdir(parents=True)
    if stored is not None:
        path.write_text(stored, encoding="utf-8")

    ran = opencode.run(prompted("What colour?"))

    assert len(ran.logged) == 1
    assert problem in ran.logged[0]
    assert KEY not in ran.logged[0]


def test_a_project_is_named_as_cairn_hook_names_it(opencode: OpenCode, serve: Callable[..., Server]) -> None:
    server = serve(project=None)
    folders = tuple(_folders(opencode.home / "projects"))

    opencode.run(prompted("What colour?"), folders=folders)

    named = [asked.headers["x-cairn-project"] for asked in server.asked]
    assert named == [project_of(folder) for folder in folders]
    assert {"owner/repo", "plain", "shed"} < set(named)


def _folders(root: Path) -> Iterator[Path]:
    addresses = [
        "https://github.com/owner/repo.git",
        "https://ada:token@github.com/owner/repo.git/",
        "git@github.com:owner/repo.git",
        "ssh://git@github.com:22/owner/repo.git",
        "https://gitlab.com/group/team/repo",
        "git@example.com:repo.git",
        "../repo.git",
        '"https://example.com/my%20team/repo" ; the main one',
        "https://example.com/",
        "https://[broken/owner/repo",
        f"https://example.com/{'o' * 90}/{'r' * 90}",
        "https://example.com/-owner-/..repo..",
    ]
    for number, address in enumerate(addresses):
        folder = root / str(number) / "shed"
        (folder / ".git").mkdir(parents=True)
        config = f'[remote "upstream"]\n\turl = a:other/one\n[remote "origin"]\n\turl = {address}\n\tfetch = +refs\n'
        (folder / ".git/config").write_text(config, encoding="utf-8")
        (folder / "src").mkdir()
        yield folder / "src"
    worktree = root / "worktree"
    own = root / "0/shed/.git/worktrees/one"
    own.mkdir(parents=True)
    worktree.mkdir()
    (worktree / ".git").write_text(f"gitdir: {own}\n", encoding="utf-8")
    (own / "commondir").write_text("../..\n", encoding="utf-8")
    yield worktree
    (root / "plain").mkdir()
    yield root / "plain"
