"""Every tool, one line each, in the order agents see them."""

from __future__ import annotations

from cairn.edge.tool import Tool
from cairn_tools.forget import forget
from cairn_tools.memory_after_turn import memory_after_turn
from cairn_tools.memory_before_turn import memory_before_turn
from cairn_tools.memory_list_dir_with_abstract import memory_list_dir_with_abstract
from cairn_tools.memory_run_maintenance import memory_run_maintenance
from cairn_tools.memory_run_turn import memory_run_turn
from cairn_tools.oc_diagnostic_pod_health import oc_diagnostic_pod_health
from cairn_tools.recall import recall
from cairn_tools.remember import remember

CATALOG: tuple[Tool, ...] = (
    memory_before_turn,
    memory_after_turn,
    memory_run_turn,
    memory_run_maintenance,
    memory_list_dir_with_abstract,
    remember,
    recall,
    forget,
    oc_diagnostic_pod_health,
)
