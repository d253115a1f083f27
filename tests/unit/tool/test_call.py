"""The order in which a call is held to what it has to meet: what is wrong first is what its caller is told."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import pytest

from cairn.ground.errors import CairnError, PermissionDenied
from cairn.ground.settings import RateSettings
from cairn.tool.call import Call, execute
from cairn_tools.putMemory import putMemory
from support.services import changed

ARGUMENTS: Mapping[str, Any] = {"namespace": "session.monday", "key": "plan", "value": "Beans.", "if_version": 0}
ONCE_IN_A_NAMESPACE = RateSettings(namespace_per_second=0.001, namespace_burst=1)


@dataclass(frozen=True, kw_only=True)
class Fault:
    """One thing that is wrong with a call, and what its caller is told if nothing before it is wrong."""

    told: str
    settings: Mapping[str, Any] = field(default_factory=dict[str, Any])
    caller: Mapping[str, Any] = field(default_factory=dict[str, Any])
    arguments: Mapping[str, Any] = field(default_factory=dict[str, Any])


FAULTS = (
    Fault(told="DISABLED", settings={"tool_switches": {"putMemory": False}}),
    Fault(told="scope", caller={"scopes": frozenset[str]()}),
    Fault(told="INVALID_ARGUMENT", arguments={"color": "green"}),
    Fault(told="project", caller={"projects": ("garden",)}),
    Fault(told="policy", caller={"policy": "nobody's"}),
    Fault(told="RATE_LIMITED", settings={"rate_limits": ONCE_IN_A_NAMESPACE}),
    Fault(told="CONFLICT"),
)


@pytest.mark.parametrize("first", range(len(FAULTS)), ids=[fault.told for fault in FAULTS])
def test_of_all_that_is_wrong_with_a_call_its_caller_is_told_the_first(call: Call, first: int) -> None:
    execute((putMemory,), "putMemory", {**ARGUMENTS, "value": "Peas."}, call)

    wrong = FAULTS[first:]
    arguments = dict(ARGUMENTS)
    for fault in wrong:
        arguments.update(fault.arguments)
    with pytest.raises(CairnError) as refused:
        execute((putMemory,), "putMemory", arguments, with_faults(call, wrong))

    error = refused.value
    assert (error.reason if isinstance(error, PermissionDenied) else error.code) == FAULTS[first].told


def with_faults(call: Call, faults: tuple[Fault, ...]) -> Call:
    services, caller = call.services, call.caller
    for fault in faults:
        services = changed(services, settings=replace(services.settings, **fault.settings))
        caller = replace(caller, **fault.caller)
    return replace(call, services=services, caller=caller)
