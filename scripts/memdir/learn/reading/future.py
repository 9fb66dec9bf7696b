"""From which day on a sentence says that a value holds: "From Monday on …", `从下周一起，…`, "… as of 2026-12-10".

A weekday means the next one behind the day of the log, a date without a year the nearest. Names of time that are not
known here are asked of `recall.temporal`. English and Chinese; pure functions, every pattern is bounded.
"""

import re
from datetime import date, datetime, timedelta

from memdir.recall import temporal

_CASE = re.IGNORECASE
_DAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_DAYS_ZH = {day: at for at, day in enumerate("一二三四五六日")} | {"天": 6}
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_DAY = f"(?:{'|'.join(_DAYS)})"
_MONTH = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?"
    r"|nov(?:ember)?|dec(?:ember)?)"
)
_WRITTEN = (
    rf"\d{{4}}-\d\d-\d\d|\d{{1,2}}\.\d{{1,2}}\.\d{{4}}|\d{{1,2}}(?:st|nd|rd|th)?(?: of)? {_MONTH}(?:,? \d{{4}})?"
    rf"|{_MONTH} \d{{1,2}}(?:st|nd|rd|th)?(?:,? \d{{4}})?"
)
_COMING = (
    rf"(?:the )?day after tomorrow|tomorrow|(?:the )?(?:next|coming|following) (?:week|month|quarter|year|{_DAY}"
    rf"|{_MONTH}"
    r"|spring|summer|autumn|winter)|in (?:an?|one|two|three|four|six|\d{1,2}) (?:days?|weeks?|months?)"
)
_ANY = (
    rf"(?:{_COMING}|{_WRITTEN}|(?:this )?{_DAY}|{_MONTH}(?: \d{{4}})?|(?:the )?\d{{1,2}}(?:st|nd|rd|th)"
    r"|(?:the )?(?:beginning|start|end) of (?:the |next )?(?:week|month|quarter|year)|(?:the )?new year)"
)
_FROM = r"(?:from|as (?:of|from)|starting(?: from| on)?|beginning(?: on)?|effective(?: from)?|with effect from|come)"
_ON = r"(?: on(?:wards?)?\b| onwards?\b| forward\b)"
_END = r"(?=\s*(?:$|[,.;)]|\bbecause\b|\bsince\b|\binstead\b|\bnot\b|\bno longer\b))"
_FORMS = (
    re.compile(
        rf"^(?:(?:and|but|so|then|note|fyi)[,:]? )?{_FROM} (?P<t>{_ANY}){_ON}?,?\s+(?!to\b|until\b|till\b)", _CASE
    ),
    re.compile(rf",?\s+\(?{_FROM} (?P<t>{_ANY}){_ON}?\)?{_END}", _CASE),
    re.compile(rf",?\s+(?:from|as of) (?P<t>{_ANY}){_ON}", _CASE),
    re.compile(rf"^(?:(?:and|but|so|then)[,:]? )?(?P<t>{_COMING}),?\s+", _CASE),
    re.compile(rf",?\s+(?P<t>{_COMING}){_END}", _CASE),
    re.compile(rf"^on (?P<t>{_WRITTEN}),?\s+", _CASE),
    re.compile(rf",?\s+on (?P<t>{_WRITTEN}){_END}", _CASE),
    re.compile(rf"^by (?P<t>{_ANY}),?\s+", _CASE),
    re.compile(
        rf"(?:(?<=moves)|(?<=changes)|(?<=switches)|(?<=migrates))\s+on (?P<t>{_DAY}|{_WRITTEN})(?=\s+to\b)", _CASE
    ),
    re.compile(r"^(?:once|as soon as) (?P<t>[^,]{3,60}),\s+", _CASE),
    re.compile(
        r"^after (?P<t>christmas|easter|new year|the (?:summer|winter|christmas|easter)? ?(?:holidays|break)),?\s+",
        _CASE,
    ),
    # "moved to 8383 on Monday" is over
    re.compile(rf"(?<=\d)\s+on (?P<t>{_DAY}){_END}", _CASE),
    re.compile(rf"^on (?P<t>{_DAY}),?\s+", _CASE),
)
_MOVES = re.compile(r"\b(?:moves?|changes?|switch(?:es)?|migrates?)(?: over)? (?:from .{1,40} )?to\b", _CASE)
_WEEK = r"(?:周|星期|礼拜)"
_COMING_ZH = (
    rf"(?:大后天|后天|明[天早晚]|下{{1,2}}个?{_WEEK}[一二三四五六日天]?|下个?月(?:初|底|末|中旬?"
    rf"|\d{{1,2}} ?[日号])?|下个?季度"
    r"|明年(?:年?初|\d{1,2} ?月(?:\d{1,2} ?[日号])?)?)"
)
_WRITTEN_ZH = (
    r"(?:\d{4}-\d\d-\d\d|(?:\d{4} ?年 ?)?\d{1,2} ?月 ?(?:\d{1,2} ?[日号]|初|底)|\d{4} ?年 ?\d{1,2} ?月"
    r"|\d{1,2} ?[日号]|\d{1,2} ?月)"
)
_ANY_ZH = rf"(?:{_COMING_ZH}|(?<!每)(?:本|这)?{_WEEK}[一二三四五六日天]|{_WRITTEN_ZH}|月底|月末|年底|年末)"
_FORMS_ZH = (
    re.compile(
        rf"[，,（(]?\s?(?:从|自|打|于)?\s?(?P<t>{_ANY_ZH})\s?(?:起|开始|之后|以后)(?!\s?(?:上班|入职|报到|到岗"
        rf"|加入|来上班|正式上班))"
        r"(?:就|才|再|生效|执行|实施)?[)）]?[，,]?\s?"
    ),
    re.compile(rf"[，,（(]\s?(?:从|自|于)?\s?(?P<t>{_ANY_ZH})\s?(?:生效|执行|实施|启用)[)）]?"),
    re.compile(
        rf"(?P<t>(?<!每)(?:本|这)?{_WEEK}[一二三四五六日天])(?:就|再|才|要|会)?(?=[改换切迁搬升调变])(?!.*了[。]?$)"
    ),
    re.compile(
        r"^(?P<t>(?:春节|国庆|元旦|节假日|年)(?:之|以)?后|过[了完]年后?|(?:等到?|待).{1,15}(?:后|完|好"
        r"|成)[，,])\s?[，,]?"
    ),
    re.compile(rf"(?P<t>{_COMING_ZH})(?:再|才|就|将|会|要|开始)?[，,]?\s?"),
)
_UNTIL = (
    re.compile(rf"^(?:only )?(?:until|till) (?P<t>{_ANY}),?\s+", _CASE),
    re.compile(rf",?\s+\(?(?:only )?(?:until|till) (?P<t>{_ANY})\)?{_END}", _CASE),
    re.compile(rf"[，,（(]?\s?(?:暂时?|先|只|临时)?(?:到|至)\s?(?P<t>{_ANY_ZH})\s?(?:为?止|之?前)[)）]?[，,]?\s?"),
)


def ends(sentence: str, day: str) -> tuple[str, str]:
    """The day until which a sentence says that it holds, and the sentence without these words; like `starts`."""
    for form in _UNTIL:
        if found := form.search(sentence):
            rest = f"{sentence[: found.start()]} {sentence[found.end() :]}".strip(" ,，")
            return _first(found["t"].lower(), date.fromisoformat(day)), rest
    return "", ""


def starts(sentence: str, day: str) -> tuple[str, str]:
    """The day from which a sentence says that it holds, and the sentence without these words; "" twice where it names
    none. `day`: of the log. A time that cannot be told is "later"."""
    forms = (*_FORMS_ZH, *_FORMS) if re.search("[\u3400-\u9fff]", sentence) else _FORMS
    for form in forms:
        if found := form.search(sentence):
            if form in _FORMS[-2:] and not _MOVES.search(sentence):
                continue
            rest = f"{sentence[: found.start()]} {sentence[found.end() :]}".strip(" ,，")
            return _first(found["t"].lower(), date.fromisoformat(day)), rest
    return "", ""


def _first(said: str, today: date) -> str:
    """The first day of a named time, as seen from `today`."""
    try:
        found = _weekday(said, today) or _written(said, today) or _later(said, today)
    except (ValueError, OverflowError):
        found = None
    return f"{found:%Y-%m-%d}" if found else "later"


def _weekday(said: str, today: date) -> date | None:
    if told := re.search(_DAY, said):
        return today + timedelta((_DAYS.index(told[0]) - today.weekday() - 1) % 7 + 1)
    if told := re.search(rf"{_WEEK}([一二三四五六日天])", said):
        monday = today - timedelta(today.weekday())
        at = monday + timedelta(_DAYS_ZH[told[1]] + 7 * said.count("下"))
        return at if at > today or "本" in said or "这" in said else at + timedelta(7)
    return None


def _written(said: str, today: date) -> date | None:
    """A date as it is written; one without a year is the nearest."""
    if told := re.search(r"(\d{4})-(\d\d)-(\d\d)", said):
        return date(int(told[1]), int(told[2]), int(told[3]))
    if told := re.search(r"(\d{1,2})\.(\d{1,2})\.(\d{4})", said):
        return date(int(told[3]), int(told[2]), int(told[1]))
    year = int(found[0]) if (found := re.search(r"\d{4}", said)) else today.year + ("明年" in said)
    if told := re.search(r"(\d{1,2}) ?月", said):
        month, number = int(told[1]), re.search(r"(\d{1,2}) ?[日号]", said)
    elif (told := re.search(_MONTH, said)) and not said.startswith(("in ", "the end")):
        month, number = _MONTHS.index(told[0][:3]) + 1, re.search(r"(?<!\d)(\d{1,2})(?!\d)", said)
    else:
        return None
    at = date(year, month, int(number[1]) if number else 28 if "底" in said else 1)
    nearest = at if found or "明年" in said or (today - at).days < 180 else at.replace(year=year + 1)
    return nearest


def _later(said: str, today: date) -> date | None:
    if told := re.fullmatch(r"in (\w+) (day|week|month)s?", said):
        words = {"a": 1, "an": 1, "one": 1, "two": 2, "three": 3, "four": 4, "six": 6}
        count = words.get(told[1]) or int(told[1])
        return today + timedelta(count * {"day": 1, "week": 7, "month": 30}[told[2]])
    if told := re.fullmatch(r"(?:the )?(\d{1,2})(?:st|nd|rd|th)|(\d{1,2}) ?[日号]", said):
        return today.replace(day=int(told[1] or told[2]))
    if told := re.search(r"下个?月.*?(\d{1,2}) ?[日号]", said):
        return (today.replace(day=1) + timedelta(32)).replace(day=int(told[1]))
    periods = temporal.parse(said, datetime(today.year, today.month, today.day, 12)).periods
    return periods[0].first if periods else None
