"""Compare the whole model layer and print the table; the exit code is 1 if a bound is broken."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from tests.truth.circuits import ROWS, validated, validation_table
from tests.truth.measure import measured, table
from tests.truth.register import all_checks


def main(arguments: Sequence[str] | None = None) -> int:
    """Run all checks, or those of the names that are given."""
    parser = argparse.ArgumentParser(prog="python -m tests.truth", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help="such as softmax; all if none is named")
    parser.add_argument("--cases", type=int, default=100, metavar="N", help="random cases of each, 100 by default")
    parser.add_argument("--seed", type=int, default=0, metavar="N", help="of the random cases, 0 by default")
    options = parser.parse_args(arguments)
    chosen = [each for each in all_checks() if not options.names or set(options.names) & set(each.names)]
    found = [measured(each, options.cases, options.seed) for each in chosen]
    print(table(found))  # noqa: T201 - this is what it is for
    circuits = [] if options.names else [validated(row) for row in ROWS]
    if circuits:
        print(f"\nCircuits, on small models whose parameters are all random:\n{validation_table(circuits)}\n")  # noqa: T201
    broken = sorted({name for each in found if not each.is_fine for name in each.check.names})
    broken += [each.row.method for each in circuits if not each.is_fine]
    print(f"beyond their bounds: {', '.join(broken)}" if broken else "all within their bounds")  # noqa: T201
    return 1 if broken or not found else 0


if __name__ == "__main__":
    sys.exit(main())
