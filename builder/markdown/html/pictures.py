"""What images are given so that nothing on the page moves, and nothing is loaded before it is needed."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from html import unescape

from builder.images import header
from builder.lazy_regex import lazy
from builder.markdown.html.sheet import Place, Sheet

NO_ALT = "the image has no text for those who do not see it"
ALT_HINT = 'write it into the brackets, or `<img alt="" src="...">` for mere decoration'

_IMG = lazy(r"<img((?: [\w-]+=\"[^\"]*\")*)>")
_PIXELS = lazy("[1-9][0-9]{0,4}")
_ATTRIBUTE = lazy(r" ([\w-]+)=\"([^\"]*)\"")


class Pictures:
    """The images of one page, in the order of the page."""

    def __init__(self, sheet: Sheet) -> None:
        self._sheet = sheet

    def attributes(self, src: str, given: Mapping[str, object]) -> dict[str, str | int | float]:
        """What an image with the final address `src` has beside what the author gave."""
        found: dict[str, str | int | float] = {}
        context = self._sheet.context
        if size := header.of_address(src, context.base, context.sizes):
            found |= _missing(size, given)
        if self._sheet.number("image") > 1 and "loading" not in given:
            found["loading"] = "lazy"
        return found

    def raw(self, html: str, place: Callable[[], Place]) -> str:
        """The same for the images in raw HTML with final addresses; `place` is that of the next one."""

        def whole(tag: re.Match[str]) -> str:
            given = {name: unescape(value) for name, value in _ATTRIBUTE.findall(tag[1])}
            at = place()
            if "alt" not in given:
                self.without_alt(at)
            more = self.attributes(given.get("src", ""), given).items()
            added = "".join(f' {name}="{value}"' for name, value in more)
            return f"<img{tag[1]}{added}>"

        return _IMG.sub(whole, html) if "<img" in html else html

    def without_alt(self, place: Place) -> None:
        """Say that the image at `place` tells nothing."""
        self._sheet.found(place, "image-alt", NO_ALT, ALT_HINT)


def _missing(size: tuple[int, int], given: Mapping[str, object]) -> dict[str, int]:
    """The sides that an author has not given, in proportion to the one that was."""
    own = dict(zip(("width", "height"), size, strict=True))
    sides = {name: str(given[name]) for name in own if name in given}
    if len(sides) != 1:
        return {} if sides else own
    (name, length), (other,) = *sides.items(), own.keys() - sides
    return {other: max(1, round(own[other] * int(length) / own[name]))} if _PIXELS.fullmatch(length) else {}
