"""Which files of a workspace are worth remembering, by name alone: nothing is opened to find out. Pure.

The table, best first (a lower rank is better; a level of folders costs one):

    readme 0 · plan 6 · decision 8 · design 10 · changelog 12 · manifest 14 · working 16 (CONTRIBUTING, AGENTS.md)
    howto 20 (runbooks, deployment) · service 22 (compose, Dockerfile, openapi) · docs 26 · build 34 (CI, Makefile)
    prose 40 (other documents) · translation 60 (README.zh.md beside README.md) · journal 70 (a file a day)

English and Chinese names. Never: secrets, licences and other boilerplate, what makes an agent itself (SOUL.md), what
a tool generated, test data, other memories.
"""

import re
from dataclasses import dataclass
from functools import cache

RANKS = {
    "readme": 0, "plan": 6, "decision": 8, "design": 10, "changelog": 12, "manifest": 14, "working": 16, "howto": 20,
    "service": 22, "docs": 26, "build": 34, "prose": 40, "translation": 60, "journal": 70,
}  # fmt: skip
# What a project is, decides and plans; everything else is a reference.
_PROJECT = {"readme", "plan", "decision", "design", "changelog", "manifest"}
_MANIFESTS = {
    "pyproject.toml": "manifest", "package.json": "manifest", "cargo.toml": "manifest", "go.mod": "manifest",
    "pom.xml": "manifest", "requirements.txt": "manifest", "docker-compose.yml": "service",
    "docker-compose.yaml": "service", "compose.yml": "service", "compose.yaml": "service", "dockerfile": "service",
    "containerfile": "service", "makefile": "build", "gnumakefile": "build", "justfile": "build",
    ".gitlab-ci.yml": "build",
}  # fmt: skip
_OPENAPI = re.compile(r"(?:openapi|swagger)[\w.-]*\.(?:json|ya?ml)")
_PROSE = (".md", ".markdown", ".mdx", ".rst", ".txt", ".adoc", ".asciidoc")
_BARE = {"readme", "changelog", "changes", "history", "news", "todo", "roadmap", "contributing", "install", "hacking"}
_SECRET = re.compile(
    r"\.env.*|.*\.env|[._]?netrc|\.npmrc|\.pypirc|\.git-credentials|\.htpasswd|\.pgpass|.*\.tfstate.*|.*\.tfvars.*"
    r"|.*\.(?:pem|key|p12|pfx|pkcs12|jks|keystore|ppk|kdbx?|gpg|asc|ovpn|agekey)"
    r"|id_(?:rsa|dsa|ecdsa|ed25519).*|credentials?.*|client_secret.*|secrets?(?:[._-].*)?|passwords?(?:[._-].*)?"
    r"|.*[._-](?:secrets?|credentials?|passwords?)\.[a-z]+|kubeconfig.*|tokens?\.[a-z]+|.*service[._-]?account.*"
    r"|(?:密码|密钥|口令|凭证|凭据).*"
)
_SECRET_FOLDERS = {"secrets", "secret", "credentials", "private-keys"}
_LOCK = re.compile(
    r".*\.lock|.*-lock\.(?:json|ya?ml)|go\.sum|npm-shrinkwrap\.json|.*\.min\.\w+|.*\.map|.*\.snap|.*[._]generated\..*"
    r"|.*_pb2\.py|.*\.pb\.go|constraints.*\.txt"
)
_DEPENDENCIES = {
    "node_modules", "bower_components", "jspm_packages", "venv", "virtualenv", "env", "__pycache__", "site-packages",
    "dist-packages", "vendor", "third_party", "third-party", "pods", "dist", "build", "_build", "target", "out",
    "coverage", "htmlcov", "deriveddata", "elm-stuff", "bazel-bin", "bazel-out",
}  # fmt: skip
_FIXTURES = {
    "tests", "test", "__tests__", "fixtures", "testdata", "test-data", "test_data", "testing", "snapshots",
    "samples", "templates", "template", "_templates", "模板", "locale", "locales", "i18n", "l10n", "translations",
}  # fmt: skip
_BOILERPLATE = re.compile(
    r"(?:licen[cs]es?|copying|copyright|notices?|patents?|authors?|contributors?|maintainers|thanks|acknowledge?ments?"
    r"|code[_-]of[_-]conduct|conduct|(?:pull_request|issue|bug_report|feature_request|merge_request)_?(?:template)?|funding"
    r"|robots|humans|manifest|cmakelists|sources|top_level|entry_points|dependency_links|requires|index_template"
    r"|third[_-]?party.*|cla|dco|soul|identity|heartbeat|bootstrap)(?:[._-].*)?|许可证?|授权|行为准则"
)
_SOURCE = re.compile(
    r".*\.(?:py|pyi|js|jsx|mjs|cjs|ts|tsx|vue|svelte|go|rs|java|kt|kts|scala|clj|c|h|cc|cpp|cxx|hpp|cs|fs|rb|php|swift"
    r"|m|mm|lua|pl|r|jl|ex|exs|erl|hs|ml|elm|dart|zig|nim|sh|bash|zsh|fish|ps1|sql|proto|graphql|css|scss|html|tf)"
)
_DAY = re.compile(r"(?:19|20)\d\d[-_.]?[01]\d[-_.]?[0-3]\d(?!\d)")
_LANGUAGE = re.compile(r"readme[._-](?:[a-z]{2}(?:[_-][a-z]{2,4})?|chinese|english|japanese|[简繁]體?体?中文|[中英]文)")
# Form → (stems as a whole, words of a stem or of a folder that also say so).
_FORMS = {
    "readme": (r"readme.*|read\.?me|about|overview|说明|自述|读我|简介|项目说明|概述", r"项目介绍"),
    "plan": (r"plans?|backlog|milestones?|next[_-]steps", r"to-?dos?|roadmap|待办|路线图|计划|规划|里程碑"),
    "changelog": (
        r"change-?logs?|changes|history|news|releases?|release[_-]?notes?.*|whats[_-]?new",
        r"changelog|更新日志|更新记录|变更记录|变更日志|发布说明|版本历史",
    ),
    "decision": (r"adr[_-]?\d*.*|decisions?", r"adrs?|decisions?|decision-?records?|决策|决定|决议"),
    "design": (
        r"specs?|specification|vision|principles",
        r"designs?|architecture|rfcs?|proposals?|设计|架构|方案|原则",
    ),
    "working": (
        r"contributing|agents?|claude|gemini|copilot-instructions|hacking|conventions|style|styleguide|development",
        r"贡献|开发指南|规范|约定",
    ),
    "howto": (
        r"install|installation|setup|usage|faq|operations|deploy",
        r"runbooks?|playbooks?|how-?to|deployment|deploying|troubleshooting|oncall|on-call|guides?"
        r"|部署|运维|手册|指南|安装|教程|排障|常见问题",
    ),
}
_SHORT = 8  # characters; "how to keep to a plan that you made" is a title, not a plan
_DOCS = {"docs", "doc", "documentation", "wiki", "references", "manual", "文档", "资料"}


@dataclass(frozen=True, slots=True)
class Worth:
    """What a file is (`form`), whether a note about it is `project` or `ref`, and its rank."""

    form: str
    kind: str
    rank: int


def worth(path: str) -> Worth | None:
    """What a file is by its name and folders; None for what is not worth a note."""
    *folders, name = path.casefold().split("/")
    if "memory" in folders or name == "memory.md":
        return None  # another memory: that is imported or adopted, not proposed note by note
    form = _form(folders, name)
    if not form or (form != "manifest" and _BOILERPLATE.fullmatch(name.partition(".")[0])):
        return None
    kind = "project" if form in _PROJECT else "ref"
    depth = len(folders) - (form in ("docs", "decision", "design", "howto", "build") and bool(folders))
    return Worth(form, kind, RANKS[form] + 2 * depth + (20 if form in ("readme", "manifest") and folders else 0))


def refused(path: str) -> str:
    """Why a file is not even opened, by its name and folders; "" when it may be."""
    *folders, name = path.casefold().split("/")
    if reason := next((reason for folder in folders if (reason := refused_folder(folder))), ""):
        return reason
    if _SECRET.fullmatch(name):
        return "secret"
    if _LOCK.fullmatch(name):
        return "generated"
    return "hidden" if name.startswith(".") and name not in _MANIFESTS else ""


def refused_folder(name: str) -> str:
    """Why a folder is not entered, by its name; "" when it may be."""
    name = name.casefold()
    if name in _SECRET_FOLDERS:
        return "secret"
    if name in _DEPENDENCIES or name.endswith((".egg-info", ".dist-info")):
        return "dependencies"
    if name in _FIXTURES:
        return "test data"
    return "hidden" if name.startswith(".") and name != ".github" else ""


def is_source(path: str) -> bool:
    """Whether a file is program text: remembered only as part of what changed."""
    return bool(_SOURCE.fullmatch(path.casefold().rsplit("/", 1)[-1]))


def _form(folders: list[str], name: str) -> str:
    if folders[:1] == [".github"]:
        return "build" if folders == [".github", "workflows"] and name.endswith((".yml", ".yaml")) else ""
    if form := _MANIFESTS.get(name) or ("service" if _OPENAPI.fullmatch(name) else ""):
        return form
    stem, dot, _ = name.rpartition(".")
    if not (name.endswith(_PROSE) or name in _BARE):
        return ""
    stem = stem if dot else name
    if _LANGUAGE.fullmatch(stem):
        return "translation"
    if _DAY.search(stem) and not any(_says(folder, "decision") for folder in folders):
        return "journal"
    for form, (whole, _) in _FORMS.items():
        if re.fullmatch(whole, stem):
            return form
    for form in _FORMS:
        if any(_says(one, form) for one in (stem, *folders)):
            return form
    return "docs" if _DOCS & set(folders) else "prose"


@cache
def _words(form: str) -> re.Pattern[str]:
    return re.compile(rf"(?:^|[\W_])(?:{_FORMS[form][1]})(?:$|[\W_])")


def _says(text: str, form: str) -> bool:
    """Whether a word of a stem or folder names a form; in Chinese, without spaces, anywhere in a short name."""
    if _words(form).search(text):
        return True
    return (
        len(text) <= _SHORT
        and not text.isascii()
        and any(word in text for word in _FORMS[form][1].split("|") if not word.isascii())
    )
