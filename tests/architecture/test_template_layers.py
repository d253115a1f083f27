"""The template's layers: built by a makefile that is told for which runtime and processor."""

from __future__ import annotations

import itertools
import subprocess
from pathlib import Path
from typing import Any

import pytest

from support.template import of_type

ROOT = Path(__file__).resolve().parents[2]
LAYERS = ROOT / "layers"


def test_each_layer_is_built_for_the_runtime_and_the_processor_of_the_functions(
    template: dict[str, Any], resources: dict[str, Any]
) -> None:
    shared = template["Globals"]["Function"]
    assert (shared["Runtime"], shared["Architectures"]) == ({"Ref": "Runtime"}, [{"Ref": "Architecture"}])
    for name in of_type(resources, "AWS::Serverless::LayerVersion"):
        told = resources[name]["Metadata"]
        assert told["BuildMethod"] == "makefile"
        assert told["ContextPath"] == {"Fn::Sub": "layers/targets/${Runtime}-${Architecture}"}


def test_there_is_a_makefile_for_whatever_may_be_chosen(template: dict[str, Any]) -> None:
    allowed = [template["Parameters"][name]["AllowedValues"] for name in ("Runtime", "Architecture")]

    assert {each.name for each in (LAYERS / "targets").iterdir()} == {
        "-".join(chosen) for chosen in itertools.product(*allowed)
    }


@pytest.mark.parametrize("target", sorted((LAYERS / "targets").iterdir()), ids=lambda each: each.name)
def test_a_makefile_says_what_its_directory_is_called_after(target: Path) -> None:
    runtime, _, architecture = target.name.partition("-")
    command = ["make", "--dry-run", "--makefile", str(target / "Makefile"), "ARTIFACTS_DIR=/built"]

    for layer, script in (("CoreLayer", "build_core.py"), ("ModelLayer", "model/build_runtime.py")):
        where = (LAYERS / script).parent
        asked = [*command, f"build-{layer}"]
        printed = subprocess.run(asked, cwd=where, capture_output=True, text=True, check=True).stdout  # noqa: S603 - ours
        (built,) = [line for line in printed.splitlines() if Path(script).name in line]
        assert f'{Path(script).name} {architecture} "/built/python"' in built
        assert runtime in printed
