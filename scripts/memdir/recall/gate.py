"""Whether a message needs memory before it is answered: rules over its words, English and Chinese, no model.

A message that hands over its own material ("translate: ...") is judged by what stands before it. What nobody can tell
without the vault (whose, which, as before, the usual) needs memory; greetings, thanks and what any book says do not.
Pure; patterns are compiled when first used.
"""

import re
from collections.abc import Callable
from functools import cache
from typing import Literal, NamedTuple

from memdir.recall import asking

LONGEST = 4_000  # characters of a message that are read: what is pasted stands further down
Kind = Literal["memory", "none", "continue"]

# Said and answered by itself: the whole message.
_PHRASES = (
    r"(?:hi|hey|hello|yo|howdy|greetings|good (?:morning|afternoon|evening|night|day)|morning|evening"
    r"|how are (?:you|things)|how(?:'s| is) it going|what'?s up|nice to (?:meet|see) you|welcome back|i'm back"
    r"|thanks?(?: you)?|thx|ty|cheers|many thanks|much appreciated|appreciated?(?: it)?|no thanks|ok(?:ay)?|k|kk"
    r"|yes|yep|yeah|yup|no|nope|nah|sure|right|exactly|correct|agreed|done|fine|great|good|nice|cool|perfect"
    r"|awesome|excellent|wonderful|brilliant|amazing|lovely|super|wow|lol|haha+|hm+|oh|ah|i see|got it|understood"
    r"|makes sense|sounds good|looks good(?: to me)?|lgtm|no problem|no worries|never ?mind|all good|that(?:'s"
    r"| is) (?:all|it|fine|great|good|perfect|right|correct|enough|what i needed)|well done|good job|nice work"
    r"|great (?:work|job)|go ahead|do it|go on|continue|carry on|keep going|please|please do|stop|wait|one moment"
    r"|bye|goodbye|see you(?: later| tomorrow| soon)?|later|have a (?:good|nice|great) \w+|you(?:'re| are) welcome"
    r"|sorry|there|all|everyone|team|again|so much|very much|a lot|for (?:the|your|all) (?:\w+ )?(?:help|work"
    r"|answer|info)|for (?:that|this|now|today|everything|helping)|that (?:works|helps|worked|helped)(?: well"
    r"| a lot)?|it works(?: now)?|today|then|and|but|really|just|works|test(?:ing)?)"
)
_SMALL = rf"^(?:{_PHRASES}[\s,.!?;:~…👍🙏😊🎉✅-]*)+$"
_PHRASES_ZH = (
    r"(?:你好|您好|大家好|嗨|哈[喽啰]|喂|早上好|早安|早|上午好|中午好|下午好|晚上好|晚安|在吗|在么|在不在"
    r"|最近怎么样|你怎么样|好久不见|谢谢你?|谢啦|谢了|多谢|感谢|非常感谢|太感谢了|辛苦[了啦]?|麻烦[了你]+|不客气"
    r"|没事|没关系|没问题|不用了|不用谢|算了|好的?|好吧|好嘞|行|行吧|可以|可以了|嗯+|哦+|噢|啊|对|对的|是的?|是啊"
    r"|没错|不是|不对?|收到|明白[了啦]?|懂了|知道了|了解[了]?|原来如此|清楚了|太好了|太棒了|很好|真好|不错|棒|真棒"
    r"|厉害|牛|完美|赞|哈哈+|呵呵+|嘿嘿+|搞定[了]?|完成了|继续|请继续|接着说|继续吧|就这样吧?|就这么办|按这个来"
    r"|同意|确认|再见|拜拜|回头见|明天见|回见|下次见|周末愉快|祝你愉快|请稍等|等一下|稍等|抱歉|对不起|不好意思"
    r"|你的帮助|帮大忙了|帮忙|有用|很有帮助|了|啦|呀|吧|呢|哟|都|很|太|真|今天|先这样|问题解决了|解决了)"
)
_SMALL_ZH = rf"^(?:{_PHRASES_ZH}[\s,，.。!！?？;；:：~～…、👍🙏😊🎉✅-]*)+$"

_CONTINUE = (
    r"\b(?:left|leave|leaving) off\b|\bwhere (?:were|was|are|did) (?:we|i|you)\b(?=.{0,12}(?:[?.!]|$|stop|at\b"
    r"|up to|with\b|on\b|in\b))|\bpick(?:ing)? (?:it |this |that |things )?(?:back )?up (?:from|where|with|again"
    r"|the|our|my|that)\b|^(?:\W|please|ok(?:ay)?|now|so|and|let'?s|let us|can we|could we|can you|shall we"
    r"|i want to|i'd like to|we should|time to)*(?:continue|resume|carry on|keep going|go on|proceed|keep working"
    r"|get back|go back|return|back)\b(?: (?:with|on|to|working on|from|where|writing|doing))* (?:the|our|my|that"
    r"|this|what|where|last|yesterday|it\b.{0,20}(?:yesterday|last))\b|\bwhat (?:were|was|have|had|did) (?:we|i"
    r"|you) (?:been )?(?:do(?:ing)?|working on|work on|up to|discussing|talking about|in the middle of|get done)\b"
    r"|\bwhat(?:'s| is| was| are| were) (?:left|next|still (?:open|to do|pending)|the next step|the next steps"
    r"|my next|our next|the status|our status|on (?:the|my|our) (?:list|plate|agenda))\b|\b(?:catch me up"
    r"|bring me up to (?:date|speed)|get me up to speed|recap (?:of )?(?:the )?(?:last|yesterday|our|where"
    r"|what we))\b|\b(?:last|previous|yesterday's|earlier) (?:session|conversation|chat)\b.{0,30}(?:end|stop"
    r"|continue|resume|status|pick|[?]$)|\bunfinished\b|\bwhere do (?:we|things|i) stand\b|\bopen (?:loops|ends"
    r"|items|todos)\b"
)
_CONTINUE_ZH = (
    r"继续(?:上次|上回|上周|昨天|昨晚|前天|之前|以前|刚才|前面|那个|我们|咱们|未完|没做完|没写完|没完成|剩下|推进"
    r"|做那|做上|写那|写上|弄那|搞那|聊上|讨论上|完成|处理)|接着(?:上次|上回|上周|昨天|昨晚|前天|之前|刚才|前面"
    r"|那个|做|干|写|弄|聊|讲|来|往下|推进)|(?:上次|上回|昨天|前天|之前|刚才|我们|咱们|项目|任务|工作|进度|现在"
    r"|你)?[^，。？！]{0,8}(?:说|做|聊|讲|进行|进展|弄|写|谈|讨论|干|推进|改|停)(?:到|在)(?:了)?(?:哪|什么地方"
    r"|什么程度|第几|什么阶段)|(?:还有|还剩|剩下)(?:些|哪些|什么|多少)?[^，。？！]{0,10}(?:没做|没完成|没完|没弄"
    r"|没写|没处理|要做|待办|未完成)|未完成的|没做完的|没写完的|没干完的|接下来(?:该|要|我们|我"
    r"|还)?[^，。？！]{0,4}(?:做|干|弄|忙)(?:什么|啥|哪)|下一步(?:是|该|要|做|我们)|(?:昨天|上次|上周|上午|最近"
    r"|之前|前几天)(?:我们?|咱们)?(?:都|在|是在|主要|正)?(?:在)?(?:忙|做|干|弄|搞)(?:了)?(?:些)?(?:什么|啥|哪些)"
    r"|回到(?:上次|昨天|之前|刚才|那个|我们)|(?:捡|拾)起(?:上次|昨天|之前|那个)|目前进展|进展如何|进度(?:怎么样"
    r"|如何|到哪)|还有什么待办|待办(?:有|还)"
)

# What only the vault can tell: whose, which, as before.
_OURS = (
    r"\b(?:my|mine|our|ours|we|us|myself|ourselves)\b|\bwe'(?:re|ve|ll|d)\b|\blet'?s\b|\b(?:do|did|have|had|was"
    r"|were|am|should|will|can|would|could|must|may) i\b(?! (?:write|use|create|make|get|convert|sort|check|find"
    r"|read|install|start|calculate|say|pronounce|spell|declare|define|center|reverse|parse|boil|cook|remove|add"
    r"|know if|tell))|\bi (?:usually|always|never|often|prefer|like|liked|hate|said|told|asked|mentioned|wrote"
    r"|decided|chose|picked|bought|had|was|did|use|used|promised|agreed|met|planned|noted|gave|sent|saved|put|made"
    r"|saw|read|live|work|worked|owe|need to)\b|\b(?:you|claude) (?:said|told|suggested|mentioned|recommended"
    r"|wrote|promised|gave|found|did|know)\b|\b(?:did|do|have|had|can|could) (?:you|he|she|they) (?:say|tell"
    r"|suggest|mention|recommend|know|remember|find|decide|agree|promise|finish|send|already)\b|\b(?:for|about|to"
    r"|of|with|on|like|suit|invite) me\b(?!.*\b(?:joke|story|poem|riddle)\b)"
)
_PAST = (
    r"\b(?:remember|recall|remind|forgot|forget|memory|memories|notes?|noted|diary|log(?:ged)?|vault)\b"
    r"|\b(?:last (?:time|week|month|year|night|session|sprint|release|meeting|monday|tuesday|wednesday|thursday"
    r"|friday|saturday|sunday|spring|summer|autumn|winter|january|february|march|april|may|june|july|august"
    r"|september|october|november|december)|yesterday|previously|earlier|already|as (?:before|usual|always|agreed"
    r"|discussed|planned|decided)|the usual|same as|like before|once more|(?:days|weeks|months|a (?:day|week|month"
    r"|while)|the other day) ago|the other day|this (?:morning|week|month)|recently|so far|still|any ?more|decided"
    r"|agreed|discussed|settled on|went with|used to|changed (?:to|from)|tomorrow|tonight|next (?:week|month"
    r"|monday|tuesday|wednesday|thursday|friday|meeting|release|sprint))\b"
)
_OURS_ZH = (
    r"我(?:的|们|家|爸|妈|老婆|老公|儿子|女儿|孩子|朋友|同事|老板|上司|喜欢|不喜欢|讨厌|习惯|偏好|常|总|一般|平时"
    r"|通常|说过|提过|讲过|问过|写过|买过|去过|用过|做过|记过|之前|上次|昨天|定的|选的|是不是|有没有|什么时候|哪天"
    r"|在哪|该|今天|明天|最近|答应|欠|住|需要交|负责)|咱们?|本人|你(?:说过|提过|建议|推荐过?的|上次|之前|还记得"
    r"|记得|知道我|了解我)|他们?|她们?"
)
_PAST_ZH = (
    r"记得|记住|记下|记一下|记录|回忆|回想|提醒|忘[了记]|笔记|日志|备忘|记忆|上次|上回|上周|上个?月|昨天|昨晚|前天"
    r"|前几天|前阵子|之前|以前|早先|当时|那时|那天|那次|去年|今早|今天早上|刚才|最近|已经|照旧|老样子|老规矩"
    r"|像往常|跟往常|和往常|一如既往|按惯例|定下|决定|商量|讨论过|约定|说好|约好|敲定|原来的|还是那|上一[次版个]"
    r"|明天|下周|下个?月"
)

# What any book says: how it begins, or what it is about.
_GENERAL = (
    r"^(?:\W|hey|hi|hello|please|so|and|ok(?:ay)?|quick question|question|can you|could you|would you|tell me"
    r"|do you know|i wonder|i'm curious|just curious|briefly|in one sentence|in short)*(?:(?:explain|define"
    r"|describe)\b(?! (?:the|this|that|these|those) (?!difference|concept|theory|meaning|history|basics|principle"
    r"|idea|process of|structure of|role of|law|rules? of|purpose of))|what(?:'s| is| are| was| were)? ?(?:a|an) "
    r"|what (?:are|is|were) (?!the\b|this\b|that\b|his\b|her\b|their\b|[a-z]+'s\b)[\w+#.-]+(?: [\w-]+){0,4}\??$"
    r"|what does (?:the )?[\w'\"+#./ -]{1,40} (?:mean|stand for|do)\b|what causes\b|what happens (?:when|if)\b"
    r"|what makes\b|(?:what(?:'s| is| are| was| were)|give me|list) (?:the |some |an? |two |three |five "
    r"|ten )*(?:\w+ )?(?:capital|population|currency|area|height|length|depth|distance|speed|boiling|melting"
    r"|freezing|formula|definition|meaning|difference|differences|synonyms?|antonyms?|opposite|plural|past tense"
    r"|etymology|origin of|square root|cube root|sum of|product of|derivative|integral|value of pi|atomic|chemical"
    r"|symbol for|largest|smallest|tallest|longest|biggest|fastest|highest|deepest|oldest|closest|nearest planet"
    r"|advantages?|disadvantages?|benefits|pros and cons|purpose of|history of|syntax|time complexity|big[- ]o"
    r"|big o|complexity|french|german|spanish|chinese|english|latin|italian|japanese|hex|http status"
    r"|default port (?:of|for)|planets?|primary colou?rs|prime numbers?|examples?)\b|how (?:does|do|is|are|did|was"
    r"|were) (?!the\b|this\b|that\b|it\b|i\b|we\b|you\b|they\b|he\b|she\b)|how (?:do|can|would|should|could) (?:i"
    r"|you|one|we) (?!usually|normally|always)|how to\b|how (?:many|much|far|long|old|tall|big|deep|hot|fast"
    r"|high) (?:\w+ ){0,2}(?:are there|is there|are in|is in|in an?\b|is the (?:earth|moon|sun)|does (?:it|an?) "
    r"|do (?:\w+s) |is (?:an?|mount|light))|who (?:was|invented|wrote|painted|discovered|composed|founded|directed"
    r"|built|won|sang|designed|created|proved|first)\b(?! (?:the|this|that|in|at|on) (?:bug|ticket|note|meeting"
    r"|issue|spec|call|commit|code|patch|dashboard|retro))|when (?:did|was|were) (?:the )?(?:world|second|first"
    r"|french|american|roman|berlin|cold|great|soviet|[A-Z]\w+ (?:[A-Z]|born|invented|founded|released))|why (?:is"
    r"|are|do|does|did|was|were|can't|can) (?!the\b|this\b|that\b|it\b|i\b|we\b|you\b|they\b|he\b|she\b|my\b"
    r"|our\b)|why (?:is|are) the (?:sky|sea|ocean|sun|moon|grass|earth|sunset)|which (?:planet|country|countries"
    r"|continent|ocean|element|animal|language|river|city is|is (?:bigger|larger|faster|heavier|better|older))\b"
    r"|(?:is|are|does|do|can|did) (?:(?:an?|all|cats|dogs|birds|penguins|humans|people|bees|water|light|python"
    r"|javascript|rust|java|go|glass|sound|tomatoes|whales|fish|bananas?|0|1) )|where (?:is|are"
    r"|was) (?:the )?(?:[A-Z]\w+|great|amazon|eiffel|nile|sahara)[^?]*\?*$|in (?:what|which) year\b|is it true\b"
    r"|compare \w+ (?:and|with|to|vs)\b|(?:tell|sing|write|give|make up)?\s*(?:me )?(?:an?|some) (?:\w+ )?(?:joke"
    r"|riddle|haiku|limerick|poem|fun fact|short story|story|bedtime story|pun|quote|tongue twister)\b)"
    r"|^[\W\d]*\d[\d\s+*/().^%x×÷=-]*\??$|^(?:what(?:'s| is)|calculate|compute|how much is|solve)[: ]*[-(]?\d"
    r"|\bconvert \d|^\d+(?:\.\d+)? ?\w+ (?:in|to) \w+\??$"
)
_GENERAL_ZH = (
    r"(?:的)?(?:首都|省会|人口|货币|面积|海拔|周长|公式|定义|意思|含义|区别|差别|不同|原理|近义词|反义词|同义词"
    r"|全称|缩写|读音|拼音|部首|成语|发明者|作者是|时间复杂度|复杂度|语法|沸点|熔点|化学式|元素符号|平方根|圆周率"
    r"|优缺点|历史背景)|^(?:请问|请|麻烦|能不能|可以|帮我|给我|简单|简要|用一句话|通俗)*(?:解释|介绍|科普|说明"
    r"|讲解|讲讲|定义)(?:一下|下|讲|给我)?(?!这个|那个|我们|上次|下我们)|^(?:请问)?什么(?:是|叫)|是什么意思"
    r"|是啥意思|^(?:请问)?(?:为什么|为何)(?!我|你|他|她|这|那|昨|上|线上|测试|构建|部署|项目)|(?:怎么|如何"
    r"|怎样)(?:用|使用|写|实现|做|读|念|说|计算|安装|煮|炒|泡|学|学习|提高|避免|判断|转换|排序|反转|去除|删除|创建"
    r"|解析|区分|保持|选择|安全)|谁(?:发明|写|画|发现|提出|创立|创办|导演)了?|(?:世界上|地球上|历史上|太阳系|宇宙"
    r"|中国最|全球)|(?:多少|几)(?:个|克|米|公里|毫升|厘米|秒|天|度|小时)?(?:等于|是多少)|等于(?:多少|几)|换算"
    r"|^[\d\s+\-*/×÷().=？?]+$|^\d.*(?:是多少|等于几|等于多少)|(?:讲|说|来|写)(?:一?个|一?首|一?段"
    r"|点)?(?:给我)?(?:一?[个首段则])?(?:关于[^，。]{0,10}的)?(?:笑话|谜语|故事|诗|绕口令|冷知识|对联|俳句|五言"
    r"|七言)|(?:和|与|跟)[^，。？]{1,20}(?:有什么|有何|哪个)(?:区别|不同|关系|差别|更快|更好|更大)|哪个(?:国家"
    r"|城市|星球|行星|朝代|洲)"
)
# A thing made from nothing but what the message says.
_ALONE = (
    r"^(?:\W|please|can you|could you|would you|i need you to|i need|i want|show|give me|help me|hey"
    r"|hi)*(?:to )?(?:write|implement|create|make|generate|code|show|build|give|need|draft)?(?: me)? ?(?:an?|some"
    r"|the code for an?|code (?:for|to|that)|two|three|five|ten) (?:[\w+#.-]+ ){0,4}(?:function|script|class|regex"
    r"|regular expression|query|one[- ]liner|program|snippet|loop|decorator|macro|component|example|algorithm"
    r"|quicksort|binary search|linked list|struct|dockerfile|makefile|bash command|shell command|command|generator"
    r"|iterator|list comprehension|lambda|hook|html page|css|button|table|enum|type|interface|test data|names"
    r"|words|sentences|password|uuid|json|lorem ipsum|unit converter|game|calculator|fizzbuzz|method|haiku|slogan"
    r"|tagline|acrostic|limerick|essay|paragraph)s?\b"
)
_ALONE_ZH = (
    r"(?:写|实现|生成|给|做|来)(?:我)?(?:一?[个段条份组]|几个|一下)?[^，。？]{0,24}(?:函数|脚本|正则|正则表达式"
    r"|SQL|sql|代码|类|程序|算法|排序|查询|组件|命令|示例|例子|装饰器|循环|网页|随机密码|随机数|作文|口号)"
)
_TRANSFORM = (
    r"\b(?:translate|summari[sz]e|rewrite|rephrase|paraphrase|proofread|correct|fix (?:the )?(?:grammar|spelling"
    r"|typos?|typo)|shorten|simplify|convert|format|reformat|sort|extract|count|reverse|capitali[sz]e|classify"
    r"|polish|explain|what does|turn|spell[- ]?check|decode|encode|parse|minify|prettify|tl;?dr|review|improve"
    r"|optimi[sz]e|what(?:'s| is) wrong with|complete|fill in|find the bug in|debug)\b"
)
_TRANSFORM_ZH = (
    r"翻译|总结|概括|改写|润色|校对|改错|纠正|缩短|精简|转换|转成|格式化|排序|提取|数一?数|统计|分类|解释|解码"
    r"|编码|扩写|续写|仿写|改成|修正|检查|优化|这段|下面|以下|如下"
)
_OWN_WORDS = (
    r"\b(?:my|our) (?:text|code|sentence|paragraph|essay|email|draft|function|question|snippet|english|list|query"
    r"|regex)\b"
)
_GIVEN = (
    r"\b(?:this|these|the following|below|the above|following)\b|这段|这句|这个(?:句子|单词|函数|代码|列表|文本"
    r"|段落)|下面|以下|如下|下列"
)
# Standing instructions are about these; where one is asked for, feedback may say how.
_CUSTOM = (
    r"\b(?:commit|pull request|\bpr\b|merge|release|changelog|deploy|roll ?(?:out|back)|publish|report|standup"
    r"|stand-up|status update|minutes|invoice|newsletter|blog ?post|readme|docs|documentation|unit tests?|tests?"
    r"|migration|refactor|review|slides?|presentation|reply|respond|email|e-mail|mail|letter|message|invite"
    r"|invitation|announcement|post|tweet|agenda|plan|schedule|book|order|buy|cook|recipe|dinner|lunch|breakfast"
    r"|restaurant|gift|present|playlist|music|movie|film|trip|travel|holiday|flight|hotel|train|workout|diet"
    r"|shopping|groceries|meeting|appointment|calendar|recommend|suggest|backup|back up|branch|format)\b"
)
_CUSTOM_ZH = (
    r"提交|合并|发布|上线|部署|回滚|更新日志|周报|日报|月报|汇报|纪要|发票|邮件|回复|回信|消息|通知|公告|博客|文档"
    r"|测试|迁移|重构|评审|审查|幻灯片|PPT|演示|议程|计划|安排|日程|预订|预定|订[票个酒机]|点[外餐]|买|做饭|菜谱"
    r"|晚饭|午饭|早饭|餐厅|礼物|歌单|电影|旅行|出差|航班|机票|酒店|车票|健身|购物|会议|预约|推荐|备份|分支|合同"
    r"|报销"
)
_DEFINITE = (
    r"\b(?:the|this|that|these|those|his|her|their|its) (?!following|difference|capital|meaning|best way|world|sky"
    r"|sun|moon|earth|internet)\w+|\b[A-Z]{2,}-\d+\b|#\d+\b|\b\w+\.(?:py|md|ts|js|go|rs|toml|yaml|yml|json|sh|txt"
    r"|csv)\b|\b[A-Z]?\w+'s\b"
)
_DEFINITE_ZH = (
    r"那[个家间本份次位台条件]|这[个家间本份次位台条件]|项目|服务器|数据库|仓库|生产环境|线上|接口|客户|配置"
    r"|[A-Z]{2,}-\d+"
)
_QUESTION = (
    r"\?\s*$|？\s*$|^(?:what|who|when|where|which|why|how|is|are|do|does|did|can|could|should|was|were|has|have"
    r"|will|any)\b|[吗呢么]\s*$|什么|哪|谁|几|多少|怎么|如何|是否|有没有|多久"
)


class Decision(NamedTuple):
    """`memory`: look before answering; `none`: no need; `continue`: work that was left is taken up. `why`: the rule."""

    kind: Kind
    why: str


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.IGNORECASE)


def _holds(pattern: str, said: str) -> bool:
    return bool(_compiled(pattern).search(said))


def decide(message: str, known: Callable[[str], bool] | None = None) -> Decision:
    """What a message needs. `known`: whether a text holds a name of the vault; asked only where words leave it open."""
    said = " ".join(message[:LONGEST].replace("’", "'").split())
    if not any(map(str.isalnum, said)):
        return Decision("none", "no words")
    if _holds(_SMALL, said) or _holds(_SMALL_ZH, said):
        return Decision("none", "greeting, thanks or assent")
    head, given = _apart(message[:LONGEST].replace("’", "'"))
    if given and (_holds(_TRANSFORM, head) or _holds(_TRANSFORM_ZH, head)):
        return _of_given(head, known)
    if _holds(_CONTINUE, head) or _holds(_CONTINUE_ZH, head):
        return Decision("continue", "work that was left")
    return _of_words(head, known)


def _apart(message: str) -> tuple[str, bool]:
    """What is asked, and whether the message brings its own material: behind a colon, in quotes, on further lines."""
    first, mark, rest = message.strip().partition("\n")
    found = _compiled(r"[:：]\s*(?=\S.{2})|[\"“「『`]{1,3}(?=[^\"”」』`]{3})").search(first)
    if found and not _compiled(r"\d:$").search(first[: found.end()]):
        head, given = first[: found.start()], True
        tail = first[found.end() :]
        closed = _compiled(r"[\"”」』`]").search(tail) if first[found.start()] not in ":：" else None
        head += " " + tail[closed.end() :] if closed else ""
    else:
        head, given = first, bool(mark and rest.strip())
    return " ".join(head.split()) or " ".join(first.split()), given


def _of_given(head: str, known: Callable[[str], bool] | None) -> Decision:
    """A text to be worked on comes with the request: memory only where the request says whose way or name."""
    bare = _compiled(_OWN_WORDS).sub(" ", head)
    if _holds(_PAST, bare) or _holds(_PAST_ZH, bare) or _holds(r"\b(?:my|our|we|usual)\b|我们|我的风格|我喜欢", bare):
        return Decision("memory", "a text to be worked on in a way of one's own")
    if known and known(head):
        return Decision("memory", "a name of the vault")
    return Decision("none", "brings its own material")


def _of_words(said: str, known: Callable[[str], bool] | None) -> Decision:
    """By whose it is, then by what any book says, then by names, standing instructions and the definite article."""
    if _holds(_PAST, said) or _holds(_PAST_ZH, said):
        return Decision("memory", "the past, or remembering")
    if _holds(_OURS, said) or _holds(_OURS_ZH, said):
        return Decision("memory", "first or second person")
    if known and known(said):
        return Decision("memory", "a name of the vault")
    for pattern in (_ALONE, _ALONE_ZH):
        if _holds(pattern, said):
            return Decision("none", "says all that is needed")
    if _holds(_GENERAL, said) or _holds(_GENERAL_ZH, said):
        return Decision("none", "general knowledge")
    if _holds(_CUSTOM, said) or _holds(_CUSTOM_ZH, said):
        return Decision("memory", "a kind of work for which there may be instructions")
    if _holds(_DEFINITE, said) or _holds(_DEFINITE_ZH, said):
        return Decision("memory", "something definite")
    if _holds(_GIVEN, said):
        return Decision("none", "about what is at hand")
    if _holds(_QUESTION, said) or asking.is_request(said):
        return Decision("memory", "a question or a request of no known kind")
    return Decision("none", "a remark")
