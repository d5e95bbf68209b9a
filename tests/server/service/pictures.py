"""The pictures of the guide, made of a service that runs: `python -m tests.server.service.pictures`.

They are written beside the pages that show them. Beside the tests, WORDS keeps what can be read on each
screen, so that a test can tell when a screen no longer is as its picture.
"""

from __future__ import annotations

import base64
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import msgspec
from playwright.sync_api import Page

from tests.chromium import launched
from tests.ports import free_port
from tests.server.domains.name_server import name_servers
from tests.server.service.place import data_folder
from tests.server.service.process import Host
from tests.server.service.screens import shown, words

GUIDE = Path(__file__).parents[3] / "sample-site" / "docs" / "hosting"
WORDS = Path(__file__).with_name("screens.json")
WIDTH, HEIGHT, LEAST = 1080, 720, 560
SHARPNESS = 1.5
QUALITY = 82
FRAME = """height => {
    const frame = document.createElement("div");
    frame.style.cssText = `position:fixed;inset:0 0 auto;height:${height}px;z-index:99;box-sizing:border-box;
        border:1px solid #c9ced9;border-radius:10px;pointer-events:none`;
    document.body.append(frame);
}"""
"""An edge, without which a white screen has none on a white page."""


@contextmanager
def opened() -> Iterator[tuple[Page, Host]]:
    """A new service, and a tab of the size of the pictures."""
    with data_folder() as data, launched() as browser, name_servers() as servers:
        servers.put("docs.example.com", "CNAME", "old-host.example.net.")
        asked = f"{servers.resolver.address}:{servers.port}"
        host = Host(data, arguments=("--db-port", str(free_port()), "--dns-resolver", asked))
        host.start()
        size = {"width": WIDTH, "height": HEIGHT}
        yield browser.new_page(viewport=size, device_scale_factor=SHARPNESS, reduced_motion="reduce"), host
        assert host.stop() == 0


def main() -> None:
    """Write all pictures, and what can be read on them."""
    read: dict[str, list[str]] = {}
    for old in GUIDE.glob("screen-*.webp"):
        old.unlink()
    with opened() as (tab, host):
        for name in shown(tab, host):
            read[name] = words(tab)
            data = _picture(tab)
            (GUIDE / f"{name}.webp").write_bytes(data)
            print(f"{name}.webp  {len(data) // 1024} KB")
    WORDS.write_bytes(msgspec.json.format(msgspec.json.encode(read), indent=2) + b"\n")


def _picture(tab: Page) -> bytes:
    """The screen as WebP, no higher than what is on it."""
    end = tab.evaluate(
        "Math.ceil(document.querySelector('main').lastElementChild.getBoundingClientRect().bottom)"
    )
    height = max(LEAST, min(HEIGHT, end + 32))
    tab.evaluate(FRAME, height)
    width = tab.evaluate("document.documentElement.clientWidth")
    session = tab.context.new_cdp_session(tab)
    clip = {"x": 0, "y": 0, "width": width, "height": height, "scale": 1}
    taken = session.send("Page.captureScreenshot", {"format": "webp", "quality": QUALITY, "clip": clip})
    return base64.b64decode(taken["data"])


if __name__ == "__main__":
    main()
