"""What a manifest says: name, dependencies, scripts, services, ports, as lines of plain text for a note.

TOML and JSON by the standard library, within bounds; XML, YAML and the rest line by line, because only a few keys
are wanted and a parser would bring entities, aliases and recursion. Values of variables and secrets are not read.
Pure functions over text; every line is a stranger's text still to be cleaned.
"""

import json
import re
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

# tomllib takes memory quadratic in the dots of a key: one of 240 KB was killed at 8 GB; 200 dots a line cost 0.2 s.
_TOML_CHARACTERS, _TOML_DOTS = 64 * 1024, 200
_MOST = 20  # names of one list
_LINES = 3_000


def facts(path: str, content: str) -> list[str]:
    """The facts of a manifest, `label: values` a line, most telling first; [] where nothing could be read."""
    name = path.casefold().rsplit("/", 1)[-1]
    return [line for line in _reader(name, path)(content) if line]


def _reader(name: str, path: str) -> Callable[[str], Iterable[str]]:
    readers: dict[str, Callable[[str], Iterable[str]]] = {
        "pyproject.toml": _pyproject, "package.json": _package, "cargo.toml": _cargo, "go.mod": _go, "pom.xml": _pom,
        "requirements.txt": _requirements, "dockerfile": _dockerfile, "containerfile": _dockerfile,
        "makefile": _makefile, "gnumakefile": _makefile, "justfile": _makefile,
    }  # fmt: skip
    if found := readers.get(name):
        return found
    if "compose" in name:
        return _compose
    return _workflow if ".github/" in path or "gitlab" in name else _openapi


def _toml(content: str) -> dict[str, Any]:
    if len(content) > _TOML_CHARACTERS or any(line.count(".") > _TOML_DOTS for line in content.splitlines()):
        return {}
    try:
        return tomllib.loads(content)
    except (ValueError, RecursionError):
        return {}


def _json(content: str) -> dict[str, Any]:
    try:
        found = json.loads(content)
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def _table(values: Any, *keys: str) -> dict[str, Any]:
    """The table below some keys; {} where there is none."""
    for key in keys:
        values = values.get(key) if isinstance(values, dict) else None
    return values if isinstance(values, dict) else {}


def _said(label: str, value: Any) -> str:
    return f"{label}: {value}" if isinstance(value, str | int) and str(value).strip() else ""


def _names(label: str, values: Iterable[Any], most: int = _MOST) -> str:
    names = list(dict.fromkeys(str(value).strip() for value in values if isinstance(value, str | int)))
    rest = f" and {len(names) - most} more" if len(names) > most else ""
    return f"{label}: {', '.join(names[:most])}{rest}" if names else ""


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else list(value) if isinstance(value, dict) else []


def _pyproject(content: str) -> Iterator[str]:
    values = _toml(content)
    project, poetry = _table(values, "project"), _table(values, "tool", "poetry")
    either = {**poetry, **project}
    yield _head(either)
    yield _said("Python", project.get("requires-python"))
    needs = [re.split(r"[\s;]", str(one))[0] for one in _list(project.get("dependencies"))]
    yield _names("Depends on", [one for one in needs or poetry.get("dependencies", {}) if one != "python"])
    yield _names("Extras", _list(project.get("optional-dependencies")))
    yield _names("Commands", _list(either.get("scripts")))


def _package(content: str) -> Iterator[str]:
    values = _json(content)
    yield _head(values)
    yield _names("Engines", [f"{name} {version}" for name, version in _table(values, "engines").items()])
    scripts = _table(values, "scripts")
    yield _names("Scripts", [f"{name} ({command})" for name, command in scripts.items() if len(str(command)) < 60], 10)
    yield _names("Depends on", _table(values, "dependencies"))
    yield _names("For development", _table(values, "devDependencies"), 12)
    yield _names("Workspaces", _list(values.get("workspaces")))


def _cargo(content: str) -> Iterator[str]:
    values = _toml(content)
    package = _table(values, "package")
    yield _head(package)
    yield _said("Rust", package.get("rust-version"))
    yield _names("Workspace members", _list(_table(values, "workspace").get("members")))
    yield _names("Depends on", _table(values, "dependencies") or _table(values, "workspace", "dependencies"))
    yield _names("Features", _table(values, "features"))


def _head(values: Mapping[str, Any]) -> str:
    name, version, about = (values.get(key) for key in ("name", "version", "description"))
    if not isinstance(name, str):
        return ""
    mark = f"{name} {version}" if isinstance(version, str) else name
    return f"{mark}: {about}" if isinstance(about, str) and about.strip() else f"Name: {mark}"


def _go(content: str) -> Iterator[str]:
    lines = content.splitlines()[:_LINES]
    for label, word in (("Module", "module"), ("Go", "go")):
        yield next((f"{label}: {line.split()[1]}" for line in lines if re.match(rf"{word}\s+\S", line)), "")
    needs = [
        re.match(r"(?:require)?\s+([\w.-]+\.[\w./~-]+) (v\S+)", line) for line in lines if "// indirect" not in line
    ]
    yield _names("Depends on", [f"{found[1]} {found[2]}" for found in needs if found])


def _pom(content: str) -> Iterator[str]:
    outer = content
    for tag in ("parent", "dependencyManagement", "dependencies", "build", "profiles"):
        before, *parts = outer.split(f"<{tag}>")
        outer = before + "".join(part.partition(f"</{tag}>")[2] for part in parts)
    for label, tag in (("Artifact", "artifactId"), ("Version", "version"), ("About", "description")):
        found = re.search(rf"<{tag}>([^<]{{1,300}})</{tag}>", outer)
        yield f"{label}: {found[1].strip()}" if found else ""
    within = content.partition("<dependencies>")[2].partition("</dependencies>")[0]
    yield _names("Depends on", re.findall(r"<artifactId>([^<]{1,100})</artifactId>", within))


def _requirements(content: str) -> Iterator[str]:
    lines = (line.split("#")[0].split(";")[0].strip() for line in content.splitlines()[:_LINES])
    yield _names(
        "Depends on",
        [line.split()[0] for line in lines if re.match(r"[A-Za-z0-9][\w.\[\],-]*\s*(?:[<>=~!].*)?$", line)],
    )


def _dockerfile(content: str) -> Iterator[str]:
    lines = re.sub(r"\\\n", " ", content).splitlines()[:_LINES]
    for label, word in (("Built from", "FROM"), ("Ports", "EXPOSE"), ("Starts", "ENTRYPOINT"), ("Runs", "CMD")):
        found = [line.split(None, 1)[1] for line in lines if re.match(rf"\s*{word}\s+\S", line, re.IGNORECASE)]
        yield _names(label, [one for one in found if len(one) < 200])


def _makefile(content: str) -> Iterator[str]:
    rule = r"(?m)^([A-Za-z0-9][\w-]{0,40})(?: [\w ='\"*+-]{0,80})?:(?![=:])[^#\n]{0,200}(?:##[ \t]*([^\n]{1,80}))?"
    targets = re.findall(rule, content)
    yield _names("Targets", [f"{name} ({about.strip()})" if about else name for name, about in targets])


def _compose(content: str) -> Iterator[str]:
    services: dict[str, list[str]] = {}
    for keys, value in _outline(content):
        if keys[:1] == ("services",) and len(keys) > 1:
            about = services.setdefault(keys[1], [])
            if keys[2:] == ("image",) and value:
                about.append(value)
            elif keys[2:] == ("ports",) and re.fullmatch(r"[\w.:/${}-]{1,60}", value):
                about.append(f"port {value}")
    yield _names(
        "Services", [f"{name} ({', '.join(about)})" if about else name for name, about in services.items()], 12
    )


def _workflow(content: str) -> Iterator[str]:
    found = list(_outline(content))
    yield next((f"Workflow: {value}" for keys, value in found if keys == ("name",) and value), "")
    starts = [keys[1] if len(keys) > 1 else value for keys, value in found if keys[0] in ("on", '"on"', "true")]
    yield _names("Runs on", [one.strip("[]") for one in starts if one])
    jobs = [keys[1] for keys, _ in found if keys[0] == "jobs" and len(keys) > 1]
    yield _names("Jobs", jobs)
    yield _names(
        "Steps", [value for keys, value in found if keys[0] == "jobs" and keys[-1] == "run" and 1 < len(value) < 80], 12
    )


def _openapi(content: str) -> Iterator[str]:
    values = _json(content) if content.lstrip().startswith("{") else {}
    found = list(_outline(content)) if not values else []
    info = _table(values, "info") or {keys[1]: value for keys, value in found if keys[0] == "info" and len(keys) == 2}
    yield _said("API", info.get("title"))
    yield _said("Version", info.get("version"))
    yield _said("About", info.get("description"))
    servers = [one.get("url") for one in _list(values.get("servers")) if isinstance(one, dict)]
    yield _names("Servers", servers or [value for keys, value in found if keys == ("servers", "url")])
    yield _names(
        "Paths", _table(values, "paths") or [keys[1] for keys, _ in found if keys[0] == "paths" and len(keys) == 2], 15
    )


def _outline(content: str) -> Iterator[tuple[tuple[str, ...], str]]:
    """(keys from the outermost, value) of block YAML; a list item belongs to the key above it.

    Only `key: value`, `key:` and `- value` are understood; block text, anchors and flow values are passed by.
    """
    above: list[tuple[int, str]] = []
    for line in content.splitlines()[:_LINES]:
        found = re.match(r"^( *)((?:- +)*)(?:([\w./{}@$\"'-]{1,200}?):(?= |$))? *(.*)$", line)
        if not found or not line.strip() or line.lstrip().startswith("#"):
            continue
        column = len(found[1]) + len(found[2])
        value = re.sub(r"\s+#.*$", "", found[4]).strip().strip("\"'")
        key = (found[3] or "").strip("\"'")
        while above and above[-1][0] >= (column if key else column + (0 if found[2] else 1)):
            above.pop()
        if key:
            above.append((column, key))
        keys = tuple(one for _, one in above)
        if keys and (key or found[2]):
            yield keys, "" if value[:1] in "&*|>" else value
