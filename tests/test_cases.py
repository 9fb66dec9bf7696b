"""The cases as a whole: every line of every `expect` is asserted somewhere, under its own mark.

The tests stand in `test_cases_notes`, `_ident`, `_query` and `_files`; `cases/` holds the inputs with their sources.
"""

import json
import re
from pathlib import Path

HERE = Path(__file__).parent


def test_every_expectation_is_asserted() -> None:
    cases = [json.loads(path.read_bytes()) for path in sorted(HERE.glob("cases/*/case.json"))]
    wanted = {f"{case['id']} ({n})" for case in cases for n in range(1, len(case["expect"]) + 1)}
    source = "\n".join(path.read_text(encoding="utf-8") for path in sorted(HERE.glob("test_cases_*.py")))
    marked = set(re.findall(r"# ([A-Z]+-\d\d \(\d\))", source))
    assert len(cases) == 26
    assert wanted - marked == set()
    assert marked - wanted == set()


def test_every_case_names_its_inputs_and_sources() -> None:
    for path in HERE.glob("cases/*/case.json"):
        case = json.loads(path.read_bytes())
        assert case["sources"]
        held = {file.relative_to(path.parent).as_posix() for file in path.parent.rglob("*") if file.is_file()}
        assert {name for name in held if "__pycache__" not in name} == {"case.json", *case["inputs"]}
