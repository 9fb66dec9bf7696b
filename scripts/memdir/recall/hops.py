"""The second hop of a question: what the best answers lead to, where the question goes on.

"In which rack is the machine heron runs on": the words find heron, its link the machine, and the machine's note shares
two words with the question. Such a passage cannot win by its words, so places are kept for it. Pure.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from memdir.index.graph import Part


@dataclass(frozen=True, slots=True)
class Places:
    """`most` results behind the first `behind` are kept for what the graph reaches with at least `least` energy.

    `words`: what the words of the question count beside energy; the best first-pass score counts 1.
    """

    behind: int = 3
    most: int = 2
    least: float = 0.05
    words: float = 0.5
    line: float = 3.0


def chosen(
    energy: Mapping[int, float],
    asked: Mapping[int, float],
    said: Mapping[int, float],
    parts: Mapping[int, Part],
    taken: Sequence[str],
    form: Places,
) -> list[int]:
    """The passages that get the places, best first, one a file and none of the files `taken`.

    `energy`: of everything reached; `asked`: number → its score for the words of the question, the best first-pass
    score being 1.
    """
    value = {
        number: round(sent * (1 + form.line * said.get(number, 0.0)) + form.words * asked.get(number, 0.0), 6)
        for number, sent in energy.items()
        if sent >= form.least and parts[number].path not in taken
    }
    found: dict[str, int] = {}
    for number in sorted(value, key=lambda one: (-value[one], parts[one].path, parts[one].first)):
        found.setdefault(parts[number].path, number)
    return [*found.values()][: form.most]
