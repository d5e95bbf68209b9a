"""Takes pictures of pages, one at a time, each in a browser of its own that is ended when its time is up."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from msgspec import Struct, field

from server.http.failure import Failure
from server.screenshots.browser_process import Browser, BrowserFailed, browser_process
from server.screenshots.devtools_pipe import DevtoolsError
from server.screenshots.page_view import NoSection, PagePhotographer
from server.screenshots.shot import Load, Picture, Shot

SECONDS = 20.0
"""For one picture; most take half a second."""
PATIENCE = 10.0
"""Seconds that others wait for their turn."""
WAITING = 4
"""How many may wait."""
LARGEST = 8 * 1024**2
"""Bytes of a picture."""
MISSING = (
    "no Chromium is found: install one (Debian: `apt install chromium`, Fedora: `dnf install chromium`), or "
    "name its program by the environment variable TWINPRESS_CHROMIUM"
)


class Camera(Struct):
    """Takes pictures with the browser that `find` gives; None where there is none. For one event loop."""

    find: Callable[[], Browser | None]
    seconds: float = SECONDS
    patience: float = PATIENCE
    room: int = WAITING
    turn: asyncio.Lock = field(default_factory=asyncio.Lock)
    waiting: int = 0

    async def picture(self, load: Load, shot: Shot) -> Picture:
        """Picture a page of the site whose files `load` gives.

        Raises Failure: SCREENSHOT_UNAVAILABLE without a browser that can be run, PREVIEW_FAILED for a page
        that is too much for it, TOO_BUSY when others keep it busy, and PAGE_NOT_FOUND for no such section.
        """
        browser = await asyncio.to_thread(self._found)
        await self._take_turn()
        try:
            return await self._picture(browser, load, shot)
        finally:
            self.turn.release()

    def _found(self) -> Browser:
        try:
            browser = self.find()
        except LookupError as error:
            raise Failure("SCREENSHOT_UNAVAILABLE", f"no browser can be run: {error}") from error
        if browser is None:
            raise Failure("SCREENSHOT_UNAVAILABLE", MISSING)
        return browser

    async def _take_turn(self) -> None:
        busy = Failure("TOO_BUSY", "another picture is being taken: try again", {"Retry-After": "5"})
        if self.waiting >= self.room:
            raise busy
        self.waiting += 1
        try:
            async with asyncio.timeout(self.patience):
                await self.turn.acquire()
        except TimeoutError:
            raise busy from None
        finally:
            self.waiting -= 1

    async def _picture(self, browser: Browser, load: Load, shot: Shot) -> Picture:
        try:
            async with asyncio.timeout(self.seconds), browser_process(browser) as pipe:
                picture = await PagePhotographer(pipe, load).picture(shot)
        except TimeoutError:
            message = (
                f"the browser was not done with the page after {self.seconds:g} s: make the page simpler"
            )
            raise Failure("PREVIEW_FAILED", message) from None
        except NoSection as error:
            message = f"section: the page has no heading with the id `{str(error)[:80]}` (see `outline`)"
            raise Failure("PAGE_NOT_FOUND", message) from None
        except DevtoolsError as error:
            raise Failure("PREVIEW_FAILED", f"the browser could not draw the page: {error}") from error
        except (BrowserFailed, OSError) as error:
            raise Failure("SCREENSHOT_UNAVAILABLE", str(error)) from error
        if len(picture.png) > LARGEST:
            message = "the picture has more than 8 MiB: ask for one section, or a smaller width"
            raise Failure("PREVIEW_FAILED", message)
        return picture
