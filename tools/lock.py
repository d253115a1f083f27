"""Pin anew what Cairn, its tests and the programs it is deployed with need: exact versions, hashes, no index's address.

What is pinned already keeps its version; to take newer ones, delete the file that pins them first.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
RUNTIME, DEVELOPMENT = "layers/deps/requirements", "requirements-dev.txt"
MODEL, MODEL_RUNTIME = "layers/model/requirements", "layers/model/runtime"
MULTILINGUAL = "layers/multilingual/requirements"
READER = "bench/fit_reader"
PROGRAMS = ROOT / "tools" / "programs"
_UV = Path(sys.executable).parent / "uv"
_COMPILE = ["pip", "compile", "--quiet", "--universal", "--generate-hashes"]
_PYTHONS = {"basic-memory": "3.12"}
"""The oldest Python of programs that do not run on ours."""
_ALONE = {"agents"}
"""Programs of which the package alone is taken, none that it needs to be imported."""
_BESIDE_CAIRN = {
    "frameworks/together": (
        *("adk", "agent-framework", "anthropic", "claude-agent-sdk", "langgraph", "llama-index", "openai-agents"),
        *("pydantic-ai-harness", "strands"),
    ),
    "frameworks/pydantic-ai": ("pydantic-ai",),
}
"""Environments that hold what Cairn needs too, and what these extras of it ask for."""
# pip 23 takes the newest release of what is asked for with extras where the pin stands without them.
_BARE = ["--no-emit-index-url", "--no-annotate", "--no-header", "--no-strip-extras"]


def main() -> int:
    """Write every file of pins; 1 where one of them names an address."""
    subprocess.run([sys.executable, "-m", "pip", "install", "--quiet", "uv"], check=True)
    pin(f"{RUNTIME}.in", f"{RUNTIME}.txt")
    pin("pyproject.toml", DEVELOPMENT, "--group", "dev", "--extra", "multilingual", "--constraint", f"{RUNTIME}.txt")
    pin(f"{MODEL}.in", f"{MODEL}.txt", "--constraint", DEVELOPMENT)
    pin(f"{MODEL_RUNTIME}.in", f"{MODEL_RUNTIME}.txt", "--no-deps", "--constraint", DEVELOPMENT)
    pin(f"{MULTILINGUAL}.in", f"{MULTILINGUAL}.txt", "--no-deps", "--constraint", DEVELOPMENT)
    pin(f"{READER}.in", f"{READER}.txt", "--constraint", DEVELOPMENT)
    programs = sorted(each.relative_to(ROOT).with_suffix("") for each in PROGRAMS.rglob("*.in"))
    for each in programs:
        pin(f"{each}.in", f"{each}.txt", "--python-version", _PYTHONS.get(each.name, "3.11"), *_more(each))
    layers = [f"{each}.txt" for each in (RUNTIME, MODEL, MODEL_RUNTIME, MULTILINGUAL, READER)]
    written = [*layers, DEVELOPMENT, *(f"{each}.txt" for each in programs)]
    naming = [each for each in written if "://" in (ROOT / each).read_text()]
    print(*(f"{each} names an address" for each in naming), sep="\n", end="")
    return 1 if naming else 0


def pin(source: str, target: str, *options: str) -> None:
    """Write the pins of what a file asks for."""
    subprocess.run([_UV, *_COMPILE, *_BARE, source, *options, "--output-file", target], cwd=ROOT, check=True)  # noqa: S603 - the uv that was just installed


def _more(program: Path) -> Iterator[str]:
    """Yield the options of one program's pins."""
    if program.name in _ALONE:
        yield "--no-deps"
    extras = _BESIDE_CAIRN.get(str(program.relative_to("tools/programs")))
    if extras:
        yield from ("pyproject.toml", "--constraint", f"{RUNTIME}.txt")
        yield from (word for extra in extras for word in ("--extra", extra))


if __name__ == "__main__":
    sys.exit(main())
