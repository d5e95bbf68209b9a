"""`python -m builder.reference DIR` writes the generated pages below the documentation folder DIR."""

from __future__ import annotations

import sys
from pathlib import Path

from builder.config import SiteConfig, options
from builder.diagnostic_codes import CODES
from builder.reference import configuration_page, diagnostics_page
from builder.reference.examples import EXAMPLES


def pages() -> dict[str, str]:
    """Source text of every generated page by its file below the documentation folder."""
    return {
        "reference/configuration.mdx": configuration_page(options(SiteConfig)),
        "reference/diagnostics.mdx": diagnostics_page(CODES, EXAMPLES),
    }


def main(arguments: list[str]) -> int:
    """Write the pages; one argument, the folder."""
    if len(arguments) != 1:
        sys.stderr.write("usage: python -m builder.reference DIR\n")
        return 2
    for name, text in pages().items():
        file = Path(arguments[0]) / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
