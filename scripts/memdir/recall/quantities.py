"""Quantities written as one word: what a question calls "6 seconds" or "6 秒" stands in many a note as "6s".

The analyser keeps "6s" whole, so that neither "6" nor "second" meets it. Pure; the pattern is compiled when first used.
"""

import re
from functools import cache

# The short forms of a unit, then the words for it.
_UNITS = """
ms msec: millisecond milliseconds 毫秒
s sec: second seconds secs 秒 秒钟 秒鐘
m min: minute minutes mins 分钟 分鐘
h hr: hour hours hrs 小时 小時
d: day days 天
kb: kilobyte kilobytes
mb: megabyte megabytes
gb: gigabyte gigabytes
tb: terabyte terabytes
g: gram grams 克
kg: kilo kilos kilogram kilograms 公斤 千克
mm: millimetre millimetres millimeter millimeters 毫米
cm: centimetre centimetres centimeter centimeters 厘米 公分
km: kilometre kilometres kilometer kilometers 公里 千米
x: times 倍
"""


@cache
def _short() -> dict[str, tuple[str, ...]]:
    found = dict[str, tuple[str, ...]]()
    for line in _UNITS.strip().splitlines():
        short, _, words = line.partition(":")
        forms = tuple(short.split())
        found |= dict.fromkeys((*forms, *words.split()), forms)
    return found


_DIGIT = re.compile(r"\d", re.ASCII)


@cache
def _pattern() -> re.Pattern[str]:
    units = sorted(_short(), key=len, reverse=True)
    latin, signs = ("|".join(unit for unit in units if unit.isascii() == plain) for plain in (True, False))
    return re.compile(rf"(?<![\w.,])(\d{{1,6}})[ \u00a0]?(?:({latin})(?!\w)|({signs}))", re.ASCII | re.IGNORECASE)


def together(question: str) -> dict[str, tuple[str, ...]]:
    """The numbers of a question that a unit follows → number and unit as one word, as they may stand in a note."""
    found: dict[str, tuple[str, ...]] = {}
    for number, latin, signs in _pattern().findall(question) if _DIGIT.search(question) else ():
        forms = (f"{number}{form}" for form in _short()[(latin or signs).lower()])
        found[number] = tuple(dict.fromkeys((*found.get(number, ()), *forms)))
    return found
