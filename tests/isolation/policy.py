"""What the tenants of a trial may do with key-value memory."""

from __future__ import annotations

from typing import Final

POLICY: Final = """
tool_permissions:
  listMemory: {operations: [read], allowed_namespaces: ["session.*", "agent.*", "public.*", "keys.*", "k"]}
  getMemory: {operations: [read], allowed_namespaces: ["session.*", "agent.*", "public.*", "keys.*", "k"]}
  putMemory: {operations: [write], allowed_namespaces: ["session.*", "agent.*", "keys.*", "k"], max_ttl_seconds: 86400}
  deleteMemory: {operations: [write], allowed_namespaces: ["session.*", "agent.*", "keys.*", "k"]}
  getContext: {operations: [read], allowed_context_types: [session, agent, task]}
policies:
  narrow:
    tool_permissions:
      getMemory: {operations: [read], allowed_namespaces: ["session.a"]}
      putMemory: {operations: [write], allowed_namespaces: ["session.a"], on_sensitive: redact}
"""
