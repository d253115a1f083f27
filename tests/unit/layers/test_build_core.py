"""The layer of all that is Python: what is left of the SDK, and that its other half has the same versions."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import build_core

LAYERS = Path(__file__).resolve().parents[3] / "layers"


def pins(layer: str) -> set[str]:
    text = (LAYERS / layer / "requirements.txt").read_text(encoding="utf-8")
    return {line.partition(" ")[0] for line in text.splitlines() if "==" in line}


def test_the_services_kept_are_those_that_the_adapters_make_clients_of() -> None:
    assert build_core.services(LAYERS / "core" / "cairn" / "aws") == {
        "bedrock-runtime",
        "dynamodb",
        "kms",
        "lambda",
        "s3",
        "secretsmanager",
        "sqs",
    }


def test_adapters_whose_clients_cannot_be_seen_stop_the_build(tmp_path: Path) -> None:
    (tmp_path / "clients.py").write_text("session.create_client(name)", encoding="utf-8")

    with pytest.raises(ValueError, match="makes no client"):
        build_core.services(tmp_path)


def test_what_no_adapter_uses_is_left_out(tmp_path: Path) -> None:
    for service in ("kms", "ec2"):
        (tmp_path / service).mkdir()
    endpoints: dict[str, Any] = {
        "partitions": [{"regions": {"eu-north-1": {}}, "services": {"kms": {"a": 1}, "ec2": {}}}]
    }
    (tmp_path / "endpoints.json").write_text(json.dumps(endpoints), encoding="utf-8")

    build_core.trim(tmp_path, {"kms"})

    assert sorted(path.name for path in tmp_path.iterdir()) == ["endpoints.json", "kms"]
    kept = json.loads((tmp_path / "endpoints.json").read_text(encoding="utf-8"))["partitions"]
    assert kept == [{"regions": {"eu-north-1": {}}, "services": {"kms": {"a": 1}}}]


def test_both_layers_pin_the_same_versions() -> None:
    assert pins("native")
    assert pins("native") <= pins("deps")
