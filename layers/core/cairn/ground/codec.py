"""Encode JSON as Cairn stores and hashes it, times as RFC 3339, and bytes as text."""

from __future__ import annotations

import json
import sys
from base64 import urlsafe_b64decode, urlsafe_b64encode
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

_LEVEL = 9
SMALL_LEVEL = 15
MOST_SMALL = 16 * 1024
"""Up to how many bytes JSON is packed with the dictionary: what is longer repeats itself enough."""
DICTIONARIES = Path(__file__).with_name("dictionaries")
NEWEST = 32769
"""The dictionary that is packed with; all stay for ever, since each frame names the one that it needs."""


def canonical(value: object) -> bytes:
    """Return the one JSON text of a value: sorted keys, no spaces, UTF-8; equal values give equal bytes."""
    return json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"), allow_nan=False).encode()


def base64url(data: bytes) -> str:
    """Return bytes as text that is fit for a URL or a cookie (RFC 4648, section 5), without padding."""
    return urlsafe_b64encode(data).decode().rstrip("=")


def of_base64url(text: str) -> bytes:
    """Return the bytes that base64url() was given; ValueError for other text."""
    return urlsafe_b64decode(text + "=" * (-len(text) % 4))


def pack(value: object) -> bytes:
    """Return the value as zstd-compressed JSON, if it is small with what the dictionary knows; key order is kept."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode()
    if len(text) > MOST_SMALL:
        return zstd.compress(text, level=_LEVEL)
    return zstd.compress(text, level=SMALL_LEVEL, zstd_dict=_dictionary(NEWEST).as_digested_dict)


def unpack(data: bytes) -> Any:
    """Return what pack() was given, now or with an earlier dictionary; ValueError for other bytes."""
    try:
        number = zstd.get_frame_info(data).dictionary_id
        text = zstd.decompress(data, zstd_dict=_dictionary(number) if number else None)
    except (zstd.ZstdError, FileNotFoundError) as error:
        raise ValueError("not packed data") from error
    return json.loads(text)


@cache
def _dictionary(number: int) -> zstd.ZstdDict:
    return zstd.ZstdDict((DICTIONARIES / f"{number}.zdict").read_bytes())


def compress(data: bytes, level: int) -> bytes:
    """Return the bytes as one frame of zstd."""
    return zstd.compress(data, level=level)


def decompress(frame: bytes | memoryview, length: int) -> bytes:
    """Return what compress() was given; ValueError where that is not so many bytes, before there are more of them."""
    decompressor = zstd.ZstdDecompressor()
    try:
        data = decompressor.decompress(frame, max_length=length)
    except zstd.ZstdError as error:
        raise ValueError("not compressed data") from error
    if len(data) != length or not decompressor.eof:
        raise ValueError("compressed data of another length")
    return data


def rfc3339(moment: datetime) -> str:
    """Return the moment in UTC with microseconds and Z."""
    return moment.astimezone(UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")


def moment(text: str) -> datetime:
    """Return the aware UTC time that rfc3339() wrote."""
    return datetime.fromisoformat(text).astimezone(UTC)


def epoch_ms(when: datetime) -> int:
    """Return whole milliseconds since 1970 UTC."""
    return int(when.timestamp() * 1000)
