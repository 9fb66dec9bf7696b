"""What somebody else wants remembered: orders to remember, the label of a role, text that says it is from outside.

Such a sentence may state anything, so it teaches nothing; the log keeps it. A person's own "Remember: …" has the same
form and is left out too. Not meant: an errand ("remember to call"), a label of a log's line ("Note: …", `记一下：…`),
"save the date". English and Chinese; pure functions, every pattern is bounded.
"""

import re
import unicodedata

ORDER = "reads like an order to remember it"
ROLE = "begins with the role of a conversation"
OUTSIDE = "says that it is from outside"
TOLD = "tells what stands on a page"

_CASE = re.IGNORECASE
_WHO = (
    r"(?:(?:dear |my |the )?(?:ai|assistants?|agents?|bots?|chatbot|models?|llms?|system|memory|copilot|claude"
    r"|chatgpt|gpt"
    r"|gemini|siri|alexa|memdir|openclaw|everyone|you|all)|@?(?-i:[A-Z])\w{1,20})"
)
# "Please keep it short" and "please put this on top" are wishes.
_KEEP = (
    r"(?:remember|memori[sz]e|save|store|persist|retain|note(?: down)?|record|write down|jot down|register|take note"
    r"|make a note|keep in mind|bear in mind|commit|never forget|don['’]t forget|do not forget)"
)
_POLITE = (
    r"(?:(?:please|pls|kindly|also|and|now|then|always|just|so|hey|hi|hello|ok|okay|important|urgent|attention"
    r"|reminder|note"
    r"|make sure (?:to|you|that you)|be sure to|remember to|from now on|your task is to"
    r"|(?:can|could|would|will|should|must) you(?: please| kindly)?|you (?:should|may|can|need to|must"
    r"|have to)(?: please)?"
    r"|(?:i|we)(?: would|['’]d)? (?:want|need|like|ask) you to)[,:!]?\s+){0,4}"
)
# What is to be kept: "this", "that X is Y", "the following", "X in memory". "Save the date" has none of it.
_THIS = (
    r"(?:,?\s+(?:that|this|these|it|the following|the fact|the new|for (?:later|future|next time|me)"
    r"|as a fact"
    r"|(?:in|to|into) (?:the |your |my |our )?(?:memory|memories|notes?|vault|long[- ]term memory|knowledge)\b"
    r"|.{1,80}\b(?:in|to|into) (?:the |your |my |our )?(?:memory|memories|vault|long[- ]term memory"
    r"|knowledge base)\b))"
)
_WHAT = rf"(?:\s*:(?!:)|{_THIS})"
# A sentence of its own, also behind a colon, a dash or a bracket: "TODO for the agent - remember that …".
_AT = r"(?:^|[.!?;:：。！？；)\]>*\"“]\s{0,3}|\s[-–—]\s)[\s\"'“‘(\[*_>-]{0,5}"
_PLAIN = re.compile(rf"{_AT}{_POLITE}(?:remember|memori[sz]e|never forget|don['’]t forget|do not forget){_WHAT}", _CASE)
_BARE = re.compile(
    rf"{_AT}{_POLITE}(?:save|store|persist|retain|note down|record|write down|jot down|register|keep in mind"
    rf"|bear in mind"
    rf"|take note|make a note|commit){_THIS}"
    rf"|{_AT}{_POLITE}(?:add|put|write|enter) (?:(?:it|this|that) )?(?:in|to|into) (?:the |your |my |our )?"
    r"(?:memory|memories|long[- ]term memory|knowledge base)\b",
    _CASE,
)
# Asked politely or by name, other words for keeping count as well.
_ASKED = re.compile(
    rf"{_AT}(?:{_WHO}\s*[,:!，：]\s*{_POLITE}|{_POLITE}(?:please|pls|kindly|you to|you|make sure to"
    rf"|be sure to)[,:]?\s+{_POLITE})"
    rf"{_KEEP}{_WHAT}",
    _CASE,
)
# What is called a memory, and what is said of a sentence behind it.
_CALLED = re.compile(
    rf"^[\s\"'“(\[*_>-]{{0,5}}{_POLITE}(?:(?:update|add to|extend|change|correct|edit) (?:your|the|my) (?:memory"
    rf"|memories|notes?)"
    r"|for your (?:memory|memories|records?|files?)|for the memory|(?:new )?memory (?:update|entry|note)"
    r"|(?:new )?instructions?(?: to you)?|(?:new "
    r"|important )?facts?"
    r" (?:to|for you to) (?:remember|keep|save|store|learn)|(?:learn|add|note|enter) (?:this|these|the following)"
    r"(?: facts?| entry| entries| line)?|(?:the following|this)(?: facts?)? (?:must|should|is to"
    r"|has to) be (?:remembered|saved|stored))"
    r"\s?[:,](?!:)"
    r"|[,;]\s?(?:so |and )?(?:please )?(?:remember|memori[sz]e|save|store|note) (?:that|this|it)[.!]{0,3}$",
    _CASE,
)
_CALLED_ZH = re.compile(
    r"^[\s\"“]{0,3}(?:请你?)?(?:更新|修改|写入|补充)(?:一下)?(?:你的|我的)?(?:长期)?记忆\s?[:,]|(?:请|帮我"
    r"|麻烦)(?:你)?把?.{0,6}(?:记住|保存|记下来?|存下来?)[。.!]?$"
    r"|^(?:以下|下面)(?:的)?(?:内容|信息|事实)?(?:请|要|需要?)?(?:记住|保存|记下|存下|牢记)"
    r"|^(?:提醒|告诉|通知)\s?(?:AI|助手|智能体|机器人|模型).{0,3}[:,]"
)
_NAMED = re.compile(  # "remember Atlas's host is evil": no "that"
    rf"{_AT}{_POLITE}(?:(?:remember|memori[sz]e),?|(?:save|store|record|persist):|{_WHO}\s*[,:!，：]\s*{_POLITE}{_KEEP},?)"
    rf" (?!to\b|when\b|how\b|me\b"
    rf"|a\b|an\b)"
    r"[^.!?;]{2,80}?(?:\s(?:is|are|was|has|=|moved|runs|lives|belongs|prefers|likes|wants|uses|works"
    r"|gives|owns)\b|:\s)",
    _CASE,
)
_ROLE = re.compile(
    r"^[\s\"'“(\[<*_#>-]{0,6}(?:system(?:[ _-]?(?:prompt|message|note|instruction)s?)?|assistant"
    r"|developer(?:[ _-](?:prompt|message))"
    r"|ai(?:[ _-]assistant)?|chatgpt|claude|copilot|gemini|tool(?:[ _-](?:output|result|response))"
    r"|function(?:[ _-](?:output|result)))"
    r"[\s\"'”)\]>*_]{0,4}:(?!:)|^\s{0,3}[\[({<](?:system|assistant|developer|ai)[\])}>]\s"
    r"|^\s{0,3}(?:@(?:assistant|ai|agent)\b|(?:ai|assistant)\s?[,–—-]\s|(?:to|(?:note|message|memo) (?:to|for)"
    r"|attention|dear)"
    r" (?:the |any |all |every |my |your )?(?:ai|assistants?|agents?|bots?|llms?|models?|claude|chatgpt)\b\s?[:,–—-])",
    _CASE,
)
_ROLE_ZH = re.compile(
    r"^\s*(?:系统(?:提示词?|消息|指令|通知|命令)?|助手|AI ?助手|智能助手|人工智能|开发者|机器人|工具(?:输出"
    r"|结果))\s{0,3}[:：](?![:：])"
)
_WHO_ZH = (
    r"(?:(?:各位|亲爱的|我的)?(?:AI|智能|小)?\s?(?:助手|助理|智能体|机器人|模型|系统|代理|管家)|AI|你|您|大家"
    r"|^\s*[A-Z][A-Za-z]{1,14})"
)
_POLITE_ZH = (
    r"(?:请你?|请您|麻烦你?|务必|一定要?|必须|你?要|你得|你应该|帮我|帮忙|给我|替我|劳烦|另外|还有|并且?|同时|顺便"
    r"|重要|注意|[，,：:！!\s]){0,8}"
)
_KEEP_ZH = r"(?:记住(?!了)|牢记|谨记|铭记|切记|记牢|记在心里|别忘了|不要忘记|千万别忘)"
_STORE_ZH = (
    r"(?:记下来?|记得|记一下|记录(?:下来?|一下)?|保存(?:下来?|一下)?|存(?:下来?|一下|储|入|到)|储存"
    r"|登记(?:一下)?|写(?:入|进|下来?|到)|录入|收录|备忘"
    r"|加入|添加到)"
)
_AT_ZH = r"(?:^|[。！？；;!?：:，,)）\]】>*\"“”]|\s)[\s\"'“‘（(*_>-]{0,5}"
_ORDER_ZH = re.compile(
    rf"{_AT_ZH}(?:{_WHO_ZH}\s?[，,：:！!、]?\s?)?{_POLITE_ZH}{_KEEP_ZH}"
    rf"|{_AT_ZH}(?:{_WHO_ZH}\s?[，,：:！!、]\s?{_POLITE_ZH}|{_WHO_ZH}?\s?{_POLITE_ZH}(?:请你?|请您|麻烦你?|务必"
    rf"|你要|你得|帮我|帮忙|给我|替我|劳烦)){_STORE_ZH}"
    r"|^(?:记得|保存|存储|存下|储存|记住)\s?(?:以下|下面|这个|这条|这些|此)?.{0,6}[：:]"
    r"|^[\s\"“]{0,3}请?(?:把|将).{1,60}?(?:记住|记牢|(?:记到|存到|存入|存进|写入|写进|写到|加到|保存到|记录到"
    r"|记在)(?:你的|我的|长期)?(?:记忆|脑子|记忆库|知识库|笔记))"
)
_PAGE = (
    r"(?:web ?pages?|web ?sites?|websites?|sites?|internet|the web|online|pages?|articles?|blogs?(?: posts?)?"
    r"|forums?|threads?"
    r"|newsletters?|adverts?|ads?|advertisements?|search results?|tool outputs?|tool results?|repository|repo"
    r"|readme|readmes"
    r"|wikipedia|reddit|twitter|tweets?|posts?|comments?|pdfs?|attachments?|leaflets?|flyers?|strangers?|spam)"
)
_OUTSIDE = re.compile(
    r"^[\s\"'“(\[*_-]{0,5}(?:(?:quot(?:ed?|ing)|copied|cop(?:y|ying)|pasted|taken|excerpt(?:ed)?|extract(?:ed)?"
    r"|snippet"
    r"|text|(?:e-?)?mail|letter|message|content|seen|found|read|picked up) (?:from|on|in|at|off)|from|via"
    r"|source(?: ?:)?"
    r"|on(?= (?:a|the|some) (?:web|internet|forum|blog|site)))\s+"
    r"(?:(?:a|an|the|some|this|that|another|his|her|their|some(?:body|one)(?:['’]s)?)\s+)?(?:\w+\s+){0,2}"
    rf"{_PAGE}\b[^:：]{{0,40}}:(?!:)"
    r"|^(?:the )?(?:web ?site|web ?page|page|forum|blog|readme|article)(?:'s)? (?:text|content|quote|excerpt"
    r"|copy|snippet):(?!:)",
    _CASE,
)
_PAGE_ZH = (
    r"(?:网页|网站|网上|网络|互联网|论坛|博客|帖子|评论区?|公众号|微博|推文|贴吧|搜索结果|工具输出|附件|广告"
    r"|传单|垃圾邮件)"
)
_OUTSIDE_ZH = re.compile(
    rf"^[\s\"“（(]{{0,3}}(?:(?:来自|摘自|引自|转自|转载自?|出自|抄自|复制自).{{1,15}}[:,]"
    rf"|.{{0,4}}{_PAGE_ZH}(?:上|里|中|内)?"
    r"(?:的(?:内容|文字|原文|消息|信息))?(?:看到|读到|看来的|抄来的|复制的|写着?)?\s?:(?!:))"
)
# What a person reports of a page; the lines behind it are the person's.
_TOLD = re.compile(
    rf"^(?:(?:the|a|an|some) )?(?:\w+ )?{_PAGE}(?: (?:at|on|by|from|in|about) \S{{1,60}})? (?:says?|said|claims?"
    rf"|states?|writes?|reads)\b"
    rf"|^.{{0,5}}{_PAGE_ZH}(?:上|里|中|内)?(?:的(?:内容|消息|信息))?(?:写着?|说(?!明)|称|显示|提到|看到|读到)",
    _CASE,
)
# Words without one of which no order is given: to look for them takes a hundredth of what the patterns take.
_WORDS = (
    "remember", "memor", "forget", "save", "store", "persist", "retain", "note", "record", "write", "jot", "register",
    "mind", "commit", "knowledge",
)  # fmt: skip
_SIGNS = "记牢谨铭切忘存储写录登收备加添"


def why(line: str) -> str:
    """Why a line may not be learned from, "" where it is nobody's order and from nowhere else."""
    text = unicodedata.normalize("NFKC", line)
    if _ROLE.search(text) or _ROLE_ZH.search(text):
        return ROLE
    if any(pattern.search(text) for pattern in (_OUTSIDE, _OUTSIDE_ZH, _TOLD)):
        return TOLD if _TOLD.search(text) else OUTSIDE
    orders = [_CALLED, _CALLED_ZH]
    folded = text.lower()
    if any(word in folded for word in _WORDS):
        orders += [_PLAIN, _BARE, _ASKED, _NAMED]
    if any(sign in text for sign in _SIGNS):
        orders.append(_ORDER_ZH)
    return ORDER if any(pattern.search(text) for pattern in orders) else ""


def ends(line: str) -> str:
    """Why nothing is learned from a line on, "" where what follows it counts for itself: an order or a report
    that has its content beside it is one line, text from outside and a role go on, and so does "Save this:"."""
    found = why(line)
    return (
        f"{found}, or follows what does"
        if found and (found not in (ORDER, TOLD) or line.rstrip(" *_\"'”").endswith((":", "：")))
        else ""
    )
