"""Print every requirement with the tests that prove it, or "open".

Usage: python tools/requirements.py [REQUIREMENTS.md]
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
DEFAULT_LIST = ROOT.parent / "shared" / "contract" / "requirements.md"
_ENTRY = re.compile(r"^- \*\*(R\d{3})\*\*", re.MULTILINE)


def numbers(text: str) -> list[str]:
    """Return the requirements a list names, in its order."""
    return _ENTRY.findall(text)


def proofs(folder: Path) -> dict[str, list[str]]:
    """Return the tests that are marked with each requirement, as file::test."""
    found: dict[str, list[str]] = {}
    for path in sorted(folder.rglob("test_*.py")):
        for test, number in _marks(ast.parse(path.read_text(encoding="utf-8"))):
            tests = found.setdefault(number, [])
            name = f"{path.relative_to(folder.parent)}::{test}"
            if name not in tests:
                tests.append(name)
    return found


def report(listed: list[str], proved: dict[str, list[str]]) -> str:
    """Return one line per requirement and test, and a line of totals."""
    lines = [f"{number}  {test}" for number in listed for test in proved.get(number, ["open"])]
    closed = sum(number in proved for number in listed)
    return "\n".join([*lines, f"{closed} of {len(listed)} requirements have a test; {len(listed) - closed} are open"])


def main(arguments: list[str]) -> int:
    """Print the ledger; fail where the list is missing or a test is marked with a number that it lacks."""
    path = Path(arguments[0]) if arguments else DEFAULT_LIST
    if not path.is_file():
        print(f"no list of requirements at {path}; give its path as the argument", file=sys.stderr)
        return 2
    listed, proved = numbers(path.read_text(encoding="utf-8")), proofs(ROOT / "tests")
    print(report(listed, proved))
    unknown = sorted(set(proved) - set(listed))
    for number in unknown:
        print(f"{number} is no requirement: {', '.join(proved[number])}", file=sys.stderr)
    return 1 if unknown or not listed else 0


def _marks(tree: ast.Module) -> Iterator[tuple[str, str]]:
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name.startswith("test_"):
            yield from ((node.name, number) for decorator in node.decorator_list for number in _numbers(decorator))
    for statement in tree.body:
        if isinstance(statement, ast.Assign) and any(_is_pytestmark(target) for target in statement.targets):
            yield from (("(the whole file)", number) for number in _numbers(statement.value))


def _numbers(node: ast.AST) -> Iterator[str]:
    for call in ast.walk(node):
        if isinstance(call, ast.Call) and ast.unparse(call.func) == "pytest.mark.req":
            for argument in call.args:
                if isinstance(argument, ast.Constant) and isinstance(argument.value, str):
                    yield argument.value


def _is_pytestmark(node: ast.expr) -> bool:
    return isinstance(node, ast.Name) and node.id == "pytestmark"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
