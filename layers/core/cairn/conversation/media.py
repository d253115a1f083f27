"""What a content part shows that is no text: an image, a file, a sound, and the words that it can be found by."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final, NamedTuple, cast
from urllib.parse import unquote, urlsplit

_NAMES: Final = frozenset(["filename", "file_name", "name", "title", "displayName", "display_name", "path"])
_CAPTIONS: Final = frozenset(["caption", "alt", "alt_text"])
_URLS: Final = frozenset(
    ["url", "uri", "file_url", "fileUri", "file_uri", "fileWithUri", "file_with_uri", "image_url", "image", "file"]
)
_DATA: Final = frozenset(
    ["data", "base64", "bytes", "raw", "file_data", "fileWithBytes", "file_with_bytes", "image", "file"]
)
_FILE_IDS: Final = frozenset(("file_id", "fileId"))
_MIMES: Final = frozenset(
    ["mime_type", "mimeType", "media_type", "mediaType", "image_mimetype", "document_mimetype", "format"]
)
_HOLDERS: Final = frozenset(
    [
        "source",
        "file",
        "image",
        "document",
        "audio",
        "video",
        "image_url",
        "input_audio",
        "inlineData",
        "inline_data",
        "fileData",
        "file_data",
        "extras",
        "metadata",
        "s3Location",
        "bytes",
        "content",
    ]
)
"""Where vendors put what a part shows, in a part of its own."""
_DATA_URL: Final = re.compile(r"data:([^;,]*)[^,]*,")
_KINDS: Final = {"image": "image", "audio": "audio", "video": "video"}
_TYPES: Final = re.compile(r"image|audio|video|file|document", re.IGNORECASE)


class Media(NamedTuple):
    """An image, a file or a sound: where it is or its bytes in base64, and what it is called."""

    kind: str
    name: str = ""
    url: str = ""
    data: str = ""
    mime: str = ""
    file_id: str = ""

    @property
    def shown_name(self) -> str:
        """Return its name, or else the last part of its address or its id."""
        path = unquote(urlsplit(self.url).path) if self.url.startswith(("http:", "https:", "gs:", "s3:")) else ""
        return self.name or path.rstrip("/").rpartition("/")[2] or self.file_id

    @property
    def label(self) -> str:
        """Return the words that stand for it, such as [image: beans.jpg]; "" where it has no name at all."""
        return f"[{self.kind}: {self.shown_name}]" if self.shown_name else ""

    @property
    def place(self) -> str:
        """Return its address, or its bytes as one."""
        return self.url or (f"data:{self.mime or 'application/octet-stream'};base64,{self.data}" if self.data else "")


def media_of(part: Mapping[str, Any], kind: str = "") -> Media | None:
    """Return what a content part of any vendor shows; None where its type is of none of these."""
    said = _TYPES.search(str(part.get("type", "")))
    if not kind and said is None:
        return None
    values = list(_values(part, 0))
    names = [*_of(values, _NAMES)[:1], *_of(values, _CAPTIONS)[:1]]
    name = ": ".join(dict.fromkeys(each.rpartition("/")[2] if at == 0 else each for at, each in enumerate(names)))
    url, data, mime = _address(values), "", (_of(values, _MIMES) or [""])[0]
    embedded = _DATA_URL.match(url)
    if embedded:
        url, data, mime = "", url[embedded.end() :], embedded[1] or mime
    elif not url:
        data = next((each for each in _of(values, _DATA) if not _is_address(each)), "")
        embedded = _DATA_URL.match(data)
        data, mime = (data[embedded.end() :], embedded[1] or mime) if embedded else (data, mime)
    kind = _kind(kind or (said[0].lower() if said else ""), mime)
    return Media(kind, name, url, _standard(data), _full(mime, kind), (_of(values, _FILE_IDS) or [""])[0])


def label_of(part: Mapping[str, Any]) -> str:
    """Return the words by which a part that shows something is found, "" for any other."""
    media = media_of(part)
    return media.label if media else ""


def _values(part: Mapping[str, Any], depth: int) -> Iterator[tuple[str, str]]:
    """Yield each text of a part with its field, those of the part itself before those that it holds."""
    held: list[Mapping[str, Any]] = []
    for name, value in part.items():
        if isinstance(value, str) and value:
            yield name, value
        elif isinstance(value, Mapping) and name in _HOLDERS and depth < 3:  # noqa: PLR2004 - as deep as any vendor goes
            held.append(cast("Mapping[str, Any]", value))
    for each in held:
        yield from _values(each, depth + 1)


def _of(values: list[tuple[str, str]], names: frozenset[str]) -> list[str]:
    return [value for name, value in values if name in names]


def _address(values: list[tuple[str, str]]) -> str:
    return next((each for each in _of(values, _URLS) if _is_address(each)), "")


def _is_address(text: str) -> bool:
    return text[:8].lower().startswith(("http:", "https:", "data:", "gs:", "s3:", "file:"))


def _kind(said: str, mime: str) -> str:
    """Return image, audio, video or file: a file that says what it is counts as that."""
    of_type = _KINDS.get(mime.partition("/")[0], "file")
    return said if said in _KINDS else of_type


def _full(mime: str, kind: str) -> str:
    return mime if "/" in mime or not mime or kind not in _KINDS else f"{kind}/{mime}"


def _standard(data: str) -> str:
    """Return base64 in its standard alphabet, padded: some libraries write that of URLs."""
    if not data:
        return ""
    plain = data.replace("-", "+").replace("_", "/").rstrip("=")
    return plain + "=" * (-len(plain) % 4)
