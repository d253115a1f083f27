"""What the house is built like: imports, sizes, names, start-up cost."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from statistics import median

import pytest

from cairn.access.api_keys import Grant
from cairn.ground.ids import Tenant
from cairn.local.store import operator_services
from cairn_tools.catalog import CATALOG
from functions import functions as lambda_functions

ROOT = Path(__file__).resolve().parents[2]
SHIPPED = ("layers/core", "functions")
ROOMS = (*SHIPPED, "tools")
VAGUE = {"utils", "util", "helpers", "helper", "base", "manager", "common", "misc"}
HEAVY = {
    *("mcp", "mcp_types", "boto3", "botocore", "starlette", "uvicorn", "yaml", "rich", "click", "jwt", "http.client"),
    *("numpy", "onnxruntime", "cairn.aws.titan", "cairn.models.onnx_graph"),
}
OTHER_USE_CASES = {
    *(
        "cairn.access.claims",
        "cairn.access.tokens",
        "cairn.archive.archive",
        "cairn.archive.model",
        "cairn.calls.audit",
    ),
    *("cairn.calls.chain", "cairn.calls.sealing", "cairn.detection.detector", "cairn.facts.markers"),
    *("cairn.facts.proposals", "cairn.facts.values", "cairn.files.directories", "cairn.recall.indexing"),
    *("cairn.sessions.guards", "cairn.sessions.sessions", "cairn.sessions.summary", "cairn.turns.operation_token"),
    *("cairn.upkeep.every_due", "cairn.upkeep.maintenance", "cairn.upkeep.retention", "onnxruntime"),
}
OIDC = {"CAIRN_AUTH_OIDC_ISSUER": "https://login.example.com", "CAIRN_AUTH_OIDC_AUDIENCE": "cairn"}
MOST_LINES = 400
MEDIAN_LINES = 100
MOST_OF_THE_AUTHORIZER = 45
NO_ROOMS_OF_THE_AUTHORIZER = (
    "cairn.recall",
    "cairn.models",
    "cairn.language",
    "cairn.keyvalue",
    "cairn.log",
    "cairn.calls",
)
MOST_TOOL_LINES = 80
MOST_FUNCTION_LINES = 40


def sources(*rooms: str) -> list[Path]:
    return [path for room in rooms for path in sorted((ROOT / room).rglob("*.py"))]


def lines_of(*rooms: str) -> dict[Path, int]:
    return {path.relative_to(ROOT): len(path.read_text(encoding="utf-8").splitlines()) for path in sources(*rooms)}


def functions(tree: ast.AST) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield node


@pytest.mark.slow
def test_imports_point_one_way() -> None:
    # In a process of its own: it configures logging and would silence every logger of this one.
    lint = [
        sys.executable,
        "-c",
        "from importlinter.cli import lint_imports; raise SystemExit(lint_imports(no_cache=True))",
    ]
    checked = subprocess.run(lint, cwd=ROOT, capture_output=True, text=True, check=False)  # noqa: S603

    assert checked.returncode == 0, checked.stdout


def test_a_file_fits_on_a_few_screens() -> None:
    lengths = lines_of(*ROOMS)

    assert lengths
    assert {path: lines for path, lines in lengths.items() if lines > MOST_LINES} == {}


def test_half_of_the_files_fit_on_two_screens() -> None:
    assert median(lines_of(*SHIPPED).values()) < MEDIAN_LINES


def test_a_tool_is_one_short_file_named_after_it() -> None:
    for tool in CATALOG:
        path = ROOT / "functions" / "cairn_tools" / f"{tool.name}.py"
        assert len(path.read_text(encoding="utf-8").splitlines()) <= MOST_TOOL_LINES, tool.name
    files = {path.stem for path in sources("functions/cairn_tools")} - {"__init__", "catalog"}
    assert files == {tool.name for tool in CATALOG}


def test_a_function_fits_on_one_screen() -> None:
    long = [
        f"{path.relative_to(ROOT)}:{node.lineno} {node.name}"
        for path in sources(*ROOMS, "tests")
        for node in functions(ast.parse(path.read_text(encoding="utf-8")))
        if (node.end_lineno or node.lineno) - node.lineno + 1 > MOST_FUNCTION_LINES
    ]

    assert long == []


def test_every_module_s_name_says_what_it_is() -> None:
    assert [path for path in sources(*ROOMS) if VAGUE & set(path.stem.split("_"))] == []


def test_test_files_have_names_of_their_own() -> None:
    names = [path.name for path in sources("tests") if path.name.startswith("test_")]

    assert sorted(names) == sorted(set(names))


@pytest.mark.slow
def test_a_lambda_without_input_models_builds_no_model_at_import() -> None:
    counting = """
import pydantic._internal._model_construction as construction
def refuse(cls, *given, **named): raise SystemExit(f"{cls.__name__} is built at import")
construction.complete_model_class = refuse
"""

    for module in ("cairn_auth.authorizer", "cairn_auth.metadata", "cairn_jobs.schedule", "cairn_jobs.worker"):
        assert module in loaded(f"{counting}import {module}")


@pytest.mark.slow
def test_a_command_pays_for_its_own_imports_only() -> None:
    of_all = loaded("import cairn.local.cli")
    of_stdio = loaded("import cairn.local.server.stdio, cairn_mcp.stdio")

    assert {
        each for each in of_all if each.startswith(("cairn.services", "cairn.wiring", "cairn.settings", "pydantic"))
    } == set()
    assert HEAVY & of_stdio == {"botocore"}, "which Powertools looks for; it is the package alone"
    assert "botocore.session" not in of_stdio


@pytest.mark.slow
def test_the_authorizer_loads_what_it_uses_alone(tmp_path: Path) -> None:
    """It runs before every request, so that its cold start is everybody's."""
    key = operator_services(tmp_path, {}).credentials.create(Tenant("acme"), Grant()).text
    asked = {
        "rawPath": "/mcp",
        "headers": {"authorization": f"Bearer {key}"},
        "requestContext": {"http": {"method": "POST"}},
    }
    program = f"from cairn_auth.authorizer import handler; assert 'tenant' in handler({asked!r}, None)['context']"

    modules = ours(loaded(program, CAIRN_DATA=str(tmp_path)))

    assert {"cairn.access.key_store", "cairn.embedded.table"} <= modules
    assert len(modules) <= MOST_OF_THE_AUTHORIZER, sorted(modules)
    assert [each for each in sorted(modules) if each.startswith(NO_ROOMS_OF_THE_AUTHORIZER)] == []


@pytest.mark.slow
@pytest.mark.parametrize(
    ("module", "most"),
    [
        ("cairn_auth.authorizer", 25),
        ("cairn_auth.metadata", 25),
        ("cairn_health.door", 25),
        ("cairn_jobs.schedule", 25),
        ("cairn_jobs.worker", 40),
        ("cairn_sandbox.door", 30),
    ],
)
def test_a_function_that_runs_no_memory_tool_imports_little_of_this_project(module: str, most: int) -> None:
    modules = ours(loaded(f"import {module}"))

    assert len(modules) <= most, sorted(modules)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("settings", "presented", "is_loaded"),
    [({}, "a.b.c", False), (OIDC, "", False), (OIDC, f"cairn_{'0' * 16}_{'A' * 43}", False), (OIDC, "a.b.c", True)],
)
def test_what_verifies_tokens_is_loaded_for_a_token_of_an_issuer_only(
    settings: dict[str, str], presented: str, tmp_path: Path, *, is_loaded: bool
) -> None:
    asked = {
        "rawPath": "/mcp",
        "headers": {"authorization": f"Bearer {presented}"},
        "requestContext": {"http": {"method": "POST"}},
    }
    program = f"from cairn_auth.authorizer import handler; assert 'tenant' not in handler({asked!r}, None)['context']"

    modules = loaded(program, CAIRN_DATA=str(tmp_path), **settings)

    assert ("jwt" in modules) is is_loaded


@pytest.mark.slow
def test_a_process_loads_what_embeds_at_its_first_text_only(tmp_path: Path) -> None:
    started = "from cairn.wiring import services; embedder = services().embedder"

    before = loaded(started, CAIRN_DATA=str(tmp_path))
    after = loaded(f"{started}; embedder.embed('a text')", CAIRN_DATA=str(tmp_path))

    assert {"numpy", "onnxruntime"} & before == set()
    assert {"numpy", "onnxruntime", "cairn.models.onnx_graph"} <= after


@pytest.mark.slow
def test_numpy_starts_no_threads_that_wait_busily_for_each_other() -> None:
    program = "import cairn.wiring, numpy, os; assert len(os.listdir('/proc/self/task')) == 1"

    assert "numpy" in loaded(program)


def test_the_modules_that_these_tests_name_exist() -> None:
    assert {each for each in HEAVY | OTHER_USE_CASES if each.startswith("cairn.") and find_spec(each) is None} == set()


@pytest.mark.slow
def test_what_serves_all_tools_loads_no_use_case_before_it_is_called() -> None:
    modules = loaded("import cairn_mcp.door")

    assert "cairn.services" in modules
    assert (OTHER_USE_CASES | {"cairn_tools.recall"}) & modules == set()


@pytest.mark.slow
def test_a_process_loads_the_use_cases_it_serves_only(tmp_path: Path) -> None:
    """Each class made at import costs half a millisecond, and every cold start waits for it."""
    session = "Session('garden', Project('p'), SessionId('s'))"
    asked = f"""
from cairn.ground.ids import Project, SessionId
from cairn.ground.session import Session
from cairn.memories.model import RecallRequest
from cairn.memories.recall import recall
from cairn.wiring import services
assert recall(services(), {session}, RecallRequest(query="tea", mode="text")).found == ()
"""

    modules = loaded(asked, CAIRN_DATA=str(tmp_path))

    assert {"cairn.memories.recall", "cairn.recall.answer"} <= modules
    assert OTHER_USE_CASES & modules == set()


@pytest.mark.slow
def test_a_call_loads_what_adds_up_costs_only_where_a_budget_may_hold_it_back(tmp_path: Path) -> None:
    remembering = """
from cairn.access.api_keys import ALL_PROJECTS
from cairn.access.callers import Caller
from cairn.ground.ids import Tenant
from cairn.tool.call import Call, execute
from cairn.wiring import services
from cairn_tools.remember import remember
caller = Caller(Tenant("acme"), frozenset({"write"}), "request", (ALL_PROJECTS,))
execute((remember,), "remember", remember.example, Call(caller, services()))
"""
    usual = {"CAIRN_DATA": str(tmp_path), "CAIRN_MEMORY_ENABLED": "true", "CAIRN_BUDGET_MONTHLY_DOLLARS": "5"}

    assert {"cairn.calls.budgets", "cairn.calls.billing"} & loaded(remembering, **usual) == set()
    assert "cairn.calls.budgets" in loaded(remembering, **usual, CAIRN_BUDGET_BRAKE="true")


@pytest.mark.slow
@pytest.mark.parametrize("handler", [each.handler for each in lambda_functions(CATALOG)])
def test_what_a_lambda_imports_is_not_heavy_draws_nothing_random_and_opens_nothing(handler: str) -> None:
    """So that it starts soon, and a snapshot of the process could be started many times over."""
    refusing = """
import importlib, os, random, secrets, socket, uuid
def refuse(*given, **named): raise SystemExit("drawn or opened at import")
os.urandom = random.random = random.getrandbits = secrets.token_bytes = uuid.uuid4 = socket.socket.connect = refuse
"""
    module = handler.rpartition(".")[0]

    modules = loaded(f"{refusing}importlib.import_module({module!r})")

    assert {module, "cairn"} <= modules
    assert HEAVY & modules == set()


def ours(modules: set[str]) -> set[str]:
    """Return the modules of this project: of `cairn` and of the functions."""
    return {each for each in modules if each.partition(".")[0].partition("_")[0] == "cairn"}


def loaded(program: str, **environment: str) -> set[str]:
    """Return the modules that a program has loaded at its end: packages, and the parts of them that HEAVY names."""
    command = [sys.executable, "-c", f"{program}\nimport sys; print(*sys.modules)"]
    run = subprocess.run(  # noqa: S603 - our own
        command, capture_output=True, text=True, check=True, timeout=60, env={**os.environ, **environment}
    )
    return set(run.stdout.split())
