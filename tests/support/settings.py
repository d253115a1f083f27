"""Documents of settings, and for each setting a value that is not its default."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

OTHER_VALUES: Mapping[str, Any] = {
    "tools.memory.enabled": True,
    "memory.recent_context_items": 3,
    "memory.recall_facts_limit": 4,
    "memory.standing_tokens": 40,
    "memory.search_limit": 1,
    "memory.context_tokens.mean": 500,
    "memory.context_tokens.ceiling": 600,
    "memory.compact_threshold": 0.5,
    "memory.l1_retention_days": 2,
    "memory.session_retention_days": 30,
    "memory.l2_retention_days": 14,
    "memory.compaction_min_age_hours": 48,
    "memory.summary_refresh_interval_minutes": 5,
    "memory.max_processed_turns": 10,
    "memory.session_lock_timeout_ms": 100,
    "memory.guard_lease_seconds": 60,
    "memory.recall_scope": "project",
    "memory.across_projects": False,
    "memory.shared_projects": ("team.*",),
    "memory.legacy_files": True,
    "memory.lenient": True,
    "memory.heuristic.enabled": True,
    "memory.heuristic.reads": "batches",
    "memory.heuristic.provider": "bedrock",
    "memory.heuristic.model": "another/model",
    "memory.heuristic.base_url": "https://models.example.com/v1",
    "memory.heuristic.api_key_arn": "arn:aws:secretsmanager:eu-central-1:123456789012:secret:model-AbCdEf",
    "memory.heuristic.timeout_ms": 500,
    "memory.heuristic.max_output_tokens": 64,
    "limits.request_bytes": 4096,
    "limits.list_items": 7,
    "limits.text_bytes": 100,
    "limits.json_depth": 8,
    "limits.json_values": 5000,
    "limits.value_bytes": 50,
    "quotas.namespace_items": 2,
    "quotas.namespace_bytes": 200,
    "quotas.tenant_items": 3,
    "quotas.tenant_bytes": 300,
    "limits.file_bytes": 5000,
    "limits.project_bytes": 50_000,
    "auth.oidc.issuer": "https://login.example.com/realm",
    "auth.oidc.resource": "https://memory.example.com/mcp",
    "auth.oidc.audience": "cairn",
    "auth.oidc.user_claim": "email",
    "auth.oidc.jwks_uri": "https://login.example.com/keys",
    "auth.oidc.tenant_claim": "org_id",
    "auth.oidc.projects_claim": "projects",
    "auth.oidc.scope_prefix": "memory/",
    "cluster.base_url": "https://cluster.example.com:6443",
    "cluster.ca_pem": "-----BEGIN CERTIFICATE-----",
    "cluster.timeout_ms": 300,
    "enrichment.enabled": True,
    "enrichment.tools": ("another_tool", "a_third"),
    "enrichment.mode": "tool",
    "enrichment.top_k": 2,
    "enrichment.timeout_ms": 50,
    "enrichment.summary_bytes": 300,
    "enrichment.retention_days": 7,
    "embedding.embedder": "titan",
    "embedding.directory": "/opt/model",
    "embedding.titan_mean": 0.06,
    "embedding.titan_deviation": 0.12,
    "rate_limits.tenant_per_second": 2.5,
    "rate_limits.tenant_burst": 7,
    "rate_limits.tool_per_second": 1.5,
    "rate_limits.tool_burst": 6,
    "rate_limits.namespace_per_second": 0.5,
    "rate_limits.namespace_burst": 5,
    "audit.retention_days": 30,
    "archive.allow_hashes": True,
    "allowed_origins": ("https://app.example.com",),
}
MODEL_KEY = {"CAIRN_HEURISTIC_API_KEY": "key"}


def document_of(*path_and_value: object) -> dict[str, Any]:
    *path, value = path_and_value
    node: Any = value
    for name in reversed(("settings", "mcp", *path)):
        node = {str(name): node}
    return node
