"""Resources of the template."""

from __future__ import annotations

from pathlib import Path
from typing import Any

TEMPLATE = Path(__file__).resolve().parents[2] / "template.yaml"


def of_type(resources: dict[str, Any], kind: str) -> dict[str, dict[str, Any]]:
    return {name: each["Properties"] for name, each in resources.items() if each["Type"] == kind}
