"""What was learned from one entry, as plain values, and what is never learned."""

import hashlib
import re
import unicodedata
from dataclasses import dataclass, replace

from memdir import text as texts

_BULLET = re.compile(r"^(?:[-*+>#]+ +|\[[ xX]\] +|\d+[.)] +){1,9}")
_BLOCK = re.compile(r"\^[A-Za-z0-9-]+")
# Images and embeds become links; templates, inline queries, comments and inline fields become text.
_ACTIVE = (
    (re.compile(r"!(?=\[)"), ""),
    (re.compile(r"<%|%>|\{\{|\}\}|\{%|%\}"), ""),
    (re.compile(r"`(?=\s{0,9}\$?=)"), "'"),
    (re.compile(r"%%+"), "%"),
    (re.compile(r"\$\$+"), "$"),
    (re.compile(r"\[([^\[\]:]{1,40})::+\s{0,9}"), r"[\1: "),
)
KINDS = ("preference", "correction", "decision", "context", "reference", "fact")
LONGEST = 400  # characters of one learned line; longer text stays in the log only
# Orders to an assistant, marks of a conversation or of memdir, hidden or packed text: quoted from outside or planted,
# never something to remember (RELIABILITY 4.3). Such a line is left out and counted, the log keeps it.
_ORDER = re.compile(
    r"\b(?:ignore|disregard|forget|override|bypass)\b.{0,40}\b(?:previous|prior|above|earlier|all|any|your|these|the)\b.{0,30}"
    r"\b(?:instructions?|prompts?|rules?|messages?|guidelines?|memory|memories)\b"
    r"|\b(?:system|developer|assistant|user)\s{0,9}(?:prompt|message)?\s{0,9}[:>\]]\s{0,9}\S.{0,200}\b(?:must|now|ignore|reveal|send|you)\b"
    r"|\byou (?:must|are now|will now|have to|should now|shall)\b|\bas an? (?:ai|assistant|language model)\b"
    r"|\b(?:ai|assistants?|agents?|llms?|bots?|models?)\b.{0,25}\b(?:must|should|are (?:told|instructed)|have to)\b"
    r"|\b(?:remember|store|save|record|note|add)\b.{0,30}\b(?:permanently|forever|in (?:your|the) memory"
    r"|to (?:your|the) memory"
    r"|as a (?:fact|preference|rule))\b"
    r"|\b(?:do not|don't|never) (?:tell|inform|mention|reveal)\b.{0,30}\b(?:user|human|anyone)\b"
    r"|\bnew instructions?\b|\bjailbreak|\bprompt injection\b|<\|?/?(?:im_start|im_end|system|assistant|user"
    r"|tool|memory)\b"
    r"|<!--|-->|\[/?(?:inst|system)\]|</?(?:system|instructions?|memory|tool)[^>]{0,40}>|⟦(?!secret:)",
    re.IGNORECASE,
)
_ORDER_ZH = re.compile(
    r"(?:忽略|无视|忘记|忘掉|绕过|覆盖).{0,12}(?:之前|以上|上面|先前|所有|一切|你的).{0,12}(?:指令|指示|提示|规则|要求|说明|记忆|设定)"
    r"|(?:系统|开发者)(?:提示|消息|指令|通知)\s{0,9}[:：]|你(?:现在)?(?:必须|应当|应该|需要)(?:立即|马上|把|将|执行|发送|转发|删除|记住)"
    r"|(?:永久|永远)(?:地)?(?:记住|保存|记录)|(?:写入|存入|保存到|记到).{0,6}(?:记忆|长期记忆)|不要告诉(?:用户|任何人)"
    r"|(?:助手|智能体|机器人|模型|AI)\s{0,9}(?:必须|应该|应当|须|请)|请(?:助手|AI|模型)"
)
_PACKED = re.compile(r"[A-Za-z0-9+/=]{80,}")
_HIDDEN = re.compile("[\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff\U000e0000-\U000e007f]")
_UNCHANGED = re.compile(
    r"\b(?:rest|other (?:entries|notes|lines)|everything else|remaining)\b.{0,40}\b(?:unchanged|remain|same"
    r"|as (?:is|before|they were))\b"
    r"|其余.{0,10}(?:不变|保持)",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Item:
    """One thing learned. `day` and `at` (seconds since 1970): when it was said; `about`: the name it is about;
    `source`: the link it rests on; `old`: the value that a change names as the one before; `note`: path of the note
    it goes to, where that is known; `scope`: in which it was said, of what holds there alone."""

    kind: str
    text: str
    day: str
    source: str
    entry: str  # digest of the entry
    about: str = ""
    key: str = ""
    value: str = ""
    old: str = ""
    note: str = ""
    at: float = 0.0
    scope: str = ""

    @property
    def mark(self) -> str:
        """What tells this item of its entry from the others."""
        said = (self.entry, self.kind, self.about or self.note, self.key, self.value or self.text)
        return hashlib.sha256("\n".join(said).casefold().encode("utf-8", "replace")).hexdigest()[:16]


@dataclass(frozen=True, slots=True)
class Dropped:
    """Something that was not learned, and why."""

    text: str
    why: str
    source: str = ""


def order(text: str) -> bool:
    """Whether a text gives orders to an assistant, hides something, or speaks with a mark of memdir's own."""
    text = unicodedata.normalize("NFKC", text)
    return bool(_ORDER.search(text) or _ORDER_ZH.search(text) or _PACKED.search(text) or _HIDDEN.search(text))


def refused(item: Item) -> str:
    """Why an item may not be learned; "" when it may."""
    said = " ".join((item.text, item.about, item.key, item.value))
    if not item.text.strip():
        return "it says nothing"
    if len(said) > 2 * LONGEST:
        return f"longer than {LONGEST} characters"
    if order(said):
        return "reads like an order to an assistant"
    if "⟦secret:" in item.value:
        return "its value is a secret"
    if _UNCHANGED.search(said):
        return "a remark about other text, not something learned"
    return ""


def tidy(item: Item) -> Item:
    """An item on single lines, without signs that hide or begin another element."""
    text, about, key, value, old = map(one_line, (item.text, item.about, item.key, item.value, item.old))
    return replace(item, text=text, about=about, key=key, value=value, old=old)


def one_line(text: str) -> str:
    """Text fit for one list item: no bullet, box, heading, quote or block id of its own, nothing that Obsidian would
    fetch, embed or run; links stay."""
    flat = " ".join(texts.printable(text[: 4 * LONGEST]).split())
    flat = _BULLET.sub("", flat)
    for pattern, put in _ACTIVE:
        flat = pattern.sub(put, flat)
    words = flat.split(" ")
    while len(words) > 1 and _BLOCK.fullmatch(words[-1]):
        words.pop()
    return " ".join(words).strip()
