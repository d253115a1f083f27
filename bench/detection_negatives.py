"""What looks like a secret or like personal data and is neither."""

from __future__ import annotations

import base64
import hashlib
import random
import string
import uuid
from collections.abc import Callable, Mapping, Sequence

Make = Callable[[random.Random], str]
CROCKFORD = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
ALNUM = string.ascii_letters + string.digits


def _digest(name: str) -> Make:
    return lambda rng: hashlib.new(name, rng.randbytes(8)).hexdigest()


def _number(length: int) -> Make:
    return lambda rng: str(rng.randrange(10 ** (length - 1), 10**length))


def _bad_card(rng: random.Random) -> str:
    body = f"4{rng.randrange(10**14, 10**15)}"
    total = sum(int(d) if i % 2 else sum(divmod(2 * int(d), 10)) for i, d in enumerate(reversed(body)))
    return body + str((-total + 1 + rng.randrange(8)) % 10)


def _isbn(rng: random.Random) -> str:
    return f"978-{rng.randrange(9)}-{rng.randrange(10, 99)}-{rng.randrange(100000, 999999)}-{rng.randrange(9)}"


def _png(rng: random.Random) -> str:
    data = b"\x89PNG\r\n\x1a\n" + rng.randbytes(600)
    return f"data:image/png;base64,{base64.b64encode(data).decode()}"


def _integrity(rng: random.Random) -> str:
    return f"sha384-{base64.b64encode(rng.randbytes(48)).decode()}"


def _prose_in_base64(rng: random.Random) -> str:
    text = f"The meeting on topic {rng.randrange(99)} was moved to the afternoon."
    return base64.b64encode(text.encode()).decode()


NEGATIVES: Mapping[str, Make] = {
    "md5": _digest("md5"),
    "sha1 / git commit": _digest("sha1"),
    "sha256": _digest("sha256"),
    "sha512": _digest("sha512"),
    "short commit": lambda rng: rng.randbytes(4).hex(),
    "image digest": lambda rng: f"app@sha256:{rng.randbytes(32).hex()}",
    "cascade pointer": lambda rng: f"cascade://{rng.randbytes(32).hex()}",
    "upper-case sha256": lambda rng: rng.randbytes(32).hex().upper(),
    "uuid": lambda rng: str(uuid.UUID(bytes=rng.randbytes(16), version=4)),
    "uuid without dashes": lambda rng: uuid.UUID(bytes=rng.randbytes(16), version=4).hex,
    "ulid": lambda rng: "01" + "".join(rng.choices(CROCKFORD, k=24)),
    "request id": lambda rng: f"req_{''.join(rng.choices(ALNUM, k=24))}",
    "nanoid": lambda rng: "".join(rng.choices(ALNUM + "_-", k=21)),
    "base64 image": _png,
    "subresource integrity": _integrity,
    "prose in base64": _prose_in_base64,
    "epoch seconds": lambda rng: str(rng.randrange(1_600_000_000, 1_800_000_000)),
    "epoch milliseconds": lambda rng: str(rng.randrange(1_600_000_000_000, 1_800_000_000_000)),
    "timestamp": lambda rng: f"2025-0{rng.randrange(1, 9)}-1{rng.randrange(9)}T1{rng.randrange(9)}:22:33.123456Z",
    "order number": _number(12),
    "ten digit number": lambda rng: f"order {rng.randrange(10**9, 10**10)}",
    "card that fails its check": _bad_card,
    "isbn": _isbn,
    "price": lambda rng: f"${rng.randrange(1, 999)},{rng.randrange(100, 999)}.{rng.randrange(10, 99)}",
    "coordinates": lambda rng: f"{rng.uniform(-90, 90):.6f}, {rng.uniform(-180, 180):.6f}",
    "version": lambda rng: f"v{rng.randrange(20)}.{rng.randrange(40)}.{rng.randrange(99)}.{rng.randrange(999)}",
    "semver with build": lambda rng: f"{rng.randrange(9)}.{rng.randrange(9)}.0-rc.1+{rng.randbytes(4).hex()}",
    "private ip": lambda rng: f"10.{rng.randrange(255)}.{rng.randrange(255)}.{rng.randrange(255)}:8080",
    "mac address": lambda rng: ":".join(rng.randbytes(6).hex()[at : at + 2] for at in range(0, 12, 2)),
    "arn": lambda rng: (
        f"arn:aws:lambda:eu-central-1:{rng.randrange(10**11, 10**12)}:function:cairn-recall:{rng.randrange(9)}"
    ),
    "s3 url": lambda rng: f"s3://bucket/2025/11/{rng.randbytes(16).hex()}/part-0000.parquet",
    "etag": lambda rng: f'"{rng.randbytes(16).hex()}-{rng.randrange(1, 20)}"',
    "trace header": lambda rng: f"00-{rng.randbytes(16).hex()}-{rng.randbytes(8).hex()}-01",
    "hex address": lambda rng: f"0x{rng.randbytes(8).hex()}",
    "colours": lambda rng: f"#{rng.randbytes(3).hex()} #{rng.randbytes(3).hex()}",
    "table of numbers": lambda rng: " ".join(f"{rng.randrange(1000, 1300)}" for _ in range(9)),
    "floats": lambda rng: f"[{rng.random()}, {rng.random()}, {rng.random()}]",
    "ipfs cid": lambda rng: (
        "Qm" + "".join(rng.choices("123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz", k=44))
    ),
    "tracking number": lambda rng: f"1Z{''.join(rng.choices(string.ascii_uppercase + string.digits, k=16))}",
    "iban that fails its check": lambda rng: f"DE00{rng.randrange(10**17, 10**18)}",
}

TEXTS: Mapping[str, Sequence[str]] = {
    "placeholder": (
        "api_key = YOUR_API_KEY",
        "password=<your-password>",
        "export TOKEN=xxxxxxxxxxxxxxxxxxxx",
        "Authorization: Bearer <token>",
        "password: ********",
        "token: ${GITHUB_TOKEN}",
        "api_key: {{ secrets.API_KEY }}",
        "export API_KEY=$(pass show api)",
        "password: changeme",
        "client_secret: REDACTED",
        "postgres://user:password@localhost/db",
        "https://user:<password>@host",
        "secret = 'replace-me'",
        "token=...",
        "api-key: [REDACTED]",
        "Authorization: Bearer $TOKEN",
        "sk-...",
        "ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
        "someone@localhost",
        "foo@test",
        "export PATH=$PATH:/usr/local/bin",
        "password = None",
        "PASSWORD=",
        "token: null",
        "api_key: str | None = None",
        "secret: true",
    ),
    "code": (
        'password = os.environ["DB_PASSWORD"]',
        "const token = process.env.API_TOKEN;",
        "api_key = settings.api_key",
        'key = os.getenv("OPENAI_API_KEY")',
        "password: str = Field(min_length=8)",
        "def login(user, password): ...",
        "token = response.json()['access_token']",
        "if (password !== confirmPassword) {",
        "secret = Secret.from_name(name)",
        "self.token = token",
        "password = getpass.getpass()",
        "type Password = string;",
        "let apiKey: string;",
        '<input type="password" name="password">',
        "passwordField.setText(passwordValue)",
        "new_password=form.password.data",
        "@property\ndef token(self): return self._token",
        "return jwt.encode(payload, key)",
        "auth_token: Optional[str]",
        "from app.security import password_hasher",
        "max_tokens=4096, token_count=1200",
        "tokenizer = AutoTokenizer()",
        "@app.get('/users')",
        "git@github.com:org/repo.git",
        "import { useState } from 'react'",
        "primary_key=True",
        "uses: actions/checkout@v4",
        "npm install @types/node@20.1.0",
        "pip install cairn==0.1.0",
        "password_min_length: 12",
        "SELECT password FROM users WHERE id = 1",
        "ALTER USER app PASSWORD EXPIRE;",
        "secretName: db-credentials",
        "for(var a=0,b=c.length;a<b;a++)d[a]=c[a]^e;return d.map(function(f){return f%256})",
        "public_key_path: /etc/keys/id.pub",
        "docker pull registry.internal:5000/app:1.2",
        "x = int('0' * 16)",
        "assert total == 4242424242424241",
        "secret_arn: arn:aws:secretsmanager:us-east-1:123456789012:secret:db",
        "token_url: https://auth.internal/token",
    ),
    "prose": (
        "I forgot my password and need to reset it.",
        "The password is required.",
        "Please choose a password with 12 characters.",
        "The token is invalid.",
        "Passwords must be rotated every ninety days.",
        "The secret: practise every single day.",
        "We talked about API keys, tokens and cookies.",
        "The key is under the mat.",
        "Donaudampfschifffahrtsgesellschaftskapitän",
        "pneumonoultramicroscopicsilicovolcanoconiosis is a long word",
        "Her birthday party was fun.",
        "Call me when you are there.",
        "He was born in a small town.",
        "My phone is broken.",
        "Ask for the passport office on Main Street.",
        "Meet me @ the station.",
        "The address of the function is wrong.",
        "Our social security system is old.",
        "session cookie expired",
        "Bearer of bad news",
        "The authorization header is missing.",
        "password: required",
        "The tax was 19 percent of 1,240.50 euros.",
        "ssn: not given",
        "Chapter 12 covers keys: public, private and shared.",
        "token: the smallest unit of text",
        "secret sauce: more butter",
        "It costs 1 000 000 dollars.",
        "Page 123-456 of volume 7.",
        "In 1984 2001 and 2010 it rained.",
        "phone: none",
        "DOB unknown",
        "Phone support is available from 9 to 5.",
        "the cookie: chocolate",
        "born free",
        "I was born in 1984.",
    ),
    "other scripts": (
        "パスワードを忘れました。",
        "会議は午後三時に始まります。",
        "Пароль должен быть сложным.",
        "कृपया बाद में कॉल करें",
        "비밀번호를 변경하세요",
        "الاجتماع غدا في الساعة العاشرة",
        "\u0397 συνάντηση είναι αύριο",
        "Встреча в 10:30, кабинет 204",
        "价格是1234元",
        "กรุณารอสักครู่",
        "👩‍👩‍👧‍👦 family photo 2024",
        "می‌خواهم بروم",
        "x² + y² = z², ∑ᵢ aᵢ ≤ 10¹²",
        "naïve façade, 12½ €",
    ),
    "log": (
        "2025-11-02 10:22:33,123 INFO worker-3 processed 1048576 rows in 12.5 s",
        "GET /v1/items?page_token=abc&limit=50 200 12ms",
        "Listening on http://127.0.0.1:8787",
        "segfault at 7f3c2a1b9000 ip 00007f3c2a1b9abc",
        "PID 12345 exited with code 137",
        "connect ETIMEDOUT 140.82.121.4:443",
        "Error: token expired at 1700000000",
        '{"level":"info","duration_ms":1234,"n":100000}',
        "Build #20251102.4 succeeded: 1234 passed, 5 skipped",
        "password authentication failed for user app",
        "auth=none tls=1.3",
        "kernel: [12345.678901] eth0: link up, 1000 Mbps",
        "next_token=AAAAAbbbbb1111122222 has_more=true",
        "retry 3/5 in 400 ms",
        "id=4294967296 offset=9007199254740991 size=18446744073709551615",
        "tests/unit/test_terms.py::test_words PASSED [ 12%]",
        "cookie: none",
        "authorization: required",
        "user agent Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36",
        "CVE-2024-12345 fixed",
    ),
}
