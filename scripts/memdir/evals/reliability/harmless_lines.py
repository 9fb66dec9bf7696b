"""Lines that speak of passwords, keys and tokens and hold none: written before the rules and apart from them. Data."""

WRITTEN_HARMLESS = """
password is required
Password is required!
the token is expired
token: see 1Password
password: <your password>
password: <your-password-here>
secret: ${VAULT_SECRET}
api_key: os.environ["OPENAI_API_KEY"]
password: ****
password: ••••••••
Password: ********
token budget: 4000
token budget is 4000 per day
max_tokens: 4096
max_tokens=16384
tokens: 12345
prompt tokens: 1834, completion tokens: 411
num_tokens = 128000
secret santa is on Friday
the secret is out
the secret to good bread is time
secret ingredient: cardamom
密码是必填项
密码不能为空
密码长度为8到20位
密码是8位数字
密码为 6-20 个字符
密码：请输入
密码找回功能下周上线
密码已过期，请联系管理员
忘记密码是常见的问题
验证码是4位数字
验证码 60 秒后失效
令牌是有期限的
口令红包很好玩
密钥管理用 Vault
密钥由运维保管
私钥不要上传到仓库
访问令牌有效期为 2 小时
他的密码习惯不好
密码学是一门有意思的课
密码学 2024 春季课程
パスワードは必須です
パスワードを忘れました
パスワードは8文字以上
비밀번호는 필수입니다
пароль обязателен
пароль должен быть не короче 8 символов
забыл пароль от почты
Passwort ist erforderlich
la contraseña es obligatoria
mot de passe oublié
password: str
password: string;
password: Optional[str] = None
def login(user: str, password: str) -> Token:
token: str = ""
password = get_password()
password = getpass.getpass("Password: ")
password=password
password = user.password
self.token = token
token = response.json()["access_token"]
token = await client.get_token(scope)
secret = settings.SECRET_KEY
api_key = os.getenv("API_KEY")
api_key=process.env.API_KEY
apiKey: process.env.OPENAI_API_KEY,
password: ${{ secrets.DB_PASSWORD }}
password: {{ db_password }}
password: "{{ vault_db_password }}"
password: "%(db_password)s"
PASSWORD=$DB_PASSWORD
PASSWORD="${DB_PASSWORD:-}"
DB_PASSWORD=%DB_PASS%
--password "$PASS"
--password-stdin
mysql -u root -p
mysql -u root -p shop
mysqldump -P 3306 -p shop > dump.sql
password: changeme
password: TODO
password: null
password: none
password: ""
password: ''
password=
password: false
"password": "string"
"password": "required|min:8"
"type": "password"
type="password" name="password"
<input type="password" id="password1">
<label for="password">Password</label>
"password": {"type": "string", "minLength": 8}
"token": "number"
"token_type": "bearer"
token_type=Bearer
"expires_in": 3600, "token_type": "Bearer"
token_url: https://auth.example.com/oauth2/token
TOKEN_URL=https://auth.example.com/oauth2/token
secret_name: prod-db-credentials-v2
secretName: tls-wildcard-2024
secretKeyRef: {name: db-creds, key: password}
password_file: /run/secrets/db_password
password: /run/secrets/db_password
POSTGRES_PASSWORD_FILE=/run/secrets/pg
token_path: ~/.config/tool/token.json
private_key: ~/.ssh/id_ed25519
private_key_path = "./keys/server.pem"
password: op://vault/item/password
secret: arn:aws:secretsmanager:eu-west-1:123456789012:secret:prod/db
secret: projects/atlas/secrets/db/versions/3
password: vault:secret/data/db#password
password: [[Passwords]]
token: [docs](https://example.com/tokens)
password: see the wiki page
password: see KeePass
password: changed yesterday
password: KeePassDatabase
password: LastPassVault
password: Geburtstagskind
password: Unchangeable
password: PasswordField
password: StringProperty
password: PasswordInputComponent
password = PasswordField()
password AuthController fails
password ResetService deployed
passwordEncoder: BCryptPasswordEncoder
password manager: BitwardenEnterprise
security code: HorseBatteryStaple
token: RefreshTokenProvider
密码：见 KeePassXC
密码用 KeePassDatabase 管理
密码：由管理员保管
密码: 见CompanyVault页面
password: ask Mara
password: in KeePass
password: not set
password: same as before
password: min 8 chars
password policy: 12 characters, 90 days
password length: 16
password hint: name of the first cat
password manager: 1Password
password manager is KeePassXC 2.7
password last changed: 2026-02-11
password was changed on 2026-02-11
password rotated 2026-02-11
password reset sent 10:42
the password was rotated yesterday
the password has 16 characters
your password must contain 8+ characters
password hashing: argon2id
password hash: bcrypt
password encryption: AES256
auth: oauth2
auth: OAuth2.0
auth: basic
auth: none
auth = HTTPBasicAuth(user, password)
author: mara2000
authors: Mara Lindt <mara@example.com>
authority: level3
auth method is SAML 2.0
authentication: SHA256
Authorization: Bearer <token>
Authorization: Bearer $TOKEN
Authorization: Bearer ${TOKEN}
Authorization: Bearer YOUR_API_KEY
Authorization: Bearer YOUR_TOKEN_HERE
curl -H "Authorization: Bearer $(cat token)" https://api.example.com
Authorization: Basic <base64>
Authorization header is required
bearer of good news
the API key is missing
API key is invalid or expired
api key: YOUR_API_KEY
api_key: your-api-key-here
api_key = "<API_KEY>"
api_key="sk-..."
api_key: "xxxxxxxxxxxxxxxxxxxxxxxx"
api_key: XXXXXXXXXXXXXXXX
tokens begin with ghp_ or github_pat_
keys that start with sk- and AKIA are found
AKIA is the prefix of a long-lived key id
-----BEGIN PUBLIC KEY-----
-----BEGIN CERTIFICATE-----
a PEM file begins with BEGIN PRIVATE KEY
ssh-ed25519 public keys are fine to share
access key: see vault
access keys are rotated every 90 days
access key combination: ctrl+shift+k
private key: never share it
private keys: 2
credentials: include
credentials: 'same-origin'
credentials are in the vault
credentials file: ~/.aws/credentials
aws_profile = atlas-prod-2
client_secret_basic
grant_type=client_credentials
client secret: stored in Vault
PIN 13 is the LED
pin: 13
GPIO pin = 17
pin 4 to ground, pin 7 to 3V3
pinned: 2024-05-01
PIN is four digits
spin: 1234
pins: 12, 13
verification code is six digits
code: 404
error code: 1045
exit code is 137
status code: 200
zip code: 10115
pass 2 of 3
pass: 12, fail: 0
passed: 1234
test pass rate is 98.5
the pass is closed in winter
boarding pass: gate B42
bus pass valid until 2026-12-31
compass: 180
bypass: true
pwd: /home/mara
pwd is ~/src/memdir
keyboard: K380
monkey: 4242
key: value1
key: 550e8400
primary key: user_id2
foreign key: order_2024
hotkey: ctrl+alt+7
sort key = created_at2
cache key: 9f86d081884c7d65
public key: ssh-ed25519
the tokenizer is cl100k_base
tokenizer: cl100k_base
token limit: 8192
token type: JWT
token: JWT
token lifetime is 15m
token expires: 2026-12-31T10:00:00Z
token count is 1523
refresh token rotation is on
csrf token: disabled
token = tokens[i + 1]
token ring: 802.5
session token: none
secret: true
secret: false
secret: kubernetes.io/tls
secrets: inherit
secrets: [db, cache]
kind: Secret
apiVersion: v1
secret key is stored in KMS
Secret Garden: chapter 12
top secret: level5
secretary: Mara Lindt
Secrets Manager is 0.40 a month
import secrets
secrets.token_hex(16)
password_hash = hash_password(password)
if password == confirm_password:
if token is None:
assert token != other_token
for token in tokens:
return {"token": token}
token: 'token'
{password: password, token: token}
data = {"username": username, "password": password}
User.find_by(password: params[:password])
password => $request->password
$password = $_POST['password'];
password := r.FormValue("password")
let token = env::var("TOKEN")?;
char password[64];
VARCHAR password(255)
password VARCHAR(255) NOT NULL
password TEXT NOT NULL DEFAULT ''
ALTER TABLE users ADD COLUMN password2 text
postgres://localhost/shop
postgres://user:password@localhost/db
postgres://<user>:<password>@<host>/db
postgres://$USER:$PASSWORD@$HOST/db
postgresql://${USER}:${PASS}@db/app
https://user:pass@example.com is how the form looks
mysql://{user}:{password}@{host}/{db}
http://localhost:8080@2x.png
https://example.com:8443/a@b
ssh://git@github.com:22/a/b.git
git@github.com:memdir/memdir.git
mailto:mara@example.com
https://medium.com/@mara/notes-2024
https://example.com/reset?step=2&token=
https://example.com/?q=password+manager
see https://example.com/docs/tokens#access-token-2
read docs/auth/token-refresh-v2.md
class TokenBucket2:
sk-learn is a typo
scikit-learn: sk-learn-contrib-2024
risk-assessment-for-the-third-quarter-2024
task-3f2a: done
disk-usage-of-the-build-machine-in-2025
mask-rcnn-resnet50-fpn-coco-2017
desk-booking-floor-3
hf_hub_download
hf_transfer
npm_config_registry
npm_lifecycle_event=postinstall
pypi-attestations
SG.UI is a screen
glpat is the prefix
xoxo
dapi docs
ya29 is google
AIza is google
eyJ is how a JWT starts
secret_sauce_recipe
secret_access_policy_for_interns
ntn_
whsec_ prefix
key-value-store-for-the-session-cache
key-press-and-key-release
PMAK
hvs.
dp.pt
NRAK
lin_api_
sq0
EAAAtlas
-p 8080:80
docker run -p 8080:80 -p 5432:5432 postgres
ssh -p 2222 nas
mkdir -p build/2024
cp -p a1 b2
curl -u mara https://dav.example.com
curl -u "$USER:$PASS" https://dav.example.com
今天天气不错，适合散步
我把密码本放在抽屉里了
他是公钥基础设施的专家
令牌桶算法每秒放 100 个令牌
验证码登录已经做完
口令：见 1Password
密码：见附件
密码：同上
密码：（略）
密码: ******
密码是什么？
密码是用 bcrypt 存的
密码为空时返回 400
密码错误次数超过5次锁定
token 是 JWT 格式
token 为空
api key 是必填的
密钥长度为 256
密钥是 RSA2048
密码 = None
登录密码 2 月改过
a password: it protects an account
Password: it's the usual
"password is hunter" is what he said
I changed my password yesterday
We use JWT tokens with 15m expiry
password: at least 12 chars
See password rules in RFC7617
commit 3f9a1c7 fixes token refresh
The token bucket refills 100/s
Set PASSWORD in .env
secret: stored in 1Password vault Ops
api key goes into ~/.config/tool
auth: see docs/auth.md
密码要至少12位
密码保存在 1Password 里
token 用完了
令牌过期时间是 3600 秒
密钥在 Vault 的 kv/prod 路径
口令是什么
验证码发到手机 138 开头的号
pin the version to 3.2.1
pin: numpy==1.26.4
pass --token to the CLI
Pass rate: 97%
password: (leave empty)
password: [hidden]
token = tokenizer.encode(text)
password=os.environ['PW']
const token = req.headers.authorization
secret: !Ref DbSecret
credentials: path/to/service-account.json
key: Ctrl+K
access key id is not secret
the password was wrong 3 times
Token usage: 12,345 in / 678 out
tokens: 1.2k
session token rotates every 24h
password spec: ISO27001
private key is in HSM slot 2
auth flow: PKCE S256
pw: same as always
Password protected: yes
secret level 2024 budget
The API key page moved to /settings/api-keys
passphrase is optional
Passport: C01X00T47
pin code of the area is in Berlin
API_KEY=
token: <redacted>
Bearer tokens are sent in headers
basic auth over https
password: p********d
x-api-key header required
""".strip("\n").split("\n")  # fmt: skip
