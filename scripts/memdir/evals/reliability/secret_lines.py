"""Labelled lines for the redaction of secrets: half hold one, half only look like it.

Written before the rules and apart from them: the tokens have the forms their services issue, the places are those
where people and programs leave them. Nothing here is a complete token: heads and bodies are joined when the lines
are made, bodies come from a seeded generator.
"""

import base64
import json
import random
import string
import uuid
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from memdir.evals.reliability.harmless_lines import WRITTEN_HARMLESS

WORD = string.ascii_letters + string.digits
HEX = "0123456789abcdef"
URLSAFE = WORD + "-_"
SIGNS = "!@#$%^&*-_+=?"


@dataclass(frozen=True, slots=True)
class Line:
    """`text` with the `secrets` that may not be left in it; none in a harmless line."""

    text: str
    secrets: tuple[str, ...] = ()
    group: str = ""


class Maker:
    """Random bodies from one seed."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)

    def of(self, alphabet: str, length: int) -> str:
        return "".join(self.random.choice(alphabet) for _ in range(length))

    def word(self, length: int) -> str:
        return self.of(WORD, length)

    def hex(self, length: int) -> str:
        return self.of(HEX, length)

    def digits(self, length: int) -> str:
        return self.of(string.digits, length)

    def upper(self, length: int) -> str:
        return self.of(string.ascii_uppercase + string.digits, length)

    def pick(self, items: Sequence[str]) -> str:
        return self.random.choice(items)

    def uuid(self) -> str:
        return str(uuid.UUID(int=self.random.getrandbits(128), version=4))

    def base64(self, count: int) -> str:
        return base64.b64encode(self.random.randbytes(count)).decode()

    def part(self, value: dict[str, object]) -> str:
        return base64.urlsafe_b64encode(json.dumps(value, separators=(",", ":")).encode()).decode().rstrip("=")


def _jwt(make: Maker) -> str:
    head = make.part({"alg": make.pick(["HS256", "RS256"]), "typ": "JWT"})
    body = make.part({"sub": make.digits(10), "name": "Mara Lindt", "iat": int("17" + make.digits(8))})
    return f"{head}.{body}.{make.of(URLSAFE, 43)}"


def _discord(make: Maker) -> str:
    user = base64.b64encode(make.pick("123456789").encode() + make.digits(17).encode()).decode().rstrip("=")
    return f"{user}.{make.pick('GX')}{make.of(URLSAFE, 5)}.{make.of(URLSAFE, 38)}"


def _pem(make: Maker, name: str = "RSA ", lines: int = 5) -> str:
    body = "\n".join(make.of(WORD + "+/", 64) for _ in range(lines)) + "\n" + make.of(WORD, 22) + "=="
    dashes = "-" * 5
    return f"{dashes}BEGIN {name}PRIVATE KEY{dashes}\n{body}\n{dashes}END {name}PRIVATE KEY{dashes}"


# Tokens that are known by their own look, as their services issue them.
TOKENS: dict[str, Callable[[Maker], str]] = {
    "aws id": lambda m: m.pick(["AK", "AS"]) + "IA" + m.of(string.ascii_uppercase + "234567", 16),
    "github": lambda m: "gh" + m.pick("pousr") + "_" + m.word(36),
    "github fine": lambda m: "github" + "_pat_" + m.upper(22) + "_" + m.word(59),
    "gitlab": lambda m: "gl" + "pat-" + m.of(URLSAFE, 19) + m.pick(WORD),
    "openai": lambda m: "s" + "k-" + m.word(20) + "T3Blbk" + "FJ" + m.word(20),
    "openai project": lambda m: "sk" + "-proj-" + m.of(URLSAFE, 74) + "T3Blbk" + "FJ" + m.of(URLSAFE, 73) + "A",
    "openai service": lambda m: "sk" + "-svcacct-" + m.of(URLSAFE, 58) + "T3Blbk" + "FJ" + m.word(58),
    "anthropic": lambda m: "sk" + "-ant-api03-" + m.of(URLSAFE, 93) + "AA",
    "openrouter": lambda m: "sk" + "-or-v1-" + m.hex(64),
    "google": lambda m: "AI" + "za" + "Sy" + m.of(URLSAFE, 32) + m.pick(WORD),
    "google oauth": lambda m: "ya" + "29." + "a0A" + m.of(URLSAFE, 160),
    "google client": lambda m: "GOC" + "SPX-" + m.of(URLSAFE, 27) + m.pick(WORD),
    "hugging face": lambda m: "h" + "f_" + m.of(string.ascii_letters, 34),
    "npm": lambda m: "np" + "m_" + m.word(36),
    "pypi": lambda m: "py" + "pi-" + "AgEI" + "cHlwaS5vcmc" + m.of(URLSAFE, 150),
    "slack bot": lambda m: "xo" + "xb-" + f"{m.digits(12)}-{m.digits(13)}-{m.word(24)}",
    "slack user": lambda m: "xo" + "xp-" + f"{m.digits(12)}-{m.digits(12)}-{m.digits(13)}-{m.hex(32)}",
    "slack hook": lambda m: "https://hooks.sl" + f"ack.com/services/T{m.upper(10)}/B{m.upper(10)}/{m.word(24)}",
    "discord": _discord,
    "telegram": lambda m: m.pick("123456789") + m.digits(9) + ":" + "AA" + m.of(URLSAFE, 32) + m.pick(WORD),
    "stripe": lambda m: m.pick("sr") + "k_" + "live_" + m.word(m.random.choice([24, 99])),
    "stripe hook": lambda m: "wh" + "sec_" + m.word(32),
    "sendgrid": lambda m: "S" + "G." + m.of(URLSAFE, 22) + "." + m.of(URLSAFE, 42) + m.pick(WORD),
    "mailgun": lambda m: "ke" + "y-" + m.hex(32),
    "digitalocean": lambda m: "do" + m.pick("por") + "_v1_" + m.hex(64),
    "jwt": _jwt,
    "age": lambda m: "AGE-" + "SECRET-KEY-1" + m.of("QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L", 58),
    "databricks": lambda m: "da" + "pi" + m.hex(32),
    "linear": lambda m: "lin" + "_api_" + m.word(40),
    "notion": lambda m: "nt" + "n_" + m.digits(11) + m.word(35),
    "notion old": lambda m: "sec" + "ret_" + m.word(43),
    "postman": lambda m: "PM" + "AK-" + m.hex(24) + "-" + m.hex(34),
    "shopify": lambda m: "shp" + m.pick(["at", "ca", "pa", "ss"]) + "_" + m.hex(32),
    "square": lambda m: "sq0" + "csp-" + m.of(URLSAFE, 42) + m.pick(WORD),
    "square access": lambda m: "EA" + "AA" + m.pick("EFl") + m.of(URLSAFE, 58) + m.pick(WORD),
    "vault": lambda m: "hv" + "s." + "CAES" + m.of(URLSAFE, 90) + m.pick(WORD),
    "doppler": lambda m: "dp." + "pt." + m.word(43),
    "grafana": lambda m: "gl" + "sa_" + m.word(32) + "_" + m.hex(8),
    "grafana cloud": lambda m: "gl" + "c_" + m.part({"o": m.digits(6), "n": "ci-push", "k": m.word(32)}),
    "new relic": lambda m: "NR" + "AK-" + m.upper(27),
    "pem": lambda m: _pem(m, m.pick(["RSA ", "", "EC ", "OPENSSH ", "ENCRYPTED "])),
}

# Values that only the word beside them gives away.
NAMED: list[tuple[str, Callable[[Maker], str]]] = [
    ("aws_secret_access_key = {}", lambda m: m.of(WORD + "+/", 40)),
    ("AWS_SECRET_ACCESS_KEY={}", lambda m: m.of(WORD + "+/", 40)),
    ("export AWS_SESSION_TOKEN={}", lambda m: m.base64(210)),
    ("the aws secret is {} (rotate it)", lambda m: m.of(WORD + "+/", 40)),
    ('"SecretAccessKey": "{}",', lambda m: m.of(WORD + "+/", 40)),
    ("aws configure: id done, then {} as the second line", lambda m: m.of(WORD + "+/", 40)),
    ("twilio sid AC… and auth token {}", lambda m: m.hex(32)),
    ("TWILIO_API_KEY=S" + "K{}", lambda m: m.hex(32)),
    ("Twilio account: A" + "C{}", lambda m: m.hex(32)),
    ("CLOUDFLARE_API_TOKEN={}", lambda m: m.of(URLSAFE, 39) + m.pick(WORD)),
    ("cloudflare key for the zone: {}", lambda m: m.hex(37)),
    (
        "DefaultEndpointsProtocol=https;AccountName=atlas;Account" + "Key={};EndpointSuffix=core.windows.net",
        lambda m: m.base64(64),
    ),
    (
        "https://atlas.blob.core.windows.net/b/x.csv?sv=2023-01-03&sr=b&se=2027-01-01&sp=r&sig={}",
        lambda m: m.base64(32).replace("+", "%2B").replace("/", "%2F").replace("=", "%3D"),
    ),
    ("Authorization: Bearer {}", lambda m: m.word(40)),
    ("authorization: bearer {}", lambda m: m.of(URLSAFE, 30) + m.pick(WORD)),
    ("curl -H 'Authorization: Bearer {}' https://api.example.com/v1/me", lambda m: m.hex(40)),
    ('headers = {{"Authorization": "Bearer {}"}}', lambda m: m.word(32)),
    ("Authorization: Basic {}", lambda m: base64.b64encode(f"mara:{m.word(10)}".encode()).decode()),
    ("> Authorization: token {}", lambda m: m.hex(40)),
    ("Proxy-Authorization: Basic {}", lambda m: base64.b64encode(f"proxy:{m.word(9)}".encode()).decode()),
    ("X-Api-Key: {}", lambda m: m.word(32)),
    ("x-auth-token: {}", lambda m: m.hex(32)),
    ("HEROKU_API_KEY={}", lambda m: m.uuid()),
    ("api key: {}", lambda m: m.uuid()),
    ("const apiKey = '{}';", lambda m: m.hex(32)),
    ('api_key = "{}"', lambda m: m.word(24)),
    ("apikey={}&format=json", lambda m: m.hex(32)),
    ("GET /v1/items?limit=5&api_key={} 200", lambda m: m.hex(32)),
    ("https://maps.example.com/tiles?key=1&access_token={}", lambda m: m.word(40)),
    ("https://example.com/cb?token={}#top", lambda m: m.of(URLSAFE, 24) + m.pick(WORD)),
    ("client_secret: {}", lambda m: m.of(URLSAFE + "~.", 38) + "Q7"),
    ('"client_secret": "{}"', lambda m: m.of(URLSAFE, 32)),
    ("SECRET_KEY = 'django-insecure-{}'", lambda m: m.of(WORD + "!@#$%^&*(-_=+)", 48) + "a1"),
    ("JWT_SECRET={}", lambda m: m.hex(64)),
    ("jwt secret is {}", lambda m: m.word(32)),
    ("SECRET_KEY_BASE={}", lambda m: m.hex(128)),
    ("encryption key: {}", lambda m: m.base64(32)),
    ("signing_key: '{}'", lambda m: m.base64(32)),
    ("access token = {}", lambda m: m.word(40)),
    ("refresh_token: 1//0{}", lambda m: m.of(URLSAFE, 60) + "x"),
    ("the token is {}", lambda m: m.word(28)),
    ("here's the staging token: {}", lambda m: m.hex(32)),
    ("my api key was {}, I revoked it", lambda m: m.word(32)),
    ("API Key → {}", lambda m: m.word(32)),
    ("token => {}", lambda m: m.word(32)),
    ("  auth_token: {}", lambda m: m.hex(40)),
    ("//registry.example.com/:_authToken={}", lambda m: m.uuid()),
    ("_auth = {}", lambda m: base64.b64encode(f"ci:{m.word(16)}".encode()).decode()),
    ("private key (hex): {}", lambda m: m.hex(64)),
    ("PRIVATE_KEY=0x{}", lambda m: m.hex(64)),
    ("credentials: {}", lambda m: m.word(24)),
    ("[2026-03-02 10:12:44] DEBUG request token={} status=200", lambda m: m.hex(32)),
    ('level=info msg="login ok" access_token={} user=7', lambda m: m.word(36)),
    ("deploy --token {} --prod", lambda m: m.word(30)),
    ("vercel deploy --token={}", lambda m: m.word(24)),
    ("- token:: {}", lambda m: m.word(26)),
    ("[api-key:: {}]", lambda m: m.word(26)),
    ("| api key | {} |", lambda m: m.hex(32)),
    ("令牌是 {}", lambda m: m.word(28)),
    ("访问令牌：{}", lambda m: m.word(40)),
    ("密钥：{}", lambda m: m.hex(32)),
    ("私钥为 {}", lambda m: m.hex(64)),
    ("API 密钥 = {}", lambda m: m.word(32)),
    ("我的 api key 是 {}，别外传", lambda m: m.word(32)),
    ("测试环境的 token 是{}。", lambda m: m.hex(32)),
    ("アクセストークンは {} です", lambda m: m.word(32)),
    ("токен: {}", lambda m: m.word(32)),
    ("webhook secret: {}", lambda m: m.hex(40)),
    ("consumerSecret: '{}'", lambda m: m.word(50)),
    ("<add key=\"ApiSecret\" value=\"{}\" />", lambda m: m.word(32)),
    ("<apiKey>{}</apiKey>", lambda m: m.word(32)),
    ("SENTRY_AUTH_TOKEN: {}", lambda m: m.hex(64)),
    ("Set the secret to {} in the panel", lambda m: m.word(24)),
    ("secrets:\n  api_token: {}\n", lambda m: m.word(24)),
    ("token:\n{}", lambda m: m.hex(32)),
]  # fmt: skip

# Where a token of its own look is left; `{}` is the token.
PLACES = [
    "{}", "the key is {} ok?", "use {} for now", "export KEY={}", "KEY={}", "  - {}", "`{}`", '"{}"', "'{}',",
    "pasted by mistake: {}.", "got 401 with {}, any idea?", 'client = Client("{}")', "Authorization: Bearer {}",
    "curl -H 'X-Key: {}' https://api.example.com", "[10:02:11] WARN leaked value={} in request", "> {}",
    "mara: {}\ntom: thanks", "我用的是 {}，先这样", "这个{}还能用吗", "key：{}", "キーは {} です",
    "ключ {} не работает",
    '{{"value": "{}"}}', "value: {}", "a=1&k={}&b=2", "({})", "<{}>", "| prod | {} |", "- key:: {}", "{}\n",
    "token={}", "# TODO remove {}", "https://ci.example.com/hook?t={}", "echo {} | pbcopy", "**{}**",
]  # fmt: skip

# Where a password is left. No place after which the sign that follows could belong to the password.
PASSWORD_PLACES = [
    "my password is {}", "the password is {} for now", "password: {}", "Password: {}", "pw for the nas, password = {}",
    "login mara, pass: {}", "passwd: {}", "pwd={}", "passphrase is {}", "**Password:** {}", "**Password**: {}",
    "password:: {}", "- password:: {}", "[password:: {}]", "PASSWORD={}", "export DB_PASSWORD='{}'", "DB_PASS={}",
    'POSTGRES_PASSWORD="{}"', "MYSQL_ROOT_PASSWORD={}", "PGPASSWORD={} psql -h db", "  password: {}",
    '  password: "{}"', "  password: '{}'  # rotate", '{{"user": "mara", "password": "{}"}}', '"db_password": "{}",',
    'password = "{}"', "password := `{}`", "const password = '{}';", "conn = connect(user='mara', password='{}')",
    'db.setPassword("{}")', "$password = '{}';", ":password => '{}'", "mysql -u root -p'{}' shop", "mysql -uroot -p{}",
    "tool login --password {}", "tool login --user mara --password={} --yes", "sshpass -p {} ssh mara@nas",
    "Server=db;User Id=mara;Password={};Database=shop", "the wifi password is {}", "wifi password: {}",
    "the password for staging is {}", "password for the router: {}", "password (guest): {}", "root password → {}",
    "new password is now {}", "tom: whats the pw\nmara: password {}", "the password was {} before the move",
    "| password | {} |", "user mara / password {}", "password:\n  {}", "[09:14] login failed for mara password={}",
    "IDENTIFIED BY '{}'", "ALTER USER mara WITH PASSWORD '{}';", "machine nas login mara password {}",
    "<password>{}</password>", "spring.datasource.password={}", "密码是 {}", "密码：{}", "密码: {}", "密码是{}",
    "密码为{}，请尽快修改", "我的密码是{}。", "数据库密码={}", "口令：{}", "登录密码 {} 别忘了", "服务器的密码改成 {}",
    "用户名 admin，密码 {}", "wifi密码：{}", "密码＝{}", "初始密码为：{}", "パスワードは {} です", "パスワード：{}",
    "비밀번호는 {} 입니다", "비밀번호: {}", "пароль: {}", "мой пароль {}", "пароль от почты: {}", "Passwort: {}",
    "das Passwort ist {}", "mot de passe : {}", "la contraseña es {}", "contraseña: {}", "senha: {}", "hasło: {}",
    "密碼是 {}", '"密码": "{}"', "smtp_pass: {}", "ansible_become_pass={}", "redis requirepass {}",
]  # fmt: skip

SYLLABLES = ["mar", "tol", "ven", "kri", "sun", "pol", "der", "fay", "nox", "bel", "tig", "rum", "zan", "hop"]
COMMON = ["hunter", "dragon", "monkey", "sommer", "fluffy", "tiger", "welcome", "qwerty", "woaini", "summer", "winter"]
DICE = ["castle", "violin", "orange", "meadow", "pickle", "thunder", "gravel", "lantern", "walrus", "copper"]


def _password(make: Maker) -> str:
    """A password as people choose them or password programs make them."""
    kind = make.random.randrange(8)
    if kind == 0:
        return make.pick(COMMON) + make.digits(make.random.choice([1, 2, 4]))
    if kind == 1:
        return make.pick(COMMON).capitalize() + make.pick(["2019", "2024", "99"]) + make.pick("!#$")
    if kind == 2:
        leet = str.maketrans("aeiost", "@310$7")
        return (make.pick(COMMON) + make.pick(SYLLABLES)).translate(leet) + make.pick("&!%") + make.digits(1)
    if kind == 3:
        return "-".join(make.pick(DICE).capitalize() for _ in range(3)) + "-" + make.digits(2)
    if kind == 4:
        return make.of(string.ascii_lowercase + string.digits, 9) + make.digits(1) + make.pick(string.ascii_lowercase)
    if kind == 5:
        return make.pick(WORD) + make.of(WORD + SIGNS, 12) + make.digits(1) + make.pick(string.ascii_letters)
    if kind == 6:
        return "".join(make.pick(SYLLABLES) for _ in range(2)).capitalize() + make.digits(3)
    return make.word(14) + make.digits(1) + make.pick(string.ascii_uppercase)


URL_PLACES = [
    "postgres://mara:{}@db.example.com:5432/shop", "DATABASE_URL=postgresql+asyncpg://app:{}@localhost/app",
    "mysql://root:{}@127.0.0.1:3306/shop", "mongodb+srv://mara:{}@cluster0.example.net/?retryWrites=true",
    "redis://:{}@cache:6379/0", "amqp://guest:{}@mq:5672/", "git clone https://mara:{}@git.example.com/a/b.git",
    "ftp://mara:{}@files.example.com", "the dump is at https://mara:{}@dav.example.com/x", "url = \"https://u1:{}@h.io\"",
    "连接串是 postgres://mara:{}@10.0.0.4/shop，先用着", "smtp://bot%40example.com:{}@smtp.example.com:587",
    "curl -u mara:{} https://dav.example.com/x", "curl --user 'mara:{}' https://dav.example.com",
]  # fmt: skip

PIN_PLACES = [
    "the PIN is {}", "PIN: {}", "my pin code is {}", "SIM PIN = {}", "door pin: {}", "验证码：{}", "验证码是 {}",
    "您的验证码为{}，5分钟内有效", "password: {}", "密码是{}", "密码：{}", "银行卡密码是 {}",
    "your verification code is {}",
    "OTP: {}", "비밀번호: {}", "пароль: {}", "パスワードは{}です", "门锁密码 {}", "PIN {} for the safe",
]  # fmt: skip

# Lines that a person wrote down as they are; (before, secret, after).
WRITTEN_SECRETS = [
    ("My token is ", "abcd1234efgh5678ijkl", ""), ("db pass is ", "Winter!2023", ""),
    ("secret: ", "3f9a1c7e", ""),
    ("export OPENAI_API_KEY=s" + "k-", "abcdefghij1234567890ABCDEFGHIJ1234567890abcd", ""),
    ("bank PIN is ", "4821", ""),
    ("API密钥：s" + "k-", "1234567890abcdef1234567890abcdef", ""), ("FTP: user=web;pass=", "Web#2020", ";"),
    ("passwd root: ", "r00tme!!", ""), ('the root password is "', "toor", '"'),
    ("账号:root 密码:", "Abc@12345", ""),
    ("jdbc:mysql://db/x?user=root&password=", "S3cretPw", ""), ("pass: ", "s3cr3t!", ""),
    ("使用 token ", "Kq82jfn2xPw9", ""),
    ("ok so my password is ", "hunter2", "!"), ("密码是 ", "Tr0ub4dor&3", ""), ("? token=", "a8Xk29dkQpz31LmT", ""),
    ("login: root password: ", "toor1234", " (change me later)"), ("wlan key: ", "84629473920174659283", ""),
    ("passphrase: ", "correct horse battery staple", ""), ('passphrase = "', "wagon ember tulip frozen desk", '"'),
    ("POSTGRES_PASSWORD=", "swordfish", ""), ("mysql -uroot -p", "rootroot", ""), ("DB_PASSWORD=", "letmein", "\n"),
    ("tool --password ", "swordfish", " --yes"), ("seed phrase: ", "lamp odor rigid wheat panda fossil crew mimic dune "
     "sauce verb knee", ""), ("app password: ", "qvxw lmzt bnkd hjrp", ""), ("rotate this one: password=",
     "Wq9%2Fx%21", "&user=mara"), ("Kennwort: ", "Blumen$trauß7", ""), ("пароль: ", "Мурзик2019", ""),
    ('{\\"password\\": \\"', "s3cr3t-Value", '\\"}'), ("password=", "x!9Kd,;pQ", ""), ("password: ", "p@$$w0rd", "."),
    ("(password: ", "hunter2", ")"), ("„Passwort: ", "Sonne42!", "“"), ("the pass for tom's box is ", "kx7-pp2-q9z",
    ""),
    ("use 'admin' and password '", "b1gS3cret", "'"), ("token is “", "q8fJ2mPz0xVb7Kd4", "”"), ("密码「", "abc12345",
    "」"),
    ("api key\n\n`", "9f8e7d6c5b4a39281706f5e4d3c2b1a0", "`"), ("password |\n  ", "Kq82jfn2x", ""),
    ("password: |\n  ", "Kq82jfn2x", "\n"), ("password: >-\n  ", "Kq82jfn2x", "\n"), ("password is:  ", "Kq82jfn2x",
    ""),
    ("Password:\t", "Kq82jfn2x", ""), ("password = r'", "Kq82jfn2x", "'"), ('password: str = "', "Kq82jfn2x", '"'),
    ("os.environ['API_TOKEN'] = '", "Kq82jfn2xPwo39", "'"), ("config.password = '", "Kq82jfn2x", "'"),
    ("-e MYSQL_PASSWORD=", "Kq82jfn2x", " -d mysql:8"), ('--set auth.password="', "Kq82jfn2x", '"'),
    ("echo '", "Kq82jfn2x", "' | docker login -u mara --password-stdin"), ("redis-cli -a ", "Kq82jfn2x", " ping"),
    ("密码忘了，应该是 ", "Kq82jfn2x", ""), ("密码还是老的那个 ", "Kq82jfn2x", ""), ("login with mara / ", "Kq82jfn2x",
    ""),
    ("client.auth('mara', '", "Kq82jfn2x", "')"), ("le mot de passe est ", "Soleil2024", ""), ("pass ", "Kq82jfn2x",
    ""),
    ("secret key: ", "kQ8/2jfn2x+Pwo39=", ""), ("密码:", "qwer1234", " 用户名:admin"), ("用户/密码：admin/",
    "qwer1234", ""),
    ("credentials: mara / ", "Kq82jfn2x", ""), ("user:pass is mara:", "Kq82jfn2x", ""), ("pw: ", "Kq82jfn2x", ""),
    ("the password's ", "Kq82jfn2x", ""), ("password will be ", "Kq82jfn2x", " from Monday"), ("pwd ", "Kq82jfn2x", ""),
    ("set password ", "Kq82jfn2x", " for mara"), ("password: `", "Kq82jfn2x", "`"), ("*password*: *", "Kq82jfn2x", "*"),
    ("password reset done, new one: ", "Kq82jfn2x", ""), ("token: ", "12345678:ABCdefGHIjkl_mnoPQRs", ""),
    ("- [fact] gate password is ", "Kq82jfn2x", " #home"), ("password [[Router]]: ", "Kq82jfn2x", ""),
    ("- [ ] change password ", "Kq82jfn2x", " ^k3f9"), ("password: ", "Kq82jfn2x", "  # comment"),
]  # fmt: skip


def _harmless(make: Maker) -> Iterator[str]:
    """One harmless line of every kind that is full of digits and letters."""
    hash40, hash64 = make.hex(40), make.hex(64)
    yield f"commit {hash40}"
    yield "OPENAI_API_KEY=s" + "k-" + "x" * 32
    yield "GITHUB_TOKEN=gh" + "p_" + "x" * 36
    yield f"fixed in {hash40[:7]}"
    yield f"* {hash40[:9]} (HEAD -> main) Rotate the token store"
    yield f"sha256:{hash64}"
    yield f"{hash64}  memdir-0.3.tar.gz"
    yield f"sha512-{make.base64(64)}"
    yield f'"integrity": "sha512-{make.base64(64)}"'
    yield f"md5 {make.hex(32)}"
    yield f"id: {make.uuid()}"
    yield f"trace={make.uuid()} span={make.hex(16)}"
    yield f"![](data:image/png;base64,iVBORw0KGgo{make.base64(60)})"
    yield f"src: url(data:font/woff2;base64,{make.base64(45)})"
    yield f"v{make.digits(1)}.{make.digits(2)}.{make.digits(1)}-rc.{make.digits(1)}+{make.hex(7)}"
    yield f"https://example.com/a/{make.word(11)}?v={make.word(8)}&t={make.digits(3)}s"
    yield f"https://www.youtube.com/watch?v={make.of(URLSAFE, 11)}"
    yield f"https://docs.google.com/document/d/1{make.of(URLSAFE, 43)}/edit"
    yield f"a line that is cited ^{make.of(string.ascii_lowercase + string.digits, 4)}"
    yield f"see [[2026-0{make.pick('123456789')}-1{make.digits(1)}#^{make.hex(4)}]]"
    yield f"~/src/{make.word(6)}/build-{make.digits(4)}/out_{make.hex(8)}.o"
    yield f"C:\\Users\\mara\\AppData\\Local\\Temp\\{make.hex(8)}.tmp"
    yield f"pip install numpy=={make.digits(1)}.{make.digits(2)}.{make.digits(1)}"
    yield f"call +49 30 {make.digits(4)} {make.digits(4)}"
    yield f"手机 1{make.digits(10)}"
    yield f"ISBN 978-3-{make.digits(4)}-{make.digits(4)}-{make.digits(1)}"
    yield f"color: #{make.hex(6)}; background: #{make.hex(8)}"
    yield "0000" + make.hex(4) + "  " + " ".join(make.hex(2) for _ in range(16))
    yield "eth0 " + ":".join(make.hex(2) for _ in range(6))
    yield f"2001:db8:{make.hex(4)}:{make.hex(4)}::{make.hex(4)}"
    yield f"tx 0x{make.hex(64)} confirmed"
    yield f"DE{make.digits(20)}"
    yield f"order {make.upper(10)} shipped, tracking 1Z{make.upper(16)}"
    yield f"doi:10.{make.digits(4)}/{make.word(8)}"
    yield f"docker pull ghcr.io/a/b@sha256:{hash64}"
    yield f"ssh-rsa AAAAB3NzaC1yc2E{make.base64(90)} mara@nas"
    yield f"SHA256:{make.base64(32).rstrip('=')} mara@nas (ED25519)"
    yield f'etag: W/"{make.hex(32)}"'
    yield f"arXiv:24{make.digits(2)}.{make.digits(5)}"
    yield f"password store moved in {hash40[:8]}, see {hash40}"
    yield f"token {make.digits(2)} of {make.digits(3)}"
    yield f"tokens used: {make.digits(5)}"
    yield f"the token refresh landed in {hash40}"
    yield f"token_id: {make.uuid()}"
    yield f"password changed at 2026-0{make.pick('123456789')}-1{make.digits(1)}T10:4{make.digits(1)}:00Z"
    yield f"密码模块在 {hash40[:10]} 里重构了"
    yield f"密码重置邮件 {make.digits(2)} 分钟内有效"


def _secrets(make: Maker) -> Iterator[Line]:
    for name, token in TOKENS.items():
        for place in make.random.sample(PLACES, 8):
            value = token(make)
            yield Line(place.format(value), (value.strip(),), name)
    for place, value_of in NAMED:
        value = value_of(make)
        yield Line(place.format(value), (value,), "named")
    for place in PASSWORD_PLACES:
        for _ in range(2):
            value = _password(make)
            yield Line(place.format(value), (value,), "password")
    for place in URL_PLACES:
        for _ in range(2):
            value = make.pick(COMMON) + make.digits(2) if make.random.random() < 0.5 else make.word(14)
            yield Line(place.format(value), (value,), "url")
    for place in PIN_PLACES:
        value = make.digits(make.random.choice([4, 6]))
        yield Line(place.format(value), (value,), "pin")
    cut = _pem(make, lines=9)[:300]
    yield Line(f"key so far:\n{cut}", (cut,), "pem")
    key = _pem(make, "")
    yield Line(json.dumps({"private_key": key + "\n"}), tuple(key.split("\n")[1:-1]), "pem")
    for before, value, after in WRITTEN_SECRETS:
        yield Line(before + value + after, (value,), "written")


def corpus(seed: int = 20261129) -> list[Line]:
    """All lines of one seed: those with secrets first; at least a thousand, about half harmless."""
    make = Maker(seed)
    found = list(_secrets(make))
    plain = [Line(text, (), "written harmless") for text in WRITTEN_HARMLESS]
    while len(plain) < len(found):
        plain.extend(Line(text, (), "harmless") for text in _harmless(make))
    return found + plain
