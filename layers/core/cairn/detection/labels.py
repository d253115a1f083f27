"""Tell which words say that a secret follows, and which names that hold such a word are about something else."""

from __future__ import annotations

from functools import lru_cache
from typing import Final, Literal

from cairn.detection.rules import compiled

Kind = Literal["password", "api_key"]

WORDS: Final[tuple[tuple[str, Kind], ...]] = (
    ("password", "password"),
    ("passwd", "password"),
    ("passwort", "password"),
    ("kennwort", "password"),
    ("contraseña", "password"),
    ("contrasena", "password"),
    ("passphrase", "password"),
    ("passcode", "password"),
    ("pass", "password"),
    ("pw", "password"),
    ("pwd", "password"),
    ("secret", "api_key"),
    ("token", "api_key"),
    ("key", "api_key"),
    ("credential", "api_key"),
    ("creds", "api_key"),
    ("auth", "api_key"),
    ("sonar.login", "api_key"),
    ("contribsys__com", "api_key"),
)
# Too common inside other words ("compass", "passenger", "author") and in prose: these need a sign right behind them.
_SHORT_WORDS: Final = ("pass", "pw", "auth")
_OF_SHORT: Final = (
    r"(?i)(?:(?<![A-Za-z])|(?<=db|my)|(?<=sql|ftp|key|ssh)|(?<=user|root|mail|smtp)|(?<=admin|login|store|basic))\Z"
)
_TAIL_OF_SHORT: Final = r"(?:[\d_-][\w-]*)?"
# A "key" is mostly that of an object or a keyboard: it counts only behind a word that says what it opens, or of which
# vendor it is.
_KEY_OF: Final = (
    r"(?i)(?:iam|ibm|cos|sl|artif|softlayer|cloudant"
    r"|api|access|secret|private|priv|account|signing|encryption|master|auth|shared|app|application|client|storage"
    r"|deploy|license|webhook|service|session|consumer|subscription|admin|server|db|database|adafruit|adobe|airtable"
    r"|algolia|alibaba|asana|atlassian|jira|confluence|beamer|bitbucket|bittrex|meraki|cloudflare|codecov|cohere|coinbase"
    r"|confluent|contentful|datadog|discord|droneci|dropbox|etsy|facebook|fastly|finicity|finnhub|flickr|freshbooks|gitter"
    r"|gocardless|heroku|hubspot|intercom|jfrog|artifactory|kraken|kucoin|launchdarkly|linkedin|lob|looker|mailchimp"
    r"|mailgun|maxmind|mattermost|messagebird|netlify|relic|nytimes|okta|plaid|rapidapi|sendbird|sendgrid|sentry|snyk"
    r"|squarespace|stripe|sumo|sumologic|telegram|travis|travisci|twilio|twitch|twitter|yandex|zendesk|openai|anthropic"
    r"|gemini|mistral|github|gitlab|slack|aws|azure|gcp)[ _.-]?\Z"
)
# Tokens that lead to the next page, public keys, and counts ("max_tokens").
_OTHER_BEFORE: Final = (
    r"(?i)(?<![A-Za-z])(?:next|page|prev|previous|pagination|continuation|continue|cursor|sync|public|pub|max|min|stop"
    r"|start|end|no|num|n|input|output|csrf|jsonweb)[ _.-]?\Z"
)
# The rest of a name may make it one about a secret: its length, its file, its policy, its URL, its field on a page.
_OTHER_BEHIND: Final = (
    r"(?:.*[_.-])?(?:length|count|len|min|max|type|fields?|file|path|ur[li]|name|ids?|arn|expir\w*|policy|reset|hint"
    r"|required|valid\w*|limit|usage|budget|store|s?manager|hash(?:er|ed)?|ize[rd]?|s_per\w*|version|alias|label|prompt"
    r"|ttl|endpoint|format|prefix|size|errors?|messages?|msg|text|content|html|placeholder|strength|help|title|icon|class"
    r"|button|btn|visible|audience|scopes?|sent|selector|word|board|code|frame|pair|ring|vault|cost|textcontent)"
)
# 14 characters: "continuation", the longest of those words, a separator behind it and a letter before.
_NEAR: Final = 14
# Names of fields, camel case turned into snake case before. The whole name has to match: "token_count" holds no secret.
_SENSITIVE_KEY: Final = (
    r"(?:\w*[_.-])?(?P<password>password|passwd|passphrase|passcode|pwd|pass|passwort|kennwort|contraseña)(?:s|[_.-]?\d)?"
    r"|(?:\w*[_.-])?(?P<plain>secret|token|(?:api|access|secret|private|account|signing|encryption|master|auth)[_.-]?key"
    r"|credential)s?"
    r"|(?:\w*[_.-])?(?:auth|authorization|cookies?|set-cookie|creds)"
)
_CAMEL: Final = r"(?<=[a-z0-9])(?=[A-Z])"
_MOST_OF_A_KEY: Final = 80
# A value that holds such a word names a secret and is none: token = access_token.
_MANY_LETTERS: Final = 32
_LABEL_WORD: Final = r"(?i:pass|pwd|secret|token|key|cred|auth)"


def about_a_secret(text: str, at: int, word: str, tail: str, *, signed: bool) -> bool:
    """Tell whether a word with the rest of its name, given as it stands in a text, says that a secret follows."""
    before = text[max(0, at - _NEAR) : at]
    if word == "key" and not compiled(_KEY_OF).search(before):
        return False
    if word in _SHORT_WORDS and not (
        signed
        and (compiled(_OF_SHORT).search(before) or _humped(text, at))
        and compiled(_TAIL_OF_SHORT).fullmatch(tail)
    ):
        return False
    return not compiled(_OTHER_BEFORE).search(before) and not compiled(_OTHER_BEHIND).fullmatch(
        compiled(_CAMEL).sub("_", tail).lower()
    )


def _humped(text: str, at: int) -> bool:
    return at > 0 and text[at].isupper() and text[at - 1].islower()


def names_a_label(value: str) -> bool:
    """Tell whether a value holds a word for a secret itself, and not by chance among many letters."""
    return bool(compiled(_LABEL_WORD).search(value)) and not (value.isalpha() and len(value) >= _MANY_LETTERS)


def sensitive(key: str) -> tuple[Kind, bool] | None:
    """Return what a field of this name holds and whether any value counts there, None where it holds no secret."""
    return _sensitive(key) if len(key) <= _MOST_OF_A_KEY else None


@lru_cache(maxsize=4096)
def _sensitive(key: str) -> tuple[Kind, bool] | None:
    found = compiled(_SENSITIVE_KEY).fullmatch(compiled(_CAMEL).sub("_", key.strip()).lower())
    if not found or compiled(_OTHER_BEFORE).search(key[: -len("token")]):
        return None
    return "password" if found["password"] else "api_key", bool(found["password"] or found["plain"])
