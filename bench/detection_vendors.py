"""Forms of vendors' tokens as their documentation and public scanners' rules tell them, and how they are written down.

The table is a second one, written from the public facts and not read from the detector's own: what the detector does
not know counts against it. Rows in turn belong to the development half and to the held-out half.
"""

from __future__ import annotations

import random
import re
import string
from collections.abc import Mapping, Sequence
from typing import Final

# vendor, then a form: literals, and classes with their count.
BARE: Final = r"""
1password ops_eyJ[A-Za-z0-9]{260}
1password A3-[A-Z0-9]{6}-[A-Z0-9]{11}-[A-Z0-9]{5}-[A-Z0-9]{5}-[A-Z0-9]{5}
adafruit aio_[A-Za-z]{4}[0-9]{2}[A-Za-z0-9]{22}
adobe p8e-[a-z0-9]{32}
age AGE-SECRET-KEY-1[QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L]{58}
airtable pat[A-Za-z0-9]{14}.[a-f0-9]{64}
alibaba LTAI[A-Za-z0-9]{20}
amazon amzn.mws.[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}
anthropic sk-ant-admin01-[A-Za-z0-9_-]{93}AA
anthropic sk-ant-api03-[A-Za-z0-9_-]{93}AA
artifactory AKCp[A-Za-z0-9]{69}
artifactory cmVmd[A-Za-z0-9]{59}
atlassian ATATT3[A-Za-z0-9_-]{186}
authress sc_[a-z0-9]{12}.[a-z0-9]{4}.acc-[a-z0-9]{20}.[A-Za-z0-9_-]{60}
aws A3T[A-Z0-9]{17}
aws ABIA[A-Z2-7]{16}
aws ABSK[A-Za-z0-9]{130}
aws bedrock-api-key-YmVkcm9jay5hbWF6b25hd3MuY29t[A-Za-z0-9]{40}
azure [A-Za-z0-9]{3}8Q~[A-Za-z0-9_-]{34}
buildkite bkua_[a-f0-9]{40}
castai castai_v1_[a-f0-9]{64}_[a-f0-9]{8}
chieftools ctp_[A-Za-z0-9]{36}
chieftools cto_[A-Za-z0-9]{36}
circleci CCIPAT_[A-Za-z0-9]{22}_[a-f0-9]{40}
clickhouse 4b1d[A-Za-z0-9]{38}
clojars CLOJARS_[a-z0-9]{60}
cloudflare v1.0-[a-f0-9]{24}-[a-f0-9]{146}
contentful CFPAT-[A-Za-z0-9_-]{43}
databento db-[A-Za-z0-9]{29}
definednetworking dnkey-[a-z0-9]{26}-[a-z0-9]{52}
deno ddp_[A-Za-z0-9]{36}
digitalocean doo_v1_[a-f0-9]{64}
doppler dp.pt.[A-Za-z0-9]{43}
dropbox sl.[A-Za-z0-9_-]{135}
duffel duffel_live_[A-Za-z0-9_-]{43}
dynatrace dt0c01.[A-Z0-9]{24}.[A-Z0-9]{64}
easypost EZAK[A-Za-z0-9]{54}
easypost EZTK[A-Za-z0-9]{54}
facebook EAAM[A-Za-z0-9]{120}
facebook EAAC[A-Za-z0-9]{120}
figma figd_[A-Za-z0-9_-]{40}
flutterwave FLWSECK_TEST-[a-h0-9]{32}-X
flutterwave FLWPUBK_TEST-[a-h0-9]{32}-X
flyio fo1_[A-Za-z0-9_-]{43}
flyio fm1r_[A-Za-z0-9]{120}
frameio fio-u-[A-Za-z0-9_-]{64}
github ghr_[A-Za-z0-9]{36}
github github_pat_[A-Za-z0-9]{22}_[A-Za-z0-9]{59}
gitlab glcbt-[0-9a-f]{2}_[A-Za-z0-9_-]{20}
gitlab glffct-[A-Za-z0-9_-]{20}
gitlab glimt-[A-Za-z0-9_-]{25}
gitlab glagent-[A-Za-z0-9_-]{50}
gitlab glpat-[A-Za-z0-9_-]{27}.[0-9a-z]{9}
gitlab GR1348941[A-Za-z0-9_-]{20}
gitlab glrt-t1_[A-Za-z0-9_-]{27}.[0-9a-z]{9}
gitlab gloas-[a-f0-9]{64}
google GOCSPX-[A-Za-z0-9_-]{28}
google AIza[A-Za-z0-9_-]{35}
grafana eyJrIjoi[A-Za-z0-9]{90}
grafana glc_[A-Za-z0-9]{90}
grafana glsa_[A-Za-z0-9]{32}_[a-f0-9]{8}
groq gsk_[A-Za-z0-9]{48}
harness pat.[A-Za-z0-9_-]{22}.[A-Za-z0-9]{24}.[A-Za-z0-9]{20}
harness sat.[A-Za-z0-9_-]{22}.[A-Za-z0-9]{24}.[A-Za-z0-9]{20}
heroku HRKU-AA[A-Za-z0-9_-]{58}
hubspot pat-na1-[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}
huggingface hf_[A-Za-z]{34}
huggingface api_org_[A-Za-z]{34}
infracost ico-[A-Za-z0-9]{32}
intra42 s-s4t2ud-[a-f0-9]{64}
langfuse sk-lf-[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}
langsmith lsv2_pt_[a-f0-9]{32}_[a-f0-9]{10}
linear lin_api_[A-Za-z0-9]{40}
mailgun key-[a-f0-9]{32}
mapbox sk.[A-Za-z0-9]{60}.[A-Za-z0-9]{22}
maxmind [A-Za-z0-9]{6}_[A-Za-z0-9]{29}_mmk
microsoft https://acme.webhook.office.com/webhookb2/[a-f0-9]{8}-[a-f0-9]{4}-[a-f0-9]{4}-[a-f0-9]{4}-[a-f0-9]{12}@[a-f0-9]{8}-[a-f0-9]{4}-[a-f0-9]{4}-[a-f0-9]{4}-[a-f0-9]{12}/IncomingWebhook/[a-f0-9]{32}/[a-f0-9]{8}-[a-f0-9]{4}-[a-f0-9]{4}-[a-f0-9]{4}-[a-f0-9]{12}
netlify nfp_[A-Za-z0-9]{36}
newrelic NRAK-[A-Z0-9]{27}
newrelic NRJS-[a-f0-9]{19}
newrelic NRII-[A-Za-z0-9_-]{32}
notion ntn_[0-9]{11}[A-Za-z0-9]{35}
nvidia nvapi-[A-Za-z0-9_-]{64}
octopus API-[A-Z0-9]{26}
openai sk-proj-[A-Za-z0-9_-]{74}T3BlbkFJ[A-Za-z0-9_-]{74}
openai sk-[A-Za-z0-9]{20}T3BlbkFJ[A-Za-z0-9]{20}
openshift sha256~[A-Za-z0-9_-]{43}
perplexity pplx-[A-Za-z0-9]{48}
pinecone pcsk_[A-Za-z0-9]{6}_[A-Za-z0-9]{63}
plaid access-sandbox-[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}
planetscale pscale_tkn_[A-Za-z0-9_-]{43}
planetscale pscale_pw_[A-Za-z0-9_-]{43}
planetscale pscale_oauth_[A-Za-z0-9_-]{32}
posthog phx_[A-Za-z0-9]{43}
postman PMAK-[a-f0-9]{24}-[a-f0-9]{34}
prefect pnu_[A-Za-z0-9]{36}
pulumi pul-[a-f0-9]{40}
razorpay rzp_live_[A-Za-z0-9]{14}
readme rdme_[a-z0-9]{70}
rubygems rubygems_[a-f0-9]{48}
scalingo tk-us-[A-Za-z0-9_-]{48}
sendgrid SG.[A-Za-z0-9_-]{22}.[A-Za-z0-9_-]{43}
sendinblue xkeysib-[a-f0-9]{64}-[A-Za-z0-9]{16}
sentry sntryu_[a-f0-9]{64}
settlemint sm_aat_[A-Za-z0-9]{16}
settlemint sm_pat_[A-Za-z0-9]{16}
settlemint sm_sat_[A-Za-z0-9]{16}
shippo shippo_live_[a-f0-9]{40}
shopify shpss_[a-fA-F0-9]{32}
slack xoxb-[0-9]{12}-[0-9]{12}-[A-Za-z0-9]{24}
slack xoxe.xoxb-1-[A-Z0-9]{163}
slack xoxo-[0-9]{9}-[0-9]{9}-[0-9]{9}-[a-f0-9]{10}
slack xoxe-1-[A-Z0-9]{146}
slack xoxp-[0-9]{12}-[0-9]{12}-[0-9]{12}-[A-Za-z0-9]{32}
slack https://hooks.slack.com/triggers/[A-Za-z0-9]{44}
sonar squ_[a-f0-9]{40}
sonar sqp_[a-f0-9]{40}
sourcegraph sgp_[a-f0-9]{40}
sourcegraph sgp_local_[a-f0-9]{40}
square EAAA[A-Za-z0-9_-]{60}
square sq0atp-[A-Za-z0-9_-]{22}
stripe sk_prod_[A-Za-z0-9]{30}
stripe rk_live_[A-Za-z0-9]{24}
supabase sbp_[a-f0-9]{40}
tailscale tskey-auth-[A-Za-z0-9]{12}CNTRL-[A-Za-z0-9]{32}
tavily tvly-[A-Za-z0-9]{32}
terraform [A-Za-z0-9]{14}.atlasv1.[A-Za-z0-9_-]{64}
twilio SK[a-f0-9]{32}
typeform tfp_[A-Za-z0-9_-]{59}
vault hvb.[A-Za-z0-9_-]{140}
vault s.[A-Za-z0-9]{21}a7Z
yandex AQVN[A-Za-z0-9_-]{36}
yandex t1.[A-Za-z0-9_-]{60}.[A-Za-z0-9_-]{86}
"""
LABELLED: Final = r"""
adafruit [a-z0-9_-]{32}
adobe [a-f0-9]{32}
airtable [a-z0-9]{17}
algolia [a-z0-9]{32}
alibaba [a-z0-9]{30}
asana [0-9]{16}
asana [a-z0-9]{32}
atlassian [A-Za-z0-9]{24}
beamer b_[a-z0-9_-]{44}
bitbucket [a-z0-9]{32}
bitbucket [a-z0-9_-]{64}
bittrex [a-z0-9]{32}
cloudflare [a-z0-9_-]{40}
cloudflare [a-f0-9]{37}
codecov [a-z0-9]{32}
cohere [A-Za-z0-9]{40}
coinbase [a-z0-9_-]{64}
confluent [a-z0-9]{16}
confluent [a-z0-9]{64}
contentful [a-z0-9_-]{43}
datadog [a-z0-9]{40}
discord [a-f0-9]{64}
discord [0-9]{18}
droneci [a-z0-9]{32}
dropbox [a-z0-9]{15}
etsy [a-z0-9]{24}
facebook [a-f0-9]{32}
fastly [a-z0-9_-]{32}
finicity [a-z0-9]{20}
finnhub [a-z0-9]{20}
flickr [a-z0-9]{32}
freshbooks [a-z0-9]{64}
gitter [a-z0-9_-]{40}
gocardless live_[a-z0-9_-]{40}
heroku [0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}
hubspot [0-9A-F]{8}-[0-9A-F]{4}-[0-9A-F]{4}-[0-9A-F]{4}-[0-9A-F]{12}
intercom [a-z0-9_-]{60}
jfrog [a-z0-9]{73}
kraken [a-z0-9/+]{86}
kucoin [a-f0-9]{24}
launchdarkly [a-z0-9_-]{40}
linear [a-f0-9]{32}
linkedin [a-z0-9]{16}
lob live_[a-f0-9]{35}
looker [a-z0-9]{24}
mailgun [a-h0-9]{32}-[a-h0-9]{8}-[a-h0-9]{8}
mattermost [a-z0-9]{26}
meraki [0-9a-f]{40}
messagebird [a-z0-9]{25}
netlify [a-z0-9_-]{43}
nytimes [a-z0-9_-]{32}
okta 00[A-Za-z0-9_-]{40}
plaid [a-z0-9]{24}
privateai [a-z0-9]{32}
rapidapi [a-z0-9_-]{50}
sendbird [a-f0-9]{40}
sentry [a-f0-9]{64}
snyk [0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}
squarespace [0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}
sumologic [A-Za-z0-9]{64}
travisci [a-z0-9]{22}
twitch [a-z0-9]{30}
twitter [0-9]{18}-[A-Za-z0-9]{40}
twitter [a-z0-9]{50}
yandex YC[A-Za-z0-9_-]{38}
zendesk [a-z0-9]{40}
"""
_PART: Final = re.compile(r"\[([^\]]+)\]\{(\d+)\}")
_RANGES: Final[Mapping[str, str]] = {
    "A-Z": string.ascii_uppercase,
    "a-z": string.ascii_lowercase,
    "0-9": string.digits,
    "a-f": "abcdef",
    "A-F": "ABCDEF",
    "a-h": "abcdefgh",
    "2-7": "234567",
}
SENTENCES: Final[Sequence[str]] = (
    "{}",
    "please use {} for the deploy",
    "He sent me {} yesterday.",
    "log: got {}, retrying",
    "the one from the console ({}) still works",
)
"""What a bare token stands in."""
CODE: Final[Sequence[str]] = (
    '{i}Token="{s}"',
    '{i}Token = "{s}"',
    "{i}Token={s}",
    "{i}Token = {s}",
    '{{\n    "{i}_token": "{s}"\n}}',
    '\\{{\n    \\"{i}_token\\": \\"{s}\\"\n\\}}',
    "<{i}Token>{s}</{i}Token>",
    "<{i}Token>\n    {s}\n</{i}Token>",
    "{i}_token: {s}",
    "{i}_token: '{s}'",
    "{i}_token: |\n  {s}",
    "{i}_token: >-\n  {s}",
    'string {i}Token = "{s}";',
    'var {i}Token string = "{s}"',
    '{i}Token := "{s}"',
    "{i}Token := `{s}`",
    'String {i}Token = "{s}";',
    'var {i}Token: string = "{s}"',
    '{i}_token: str = "{s}"',
    '${i}Token .= "{s}"',
    '${i}Token ??= "{s}"',
    "{i}Token,{s},",
    '  "{i}Token" => "{s}"',
    '{i}_TOKEN ::= "{s}"',
    '{i}_TOKEN :::= "{s}"',
    '{i}_TOKEN ?= "{s}"',
    '{i}_TOKEN += "{s}"',
    "export {I}_TOKEN={s}",
    '{I}_API_KEY          =          "{s}"',
    "my-cli --{i}-token {s} --verbose",
    '<add key="{i}Token" value="{s}" />',
    '{{"name": "{i}_token", "value": "{s}"}}',
    'os.environ.setdefault("{I}_SECRET", "{s}")',
    "the {i} token is {s}",
)
"""How a token with its vendor's name stands in code and settings; `i` is the name, `I` in capitals, `s` the token."""


def made(form: str, rng: random.Random) -> str:
    """Return a random text of a form."""
    return _PART.sub(lambda part: _drawn(part[1], int(part[2]), rng), form)


def rows(table: str) -> list[tuple[str, str]]:
    """Return a table's vendors and forms."""
    return [(vendor, form) for vendor, _, form in (line.partition(" ") for line in table.strip().splitlines())]


def _drawn(letters: str, count: int, rng: random.Random) -> str:
    alphabet = letters
    for name, meant in _RANGES.items():
        alphabet = alphabet.replace(name, meant)
    inner = "".join(rng.choices(alphabet, k=count - 1))
    # The last one is a letter or a digit, so that a word boundary follows.
    return inner + rng.choice([char for char in alphabet if char.isalnum()])
