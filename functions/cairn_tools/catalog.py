"""Every tool, one line each, in the order agents see them."""

from __future__ import annotations

from importlib import import_module
from typing import Final, cast

from cairn.tool.catalog import Catalog
from cairn.tool.tool import Tool

_NAMES: Final = (
    "memory_before_turn",
    "memory_after_turn",
    "memory_run_turn",
    "memory_run_maintenance",
    "memory_list_dir_with_abstract",
    "store_session_to_cascade",
    "query_cascade_memories",
    "retrieve_session_from_cascade",
    "estimate_storage_cost",
    "listMemory",
    "getMemory",
    "putMemory",
    "deleteMemory",
    "mcp_pipe",
    "getContext",
    "remember",
    "recall",
    "forget",
    "oc_diagnostic_pod_health",
    "memory_list_tools",
    "memory_list_projects",
    "memory_list_users",
    "memory_list_sessions",
    "memory_list_items",
    "memory_list_known",
    "memory_correct",
    "memory_restore",
    "memory_pin",
    "memory_list_changes",
    "memory_count_changes",
    "memory_take_back_turn",
    "memory_hook",
    "memory_append_items",
    "memory_read_items",
    "memory_take_back_items",
    "memory_delete_items",
    "memory_list_item_logs",
    "memory_branch",
    "memory_put_documents",
    "memory_get_documents",
    "memory_search_documents",
    "memory_list_collections",
    "memory",
    "memory_read_file",
    "memory_write_file",
    "memory_list_files",
    "memory_find_operation",
    "memory_list_keys",
    "memory_create_key",
    "memory_rotate_key",
    "memory_revoke_key",
    "memory_list_policies",
    "memory_list_calls",
    "memory_list_receipts",
    "memory_replay",
    "memory_check_calls",
    "memory_list_settings",
    "memory_release",
    "memory_tell_health",
    "memory_tell_costs",
    "memory_survey",
    "memory_start_task",
    "memory_list_tasks",
    "memory_get_export",
)


def _loaded(name: str) -> Tool:
    return cast("Tool", getattr(import_module(f"cairn_tools.{name}"), name))


CATALOG: Final = Catalog(_NAMES, _loaded)
