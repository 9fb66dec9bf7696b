"""The table of settings: name, default, what each is for, who may set it, within which bounds.

`references/settings.md` is generated from it; `config` reads and checks the values. Plain values.
"""

import math
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Setting:
    """One row of the table. `vault`: a vault's own `memdir.toml` may set it; `least` and `most`: bounds of a number."""

    name: str
    default: Any
    about: str
    vault: bool = True
    least: float = -math.inf
    most: float = math.inf

    @property
    def variable(self) -> str:
        return "MEMDIR_" + self.name.replace(".", "_").upper()

    @property
    def range(self) -> str:
        """The values that a number may take, "" where there is no bound."""
        if self.most < math.inf:
            return f"{self.least:g} to {self.most:g}"
        return f"{self.least:g} or more" if self.least > -math.inf else ""


TABLE = (
    Setting(
        "format",
        0,
        "Version of the vault format; `memdir init` writes it, a vault without it is an adopted one.",
        least=0,
    ),
    Setting("by", "cli", "Who writes, for ledger and history, such as `agent:claude`.", vault=False),
    Setting("timezone", "", "Zone that decides the day of a log entry, such as `Europe/Lisbon`; empty: the system's."),
    Setting("log.path", "memory/logs/{year}/{month}/{date}.md", "Where the day's log lies; `{date}` is `YYYY-MM-DD`."),
    Setting(
        "notes.include",
        [],
        "Patterns of files that count as notes; empty: `MEMORY.md` and `memory/`, or every `.md` in an adopted vault.",
    ),
    Setting(
        "notes.exclude",
        [],
        "Patterns of files that are no notes, beside dot folders, templates, backups and conflict copies.",
    ),
    Setting(
        "memory.max_lines", 200, "Lines that MEMORY.md may have; the list is cut at 90 % of it.", least=20, most=200
    ),
    Setting(
        "memory.max_bytes",
        25_000,
        "Bytes that MEMORY.md may have; the list is cut at 90 % of it.",
        least=2_000,
        most=25_000,
    ),
    Setting(
        "persona",
        "",
        "Which file of `memory/personas/` a start shows; empty: the one named as the scope, else `default.md`.",
    ),
    Setting("recall.limit", 5, "Results of one recall.", least=1, most=100),
    Setting("recall.budget", 0, "Tokens that the quotes of one recall may use (estimated); 0: no limit.", least=0),
    Setting(
        "recall.log",
        5.0,
        "Megabytes of the log of recalls in the cache folder, and as many of the one before it; 0: no log.",
        least=0,
        most=1_000,
    ),
    Setting("recall.weight_name", 3.0, "BM25F weight of a note's name.", least=0, most=100),
    Setting("recall.weight_aliases", 3.0, "BM25F weight of a note's aliases.", least=0, most=100),
    Setting("recall.weight_tags", 2.0, "BM25F weight of a note's tags.", least=0, most=100),
    Setting("recall.weight_heading", 2.0, "BM25F weight of headings.", least=0, most=100),
    Setting("recall.words", 1.0, "Weight of the view by words in the fused score.", least=0, most=100),
    Setting("recall.meaning", 0.8, "Weight of the view by meaning (vectors) in the fused score.", least=0, most=100),
    Setting("recall.fusion", "sum", "How views are fused: `sum` of standardised scores, or `rrf` (reciprocal ranks)."),
    Setting("recall.ranker", True, "Whether turns of conversations get a second look, by signals of their own."),
    Setting("recall.recent", 4, "Last messages of a running conversation that are searched for too.", least=0, most=20),
    Setting("recall.recent_weight", 0.5, "What such a message counts beside the question.", least=0, most=10),
    Setting("recall.beside", 0.35, "Share of its score that a turn gives those beside it.", least=0, most=1),
    Setting("recall.beside_two", 0.15, "Share that it gives those two away.", least=0, most=1),
    Setting("recall.reply", 0.4, "Share that a question gives the reply of somebody else.", least=0, most=1),
    Setting("recall.speaker", 2.0, "What turns of the one speaker gain whom the question names.", least=0, most=10),
    Setting("recall.facts", True, "Whether a question that names a note and one of its keys is answered by the fact."),
    Setting("recall.time", True, "Whether what held at the time that a question asks for comes before what did not."),
    Setting(
        "recall.period",
        3.0,
        "What a turn, and a log entry at least, gains on a day that a question names; 0: none is put before others.",
        least=0,
        most=100,
    ),
    Setting("recall.diverse", False, "Whether each result is chosen to differ from those before it."),
    Setting("recall.half_life", 0, "Days in which a score halves with age; 0: it does not.", least=0, most=36_500),
    Setting("recall.freshness", 0.0, "Weight of freshness beside the fused score.", least=0, most=10),
    Setting("recall.k1", 1.2, "BM25 term saturation.", least=0, most=10),
    Setting("recall.b", 0.75, "BM25 length normalisation.", least=0, most=1),
    Setting("recall.hyde", False, "Whether a model writes a likely answer that is searched for as well.", vault=False),
    Setting("recall.expand", False, "Whether a model words the question anew, in English and Chinese.", vault=False),
    Setting("recall.rerank", False, "Whether a model puts the first results in order.", vault=False),
    Setting(
        "recall.help_seconds",
        3.0,
        "Seconds that a recall waits for the model's likely answer or wordings.",
        vault=False,
        least=0.1,
        most=60,
    ),
    Setting(
        "recall.rerank_seconds",
        5.0,
        "Seconds that a recall waits for the model's order.",
        vault=False,
        least=0.1,
        most=60,
    ),
    Setting("recall.rerank_first", 20, "Results that the model puts in order.", vault=False, least=2, most=100),
    Setting(
        "graph.hops",
        1,
        "Links, names and entities that a recall follows from its best answer; 0: none.",
        least=0,
        most=4,
    ),
    Setting("graph.damping", 0.5, "Share of its energy that a passage gives on over the graph.", least=0, most=1),
    Setting("graph.seeds", 2, "Best answers from which the graph is followed.", least=1, most=20),
    Setting("graph.behind", 3, "Answers that stand before what the graph brings.", least=1, most=100),
    Setting("graph.places", 2, "Places among the answers for what the graph brings.", least=0, most=20),
    Setting("distill.days", 14, "Days back that `memdir distill` looks for entries it has not learned from.", least=1),
    Setting("distill.share", 0.05, "Share of the notes that one distillation may change or make.", least=0, most=1),
    Setting("distill.least", 20, "Notes that one distillation may change or make however few there are.", least=1),
    Setting(
        "capture.policy",
        "auto",
        "What becomes of what a conversation teaches: `auto` (into notes and the log) or `review` (into the inbox).",
        vault=False,
    ),
    Setting("capture.confidence", 0.6, "How sure a capture must be of what it keeps.", vault=False, least=0, most=1),
    Setting("capture.hooks", True, "Whether hooks capture from the conversations that they bring in.", vault=False),
    Setting("capture.speakers", [], "Names under which you speak in transcripts, beside `user`.", vault=False),
    Setting("capture.idle", 60, "Minutes of silence after which a conversation has ended.", least=1, most=10_080),
    Setting(
        "archive.low_days", 180, "Days without a change after which a note of low importance is archived.", least=1
    ),
    Setting("heartbeat.sync_hours", 4.0, "Hours after which a heartbeat syncs again.", least=0, most=8_760),
    Setting(
        "heartbeat.distill_hours",
        12.0,
        "Hours after which a night distils again; by day after 2.5 times as many.",
        least=0,
        most=8_760,
    ),
    Setting(
        "heartbeat.night_from",
        2,
        "Hour of the vault's zone at which the night of a heartbeat begins.",
        least=0,
        most=23,
    ),
    Setting("heartbeat.night_to", 3, "Hour at which it ends.", least=1, most=24),
    Setting("heartbeat.scan_every", 3, "Every how many syncs a heartbeat also scans the workspaces.", least=1),
    Setting("heartbeat.scan_hours", 8.0, "Hours after which a workspace scan is due again.", least=0, most=8_760),
    Setting(
        "scan.workspaces",
        [],
        "Folders, as absolute paths, that `memdir scan` looks at; empty: the vault's own work tree or workspace.",
        vault=False,
    ),
    Setting(
        "checkpoint.window",
        200_000,
        "Tokens that a conversation's window holds, where its transcript does not say.",
        vault=False,
        least=1_000,
    ),
    Setting(
        "checkpoint.share",
        0.8,
        "Share of its window from which a conversation gets a checkpoint by itself; 1: only before a compaction.",
        vault=False,
        least=0.1,
        most=1,
    ),
    Setting(
        "corrections.similarity",
        0.75,
        "How like a request whose answer was corrected a message must be (cosine) for the correction to come back.",
        least=0,
        most=1,
    ),
    Setting("corrections.detection", 0.7, "How sure it must be that it was one.", least=0, most=1),
    Setting("corrections.most", 5, "Corrections that come back at most; 0: none.", least=0, most=5),
    Setting("sync.lock_wait", 10.0, "Seconds that a writing command waits for a lock.", vault=False, least=0, most=600),
    Setting(
        "sync.read_wait",
        0.2,
        "Seconds that a reading command waits for the index lock before it answers from the index as it is.",
        vault=False,
        least=0,
        most=60,
    ),
    Setting(
        "sync.vanish_share",
        0.2,
        "Share of the notes (and more than 10) that may vanish at once before `sync` stops and asks.",
        vault=False,
        least=0,
        most=1,
    ),
    Setting(
        "files.settle",
        0.25,
        "Seconds that a file must have been left alone before it is taken as the base of an edit.",
        vault=False,
        least=0,
        most=10,
    ),
    Setting(
        "llm.url",
        "",
        "Where an OpenAI-compatible model answers, such as `http://localhost:11434/v1`; empty: no model is asked.",
        vault=False,
    ),
    Setting("llm.model", "", "Name of the model to ask; empty: no model is asked.", vault=False),
    Setting("llm.key_env", "", "NAME of the environment variable that holds the key, never the key.", vault=False),
    Setting(
        "llm.timeout",
        120.0,
        "Seconds that one question to the model may take, retries included.",
        vault=False,
        least=1,
        most=3600,
    ),
    Setting("llm.budget", 200_000, "Tokens that one run may spend on the model; 0: no limit.", vault=False, least=0),
    Setting("llm.max_tokens", 2048, "Tokens that one answer of the model may have.", vault=False, least=1),
    Setting(
        "embedder.kind",
        "use",
        "What makes vectors of texts: `use` (built in), `endpoint`, `onnx` or `none`.",
        vault=False,
    ),
    Setting("embedder.model", "", "Name of the endpoint's model.", vault=False),
    Setting(
        "embedder.url",
        "",
        "Where an OpenAI-compatible endpoint embeds, such as `http://localhost:11434/v1`.",
        vault=False,
    ),
    Setting("embedder.key_env", "", "NAME of the environment variable that holds the endpoint's key.", vault=False),
    Setting("embedder.path", "", "Folder of an ONNX model with its `tokenizer.json`.", vault=False),
    Setting("embedder.query_prefix", "", "What the model wants before a question, such as `query: `.", vault=False),
    Setting("embedder.document_prefix", "", "What the model wants before a text, such as `passage: `.", vault=False),
    Setting("embedder.batch", 256, "Texts in one request to the endpoint.", vault=False, least=1, most=2048),
    Setting(
        "embedder.timeout",
        5.0,
        "Seconds that one request may take, retries included; a question never waits longer than 2.",
        vault=False,
        least=0.1,
        most=600,
    ),
    Setting(
        "embedder.sync_most",
        100,
        "Missing vectors that a sync makes by a model of this machine; more are left to a heartbeat, a drain or a"
        " rebuild. 0: none.",
        vault=False,
        least=0,
        most=100_000,
    ),
    Setting("embedder.words", 60, "First words of a passage that are embedded.", vault=False, least=5, most=1000),
    Setting(
        "import.member_mb",
        32,
        "MiB that one member of an archive may unpack to; a ChatGPT export of years holds a larger one.",
        vault=False,
        least=1,
        most=4096,
    ),
    Setting("import.archive_mb", 256, "MiB that an archive may unpack to in all.", vault=False, least=1, most=65_536),
    Setting(
        "scope.inherits",
        [],
        "What a scope sees of others, as `child < parent`; `child <` sees what has no scope.",
    ),
    Setting("index_dir", "", "Folder for the derived index; empty: the user's cache folder.", vault=False),
)
