"""Create, check, build and serve a site with an installed Twinpress, far from its sources.

python .ci/smoke.py path/to/twinpress
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
import urllib.request
from pathlib import Path

PATIENCE = 60


def build(command: str, folder: str) -> None:
    """Create a site, and build it without a single warning."""
    for arguments in (["new", "site"], ["check", "site", "--strict"], ["build", "site"]):
        subprocess.run([command, *arguments], cwd=folder, check=True, timeout=PATIENCE)
    written = Path(folder, "site", "dist")
    for name in ("index.html", "docs/index.html", "docs/index.md", "llms.txt", "llms-full.txt"):
        assert (written / name).is_file(), f"the build has no {name}"


def serve(command: str, folder: str) -> None:
    """Serve the site, look at its first page and its style, and stop the server as Ctrl+C does."""
    arguments = [command, "serve", "site", "--port", "0"]
    with subprocess.Popen(
        arguments, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    ) as server:
        try:
            address = _address(server)
            page = _get(address).decode()
            style = re.search(r'href="([^"]+\.css)"', page)
            assert style, "the page names no style"
            assert _get(address.rstrip("/") + style[1]), "the style is empty"
        finally:
            server.terminate()
        server.communicate(timeout=PATIENCE)
    assert server.returncode == 0, f"serve ended with {server.returncode}"


def _address(server: subprocess.Popen[str]) -> str:
    assert server.stdout is not None
    shown = []
    for line in server.stdout:
        shown.append(line)
        if found := re.search(r"http://127\.0\.0\.1:\d+/(?=\s)", line):
            return found[0]
    raise AssertionError(f"serve named no address:\n{''.join(shown)}")


def _get(address: str) -> bytes:
    with urllib.request.urlopen(address, timeout=PATIENCE) as response:
        return bytes(response.read())


if __name__ == "__main__":
    twinpress = str(Path(sys.argv[1]).absolute())
    with tempfile.TemporaryDirectory() as empty:
        build(twinpress, empty)
        serve(twinpress, empty)
    print("The package works: a site was created, checked, built and served.")
