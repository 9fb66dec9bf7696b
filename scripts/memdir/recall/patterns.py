"""What code, paths, addresses, versions and amounts look like: one bounded pattern a kind, the most exact first."""

from typing import NamedTuple


class Shape(NamedTuple):
    """`needs`: signs of which a text must hold one; "" where none is needed."""

    kind: str
    needs: str
    pattern: str


_HOST = r"(?:[A-Za-z0-9](?:[A-Za-z0-9\-]{0,62})\.){1,8}[A-Za-z]{2,24}"
_WIDE = "\u3000-\u303f\uff00-\uffef\u3400-\u9fff"  # ends an address that Chinese text holds without blanks
_L, _R = r"(?<![A-Za-z0-9_\-./\\@$#])", r"(?![A-Za-z0-9_\-/\\])"
_SIGNS = "\u3041-\u9fff"
_FILE = rf"[A-Za-z0-9_\-.+@\u00c0-\u024f\u0370-\u052f{_SIGNS}]{{1,120}}"
# A path may begin with a folder in Chinese; where it begins with a Latin one, what stands before is the sentence.
_FIRST = rf"(?:[A-Za-z0-9_\-.]{{1,120}}|[{_SIGNS}]{{1,20}})"
_STEM = rf"[A-Za-z0-9_\-+{_SIGNS}]{{1,100}}(?:\.[A-Za-z0-9_\-]{{1,40}}){{0,3}}"
_ENDING = (
    r"(?:md|py|js|ts|tsx|jsx|json|jsonl|ya?ml|toml|txt|csv|tsv|pdf|sh|rs|go|java|cpp|hpp|html?|css|sql|log|ini|cfg|conf"
    r"|lock|xml|png|jpe?g|gif|svg|zip|tar|gz|docx?|xlsx?|pptx?|ipynb|canvas|db|sqlite)"
)
_NUMBER = r"\d{1,15}(?:,\d{3}){0,4}(?:\.\d{1,9})?"
_UNITS = (
    r"(?:[KMGTPkmgtp]i?[Bb](?:/s|ps)?|[kmgKMG]?bit/s|ms|µs|us|ns|s|secs?|seconds?|mins?|minutes?|h|hrs?|hours?|days?|weeks?"
    r"|months?|years?|[mckµn]?m|km/h|miles?|mph|[mk]?g|lbs?|oz|[mc]?[lL]|lit(?:er|re)s?|[kM]?W|[kM]?Wh|[mk]?V|m?A|[kMG]?Hz"
    r"|N|Nm|bar|psi|px|pt|dpi|fps|rpm|°[CF]|K|percent|tokens?|requests?|EUR|USD|GBP|CHF|CNY|RMB|JPY|euros?|dollars?)"
)
_UNITS_ZH = "(?:万?元|块|天|小时|分钟|秒|个月|年|公里|米|千克|公斤|克|升|度|人|次|台|页)"
_SUFFIX = r"(?:[\-.]?(?:alpha|beta|rc|dev|post)[.\-]?\d{0,6})?"

SHAPES = (
    Shape("url", ":", rf"(?<![A-Za-z0-9_])(?:https?|ssh|git|ftp|file|obsidian)://[^\s<>\"'`|\\^{{}}{_WIDE}]{{1,2000}}"),
    Shape("email", "@", rf"(?<![A-Za-z0-9.+_\-])[A-Za-z0-9.+_\-]{{1,64}}@{_HOST}(?![A-Za-z0-9_\-])"),
    Shape("env", "$", r"\$\{[A-Za-z_][A-Za-z0-9_]{0,80}\}|\$[A-Za-z_][A-Za-z0-9_]{1,80}"),
    Shape("env", "%", r"%[A-Z_][A-Z0-9_]{1,80}%"),
    Shape("env", "_", rf"{_L}[A-Z][A-Z0-9]{{0,40}}(?:_[A-Z0-9]{{1,40}}){{1,8}}(?![A-Za-z0-9_\-/]|\.\w)"),
    Shape("flag", "-", r"(?<![A-Za-z0-9_\-])--[A-Za-z][A-Za-z0-9\-]{1,60}"),
    Shape("hashtag", "#", r"(?<![\w#&/])#[^\W\d_][\w/\-]{1,80}"),
    Shape(
        "path",
        "/\\",
        rf"(?<![A-Za-z0-9_\-./\\@$:~{_SIGNS}])(?:~|\.{{1,2}}|[A-Za-z]:)?[/\\](?:{_FILE}[/\\]){{0,30}}{_FILE}[/\\]?"
        rf"|{_L}{_FIRST}[/\\](?:{_FILE}[/\\]){{0,30}}{_STEM}\.[A-Za-z0-9]{{1,8}}(?![A-Za-z0-9_])"
        rf"|{_L}{_FIRST}/(?:{_FILE}/){{1,30}}{_FILE}",
    ),
    Shape(
        "path", ".", rf"{_L}[A-Za-z0-9_\-]{{1,100}}(?:\.[A-Za-z0-9_\-]{{1,40}}){{0,3}}\.{_ENDING}(?![A-Za-z0-9_\-/])"
    ),
    Shape("version", "v", rf"{_L}v\d{{1,6}}(?:\.\d{{1,6}}){{0,4}}{_SUFFIX}{_R}"),
    Shape("version", ".", rf"{_L}\d{{1,6}}(?:\.\d{{1,6}}){{2,4}}{_SUFFIX}{_R}"),
    Shape("quantity", "$€£¥", rf"(?<![A-Za-z0-9.,\-/])[$€£¥] ?{_NUMBER}(?![A-Za-z0-9])"),
    Shape(
        "quantity",
        "",
        rf"(?<![A-Za-z0-9_.,\-/$])({_NUMBER})(?: ?{_UNITS}(?![A-Za-z0-9_\-/])| ?[%€£¥]| ?{_UNITS_ZH})",
    ),
    Shape("ticket", "-", rf"{_L}[A-Z][A-Z0-9]{{1,9}}-\d{{1,7}}{_R}"),
    Shape("code", "`", r"`[^`\n]{1,200}`"),
    Shape(
        "code",
        "",
        rf"{_L}(?:_{{0,2}}[A-Za-z][A-Za-z0-9]{{0,60}}(?:_[A-Za-z0-9]{{1,60}}){{1,12}}_{{0,2}}|__[a-z]{{1,40}}__"
        r"|[a-z][a-z0-9]{0,60}(?:[A-Z][a-z0-9]{0,60}){1,12}"
        r"|[A-Za-z_][A-Za-z0-9_]{1,60}(?:\.[a-z_][A-Za-z0-9_]{1,60}){1,10}|[A-Za-z_][A-Za-z0-9_]{0,80}(?=\(\)))"
        r"(?:\(\))?(?![A-Za-z0-9_\-/@])",
    ),
)
# What stands between marks; it may hold entities of other kinds.
QUOTES = (
    Shape("title", "《〈『", r"《([^《》\n]{1,100})》|〈([^〈〉\n]{1,100})〉|『([^『』\n]{1,100})』"),
    Shape("quote", "“「", r"“([^“”\n]{1,200})”|「([^「」\n]{1,200})」"),
    Shape("quote", '"', r"(?<![\w\"])\"([^\"\n]{1,200})\"(?!\w)"),
    Shape("quote", "'‘", r"(?<![\w'])'([^'\n]{2,100})'(?!\w)|‘([^‘’\n]{2,100})’"),
)
