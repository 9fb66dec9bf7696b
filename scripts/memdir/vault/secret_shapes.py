"""Secrets that are known by their own look: the tokens of services, key blocks, passwords inside URLs.

Pure functions over text; touches no file. A shape is tried only where its head stands, so a text without
secrets costs one `in` a head. Every quantifier is bounded and none gives back what it took where it could
repeat: time grows with length only. Patterns are compiled when a head is met.
"""

import re
from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

from memdir.vault import secret_values

BLANK = "\0"  # stands for what is redacted already; no pattern crosses it
_V = "[A-Za-z0-9_-]"
_W = "[A-Za-z0-9]"
_END = f"(?!{_V})"
MAX_BLOCK = 65_536  # characters of a key block


class Span(NamedTuple):
    kind: str
    start: int
    end: int


# kind, heads, pattern from the head on; a group, where there is one, is the secret. Lengths are those of issued
# tokens with some slack, because services lengthen theirs without notice.
_SHAPES: tuple[tuple[str, tuple[str, ...], str], ...] = (
    ("aws", ("AKIA", "ASIA", "ABIA", "ACCA"), rf"A[A-Z]IA[A-Z0-9]{{16}}(?!{_W})|ACCA[A-Z0-9]{{16}}(?!{_W})"),
    ("github", ("ghp_", "gho_", "ghu_", "ghs_", "ghr_"), r"gh[pousr]_[A-Za-z0-9_]{20,255}+"),
    ("github", ("github_pat_",), r"github_pat_[A-Za-z0-9_]{22,255}+"),
    ("gitlab", ("glpat-", "gldt-", "glrt-", "glptt-", "glcbt-", "glsoat-", "glft-"),
     rf"gl[a-z]{{2,4}}-{_V}{{18,300}}+(?:\.[0-9a-z]{{2}}\.[0-9a-z]{{9}})?"),
    ("anthropic", ("sk-ant-",), rf"sk-ant-{_V}{{20,200}}+"),
    ("openai", ("sk-proj-", "sk-svcacct-", "sk-admin-"), rf"sk-[a-z]{{4,8}}-{_V}{{20,400}}+"),
    ("openrouter", ("sk-or-",), rf"sk-or-{_V}{{20,200}}+"),
    ("openai", ("sk-",), rf"sk-{_V}{{20,300}}+"),
    ("google", ("AIza",), rf"AIza{_V}{{30,40}}{_END}"),
    ("google", ("ya29.",), rf"ya29\.{_V}{{20,2000}}+"),
    ("google", ("GOCSPX-",), rf"GOCSPX-{_V}{{20,60}}+"),
    ("google", ("1//0",), rf"1//0{_V}{{40,200}}+"),
    ("huggingface", ("hf_",), rf"hf_{_W}{{30,60}}+"),
    ("npm", ("npm_",), rf"npm_{_W}{{36,40}}{_END}"),
    ("pypi", ("pypi-AgE",), rf"pypi-AgE{_V}{{16,1000}}+"),
    ("slack", ("xoxa-", "xoxb-", "xoxe-", "xoxo-", "xoxp-", "xoxr-", "xoxs-", "xoxe.", "xoxc-", "xoxd-"),
     r"xox[abcdeoprs][.-][A-Za-z0-9%.-]{10,400}+"),
    ("slack", ("xapp-",), r"xapp-\d-[A-Za-z0-9-]{20,200}+"),
    ("slack", ("hooks.slack.com/",), r"hooks\.slack\.com/(?:services|workflows|triggers)/([A-Za-z0-9/_-]{20,160}+)"),
    ("discord", ("/api/webhooks/",), rf"/api/webhooks/\d{{15,22}}/({_V}{{40,100}}+)"),
    ("stripe", ("sk_live_", "rk_live_", "sk_test_", "rk_test_"), rf"[rs]k_(?:live|test)_{_W}{{16,250}}+"),
    ("stripe", ("whsec_",), r"whsec_[A-Za-z0-9+/]{24,100}+={0,2}"),
    ("sendgrid", ("SG.",), rf"SG\.{_V}{{16,32}}+\.{_V}{{16,80}}+"),
    ("mailgun", ("key-",), rf"key-[0-9a-f]{{32}}{_END}"),
    ("digitalocean", ("doo_v1_", "dop_v1_", "dor_v1_"), r"do[opr]_v1_[a-f0-9]{32,80}+"),
    ("jwt", ("eyJ",), rf"eyJ{_V}{{8,4000}}+\.(?:eyJ{_V}{{8,8000}}+\.{_V}{{0,2000}}+"
     rf"|{_V}{{8,4000}}+(?:\.{_V}{{1,8000}}+){{1,3}})"),
    ("age", ("AGE-SECRET-KEY-",), r"AGE-SECRET-KEY-[A-Z0-9-]{50,4000}+"),
    ("databricks", ("dapi",), rf"dapi[a-f0-9]{{32}}(?:-\d)?{_END}"),
    ("linear", ("lin_api_", "lin_oauth_"), rf"lin_(?:api|oauth)_{_W}{{32,80}}+"),
    ("notion", ("ntn_",), rf"ntn_{_W}{{40,60}}+"),
    ("notion", ("secret_",), rf"secret_{_W}{{43}}{_END}"),
    ("postman", ("PMAK-",), r"PMAK-[a-f0-9]{24}-[a-f0-9]{34}"),
    ("shopify", ("shpat_", "shpca_", "shppa_", "shpss_"), r"shp[a-z]{2}_[a-fA-F0-9]{32,40}+"),
    ("square", ("sq0",), rf"sq0[a-z]{{3}}-{_V}{{22,60}}+"),
    ("square", ("EAAA",), rf"EAAA{_V}{{56,64}}{_END}"),
    ("vault", ("hvs.", "hvb.", "hvr."), rf"hv[sbr]\.{_V}{{20,300}}+"),
    ("doppler", ("dp.",), rf"dp\.(?:pt|st|ct|sa|scim|audit)\.(?:[a-z0-9_-]{{2,35}}\.)?{_W}{{40,44}}+"),
    ("grafana", ("glsa_",), rf"glsa_{_W}{{32}}_[A-Fa-f0-9]{{8}}"),
    ("grafana", ("glc_",), r"glc_[A-Za-z0-9+/_-]{32,400}+={0,2}"),
    ("newrelic", ("NRAK-", "NRJS-", "NRII-"), r"NR(?:AK|JS|II)-[A-Za-z0-9]{19,40}+"),
    ("docker", ("dckr_pat_", "dckr_oat_"), rf"dckr_[po]at_{_V}{{20,60}}+"),
    ("atlassian", ("ATATT3", "ATCTT3"), rf"AT[AC]TT3{_V}{{60,300}}+=?{_V}{{0,12}}+"),
    ("tailscale", ("tskey-",), r"tskey-[a-z]{3,12}-[A-Za-z0-9-]{16,100}+"),
    ("groq", ("gsk_",), rf"gsk_{_W}{{40,80}}+"),
    ("xai", ("xai-",), rf"xai-{_W}{{40,120}}+"),
    ("perplexity", ("pplx-",), rf"pplx-{_W}{{32,80}}+"),
    ("replicate", ("r8_",), rf"r8_{_W}{{37,40}}{_END}"),
    ("alibaba", ("LTAI",), rf"LTAI{_W}{{16,26}}{_END}"),
    ("rubygems", ("rubygems_",), r"rubygems_[a-f0-9]{48}"),
    ("figma", ("figd_", "figo_"), rf"fig[do]_{_V}{{36,60}}+"),
    ("onepassword", ("ops_eyJ",), rf"ops_eyJ{_V}{{60,4000}}+"),
    ("azure", ("AccountKey=", "SharedAccessKey="), r"(?:Account|SharedAccess)Key=([A-Za-z0-9+/]{40,100}+={0,2})"),
    ("azure", ("sig=",), r"sig=([A-Za-z0-9%/+_-]{40,160}+={0,2})"),
    ("url", ("://",), r"://[^\s/?#:@\"'<>`\0]{0,128}+:([^\s/\"'<>`\0]{1,256})@[A-Za-z0-9\[$<{_-]"),
    ("puttygen", ("Private-Lines: ",), r"Private-Lines: \d{1,3}\r?\n((?:[A-Za-z0-9+/=]{1,80}+(?:\r?\n|$)){1,200}+)"),
)  # fmt: skip

# kind, text that must stand somewhere, pattern: tokens that begin with no letters of their own.
_LOOSE = (
    ("telegram", (":AA",), rf"[0-9](?<![A-Za-z0-9_].)[0-9]{{7,9}}+:AA{_V}{{32,34}}{_END}"),
    ("discord", (".",), rf"[MNO](?<!{_V}.){_V}{{23,27}}+\.{_V}{{6}}\.{_V}{{27,40}}+{_END}"),
)
# kind, words of which one must stand close by, pattern: what only the service's name gives away.
_BESIDE = (
    ("aws", ("aws", "amazon", "secretaccesskey"), r"[A-Za-z0-9/+](?<![A-Za-z0-9/+=_.-].)[A-Za-z0-9/+]{39,200}+"),
    ("twilio", ("twilio",), r"(?:SK|AC)[0-9a-f]{32}(?![0-9a-zA-Z])"),
    ("cloudflare", ("cloudflare",), rf"[A-Za-z0-9_-](?<!{_V}.){_V}{{36,200}}+"),
)
_SIZES = {"aws": (40,), "cloudflare": (37, 40)}
_NEAR = 100  # characters before, a third of it behind, in which the service's name must stand
_SURE = {"github", "gitlab", "pypi", "age", "url", "azure", "puttygen", "twilio", "aws"}  # need no digit
_EDGE = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_")
_BEGIN = "-----BEGIN "
_KEY_BEGIN = r"-----BEGIN (?:[A-Z0-9]{1,20} ){0,4}PRIVATE KEY(?: BLOCK)?-----"
_KEY_REST = (
    r"(?:(?:[\s>|\"'+,#]|\\[nr]){0,80}+(?:[A-Za-z0-9+/=]{16,}+|[A-Za-z0-9+/]{0,15}=(?![\w=])"
    r"|[A-Za-z0-9+/]{1,15}+(?=\s{0,4}\Z)|(?:Proc-Type|DEK-Info|Version|Comment): [^\n\0]{0,200}+)){0,2000}+"
)


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern)


def find(text: str, low: str) -> Iterator[Span]:
    """Every secret that its look gives away, in no order; spans may overlap. `low` is `text` in small letters."""
    for kind, heads, pattern in _SHAPES:
        for head in heads:
            if head in text:
                yield from _headed(text, kind, head, pattern)
    if _BEGIN in text:
        yield from _key_blocks(text)
    for kind, signs, pattern in _LOOSE:
        if signs[0] in text:
            for found in _compiled(pattern).finditer(text):
                yield Span(kind, found.start(), found.end())
    for kind, words, pattern in _BESIDE:
        if any(word in low for word in words):
            yield from _beside(text, low, kind, words, pattern)


def _headed(text: str, kind: str, head: str, pattern: str) -> Iterator[Span]:
    at = text.find(head)
    match = _compiled(pattern).match
    while at >= 0:
        found = match(text, at) if _begins(text, at, head) else None
        after = at + len(head)
        if found:
            start, end = found.span(found.lastindex or 0)
            if not found.lastindex and text[end - 1] in _EDGE:
                longer = _compiled("[A-Za-z0-9_-]++").match(text, end)  # than was known: it goes whole
                end = longer.end() if longer else end
            if _is_issued(kind, head, text[start:end]):
                yield Span(kind, start, end)
            after = max(after, end)
        at = text.find(head, after)


def _begins(text: str, at: int, head: str) -> bool:
    """Whether a token may begin here: no letter before it but the one of `\\n` or `%3D`."""
    before = text[at - 1 : at]
    if before not in _EDGE or not before or head[0] not in _EDGE or head == "hooks.slack.com/":
        return True
    if before not in "nrt0123456789ABCDEF":
        return False
    return text[max(0, at - 2) : at] in ("\\n", "\\r", "\\t") or bool(re.match(r"%[0-9A-F]{2}", text[at - 3 : at]))


def _is_issued(kind: str, head: str, secret: str) -> bool:
    """Whether the match is no placeholder and no run of words."""
    body = secret.removeprefix(head)
    if secret_values.is_placeholder(body):
        return False
    if kind == "url":
        return not secret_values.is_url_example(secret)
    if head == "sk-":
        return secret_values.is_random(body)
    if head == "EAAA":
        return any(sign.isdigit() for sign in body) and any(sign.islower() for sign in body)
    return kind in _SURE or len(set(body)) > 3


def _beside(text: str, low: str, kind: str, words: tuple[str, ...], pattern: str) -> Iterator[Span]:
    sizes = _SIZES.get(kind)
    for found in _compiled(pattern).finditer(text):
        start, end = found.span()
        if sizes and (end - start not in sizes or not secret_values.is_dense(found[0])):
            continue
        if kind == "aws" and re.fullmatch(r"[0-9a-fA-F]+", found[0]):
            continue  # a commit
        before = low[max(0, start - _NEAR) : start].rpartition(BLANK)[2]
        behind = low[end : end + _NEAR // 3].partition(BLANK)[0]
        if any(word in before or word in behind for word in words):
            yield Span(kind, start, end)


def _key_blocks(text: str) -> Iterator[Span]:
    """Private keys from BEGIN to END; without an END as far as the lines look like a key."""
    end = -2
    for found in _compiled(_KEY_BEGIN).finditer(text):
        if end != -1 and end < found.end():
            end = text.find("-----END ", found.end())
        stop = text.find("-----", end + 9, end + 80) + 5 if end >= 0 else 4
        inside = text[found.end() : end] if 0 <= end - found.end() <= MAX_BLOCK else BLANK
        if stop > 4 and BLANK not in inside and _BEGIN not in inside:
            yield Span("private-key", found.start(), stop)
            continue
        rest = _compiled(_KEY_REST).match(text, found.end())
        if rest and rest.end() > found.end():
            yield Span("private-key", found.start(), rest.end())
