"""The official MCP conformance suite against the deployed API: gateway, authorizer and function as a client meets them.

The suite calls tools of its own, which no deployment has; `make conformance` runs those against the same protocol core.
Here it asks what it can ask of any server. What else fails is in the baselines of tests/conformance, with its reason.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from subprocess import CompletedProcess
from typing import TypeAlias

import pytest

import conformance
from support.stack import Stack, key_added

pytestmark = pytest.mark.enable_socket

Outcome: TypeAlias = tuple[CompletedProcess[str], Mapping[str, list[dict[str, str]]]]

# Scenarios of which every check passes through the gateway.
WHOLE = {
    "2026-07-28": {"tools-list", "dns-rebinding-protection", "http-header-validation"},
    "2025-11-25": {"server-initialize", "ping", "tools-list", "dns-rebinding-protection"},
}
# What fails of a scenario that any server can pass in part: it calls tools of the suite's own.
NOT_STATELESS = {
    "sep-2575-server-rejects-undeclared-capability",
    "sep-2575-missing-capability-http-400",
    "sep-2575-http-server-no-independent-requests-on-stream",
    "sep-2575-server-no-log-without-loglevel",
}


@pytest.fixture(scope="module")
def gateway(stack: Stack, keys: dict[str, str]) -> Iterator[str]:
    """Yield an address of the API that needs no key, since the suite can send none."""
    with key_added(stack.endpoint, stack.host, keys["acme"]) as address:
        yield f"{address}/mcp"


@pytest.fixture(scope="module", params=conformance.REVISIONS)
def revision(request: pytest.FixtureRequest) -> str:
    return request.param


@pytest.fixture(scope="module")
def outcome(gateway: str, revision: str, tmp_path_factory: pytest.TempPathFactory) -> Outcome:
    """Return how the suite ended, and each scenario's checks."""
    conformance.install()
    results = tmp_path_factory.mktemp("results")
    baseline = conformance.baseline_of_a_deployment(revision, tmp_path_factory.mktemp("baseline"))
    ended = conformance.scenarios(revision, gateway, baseline, results)
    return ended, {_scenario(path): json.loads(path.read_text()) for path in results.glob("*/checks.json")}


def test_what_fails_of_the_suite_is_what_the_baseline_says(outcome: Outcome) -> None:
    ended, _ = outcome

    assert ended.returncode == 0, ended.stdout


def test_what_it_can_ask_of_any_server_passes_through_the_gateway(outcome: Outcome, revision: str) -> None:
    _, checks = outcome

    for scenario in WHOLE[revision]:
        assert {each["status"] for each in checks[scenario]} - {"INFO"} == {"SUCCESS"}, scenario


def test_statelessness_and_caching_fail_only_where_a_deployment_has_nothing_to_show(
    outcome: Outcome, revision: str
) -> None:
    _, checks = outcome
    expected = {"server-stateless": NOT_STATELESS, "caching": set[str]()} if revision == "2026-07-28" else {}

    for scenario, names in expected.items():
        assert {each["id"] for each in checks[scenario] if each["status"] == "FAILURE"} == names


def _scenario(path: Path) -> str:
    """Return a scenario's name: its results are in `server-<name>-<time>`."""
    name, _, _ = path.parent.name.removeprefix("server-").rpartition("T")
    return name.rsplit("-", 3)[0]
