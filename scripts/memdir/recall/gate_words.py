"""The patterns of the gate, English and Chinese: what is said by itself, whose it is, what any book says. Pure.

Kinds of messages, not messages: each was widened by what a fresh batch of messages had shown of its kind.
"""

# Said and answered by itself: the whole message.
PHRASES = (
    r"(?:hi|hey|hello|yo|howdy|greetings|good (?:morning|afternoon|evening|night|day)|morning|evening"
    r"|how are (?:you|things)|how(?:'s| is) it going|what'?s up|nice to (?:meet|see) you|welcome back|i'm back"
    r"|thanks?(?: you)?|thx|ty|cheers|many thanks|much appreciated|appreciated?(?: it)?|no thanks|ok(?:ay)?|k|kk"
    r"|yes|yep|yeah|yup|no|nope|nah|sure|right|exactly|correct|agreed|done|fine|great|good|nice|cool|perfect"
    r"|awesome|excellent|wonderful|brilliant|amazing|lovely|super|wow|lol|haha|hahaha|hm|hmm|oh|ah|i see|got it"
    r"|understood|makes sense|sounds good|looks good(?: to me)?|lgtm|no problem|no worries|never ?mind|all good"
    r"|that(?:'s| is) (?:all|it|fine|great|good|perfect|right|correct|enough|what i needed)|well done|good job"
    r"|nice work|great (?:work|job)|go ahead|do it|go on|continue|carry on|keep going|please|please do|stop|wait"
    r"|one moment|bye|goodbye|see you(?: later| tomorrow| soon)?|later|have a (?:good|nice|great) \w+|you(?:'re"
    r"| are) welcome|sorry|a million|a ton|you(?:'re| are) (?:the best|great|awesome|amazing)|you rock|who are you"
    r"|what can you do|are you (?:an ai|a bot|human|there)|nice weather today|there|all|everyone|team|again"
    r"|so much|very much|a lot|for (?:the|your|all) (?:\w+ )?(?:help|work|answer|info)|for (?:that|this|now|today"
    r"|everything|helping)|that (?:works|helps|worked|helped)(?: well| a lot)?|it works(?: now)?|today|then|and"
    r"|but|really|just|works|test(?:ing)?)"
)
SMALL = rf"^(?:{PHRASES}[\s,.!?;:~…👍🙏😊🎉✅-]*)+$"
PHRASES_ZH = (
    r"(?:你好|您好|大家好|嗨|哈[喽啰]|喂|早上好|早安|早|上午好|中午好|下午好|晚上好|晚安|在吗|在么|在不在"
    r"|最近怎么样|你怎么样|好久不见|谢谢你?|谢啦|谢了|多谢|感谢|非常感谢|太感谢了|辛苦[了啦]?|麻烦[了你]+|不客气"
    r"|没事|没关系|没问题|不用了|不用谢|算了|好的?|好吧|好嘞|行|行吧|可以|可以了|嗯|哦|噢|啊|对|对的|是的?|是啊"
    r"|没错|不是|不对?|收到|明白[了啦]?|懂了|知道了|了解[了]?|原来如此|清楚了|太好了|太棒了|很好|真好|不错|棒|真棒"
    r"|厉害|牛|完美|赞|哈|呵呵|嘿嘿|搞定[了]?|完成了|继续|请继续|接着说|继续吧|就这样吧?|就这么办|按这个来|同意"
    r"|确认|再见|拜拜|回头见|明天见|回见|下次见|周末愉快|祝你愉快|请稍等|等一下|稍等|抱歉|对不起|不好意思|你的帮助"
    r"|帮大忙了|帮忙|有用|很有帮助|了|啦|呀|吧|呢|哟|都|很|太|真|今天|先这样|今天过得怎么样|过得[好怎]\S{0,3}"
    r"|你?[真太好]?(?:厉害|聪明|棒|好)了?|今天天气(?:真|很|不错)?[好棒]?|你是谁|你叫什么(?:名字)?|你会(?:说|讲|做"
    r"|干)?(?:什么|英语|中文|法语)?吗?|你能做什么|最近(?:忙|好|还好)吗|[那就先]{0,3}这样[就]?(?:行|好|可以)?吧?"
    r"|不用麻烦了?|耐心|细心|的|解答|讲解|帮助|问题解决了|解决了|就?[按照听][你您]?说?的[来办做]?|笑死我?|哭|到这[儿里]?|就|(?:这个?|那个?)?也?[太真好很挺](?:酷|棒|好|赞|牛"
    r"|有意思|搞笑|好[笑用看]|方便|惨|难|美"
    r"|可爱))"
)
SMALL_ZH = rf"^(?:(?:{PHRASES_ZH}|{PHRASES}(?![a-z]))[\s,，.。!！?？;；:：~～…、👍🙏😊🎉✅-]*)+$"

CONTINUE = (
    r"\b(?:left|leave|leaving) off\b|\bwhere (?:were|was|are|did) (?:we|i|you)\b(?=.{0,12}(?:[?.!]|$|stop|at\b"
    r"|up to|with\b|on\b|in\b))|\bpick(?:ing)? (?:it |this |that |things )?(?:back )?up (?:from|where|with|again"
    r"|the|our|my|that)\b|^(?:\W|please|ok(?:ay)?|now|so|and|let'?s|let us|can we|could we|can you|shall we"
    r"|i want to|i'd like to|we should|time to)*(?:continue|resume|carry on|keep going|go on|proceed|keep working"
    r"|get back|go back|return(?= to)|back)\b(?: (?:with|on|to|working on|from|where|writing|doing))* (?:the|our|my"
    r"|that"
    r"|this|what|where|last|yesterday|it\b.{0,20}(?:yesterday|last))\b|\bwhat (?:were|was|have|had|did) (?:we|i"
    r"|you) (?:been )?(?:do(?:ing)?|working on|work on|up to|discussing|talking about|in the middle of|get done)\b"
    r"|\bwhat(?:'s| is| was| are| were) (?:left|next|still (?:open|to do|pending)|the next step|the next steps"
    r"|my next|our next|the status|our status|on (?:the|my|our) (?:list|plate|agenda))\b|\b(?:catch me up"
    r"|bring me up to (?:date|speed)|get me up to speed|recap (?:of )?(?:the )?(?:last|yesterday|our|where"
    r"|what we))\b|\b(?:last|previous|yesterday's|earlier) (?:session|conversation|chat)\b.{0,30}(?:end|stop"
    r"|continue|resume|status|pick|[?]$)|\bunfinished\b|\bwhere do (?:we|things|i) stand\b|\bopen (?:loops|ends"
    r"|items|todos)\b"
)
CONTINUE_ZH = (
    r"接上(?:上次|上回|昨天|前天|之前|上周)|(?:做|写|干|弄|聊|改|搞)下去|从[^，。？！]{1,8}(?:断|停|中断|结束|打住)[^，。？！]{0,6}(?:继续|接着|开始)|继续(?:上次|上回|上周"
    r"|昨天|昨晚|前天|之前|以前|刚才|前面|那个|我们|咱们|未完|没做完|没写完"
    r"|没完成|剩下|推进"
    r"|做那|做上|写那|写上|弄那|搞那|聊上|讨论上|完成|处理)|接着(?:上次|上回|上周|昨天|昨晚|前天|之前|刚才|前面"
    r"|那个|做|干|写|弄|聊|讲|来|往下|推进)|(?:上次|上回|昨天|前天|之前|刚才|我们|咱们|项目|任务|工作|进度|现在"
    r"|你)?[^，。？！]{0,8}(?:(?:说|做|聊|讲|进行|进展|弄|写|谈|讨论|干|推进|改|停)到|[停卡]在)(?:了)?(?:哪|什么地方"
    r"|什么程度|第几|什么阶段)|(?:还有|还剩|剩下)(?:些|哪些|什么|多少)?[^，。？！]{0,10}(?:没做|没完成|没完|没弄"
    r"|没写|没处理|没收尾|没搞定|没办|没结|没了结|要做|待办|未完成)|未完成的|没做完的|没写完的|没干完的|接下来(?:该|要|我们|我"
    r"|还)?[^，。？！]{0,4}(?:做|干|弄|忙)(?:什么|啥|哪)|下一步(?:是|该|要|做|我们)|(?:昨天|上次|上周|上午|最近"
    r"|之前|前几天)(?:我们?|咱们)?(?:都|在|是在|主要|正)?(?:在)?(?:忙|做|干|弄|搞)(?:了)?(?:些)?(?:什么|啥|哪些)"
    r"|回顾(?:一下|下)?(?:最近|上次|昨天|之前|进展|我们|前)|继续(?:写|做|弄|改|干|搞|画|译|整理|跑)[完下]"
    r"|回到(?:上次|昨天|之前|刚才|那个|我们)|(?:捡|拾)起(?:上次|昨天|之前|那个)|目前进展|进展如何|进度(?:怎么样"
    r"|如何|到哪)|还有什么待办|待办(?:有|还)"
)

# What only the vault can tell: whose, which, as before.
OURS = (
    r"\b(?:my|mine|our|ours|we|us|myself|ourselves)\b|\bwe'(?:re|ve|ll|d)\b|\blet'?s\b|\b(?:do|did|have|had|was"
    r"|were|am|should|will|can|would|could|must|may) i\b(?! (?:write|use|create|make|get|convert|sort|check|find"
    r"|read|install|start|calculate|say|pronounce|spell|declare|define|center|reverse|parse|boil|cook|remove|add"
    r"|know if|tell))|\bi (?:usually|always|never|often|prefer|like|liked|hate|said|told|asked|mentioned|wrote"
    r"|decided|chose|picked|bought|had|was|did|use|used|promised|agreed|met|planned|noted|gave|sent|saved|put|made"
    r"|saw|read|live|work|worked|owe|need to)\b|\b(?:you|claude) (?:said|told|suggested|mentioned|recommended"
    r"|wrote|promised|gave|found|did|know)\b|\b(?:did|do|have|had|can|could) (?:you|he|she|they) (?:say|tell"
    r"|suggest|mention|recommend|know|remember|find|decide|agree|promise|finish|send|already)\b|\b(?:mom|mum"
    r"|mother|dad|father|grandma|grandpa|wife|husband|landlord|boss|neighbou?rs?)\b(?!'s day)|\b(?:for|about|to|of"
    r"|with|on|like|suit|invite) me\b(?!.*\b(?:joke|story|poem|riddle)\b)|\bi (?!need\b)\w+ed\b|\b(?:take|took"
    r"|cost) me\b"
)
PAST = (
    r"\b(?:remember|recall|remind|forgot|forget|memory|memories|notes?|noted|diary|(?<!\.)log(?:ged)?|vault)\b"
    r"|\b(?:last (?:time|week|month|year|night|session|sprint|release|meeting|monday|tuesday|wednesday|thursday"
    r"|friday|saturday|sunday|spring|summer|autumn|winter|january|february|march|april|may|june|july|august"
    r"|september|october|november|december)|yesterday|previously|earlier|already|as (?:before|usual|always|agreed"
    r"|discussed|planned|decided)|the usual|same as|like before|once more|(?:days|weeks|months|a (?:day|week|month"
    r"|while)|the other day) ago|the other day|this (?:morning|week|month)|recently|so far|still|any ?more|decided"
    r"|agreed|discussed|settled on|went with|used to|changed (?:to|from)|tomorrow|tonight|next (?:week|month"
    r"|monday|tuesday|wednesday|thursday|friday|meeting|release|sprint))\b"
)
OURS_ZH = (
    r"我(?:的|们|家|爸|妈|老婆|老公|儿子|女儿|孩子|朋友|同事|老板|上司|喜欢|不喜欢|讨厌|习惯|偏好|常|总|一般|平时"
    r"|通常|说过|提过|讲过|问过|写过|买过|去过|用过|做过|记过|之前|上次|昨天|定的|选的|是不是|有没有|什么时候|哪天"
    r"|在哪|该|今天|明天|最近|答应|欠|住|需要交|负责)|[妈爸]妈?爸?(?!爸|妈)|奶奶|爷爷|外婆|外公|姥姥|姥爷|岳母"
    r"|岳父|房东|邻居"
    r"|(?<![一-鿿])[小老阿](?![时孩虎师鼠说学板])[一-鿿](?=[的对说要在是过上和跟想有喜爱给把几什哪今明一])|咱们?"
    r"|本人|你(?:说过|提过|建议|推荐过?的|上次|之前|还记得|记得|知道我|了解我)|他们?|她们?"
)
PAST_ZH = (
    r"当初|当年|起初|原先|记得|记住|记下|记一下|记录|回忆|回想|提醒|忘[了记]|笔记|日志|备忘|记忆|上次|上回|上周|上个?月|昨天|昨晚|前天"
    r"|前几天|前阵子|之前|以前|早先|当时|那时|那天|那次|去年|今早|今天早上|刚才|最近|已经|照旧|老样子|老规矩"
    r"|像往常|跟往常|和往常|一如既往|按惯例|定下|决定|商量|讨论过|约定|说好|约好|敲定|原来的|还是那|上一[次版个]"
    r"|明天|下周|下个?月"
)

# What any book says: how it begins, or what it is about.
GENERAL = (
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
    r"|do (?:\w+s) |is (?:an?|mount|light))|who (?:(?:first )?(?:invented|wrote|painted|discovered|composed"
    r"|founded|directed|sang|proved)|was (?:the )?(?:first|last|(?-i:[A-Z]))|is (?:the )?(?:president|king|queen"
    r"|pope|prime minister))\b(?! (?:the|this|that|in|at|on) (?:bug|ticket|note|meeting|issue|spec|call|commit"
    r"|code|patch|dashboard|retro))|when (?:did|was|were) (?:the )?(?:world war|second world|first world|french"
    r"|american|roman|berlin|cold war|great|soviet|(?-i:[A-Z][\w ]+) (?:born|invented|founded|released|signed"
    r"|built|discovered|die))|why (?:is|are|do|does|did|was|were|can't|can) (?!the\b|this\b|that\b|it\b|i\b|we\b"
    r"|you\b|they\b|he\b|she\b|my\b|our\b)|why (?:is|are) the (?:sky|sea|ocean|sun|moon|grass|earth|sunset)"
    r"|which (?:planet|country|countries|continent|ocean|element|animal|language|river|city is|is (?:bigger|larger"
    r"|faster|heavier|better|older))\b|(?:is|are|does|do|can|did) (?:(?:an?|all|cats|dogs|birds|penguins|humans"
    r"|people|bees|water|light|python|javascript|rust|java|go|glass|sound|tomatoes|whales|fish|bananas?|0|1) )"
    r"|where (?:is|are|was) (?:the )?(?:great|amazon|eiffel|nile|sahara|mount)\b|in (?:what|which) year\b"
    r"|is it true\b|compare (?!.*\bthe\b)\w+ (?:and|with|to|vs)\b|(?:tell|sing|write|give"
    r"|make up)?\s*(?:me )?(?:an?|some) (?:\w+ )?(?:joke|riddle|haiku|limerick|poem|fun fact|short story|story"
    r"|bedtime story|pun|quote|tongue twister)\b)|^[\W\d]*\d[\d\s+*/().^%x×÷=-]*\??$|^(?:what(?:'s| is)|calculate"
    r"|compute|how much is|solve)[: ]*[-(]?\d|\bconvert \d|^\d+(?:\.\d+)? ?\w+ (?:in|to) \w+\??$"
    r"|^(?:the )?(?:symptoms?|history|meanings?|definition|advantages|disadvantages|benefits|pros and cons|causes"
    r"|types|examples|origin|etymology|rules) of (?!my\b|our\b)|\bwhat languages? (?:is|are|do)\b|\bwho (?:is"
    r"|was) the (?:author|inventor|founder|composer|painter|director|discoverer) of\b|\bhow (?:old|big|far|hot"
    r"|deep|heavy|large) (?:is|are) the (?:universe|earth|sun|moon|world|solar system|ocean|sea|milky way"
    r"|galaxy)\b|^(?:how (?:do|to) (?:you |i )?)?(?:spell|pronounce) \w+|^\w+ (?:vs\.?|versus) \w+|\b(?:git|bash"
    r"|linux|vim|sql|docker|css|excel|shell|unix|regex|regular expression) ?(?:command|syntax|query|shortcut"
    r"|formula)?s? (?:to|for) (?!the\b|this\b|that\b|our\b|my\b)"
)
TECH_ZH = (
    r"SSH|HTTPS?|JSON|YAML|TOML|XML|CSV|HTML|CSS|SQL|MySQL|PostgreSQL|SQLite|Git|Docker|Linux|Bash|Python|Java"
    r"|JavaScript"
    r"|TypeScript|Go|Rust|Ruby|Markdown|LaTeX|UTF-8|Unicode|IPv[46]|TCP|UDP|DNS|FTP|SMTP|URL|API|正则|Excel|Vim"
)
PRODUCTS_ZH = (
    r"Redis|Kafka|Nginx|Kubernetes|K8s|React|Vue|Angular|OAuth|JWT|GraphQL|MongoDB|RabbitMQ|Spring|Django|Flask"
)
CITIES_ZH = (
    r"北京|上海|广州|深圳|杭州|成都|武汉|西安|南京|重庆|天津|苏州|长沙|青岛|厦门|昆明|香港|台北|东京|大阪|首尔|新加坡|巴黎"
    r"|伦敦|纽约|柏林|罗马|悉尼|京都|名古屋|札幌|釜山"
    r"|曼谷|阿姆斯特丹|鹿特丹|布鲁塞尔|慕尼黑|米兰|马德里|莫斯科|旧金山|洛杉矶"
)
GENERAL_ZH = (
    r"(?:的)?(?:首都|省会|人口|货币|面积|海拔|周长|公式|定义|意思|含义|区别|差别|不同|原理|近义词|反义词|同义词"
    r"|全称|缩写|读音|拼音|部首|成语|发明者|作者是|时间复杂度|复杂度|语法|沸点|熔点|化学式|元素符号|平方根|圆周率"
    r"|优缺点|历史背景)|^(?:请问|请|麻烦|能不能|可以|帮我|给我|简单|简要|用一句话|通俗)*(?:解释|介绍|科普|说明"
    r"|讲解|讲讲|定义)(?:一下|下|讲|给我)?(?!这个|那个|我们|上次|下我们)|^(?:请问)?什么(?:是|叫)|(?:怎么|如何|怎样"
    r"|是怎么|是如何)(?:工作|运作|形成|产生|来|区分|分辨|让|在|把)|为什么(?:是|会|能"
    r"|要)[^了没又过]{1,12}(?:的)?[？?]?$|(?:是|算|属于)(?:一种|一个|不是|不算)?(?:水果|蔬菜|[哺乳飞]*动物|植物"
    r"|昆虫|鸟类?|鱼类?|行星|恒星|金属|质数|液体|固体|国家)[吗么]|第[一二三四五六七八九十]+(?:任|位|个)(?:总统"
    r"|皇帝|总理|首相|国王|诺贝尔)|《[^》]{1,30}》(?:是|的|讲|由|写)|的(?:优点|缺点|好处|坏处|用途|过程|步骤|成分"
    r"|结构|起源|历史)(?!.*[了])|(?:木|土|火|水|金|海王|天王)星|太阳(?!能)|月[亮球]|地球|银河|黑洞|宇宙|柏林墙"
    r"|长城|金字塔|世界大战|[唐宋元明清秦汉]朝|秦始皇|恐龙|光速|光合作用|人体|相对论|量子|诺贝尔|奥运会|是什么意思"
    r"|是啥意思|^(?:请问)?(?:为什么|为何)(?!我|你|他|她|这|那|昨|上|线上|测试|构建|部署|项目|没|不|又|要|选|用|改"
    r"|换|搬|定|取消|推迟)(?![^。？]*[了没又过])|(?:怎么|如何|怎样)(?:用|使用|写|实现|做|读|念|说|计算|安装|煮|炒"
    r"|泡|学|学习|提高|避免|判断|转换|排序|反转|去除|删除|创建|解析|区分|保持|选择|安全)|谁(?:发明|写|画|发现|提出"
    r"|创立|创办|导演)了?|(?:世界上|地球上|历史上|太阳系|宇宙|中国最|全球)|(?:多少|几)(?:个|克|米|公里|毫升|厘米"
    r"|秒|天|度|小时)?(?:等于|是多少)|等于(?:多少|几)|换算|^[\d\s+\-*/×÷().=？?]+$|^\d.*(?:是多少|等于几|等于多少)"
    r"|(?:讲|说|来|写)(?:一?个|一?首|一?段|点)?(?:给我)?(?:一?[个首段则])?(?:关于[^，。]{0,10}的)?(?:笑话|谜语"
    r"|故事|诗|绕口令|冷知识|对联|俳句|五言|七言)|(?:和|与|跟)[^，。？]{1,20}(?:有什么|有何|哪个)(?:区别|不同|不一样|差异|关系"
    r"|差别|更快|更好|更大)|哪个(?:国家|城市|星球|行星|朝代|洲)|有(?:什么|哪些|哪几[类种])(?:主要)?(?:症状|特点"
    r"|特征|好处|坏处|优点|缺点|优势|劣势|作用|种类|类型|用途|影响|危害|功效|营养|应用)"
    r"|^(?![^？?]*(?:负责|管|写|提|改|买|参加|欠|签|约|剩|开|接|选|定)过?的)[^？?]*有哪[些几][类种]?[？?]?$"
    r"|^[^，。？我你他她这那]{1,10}为什么(?![^。？]*[了没又过])"
    r"|^[^，。？我你他她这那]{1,8}有多[长高大远重快深老热冷宽少岁]+|说什么语言|的(?:密度|原子序数|分子式|原子量"
    r"|发音|笔顺|由来|出处|作者|主角|主题思想)|^一[^，。？]{1,3}(?:有|等于|是)(?:多少|几)|(?:写|来|作|讲"
    r"|编)[^，。？]{0,4}[首个则段篇][^，。？]{0,8}(?:诗|笑话|谜语|童话|寓言|故事|绕口令)|出自(?:哪|什么|谁)"
    r"|(?:怎么|怎样)(?:念|读|拼|写|说|发音)[？?]?$|什么是(?!我)[^，。？]{1,14}[？?]?$|(?:git|Linux|Windows|Mac"
    r"|JavaScript|Python|SQL|CSS|HTML|bash|Excel|Word|Docker|Java|Rust|vim|正则)[^，。？]{0,14}(?:怎么|如何"
    r"|什么命令|哪个命令|什么函数)|怎么起作用|(?:煮|蒸|炖|烤)[^，。？]{0,4}(?:多久|几分钟)|农历|莎士比亚|爱因斯坦"
    r"|牛顿|达芬奇|贝多芬|莫扎特|李白|杜甫|鲁迅|孔子|拿破仑|爱迪生|哪一?年(?:发明|爆发|建成|建立|成立|签署|签订"
    r"|出生|去世|发现|诞生|开始|结束|倒塌?)的?|会(?:飞|游泳|冬眠|说话|爬树|做梦|下蛋)吗"
    r"|^[^，。？我你他她这那的]{1,8}(?<!密码)(?<!名字)(?<!地址)(?<!代号)(?<!计划)(?<!原因)是什么[？?]?$|造个?句"
    r"|举[一个几些]*[^，。？]{0,10}例子?|列举|(?:加热|煮|蒸|炖|烤)[^，。？]{0,4}(?:多久|几分钟)|\d+ ?(?:摄氏|华氏"
    r"|英里|公里|英寸|厘米|磅|公斤|千克|加仑|升|英尺|盎司|克|斤)[^，。？]{0,6}(?:多少|几|换|转|等于|是)|是(?:蔬菜"
    r"|水果|动物|植物|金属|液体|固体|鱼)[^，。？]{0,6}还是|第[一二三]次世界大战|^(?:怎样|怎么|如何)才能|(?:美元"
    r"|欧元|日元|英镑|人民币)[^，。？]{0,6}(?:多少|等于|是|换)[^，。？]{0,3}(?:美元|欧元|日元|英镑|人民币)"
    r"|^[^，。？我你他她]{1,6}能(?:不能)?(?:吃|喝)[^，。？]{1,6}吗"
    rf"|(?:{PRODUCTS_ZH}|{TECH_ZH})[^，。？]{{0,8}}(?:支持(?:哪些|什么)|有什么作用|有什么用|是什么关系)|几年一[届次]|技巧[？?]?$"
    r"|^[^，。？我你他她这那]{1,8}[前后时]要不要"
    r"|(?:分别|各自?)(?:是)?(?:在)?(?:什么时候|什么情况下?|何时|怎么)用|(?:该|应该|要|到底)?选哪(?:个|一个|种)(?:好|更好)?[？?]?$"
    r"|(?:和|与|跟|还是)[^，。？]{1,20}哪个(?:更|比较)?(?:快|慢|好|难|容易|便宜|贵|大|小|重|轻|强|省|流行|上手|稳|安全|健康|适合|热量)"
    rf"|(?:{TECH_ZH}) ?的(?![^，。？]*(?:密码|地址|账号|端口|版本|主机|仓库|连接|配置))[^，。？]{{1,12}}"
    r"(?:是(?:什么|干|做|怎么)|为什么"
    r"|有什么用)|哪[种类][^，。？]{1,6}(?:适合|最好|更好|好用)|褒义|贬义|词性|(?:血糖|血压|血脂|孕妇|怀孕|感冒|发烧|咳嗽|过敏|失眠|便秘|痛风|近视|减肥|婴儿|宝宝|老人)[^，。？]{0,8}"
    r"(?:吃什么|喝什么|可以|能不能|能|要不要|应该|怎么办|多少)|会发生什么|原产(?:于|地)?(?:是)?哪|(?:通常|一般)[^，。？]{0,6}(?:几|多少|多久|多长)"
    r"|哪个节日|标准(?:体重|尺寸|身高|大气压)|怎么给(?:猫|狗|宠物|孩子|宝宝|婴儿)"
    rf"|(?:{TECH_ZH}|浏览器) ?(?:里|中|里面)?(?:怎么|如何|让|把|实现|遍历|判断|截取|读取|去重|输入)"
    r"|(?:渍|污渍|油渍|水垢|霉斑)[^，。？]{0,4}怎么"
    rf"|(?:{TECH_ZH})[^，。？]{{0,12}}(?:默认|能不能|可不可以|支持[^，。？]{{1,8}}吗|是大小写)"
    r"|(?:怎么|如何|怎样)(?:缓解|治疗?|预防|改善|消除|戒|减肥|防止|保养|除|挑选?|选购|锻炼|入门|去污|保存|止)(?![了过])"
    r"|(?:煮|蒸|炖|烤|焖|炒|腌|泡|卤|煎|炸)[^，。？]{0,4}(?:多长时间|多少分钟|几小时|几个小时)"
    rf"|(?:{CITIES_ZH})[到去至离](?:{CITIES_ZH})[^，。？]{{0,8}}(?:多久|多远|几个?小时|多少(?:公里|时间|小时))"
)
# A word to the work in hand: how the last reply is to be changed, or assent with what was done.
AT_WORK = (
    r"^(?:\W|a (?:bit|little)|even|much|still|please|make it|now)*(?:shorter|longer|simpler|warmer|softer|friendlier"
    r"|clearer|(?:more|less) \w+)(?: please)?\W*$|^(?:\W|please|now|and|also|then)*(?:fix|correct|remove|delete|drop"
    r"|rename|swap|move|keep|shorten|change|split|underline)\b (?:the |that |this "
    r"|these )?(?:typos?|variables?|lines?|words?|sentences?"
    r"|paragraphs?|title|heading|comments?|parameters?|arguments?|(?:first|second|third|last) \w+)\b"
    r"|^(?:ok(?:ay)?|yes|no|right|done|good|great|fine|perfect|sure|thanks)\s*[,.!;:] "
    r"(?!but\b|and (?:what|who|when|where|how))[^?]{1,60}$"
)
AT_WORK_ZH = (
    r"^(?:再|更|稍微|还是)?[^，。？?]{0,4}[一](?:点|些)[。！!]?$|^(?:有点|太)[^，。？?]{1,3}了?[，,。]?[^？?]{0,14}$"
    r"|^(?:把|将)?[^，。？?]{0,4}(?:删掉|去掉|删了|去了|缩短|加粗|合并|拆开|对调)[^，。？?]{0,4}第?[一二三四五六七八九十两几最]*"
    r"(?:段|句|行|字|词|条|部分)|^(?:把|将)?第[一二三四五六七八九十两几最]+(?:段|句|行|条|页|列)[^？?]{0,8}(?:换成|改成|改为)"
    r"|^(?:不对|不是|错了)[，,]\s*我(?:要|想|说)的?是|^(?:好的?|嗯+|对|是的|行|没错|可以|收到)[，,。！!]\s*(?!但|不过|那|可)[^？?吗呢么哪谁几]{1,20}$"
)
# A remark on what was just shown, though it is as short as a look-up; thanks and greetings with more words round them.
REMARK = (
    r"^(?:太|很|非常|真|没|不|好|这|那|可以|行|哇|哎|唉)\S{0,6}$|^\S{1,4}[了吧啊呀哦嘛哈呢]$|^(?:too|very|not|so"
    r"|that|this|it|nice|good|bad|wrong|still|almost|better|hm|wow)\b"
)
COURTESY = (
    r"\b(?:thanks|thank you|good (?:morning|night|evening)|hello|bye|cheers)\b|谢谢|多谢|感谢|早安|晚安|你好|您好"
    r"|再见|早上好|晚上好|辛苦"
)
# What stands in any encyclopedia: a question that holds one of these asks no vault.
WORLD = (
    r"\b(?:universe|galaxy|galaxies|milky way|black holes?|solar system|planets?|mercury|venus|jupiter|saturn"
    r"|uranus|neptune|pluto|speed of (?:light|sound)|gravity|relativity|quantum|atoms?|molecules?|photosynthesis"
    r"|mitochondria|dna|rna|viruse?s?|bacteria|vitamins?|proteins?|dinosaurs?|mammals?|penguins?|whales?|sharks?"
    r"|elephants?|giraffes?|polar bears?|octopus(?:es)?|continents?|equator|mount everest|himalayas|sahara"
    r"|amazon river|great wall|pyramids?|roman empire|world war (?:i|ii|one|two|1|2)|french revolution"
    r"|industrial revolution|renaissance|middle ages|cold war|napoleon|shakespeare|einstein|newton|mozart"
    r"|beethoven|da vinci|picasso|cleopatra|plato|aristotle|buddhism|united nations|nobel prize|olympics"
    r"|pythagorean?|prime numbers?|fibonacci|celsius|fahrenheit|recursion|polymorphism|heapsort|quicksort"
    r"|mergesort|bubble sort|linked lists?|binary (?:search|trees?)|hash (?:maps?|tables?)|closures?"
    r"|design patterns?|tcp|udp|dns|tls handshake|osi model|big[- ]o|turing machine|blockchain|neural networks?"
    r"|garbage collection)\b"
)
WORLD_ZH = (
    r"企鹅|北极熊|蝙蝠|鲸鱼|鲨鱼|大象|老虎|狮子|熊猫|青蛙|蜜蜂|蝴蝶|骆驼|章鱼|海豚|鸵鸟|长颈鹿|恐龙|哺乳动物|昆虫"
    r"|国花|国旗|国歌|国鸟|官方语言|[四五七][大]?洲|[四五]大洋|四大发明|酸性|碱性|化学式|原子|分子|细胞|基因|DNA"
    r"|病毒|细菌|蛋白质|氧气|氢气|二氧化碳|光的速度|音速|引力|质数|素数|圆周率|次方|三角形|勾股|摄氏|华氏|英里"
    r"|英尺|英寸|加仑|递归|闭包|链表|二叉树|哈希表|[冒泡快速归并堆]{1,2}排序|GraphQL|\bTCP\b|\bUDP\b|\bDNS\b"
    r"|互斥锁|死锁|设计模式|面向对象|多态|编译器|垃圾回收|区块链|神经网络|大革命|世界大战|[一二]战|联合国|诺贝尔"
    r"|文艺复兴|工业革命|珠穆朗玛|喜马拉雅|撒哈拉|尼罗河|亚马[逊孙]河|长江|黄河|红楼梦|三国演义|西游记|水浒传"
    r"|蒙娜丽莎|梵高|毕加索|唐诗|宋词|论语|甲骨文|[白金双巨狮处天射摩水]+[羊牛子蟹女秤蝎手羯瓶鱼]座|热量|咖啡因"
    r"|火山|地震|台风|光年|算法|十六?进制|二进制|节气|(?:[美英法德韩泰]国|日本|中国|俄罗斯|意大利|西班牙|葡萄牙"
    r"|巴西|印度|澳大利亚|加拿大|奥地利|瑞士|埃及|希腊|欧洲|亚洲|非洲)的?(?:现在|目前)?的?(?:有几个|有多少个|总理"
    r"|总统|首相|国王|皇帝|第[一二三]大|最[大高长]|用什么|说什么|人口|面积|国土)"
)
# A thing made from nothing but what the message says.
ALONE = (
    r"^(?:\W|please|can you|could you|would you|i need you to|i need|i want|show|give me|help me|hey"
    r"|hi)*(?:to )?(?:write|implement|create|make|generate|code|show|build|give|need|draft)?(?: me)? ?(?:an?|some"
    r"|the code for an?|code (?:for|to|that)|two|three|five|ten) (?:[\w+#.-]+ ){0,4}(?:function|script|class|regex"
    r"|regular expression|query|one[- ]liner|program|snippet|loop|decorator|macro|component|example|algorithm"
    r"|quicksort|binary search|linked list|struct|dockerfile|makefile|bash command|shell command|command|generator"
    r"|iterator|list comprehension|lambda|hook|html page|css|button|table|enum|type|interface|test data|names"
    r"|words|sentences|password|uuid|json|lorem ipsum|unit converter|game|calculator|fizzbuzz|method|haiku|slogan"
    r"|tagline|acrostic|limerick|essay|paragraph)s?\b|^(?!.*\b(?:the|this|that|our|my)\b)(?:\W|please|can you"
    r"|could you)*(?:implement|write|code|build|create)\b.{1,60}\bin (?:python|rust|go|java|javascript|typescript"
    r"|c\+\+|c#|c|ruby|bash|sql|haskell|kotlin|swift|php|perl|r|lua|scala)\b[.!?]*$"
)
ALONE_ZH = (
    r"(?:写|实现|生成|给|做|来)(?:我)?(?:一?[个段条份组]|几个|一下)?[^，。？]{0,24}(?:函数|脚本|正则|正则表达式"
    r"|SQL|sql|代码|类|程序|算法|排序|查询|组件|命令|示例|例子|装饰器|循环|网页|随机密码|随机数|作文|表单|页面"
    r"|按钮|快速排序|爬虫|计算器|小游戏|贪吃蛇|口号)|(?:想|起|取|列|编|写|造)(?:出|我)?(?:[一二两三四五六七八九十几]+|\d+)"
    r"[个条句道][^，。？我们咱这那]{0,12}(?:名字?|名称|标题|题目?|口号|标语|点子|创意|比喻|谜语|同义词|例子|话)|写(?:一|几|两|三)?[段篇句首副条](?:关于)?[^，。？我们咱这那]{0,6}"
    r"(?:贺词|祝福|祝词|台词|段子|广告词?|歌词|对白|散文|日记|童谣|对联)|用 ?(?:Python"
    r"|Rust|Go|Java|JavaScript|TypeScript|C\+\+|C#|C|Ruby|bash|SQL|Haskell|Kotlin|Swift|PHP|Lua) ?"
    r"(?:语言)?(?:来)?(?:实现"
    r"|写|编写)(?!那|这|我)"
)
TRANSFORM = (
    r"\b(?:translate|summari[sz]e|rewrite|rephrase|paraphrase|proofread|correct|fix (?:the )?(?:grammar|spelling"
    r"|typos?|typo)|shorten|simplify|convert|format|reformat|sort|extract|count|reverse|capitali[sz]e|classify"
    r"|polish|explain|what does|turn|spell[- ]?check|decode|encode|parse|minify|prettify|tl;?dr|review|improve"
    r"|optimi[sz]e|what(?:'s| is) wrong with|complete|fill in|find the bug in|debug)\b"
)
TRANSFORM_ZH = (
    r"翻译|换成|换[一个]?种说法|按[^，。：:]{0,8}排|转成|背一首|翻成|译成|化简|起个(?:题目|标题|名字)|怎么(?:说|念|读|写)|近义|总结"
    r"|概括|改写|润色|校对|改错|纠正|缩短|精简|转换|转成|格式化|排序|提取|数一?数|统计|分类|解释|解码|编码|扩写"
    r"|续写|仿写|改成|修正|检查|优化|这段|下面|以下|如下"
)
OWN_WORDS = (
    r"\b(?:my|our) (?:text|code|sentence|paragraph|essay|email|draft|function|question|snippet|english|list|query"
    r"|regex)\b"
)
GIVEN = (
    r"\b(?:this|these|the following|below|the above|following)\b|这段|这句|这个(?:句子|单词|函数|代码|列表|文本"
    r"|段落)|下面|以下|如下|下列"
)
# What is pasted, as the words beside it call it.
AT_HAND = (
    r"\b(?:what|it|that|there|here|who|how|where|let)'s\b|\b(?:this|that|these|those)(?: \w+)?\b|\b(?:the"
    r"|its) (?:\w+ )?(?:bugs?|errors?|code|functions?|output|problems?|issues?"
    r"|warnings?|lines?|traceback|trace|stack|logs?|query|failures?|exceptions?|loops?|types?|results?|message|regex"
    r"|syntax"
    r"|cause|reason|fix|first|last|second|above|below|snippet|script|diff|patch|json|html|above)\b|这[个段些行]?|那[个段些行]"
)
# Standing instructions are about these; where one is asked for, feedback may say how.
CUSTOM = (
    r"\b(?:commit|pull request|\bpr\b|merge|release|changelog|deploy|roll ?(?:out|back)|publish|report|standup"
    r"|stand-up|status update|minutes|invoice|newsletter|blog ?post|readme|docs|documentation|unit tests?|tests?"
    r"|migration|refactor|review|slides?|presentation|reply|respond|email|e-mail|mail|letter|message|invite"
    r"|invitation|announcement|post|tweet|agenda|plan|schedule|book|order|buy|cook|recipe|dinner|lunch|breakfast"
    r"|restaurant|gift|present|playlist|music|movie|film|trip|travel|holiday|flight|hotel|train|workout|diet"
    r"|shopping|groceries|meeting|appointment|calendar|recommend|suggest|backup|back up|branch|format)\b"
)
CUSTOM_ZH = (
    r"提交|合并|发布|上线|部署|回滚|更新日志|周报|日报|月报|汇报|纪要|发票|邮件|回复|回信|消息|通知|公告|博客|文档"
    r"|测试|迁移|重构|评审|审查|幻灯片|PPT|演示|议程|计划|安排|日程|预订|预定|订[票个酒机]|点[外餐]|买|做饭|菜谱"
    r"|晚饭|午饭|早饭|餐厅|礼物|歌单|电影|旅行|出差|航班|机票|酒店|车票|健身|购物|会议|预约|推荐|备份|分支|合同"
    r"|报销"
)
EXACT = r"\b[A-Z]{2,}-\d+\b|#\d+\b|\b\w+\.(?:py|md|ts|js|go|rs|toml|ya?ml|json|sh|txt|csv)\b|那|这"
DEFINITE = (
    r"\b(?:the|this|that|these|those|his|her|their|its) (?!following|difference|capital|meaning|best way|world|sky"
    r"|sun|moon|earth|internet)\w+|\b[A-Z]{2,}-\d+\b|#\d+\b|\b\w+\.(?:py|md|ts|js|go|rs|toml|yaml|yml|json|sh|txt"
    r"|csv)\b|\b[A-Z]?\w+'s\b"
)
DEFINITE_ZH = (
    r"那[个家间本份次位台条件]|这[个家间本份次位台条件]|项目|构建|流水线|账单|合同|租约"
    r"|(?<!发明)(?<!发明了)(?<!发现)[的一-鿿]{2,8}(?<!发明了)(?<!发明)(?:地址|电话|号码|密码|账号|链接|版本|预算"
    r"|型号|尺寸)[？?]?$|服务器|数据库|仓库|生产环境|线上|接口|客户|配置|[A-Z]{2,}-\d+"
)
QUESTION = (
    r"\?\s*$|？\s*$|^(?:what|who|when|where|which|why|how|is|are|do|does|did|can|could|should|was|were|has|have"
    r"|will|any)\b|[吗呢么]\s*$|什么|哪|谁|几|多少|怎么|如何|是否|有没有|多久"
)
