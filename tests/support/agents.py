"""Real coding agents for tests: their programs as the package indexes carry them, and a model that is a stub."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
import zipfile
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any, Final

ROOT: Final = Path(__file__).resolve().parents[2]
CACHE: Final = ROOT / ".cache" / "agents"
PINS: Final = ROOT / "tools" / "programs" / "agents.txt"
NPM: Final = {"@openai/codex": "0.169.0-linux-x64", "@google/gemini-cli": "0.61.0"}
_INSTALL_SECONDS: Final = 420
_RUN_SECONDS: Final = 90
_SYSTEM: Final = ("PATH", "LANG", "TMPDIR")


def programs() -> Mapping[str, Sequence[str]]:
    """Return how each agent is started, once its pinned packages are in the cache."""
    claude = CACHE / "claude_agent_sdk" / "_bundled" / "claude"
    wanted = json.dumps({"npm": NPM, "pip": PINS.read_text("utf-8")})
    done = CACHE / "installed.json"
    if not done.is_file() or done.read_text("utf-8") != wanted:
        shutil.rmtree(CACHE, ignore_errors=True)
        CACHE.mkdir(parents=True)
        _unpack_claude(claude)
        exact = [f"{name}@{version}" for name, version in NPM.items()]
        quiet = ["--no-save", "--no-package-lock", "--no-audit", "--no-fund", "--omit=optional", "--loglevel=error"]
        _run(["npm", "install", "--prefix", str(CACHE), *quiet, *exact], _INSTALL_SECONDS)
        done.write_text(wanted, "utf-8")
    modules = CACHE / "node_modules"
    (codex,) = modules.glob("@openai/codex/vendor/*/bin/codex")
    gemini = modules / "@google" / "gemini-cli" / "bundle" / "gemini.js"
    return {"claude-code": (str(claude),), "codex": (str(codex),), "gemini": ("node", str(gemini))}


def _unpack_claude(program: Path) -> None:
    """Take the program out of the wheel that carries it, without the packages beside it."""
    pip = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--require-hashes"]
    _run([*pip, "--dest", str(CACHE), "--requirement", str(PINS)], _INSTALL_SECONDS)
    (wheel,) = CACHE.glob("*.whl")
    with zipfile.ZipFile(wheel) as packed:
        packed.extract(str(program.relative_to(CACHE)), CACHE)
    wheel.unlink()
    program.chmod(0o755)


def _run(command: Sequence[str], seconds: float) -> None:
    subprocess.run(command, check=True, timeout=seconds, stdout=subprocess.DEVNULL)  # noqa: S603 - programs named here


@dataclass
class Model:
    """What stands in for every vendor's model: it records what it is asked and answers the same each time."""

    says: str = "Noted."
    asked: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    """The bodies of requests, in the order in which they came."""
    before_answer: Callable[[], None] = lambda: None
    """What happens while the agent waits for the model."""
    calls: Mapping[str, Any] | None = None
    """The tool that Claude Code is asked to use before it is answered, as its name and input."""

    def was_told(self, words: str) -> bool:
        """Tell whether any request held these words."""
        return any(words in json.dumps(body, ensure_ascii=False) for body in self.asked)

    def answer(self, path: str, body: dict[str, Any]) -> tuple[str, bytes] | None:
        """Return content type and content of the answer to a request, None where there is none."""
        self.before_answer()
        if path == "/v1/messages":
            return self._events(body, _anthropic(str(body.get("model")), self.says, self._call(body)))
        if path == "/v1/responses":
            return self._events(body, _openai(self.says))
        if path.endswith(":streamGenerateContent"):
            self.asked.append(body)
            return "text/event-stream", f"data: {json.dumps(_gemini(self.says))}\r\n\r\n".encode()
        if path.endswith(":generateContent"):
            return "application/json", json.dumps(_gemini("{}")).encode()
        return ("application/json", b'{"input_tokens":10}') if path.endswith("/count_tokens") else None

    def _call(self, body: Mapping[str, Any]) -> Mapping[str, Any] | None:
        """Return the tool to use, None where there is none or it was used."""
        if self.calls is None or '"tool_result"' in json.dumps(body["messages"]):
            return None
        return self.calls if any(tool["name"] == self.calls["name"] for tool in body.get("tools", [])) else None

    def _events(self, body: dict[str, Any], events: Sequence[Mapping[str, Any]]) -> tuple[str, bytes]:
        self.asked.append(body)
        lines = (f"event: {each['type']}\ndata: {json.dumps(each)}\n\n" for each in events)
        return "text/event-stream", "".join(lines).encode()


def _anthropic(model: str, text: str, call: Mapping[str, Any] | None) -> list[dict[str, Any]]:
    usage = {"input_tokens": 1, "output_tokens": 1}
    message: dict[str, Any] = {"id": "msg_1", "type": "message", "role": "assistant", "model": model, "usage": usage}
    block: dict[str, Any] = {"type": "text", "text": ""}
    delta, ends = {"type": "text_delta", "text": text}, "end_turn"
    if call is not None:
        block = {"type": "tool_use", "id": "toolu_1", "name": call["name"], "input": {}}
        delta, ends = {"type": "input_json_delta", "partial_json": json.dumps(call["input"])}, "tool_use"
    return [
        {"type": "message_start", "message": {**message, "content": [], "stop_reason": None, "stop_sequence": None}},
        {"type": "content_block_start", "index": 0, "content_block": block},
        {"type": "content_block_delta", "index": 0, "delta": delta},
        {"type": "content_block_stop", "index": 0},
        {"type": "message_delta", "delta": {"stop_reason": ends, "stop_sequence": None}, "usage": usage},
        {"type": "message_stop"},
    ]


def _openai(text: str) -> list[dict[str, Any]]:
    part: dict[str, Any] = {"type": "output_text", "text": text, "annotations": []}
    item: dict[str, Any] = {
        "type": "message",
        "id": "m1",
        "role": "assistant",
        "status": "completed",
        "content": [part],
    }
    details = {"input_tokens_details": {"cached_tokens": 0}, "output_tokens_details": {"reasoning_tokens": 0}}
    usage = {"input_tokens": 1, "output_tokens": 1, "total_tokens": 2, **details}
    return [
        {"type": "response.created", "response": {"id": "r1"}},
        {"type": "response.output_item.added", "output_index": 0, "item": item},
        {"type": "response.output_item.done", "output_index": 0, "item": item},
        {"type": "response.completed", "response": {"id": "r1", "output": [item], "usage": usage}},
    ]


def _gemini(text: str) -> dict[str, Any]:
    content = {"role": "model", "parts": [{"text": text}]}
    usage = {"promptTokenCount": 1, "candidatesTokenCount": 1, "totalTokenCount": 2}
    return {"candidates": [{"content": content, "finishReason": "STOP", "index": 0}], "usageMetadata": usage}


@contextmanager
def served(model: Model) -> Generator[str]:
    """Serve a model on this machine and yield its address."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            body = json.loads(self._body())
            found = model.answer(self.path.partition("?")[0], body)
            self._send(404 if found is None else 200, *(found or ("application/json", b"{}")))

        def do_GET(self) -> None:
            self._send(404, "application/json", b"{}")

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the library's name
            pass

        def _body(self) -> bytes:
            if self.headers.get("transfer-encoding", "").lower() != "chunked":
                return self.rfile.read(int(self.headers.get("content-length") or 0))
            body = b""
            while size := int(self.rfile.readline(), 16):
                body += self.rfile.read(size)
                self.rfile.readline()
            self.rfile.readline()
            return body

        def _send(self, status: int, kind: str, content: bytes) -> None:
            self.send_response(status)
            self.send_header("content-type", kind)
            self.send_header("content-length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


@dataclass(frozen=True)
class Agent:
    """A coding agent on a machine of its own: a home, a repository, and a model."""

    name: str
    program: Sequence[str]
    home: Path
    repository: Path
    model: str
    more: Mapping[str, str] = field(default_factory=dict[str, str])
    """What its user's environment has beside that."""

    @property
    def environment(self) -> dict[str, str]:
        """Return the environment in which its user works."""
        kept = {name: os.environ[name] for name in _SYSTEM if name in os.environ}
        return {**kept, "HOME": str(self.home), **_SETTINGS[self.name](self.model), **self.more}

    def prepare(self) -> None:
        """Configure it as its user had done before there was memory."""
        self.home.mkdir(parents=True, exist_ok=True)
        path, text = _CONFIGURATION[self.name]
        if text:
            (self.home / path).parent.mkdir(parents=True, exist_ok=True)
            (self.home / path).write_text(text.replace("MODEL", self.model), "utf-8")

    def double_hooks(self) -> None:
        """Register every hook twice, as happens where a plugin and a settings file both do."""
        path = self.home / _HOOKS[self.name]
        configuration = json.loads(path.read_text("utf-8"))
        for groups in configuration["hooks"].values():
            for group in groups:
                # An agent runs what is written alike only once.
                group["hooks"] += [{**hook, "command": f"{hook['command']} "} for hook in group["hooks"]]
        path.write_text(json.dumps(configuration), "utf-8")

    def says(self, prompt: str, *options: str) -> float:
        """Have the user say something in a new session; return how many seconds that took."""
        began = time.perf_counter()
        self.runs(*_ARGUMENTS[self.name], *options, prompt)
        return time.perf_counter() - began

    def runs(self, *arguments: str) -> None:
        """Have the user run it with these arguments in their repository."""
        done = subprocess.run(  # noqa: S603 - a pinned program
            [*self.program, *arguments],
            cwd=self.repository,
            env=self.environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=_RUN_SECONDS,
            check=False,
        )
        assert done.returncode == 0, done.stdout + done.stderr


def _claude(model: str) -> dict[str, str]:
    quiet = {"DISABLE_AUTOUPDATER": "1", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1"}
    return {"ANTHROPIC_BASE_URL": model, "ANTHROPIC_API_KEY": "sk-ant-dummy", **quiet}


def _gemini_cli(model: str) -> dict[str, str]:
    return {"GOOGLE_GEMINI_BASE_URL": model, "GEMINI_API_KEY": "x", "GEMINI_CLI_TRUST_WORKSPACE": "true"}


_SETTINGS: Final[Mapping[str, Callable[[str], dict[str, str]]]] = {
    "claude-code": _claude,
    "codex": lambda _model: {"STUB_KEY": "x"},
    "gemini": _gemini_cli,
}
_CODEX: Final = """model = "gpt-5"
model_provider = "stub"
approval_policy = "never"

[model_providers.stub]
name = "stub"
base_url = "MODEL/v1"
wire_api = "responses"
env_key = "STUB_KEY"
"""
_GEMINI: Final = (
    '{"security": {"auth": {"selectedType": "gemini-api-key"}}, "privacy": {"usageStatisticsEnabled": false}}'
)
_CONFIGURATION: Final[Mapping[str, tuple[str, str]]] = {
    "claude-code": (".claude/settings.json", ""),
    "codex": (".codex/config.toml", _CODEX),
    "gemini": (".gemini/settings.json", _GEMINI),
}
_HOOKS: Final[Mapping[str, str]] = {
    "claude-code": ".claude/settings.json",
    "codex": ".codex/hooks.json",
    "gemini": ".gemini/settings.json",
}
_ARGUMENTS: Final[Mapping[str, Sequence[str]]] = {
    "claude-code": ("-p",),
    "codex": ("exec", "--skip-git-repo-check", "--dangerously-bypass-hook-trust"),
    "gemini": ("-p",),
}
