"""Run every built function under Lambda's own runtime: sample events, faults, and what a cold start costs.

The template is built and deployed to the emulator as by `make stack`. Each function then runs in a process of its own
under the runtime emulator of SAM CLI, with the code, layers, handler, environment and timeout of its deployment, and
with the emulator's table, bucket and key behind it.
"""

from __future__ import annotations

import json
import os
import platform
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, cast

import boto3
from cfnlint.decode import cfn_yaml

import stack
from lambda_runtime import Function

SUITE = stack.ROOT / "tests" / "runtime"
COLD_STARTS = stack.ROOT / "bench" / "cold.py"
_SUITE_SECONDS, _BENCH_SECONDS = 240, 300
_ACCOUNT = {
    "AWS_ACCESS_KEY_ID": "test",
    "AWS_SECRET_ACCESS_KEY": "test",
    "AWS_REGION": "us-east-1",
    "AWS_DEFAULT_REGION": "us-east-1",
}
AWS = cast("Any", boto3)  # its stubs know three services


def main() -> int:
    """Run all of it; 0 where every call was answered as expected."""
    stack.CACHE.mkdir(parents=True, exist_ok=True)
    runtime, python = stack.interpreter()
    sam, emulator, _ = (stack.install(name, python) for name in ("sam", "ministack", "runtime"))
    architecture = {"aarch64": "arm64"}.get(platform.machine(), platform.machine())
    parameters = [f"Runtime=python{runtime}", f"Architecture={architecture}", "DeletionProtection=false"]
    overrides = ["--parameter-overrides", *parameters]
    shutil.rmtree(stack.CACHE / "opt", ignore_errors=True)
    with stack.step("build"):
        stack.build(sam, overrides)
    with stack.emulated(emulator) as endpoint:
        with stack.step("deploy"):
            outputs = stack.deploy(sam, overrides, endpoint)
            key = stack.issue_key("local", endpoint, outputs)
        os.environ |= _ACCOUNT | {
            "AWS_ENDPOINT_URL": endpoint,
            "RUNTIME_KEY": key,
            "PYTHONPATH": str(stack.ROOT / "tools"),
        }
        AWS.client("s3").delete_bucket_policy(Bucket=outputs["MemoryBucketName"])  # the emulator has no TLS
        os.environ["RUNTIME_FUNCTIONS"] = json.dumps([asdict(each) for each in deployed(endpoint)])
        with stack.step("suite"):
            failed = _python(["-m", "pytest", str(SUITE), "-p", "no:cacheprovider", "--durations", "5"], _SUITE_SECONDS)
        with stack.step("cold starts"):
            return failed or _python([str(COLD_STARTS)], _BENCH_SECONDS)


def deployed(endpoint: str) -> list[Function]:
    """Return every function as it is deployed, on the artifacts it was deployed from."""
    pages = AWS.client("cloudformation").get_paginator("list_stack_resources").paginate(StackName=stack.STACK)
    resources = [each for page in pages for each in page["StackResourceSummaries"]]
    built = cast("Any", cfn_yaml).load(str(stack.BUILT / "template.yaml"))["Resources"]
    return [
        _function(each["LogicalResourceId"], each["PhysicalResourceId"], built, endpoint)
        for each in resources
        if each["ResourceType"] == "AWS::Lambda::Function"
    ]


def _function(logical_id: str, name: str, built: Mapping[str, Any], endpoint: str) -> Function:
    said = AWS.client("lambda").get_function_configuration(FunctionName=name)
    layers = [built[layer["Arn"].split(":")[-2]]["Properties"]["ContentUri"] for layer in said.get("Layers", ())]
    return Function(
        name=logical_id,
        handler=said["Handler"],
        code=str(stack.BUILT / built[logical_id]["Properties"]["CodeUri"]),
        layers=str(_unpacked(layers)),
        timeout=said["Timeout"],
        memory=said["MemorySize"],
        environment={**said["Environment"]["Variables"], **_ACCOUNT, "AWS_ENDPOINT_URL": endpoint},
    )


def _unpacked(layers: Sequence[str]) -> Path:
    """Return a directory with the contents of the layers, as Lambda makes /opt of them."""
    opt = stack.CACHE / "opt" / "-".join(layers)
    if not opt.exists():
        for layer in layers:
            shutil.copytree(stack.BUILT / layer, opt, copy_function=_linked, dirs_exist_ok=True)
    return opt


def _linked(source: str, target: str) -> None:
    Path(target).unlink(missing_ok=True)
    os.link(source, target)


def _python(arguments: Sequence[str], seconds: float) -> int:
    return subprocess.run([sys.executable, *arguments], cwd=stack.ROOT, timeout=seconds, check=False).returncode  # noqa: S603 - our own


if __name__ == "__main__":
    sys.exit(main())
