"""The cases as a whole: every line of every `expect` is asserted somewhere, under its own mark.

The tests stand in `test_cases_notes`, `_ident`, `_query`, `_files`, `_exports`, `_import`, `_watch`, `_embed`,
`_store`, `_model`, `_capture` and `_mcp`, one in `index/test_scale`; `cases/` holds the inputs and, in
`cases.json`, the cases with their sources.
"""

import json
import re
from pathlib import Path

HERE = Path(__file__).parent
SCALE = HERE / "index" / "test_scale.py"
CASES = json.loads((HERE / "cases" / "cases.json").read_bytes())


def test_every_expectation_is_asserted() -> None:
    wanted = {f"{name} ({n})" for name, case in CASES.items() for n in range(1, len(case["expect"]) + 1)}
    source = "\n".join(path.read_text(encoding="utf-8") for path in [*sorted(HERE.glob("test_cases_*.py")), SCALE])
    marked = set(re.findall(r"# ([A-Z]+-\d\d \(\d\))", source))
    assert len(CASES) == 51
    assert wanted - marked == set()
    assert marked - wanted == set()


def test_every_case_names_its_inputs_and_sources() -> None:
    for name, case in CASES.items():
        assert case["sources"]
        folder = HERE / "cases" / name
        held = {file.relative_to(folder).as_posix() for file in folder.rglob("*") if file.is_file()}
        assert {one for one in held if "__pycache__" not in one} == set(case["inputs"])
