"""Find secrets by their own form: tokens with vendors' prefixes, and armoured keys."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from typing import Final, NamedTuple

from cairn.detection.plausibility import dense, drawn, mixed, placeholder, token_body
from cairn.detection.rules import Hit, Rule, compiled
from cairn.detection.vendor_formats import FORMATS, LOOSE

# Where a token might stand: the shortest has 14 characters with its prefix. Such runs are rare in prose, so that a text
# is searched once and not once for each prefix.
_RUN: Final = re.compile(r"[A-Za-z0-9_./+=~:@$%-]{14,}+")
# Not within a longer run of letters and digits, which is some other code that happens to hold the prefix.
_BEGINNING: Final = re.compile(r"(?<![A-Za-z0-9])[A-Za-z0-9]")
_SHORTEST: Final = min(map(len, (prefix for _, prefixes, _ in (*FORMATS, *LOOSE) for prefix in prefixes.split("|"))))


class _Format(NamedTuple):
    name: str
    prefix: str
    body: str
    believed: Callable[[str], bool]


@cache
def _by_beginning() -> Mapping[str, Sequence[_Format]]:
    """Return the formats by the first characters of their prefixes, longer prefixes first."""
    found: dict[str, list[_Format]] = defaultdict(list)
    for formats, believed in ((FORMATS, token_body), (LOOSE, drawn)):
        for name, prefixes, body in formats:
            for prefix in prefixes.split("|"):
                found[prefix[:_SHORTEST]].append(_Format(name, prefix, rf"(?:{body})(?![A-Za-z0-9])", believed))
    return {start: sorted(each, key=lambda one: -len(one.prefix)) for start, each in found.items()}


def hits(text: str) -> Iterator[Hit]:
    """Yield the tokens that a vendor's prefix begins; they do not overlap."""
    formats = _by_beginning()
    behind = 0
    for run in _RUN.finditer(text):
        for beginning in _BEGINNING.finditer(text, *run.span()):
            at = beginning.start()
            if at >= behind and (known := formats.get(text[at : at + _SHORTEST])):
                hit = _token(text, at, known)
                if hit:
                    behind = hit.end
                    yield hit


def _token(text: str, at: int, formats: Sequence[_Format]) -> Hit | None:
    for name, prefix, body, believed in formats:
        if text.startswith(prefix, at):
            match = compiled(body).match(text, at + len(prefix))
            if match and believed(match[0]):
                return Hit(name, "secret", at, match.end())
    return None


def _secret(name: str, anchor: str, pattern: str, *, anchored: bool = True) -> Rule:
    return Rule(name, "secret", (anchor,) if anchored else (), pattern)


def _after(name: str, before: str, anchor: str, pattern: str) -> Rule:
    return Rule(name, "secret", (anchor,), pattern, before=before)


RULES: Final = (
    Rule(
        "private_key",
        "secret",
        ("-----begin ",),
        r"-----BEGIN (?:[A-Z0-9]{1,12} ){0,3}PRIVATE KEY(?: BLOCK)?-----(?:[\w+/=\s\\:,.()]|-(?!----)){0,20000}+"
        r"(?:-----END [A-Z ]{0,30}-----)?",
    ),
    _secret("private_key", "putty-user-key-file", r"(?i:putty-user-key-file)-\d:[^\x00]{0,8000}+"),
    # eyJ is {" in base64, with which header and claims both begin.
    _secret("jwt", "eyj", r"(?<![\w-])eyJ[\w-]{8,4096}+\.eyJ[\w-]{8,8192}+(?:\.[\w-]{0,2048}+)?"),
    _after("terraform_token", r"[A-Za-z0-9]{14}", ".atlasv1.", r"\.atlasv1\.[\w-]{60,80}"),
    # The look-behind stands behind the literal that it is about: Python searches for a leading literal directly, here
    # in a twentieth of the time.
    _secret(
        "twilio_key", "", r"(?:SK(?<![A-Za-z0-9]SK)|AC(?<![A-Za-z0-9]AC))[0-9a-f]{32}(?![A-Za-z0-9])", anchored=False
    ),
    _after("mailchimp_key", r"[0-9a-f]{32}(?!\w)", "-us", r"-us\d{1,2}(?!\w)"),
    _after("telegram_token", r"\d{8,10}", ":aa", r":AA[\w-]{33}(?![\w-])"),
    _after("maxmind_key", r"[A-Za-z0-9]{29}_[A-Za-z0-9]{6}(?!\w)", "_mmk", r"_mmk(?![A-Za-z0-9])"),
    _after("azure_client_secret", r"\d[A-Za-z0-9_~.]{3}(?!\w)", "q~", r"Q~[\w~.-]{31,34}(?![\w~-])"),
    Rule("facebook_token", "secret", ("|",), r"\|[\w-]{27,40}(?![\w-])", mixed, before=r"\d{15,16}(?!\w)"),
    _secret("teams_webhook", ".webhook.office.com/webhookb2/", r"\.webhook\.office\.com/webhookb2/[\w@/-]{60,300}"),
    _secret("data_factory_key", "ir@", r"IR@[0-9A-Za-z-]{36}@[\w.-]{1,80}@[\w=-]{0,40}@[A-Za-z0-9+/=]{44}"),
    _after("firebase_key", r"[\w-]{11}(?![\w-])", ":apa91b", r":APA91b[\w-]{100,200}"),
    _secret("softlayer_key", "api.softlayer.com/soap/v3", r"api\.softlayer\.com/soap/v3(?:\.1)?/([a-z0-9]{64})"),
    _secret("discord_webhook", "/api/webhooks/", r"/api/webhooks/\d{17,20}/[\w-]{60,80}"),
    _secret(
        "discord_token",
        "",
        # The first part is a user's number in base64: digits begin with M, N or O there.
        r"[MNO](?<![\w.-][MNO])[A-Za-z0-9_-]{23,27}\.[\w-]{6}\.[\w-]{27,40}(?![\w-])",
        anchored=False,
    ),
    _secret("azure_sas", "sig=", r"(?<=[?&;])sig=([A-Za-z0-9%+/]{40,120}={0,2})"),
    # bcrypt, MD5, SHA-256, SHA-512, yescrypt, Argon2, scrypt in crypt(3)'s form: a hash can be tried against guesses.
    _secret("password_hash", "$", r"(?<![\w$])\$(?:2[abxy]?|1|5|6|y|argon2(?:id|i|d)|scrypt)\$[\w./$,=+-]{20,200}"),
    Rule(
        "url_password",
        "secret",
        ("://",),
        r"""://[^\s:/?#@"'<>]{0,100}+:([^\s@/"'<>]{1,200}+)@[\w.\[-]""",
        lambda found: not placeholder(found),
    ),
)

# The archive's own rule: what is drawn and what is a digest look alike there, and words stand in it in no such length.
UNLABELLED_RUN: Final = Rule("unlabelled_key", "secret", (), r"(?<![A-Za-z0-9])[A-Za-z0-9]{32,10000}+")
UNLABELLED_RUN_BUT_HASHES: Final = Rule(
    "unlabelled_key",
    "secret",
    (),
    UNLABELLED_RUN.pattern,
    lambda found: not re.fullmatch(r"[0-9a-f]{32,128}|[0-9A-F]{32,128}", found),
)
# 32 characters and more of no known form; plausibility.dense tells keys from hashes, names and texts.
HIGH_ENTROPY: Final = Rule(
    "high_entropy_key", "secret", (), r"(?<![\w+/=.@#?&-])[A-Za-z0-9]{32,64}+(?![\w+/=@-])", dense
)
