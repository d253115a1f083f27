"""Personal data of real form and of nobody: check digits hold, names and places are made up."""

from __future__ import annotations

import hashlib
import random
from collections.abc import Callable, Mapping, Sequence

Make = Callable[[random.Random], str]
NAMES = ("ada", "marta.kowalska", "j_doe", "li-wei", "Tom", "zoe+news", "r2")
HOSTS = ("mail.net", "firma.de", "corp.co.uk", "uni-bonn.de", "startup.io", "post.fr")
STREETS = ("Baker Street", "Elm Avenue", "Maple Road", "Ocean Drive", "Hill Lane", "Sunset Boulevard")
DIGITS = "0123456789"


def digits(rng: random.Random, length: int) -> str:
    """Return random digits of which the first is no 0."""
    return str(rng.randrange(10 ** (length - 1), 10**length))


def email(rng: random.Random) -> str:
    """Return an e-mail address."""
    return f"{rng.choice(NAMES)}{rng.randrange(99)}@{rng.choice(HOSTS)}"


def _with_luhn(body: str) -> str:
    total = sum(int(d) if i % 2 else sum(divmod(2 * int(d), 10)) for i, d in enumerate(reversed(body)))
    return body + str(-total % 10)


def card(rng: random.Random) -> str:
    """Return a card number of 16 digits."""
    return _with_luhn(rng.choice(("4", "51", "55", "2221", "6011"))[:4].ljust(4, "3") + digits(rng, 11))


def _amex(rng: random.Random) -> str:
    number = _with_luhn("37" + digits(rng, 12))
    return f"{number[:4]} {number[4:10]} {number[10:]}"


def _letters(text: str) -> str:
    return "".join(str(int(char, 36)) for char in text)


def _iban(country: str, bban: Callable[[random.Random], str], *, spaced: bool = False) -> Make:
    def make(rng: random.Random) -> str:
        body = bban(rng)
        check = 98 - int(_letters(f"{body}{country}00")) % 97
        iban = f"{country}{check:02d}{body}"
        return " ".join(iban[at : at + 4] for at in range(0, len(iban), 4)) if spaced else iban

    return make


def _ssn(rng: random.Random) -> str:
    return f"{rng.randrange(100, 665)}-{rng.randrange(10, 99)}-{rng.randrange(1000, 9999)}"


def _ni(rng: random.Random) -> str:
    return f"{rng.choice(('AB', 'JK', 'PX', 'SN'))}{digits(rng, 6)}{rng.choice('ABCD')}"


def _dni(rng: random.Random) -> str:
    number = rng.randrange(10**7, 10**8)
    return f"{number}{'TRWAGMYFPDXBNJZSQVHLCKE'[number % 23]}"


def _nir(rng: random.Random) -> str:
    body = f"{rng.choice('12')}{rng.randrange(30, 99)}{rng.randrange(1, 13):02d}{rng.randrange(10, 95)}{digits(rng, 6)}"
    return f"{body}{97 - int(body) % 97:02d}"


def _cpf(rng: random.Random) -> str:
    body = digits(rng, 9)
    for weight in (10, 11):
        rest = sum(int(d) * (weight - i) for i, d in enumerate(body)) * 10 % 11
        body += str(rest % 10)
    return f"{body[:3]}.{body[3:6]}.{body[6:9]}-{body[9:]}"


def _german_tax_id(rng: random.Random) -> str:
    body = list("1234567890")
    rng.shuffle(body)
    body[9] = body[0] if body[0] != "0" else body[1]
    if body[0] == "0":
        body[0], body[1] = body[1], body[0]
    product = 10
    for digit in body:
        product = (((int(digit) + product) % 10 or 10) * 2) % 11
    return "".join(body) + str((11 - product) % 10)


_PERMUTE = [list(range(10)), [1, 5, 7, 6, 2, 8, 3, 0, 9, 4]]
while len(_PERMUTE) < 8:  # noqa: PLR2004  the eight powers of the permutation
    _PERMUTE.append([_PERMUTE[-1][at] for at in _PERMUTE[1]])


def _dihedral(left: int, right: int) -> int:
    if left < 5:  # noqa: PLR2004  rotations of a pentagon
        return (left + right) % 5 if right < 5 else 5 + (left + right) % 5  # noqa: PLR2004
    return 5 + (left - right) % 5 if right < 5 else (left - right) % 5  # noqa: PLR2004


def _verhoeff(number: str) -> int:
    check = 0
    for at, digit in enumerate(reversed(number)):
        check = _dihedral(check, _PERMUTE[at % 8][int(digit)])
    return check


def _aadhaar(rng: random.Random) -> str:
    body = f"{rng.randrange(2, 10)}{digits(rng, 10)}"
    number = next(body + digit for digit in DIGITS if _verhoeff(body + digit) == 0)
    return f"{number[:4]} {number[4:8]} {number[8:]}"


def _bitcoin(rng: random.Random) -> str:
    payload = b"\0" + rng.randbytes(20)
    checked = payload + hashlib.sha256(hashlib.sha256(payload).digest()).digest()[:4]
    number, out = int.from_bytes(checked), ""
    while number:
        number, rest = divmod(number, 58)
        out = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"[rest] + out
    return "1" + out


def _address(rng: random.Random) -> str:
    return f"{rng.randrange(2, 990)} {rng.choice(STREETS)}, Springfield, IL {digits(rng, 5)}"


def _date(rng: random.Random) -> str:
    year, month, day = rng.randrange(1940, 2005), rng.randrange(1, 13), rng.randrange(10, 28)
    return rng.choice((f"{year}-{month:02d}-{day}", f"{day}/{month:02d}/{year}", f"{day}.{month:02d}.{year}"))


def _phone(pattern: str) -> Make:
    return lambda rng: "".join(rng.choice("23456789") if char == "#" else char for char in pattern)


PERSONAL: Mapping[str, tuple[Make, Sequence[str]]] = {
    "e-mail": (email, ()),
    "phone +1": (_phone("+1 ### ###-####"), ()),
    "phone us": (_phone("(###) ###-####"), ()),
    "phone us dashed": (_phone("###-###-####"), ()),
    "phone +44": (_phone("+44 20 79## ####"), ()),
    "phone uk mobile": (_phone("077## ######"), ("call me on {}", "my number is {}", "mobile: {}", "phone {}")),
    "phone +49": (_phone("+49 30 9######"), ()),
    "phone +33": (_phone("+33 6 ## ## ## ##"), ()),
    "phone fr": (_phone("06 ## ## ## ##"), ("tél. {}", "phone: {}", "call {} tonight", "Telefon: {}")),
    "phone +91": (_phone("+91 98### #####"), ()),
    "phone e164": (_phone("+48#########"), ()),
    "phone +55": (_phone("+55 (11) 9####-####"), ()),
    "card": (card, ()),
    "amex": (_amex, ()),
    "iban de": (_iban("DE", lambda rng: digits(rng, 18)), ()),
    "iban gb spaced": (_iban("GB", lambda rng: f"NWBK{digits(rng, 14)}", spaced=True), ()),
    "iban fr spaced": (_iban("FR", lambda rng: digits(rng, 23), spaced=True), ()),
    "us ssn": (_ssn, ()),
    "us ssn plain": (
        lambda rng: _ssn(rng).replace("-", ""),
        ("SSN: {}", "social security number {}", "ssn={}", "her social security no. is {}"),
    ),
    "uk national insurance": (_ni, ()),
    "uk national insurance spaced": (
        lambda rng: " ".join((_ni(rng)[:2], "12", "34", "56", "C")),
        (),
    ),
    "german tax id": (
        _german_tax_id,
        ("Steuer-ID: {}", "my tax id is {}", "IdNr. {}", "Steueridentifikationsnummer {}"),
    ),
    "french nir": (_nir, ()),
    "spanish dni": (_dni, ("DNI {}", "NIF: {}", "mi dni es {}", "documento DNI: {}")),
    "brazilian cpf": (_cpf, ()),
    "indian aadhaar": (_aadhaar, ()),
    "passport": (
        lambda rng: f"{rng.choice('CFGHX')}{digits(rng, 8)}",
        ("passport number: {}", "Passport No. {}", "my passport is {}", "Reisepass {}"),
    ),
    "driving licence": (
        lambda rng: f"D{digits(rng, 7)}",
        ("driver's license: {}", "driving licence number {}", "drivers license no. {}", "DL number: {}"),
    ),
    "date of birth": (
        _date,
        ("date of birth: {}", "DOB {}", "born on {}", "dob={}", "Geburtsdatum: {}", "my birthday is {}"),
    ),
    "bank account": (
        lambda rng: digits(rng, 10),
        ("account number: {}", "bank account {}", "acct no. {}", "account no: {}"),
    ),
    "postal address": (_address, ()),
    "bitcoin wallet": (_bitcoin, ()),
    "ethereum wallet": (lambda rng: "0x" + "".join(rng.choices("0123456789abcdef", k=40)), ()),
    "client ip": (
        lambda rng: (
            f"{rng.choice((81, 93, 185))}.{rng.randrange(1, 250)}.{rng.randrange(1, 250)}.{rng.randrange(1, 250)}"
        ),
        ("client_ip={}", "X-Forwarded-For: {}", "user ip: {}", "remote_addr {}"),
    ),
}
