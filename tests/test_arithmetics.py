"""The arithmetics that `tests.arithmetics` tries are those that it says."""

import ctypes
import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from numpy._core._multiarray_umath import __cpu_dispatch__, __cpu_features__

from tests.arithmetics import CORES, DISABLED, arithmetics

SAME_CORE = {"Prescott": "Katmai"}
"""What OpenBLAS calls the same code."""

ASKED = """
import json
from tests.test_arithmetics import core_name
from numpy._core._multiarray_umath import __cpu_features__
print(json.dumps([core_name(), __cpu_features__]))
"""


def core_name() -> str | None:
    """Ask OpenBLAS which processor it takes this one for; None with another library."""
    for path in sorted((Path(np.__file__).parent / "../numpy.libs").glob("*openblas*")):
        for name in ("scipy_openblas_get_corename64_", "openblas_get_corename"):
            if asked := getattr(ctypes.CDLL(str(path)), name, None):
                asked.restype = ctypes.c_char_p
                return str(asked().decode())
    return None


def told(environment: dict[str, str]) -> tuple[str | None, dict[str, bool]]:
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", ASKED],
        env={**os.environ, **environment},
        cwd=Path(__file__).parents[1],
        capture_output=True,
        text=True,
        check=True,
    )
    core, features = json.loads(done.stdout)
    return core, features


@pytest.mark.parametrize("arithmetic", [each for each in arithmetics() if not each.lacks], ids=lambda each: each.name)
def test_what_is_asked_for_is_so(arithmetic) -> None:
    """No name is without effect: each core is taken, and each feature that is named is there without it."""
    core, features = told(arithmetic.environment)
    wanted = arithmetic.environment.get("OPENBLAS_CORETYPE")
    assert wanted is None or core in (wanted, SAME_CORE.get(wanted), None)
    for name in arithmetic.environment.get("NPY_DISABLE_CPU_FEATURES", "").split():
        assert __cpu_features__[name]
        assert not features[name], name


def test_every_pair_is_tried_or_said_to_be_left_out() -> None:
    names = [each.name for each in arithmetics()]
    assert len(names) == len(set(names)) == len(CORES) * len(DISABLED) + 3
    assert set(__cpu_dispatch__) == set().union(*DISABLED.values())
