"""How passwords and secrets are written behind their labels, and what stands there that is none."""

from __future__ import annotations

import random
import string
from collections.abc import Callable, Mapping, Sequence
from typing import Final

Make = Callable[[random.Random], str]
_WORDS: Final = ("tiger", "window", "quartz", "maple", "rocket", "harbor", "velvet", "onion", "sesame", "letmein")
_SIGNS: Final = "!#%*+?@^&~$<>{}[]()|"


def _drawn(alphabet: str, length: int) -> Make:
    return lambda rng: rng.choice(string.ascii_letters) + "".join(rng.choices(alphabet, k=length - 1))


def _signed(rng: random.Random) -> str:
    """Return a password full of the signs that templates are made of, which is none."""
    parts = ("".join(rng.choices(string.ascii_letters + string.digits, k=3)) for _ in range(4))
    return rng.choice("abcXYZ") + "".join(part + rng.choice(_SIGNS) for part in parts) + "q7"


VALUES: Final[Mapping[str, Make]] = {
    "words": lambda rng: rng.choice(_WORDS) + rng.choice(_WORDS),
    "word and digits": lambda rng: f"{rng.choice(_WORDS)}{rng.randrange(10, 9999)}",
    "signs of templates": _signed,
    "letters alone, 32": _drawn(string.ascii_lowercase, 32),
    "letters alone, 64": _drawn(string.ascii_letters, 64),
    "hexadecimal, 32": lambda rng: rng.randbytes(16).hex(),
    "brackets": lambda rng: (
        f"m{{{{h}}o)p${{e]{rng.choice(_WORDS)}(ody[{rng.choice(_WORDS)}>-_$#{rng.choice(_WORDS)}}}}}"
    ),
}
LABELS: Final[Sequence[str]] = (
    "password",
    "db_pass",
    "passwd",
    "client_secret",
    "apiKey",
    "api_key",
    "aws_secret_access_key",
    "my_password_super_secure",
    "private_key",
    "auth_token",
    "API_TOKEN",
    "DB_PASSWORD",
)
# `l` is the label, `s` the secret.
QUOTED: Final[Sequence[str]] = (
    '{l} = "{s}"',
    "{l}: '{s}'",
    '{{"{l}": "{s}"}}',
    '{{"{l}":\n   "{s}"}}',
    '{l} := "{s}"',
    '{l} ::= "{s}"',
    '{l} ?= "{s}"',
    '{l} => "{s}"',
    'if ({l} == "{s}") {{',
    'if ("{s}" === {l}) {{',
    'if ({l} != "{s}") {{',
    'const string {l} = "{s}";',
    'char {l}[64] = "{s}";',
    '{l} = @"{s}";',
    '{l}: str = "{s}"',
    'val {l}: String = "{s}"',
    "{l}          =          '{s}'",
    '{l} "{s}";',
    '<param name="{l}" value="{s}"/>',
    '<param value="{s}" name="{l}"/>',
    '<{l} value="{s}" />',
    'connect(host, {l}="{s}", timeout=3)',
    'setdefault("{l}", "{s}")',
    '--{l} "{s}"',
    '{l} = """{s}"""',
    'std::string {l}("{s}");',
)
BARE: Final[Sequence[str]] = (
    "{l}={s}",
    "export {l}={s}",
    "{l}:={s}",
    "{l}: {s}",
    "-e {l}={s}",
    "tool --{l}={s} run",
    "tool --{l} {s} run",
    "{l}: |\n    {s}\n",
    "{l}: >\n  {s}\n",
    "# {l}={s}",
    "SetEnv\n{l}={s}\nPORT=80",
)
ELEMENTS: Final[Sequence[str]] = (
    "<{l}>{s}</{l}>",
    "< {l} > {s} </{l}>",
    "<{l}>\n   {s}\n</{l}>",
    '<entry name="{l}">{s}</entry>',
)
SPECIAL: Final[Sequence[str]] = (
    "machine git.internal.net login ada password {w}",
    "postgres://app:{w}@db.internal:5432/app",
    "mysql -u root --password={w} app",
    "curl -u ada:{w} https://api.internal.net",
    "curl --user 'ada:{w}' https://api.internal.net",
    "Server=db;Database=app;User Id=sa;Password={w};Encrypt=yes",
    "amqp://ada:{w}@queue.internal/vhost",
    "Authorization: Bearer {x}",
    "Authorization: Token {h}",
    "curl -H 'X-Api-Key: {h}' https://api.internal.net",
    "https://api.internal.net/v1?api_key={h}&page=2",
    "https://api.internal.net/v1?access_token={x}",
    "api key: {x}",
    "token={x}",
    "Bearer {x}",
    "the password is {w}",
    "Your new password: {w}",
    "password for the staging box is {w}, do not share",
    "client_secret={n}",
    "password={n}",
    "DB_PASSWORD={t}",
)
"""`w` stands for words and digits, `n` for words alone, `x` for 40 letters, `h` for hexadecimal, `t` for signs."""
TEMPLATES: Final[Sequence[str]] = (
    "${{DB_PASSWORD}}",
    "$DB_PASSWORD",
    "%DB_PASSWORD%",
    "<your-key>",
    "<YOUR_API_KEY>",
    "{{{{ secret }}}}",
    "{{{{ .Values.secret }}}}",
    "${{{{ secrets.API_KEY }}}}",
    "$(cat /run/secrets/key)",
    "...",
    "xxxxxxxxxxxx",
    "********",
    "null",
    "None",
    "true",
    "YOUR_API_KEY",
    "your-api-key-here",
    "changeme",
    "REDACTED",
    "[REDACTED]",
    "[redacted:password]",
    "@DB_PASSWORD@",
    "%s",
    "__TOKEN__",
)
CODE: Final[Sequence[str]] = (
    '{l} = os.environ["X"]',
    "{l} = getpass.getpass()",
    "{l} = settings.{l}",
    "{l} = config.get('{l}')",
    "{l}: str",
    "{l}: string;",
    "{l}: Optional[str] = None",
    "self.{l} = {l}",
    "login(user=user, {l}={l})",
    "{l}: process.env.{l},",
    "def check({l}, other): ...",
    "return {l}",
    "if {l} is None:",
    "if not {l}:",
    "{l} = await fetch_{l}(client)",
    '{l} = input("Enter it: ")',
    'label = "{l}"',
    "hash({l})",
    "print(len({l}))",
    "<label>{l}</label>",
    "const {{ {l} }} = req.body;",
    "{l} = request.form['{l}']",
    "{l} = user_input",
    "{l} = ''",
    "{l}:",
    '{l} = f"{{prefix}}"',
    "{l} = func() if x else None",
    "{l} ? next() : fail()",
    "{l} => verify({l})",
    "let {l};",
)
"""What code and settings do with a label without naming a secret."""
PROSE: Final[Sequence[str]] = (
    "the {l} is required",
    "my {l} was stolen yesterday",
    "I forgot the {l} again and they reset it",
    "what is a {l}?",
    "{l}: the smallest unit of text",
    "a good {l} is long and hard to guess",
    "she said the {l}, and then she left",
    "store the {l} in a vault, never in code",
    "the {l} (see below) must be rotated",
    "Enter your {l} here.",
    "Invalid username or {l}.",
    "Which {l}? The one for the printer.",
)


def special(pattern: str, rng: random.Random) -> tuple[str, str]:
    """Return a line of SPECIAL filled in, and the secret in it."""
    makers: Mapping[str, Make] = {
        "w": VALUES["word and digits"],
        "n": VALUES["words"],
        "x": _drawn(string.ascii_letters, 40),
        "h": VALUES["hexadecimal, 32"],
        "t": VALUES["signs of templates"],
    }
    name = pattern[pattern.index("{") + 1]
    secret = makers[name](rng)
    return pattern.replace(f"{{{name}}}", secret), secret
