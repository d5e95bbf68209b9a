"""Pictures of pages for people to look at: kept by CI, and compared with nothing.

The environment variable `TWINPRESS_PICTURES` names their folder; without it none are taken.
"""

from __future__ import annotations

import os
from pathlib import Path

from playwright.sync_api import Page

_LOADED = """() => Promise.all([...document.images].map((image) => {
  image.loading = "eager";
  return image.decode().catch(() => undefined);
}))"""


def wanted() -> bool:
    """Return whether somebody will look at the pictures."""
    return bool(os.environ.get("TWINPRESS_PICTURES"))


def keep(page: Page, look: str, name: str) -> Path | None:
    """Write the whole page, as it is now, to a file that is named after the page and its look."""
    if not wanted():
        return None
    file = Path(os.environ["TWINPRESS_PICTURES"]) / f"{name}.{look.replace(' ', '-')}.png"
    page.evaluate(_LOADED)
    page.screenshot(path=file, full_page=True, animations="disabled")
    return file
