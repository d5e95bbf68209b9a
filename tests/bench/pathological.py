"""CPU seconds of builds of one page of pathological text each, the slowest first.

    python -m tests.bench.pathological [--size 1048576] [--rows 20]

With `--size` a quarter of it, a time that does not fall much is one that a budget of work has cut off.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

from builder.store import PAGE_LIMIT
from tests.builder.pathological import FORMATS, KINDS, seconds

LIMIT = 2.0
"""Seconds that a page may take on a machine that does nothing else."""


def main() -> None:
    """Measure and print; exits with 1 when a page takes longer than it may."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--size", type=int, default=PAGE_LIMIT)
    parser.add_argument("--rows", type=int, default=20)
    wanted = parser.parse_args()
    rows = []
    with tempfile.TemporaryDirectory() as temporary:
        for number, (name, form) in enumerate((name, form) for name in KINDS for form in FORMATS):
            spent = seconds(Path(temporary) / str(number), name, form, wanted.size)
            rows.append((spent, form, name))
    rows.sort(reverse=True)
    print(f"{len(rows)} pages of {wanted.size:,} bytes: {sum(row[0] for row in rows):.0f} s of CPU")
    for spent, form, name in rows[: wanted.rows]:
        print(f"{spent:7.2f}  {form:4}  {name}")
    sys.exit(rows[0][0] > LIMIT)


if __name__ == "__main__":
    main()
