"""The table of `attributes`: kinds of value; class by class what asks for an attribute, and what tells it. Pure data.

English and Chinese, some Japanese and Russian. Written from what people ask of their notes, with the `dev` questions of
the own set in view and those of `declining`.
"""

_NUMBER = (
    r"\d|[一二两三四五六七八九十百千万]|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|dozen"
    r"|(?:thir|four|fif|six|seven|eigh|nine)teen|twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety|hundred)\b"
)
_HOUR = r"(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|\d{1,2})"
# Kinds of value by the name that the table has for them. Only where one stands is asked, so of a number its last digit
# will do, and every run is bounded: a digit run and a run of blanks, each without a bound, took 33 s of one line.
VALUES = {
    "number": _NUMBER,
    "phone": r"(?:\+|\b0)\d[\d \-()/]{5,20}\d|尾号",
    "mail": r"[\w.+-]{1,64}@[\w-]{1,63}\.\w",
    "money": r"[€$£¥￥]|\d[\s,.]{0,4}(?:euros?|eur\b|usd|dollars?|pounds?|cents?|欧|元|块|円|лари|руб)"
    r"|[一二三四五六七八九十百千万]\s{0,4}(?:欧|元|块|円|百|千|万)|\beuros?\b|\bfree\b|免费|\|\s{0,40}"
    r"[\d,]{3,20}\s{0,40}\|",
    "date": r"\b(?:19|20)\d\d\b|\d{1,2}[-/.]\d{1,2}|\d\s{0,4}[年月号日]|[一二三四五六七八九十][年月号日]|农历|每|清明"
    r"|除夕|\b(?:jan|feb|mar|apr|may|june?|july?|aug|sep|oct|nov|dec)[a-z]{0,20}\b|[周期拜][一二三四五六日天末]|曜"
    r"|\b(?:mon|tues|wednes|thurs|fri|satur|sun)days?\b|\b(?:spring|summer|autumn|winter|week|month|morning|evening"
    r"|night|sunset|sunrise|noon|every)\b|[春夏秋冬早晚]",
    "time": r"\d{1,2}[:：h]\d\d|\b\d{1,2}\s{0,4}(?:am|pm|o'clock)|[\d一二三四五六七八九十]\s{0,4}[点時]"
    rf"|\b(?:noon|midnight|sunset|sunrise)\b|\b(?:at|before|after|by|until|from|past)\s{{1,4}}(?:half\s{{1,4}})?{_HOUR}\b",
    "span": rf"(?:{_NUMBER}|\b(?:an?|half|every)\b)[^,.;，。；]{{0,10}}?(?:minute|hour|day|week|month|year|second|count"
    r"|分|小时|天|周|月|年|秒|时|(?<=\d) ?(?:ms|min|[smhd])\b)",
    "measure": r"\d[\s.,]{0,4}(?:[mckµ]?m\b|m²|met(?:re|er)s?|kilomet|inch|ft\b|feet|hectares?|ha\b|[kMGT]i?B\b"
    r"|lit(?:re|er)s?|l\b|升|毫升|平|米|厘|公里|毫米|公顷|里)|[一二两三四五六七八九十百千]\s{0,4}(?:平|米|厘|公里|公顷|里|升)"
    r"|square|\d\s{0,4}[×x]\s{0,4}\d",
    "weight": r"\d\s{0,4}(?:kg|g|t|mg)\b|\bkilos?\b|grams?\b|\btons?\b|公斤|[斤克吨]",
    "place": r"\b[a-z]{1,40}(?:straat|weg|laan|kade|plein|gracht|singel|dijk|street|road|avenue|lane)\b|[路街巷]|улица"
    r"|\d{1,3}(?:\.\d{1,3}){3}|\w{1,63}\.\w{1,63}:\d|https?://|\b(?:in|at|near|on)\b (?-i:[A-Z])",
    "host": r"\d{1,3}(?:\.\d{1,3}){3}|\b[\w-]{1,63}\.(?:com|org|net|nl|cn|io|example|internal|local)\b",
    "model": r"\b(?-i:[A-Z][A-Za-z]{0,20}(?:[ -][A-Za-z]{0,20})?\d|[A-Z]{2,20}\b)",
    "version": r"\b\d{1,9}\.\d{1,9}\b",
    "colour": r"\bRAL\b|\bS \d{4}|\b(?:red|green|blue|white|black|brown|gr[ea]y|yellow|orange|purple|pink|tan|beige"
    r"|golden|silver)\b|[红绿蓝白黑棕灰黄橙紫粉]",
    "year": r"\b(?:1[5-9]|20)\d\d\b|\d years\b|年",
    "proper": r"(?-i:\b[A-Z][a-z])",
    "percent": r"%|\bper ?cent\b|百分之|成",
}

# Class by class: what asks = what tells; of a word its beginning counts, with a point behind it the whole of it.
TABLE = """
phone number, mobile number, telephone number, number of the phone, 电话号, 手机号, 的电话, 電話番号 = <phone>;
email, e mail, mail address, 邮箱, 邮件地址, メールアドレス = <mail>;
address, 地址, 住址, 门牌, 小区, 哪条街, which street, адрес = address, 地址, 地点, 住, адрес, live, <place>;
live., lives., lived., 住在, 住哪, 住几 = live, from., moved, resid, 住, 城, <place>;
ip., 内网, url., domain, website, 网址, 域名 = address, 内网, 网, 域名, <host>;
password, passphrase, passcode, pin., access code, gate code, door code, combination of, 密码, 口令, パスワード
= password, passphrase, passcode, pin., code, combination, 密码, 口令, 暗証;
serial, 序列号, 出厂编号 = serial, 序列号, 编号;
licence plate, license plate, number plate, registration, 车牌 = plate, registration, 车牌;
identity, social security, citizen service, 身份证, 社保 = identity, social security, 身份证, 社保;
passport number, 护照号 = passport number, passport no, 护照号;
account number, iban, bank account, 账号, 银行卡, 户头 = account, iban, 账号, 账户, 户头;
customer number, client number, membership number, 客户号, 会员号 = customer, client, member, 客户, 会员;
badge, staff number, employee number, 工号 = badge, staff, employee, 工号;
card number, last four, 卡号 = card, 卡, 尾号, 最后四位;
chip., chip number, 芯片 = chip, 芯片;
vat number, tax number, registration number, 税号, 注册号 = vat n, tax n, kvk, 税号, 注册号;
wechat, 微信号 = wechat, 微信;
contract number, policy number, file number, reference number, order number, 合同号, 合同编号, 保单号, 订单号
= number, file., 合同号, 编号, 保单, 单号;
seat., 座位 = seat, 座位;
birthday, born., date of birth, 生日, 出生, 忌日, 誕生日 = birthday, born., 生日, 出生, 年生, 忌日, 大寿, 誕生日;
how old, age., aged, 多大年纪, 多大岁数, 多大了, 几岁, 年纪, 年龄, 今年多大, 何歳
= age., aged, years old, year old, born., birthday, 岁, 歳, 出生, 年生, 大寿;
how tall, how high, how deep, height, depth, 身高, 多高, 海拔, 多深
= tall., high., deep, height, depth, 高, 海拔, 深, <measure>;
weigh, how heavy, 多重, 体重, 几斤 = weigh, 重, <weight>;
size, how big, how large, how wide, square met, hectares, how many lit, 箱子多大, 盆多大, 尺寸, 面积, 平米, 平方, 几码,
尺码, 多宽 = size, 码, 尺, 面积, 平, <measure>, <weight>, <number>;
how far, distance, how many kilomet, 多远, 多少公里, 几公里, 距离 = <measure>, <span>;
blood type, blood group, 血型 = blood, 血型;
blood pressure, 血压 = blood pressure, 血压;
blood sugar, 血糖 = sugar, 血糖;
cholesterol, 胆固醇, 血脂 = cholesterol, 胆固醇, 血脂;
glasses prescription, dioptre, 近视, 度数 = dioptre, 近视, 度数, 眼镜;
temperature, how warm, how cold, how hot, 多少度, 温度, 几度 = degree, 度, °, градус;
salary, wage, earn, income, 工资, 月薪, 年薪, 收入 = salary, wage, earn, income, 工资, 薪, 收入;
turnover, revenue, profit, 营业额, 利润, 销售额 = turnover, revenue, profit, 营业额, 利润, 卖;
cost, price, how much is, how much was, how much were, how much are, how much money, charge, did we pay, do we pay,
did you pay, 多少钱, 什么价, 价格, 单价, 费用, 收费, 进价, いくら = <money>;
rent., rents., 租金, 房租, 月租 = rent, 租;
fee., fees., dues, subscription, 会费, 年费, 报名费, 挂号费, 签证费, 手续费, 学费
= fee, dues, subscription, contribution, a year, a month, pays, 费, <money>;
ticket, 门票, 车票, 船票 = ticket, admission, entrance, 票;
interest, 利率, 利息 = interest, 利率, 利息, <percent>;
mortgage, 房贷, 按揭 = mortgage, 房贷, 按揭, 贷款;
share of, percent, 百分之, 比例, 占比 = share, quarter, half, <percent>;
insur, 保险, 车险, 医保 = insur, 保险, 医保, verzeker;
warrant, guarantee, 保修, 质保 = warrant, guarantee, 保修, 质保;
contract., contracts., 合同 = contract, 合同;
expire, expiry, valid until, run out, runs out, 到期, 过期, 有效期, 为止
= expir, until, due., valid, contract, 到期, 过期, 有效, 期限, 为止;
model, which printer, which camera, which monitor, which laptop, which scanner, 型号, 哪款 = model, 型号, <model>;
brand, make of, 牌子, 品牌 = brand, 牌, <proper>;
cpu., processor, 处理器 = cpu., processor, cores., 处理器, 核;
memory., ram., 内存 = memory, ram., 内存, <measure>;
disk, 硬盘, 磁盘 = disk, ssd, nvme, 硬盘, 磁盘;
operating system, os., 操作系统 = os., system, linux, 系统;
port., ports., 端口 = port., ports., 端口;
version, latest release, 版本 = version, release, 版本, <version>;
how much power, watt, 功率, 耗电 = watt, kw, power, 功率, 耗电;
decibel, how loud, 分贝 = decibel, db., loud, noise, 分贝, 声;
resolution, 分辨率 = resolution, pixel, 分辨率;
gigabyte, data plan, 流量 = gb., data, 流量;
how fast, speed, 网速, 多快, 带宽 = fast, speed, bit/s, a second, 兆, 速, 宽带;
colour, color, paint., 颜色, 什么色, 何色 = colour, color, paint, 色, <colour>;
surname, last name, family name, first name, middle name, 姓什么, 全名
= surname, last name, family name, first name, middle name, 姓, 医生, 全名;
universit, college, study., studied, studying, studies, 大学, 毕业, 上学, 专业
= universit, college, stud, school, degree, 大学, 毕业, 上学, 专业, 学的;
school., 学校 = school, 学校;
husband, wife., spouse, 丈夫, 妻子, 老公, 老婆 = husband, wife, spouse, partner, married, 丈夫, 妻子, 老公, 老婆, 结婚;
s mother, s mum, 母亲 = mother, mum., 母亲, 妈;
s father, s dad, 父亲 = father, dad., 父亲, 爸;
daughter, 女儿 = daughter, 女儿, дочь;
son., sons., 儿子 = son., sons., boys, 儿子, 父子;
grandson, granddaughter, grandchild, 孙子, 孙女, 外孙 = grand, 孙, 奶奶;
sister., brother., sibling, 姐姐, 妹妹, 哥哥, 弟弟 = sister, brother, sibling, 姐, 妹, 哥, 弟;
child., children, 孩子 = child, kid, son., daughter, boys, girls, 孩子, 女儿, 儿子;
dog., dogs., 狗 = dog, 狗, 犬;
work for, works for, work at, employer, job., profession, for a living, 公司上班, 上班, 职业, 做什么工作, 什么职位
= compan, employ, work, job, teach, retired, by trade, 公司, 单位, 上班, 工, 修, 师, 任, 职, 退休;
instrument, 乐器 = instrument, piano, organ, harp, violin, cello, guitar, flute, plays, 乐器, 琴;
boss., ceo., director, in charge, 老板, 经理, 谁负责, 负责人
= boss, ceo., director, lead, manage, owner, 老板, 负责, 经理, 总监, 主任;
owner, owns., who has the, 店主, 房东 = owner, owns, belong, landlord, farmer, 店主, 房东, 负责, 老板, 大家, хозя;
chairman, chairwoman, chair of, treasurer, secretary, 会长, 主席, 秘书
= chair, treasurer, secretary, books, 会长, 主席, 秘书;
doctor., dentist, surgeon, 医生, 大夫 = doctor, dr., surgeon, dentist, 医生, 大夫, 主任, 诊所;
teacher, coach, trainer, 老师, 教练 = teach, coach, train, 老师, 教练, 先生;
hotel, guesthouse, hostel, campsite, camping, 旅馆, 酒店, 民宿, 宾馆, ホテル
= hotel, guest, hostel, camp, stays, slept, beds., room, 旅馆, 酒店, 民宿, 住, 町屋, гост;
airline, which flight, flight number, 航空公司, 航班 = airline, flight, klm, 航;
restaurant, café, cafe, 餐厅, 饭馆, 饭店 = restaurant, café, cafe, eat, dinner, lunch, 餐, 馆, 食, 店;
opening hours, 开门, 关门, 营业, 定休日, open., opens., close., closes., closed
= open, clos, lock, hours, 开门, 关门, 营业, 定休, 闭馆, 休;
parking, to park, 停车 = park, garage, 停车, 车库;
what time, 几点, 何時 = <time>;
when is, when was, when are, when were, when did, when do, when does, when will, what date, date of, which day,
what day, on which, 哪天, 几号, 哪一天, 什么时候, 日期, 星期几, 周几, いつ = <date>, <time>;
what year, which year, 哪年, 哪一年 = <year>;
how many, 多少个, 多少人, 多少只, 多少张, 多少次, 多少位, 多少家, 有多少, 几个, 几只, 几位, 几本, 几张, 几台, 几条,
几次, 几桌, 几株 = <number>;
how often, 多久一次, 多久浇, 多久施, 几天一次, 每隔
= every, each, once, twice, weekly, daily, a week, a month, times a, 每, 隔;
how long, 多久, 多长时间, 几天, 几周, 几个月, 几小时, 几分钟 = <span>, <measure>, <date>;
score., mark., grade., 多少分, 成绩 = score, mark, grade, point, passed, 分;
who sold, where did we buy, where did we get, where did i buy, where did you buy, supplier, 供应商, 里买, 哪买, 哪儿买,
店买, 家买, 家进, 哪儿进, 哪里进 = bought, buy, sold, shop., store., suppl, second-hand, from., 买, 店, 进, 供, 拿;
buy., purchase, 年买, 时候买, 天买 = bought, buy, purchase, 买, 购;
built., 建于, 哪年建 = built, 建;
made of, material, what wood, 材料, 材质 = made of, wood, brick, steel, zinc, clay, 材, 木, 陶, 瓷;
breed, species, latin name, 品种, 学名 = breed, species, race., 品种, 学名;
logo, 标志 = logo, 标志;
download, 下载 = download, 下载;
allerg, 过敏, 忌口 = allerg, 过敏, 忌口;
surgery, operation., operated, 手术 = surgery, operat, 手术;
dose., dosage, 剂量 = dose, 剂量, <weight>;
vaccin, 疫苗 = vaccin, shot, 疫苗, 打;
author, who wrote, composed, composer, 作者, 谁写 = author, wrote, written, compos, by., 作者, 写;
visa., 签证 = visa, 签证;
exam., 考试 = exam, test, 考;
source code, repository, 源码, 代码 = source, repo, git, forge, codeberg, 源码, 代码;
which floor, what floor, 几楼, 几层, 哪层 = floor, storey, attic, 楼, 层;
solo, 独唱, 独奏 = solo, 独唱, 独奏;
which car, what car, 什么车, 开的车 = car., cars, van., driv, 车, машин, делика;
favourite, favorite, 最喜欢, 最爱 = favourite, favorite, likes, loves, 喜欢, 最爱, 爱;
nationality, citizenship, which country, what country, 国籍, 哪国, 哪个国家 = national, citizen, country, from., 国, 人;
deadline, due date, 截止, 期限 = deadline, due., until, by., before, 截止, 期限, 前, 最后;
budget, 预算 = budget, 预算;
discount, 折扣, 优惠 = discount, off., 折, 优惠, <percent>;
deposit, down payment, 押金, 定金, 首付 = deposit, down, 押金, 定金, 先付, 首付;
refund, 退款 = refund, back., 退;
loan., loans., debt, owe., owes., 欠款, 贷款, 欠 = loan, debt, owe, 欠, 贷款, 借;
tax., taxes, 税率, 税款 = tax., taxes, vat., 税;
bonus, 奖金 = bonus, 奖金;
fine., penalty, 罚款 = fine., penalty, costs, 罚;
invoice, receipt, 发票, 收据 = invoice, receipt, bill, 发票, 收据;
isbn, publisher, 出版社 = isbn, publish, 出版;
how many pages, 多少页, 几页 = page, 页;
translator, translated by, 译者, 谁翻译 = translat, 译;
nickname, 绰号, 外号 = nickname, called, known as, 绰号, 外号, 叫;
time zone, timezone, 时区 = time zone, timezone, utc, gmt, 时区;
username, user name, login, 用户名, 登录名 = user, login, 用户名, 登录;
ssid, wifi, wi fi, wlan, 无线 = ssid, wifi, wi-fi, wlan, router, network, 无线, 网, 路由器;
mac address, api key, token, 密钥 = mac address, api key, token, key., 密钥;
certificate, 证书 = certificate, 证;
licence., license., permit, 许可证, 执照, 驾照 = licen, permit, 许可, 执照, 驾照;
diagnosis, 诊断 = diagnos, 诊断, 是;
prescription, prescribed, 处方, 开的药, 什么药 = prescri, mg., drops, 处方, 药, 毫克;
tracking number, 运单号, 快递单号, 订单 = tracking, parcel, order., 单号, 订单;
room number, which room, 房号, 房间号, 哪个房间 = room, 房, 室;
train number, which train, which bus, which tram, which line, 车次, 哪路, 几路, 哪趟
= train, bus, tram, line, metro, 路, 线, 车, 特急, 次;
platform., gate., terminal, 站台, 航站楼, 登机口 = platform, gate, terminal, 站台, 航站楼, 登机口;
emergency contact, 紧急联系人 = emergency, 紧急;
contact person, our contact, 联系人, 对接人 = contact, call, ring, reach, 联系, 对接, 找;
photographer, took the photo, took the picture, 摄影, 谁拍 = photo, pictur, camera, 摄影, 拍;
designer, designed, architect, 设计师, 建筑师, 谁设计 = design, architect, drew, drawn, 设计, 画;
repaired, fixed., mechanic, 谁修, 修理 = repair, fix, mend, mechanic, 修;
installed, installer, fitted, 谁装, 安装 = install, fitted, put in, 装;
plumber, electrician, carpenter, 水管工, 电工, 木匠 = plumb, electric, carpent, 水管, 电工, 木匠, 师傅;
cleaner, cleans, cleaned, 保洁, 打扫 = clean, sweep, 保洁, 打扫, 扫;
babysitter, nanny, sitter, 保姆 = sitter, nanny, looks after, 保姆, 照看;
lawyer, solicitor, notary, 律师, 公证 = lawyer, solicitor, notar, attorney, legal, 律师, 公证;
accountant, bookkeeper, tax adviser, 会计, 税务顾问 = account, book, tax adviser, 会计, 账, 税务;
neighbour, neighbor, 邻居 = neighbour, neighbor, next door, upstairs, 邻居, 隔壁, 楼上;
roommate, flatmate, 室友 = roommate, flatmate, shares, 室友, 合租;
sponsor, 赞助 = sponsor, 赞助;
deputy, stand in, substitute, replaces, 代班, 替班, 接替 = deputy, stand, substitut, replac, 代, 替, 接;
winner, who won, prize, award, 冠军, 获奖, 谁赢 = won., winner, prize, award, first, 冠军, 奖, 赢;
rank., place did, 名次, 第几名 = rank, place, finished, 名;
wedding, married, anniversary, 结婚, 婚礼, 纪念日 = wedding, married, anniversary, 结婚, 婚;
died, death, 去世, 过世 = died, death, dead, funeral, 去世, 过世, 走了;
guests, attendees, participants, visitors, 来宾, 客人, 参加
= guest, people, attend, particip, visitor, came, 人, 位, 客;
members, singers, players, 成员, 会员 = member, singer, player, people, 人, 位, 员;
employees, staff., 员工 = employ, staff, people, 员工, 人;
ingredient, recipe, 配料, 配方, 食谱 = ingredient, recipe, gram, spoon, 配料, 配方, 克, 勺;
dish., menu, dessert, 什么菜, 菜单, 甜点 = dish, menu, dessert, cake, cook, 菜, 汤, 做, 吃;
wine, beer, 什么酒, 哪种酒 = wine, beer, bottle, 酒;
mileage, horsepower, 里程, 马力 = km., mile, hp., 里程, 马力, 公里;
engine, motor, 发动机, 引擎 = engine, motor, outboard, 发动机, 引擎, 机;
battery, 电池 = batter, charge, 电池, 充电;
camera, lens, 相机, 镜头 = camera, lens, 相机, 镜头;
printer, scanner, 打印机 = printer, scanner, 打印;
watch., 手表 = watch, 手表, 表;
language, languages, 什么语言, 哪种语言 = language, speak, 语, 文;
hobby, hobbies, 爱好 = hobb, likes, loves, 爱好, 喜欢;
religion, church, 宗教, 教会 = religio, church, 教;
vegetarian, diet, 素食, 饮食 = vegetarian, vegan, diet, eats, 素, 吃, 饮食;
spare key, key to, keys to, 备用钥匙, 钥匙 = key., keys, 钥匙;
capacity, 容量 = capacity, holds, 容量, <measure>, <number>;
length, 多长, 长度 = long., length, 长, <measure>;
ceiling, floor., wall., 地板, 墙 = ceiling, floor, wall, board, 板, 墙, 顶;
clinic, hospital, 诊所, 医院 = clinic, hospital, practice, 诊所, 医院, 科;
pharmacy, 药店, 药房 = pharmac, chemist, 药店, 药房;
gym., 健身房 = gym, 健身;
bank., 银行 = bank, 银行;
mortgage lender, lender, 哪家银行 = bank, lender, 银行;
grandmother, grandma, 外婆, 祖母, 奶奶 = grandmother, grandma, бабушк, 外婆, 祖母, 奶奶, 姥姥;
grandfather, grandpa, 外公, 祖父, 爷爷 = grandfather, grandpa, 外公, 祖父, 爷爷, 姥爷;
uncle, 叔叔, 舅舅, 伯伯 = uncle, 叔, 舅, 伯;
aunt., 阿姨, 姑姑, 舅妈 = aunt, 姨, 姑, 舅妈, 婶;
girlfriend, boyfriend, fianc, 女朋友, 男朋友, 未婚
= girlfriend, boyfriend, fianc, partner, 女友, 男友, 女朋友, 男朋友, 未婚;
parents, 父母 = parent, father, mother, 父母, 爸, 妈;
pet., pets, 宠物 = pet., pets, cat., dog., 宠物, 猫, 狗;
star sign, zodiac, 星座, 生肖, 属相, 属什么 = sign, zodiac, 座, 生肖, 属;
retire, retirement, 退休 = retir, pension, 退休, 养老;
voice part, 声部 = soprano, alto, tenor, bass., voice, 声部;
grow up, grew up, hometown, home town, 老家, 家乡, 籍贯, 哪里人
= from., born., grew up, home town, hometown, 人, 老家, 家乡;
department, which team, 部门 = department, team, 部, 组;
thesis, dissertation, 论文 = thesis, dissertation, 论文;
venue, 举行, 场地 = at., in., place, venue, 地点, 在, <place>;
dress code, to wear, 着装, 穿什么 = dress, wear, 穿, 着装, <colour>;
programme, repertoire, 曲目, 节目 = programme, program, piece, song, 曲, 节目;
conductor, conducts, 指挥 = conduct, 指挥;
organiser, organizer, organises, hosts, 主办, 组织者 = organi, host, 主办, 组织, 负责;
weather, 天气 = weather, rain, sun, wind, snow, storm, force, 天气, 雨, 雪, 风, 晴;
driver, 司机 = driver, drove, drives, 司机, 开车, водител;
guide., 导游, 向导 = guide, 导游, 向导;
ferry, 渡轮 = ferry, boat, 船, 渡;
check in, check out, 入住, 退房 = check, arriv, leave, from., 入住, 退房, <time>;
breakfast, 早餐, 早饭 = breakfast, 早, завтрак;
exchange rate, 汇率 = exchange, rate, 汇率;
fuel, petrol, diesel, 汽油, 油耗, 加油 = fuel, petrol, diesel, oil, litre, 油;
which medicine, what medicine, which pill, 哪种药 = medic, pill, tablet, mg., drops, cream, gel, 药, 片, 毫克, 针;
side effect, 副作用 = side effect, 副作用;
x ray, mri., scan., 片子, 核磁 = x-ray, mri, scan, 片, 核磁, 照;
test result, blood test, 化验, 抽血 = result, test, blood, 化验, 抽血, 指标;
heart rate, pulse, 心率, 脉搏 = heart, pulse, 心率, 脉搏;
fever, body temperature, 体温, 发烧 = fever, temperature, 体温, 烧;
tooth, teeth, 牙齿 = tooth, teeth, dent, 牙;
boiler, 锅炉 = boiler, heating, 锅炉, 暖;
insulat, 隔热, 保温 = insulat, 隔热, 保温;
meter reading, 电表, 水表, 读数 = meter, reading, 表, 读数;
electricity bill, energy bill, 电费, 水费, 煤气费 = electric, energy, bill, 费, <money>;
provider, 运营商 = provider, isp., 运营, 公司;
manufacturer, maker of, who makes, who made, 厂家, 制造商 = made by, maker, manufact, 厂, 制造, <proper>;
solar, 太阳能 = solar, 太阳能;
mattress, 床垫 = mattress, 床;
seeds, sow, sown, 播种, 种子 = seed, sow, 种;
harvest, 收成, 收获 = harvest, picked, kg., kilo, 收;
fertili, manure, 肥料, 施肥 = fertili, manure, compost, feed, 肥, 药;
watered, watering, 浇水, 浇几 = water, 浇;
repot, 换盆, 换土 = repot, pot., soil, 盆, 土;
programming language, written in, 编程语言 = language, rust, python, java, written, 语言;
database, 数据库 = database, store, sql, db., 库;
backup, backups, 备份 = backup, copies, copy, 备份;
retention, 保留 = retention, keep, kept, days, 保留, 天;
on call, on duty, 值班 = on call, on-call, duty, rota, pager, week, 值班, 班;
latency, lag., 延迟 = latency, lag, ms., 延迟;
throughput, 吞吐 = throughput, a second, per second, 吞吐;
uptime, 在线 = uptime, up since, 在线;
gpu., graphics card, 显卡 = gpu, graphics, 显卡;
rack., 机柜 = rack, cage, 机柜;
firmware, 固件 = firmware, 固件;
dns., vpn. = dns, vpn;
minimum order, 起订量, 最少订 = minimum, at least, 起订, 最少, 一次;
delivery time, lead time, 交货, 发货 = deliver, lead, weeks, 交货, 发货, 下单, 周, 天;
shipping, postage, 运费, 邮费 = shipping, postage, post., 运费, 邮费, 单件, <money>;
in stock, 库存 = stock, left., 库存, 剩, 实数;
rating, 评分, 差评 = rating, star, review, 评;
payment, paid by, 付款, 支付 = pay, cash, card, transfer, 付, 款, 现金;
subscribers, followers, 订阅, 粉丝 = subscri, follow, 订阅, 粉丝;
advert, 广告 = advert, 广告;
margin, commission, 毛利, 佣金 = margin, commission, 毛利, 佣金, <percent>;
business partner, co founder, 合伙 = partner, founder, together, 合伙, 合开, 一起;
lease., tenancy, 租约 = lease, tenan, rent, 租;
chose the book, picked the book, chose., 谁选, 是谁选 = chose, choice, picked, 选;
film, movie, 电影 = film, movie, cinema, 电影;
podcast, 播客 = podcast, 播客;
pace., 配速 = pace, 配速;
finish time, race time, 完赛 = time, hours, finish, 小时, 完赛, <span>;
bib number, start number, 参赛号, 号码布 = bib, number, 号码;
frame number, 车架号 = frame, 车架;
tyre, tire., 轮胎, 胎压 = tyre, tire, bar., psi, 胎;
sail number, mmsi, call sign, 呼号, 帆号 = sail, mmsi, call sign, vhf, 呼号, 帆;
draught, 吃水 = draught, draft, 吃水;
hull, mast, 船体, 桅杆 = hull, mast, 船体, 桅;
calorie, kcal, 卡路里, 热量 = calor, kcal, 卡路里, 热量;
grind, 研磨 = grind, dial, 研磨, 刻度;
brew, steep, 冲泡, 水温 = brew, steep, 泡, 水温, 度;
vintage, which year was the wine, 年份 = vintage, <year>;
spare part, 配件 = spare, part, 配件;
combination lock, lock., 门锁, 锁 = lock, key, code, 锁, 钥匙, 密码;
speech, 演讲, 致辞 = speech, spoke, 演讲, 致辞;
password manager, 密码管理 = password, 密码;
charger, 充电器 = charg, 充电;
monitor., screen., 显示器, 屏幕 = monitor, screen, display, inch, 显示, 屏, 寸;
keyboard, 键盘 = keyboard, key, layout, 键盘;
router, modem, 路由器 = router, modem, 路由器;
landline, 座机 = landline, phone, 座机
"""
