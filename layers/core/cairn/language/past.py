"""Tell whether a question asks for the past: what was so, or used to be."""

from __future__ import annotations

import re

_PAST = re.compile(
    r"\b(?:did|was|were|had|used to|before|previous(?:ly)?|former(?:ly)?|earlier|originally|initially|at first|once|ago"
    r"|back (?:then|when|in)|in the past|old|history|until|as of|changed?|over (?:time|the years)"
    r"|war|waren|hatte|hatten|wurde|fr[uü]her\w*|damals|vorher|vorige\w*|ehemalig\w*|bisher|urspr[uü]nglich|zuvor|alte\w*"
    r"|[eé]tai\w+|avai[ts]|avaient|fut|avant|autrefois|auparavant|ancien\w*|pr[eé]c[eé]dent\w*|initialement"
    r"|era|eran|ten[ií]a\w*|hab[ií]a\w*|fue|antes|anterior\w*|antigu\w+|original\w*|anteriormente"
    r"|ero|erano|aveva\w*|prima|precedent\w+|vecchi\w|inizialmente"
    r"|tinha\w*|eram|antig\w+|inicialmente|was|waren|had|hadden|vroeger|eerder\w*|vorig\w+|by[łl]\w*|mia[łl]\w*|wcze[śs]niej)\b",
    re.IGNORECASE,
)


def asks_for_the_past(question: str) -> bool:
    """Tell whether what no longer holds may be the answer, in seven languages."""
    return _PAST.search(question) is not None
