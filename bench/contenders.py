"""Who is measured: how each is installed, started, filled and asked, through the doors that its users have."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import click

from cairn.ground.errors import SettingsError
from cairn.local.emulator.programs import RUNTIMES, install, interpreter
from mcp_wire import Client, Http, Server, Stdio
from peer_doors import LibraryRunning, McpRunning, Running, Tools
from planted import Memory

ROOT = Path(__file__).resolve().parent.parent
HOME = ROOT / ".cache" / "peers"
LIMIT = 10
ONE_THREAD = dict.fromkeys(
    (
        "OMP_NUM_THREADS",
        "OPENBLAS_NUM_THREADS",
        "MKL_NUM_THREADS",
        "NUMEXPR_NUM_THREADS",
        "ONNX_NUM_THREADS",
        "CAIRN_EMBEDDING_THREADS",
    ),
    "1",
)
_ADAPTERS = Path(__file__).parent / "peers"
_CAIRN = str(Path(sys.executable).parent / "cairn")
_ENDPOINT = re.compile(r"http://\S+/mcp")
_PER_SESSION = 5000
_NPM = "@modelcontextprotocol/server-memory@2026.8.31"
_ASKED = (
    "import sqlite3, sys;"
    "sys.exit(not hasattr(sqlite3.Connection, 'enable_load_extension') or sys.version_info < (3, 11))"
)


class Missing(Exception):
    """It cannot be installed or started here; the message says why."""


@dataclass(frozen=True, slots=True)
class Contender:
    """One row: `store` is whose filled store it opens, `ready` installs it, `start` opens a directory."""

    name: str
    how: str
    store: str
    ready: Callable[[], None]
    start: Callable[[Path], Running]
    ranked: bool = True


def contenders(model: str) -> list[Contender]:
    """Return all of them; `model` is the directory of the model that library peers embed with, empty for none."""
    embedded = "given model" if model else "hashed words for a model"
    modelless = "its model is no package, so its vectors are noise: no ranking"
    return [
        Contender("cairn, stdio", "MCP stdio", "cairn", _nothing, _cairn_stdio),
        Contender("cairn, http", "MCP HTTP", "cairn", _nothing, _cairn_http),
        Contender(
            "server-memory", "MCP stdio; whole answer, no ranking", "server-memory", _npm, _server_memory, ranked=False
        ),
        *(
            Contender(
                f"mcp-memory-service, {mode}",
                f"MCP stdio; {modelless}",
                "mcp-memory-service",
                _memory_service,
                lambda directory, mode=mode: _start_memory_service(directory, mode),
                ranked=False,
            )
            for mode in ("semantic", "hybrid")
        ),
        Contender(
            "basic-memory, text",
            "MCP stdio; full text ranked by BM25, files of Markdown",
            "basic-memory",
            _basic_memory,
            _start_basic_memory,
        ),
        Contender(
            "langgraph, no index",
            "in process; newest, no ranking",
            "langgraph-plain",
            _langgraph,
            lambda directory: _start_langgraph(directory, "plain", ""),
            ranked=False,
        ),
        Contender(
            "langgraph, indexed",
            f"in process; {embedded}",
            "langgraph-model" if model else "langgraph-hashed",
            _langgraph,
            lambda directory: _start_langgraph(directory, "indexed", model),
        ),
        Contender(
            "mem0, raw",
            f"in process; {embedded}",
            "mem0-model" if model else "mem0-hashed",
            _mem0,
            lambda directory: _start_mem0(directory, model),
        ),
    ]


def _nothing() -> None:
    """Install nothing: Cairn is here."""


def _cairn_stdio(directory: Path) -> Running:
    return _over_stdio([_CAIRN, "stdio", "--data", str(directory)], directory, {}, _cairn_tools())


def _cairn_http(directory: Path) -> Running:
    environment = _environment(directory)
    made = [_CAIRN, "keys", "create", "--tenant", "local", "--data", str(directory)]
    key = subprocess.run(made, env=environment, capture_output=True, text=True, check=True).stdout.split()[0]  # noqa: S603
    command = [_CAIRN, "serve", "--port", "0", "--data", str(directory)]
    server = Server(command, environment, directory.parent / "log", ends_with_input=False)
    while (found := _ENDPOINT.search(server.read_line().decode())) is None:
        pass
    return McpRunning(server, Client(Http(found[0], key)), _cairn_tools())


def _cairn_tools() -> Tools:
    def keep(memory: Memory) -> tuple[str, Mapping[str, Any]]:
        session = f"session-{memory.number // _PER_SESSION}"
        return "remember", {
            "project": "bench",
            "session_id": session,
            "scope": "project",
            "content": memory.text,
        }

    def find(question: str) -> tuple[str, Mapping[str, Any]]:
        return "recall", {"project": "bench", "session_id": "asking", "query": question, "limit": LIMIT}

    return Tools(keep, find)


def _npm() -> None:
    home = HOME / "server-memory"
    done = home / "installed.txt"
    if done.is_file() and done.read_text() == _NPM:
        return
    npm = shutil.which("npm")
    if npm is None or shutil.which("node") is None:
        raise Missing("npm and node are not on this machine")
    shutil.rmtree(home, ignore_errors=True)
    home.mkdir(parents=True)
    quiet = ["--prefix", str(home), "--no-package-lock", "--no-save", "--no-audit", "--no-fund", "--loglevel=error"]
    try:
        subprocess.run([npm, "install", *quiet, _NPM], cwd=home, check=True, timeout=300)  # noqa: S603
    except (subprocess.SubprocessError, OSError) as error:
        raise Missing("npm did not install it") from error
    done.write_text(_NPM)


def _server_memory(directory: Path) -> Running:
    program = HOME / "server-memory/node_modules/@modelcontextprotocol/server-memory/dist/index.js"
    own = {"MEMORY_FILE_PATH": str(directory / "memory.json")}
    command = [shutil.which("node") or "node", str(program)]

    def keep_many(memories: Sequence[Memory]) -> tuple[str, Mapping[str, Any]]:
        told = [{"name": f"m{each.number}", "entityType": "memory", "observations": [each.text]} for each in memories]
        return "create_entities", {"entities": told}

    def find(question: str) -> tuple[str, Mapping[str, Any]]:
        # It looks for the query as it stands: an agent has to guess a word of the memory, here the longest it has.
        return "search_nodes", {"query": max(re.findall(r"\w+", question), key=len)}

    tools = Tools(lambda memory: keep_many([memory]), find, keep_many)
    return _over_stdio(command, directory, own, tools)


def _memory_service() -> None:
    _install("mcp-memory-service", _loading_extensions())


def _start_memory_service(directory: Path, mode: str) -> Running:
    own = {
        "MCP_MEMORY_STORAGE_BACKEND": "sqlite_vec",
        "MCP_MEMORY_SQLITE_PATH": str(directory / "memory.db"),
        "MCP_MEMORY_USE_ONNX": "true",
        "MCP_MEMORY_ONNX_ALLOW_DOWNLOAD": "0",
        "MCP_MEMORY_ALLOW_HASH_EMBEDDINGS": "1",
        "MCP_SEMANTIC_DEDUP_ENABLED": "false",
        "MCP_CONSOLIDATION_ENABLED": "false",
    }
    command = [str(HOME / "mcp-memory-service/bin/memory"), "server"]
    tools = Tools(
        lambda memory: ("memory_store", {"content": memory.text}),
        lambda question: ("memory_search", {"query": question, "limit": LIMIT, "mode": mode}),
    )
    return _over_stdio(command, directory, own, tools)


def _basic_memory() -> None:
    _install("basic-memory", _newest())


def _start_basic_memory(directory: Path) -> Running:
    place = HOME / "basic-memory-store"  # it keeps the paths of its notes, which are the same in each copy this way
    place.unlink(missing_ok=True)
    place.symlink_to(directory.resolve())
    own = {
        "BASIC_MEMORY_HOME": str(place / "notes"),
        "BASIC_MEMORY_CONFIG_DIR": str(place / "config"),
        "BASIC_MEMORY_SEMANTIC_SEARCH_ENABLED": "false",
        "BASIC_MEMORY_AUTO_UPDATE": "false",
        "BASIC_MEMORY_LOG_LEVEL": "ERROR",
        "FASTMCP_CHECK_FOR_UPDATES": "off",
    }
    command = [str(HOME / "basic-memory/bin/basic-memory"), "mcp"]
    tools = Tools(
        lambda memory: ("write_note", {"title": f"m{memory.number}", "content": memory.text, "directory": "bench"}),
        # As text it tells titles alone.
        lambda question: ("search_notes", {"query": question, "page_size": LIMIT, "output_format": "json"}),
    )
    return _over_stdio(command, directory, own, tools)


def _langgraph() -> None:
    _install("langgraph", _loading_extensions())


def _start_langgraph(directory: Path, kind: str, model: str) -> Running:
    command = [str(HOME / "langgraph/bin/python"), str(_ADAPTERS / "langgraph_store.py"), str(directory), kind, model]
    return LibraryRunning(Server(command, _environment(directory), directory.parent / "log"))


def _mem0() -> None:
    _install("mem0", sys.executable)


def _start_mem0(directory: Path, model: str) -> Running:
    own = {"MEM0_TELEMETRY": "False", "MEM0_DIR": str(directory / "mem0"), "OPENAI_API_KEY": "never-used"}
    command = [str(HOME / "mem0/bin/python"), str(_ADAPTERS / "mem0_raw.py"), str(directory), model]
    return LibraryRunning(Server(command, _environment(directory, own), directory.parent / "log"))


def _install(name: str, python: str) -> None:
    try:
        install(ROOT, f"peers/{name}", python)
    except (click.ClickException, SettingsError) as error:
        raise Missing(f"pip did not install it: {str(error).strip().splitlines()[-1][:80]}") from error


def _newest() -> str:
    try:
        return interpreter()[1]
    except SettingsError as error:
        raise Missing(str(error)) from error


@cache
def _loading_extensions() -> str:
    """Return a Python whose SQLite loads extensions, which sqlite-vec is one of."""
    names = (f"python{version}" for version in RUNTIMES)
    for python in filter(None, (sys.executable, shutil.which("/usr/bin/python3"), *map(shutil.which, names))):
        if subprocess.run([python, "-c", _ASKED], capture_output=True, check=False).returncode == 0:  # noqa: S603 - a Python
            return python
    raise Missing("no Python here has an SQLite that loads extensions")


def _over_stdio(command: Sequence[str], directory: Path, own: Mapping[str, str], tools: Tools) -> Running:
    """Start a server that is spoken to over its standard input and output."""
    server = Server(command, _environment(directory, own), directory.parent / "log")
    return McpRunning(server, Client(Stdio(server)), tools)


def _environment(directory: Path, own: Mapping[str, str] | None = None) -> dict[str, str]:
    """Return an environment in which nothing of this user's is found, and a call takes one thread for its sums."""
    home = directory.parent / "home"
    home.mkdir(exist_ok=True)
    kept = {name: os.environ[name] for name in ("PATH", "LANG", "TMPDIR") if name in os.environ}
    offline = {"HF_HUB_OFFLINE": "1", "TOKENIZERS_PARALLELISM": "false", "LANGSMITH_TRACING": "false"}
    return kept | {"HOME": str(home)} | ONE_THREAD | offline | dict(own or {})
