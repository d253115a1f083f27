"""What is generated is current, and the ledger of requirements counts what it says."""

from __future__ import annotations

import json
from dataclasses import fields
from pathlib import Path

import pytest

import generate
import requirements
from cairn.settings.options import OPTIONS
from cairn.settings.settings import variables
from cairn.telemetry.metrics import METRICS
from cairn.telemetry.record import CallRecord
from cairn.telemetry.tracing import SPANS
from cairn_tools.catalog import CATALOG

ROOT = Path(__file__).resolve().parents[2]


def test_generated_files_are_current() -> None:
    assert generate.stale(ROOT) == []


def test_a_changed_missing_or_surplus_file_is_stale(tmp_path: Path) -> None:
    for path, text in generate.outputs():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text, encoding="utf-8")
    assert generate.stale(tmp_path) == []

    (tmp_path / "docs/reference/tools.md").write_text("old", encoding="utf-8")
    (tmp_path / "events/http/gone_tool.json").write_text("{}", encoding="utf-8")
    (tmp_path / f"events/mcp/{CATALOG[0].name}.json").unlink()

    surplus = "events/http/gone_tool.json"
    assert set(generate.stale(tmp_path)) == {"docs/reference/tools.md", surplus, f"events/mcp/{CATALOG[0].name}.json"}


@pytest.mark.req("R003")
def test_every_tool_says_what_it_takes_and_gives() -> None:
    for tool in CATALOG:
        assert tool.title
        assert tool.summary.startswith("Call ")
        for schema in (tool.input_schema(), tool.output_schema()):
            assert schema["type"] == "object"
            assert "$ref" not in json.dumps(schema)
            assert "title" not in schema
            assert all(field["description"] for field in schema["properties"].values())
            arrays = [field for field in schema["properties"].values() if field.get("type") == "array"]
            assert all(field["items"].keys() & {"type", "anyOf"} for field in arrays)


def test_every_setting_and_every_variable_is_documented() -> None:
    page = (ROOT / "docs/reference/settings.md").read_text(encoding="utf-8")

    for option in OPTIONS.values():
        assert f"| `{option.key}` | `{option.variable}` |" in page
        assert option.description.endswith(".")
    for name, sentence in variables().items():
        assert f"`{name}`" in page
        assert sentence in page


def test_every_metric_every_field_and_every_span_is_documented() -> None:
    page = (ROOT / "docs/reference/telemetry.md").read_text(encoding="utf-8")

    names = [*(metric.name for metric in METRICS), *(each.name for each in fields(CallRecord)), *SPANS]
    for name in set(names) - {"ran", "owner", "blobs", "at_end", "is_over", "places", "seen"}:
        assert f"| `{name}` | " in page
    for metric in METRICS:
        assert all(f"`{dimension}`" in page for dimension in metric.dimensions)
        assert metric.meaning.endswith(".")


def test_the_ledger_finds_marks_and_shows_what_is_open(tmp_path: Path) -> None:
    (tmp_path / "tests").mkdir()
    (tmp_path / "tests" / "test_one.py").write_text(
        "import pytest\n"
        "pytestmark = [pytest.mark.slow, pytest.mark.req('R003')]\n"
        "@pytest.mark.req('R001')\n"
        "@pytest.mark.parametrize('x', [pytest.param(1, marks=pytest.mark.req('R002'))])\n"
        "def test_it(x): ...\n"
    )

    proved = requirements.proofs(tmp_path / "tests")
    listed = requirements.numbers("- **R001** (a) x\n- **R002** (a) x\n- **R003** (b) x\n- **R004** (b) x\nR005\n")

    assert requirements.report(listed, proved).splitlines() == [
        "R001  tests/test_one.py::test_it",
        "R002  tests/test_one.py::test_it",
        "R003  tests/test_one.py::(the whole file)",
        "R004  open",
        "3 of 4 requirements have a test; 1 are open",
    ]


def test_the_ledger_fails_plainly_without_its_list(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert requirements.main([str(tmp_path / "missing.md")]) == 2
    assert "no list of requirements" in capsys.readouterr().err


def test_the_ledger_fails_on_a_number_that_is_none(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "requirements.md"
    path.write_text("- **R999** (none) x\n")

    assert requirements.main([str(path)]) == 1
    assert "R001 is no requirement" in capsys.readouterr().err
