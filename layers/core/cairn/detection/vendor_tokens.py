"""Find secrets by their own form: tokens with vendors' prefixes, and armoured keys."""

from __future__ import annotations

import re
from typing import Final

from cairn.detection.plausibility import dense, placeholder, token_body
from cairn.detection.rules import Rule

# A rule's name, prefixes, and the form of what follows, as loose as the prefix is telling: vendors lengthen tokens.
_HEX, _WORD, _URL = "[0-9a-f]", "[A-Za-z0-9]", r"[\w-]"
_PREFIXED: Final[tuple[tuple[str, str, str], ...]] = (
    ("aws_access_key_id", "AKIA|ASIA|ABIA|ACCA", "[A-Z0-9]{16}"),
    ("github_token", "ghp_|gho_|ghu_|ghs_|ghr_", f"{_WORD}{{36,255}}"),
    ("github_token", "github_pat_", r"\w{22,255}"),
    ("gitlab_token", "glpat-|gldt-|glrt-|glcbt-|glptt-|glft-|glsoat-|gloas-", r"[\w.-]{20,128}"),
    ("slack_token", "xoxb-|xoxp-|xoxa-|xoxr-|xoxs-|xoxe-|xoxc-|xoxd-|xapp-", r"[\w-]{10,255}"),
    ("slack_webhook", "hooks.slack.com/services/|hooks.slack.com/workflows/", r"[\w/]{20,100}"),
    ("stripe_key", "sk_live_|sk_test_|rk_live_|rk_test_", f"{_WORD}{{10,255}}"),
    ("webhook_secret", "whsec_", "[A-Za-z0-9+/=]{24,128}"),
    ("google_api_key", "AIza", f"{_URL}{{35}}"),
    ("google_oauth_token", "ya29.", f"{_URL}{{20,1024}}"),
    ("google_oauth_token", "GOCSPX-", f"{_URL}{{28}}"),
    ("openai_key", "sk-proj-|sk-svcacct-|sk-admin-|sk-None-", f"{_URL}{{20,255}}"),
    ("anthropic_key", "sk-ant-", f"{_URL}{{20,255}}"),
    ("openrouter_key", "sk-or-v1-", f"{_HEX}{{64}}"),
    ("openai_key", "sk-", f"{_WORD}{{20,64}}"),
    ("npm_token", "npm_", f"{_WORD}{{36}}"),
    ("pypi_token", "pypi-AgE", f"{_URL}{{30,1024}}"),
    ("docker_token", "dckr_pat_|dckr_oat_", f"{_URL}{{20,64}}"),
    ("sendgrid_key", "SG.", rf"{_URL}{{16,32}}\.{_URL}{{32,64}}"),
    ("mailgun_key", "key-", "[0-9a-z]{32}"),
    ("vault_token", "hvs.|hvb.|hvr.", f"{_URL}{{24,255}}"),
    ("hugging_face_token", "hf_|api_org_", f"{_WORD}{{30,64}}"),
    ("databricks_token", "dapi", rf"{_HEX}{{32}}(?:-\d)?"),
    ("digitalocean_token", "dop_v1_|doo_v1_|dor_v1_", f"{_HEX}{{64}}"),
    ("shopify_token", "shpat_|shpca_|shppa_|shpss_", "[0-9a-fA-F]{32}"),
    ("doppler_token", "dp.pt.|dp.st.|dp.ct.|dp.sa.", r"[\w.-]{20,80}"),
    ("linear_key", "lin_api_", f"{_WORD}{{32,64}}"),
    ("notion_token", "ntn_|secret_", f"{_WORD}{{40,50}}"),
    ("postman_key", "PMAK-", f"{_HEX}{{24}}-{_HEX}{{34}}"),
    ("new_relic_key", "NRAK-|NRJS-|NRII-", f"{_WORD}{{19,32}}"),
    ("grafana_token", "glsa_|glc_", r"[\w+/=]{32,400}"),
    ("sentry_token", "sntrys_|sntryu_", r"[\w+/=]{32,400}"),
    ("figma_token", "figd_", f"{_URL}{{36,64}}"),
    ("fly_token", "fo1_|fm2_", r"[\w+/=-]{40,1024}"),
    ("groq_key", "gsk_", f"{_WORD}{{40,64}}"),
    ("xai_key", "xai-", f"{_WORD}{{40,128}}"),
    ("perplexity_key", "pplx-", f"{_WORD}{{32,64}}"),
    ("replicate_token", "r8_", f"{_WORD}{{37,40}}"),
    ("supabase_key", "sbp_", f"{_HEX}{{40}}"),
    ("square_token", "sq0atp-|sq0csp-|EAAAE", f"{_URL}{{22,64}}"),
    ("rubygems_key", "rubygems_", f"{_HEX}{{48}}"),
    ("atlassian_token", "ATATT3|ATCTT3", r"[\w=-]{60,400}"),
    ("onepassword_token", "ops_eyJ", "[A-Za-z0-9+/=_-]{60,2000}"),
    ("age_key", "AGE-SECRET-KEY-1", "[A-Z0-9]{58}"),
    ("alibaba_key_id", "LTAI", f"{_WORD}{{12,20}}"),
    ("cairn_key", "cairn_", f"{_HEX}{{16}}_{_URL}{{43}}"),
)  # fmt: skip
PREFIXES: Final = tuple(prefix for _, prefixes, _ in _PREFIXED for prefix in prefixes.split("|"))


def _prefixed(name: str, prefixes: str, body: str) -> Rule:
    literal = "|".join(re.escape(prefix) for prefix in prefixes.split("|"))
    # Not within a longer run of letters and digits, which is some other code that happens to hold the prefix.
    pattern = rf"(?<![A-Za-z0-9])(?:{literal}){body}(?![A-Za-z0-9])"
    anchors = tuple(prefix.lower() for prefix in prefixes.split("|"))
    return Rule(name, "secret", anchors, pattern, lambda found: token_body(re.sub(rf"\A(?:{literal})", "", found)))


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
    *(_prefixed(*each) for each in _PREFIXED),
    # eyJ is {" in base64, with which header and claims both begin.
    _secret("jwt", "eyj", r"(?<![\w-])eyJ[\w-]{8,4096}+\.eyJ[\w-]{8,8192}+\.[\w-]{0,2048}+"),
    _after("terraform_token", r"[A-Za-z0-9]{14}", ".atlasv1.", r"\.atlasv1\.[\w-]{60,80}"),
    # The look-behind stands behind the literal that it is about: Python searches for a leading literal directly, here
    # in a twentieth of the time.
    _secret("twilio_key", "", r"(?:SK(?<![A-Za-z0-9]SK))[0-9a-f]{32}(?![A-Za-z0-9])", anchored=False),
    _after("mailchimp_key", r"[0-9a-f]{32}(?!\w)", "-us", r"-us\d{1,2}(?!\w)"),
    _after("telegram_token", r"\d{8,10}", ":aa", r":AA[\w-]{33}(?![\w-])"),
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

# 32 characters and more of no known form; plausibility.dense tells keys from hashes, names and texts.
HIGH_ENTROPY: Final = Rule(
    "high_entropy_key", "secret", (), r"(?<![\w+/=.@#?&-])[A-Za-z0-9]{32,64}+(?![\w+/=@-])", dense
)
