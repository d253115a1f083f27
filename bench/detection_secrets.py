"""Secrets of real form and of no account, one maker per kind, and the disguises they come in."""

from __future__ import annotations

import base64
import random
import string
from collections.abc import Callable, Mapping, Sequence
from typing import Any
from urllib.parse import quote

from detection_personal import card, email

Make = Callable[[random.Random], str]
DIGITS, UPPER, LOWER = string.digits, string.ascii_uppercase, string.ascii_lowercase
ALNUM, HEX, BASE64 = UPPER + LOWER + DIGITS, "0123456789abcdef", UPPER + LOWER + DIGITS + "+/"
URLSAFE, BASE32 = ALNUM + "_-", UPPER + "234567"
WORDS = ("Tiger", "window", "Quartz", "maple", "Rocket", "harbor", "Velvet", "onion")


def some(rng: random.Random, alphabet: str, length: int) -> str:
    """Return a random string that ends in a letter, so that no word boundary falls away."""
    return "".join(rng.choices(alphabet, k=length - 1)) + rng.choice([c for c in alphabet if c.isalnum()])


def of(prefix: str, alphabet: str, length: int, suffix: str = "") -> Make:
    """Return a maker of prefix, random body and suffix."""
    return lambda rng: prefix + some(rng, alphabet, length) + suffix


def password(rng: random.Random) -> str:
    """Return a password of two words, digits and a sign."""
    return f"{rng.choice(WORDS)}{rng.choice(WORDS)}{rng.randrange(10, 9999)}{rng.choice('!#%*+?')}"


def jwt(rng: random.Random) -> str:
    """Return a token of three parts whose header and claims are JSON."""
    parts = ('{"alg":"HS256","typ":"JWT"}', f'{{"sub":"{rng.randrange(10**9)}","iat":1700000000}}')
    encoded = [base64.urlsafe_b64encode(part.encode()).rstrip(b"=").decode() for part in parts]
    return ".".join([*encoded, some(rng, URLSAFE, 43)])


def pem(kind: str, lines: int = 6) -> Make:
    """Return a maker of a private key in its armour."""

    def make(rng: random.Random) -> str:
        body = "\n".join(some(rng, BASE64, 64) for _ in range(lines))
        return f"-----BEGIN {kind}-----\n{body}\n-----END {kind}-----"

    return make


def url(scheme: str, host: str) -> Make:
    """Return a maker of a URL with a password in it."""
    return lambda rng: f"{scheme}://app:{password(rng).replace('#', '!').replace('?', '!')}@{host}"


ASSIGNMENTS = (
    'password = "{}"',
    "PASSWORD={}",
    '{"db_password": "{}", "port": 1}',
    "passwd: {}",
    "login with password {} please",
    "the password is {}",
    "--password={}",
    "my password was {} until today",
    "pwd='{}'",
    "DB_PASS={}",
)
KEY_ASSIGNMENTS = (
    'api_key = "{}"',
    "SERVICE_API_KEY={}",
    "x-api-key: {}",
    '"apiKey": "{}"',
    "the api key is {}",
    "client_secret={}",
    "auth_token: '{}'",
    "secret_key => '{}'",
    "--token {}",
    "access_token={}&state=1",
)
AWS = (
    "{}",
    "aws_secret_access_key = {}",
    "AWS_SECRET_ACCESS_KEY={}",
    "secret access key: {}",
    "SecretAccessKey: {}",
    '"secretAccessKey": "{}"',
)[1:]
EXPORTS = ("export APP_SECRET={}", "export DB_PASSWORD='{}'", 'export TOKEN="{}"', "$ export SIGNING_KEY={}")

SECRETS: Mapping[str, tuple[Make, Sequence[str]]] = {
    "aws access key id": (of("AKIA", BASE32, 16), ()),
    "aws temporary key id": (of("ASIA", BASE32, 16), ()),
    "aws secret access key": (of("", BASE64, 40), AWS),
    "aws session token": (
        of("", BASE64, 300),
        ("aws_session_token = {}", "AWS_SESSION_TOKEN={}", 'SessionToken: "{}"', "x-amz-security-token: {}"),
    ),
    "github personal token": (of("ghp_", ALNUM, 36), ()),
    "github oauth token": (of("gho_", ALNUM, 36), ()),
    "github app token": (of("ghs_", ALNUM, 36), ()),
    "github fine-grained token": (lambda rng: f"github_pat_{some(rng, ALNUM, 22)}_{some(rng, ALNUM, 59)}", ()),
    "gitlab token": (of("glpat-", URLSAFE, 20), ()),
    "slack bot token": (
        lambda rng: f"xoxb-{some(rng, DIGITS, 12)}-{some(rng, DIGITS, 12)}-{some(rng, ALNUM, 24)}",
        (),
    ),
    "slack app token": (
        lambda rng: f"xapp-1-A{some(rng, UPPER, 10)}-{some(rng, DIGITS, 13)}-{some(rng, HEX, 64)}",
        (),
    ),
    "slack webhook": (
        lambda rng: (
            f"https://hooks.slack.com/services/T{some(rng, UPPER, 8)}/B{some(rng, UPPER, 8)}/{some(rng, ALNUM, 24)}"
        ),
        (),
    ),
    "stripe live key": (of("sk_live_", ALNUM, 24), ()),
    "stripe test key": (of("sk_test_", ALNUM, 99), ()),
    "stripe restricted key": (of("rk_live_", ALNUM, 24), ()),
    "stripe webhook secret": (of("whsec_", ALNUM, 32), ()),
    "google api key": (of("AIza", URLSAFE, 35), ()),
    "google oauth access token": (of("ya29.", URLSAFE, 120), ()),
    "google oauth client secret": (of("GOCSPX-", URLSAFE, 28), ()),
    "azure storage key": (
        of("", BASE64, 86, "=="),
        ("AccountName=acct;AccountKey={};EndpointSuffix=core.windows.net", "azure storage account key: {}"),
    ),
    "azure sas": (
        lambda rng: quote(some(rng, BASE64, 43) + "=", safe=""),
        (
            "https://acct.blob.core.windows.net/c/f?sv=2022-11-02&sr=b&sp=r&sig={}",
            "?sv=2021-08-06&ss=bfqt&se=2025-01-01&sig={}",
        ),
    ),
    "openai key": (lambda rng: f"sk-{some(rng, ALNUM, 20)}T3BlbkFJ{some(rng, ALNUM, 20)}", ()),
    "openai project key": (lambda rng: f"sk-proj-{some(rng, URLSAFE, 74)}T3BlbkFJ{some(rng, URLSAFE, 74)}", ()),
    "anthropic key": (of("sk-ant-api03-", URLSAFE, 93, "AA"), ()),
    "npm token": (of("npm_", ALNUM, 36), ()),
    "pypi token": (of("pypi-AgEIcHlwaS5vcmc", URLSAFE, 150), ()),
    "docker token": (of("dckr_pat_", URLSAFE, 27), ()),
    "twilio key": (of("SK", HEX, 32), ()),
    "twilio auth token": (of("", HEX, 32), ("TWILIO_AUTH_TOKEN={}", 'twilio auth_token: "{}"')),
    "sendgrid key": (lambda rng: f"SG.{some(rng, URLSAFE, 22)}.{some(rng, URLSAFE, 43)}", ()),
    "mailgun key": (of("key-", HEX, 32), ()),
    "mailchimp key": (of("", HEX, 32, "-us12"), ()),
    "telegram token": (lambda rng: f"{rng.randrange(10**9, 10**10)}:AA{some(rng, URLSAFE, 33)}", ()),
    "discord token": (
        lambda rng: f"M{some(rng, ALNUM, 23)}.{some(rng, URLSAFE, 6)}.{some(rng, URLSAFE, 38)}",
        ("Bot {}", "DISCORD_TOKEN={}", "{}", "discord: {}"),
    ),
    "discord webhook": (
        lambda rng: f"https://discord.com/api/webhooks/{some(rng, DIGITS, 18)}/{some(rng, URLSAFE, 68)}",
        (),
    ),
    "jwt": (jwt, ()),
    "rsa private key": (pem("RSA PRIVATE KEY"), ()),
    "ssh private key": (pem("OPENSSH PRIVATE KEY"), ()),
    "pkcs8 private key": (pem("PRIVATE KEY"), ()),
    "pgp private key": (pem("PGP PRIVATE KEY BLOCK"), ()),
    "password in url": (url("https", "git.internal.net/repo.git"), ()),
    "postgres url": (url("postgresql", "db.internal:5432/app"), ()),
    "mongodb url": (url("mongodb+srv", "cluster0.mongo.net/app?retryWrites=true"), ()),
    "redis url": (lambda rng: f"redis://:{some(rng, ALNUM, 16)}@cache.internal:6379/0", ()),
    "ado connection string": (
        password,
        ("Server=db;Database=app;User Id=sa;Password={};", "Data Source=db;Uid=app;Pwd={};Encrypt=yes"),
    ),
    "exported variable": (lambda rng: some(rng, ALNUM, 24), EXPORTS),
    "password": (password, ASSIGNMENTS),
    "api key": (of("", ALNUM, 40), KEY_ASSIGNMENTS),
    "hex api key": (of("", HEX, 32), KEY_ASSIGNMENTS),
    "bare api key": (lambda rng: "aB3" + some(rng, ALNUM, 37), ()),
    "bearer header": (
        of("", URLSAFE, 40),
        ("Authorization: Bearer {}", "curl -H 'Authorization: Bearer {}' https://api.test", "authorization: token {}"),
    ),
    "basic header": (
        lambda rng: base64.b64encode(f"app:{password(rng)}".encode()).decode(),
        ("Authorization: Basic {}", "-H 'authorization: basic {}'"),
    ),
    "cookie": (
        of("", ALNUM, 32),
        ("Cookie: session={}", "Set-Cookie: sessionid={}; HttpOnly; Path=/", "cookie: theme=dark; auth={}"),
    ),
    "vault token": (of("hvs.", URLSAFE, 90), ()),
    "terraform cloud token": (lambda rng: f"{some(rng, ALNUM, 14)}.atlasv1.{some(rng, URLSAFE, 67)}", ()),
    "hugging face token": (of("hf_", ALNUM, 34), ()),
    "databricks token": (of("dapi", HEX, 32), ()),
    "digitalocean token": (of("dop_v1_", HEX, 64), ()),
    "shopify token": (of("shpat_", HEX, 32), ()),
    "cairn key": (lambda rng: f"cairn_{some(rng, HEX, 16)}_{some(rng, URLSAFE, 43)}", ()),
}


def _github(rng: random.Random) -> str:
    return SECRETS["github personal token"][0](rng)


def _aws(rng: random.Random) -> str:
    return SECRETS["aws access key id"][0](rng)


def _grouped(separator: str) -> Callable[[str], str]:
    return lambda text: separator.join(text[at : at + 4] for at in range(0, len(text), 4))


def _wide(text: str) -> str:
    return "".join(chr(ord(char) + 0xFEE0) if "!" <= char <= "~" else char for char in text)


def _base64(text: str) -> str:
    return base64.b64encode(text.encode()).decode()


def _cut(make: Make, build: Callable[[str, str], Any]) -> Callable[[random.Random], tuple[str, Any]]:
    def structure(rng: random.Random) -> tuple[str, Any]:
        secret = make(rng)
        at = rng.randrange(6, len(secret) - 5)
        return secret[at:], build(secret[:at], secret[at:])

    return structure


def _whole(make: Make, build: Callable[[str], Any]) -> Callable[[random.Random], tuple[str, Any]]:
    def structure(rng: random.Random) -> tuple[str, Any]:
        secret = make(rng)
        return secret, build(secret)

    return structure


LOOKALIKES = str.maketrans("AKPaoecpM", "\u0410\u041a\u0420\u0430\u043e\u0435\u0441\u0440\u041c")

DISGUISES: Mapping[str, tuple[Make, Callable[[str], str]]] = {
    "card in groups": (card, _grouped(" ")),
    "card with dashes": (card, _grouped("-")),
    "card spaced out": (card, " ".join),
    "card full-width": (card, _wide),
    "card with dots": (card, _grouped(".")),
    "card with zero width": (card, _grouped("\u200b")),
    "key in base64": (_github, _base64),
    "aws key in base64": (_aws, _base64),
    "password in base64": (lambda rng: f"password={password(rng)}", _base64),
    "key in base64 twice": (_github, lambda text: _base64(_base64(text))),
    "key in hex": (_github, lambda text: text.encode().hex()),
    "key percent-encoded": (_github, lambda text: "".join(f"%{ord(char):02X}" for char in text)),
    "e-mail percent-encoded": (email, lambda text: quote(text, safe="")),
    "key in groups": (_aws, _grouped(" ")),
    "key with dashes": (_aws, _grouped("-")),
    "key spaced out": (_github, " ".join),
    "key full-width": (_aws, _wide),
    "key with look-alikes": (_aws, lambda text: text.translate(LOOKALIKES)),
    "e-mail with look-alikes": (email, lambda text: text.translate(LOOKALIKES)),
    "key with zero width": (_github, "\u200b".join),
    "key with soft hyphens": (_aws, lambda text: text[:7] + "\u00ad" + text[7:]),
    "key in JSON escapes": (_aws, lambda text: "".join(f"\\u{ord(char):04x}" for char in text)),
    "e-mail spelled out": (email, lambda text: text.replace("@", " [at] ").replace(".", " [dot] ")),
}

STRUCTURES: Mapping[str, Callable[[random.Random], tuple[str, Any]]] = {
    "key cut over two fields": _cut(_github, lambda left, right: {"first": left, "second": right}),
    "aws key cut over two fields": _cut(_aws, lambda left, right: {"name": "ci", "a": left, "b": right, "on": "yes"}),
    "key cut over list entries": _cut(_github, lambda left, right: ["x", left, right, "y"]),
    "card cut over list entries": _whole(card, lambda text: [text[at : at + 4] for at in range(0, 16, 4)]),
    "card cut over two fields": _whole(card, lambda text: {"a": text[:8], "b": text[8:]}),
    "password under its key": _whole(password, lambda text: {"db": {"user": "app", "password": text}}),
    "weak password under its key": _whole(lambda rng: rng.choice(WORDS) + "s", lambda text: {"passwd": text}),
    "passwords in a list": _whole(password, lambda text: {"passwords": ["first-one-7", text]}),
    "variable by name": _whole(password, lambda text: {"env": [{"name": "DB_PASSWORD", "value": text}]}),
    "key under its key": _whole(of("", ALNUM, 32), lambda text: {"headers": {"X-Api-Key": text}}),
    "cookie under its key": _whole(of("", HEX, 32), lambda text: {"headers": {"cookie": f"sid={text}"}}),
    "authorization under its key": _whole(of("Bearer ", ALNUM, 30), lambda text: {"authorization": text}),
    "card as a number": _whole(card, lambda text: {"card": int(text)}),
    "card in a key": _whole(card, lambda text: {f"card {text}": True}),
    "e-mail in a key": _whole(email, lambda text: {"users": {text: {"role": "admin"}}}),
    "JSON in a string": _whole(
        password, lambda text: {"body": f'{{\\"user\\": \\"a\\", \\"password\\": \\"{text}\\"}}'}
    ),
    "date of birth under its key": _whole(lambda _: "1984-07-21", lambda text: {"user": {"dateOfBirth": text}}),
    "number under its key": _whole(lambda rng: str(rng.randrange(10**8, 7 * 10**8)), lambda text: {"ssn": int(text)}),
    "phone under its key": _whole(lambda rng: f"0{rng.randrange(10**9, 10**10)}", lambda text: {"phone": text}),
}
