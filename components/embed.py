"""`Embed`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar
from urllib.parse import SplitResult

from markupsafe import Markup

from components import embed_hosts, twin
from components.address import is_safe
from components.base import Child, Component, Href, Page
from components.embed_providers import find_provider
from components.html import content, fill, one_line

# The frame itself is made by the theme's script when the reader asks for it: nothing is loaded before.
_HTML = """
    <figure class="tp-embed">
    <div class="tp-embed-box" data-embed="{{ frame }}" data-title="{{ title }}">
    <p class="tp-embed-title">{{ title }}</p></div>
    <figcaption>{{ content }}<a href="{{ src }}">Open on {{ host }}</a></figcaption>
    </figure>
"""

_REFUSED = """
    {% if src %}<p class="tp-embed-link">
    {% if safe %}<a href="{{ src }}">{{ title }}</a>{% else %}<code>{{ src }}</code>{% endif %}
    </p>{% endif %}
    {{ content }}
"""


@dataclass(frozen=True, slots=True)
class Embed(Component):
    """A video, a design or a sandbox from another site, loaded when the reader asks for it.

    | Attribute | Type | Default | Meaning |
    |---|---|---|---|
    | `src` | link | | The address, as it stands in the browser's address bar; `https` only. |
    | `title` | text | the site's name | What it is, for readers who cannot see it. |

    YouTube, Vimeo, Loom, Figma, CodePen, CodeSandbox, StackBlitz and Spotify work at once. Other hosts must
    be listed as `embed_hosts` in `site.yml`. There is always a plain link beside it, so that print, readers
    without script and machines have it too. What stands between the tags is the caption.

    ```mdx
    <Embed src="https://www.youtube.com/watch?v=aqz-KE-bpKQ" title="Big Buck Bunny, an open film" />
    ```
    """

    tag: ClassVar[str] = "Embed"
    premium: ClassVar[bool] = True
    childless: ClassVar[bool] = True

    src: Href = ""
    title: str = ""

    def html(self, children: Sequence[Child], page: Page) -> Markup:
        """A figure that the theme's script can fill, or a plain link where the host is not allowed."""
        url = embed_hosts.address(self.src)
        frame = self._frame(url, page) if url else ""
        if not url:
            self._refuse(page)
        if not url or not frame:
            safe = is_safe(self.src)
            return fill(_REFUSED, src=self.src, safe=safe, title=self._title(), content=content(children))
        return fill(
            _HTML, frame=frame, title=self._title(), src=self.src, host=url.netloc, content=content(children)
        )

    def twin(self, children: Sequence[Child]) -> str:
        """A link, then the caption."""
        shown = twin.link(self._title(), self.src) if is_safe(self.src) else twin.code(self.src)
        return twin.blocks([shown, twin.content(children)])

    def _frame(self, url: SplitResult, page: Page) -> str:
        """The address to be framed, or an empty string and a diagnostic."""
        if not embed_hosts.permits(url.netloc, page.embed_hosts):
            hint = f"add `{url.netloc}` to `embed_hosts` in `site.yml`"
            page.report("embed-host", f"`{url.netloc}` is not in `embed_hosts`", hint)
            return ""
        provider = find_provider(url.netloc.removeprefix("www."))
        frame = provider.frame(url) if provider else url.geturl()
        if provider and not frame:
            hint = "use the address of the thing itself"
            page.report("attribute-invalid", f"{provider.name} has no player for this address", hint)
        return frame

    def _refuse(self, page: Page) -> None:
        if not self.src:
            page.report("attribute-missing", "an `Embed` without `src`", "give the address in `src`")
        else:
            page.report("embed-host", f"`{self.src}` is no `https` address", "use an `https` address")

    def _title(self) -> str:
        url = embed_hosts.address(self.src)
        provider = find_provider(url.netloc.removeprefix("www.")) if url else None
        place = provider.name if provider else url.netloc if url else self.src
        return one_line(self.title) or place
