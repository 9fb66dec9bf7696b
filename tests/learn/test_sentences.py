"""Sentences that say what an attribute is now, and those that only look so."""

import pytest

from driver import unbounded
from memdir.learn.reading import rules, sentences, unsure
from memdir.learn.reading.sentences import Said

KNOWN = sorted(
    [
        "Atlas",
        "ledgerd",
        "Mira",
        "灯塔",
        "Lantern",
        "苏州工厂",
        "Quay Studio",
        "Depot North",
        "Brightline",
        "青松",
        "Dora",
    ],
    key=len,
    reverse=True,
)
KEYS = frozenset({"supplier", "供应商", "payment terms", "owner", "负责人", "管理员", "port", "customer number"})


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("The staging port of Atlas is 7431.", Said("Atlas", "staging port", "7431")),
        ("Atlas now runs on Postgres 16", Said("Atlas", "database", "Postgres 16")),
        ("Mira's desk phone moved to 4410", Said("Mira", "desk phone", "4410")),
        ("We moved the deploy window of Atlas from Monday to Thursday 22:00 because of the freeze",
         Said("Atlas", "deploy window", "Thursday 22:00", "Monday")),
        ("Atlas's owner is no longer Ben but Dora", Said("Atlas", "owner", "Dora", "Ben")),
        ("Kestrel's budget was raised from 20k to 35k", Said("Kestrel", "budget", "35k", "20k")),
        ("Memory limit for ledgerd: 2492 MB", Said("ledgerd", "Memory limit", "2492 MB")),
        ("Went through the list with Mira: Quay Studio's rent is EUR 81,880, the rest we skipped",
         Said("Quay Studio", "rent", "EUR 81,880")),
        ("Depot North: meter number now 7643416 (was 3214381)",
         Said("Depot North", "meter number", "7643416", "3214381")),
        ("With Brightline it's simple: the payment term is 29 days", Said("Brightline", "payment term", "29 days")),
        ("Updated ledgerd's port: 8596 → 7216", Said("ledgerd", "port", "7216", "8596")),
        ("Dora's badge number is now K-21738, it used to be K-78942",
         Said("Dora", "badge number", "K-21738", "K-78942")),
        ("7431 is the staging port of Atlas", Said("Atlas", "staging port", "7431")),
        ("We replaced K-1 with K-2 as the badge number of Mira", Said("Mira", "badge number", "K-2", "K-1")),
        ("Dario Norberg owns Atlas", Said("Atlas", "owner", "Dario Norberg")),
        ("Lantern Paper's customer number is C-1", Said("Lantern Paper", "customer number", "C-1")),
        ("Atlas 的负责人是王芳", Said("Atlas", "负责人", "王芳")),
        ("把灯塔的部署窗口改为周四 22:00", Said("灯塔", "部署窗口", "周四 22:00")),
        ("灯塔的端口不再是 8000，而是 8443", Said("灯塔", "端口", "8443", "8000")),
        ("苏州工厂管理员徐梦琪，已核对", Said("苏州工厂", "管理员", "徐梦琪")),
        ("负责人变更：青松改用罗立新", Said("青松", "负责人", "罗立新")),
        ("问了陈静，灯塔的主机是 finch87.intern.example", Said("灯塔", "主机", "finch87.intern.example")),
        ("Mira Holt owns the database of Atlas", Said("Atlas", "database owner", "Mira Holt")),
        ("The database of Atlas is now maintained by Mira", Said("Atlas", "database owner", "Mira")),
        ("Dora is responsible for Atlas's billing", Said("Atlas", "billing owner", "Dora")),
        ("Dora took over the database of Atlas from Ben", Said("Atlas", "database owner", "Dora", "Ben")),
        ("The owner of Atlas's database is Dora", Said("Atlas", "database owner", "Dora")),
        ("Dora is now the owner of Atlas", Said("Atlas", "owner", "Dora")),
        ("Dora is the owner of the database of Atlas", Said("Atlas", "database owner", "Dora")),
        ("Jo Lind is the owner of the database of Atlas", Said("Atlas", "database owner", "Jo Lind")),
        ("The database of Atlas runs on MariaDB", Said("Atlas", "database", "MariaDB")),
        ("王芳负责灯塔的数据库", Said("灯塔", "数据库负责人", "王芳")),
        ("灯塔的数据库由王芳负责", Said("灯塔", "数据库负责人", "王芳")),
        ("Our supplier Brightline's payment term is 30 days", Said("Brightline", "payment term", "30 days")),
        ("The payment term of our supplier Hofmann is 30 days", Said("Hofmann", "payment term", "30 days")),
        ("Our customer Brandt's contact is Dora", Said("Brandt", "contact", "Dora")),
        ("我们的供应商霍夫曼的账期是 30 天", Said("霍夫曼", "账期", "30 天")),
        ("我们的客户青松的账期是 30 天", Said("青松", "账期", "30 天")),
        ("灯塔项目的端口是 8123", Said("灯塔", "端口", "8123")),
        ("The payment term of Brightline is 45 days, no longer 30",
         Said("Brightline", "payment term", "45 days", "30")),
        ("Atlas's owner is Dora, no longer Ben", Said("Atlas", "owner", "Dora", "Ben")),
        ("Atlas's port is 8123, no longer open to all", Said("Atlas", "port", "8123")),
        ("灯塔的账期现在是 45 天，不再是 30 天", Said("灯塔", "账期", "45 天", "30 天")),
        ("灯塔不再由陈静负责，改由王芳负责", Said("灯塔", "负责人", "王芳", "陈静")),
        ("灯塔的数据库不归陈静管了，现在由王芳管", Said("灯塔", "数据库负责人", "王芳", "陈静")),
        ("灯塔原来由陈静负责，现在由王芳负责", Said("灯塔", "负责人", "王芳", "陈静")),
        ("灯塔由陈静改由王芳负责", Said("灯塔", "负责人", "王芳", "陈静")),
        ("Atlas's port is back to 8080", Said("Atlas", "port", "8080")),
        ("The port of ledgerd was set back to 8080", Said("ledgerd", "port", "8080")),
        ("灯塔的端口改回 8080", Said("灯塔", "端口", "8080")),
        ("灯塔的端口恢复为 8080", Said("灯塔", "端口", "8080")),
        ("Actually Brightline's payment term is 21 days", Said("Brightline", "payment term", "21 days")),
        ("Brightline's payment term is actually 21 days", Said("Brightline", "payment term", "21 days")),
        ("Unfortunately the staging port of Atlas is 7431", Said("Atlas", "staging port", "7431")),
        ("其实灯塔的端口是 8080", Said("灯塔", "端口", "8080")),
        ("灯塔的负责人已变更为王芳", Said("灯塔", "负责人", "王芳")),
        ("灯塔的端口已经修改为 8080", Said("灯塔", "端口", "8080")),
        ("灯塔的主机切换到 finch87.lan", Said("灯塔", "主机", "finch87.lan")),
        ("Hofmann Tea supplies our green tea", Said("green tea", "supplier", "Hofmann Tea")),
        ("Our paper supplier is now Lantern Paper", Said("paper", "supplier", "Lantern Paper")),
        ("The supplier of printer ink is Kessler", Said("printer ink", "supplier", "Kessler")),
        ("茶叶供应商是山雀公司", Said("茶叶", "供应商", "山雀公司")),
        ("The payment terms with Kessler are 30 days net", Said("Kessler", "payment terms", "30 days net")),
        ("The owner of the invoice service is Dora", Said("invoice service", "owner", "Dora")),
        ("Dora owns the invoice service", Said("invoice service", "owner", "Dora")),
        ("Atlas is now hosted on south", Said("Atlas", "host", "south")),
        ("Atlas is currently hosted at Hetzner", Said("Atlas", "host", "Hetzner")),
        ("Yesterday Atlas's port changed to 8080", Said("Atlas", "port", "8080")),
        ("Last week the port of Atlas moved to 8080", Said("Atlas", "port", "8080")),
        ("昨天灯塔的端口改成 8080", Said("灯塔", "端口", "8080")),
        ("The owner of the Lantern repo is Dora", Said("Lantern", "owner", "Dora")),
        ("The Lantern project's owner is Dora", Said("Lantern", "owner", "Dora")),
        ("The host of the Atlas database is finch87.lan", Said("Atlas", "database host", "finch87.lan")),
        ("灯塔的单价改了，32.5 元不用了，换 254.5 元", Said("灯塔", "单价", "254.5 元", "32.5 元")),
    ],
)  # fmt: skip
def test_what_is_said(text: str, wanted: Said) -> None:
    assert sentences.said(text, KNOWN, KEYS) == wanted


@pytest.mark.parametrize(
    "text",
    [
        "maybe the port of Atlas should be 9000?", "Is the port of Atlas 7000?",
        "Dora thinks Atlas's port might be 8088",
        "If Atlas moved to AWS, the port would be 1", "The port of Atlas is not 7000",
        "Turned down: Leon Pires as the manager of Dora",
        "No, Quay Studio's owner never was Hamid",
        "The first owner of Dora ever was Milena, says Tomasz", "Lunch was good",
        "The weather is nice", "灯塔的端口是不是 9000？",
        "要是当初选了另一家，灯塔的端口就是 9000 了", "测试数据里假装灯塔的端口是 9000",
        "论坛上说灯塔的端口是 9000，不太可信", "听说灯塔的负责人是王芳", "", "?" * 50, "：" * 50,
        "Nobody owns the database of Atlas", "She looks after the database of Atlas",
        "Mira might own the database of Atlas", "Mira took over the meeting of Atlas",
        "灯塔不由陈静负责", "如果灯塔不再由陈静负责，改由王芳负责就好了",
        "Maybe Atlas's owner is no longer Ben but Dora",
        "The supplier of printer ink is closed on Mondays", "Our paper supplier is a small family firm",
        "Hofmann supplies our neighbours", "Our supplier is Hofmann",
        "茶叶供应商是谁", "茶叶供应商是个好人", "The deal with Brightline is signed", "Dora owns the house",
        "Both Atlas's port and Dora's port are 8080", "Bob owns the shop", "Hofmann sells our data",
        "Somewhere Atlas's port is 9000", "Old Atlas's port was fine",
        "大家负责灯塔的数据库", "王芳管理灯塔的方式很好", "王芳可能负责灯塔的数据库",
    ],
)  # fmt: skip
def test_what_says_nothing(text: str) -> None:
    assert sentences.said(text, KNOWN, KEYS) is None


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("茶叶的供应商是山雀公司，付款方式是月结60天", [("付款方式", "月结60天")]),
        ("灯塔的端口是 8080，主机是 finch87.lan，天气是晴天", [("主机", "finch87.lan")]),
        ("Atlas's port is 8080, its host is finch87.lan", [("host", "finch87.lan")]),
        ("Atlas's port is 8080 and its owner is Dora", [("owner", "Dora")]),
        ("Atlas's port is 8080, the owner is Dora", []),
        ("Atlas's port is 8080 and its owner might be Dora", []),
        ("Atlas's port is 8080, its owner is ill", []),
        ("灯塔的端口是 8080，主机可能是 finch87.lan", []),
    ],
)
def test_what_is_said_beside_it(text: str, wanted: list[tuple[str, str]]) -> None:
    keys = KEYS | {"host", "主机", "付款方式", "端口", "供应商"}
    told = sentences.said(text, KNOWN, keys)
    assert [(one.key, one.value) for one in (sentences.more(text, told, keys) if told else ())] == wanted


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("Atlas moved from north to south", Said("Atlas", "", "south", "north")),
        ("We migrated Atlas from north to south last week", Said("Atlas", "", "south", "north")),
        ("Atlas has been moved from basil to rosemary.", Said("Atlas", "", "rosemary", "basil")),
        ("灯塔从北楼搬到南楼了", Said("灯塔", "", "南楼", "北楼")),
        ("Atlas may move from north to south", None), ("Oslo moved from north to south", None),
        ("Atlas from north to south", None), ("Atlas moves from north to south on Monday", None),
        ("Atlas was never moved from north to south", None), ("Did Atlas move from north to south?", None),
    ],
)  # fmt: skip
def test_what_moved(text: str, wanted: Said | None) -> None:
    assert sentences.moved(text, KNOWN) == wanted


@pytest.mark.parametrize("pattern", [unsure._ADDRESS.pattern, *rules._URL.pattern.split("|", 1)])
def test_only_the_end_of_an_address_has_no_bound(pattern: str) -> None:
    """A run before what must follow took 40 s a megabyte of a word with hyphens."""
    assert not any(unbounded(pattern)[:-1])
    assert any(unbounded(f"[a-z]+{pattern}")[:-1])
