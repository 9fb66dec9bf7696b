"""The words that a made-up month states facts with: who and what it is about, and how people say things of them.

English and Chinese. In every template `{e}` is the entity, `{k}` the key, `{v}` the value, `{o}` the value before,
`{p}` a person. Everything is invented; nothing here says how a distiller reads.
"""

import random
from collections.abc import Callable
from dataclasses import dataclass

from memdir.evals.words import FIRST, LAST

KINDS = ("project", "service", "person", "place", "supplier")
NOTE_TYPES = {"project": "project", "service": "project", "person": "ref", "place": "ref", "supplier": "ref"}


@dataclass(frozen=True, slots=True)
class Entity:
    """Something the month has facts of; `alias` is another name that people use for it."""

    kind: str
    language: str
    name: str
    alias: str
    about: str


@dataclass(frozen=True, slots=True)
class Key:
    """An attribute: its label, its question and one idiom that does without the label, by language."""

    label: dict[str, str]
    maker: str
    question: dict[str, str]
    idiom: dict[str, str]


def lines(text: str) -> tuple[str, ...]:
    """The lines of a block that are not empty."""
    return tuple(line.strip() for line in text.strip().splitlines() if line.strip())


def rows(text: str) -> tuple[tuple[str, ...], ...]:
    """The lines of a block, each divided at its bars."""
    return tuple(tuple(part.strip() for part in line.split("|")) for line in lines(text))


def _key(en: str, zh: str, maker: str, ask_en: str, ask_zh: str, idiom_en: str, idiom_zh: str) -> Key:
    return Key({"en": en, "zh": zh}, maker, {"en": ask_en, "zh": ask_zh}, {"en": idiom_en, "zh": idiom_zh})


ENTITIES = tuple(
    Entity(*row)
    for row in rows("""
    project|en|Atlas|atlas-platform|The booking platform that the whole team lives off.
    project|en|Lantern|LNT|Reading app for the museum, second try after the one with the beacons.
    project|en|Pinewood|pw-shop|Web shop for the joinery, small but it pays its way.
    project|en|Heron|heron-sync|Keeps the field tablets in step with the office.
    project|zh|灯塔|灯塔项目|给港务局做的值班看板，两年前接手。
    project|zh|青松|青松系统|仓库盘点用的小系统，只有三个人在维护。
    project|zh|海燕|海燕二期|面向渔民的短信天气服务。
    service|en|mailgate|mail gateway|Everything that leaves by mail goes through here.
    service|en|ledgerd|the ledger daemon|Books every payment twice and compares at night.
    service|en|Sparrow|sparrow-queue|Job queue, written one weekend and never replaced.
    service|en|tilecache|tile server|Map tiles for the tablets.
    service|zh|账单服务|账单系统|每月一号出账，平时没什么负载。
    service|zh|推送网关|推送服务|所有手机通知都从这里走。
    service|zh|报表引擎|报表服务|夜里跑批，早上七点前要出结果。
    person|en|Mira|Mira Holm|Runs operations and knows where every cable goes.
    person|en|Jonas|Jonas Weber|Backend, joined from the print shop.
    person|en|Dora|Dora Klein|Accounts and contracts; best reached before noon.
    person|en|Tomasz|Tomasz Z.|Tablets, firmware and anything with a battery.
    person|zh|王芳|芳姐|上海这边的产品经理，消息回得很快。
    person|zh|李强|老李|管机房和网络，周三不在。
    person|zh|陈静|小陈|测试，细心，喜欢写长报告。
    place|en|Harbour House|the harbour office|Main office, third floor, the lift is slow.
    place|en|Depot North|the depot|Where the tablets are packed and the spare screens lie.
    place|en|Mill Street|the Mill Street flat|Company flat for visitors.
    place|en|Quay Studio|the studio|Rented for recordings, two rooms and a kitchen.
    place|zh|上海办公室|上海那边|静安区，靠近地铁站，一共八个工位。
    place|zh|浦东仓库|浦东库|放备用屏幕和旧设备。
    place|zh|苏州工厂|苏州厂|组装外壳的地方，去一趟要两个小时。
    supplier|en|Nordwind Print|Nordwind|Prints our manuals and the labels.
    supplier|en|Lantern Paper|LP Paper|Paper and cartons; no relation to the reading app.
    supplier|en|Kessler Tools|Kessler|Tools and mounts, family business.
    supplier|en|Brightline|Brightline Hosting|Rents us the two racks.
    supplier|zh|顺达物流|顺达|国内发货都走他们家。
    supplier|zh|华光包装|华光|纸箱和泡沫。
    supplier|zh|恒通电子|恒通|屏幕和线缆，质量稳定。
    """)
)
KEYS = {
    kind: tuple(_key(*row) for row in rows(block))
    for kind, block in {
        "project": """
    staging port|测试端口|port|Which port does {e} use on staging?|{e} 的测试端口是多少？\
|On staging {e} listens on port {v}|{e} 在测试环境监听 {v} 端口
    owner|负责人|person|Who owns {e}?|{e} 的负责人是谁？|{v} owns {e}|{e} 由 {v} 负责
    deploy window|部署窗口|window|When may we deploy {e}?|{e} 什么时候可以部署？\
|We only deploy {e} on {v}|{e} 只能在 {v} 部署
    database|数据库|database|Which database does {e} run on?|{e} 用什么数据库？|{e} now runs on {v}|{e} 现在跑在 {v} 上
    budget|预算|money|How much budget does {e} have?|{e} 的预算有多少？|{e} has a budget of {v}|{e} 今年的预算批了 {v}
    launch date|上线日期|date|When does {e} launch?|{e} 哪天上线？|{e} goes live on {v}|{e} 定在 {v} 上线
    release branch|发布分支|branch|Which branch is {e} released from?|{e} 从哪个分支发布？\
|Releases of {e} are cut from {v}|{e} 从 {v} 发布
    ticket prefix|工单前缀|prefix|What do ticket numbers of {e} begin with?|{e} 的工单前缀是什么？\
|Tickets of {e} begin with {v}|{e} 的工单都以 {v} 开头
    """,
        "service": """
    port|端口|port|Which port is {e} on?|{e} 在哪个端口？|{e} listens on {v}|{e} 监听 {v}
    host|主机|host|Which host does {e} live on?|{e} 部署在哪台主机？|{e} lives on {v}|{e} 部署在 {v}
    memory limit|内存上限|memory|How much memory may {e} take?|{e} 的内存上限是多少？\
|{e} may take {v} of memory at most|{e} 最多占 {v} 内存
    log retention|日志保留期|days|How long are the logs of {e} kept?|{e} 的日志保留多久？\
|Logs of {e} are kept for {v}|{e} 的日志保留 {v}
    request timeout|请求超时|seconds|After how long does a request to {e} time out?|{e} 的请求超时是多少？\
|Requests to {e} time out after {v}|{e} 的请求超过 {v} 就断开
    version|版本|version|Which version of {e} do we run?|{e} 跑的是哪个版本？|We run {e} {v}|{e} 线上跑的是 {v}
    queue|队列|queue|Which queue does {e} read from?|{e} 读哪个队列？|{e} reads from {v}|{e} 从 {v} 读消息
    backup time|备份时间|clock|When is {e} backed up?|{e} 几点备份？|{e} is backed up at {v}|{e} 每天 {v} 备份
    """,
        "person": """
    desk phone|座机|phone|What is the extension of {e}?|{e} 的座机是多少？|You reach {e} on {v}|打 {v} 可以找到 {e}
    room|房间|room|Which room does {e} sit in?|{e} 坐在哪个房间？|{e} sits in {v}|{e} 坐 {v}
    manager|上级|person|Who does {e} report to?|{e} 向谁汇报？|{e} reports to {v}|{e} 向 {v} 汇报
    badge number|工牌号|badge|What is on the badge of {e}?|{e} 的工牌号是多少？\
|The badge of {e} says {v}|{e} 的工牌上写着 {v}
    start date|入职日期|date|When did or does {e} start?|{e} 哪天入职？|{e} starts on {v}|{e} 从 {v} 开始上班
    laptop tag|电脑编号|tag|Which laptop does {e} have?|{e} 的电脑编号是多少？\
|{e} carries laptop {v}|{e} 用的电脑是 {v}
    weekly 1:1|一对一时间|meeting|When is the weekly 1:1 with {e}?|和 {e} 的一对一是什么时候？\
|I meet {e} every week on {v}|和 {e} 每周 {v} 聊一次
    parking bay|车位|bay|Where does {e} park?|{e} 的车位在哪？|{e} parks in {v}|{e} 的车停 {v}
    """,
        "place": """
    opening time|开放时间|hours|When is {e} open?|{e} 几点开门几点关门？|{e} is open {v}|{e} 每天 {v} 开门
    wifi name|无线网络名|wifi|What is the wifi at {e} called?|{e} 的无线网叫什么？\
|The wifi at {e} is called {v}|{e} 的无线网叫 {v}
    rent|租金|money|How much is the rent for {e}?|{e} 的租金是多少？|We pay {v} a month for {e}|{e} 一个月 {v}
    caretaker|管理员|person|Who is the caretaker at {e}?|{e} 的管理员是谁？|{v} looks after {e}|{v} 看着 {e}
    parking bay|车位|bay|Where do visitors of {e} park?|去 {e} 车停哪里？|At {e} we park in {v}|去 {e} 车停 {v}
    meter number|电表号|meter|What is the meter number of {e}?|{e} 的电表号是多少？\
|The meter at {e} carries the number {v}|{e} 的电表写着 {v}
    cleaning time|保洁时间|window|When is {e} cleaned?|{e} 什么时候做保洁？|{e} is cleaned on {v}|{e} 每 {v} 打扫
    lease end|租约到期日|date|When does the lease of {e} end?|{e} 的租约哪天到期？\
|The lease of {e} runs until {v}|{e} 租到 {v}
    """,
        "supplier": """
    contact|联系人|person|Who do we talk to at {e}?|{e} 找谁联系？|At {e} we talk to {v}|{e} 那边找 {v}
    customer number|客户编号|customer|What is our customer number at {e}?|我们在 {e} 的客户编号是多少？\
|{e} knows us as {v}|我们在 {e} 的编号是 {v}
    payment term|账期|term|How long may we take to pay {e}?|{e} 账期多久？|{e} gives us {v} to pay|{e} 给我们 {v} 付款
    delivery time|送货时间|window|When does {e} deliver?|{e} 什么时候送货？|{e} delivers on {v}|{e} {v} 送货
    unit price|单价|price|What does {e} charge a piece?|{e} 的单价是多少？|{e} charges {v} a piece|{e} 一件收 {v}
    order number|订单号|order|What is the number of the running order at {e}?|{e} 那张单的订单号是多少？\
|The order at {e} runs under {v}|{e} 那张单是 {v}
    discount|折扣|percent|How much discount does {e} give?|{e} 给多少折扣？|{e} takes {v} off|{e} 给我们便宜 {v}
    hotline|服务热线|hotline|Which number is the hotline of {e}?|{e} 的服务热线是多少？\
|Call {v} when something from {e} breaks|{e} 的东西坏了打 {v}
    """,
    }.items()
}

# Statements of a value, without a word of change: a contradiction is two of them.
SAY = {
    "en": lines("""
    The {k} of {e} is {v}
    {e}'s {k} is {v}
    {k} for {e}: {v}
    For the record, the {k} of {e} is {v}
    Looked it up: {e}'s {k} is {v}
    The {k} for {e} is {v}, {p} confirmed it
    {p} confirmed {v} as the {k} of {e}
    {e} - {k}: {v}
    With {e} it's simple: the {k} is {v}
    Asked {p} about {e}: the {k} is {v}
    Wrote {v} on the board as {e}'s {k}
    Since people keep asking: {e}'s {k} is {v}
    Went through the list with {p}: {e}'s {k} is {v}, the rest we skipped
    Small thing, but the {k} of {e} is {v} and people get it wrong
    """),
    "zh": lines("""
    {e} 的{k}是 {v}
    {e} 的{k}：{v}
    确认了一下，{e} 的{k}是 {v}
    {p}确认，{e} 的{k}是 {v}
    记一下：{e} 的{k}为 {v}
    查过了，{e} 的{k}是 {v}
    {e} {k} {v}，已核对
    问了{p}，{e} 的{k}是 {v}
    老有人问：{e} 的{k}是 {v}
    {e} 那边的{k}是 {v}，写到白板上了
    跟{p}过了一遍清单，{e} 的{k}是 {v}，别的没动
    总有人弄错，{e} 的{k}是 {v}，以此为准
    """),
}
CHANGE = {
    "en": lines("""
    {e}'s {k} changed from {o} to {v}
    The {k} of {e} moved from {o} to {v}
    The {k} of {e} is no longer {o} but {v}
    The {k} of {e} was changed to {v}
    As of today the {k} of {e} is {v} instead of {o}
    Switched the {k} of {e} from {o} to {v}
    {e}'s {k} is now {v}, it used to be {o}
    {e}'s {k} is now {v}
    Updated {e}'s {k}: {o} → {v}
    We replaced {o} with {v} as the {k} of {e}
    From this week on {e}'s {k} is {v}, not {o} any more
    {p} wrote that {e}'s {k} has changed to {v}
    After some back and forth {e}'s {k} moves from {o} to {v}, effective at once
    Since Monday's mess {e}'s {k} is {v}; {o} is history
    """),
    "zh": lines("""
    把 {e} 的{k}改为 {v}
    {e} 的{k}从 {o} 改成 {v}
    {e} 的{k}换成了 {v}
    {e} 的{k}不再是 {o}，而是 {v}
    {e} 的{k}由 {o} 调整为 {v}
    今天起 {e} 的{k}是 {v}，之前是 {o}
    {e} 的{k}已经更新为 {v}
    {e} 的{k}现在是 {v} 了，原来是 {o}
    {p}通知：{e} 的{k}变更为 {v}
    {e} 的{k}改了，{o} 不用了，换 {v}
    折腾半天，{e} 的{k}从 {o} 换到 {v}，即日生效
    出了那次故障之后，{e} 的{k}改用 {v}
    """),
}
TITLE = {
    "en": lines("""
    {e}'s {k} is {v}
    {e}: {k} {v}
    {k} of {e}: {v}
    {k} of {e} confirmed: {v}
    {v} is the {k} of {e}
    {e} - {k} is {v}
    Note on {e}: {k} is {v}
    Checked: the {k} of {e} is {v}
    """),
    "zh": lines("""
    {e} 的{k}是 {v}
    {e}：{k} {v}
    {e} 的{k}确认为 {v}
    {k}（{e}）：{v}
    确认 {e} 的{k}：{v}
    {e} {k}为 {v}
    记录：{e} 的{k}是 {v}
    {v} 是 {e} 的{k}
    """),
}
TITLE_CHANGE = {
    "en": lines("""
    {e}'s {k} moved to {v}
    {e}: {k} changed to {v}
    {k} of {e} changed from {o} to {v}
    New {k} for {e}: {v}
    {e}: {k} now {v} (was {o})
    {e}: {k} no longer {o} but {v}
    {k} of {e} switched to {v}
    {e}'s {k} goes from {o} to {v}
    """),
    "zh": lines("""
    {e} 的{k}改为 {v}
    {e} 的{k}换成了 {v}
    {e}：{k}从 {o} 改到 {v}
    {e} 的{k}不再是 {o} 而是 {v}
    {e} 新的{k}：{v}
    {k}变更：{e} 改用 {v}
    {e} 的{k}由 {o} 变为 {v}
    {e} 的{k}更新为 {v}
    """),
}
# Beside a `key:: value` line: what it was until then.
WAS = {
    "en": lines("""
    Used to be {o}
    was {o} until yesterday
    Changed from {o} after the last meeting
    This replaces {o}
    No longer {o}
    Moved away from {o}
    {o} is out
    Old value {o} is not valid any more
    """),
    "zh": lines("""
    之前是 {o}
    原来的 {o} 不用了
    从 {o} 换过来的
    不再是 {o}
    替换了 {o}
    旧的 {o} 作废
    由 {o} 调整而来
    {o} 已停用
    """),
}
GRAMMAR_TITLES = {
    "en": lines("""
    Data sheet of {e}
    Looked up {e}
    {e}: what we know
    Filled in what was missing on {e}
    {e} after the call
    Details of {e}
    Tidied my notes on {e}
    {e}, for next time
    """),
    "zh": lines("""
    {e} 资料
    整理 {e} 的信息
    {e} 基本情况
    补充 {e} 的资料
    {e} 备忘
    核对 {e}
    {e} 的参数
    {e}，下次要用
    """),
}
ZH_FIRST = lines("张 刘 赵 周 吴 徐 孙 马 朱 胡 郭 何 高 林 罗 梁".replace(" ", "\n"))
ZH_LAST = lines("海宁 晓彤 建国 思远 雨晴 志明 佳怡 文博 秀兰 子轩 丽娜 国栋 梦琪 立新 雅婷 俊杰".replace(" ", "\n"))
_DAYS = {
    "en": ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"),
    "zh": ("周一", "周二", "周三", "周四", "周五", "周六"),
}
_DATABASES = ("Postgres", "MariaDB", "MySQL", "CockroachDB", "Firebird", "ClickHouse", "TiDB")
_COLOURS = ("teal", "amber", "coral", "slate", "olive", "plum", "rust", "pearl")
_BEASTS = ("otter", "finch", "badger", "marten", "lynx", "newt", "swift", "mole")


def _name(rng: random.Random, language: str) -> str:
    first, last = (FIRST, LAST) if language == "en" else (ZH_FIRST, ZH_LAST)
    return f"{rng.choice(first)}{' ' if language == 'en' else ''}{rng.choice(last)}"


def _clock(rng: random.Random, first: int, last: int) -> str:
    return f"{rng.randint(first, last):02d}:{rng.randrange(0, 60, 5):02d}"


def _date(rng: random.Random, language: str) -> str:
    month, day = rng.randint(5, 12), rng.randint(1, 28)
    return f"2026-{month:02d}-{day:02d}" if rng.random() < 0.5 or language == "en" else f"{month}月{day}日"


MAKERS: dict[str, Callable[[random.Random, str], str]] = {
    "port": lambda rng, _: str(rng.randint(5_001, 9_998)),
    "phone": lambda rng, _: str(rng.randint(4_101, 4_998)),
    "person": _name,
    "window": lambda rng, language: f"{rng.choice(_DAYS[language])} {_clock(rng, 7, 22)}",
    "meeting": lambda rng, language: f"{rng.choice(_DAYS[language][:5])} {_clock(rng, 9, 17)}",
    "database": lambda rng, _: f"{rng.choice(_DATABASES)} {rng.randint(11, 28)}",
    "money": lambda rng, language: (
        f"EUR {rng.randint(12, 98)},{rng.randint(10, 99)}0" if language == "en" else f"{rng.randint(1_201, 9_801)}0 元"
    ),
    "date": _date,
    "branch": lambda rng, _: f"release/{rng.choice(_COLOURS)}-{rng.randint(11, 99)}",
    "prefix": lambda rng, _: "".join(rng.choice("BCDFGHJKLMNPQRSTVWXZ") for _ in range(4)),
    "host": lambda rng, _: f"{rng.choice(_BEASTS)}{rng.randint(11, 99)}.intern.example",
    "memory": lambda rng, _: f"{rng.randrange(1_100, 9_900, 12)} MB",
    "days": lambda rng, language: f"{rng.randint(61, 399)} {'days' if language == 'en' else '天'}",
    "term": lambda rng, language: f"{rng.randint(11, 58)} {'days' if language == 'en' else '天'}",
    "seconds": lambda rng, language: f"{rng.randint(61, 199)} {'seconds' if language == 'en' else '秒'}",
    "version": lambda rng, _: f"{rng.randint(2, 9)}.{rng.randint(11, 40)}.{rng.randint(1, 9)}",
    "queue": lambda rng, _: f"jobs-{rng.choice(_COLOURS)}-{rng.randint(11, 99)}",
    "clock": lambda rng, _: f"{_clock(rng, 2, 5)} UTC",
    "room": lambda rng, _: f"{rng.choice('ABCDE')}-{rng.randint(101, 489)}",
    "badge": lambda rng, _: f"K-{rng.randint(20_000, 99_999)}",
    "tag": lambda rng, _: f"NB-{rng.randint(1_000, 9_999)}",
    "bay": lambda rng, _: f"P{rng.randint(1, 4)}-{rng.randint(101, 389)}",
    "hours": lambda rng, _: f"{_clock(rng, 6, 9)}-{_clock(rng, 16, 20)}",
    "wifi": lambda rng, _: f"{rng.choice(_COLOURS)}-{rng.choice(_BEASTS)}-{rng.randint(11, 99)}",
    "meter": lambda rng, _: str(rng.randint(3_000_000, 8_999_999)),
    "customer": lambda rng, _: f"C-{rng.randint(10_000, 99_999)}",
    "price": lambda rng, language: (
        f"EUR {rng.randint(1, 48)}.{rng.randint(11, 99)}" if language == "en" else f"{rng.randint(11, 380)}.5 元"
    ),
    "order": lambda rng, _: f"PO-{rng.randint(10_000, 99_999)}",
    "percent": lambda rng, _: f"{rng.randint(2, 28)}.{rng.randint(1, 9)} %",
    "hotline": lambda rng, _: f"030 555 {rng.randint(1_000, 9_999)}",
}
