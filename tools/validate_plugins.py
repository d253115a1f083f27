"""Check what coding agents and desktop clients install by the tools of those who take it: 0 where none complains.

These are the validators of Claude Code, Gemini CLI and MCP Bundles, and skillsaw, which knows Codex's files and the
registry's too. They go to `.cache/`, in exact versions.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final, NamedTuple

from cairn.local.emulator.programs import install, interpreter
from support import agents

ROOT: Final = Path(__file__).resolve().parent.parent
PLUGIN: Final = ROOT / "plugins" / "cairn"
BUNDLES: Final = ROOT / ".cache" / "mcpb"
MCPB: Final = "@anthropic-ai/mcpb@2.1.2"
_SECONDS: Final = 300


class Check(NamedTuple):
    """A validator's name and command."""

    name: str
    command: Sequence[str]


def main() -> int:
    """Run every validator and print what those say that complain."""
    if shutil.which("npm") is None:
        sys.exit("make plugins needs npm: it comes with Node.js")
    with tempfile.TemporaryDirectory() as directory:
        passed = [run(check, Path(directory)) for check in checks(Path(directory))]
    return 0 if all(passed) else 1


def checks(directory: Path) -> Iterator[Check]:
    """Yield the validators; each may write in a directory."""
    programs = agents.programs()
    claude = [*programs["claude-code"], "plugin", "validate"]
    yield Check("Claude Code, plugin", [*claude, "--strict", str(PLUGIN)])
    # Not strict: it wants a privacy policy on the web, and each server is its owner's.
    yield Check("Claude Code, plugin directory", [*claude, "--profile", "directory", str(PLUGIN)])
    yield Check("Claude Code, marketplace", [*claude, "--strict", str(ROOT)])
    yield Check("Gemini CLI", [*programs["gemini"], "extensions", "validate", str(ROOT / "plugins" / "gemini")])
    yield Check("MCP Bundles", [str(mcpb()), "validate", str(ROOT / "plugins" / "mcpb" / "manifest.json")])
    _, python = interpreter()
    skillsaw = [str(install(ROOT, "skillsaw", python) / "skillsaw"), "lint", "--strict", "--quiet"]
    yield Check("skillsaw", [*skillsaw, str(without_gemini(directory / "repository"))])


def without_gemini(copy: Path) -> Path:
    """Copy what skillsaw is to check; it takes Gemini CLI's extension for a plugin of Claude Code's."""
    shutil.copytree(PLUGIN, copy / "plugins" / "cairn")
    shutil.copytree(ROOT / ".claude-plugin", copy / ".claude-plugin")
    shutil.copy(ROOT / "server.json", copy)
    return copy


def mcpb() -> Path:
    """Return the validator of MCP Bundles, once npm has put it into the cache."""
    done = BUNDLES / "installed.txt"
    if not done.is_file() or done.read_text("utf-8") != MCPB:
        shutil.rmtree(BUNDLES, ignore_errors=True)
        BUNDLES.mkdir(parents=True)
        quiet = ["--no-save", "--no-package-lock", "--no-audit", "--no-fund", "--loglevel=error"]
        subprocess.run(["npm", "install", "--prefix", BUNDLES, *quiet, MCPB], check=True, timeout=_SECONDS)  # noqa: S603, S607 - the version above
        done.write_text(MCPB, "utf-8")
    return BUNDLES / "node_modules" / ".bin" / "mcpb"


def run(check: Check, home: Path) -> bool:
    """Run a validator in a home of its own, and tell whether it is content."""
    done = subprocess.run(  # noqa: S603 - the programs above
        check.command,
        env=os.environ | {"HOME": str(home), "DISABLE_AUTOUPDATER": "1"},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=_SECONDS,
        check=False,
    )
    print(f"{'FAIL' if done.returncode else 'pass'}  {check.name}")
    if done.returncode:
        print(done.stdout, done.stderr, sep="\n")
    return done.returncode == 0


if __name__ == "__main__":
    sys.exit(main())
