"""The client file: written for its owner alone, and read with one sentence on what is wrong with it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from cairn.ground.errors import SettingsError
from cairn.local.hook.client_file import Client, location, read, write

KEY = "cairn_0123456789abcdef_secret"
GOOD = {"url": "http://127.0.0.1:8787", "key": KEY}


@pytest.fixture
def home(tmp_path: Path) -> dict[str, str]:
    return {"HOME": str(tmp_path)}


def put(home: dict[str, str], content: object) -> Path:
    path = location(home)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
    return path


@pytest.mark.parametrize(
    "client",
    [
        Client("http://127.0.0.1:8787", KEY),
        Client("https://memory.example.com/prod", KEY, "owner/repo", "Ada Lovelace"),
    ],
)
def test_what_was_written_is_read(home: dict[str, str], client: Client) -> None:
    write(Client("http://localhost:1", "cairn_old", "old", "old"), home)

    path = write(client, home)

    assert read(home) == client
    assert path.stat().st_mode & 0o777 == 0o600
    assert [each.name for each in path.parent.iterdir()] == ["client.json"]


def test_it_lies_where_the_desktop_s_standard_says(home: dict[str, str], tmp_path: Path) -> None:
    assert location(home) == tmp_path / ".config/cairn/client.json"
    assert location({**home, "XDG_CONFIG_HOME": "/etc/of/ada"}) == Path("/etc/of/ada/cairn/client.json")
    assert location({**home, "XDG_CONFIG_HOME": "relative"}) == tmp_path / ".config/cairn/client.json"


def test_the_environment_wins_over_the_file(home: dict[str, str]) -> None:
    put(home, {**GOOD, "project": "garden", "user": "ada"})
    named = {"CAIRN_URL": "https://memory.example.com", "CAIRN_KEY": "cairn_other", "CAIRN_PROJECT": "owner/repo"}

    assert read({**home, **named, "CAIRN_USER": "bob"}) == Client(*named.values(), user="bob")
    assert read({**home, "CAIRN_USER": "bob", "CAIRN_URL": ""}) == Client(GOOD["url"], KEY, "garden", "bob")


def test_the_environment_alone_will_do(home: dict[str, str]) -> None:
    assert read({**home, "CAIRN_URL": GOOD["url"], "CAIRN_KEY": KEY}) == Client(GOOD["url"], KEY)


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        ("{", ": is no JSON"),
        ("[]", ": must be a JSON object"),
        ({"key": KEY}, ": url is missing"),
        ({"url": "https://memory.example.com"}, ": key is missing"),
        ({**GOOD, "key": 7}, ": key must be a text"),
        ({**GOOD, "key": "cairn_\n"}, ": key must be an API key"),
        ({**GOOD, "url": "memory.example.com"}, ": url must be an address such as https://memory.example.com"),
        ({**GOOD, "url": "https://ada:pass@memory.example.com"}, ": url must be an address"),
        ({**GOOD, "url": "https://memory.example.com:port"}, ": url must be an address"),
        ({**GOOD, "url": "https://memory.example.com/a b"}, ": url must be an address"),
        ({**GOOD, "url": "http://memory.example.com"}, ": url would send the key to memory.example.com without encryp"),
        ({**GOOD, "project": "a b"}, ": project must be 1-128 letters"),
        ({**GOOD, "user": "a\nb"}, ": user must not hold"),
    ],
)
def test_what_is_wrong_with_it_is_said_in_one_sentence(home: dict[str, str], content: object, problem: str) -> None:
    path = put(home, content)

    with pytest.raises(SettingsError) as raised:
        read(home)

    assert str(raised.value).startswith(f"{path}{problem}")
    assert KEY not in str(raised.value)


def test_a_file_that_is_missing_is_said_to_be(home: dict[str, str]) -> None:
    with pytest.raises(SettingsError, match=r"client\.json is missing: `cairn connect` writes it"):
        read(home)


def test_a_variable_that_is_wrong_is_named(home: dict[str, str]) -> None:
    put(home, GOOD)

    with pytest.raises(SettingsError, match=r"^CAIRN_PROJECT must be 1-128 letters"):
        read({**home, "CAIRN_PROJECT": "a b"})


def test_a_client_that_is_wrong_is_not_written(home: dict[str, str]) -> None:
    path = write(Client(**GOOD), home)

    with pytest.raises(SettingsError, match="url would send the key"):
        write(Client("http://memory.example.com", KEY), home)

    assert json.loads(path.read_bytes()) == GOOD


def test_a_place_that_cannot_be_written_is_named(home: dict[str, str], tmp_path: Path) -> None:
    (tmp_path / ".config").write_text("in the way", encoding="utf-8")

    with pytest.raises(SettingsError, match=r"client\.json: cannot be written: Not a directory"):
        write(Client(**GOOD), home)
