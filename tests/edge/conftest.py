"""Policies and metrics of a call."""

from __future__ import annotations

import io
import json
import logging
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from cairn.access import policies
from cairn.telemetry.metric_lines import metric_handler
from cairn.tool.call import Call
from support.services import changed
from support.telemetry import NAMESPACE, Emitted


@pytest.fixture
def under(call: Call, tmp_path: Path, clock: Any) -> Callable[..., Call]:
    """Return a function that makes a call under a policy document, and for a credential that names one of them."""

    def made(document: object, name: str | None = None) -> Call:
        path = tmp_path / "policy.json"
        path.write_text(json.dumps(document))
        held = policies.of_file(path, clock)
        services = changed(call.services, policies=held)
        return replace(call, services=services, caller=replace(call.caller, policy=name))

    return made


@pytest.fixture
def emitted() -> Iterator[Emitted]:
    stream = io.StringIO()
    handler = metric_handler(NAMESPACE, stream)
    logger = logging.getLogger("cairn")
    logger.addHandler(handler)
    logger.setLevel(logging.INFO)
    yield Emitted(stream)
    logger.removeHandler(handler)
