"""What facts are about: keys that they commonly have, and the one that an idiom means.

A key is written in the language of its sentence. Where a note has a key of the same meaning already ("payment terms",
"net terms"), the value goes there: otherwise the old value would stay current under another name. Pure data.
"""

from collections.abc import Iterable
from functools import lru_cache

from memdir.vault import names

# One meaning a line: its English keys, its Chinese keys; the first of each is the one that an idiom is written with.
_MEANINGS = """
version, release, running version | 版本, 版本号
port, port number | 端口, 端口号
staging port | 测试端口
test port |
production port | 生产端口
host, hostname, server, machine, hosted on | 主机, 服务器, 主机名
platform | 平台
database, db | 数据库
queue, job queue, message queue | 队列
topic |
memory limit, memory cap, max memory, ram limit | 内存上限, 内存限制
disk quota, disk limit | 磁盘配额
rate limit, request limit | 限流, 请求上限
log retention, retention of logs | 日志保留期, 日志保留, 日志保存期, 日志保留时间
backup retention | 备份保留期, 备份保留
request timeout | 请求超时, 超时时间
connection timeout | 连接超时
timeout | 超时
backup time, backup window | 备份时间
deploy window, deployment window, release window | 部署窗口, 发布窗口
owner, responsible, person in charge | 负责人
caretaker, janitor | 管理员, 看管人
manager, line manager, boss, supervisor | 上级, 领导, 主管
contact, contact person | 联系人, 对接人
team | 团队
budget | 预算
launch date, go-live date, go-live | 上线日期, 上线时间
release date | 发布日期, 发布时间
opening date | 开业日期
deadline, due date | 截止日期
start date, first day | 入职日期, 入职时间
end date | 结束日期
release branch | 发布分支
branch | 分支
ticket prefix | 工单前缀
invoice prefix | 发票前缀
desk phone, extension | 座机, 分机, 分机号
phone, phone number | 电话, 电话号码
hotline, support line, support number | 服务热线, 热线
email, mail address | 邮箱
room, office | 房间, 办公室
badge number, badge | 工牌号, 工牌
meter number, meter | 电表号
laptop tag, laptop, laptop number | 电脑编号, 电脑, 笔记本编号
weekly 1:1, 1:1, one-on-one | 一对一时间, 一对一
parking bay, parking space, parking spot | 车位, 停车位
opening time, opening hours, hours | 开放时间, 营业时间, 开门时间
wifi name, wifi, ssid, wifi network | 无线网络名, 无线网络, WiFi 名
rent, monthly rent | 租金, 房租, 月租
monthly price, monthly fee | 月费
yearly price, yearly fee | 年费
unit price, price per piece, piece price | 单价
hourly rate | 小时费率
daily rate | 日费率
cleaning time, cleaning day | 保洁时间, 打扫时间
lease end, end of lease | 租约到期日, 租约到期
contract end | 合同到期日
customer number, client number | 客户编号, 客户号
payment term, payment terms, terms of payment | 账期, 付款期限, 付款方式
supplier | 供应商, 供货商
delivery time, delivery day, delivery window | 送货时间, 到货时间
order number | 订单号, 订单编号
invoice number | 发票号
discount, rebate | 折扣, 优惠
price | 价格
region | 区域
domain | 域名
address | 地址
location | 位置
endpoint |
bucket |
channel |
license |
plan |
quota |
schedule |
on-call | 值班
"""


def _read(text: str) -> list[tuple[tuple[str, ...], tuple[str, ...]]]:
    halves = [line.partition("|") for line in text.strip().splitlines()]
    return [(_list(english), _list(chinese)) for english, _, chinese in halves]


def _list(text: str) -> tuple[str, ...]:
    return tuple(word.strip() for word in text.split(",") if word.strip())


_ROWS = _read(_MEANINGS)
# Words that are more than a key: a sentence is not cut at them.
_MORE = """
release server machine db responsible janitor boss supervisor hours office badge meter laptop extension wifi
go-live 服务器 平台 电脑 工牌 领导 主管 优惠 办公室 团队
"""
_LOOSE = frozenset([*_MORE.split(), "hosted on"])
# Folded keys: they cut a sentence where neither a verb nor a fact of the vault does.
KEYS = frozenset(names.fold(key) for row in _ROWS for half in row for key in half if key not in _LOOSE)
# Every word of the table, which is no name of anything.
WORDS = KEYS | _LOOSE
_MEANING = {names.fold(key): row for row in _ROWS for half in row for key in half}


def in_chinese(key: str) -> str:
    """The Chinese key of the meaning of an English one; itself where it has none."""
    row = _MEANING.get(names.fold(key))
    return row[1][0] if row and row[1] else key


@lru_cache(4096)
def alike(key: str) -> frozenset[str]:
    """Folded keys that mean the same as `key`, itself included, in either language."""
    row = _MEANING.get(names.fold(key))
    return frozenset(names.fold(one) for half in row for one in half) if row else frozenset({names.fold(key)})


def held(key: str, have: Iterable[str]) -> str:
    """The key among those that a note has under which a value of `key` belongs; `key` where none means the same."""
    known = {names.fold(one): one for one in have}
    if names.fold(key) in known:
        return key
    return next((one for folded, one in known.items() if folded in alike(key)), key)
