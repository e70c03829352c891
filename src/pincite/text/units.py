"""Units of measure and currencies: our own tables, exact factors, no rounding.

A unit turns an amount into ``(dimension, value in the dimension's base unit)``. Amounts of different
dimensions never compare equal. Choices that a reader may wonder about:

* ``b`` is bit, ``B`` byte; ``k M G T`` are decimal, ``Ki Mi Gi Ti`` binary. All-lower ``mb gb tb`` has lost
  its case, so it is open (bits or bytes).
* A week is 7 days and a day 24 hours, a year 12 months. Months and years are a dimension of their own: a
  month is not 30 days. Working days, school days and the like are no days.
* A currency is its own dimension. ``$`` and "dollar" alone mean USD; ``¥`` and ``kr`` stay open.
* What has two customary meanings (gallon, ton, pound) has two entries, and amounts compare by intersection.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

from pincite.text.fold import fold
from pincite.text.lexicon import load_lexicon


@dataclass(frozen=True, slots=True)
class Unit:
    """``value * factor + offset`` is the amount in the base unit of ``dimension``."""

    dimension: str
    factor: Fraction
    offset: Fraction = Fraction(0)

    def to_base(self, value: Fraction) -> Fraction:
        scaled = value if self.factor is ONE else value * self.factor
        return scaled + self.offset if self.offset else scaled


ONE = Fraction(1)


def _table() -> dict[str, Unit]:
    """Every unit by its canonical name. Factors: SI Brochure 9th ed., NIST Handbook 44 appendix C."""
    f = Fraction
    table: dict[str, Unit] = {}

    def add(dimension: str, **units: Fraction | int) -> None:
        for name, factor in units.items():
            table[name] = Unit(dimension, ONE if factor == 1 else f(factor))

    add("duration", ns=f(1, 10**9), us=f(1, 10**6), ms=f(1, 1000), second=1, minute=60, hour=3600)
    add("duration", day=86400, week=604800)
    add("months", month=1, quarter=3, half_year=6, year=12, decade=120, century=1200, millennium=12000)
    add("working days", working_day=1)
    add("working hours", working_hour=1)
    add("school days", school_day=1)
    add("nights", night=1)
    for power, (decimal, binary) in enumerate(
        zip("kMGTPE", ("Ki", "Mi", "Gi", "Ti", "Pi", "Ei"), strict=True), 1
    ):
        for short, bits in (("bit", 1), ("byte", 8)):
            sizes: dict[str, Fraction | int] = {
                f"{decimal}{short}": bits * int(1000**power),
                f"{binary}{short}": bits * int(1024**power),
            }
            add("data", **sizes)
            rates: dict[str, Fraction | int] = {f"{name}/s": size for name, size in sizes.items()}
            add("data rate", **rates)
    add("data", bit=1, byte=8)
    rates = {"bit/s": 1, "byte/s": 8}
    add("data rate", **rates)
    add("length", nm=f(1, 10**9), um=f(1, 10**6), mm=f(1, 1000), cm=f(1, 100), dm=f(1, 10), metre=1, km=1000)
    add("length", inch=f(254, 10000), foot=f(3048, 10000), yard=f(9144, 10000), mile=f(1609344, 1000))
    add("length", nautical_mile=1852, light_year=9460730472580800, au=149597870700)
    add("mass", ug=f(1, 10**6), mg=f(1, 1000), gram=1, kg=1000, tonne=10**6, kt=10**9, Mt=10**12)
    add("mass", ounce=f(28349523125, 10**9), pound=f(45359237, 10**5), stone=f(635029318, 10**5))
    add("mass", short_ton=f(90718474, 100), quintal=10**5)
    add(
        "volume",
        ml=f(1, 1000),
        cl=f(1, 100),
        dl=f(1, 10),
        litre=1,
        hl=100,
        m3=1000,
        cm3=f(1, 1000),
        km3=10**12,
    )
    add("volume", gallon=f(3785411784, 10**9), imp_gallon=f(454609, 10**5), pint=f(473176473, 10**9))
    add("volume", imp_pint=f(56826125, 10**8), quart=f(946352946, 10**9), fl_oz=f(295735295625, 10**13))
    add("volume", barrel=f(158987294928, 10**9), cubic_foot=f(28316846592, 10**9))
    add(
        "area",
        mm2=f(1, 10**6),
        cm2=f(1, 10**4),
        m2=1,
        are=100,
        hectare=10**4,
        km2=10**6,
        acre=f(40468564224, 10**7),
    )
    add("area", sq_foot=f(9290304, 10**8), sq_mile=f(2589988110336, 10**6), sq_inch=f(64516, 10**8))
    speeds: dict[str, Fraction | int] = {"m/s": 1, "km/h": f(5, 18), "km/s": 1000}
    add("speed", mph=f(44704, 10**5), knot=f(1852, 3600), **speeds)
    add("power", mW=f(1, 1000), watt=1, kW=1000, MW=10**6, GW=10**9, TW=10**12)
    add(
        "energy",
        joule=1,
        kJ=1000,
        MJ=10**6,
        GJ=10**9,
        Wh=3600,
        kWh=3600000,
        MWh=3600 * 10**6,
        GWh=3600 * 10**9,
    )
    add("energy", TWh=3600 * 10**12, kcal=4184, cal=f(4184, 1000))
    add("voltage", mV=f(1, 1000), volt=1, kV=1000)
    add("current", mA=f(1, 1000), ampere=1)
    add("charge", mAh=f(1, 1000), Ah=1)
    add("frequency", hertz=1, kHz=1000, MHz=10**6, GHz=10**9, THz=10**12)
    add("pressure", pascal=1, hPa=100, kPa=1000, MPa=10**6, bar=10**5, mbar=100)
    add("pixels", pixel=1, megapixel=10**6)
    add("angle or temperature", degree=1)
    add("sound", decibel=1)
    table["celsius"] = Unit("temperature", f(1), f(27315, 100))
    table["fahrenheit"] = Unit("temperature", f(5, 9), f(27315, 100) - f(160, 9))
    table["kelvin"] = Unit("temperature", f(1))
    table["percent"] = Unit("plain", f(1, 100))
    table["permille"] = Unit("plain", f(1, 1000))
    table["basis_point"] = Unit("plain", f(1, 10**4))
    table["tenth"] = Unit("plain", f(1, 10))
    table["ppm"] = Unit("plain", f(1, 10**6))
    table["percentage_point"] = Unit("percentage points", f(1))
    table["times"] = Unit("plain", f(1))
    return table


UNITS = _table()

_DATA_SYMBOLS = {
    **{f"{p}{s}": (f"{p}{n}",) for p in "kMGTPE" for s, n in (("b", "bit"), ("B", "byte"), ("bit", "bit"))},
    **{f"{p}i{s}": (f"{p.upper() if p != 'k' else 'K'}i{n}",) for p in "kKMGTPE"
       for s, n in (("b", "bit"), ("B", "byte"), ("bit", "bit"))},
    **{f"{p.lower()}b": (f"{p}bit", f"{p}byte") for p in "MGTP"},
    **{f"{p.lower()}ib": (f"{p}ibit", f"{p}ibyte") for p in ("K", "M", "G", "T")},
    "KB": ("kbyte",), "Kb": ("kbit",), "Kbit": ("kbit",), "B": ("byte",), "b": ("bit",),
    "Mo": ("Mbyte",), "Go": ("Gbyte",), "To": ("Tbyte",), "ko": ("kbyte",), "Ko": ("kbyte",),
}  # fmt: skip

_RATE_SYMBOLS = {
    **{f"{p}{s}": (f"{p if p != 'K' else 'k'}{n}/s",) for p in "kKMGT"
       for s, n in (("bps", "bit"), ("bit/s", "bit"), ("b/s", "bit"), ("B/s", "byte"), ("Bps", "byte"))},
    **{f"{p}i{s}": (f"{p}i{n}/s",) for p in "KMGT" for s, n in (("bit/s", "bit"), ("b/s", "bit"), ("B/s", "byte"))},
    "bps": ("bit/s",), "bit/s": ("bit/s",), "B/s": ("byte/s",), "mbps": ("Mbit/s",), "gbps": ("Gbit/s",),
    "Mbits/s": ("Mbit/s",), "Gbits/s": ("Gbit/s",), "mbit/s": ("Mbit/s",), "gbit/s": ("Gbit/s",),
}  # fmt: skip

SYMBOLS: dict[str, tuple[str, ...]] = {
    **_DATA_SYMBOLS,
    **_RATE_SYMBOLS,
    "ns": ("ns",), "µs": ("us",), "μs": ("us",), "us": ("us",), "ms": ("ms",), "s": ("second",), "sec": ("second",),
    "secs": ("second",), "min": ("minute",), "mins": ("minute",), "h": ("hour",), "hr": ("hour",), "hrs": ("hour",),
    "Std": ("hour",), "d": ("day",), "wk": ("week",), "wks": ("week",), "mo": ("month",), "mos": ("month",),
    "yr": ("year",), "yrs": ("year",),
    "nm": ("nm",), "µm": ("um",), "μm": ("um",), "mm": ("mm",), "cm": ("cm",), "dm": ("dm",), "m": ("metre",),
    "km": ("km",), "in": ("inch",), "ft": ("foot",), "yd": ("yard",), "yds": ("yard",), "mi": ("mile",),
    "nmi": ("nautical_mile",), "ly": ("light_year",), "'": ("foot",), "″": ("inch",),
    "µg": ("ug",), "μg": ("ug",), "mcg": ("ug",), "mg": ("mg",), "g": ("gram",), "kg": ("kg",), "Kg": ("kg",),
    "KG": ("kg",), "t": ("tonne",), "kt": ("kt",), "Mt": ("Mt",), "oz": ("ounce",), "lb": ("pound",),
    "lbs": ("pound",),
    "ml": ("ml",), "mL": ("ml",), "cl": ("cl",), "cL": ("cl",), "dl": ("dl",), "dL": ("dl",), "l": ("litre",),
    "L": ("litre",), "hl": ("hl",), "m³": ("m3",), "m3": ("m3",), "m^3": ("m3",), "cm³": ("cm3",), "cm3": ("cm3",),
    "cc": ("cm3",), "km³": ("km3",), "gal": ("gallon", "imp_gallon"), "pt": ("pint", "imp_pint"), "qt": ("quart",),
    "floz": ("fl_oz",), "bbl": ("barrel",),
    "mm²": ("mm2",), "cm²": ("cm2",), "cm2": ("cm2",), "m²": ("m2",), "m2": ("m2",), "m^2": ("m2",), "qm": ("m2",),
    "sqm": ("m2",), "ha": ("hectare",), "km²": ("km2",), "km2": ("km2",), "km^2": ("km2",), "sqft": ("sq_foot",),
    "ft²": ("sq_foot",), "ft2": ("sq_foot",),
    "m/s": ("m/s",), "km/h": ("km/h",), "kmh": ("km/h",), "kph": ("km/h",), "mph": ("mph",), "kn": ("knot",),
    "km/s": ("km/s",),
    "mW": ("mW",), "W": ("watt",), "kW": ("kW",), "KW": ("kW",), "MW": ("MW",), "GW": ("GW",), "TW": ("TW",),
    "J": ("joule",), "kJ": ("kJ",), "MJ": ("MJ",), "GJ": ("GJ",), "Wh": ("Wh",), "kWh": ("kWh",), "KWh": ("kWh",),
    "kwh": ("kWh",), "MWh": ("MWh",), "GWh": ("GWh",), "TWh": ("TWh",), "kcal": ("kcal",), "cal": ("cal",),
    "mV": ("mV",), "V": ("volt",), "kV": ("kV",), "mA": ("mA",), "A": ("ampere",), "mAh": ("mAh",), "Ah": ("Ah",),
    "Hz": ("hertz",), "kHz": ("kHz",), "MHz": ("MHz",), "GHz": ("GHz",), "THz": ("THz",),
    "Pa": ("pascal",), "hPa": ("hPa",), "kPa": ("kPa",), "MPa": ("MPa",), "bar": ("bar",), "mbar": ("mbar",),
    "px": ("pixel",), "MP": ("megapixel",), "dB": ("decibel",),
    "°C": ("celsius",), "°c": ("celsius",), "℃": ("celsius",), "ºC": ("celsius",), "°F": ("fahrenheit",),
    "°f": ("fahrenheit",), "℉": ("fahrenheit",), "ºF": ("fahrenheit",), "K": ("kelvin",), "°": ("degree",),
    "º": ("degree",), "C": ("celsius",), "F": ("fahrenheit",),
    "%": ("percent",), "٪": ("percent",), "‰": ("permille",), "‱": ("basis_point",), "bp": ("basis_point",),
    "bps.": ("basis_point",), "ppm": ("ppm",), "pp": ("percentage_point",), "x": ("times",), "×": ("times",),
}  # fmt: skip
"""Unit signs, letter case counts. Several names: open between them."""

SOFT_SYMBOLS = frozenset({"in", "A", "V", "C", "F", "K", "d", "b", "B", "J", "W", "T", "L", "To", "Go", "bar", "pt",
                          "cal", "Mo", "mo", "x"})  # fmt: skip
"""Signs that may also be no unit at all ("5 in 10", "section 2 A"): the bare number stays a reading."""

MAGNITUDE_SYMBOLS: dict[str, Fraction] = {
    "k": Fraction(1000), "K": Fraction(1000), "m": Fraction(10**6), "M": Fraction(10**6), "mn": Fraction(10**6),
    "mm": Fraction(10**6), "mln": Fraction(10**6), "mio": Fraction(10**6), "Mio": Fraction(10**6),
    "b": Fraction(10**9), "B": Fraction(10**9), "bn": Fraction(10**9), "Bn": Fraction(10**9), "mrd": Fraction(10**9),
    "Mrd": Fraction(10**9), "Md": Fraction(10**9), "Mds": Fraction(10**9), "tn": Fraction(10**12), "tsd": Fraction(1000),
    "Tsd": Fraction(1000), "T": Fraction(10**12), "Cr": Fraction(10**7), "cr": Fraction(10**7), "만": Fraction(10**4),
    "억": Fraction(10**8), "천": Fraction(1000), "백만": Fraction(10**6), "천만": Fraction(10**7), "조": Fraction(10**12),
    "million": Fraction(10**6), "billion": Fraction(10**9), "trillion": Fraction(10**12), "thousand": Fraction(1000),
    "тыс": Fraction(1000), "млн": Fraction(10**6), "млрд": Fraction(10**9), "hundred": Fraction(100),
    "dozen": Fraction(12),
}  # fmt: skip
"""Short signs that multiply the number before them. ``mm`` and ``m`` may be lengths too."""

UNSURE_MAGNITUDES = frozenset({"m", "mm", "b", "B", "K", "T", "M", "Md", "mn", "cr"})
"""Magnitude signs that are units or labels as well; without a currency both readings stay."""

CURRENCY_SIGNS: dict[str, tuple[str, ...]] = {
    "$": ("USD",), "us$": ("USD",), "€": ("EUR",), "£": ("GBP",), "¥": ("JPY", "CNY"), "₹": ("INR",), "₩": ("KRW",),
    "₽": ("RUB",), "₺": ("TRY",), "₫": ("VND",), "฿": ("THB",), "₪": ("ILS",), "₴": ("UAH",), "₦": ("NGN",),
    "₱": ("PHP",), "₿": ("BTC",), "zł": ("PLN",), "kr": ("SEK", "NOK", "DKK"), "kč": ("CZK",), "ft": ("HUF",),
    "r$": ("BRL",), "c$": ("CAD",), "ca$": ("CAD",), "a$": ("AUD",), "au$": ("AUD",), "nz$": ("NZD",),
    "hk$": ("HKD",), "s$": ("SGD",), "nt$": ("TWD",), "mx$": ("MXN",), "cn¥": ("CNY",), "jp¥": ("JPY",),
    "rs": ("INR",), "rs.": ("INR",), "sfr": ("CHF",), "rmb": ("CNY",),
}  # fmt: skip
CURRENCY_CODES = frozenset(
    "USD EUR GBP JPY CNY INR KRW RUB TRY VND THB ILS UAH NGN PHP PLN SEK NOK DKK CZK HUF BRL CAD AUD NZD HKD SGD TWD"
    " MXN CHF ZAR AED SAR EGP MAD TND DZD IDR MYR ARS CLP COP PEN RON BGN ISK KES PKR BDT LKR QAR KWD BTC".split()
)


@lru_cache(maxsize=1)
def unit_words() -> dict[str, tuple[str, ...]]:
    """Unit words of all languages, folded, to unit names (several: open). ``money:EUR`` names a currency.

    ``money:EUR/100`` is its hundredth.
    """
    words: dict[str, tuple[str, ...]] = {}
    for name, by_language in load_lexicon("unit_words")["units"].items():
        for forms in by_language.values():
            for form in (fold(written).low for written in forms):
                known = words.get(form, ())
                if name not in known:
                    words[form] = (*known, name)
    return words


@lru_cache(maxsize=1)
def unspaced_unit_words() -> dict[str, tuple[str, ...]]:
    """The unit words of scripts without spaces: looked up by their beginning, longest first."""
    return {word: names for word, names in unit_words().items() if is_unspaced(word[0])}


def is_unspaced(char: str) -> bool:
    """Whether words of this letter's script are written without blanks (Han, kana, Thai, Lao, Khmer).

    >>> is_unspaced("日"), is_unspaced("d")
    (True, False)
    """
    return (
        "\u3005" <= char <= "\u9fff" or "\uf900" <= char <= "\ufaff" or "\u0e00" <= char <= "\u0eff"
        or "\u1780" <= char <= "\u17ff" or "\U00020000" <= char <= "\U0003ffff"
    )  # fmt: skip


def convert(name: str, value: Fraction) -> tuple[str, Fraction]:
    """``value`` of the unit called ``name`` as (dimension, amount in base units).

    >>> (
    ...     convert("Gbyte", Fraction(1)) == convert("Mbyte", Fraction(1000)),
    ...     convert("money:EUR/100", Fraction(50)),
    ... )
    (True, ('money:EUR', Fraction(1, 2)))
    """
    if name.startswith("money:"):
        dimension, _, part = name.partition("/")
        return dimension, value / int(part) if part else value
    unit = UNITS[name]
    return unit.dimension, unit.to_base(value)
