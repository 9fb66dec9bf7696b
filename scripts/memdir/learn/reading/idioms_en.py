"""English constructions that give a value without naming the key: "lives on HOST", "gives us 30 days to pay".

A line is `key | construction | …`. `{x}` is what it is about, `{port}` and the like a value of that shape
(`learn.reading.kinds`), `{to host}` a value behind "to", with the one before behind "from"; `<logs>` is "logs of X" or
"X's logs", and `{thing}` in a key is what stood there. `{a}` may be an adverb. Pure data, read by `idioms`.
"""

ENGLISH = r"""
host | {x} {a}(?:lives|runs|sits|resides|is (?:hosted|sitting|living|housed)|is running|is deployed|is installed\
|is served) (?:on|at|from\
|by) {host} \
 | {x} (?:has |was |is )?(?:been )?(?:moves?|moved|migrate[sd]?|relocated|shifted|transferred)(?: over)? {to host} \
 | (?:we |i )?(?:have |'ve )?(?:moved|migrated|relocated|shifted|put|transferred) {x} (?:over )?{to host} \
 | {host} {a}(?:hosts|serves|houses) {x}
{env} port | (?:on|in) (?P<env>staging|test|production|testing) {x} {a}(?:listens|runs|answers\
|is)(?: on)?(?: port)? {port} \
 | {x} {a}(?:listens|runs|answers|is) on(?: port)? {port} (?:on|in) (?P<env>staging|test|production|testing)
port | {x} {a}(?:listens|is bound|binds|answers|is exposed|is served|serves)(?: on| to)(?: tcp\
| udp)?(?: port)? {port} \
 | {x} {a}(?:runs|is reachable|can be reached|is available|lives|sits|is up) on (?:tcp )?port {port} \
 | {x} (?:has )?(?:moves?|moved|switche[sd]|switched)(?: over)? (?:from port (?P<o0>\d{2,5}) )?to port {port} \
 | {x} (?:has )?(?:moves?|moved|switche[sd]|changed|went)(?: over)? from port (?P<o0>\d{2,5}) to {port} \
 | {x} {a}(?:uses|takes|occupies|has) port {port}
queue | {x} {a}(?:reads|consumes|pulls|polls|is fed|eats|drains|takes (?:its )?(?:jobs|messages|work)\
|gets (?:its )?(?:jobs|messages|work)|picks up (?:its )?(?:jobs|messages|work)|fetches (?:its )?(?:jobs|messages))\
(?: (?:its )?(?:jobs|messages|events|work))?(?: from| off)?(?: the)?(?: queue)? {code} \
 | {x} {a}(?:listens to|subscribes to|is subscribed to|works off|drains)(?: the)?(?: queue)? {code} \
 | {x} (?:has )?(?:moved|switched|went over)(?: its (?:jobs\
|messages))? (?:from (?:the )?(?:queue )?(?P<o0>[\w.\-]{3,40}) )?to (?:the )?queue {code}
version | (?:we|everyone|production|prod|the customers?) {a}(?:runs?|uses?|have|has) {x}(?: at)? {version} \
 | (?:we|everyone|production|prod|the customers?) {a}(?:runs?|uses?|have|has) (?:version|release) {release} of {x} \
 | (?:we|everyone|production|prod|the customers?) {a}(?:runs?|uses?|have|has) {x} (?:version|release) {release} \
 | {x} {a}(?:is|runs|sits|stands)(?: on| at)? {version} \
 | {x} {a}(?:is|runs|sits|stands)(?: on| at)? (?:version|release) {release} \
 | (?:we |i )?(?:have |'ve )?(?:upgraded|updated|bumped|downgraded|rolled back|rolled\
|pinned) {x} (?:from (?:version )?(?P<o0>v?\d[\w.\-]{0,12}) )?(?:to|at|onto) {version} \
 | (?:we |i )?(?:have |'ve )?(?:upgraded|updated|bumped|downgraded|rolled back|rolled\
|pinned) {x} (?:from (?:version )?(?P<o0>v?\d[\w.\-]{0,12}) )?(?:to|at|onto) (?:version|release) {release} \
 | {x} (?:has |was |is )?(?:been )?(?:upgraded|updated|bumped|downgraded|rolled back|went|goes\
|pinned) (?:from (?:version )?(?P<o0>v?\d[\w.\-]{0,12}) )?(?:to|at|onto) {version} \
 | {x} (?:has |was |is )?(?:been )?(?:upgraded|updated|bumped|downgraded|rolled back|went|goes\
|pinned) (?:from (?:version )?(?P<o0>v?\d[\w.\-]{0,12}) )?(?:to|at|onto) (?:version|release) {release} \
 | (?:we |i )?(?:have \
|'ve )?rolled {x} back (?:from (?:version )?(?P<o0>v?\d[\w.\-]{0,12}) )?to (?:version )?{version}
memory limit | {x} {a}(?:may|can|is allowed to|must not)(?: only)? (?:take|use|have|eat|exceed)(?: up to| at most\
| no more than)? {size}(?: of)?(?: memory| ram)(?: at most| at the most)? \
 | {x} {a}(?:may|can|is allowed to) (?:take|use|have|eat) (?:up to|at most|no more than) {size} \
 | {x} (?:may|can) (?:take|use|have) {size} at (?:the )?most \
 | {x} {a}(?:is )?(?:capped|limited|restricted|held|throttled)(?: at| to) {size}(?: of)?(?: memory| ram)? \
 | {x} {a}(?:gets|has|is given|was given) {size}(?: of)? (?:memory|ram) \
 | <memory|ram|heap> {a}is (?:capped|limited|restricted)(?: at| to) {size}
rate limit | {x} {a}(?:is )?(?:capped|limited|restricted|throttled)(?: at| to) {rate} \
 | {x} {a}(?:allows|grants|gives|lets)(?: us)?(?: through)?(?: up to| at most)? {rate}
{thing} retention | <logs|log files|backups|recordings|snapshots|records|traces|metrics|mails|messages> {a}(?:are\
|get) {a}(?:kept|retained|stored|held|saved|archived|preserved|around|available)(?: for)?(?: up to)? {span} \
 | <logs|log files|backups|recordings|snapshots|records|traces|metrics|mails|messages> {a}(?:are (?:deleted|purged\
|dropped|wiped|rotated|removed|thrown away)|expire|go|are gone) after {span} \
 | {x} {a}(?:keeps|retains|stores|holds)(?: its| the| all)? (?P<thing>logs|backups|recordings|snapshots|records\
|traces|metrics|mails|messages)(?: for)?(?: up to)? {span} \
 | we {a}(?:keep|retain|store|hold)(?: the)? <logs|backups|recordings|snapshots|traces\
|metrics>(?: for)?(?: up to)? {span} \
 | <logs|log files|backups|recordings|snapshots|records|traces|metrics> {a}(?:stay|stick around|live|last|survive\
|remain)\
(?: around| on disk| there)?(?: for)? {span}
request timeout | (?:a |the |each |every )?<requests?|calls?> {a}(?:time[sd]? out|timing out|give up|gives up\
|fails?|expires?|(?:is|are) (?:cut off|dropped|cancelled|aborted|given up|killed)) after {seconds} \
 | {x} {a}(?:times out|hangs up|drops (?:the )?(?:connection|request)s?|cuts (?:requests|calls|us) off\
|closes (?:the )?connections?) after {seconds} \
 | we {a}give {x} {seconds} to (?:answer|reply|respond)
backup time | {x} {a}(?:is|gets) {a}(?:backed up|saved|dumped)(?: (?:daily|nightly|every (?:day|night\
|morning)))?(?: at| from)? {clock} \
 | we {a}back {x} up(?: (?:daily|nightly|every (?:day|night|morning)))? at {clock} \
 | <backups?|nightly backup> {a}(?:runs?|starts?|happens?|begins?|(?:is|are) (?:made|taken|done))(?: (?:daily\
|nightly|every (?:day|night|morning)))? at {clock}
deploy window | (?:we|you) (?:may |can |must )?(?:only )?(?:deploy|release|ship|roll out) {x} (?:only )?(?:on|at\
|every) {when} \
 | {x} {a}(?:is|gets|may|can|may be|can be|goes)(?: only)? (?:be )?(?:deployed|released|rolled out\
|out)(?: only)? (?:on|at\
|every) {when} \
 | <deploy(?:ment)?s|rollouts|releases> {a}(?:happen|go out|run|are|take place)(?: only)? (?:on|every) {when}
database | {x} {a}(?:runs|works|relies|is based|is built|sits|lives) on(?: top of)? {database} \
 | {x} {a}(?:uses|talks to|is backed by|is on) {database}(?: as (?:its |the )?(?:database|store|backend))? \
 | {x} {a}(?:stores|keeps|holds|has|writes|puts|saves) (?:its |all |the )?(?:data|records|bookings|tables\
|\w+)(?: data)? (?:in|to|into) {database} \
 | (?:we )?(?:have |'ve )?(?:moved|migrated|switched|ported) {x} (?:over )?{to database} \
 | {x} (?:has |was )?(?:been )?(?:moves?|moved|migrated|switched|ported)(?: over)? {to database}
budget | {x} {a}(?:has|gets|got|is given|was given|was granted|has been given)(?: an?)?(?: yearly| annual\
| total)? budget of {money} \
 | {x} {a}(?:gets|got|is given|was given|was granted|has been given) {money} (?:this|for this|for the|a\
|per) (?:year|quarter) \
 | {money} (?:was|were|has been|have been|is|are) (?:approved|granted|set aside|budgeted|earmarked) for {x} \
 | we (?:set aside|budgeted|have budgeted|have) {money} for {x} this (?:year|quarter) \
 | <budget> {a}(?:went|goes|rose|grew|was cut|shrank|fell|is up|is down)(?: up| down)? {to money}
launch date | {x} {a}goes (?:live|online|public) on {date} \
 | {x} {a}(?:launches|is launched|is going live|went live|starts for real) on {date}
release date | {x} {a}(?:ships|is released|comes out|is out|is published) on {date}
release branch | <releases?|builds|deploys> (?:are|is) {a}(?:cut|made|built|tagged|taken|shipped|branched|done\
|come) (?:from|off) {branch} \
 | {x} {a}(?:is|gets) {a}(?:released|shipped|built|deployed|cut|tagged) (?:from|off) {branch} \
 | we {a}(?:release|ship|build|cut|deploy) {x} (?:from|off) {branch}
{thing} prefix | <tickets?|ticket numbers|issues?|invoices|orders|order numbers> (?:all )?{a}(?:begins?|starts?\
|opens?|(?:are|is) prefixed) with {label} \
 | <tickets?|ticket numbers|issues?|invoices|orders|order numbers> (?:all )?{a}(?:carry|carries|bears?|uses?|gets?\
|has|have)(?: the)? prefix {label}
desk phone | (?:you |we |one )?(?:can )?(?:reach|get|ring|catch) {x} (?:on|at|under)(?: extension\
| number)? {phone} \
 | {x} {a}(?:is reachable|can be reached|is|is reached|picks up|answers(?: the phone)?) (?:on|at\
|under)(?: extension| number) {phone} \
 | {x} {a}(?:is reachable|can be reached|picks up|answers the phone) (?:on|at|under) {phone} \
 | (?:call|dial|ring|phone) {phone} (?:for|to (?:reach|get|talk to|find|speak to)) {x}
room | {x} {a}(?:sits|works|is sitting|is|can be found|resides|has (?:a|the|her|his|their) desk\
|is based)(?: over)? (?:in|at) {room} \
 | {x} (?:has |is )?(?:been )?(?:moves?|moved|gone|went\
|relocated)(?: over)?(?: from (?P<o0>[A-Z][\w.\-]{1,8}))? (?:in)?to {room} \
 | you (?:can )?find {x} in {room}
manager | {x} {a}(?:reports|answers) (?:directly )?to {person} \
 | {x} {a}(?:works|is) under {person} \
 | {person} is (?:now )?{x}['’]s (?:new )?(?:boss|manager|line manager|supervisor)
{thing} number | <badge|meter|customer card|ticket|visitor card|number plate|cupboard> {a}(?:says|reads|shows\
|carries|bears|has)(?: the)?(?: number)? {code}
start date | {x} {a}(?:starts|begins|joins|joined|started)(?: work(?:ing)?| here| with us| us| the team\
| the company)? on {date} \
 | {x}['’]s first day is {date} | {date} is {x}['’]s first day
{thing} tag | {x} {a}(?:carries|uses|has|got|gets|works (?:on|with)|was given|is given\
|took)(?: the)? (?P<thing>laptop|notebook|computer|tablet|phone|locker|key|car) {code}
weekly 1:1 | (?:i|we) {a}(?:meet|see|talk to|talk with|catch up with|sync with|sit down with) {x} (?:every week\
|weekly|each week)(?: on| at)?,? {when} \
 | (?:i|we) {a}(?:meet|see|talk to|talk with|catch up with|sync with|sit down with) {x} every {when} \
 | {x} and i {a}(?:meet|talk|sync|sit down|catch up)(?: every week| weekly| each week)?(?: on| every| at)? {when} \
 | my (?:weekly|1:1|one-on-one)(?: (?:1:1|meeting|call))? with {x} is (?:on |every )?{when}
parking bay | {x} {a}parks (?:in|on|at)(?: bay| space| spot)? {code} \
 | (?:at|for) {x},? (?:we|you|visitors|guests)(?: can| may| should)? park (?:in|on|at)(?: bay| space\
| spot)? {code} \
 | <visitors|guests> {a}park (?:in|on|at)(?: bay| space| spot)? {code} \
 | (?:bay|space|spot) {code} (?:belongs to|is reserved for|is for) {x}
opening time | {x} {a}(?:is|stays|will be) open {a}(?:daily |every day |between )?{hours} \
 | {x} {a}opens (?:daily |every day )?{hours} | <doors> are open {hours}
{thing} name | <wifi|wi-fi|wlan|network|guest network|guest wifi|printer> {a}(?:is|was|goes)(?: now)? (?:called\
|named|renamed|by the name)(?: of| to)? {named}
rent | (?:we |the rent is )?(?:pay )?{money} (?:a|per|each|every) month (?:for|to rent) {place} \
 | {place} {a}(?:costs|sets us back|rents for|is rented for|goes for)(?: us)? {money} (?:a|per|each|every) month
{unit} price | we {a}pay {money} (?:a|per|each|every) (?P<unit>month|year|unit|piece|seat|user|hour|day|box\
|kilo) (?:for|to) {x} \
 | {x} {a}(?:charges|asks|takes|bills|costs|sets us back|wants)(?: us)? {money} (?:a|an|per|for a|for each|the\
|each|every) (?P<unit>month|year|piece|unit|item|seat|user|hour|day|box|kilo) \
 | {x} {a}(?:charges|asks|takes|bills)(?: us)? {money} (?P<unit>apiece|each) \
 | {x} (?:has )?(?:went|goes|gone|rose|moved|changed)(?: up| down\
)? from (?P<o0>(?:[€$£]|[A-Z]{3})? ?\d[\d.,]{0,9}) to {money} (?:a|an|per|for each|each|every) (?P<unit>month|year\
|piece|unit|item|seat|user|hour|day|box|kilo) \
 | {x} {a}(?:sells|supplies|makes|does)(?: us)? (?:it|them|one|these|those)(?: to us)? (?:for\
|at) {money} (?P<unit>apiece|each)
caretaker | {person} {a}(?:looks after|takes care of|minds|watches over|keeps an eye on|is in charge of\
|is responsible for) {place}
owner | {person} {a}(?:looks after|takes care of|is in charge of|is responsible for|owns|leads|heads\
|maintains) {x} \
 | {x} {a}(?:belongs to|is (?:owned|led|run|maintained|handled|looked after|managed|headed) by\
|is in the hands of) {person} \
 | {person} (?:has )?(?:took|taken\
|takes) over {x}(?: from (?P<o0>[A-Z][\w.\-]{1,20}(?: [A-Z][\w.\-]{1,20}){0,2}))? \
 | {x} (?:was|has been|is|went|goes|passed|passes|has passed)(?: now)?(?: handed)?(?: over)? \
(?:from (?P<o0>[A-Z][\w.\-]{1,20}(?: [A-Z][\w.\-]{1,20}){0,2}) )?to {person} as owner
cleaning time | {x} {a}(?:is|gets) {a}(?:cleaned|hoovered|swept)(?: on| at| every| each)? {when} \
 | (?:the )?cleaners? {a}(?:comes?|cleans?|does?|goes?)(?: to)? {x} (?:on|every|each) {when} \
 | (?:the )?cleaners? {a}(?:comes?|is|are)(?: at| to| in) {x} (?:on|every|each) {when}
{thing} end | <lease|contract|licen[cs]e|subscription|certificate|warranty|insurance|trial|rental\
|support> {a}(?:runs(?: on)? (?:until|till|to)|runs out on|ends(?: on)?|expires(?: on)?|lapses on|lasts (?:until\
|till)|is (?:good|valid|ours) (?:until|till)) {date} \
 | <lease|contract|licen[cs]e|subscription|certificate|warranty|insurance> (?:was|has been|is) (?:extended|renewed\
|prolonged|shortened|cut) (?:from (?P<o0>\d{4}-\d\d-\d\d) )?(?:to|until|till) {date}
contact | (?:at|with) {x},? (?:we|you|i) {a}(?:talk|speak|write|turn|deal|work)(?: to| with)? {person} \
 | (?:we|you) {a}(?:talk|speak|deal|write)(?: to| with) {person} (?:at|of|from) {x} \
 | {person} (?:is|answers) (?:now )?our (?:contact|man|woman|person|account manager) (?:at|with) {x} \
 | {person} {a}(?:handles|looks after) us (?:at|for) {x} \
 | (?:at|with) {x}, {person} is (?:now )?our (?:new )?(?:contact|man|woman|person|account manager)
customer number | {x} {a}(?:knows|lists|files|has|runs|books|keeps) us (?:as|under|by)(?: customer\
| client)?(?: number| no\.?)? {code} \
 | we are (?:now )?(?:customer |client |account )?(?:number |no\. ?)?{code} (?:at|with|to|for) {x} \
 | our (?:customer |client )?number (?:at|with) {x} is {code}
payment term | {x} {a}(?:gives|gave|has given|grants|granted|allows|allowed|leaves|lets)(?: us)? {span} (?:to pay\
|for payment|for paying\
|to settle|of credit|credit|net) \
 | (?:our |the |my )?(?:\w+ ){0,2}(?:supplier|vendor|dealer|distributor|manufacturer|wholesaler|contractor\
|provider) {x} {a}(?:gives|grants|allows|leaves) us {span} \
 | {x} {a}(?:gives|grants|allows|leaves) us {span}(?=,? \(?(?:and )?(?:no longer|instead of|rather than|not|up from\
|down from|it was|was|before) \d) \
 | {x} {a}(?:gives|grants|allows|leaves)(?: us)? (?:terms|payment terms) of {span} \
 | we {a}(?:have|get) {span} to (?:pay|settle with) {x} \
 | we (?:must |have to |may |can )?{a}pay {x} (?:within|in|after|at) {span} \
 | <invoices?|bills?> {a}(?:are|is|fall|falls|become|becomes|must be|have to be|has to be)(?: due| payable| paid\
| settled)+ (?:in|within|after|at) {span} \
 | {x} {a}(?:wants|expects|gets)(?: its| the)? (?:money|payment|to be paid) (?:within|after|in) {span} \
 | {x} {a}has to be paid (?:within|after|in) {span} \
 | {x} (?:has )?(?:went|goes|gone|moved|changed|switched)(?: us)?(?: up| down\
| back)?(?: again)? (?:from (?P<o0>\d{1,3}(?: days)?) )?to {span} (?:to pay|for payment|net|of credit)
delivery time | {x} {a}(?:delivers|ships|comes|brings (?:our|the) (?:orders?|goods\
|parcels))(?: to us)?(?: only)?(?: on| every| each| at) {when} \
 | <deliver(?:y|ies)|shipments?|parcels?> {a}(?:comes?|arrives?|(?:is|are)|reach(?:es)? us|gets? here)(?: on\
| every| each) {when}
{thing} number | (?:the |our )?(?:running |current |open |last |new )?(?P<thing>order|ticket|case|claim|contract\
|account|policy) (?:at|with) {x} {a}(?:runs under|is filed under|goes by|has the number|carries(?: the number)?\
|is number|is listed as|has) {code} \
 | {x} {a}(?:runs|files|lists|has|keeps) (?:our|the) (?P<thing>order|ticket|case|claim|contract|account\
|policy) (?:under|as) {code}
discount | {x} {a}(?:takes|knocks) {percent} off \
 | {x} {a}(?:gives|gave|has given|grants|granted|allows)(?: us)?(?: an?)? {percent}(?: off| discount| rebate\
| less)?(?: on everything)? \
 | (?:we )?{a}get(?: an?)? {percent}(?: off| discount| rebate)(?: at| from| with) {x}
hotline | (?:call|ring|dial|phone) {phone} (?:when|whenever|as soon as|once) (?:something|anything|a \w+|the \w+\
|things?|stuff)(?: from| of| at| by| with)? {x} (?:breaks?|fails?|stops?|(?:is|are) (?:broken|down)|goes? wrong\
|acts? up)(?: down)? \
 | (?:for|in case of|with) (?:trouble|problems|faults|emergencies|questions|repairs) (?:with|at|from\
|about) {x},? (?:call|ring|dial|phone|it's) {phone} \
 | {x}['’]s? (?:support|help ?desk|emergency line) (?:answers|picks up|is)(?: on| at| under)? {phone}
""".replace("\\\n", "")  # fmt: skip
