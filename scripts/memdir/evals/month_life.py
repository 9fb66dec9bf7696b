"""The words of the life around the facts of a made-up month: work, home, preferences, decisions, loops, hand edits.

English and Chinese, all invented. `{p}` is a person, `{e}` an entity of the month, `{m}` a small number, `{t}` a token
that stands nowhere else. A bar divides title and lines.
"""

from memdir.evals.month_words import lines, rows

PEOPLE = {"en": ("Mira", "Jonas", "Dora", "Tomasz", "Ines", "Piotr"), "zh": ("王芳", "李强", "陈静", "小周", "吴工")}

WORK = {
    "en": rows("""
    Stand-up|{p} still fights the flaky test, I review|nothing blocked
    Deploy of {e} went through|entity:: [[{e}]]|outcome:: success|duration:: {m}m
    Deploy of {e} failed|migration hung, rolled back|entity:: [[{e}]]|outcome:: failure|error:: lock timeout
    Deploy of {e}, second attempt|smaller batches did it|entity:: [[{e}]]|outcome:: success|duration:: {m}m
    Reviewed {p}'s branch|{m} comments, mostly naming|one real bug in the paging
    Retro|too many meetings, as ever|{p} brings a timer next time
    Build broken again|```|Traceback (most recent call last):|  File "app/sync.py", line 2{m}, in run|\
KeyError: 'region'|```|missing default, fixed
    Pairing with {p}|found the race by adding a sleep, felt dirty|test written first this time
    Support call|customer could not log in, caps lock|{m} minutes well spent
    Load test on {e}|p95 at 3{m} ms, fine|no errors in {m} runs
    Read about vector clocks for an hour|interesting, no use for it here
    Inbox down to {m}|unsubscribed from two newsletters
    Alert: disk of {e} filling up|old core dumps, deleted|outcome:: success|entity:: [[{e}]]
    Interview with a candidate|good on queues, shy on tests|{p} takes the second round
    Drew the data flow of {e} on the whiteboard|photo in the channel
    Chat with {p} about testing|> {p}: do we need the end-to-end suite?|> me: ask me after the next outage|no result
    Docs, docs, docs|rewrote the install page, {m} lines shorter
    Spike on streaming uploads|works on my machine, thrown away
    Upgraded the linters|{m} new warnings, half of them right
    Call dropped three times|we blame the hotel wifi
    Invoice run checked with {p}|two cents off, rounding
    Demo for the harbour people|they liked the map, hated the colours|{p} laughs
    Profiled the import|json parsing, as always|```|  ncalls  tottime  function|     {m}    0.4{m}  loads|```
    Cleaned up branches|{m} merged ones deleted
    Bug hunt with {p}|off by one in the pager|outcome:: success|duration:: {m}m
    Long mail thread about fonts|stayed out of it
    Monthly numbers|looked plausible, {p} double-checks
    Rebooted the build box|kernel update, came back after {m} seconds
    Wrote tests for the calendar code|time zones are still not fun
    Backup restore drill|all rows back, {m} minutes|outcome:: success
    Tried the new editor theme|back to the old one after {m} minutes
    Onboarding session for the intern|she asked better questions than we had answers
    Tickets triaged|{m} closed as duplicates
    Quick fix in {e}|null check, shipped at once|entity:: [[{e}]]|outcome:: success
    Session with the agent on the importer|it found the encoding bug, I found its typo|tests green
    Slow import explained|One query for every row, 3{m} in the worst file. Batched them and kept the old path behind a\
 flag until {p} has seen it|outcome:: success|duration:: {m}m
    Session with the agent on error messages|It rewrote all of them to name the file and what to try next; I threw out\
 the jokes and kept the rest. Tests needed {m} changes
    Long debugging of {e}|Everything pointed to the network, it was a clock that ran {m} seconds late on one box.\
 Lesson: look at the clock first|entity:: [[{e}]]|outcome:: success
    Agent run over night|{m} files touched, kept three|rest reverted
    """),
    "zh": rows("""
    站会|{p}还在看那个不稳定的用例|没有阻塞
    部署 {e} 成功|entity:: [[{e}]]|outcome:: success|duration:: {m}m
    部署 {e} 失败|迁移卡住，已回滚|entity:: [[{e}]]|outcome:: failure|error:: 锁等待超时
    评审{p}的代码|提了 {m} 条意见，多数是命名|有一处翻页的 bug
    和{p}对需求|聊了 {m} 分钟，没什么新东西
    线上报警，虚惊一场|磁盘监控阈值太敏感|outcome:: success
    周会|进度正常|{p}抱怨会太多
    排查接口变慢|少了一个索引，补上就好了|outcome:: success|duration:: {m}m
    看了一篇讲缓存的文章|写得不错，我们用不上
    回邮件|清掉 {m} 封
    给新同事讲 {e}|画了张图，拍照发群里
    压测 {e}|跑了 {m} 轮，没报错
    客户来电|说登不上，原来是大写锁定
    和{p}聊自动化测试|> {p}：端到端测试真有必要吗|> 我：等下次出事故你再问|没结论
    整理文档|安装说明删了 {m} 行
    编译又挂了|```|error: linker returned exit code {m}|```|清缓存后好了
    面试|基础不错，测试写得少|{p}约二面
    升级依赖|{m} 个告警，一半有道理
    给港务局演示|地图他们喜欢，配色被吐槽
    跑批看了一眼|比昨天快 {m} 分钟
    修了个小 bug|空指针，当天就上了|outcome:: success
    和代理一起改导入脚本|编码问题是它找到的，错别字是我找到的
    备份恢复演练|数据都在|outcome:: success|duration:: {m}m
    查了半天 {e} 超时|看着像网络，其实是一台机器的时钟慢了 {m} 秒，对时就好了|entity:: [[{e}]]|outcome:: success
    让代理改报错文案|每条都写清哪个文件、下一步怎么办；俏皮话我删了，其余保留，测试改了 {m} 处
    网络抖了一下午|{p}说是楼上施工
    """),
}
HOME = {
    "en": rows("""
    Rain all day|the cellar stayed dry for once
    Lunch with {p}|lentil soup, too salty
    Dentist|nothing to drill, back in half a year
    Bike had a flat|patched it at the kitchen table
    Bought bread, lamp oil and {m} screws|forgot the milk
    Ran {m} minutes along the canal|windy
    Cooked dumplings|the dough was too wet again
    Called home|mum has planted beans
    First warm day|lunch outside
    Haircut|shorter than planned
    Parcel picked up|queue of {m} people
    Film night|fell asleep in the middle
    Cake in the kitchen|{p}'s birthday, lemon
    Fog|could not see the cranes
    Sorted the bookshelf|{m} books for the flea market
    Coffee machine is making noises|{p} hit it, works again
    Museum with the kids|dinosaurs, obviously
    Slept badly|cat
    """),
    "zh": rows("""
    下雨，没带伞|鞋湿了
    吃面|{p}请客，有点咸
    跑步 {m} 分钟|风大
    去理发|剪短了点
    买菜|忘了买牛奶
    给家里打电话|妈妈种了豆子
    天晴了|中午在外面吃的
    看电影|看到一半睡着了
    咖啡机又响|{p}拍了两下好了
    快递到了|排队 {m} 分钟
    包饺子|面和稀了
    起雾|对岸的吊车都看不见
    """),
}
COLOUR = {
    "en": lines("""
    told the team in the channel
    {p} was there too
    wiki page updated as well
    short call, good mood
    coffee was cold by then
    took longer than it should have
    nobody objected
    {p} joined late
    came up by chance
    that was all
    mail from {p}, two lines
    written down before I forget
    had to ask twice
    will tell {p} tomorrow
    thread is in the team channel
    {p} took notes, badly
    five minutes, done
    also talked about the summer party
    the old sticky note is in the bin now
    seen on the way out
    half the call was about the weather
    {p} sends a screenshot later
    no follow-up needed
    asked because of the audit
    {p} had the wrong window open, as usual
    we were both surprised
    between two trains
    checked against the paper folder
    """),
    "zh": lines("""
    群里说过了
    {p}也在
    文档一并更新
    电话很短
    顺口提到的
    没人反对
    {p}迟到了
    就这些
    {p}发来邮件
    先记下来免得忘
    问了两遍才问清楚
    明天跟{p}说一声
    {p}回头发截图
    五分钟搞定
    顺便聊了聊团建
    旧便签扔了
    出门时看到的
    电话一半在聊天气
    不用跟进
    审计要用
    {p}又看错窗口了
    跟纸质文件对过
    """),
}
TITLES = {
    "en": {
        "project": lines("{e} planning\nState of {e}\nNotes from the {e} review\n{e} with {p}\nWorking on {e}\n"
                         "Steering call {e}\n{e} housekeeping\nAgent session on {e}"),
        "service": lines("Maintenance of {e}\nOps notes {e}\nLooked into {e}\n{e} with {p}\n{e} after the incident\n"
                         "Config round on {e}\n{e} check-up\nAgent session on {e}"),
        "person": lines("1:1 with {e}\nCoffee with {e}\nMail from {e}\nLunch, {e} and me\nHR form for {e}\n"
                        "Desk move, {e}\nQuick chat with {e}\nAdmin for {e}"),
        "place": lines("Visit to {e}\nOffice admin, {e}\nCall about {e}\nWalk through {e}\nFacility round: {e}\n"
                       "Letter about {e}\n{e} with {p}\nErrands at {e}"),
        "supplier": lines("Call with {e}\nMail from {e}\nPurchasing: {e}\nOffer from {e}\n{e} visited us\n"
                          "Paperwork for {e}\n{e} with {p}\nBookkeeping, {e}"),
    },
    "zh": {
        "project": lines("{e} 进展\n{e} 评审记录\n和{p}讨论 {e}\n{e} 排期\n接着搞 {e}\n{e} 现状\n"
                         "{e} 杂事\n让代理看了 {e}"),
        "service": lines("{e} 运维\n检查 {e}\n{e} 巡检\n和{p}看 {e}\n{e} 故障之后\n调 {e} 的配置\n"
                         "{e} 杂事\n让代理查 {e}"),
        "person": lines("和 {e} 一对一\n跟 {e} 喝咖啡\n{e} 来信\n和 {e} 吃午饭\n帮 {e} 填表\n{e} 换座位\n"
                        "碰到 {e}\n{e} 的手续"),
        "place": lines("去了趟 {e}\n{e} 行政\n关于 {e} 的电话\n{e} 走了一圈\n{e} 物业\n{e} 来函\n"
                       "和{p}去 {e}\n{e} 杂事"),
        "supplier": lines("给 {e} 打电话\n{e} 来信\n采购：{e}\n{e} 报价\n{e} 来访\n{e} 的单据\n"
                          "和{p}谈 {e}\n{e} 对账"),
    },
}  # fmt: skip
# For several statements at once; the first four suit a weekend, too.
BUNDLES = {
    "en": lines("Notes of the day\nOdds and ends\nLoose notes\nChat outcome\nStand-up\nWeekly sync\n"
                "From the call\nCatching up"),
    "zh": lines("今日记录\n零碎\n随手记\n聊天结论\n站会\n周会要点\n电话纪要\n补记"),
}  # fmt: skip

# kind → language → title | text | words to be found. User first: what the user wants, likes, corrects.
PLANTED = {
    "preference": {
        "en": rows("""
    Chat: shell snippets|I prefer zsh, please no bash-only syntax|zsh
    Chat about diffs|User wants diffs side by side, never unified|side by side
    Chat on the report|I like numbers with a thousands comma, not a blank|thousands comma
    Planning my week|No meetings before ten please, mornings are for code|before ten
    Chat: which editor|I use Helix for everything, so give key bindings for Helix|Helix
    Chat outcome, spelling|User writes British English and wants it kept that way|British English
    Tea, again|User drinks oolong only, remember that for the offsite order|oolong
    Chat: summaries|I'd rather have three bullet points than a paragraph|three bullet points
    Travel booking|Always book me a window seat on trains, never the aisle|window seat
    Chat: commit messages|I want commit subjects in the present tense|present tense
    """),
        "zh": rows("""
    聊到写作|我喜欢先给结论再讲理由|先给结论
    聊界面|用户偏好深色主题，字号大一点|深色主题
    聊日程|周五下午我不排会|周五下午
    聊饮食|我不吃香菜，订餐时注意|香菜
    聊表格|我习惯日期写成年月日|年月日
    聊工具|用户平时用五笔输入法|五笔
    """),
    },
    "correction": {
        "en": rows("""
    Correction on the release script|No, not like that: never push to main without asking me first|push to main
    Told off the agent|Stop adding try/except around everything, let it crash|let it crash
    After the review|You sorted the imports by hand again; leave that to the formatter|imports
    Correction: time stamps|Wrong, I said UTC. Use UTC in every report from now on|UTC
    Feedback on the mail draft|Don't sign mails with my full name, initials are enough|initials
    Feedback after the demo|Please don't invent numbers for slides; write TBD instead|TBD
    Correction on tests|That test mocks the database. I told you: real database in tests|real database
    Feedback, long answers|Too long again. Answer in under ten lines unless I ask|ten lines
    Correction: file names|Not camelCase! File names here are kebab-case|kebab-case
    Feedback on the refactoring|Next time one rename per commit, I could not review that|one rename per commit
    """),
        "zh": rows("""
    纠正一下翻译|别再用机翻腔，口语一点|机翻腔
    对代理的反馈|不要擅自改格式，只动要改的那几行|擅自改格式
    纠正：日志|我说过了，报错信息要写清楚文件和行号|行号
    评审后的反馈|以后删数据之前先问我|删数据
    纠正单位|不对，温度用摄氏度|摄氏度
    反馈：回答方式|别每次都道歉，直接改就行|道歉
    """),
    },
    "decision": {
        "en": rows("""
    {e} steering|Decided: {e} ships without offline mode in the first release, reviewed in June|offline mode
    {e} design call|We go with server-side rendering for {e} because the kiosks are slow|server-side rendering
    {e} scope|{e} will only support Firefox ESR and Chromium, agreed with the client|Firefox ESR
    {e} architecture|Decision on {e}: one repository, no submodules|no submodules
    {e} and the auditors|For the audit {e} must keep every invoice as PDF/A|PDF/A
    {e} planning, long|{e} drops the CSV import, only Parquet stays|Parquet
    {e} background|{e} exists because the ferry company cancelled their old system|ferry company
    {e} staffing|Agreed that {e} is frozen in August, everyone is away|frozen in August
    {e} security round|{e} gets passkeys, passwords are phased out|passkeys
    {e} accessibility|The client insists on WCAG AA for {e}, colours must be redone|WCAG AA
    {e} decision log|Feature flags in {e} live in a plain TOML file, no vendor|TOML
    {e} kick-off part two|{e} is paid by the regional innovation fund, hence the quarterly reports|innovation fund
    """),
        "zh": rows("""
    {e} 决策|决定 {e} 第一版不做多语言|多语言
    {e} 讨论|{e} 采用单体架构，暂不拆微服务|单体架构
    {e} 背景|做 {e} 是因为海关换了申报接口|申报接口
    {e} 评审结论|{e} 的地图统一用开源瓦片，不买商业授权|开源瓦片
    {e} 约定|{e} 每次发布前必须跑完回归清单|回归清单
    {e} 范围|{e} 放弃支持旧版平板|旧版平板
    {e} 客户要求|客户要求 {e} 的数据只能存在国内机房|国内机房
    {e} 方案|{e} 的短信改走聚合平台，两家备份|聚合平台
    """),
    },
    "ref": {
        "en": rows("""
    Where the dashboards are|Grafana is at https://grafana-{t}.nordlicht.example/d/overview|grafana-{t}
    Tracker moved in with us|Issues are tracked at https://tracker-{t}.example/boards/main|tracker-{t}
    Found the log search|Logs can be searched on logs-{t}.intern.example, VPN needed|logs-{t}
    Style guide link|The style guide lives at https://style-{t}.example/guide|style-{t}
    Mirror for packages|We mirror packages on mirror-{t}.intern.example|mirror-{t}
    Booking rooms|Rooms are booked at https://rooms-{t}.example/calendar|rooms-{t}
    """),
        "zh": rows("""
    监控地址|监控面板在 https://watch-{t}.example/panel|watch-{t}
    文档入口|接口文档放在 https://docs-{t}.example/api|docs-{t}
    代码镜像|国内代码镜像是 git-{t}.intern.example|git-{t}
    报销系统|报销在 https://expense-{t}.example 填|expense-{t}
    """),
    },
}
TYPES = {"preference": "user", "correction": "feedback", "decision": "project", "ref": "ref"}
LABELS = {
    "en": {"preference": "preference", "correction": "correction", "decision": "decision", "ref": "reference"},
    "zh": {"preference": "偏好", "correction": "纠正", "decision": "决定", "ref": "参考"},
}
LOOPS = {
    "en": lines("""
    Raise the statement timeout
    Order new toner
    Ask {p} for the signed contract
    Book the train to Hamburg
    Write the post-mortem
    Rotate the certificates on the kiosk
    Clean up the staging data
    Reply to the insurance
    Fix the broken link on the landing page
    Send {p} the photos of the rack
    Try the import with the big file
    Return the borrowed projector
    Add an index for the search by date
    Renew the parking permit
    Document the restore steps
    Talk to {p} about the holiday plan
    Delete the old buckets
    Check why the nightly mail came twice
    Get a second quote for the shelves
    Move the cron jobs to the new box
    Test the tablets in the cold
    Water the plants before the trip
    Close the unused accounts
    Ask the auditors for a deadline
    Shorten the onboarding page
    Port the shell aliases
    Measure the start-up time again
    Replace the battery in the smoke detector
    Update the screenshots in the manual
    Find a room for the retro
    Compare the two invoices from last week
    Write to the landlord about the heating
    Look into the memory leak in the worker
    Pick up the repaired laptop
    Prepare the slides for the board
    Turn on two-factor for the shared mailbox
    Label the cables behind the desk
    Read {p}'s proposal
    Switch the health check to the new path
    Plan the farewell for the intern
    """),
    "zh": lines("""
    给客户回邮件
    预约体检
    补上缺的单元测试
    找{p}要发票
    整理会议纪要
    更新部署文档
    买去苏州的车票
    检查备份日志
    把旧表删掉
    联系物业修灯
    写周报
    确认合同扫描件
    清理测试数据
    给打印机换墨
    看一下{p}的提案
    修登录页的错别字
    申请新的证书
    核对上周的账单
    约{p}讨论排期
    把脚本迁到新机器
    还借来的投影仪
    整理门后的纸箱
    复查昨晚的告警
    准备演示用的平板
    给新人开账号
    补拍机柜的照片
    """),
}
AFTER = {
    "en": lines("took {m} minutes\neasier than feared\nsecond try\n{p} helped\nlonger than planned, {m} minutes"),
    "zh": lines("花了 {m} 分钟\n比想的容易\n第二次才成\n{p}帮了忙"),
}  # fmt: skip
TRIP = (
    ("Landed in Shanghai", "two films, no sleep", "hotel near the office"),
    ("Back in Berlin", "slept on the train from the airport"),
)
NIGHT = (
    ("Pager went off", "backup job stuck on the build box", "killed it, back to bed"),
    ("Pager again", "the clocks went forward and the job ran twice", "outcome:: success"),
)
DONE = {
    "en": lines("Done: {l}\nFinished at last: {l}\nTicked off: {l}\nGot round to it: {l}\nOff the list: {l}\n"
                "Closed: {l}\nThat's settled: {l}\nAt last, {l}: done"),
    "zh": lines("搞定：{l}\n已完成：{l}\n{l}，做完了\n终于：{l}\n了结一件：{l}\n{l}，完成\n处理完毕：{l}\n划掉：{l}"),
}  # fmt: skip

# kind of edit → language → what a person writes; `{a}` is the sentence that stood there
EDITS: dict[str, dict[str, tuple[str, ...]]] = {
    "append": {
        "en": lines("- The spare adapter is in the drawer marked {t}\n- Ask for the folder {t} at the front desk\n"
                    "Added by hand: the sketch {t} hangs in the hall"),
        "zh": lines("- 备用钥匙在 {t} 抽屉里\n- 手工补充：图纸编号 {t}\n纸质文件在 {t} 文件夹"),
    },
    "reword": {
        "en": lines("{a} The background is in binder {t}.\nIn short, and see binder {t}: {a}"),
        "zh": lines("{a}背景见 {t} 文件夹。\n一句话（另见 {t} 文件夹）：{a}"),
    },
    "new note": {
        "en": lines("Bike routes {t}\nPantry list {t}"),
        "zh": lines("阳台植物 {t}\n读书清单 {t}"),
    },
    "CRLF save": {"en": ("- Saved from the old laptop, tape {t}",), "zh": ("- 在旧电脑上存的，磁带 {t}",)},
    "paper": {"en": ("Copied from paper, sheet {t}.",), "zh": ("从纸上抄来的，第 {t} 页。",)},
    "habit": {
        "en": lines("- Keeps a paper copy under {t}\n- Nickname on the floor plan is {t}\n- Old sticker says {t}"),
        "zh": lines("- 墙上贴着 {t} 的旧标签\n- 平面图上写的是 {t}\n- 纸质备份放在 {t}"),
    },
}  # fmt: skip
TAGS = {"project": "项目", "service": "服务", "person": "人员", "place": "地点", "supplier": "供应商"}
TOKENS = lines("walnut juniper copper saffron velvet granite lupin thistle ember quartz basil cinder hazel indigo "
               "marble nutmeg pepper raven sorrel tundra umber willow yarrow zinnia".replace(" ", "\n"))  # fmt: skip
