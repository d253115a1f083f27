"""The layer of Cairn and its dependencies: what is left of them, and that it is for one processor."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

import build_core

LAYERS = Path(__file__).resolve().parents[3] / "layers"


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


def test_what_describes_a_service_is_kept_without_its_words(tmp_path: Path) -> None:
    folder = tmp_path / "kms" / "2014-11-01"
    folder.mkdir(parents=True)
    (tmp_path / "endpoints.json").write_text('{"partitions": []}', encoding="utf-8")
    member = {"shape": "Text", "documentation": "<p>What it says.</p>"}
    shapes = {"Api": {"type": "structure", "members": {"documentation": member}}, "Tags": [member]}
    (folder / "service-2.json.gz").write_bytes(gzip.compress(json.dumps({"shapes": shapes}).encode()))

    build_core.trim(tmp_path, {"kms"})

    assert [path.name for path in folder.iterdir()] == ["service-2.json"]
    assert json.loads((folder / "service-2.json").read_text(encoding="utf-8"))["shapes"] == {
        "Api": {"type": "structure", "members": {"documentation": {"shape": "Text", "documentation": ""}}},
        "Tags": [{"shape": "Text", "documentation": ""}],
    }


def test_dependencies_are_left_as_bytecode_alone(tmp_path: Path) -> None:
    (tmp_path / "package").mkdir()
    (tmp_path / "package" / "module.py").write_text("VALUE = 1", encoding="utf-8")

    build_core.compile_alone(tmp_path)

    (left,) = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert left == tmp_path / "package" / "module.pyc"
    assert left.read_bytes()[4] == 1, "it is bound to no timestamp"


def library(directory: Path, name: str, machine: int) -> None:
    (directory / name).write_bytes(b"\x7fELF" + bytes(14) + machine.to_bytes(2, "little"))


@pytest.mark.parametrize(("architecture", "others"), [("arm64", ["of_x86.so.1"]), ("x86_64", ["of_arm.so"])])
def test_a_library_for_another_processor_is_found(tmp_path: Path, architecture: str, others: list[str]) -> None:
    library(tmp_path, "of_arm.so", 183)
    library(tmp_path, "of_x86.so.1", 62)
    (tmp_path / "none.so").write_bytes(b"")

    assert [str(path) for path in build_core.foreign(tmp_path, architecture)] == ["none.so", *others]


def test_the_dependencies_are_those_of_this_python_and_the_processor(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    given: list[list[str]] = []

    def run(command: list[str], *, check: bool) -> None:
        assert check
        given.append(command)

    monkeypatch.setattr(build_core.subprocess, "run", run)
    monkeypatch.setattr(build_core.sys, "version_info", (3, 11, 7))
    build_core.install(tmp_path, "arm64")
    monkeypatch.setattr(build_core.sys, "version_info", (3, 13, 0))
    build_core.install(tmp_path, "x86_64")

    older, newer = ([each for each in command if each.startswith("--platform")] for command in given)
    assert (older[0], older[-1]) == ("--platform=manylinux2014_aarch64", "--platform=manylinux_2_26_aarch64")
    assert newer[-1] == "--platform=manylinux_2_34_x86_64"
    assert all({"--require-hashes", ":all:"} <= set(command) for command in given)
