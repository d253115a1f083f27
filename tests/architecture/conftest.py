"""The template as CloudFormation reads it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from cfnlint.decode import cfn_yaml

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="session")
def template() -> dict[str, Any]:
    return cfn_yaml.load(str(ROOT / "template.yaml"))  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]


@pytest.fixture(scope="module")
def resources(template: dict[str, Any]) -> dict[str, Any]:
    return template["Resources"]
