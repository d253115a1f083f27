"""Families of personal data in the forms of many countries: recall and precision beside those of a naive pattern.

The formats are those that python-stdnum, libphonenumber, Faker and presidio know; the generators are our own. The
held-out half has other sentences, other names and another seed than the half that the rules were tuned on.
"""

from __future__ import annotations

import json
import random
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from cairn.detection.detector import mask, scan
from detection_national_ids import LETTERS, NATIONAL_IDS, Make, digits, ending, luhn
from detection_negatives import NEGATIVES
from detection_set import HALVES, Half
from report import Cell, Table

PER_KIND: Final = 6
FAMILIES: Final = ("national ids", "cards", "phones", "postal addresses")
NAIVE: Final[Mapping[str, re.Pattern[str]]] = {
    "national ids": re.compile(r"\b\d{3}-\d{2}-\d{4}\b|\b\d{9,13}\b|\b\d{6}-\d{4}\b"),
    "cards": re.compile(r"\b\d{4}(?:[ -]?\d{4}){3}\b"),
    "phones": re.compile(r"\+?\(?\d{2,4}\)?[ -]\d{3,4}[ -]\d{4}\b|\+\d{8,15}"),
    "postal addresses": re.compile(r"\b\d{1,5} (?:[A-Z]\w+ ){1,3}(?:Street|St|Avenue|Ave|Road|Rd|Lane|Drive|Blvd)\b"),
}
PLAIN: Final[Mapping[Half, Sequence[str]]] = {
    "development": ("please note {} for the form", "it was {}.", "({})", "we got {} from the customer today"),
    "held-out": ("the file says {} since May", "- {}", "Bob wrote: {}", "{} came back from the bank, again"),
}
LABELLED: Final[Mapping[Half, Sequence[str]]] = {
    "development": ("my {label} is {}", "{label}: {}", "{label} {}", '{{"{label}": "{}"}}'),
    "held-out": ("please check the {label} {} again", "{label} = {}", "{label} no. {}", "{{'{label}': '{}'}}"),
}
NUMBERS: Final[Mapping[Half, Sequence[str]]] = {
    "development": ("call me at {}", "phone: {}", "my mobile is {}", '{{"phoneNumber": "{}"}}'),
    "held-out": ("you can reach her on {} tonight", "Tel. {}", "his number is {}", "{{'mobile': '{}'}}"),
}
PLACES: Final[Mapping[Half, Sequence[str]]] = {
    "development": ("ship it to {}", "my address is {}", '{{"address": "{}"}}', "It was found at {}"),
    "held-out": ("Billing address: {}", "she lives at {}", "the parcel from {} arrived", "{{'homeAddress': '{}'}}"),
}
# Prefix and length by network, then the groups in which a number of this length is printed.
_CARDS: Final = (
    ("4", 16), ("4", 13), ("4", 19), ("51", 16), ("2221", 16), ("34", 15), ("37", 15), ("6011", 16), ("65", 16),
    ("300", 14), ("36", 14), ("38", 14), ("3528", 16), ("62", 16), ("5018", 16), ("6759", 16), ("2200", 16),
)  # fmt: skip
_GROUPS: Final = {13: (4, 4, 4, 1), 14: (4, 6, 4), 15: (4, 6, 5), 16: (4, 4, 4, 4), 19: (4, 4, 4, 4, 3)}
# Forms of numbers, # for a digit from 2 to 9: those that tell by themselves, and those that need a word.
_TELLING: Final = (
    "+1 ### ###-####", "+44 20 79## ####", "+49 30 9######", "+33 6 ## ## ## ##", "+91 98### #####",
    "+86 138 #### ####",
    "+55 (11) 9####-####", "+61 4## ### ###", "+34 6## ## ## ##", "+39 06 #### ####", "+81 90-####-####",
    "+7 9## ###-##-##",
    "+48#########", "0049 30 ######", "001-###-###-####", "(###) ###-####", "###-###-####", "###.###.####",
    "1-###-###-####", "###-###-####x####", "(###)###-#### ext. ##", "+1-###-###-####x###", "020 79## ####",
    "077## ######",
    "06 ## ## ## ##", "(02) 9### ####", "030/#######",
)  # fmt: skip
_NEEDING: Final = (
    "##########", "### ### ###", "## ## ## ##", "####-####", "0### ######", "6## ### ###", "8 (9##) ###-##-##",
    "0#-####-####",
    "9#### #####", "### ## ##", "0##########", "(0##) ### ## ##", "1## #### ####",
)  # fmt: skip
# Forms of addresses: N a house number, Z a digit of a postcode, {s} a name of a street, {c} a place.
_ADDRESSES: Final = (
    "N {s} Street, {c}, IL ZZZZZ", "N {s} Ave Apt. 5\n{c}, NY ZZZZZ-ZZZZ", "N {s} Mountains\n{c}, VT ZZZZZ",
    "Flat 3, N {s} Road, {c} SW1A 2BN", "N {s} Lane\n{c}\nM1 4BT", "N {s} Pathway\n{c}, NSW, 2ZZZ",
    "N {s} Burgs, {c}, ON M5V 2T6",
    "{s}straße N, ZZZZZ {c}", "{s}weg N\nZZZZZ {c}", "N, rue de {s}, 75ZZZ {c}", "N bis avenue {s}\n69ZZZ {c}",
    "Calle {s}, N, 28ZZZ {c}", "Avenida de {s} N\n{c}, 28ZZZ", "Via {s}, N\n00ZZZ, {c} (RM)", "Viale {s} N, 20ZZZ {c}",
    "Rua {s}, N, 1ZZZ-ZZZ {c}", "{s}straat N\nZZZZAB {c}", "{s}laan N, 1ZZZ AB {c}", "ul. {s} N/3, 00-ZZZ {c}",
    "{s}gatan N\n114 ZZ {c}", "{s}vej N\nZZZZ {c}", "{s}katu N\n00ZZZ {c}", "{s} utca N.\nH-1ZZZ {c}",
    "{s} 9b/N\n11ZZZ {c}",
    "Str. {s} nr. N, 01ZZZZ {c}", "ул. Ленина, д. N, Москва, 101ZZZ", "Jl. {s} No. N\n{c} 12ZZZ", "PO Box ZZZZ",
    "東京都港区芝公園N丁目2番8号", "北京市朝阳区建国路N号", "서울특별시 강남구 테헤란로 N",
)  # fmt: skip
_NAMES: Final[Mapping[Half, Sequence[str]]] = {
    "development": ("Lindgren", "Marlow", "Verdi", "Goethe", "Kossuth"),
    "held-out": ("Pushkin", "Bramble", "Garibaldi", "Mozart", "Petersen"),
}
_TOWNS: Final[Mapping[Half, Sequence[str]]] = {
    "development": ("Springfield", "Neustadt", "Porto Alto", "Malmby"),
    "held-out": ("Ashford", "Lindau", "Villa Nova", "Karlsund"),
}
_TEXTS: Final[Mapping[str, Mapping[Half, Sequence[str]]]] = {
    "postal addresses": {
        "development": (
            "I live in Berlin", "5 street dogs", "meet at 10 Main", "we moved to Paris in 2019",
            "Chapter 12, 2024 Edition",
            "July 21, 1984 Berlin", "the address of the function is 0x7ffe12", "IP address: 10.0.0.12", "3 Doors Down",
            "Address the 12 comments by Friday", "send it to Alice 2 days ago", "100 Main items",
            "Gathering 15 articles",
        ),
        "held-out": (
            "She lives in Vienna", "9 road signs", "be at 7 Corner", "they moved to Rome in 2021",
            "Figure 4, 2023 Report",
            "On May 3, 2024 Dublin voted", "the address of the buffer is 0x55d0aa", "MAC address: 00:1b:44:11:3a:b7",
            "12 Angry Men", "Address all 30 Issues now", "sent to Carol 4 weeks ago", "Rendering 3D models",
            "via Zoom at 3",
        ),
    },
    "phones": {
        "development": (
            "phone 15 Pro Max 256", "my phone has 5000 mAh and 1080 2340 pixels", "call function 12345678", "dial 911",
            "text 20240115 was logged", "fax me page 12", "call 5 people", "tel aviv 2024",
        ),
        "held-out": (
            "mobile first since 2015", "the cell has 4200 mAh, 65 W", "call method 7654321", "ring 112",
            "phone dates to 2007",
            "message 20231130 was lost", "reach 100 000 users", "contact 12 vendors",
        ),
    },
}  # fmt: skip


@dataclass(frozen=True)
class Sample:
    """A text with the value that is to be found in it, or None where there is nothing."""

    kind: str
    text: str
    value: str | None = None


def samples(family: str, half: Half) -> list[Sample]:
    """Return a half of a family's samples, the same at every call."""
    rng = random.Random(f"{family} {half}")  # noqa: S311  a labelled set is to be repeatable
    made = {"national ids": _national, "cards": _cards, "phones": _phones, "postal addresses": _postal}[family](
        half, rng
    )
    texts = [*_TEXTS.get(family, {}).get(half, ())]
    return [*made, *(Sample("said", text) for text in texts), *_other_numbers(half, rng)]


def figures(found: Callable[[Sample], bool], family: str, half: Half) -> tuple[float, float, list[Sample]]:
    """Return recall, precision and the samples that a way of finding gets wrong."""
    every = samples(family, half)
    told = [(sample, found(sample)) for sample in every]
    right = sum(hit for sample, hit in told if sample.value is not None)
    alarms = sum(hit for sample, hit in told if sample.value is None)
    positives = sum(sample.value is not None for sample in every)
    wrong = [sample for sample, hit in told if hit != (sample.value is not None)]
    return right / positives, right / max(1, right + alarms), wrong


def detected(sample: Sample) -> bool:
    """Tell whether the detector finds something personal and leaves nothing whole of the value."""
    value: Any = sample.text
    found = any(finding.category == "personal" for finding in scan(value))
    return found and (sample.value is None or sample.value not in json.dumps(mask(value), ensure_ascii=False))


def naive(family: str) -> Callable[[Sample], bool]:
    """Return how one pattern, such as many projects use, finds a family."""
    return lambda sample: bool(NAIVE[family].search(sample.text))


def table() -> Table:
    """Return recall and precision by family and half."""
    rows: list[Sequence[Cell]] = []
    for family in FAMILIES:
        for half in HALVES:
            ours, plain = figures(detected, family, half), figures(naive(family), family, half)
            reached = [round(each, 3) for each in (*ours[:2], *plain[:2])]
            rows.append([f"{family}, {half}", len(samples(family, half)), *reached])
    columns = ("family", "texts", "recall", "precision", "naive recall", "naive precision")
    return Table("Personal data in the forms of many countries", columns, rows)


def _said(sentences: Sequence[str], number: int, value: str, label: str = "") -> str:
    sentence = sentences[number % len(sentences)]
    return sentence.replace("{label}", label).replace("{{", "{").replace("}}", "}").replace("{}", value)


def _national(half: Half, rng: random.Random) -> list[Sample]:
    made: list[Sample] = []
    for kind, (make, label) in NATIONAL_IDS.items():
        for number in range(PER_KIND):
            value = make(rng)
            made.append(Sample(kind, _said(LABELLED[half], number, value, label), value))
            wrong = value[:-1] + rng.choice([end for end in "0123456789" if end != value[-1]])
            # A number without a check is one whatever it ends in.
            if value[-1].isdigit() and kind not in _UNCHECKED:
                made.append(Sample(f"{kind}, wrong", _said(PLAIN[half], number, wrong)))
    return made


_UNCHECKED: Final = frozenset({"Korea RRN", "Malaysia NRIC", "Mexico RFC", "India PAN", "US SSN", "UK NHS"})


def _cards(half: Half, rng: random.Random) -> list[Sample]:
    made: list[Sample] = []
    for prefix, length in _CARDS:
        for number, separator in enumerate(("", " ", "-", ".", "", "")):
            # Numbers of goods have 13 digits too: where both checks hold only a word tells.
            value = ending(rng, lambda p=prefix, n=length: p + digits(rng, n - len(p) - 1), _card_only)
            wrong = value[:-1] + rng.choice([end for end in "0123456789" if end != value[-1]])
            for each, kind in ((value, "card"), (wrong, "card, wrong")):
                shown = _grouped(each, _GROUPS[length], separator)
                made.append(Sample(kind, _said(PLAIN[half], number, shown), shown if each == value else None))
    return made


def _card_only(number: str) -> bool:
    goods = sum(int(digit) * (3 if at % 2 else 1) for at, digit in enumerate(reversed(number)))
    return luhn(number) and (len(number) != sum(_GROUPS[13]) or goods % 10 != 0)


def _grouped(number: str, lengths: Sequence[int], separator: str) -> str:
    ends = [sum(lengths[: at + 1]) for at in range(len(lengths))]
    return separator.join(number[end - length : end] for end, length in zip(ends, lengths, strict=True))


def _phones(half: Half, rng: random.Random) -> list[Sample]:
    made: list[Sample] = []
    for forms, sentences in ((_TELLING, PLAIN), (_NEEDING, NUMBERS)):
        for form in forms:
            for number in range(PER_KIND):
                value = "".join(rng.choice("23456789") if char == "#" else char for char in form)
                made.append(Sample(form, _said(sentences[half], number, value), value))
    return made


def _postal(half: Half, rng: random.Random) -> list[Sample]:
    made: list[Sample] = []
    for form in _ADDRESSES:
        for number in range(PER_KIND):
            drawn = re.sub("Z", lambda _: rng.choice("123456789"), form)
            drawn = re.sub(r"\bN\b|(?<=[路로区])N|(?<=/)N|N(?=丁目|号)", str(rng.randrange(2, 90)), drawn)
            value = drawn.format(s=rng.choice(_NAMES[half]), c=rng.choice(_TOWNS[half]))
            made.append(Sample(form, _said(PLACES[half], number, value), value))
    return made


def _other_numbers(half: Half, rng: random.Random) -> list[Sample]:
    others: Mapping[str, Make] = {
        **NEGATIVES,
        "coordinates": lambda rng: f"{rng.uniform(-90, 90):.6f}, {rng.uniform(-180, 180):.6f}",
        "time in digits": lambda rng: (
            f"2025{rng.randrange(1, 13):02d}{rng.randrange(1, 29):02d}{rng.randrange(24):02d}1530"
        ),
        "article": lambda rng: f"{''.join(rng.choices(LETTERS, k=3))}-{rng.randrange(10**5, 10**6)}",
        "invoice": lambda rng: f"2025-{rng.randrange(10**6, 10**7)}",
        "ISBN": lambda rng: f"9783{digits(rng, 9)}",
    }
    return [Sample(kind, _said(PLAIN[half], at, make(rng))) for kind, make in others.items() for at in range(3)]
