"""National ids of real form and of nobody, whose check digits are found by trying every one against the rule's text.

The rules are written here a second time, as the remainder that a whole number has to leave, so that a wrong weight in
the detector's table shows as a miss.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Mapping, Sequence

Make = Callable[[random.Random], str]
DIGITS = "0123456789"


def digits(rng: random.Random, length: int) -> str:
    """Return random digits."""
    return "".join(rng.choice(DIGITS) for _ in range(length))


def born(rng: random.Random, order: str = "ymd") -> str:
    """Return a date of birth of six digits, in an order."""
    parts = {"y": rng.randrange(40, 100), "m": rng.randrange(1, 13), "d": rng.randrange(1, 29)}
    return "".join(f"{parts[part]:02d}" for part in order)


def weighed(number: str, weights: Sequence[int]) -> int:
    """Return a number's weighted sum."""
    return sum(weight * int(digit) for weight, digit in zip(weights, number, strict=True))


def ending(
    rng: random.Random, body: Callable[[], str], holds: Callable[[str], bool], ends: Iterable[str] = DIGITS
) -> str:
    """Return a body with the ending under which a rule holds; bodies that have none are drawn again."""
    candidates = tuple(ends)
    while True:
        drawn = body()
        for end in rng.sample(candidates, len(candidates)):
            if holds(drawn + end):
                return drawn + end


def zero(modulus: int, *weights: int) -> Callable[[str], bool]:
    """Make the rule that a weighted sum leaves nothing."""
    return lambda number: weighed(number, weights) % modulus == 0


def ten_as_zero(modulus: int, *weights: int) -> Callable[[str], bool]:
    """Make the rule that the last digit is the rest of the others, 10 as 0."""
    return lambda number: int(number[-1]) == weighed(number[:-1], weights) % modulus % 10


def luhn(number: str) -> bool:
    """Tell whether each second digit from the right, doubled and cast, and the others make full tens."""
    cast = (0, 2, 4, 6, 8, 1, 3, 5, 7, 9)
    return sum(cast[int(d)] if at % 2 else int(d) for at, d in enumerate(reversed(number))) % 10 == 0


def _modulo_11_10(number: str) -> bool:
    rest = 10
    for digit in number[:-1]:
        rest = (rest + int(digit)) % 10
        rest = 2 * (10 if rest == 0 else rest) % 11
    return (rest + int(number[-1])) % 10 == 1


def _pattern(text: str, form: str) -> str:
    left = iter(text)
    return "".join(next(left) if char == "#" else char for char in form)


def _simple(
    length: int, holds: Callable[[str], bool], form: str = "", first: str = "", ends: Sequence[str] = DIGITS
) -> Make:
    def make(rng: random.Random) -> str:
        head = first or rng.choice("123456789")
        number = ending(rng, lambda: head + digits(rng, length - len(ends[0]) - len(head)), holds, ends)
        return _pattern(number, form) if form else number

    return make


def _dated(order: str, more: int, holds: Callable[[str], bool], form: str = "", ends: Sequence[str] = DIGITS) -> Make:
    """Make a number that begins with a date, in `order`; an s in the order is a digit for the sex before it."""

    def make(rng: random.Random) -> str:
        def body() -> str:
            return rng.choice("34") * order.startswith("s") + born(rng, order.lstrip("s")) + digits(rng, more)

        number = ending(rng, body, holds, ends)
        return _pattern(number, form) if form else number

    return make


def _romanian(number: str) -> bool:
    rest = weighed(number[:12], (2, 7, 9, 1, 4, 6, 3, 5, 8, 2, 7, 9)) % 11
    return number[12] == ("1" if rest == len(DIGITS) else str(rest))


def _german(rng: random.Random) -> str:
    first = "".join(rng.sample("123456789", 9))
    return ending(rng, lambda: first + first[-1], _modulo_11_10)


def _chilean(rng: random.Random) -> str:
    number = ending(
        rng,
        lambda: str(rng.randrange(10**7, 26 * 10**6)),
        lambda n: (weighed(n[:8], (3, 2, 7, 6, 5, 4, 3, 2)) + int(n[8].replace("K", "10"))) % 11 == 0,
        "0123456789K",
    )
    return _pattern(number, "##.###.###-#")


def _two_digits(number: str) -> bool:
    return all(int(number[at]) == weighed(number[:at], range(at + 1, 1, -1)) * 10 % 11 % 10 for at in (9, 10))


def _turkish(number: str) -> bool:
    figures = [int(digit) for digit in number]
    odd, even = sum(figures[0:9:2]), sum(figures[1:8:2])
    return figures[9] == (odd * 7 + even * 9) % 10 and figures[10] == sum(figures[:10]) % 10


def _baltic(number: str) -> bool:
    rest = weighed(number[:10], (1, 2, 3, 4, 5, 6, 7, 8, 9, 1)) % 11
    rest = weighed(number[:10], (3, 4, 5, 6, 7, 8, 9, 1, 2, 3)) % 11 if rest == 10 else rest  # noqa: PLR2004  the rule
    return int(number[10]) == rest % 10


def _chinese(text: str) -> bool:
    # ISO 7064 MOD 11-2: the whole number in base 2 leaves 1, X counts 10.
    value = 0
    for char in text:
        value = (value * 2 + (10 if char == "X" else int(char))) % 11
    return value == 1


def _fiscal(text: str) -> bool:
    # From the left, odd places count by a table of 36, even ones by their place in the alphabet.
    odd = dict(zip("0123456789", (1, 0, 5, 7, 9, 13, 15, 17, 19, 21), strict=True))
    odd |= dict(
        zip(
            "ABCDEFGHIJKLMNOPQRSTUVWXYZ",
            (1, 0, 5, 7, 9, 13, 15, 17, 19, 21, 2, 4, 18, 20, 11, 3, 6, 8, 12, 14, 16, 10, 22, 25, 24, 23),
            strict=True,
        )
    )
    even = {char: int(char, 36) - (0 if char.isdigit() else 10) for char in odd}
    counted = sum((even if at % 2 else odd)[char] for at, char in enumerate(text[:15]))
    return chr(ord("A") + counted % 26) == text[15]


def _finnish(text: str) -> bool:
    return "0123456789ABCDEFHJKLMNPRSTUVWXY"[int(text[:9]) % 31] == text[9]


LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
_NORWEGIAN = (zero(11, 3, 7, 6, 1, 8, 9, 4, 5, 2, 1, 0), zero(11, 5, 4, 3, 2, 7, 6, 5, 4, 3, 2, 1))
_PAIRS = tuple(f"{number:02d}" for number in range(100))
_YUGOSLAV = zero(11, 7, 6, 5, 4, 3, 2, 7, 6, 5, 4, 3, 2, 1)

NATIONAL_IDS: Mapping[str, tuple[Make, str]] = {
    "Australia TFN": (_simple(9, zero(11, 1, 4, 3, 7, 5, 8, 6, 9, 10), "### ### ###"), "tax file number"),
    "Canada SIN": (_simple(9, luhn, "###-###-###", "4"), "SIN"),
    "UK NHS": (_simple(10, zero(11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1), "### ### ####"), "NHS number"),
    "Netherlands BSN": (_simple(9, zero(11, 9, 8, 7, 6, 5, 4, 3, 2, -1)), "BSN"),
    "Portugal NIF": (
        _simple(9, lambda n: int(n[8]) == (11 - weighed(n[:8], range(9, 1, -1)) % 11) % 11 % 10, "### ### ###", "2"),
        "NIF",
    ),
    "Poland PESEL": (_dated("ymd", 4, zero(10, 1, 3, 7, 9, 1, 3, 7, 9, 1, 3, 1)), "PESEL"),
    "Bulgaria EGN": (_dated("ymd", 3, ten_as_zero(11, 2, 4, 8, 5, 10, 9, 7, 3, 6)), "ЕГН"),
    "Romania CNP": (
        lambda rng: ending(rng, lambda: f"{rng.choice('12')}{born(rng)}{digits(rng, 5)}", _romanian),
        "CNP",
    ),
    "Estonia isikukood": (_dated("symd", 3, _baltic), "isikukood"),
    "Lithuania asmens kodas": (_dated("symd", 3, _baltic), "asmens kodas"),
    "Latvia personas kods": (
        _dated(
            "dmy",
            4,
            lambda n: int(n[10]) == (1 + weighed(n[:10], (10, 5, 8, 4, 2, 1, 6, 3, 7, 9))) % 11 % 10,
            "######-#####",
        ),
        "personas kods",
    ),
    "Turkey kimlik": (_simple(11, _turkish, ends=_PAIRS), "TC kimlik"),
    "Japan My Number": (
        _simple(
            12,
            lambda n: int(n[11]) == (11 - weighed(n[:11], (6, 5, 4, 3, 2, 7, 6, 5, 4, 3, 2)) % 11) % 11 % 10,
            "#### #### ####",
        ),
        "マイナンバー",
    ),
    "Thailand": (
        _simple(13, lambda n: int(n[12]) == (11 - weighed(n[:12], range(13, 1, -1)) % 11) % 10, "#-####-#####-##-#"),
        "Thai ID",
    ),
    "Norway": (_dated("dmy", 3, lambda n: all(rule(n) for rule in _NORWEGIAN), ends=_PAIRS), "fødselsnummer"),
    "Denmark CPR": (_dated("dmy", 3, lambda _: True, "######-####"), "CPR"),
    "Sweden": (_dated("ymd", 3, luhn, "######-####"), "personnummer"),
    "Finland": (_dated("dmy", 3, _finnish, "######-####", ends="0123456789ABCDEFHJKLMNPRSTUVWXY"), "henkilötunnus"),
    "Belgium": (
        _dated("ymd", 3, lambda n: (int(n[:9]) + int(n[9:])) % 97 == 0, "##.##.##-###.##", ends=_PAIRS[1:97]),
        "rijksregisternummer",
    ),
    "France NIR": (
        lambda rng: ending(
            rng,
            lambda: f"{rng.choice('12')}{born(rng)[:4]}{rng.randrange(10, 95)}{digits(rng, 6)}",
            lambda n: (int(n[:13]) + int(n[13:])) % 97 == 0,
            _PAIRS[1:97],
        ),
        "numéro de sécurité sociale",
    ),
    "Switzerland AHV": (
        _simple(13, zero(10, 1, 3, 1, 3, 1, 3, 1, 3, 1, 3, 1, 3, 1), "###.####.####.##", "756"),
        "AHV-Nummer",
    ),
    "Austria SVNR": (
        lambda rng: next(
            f"{n[:4]} {n[4:]}"
            for n in iter(lambda: str(rng.randrange(1000, 9999)) + born(rng, "dmy"), "")
            if weighed(n, (3, 7, 9, -1, 5, 8, 4, 2, 1, 6)) % 11 == 0
        ),
        "Sozialversicherungsnummer",
    ),
    "Croatia OIB": (_simple(11, _modulo_11_10), "OIB"),
    "Germany tax id": (_german, "Steuer-ID"),
    "Slovenia EMŠO": (
        lambda rng: ending(rng, lambda: f"{born(rng, 'dm')}9{rng.randrange(50, 99)}50{digits(rng, 3)}", _YUGOSLAV),
        "EMŠO",
    ),
    "Serbia JMBG": (
        lambda rng: ending(rng, lambda: f"{born(rng, 'dm')}9{rng.randrange(50, 99)}71{digits(rng, 3)}", _YUGOSLAV),
        "JMBG",
    ),
    "Greece AMKA": (_dated("dmy", 4, luhn), "AMKA"),
    "Czechia": (_dated("ymd", 3, lambda n: int(n) % 11 == 0, "######/####"), "rodné číslo"),
    "Italy": (
        lambda rng: ending(
            rng,
            lambda: (
                f"{''.join(rng.choices(LETTERS, k=6))}{rng.randrange(40, 99)}{rng.choice('ABCDEHLMPRST')}"
                f"{rng.randrange(10, 28)}{rng.choice(LETTERS)}{digits(rng, 3)}"
            ),
            _fiscal,
            LETTERS,
        ),
        "codice fiscale",
    ),
    "Spain NIE": (
        lambda rng: ending(
            rng,
            lambda: f"{rng.choice('XYZ')}{digits(rng, 7)}",
            lambda n: "TRWAGMYFPDXBNJZSQVHLCKE"[int(n[:-1].translate({88: "0", 89: "1", 90: "2"})) % 23] == n[-1],
            LETTERS,
        ),
        "NIE",
    ),
    "Ireland PPS": (
        lambda rng: ending(
            rng,
            lambda: digits(rng, 7),
            lambda n: "WABCDEFGHIJKLMNOPQRSTUV"[weighed(n[:7], range(8, 1, -1)) % 23] == n[7],
            LETTERS,
        ),
        "PPS number",
    ),
    "Iceland": (
        lambda rng: ending(
            rng,
            lambda: born(rng, "dmy") + digits(rng, 2),
            lambda n: weighed(n[:9], (3, 2, 7, 6, 5, 4, 3, 2, 1)) % 11 == 0,
            [f"{d}9" for d in DIGITS],
        ),
        "kennitala",
    ),
    "Israel": (_simple(9, luhn), "teudat zehut"),
    "South Africa": (lambda rng: ending(rng, lambda: born(rng) + digits(rng, 4) + "08", luhn), "SA ID"),
    "Brazil CPF": (_simple(11, _two_digits, ends=_PAIRS), "CPF"),
    "Argentina CUIT": (_simple(11, zero(11, 5, 4, 3, 2, 7, 6, 5, 4, 3, 2, 1), "##-########-#", "20"), "CUIT"),
    "Chile RUT": (_chilean, "RUT"),
    "China": (
        lambda rng: ending(
            rng, lambda: f"110101{rng.randrange(1950, 2005)}{born(rng, 'md')}{digits(rng, 3)}", _chinese, "0123456789X"
        ),
        "身份证号码",
    ),
    "Korea RRN": (lambda rng: f"{born(rng)}-{rng.choice('12')}{digits(rng, 6)}", "주민등록번호"),
    "Singapore NRIC": (
        lambda rng: ending(
            rng,
            lambda: "S" + digits(rng, 7),
            lambda n: "JZIHGFEDCBA"[weighed(n[1:8], (2, 7, 6, 5, 4, 3, 2)) % 11] == n[8],
            LETTERS,
        ),
        "NRIC",
    ),
    "Malaysia NRIC": (lambda rng: f"{born(rng)}-{rng.choice(('01', '10', '14'))}-{digits(rng, 4)}", "MyKad"),
    "Ukraine": (_simple(10, ten_as_zero(11, -1, 5, 7, 9, 4, 6, 10, 5, 7)), "РНОКПП"),
    "Mexico RFC": (lambda rng: f"{''.join(rng.choices(LETTERS, k=4))}{born(rng)}A{digits(rng, 2)}", "RFC"),
    "India PAN": (
        lambda rng: (
            f"{''.join(rng.choices(LETTERS, k=3))}P{rng.choice(LETTERS)}{rng.randrange(1000, 9999)}"
            f"{rng.choice(LETTERS)}"
        ),
        "PAN",
    ),
    "US SSN": (lambda rng: f"{rng.randrange(100, 665)}-{rng.randrange(10, 99)}-{rng.randrange(1000, 9999)}", "SSN"),
}
