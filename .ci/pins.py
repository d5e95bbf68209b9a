"""Print the versions that pip chooses today for a development environment, one package a line.

python .ci/pins.py > requirements-dev.txt
"""

from __future__ import annotations

import json
import subprocess
import sys

# Names and versions alone: the report also names the index it asked, which differs from place to place.
OPTIONS = ("--quiet", "--disable-pip-version-check", "--dry-run", "--ignore-installed", "--report", "-")
OWN = "twinpress"


def pins() -> list[str]:
    """Resolve the package with its extra `dev`, and install nothing."""
    arguments = [sys.executable, "-m", "pip", "install", *OPTIONS, "--editable", ".[dev]"]
    report = json.loads(subprocess.run(arguments, check=True, stdout=subprocess.PIPE).stdout)
    chosen = [each["metadata"] for each in report["install"]]
    return sorted(f"{each['name'].lower()}=={each['version']}" for each in chosen if each["name"] != OWN)


if __name__ == "__main__":
    print("# The versions that CI tests with. `make pins` writes this file; pip reads it as constraints.")
    print("\n".join(pins()))
