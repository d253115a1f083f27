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
from cairn_tools.memory import memory
from cairn_tools.memory_after_turn import memory_after_turn
from cairn_tools.memory_append_items import memory_append_items
from cairn_tools.memory_before_turn import memory_before_turn
from cairn_tools.memory_branch import memory_branch
from cairn_tools.memory_check_calls import memory_check_calls
from cairn_tools.memory_correct import memory_correct
from cairn_tools.memory_count_changes import memory_count_changes
from cairn_tools.memory_create_key import memory_create_key
from cairn_tools.memory_delete_items import memory_delete_items
from cairn_tools.memory_find_operation import memory_find_operation
from cairn_tools.memory_get_documents import memory_get_documents
from cairn_tools.memory_get_export import memory_get_export
from cairn_tools.memory_hook import memory_hook
from cairn_tools.memory_list_calls import memory_list_calls
from cairn_tools.memory_list_changes import memory_list_changes
from cairn_tools.memory_list_collections import memory_list_collections
from cairn_tools.memory_list_dir_with_abstract import memory_list_dir_with_abstract
from cairn_tools.memory_list_files import memory_list_files
from cairn_tools.memory_list_item_logs import memory_list_item_logs
from cairn_tools.memory_list_items import memory_list_items
from cairn_tools.memory_list_keys import memory_list_keys
from cairn_tools.memory_list_known import memory_list_known
from cairn_tools.memory_list_policies import memory_list_policies
from cairn_tools.memory_list_projects import memory_list_projects
from cairn_tools.memory_list_receipts import memory_list_receipts
from cairn_tools.memory_list_sessions import memory_list_sessions
from cairn_tools.memory_list_settings import memory_list_settings
from cairn_tools.memory_list_tasks import memory_list_tasks
from cairn_tools.memory_list_tools import memory_list_tools
from cairn_tools.memory_list_users import memory_list_users
from cairn_tools.memory_pin import memory_pin
from cairn_tools.memory_put_documents import memory_put_documents
from cairn_tools.memory_read_file import memory_read_file
from cairn_tools.memory_read_items import memory_read_items
from cairn_tools.memory_release import memory_release
from cairn_tools.memory_replay import memory_replay
from cairn_tools.memory_restore import memory_restore
from cairn_tools.memory_revoke_key import memory_revoke_key
from cairn_tools.memory_rotate_key import memory_rotate_key
from cairn_tools.memory_run_maintenance import memory_run_maintenance
from cairn_tools.memory_run_turn import memory_run_turn
from cairn_tools.memory_search_documents import memory_search_documents
from cairn_tools.memory_start_task import memory_start_task
from cairn_tools.memory_survey import memory_survey
from cairn_tools.memory_take_back_items import memory_take_back_items
from cairn_tools.memory_take_back_turn import memory_take_back_turn
from cairn_tools.memory_tell_costs import memory_tell_costs
from cairn_tools.memory_tell_health import memory_tell_health
from cairn_tools.memory_write_file import memory_write_file
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
    memory_correct,
    memory_restore,
    memory_pin,
    memory_list_changes,
    memory_count_changes,
    memory_take_back_turn,
    memory_hook,
    memory_append_items,
    memory_read_items,
    memory_take_back_items,
    memory_delete_items,
    memory_list_item_logs,
    memory_branch,
    memory_put_documents,
    memory_get_documents,
    memory_search_documents,
    memory_list_collections,
    memory,
    memory_read_file,
    memory_write_file,
    memory_list_files,
    memory_find_operation,
    memory_list_keys,
    memory_create_key,
    memory_rotate_key,
    memory_revoke_key,
    memory_list_policies,
    memory_list_calls,
    memory_list_receipts,
    memory_replay,
    memory_check_calls,
    memory_list_settings,
    memory_release,
    memory_tell_health,
    memory_tell_costs,
    memory_survey,
    memory_start_task,
    memory_list_tasks,
    memory_get_export,
)
