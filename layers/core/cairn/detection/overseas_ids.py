"""List the national ids of the Americas, Asia, Africa and Australia, one row a number."""

from __future__ import annotations

from typing import Final

from cairn.detection import check_digits as cd
from cairn.detection.check_digits import both, complement, dated, divides, either
from cairn.detection.national_id_kinds import begins, kind


def _medicare_us(text: str) -> bool:
    # Letters that look like digits are left out.
    return text[0] != "0" and set(text).isdisjoint("SLOIBZ")


def _indian_pan(text: str) -> bool:
    return text[3] in "PCHABGJLFTE" and text[5:9] != "0000"


def _us_ssn(digits: str) -> bool:
    return digits[3:5] != "00" and digits[5:] != "0000"


def _emirati(digits: str) -> bool:
    return digits.startswith("784") and cd.luhn(digits)


_CUIT: Final = both(
    begins("20", "23", "24", "25", "26", "27", "30", "33", "34"),
    complement(11, 5, 4, 3, 2, 7, 6, 5, 4, 3, 2, rest="09987654321"),
)


_CHINESE: Final = both(
    dated("yyyymmdd", 6),
    lambda text: text[:17].isdecimal(),
    complement(11, 7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2, rest="10X98765432"),
)


_KOREAN: Final = both(
    dated("yymmdd"),
    lambda digits: digits[6] != "0",
)


OVERSEAS: Final = (
    # North America
    kind(
        "us_ssn",
        "999-99-9999|999 99 9999",
        "999999999",
        _us_ssn,
        "ssn|ssns|social security|social security number|social|itin|atin|taxpayer|social sec|tax id",
    ),
    kind(
        "us_medicare",
        "9A?9-A?9-AA99|9A?9A?9AA99",
        "",
        _medicare_us,
        "medicare|mbi|beneficiary",
    ),
    kind("us_npi", "", "9999999999", lambda digits: cd.luhn("80840" + digits), "npi|national provider"),
    kind(
        "canadian_sin",
        "",
        "999999999 999-999-999",
        cd.luhn,
        "sin|social insurance|insurance number|nas|assurance sociale|sin number",
    ),
    kind(
        "mexican_curp",
        "AAAA999999AAAAAA?9",
        "",
        either(cd.mexican, dated("yymmdd", 4)),
        "curp|clave única",
    ),
    kind(
        "mexican_rfc",
        "AAAA999999???|AAAA-999999-???|AAAA 999999 ???",
        "AAAA999999 AAAA-999999",
        dated("yymmdd", 4),
        "rfc|registro federal",
    ),
    # Western Asia and Africa
    kind(
        "turkish_kimlik",
        "",
        "99999999999",
        cd.turkish,
        "kimlik|tckn|tc|t c|kimlik no|tc kimlik|kimlik numarası|turkish id|vatandaşlık",
    ),
    kind(
        "israeli_id",
        "",
        "999999999 99999999-9 9999999-9 9-9999999-9",
        cd.luhn,
        "teudat zehut|teudat|zehut|תעודת זהות|ת ז|תז|israeli id|identity number|mispar zehut",
    ),
    kind("emirates_id", "999-9999-9999999-9|999 9999 9999999 9", "999999999999999", _emirati, "emirates id|eid|هوية"),
    kind(
        "egyptian_id",
        "",
        "99999999999999",
        both(
            dated("yymmdd", 1),
            begins("2", "3"),
            complement(11, 2, 7, 6, 5, 4, 3, 2, 7, 6, 5, 4, 3, 2, rest="10987654321"),
        ),
        "national id|egyptian id|الرقم القومي|قومي",
    ),
    kind(
        "south_african_id",
        "9999999999999|999999 9999 999|999999 9999 99 9",
        "999999-9999999 999999-9999-99-9",
        both(dated("yymmdd"), lambda digits: digits[10] in "012" and digits[11] in "89", cd.luhn),
        "id number|id no|south african|identity number|sa id|rsa id",
    ),
    # South and East Asia
    kind(
        "indian_aadhaar",
        "9999 9999 9999|9999-9999-9999",
        "999999999999",
        both(begins(*"23456789"), cd.verhoeff),
        "aadhaar|aadhar|uidai|uid|adhar|आधार",
    ),
    kind("indian_pan", "AAAAA9999A", "", both(_indian_pan), "pan|pan card|permanent account"),
    kind(
        "pakistani_cnic", "99999-9999999-9", "9999999999999", lambda digits: digits[0] in "1234567", "cnic|nic|شناختی"
    ),
    kind("chinese_id", "999999999999999999|99999999999999999A", "", _CHINESE, "身份证"),
    kind(
        "taiwanese_id",
        "",
        "A999999999",
        cd.taiwanese,
        "taiwan|taiwanese|national id|身分證|身份證字號|身分證字號|identity card|id number|id card",
    ),
    kind(
        "japanese_my_number",
        "",
        "999999999999 9999-9999-9999",
        complement(11, 6, 5, 4, 3, 2, 7, 6, 5, 4, 3, 2),
        "my number|mynumber|individual number|マイナンバー|個人番号|kojin bango",
    ),
    kind(
        "korean_rrn",
        "999999-9999999",
        "9999999999999",
        _KOREAN,
        "rrn|주민등록번호|주민번호|resident registration|jumin|외국인등록번호|frn|foreign registration",
    ),
    kind(
        "singaporean_nric",
        "A9999999A",
        "",
        lambda text: text[0] in "STFGM" and cd.singaporean(text),
        "nric|fin|nric no",
    ),
    kind("malaysian_nric", "999999-99-9999", "999999999999", dated("yymmdd"), "nric|mykad|ic|kad pengenalan|ic no"),
    kind(
        "thai_id",
        "9-9999-99999-99-9|9 9999 99999 99 9",
        "9999999999999",
        both(begins(*"123456789"), complement(11, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, rest="10987654321")),
        "thai id|thai|national id|id card|เลขประจำตัวประชาชน|เลขบัตรประชาชน|บัตรประชาชน",
    ),
    kind(
        "indonesian_nik",
        "",
        "9999999999999999",
        dated("ddmmyy", 6, days=(0, 40)),
        "nik|ktp|no ktp|kependudukan|nomor induk",
    ),
    # Australasia
    kind(
        "australian_tfn",
        "",
        "999999999 999-999-999",
        divides(11, 1, 4, 3, 7, 5, 8, 6, 9, 10),
        "tfn|tax file|tax file number|tax number",
    ),
    kind(
        "australian_medicare",
        "",
        "9999999999 9999-99999-9 9999-99999-9-9 99999999999",
        both(begins(*"23456"), lambda digits: cd.total(digits, (1, 3, 7, 9, 1, 3, 7, 9)) % 10 == int(digits[8])),
        "medicare|medicare card",
    ),
    # South America
    kind(
        "brazilian_cpf",
        "999.999.999-99",
        "99999999999 999-999-999-99 999999999-99",
        cd.brazilian_cpf,
        "cpf|cadastro de pessoas|pessoa física",
    ),
    kind("argentine_cuit", "99-99999999-9|99-99.999.999-9", "99999999999 99-99999999-9", _CUIT, "cuit|cuil|cuit cuil"),
    kind(
        "chilean_rut",
        "99.999.999-9|99.999.999-A|9.999.999-9|9.999.999-A",
        "99999999-9 99999999-A 9999999-9 9999999-A 999999999 99999999A 9999999A AA-99999999-9 99-999-999-9",
        lambda text: cd.chilean(text.removeprefix("CL")),
        "rut|run|rol único|rol unico|r u t",
    ),
    kind(
        "colombian_nit", "999.999.999-9", "9999999999 999999999-9 999-999-999-9", cd.colombian, "nit|cédula|cedula|rut"
    ),
    kind("ecuadorian_cedula", "", "9999999999 999999999-9", cd.luhn, "cédula|cedula|ci|cédula de identidad"),
    kind("dominican_cedula", "999-9999999-9", "99999999999", cd.luhn, "cédula|cedula"),
)
