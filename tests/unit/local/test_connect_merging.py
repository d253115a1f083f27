"""Changes of JSON and TOML texts: one value changes, every other character stays."""

from __future__ import annotations

import json
import tomllib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cairn.local.connect import merging, toml_tables
from cairn.local.connect.json_text import NotJson, parsed
from cairn.local.connect.merging import Style

WRITTEN = """{
    // the editor's own
    "theme": "dark", /* for now */
    "hooks": {
        "Stop": [
            {"command": "say done"}, // at the end
        ],
    },
}
"""
PATH = ("mcpServers", "cairn")
TABLE = ("mcp_servers", "cairn")
values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


def lenient(text: str) -> Style:
    return Style.of(text, comments=True)


@given(st.dictionaries(st.text(), values, max_size=4), values, st.sampled_from([None, 2, 4, "\t"]))
def test_what_is_put_is_there_and_taking_it_out_again_leaves_what_was(
    before: dict[str, object], value: object, indent: int | str | None
) -> None:
    before.pop("mcpServers", None)
    text = json.dumps(before, indent=indent)

    changed = merging.put(text, PATH, value, Style.of(text))
    left = merging.take(changed, PATH[:1], Style.of(changed))

    assert json.loads(changed) == {**before, "mcpServers": {"cairn": value}}
    assert left == text


@given(values)
def test_the_reader_reads_what_json_reads(value: object) -> None:
    for indent in (None, 2):
        assert parsed(json.dumps(value, indent=indent, ensure_ascii=indent is None)).value == value


def test_comments_indents_and_commas_at_the_end_stay() -> None:
    changed = merging.append(WRITTEN, ("hooks", "Stop"), {"command": "cairn"}, lenient(WRITTEN))
    left = merging.take_items(changed, ("hooks", "Stop"), lambda each: each["command"] == "cairn", lenient(changed))

    assert parsed(changed, comments=True).value["hooks"]["Stop"] == [{"command": "say done"}, {"command": "cairn"}]
    assert '            {\n                "command": "cairn"\n            }' in changed
    assert left == WRITTEN


def test_a_comment_between_two_values_stays_when_the_second_goes() -> None:
    text = "[\n  1, // one\n  2\n]"

    assert merging.take_items(text, (), lambda each: each == 2, lenient(text)) == "[\n  1 // one\n]"


def test_the_first_of_several_goes_with_its_comma() -> None:
    text = '{\n  "a": [1, 2],\n  "b": 3\n}'

    assert merging.take(text, ("a",), Style.of(text)) == '{\n  "b": 3\n}'
    assert merging.take_items(text, ("a",), lambda each: each == 1, Style.of(text)) == text.replace("1, 2", " 2")


def test_line_ends_stay_those_of_the_file() -> None:
    text = '{\r\n  "a": 1\r\n}\r\n'

    changed = merging.put(text, PATH, {"url": "x"}, Style.of(text))

    assert changed.count("\n") == changed.count("\r\n") > 3


@pytest.mark.parametrize(
    ("text", "line", "column"),
    [
        ("", 1, 1),
        ('{"a": 1,}', 1, 9),
        ('{\n  "a": 1 // no\n}', 2, 10),
        ('{"a": 1} x', 1, 10),
        ('{"a": tru}', 1, 7),
        ("{'a': 1}", 1, 2),
        ('{"a": 1, "a": 2}', 1, 10),
        ("[" * 500, 1, 202),
    ],
)
def test_what_is_no_json_is_told_with_its_place(text: str, line: int, column: int) -> None:
    with pytest.raises(NotJson) as raised:
        parsed(text)

    assert (raised.value.line, raised.value.column) == (line, column)


def test_nothing_is_put_into_what_is_no_object() -> None:
    with pytest.raises(ValueError, match="mcpServers is not an object"):
        merging.put('{"mcpServers": []}', PATH, {}, Style.of(""))
    with pytest.raises(ValueError, match=r"hooks\.Stop is not a list"):
        merging.append('{"hooks": {"Stop": 1}}', ("hooks", "Stop"), {}, Style.of(""))


@pytest.mark.parametrize(
    "text",
    [
        "",
        "# mine\nmodel = 'x'  # best\n",
        "model = 'x'",
        "[other]\na = 1\n\n[mcp_servers.docs]\nurl = 'd'\n",
        "a = 1\r\n[b]\r\nc = 2\r\n",
    ],
)
def test_a_table_goes_into_a_toml_text_and_out_again(text: str) -> None:
    changed = toml_tables.put_table(text, TABLE, {"url": "http://x", "header": 'b"c'})
    updated = toml_tables.put_table(changed, TABLE, {"url": "http://y"})
    left = toml_tables.take_table(updated, TABLE)

    assert toml_tables.table_of(changed, TABLE) == {"url": "http://x", "header": 'b"c'}
    assert toml_tables.table_of(updated, TABLE) == {"url": "http://y"}
    assert toml_tables.put_table(updated, TABLE, {"url": "http://y"}) == updated
    assert changed.startswith(text)
    assert left.strip() == text.strip()


def test_what_stands_behind_a_table_and_what_is_in_it_stays_at_an_update() -> None:
    text = '[mcp_servers.cairn]\nurl = "old"\n\n[mcp_servers.cairn.tools.recall]\nmode = "auto"\n\n[last]\nb = 1\n'

    changed = toml_tables.put_table(text, TABLE, {"url": "new"})

    assert changed == text.replace("old", "new")
    assert tomllib.loads(toml_tables.take_table(changed, TABLE)) == {"last": {"b": 1}}


def test_a_table_without_a_header_is_left_alone() -> None:
    for text in ('mcp_servers = { cairn = { url = "x" } }\n', 'mcp_servers.cairn.url = "x"\n'):
        with pytest.raises(ValueError, match=r"mcp_servers\.cairn"):
            toml_tables.put_table(text, TABLE, {"url": "y"})
        with pytest.raises(ValueError, match=r"mcp_servers\.cairn"):
            toml_tables.take_table(text, TABLE)
