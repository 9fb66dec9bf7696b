"""What a recall is asked: the question with what goes with it, and what is searched for beside it. Plain values."""

from datetime import datetime
from typing import NamedTuple

from memdir.index import filters

MODES = ("auto", "keyword", "semantic", "hybrid")
LINKED = ("auto", "hybrid")  # modes in which links are followed; auto is hybrid, a rule that chooses is not built


class Question(NamedTuple):
    """What is asked, within which filters, and how much may come back.

    `recent`: the running conversation before it, JSON Lines or a message a line, the newest last. `now`: the moment of
    asking, by which words such as "last week" are read; `hyde`: whether a model helps, None as the settings say;
    `trace`: also tell what every stage made of it; `as_of`: an ISO day, what held on it comes first, and nothing dated
    later comes back; `whole`: keep what a declined answer would leave out.
    """

    text: str
    filters: filters.Filters
    limit: int
    budget: int = 0
    mode: str = "auto"
    recent: str = ""
    now: datetime | None = None
    hyde: bool | None = None
    trace: bool = False
    as_of: str = ""
    whole: bool = False


class Also(NamedTuple):
    """A text that is searched for beside the question, at a weight of its own."""

    text: str
    weight: float
    words: bool = True
