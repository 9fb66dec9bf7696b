"""Titles of entries that say something themselves: "We decided to drop the importer", `以后不要用机翻腔`.

Most titles are labels ("Decision on the importer", "Correction: time stamps", "Heron, for next time"), which the lines
below make good. Pure functions; every pattern is bounded.
"""

import re

_CASE = re.IGNORECASE
_SENTENCES = {
    "preference": re.compile(
        r"^(?:please |no,? )?(?:the user|user|i(?:'d| would)?|we|[a-z]+) (?:\w+ )?(?:prefers?|likes?|loves?"
        r"|hates?|dislikes?|wants?|needs?"
        r"|rather|always|never|only|uses?|drinks?|eats?|reads?|works?|takes?|enjoys?|don't|doesn't|can't|am|is)\b"
        r"|^(?:always|never|please) \w+ \w+|\bplease$"
        r"|^(?:我|用户|本人).{0,6}(?:喜欢|偏好|更愿意|宁愿|宁可|讨厌|不爱|爱用|爱喝|习惯|倾向于|最怕|受不了|过敏"
        r"|一律|不|要|用|只|都|一般|平时|通常)",
        _CASE,
    ),
    "correction": re.compile(
        r"^(?:(?:correction|feedback|no|wrong|please)[,:!.]? )?(?:don't|do not|never|stop \w+ing|always"
        r"|from now on,? \w+"
        r"|next time,? \w+ \w+|in (?:the )?future,? \w+ \w+|not \w+[!,;]|no more|i told you|you should(?:n't)? have"
        r"|instead of)\b"
        r"|^(?:correction|feedback)[:,] (?:\S+ ){3,}\S+"
        r"|^(?:(?:纠正|更正|反馈|不对|请)\s?[:：，,]?\s?)?(?:(?:以后|今后|下次).{0,12}(?:不要|别|请|要|都|先)"
        r"|不要|别(?=再|用|写|把|每|总|老|擅自)"
        r"|不许|我说过)(?!.{0,1}$)",
        _CASE,
    ),
    "decision": re.compile(
        r"^(?:so |finally,? )?(?:decided|agreed)[:,]? (?:\S+ ){1,}\S+"
        r"|^(?:so |finally,? )?(?:the (?:team|board|client)|we|they)(?:'ve| have"
        r"| has)? (?:\w+ )?(?:decided|agreed|chose|settled on|picked"
        r"|opted for|go with|went with|resolved to|ruled out|committed to) \S+"
        r"|^(?:decision|agreed|decided)s?[:,] (?:\S+ ){3,}\S+"
        r"|^(?:最终|最后|我们|会上|团队)?(?:决定|商定|敲定|一致同意|定了[:：，,])(?!.{0,4}(?:记录|日志|纪要|会议"
        r"|汇总|书$)).{4,}",
        _CASE,
    ),
}
# What is decided about something that has a note.
_OF_IT = re.compile(
    r"\b(?:drops|must|has to|will only|keeps only|gives up|is frozen|goes with)\b \S+|必须.{2,}|放弃.{2,}"
    r"|不做.{2,}|只保留.{2,}"
    r"|统一用.{2,}|一律用.{2,}|不再支持.{2,}"
)


def kind(title: str, meant: str, *, about: bool) -> str:
    """The kind of a title that is a sentence, "" of one that is a label. `meant`: by its words; `about`: it names
    something that has a note."""
    pattern = _SENTENCES.get(meant)
    if pattern is None:
        return ""
    if pattern.search(title) or (meant == "decision" and about and _OF_IT.search(title)):
        return meant
    return ""
