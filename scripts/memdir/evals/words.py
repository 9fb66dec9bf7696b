"""The words that a made-up corpus is written with: a survey of harbours, bridges and their instruments, all invented.

One `Said` a language: names and facts as templates, the sentences around them, and how its length is counted.
"""

import random
from collections.abc import Callable
from dataclasses import dataclass

FIRST = (
    "Alma", "Bruno", "Carla", "Dario", "Edda", "Farid", "Gilda", "Hamid", "Irena", "Jasper", "Katya", "Leon",
    "Milena", "Nuno", "Odette", "Pavel", "Ravi", "Selma", "Tariq", "Ulla", "Viktor", "Wanda", "Yannick",
    "Zelda",
)  # fmt: skip
LAST = (
    "Abbas", "Brandt", "Castell", "Dvorak", "Eriksen", "Fontana", "Grigor", "Holm", "Ivanov", "Juhl", "Keller",
    "Lorca", "Mendes", "Norberg", "Orlov", "Pires", "Quist", "Rahman", "Soler", "Tamm", "Uribe", "Vogel",
    "Winter", "Zielinski",
)  # fmt: skip
KEYS = (
    "tide_offset", "gauge_limit", "lamp_interval", "crane_load", "sensor_drift", "gate_delay", "sample_window",
    "alarm_level", "buoy_spacing", "pump_cycle",
)  # fmt: skip
UNITS = ("mm", "hours", "kilos", "percent", "steps")
TAGS = (
    "harbour", "bridge", "survey", "weather", "repair", "budget", "safety", "archive", "contract", "training",
    "measure", "supply", "meeting", "decision", "incident", "plan", "crew", "map", "season", "permit",
)  # fmt: skip
_STARTS = ("Bra", "Cor", "Del", "Fen", "Gar", "Hal", "Kel", "Lun", "Mar", "Nor", "Pel", "Ros", "Sel", "Tor", "Ulm")
_MIDDLES = ("va", "mi", "do", "ste", "ri", "lo", "ne", "ga", "tu", "pe", "zo", "ke", "shi", "ra")
_ENDS = ("ford", "wick", "holm", "mere", "dal", "port", "stead", "ness", "gard", "low", "beck", "sund")
_HAN = "青石云松梅白河柳竹雁海霞杉槐雪枫泉月沙盐龙鹤芦星"
_AFTER = {"zh": "港镇谷湾岭桥", "ja": "港町谷湾島橋"}


@dataclass(frozen=True, slots=True)
class Said:
    """How notes of one language are written. `sizes`: least and most size aimed at, in what `size` counts."""

    name: str
    fact: str
    question: str
    devices: tuple[str, ...]
    materials: tuple[str, ...]
    reasons: tuple[str, ...]
    headings: tuple[str, ...]
    sentences: tuple[str, ...]
    sizes: tuple[int, int]
    joint: str
    size: Callable[[str], int]


def place(language: str, rng: random.Random) -> str:
    """The name of a place."""
    if language == "en":
        return rng.choice(_STARTS) + rng.choice(_MIDDLES) + rng.choice(("", *_MIDDLES)) + rng.choice(_ENDS)
    return rng.choice(_HAN) + rng.choice(_HAN) + rng.choice(_AFTER[language])


SAID = {
    "en": Said(
        name="{place} {device} {ident}",
        fact=(
            "{person} gave up {material} for the {device} of {place} because {reason}. `{key}` is {code} since then,"
            " filed as {ident}."
        ),
        question="why did {first} give up {material} for the {device} of {place}?",
        devices=(
            "tide gauge", "signal lamp", "swing bridge", "loading crane", "weather mast", "lock gate",
            "harbour pump",
            "depth sounder", "mooring buoy", "customs shed", "ferry ramp", "survey boat", "radio beacon",
            "dry dock",
            "sluice valve", "current meter", "light vessel", "chain ferry", "repair yard", "rope store",
            "fog horn",
            "grain silo", "pilot cutter", "fish market", "coal wharf", "ice house", "anchor winch", "sail loft",
            "water tower", "cable drum",
        ),
        materials=(
            "larch", "bronze", "cast iron", "hemp", "copper", "granite", "linseed oil", "oak", "zinc", "rubber",
            "canvas", "slate", "aluminium", "tar", "concrete", "steel wire", "glass fibre", "teak", "brass",
            "nylon",
        ),
        reasons=(
            "salt had eaten the bolts within two winters", "the supplier doubled the price without notice",
            "nobody could lift the spare parts by hand", "readings drifted whenever the sun stood low",
            "the insurers asked for a second inspection", "spring floods carried the old one away",
            "the crew heard it crack during a calm night", "birds nested in it every single year",
            "the drawings had been lost in a move", "the paint never dried before the next rain",
            "two ships touched it on the same day", "the permit covered only the summer months",
            "frost split the seams from the inside", "the last carpenter who knew it retired",
            "the tests at the institute came back poor", "children kept climbing over the fence",
        ),
        headings=(
            "Background", "What was seen", "Decision", "Costs", "Open points", "Next steps", "People",
            "Sources",
        ),
        sentences=(
            "The crew from {place} measured twice and wrote both results into the book.",
            "{person} will ask the council before the end of the month.",
            "Nothing was decided about the {device}, which stays closed until the inspection.",
            "A barge with {material} is expected when the wind turns.",
            "The second quotation was lower, but it left out transport and scaffolding.",
            "People in {place} remember an older one that stood further to the north.",
            "We agreed to photograph every joint so that the next visit can compare.",
            "{person} keeps the keys and answers the telephone on weekdays.",
            "If the water rises above the mark, the {device} must be locked at once.",
            "The minutes of the spring meeting mention this only in passing.",
            "Half of the budget went into labour, and a third of it into {material}.",
            "It was quiet for weeks, therefore the fault must have come with the storm.",
            "The old photographs show the {device} with a different roof.",
            "Training takes three afternoons and ends with a walk along the quay.",
            "{person} doubts the figure, since the instrument had not been calibrated.",
            "Visitors ask about it often, so a small sign was put beside the path.",
            "The report from {place} arrived late and without its annex.",
            "Repairs are possible only at low tide, and never for longer than four hours.",
            "An apprentice found the missing drawing behind a cupboard in the office.",
            "The contract says nothing about who pays when {material} runs short.",
            "Every autumn the {device} is emptied, dried and covered with a sheet.",
            "Two offers for {material} are still open, both from the same yard.",
            "{person} and the harbour master disagree about the date, not about the facts.",
            "The list of spare parts hangs inside the door, on the left side.",
        ),
        sizes=(160, 235),
        joint=" ",
        size=lambda text: len(text.split()),
    ),
    "zh": Said(
        name="{place}{device}记录{code}",
        fact="{person}说，{place}的{device}因为{reason}，不再使用{material}，参数 `{key}` 改为{code}，编号{ident}。",
        question="{place}的{device}为什么不再使用{material}",
        devices=(
            "潮位计", "信号灯", "旋转桥", "装卸吊车", "气象塔", "船闸", "港口水泵", "测深仪", "系泊浮筒",
            "渡船坡道",
            "无线电信标", "干船坞", "流速仪", "修船厂", "雾号", "粮仓",
        ),
        materials=(
            "落叶松", "青铜", "铸铁", "麻绳", "花岗岩", "亚麻油", "橡木", "橡胶", "帆布", "石板", "混凝土",
            "钢丝",
        ),
        reasons=(
            "螺栓被海盐腐蚀", "供应商突然涨价", "备件太重搬不动", "读数随日照漂移", "保险公司要求复检",
            "春汛冲走了旧设备", "夜里出现裂缝", "图纸在搬家时丢失", "油漆一直没有干透", "许可只包括夏季",
        ),
        headings=("背景", "现场情况", "决定", "费用", "待办"),
        sentences=(
            "测量队量了两次，把两个结果都写进了本子。", "月底之前需要征求委员会的意见。",
            "检查结束以前，这里暂时关闭。",
            "等风向转变，运送材料的驳船就会到达。", "第二份报价较低，但是没有包括运输和脚手架。",
            "老人们还记得更北边曾经有过一座。", "大家同意给每个接头拍照，方便下次比较。",
            "钥匙由值班员保管，工作日可以打电话联系。",
            "水位超过标记时必须立刻上锁。", "春季会议的纪要只是顺便提到这件事。",
            "一半预算用于人工，三分之一用于材料。",
            "几个星期都很平静，故障应该是暴风雨带来的。", "旧照片上的屋顶和现在不一样。",
            "培训需要三个下午，最后沿着码头走一圈。",
            "维修只能在退潮时进行，每次不超过四个小时。", "学徒在办公室的柜子后面找到了丢失的图纸。",
        ),
        sizes=(280, 460),
        joint="",
        size=len,
    ),
    "ja": Said(
        name="{place}の{device}記録{code}",
        fact=(
            "{person}によると、{place}の{device}は{reason}ため{material}の使用をやめた。"
            "設定 `{key}` は{code}、番号は{ident}。"
        ),
        question="{place}の{device}はなぜ{material}をやめたのか",
        devices=(
            "潮位計", "信号灯", "旋回橋", "荷役クレーン", "気象マスト", "水門", "排水ポンプ", "測深機",
            "係留ブイ", "渡船場",
            "無線標識", "乾ドック", "流速計", "修理工場", "霧笛", "穀物倉庫",
        ),
        materials=(
            "カラマツ", "青銅", "鋳鉄", "麻縄", "花崗岩", "亜麻仁油", "オーク材", "ゴム", "帆布", "スレート",
            "コンクリート", "鋼線",
        ),
        reasons=(
            "塩でボルトが腐食した", "仕入れ値が急に上がった", "予備の部品が重すぎた", "日差しで測定値がずれた",
            "保険会社が再検査を求めた", "春の洪水で流された", "夜中にひびが入った", "引っ越しで図面を失った",
            "塗料がいつまでも乾かなかった", "許可が夏だけだった",
        ),
        headings=("背景", "現場の様子", "決定", "費用", "今後"),
        sentences=(
            "測量班は二度測り、両方の結果を帳面に書いた。", "月末までに委員会の意見を聞く必要がある。",
            "検査が終わるまで閉鎖を続ける。",
            "風向きが変われば、資材を積んだはしけが着く。", "二番目の見積もりは安いが、運送と足場を含まない。",
            "年配の人々は、もっと北にあった古いものを覚えている。",
            "次回と比べるため、すべての継ぎ目を写真に撮ることにした。",
            "鍵は当直が持ち、平日は電話で連絡できる。", "水位が印を超えたら、すぐに施錠しなければならない。",
            "春の会議の議事録には、ついでに触れられているだけだ。",
            "予算の半分は人件費、三分の一は材料費になった。",
            "何週間も静かだったので、故障は嵐のせいだろう。", "古い写真では屋根の形が違っている。",
            "研修は午後に三回あり、最後に岸壁を歩く。", "修理は干潮のときだけ、四時間以内に行う。",
            "見習いが事務所の戸棚の裏で失くした図面を見つけた。",
        ),
        sizes=(280, 460),
        joint="",
        size=len,
    ),
}  # fmt: skip
