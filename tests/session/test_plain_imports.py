"""In the program, PySide does not read the source of every module that is imported after it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

_READ = """
import sys
from attention_explorer.session import plain_imports
{install}
import this_of_all
print("this_of_all" in sys.modules["shibokensupport.feature"].pyside_feature_dict)
"""


@pytest.mark.parametrize(("install", "is_read"), [("", "True"), ("plain_imports.install()", "False")])
def test_a_module_is_read_by_pyside_only_where_its_import_is_in_place(
    tmp_path: Path, install: str, is_read: str
) -> None:
    (tmp_path / "this_of_all.py").write_text("", encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-c", f"import sys; sys.path.append({str(tmp_path)!r})" + _READ.format(install=install)],
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.strip() == is_read


def test_the_program_imports_without_it() -> None:
    program = """
import builtins, sys
from attention_explorer import app, cli
app.run_window = lambda *_given, **_how: print(builtins.__import__ is builtins.__orig_import__) or 0
sys.exit(cli.main(["run"]))
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "True"
