"""Run every built function under Lambda's own runtime: sample events, faults, and what a cold start costs.

The template is built and deployed to the emulator as by `make stack`. Each function then runs in a process of its own
under the runtime emulator of SAM CLI, with the code, layers, handler, environment and timeout of its deployment, and
with the emulator's table, bucket and key behind it. Every tool is switched on.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Any, cast

import boto3
from cfnlint.decode import cfn_yaml

from cairn.local.emulator.deployment import STACK, keys, prepare
from cairn.local.emulator.emulator import ACCOUNT, emulated
from cairn.local.emulator.programs import install, interpreter
from cairn_tools.catalog import CATALOG
from lambda_runtime import ROOT, Function, free_port

HOME = ROOT / ".cache" / "stack"
BUILT = HOME / "build"
SUITE = ROOT / "tests" / "runtime"
COLD_STARTS = ROOT / "bench" / "cold.py"
_SUITE_SECONDS, _BENCH_SECONDS = 240, 420
# With an issuer, which nobody asks, so that the functions of its host are there too.
_OAUTH_HOST = {"OidcIssuer": "https://login.example.com", "OidcResource": "https://memory.example.com/mcp"}
_EVERY_TOOL = {
    "memory": {"enabled": True},
    **{tool.name: {"enabled": True} for tool in CATALOG if not tool.on_by_default},
}
_REGION = {"AWS_REGION": ACCOUNT["AWS_DEFAULT_REGION"]}
AWS = cast("Any", boto3)  # its stubs know three services


def main() -> int:
    """Run all of it; 0 where every call was answered as expected."""
    with standing():
        with _step("suite"):
            failed = _python(["-m", "pytest", str(SUITE), "-p", "no:cacheprovider", "--durations", "5"], _SUITE_SECONDS)
        with _step("cold starts"):
            return failed or _python([str(COLD_STARTS)], _BENCH_SECONDS)


@contextmanager
def standing() -> Generator[None]:
    """Build and deploy the template, and have the environment name its functions until the block ends."""
    deployment = prepare(ROOT, HOME, _OAUTH_HOST)
    install(ROOT, "runtime", interpreter()[1])
    for left in ("state", "objects", "opt"):
        shutil.rmtree(HOME / left, ignore_errors=True)
    with _step("build"):
        deployment.build()
    with emulated(deployment.emulator, HOME, free_port(), iam=False) as emulator:
        with _step("deploy"):
            outputs = deployment.deploy(emulator.endpoint)
            key = keys(["create", "--tenant", "local"], emulator.endpoint, outputs).split()[0]
        told = {"AWS_ENDPOINT_URL": emulator.endpoint, "RUNTIME_KEY": key, "PYTHONPATH": str(ROOT / "tools")}
        os.environ |= ACCOUNT | _REGION | told
        AWS.client("s3").delete_bucket_policy(Bucket=outputs["MemoryBucketName"])  # the emulator has no TLS
        os.environ["RUNTIME_FUNCTIONS"] = json.dumps([asdict(each) for each in deployed(emulator.endpoint)])
        yield


def deployed(endpoint: str) -> list[Function]:
    """Return every function as it is deployed, on the artifacts it was deployed from, by name.

    The suite plays them in this order: one that looks for what an empty store lacks stands before the one that adds it.
    """
    pages = AWS.client("cloudformation").get_paginator("list_stack_resources").paginate(StackName=STACK)
    listed = [each for page in pages for each in page["StackResourceSummaries"]]
    resources = sorted(listed, key=lambda each: each["LogicalResourceId"])
    built = cast("Any", cfn_yaml).load(str(BUILT / "template.yaml"))["Resources"]
    return [
        _function(each["LogicalResourceId"], each["PhysicalResourceId"], built, endpoint)
        for each in sorted(resources, key=lambda each: each["LogicalResourceId"])
        if each["ResourceType"] == "AWS::Lambda::Function"
    ]


def _function(logical_id: str, name: str, built: Mapping[str, Any], endpoint: str) -> Function:
    said = AWS.client("lambda").get_function_configuration(FunctionName=name)
    layers = [built[layer["Arn"].split(":")[-2]]["Properties"]["ContentUri"] for layer in said.get("Layers", ())]
    opt = str(_unpacked(layers))
    told = {key: re.sub("^/opt(?=/)", opt, value) for key, value in said["Environment"]["Variables"].items()}
    own = {
        "AWS_ENDPOINT_URL": endpoint,
        "CAIRN_SETTINGS": json.dumps({"settings": {"mcp": {"tools": _EVERY_TOOL}}}),
    }
    return Function(
        name=logical_id,
        handler=said["Handler"],
        code=str(BUILT / built[logical_id]["Properties"]["CodeUri"]),
        layers=opt,
        timeout=said["Timeout"],
        memory=said["MemorySize"],
        environment={**told, **ACCOUNT, **_REGION, **own},
    )


def _unpacked(layers: Sequence[str]) -> Path:
    """Return a directory with the contents of the layers, as Lambda makes /opt of them."""
    opt = HOME / "opt" / "-".join(layers)
    if not opt.exists():
        for layer in layers:
            shutil.copytree(BUILT / layer, opt, copy_function=_linked, dirs_exist_ok=True)
    return opt


def _linked(source: str, target: str) -> None:
    Path(target).unlink(missing_ok=True)
    os.link(source, target)


def _python(arguments: Sequence[str], seconds: float) -> int:
    return subprocess.run([sys.executable, *arguments], cwd=ROOT, timeout=seconds, check=False).returncode  # noqa: S603 - our own


@contextmanager
def _step(name: str) -> Generator[None]:
    """Print how long a step took."""
    started = time.monotonic()
    yield
    print(f"{name}: {time.monotonic() - started:.0f} s", flush=True)


if __name__ == "__main__":
    sys.exit(main())
