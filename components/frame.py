"""`Frame`: the extra `frame`."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import ClassVar

from markupsafe import Markup, escape

from components import twin
from components.base import Child, Component, Image, Page
from components.html import coded, content, fill
from components.safe_href import is_safe
from components.words import Words

WIDEST = 10_000
"""Pixels."""

_HTML = """
    {% if content or caption %}<figure class="tp-frame"{% if zoom %} data-close="{{ close }}"{% endif %}>
    {% if content %}<div class="tp-frame-body">{{ content }}</div>{% endif %}
    {% if caption %}<figcaption>{{ caption }}</figcaption>{% endif %}</figure>{% endif %}
"""
_ZOOM = '<a class="tp-zoom{{ scheme }}" href="{{ src }}">{{ image }}</a>'
_IMG = re.compile(r'<img((?: [\w-]+="[^"]*")*)>')
_ATTRIBUTE = re.compile(r' ([\w-]+)="([^"]*)"')


class Frame(Component, frozen=True):
    """An image in a frame, with a caption, and larger on a click.

    | Attribute | Type | Default | Meaning |
    |---|---|---|---|
    | `caption` | text | | The line below; text between two backticks is code. |
    | `width` | number | `0` | The largest width of the image in pixels; `0` is its own. |
    | `dark` | image | | Another image in the place of the one that it holds, for dark pages. |
    | `zoom` | flag | `True` | Whether a click shows the image alone; `zoom="false"` switches that off. |

    Without script a click opens the file of the image. An image within a link, and one without alternative
    text, cannot be clicked. Paper always has the light image. It can hold videos, code and text too.

    ```mdx
    <Frame caption="Each save, as `twinpress check` sees it." width={480}>
      ![A saved page is checked and built](/docs/writing/checks.svg)
    </Frame>
    ```
    """

    tag: ClassVar[str] = "Frame"

    caption: str = ""
    width: int = 0
    dark: Image = ""
    zoom: bool = True

    def html(self, children: Sequence[Child], page: Page) -> Markup:
        """A figure; its images get their width, their dark form and the link that enlarges them."""
        inner = str(content(children))
        images = list(_IMG.finditer(inner))
        self._check(len(images), page)
        dark = self.dark if len(images) == 1 and is_safe(self.dark) else ""
        pieces: list[str] = []
        done, linked = 0, False
        for image in images:
            between = inner[done : image.start()]
            opened, closed = between.rfind("<a "), between.rfind("</a>")
            linked = opened > closed if opened != closed else linked
            pieces += between, self._image(image, dark, page, zooms=self.zoom and not linked)
            done = image.end()
        whole = Markup("".join([*pieces, inner[done:]]))
        zoom = self.zoom and bool(images)
        return fill(_HTML, content=whole, caption=coded(self.caption), zoom=zoom, close=page.words.dismiss)

    def twin(self, children: Sequence[Child], words: Words) -> str:
        """The content, and the caption in italics."""
        body = twin.content(children)
        caption = twin.words(self.caption).strip()
        return twin.blocks([body, f"*{caption}*" if caption else ""])

    def _check(self, images: int, page: Page) -> None:
        if not 0 <= self.width <= WIDEST:
            hint = f"write pixels, at most {WIDEST}"
            page.report("attribute-invalid", f"`width` cannot be {self.width}", hint, attribute="width")
        if self.dark and images != 1:
            message = f"`dark` needs one image in the frame, and there are {images}"
            page.report(
                "attribute-invalid", message, "put each image into a `Frame` of its own", attribute="dark"
            )

    def _image(self, image: re.Match[str], dark: str, page: Page, *, zooms: bool) -> str:
        """One image as it stands in the frame."""
        given = dict(_ATTRIBUTE.findall(image[1]))
        zooms = zooms and bool(given.get("alt"))
        if not dark:
            return _shown(self._sized(given), "", zooms=zooms)
        size = page.size(dark) or ()
        sides = {name: str(side) for name, side in zip(("width", "height"), size, strict=False)}
        kept = {name: value for name, value in given.items() if name not in ("id", "width", "height")}
        other = {**kept, "src": str(escape(dark)), **sides, "loading": "lazy"}
        first = _shown(self._sized(given), "tp-light", zooms=zooms)
        return first + _shown(self._sized(other), "tp-dark", zooms=zooms)

    def _sized(self, given: dict[str, str]) -> dict[str, str]:
        """The attributes with the frame's width, and a height in proportion."""
        if not 0 < self.width <= WIDEST:
            return given
        sides = {"width": str(self.width)}
        own = [given.get(name, "") for name in ("width", "height")]
        if all(side.isdecimal() and int(side) for side in own):
            sides["height"] = str(max(1, round(int(own[1]) * self.width / int(own[0]))))
        return {name: value for name, value in given.items() if name not in ("width", "height")} | sides


def _shown(given: dict[str, str], scheme: str, *, zooms: bool) -> str:
    """The image; its attributes are escaped already, as they were read from HTML."""
    name = {"class": scheme} if scheme and not zooms else {}
    image = Markup("".join(f' {key}="{value}"' for key, value in {**name, **given}.items()))
    tag = Markup("<img{}>").format(image)
    if not zooms:
        return str(tag)
    return str(fill(_ZOOM, scheme=f" {scheme}" if scheme else "", src=Markup(given["src"]), image=tag))
