"""Find secrets by the word before them: passwords, keys and tokens in code, settings, headers and sentences."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from cairn.detection.labels import WORDS, Kind, about_a_secret, names_a_label, sensitive
from cairn.detection.plausibility import code, entropy, mixed, placeholder, plain_word, variable
from cairn.detection.rules import Hit, Rule, compiled, places

# Behind the word: the rest of the name (`tail`), what leads to the value, and the value, quoted or bare. To it lead a
# sign as in code, maybe behind a type; an attribute or a field beside it that says `value`; the end of a tag; the comma
# or the bracket of a call; a comma alone as in CSV; a blank and "is" in prose. Each part is bounded or possessive, so
# that a try takes bounded time, whatever the text (decision 15).
_VALUE: Final = (
    r"""(?P<tail>[\w.-]{0,40}+)(?:"""
    r"""(?P<field>["'`]?\s{1,20}+(?:value|val|content|data|default)\s{0,4}=\s{0,4}+(?=["'])"""
    r"""|["']\s{0,4}+,\s{0,20}+["'](?:value|val|content)["']\s{0,4}+:\s{0,4}+(?=["']))"""
    r"""|(?P<sign>["'`\\\]}]{0,4}+(?:\[\w{0,6}\])?(?:\s{0,2}:[ \t]{0,4}[\w.<>\[\]|?*&,]{1,40}?(?=[ \t]{1,4}=[ \t])"""
    r"""|[ \t]{1,4}[*\w.\[\]]{1,24}+(?=[ \t]{1,4}:?=[ \t]{0,4}["'`]))?[ \t]{0,80}+"""
    r"""(?P<is>=>|[:?+.|]{0,3}={1,3}|!={1,2}|:(?P<block>[ \t]{0,4}[|>][-+]?\d?(?=[ \t]{0,4}\r?\n))?)\s{0,40}+)"""
    r"""|(?P<tag>["']?\s{0,4}+>\s{0,80}+)"""
    r"""|(?P<argument>["']?\s{0,4},\s{0,20}+(?=["'`]))"""
    r"""|(?P<call>(?:\.assign)?\(\s{0,4}+(?=["'`@]))"""
    r"""|(?P<comma>,(?=\w))"""
    r"""|(?P<prose>(?:[ _-]access)?(?:[ _-]key)?(?: (?:for|of|to|on|in|at)(?: [\w.'/-]{1,24}){1,5}?(?= (?:is|was) ))?"""
    r"""[ \t]{1,3}(?:(?:is|was|are)\b:?\s{1,3}|[:=]\s{0,3})?)"""
    r"""|(?P<stuck>(?=["']\S)))"""
    r"""(?:(?:@|\$|[rfbuLRFBU]{1,2})?\\{0,3}(?P<quote>\"\"\"|'''|["'`])(?P<quoted>[^\n\x00]{1,600}?)\\{0,3}(?P=quote)"""
    r"""|(?P<bare>[^\s"'`,;\\\x00]{1,600}+))"""
)
# The rest of a line of an environment file, where a value holds signs that end it elsewhere.
_REST_OF_LINE: Final = r"[,;][^\s\"'`=\x00]{1,600}+(?=\s|\Z)"
# What is no more of a bare value: the end of its element, the next field of a query.
_BEHIND_BARE: Final = r"</|&(?:amp;)?(?=[\w.-]{1,40}=)"
_CLOSING: Final = {")": "(", "]": "[", "}": "{", ">": "<"}
# A secret before the word, read backwards: if ("x" == password), <a value="x" name="password">.
_REVERSED: Final = (
    r"""[\w.]{0,40}+(?:\s{0,4}+={1,2}[!=]\s{0,4}|["']\s{0,4}+=\s{0,4}(?P<attribute>eman|yek)\s{1,20})"""
    r"""(?P<quote>["'])(?P<quoted>[^\n\x00]{1,400}?)(?P=quote)(?:\s{0,4}=\s{0,4}(?P<value>eulav|lav|tnetnoc))?"""
)
_MOST_BEFORE: Final = 500
_NEAR: Final = 48
_LINE_BEFORE: Final = r"(?i)(?:\A|[\n\x00])(?:[ \t\-*#$>\"'{]|export |set |-e |ENV |ARG ){0,12}[\w.\[\]$-]{0,60}\Z"
_TAG_BEFORE: Final = r"(?:<\s{0,3}[\w:.-]{0,40}|(?:name|key)\s{0,4}=\s{0,4}[\"'][\w:.-]{0,40})\Z"
# A tag, a list or a bracketed expression is no bare value.
_OPENS: Final = r"</?[A-Za-z]\w*\Z|[(\[]\D*\Z"
_CLOSES: Final = r"[\"']?\s{0,80}</"
# Calls that set what is named first to what comes second, and those that look a name up.
_SETS: Final = r"(?i:(?:set|put|env|default|add|header|assign|string)\w{0,20}\(\s{0,4}[\"']?[\w.-]{0,40})\Z"
_LOOKS_UP: Final = (
    r"(?i:(?:get|fetch|load|read|find|create|delete|lookup|list|describe|is|has|verify|check|valid\w*|input|require)"
    r"[\w.]{0,20})\Z"
)
# std::string secret("x"): a type, a blank, the name.
_DECLARED: Final = r"[A-Za-z>]\w* {1,4}\w{0,40}\Z"
_COLONS: Final = r"(?:::\w{0,40}|:)\Z"
_COLOUR: Final = r"#[0-9A-Fa-f]{3,8}"
_FLAG: Final = r"(?:\A|\s)--?[\w.-]{0,40}\Z"
# Signs that passwords are made of and that names in code do not have.
_SIGNS: Final = frozenset("!#%+?@^&~$*{}[]()<>|/=")
# Paths, URLs and digests: they say where a secret is, or what it hashes to.
_NO_KEYS: Final = ("/", "./", "../", "~", "http:", "https:", "arn:", "s3:", "cascade:", "sha256:", "file:")
_SENTENCE: Final = r"(?s)[A-Z].*|.*[.!?:]|.*(?i:\b(?:your|must|please|cannot|should|enter|the|is|are)\b).*"
# The least characters. Lower bounds find shorter secrets and take more plain words for one; bench/detection.py counts
# both.
_LEAST, _LEAST_KEY, _LEAST_WORD, _LEAST_WORDLESS_KEY, _LONG_WORD = 4, 8, 6, 12, 20
# In bits a character: what has fewer repeats itself, as "aabb1122" does (2.0).
_LEAST_ENTROPY: Final = 2.5
_MOST_OF_A_PASSWORD: Final = 400
# Base64 may begin with a slash, as paths do.
_LIKE_BASE64: Final = r"[A-Za-z0-9+/]*={0,2}"
_LONG_KEY: Final = 40
_BASE64_ENTROPY: Final = 4.2


def _header(found: str) -> bool:
    if placeholder(found) or code(found):
        return False
    drawn = mixed(found) and entropy(found) > _LEAST_ENTROPY
    return drawn or (found.isalpha() and len(found) >= _LONG_WORD)


RULES: Final = (
    Rule(
        "exported_secret",
        "secret",
        ("export ",),
        r"""export \w{0,40}?(?i:SECRET|TOKEN|KEY|PASS|PWD|CRED|AUTH)\w{0,40}=["']?([^\s"'`]{3,1000}+)""",
        lambda found: not placeholder(found) and not found.startswith(("$(", "<(", "${{", "{{")),
    ),
    Rule(
        "authorization_header",
        "secret",
        ("authorization", "proxy-authorization"),
        r"""(?i:(?:proxy-)?authorization["'\\]{0,3}\s{0,3}[:=]\s{0,3}["'\\]{0,3}"""
        r"""(?:(?:bearer|basic|token|api-?(?:key|token)|digest|negotiate)\s{1,3})?)([\w.~+/=@-]{8,4096}+)""",
        _header,
    ),
    Rule(
        "authorization_header",
        "secret",
        ("bearer", "basic"),
        r"(?i:bearer|basic)\s{1,3}([\w.~+/=-]{12,4096}+)",
        _header,
    ),
    Rule(
        "password",
        "secret",
        (" -u ", " --user "),
        r"""(?: -u | --user )\s{0,4}["']?[\w.@+{}-]{0,64}+["']?:["']?([^\s"']{4,200}+)""",
        lambda found: not placeholder(found),
    ),
    Rule(
        "password",
        "secret",
        ("identified by ", "identified with ", "convertto-securestring ", "sshpass -p"),
        r"""(?:IDENTIFIED (?:WITH \w{1,40} )?BY|(?i:convertto-securestring(?: -string)?|sshpass -p))\s{0,3}"""
        r"""["']([^"'\n]{4,200}+)["']""",
        lambda found: not placeholder(found),
    ),
    Rule(
        "password",
        "secret",
        ("mysql", "mariadb"),
        r"""(?i:mysql|mariadb)(?:dump|admin)?\b[^\n'"]{0,80}? -p([^\s"'$=-][^\s"']{3,100}+)""",
        lambda found: mixed(found) and not placeholder(found),
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


class _Place(NamedTuple):
    """A word for a secret in a text, with what stands behind it."""

    text: str
    at: int
    word: str
    kind: Kind
    match: re.Match[str]

    @property
    def line_begins(self) -> bool:
        """Whether only marks of a list, a comment or a command stand before the name on its line."""
        return bool(compiled(_LINE_BEFORE).search(self.text[max(0, self.at - 80) : self.at]))

    @property
    def shouted(self) -> bool:
        """Whether the name is in capitals, as variables of an environment are."""
        return self.text[self.at : self.at + len(self.word)].isupper()

    @property
    def one_of_names(self) -> bool:
        """Whether the name is a part of one in colons, as in AWS::IAM::AccessKey or of an ARN."""
        before = self.text[max(0, self.at - 40) : self.at]
        return self.match["is"] == ":" and bool(compiled(_COLONS).search(before))

    @property
    def compound(self) -> bool:
        """Whether the word is the last part of a name, as in client_secret."""
        before = self.text[self.at - 1 : self.at]
        return before in {"_", "-", "."} or self.word == "key" or (before.islower() and self.text[self.at].isupper())

    @property
    def flag(self) -> bool:
        """Whether the name is an option of a command."""
        return bool(compiled(_FLAG).search(self.text[max(0, self.at - 44) : self.at]))


def hits(text: str, lower: str) -> Iterator[Hit]:
    """Yield the values that follow a word for a secret, with an assignment, as an argument or in a sentence."""
    for word, kind in WORDS:
        behind = 0
        for at in places(lower, word):
            match = compiled(_VALUE).match(text, at + len(word)) if at >= behind else None
            yield from _before(text, at, word, kind)
            # No match starts within the last one, so that time grows with the length of the text alone.
            if match is None:
                continue
            place = _Place(text, at, word, kind, match)
            start, end = _bounds(place)
            behind = end
            ended = match["quoted"] and text[match.end() : match.end() + 1] == ";"
            signed = (match["prose"] is None and match["comma"] is None) or bool(ended) or place.flag
            if (
                start < end
                and about_a_secret(text, at, word, match["tail"], signed=signed)
                and _plausible(place, text[start:end])
            ):
                # A full stop behind a secret in a sentence is the sentence's; in code it may be part of the secret.
                ending = ".,;:!?" if match["prose"] else " "
                yield Hit(kind, "secret", start, start + len(text[start:end].rstrip(ending)))


def _before(text: str, at: int, word: str, kind: Kind) -> Iterator[Hit]:
    near = text[max(0, at - _NEAR) : at]
    if "==" not in near and "!=" not in near and "name" not in near and "key" not in near:
        return
    match = compiled(_REVERSED).match(text[max(0, at - _MOST_BEFORE) : at][::-1])
    if match and bool(match["attribute"]) == bool(match["value"]):
        start, end = (at - bound for bound in reversed(match.span("quoted")))
        value = text[start:end]
        tail = re.match(r"[\w.-]{0,40}", text[at + len(word) : at + len(word) + 40])
        named = about_a_secret(text, at, word, tail[0] if tail else "", signed=True)
        if named and len(value) >= _LEAST and not placeholder(value) and not _phrase(value):
            yield Hit(kind, "secret", start, end)


def _bounds(place: _Place) -> tuple[int, int]:
    match, text = place.match, place.text
    if match["quoted"]:
        return match.span("quoted")
    start, end = match.span("bare")
    cut = compiled(_BEHIND_BARE).search(text, start, end)
    if cut:
        end = cut.start()
    if match["tag"]:
        end = start + len(text[start:end].partition("<")[0]) if "</" in text[start : end + 2] else end
    unopened = {
        close: text.count(close, start, end) - text.count(opens, start, end) for close, opens in _CLOSING.items()
    }
    while end > start and (text[end - 2 : end] in {"):", "]:"} or unopened.get(text[end - 1], 0) > 0):
        unopened[text[end - 1]] = unopened.get(text[end - 1], 0) - 1
        end -= 1
    if (
        match["is"] == "="
        and end == match.end("bare")
        and match.start("bare") == match.start("is") + 1
        and place.line_begins
    ):
        rest = compiled(_REST_OF_LINE).match(text, end)
        end = rest.end() if rest else end
    return start, end


def _plausible(place: _Place, value: str) -> bool:
    match = place.match
    if placeholder(value) or len(value) < _LEAST or (match["bare"] and code(value)) or _elsewhere(value, place.kind):
        return False
    if match["bare"] and (compiled(_OPENS).match(value) or not _on_its_line(place, value)):
        return False
    if match["sign"] or match["field"]:
        return _assigned(place, value)
    if match["tag"]:
        before = place.text[max(0, place.at - 80) : place.at]
        closed = compiled(_CLOSES).match(place.text, match.start("quoted" if match["quoted"] else "bare") + len(value))
        return bool(closed and compiled(_TAG_BEFORE).search(before)) and not _phrase(value)
    called = match["argument"] is not None or match["call"] or match["comma"]
    return _in_call(place, value) if called else _in_prose(place, value)


def _assigned(place: _Place, value: str) -> bool:
    match = place.match
    if value.isdigit():
        return not match["tail"].startswith("s") and len(value) >= (_LEAST if place.kind == "password" else _LEAST_KEY)
    if place.word == "auth":
        return mixed(value) and len(value) >= _LONG_WORD and entropy(value) >= _LEAST_ENTROPY
    return _quoted(place, value) if match["quoted"] else _bare(place, value)


def _on_its_line(place: _Place, value: str) -> bool:
    """Tell whether a bare value stands on the line of its name, or below it as settings in YAML do."""
    sign = place.match["sign"] or ""
    if "\n" not in sign or place.match["block"]:
        return True
    return ":" in sign and place.line_begins and _sure(value) and not {":", "="} & set(value)


def _elsewhere(value: str, kind: Kind) -> bool:
    """Tell whether a value is a path, a URL or a digest, which says where the secret is."""
    if len(value) >= _LONG_KEY and compiled(_LIKE_BASE64).fullmatch(value) and entropy(value) > _BASE64_ENTROPY:
        return False
    return value.startswith(_NO_KEYS) and (kind == "api_key" or ":" in value[:8] or "/" in value[1:])


def _sure(value: str) -> bool:
    return mixed(value) or not _SIGNS.isdisjoint(value)


def _phrase(value: str) -> bool:
    """Tell whether a value reads as a sentence or a caption and not as words drawn for a secret."""
    return " " in value.strip() and (bool(compiled(_SENTENCE).fullmatch(value.strip())) or names_a_label(value))


def _quoted(place: _Place, value: str) -> bool:
    if " " in value:
        return not _phrase(value)
    if place.kind == "api_key" and (
        code(value) or variable(value) or compiled(_COLOUR).fullmatch(value) or place.one_of_names
    ):
        return False
    if _sure(value):
        return True
    if place.kind == "api_key" and (
        (value.istitle() and len(value) < _LONG_WORD) or place.match["tail"].startswith(".")
    ):
        return False
    if names_a_label(value) and (place.kind == "api_key" or place.match["is"] != "="):
        return False
    return len(value) >= (_LEAST if place.kind == "password" else _LEAST_WORD)


def _bare(place: _Place, value: str) -> bool:
    match, kind = place.match, place.kind
    sign, tight = match["is"], match.start("bare") == match.end("is")
    named = variable(value) or (value.isidentifier() and names_a_label(value))
    if sign == "=>" or sign.endswith("==") or sign.startswith("!") or place.one_of_names:
        return False
    if place.shouted and not named:
        return True
    if _sure(value):
        return not (named and not tight) and (tight or kind == "password" or len(value) >= _LEAST_WORD)
    if match["block"]:
        return plain_word(value) and len(value) >= _LEAST_WORD
    if "=" in sign:
        passed = place.text[match.end() : match.end() + 1] in {",", ")"} and not place.line_begins
        return (
            not named and not passed and (tight or (place.line_begins and len(value) >= _LEAST_WORD and _last(place)))
        )
    # "Password: forgotten" is a heading, `password: letmein` a setting.
    setting = place.line_begins and value.islower() and place.text[place.at].islower()
    least = _LEAST_WORD if kind == "password" else _LEAST_KEY if place.compound else _LONG_WORD
    least = least if setting else _LONG_WORD
    return not named and plain_word(value) and len(value) >= least and _last(place)


def _last(place: _Place) -> bool:
    """Tell whether the value is the last of its line, but for what closes it."""
    return not place.text[place.match.end() : place.match.end() + 40].partition("\n")[0].strip(" \t,;})]\"'`\r\0")


def _in_call(place: _Place, value: str) -> bool:
    match, before = place.match, place.text[max(0, place.at - 64) : place.at]
    if match["comma"]:
        return mixed(value) and len(value) >= _LEAST_WORDLESS_KEY and entropy(value) >= _LEAST_ENTROPY
    if match["call"]:
        if compiled(_LOOKS_UP).search(before) or " " in value:
            return False
        if _sure(value):
            return len(value) >= _LEAST_KEY and not code(value)
        return bool(compiled(_DECLARED).search(before)) and len(value) >= _LEAST_WORD and "." not in match["tail"]
    # The name is all that its own quotes hold: "Invalid password.", "danger" says nothing.
    opened = match["argument"][0] in "\"'" and re.search(r"[\"'][\w.-]{0,40}\Z", before)
    if " " in value or not (opened or (place.compound and mixed(value) and len(value) >= _LEAST_WORDLESS_KEY)):
        return False
    return (_sure(value) and len(value) >= _LEAST_WORD) or (
        bool(compiled(_SETS).search(before)) and len(value) >= _LEAST_WORD
    )


def _in_prose(place: _Place, value: str) -> bool:
    match, kind = place.match, place.kind
    if place.flag and match["prose"]:
        return (_sure(value) and len(value) >= _LEAST) or (len(value) >= _LEAST_KEY and not variable(value))
    if match["quoted"] and place.text[match.end() : match.end() + 1] == ";":
        return len(value) >= _LEAST_WORD and not _phrase(value)
    if match["stuck"] is not None:
        return False
    # Prose needs more to go on than code: "token" is followed by some word in every sentence about tokens.
    least = _LEAST_KEY if kind == "password" else 2 * _LEAST_KEY
    bare = value.rstrip(".,;:!?")
    if bare.isalpha():
        return len(bare) >= _LONG_WORD + (_LEAST if {":", "="} & set(match["prose"]) else _LEAST_KEY)
    return len(bare) >= least - 2 and mixed(value) and _plausible_key(value)


def _plausible_key(value: str) -> bool:
    return " " not in value and not value.startswith(_NO_KEYS) and entropy(value) >= _LEAST_ENTROPY


def kept_secret(name: str, value: str) -> Kind | None:
    """Return what kind of secret a whole value under a field's name is, None where it is none."""
    held = sensitive(name)
    if held is None or placeholder(value) or len(value) < _LEAST or _elsewhere(value, held[0]):
        return None
    kind, any_value = held
    if kind == "password":
        return kind if len(value) <= _MOST_OF_A_PASSWORD else None
    if any_value:
        whole = len(value) >= _LEAST_WORD and not _phrase(value) and not (value.isidentifier() and names_a_label(value))
        return kind if whole else None
    bare = value.removeprefix("Bearer ").removeprefix("Basic ")
    long = len(value) >= _LEAST_WORDLESS_KEY or mixed(value)
    return kind if len(value) >= _LEAST_KEY and long and _plausible_key(bare) else None
