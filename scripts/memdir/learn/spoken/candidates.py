"""From the turns of a conversation to what of them is worth keeping: candidates, each with a kind and how sure it is.

Only what the person said themselves is read: a statement that asks nothing, supposes nothing, tells nobody else's
words and gives the assistant no order. What is left out has a reason. Pure functions over values.
"""

import re
from collections.abc import Iterable, Iterator, Sequence, Set
from dataclasses import dataclass, replace

from memdir import text as texts
from memdir.learn.entries import Entry
from memdir.learn.items import LONGEST, Dropped, Item, one_line, order, refused, tidy
from memdir.learn.patches import PERSON, STANDING
from memdir.learn.reading import planted, rules, subjects, unsure
from memdir.learn.reading.keys import KEYS
from memdir.learn.spoken import clauses, cues, person, words
from memdir.learn.spoken.cues import Cue
from memdir.vault import names, secret_said

SURE = 0.6  # what a candidate must be at least
SHORTEST, SHORTEST_HAN = 10, 5  # characters of one
MOST = 20  # of one conversation
SHOWN = 160  # characters that are kept of what was left out
LONGEST_VALUE = 40  # characters of a value of something new
BY_MODEL = 0.8  # of what a model says, checked against what it was shown
FACT = 0.85  # a value that the rules of distillation are sure of
_HAN = re.compile("[\u3400-\u9fff]")
_LATIN = re.compile("[A-Za-z][\\w.+#-]+")
# A person's own wish to have something remembered counts where it is about them.
_REMEMBER = re.compile(
    r"^(?:please |also |and )?(?:remember|keep in mind|note|bear in mind|don['’]t forget)(?: that|:|,)? "
    r"(?=(?:i|i['’]m|i['’]ve|my|we|our)\b)|^(?:请|帮我)?(?:记住|记得|记一下|记下)[，,：:]?\s?(?=我)",
    re.IGNORECASE,
)
# A secret that was found has a marker; a word for one beside something like a value is none that may be kept.
_SECRET = re.compile("⟦secret:")
_VALUE = re.compile(
    r"(?:pass(?:word|phrase|code|wd)?s?\b|\bpwd\b|\btokens?\b|api[ -]?keys?|\b(?:secret|private|access|ssh)[ -]?keys?\b"
    r"|\bsecrets?\b|\bcredentials?\b|\bpins?\b|\bkey\b|密码|口令|令牌|密钥|私钥|验证码|暗号)"
    r"(?=.{0,80}?(?:[\w#@!$%&*+./-]{0,40}\d[\w#@!$%&*+./-]{2,}|\S{3,}[#@!$%&*]\S*))",
    re.IGNORECASE,
)
# "The wifi password? It's bluebird": the word in one sentence, the value in the next.
_ASKED_FOR = re.compile(r"(?:pass(?:word|phrase|code)|\bpins?|密码|口令|验证码)\W{0,3}$", re.IGNORECASE)
_ANSWERS = re.compile(r"^(?:it|that)(?:['’]s| is)\b|^(?:它|那)?就?是|^\S+$", re.IGNORECASE)
HIDDEN = "(a sentence with a secret)"
_PLACE = re.compile(r"入口|地址|网址|链接|dashboard|wiki|address|url|link|docs?|board|site|page", re.IGNORECASE)
_WEB = re.compile(r"^(?:https?://\S+|(?:[\w-]+\.)+(?:com|org|net|io|dev|app|cn|de|example|internal)(?:/\S*)?)$")
_ABOUT = (cues.CORRECTION, cues.DECISION, cues.CONTEXT, cues.REFERENCE)  # kinds that may be about something named


@dataclass(frozen=True, slots=True)
class Candidate:
    """One thing to keep. `item`: as it is learned; `confidence`: from 0 to 1; `turn`: its number."""

    item: Item
    confidence: float
    turn: int

    @property
    def kind(self) -> str:
        return self.item.kind


def read(turns: Iterable[tuple[int, Entry]], known: Iterable[str], keys: Set[str], scope: str = "") -> "Heard":
    """The candidates of some turns, in order, and what was left out. `known`: names of notes; `keys`: those of facts
    that the vault has; each entry is a turn, its `raw` the text that was said."""
    standing = {names.fold(title) for title, _ in STANDING.values()}
    ordered = sorted({name for name in known if names.fold(name) not in standing}, key=lambda one: (-len(one), one))
    heard = Heard([], [])
    said: set[tuple[str, str]] = set()
    own = set(keys)  # keys of facts, of the vault and of what was said so far
    for number, turn in turns:
        for one in _of_turn(number, turn, ordered, keys, scope):
            if isinstance(one, Dropped):
                heard.dropped.append(one)
                continue
            if one.kind == cues.FACT and one.item.about == PERSON:
                one = replace(one, item=replace(one.item, key=person.one_key(one.item.key, own)))
                own.add(one.item.key)
            key = (
                one.kind,
                names.fold(f"{one.item.about}{one.item.key}{one.item.value}" if one.item.key else one.item.text),
            )
            if key not in said:
                said.add(key)
                heard.candidates.append(one)
    return heard


@dataclass(slots=True)
class Heard:
    """What some turns gave."""

    candidates: list[Candidate]
    dropped: list[Dropped]


def states(text: str) -> bool:
    """Whether a text asks nothing, supposes nothing, tells nobody else's words and holds no secret."""
    return not cues.silent(text) and not secret(text)


def secret(sentence: str, before: str = "") -> bool:
    """Whether a sentence holds a secret, or seems to; `before`: the one before it, which may say what its value is."""
    if _SECRET.search(sentence) or _VALUE.search(sentence) or secret_said.tells(sentence):
        return True
    return bool(_ASKED_FOR.search(before) and _ANSWERS.search(sentence))


def best(found: Sequence[Candidate], sure: float, most: int) -> tuple[list[Candidate], list[Dropped]]:
    """The candidates that are sure enough and long enough, at most so many, the surest of them, in their order; and
    what was left out."""
    left = [Dropped(_cut(one), "not sure enough", one.item.source) for one in found if one.confidence < sure]
    kept = [one for one in found if one.confidence >= sure]
    left += [Dropped(_cut(one), "too short", one.item.source) for one in kept if not _long(one.item)]
    kept = [one for one in kept if _long(one.item)]
    ranked = sorted(kept, key=lambda one: -one.confidence)[: max(0, most)]
    left += [
        Dropped(_cut(one), f"over {MOST} of one conversation", one.item.source) for one in kept if one not in ranked
    ]
    return [one for one in kept if one in ranked], left


def _cut(one: Candidate) -> str:
    return texts.cut(one.item.text, SHOWN)


def _long(item: Item) -> bool:
    han = len(_HAN.findall(item.text))
    told = item.kind == cues.FACT and item.about == PERSON  # `我叫林晓` says all
    if han:  # a word in Latin letters says as much as two characters
        han += 2 * len(_LATIN.findall(item.text))
    return told or han >= SHORTEST_HAN or len(item.text) >= SHORTEST


def _of_turn(
    number: int, turn: Entry, known: Sequence[str], keys: Set[str], scope: str
) -> Iterator[Candidate | Dropped]:
    """What one turn gives, up to the line from which on it speaks to an assistant."""
    said = words.own(turn.raw)
    for at, sentence in enumerate(said):
        hidden = secret(sentence, said[at - 1] if at else "")
        ends = "reads like an order to an assistant, or follows one" if order(sentence) else planted.ends(sentence)
        if ends:
            yield from (Dropped(texts.cut(rest, SHOWN), ends, turn.source) for rest in said[at:])
            return
        bare = _REMEMBER.sub("", cues.lead(sentence))
        if why := planted.why(bare):
            yield Dropped(texts.cut(sentence, SHOWN), why, turn.source)
            continue
        for item, sure in _read(bare, turn, known, keys, scope):
            item = tidy(item)
            if why := refused(item) or ("longer than one sentence" if len(item.text) > LONGEST else ""):
                yield Dropped(texts.cut(item.text, SHOWN), why, turn.source)
            elif hidden:
                yield Dropped(HIDDEN, "holds a secret", turn.source)
            else:
                yield Candidate(item, sure, number)


def _read(sentence: str, turn: Entry, known: Sequence[str], keys: Set[str], scope: str) -> Iterator[tuple[Item, float]]:
    """The items of one sentence, of all its clauses, with how sure each is."""
    if cues.silent(sentence):
        return
    parts = clauses.split(sentence)
    told = [list(_clause(part, turn, known, keys, scope)) for part in parts] if len(parts) > 1 else []
    if sum(map(bool, told)) > 1:
        yield from (one for part in told for one in part)
    else:
        yield from _clause(sentence, turn, known, keys, scope)


def _clause(
    sentence: str, turn: Entry, known: Sequence[str], keys: Set[str], scope: str
) -> Iterator[tuple[Item, float]]:
    """The items of a sentence, or of a clause, that says one thing."""
    made = _Items(turn, sentence, known, scope)
    if corrects := cues.correction(sentence):
        yield made.item(corrects), corrects.confidence
        yield from ((one, FACT) for one in _facts(sentence, turn, known, keys) if names.fold(one.about) in known)
        return
    if (waits := cues.loop(sentence)) and waits.confidence >= SURE:
        yield made.item(waits), waits.confidence
        return
    if decides := cues.decision(sentence):
        yield made.item(decides), decides.confidence
        return
    if cues.task(sentence):
        return
    if found := cues.personal(sentence):
        own = person.facts(sentence)
        yield from ((made.fact(key, value), found.confidence) for key, value in own)
        if not own:
            yield made.item(found), found.confidence
        return
    if (likes := cues.preference(sentence)) and likes.confidence >= 0.8:
        yield made.item(likes), likes.confidence
        return
    if facts := _facts(sentence, turn, known, keys):
        yield from (
            (replace(one, kind=cues.REFERENCE, text=sentence, key="", value="") if _is_place(one) else one, FACT)
            for one in facts
        )
        return
    cue: Cue | None = cues.reference(sentence) or likes or cues.context(sentence) or _told(sentence, turn, known, keys)
    if cue:
        yield made.item(cue), cue.confidence


@dataclass(frozen=True, slots=True)
class _Items:
    """Makes the items of one sentence."""

    turn: Entry
    sentence: str
    known: Sequence[str]
    scope: str

    def item(self, cue: Cue) -> Item:
        about = subjects.mentioned(self.sentence, self.known) if cue.kind in _ABOUT else ""
        scope = self.scope if cue.kind in (cues.CONTEXT, cues.REFERENCE, cues.DECISION) else ""
        return self._item(cue.kind, about, scope=scope)

    def fact(self, key: str, value: str) -> Item:
        return self._item(cues.FACT, PERSON, key, value)

    def _item(self, kind: str, about: str, key: str = "", value: str = "", scope: str = "") -> Item:
        turn = self.turn
        said = one_line(self.sentence)
        return Item(kind, said, turn.day, turn.source, turn.digest, about, key, value, at=turn.at, scope=scope)


def _learned(sentence: str, turn: Entry, known: Sequence[str], keys: Set[str]) -> tuple[list[Item], list[Dropped]]:
    alone = replace(turn, title="", lines=((turn.line, sentence),), raw=sentence)
    return rules.learn(alone, known, keys)


def _facts(sentence: str, turn: Entry, known: Sequence[str], keys: Set[str]) -> list[Item]:
    """The values that the rules of distillation read in a sentence."""
    found = [one for one in _learned(sentence, turn, known, keys)[0] if one.kind == cues.FACT]
    return [one for one in found if names.fold(one.about) in known or _is_named(one, keys)]


def _is_named(item: Item, keys: Set[str]) -> bool:
    """Whether a fact of something new has a key that is one, or a value in figures, and no mark-up."""
    if "<" in item.text or "**" in item.text or len(item.value) > LONGEST_VALUE:
        return False
    figures = any(map(str.isdigit, item.value)) and subjects.is_name(item.about) and not _HAN.search(item.key)
    return _is_key(item.key, keys) or figures


def _is_key(key: str, keys: Set[str]) -> bool:
    """Whether a key, or its last word, is one that the vault or the rules know: a name alone may be any word."""
    folded = names.fold(key)
    return any(one in keys or one in KEYS for one in (folded, folded.rpartition(" ")[2])) or any(
        len(one) > 1 and folded.endswith(one) for one in (*keys, *KEYS) if not one.isascii()
    )


def _told(sentence: str, turn: Entry, known: Sequence[str], keys: Set[str]) -> Cue | None:
    """A value of something that only stands beside what is named, such as its test server: kept in these words."""
    aside = any(one.why.startswith("of something else") for one in _learned(sentence, turn, known, keys)[1])
    named = subjects.mentioned(sentence, known) and unsure.sure(sentence) and rules.is_context(sentence)
    return Cue(cues.CONTEXT, 0.7) if aside or named else None


def _is_place(item: Item) -> bool:
    """Whether a fact says where something is on the web."""
    return bool(_WEB.match(item.value)) and bool(_PLACE.search(item.key))
