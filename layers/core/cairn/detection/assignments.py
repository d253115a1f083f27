"""Find secrets by the word before them: passwords, keys and tokens in code, settings, headers and sentences."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Final, Literal

from cairn.detection.plausibility import code, entropy, mixed, placeholder
from cairn.detection.rules import Hit, Rule, places

Kind = Literal["password", "api_key"]

_WORDS: Final[tuple[tuple[str, Kind], ...]] = (
    ("password", "password"),
    ("passwd", "password"),
    ("passwort", "password"),
    ("passphrase", "password"),
    ("passcode", "password"),
    ("pass", "password"),
    ("pw", "password"),
    ("pwd", "password"),
    ("secret", "api_key"),
    ("token", "api_key"),
    ("key", "api_key"),
    ("credential", "api_key"),
)
# Too common inside other words ("compass", "passenger") and in prose: these two need a sign right behind them.
_SHORT_WORDS: Final = ("pass", "pw")
# A "key" is mostly that of an object or a keyboard: it counts only behind a word that says what it opens.
_KEY_OF: Final = re.compile(
    r"(?:api|access|secret|private|account|signing|encryption|master|auth|shared|app|client|storage|deploy|license|webhook"
    r"|service|session)[ _.-]?\Z",
    re.IGNORECASE,
)
# Tokens that lead to the next page, public keys, and counts ("max_tokens").
_NO_SECRET_OF: Final = re.compile(
    r"(?<![A-Za-z])(?:next|page|prev|previous|pagination|continuation|continue|cursor|sync|public|max|min|stop|start|end"
    r"|no|num|n)[ _.-]?\Z",
    re.IGNORECASE,
)
# The rest of a name may make it one about a secret: its length, its file, its policy, its URL.
_NO_SECRET: Final = re.compile(
    r"(?i:[\w.-]*?(?:length|count|len|min|max|type|field|file|path|ur[li]|name|ids?|arn|expir\w*|policy|reset|hint"
    r"|required|valid\w*|limit|usage|budget|store|manager|hash(?:er)?|ize[rd]?|s_per\w*|version|alias|label|prompt|ttl"
    r"|endpoint|format|prefix|size))\Z"
)
# Behind the word: the rest of the name (`tail`), what leads to the value (a sign as in code, the comma of an argument
# list, or a blank and "is" in prose), and the value, quoted or bare. Each part is bounded or possessive, so that a try
# takes bounded time, whatever the text (decision 15).
_VALUE: Final = re.compile(
    r"""(?P<tail>[\w.-]{0,24}+)"""
    r"""(?:(?P<sign>["'`\\\]]{0,4}+[ \t]{0,4}+(?:=>|:=|[:=])\s{0,4}+)|(?P<argument>["'],?\s{1,4}(?=["']))"""
    r"""|(?P<prose>(?:[ _-]access)?(?:[ _-]key)?\s{1,3}(?:(?:is|was|are)\b:?\s{1,3}|[:=]\s{0,3})?))"""
    r"""(?:\\{0,2}(?P<quote>["'`])(?P<quoted>[^"'`\n\x00]{1,400}?)\\{0,2}(?P=quote)"""
    r"""|(?P<bare>[^\s"'`,;&(){}\[\]<>\\\x00]{1,600}+))"""
)
# Names of fields, camel case turned into snake case before. The whole name has to match: "token_count" holds no secret.
_SENSITIVE_KEY: Final = re.compile(
    r"(?:\w*[_.-])?(?P<password>password|passwd|passphrase|passcode|pwd|pass|passwort)(?:s|[_.-]?\d)?"
    r"|(?:\w*[_.-])?(?:secret|token|(?:api|access|secret|private|account|signing|encryption|master|auth)[_.-]?key"
    r"|credentials?|auth|authorization|cookies?|set-cookie)s?"
)
_CAMEL: Final = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
# Signs that passwords are made of and that names in code do not have.
_SIGNS: Final = frozenset("!#%+?@^&~$")
# Paths, URLs and digests: they say where a secret is, or what it hashes to.
_NO_KEYS: Final = ("/", "./", "../", "~", "http:", "https:", "arn:", "s3:", "cascade:", "sha256:", "file:")
# The least characters. Lower bounds find shorter secrets and take more plain words for one; bench/detection.py counts
# both.
_LEAST_PASSWORD, _LEAST_KEY, _LEAST_WORDLESS_KEY = 4, 8, 12
# In bits a character: what has fewer repeats itself, as "aabb1122" does (2.0).
_LEAST_ENTROPY: Final = 2.5
_MOST_OF_A_KEY, _MOST_OF_A_PASSWORD = 80, 400

RULES: Final = (
    Rule(
        "exported_secret",
        "secret",
        ("export ",),
        r"""export \w{0,40}?(?i:SECRET|TOKEN|KEY|PASS|PWD|CRED|AUTH)\w{0,40}=["']?([^\s"'$<`;&]{3,1000}+)""",
        lambda found: not placeholder(found),
    ),
    Rule(
        "authorization_header",
        "secret",
        ("bearer", "basic", "authorization", "proxy-authorization"),
        r"""(?i:(?:proxy-)?authorization["'\\]{0,3}\s{0,3}[:=]\s{0,3}["'\\]{0,3})?"""
        r"""(?i:(?:bearer|basic|token|apikey|digest|negotiate)\s{1,3})?([\w.~+/=-]{12,4096}+)""",
        lambda found: mixed(found) and not placeholder(found) and entropy(found) > _LEAST_ENTROPY and not code(found),
    ),
    Rule(
        "password",
        "secret",
        (" -u ", " --user "),
        r"""(?: -u | --user )["']?[\w.@+-]{1,64}+:([^\s"']{4,200}+)""",
        lambda found: not found.isdigit() and not placeholder(found),
    ),
    Rule(
        "cookie",
        "secret",
        ("cookie",),
        r"""(?i:cookie)["'\\]{0,3}\s{0,3}[:=]\s{0,3}["'\\]{0,3}([\w.-]{1,64}=[^\s"'\x00][^\n"'\x00]{0,4000}+)""",
        lambda found: any(
            mixed(value) and len(value) >= _LEAST_WORDLESS_KEY for value in re.findall(r"=([^;\s=]{1,1000}+)", found)
        ),
    ),
)


def hits(text: str, lower: str) -> Iterator[Hit]:
    """Yield the values that follow a word for a secret, with an assignment, as an argument or in a sentence."""
    for word, kind in _WORDS:
        behind = 0
        for at in places(lower, word):
            match = _VALUE.match(text, at + len(word)) if at >= behind else None
            # No match starts within the last one, so that time grows with the length of the text alone.
            if match is None:
                continue
            behind = match.end()
            if _about_a_secret(text, at, word, match) and _plausible(text, at, kind, match):
                start, end = match.span("quoted" if match["quoted"] else "bare")
                # A full stop behind a secret in a sentence is the sentence's; in code it may be part of the secret.
                ending = ".,;:!?" if match["prose"] else " "
                yield Hit(kind, "secret", start, start + len(text[start:end].rstrip(ending)))


def _about_a_secret(text: str, at: int, word: str, match: re.Match[str]) -> bool:
    # 14 characters: "continuation", the longest word looked for, a separator behind it and a letter before.
    before = text[max(0, at - 14) : at]
    if word == "key" and not _KEY_OF.search(before):
        return False
    if word in _SHORT_WORDS and (before[-1:].isalpha() or match["tail"] or not match["sign"]):
        return False
    return not _NO_SECRET_OF.search(before) and not _NO_SECRET.fullmatch(match["tail"])


def _plausible(text: str, at: int, kind: Kind, match: re.Match[str]) -> bool:
    value = match["quoted"] or match["bare"]
    if placeholder(value) or (match["bare"] and (text[match.end() : match.end() + 1] in {"(", "["} or code(value))):
        return False
    if match["sign"] is None and not (
        match["argument"] or text[max(0, at - 24) : at].rpartition(" ")[2].startswith("-")
    ):
        return _plausible_in_prose(value, kind)
    if kind == "password":
        # In an environment file even a plain word is a password: PASSWORD=horses.
        shouted = text[at : match.start("tail")].isupper() and match["sign"] == "="
        sure = match["quoted"] or shouted or any(map(str.isdigit, value)) or not _SIGNS.isdisjoint(value)
        return bool(sure) and len(value) >= _LEAST_PASSWORD and not value.isdigit()
    return len(value) >= _LEAST_KEY and mixed(value) and _plausible_key(value)


def _plausible_in_prose(value: str, kind: Kind) -> bool:
    # Prose needs more to go on than code: "token" is followed by some word in every sentence about tokens.
    least = _LEAST_KEY if kind == "password" else 2 * _LEAST_KEY
    return len(value.rstrip(".,;:!?")) >= least - 2 and mixed(value) and _plausible_key(value) and "/" not in value[:1]


def _plausible_key(value: str) -> bool:
    return " " not in value and not value.startswith(_NO_KEYS) and entropy(value) >= _LEAST_ENTROPY


def sensitive(key: str) -> Kind | None:
    """Return what a field of this name holds, None where no secret."""
    return _sensitive(key) if len(key) <= _MOST_OF_A_KEY else None


@lru_cache(maxsize=4096)
def _sensitive(key: str) -> Kind | None:
    found = _SENSITIVE_KEY.fullmatch(_CAMEL.sub("_", key.strip()).lower())
    if not found or _NO_SECRET_OF.search(key[: -len("token")]):
        return None
    return "password" if found["password"] else "api_key"


def kept_secret(kind: Kind, value: str) -> bool:
    """Tell whether a whole value under a sensitive key is a secret."""
    if placeholder(value) or len(value) < _LEAST_PASSWORD:
        return False
    if kind == "password":
        return len(value) <= _MOST_OF_A_PASSWORD
    long = len(value) >= _LEAST_WORDLESS_KEY or mixed(value)
    return len(value) >= _LEAST_KEY and long and _plausible_key(value.removeprefix("Bearer ").removeprefix("Basic "))
