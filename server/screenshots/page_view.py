"""A page in the browser: what it loads is answered by us alone, until it can be pictured.

The browser's own network is dead. Each of its requests stops and waits for us; those to the one made-up
origin of the site get files of its preview, and all others fail.
"""

from __future__ import annotations

import asyncio
import base64
import json
from contextlib import suppress
from typing import Any
from urllib.parse import urlsplit

from msgspec import Struct, field

from server.screenshots.devtools_pipe import DevtoolsError, DevtoolsPipe, Said
from server.screenshots.shot import PHONES, Load, LoadedFile, Picture, Shot

HOST = "site.localhost"
ORIGIN = f"http://{HOST}"
"""At which the browser believes the site to be. Nobody is asked where that is."""
MOST_BYTES = 48 * 1024**2
"""Of all files that a page loads."""
MOST_HEIGHT = 6_000
"""Pixels: a longer page is cut."""
_LOAD = 8.0
_SETTLE = 2.0


class NoSection(Exception):
    """The page has no element with the id."""


class PagePhotographer(Struct):
    """One page in one tab, at the browser behind `pipe`."""

    pipe: DevtoolsPipe
    load: Load
    session: str = ""
    events: asyncio.Event = field(default_factory=asyncio.Event)
    loaded: set[str] = field(default_factory=set)
    left: int = MOST_BYTES
    loaded_main: bool = False
    tasks: set[asyncio.Task[None]] = field(default_factory=set)

    async def picture(self, shot: Shot) -> Picture:
        """Open the page, and picture it. Raises NoSection, DevtoolsError, EOFError and ConnectionError."""
        try:
            await self._open(shot)
            return await self._shoot(shot)
        finally:
            for task in self.tasks:
                task.cancel()
            await asyncio.gather(*self.tasks, return_exceptions=True)

    async def _open(self, shot: Shot) -> None:
        self.pipe.heard = self._heard
        target = await self.pipe.ask("Target.createTarget", url="about:blank")
        attached = await self.pipe.ask("Target.attachToTarget", targetId=target["targetId"], flatten=True)
        self.session = str(attached["sessionId"])
        await self._ask("Fetch.enable", patterns=[{"urlPattern": "*"}])
        # Workers and frames of other origins would have requests of their own: they wait for ever.
        await self._ask("Target.setAutoAttach", autoAttach=True, waitForDebuggerOnStart=True, flatten=True)
        await self.pipe.ask("Browser.setDownloadBehavior", behavior="deny")
        await self._ask("Inspector.enable")
        await self._ask("Page.enable")
        await self._ask("Page.setLifecycleEventsEnabled", enabled=True)
        await self._ask("Emulation.setScrollbarsHidden", hidden=True)
        await self._size(shot.width, shot.height)
        features = [
            {"name": "prefers-color-scheme", "value": shot.scheme},
            {"name": "prefers-reduced-motion", "value": "reduce"},
        ]
        await self._ask("Emulation.setEmulatedMedia", media="screen", features=features)
        found = await self._ask("Page.navigate", url=f"{ORIGIN}{shot.path}")
        if found.get("errorText"):
            raise DevtoolsError("the preview does not have it")
        with suppress(TimeoutError):  # what has come by then is pictured
            async with asyncio.timeout(_LOAD):
                while found.get("loaderId") not in self.loaded:
                    self.events.clear()
                    await self.events.wait()

    async def _shoot(self, shot: Shot) -> Picture:
        await self._settle()
        whole, window = await self._height(), shot.height
        if shot.full or shot.section:
            whole = await self._whole(shot)
            window = min(max(whole, shot.height), MOST_HEIGHT)
            await self._size(shot.width, window)
            await self._settle()
        top, height = 0, window
        if shot.section:
            top, height = await self._section(shot.section, window)
        clip = {"x": 0, "y": top, "width": shot.width, "height": height, "scale": 1}
        found = await self._ask("Page.captureScreenshot", format="png", clip=clip)
        cut = bool(shot.full or shot.section) and whole > window
        return Picture(base64.b64decode(found["data"]), shot.width, height, whole, cut)

    async def _section(self, id: str, window: int) -> tuple[int, int]:
        found = await self._run(f"({_SECTION})({json.dumps(id)})")
        if not isinstance(found, list) or len(found) != 2:
            raise NoSection(id)
        top = max(0, min(int(found[0]), window - 1))
        return top, max(1, min(int(found[1]), window) - top)

    async def _settle(self) -> None:
        """Wait a little for fonts and pictures, then for the next frame."""
        with suppress(TimeoutError):
            async with asyncio.timeout(_SETTLE):
                await self._run(_READY)

    async def _whole(self, shot: Shot) -> int:
        """Return the height of the page; browsers estimate what was never in the window, so all of it is."""
        await self._size(shot.width, min(await self._height(), MOST_HEIGHT))
        await self._settle()
        await self._size(shot.width, shot.height)
        return await self._height()

    async def _height(self) -> int:
        found = await self._ask("Page.getLayoutMetrics")
        return int(found["cssContentSize"]["height"])

    async def _size(self, width: int, height: int) -> None:
        """Give the window a size; a narrow one is a phone's, whose bars for scrolling take no room."""
        await self._ask(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=height,
            deviceScaleFactor=1,
            mobile=width < PHONES,
        )

    async def _run(self, script: str) -> Any:
        """Run a script of ours in a world of its own, which the page's scripts do not reach."""
        tree = await self._ask("Page.getFrameTree")
        frame = tree["frameTree"]["frame"]["id"]
        world = await self._ask("Page.createIsolatedWorld", frameId=frame, worldName="twinpress")
        found = await self._ask(
            "Runtime.evaluate",
            expression=script,
            contextId=world["executionContextId"],
            awaitPromise=True,
            returnByValue=True,
        )
        return found.get("result", {}).get("value")

    async def _ask(self, method: str, **parameters: object) -> Said:
        return await self.pipe.ask(method, self.session, **parameters)

    def _heard(self, name: str, said: Said) -> None:
        if name == "Page.lifecycleEvent" and said["name"] == "load":
            self.loaded.add(str(said["loaderId"]))
            self.events.set()
        elif name == "Inspector.targetCrashed":
            self.pipe.give_up(DevtoolsError("it took more memory than a page may have"))
        elif name == "Fetch.requestPaused":
            task = asyncio.create_task(self._answer(said))
            self.tasks.add(task)
            task.add_done_callback(self.tasks.discard)

    async def _answer(self, asked: Said) -> None:
        """Give the browser what it asks for, or have its request fail."""
        with suppress(DevtoolsError, ConnectionError, EOFError):
            file = await self._file(asked["request"])
            if file is None:
                reason = "BlockedByClient"
                await self._ask("Fetch.failRequest", requestId=asked["requestId"], errorReason=reason)
                return
            headers = {"Content-Type": file.type, "Content-Security-Policy": file.policy}
            await self._ask(
                "Fetch.fulfillRequest",
                requestId=asked["requestId"],
                responseCode=file.status,
                responseHeaders=[{"name": name, "value": value} for name, value in headers.items() if value],
                body=base64.b64encode(file.body).decode(),
            )

    async def _file(self, request: Said) -> LoadedFile | None:
        parts = urlsplit(str(request["url"]))
        is_own = (parts.scheme, parts.netloc) == ("http", HOST) and request["method"] == "GET"
        if not is_own:
            return None
        file = await self.load(f"{parts.path}?{parts.query}" if parts.query else parts.path)
        if file is None or len(file.body) > self.left or (file.status >= 400 and not self.loaded_main):
            return None
        self.loaded_main = True
        self.left -= len(file.body)
        return file


_READY = """
document.fonts.ready
  .then(() => Promise.allSettled([...document.images].map((one) => one.decode())))
  .then(() => new Promise((next) => requestAnimationFrame(() => requestAnimationFrame(() => next(true)))))
"""
_SECTION = """
(id) => {
  const begin = document.getElementById(id);
  if (!begin) return null;
  const level = (one) => (/^H[1-6]$/.test(one.tagName) ? Number(one.tagName[1]) : 7);
  const top = begin.getBoundingClientRect().top + scrollY - 24;
  const around = begin.closest('article, main') ?? document.documentElement;
  const after = [...around.querySelectorAll('h1, h2, h3, h4, h5, h6')].find(
    (one) => begin.compareDocumentPosition(one) & Node.DOCUMENT_POSITION_FOLLOWING
      && level(one) <= level(begin));
  const box = (after ?? around).getBoundingClientRect();
  const end = (after ? box.top - 8 : box.bottom) + scrollY;
  return [top, Math.max(end, top + 32)];
}
"""
