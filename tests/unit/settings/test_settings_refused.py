"""Settings that are refused, by their full name and without being quoted."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cairn.ground.errors import SettingsError
from cairn.settings.settings import EmbeddedStore, load, read
from support.settings import document_of


@pytest.mark.req("R116")
@pytest.mark.parametrize("value", [0, 1, -0.1, 1.5, float("nan"), float("inf"), "0.5", True, None])
def test_a_compact_threshold_outside_zero_to_one_is_refused_by_name(value: object) -> None:
    with pytest.raises(SettingsError, match=r"^settings\.mcp\.memory\.compact_threshold: "):
        load(document_of("memory", "compact_threshold", value), {})


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("memory", "recent_context_items"), -1),
        (("memory", "recent_context_items"), 1.5),
        (("memory", "recent_context_items"), "30"),
        (("memory", "recent_context_items"), True),
        (("memory", "l1_retention_days"), 0),
        (("memory", "recall_scope"), "everything"),
        (("memory", "heuristic", "timeout_ms"), 0),
        (("memory", "heuristic"), "on"),
        (("memory", "enabled"), True),
        (("memory", "recent_contextitems"), 3),
        (("memory",), [1]),
        (("limits", "json_depth"), 10_000),
        (("limits", "memory"), {"x": 1}),
        (("tools", "memory", "enabled"), "yes"),
        (("tools", "memory_before_turn", "enabled"), "no"),
        (("tools", "memory_before_turn"), False),
        (("tools", "memory_before_turn", "limit"), 3),
        (("tenants", "acme", "limits", "list_items"), 3),
        (("tenants", "acme", "memory", "nothing"), 3),
        (("tenants", "acme", "memory", "enabled"), True),
        (("tenants", "acme", "tools", "memory", "enabled"), "yes"),
        (("tenants", "acme", "tools", "memory_before_turn", "enabled"), False),
        (("auth", "oidc", "issuer"), "http://login.example.com"),
        (("auth", "oidc", "issuer"), "login.example.com"),
        (("auth", "oidc", "issuer"), "https://login.example.com?a=b"),
        (("auth", "oidc", "resource"), "http://memory.example.com/mcp"),
        (("auth", "oidc", "jwks_uri"), "https://user@login.example.com/keys"),
        (("auth", "oidc", "resource"), "https://memory.example.com"),
        (("auth", "oidc", "resource"), "https://memory.example.com/mcp/"),
        (("auth", "oidc", "scope_prefix"), 'a"b'),
        (("auth", "oidc", "scope_prefix"), "a b"),
        (("auth", "oidc", "console_client_id"), "a\nb"),
        (("auth", "oidc", "console_client_id"), "ä"),
        (("auth", "oidc", "secret"), "x"),
        (("tenants", "acme", "auth", "oidc", "issuer"), "https://login.example.com"),
        (("allowed_origins",), "https://example.com"),
        (("allowed_origins",), ["example.com"]),
        (("nothing",), 1),
    ],
)
def test_what_is_unknown_or_out_of_range_is_refused_with_its_full_key(path: tuple[str, ...], value: object) -> None:
    with pytest.raises(SettingsError) as raised:
        load(document_of(*path, value), {})

    assert str(raised.value).startswith(".".join(("settings", "mcp", *path)))


@pytest.mark.parametrize(
    "document", [{"mcp": {}}, {"settings": {"memory": {"x": 1}}}, {"settings": 3}, {"setting": None}]
)
def test_a_document_that_does_not_begin_with_settings_mcp_is_refused(document: Mapping[str, Any]) -> None:
    with pytest.raises(SettingsError):
        load(document, {})


@pytest.mark.parametrize(
    "text",
    [
        "",
        "settings:",
        "settings:\n  mcp:\n    memory:\n    tools:\n    tenants:\n      acme:\n        tools:\n          memory:\n",
        '{"settings": {}}',
    ],
)
def test_an_empty_section_sets_nothing(text: str) -> None:
    assert read({"CAIRN_SETTINGS": text}) == load(None, {})


@given(st.text(max_size=60))
def test_any_text_as_a_document_loads_or_is_refused_plainly(text: str) -> None:
    try:
        read({"CAIRN_SETTINGS": text})
    except SettingsError as error:
        assert "CAIRN_SETTINGS" in str(error) or "no setting" in str(error)  # noqa: PT017 - either outcome is right


@pytest.mark.parametrize("name", ["CAIRN_MEMORY_RECENT_ITEMS", "CAIRN_", "CAIRN_SETTING"])
def test_an_unknown_variable_is_refused_by_name(name: str) -> None:
    with pytest.raises(SettingsError, match=f"^{name}: is no setting$"):
        load(None, {name: "1"})


def test_variables_of_others_are_none_of_its_business() -> None:
    assert load(None, {"PATH": "/bin", "AWS_REGION": "eu-central-1", "MEMORY_ENABLED": "true"}) == load(None, {})


@pytest.mark.parametrize(
    ("name", "text"),
    [("CAIRN_MEMORY_SEARCH_LIMIT", "many"), ("CAIRN_MEMORY_ENABLED", "perhaps"), ("CAIRN_LIMITS_LIST_ITEMS", "0")],
)
def test_a_variable_out_of_range_is_refused_by_name(name: str, text: str) -> None:
    with pytest.raises(SettingsError, match=f"^{name}: "):
        load(None, {name: text})


@pytest.mark.parametrize("text", ["[1, 2]", "3", "{a: [", "\ttab", "a: !!python/object:os.system x"])
def test_a_text_that_is_no_document_is_refused_without_quoting_it(text: str) -> None:
    with pytest.raises(SettingsError, match=r"^CAIRN_SETTINGS: ") as raised:
        read({"CAIRN_SETTINGS": text})

    assert text not in str(raised.value)


def test_a_file_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="CAIRN_SETTINGS_FILE: cannot be read"):
        read({"CAIRN_SETTINGS_FILE": str(tmp_path / "missing")})


@pytest.mark.parametrize("missing", ["CAIRN_TABLE", "CAIRN_BUCKET", "CAIRN_KEY_ID"])
def test_half_an_aws_store_is_refused(missing: str) -> None:
    aws = {"CAIRN_TABLE": "t", "CAIRN_BUCKET": "b", "CAIRN_KEY_ID": "k"}
    del aws[missing]

    with pytest.raises(SettingsError, match=f"^{missing}: is missing"):
        load(None, aws)


def test_the_master_key_is_in_no_repr() -> None:
    settings = load(None, {"CAIRN_DATA": "/data", "LUMERA_MEMORY_KEY": "canary" * 10})

    assert isinstance(settings.store, EmbeddedStore)
    assert settings.store.master_key == "canary" * 10
    assert "canary" not in repr(settings)
