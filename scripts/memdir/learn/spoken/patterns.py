"""The patterns of `cues`: what asks, supposes and tells, and how each kind of memory is said, in English and Chinese.

A table of pairs goes from the surest on. Every pattern is bounded; data alone.
"""

import re

_CASE = re.IGNORECASE


def either(*parts: str) -> re.Pattern[str]:
    return re.compile("|".join(parts), _CASE)


# --- what is no statement of the person's own ---------------------------------------------------------
ASKS = either(
    r"[?？][\"'”’)]?$",
    r"^(?:(?:and|so|but|ok(?:ay)?|hey|well|also|then),? )?(?:what|which|who|whose|when|where|why|how|can|could"
    r"|would|will"
    r"|should|shall|do|does|did|is|are|was|were|am|have|has|may|might) (?:you|we|i|it|this|that|there|the|he|she"
    r"|they|my"
    r"|our|your|many|much|about|if|to|a|an|one|all|any)\b(?! (?:do|would|want|need) is\b)",
    r"[吗么呢嘛][。.!！]?$|^(?:为什么|怎么|如何|什么|哪|谁|能不能|能否|可不可以|可以.{1,30}吗|是不是|有没有)|是不是.{0,20}$|还是.{1,20}[?？]"
    r"|(?:什么|哪个|哪些|哪里|怎么办|多少|几个)了?[。.]?$",
)
SUPPOSES = either(
    r"^(?:(?:and|so|but|well|then),? )?(?:if|suppose|supposing|imagine|assum(?:e|ing)|say|let's say|pretend|unless"
    r"|what if"
    r"|in case|were (?:i|we)|had (?:i|we)|for example|e\.g\.)\b",
    r"\b(?:maybe|perhaps|possibly|probably|presumably|might|not sure|unsure|no idea|i wonder|wondering"
    r"|hypothetical\w*"
    r"|someday|one day|in theory|i (?:guess|suppose|assume|think we (?:could|should)|was thinking)|thinking (?:of"
    r"|about)"
    r"|could (?:also|be|use|have|go)|may be|haven't decided|not decided|considering|leaning towards?"
    r"|would be (?:nice|cool|good|great))\b",
    r"^(?:如果|假如|要是|假设|若|万一|例如|比如|譬如|想象)|也许|或许|说不定|没准|大概|可能|(?<!不)考虑(?:一下|要不要|用|换|是)|要不要|还没想好|没想好|没决定|未定"
    r"|听说|据说|好像|似乎|我觉得可以|我猜|估计是|不确定|算不算",
)
# What somebody else says, and what a machine does.
TELLS = either(
    r"\b(?:he|she|they|somebody|someone|people|everyone|everybody|my (?:boss|colleague|manager|friend|wife|husband"
    r"|teacher)"
    r"|(?:the|a|an|this|that|his|her|their|[A-Z]\w+'s) (?:\w+ ){0,2}(?:blog|post|article|docs?|documentation|error"
    r"|message|mail"
    r"|e-mail|email|letter|book|paper|page|site|forum|readme|manual|output|log|test|tutorial|video|comment|ticket"
    r"|issue))"
    r" (?:said|says?|told (?!you)\w+|tells?|recommends?"
    r"|advises?|wrote|writes|claims?|claimed|thinks?|thought|believes?|suggest(?:s|ed)"
    r"|reads|stated|states|mentioned|argues)\b",
    r"\baccording to (?!our|my|the (?:contract|plan|schedule))",
    r"(?:他|她|他们|有人|老板|同事|经理|网上|论坛|博客|文章|文档|报错|错误|提示|信息|日志|教程|老[\u4e00-\u9fff]|小[\u4e00-\u9fff]).{0,6}(?:说(?!明)|告诉我"
    r"|跟我说|写着|提到|建议|认为|觉得|声称)",
    r"(?:^|[，,])据.{1,10}[说称]|^.{1,4}说[:：，,]",
)
NAMES_ONLY = re.compile(
    r"\b[A-Z][a-z]+ (?:said|says|told (?!you)\w+|wrote|claims?|claimed|thinks?|suggest(?:s|ed)|mentioned)\b"
)
# What lets the assistant act unasked is no taste; "never push without asking" says the contrary.
LEAVES = either(
    r"^(?!.*\b(?:never|don['’]t|do not|not|stop)\b).*\b(?:without|no need (?:to|for)|skip(?:ping)?) (?:\w+ ){0,2}"
    r"(?:asking|ask|confirm\w*|permission|approval|approv\w+|consent|checking with me)\b",
    r"\b(?:always|from now on|by default)\b.*\b(?:sudo|as root|--force|--no-verify|auto-?approv\w*|accept all)\b",
    r"(?:无需|不用|不必|不需要|免)(?:再)?(?:问我?|询问|确认|批准|审批|请示|同意)",
)
# What is to be done now; "always use pnpm" is meant for later as well.
TASK = either(
    r"^(?:(?:please|pls|now|then|also|and|just|ok(?:ay)?|so|first|next|finally|could you|can you|let me"
    r"|let's),? ){0,3}(?:add|fix|make|run|write|create|update|change|remove|delete"
    r"|use|move|rename|check|look|find|show|tell|explain|give|put|set|open|push|commit|merge|deploy|install|test"
    r"|try|help|implement|refactor|build|generate"
    r"|translate|summari[sz]e|read|list|convert|replace|do|go|start|continue|see|keep|undo|revert|rebase|format"
    r"|clean|extract|sort|print|log|review|compare"
    r"|describe|think|search|download|copy|paste|send|draft|proofread|rewrite|improve|debug|investigate|analy[sz]e"
    r"|calculate|suggest|imagine|act|pretend|wait|stop"
    r"|proceed|include|exclude|ensure|verify|split|combine|turn|apply|provide|answer|respond|return|reply|ignore"
    r"|skip|save|load|parse|plan|design|draw|plot)\b(?!:)",
    r"^(?:i|we) (?:want|need|would like|'d like) (?:you|to|a|an|the|some|this|it|that|help)\b|^(?:i'd"
    r"|we'd) like (?:you|to|a|an|the|some|this|it|that|help)\b",
    r"^(?:请|麻烦|帮我|帮忙|给我|再|先|然后|现在|接着|继续|顺便|那|你){0,3}(?:修|改|加|写|删|运行|跑|看|检查|解释|翻译|把|将|生成|实现|更新|提交|推送|测试一下|部署一下|创建"
    r"|列出|总结|重构|用.{1,12}(?:写|实现|改|重写)|给.{1,12}(?:加|写|补)|做一?个|画|算|查|找|试|优化|整理|润色|继续|另外.{1,6}也)",
)
# How things stand at the moment, which is over soon.
PASSING = either(
    r"\b(?:again|right now|at the moment|just now|red|green|broken|failing|fails|failed|crash\w*|hangs?|hung"
    r"|error\w*|exception|empty|slow|stuck|wrong|missing|not working"
    r"|doesn't|don't|didn't|isn't|aren't|can't|won't|ready|done|finished|working now|works now)\b",
    r"报错|出错|又|失败|崩|卡死|不行|没有?(?:反应|结果|输出)|不能|不对|挂了|好了|完成了",
)
# What leads up to a sentence and says nothing by itself.
LEAD = re.compile(
    r"^(?:(?:oh|ah|and|also|ok(?:ay)?|well|so|anyway|btw|fyi|hey|hi|yes|yeah|yep|right|alright|great|cool|nice"
    r"|perfect"
    r"|thanks|thank you|sure|hmm|by the way|one more thing|for the record|just so you know|for context"
    r"|for your information"
    r"|as (?:an? )?(?:aside|background)|background|to be clear|please note(?: that)?|note(?: that)?"
    r"|顺便(?:说一下|说一句|提一下)?|对了|另外|还有|补充一下|补充一点|好的?|嗯|哦|行|可以|是的|谢谢)[,:;.!，：；。！—–-]+\s?){1,4}",
    _CASE,
)  # fmt: skip

# --- kinds --------------------------------------------------------------------------------------------
GENERAL = either(
    r"\b(?:always|never|ever|any ?more|again|from now on|in (?:the )?future|going forward|every ?time|by default"
    r"|in general"
    r"|generally|usually|as a rule|each time|whenever|next time|for all|no matter|everywhere"
    r"|(?:on|in|across) (?:all|every|any))\b",
    r"总是|从不|一律|永远|以后|今后|从现在|从今|每次|默认|一般|平时|通常|都(?:要|用|请|别|不)|下次|再也",
)
CORRECTIONS: tuple[tuple[float, re.Pattern[str]], ...] = (
    (
        0.9,
        either(
            r"^(?:no|nope|wrong|incorrect)[,.!:;]? (?!(?:that's|that is|it's|i'm|i am|we're) (?:all|it|fine|ok(?:ay)?"
            r"|good|enough|done)\b|i don't think|that will be|worries|problem|thanks?)(?!i (?:haven't|don't|didn't"
            r"|can't|won't|am|was|have|do|did)\b"
            r"|not (?:yet|really|at all|sure|now|today)\b)(?:i|we|it|that|this|not|the|he|she|they|you|there|my"
            r"|our|file"
            r"|use|do)\b.{3,}",
            r"\b(?:that's|that is|this is|it's|you're|you are|you were|you got (?:it|this|that|the"
            r"|them)(?: \w+){0,2}) ?(?:wrong|incorrect|not (?:right|correct|true"
            r"|what i|how)|mistaken|mixed up|mixed)\b",
            r"\bi (?:meant|was talking about|was referring to|mean) (?!well\b|to\b)\S+",
            r"\bnot what i (?:asked|meant|wanted|said)\b",
            r"^(?:actually|in fact)[,:]? (?!(?:i|i'm|i've|i'd|i'll|it'd|can|could|let)\b(?! (?:prefer|meant|said|need"
            r"|live|work)))|^correction[,:] ",
            r"\bi(?:'ve| have)? (?:already )?(?:told|said|asked) (?:you )?(?:already|before|twice|again|not to|to)\b"
            r"|\b(?:as )?i (?:already )?(?:told|asked) you (?!about\b|how\b|when\b)",
            r"\byou (?:should(?:n't| not)? have|shouldn't|should not|should (?:always|never|first)|forgot (?!it\b)"
            r"|missed"
            r"|overlooked|misread|misunderstood|confused|mixed up)\b.{4,}",
            r"^wrong \w+[,:;]",
            r"^(?:stop|quit) \w+ing\b",
            r"^(?:不对|错了|不是这样|不是这个|不是的|你(?:弄|搞|理解|看|写|记)?错了?|你误解|你理解错|纠正一下|更正)",
            r"^其实(?=.{1,40}(?:不是|而是|并不|应该是|用的是|应该用|叫做?|没有?(?!很|太)))(?!.{0,3}我(?!们))",
            r"(?:弄错|搞错|搞混|理解错|记错|误会)了?",
            r"我(?:的意思是|指的是|说的是|是说|要的是|说过|已经说过|之前说过|早就说)",
            r"你(?:应该|不该|不应该|本该|忘了|漏了|没有?按)",
        ),
    ),
    (
        0.85,
        either(
            r"^(?:(?:and|so|please|but|ok(?:ay)?),? )?(?:from now on|going forward|in (?:the )?future|next time"
            r"|from here on)\b",
            r"\b(?:from now on|going forward)[.!;]*$|[，,](?:以后|今后|从今以后)(?:都|就)?这样[。！]?$",
            r"^(?:please )?(?:don't|do not) (?:use|write|add|put|include|mix|wrap|indent|name|commit|log|import)"
            r" (?!this\b|that\b|it\b|the\b|them\b).{3,40} (?:in (?:(?-i:[A-Z])|your|any|my|our|\w+s\b)|for \w+s\b)",
            r"(?<!\bi )\b(?:don't|do not|never|stop|please don't) \w+.{2,80}\b(?:again|any ?more|ever|without (?:asking"
            r"|telling"
            r"|permission)"
            r"|unless i (?:ask|say|tell))\b",
            r"^(?:please )?never \w+ ",
            r"^(?:以后|今后|下次|从现在(?:开始|起)|从今(?:以后|往后|天起)|往后)",
            r"(?:不要再|别再|不准再|不许)",
            r"^(?:请)?(?:不要|别)(?:直接|擅自|自动|随便|总是|每次|一直|老是)",
        ),
    ),
)
DECISIONS: tuple[tuple[float, re.Pattern[str]], ...] = (
    (
        0.9,
        either(
            r"\b(?:i|we|they|the (?:team|client|board|customer)|management)(?:'ve| have| has)?(?: all| both| finally"
            r"| just| now| also)? (?:decided|agreed|chose|settled"
            r"|opted|ruled out|approved|committed|voted|picked (?!up\b|out\b)|signed off|dropped the idea)\b",
            r"^(?:so |finally |final |ok(?:ay)?,? )?(?:decision|decided|agreed|settled)(?: is|:|,| to| on| that)",
            r"(?:^|[，,。；]|我们?|团队|大家|客户|领导|会上|最[后终]|已经?|那就?)(?:就|都|也|刚|还是|一起|一致|最[后终])?决定"
            r"(?!因素|权|于|性|什么|哪|怎么|是否|要不要)了?[:：]?.{3,}"
            r"|(?:商定|敲定|拍板|定下来?了?[:：，,]|一致同意|达成一致|选定).{2,}",
            r"^(?:那就?|就|我们|大家)?(?:这么|这样|已经|都)?(?:说|商量)?(?:定了|定)[:：，,]",
            r"\b(?:we|i)(?: will| shall|'re| are)? (?:not|won't|no longer) (?:be )?(?:us(?:e|ing)"
            r"|go(?:ing)? with|support"
            r"|ship|need|do|build|migrat\w+|switch\w*)\b.*\b(?:after all|any ?more|any longer|now|instead)\b"
            r"|\bwe (?:will not|won't|'ll not|shall not) (?:use|go with|support|ship|build|migrate|switch)\b",
        ),
    ),
    (
        0.75,
        either(
            r"^(?:(?:ok(?:ay)?|fine|right|alright|good|great|yes|so|then|no),? )*(?:let's|let us) (?:go with|use"
            r"|stick with|stick to|keep (?!\w+ing\b|up\b|it up|in touch)|drop|stay with"
            r"|take option|settle on|switch to|move to|make it|not )\b(?! on\b)",
            r"^(?:(?:ok(?:ay)?|fine|right|alright|good|great|yes|so|then),? )*(?:we(?:'ll| will| shall| are|'re)?"
            r"|i(?:'ll| will| am|'m)?) ?(?:go|going|stick(?:ing)?|stay(?:ing)?"
            r"|gone|went) with\b",
            r"^(?:we|i)(?:'ll| will| shall) (?:use|keep (?!(?:that|this|it|you|an eye|\w+ing|working|up)\b)|drop"
            r"|skip|switch to|move to"
            r"|postpone|support|ship|store|host|write it in|name it|call it)\b",
            r"^going with\b|\bwe(?:'re| are) (?:dropping|switching to|moving to|abandoning|postponing|ditching"
            r"|keeping"
            r"|replacing)\b",
            r"^(?:好[，,])?(?:那|还是|最后|最终)?(?:就|还是)(?:用|选|采用|按|走)(?!这个|那个|你|它|这样|这种).{2,}|最[后终](?:选|用|采用|改用|定)|我们(?:就"
            r"|改|还是|都)用.{2,}"
            r"|.{2,}我们用.{1,30}了[。.]?$"
            r"|统一(?:用|采用|使用|为)|我们(?:放弃|砍掉|取消|改成|换成|采用|选择|选了|选用|不做|先不)|(?:团队|客户|大家|领导)(?:都)?同意",
        ),
    ),
)
SOON = either(
    r"\b(?:to(?:day|morrow|night)|(?:on |by |before |until |next |this )+(?:the )?(?:mon|tues|wednes|thurs|fri"
    r"|satur|sun)day|next (?:week|month|sprint)|this (?:week|evening"
    r"|afternoon|weekend)|end of (?:the )?(?:week|month|day)|by \d|before (?:the )?(?:release|launch|demo|meeting"
    r"|deadline))\b",
    r"今[天晚]|明[天早晚]|后天|(?:本|这|下)?(?:周|星期|礼拜)[一二三四五六日天]|下(?:周|个?月)|月底|周末|之前|回头"
    r"|稍后|晚点|\d{1,2} ?[日号点]",
)
DUTY = (
    r"(?:ask|call|phone|send|e?-?mail|tell|talk to|speak (?:to|with)|write to|meet|book|pay|buy|renew|submit|sign"
    r"|order|return|cancel"
    r"|remind|check with|follow up|get back|reply|answer|clarify|schedule|review|prepare|finish|register|file"
    r"|visit|invite|report)"
)
LOOPS: tuple[tuple[float, re.Pattern[str]], ...] = (
    (
        0.9,
        either(
            r"^(?:(?:and|also|please|ok(?:ay)?),? )?remind me\b",
            r"^(?:to-?do|follow[- ]?up|open (?:point|question|item|issue)|next steps?|action(?: item)?)\s?[:：-]",
            r"\bi(?:'ve| have)? promised\b(?! myself)",
            r"^(?:请)?(?:提醒我|到时候提醒)|^待办\s?[:：]|我(?:答应|承诺)(?:过|了)?",
        ),
    ),
    (
        0.75,
        either(
            r"\b(?:i|we) still (?:(?:need|have|ought) to|must|owe)\b",
            r"\b(?:i|we)(?:'ll| will) (?:get back|send|come back|follow up|write to|call|ask|bring"
            r"|deliver|provide|prepare)\b",
            r"\blet's (?:come back|get back|return|revisit|pick (?:this|that|it) up|look at (?:this|that|it) (?:again"
            r"|later|tomorrow))\b",
            r"\b(?:is|are) still (?:open|missing|pending|outstanding|to be done|broken|unresolved|not (?:done|fixed"
            r"|merged|reviewed))\b",
            r"\b(?:we|i) (?:haven't|have not|never) (?:\w+ )?(?:fixed|done|finished|merged|written|migrated|tested"
            r"|reviewed|documented|implemented|"
            r"solved|answered|sent|updated|deployed|looked)\b.{0,60}\byet\b",
            r"^(?:the |our )?next step(?:s)? (?:is|are|will be|would be)\b",
            r"^我还(?:得|要|需要|欠)|^我们还(?:得|要|需要)|(?:还没有?|尚未|还未)(?:被)?(?:迁移|解决|修|写|做|完成|评审|测试|合并|回复|更新|处理|发|部署|确认|补|弄|搞)"
            r"|^下一步|回头再?(?:看|说|处理|弄|改|聊)|(?:以后|之后|晚点|稍后|明天)再(?:看|说|处理|弄|改|聊)|别忘了?|不要忘记",
        ),
    ),
    (
        0.7,
        either(
            rf"\b(?:i|we) (?:need|have|'ve got|have got|ought) to {DUTY}\b|\bi must {DUTY}\b",
            r"^(?:and |also |please )?(?:don't|do not) forget (?:to|the|about)\b",
            r"^我(?:要|得|需要|必须)(?:去)?(?:问|打电话|联系|通知|发|提交|续|买|付|约|回复|确认|找|交|还|预约|准备)",
        ),
    ),
    (0.55, either(r"\b(?:i|we) (?:need|have|'ve got) to\b", r"^我(?:要|得|需要|必须)")),
)
OWED_SOON = either(
    r"^(?:(?:next|this|on|by|before|until|tomorrow|today|tonight)\b[\w ]{0,20},? )?"
    r"(?:i|we)(?:'ll| will| have to| still have to| need to| must|'ve got to| should) ",
    r"^(?:在)?(?:本|这|下)?(?:周|星期|礼拜|个?月)[一二三四五六日天底末]?(?:之?前|以前)?(?:我们?)?(?:要|得|必须|需要)|^我(?:们)?.{0,6}(?:给你|交|发|要|得|会|去)",
)
# How the assistant is to speak: no task, though it has the form of one.
STYLE = either(
    r"\b(?:write|give|keep|make|send|use|prefer)\b (?:me )?(?:your |the |all )?(?:(?:much |a bit |a little )?"
    r"(?:\w+er|(?:more|less) \w+|short|brief|concise|terse|plain|simple|detailed|long)) (?:answers|replies|responses"
    r"|explanations|summaries|messages|sentences|comments|examples)\b",
)
PREFERENCES: tuple[tuple[float, re.Pattern[str]], ...] = (
    (
        0.9,
        either(
            r"\bi (?:(?:also|really|do|just|only|still|always|absolutely|particularly|especially|much|personally"
            r"|strongly"
            r"|generally|usually|would|quite) )?(?:prefer|would rather|rather|like (?!to know|to see|to have"
            r"|to ask|it\b|(?:th(?:at|is"
            r"|e|ese|ose)|your) (?:\w+ ){0,4}(?:idea|suggestion|sound|one)s?\b)|love (?!it\b|this\b|that\b|these\b"
            r"|those\b)|hate"
            r"|dislike|can't stand|cannot stand|enjoy|don't (?:like|eat|drink|want to see))\b",
            r"\bi'd (?:rather|prefer)\b|\bmy favou?rite (?:\w+ ){0,4}(?:is|are)\b|\bis (?:still )?my favou?rite\b",
            r"我.{0,4}(?:更喜欢|喜欢|偏好|更愿意|宁愿|宁可|讨厌|不爱|爱用|爱喝|爱吃|倾向于|受不了|不喜欢|不吃|不喝|忌口)",
        ),
    ),
    (0.8, STYLE),
    (
        0.8,
        either(
            r"\bi (?:always|never|usually|mostly|generally|normally|only|typically|tend to) (?!\w+ed\b|was\b|had\b"
            r"|got\b"
            r"|did\b|saw\b|went\b|knew\b|have\b|just\b)\w+",
            r"\bi(?:'d like| want| need| expect) (?:all|every|each|any|my|your) (?:\w+ ){1,3}(?:in|as|with"
            r"|without|kept|written"
            r"|named|formatted) (?!(?:the|this|that|here)\b)\w.{1,60}$",
            r"\bi use \S.{2,60}\b(?:(?:on|in|for) (?:all|every|any|everything)|everywhere|by default|always)\b",
            r"\bi(?:'m| am) (?:used to|a fan of|not a fan of)\b",
            r"^(?:please )?always (?!happy|good|nice|mind|the)\w+",
            r"(?:^|[，,。；;])(?:但|不过|其实)?我(?:的习惯是|习惯|平时|一般|通常|从不|总是|只用|一向|每天|每周|只会(?=一|说|讲|用))",
        ),
    ),
    (
        0.55,
        either(
            r"\bplease\b.{0,60}\b(?:keep|use|write|answer|reply|format|call me)\b|\bi use\b|\bas a rule\b"
            r"|\bby default\b"
            r"|\bi want (?:you to |all |every |the |my ).{3,80}\b(?:always|never|every time|by default"
            r"|from now on)\b",
            r"^请(?:用|保持|始终|都)|我(?:要|用|只)",
        ),
    ),
)
PERSONAL: tuple[tuple[float, re.Pattern[str]], ...] = (
    (
        0.9,
        either(
            r"\bmy (?:name|birthday|time ?zone|phone(?: number)?|e-?mail(?: address)?|job|employer|home ?town"
            r"|nationality|native language|mother tongue)(?: address)? is\b",
            r"\bi (?:live|am based|work|was born|grew up|come|moved|study|am from|teach)(?: now| currently"
            r"| here)? (?:in|at|for|as|near|to|from|with)\b(?! (?:this|that|it|the (?:bug|issue|task|feature|code"
            r"|file"
            r"|same|next))\b)",
            r"\bi(?:'m| am) (?:based in|from|called|allergic|colou?r[- ]blind|vegan|vegetarian|left-handed|dyslexic"
            r"|deaf|married|pregnant|diabetic|coeliac|\d\d years old)\b",
            r"\bi(?:'m| am) an? (?:\w+[ -]){0,3}(?:engineer|developer|designer|scientist|analyst|student|teacher"
            r"|doctor|nurse|lawyer|researcher|manager|founder"
            r"|writer|journalist|architect|consultant|freelancer|accountant|professor|programmer|admin(?:istrator)?"
            r"|physicist|biologist|translator|musician|photographer"
            r"|parent|father|mother|beginner|chef|pilot|farmer|electrician|mechanic|librarian|historian|artist)\b",
            r"\bmy (?:\w+ )?(?:wife|husband|partner|daughter|son|kids?|children|mother|father|mum|mom|dad|sister"
            r"|brother|dog|cat|boss|manager|dentist|doctor)(?: (?-i:[A-Z])\w+)? (?:is|are|has|have|lives?|works?|was"
            r"|goes|starts?)\b(?! (?:so|really|very|such|pretty|quite|too|just|also|always|been)\b)",
            r"\bi (?:can(?:'t|not)|can not|must not|mustn't|am not allowed to) (?:eat|drink|have|tolerate|digest"
            r"|hear|see|drive|fly)\b(?! (?:it|this|that|them|any|the|what|why|how|your|you|where|anything)\b)",
            r"\bmy \w+['’]s (?:name|birthday|job|school|allerg\w+) (?:is|are)\b",
            r"^(?:please |just |you can )?(?:call me|i go by) (?-i:[A-Z])[\w.'’-]*(?: (?-i:[A-Z])[\w.'’-]*)?[.!]?$",
            r"\bi speak (?:\w+[, ]{1,2}){0,4}\w+",
            r"(?<!when )(?<!if )\bi (?:have|'ve got) (?:an? |two |three )?(?:allerg\w+|kids?"
            r"|children|dogs?|cats?|daughters?|sons?|diabetes|asthma)\b",
            r"^我(?:叫|姓|住在?|是(?:一[名个位]|做|在)|来自|(?:现在)?搬到|(?:是|做).{0,8}(?:工程师|设计师|程序员|老师|教师|医生|护士|律师|学生|研究员|经理"
            r"|分析师|科学家|产品经理"
            r"|作家|记者|会计|翻译|顾问|架构师)|在.{1,12}(?:工作|上班|上学|读|做|当)|今年\d|的(?:时区|生日|名字|邮箱|手机号?|母语|职业|老家)(?:是|为))",
            r"^我(?:对.{1,8}过敏|有.{0,6}(?:过敏|色盲|糖尿病|孩子|女儿|儿子)|会(?:说|讲)|是(?:左撇子|色盲|素食))",
            r"^我(?:的)?(?:女儿|儿子|老婆|妻子|老公|丈夫|孩子|爸爸?|妈妈?|父亲|母亲|狗|猫|老板|领导|女朋友|男朋友).{2,}",
        ),
    ),
)
SYSTEMS = (
    r"(?:(?-i:Linear|Teams|Notion|Slack|Stripe|Intercom|Discord|Looker)|jira|confluence|trello|asana|discord"
    r"|mattermost|zulip|sentry|datadog|grafana|kibana|figma|miro"
    r"|gitlab|github|gitea|bitbucket|jenkins|circleci|buildkite|sharepoint|google (?:drive|docs|sheets)|dropbox"
    r"|airtable|zendesk|pagerduty|opsgenie"
    r"|bugzilla|redmine|youtrack|clickup|basecamp|artifactory|metabase|tableau|superset|salesforce|hubspot"
    r"|飞书|钉钉|企业微信|企微|语雀|石墨|tapd|teambition|禅道|码云|gitee|阿里云|腾讯文档|蓝湖|墨刀|wiki)"
)
URL = re.compile(
    r"https?://[^\s<>()]+|\b(?:[a-z0-9-]{1,63}\.){1,4}(?:com|org|net|io|dev|app|cn|de|eu|internal|intern|corp|intra"
    r"|example|ai|co)\b(?:[:/]\S*)?",
    _CASE,
)
LIES = either(
    r"\b(?:is|are|lives?|lie|lies|found|find|tracked|documented|kept|stored|hosted|reachable|report(?:ed|s)?|goes?"
    r"|go|called|managed|filed|posted|live|sit|sits|under|at|board|project|space|channel)\b",
    r"[在是到]|放|记|发|走|跟踪|托管|管理|地址|入口",
)
SYSTEM = re.compile(
    r"(?:(?:\b(?:in|on|at|via|under|to|our|the|into|through|is)\s(?:the |our |a )?)(?:\w+ )?|^our "
    rf"|[在到走用上]\s?(?:我们的?)?){SYSTEMS}(?![a-z])",
    _CASE,
)
OURS = (
    r"(?:(?:the|our|this|my) (?:(?!and )\w+[- ]){0,3}(?:project|repo(?:sitory)?|code ?base|app(?:lication)?|service"
    r"|backend|front ?end|back ?end|front-end|api|server|database|db|product|team|company"
    r"|client|customers?|users|deadline|budget|release|launch|beta|sprint|milestone|goal|build|ci|pipeline|stack"
    r"|website|site|platform|tests?|logs?|job|jobs|contract"
    r"|library|package|tool|cli|migration|cluster|environment|deployment|monorepo|design|data ?set|model"
    r"|infrastructure|system|module|importer|data)(?: of this \w+| of the \w+)?)"
)
CONTEXTS: tuple[tuple[float, re.Pattern[str]], ...] = (
    (0.8, either(
        rf"^{OURS} (?:is|are|was|runs?|uses?|depends?|lives?|has|have|needs?|must|targets?|supports?|takes?|ends?"
        rf"|starts?|serves?|consists?|talks?|requires?|ships?|goes|go|belongs?|keeps?|stores?)\b",
        r"^(?:we|our team|our company)(?:'re| are)? (?:build(?:ing)?|develop(?:ing)?|work(?:ing)? on"
        r"|maintain(?:ing)?|migrat(?:e|ing)|rewrit(?:e|ing)|run(?:ning)?|use|using|deploy(?:ing)?|"
        r"host(?:ing)?|sell(?:ing)?|ship(?:ping)?|support(?:ing)?|blocked|target(?:ing)?|depend(?:ing)?"
        r"|rely(?:ing)?|have (?:a|an|two|three|four|five|\d+) (?!look|problem|question|bug|few))\b",
        r"^(?:\w+ ){1,4}(?:is|are) (?:written|built|implemented|deployed|hosted|based) (?:in|with|on|using)\b",
        r"^(?:\w+ ){0,3}(?:deadline|launch|go-live|code freeze|kick-?off|release) (?:\w+ ){0,3}(?:is|are|on)\b",
        r"^(?:\w+ ){1,3}(?:is|are) kept for\b",
        r"^(?:CI|production|staging|\w+ (?:logs|data|backups)) (?:runs?|is|are|uses?|lives?)\b",
        r"^(?-i:[A-Z][a-zA-Z0-9_-]{2,30})(?<!This)(?<!That)(?<!There)(?<!What)(?<!Everything)(?<!Nothing) "
        r"(?:(?:still|now|currently|only|also) )?(?:runs? (?:on|in|under|at)|uses|depends on"
        r"|is (?:written|built|hosted|deployed|based|owned|maintained|run) (?:in|on|by|with)|belongs to|is part of"
        r"|needs|requires|supports|talks to|consists of|listens on|stores|targets|ships with)"
        r" (?!it\b|this\b|that\b|them\b|me\b|a lot\b)",
        r"^(?:it|this)(?:'s| is) (?:for|used by|owned by|written in|hosted on|part of|a part of)\b",
        r"^(?:它|这)(?:个|是)?.{0,12}(?:做的|用的|客户)",
        r"^(?:我们的?|这个|本|该|整个|目前|现在|公司的?)?(?:项目|仓库|代码库|后端|前端|服务|系统|数据库|接口|产品|团队|公司|客户|用户|应用|网站|平台|迭代|冲刺|版本|预算|目标"
        r"|截止日期|上线时间"
        r"|里程碑|合同|测试|日志|构建|流水线|部署|环境|技术栈|数据|模块|集群)(?!.{0,4}(?:改|加|删|修|写|帮))(?!.{0,8}(?:应该|可以|最好"
        r"|要求))[^，,。:：；;]{0,6}(?:是|用|为(?!了)|在|有|主要|依赖|需要|必须|采用|基于"
        r"|支持|保留|负责|运行|部署|面向|属于|包括|截止|到期|跑)",
        r"^我们(?:在做|在开发|正在|的.{1,12}(?:是|在|用|为|主要)|目前|现在)|卡在.{2,}|^(?:现在|目前)(?:卡|受阻|被.{1,10}卡)",
    )),
)  # fmt: skip
