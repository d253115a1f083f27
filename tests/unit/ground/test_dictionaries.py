"""Small contents are packed with a dictionary, which stays for ever."""

from __future__ import annotations

import json
import sys
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cairn.ground import codec
from cairn.ground.table import FORMAT

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

ASKED = Path(__file__).parents[3] / "bench/data/recall/asked"
DIGESTS = {"32769.zdict": "ae4ca3ae974e1586302808e3f6168caa824679eea843c3b9b13daf6190aea2f3"}
"""Of every dictionary that anything was ever packed with: a line is added here, and none is changed."""


@pytest.mark.req("R304")
def test_a_program_that_packs_with_another_dictionary_stores_in_another_format() -> None:
    """Programs without it fail at whatever they read, and stop at a format that they do not know."""
    assert (FORMAT, codec.NEWEST) == (1, 32769)


def plain(value: object) -> bytes:
    """Return what was packed before there was a dictionary."""
    return zstd.compress(json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode(), level=9)


def said(path: Path, size: int) -> list[Any]:
    """Return the events of a turn in which a conversation's first words are said, and as many bytes of the next."""
    sessions = json.loads(path.read_text(encoding="utf-8"))["sessions"]
    text = " ".join(line[1] for session in sessions for line in session["turns"]).encode()
    texts = [text[start : start + size].decode(errors="ignore") for start in (0, size)]
    return [
        {"id": f"t-{role}", "ts": "2031-07-08T09:10:11.121314Z", "item": {"role": role, "content": text}}
        for role, text in zip(("user", "assistant"), texts, strict=True)
    ]


def test_no_dictionary_is_ever_changed_or_taken_away() -> None:
    found = {path.name: sha256(path.read_bytes()).hexdigest() for path in codec.DICTIONARIES.iterdir()}

    assert found == DIGESTS


@pytest.mark.parametrize("name", sorted(DIGESTS))
def test_a_dictionary_is_small_and_bears_the_number_that_its_frames_name(name: str) -> None:
    content = (codec.DICTIONARIES / name).read_bytes()

    assert len(content) <= 32 * 1024
    assert f"{zstd.ZstdDict(content).dict_id}.zdict" == name


def test_small_values_are_packed_with_the_newest_and_long_ones_with_none() -> None:
    small, long = "bean " * 20, "".join(map(str, range(codec.MOST_SMALL)))

    frames = [codec.pack(small), codec.pack(long)]

    assert [zstd.get_frame_info(frame).dictionary_id for frame in frames] == [codec.NEWEST, 0]
    assert [codec.unpack(frame) for frame in frames] == [small, long]


@given(st.dictionaries(st.text(max_size=9), st.text(max_size=99), max_size=9))
def test_what_was_packed_without_one_comes_back(value: dict[str, str]) -> None:
    assert codec.unpack(plain(value)) == value


def test_what_needs_a_dictionary_that_is_not_there_is_no_packed_data() -> None:
    content = bytearray((codec.DICTIONARIES / f"{codec.NEWEST}.zdict").read_bytes())
    content[4:8] = (40_000).to_bytes(4, "little")
    frame = zstd.compress(b'"beans"', zstd_dict=zstd.ZstdDict(bytes(content)))

    with pytest.raises(ValueError, match="not packed"):
        codec.unpack(frame)


@pytest.mark.parametrize("path", sorted(ASKED.glob("*.json")), ids=lambda path: path.stem)
@pytest.mark.parametrize("size", [100, 1000])
def test_what_is_said_in_any_language_takes_less_than_without(path: Path, size: int) -> None:
    events = said(path, size)

    assert len(codec.pack(events)) < len(plain(events))
    if path.stem.startswith("en-"):
        assert len(codec.pack(events)) < 0.8 * len(plain(events))
