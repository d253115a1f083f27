"""Every tool, one line each, in the order agents see them."""

from __future__ import annotations

from cairn.tool.tool import Tool
from cairn_tools.deleteMemory import deleteMemory
from cairn_tools.estimate_storage_cost import estimate_storage_cost
from cairn_tools.forget import forget
from cairn_tools.getContext import getContext
from cairn_tools.getMemory import getMemory
from cairn_tools.listMemory import listMemory
from cairn_tools.mcp_pipe import mcp_pipe
from cairn_tools.memory_after_turn import memory_after_turn
from cairn_tools.memory_before_turn import memory_before_turn
from cairn_tools.memory_hook import memory_hook
from cairn_tools.memory_list_dir_with_abstract import memory_list_dir_with_abstract
from cairn_tools.memory_list_items import memory_list_items
from cairn_tools.memory_list_known import memory_list_known
from cairn_tools.memory_list_projects import memory_list_projects
from cairn_tools.memory_list_sessions import memory_list_sessions
from cairn_tools.memory_list_tools import memory_list_tools
from cairn_tools.memory_list_users import memory_list_users
from cairn_tools.memory_run_maintenance import memory_run_maintenance
from cairn_tools.memory_run_turn import memory_run_turn
from cairn_tools.memory_take_back_turn import memory_take_back_turn
from cairn_tools.oc_diagnostic_pod_health import oc_diagnostic_pod_health
from cairn_tools.putMemory import putMemory
from cairn_tools.query_cascade_memories import query_cascade_memories
from cairn_tools.recall import recall
from cairn_tools.remember import remember
from cairn_tools.retrieve_session_from_cascade import retrieve_session_from_cascade
from cairn_tools.store_session_to_cascade import store_session_to_cascade

CATALOG: tuple[Tool, ...] = (
    memory_before_turn,
    memory_after_turn,
    memory_run_turn,
    memory_run_maintenance,
    memory_list_dir_with_abstract,
    store_session_to_cascade,
    query_cascade_memories,
    retrieve_session_from_cascade,
    estimate_storage_cost,
    listMemory,
    getMemory,
    putMemory,
    deleteMemory,
    mcp_pipe,
    getContext,
    remember,
    recall,
    forget,
    oc_diagnostic_pod_health,
    memory_list_tools,
    memory_list_projects,
    memory_list_users,
    memory_list_sessions,
    memory_list_items,
    memory_list_known,
    memory_take_back_turn,
    memory_hook,
)
